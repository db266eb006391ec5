; One passenger from the ground to the top, one from the first floor to the ground.
(define (problem elevators-3)
  (:domain elevators)
  (:objects first top - floor anna - vip boris - passenger)
  (:init
    (next ground first) (next first top) (lift-at ground)
    (origin anna ground) (destination anna top) (origin boris first) (destination boris ground)
    (= (total-cost) 0) (= (travel ground first) 2) (= (travel first top) 2) (= (travel ground top) 3))
  (:goal (forall (?p - passenger) (served ?p)))
  (:metric minimize (total-cost)))
