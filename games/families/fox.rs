//! Fox and Geese on a cross of 33 points or on a rectangle.

use super::text::{WINS, facts};

type Point = (usize, usize);

/// `ROWSxCOLUMNS`.
fn rectangle(board: &str) -> Option<(usize, usize)> {
    let (rows, columns) = board.split_once('x')?;
    let (rows, columns) = (rows.parse().ok()?, columns.parse().ok()?);
    ((2..=9).contains(&rows) && (2..=9).contains(&columns)).then_some((rows, columns))
}

/// `board`: `cross`, or rows and columns.
pub fn rules(board: &str, geese: usize) -> Result<String, String> {
    let cross = board == "cross";
    let size = if cross { Some((7, 7)) } else { rectangle(board) };
    let (rows, columns) = size.ok_or_else(|| format!("{board} is neither cross nor ROWSxCOLUMNS from 2x2 to 9x9"))?;
    let inner = |place: usize| (3..=5).contains(&place);
    let points: Vec<Point> = (1..=rows)
        .flat_map(|row| (1..=columns).map(move |column| (row, column)))
        .filter(|&(row, column)| !cross || inner(row) || inner(column))
        .collect();
    let centre = (rows.div_ceil(2), columns.div_ceil(2));
    // The geese fill the board from its first row on, and leave the centre to the fox.
    let start: Vec<Point> = points.iter().copied().filter(|&point| point != centre).take(geese).collect();
    if start.len() < geese {
        return Err(format!("there is no room for {geese} geese and a fox"));
    }
    // Lines along rows and columns, and along diagonals through every second point.
    let on = |(row, column): (isize, isize)| {
        let point = (usize::try_from(row).ok()?, usize::try_from(column).ok()?);
        points.contains(&point).then_some(point)
    };
    let ways = |(row, column): Point| {
        (-1..=1).flat_map(|up: isize| (-1..=1).map(move |across: isize| (up, across))).filter(move |&(up, across)| {
            (up, across) != (0, 0) && (up == 0 || across == 0 || (row + column) % 2 == (centre.0 + centre.1) % 2)
        })
    };
    let (mut steps, mut jumps) = (Vec::new(), Vec::new());
    for &(row, column) in &points {
        for (up, across) in ways((row, column)) {
            let far = |times: isize| on((row as isize + times * up, column as isize + times * across));
            let Some((r, c)) = far(1) else { continue };
            steps.push(format!("(step {row} {column} {r} {c})"));
            if let Some((s, d)) = far(2) {
                jumps.push(format!("(jump {row} {column} {r} {c} {s} {d})"));
            }
        }
    }
    let begin = facts(points.iter().map(|&(row, column)| {
        let piece = match (row, column) {
            point if point == centre => "fox",
            point if start.contains(&point) => "goose",
            _ => "none",
        };
        format!("(init (at {row} {column} {piece}))")
    }));
    Ok(format!(
        "\
;;; Fox and Geese on {count} points, {geese} geese.
;;; In turn a goose, then the fox moves along a line to a blank point beside it; geese do not go back to a lower
;;; row. In place of that the fox can jump over one goose beside it to the blank point behind, and takes the goose.
;;; Who cannot move has lost, as the geese have when all are taken. Play can go on for ever.
;;; Written by: ggsolve generate fox-and-geese {board} {geese}

(role geese)
(role fox)

(other geese fox)
(other fox geese)

(piece goose geese) (piece fox fox)

;; Points by row and column, the steps between them, and the jumps with the point between.

{points}

{steps}

{jumps}

{after}
(<= (back ?a ?b) (after ?a ?b))
(<= (back ?a ?c) (back ?a ?b) (after ?b ?c))

(<= (way fox ?a ?b ?c ?d) (step ?a ?b ?c ?d))
(<= (way goose ?a ?b ?c ?d) (step ?a ?b ?c ?d) (not (back ?a ?c)))

;; A state: what is on every point (none: nothing), and who is to move.

(<= (base (at ?a ?b none)) (point ?a ?b))
(<= (base (at ?a ?b ?k)) (point ?a ?b) (piece ?k ?p))
(<= (base (control ?p)) (role ?p))

{begin}
(init (control geese))

;; Moves.

(<= (input ?p (move ?a ?b ?c ?d)) (piece ?k ?p) (way ?k ?a ?b ?c ?d))
(<= (input fox (jump ?a ?b ?e ?f)) (jump ?a ?b ?c ?d ?e ?f))
(<= (input ?p noop) (role ?p))

(<= (possible ?p (move ?a ?b ?c ?d))
    (piece ?k ?p)
    (true (at ?a ?b ?k))
    (way ?k ?a ?b ?c ?d)
    (true (at ?c ?d none)))
(<= (possible fox (jump ?a ?b ?e ?f))
    (true (at ?a ?b fox))
    (jump ?a ?b ?c ?d ?e ?f)
    (true (at ?c ?d goose))
    (true (at ?e ?f none)))

(<= (legal ?p ?m)
    (true (control ?p))
    (possible ?p ?m))
(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

(<= (next (at ?c ?d ?k))
    (does ?p (move ?a ?b ?c ?d))
    (piece ?k ?p))
(<= (next (at ?e ?f fox)) (does fox (jump ?a ?b ?e ?f)))
(<= (next (at ?a ?b none)) (left ?a ?b))
(<= (next (at ?a ?b ?k))
    (true (at ?a ?b ?k))
    (not (left ?a ?b))
    (not (entered ?a ?b)))

(<= (left ?a ?b) (does ?p (move ?a ?b ?c ?d)))
(<= (left ?a ?b) (does fox (jump ?a ?b ?e ?f)))
(<= (left ?c ?d)
    (does fox (jump ?a ?b ?e ?f))
    (jump ?a ?b ?c ?d ?e ?f))
(<= (entered ?c ?d) (does ?p (move ?a ?b ?c ?d)))
(<= (entered ?e ?f) (does fox (jump ?a ?b ?e ?f)))

(<= (next (control fox)) (true (control geese)))
(<= (next (control geese)) (true (control fox)))

;; The end.

(<= (mobile ?p) (possible ?p ?m))
(<= (won ?q)
    (true (control ?p))
    (other ?p ?q)
    (not (mobile ?p)))

{WINS}
",
        count = points.len(),
        points = facts(points.iter().map(|(row, column)| format!("(point {row} {column})"))),
        steps = facts(steps),
        jumps = facts(jumps),
        after = facts((1..rows).map(|row| format!("(after {} {row})", row + 1))),
    ))
}
