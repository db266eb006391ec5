//! Games of two players who bid at the same time: Goofspiel and Oshi-Zumo.

use super::text::{facts, numbered, successors};

/// The order of the prizes of Goofspiel.
#[derive(Clone, Copy, PartialEq)]
pub enum Order {
    Rising,
    Falling,
    /// Chance turns the next one up.
    Random,
}

/// Facts `(worth place reward other)`: what each of the two players gets.
fn worth(rewards: impl Iterator<Item = (usize, usize)>) -> String {
    facts(rewards.map(|(place, reward)| format!("(worth {place} {reward} {})", 100 - reward)))
}

/// What bids do in Goofspiel.
const BIDS: &str = "\
(<= (next (holds ?p ?c))
    (true (holds ?p ?c))
    (not (does ?p (bid ?c))))

(<= (won first)
    (does first (bid ?c))
    (does second (bid ?d))
    (less ?d ?c))
(<= (won second)
    (does first (bid ?c))
    (does second (bid ?d))
    (less ?c ?d))

(<= (next (lead ?n))
    (won first)
    (true (prize ?k))
    (true (lead ?m))
    (sum ?m ?k ?n))
(<= (next (lead ?m))
    (won second)
    (true (prize ?k))
    (true (lead ?n))
    (sum ?m ?k ?n))
(<= (next (lead ?n))
    (true (lead ?n))
    (not (won first))
    (not (won second)))

;; The end: the cards are gone.

(<= held
    (true (holds ?p ?c)))

(<= terminal
    (not held))";

/// The rulesheet of Goofspiel. By points, the reward of the first player is 50 and the difference of the points.
pub fn goofspiel(cards: usize, order: Order, by_points: bool) -> Result<String, String> {
    // As many points are in the game.
    let even = cards * (cards + 1) / 2;
    if by_points && even > 50 {
        return Err(format!("{even} points are more than rewards from 0 to 100 can tell"));
    }
    let reward = |lead: usize| match (by_points, lead.cmp(&even)) {
        (true, _) => 50 + lead - even,
        (false, std::cmp::Ordering::Less) => 0,
        (false, std::cmp::Ordering::Equal) => 50,
        (false, std::cmp::Ordering::Greater) => 100,
    };
    let (word, told) = match order {
        Order::Rising => ("rising", "The prizes come in order, the smallest first."),
        Order::Falling => ("falling", "The prizes come in order, the largest first."),
        Order::Random => ("random", "Chance turns the next prize up before the bids."),
    };
    let (scoring, ends) = match by_points {
        true => ("points", "The rewards are 50 and the difference of the points."),
        false => ("win", "More points win."),
    };
    Ok(format!(
        "\
;;; Goofspiel with {cards} cards.
;;; Both players hold cards of 1 to {cards} and bid one at the same time for the prize that lies open, of 1 to {cards}
;;; points. The higher bid gets the prize, equal ones give it to nobody. {told}
;;; {ends}
;;; Written by: ggsolve generate goofspiel {cards} {word} {scoring}

{roles}
(bidder first)
(bidder second)

{numbers}
{cards_listed}

(<= (less ?m ?n) (card ?m) (card ?n) (succ ?m ?n))
(<= (less ?l ?n) (card ?l) (succ ?l ?m) (less ?m ?n))

;; (sum ?m ?k ?n): ?m + ?k = ?n, for the points of a prize.

(<= (sum ?m 1 ?n) (succ ?m ?n))
(<= (sum ?l ?k ?n) (succ ?l ?m) (card ?j) (succ ?j ?k) (card ?k) (sum ?m ?j ?n))

;; A state: the cards that each player holds, the prize, and how many points the first player is
;; ahead, counted from {even} on.

(<= (base (holds ?p ?c)) (bidder ?p) (card ?c))
(<= (init (holds ?p ?c)) (bidder ?p) (card ?c))
(<= (base (prize ?k)) (card ?k))
(base (lead 0))
(<= (base (lead ?n)) (succ ?m ?n))
(init (lead {even}))

;; Moves: both bid a card.

(<= (input ?p (bid ?c)) (bidder ?p) (card ?c))

{moves}
{BIDS}

;; (worth ?n ?a ?b): the rewards at the end.

{worth}

(<= (goal first ?a) (true (lead ?n)) (worth ?n ?a ?b))
(<= (goal second ?b) (true (lead ?n)) (worth ?n ?a ?b))
",
        roles = if order == Order::Random {
            "(role first)\n(role second)\n(role random)"
        } else {
            "(role first)\n(role second)"
        },
        numbers = successors(0, 2 * even),
        cards_listed = numbered("card", cards),
        moves = prizes(cards, order),
        worth = worth((0..=2 * even).map(|lead| (lead, reward(lead)))),
    ))
}

/// The rules by which one prize follows another, and when bids are legal.
fn prizes(cards: usize, order: Order) -> String {
    let (first, step) = match order {
        Order::Rising => (1, "(succ ?j ?k)"),
        Order::Falling => (cards, "(succ ?k ?j)"),
        Order::Random => {
            return "\
(<= (legal ?p (bid ?c))
    open
    (true (holds ?p ?c)))

;; The prizes: those that are left are turned up by chance, one before each bid.

(<= (base (left ?k)) (card ?k))
(<= (init (left ?k)) (card ?k))

(<= open
    (true (prize ?k)))

(<= (input ?p wait) (role ?p))
(<= (input random (turn ?k)) (card ?k))

(<= (legal random (turn ?k))
    (not open)
    (true (left ?k)))
(<= (legal random wait)
    open)
(<= (legal ?p wait)
    (bidder ?p)
    (not open))

(<= (next (prize ?k))
    (does random (turn ?k)))
(<= (next (left ?k))
    (true (left ?k))
    (not (does random (turn ?k))))
"
            .to_owned();
        }
    };
    format!(
        "\
(<= (legal ?p (bid ?c))
    (true (holds ?p ?c)))

(init (prize {first}))
(<= (next (prize ?k))
    (true (prize ?j))
    {step}
    (card ?k))
"
    )
}

/// What bids do in Oshi-Zumo.
const PUSHES: &str = "\
;; Moves: both bid.

(<= (input ?p (bid ?b)) (role ?p) (number ?b))

(<= (legal ?p (bid ?b))
    (true (coins ?p ?n))
    (sum ?m ?b ?n)
    (enough ?b))
(<= (legal ?p (bid ?n))
    (true (coins ?p ?n))
    (not (enough ?n)))

(<= (next (coins ?p ?m))
    (does ?p (bid ?b))
    (true (coins ?p ?n))
    (sum ?m ?b ?n))

(<= (pushes west)
    (does west (bid ?b))
    (does east (bid ?a))
    (less ?a ?b))
(<= (pushes east)
    (does west (bid ?b))
    (does east (bid ?a))
    (less ?b ?a))

(<= (next (wrestler ?y))
    (pushes west)
    (true (wrestler ?x))
    (beside ?x ?y))
(<= (next (wrestler ?x))
    (pushes east)
    (true (wrestler ?y))
    (beside ?x ?y))
(<= (next (wrestler ?x))
    (true (wrestler ?x))
    (not (pushes west))
    (not (pushes east)))";

/// The rulesheet of Oshi-Zumo, with as many places to each side of the middle and a least bid.
pub fn oshi_zumo(coins: [usize; 2], size: usize, least: usize) -> Result<String, String> {
    let [west, east] = coins;
    let most = west.max(east);
    if least > most {
        return Err(format!("a bid of {least} is more than {most} coins"));
    }
    let (middle, out) = (size + 1, 2 * size + 2);
    let reward = |place: usize| match place.cmp(&middle) {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Equal => 50,
        std::cmp::Ordering::Greater => 100,
    };
    Ok(format!(
        "\
;;; Oshi-Zumo with {west} and {east} coins on a field of {places} places.
;;; Both players bid coins at the same time, at least {least}, or all if they have fewer; what is bid is gone. The higher
;;; bid pushes the wrestler one place on. Who pushes him out of the field wins, or, when no coin is
;;; left, who has him beyond the middle.
;;; Written by: ggsolve generate oshi-zumo {west} {size} {least}{other}

(role west)
(role east)

{numbers}
(number 0) {numbers_listed}
{enough}
{places_listed}

(<= (less ?m ?n) (succ ?m ?n))
(<= (less ?l ?n) (succ ?l ?m) (less ?m ?n))

;; (sum ?m ?b ?n): ?m + ?b = ?n, for numbers of coins.

(<= (sum ?n 0 ?n) (number ?n))
(<= (sum ?l ?b ?n) (succ ?l ?m) (number ?b) (succ ?a ?b) (sum ?m ?a ?n))

;; A state: the coins of both players, and the place of the wrestler, who is out at 0 and {out}.

(<= (base (coins ?p ?n)) (role ?p) (number ?n))
(init (coins west {west}))
(init (coins east {east}))
(<= (base (wrestler ?x)) (worth ?x ?a ?b))
(init (wrestler {middle}))

{PUSHES}

;; The end: the wrestler is out, or nobody has a coin.

(<= terminal
    (true (wrestler 0)))
(<= terminal
    (true (wrestler {out})))
(<= terminal
    (true (coins west 0))
    (true (coins east 0)))

;; (worth ?x ?a ?b): the rewards of west and east at the end.

{worth}

(<= (goal west ?a) (true (wrestler ?x)) (worth ?x ?a ?b))
(<= (goal east ?b) (true (wrestler ?x)) (worth ?x ?a ?b))
",
        places = 2 * size + 1,
        other = if east == west { String::new() } else { format!(" {east}") },
        numbers = successors(0, most),
        numbers_listed = numbered("number", most),
        places_listed = facts((0..out).map(|place| format!("(beside {place} {})", place + 1))),
        enough = facts((least..=most).map(|bid| format!("(enough {bid})"))),
        worth = worth((0..=out).map(|place| (place, reward(place)))),
    ))
}
