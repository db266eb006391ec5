//! Connect Four on any board.

use super::text::{lines, numbered, successors};

pub fn rules(columns: usize, rows: usize) -> String {
    let columns_text = numbered("column", columns);
    let rows_text = numbered("row", rows);
    let successors = successors(1, columns.max(rows));
    let lines = lines(columns, rows, 4, "?p", "(role ?p)");
    format!(
        "\
;;; Connect Four, {columns} columns by {rows} rows.
;;; The players drop discs into columns in turn. The first to have four discs in a line wins.
;;; Written by: ggsolve generate connect4 {columns} {rows}

(role red)
(role yellow)

;; Row 1 is the lowest.

{columns_text}
{rows_text}
{successors}

;; A state: the disc in every cell (named after its player, or blank), and who is to move.

(<= (base (cell ?c ?r blank)) (column ?c) (row ?r))
(<= (base (cell ?c ?r ?p)) (column ?c) (row ?r) (role ?p))
(<= (base (control ?p)) (role ?p))

(<= (init (cell ?c ?r blank)) (column ?c) (row ?r))
(init (control red))

;; Moves: the player in control drops a disc into a column whose top cell is blank.

(<= (input ?p (drop ?c)) (role ?p) (column ?c))
(<= (input ?p noop) (role ?p))

(<= (legal ?p (drop ?c))
    (true (control ?p))
    (true (cell ?c {rows} blank)))
(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

;; The disc falls to the lowest blank cell.

(<= (lowest ?c 1)
    (true (cell ?c 1 blank)))
(<= (lowest ?c ?r)
    (true (cell ?c ?r blank))
    (succ ?below ?r)
    (not (true (cell ?c ?below blank))))

(<= (filled ?c ?r)
    (does ?p (drop ?c))
    (lowest ?c ?r))

(<= (next (cell ?c ?r ?p))
    (does ?p (drop ?c))
    (lowest ?c ?r))
(<= (next (cell ?c ?r ?content))
    (true (cell ?c ?r ?content))
    (not (filled ?c ?r)))

(<= (next (control red)) (true (control yellow)))
(<= (next (control yellow)) (true (control red)))

;; The end: a line, or a full board.

{lines}

(<= open (true (cell ?c {rows} blank)))

(<= terminal (line ?p))
(<= terminal (not open))

(<= (goal ?p 100) (line ?p))
(<= (goal red 0) (line yellow))
(<= (goal yellow 0) (line red))
(<= (goal ?p 50)
    (role ?p)
    (not (line red))
    (not (line yellow)))
"
    )
}
