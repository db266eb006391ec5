//! Breakthrough on a rectangular board.

use super::text::{WINS, around, numbered, roles, successors, turns};

pub fn rules(columns: usize, rows: usize) -> Result<String, String> {
    if columns < 2 || rows < 4 {
        return Err(
            "two rows of pawns each need at least four rows, and a pawn two columns to get past another".to_owned()
        );
    }
    let players = ["white", "black"];
    let cells = (1..=rows).map(|row| {
        let owner = if row <= 2 {
            "white"
        } else if row + 2 > rows {
            "black"
        } else {
            "none"
        };
        let row: Vec<String> = (1..=columns).map(|column| format!("(init (cell {column} {row} {owner}))")).collect();
        row.join(" ")
    });
    Ok(format!(
        "\
;;; Breakthrough, {columns} columns and {rows} rows.
;;; Each player has two rows of pawns. In turn the players move one a step ahead: straight or along a diagonal onto
;;; a blank square, or along a diagonal onto a pawn of the opponent, which is taken. Who gets a pawn to the last
;;; row, or takes all of the opponent, wins.
;;; Written by: ggsolve generate breakthrough {columns} {rows}

{roles}

{others}

{column_numbers}
{row_numbers}
{successors}

(last white {rows}) (last black 1)

;; (straight ?player ?x ?y ?u ?v), (slant ?player ?x ?y ?u ?v): column ?u of row ?v is ahead of column ?x of row ?y.

(<= (ahead white ?y ?v) (row ?y) (row ?v) (succ ?y ?v))
(<= (ahead black ?v ?y) (row ?y) (row ?v) (succ ?y ?v))

(<= (straight ?p ?x ?y ?x ?v) (column ?x) (ahead ?p ?y ?v))
(<= (slant ?p ?x ?y ?u ?v) (column ?x) (column ?u) (succ ?x ?u) (ahead ?p ?y ?v))
(<= (slant ?p ?x ?y ?u ?v) (column ?x) (column ?u) (succ ?u ?x) (ahead ?p ?y ?v))

;; A state: whose pawn is on every square (none: nobody's), and who is to move.

(<= (base (cell ?x ?y none)) (column ?x) (row ?y))
(<= (base (cell ?x ?y ?p)) (column ?x) (row ?y) (role ?p))
(<= (base (control ?p)) (role ?p))

{cells}
(init (control white))

;; Moves.

(<= (input ?p (move ?x ?y ?u ?v)) (straight ?p ?x ?y ?u ?v))
(<= (input ?p (move ?x ?y ?u ?v)) (slant ?p ?x ?y ?u ?v))
(<= (input ?p noop) (role ?p))

(<= (legal ?p (move ?x ?y ?u ?v))
    (true (control ?p))
    (true (cell ?x ?y ?p))
    (straight ?p ?x ?y ?u ?v)
    (true (cell ?u ?v none)))
(<= (legal ?p (move ?x ?y ?u ?v))
    (true (control ?p))
    (true (cell ?x ?y ?p))
    (slant ?p ?x ?y ?u ?v)
    (not (true (cell ?u ?v ?p))))
(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

(<= (next (cell ?u ?v ?p)) (does ?p (move ?x ?y ?u ?v)))
(<= (next (cell ?x ?y none)) (does ?p (move ?x ?y ?u ?v)))
(<= (next (cell ?x ?y ?p))
    (true (cell ?x ?y ?p))
    (not (changed ?x ?y)))

(<= (changed ?x ?y) (does ?p (move ?x ?y ?u ?v)))
(<= (changed ?u ?v) (does ?p (move ?x ?y ?u ?v)))

{turns}

;; The end. There is always a move: nothing of a player is ahead of its foremost pawn.

(<= (has ?p) (role ?p) (true (cell ?x ?y ?p)))

(<= (won ?p)
    (last ?p ?y)
    (true (cell ?x ?y ?p)))
(<= (won ?p)
    (other ?p ?q)
    (not (has ?q)))

{WINS}
",
        roles = roles(&players),
        others = around("other", &players),
        column_numbers = numbered("column", columns),
        row_numbers = numbered("row", rows),
        successors = successors(1, columns.max(rows)),
        cells = cells.collect::<Vec<_>>().join("\n"),
        turns = turns(&players),
    ))
}
