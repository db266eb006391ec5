; No road leads to where the packages should go.
(define (problem transport-cut)
  (:domain transport)
  (:objects a b c - location van - vehicle p1 p2 - package n0 n1 n2 - capacity-number)
  (:init
    (= (total-cost) 0)
    (road a b) (= (road-length a b) 10) (road b a) (= (road-length b a) 10)
    (at van a) (at p1 a) (at p2 b)
    (capacity van n2) (capacity-predecessor n0 n1) (capacity-predecessor n1 n2))
  (:goal (and (at p1 c) (at p2 c)))
  (:metric minimize (total-cost)))
