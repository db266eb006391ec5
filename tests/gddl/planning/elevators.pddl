; A lift takes in and lets out everybody at a stop. Some passengers never travel with some others.
(define (domain elevators)
  (:requirements :adl :action-costs :derived-predicates)
  (:types passenger floor - object vip - passenger)
  (:constants ground - floor)
  (:predicates
    (origin ?p - passenger ?f - floor)
    (destination ?p - passenger ?f - floor)
    (no-access ?p - passenger ?f - floor)
    (apart ?p ?q - passenger)
    (next ?low ?high - floor)
    (above ?low ?high - floor)
    (boarded ?p - passenger)
    (served ?p - passenger)
    (lift-at ?f - floor))
  (:functions (total-cost) - number (travel ?f1 ?f2 - floor) - number)

  (:derived (above ?low ?high - floor)
    (or (next ?low ?high) (exists (?f - floor) (and (next ?low ?f) (above ?f ?high)))))

  (:action stop
    :parameters (?f - floor)
    :precondition (and
      (lift-at ?f)
      (forall (?p - passenger) (imply (boarded ?p) (not (no-access ?p ?f))))
      (not (exists (?p ?q - passenger)
        (and (apart ?p ?q) (boarded ?p) (not (destination ?p ?f)) (origin ?q ?f) (not (served ?q))))))
    :effect (and
      (forall (?p - passenger) (when (and (boarded ?p) (destination ?p ?f)) (and (not (boarded ?p)) (served ?p))))
      (forall (?p - passenger) (when (and (origin ?p ?f) (not (served ?p)) (not (boarded ?p))) (boarded ?p)))
      (increase (total-cost) 1)))

  (:action up
    :parameters (?low ?high - floor)
    :precondition (and (lift-at ?low) (above ?low ?high))
    :effect (and (not (lift-at ?low)) (lift-at ?high) (increase (total-cost) (travel ?low ?high))))

  (:action down
    :parameters (?high ?low - floor)
    :precondition (and (lift-at ?high) (above ?low ?high))
    :effect (and (not (lift-at ?high)) (lift-at ?low) (increase (total-cost) (travel ?low ?high)))))
