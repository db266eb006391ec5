(define (domain d) (:requirements :typing) (:types block) (:predicates (clear ?x - block) (held ?x - block))
  (:action hold :parameters (?x - block) :precondition (clear ?x) :effect (held ?x)))
