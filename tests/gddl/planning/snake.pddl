; A snake creeps over a field and eats apples, each of which appears when the one before is eaten. A meal makes it longer.
(define (domain snake)
  (:requirements :strips :typing :negative-preconditions)
  (:types square)
  (:predicates
    (adjacent ?s ?t - square)
    (empty ?s - square)
    (head ?s - square)
    (tail ?s - square)
    (leads ?s ?t - square)
    (apple ?s - square)
    (ripens ?s ?t - square)
    (final ?s - square))
  (:action creep
    :parameters (?h ?n ?t ?u - square)
    :precondition (and (head ?h) (adjacent ?h ?n) (empty ?n) (tail ?t) (leads ?t ?u))
    :effect (and (not (head ?h)) (head ?n) (leads ?h ?n) (not (empty ?n)) (empty ?t) (not (tail ?t)) (tail ?u)
      (not (leads ?t ?u))))
  (:action eat
    :parameters (?h ?n ?a - square)
    :precondition (and (head ?h) (adjacent ?h ?n) (apple ?n) (ripens ?n ?a) (empty ?a))
    :effect (and (not (head ?h)) (head ?n) (leads ?h ?n) (not (apple ?n)) (apple ?a) (not (empty ?a))))
  (:action eat-last
    :parameters (?h ?n - square)
    :precondition (and (head ?h) (adjacent ?h ?n) (apple ?n) (final ?n))
    :effect (and (not (head ?h)) (head ?n) (leads ?h ?n) (not (apple ?n)))))
