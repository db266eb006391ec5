//! Nim for three players, in two ways to count: who takes the last match alone wins (Propp, "Three-player impartial
//! games", 2000), or the others are ranked by how lately they moved (Li, "N-person Nim and N-person Moore's games", 1978).

use super::text::{facts, successors};

/// `ranked`: the player before the last one gets 50.
pub fn rules(heaps: &[usize], ranked: bool) -> String {
    let most = heaps.iter().copied().max().unwrap_or(0);
    let sizes: Vec<String> = heaps.iter().map(|heap| heap.to_string()).collect();
    let (rewards, second, how) = if ranked {
        ("gets 100, the player before 50 and the other one 0", 50, "ranked")
    } else {
        ("gets 100, the others 0", 0, "last")
    };
    format!(
        "\
;;; Nim for three players with heaps of {listed} matches.
;;; The players take any number of matches from one heap in turn. Who takes the last match
;;; {rewards}.
;;; Written by: ggsolve generate nim3 {how} {arguments}

(role first)
(role second)
(role third)

(after first second)
(after second third)
(after third first)

(<= (base (control ?p)) (role ?p))
(init (control first))
(<= (next (control ?q))
    (true (control ?p))
    (after ?p ?q))

{numbers}

(<= (less ?m ?n) (succ ?m ?n))
(<= (less ?l ?n) (succ ?m ?n) (less ?l ?m))

;; A state: the number of matches in every heap, and who is to move.

{starts}

(<= (base (heap ?h ?n)) (starts ?h ?n))
(<= (base (heap ?h ?m)) (starts ?h ?n) (less ?m ?n))
(<= (init (heap ?h ?n)) (starts ?h ?n))

;; Moves: the player in control leaves fewer matches on a heap.

(<= (input ?p noop) (role ?p))
(<= (input ?p (leave ?h ?m)) (role ?p) (starts ?h ?n) (less ?m ?n))

(<= (legal ?p (leave ?h ?m))
    (true (control ?p))
    (true (heap ?h ?n))
    (less ?m ?n))
(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

(<= (touched ?h)
    (does ?p (leave ?h ?m)))

(<= (next (heap ?h ?m))
    (does ?p (leave ?h ?m)))
(<= (next (heap ?h ?n))
    (true (heap ?h ?n))
    (not (touched ?h)))

;; The end: no match is left; the player in control would be next.

(<= left
    (true (heap ?h ?n))
    (distinct ?n 0))

(<= terminal
    (not left))

(<= (goal ?p 0)
    (true (control ?p)))
(<= (goal ?p {second})
    (true (control ?q))
    (after ?q ?p))
(<= (goal ?p 100)
    (true (control ?q))
    (after ?p ?q))
",
        listed = sizes.join(", "),
        arguments = sizes.join(" "),
        numbers = successors(0, most),
        starts = facts(heaps.iter().enumerate().map(|(heap, size)| format!("(starts {} {size})", heap + 1))),
    )
}
