//! Tic-Tac-Toe for three players on any board: `length` own marks in a line win alone.

use super::text::{lines, numbered, successors};

pub fn rules(columns: usize, rows: usize, length: usize) -> Result<String, String> {
    if length < 2 || length > columns.max(rows) {
        return Err(format!("a line of {length} does not fit"));
    }
    let columns_text = numbered("column", columns);
    let rows_text = numbered("row", rows);
    let successors = successors(1, columns.max(rows));
    let lines = lines(columns, rows, length, "?m", "(marks ?p ?m)");
    Ok(format!(
        "\
;;; Tic-Tac-Toe for three players, {columns} columns by {rows} rows, {length} in a line.
;;; The players mark blank cells in turn. The first to have {length} marks in a line gets 100, the others 0; without a
;;; line each gets 33.
;;; Written by: ggsolve generate tictactoe3 {columns} {rows} {length}

(role xplayer)
(role yplayer)
(role zplayer)

(after xplayer yplayer)
(after yplayer zplayer)
(after zplayer xplayer)

(marks xplayer x)
(marks yplayer y)
(marks zplayer z)

{columns_text}
{rows_text}
{successors}

;; A state: the mark in every cell (b: blank), and who is to move.

(<= (base (cell ?c ?r b)) (column ?c) (row ?r))
(<= (base (cell ?c ?r ?m)) (column ?c) (row ?r) (marks ?p ?m))
(<= (base (control ?p)) (role ?p))

(<= (init (cell ?c ?r b)) (column ?c) (row ?r))
(init (control xplayer))

;; Moves: the player in control marks a blank cell.

(<= (input ?p (mark ?c ?r)) (role ?p) (column ?c) (row ?r))
(<= (input ?p noop) (role ?p))

(<= (legal ?p (mark ?c ?r))
    (true (control ?p))
    (true (cell ?c ?r b)))
(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

(<= (marked ?c ?r)
    (does ?p (mark ?c ?r)))

(<= (next (cell ?c ?r ?m))
    (does ?p (mark ?c ?r))
    (marks ?p ?m))
(<= (next (cell ?c ?r ?m))
    (true (cell ?c ?r ?m))
    (not (marked ?c ?r)))

(<= (next (control ?q))
    (true (control ?p))
    (after ?p ?q))

;; The end: a line, or no blank cell left.

{lines}

(<= (won ?p)
    (marks ?p ?m)
    (line ?m))
(<= over (won ?p))

(<= open (true (cell ?c ?r b)))

(<= terminal over)
(<= terminal (not open))

(<= (goal ?p 100) (won ?p))
(<= (goal ?p 0)
    (role ?p)
    over
    (not (won ?p)))
(<= (goal ?p 33)
    (role ?p)
    (not over))
",
    ))
}
