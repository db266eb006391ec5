//! Quixo on a square board of any size.

use super::text::{WINS, facts, lines, numbered, successors};

pub fn rules(size: usize) -> Result<String, String> {
    if size < 2 {
        return Err("a board of one cell has no other end to push from".to_owned());
    }
    let ends = [1, size];
    let away = facts(ends.iter().flat_map(|&end| {
        let others = (1..=size).filter(move |&place| place != end);
        others.map(move |place| format!("(away {place} {end})"))
    }));
    // By the place taken out, the end pushed in at, and the place that moves: where its cube comes from.
    let shifts = facts(ends.iter().flat_map(|&end| {
        (1..=size).flat_map(move |taken| {
            let moved: Vec<String> = if end == 1 {
                (2..=taken).map(|to| format!("(shift {taken} {end} {to} {})", to - 1)).collect()
            } else {
                (taken..size).map(|to| format!("(shift {taken} {end} {to} {})", to + 1)).collect()
            };
            moved
        })
    }));
    let lines = lines(size, size, size, "?m", "(marks ?p ?m)");
    Ok(format!(
        "\
;;; Quixo, {size} by {size} cubes.
;;; The players in turn take a cube of the border that is blank or their own, turn it to their mark and push it back in
;;; at another end of its row or column, so that the cubes between move on. Who has a line of {size} wins; who makes one for
;;; the opponent loses, even with a line of its own.
;;; Written by: ggsolve generate quixo {size}

(role xplayer)
(role oplayer)

(marks xplayer x)
(marks oplayer o)
(other xplayer oplayer)
(other oplayer xplayer)

{numbers}
{successors}

;; (place ?axis ?line ?k ?c ?r): the k-th cell of a row or column.

(<= (place row ?r ?c ?c ?r) (number ?c) (number ?r))
(<= (place column ?c ?r ?c ?r) (number ?c) (number ?r))

(<= (border ?c ?r) (number ?c) (end ?r))
(<= (border ?c ?r) (end ?c) (number ?r))

;; The ends to push in at, the places away from each, and the places that move when a cube is taken out of a place and
;; pushed in at an end, each with the place that its cube comes from.

{ends}
{away}
{shifts}

;; A state: the mark on every cube (b: blank), and who is to move.

(<= (base (cell ?c ?r b)) (number ?c) (number ?r))
(<= (base (cell ?c ?r ?m)) (number ?c) (number ?r) (marks ?p ?m))
(<= (base (control ?p)) (role ?p))

(<= (init (cell ?c ?r b)) (number ?c) (number ?r))
(init (control xplayer))

;; Moves.

(<= (input ?p (push ?axis ?line ?k ?end))
    (role ?p)
    (place ?axis ?line ?k ?c ?r)
    (border ?c ?r)
    (away ?k ?end))
(<= (input ?p noop) (role ?p))

(<= (legal ?p (push ?axis ?line ?k ?end))
    (true (control ?p))
    (place ?axis ?line ?k ?c ?r)
    (border ?c ?r)
    (away ?k ?end)
    (free ?p ?c ?r))
(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

(<= (free ?p ?c ?r) (role ?p) (true (cell ?c ?r b)))
(<= (free ?p ?c ?r) (marks ?p ?m) (true (cell ?c ?r ?m)))

(<= (next (cell ?c ?r ?m))
    (does ?p (push ?axis ?line ?k ?end))
    (place ?axis ?line ?end ?c ?r)
    (marks ?p ?m))
(<= (next (cell ?c ?r ?m))
    (does ?p (push ?axis ?line ?k ?end))
    (shift ?k ?end ?to ?from)
    (place ?axis ?line ?to ?c ?r)
    (place ?axis ?line ?from ?d ?s)
    (true (cell ?d ?s ?m)))
(<= (next (cell ?c ?r ?m))
    (true (cell ?c ?r ?m))
    (not (moved ?c ?r)))

(<= (moved ?c ?r)
    (does ?p (push ?axis ?line ?k ?end))
    (place ?axis ?line ?end ?c ?r))
(<= (moved ?c ?r)
    (does ?p (push ?axis ?line ?k ?end))
    (shift ?k ?end ?to ?from)
    (place ?axis ?line ?to ?c ?r))

(<= (next (control ?q))
    (true (control ?p))
    (other ?p ?q))

;; The end: a line; of two, that of the player who is to move counts.

{lines}

(<= (has ?p) (marks ?p ?m) (line ?m))

(<= (won ?p)
    (true (control ?p))
    (has ?p))
(<= (won ?p)
    (has ?p)
    (other ?p ?q)
    (not (has ?q)))

{WINS}
",
        numbers = numbered("number", size),
        successors = successors(1, size),
        ends = facts(ends.iter().map(|end| format!("(end {end})"))),
    ))
}
