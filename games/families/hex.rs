//! Hex on a rhombus of any size.

use super::text::{WINS, numbered, successors};

pub fn rules(size: usize) -> String {
    format!(
        "\
;;; Hex, {size} by {size} cells.
;;; The players place stones on blank cells in turn. Red wins by a chain of stones from the first row to the last,
;;; blue by one from the first column to the last.
;;; Written by: ggsolve generate hex {size}

(role red)
(role blue)

{numbers}
{successors}

;; Every cell has up to six neighbours: the rows of the rhombus are shifted by half a cell each.

(<= (adjacent ?r ?c ?r ?d) (number ?r) (succ ?c ?d))
(<= (adjacent ?r ?c ?r ?d) (number ?r) (succ ?d ?c))
(<= (adjacent ?r ?c ?s ?c) (number ?c) (succ ?r ?s))
(<= (adjacent ?r ?c ?s ?c) (number ?c) (succ ?s ?r))
(<= (adjacent ?r ?c ?s ?d) (succ ?r ?s) (succ ?d ?c))
(<= (adjacent ?r ?c ?s ?d) (succ ?s ?r) (succ ?c ?d))

;; A state: the stone on every cell (named after its player, or blank), and who is to move.

(<= (base (cell ?r ?c blank)) (number ?r) (number ?c))
(<= (base (cell ?r ?c ?p)) (number ?r) (number ?c) (role ?p))
(<= (base (control ?p)) (role ?p))

(<= (init (cell ?r ?c blank)) (number ?r) (number ?c))
(init (control red))

;; Moves: the player in control places a stone on a blank cell.

(<= (input ?p (place ?r ?c)) (role ?p) (number ?r) (number ?c))
(<= (input ?p noop) (role ?p))

(<= (legal ?p (place ?r ?c))
    (true (control ?p))
    (true (cell ?r ?c blank)))
(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

(<= (placed ?r ?c)
    (does ?p (place ?r ?c)))

(<= (next (cell ?r ?c ?p))
    (does ?p (place ?r ?c)))
(<= (next (cell ?r ?c ?content))
    (true (cell ?r ?c ?content))
    (not (placed ?r ?c)))

(<= (next (control red)) (true (control blue)))
(<= (next (control blue)) (true (control red)))

;; The end: a chain from side to side. (reached ?p ?r ?c): a chain of ?p leads from its first side to ?r ?c.

(<= (reached red 1 ?c)
    (true (cell 1 ?c red)))
(<= (reached blue ?r 1)
    (true (cell ?r 1 blue)))
(<= (reached ?p ?s ?d)
    (reached ?p ?r ?c)
    (adjacent ?r ?c ?s ?d)
    (true (cell ?s ?d ?p)))

(<= (won red) (reached red {size} ?c))
(<= (won blue) (reached blue ?r {size}))

{WINS}
",
        numbers = numbered("number", size),
        successors = successors(1, size),
    )
}
