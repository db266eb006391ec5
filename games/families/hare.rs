//! Hare and Hounds on boards of any odd length.

use super::text::facts;

/// Column and row; the ends are the columns before the first one and after the last, each with the middle row.
type Place = (usize, usize);

/// `left`, `right`, or the column and a letter from above.
fn name(columns: usize, (column, row): Place) -> String {
    match column {
        0 => "left".to_owned(),
        column if column > columns => "right".to_owned(),
        column => format!("c{column}{}", ["a", "b", "c"][row]),
    }
}

/// Whether a line joins a place with one that comes after it. Diagonals go through the middle of every second column, and
/// from both ends.
fn joined(columns: usize, (c, r): Place, (d, s): Place) -> bool {
    let end = c == 0 || d > columns;
    let middle = (c % 2 == 0 && r == 1) || (d % 2 == 0 && s == 1);
    match (d - c, r.abs_diff(s)) {
        (0, 1) | (1, 0) => true,
        (1, 1) => end || middle,
        _ => false,
    }
}

pub fn rules(columns: usize) -> Result<String, String> {
    if columns.is_multiple_of(2) {
        return Err("the number of columns of three places is odd".to_owned());
    }
    let rows_of = |column: usize| if column == 0 || column > columns { 1..2 } else { 0..3 };
    let places: Vec<Place> =
        (0..=columns + 1).flat_map(|column| rows_of(column).map(move |row| (column, row))).collect();
    let name = |place: Place| name(columns, place);
    let pairs: Vec<(Place, Place)> = (places.iter().enumerate())
        .flat_map(|(index, &one)| places[index + 1..].iter().map(move |&other| (one, other)))
        .collect();
    let related = |relation: &str, (one, other): (Place, Place)| format!("({relation} {} {})", name(one), name(other));
    let lines = pairs.iter().filter(|pair| joined(columns, pair.0, pair.1)).map(|&pair| related("line", pair));
    let before = pairs.iter().filter(|(one, other)| one.0 < other.0).map(|&pair| related("before", pair));
    let pieces = [(0, 1), (1, 0), (1, 2), (columns + 1, 1)];
    let blank = places.iter().filter(|place| !pieces.contains(place));
    Ok(format!(
        "\
;;; Hare and Hounds on {count} places: {columns} columns of three, and one at each end.
;;; Three hounds begin on the left, the hare on the right. In turn a hound, then the hare moves along a line to a
;;; blank place; hounds do not go back to the left. The hounds win when the hare cannot move, the hare wins when no
;;; hound is left of it. Play can go on for ever.
;;; Written by: ggsolve generate hare-and-hounds {columns}

(role hounds)
(role hare)

(piece hound hounds) (piece hare hare)

;; The lines, each from left to right or downwards, and which places are left of which.

{lines}

{before}

(<= (joined ?a ?b) (line ?a ?b))
(<= (joined ?b ?a) (line ?a ?b))
(<= (way hare ?a ?b) (joined ?a ?b))
(<= (way hound ?a ?b) (joined ?a ?b) (not (before ?b ?a)))

;; A state: what is on every place (none: nothing), and who is to move.

{place_facts}

(<= (base (at ?a none)) (place ?a))
(<= (base (at ?a ?k)) (place ?a) (piece ?k ?p))
(<= (base (control ?p)) (role ?p))

(init (at left hound)) (init (at {upper} hound)) (init (at {lower} hound)) (init (at right hare))
{blank}
(init (control hounds))

;; Moves.

(<= (input ?p (move ?a ?b)) (piece ?k ?p) (way ?k ?a ?b))
(<= (input ?p noop) (role ?p))

(<= (possible ?p ?a ?b)
    (piece ?k ?p)
    (true (at ?a ?k))
    (way ?k ?a ?b)
    (true (at ?b none)))

(<= (legal ?p (move ?a ?b))
    (true (control ?p))
    (possible ?p ?a ?b))
(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

(<= (next (at ?b ?k))
    (does ?p (move ?a ?b))
    (piece ?k ?p))
(<= (next (at ?a none)) (does ?p (move ?a ?b)))
(<= (next (at ?a ?k))
    (true (at ?a ?k))
    (not (changed ?a)))

(<= (changed ?a) (does ?p (move ?a ?b)))
(<= (changed ?b) (does ?p (move ?a ?b)))

(<= (next (control hare)) (true (control hounds)))
(<= (next (control hounds)) (true (control hare)))

;; The end. As long as a hound is left of the hare, a hound can move.

(<= ahead
    (true (at ?a hound))
    (before ?a ?b)
    (true (at ?b hare)))
(<= free (possible hare ?a ?b))
(<= caught
    (true (control hare))
    ahead
    (not free))

(<= terminal caught)
(<= terminal (not ahead))

(<= (goal hounds 100) caught)
(<= (goal hounds 0) (not caught))
(<= (goal hare 100) (not ahead))
(<= (goal hare 0) ahead)
",
        count = places.len(),
        lines = facts(lines),
        before = facts(before),
        place_facts = facts(places.iter().map(|&place| format!("(place {})", name(place)))),
        upper = name((1, 0)),
        lower = name((1, 2)),
        blank = facts(blank.map(|&place| format!("(init (at {} none))", name(place)))),
    ))
}
