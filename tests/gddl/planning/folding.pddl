; A chain of beads on a grid is folded: the part behind a bead turns about it by a right angle, bead by bead.
(define (domain folding)
  (:requirements :strips :typing)
  (:types bead coordinate heading turn)
  (:predicates
    (at ?b - bead ?x ?y - coordinate)
    (free ?x ?y - coordinate)
    (points ?b - bead ?h - heading)
    (before ?b ?c - bead)
    (last ?b - bead)
    (beside ?h - heading ?x ?y ?p ?q - coordinate)
    (turned ?t - turn ?g ?h - heading)
    (resting)
    (folding ?b - bead ?t - turn))
  (:action fold
    :parameters (?b - bead ?t - turn ?g ?h - heading)
    :precondition (and (resting) (points ?b ?g) (turned ?t ?g ?h))
    :effect (and (not (resting)) (folding ?b ?t) (not (points ?b ?g)) (points ?b ?h)))
  (:action carry
    :parameters (?b ?c - bead ?t - turn ?d ?g ?h - heading ?x ?y ?u ?v ?p ?q - coordinate)
    :precondition (and (folding ?b ?t) (before ?b ?c) (at ?b ?x ?y) (points ?b ?d) (beside ?d ?x ?y ?p ?q)
      (at ?c ?u ?v) (free ?p ?q) (points ?c ?g) (turned ?t ?g ?h))
    :effect (and (not (folding ?b ?t)) (folding ?c ?t) (not (at ?c ?u ?v)) (at ?c ?p ?q) (free ?u ?v) (not (free ?p ?q))
      (not (points ?c ?g)) (points ?c ?h)))
  (:action carry-last
    :parameters (?b ?c - bead ?t - turn ?d - heading ?x ?y ?u ?v ?p ?q - coordinate)
    :precondition (and (folding ?b ?t) (before ?b ?c) (last ?c) (at ?b ?x ?y) (points ?b ?d) (beside ?d ?x ?y ?p ?q)
      (at ?c ?u ?v) (free ?p ?q))
    :effect (and (not (folding ?b ?t)) (resting) (not (at ?c ?u ?v)) (at ?c ?p ?q) (free ?u ?v) (not (free ?p ?q)))))
