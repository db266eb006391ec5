//! Peg solitaire on several boards.

use super::text::{facts, successors};

/// From this many pegs on the reward is 0.
const MANY: usize = 11;

pub fn rules(board: &str) -> Result<String, String> {
    let (rows, columns) = match board {
        "english" | "european" => (7, 7),
        "small" => (5, 5),
        _ => rectangle(board).ok_or_else(|| format!("{board} is not a board"))?,
    };
    let on_board = |row: usize, column: usize| {
        // How far the cell is from the nearest edge that runs along its row, and along its column.
        let (from_row, from_column) = ((row - 1).min(rows - row), (column - 1).min(columns - column));
        match board {
            "english" => from_row >= 2 || from_column >= 2,
            "european" => from_row + from_column >= 2,
            "small" => from_row + from_column >= 1,
            _ => true,
        }
    };
    let holes: Vec<(usize, usize)> = (1..=rows)
        .flat_map(|row| (1..=columns).map(move |column| (row, column)))
        .filter(|&(row, column)| on_board(row, column))
        .collect();
    let (centre_row, centre_column) = (rows.div_ceil(2), columns.div_ceil(2));
    let first = holes[0];
    let last = holes[holes.len() - 1];
    let hole_facts: Vec<String> = (1..=rows)
        .map(|row| facts(holes.iter().filter(|hole| hole.0 == row).map(|(r, c)| format!("(hole {r} {c})"))))
        .collect();
    let order = facts(holes.windows(2).map(|pair| {
        let ((r, c), (s, d)) = (pair[0], pair[1]);
        format!("(reads_on {r} {c} {s} {d})")
    }));
    Ok(format!(
        "\
;;; Peg solitaire, the {board} board of {count} holes.
;;; All holes but the one in the centre hold a peg. A peg jumps over a neighbour into an empty hole, along a row or
;;; a column, and the neighbour is removed. The game ends when no peg can jump. One peg in the centre is worth 100,
;;; one peg elsewhere 99, two pegs 90, and so on down to ten pegs, 10; more are worth nothing.
;;; Written by: ggsolve generate peg {board}

(role player)

{holes}

{numbers}

;; (line ?r ?c ?s ?d ?t ?e): three holes side by side.

(<= (line ?r ?c ?r ?d ?r ?e)
    (hole ?r ?c) (hole ?r ?d) (hole ?r ?e)
    (succ ?c ?d) (succ ?d ?e))
(<= (line ?r ?c ?r ?d ?r ?e)
    (hole ?r ?c) (hole ?r ?d) (hole ?r ?e)
    (succ ?e ?d) (succ ?d ?c))
(<= (line ?r ?c ?s ?c ?t ?c)
    (hole ?r ?c) (hole ?s ?c) (hole ?t ?c)
    (succ ?r ?s) (succ ?s ?t))
(<= (line ?r ?c ?s ?c ?t ?c)
    (hole ?r ?c) (hole ?s ?c) (hole ?t ?c)
    (succ ?t ?s) (succ ?s ?r))

;; A state: the holes that hold a peg.

(<= (base (peg ?r ?c)) (hole ?r ?c))

(centre {centre_row} {centre_column})

(<= (init (peg ?r ?c))
    (hole ?r ?c)
    (not (centre ?r ?c)))

;; Moves: the peg of ?r ?c jumps over the one of ?s ?d into the empty hole ?t ?e.

(<= (input player (jump ?r ?c ?t ?e))
    (line ?r ?c ?s ?d ?t ?e))

(<= (legal player (jump ?r ?c ?t ?e))
    (line ?r ?c ?s ?d ?t ?e)
    (true (peg ?r ?c))
    (true (peg ?s ?d))
    (not (true (peg ?t ?e))))

(<= (emptied ?r ?c)
    (does player (jump ?r ?c ?t ?e)))
(<= (emptied ?s ?d)
    (does player (jump ?r ?c ?t ?e))
    (line ?r ?c ?s ?d ?t ?e))

(<= (next (peg ?t ?e))
    (does player (jump ?r ?c ?t ?e)))
(<= (next (peg ?r ?c))
    (true (peg ?r ?c))
    (not (emptied ?r ?c)))

;; The end: no peg can jump.

(<= can_jump
    (legal player (jump ?r ?c ?t ?e)))

(<= terminal
    (not can_jump))

;; (pegs ?r ?c ?n): there are ?n pegs in the holes up to ?r ?c, in reading order; {MANY} stands for {MANY} or more.

{order}

(more {MANY} {MANY})
(<= (more ?n ?m) (succ ?n ?m))

(<= (pegs {first_row} {first_column} 1)
    (true (peg {first_row} {first_column})))
(<= (pegs {first_row} {first_column} 0)
    (not (true (peg {first_row} {first_column}))))
(<= (pegs ?s ?d ?m)
    (reads_on ?r ?c ?s ?d)
    (pegs ?r ?c ?n)
    (true (peg ?s ?d))
    (more ?n ?m))
(<= (pegs ?s ?d ?n)
    (reads_on ?r ?c ?s ?d)
    (pegs ?r ?c ?n)
    (not (true (peg ?s ?d))))

(<= (goal player 100)
    (pegs {last_row} {last_column} 1)
    (true (peg {centre_row} {centre_column})))
(<= (goal player 99)
    (pegs {last_row} {last_column} 1)
    (not (true (peg {centre_row} {centre_column}))))
(<= (goal player ?reward)
    (pegs {last_row} {last_column} ?n)
    (worth ?n ?reward))

{worth}
",
        count = holes.len(),
        holes = hole_facts.join("\n"),
        numbers = successors(0, MANY),
        worth = facts((2..=MANY).map(|pegs| format!("(worth {pegs} {})", 110 - 10 * pegs))),
        first_row = first.0,
        first_column = first.1,
        last_row = last.0,
        last_column = last.1,
    ))
}

/// `3x4`: rows and columns, each at most [`MANY`], with more than one hole.
fn rectangle(board: &str) -> Option<(usize, usize)> {
    let (rows, columns) = board.split_once('x')?;
    let (rows, columns): (usize, usize) = (rows.parse().ok()?, columns.parse().ok()?);
    let fits = 1..=MANY;
    (fits.contains(&rows) && fits.contains(&columns) && rows * columns > 1).then_some((rows, columns))
}
