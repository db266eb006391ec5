//! Games of two players and dice, which the role `random` throws: Pig, a race, and a duel.

use super::text::{counted, facts, numbered, successors};

/// The roles, and which of the players comes after which.
const ROLES: &str = "(role first)\n(role second)\n(role random)\n\n(after first second)\n(after second first)";

/// What the players get: all who wins, half of it without a winner.
const GOALS: &str = "\
(<= (goal ?p 100)
    (true (won ?p)))
(<= (goal ?p 0)
    (after ?p ?q)
    (true (won ?q)))";

/// `(sum m k n)` of `(number n)`: `m + k = n`.
const SUMS: &str = "\
;; (sum ?m ?k ?n): ?m + ?k = ?n.

(<= (sum ?n 0 ?n) (number ?n))
(<= (sum ?l ?k ?n) (succ ?l ?m) (succ ?j ?k) (sum ?m ?j ?n))";

/// Facts of numbers in a row.
fn listed(name: &str, numbers: impl Iterator<Item = usize>) -> String {
    facts(numbers.map(|number| format!("({name} {number})")))
}

/// What Pig has in every size.
const PIG_MOVES: &str = "\
;; Moves: the player in turn rolls or holds, then chance throws the die.

(<= (input ?p roll) (after ?p ?q))
(<= (input ?p hold) (after ?p ?q))
(<= (input ?p wait) (role ?p))
(<= (input random (throw ?k)) (side ?k))

(<= (wins ?p)
    (true (points ?p ?m))
    (true (thrown ?k))
    (sum ?m ?k ?n)
    (enough ?n))

(<= (legal ?p roll)
    (true (control ?p))
    (not (true rolling))
    (not (wins ?p)))
(<= (legal ?p hold)
    (true (control ?p))
    (not (true rolling)))
(<= (legal ?p wait)
    (after ?p ?q)
    (not (true (control ?p))))
(<= (legal ?p wait)
    (true (control ?p))
    (true rolling))
(<= (legal random (throw ?k))
    (side ?k)
    (true rolling))
(<= (legal random wait)
    (not (true rolling)))

(<= rolls (does ?p roll))
(<= holds (does ?p hold))
(<= ends holds)
(<= ends (does random (throw 1)))

(<= (next rolling)
    rolls)

(<= (next (control ?q))
    ends
    (true (control ?p))
    (after ?p ?q))
(<= (next (control ?p))
    (true (control ?p))
    (not ends))

(<= (next (thrown 0))
    ends)
(<= (next (thrown ?n))
    rolls
    (true (thrown ?n)))
(<= (next (thrown ?n))
    (does random (throw ?k))
    (distinct ?k 1)
    (true (thrown ?m))
    (sum ?m ?k ?n))

(<= (next (points ?p ?n))
    (does ?p hold)
    (true (points ?p ?m))
    (true (thrown ?k))
    (sum ?m ?k ?n)
    (score ?n))
(<= (next (points ?p ?n))
    (true (points ?p ?n))
    (not (does ?p hold)))
(<= (next (won ?p))
    (does ?p hold)
    (wins ?p))";

/// How moves of Pig are counted.
const PIG_COUNT: &str = "

(<= (next (move ?n))
    (true (move ?m))
    (move_before ?m)
    (succ ?m ?n)
    (not (true rolling)))
(<= (next (move ?n))
    (true (move ?n))
    (true rolling))";

/// The rulesheet of Pig. Players who throw a 1 or hold nothing in turn may play for ever, unless moves are counted.
pub fn pig(goal: usize, sides: usize, moves: Option<usize>) -> Result<String, String> {
    if sides < 2 {
        return Err("a die has two sides or more".to_owned());
    }
    // One more throw follows a sum that is not enough.
    let most = goal - 1 + sides;
    let points = counted(goal, "point");
    let end = match moves {
        Some(moves) => format!(
            ";;; Players could throw a 1 in turn for ever: after {plies} of players, the throws of the die not
;;; counted, play ends and nobody has won.
;;; Written by: ggsolve generate pig {goal} {sides} {moves}",
            plies = counted(moves, "move")
        ),
        None => format!(
            ";;; Players could throw a 1 in turn for ever, or hold nothing, so that play goes round.
;;; Written by: ggsolve generate pig {goal} {sides}"
        ),
    };
    let counts = |text: &str| moves.map_or_else(String::new, |moves| text.replace("MOVES", &moves.to_string()));
    Ok(format!(
        "\
;;; Pig to {points} with a die of {sides} sides.
;;; The player in turn rolls the die as often as it likes, and holds to keep what it has thrown in
;;; this turn. A 1 loses that and ends the turn. Who can hold {points} or more has to, and wins.
{end}

{ROLES}

{successors}
{numbers}
{scores}
{enough}
{sides_listed}
{moves_before}
{SUMS}

;; A state: the points of both players, what is thrown in this turn, who is in turn, whether the die
;; rolls,{the_number} and who has won.

(<= (base (points ?p ?n)) (after ?p ?q) (score ?n))
(<= (init (points ?p 0)) (after ?p ?q))
(<= (base (thrown ?n)) (number ?n))
(init (thrown 0))
(<= (base (control ?p)) (after ?p ?q))
(init (control first))
(base rolling)
{bases}(<= (base (won ?p)) (after ?p ?q))

{PIG_MOVES}{count}

;; The end: somebody has won{or_all}.

(<= over
    (true (won ?p)))

(<= terminal
    over)
{last}
{GOALS}
(<= (goal ?p {nobody})
    (after ?p ?q)
    (not over))
",
        successors = successors(0, most.max(moves.unwrap_or_default())),
        numbers = listed("number", 0..=most),
        scores = listed("score", 0..goal),
        enough = listed("enough", goal..=most),
        sides_listed = numbered("side", sides),
        moves_before = moves.map_or_else(String::new, |moves| listed("move_before", 0..moves) + "\n"),
        the_number = counts(" the number of moves,"),
        bases = counts("(base (move MOVES))\n(<= (base (move ?n)) (move_before ?n))\n(init (move 0))\n"),
        count = counts(PIG_COUNT),
        or_all = counts(", or all moves are made"),
        last = counts("(<= terminal\n    (true (move MOVES)))\n"),
        nobody = if moves.is_some() { 50 } else { 0 },
    ))
}

/// What a race has in every size.
const RACE_MOVES: &str = "\
;; Moves: the player in turn chooses a die, then chance throws it.

(<= (input ?p (roll ?d)) (after ?p ?q) (side ?d ?k))
(<= (input ?p wait) (role ?p))
(<= (input random (throw ?k)) (side ?d ?k))

(<= rolling
    (true (rolls ?d)))

(<= (legal ?p (roll ?d))
    (true (control ?p))
    (side ?d ?k)
    (not rolling))
(<= (legal ?p wait)
    (after ?p ?q)
    (not (true (control ?p))))
(<= (legal ?p wait)
    (true (control ?p))
    rolling)
(<= (legal random (throw ?k))
    (true (rolls ?d))
    (side ?d ?k))
(<= (legal random wait)
    (not rolling))

(<= (next (rolls ?d))
    (does ?p (roll ?d)))

(<= (arrives ?n)
    (does random (throw ?k))
    (true (control ?p))
    (true (at ?p ?m))
    (sum ?m ?k ?n))

(<= (next (at ?p ?n))
    (arrives ?n)
    (true (control ?p)))
(<= (next (at ?p ?n))
    (true (at ?p ?n))
    (not (moves ?p)))
(<= (moves ?p)
    rolling
    (true (control ?p)))
(<= somewhere
    (arrives ?n))
(<= (next (won ?p))
    (moves ?p)
    (not somewhere))

(<= (next (control ?q))
    (moves ?p)
    (after ?p ?q))
(<= (next (control ?p))
    (true (control ?p))
    (not rolling))";

/// The rulesheet of a race with two dice to choose from.
pub fn race(length: usize) -> String {
    let steps = counted(length, "step");
    format!(
        "\
;;; A race over {steps} with two dice.
;;; The player in turn chooses a die and moves on by what it throws: the steady one has 2 and 3 on its
;;; sides, the bold one 1 and 4. Who is the first to come {steps} far wins.
;;; Written by: ggsolve generate race {length}

{ROLES}

{successors}
{numbers}
(side steady 2) (side steady 3) (side bold 1) (side bold 4)

{SUMS}

;; A state: how far both players are, who is in turn, the die that rolls, and who has won.

(<= (base (at ?p ?n)) (after ?p ?q) (number ?n))
(<= (init (at ?p 0)) (after ?p ?q))
(<= (base (control ?p)) (after ?p ?q))
(init (control first))
(<= (base (rolls ?d)) (side ?d ?k))
(<= (base (won ?p)) (after ?p ?q))

{RACE_MOVES}

;; The end: somebody has won.

(<= terminal
    (true (won ?p)))

{GOALS}
(<= (goal ?p 0)
    (after ?p ?q)
    (not terminal))
",
        successors = successors(0, (length - 1).max(4)),
        numbers = listed("number", 0..length),
    )
}

/// What a duel has in every size.
const DUEL_MOVES: &str = "\
;; Moves: both shoot or wait. After a shot chance draws a number for each player: a shot hits in step
;; ?n with the numbers up to ?n.

(<= (input ?p shoot) (after ?p ?q))
(<= (input ?p wait) (role ?p))
(<= (input random (draw ?i ?j)) (side ?i) (side ?j))

(<= flying
    (true (shot ?p)))

(<= (legal ?p shoot)
    (after ?p ?q)
    (true (bullets ?p ?n))
    (distinct ?n 0)
    (not flying))
(<= (legal ?p wait)
    (after ?p ?q))
(<= (legal random (draw ?i ?j))
    (side ?i)
    (side ?j)
    flying)
(<= (legal random wait)
    (not flying))

(<= (next (shot ?p))
    (does ?p shoot))
(<= (next (bullets ?p ?m))
    (does ?p shoot)
    (true (bullets ?p ?n))
    (succ ?m ?n))
(<= (next (bullets ?p ?n))
    (true (bullets ?p ?n))
    (not (does ?p shoot)))

(<= (next (hit second))
    (true (shot first))
    (true (step ?n))
    (does random (draw ?i ?j))
    (within ?i ?n))
(<= (next (hit first))
    (true (shot second))
    (true (step ?n))
    (does random (draw ?i ?j))
    (within ?j ?n))

(<= shots
    (does ?p shoot))
(<= (next (step ?n))
    (true (step ?n))
    shots)
(<= (next (step ?n))
    (true (step ?m))
    (side ?m)
    (succ ?m ?n)
    (not shots))";

/// The rulesheet of a duel whose steps lead closer.
pub fn duel(steps: usize, bullets: [usize; 2]) -> String {
    let [own, other] = bullets;
    let (length, bullets) = (counted(steps, "step"), counted(other, "bullet"));
    format!(
        "\
;;; A duel of {length}.
;;; Two players walk up to each other, with {own} and {bullets}.
;;; Before each step both choose at the same time whether to shoot. In step 1 one shot of {steps} hits, in
;;; step 2 two, and so on; each sees what the other one does. Who alone is not hit wins; where both or
;;; none are, nobody does.
;;; Written by: ggsolve generate duel {steps} {own} {other}

{ROLES}

{successors}
{sides}

(<= (within ?k ?k) (side ?k))
(<= (within ?j ?k) (side ?j) (succ ?j ?m) (within ?m ?k))

;; A state: the step, the bullets of both players, whose shots chance is to decide, and who is hit.

(base (step {end}))
(<= (base (step ?n)) (side ?n))
(init (step 1))
{bases}
(init (bullets first {own}))
(init (bullets second {other}))
(<= (base (shot ?p)) (after ?p ?q))
(<= (base (hit ?p)) (after ?p ?q))

{DUEL_MOVES}

;; The end: somebody is hit, or all steps are made.

(<= terminal
    (true (hit ?p)))
(<= terminal
    (true (step {end})))

(<= (goal ?p 100)
    (after ?p ?q)
    (true (hit ?q))
    (not (true (hit ?p))))
(<= (goal ?p 0)
    (after ?p ?q)
    (true (hit ?p))
    (not (true (hit ?q))))
(<= (goal ?p 50)
    (true (hit ?p))
    (after ?p ?q)
    (true (hit ?q)))
(<= (goal ?p 50)
    (after ?p ?q)
    (not (true (hit ?p)))
    (not (true (hit ?q))))
",
        end = steps + 1,
        successors = successors(0, (steps + 1).max(own).max(other)),
        sides = numbered("side", steps),
        bases = facts(
            (0..=own)
                .map(|n| format!("(base (bullets first {n}))"))
                .chain((0..=other).map(|n| format!("(base (bullets second {n}))")))
        ),
    )
}
