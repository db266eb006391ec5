//! Teeko on a square board.

use super::text::{WINS, facts, numbered, roles, successors, turns};

/// Men of each player.
const MEN: usize = 4;

pub fn rules(size: usize) -> Result<String, String> {
    if size < MEN {
        return Err(format!("a line of four needs {MEN} squares"));
    }
    let players = ["black", "red"];
    // The cells of a pattern that begins anywhere, by columns and rows from there.
    let line =
        |across: isize, up: isize| -> Vec<(isize, isize)> { (0..MEN as isize).map(|k| (k * across, k * up)).collect() };
    let square = vec![(0, 0), (1, 0), (0, 1), (1, 1)];
    let patterns = [line(1, 0), line(0, 1), line(1, 1), line(1, -1), square];
    let on = |place: isize| (1..=size as isize).contains(&place);
    let fours = patterns.iter().flat_map(|pattern| {
        let starts = (1..=size as isize).flat_map(|row| (1..=size as isize).map(move |column| (column, row)));
        starts.filter_map(move |(column, row)| {
            let cells: Vec<_> = pattern.iter().map(|&(across, up)| (column + across, row + up)).collect();
            cells.iter().all(|&(c, r)| on(c) && on(r)).then(|| {
                let cells: Vec<String> = cells.iter().map(|(c, r)| format!("{c} {r}")).collect();
                format!("(four {})", cells.join(" "))
            })
        })
    });
    Ok(format!(
        "\
;;; Teeko, {size} by {size} squares.
;;; The players in turn put four men each on blank squares, and then move one to a blank square beside it, along a
;;; row, a column or a diagonal. Four own men in a line or in a square of two by two win. Play can go on for ever.
;;; Written by: ggsolve generate teeko {size}

{roles}

{numbers}
{successors}

;; Squares beside each other, and the lines and squares of four that win.

(<= (near ?a ?b) (number ?a) (number ?b) (succ ?a ?b))
(<= (near ?b ?a) (number ?a) (number ?b) (succ ?a ?b))
(<= (beside ?x ?y ?x ?v) (number ?x) (near ?y ?v))
(<= (beside ?x ?y ?u ?y) (near ?x ?u) (number ?y))
(<= (beside ?x ?y ?u ?v) (near ?x ?u) (near ?y ?v))

{fours}

;; A state: whose man is on every square (none: nobody's), how many men were dropped, and who is to move.

(<= (base (cell ?x ?y none)) (number ?x) (number ?y))
(<= (base (cell ?x ?y ?p)) (number ?x) (number ?y) (role ?p))
(base (dropped 0))
{counts}
(<= (base (control ?p)) (role ?p))

(<= (init (cell ?x ?y none)) (number ?x) (number ?y))
(init (dropped 0))
(init (control black))

;; Moves.

(<= (input ?p (put ?x ?y)) (role ?p) (number ?x) (number ?y))
(<= (input ?p (move ?x ?y ?u ?v)) (role ?p) (beside ?x ?y ?u ?v))
(<= (input ?p noop) (role ?p))

(<= (legal ?p (put ?x ?y))
    (true (control ?p))
    (not (true (dropped {all})))
    (true (cell ?x ?y none)))
(<= (legal ?p (move ?x ?y ?u ?v))
    (true (control ?p))
    (true (dropped {all}))
    (true (cell ?x ?y ?p))
    (beside ?x ?y ?u ?v)
    (true (cell ?u ?v none)))
(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

(<= (next (cell ?x ?y ?p)) (does ?p (put ?x ?y)))
(<= (next (cell ?u ?v ?p)) (does ?p (move ?x ?y ?u ?v)))
(<= (next (cell ?x ?y none)) (does ?p (move ?x ?y ?u ?v)))
(<= (next (cell ?x ?y ?p))
    (true (cell ?x ?y ?p))
    (not (changed ?x ?y)))

(<= (changed ?x ?y) (does ?p (put ?x ?y)))
(<= (changed ?x ?y) (does ?p (move ?x ?y ?u ?v)))
(<= (changed ?u ?v) (does ?p (move ?x ?y ?u ?v)))

(<= (next (dropped ?n))
    (true (dropped ?m))
    (succ ?m ?n))
(<= (next (dropped {all})) (true (dropped {all})))

{turns}

;; The end. A player with four men on the board can always move.

(<= (won ?p)
    (role ?p)
    (four ?a ?b ?c ?d ?e ?f ?g ?h)
    (true (cell ?a ?b ?p))
    (true (cell ?c ?d ?p))
    (true (cell ?e ?f ?p))
    (true (cell ?g ?h ?p)))

{WINS}
",
        roles = roles(&players),
        numbers = numbered("number", size),
        successors = successors(0, size.max(2 * MEN)),
        fours = facts(fours),
        all = 2 * MEN,
        counts = facts((1..=2 * MEN).map(|count| format!("(base (dropped {count}))"))),
        turns = turns(&players),
    ))
}
