(define (problem p) (:domain d) (:objects a - block) (:init (clear a)) (:goal (held a)))
