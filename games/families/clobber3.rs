//! Clobber with three colours on any board.

use super::text::{facts, numbered, successors};

const COLOURS: [&str; 3] = ["white", "grey", "black"];

pub fn rules(rows: usize, columns: usize) -> String {
    let rows_text = numbered("row", rows);
    let columns_text = numbered("column", columns);
    let numbers = successors(1, rows.max(columns));
    let tokens = (1..=rows).flat_map(|row| (1..=columns).map(move |column| (row, column)));
    let start = facts(tokens.map(|(row, column)| {
        let colour = COLOURS[(row + column - 2) % 3];
        format!("(init (cell {row} {column} {colour}))")
    }));
    format!(
        "\
;;; Clobber with three colours on a board of {rows} x {columns} (rows x columns).
;;; The players move one of their tokens onto an adjacent one of another colour in turn, which is removed.
;;; Play ends where the player in turn cannot move, who gets 0; who moved last gets 100, the third one 50.
;;; Written by: ggsolve generate clobber3 {rows} {columns}

(role white)
(role grey)
(role black)

(after white grey)
(after grey black)
(after black white)

{rows_text}
{columns_text}
{numbers}

(<= (adjacent ?r ?c ?r ?d) (row ?r) (column ?c) (column ?d) (succ ?c ?d))
(<= (adjacent ?r ?c ?r ?d) (row ?r) (column ?c) (column ?d) (succ ?d ?c))
(<= (adjacent ?r ?c ?s ?c) (column ?c) (row ?r) (row ?s) (succ ?r ?s))
(<= (adjacent ?r ?c ?s ?c) (column ?c) (row ?r) (row ?s) (succ ?s ?r))

;; A state: the token in every cell (named after its player, or blank), and who is to move.

(<= (base (cell ?r ?c blank)) (row ?r) (column ?c))
(<= (base (cell ?r ?c ?p)) (row ?r) (column ?c) (role ?p))
(<= (base (control ?p)) (role ?p))

{start}
(init (control white))

;; Moves: the player in control moves from ?r ?c onto a token of another player on ?s ?d.

(<= (input ?p (move ?r ?c ?s ?d)) (role ?p) (adjacent ?r ?c ?s ?d))
(<= (input ?p noop) (role ?p))

(<= (attacks ?p ?r ?c ?s ?d)
    (adjacent ?r ?c ?s ?d)
    (true (cell ?r ?c ?p))
    (true (cell ?s ?d ?q))
    (role ?p)
    (role ?q)
    (distinct ?p ?q))

(<= (legal ?p (move ?r ?c ?s ?d))
    (true (control ?p))
    (attacks ?p ?r ?c ?s ?d))
(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

(<= (left ?r ?c)
    (does ?p (move ?r ?c ?s ?d)))
(<= (entered ?s ?d)
    (does ?p (move ?r ?c ?s ?d)))

(<= (next (cell ?s ?d ?p))
    (does ?p (move ?r ?c ?s ?d)))
(<= (next (cell ?r ?c blank))
    (left ?r ?c))
(<= (next (cell ?r ?c ?content))
    (true (cell ?r ?c ?content))
    (not (left ?r ?c))
    (not (entered ?r ?c)))

(<= (next (control ?q))
    (true (control ?p))
    (after ?p ?q))

;; The end: the player in control cannot move.

(<= (can_move ?p)
    (attacks ?p ?r ?c ?s ?d))

(<= terminal
    (true (control ?p))
    (not (can_move ?p)))

(<= (goal ?p 0)
    (true (control ?p)))
(<= (goal ?p 50)
    (true (control ?q))
    (after ?q ?p))
(<= (goal ?p 100)
    (true (control ?q))
    (after ?p ?q))
"
    )
}
