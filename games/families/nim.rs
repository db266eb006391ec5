//! Nim with several heaps, and the game of taking a few matches from one.

use super::text::{facts, numbered, successors};

/// Two players in turn, the one who cannot move has lost.
const PLAYERS: &str = "\
(role first)
(role second)

(<= (base (control ?p)) (role ?p))
(init (control first))
(<= (next (control first)) (true (control second)))
(<= (next (control second)) (true (control first)))

(<= (input ?p noop) (role ?p))
(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

(<= (goal ?p 0)
    (true (control ?p)))
(<= (goal ?p 100)
    (role ?p)
    (not (true (control ?p))))";

pub fn rules(heaps: &[usize]) -> String {
    let most = heaps.iter().copied().max().unwrap_or(0);
    let sizes: Vec<String> = heaps.iter().map(|heap| heap.to_string()).collect();
    format!(
        "\
;;; Nim with heaps of {listed} matches.
;;; The players take any number of matches from one heap in turn. Who takes the last match wins.
;;; Written by: ggsolve generate nim {arguments}

{PLAYERS}

{numbers}

(<= (less ?m ?n) (succ ?m ?n))
(<= (less ?l ?n) (succ ?m ?n) (less ?l ?m))

;; A state: the number of matches in every heap, and who is to move.

{starts}

(<= (base (heap ?h ?n)) (starts ?h ?n))
(<= (base (heap ?h ?m)) (starts ?h ?n) (less ?m ?n))
(<= (init (heap ?h ?n)) (starts ?h ?n))

;; Moves: the player in control leaves fewer matches on a heap.

(<= (input ?p (leave ?h ?m)) (role ?p) (starts ?h ?n) (less ?m ?n))

(<= (legal ?p (leave ?h ?m))
    (true (control ?p))
    (true (heap ?h ?n))
    (less ?m ?n))

(<= (touched ?h)
    (does ?p (leave ?h ?m)))

(<= (next (heap ?h ?m))
    (does ?p (leave ?h ?m)))
(<= (next (heap ?h ?n))
    (true (heap ?h ?n))
    (not (touched ?h)))

;; The end: no match is left.

(<= left
    (true (heap ?h ?n))
    (distinct ?n 0))

(<= terminal
    (not left))
",
        listed = sizes.join(", "),
        arguments = sizes.join(" "),
        numbers = successors(0, most),
        starts = facts(heaps.iter().enumerate().map(|(heap, size)| format!("(starts {} {size})", heap + 1))),
    )
}

pub fn take(matches: usize, most: usize) -> String {
    format!(
        "\
;;; One row of {matches} matches.
;;; The players take 1 to {most} matches in turn. Who takes the last match wins.
;;; Written by: ggsolve generate take {matches} {most}

{PLAYERS}

{numbers}
{takes}

;; (minus ?n ?k ?m): ?n - ?k = ?m, for the numbers that may be taken.

(<= (minus ?n 1 ?m) (succ ?m ?n))
(<= (minus ?n ?k ?l) (minus ?n ?j ?m) (succ ?j ?k) (takes ?k) (succ ?l ?m))

;; A state: the number of matches, and who is to move.

(base (row {matches}))
(<= (base (row ?n)) (succ ?n ?m))
(init (row {matches}))

;; Moves: the player in control takes ?k matches.

(<= (input ?p (take ?k)) (role ?p) (takes ?k))

(<= (legal ?p (take ?k))
    (true (control ?p))
    (true (row ?n))
    (minus ?n ?k ?m))

(<= (next (row ?m))
    (does ?p (take ?k))
    (true (row ?n))
    (minus ?n ?k ?m))

;; The end: no match is left.

(<= terminal
    (true (row 0)))
",
        numbers = successors(0, matches.max(most)),
        takes = numbered("takes", most),
    )
}
