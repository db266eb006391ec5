//! Tic-Tac-Toe of two players who mark at the same time.

use super::text::{lines, numbered, successors};

/// The rulesheet: a cell that both mark is nobody's.
pub fn rules(columns: usize, rows: usize, length: usize) -> Result<String, String> {
    if length < 2 || length > columns.max(rows) {
        return Err(format!("a line has at least 2 cells, and the board has room for {}", columns.max(rows)));
    }
    Ok(format!(
        "\
;;; Simultaneous Tic-Tac-Toe, {columns} columns by {rows} rows, {length} in a line.
;;; Both players mark a blank cell at the same time; a cell that both mark is blocked. Who alone has
;;; {length} marks in a line wins.
;;; Written by: ggsolve generate tictactoe-simultaneous {columns} {rows} {length}

(role xplayer)
(role oplayer)

(marks xplayer x)
(marks oplayer o)

{columns_text}
{rows_text}
{successors}

;; A state: the mark in every cell (b: blank, n: nobody's).

(<= (base (cell ?c ?r b)) (column ?c) (row ?r))
(<= (base (cell ?c ?r n)) (column ?c) (row ?r))
(<= (base (cell ?c ?r ?m)) (column ?c) (row ?r) (marks ?p ?m))

(<= (init (cell ?c ?r b)) (column ?c) (row ?r))

;; Moves: both players mark a blank cell.

(<= (input ?p (mark ?c ?r)) (role ?p) (column ?c) (row ?r))

(<= (legal ?p (mark ?c ?r))
    (role ?p)
    (true (cell ?c ?r b)))

(<= (marked ?c ?r)
    (does ?p (mark ?c ?r)))
(<= (blocked ?c ?r)
    (does xplayer (mark ?c ?r))
    (does oplayer (mark ?c ?r)))

(<= (next (cell ?c ?r n))
    (blocked ?c ?r))
(<= (next (cell ?c ?r ?m))
    (does ?p (mark ?c ?r))
    (marks ?p ?m)
    (not (blocked ?c ?r)))
(<= (next (cell ?c ?r ?m))
    (true (cell ?c ?r ?m))
    (not (marked ?c ?r)))

;; The end: a line, or no blank cell left.

{lines}

(<= open (true (cell ?c ?r b)))
(<= over (line ?m))

(<= terminal over)
(<= terminal (not open))

(<= (goal xplayer 100) (line x) (not (line o)))
(<= (goal oplayer 0) (line x) (not (line o)))
(<= (goal oplayer 100) (line o) (not (line x)))
(<= (goal xplayer 0) (line o) (not (line x)))
(<= (goal ?p 50)
    (role ?p)
    (line x)
    (line o))
(<= (goal ?p 50)
    (role ?p)
    (not over))
",
        columns_text = numbered("column", columns),
        rows_text = numbered("row", rows),
        successors = successors(1, columns.max(rows)),
        lines = lines(columns, rows, length, "?m", "(marks ?p ?m)"),
    ))
}
