//! Awari with few stones: in one game all endings with a number of stones.

use super::text::{around, counted, facts, roles, successors};

const PITS: usize = 12;

/// Most stones: more in one pit would be sown all around the board, past the pit they come from.
const MOST: usize = PITS - 1;

/// The rules for a number of stones. With a number of rounds, the stones left are divided evenly after as many in which
/// nothing is captured.
pub fn rules(stones: usize, rounds: Option<usize>) -> Result<String, String> {
    if stones > MOST {
        return Err(format!("awari has at most {MOST} stones here: {PITS} in one pit come back to it"));
    }
    let players = ["south", "north"];
    let sums = (0..=stones).map(|a| facts((0..=stones - a).map(|b| format!("(sum {a} {b} {})", a + b))));
    let Division { prose, state, moves, end, guard, argument } = rounds.map_or_else(Division::none, Division::after);
    Ok(format!(
        "\
;;; Awari with {stones} stones.
;;; First the players in turn put a stone into any of twelve pits, of which six are south's and six are north's. Then
;;; they take in turn all stones of an own pit and sow them, one into each of the pits that follow. If the last one
;;; makes two or three in a pit of the opponent, these are captured, and so are two or three in the opponent's pits
;;; just before, one after the other. A move leaves the opponent a stone to move, if any can. Who has none ends play,
;;; and the opponent gets the stones left. {prose}
;;; Who has more stones at the end is paid the difference.
;;; Written by: ggsolve generate awari {stones}{argument}

{roles}

{others}

{owners}

{successors}

{sums}

;; The pits that follow: (reach ?i ?n ?j): of ?n stones out of pit ?i the last one comes into pit ?j; (passes ?i ?n ?j):
;; one of them does.

(<= (pit ?i) (own ?p ?i))
(<= (enemy ?i ?j) (own ?p ?i) (other ?p ?q) (own ?q ?j))
(<= (number ?n) (sum ?n 0 ?n))
(<= (some ?n) (number ?n) (distinct ?n 0))

(<= (after ?i ?j) (pit ?i) (pit ?j) (succ ?i ?j))
(after {PITS} 1)

(<= (reach ?i 1 ?j) (after ?i ?j))
(<= (reach ?i ?n ?j) (reach ?i ?m ?h) (succ ?m ?n) (some ?n) (after ?h ?j))

(<= (passes ?i ?n ?j) (reach ?i ?n ?j))
(<= (passes ?i ?n ?j) (passes ?i ?m ?j) (succ ?m ?n) (some ?n))

;; A state: the stones in every pit, those still to be put, those that each player has captured, and who is to move.

(<= (base (in ?i ?n)) (pit ?i) (number ?n))
(<= (base (hand ?n)) (number ?n))
(<= (base (captured ?p ?n)) (role ?p) (number ?n))
(<= (base (control ?p)) (role ?p))

(<= (init (in ?i 0)) (pit ?i))
(init (hand {stones}))
(<= (init (captured ?p 0)) (role ?p))
(init (control south))
{state}
;; What it does to sow ?n stones out of pit ?i: (holds ?i ?n ?j ?m): then there are ?m in pit ?j, before any are
;; captured; (gain ?i ?n ?j ?s): ?s are captured from pit ?j on.

(<= (holds ?i ?n ?j ?m) (passes ?i ?n ?j) (true (in ?j ?k)) (succ ?k ?m) (some ?m))
(<= (holds ?i ?n ?j ?m) (pit ?i) (some ?n) (true (in ?j ?m)) (distinct ?i ?j) (not (passes ?i ?n ?j)))

(prey 2) (prey 3)

(<= (gain ?i ?n ?j ?m)
    (reach ?i ?n ?j)
    (enemy ?i ?j)
    (holds ?i ?n ?j ?m)
    (prey ?m))
(<= (gain ?i ?n ?h ?t)
    (gain ?i ?n ?j ?s)
    (after ?h ?j)
    (enemy ?i ?h)
    (holds ?i ?n ?h ?m)
    (prey ?m)
    (sum ?s ?m ?t))

(<= (taken ?i ?n ?j) (gain ?i ?n ?j ?s))

;; Moves. (feeds ?p ?i ?n): the move leaves the opponent a stone.

(<= (input ?p (put ?i)) (role ?p) (pit ?i))
(<= (input ?p (sow ?i ?n)) (own ?p ?i) (some ?n))
(<= (input ?p noop) (role ?p))

(<= (possible ?p ?i ?n)
    (true (hand 0))
    (own ?p ?i)
    (true (in ?i ?n))
    (some ?n))

(<= (feeds ?p ?i ?n)
    (possible ?p ?i ?n)
    (enemy ?i ?j)
    (holds ?i ?n ?j ?m)
    (some ?m)
    (not (taken ?i ?n ?j)))
(<= (feeding ?p) (feeds ?p ?i ?n))

(<= (legal ?p (put ?i))
    (true (control ?p))
    (pit ?i)
    (true (hand ?n))
    (some ?n))
(<= (legal ?p (sow ?i ?n))
    (true (control ?p))
    (feeds ?p ?i ?n))
(<= (legal ?p (sow ?i ?n))
    (true (control ?p))
    (possible ?p ?i ?n)
    (not (feeding ?p)))
(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

(<= (next (in ?i ?m)) (does ?p (put ?i)) (true (in ?i ?n)) (succ ?n ?m) (some ?m))
(<= (next (in ?j ?n)) (does ?p (put ?i)) (true (in ?j ?n)) (distinct ?i ?j))
(<= (next (hand ?m)) (does ?p (put ?i)) (true (hand ?n)) (succ ?m ?n))
(<= (next (hand 0)) (true (hand 0)))

(<= (next (in ?i 0)) (does ?p (sow ?i ?n)))
(<= (next (in ?j 0)) (does ?p (sow ?i ?n)) (taken ?i ?n ?j))
(<= (next (in ?j ?m)) (does ?p (sow ?i ?n)) (holds ?i ?n ?j ?m) (not (taken ?i ?n ?j)))

;; All that a move captures it captures from the pit on before which nothing is taken.

(<= (captures ?p ?s)
    (does ?p (sow ?i ?n))
    (gain ?i ?n ?j ?s)
    (after ?h ?j)
    (not (taken ?i ?n ?h)))
(<= (capturing ?p) (captures ?p ?s))

(<= (next (captured ?p ?t))
    (captures ?p ?s)
    (true (captured ?p ?c))
    (sum ?c ?s ?t))
(<= (next (captured ?p ?c))
    (true (captured ?p ?c))
    (not (capturing ?p)))

(<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
{moves}
;; The end. (gets ?p ?n): the stones of a player.

(<= mobile (true (control ?p)) (possible ?p ?i ?n))
(<= ended (true (hand 0)) (not mobile))

(<= terminal ended)

(<= (gets ?p ?n)
    (true (control ?p))
    (true (captured ?p ?n)))
(<= (gets ?q ?m)
    (true (control ?p)){guard}
    (true (captured ?p ?n))
    (other ?p ?q)
    (sum ?n ?m {stones}))
{end}
(<= (ahead ?a ?b ?d) (sum ?b ?d ?a))
(<= (ahead ?a ?b 0) (sum ?a ?d ?b))

(<= (goal ?p ?d)
    (gets ?p ?a)
    (other ?p ?q)
    (gets ?q ?b)
    (ahead ?a ?b ?d))
",
        roles = roles(&players),
        others = around("other", &players),
        owners = facts((1..=PITS).map(|pit| format!("(own {} {pit})", players[(pit - 1) / (PITS / 2)]))),
        successors = successors(0, PITS),
        sums = sums.collect::<Vec<_>>().join("\n"),
    ))
}

/// What the rules say of play in which nothing is captured.
struct Division {
    prose: String,
    state: String,
    moves: String,
    end: String,
    guard: &'static str,
    argument: String,
}

impl Division {
    fn none() -> Division {
        let [state, moves, end, argument] = [(); 4].map(|()| String::new());
        Division { prose: "Play can go on for ever.".to_owned(), state, moves, end, guard: "", argument }
    }

    /// Stones go around the board in all play without end, and north sows into south's pits each time.
    fn after(rounds: usize) -> Division {
        let numbers = facts((0..rounds).map(|round| format!("(round {round} {})", round + 1)));
        Division {
            prose: format!(
                "When north has sown into south's\n;;; pits {} without a capture by anybody, each gets half of the \
                 stones left.",
                counted(rounds, "time")
            ),
            state: format!(
                "
;; How often north has sown into south's pits since stones were captured.

{numbers}

(base (rounds 0))
(<= (base (rounds ?k)) (round ?j ?k))

(init (rounds 0))
"
            ),
            moves: "
(<= around (does north (sow ?i ?n)) (passes ?i ?n 1))

(<= (next (rounds 0)) (does ?p (put ?i)))
(<= (next (rounds 0)) (capturing ?p))
(<= (next (rounds ?k))
    (does ?p (sow ?i ?n))
    (not (capturing ?p))
    (not around)
    (true (rounds ?k)))
(<= (next (rounds ?k))
    around
    (not (capturing north))
    (true (rounds ?j))
    (round ?j ?k))
"
            .to_owned(),
            end: format!(
                "
;; Halves of the stones left do not change the difference.

(<= divided (true (rounds {rounds})) (not ended))

(<= terminal divided)

(<= (gets ?q ?n)
    (true (control ?p))
    (not ended)
    (other ?p ?q)
    (true (captured ?q ?n)))
"
            ),
            guard: "\n    ended",
            argument: format!(" {rounds}"),
        }
    }
}
