; The gates of a quantum circuit are run on a machine that couples only some of its places: qubits are put on places, and
; neighbours are exchanged. A gate comes after the gates that it needs.
(define (domain layout)
  (:requirements :strips :typing)
  (:types qubit place gate)
  (:predicates
    (unplaced ?q - qubit)
    (on ?q - qubit ?p - place)
    (vacant ?p - place)
    (coupled ?p ?r - place)
    (joins ?g - gate ?q ?r - qubit)
    (needs ?g ?e ?f - gate)
    (done ?g - gate)
    (open ?g - gate))
  (:action run
    :parameters (?g ?e ?f - gate ?q ?r - qubit ?p ?s - place)
    :precondition (and (open ?g) (joins ?g ?q ?r) (needs ?g ?e ?f) (done ?e) (done ?f) (on ?q ?p) (on ?r ?s) (coupled ?p ?s))
    :effect (and (not (open ?g)) (done ?g)))
  (:action run-on-new-places
    :parameters (?g ?e ?f - gate ?q ?r - qubit ?p ?s - place)
    :precondition (and (open ?g) (joins ?g ?q ?r) (needs ?g ?e ?f) (done ?e) (done ?f) (unplaced ?q) (unplaced ?r)
      (vacant ?p) (vacant ?s) (coupled ?p ?s))
    :effect (and (not (open ?g)) (done ?g) (not (unplaced ?q)) (not (unplaced ?r)) (on ?q ?p) (on ?r ?s)
      (not (vacant ?p)) (not (vacant ?s))))
  (:action run-on-a-new-place
    :parameters (?g ?e ?f - gate ?q ?r - qubit ?p ?s - place)
    :precondition (and (open ?g) (joins ?g ?q ?r) (needs ?g ?e ?f) (done ?e) (done ?f) (on ?q ?p) (unplaced ?r)
      (vacant ?s) (coupled ?p ?s))
    :effect (and (not (open ?g)) (done ?g) (not (unplaced ?r)) (on ?r ?s) (not (vacant ?s))))
  (:action exchange
    :parameters (?q ?r - qubit ?p ?s - place)
    :precondition (and (on ?q ?p) (on ?r ?s) (coupled ?p ?s))
    :effect (and (not (on ?q ?p)) (not (on ?r ?s)) (on ?q ?s) (on ?r ?p)))
  (:action shift
    :parameters (?q - qubit ?p ?s - place)
    :precondition (and (on ?q ?p) (vacant ?s) (coupled ?p ?s))
    :effect (and (not (on ?q ?p)) (on ?q ?s) (not (vacant ?s)) (vacant ?p))))
