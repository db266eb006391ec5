; Anna may not be at the top while she travels, which is where she wants to go.
(define (problem elevators-apart)
  (:domain elevators)
  (:objects first top - floor anna - vip boris - passenger)
  (:init
    (next ground first) (next first top) (lift-at ground)
    (origin anna ground) (destination anna top) (origin boris first) (destination boris ground)
    (no-access anna top)
    (= (total-cost) 0) (= (travel ground first) 2) (= (travel first top) 2) (= (travel ground top) 3))
  (:goal (forall (?p - passenger) (served ?p)))
  (:metric minimize (total-cost)))
