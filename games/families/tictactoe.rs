//! Tic-Tac-Toe on any board, for two or three players: `length` own marks in a line win.

use super::text::{around, lines, numbered, roles, successors, turns};

/// The rulesheet for these players, each with its mark as the first letter of its name.
pub fn rules(columns: usize, rows: usize, length: usize, players: &[&str]) -> Result<String, String> {
    if length < 2 || length > columns.max(rows) {
        return Err(format!("a line has at least 2 cells, and the board has room for {}", columns.max(rows)));
    }
    let columns_text = numbered("column", columns);
    let rows_text = numbered("row", rows);
    let successors = successors(1, columns.max(rows));
    let lines = lines(columns, rows, length, "?m", "(marks ?p ?m)");
    let board = format!("{columns} columns by {rows} rows, {length} in a line");
    let first = format!("The players mark blank cells in turn. The first to have {length} marks in a line");
    let (title, after, end) = if let [one, other] = players {
        let title = format!(
            ";;; Tic-Tac-Toe, {board}.\n;;; {first} wins.\n\
             ;;; Written by: ggsolve generate tictactoe {columns} {rows} {length}"
        );
        (title, String::new(), end_of_two(one, other))
    } else {
        let title = format!(
            ";;; Tic-Tac-Toe for three players, {board}.\n;;; {first} gets 100, the others 0; without a\n\
             ;;; line each gets 33.\n;;; Written by: ggsolve generate tictactoe3 {columns} {rows} {length}"
        );
        (title, format!("{}\n\n", around("after", players)), END_OF_THREE.to_owned())
    };
    let marks: Vec<String> = players.iter().map(|player| format!("(marks {player} {})", &player[..1])).collect();
    let (marks, first, roles, turns) = (marks.join("\n"), players[0], roles(players), turns(players));
    Ok(format!(
        "\
{title}

{roles}

{after}{marks}

{columns_text}
{rows_text}
{successors}

;; A state: the mark in every cell (b: blank), and who is to move.

(<= (base (cell ?c ?r b)) (column ?c) (row ?r))
(<= (base (cell ?c ?r ?m)) (column ?c) (row ?r) (marks ?p ?m))
(<= (base (control ?p)) (role ?p))

(<= (init (cell ?c ?r b)) (column ?c) (row ?r))
(init (control {first}))

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

{turns}

;; The end: a line, or no blank cell left.

{lines}

(<= (won ?p)
    (marks ?p ?m)
    (line ?m))
{end}
",
    ))
}

fn end_of_two(one: &str, other: &str) -> String {
    format!(
        "
(<= open (true (cell ?c ?r b)))

(<= terminal (won ?p))
(<= terminal (not open))

(<= (goal ?p 100) (won ?p))
(<= (goal {one} 0) (won {other}))
(<= (goal {other} 0) (won {one}))
(<= (goal ?p 50)
    (role ?p)
    (not (won {one}))
    (not (won {other})))"
    )
}

const END_OF_THREE: &str = "\
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
    (not over))";
