(define (domain keys)
  (:requirements :strips :typing :negative-preconditions)
  (:types room)
  (:predicates (in ?r - room) (door ?a ?b - room) (open ?a ?b - room) (key-in ?r - room) (has-key))
  (:action go
    :parameters (?a ?b - room)
    :precondition (and (in ?a) (open ?a ?b))
    :effect (and (not (in ?a)) (in ?b)))
  (:action take
    :parameters (?r - room)
    :precondition (and (in ?r) (key-in ?r) (not (has-key)))
    :effect (and (not (key-in ?r)) (has-key)))
  (:action unlock
    :parameters (?a ?b - room)
    :precondition (and (in ?a) (door ?a ?b) (has-key) (not (open ?a ?b)))
    :effect (and (open ?a ?b) (open ?b ?a) (not (has-key)))))
