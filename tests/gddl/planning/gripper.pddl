; A robot with two grippers carries balls from one room to another. Energy for each action keeps plans finite.
(define (domain gripper)
  (:requirements :strips :typing)
  (:types room ball gripper energy)
  (:predicates
    (at-robby ?room - room)
    (at ?ball - ball ?room - room)
    (free ?gripper - gripper)
    (carry ?ball - ball ?gripper - gripper)
    (energy ?level - energy)
    (spend ?level ?less - energy))

  (:action move
    :parameters (?from ?to - room ?level ?less - energy)
    :precondition (and (at-robby ?from) (energy ?level) (spend ?level ?less))
    :effect (and (not (at-robby ?from)) (at-robby ?to) (not (energy ?level)) (energy ?less)))

  (:action pick
    :parameters (?ball - ball ?room - room ?gripper - gripper ?level ?less - energy)
    :precondition (and (at ?ball ?room) (at-robby ?room) (free ?gripper) (energy ?level) (spend ?level ?less))
    :effect (and (carry ?ball ?gripper) (not (at ?ball ?room)) (not (free ?gripper))
                 (not (energy ?level)) (energy ?less)))

  (:action drop
    :parameters (?ball - ball ?room - room ?gripper - gripper ?level ?less - energy)
    :precondition (and (carry ?ball ?gripper) (at-robby ?room) (energy ?level) (spend ?level ?less))
    :effect (and (at ?ball ?room) (free ?gripper) (not (carry ?ball ?gripper))
                 (not (energy ?level)) (energy ?less))))

(define (problem gripper-2)
  (:domain gripper)
  (:objects rooma roomb - room one two - ball left right - gripper e0 e1 e2 e3 e4 e5 - energy)
  (:init
    (at-robby rooma) (at one rooma) (at two rooma) (free left) (free right)
    (energy e5) (spend e5 e4) (spend e4 e3) (spend e3 e2) (spend e2 e1) (spend e1 e0))
  (:goal (and (at one roomb) (at two roomb))))
