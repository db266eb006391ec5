//! Chomp on any bar.

use super::text::{numbered, successors};

pub fn rules(rows: usize, columns: usize) -> String {
    format!(
        "\
;;; Chomp, {rows} rows by {columns} columns.
;;; The players choose a piece of the bar in turn and eat it with all pieces whose row and column are not smaller.
;;; Piece 1 1 is poisoned: who eats it has lost.
;;; Written by: ggsolve generate chomp {rows} {columns}

(role first)
(role second)

{rows_text}
{columns_text}
{numbers}

(<= (upto ?m ?m) (row ?m))
(<= (upto ?m ?m) (column ?m))
(<= (upto ?l ?n) (upto ?l ?m) (succ ?m ?n))

;; A state: the pieces that are left, and who is to move.

(<= (base (piece ?r ?c)) (row ?r) (column ?c))
(<= (base (control ?p)) (role ?p))

(<= (init (piece ?r ?c)) (row ?r) (column ?c))
(init (control first))

;; Moves: the player in control eats from a piece on.

(<= (input ?p (eat ?r ?c)) (role ?p) (row ?r) (column ?c))
(<= (input ?p noop) (role ?p))

(<= (legal ?p (eat ?r ?c))
    (true (control ?p))
    (true (piece ?r ?c)))
(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

(<= (eaten ?s ?d)
    (does ?p (eat ?r ?c))
    (row ?s) (upto ?r ?s)
    (column ?d) (upto ?c ?d))

(<= (next (piece ?r ?c))
    (true (piece ?r ?c))
    (not (eaten ?r ?c)))

(<= (next (control first)) (true (control second)))
(<= (next (control second)) (true (control first)))

;; The end: the poisoned piece has been eaten, by the player who is not to move.

(<= terminal
    (not (true (piece 1 1))))

(<= (goal ?p 100)
    (true (control ?p)))
(<= (goal ?p 0)
    (role ?p)
    (not (true (control ?p))))
",
        rows_text = numbered("row", rows),
        columns_text = numbered("column", columns),
        numbers = successors(1, rows.max(columns)),
    )
}
