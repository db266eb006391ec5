; Two packages from the harbour to the market: the direct road is long, the one through the village is short.
(define (problem delivery-1)
  (:domain delivery)
  (:objects harbour village market - town fish salt - package)
  (:init
    (van harbour) (at fish harbour) (at salt harbour)
    (road harbour market) (= (length harbour market) 30)
    (road harbour village) (= (length harbour village) 10)
    (road village market) (= (length village market) 10)
    (road market village) (= (length market village) 10)
    (= (total-cost) 0))
  (:goal (and (at fish market) (at salt market)))
  (:metric minimize (total-cost)))
