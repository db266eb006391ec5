//! Dodgem on a square board of any size.

use super::text::{WINS, around, facts, numbered, roles, successors, turns};

pub fn rules(size: usize) -> Result<String, String> {
    if size < 2 {
        return Err("on one square there is no room for a car of each player".to_owned());
    }
    let players = ["red", "blue"];
    let cells = (1..=size).map(|row| {
        facts((1..=size).map(|column| {
            let owner = match (column, row) {
                (1, 2..) => "red",
                (2.., 1) => "blue",
                _ => "none",
            };
            format!("(init (cell {column} {row} {owner}))")
        }))
    });
    Ok(format!(
        "\
;;; Dodgem, {size} by {size} squares.
;;; Red begins with a car on every square of the first column but the first, blue on every square of the first row
;;; but the first. In turn the players move a car onto a blank square beside it, red to the right or along its
;;; column, blue up or along its row, and from the last column or row off the board. Who has no car left wins, and
;;; who cannot move: one must not block the opponent. Play can go on for ever.
;;; Written by: ggsolve generate dodgem {size}

{roles}

{others}

{numbers}
{successors}

;; (step ?player ?x ?y ?u ?v): from column ?x of row ?y to column ?u of row ?v.

(<= (beside ?a ?b) (succ ?a ?b))
(<= (beside ?b ?a) (succ ?a ?b))
(<= (step red ?x ?y ?u ?y) (succ ?x ?u) (number ?y))
(<= (step red ?x ?y ?x ?v) (number ?x) (beside ?y ?v))
(<= (step blue ?x ?y ?x ?v) (number ?x) (succ ?y ?v))
(<= (step blue ?x ?y ?u ?y) (beside ?x ?u) (number ?y))

(<= (exit red {size} ?y) (number ?y))
(<= (exit blue ?x {size}) (number ?x))

;; A state: whose car is on every square (none: nobody's), and who is to move.

(<= (base (cell ?x ?y none)) (number ?x) (number ?y))
(<= (base (cell ?x ?y ?p)) (number ?x) (number ?y) (role ?p))
(<= (base (control ?p)) (role ?p))

{cells}
(init (control red))

;; Moves.

(<= (input ?p (move ?x ?y ?u ?v)) (step ?p ?x ?y ?u ?v))
(<= (input ?p (leave ?x ?y)) (exit ?p ?x ?y))
(<= (input ?p noop) (role ?p))

(<= (possible ?p (move ?x ?y ?u ?v))
    (true (cell ?x ?y ?p))
    (step ?p ?x ?y ?u ?v)
    (true (cell ?u ?v none)))
(<= (possible ?p (leave ?x ?y))
    (true (cell ?x ?y ?p))
    (exit ?p ?x ?y))

(<= (legal ?p ?m)
    (true (control ?p))
    (possible ?p ?m))
(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

(<= (next (cell ?u ?v ?p)) (does ?p (move ?x ?y ?u ?v)))
(<= (next (cell ?x ?y none)) (does ?p (move ?x ?y ?u ?v)))
(<= (next (cell ?x ?y none)) (does ?p (leave ?x ?y)))
(<= (next (cell ?x ?y ?p))
    (true (cell ?x ?y ?p))
    (not (changed ?x ?y)))

(<= (changed ?x ?y) (does ?p (move ?x ?y ?u ?v)))
(<= (changed ?u ?v) (does ?p (move ?x ?y ?u ?v)))
(<= (changed ?x ?y) (does ?p (leave ?x ?y)))

{turns}

;; The end. Who has just left with the last car has won, even if the opponent cannot move.

(<= (has ?p) (role ?p) (true (cell ?x ?y ?p)))
(<= (mobile ?p) (possible ?p ?m))

(<= (won ?p)
    (role ?p)
    (not (has ?p)))
(<= (won ?p)
    (true (control ?p))
    (other ?p ?q)
    (has ?q)
    (not (mobile ?p)))

{WINS}
",
        roles = roles(&players),
        others = around("other", &players),
        numbers = numbered("number", size),
        successors = successors(1, size),
        cells = cells.collect::<Vec<_>>().join("\n"),
        turns = turns(&players),
    ))
}
