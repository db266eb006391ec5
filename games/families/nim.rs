//! Nim with several heaps for two or three players, and the game of taking a few matches from one.

use super::text::{around, facts, numbered, roles, successors, turns};

/// Who plays, and what they get; who moved last gets 100.
#[derive(Clone, Copy, PartialEq)]
pub enum Rewards {
    /// Two players; the other one gets 0.
    Two,
    /// Three players; the others get 0 (Propp, "Three-player impartial games", 2000).
    Last,
    /// Three players; the one before the last gets 50 (Li, "N-person Nim and N-person Moore's games", 1978).
    Ranked,
}

/// The players, who move in turn, and their goals.
fn players(rewards: Rewards) -> String {
    let players: &[&str] = if rewards == Rewards::Two { &["first", "second"] } else { &["first", "second", "third"] };
    let after = if rewards == Rewards::Two { String::new() } else { format!("{}\n\n", around("after", players)) };
    let goals = match rewards {
        Rewards::Two => "(<= (goal ?p 100)\n    (role ?p)\n    (not (true (control ?p))))".to_owned(),
        three => format!(
            "\
(<= (goal ?p {})
    (true (control ?q))
    (after ?q ?p))
(<= (goal ?p 100)
    (true (control ?q))
    (after ?p ?q))",
            if three == Rewards::Ranked { 50 } else { 0 }
        ),
    };
    format!(
        "\
{roles}

{after}(<= (base (control ?p)) (role ?p))
(init (control first))
{turns}

(<= (input ?p noop) (role ?p))
(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

(<= (goal ?p 0)
    (true (control ?p)))
{goals}",
        roles = roles(players),
        turns = turns(players),
    )
}

/// The rulesheet of Nim.
pub fn rules(heaps: &[usize], rewards: Rewards) -> String {
    let most = heaps.iter().copied().max().unwrap_or(0);
    let sizes: Vec<String> = heaps.iter().map(|heap| heap.to_string()).collect();
    let (whose, wins, name) = match rewards {
        Rewards::Two => ("", " wins", "nim"),
        Rewards::Last => (" for three players", "\n;;; gets 100, the others 0", "nim3 last"),
        Rewards::Ranked => {
            (" for three players", "\n;;; gets 100, the player before 50 and the other one 0", "nim3 ranked")
        }
    };
    format!(
        "\
;;; Nim{whose} with heaps of {listed} matches.
;;; The players take any number of matches from one heap in turn. Who takes the last match{wins}.
;;; Written by: ggsolve generate {name} {arguments}

{players}

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
        players = players(rewards),
        numbers = successors(0, most),
        starts = facts(heaps.iter().enumerate().map(|(heap, size)| format!("(starts {} {size})", heap + 1))),
    )
}

/// The rulesheet of one row of matches.
pub fn take(matches: usize, most: usize) -> String {
    format!(
        "\
;;; One row of {matches} matches.
;;; The players take 1 to {most} matches in turn. Who takes the last match wins.
;;; Written by: ggsolve generate take {matches} {most}

{players}

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
        players = players(Rewards::Two),
        numbers = successors(0, matches.max(most)),
        takes = numbered("takes", most),
    )
}
