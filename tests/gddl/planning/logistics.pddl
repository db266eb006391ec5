; Trucks drive within cities, airplanes fly between airports. Fuel for each step keeps plans finite.
(define (domain logistics)
  (:requirements :adl)
  (:types
    truck airplane - vehicle
    package vehicle - thing
    airport location - place
    thing city place fuel)
  (:predicates
    (in-city ?place - place ?city - city)
    (at ?thing - thing ?place - place)
    (in ?package - package ?vehicle - vehicle)
    (tank ?fuel - fuel)
    (burn ?fuel ?less - fuel))

  (:action load
    :parameters (?package - package ?vehicle - vehicle ?place - place ?fuel ?less - fuel)
    :precondition (and (at ?vehicle ?place) (at ?package ?place) (tank ?fuel) (burn ?fuel ?less))
    :effect (and (not (at ?package ?place)) (in ?package ?vehicle) (not (tank ?fuel)) (tank ?less)))

  (:action unload
    :parameters (?package - package ?vehicle - vehicle ?place - place ?fuel ?less - fuel)
    :precondition (and (at ?vehicle ?place) (in ?package ?vehicle) (tank ?fuel) (burn ?fuel ?less))
    :effect (and (not (in ?package ?vehicle)) (at ?package ?place) (not (tank ?fuel)) (tank ?less)))

  (:action drive
    :parameters (?truck - truck ?from ?to - place ?city - city ?fuel ?less - fuel)
    :precondition (and (at ?truck ?from) (in-city ?from ?city) (in-city ?to ?city) (not (= ?from ?to))
                       (tank ?fuel) (burn ?fuel ?less))
    :effect (and (not (at ?truck ?from)) (at ?truck ?to) (not (tank ?fuel)) (tank ?less)))

  (:action fly
    :parameters (?airplane - airplane ?from ?to - airport ?fuel ?less - fuel)
    :precondition (and (at ?airplane ?from) (not (= ?from ?to)) (tank ?fuel) (burn ?fuel ?less))
    :effect (and (not (at ?airplane ?from)) (at ?airplane ?to) (not (tank ?fuel)) (tank ?less))))

(define (problem logistics-1)
  (:domain logistics)
  (:objects
    parcel - package
    north south - truck
    plane - airplane
    north-port south-port - airport
    north-house south-house - location
    norville sutton - city
    f0 f1 f2 f3 f4 f5 f6 f7 f8 f9 - fuel)
  (:init
    (in-city north-port norville) (in-city north-house norville)
    (in-city south-port sutton) (in-city south-house sutton)
    (at parcel north-house) (at north north-house) (at south south-port) (at plane north-port)
    (tank f9) (burn f9 f8) (burn f8 f7) (burn f7 f6) (burn f6 f5) (burn f5 f4) (burn f4 f3) (burn f3 f2)
    (burn f2 f1) (burn f1 f0))
  (:goal (at parcel south-house)))
