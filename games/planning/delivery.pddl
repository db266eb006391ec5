; A van carries packages along roads of different lengths.
(define (domain delivery)
  (:requirements :typing :action-costs)
  (:types town package)
  (:predicates
    (road ?from ?to - town)
    (van ?t - town)
    (at ?p - package ?t - town)
    (loaded ?p - package))
  (:functions (total-cost) (length ?from ?to - town) - number)

  (:action drive
    :parameters (?from ?to - town)
    :precondition (and (van ?from) (road ?from ?to))
    :effect (and (not (van ?from)) (van ?to) (increase (total-cost) (length ?from ?to))))

  (:action load
    :parameters (?p - package ?t - town)
    :precondition (and (van ?t) (at ?p ?t))
    :effect (and (not (at ?p ?t)) (loaded ?p) (increase (total-cost) 1)))

  (:action unload
    :parameters (?p - package ?t - town)
    :precondition (and (van ?t) (loaded ?p))
    :effect (and (not (loaded ?p)) (at ?p ?t) (increase (total-cost) 1))))
