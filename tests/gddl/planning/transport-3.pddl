; One vehicle for two packages, three places in a row.
(define (problem transport-3)
  (:domain transport)
  (:objects a b c - location van - vehicle p1 p2 - package n0 n1 n2 - capacity-number)
  (:init
    (= (total-cost) 0)
    (road a b) (= (road-length a b) 10) (road b a) (= (road-length b a) 10)
    (road b c) (= (road-length b c) 25) (road c b) (= (road-length c b) 25)
    (at van a) (at p1 a) (at p2 b)
    (capacity van n2) (capacity-predecessor n0 n1) (capacity-predecessor n1 n2))
  (:goal (and (at p1 c) (at p2 c)))
  (:metric minimize (total-cost)))
