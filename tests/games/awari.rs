//! Awari by its rules in prose, and its databases of scores.

use super::explicit::game;
use crate::common::compare::solve;
use crate::common::explicit;
use game::reward::OpponentModel;
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use solving::solve::{Algorithm, EngineChoice, SolveOptions};
use std::collections::BTreeMap;

type Pits = [u8; 12];

/// The pits after sowing one of them, and how much that captures. Pits 0 to 5 are those of player 0.
fn sow(mut pits: Pits, from: usize) -> (Pits, u8) {
    let mut last = from;
    for _ in 0..std::mem::take(&mut pits[from]) {
        last = (last + 1) % 12;
        pits[last] += 1;
    }
    let mut captured = 0;
    while last / 6 != from / 6 && matches!(pits[last], 2 | 3) {
        captured += std::mem::take(&mut pits[last]);
        last = (last + 11) % 12;
    }
    (pits, captured)
}

fn has_stones(pits: &Pits, player: usize) -> bool {
    pits[6 * player..6 * player + 6].iter().any(|&stones| stones > 0)
}

/// The pits after each move of a player, and what it captures: those that leave the opponent a stone, or else all.
fn moves(pits: &Pits, player: usize) -> Vec<(Pits, u8)> {
    let own = (6 * player..6 * player + 6).filter(|&pit| pits[pit] > 0);
    let (feeding, others): (Vec<_>, Vec<_>) =
        own.map(|pit| sow(*pits, pit)).partition(|(pits, _)| has_stones(pits, 1 - player));
    if feeding.is_empty() { others } else { feeding }
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Position {
    pits: Pits,
    /// Stones still to be put.
    hand: u8,
    captured: [u8; 2],
    mover: usize,
    /// How often player 1 has sown into the pits of player 0 since stones were captured, if that is counted.
    rounds: u8,
}

/// How many stones player 0 gets more than player 1, or play is endless.
type Worth = Option<i8>;

/// What all positions that can be reached are worth.
#[derive(Debug, PartialEq, Eq)]
struct Figures {
    states: usize,
    terminal: usize,
    start: Worth,
    counts: BTreeMap<Worth, usize>,
}

/// The lead of player 0 where play has ended.
fn end(position: &Position, most: Option<u8>) -> Option<i8> {
    let Position { pits, hand, captured, mover, rounds } = position;
    let lead = captured[0] as i8 - captured[1] as i8;
    let left = pits.iter().sum::<u8>() as i8;
    if *hand > 0 {
        None
    } else if !has_stones(pits, *mover) {
        Some(if *mover == 1 { lead + left } else { lead - left })
    } else {
        (most == Some(*rounds)).then_some(lead)
    }
}

fn next(position: &Position, most: Option<u8>) -> Vec<Position> {
    let Position { pits, hand, captured, mover, rounds } = position.clone();
    if hand > 0 {
        return (0..12)
            .map(|pit| {
                let mut next = Position { hand: hand - 1, mover: 1 - mover, ..position.clone() };
                next.pits[pit] += 1;
                next
            })
            .collect();
    }
    let mut found = Vec::new();
    for (after, gain) in moves(&pits, mover) {
        let mut captured = captured;
        captured[mover] += gain;
        // The first pit has more stones only when player 1 has sown into it.
        let around = u8::from(after[0] > pits[0] && most.is_some());
        let rounds = if gain > 0 { 0 } else { rounds + around };
        found.push(Position { pits: after, hand, captured, mover: 1 - mover, rounds });
    }
    found
}

/// All positions, each with its worth: lead by lead from the largest, who can force it. A draw, and below it endless
/// play, are what is left.
fn figures(stones: u8, most: Option<u8>) -> Figures {
    let start = Position { pits: [0; 12], hand: stones, captured: [0; 2], mover: 0, rounds: 0 };
    let mut numbers = FxHashMap::from_iter([(start.clone(), 0)]);
    let mut positions = vec![start];
    let (mut successors, mut worth) = (Vec::new(), Vec::new());
    let mut state = 0;
    while let Some(position) = positions.get(state).cloned() {
        worth.push(end(&position, most));
        let next = if worth[state].is_some() { Vec::new() } else { next(&position, most) };
        let mut known = Vec::new();
        for position in next {
            let number = *numbers.entry(position.clone()).or_insert(positions.len());
            if number == positions.len() {
                positions.push(position);
            }
            known.push(number);
        }
        successors.push(known);
        state += 1;
    }
    let terminal = worth.iter().flatten().count();
    for lead in (1..=stones as i8).rev() {
        settle(&mut worth, &positions, &successors, |mover, next| {
            let for_mover = |worth: Worth| worth.map(|worth| if mover == 0 { worth } else { -worth });
            let sign = |lead: i8| Some(if mover == 0 { lead } else { -lead });
            if next.iter().any(|&worth| for_mover(worth) >= Some(lead)) {
                return sign(lead);
            }
            next.iter().all(|&worth| for_mover(worth).is_some_and(|worth| worth <= -lead)).then(|| sign(-lead))?
        });
    }
    settle(&mut worth, &positions, &successors, |_, next| next.iter().flatten().find(|&&worth| worth == 0).copied());
    let mut counts = BTreeMap::new();
    worth.iter().for_each(|worth| *counts.entry(*worth).or_default() += 1);
    Figures { states: positions.len(), terminal, start: worth[0], counts }
}

/// Settles positions by the mover and what comes next, as long as there are any to settle.
fn settle(
    worth: &mut [Worth],
    positions: &[Position],
    successors: &[Vec<usize>],
    rule: impl Fn(usize, &[Worth]) -> Worth,
) {
    let mut open: Vec<usize> = (0..worth.len()).filter(|&state| worth[state].is_none()).collect();
    loop {
        let before = open.len();
        open.retain(|&state| {
            let next: Vec<Worth> = successors[state].iter().map(|&next| worth[next]).collect();
            worth[state] = rule(positions[state].mover, &next);
            worth[state].is_none()
        });
        if open.len() == before {
            return;
        }
    }
}

/// By rewards for the difference to the lead of the first player.
fn lead(rewards: &[u8]) -> i8 {
    assert!(rewards.contains(&0), "only one player is paid");
    rewards[0] as i8 - rewards[1] as i8
}

/// Panics unless the solver finds in the rules what brute force finds. Gives the figures.
fn compare(stones: u8, most: Option<u8>, engines: &[EngineChoice]) -> Figures {
    let expected = figures(stones, most);
    let arguments = format!("awari {stones}{}", most.map_or(String::new(), |rounds| format!(" {rounds}")));
    let game = game(&arguments);
    for &engine in engines {
        let options =
            SolveOptions { engine, algorithm: Some(Algorithm::Global), threads: 2, ..SolveOptions::default() };
        let outcome = solve(&game, &options).unwrap_or_else(|error| panic!("{arguments}: {error}"));
        let solution = outcome.solution.as_ref().expect("values were asked for");
        let number = |count: &BigUint| usize::try_from(count).expect("a count of brute force");
        let found = Figures {
            states: number(&outcome.states),
            terminal: number(&outcome.terminal_states),
            start: solution.value.as_deref().map(lead),
            counts: (solution.buckets.iter())
                .map(|bucket| (bucket.rewards.as_deref().map(lead), number(&bucket.states)))
                .collect(),
        };
        assert_eq!(found, expected, "{arguments}, {engine:?}");
    }
    expected
}

const ALL: [EngineChoice; 3] = [EngineChoice::Auto, EngineChoice::Symbolic, EngineChoice::Hybrid];

#[test]
fn awari_without_end() {
    for stones in 1..=3 {
        compare(stones, None, &ALL);
    }
    for (stones, states, start) in [(4, 3_235, Some(0)), (5, 11_508, Some(5)), (6, 36_089, Some(0))] {
        let figures = compare(stones, None, &ALL[..1]);
        assert_eq!((figures.states, figures.start), (states, start), "{stones} stones");
    }
}

#[test]
fn awari_in_rounds() {
    compare(1, Some(1), &ALL);
    compare(2, Some(2), &ALL);
    compare(3, Some(5), &ALL);
    let figures = compare(5, Some(7), &ALL[..1]);
    assert_eq!((figures.states, figures.start), (56_413, Some(5)));
}

#[test]
#[ignore = "takes minutes without optimization"]
fn awari_of_nine_stones() {
    let figures = compare(9, None, &ALL[..1]);
    assert_eq!((figures.states, figures.start), (652_764, None));
}

/// What the player in turn, whose pits are the first six, gets more than the opponent of all stones: by the stones in the
/// pits. Where nobody can force a capture the rest is divided evenly, however long it takes. Not by the game that a
/// rulesheet plays, but from the scores of fewer stones, as the published databases were made.
struct Scores(FxHashMap<Pits, i8>);

fn positions(stones: u8) -> Vec<Pits> {
    fn fill(pits: &mut Pits, pit: usize, left: u8, found: &mut Vec<Pits>) {
        if pit == 11 {
            pits[11] = left;
            found.push(*pits);
            return;
        }
        for here in 0..=left {
            pits[pit] = here;
            fill(pits, pit + 1, left - here, found);
        }
    }
    let mut found = Vec::new();
    fill(&mut [0; 12], 0, stones, &mut found);
    found
}

fn turned(pits: &Pits) -> Pits {
    std::array::from_fn(|pit| pits[(pit + 6) % 12])
}

impl Scores {
    fn up_to(stones: u8) -> Scores {
        let mut scores = Scores(FxHashMap::default());
        for stones in 0..=stones {
            scores.add(stones);
        }
        scores
    }

    fn add(&mut self, stones: u8) {
        let mut open = Vec::new();
        for pits in positions(stones) {
            if has_stones(&pits, 0) {
                open.push(pits);
            } else {
                self.0.insert(pits, -(stones as i8));
            }
        }
        for score in (1..=stones as i8).rev() {
            loop {
                let settled: Vec<(Pits, i8)> = (open.iter())
                    .filter_map(|pits| {
                        let worth =
                            |(pits, gain): &(Pits, u8)| self.0.get(&turned(pits)).map(|worth| *gain as i8 - worth);
                        let moves = moves(pits, 0);
                        if moves.iter().any(|next| worth(next) >= Some(score)) {
                            Some((*pits, score))
                        } else {
                            let lost = moves.iter().all(|next| worth(next).is_some_and(|worth| worth <= -score));
                            lost.then_some((*pits, -score))
                        }
                    })
                    .collect();
                if settled.is_empty() {
                    break;
                }
                self.0.extend(settled);
                open.retain(|pits| !self.0.contains_key(pits));
            }
        }
        self.0.extend(open.into_iter().map(|pits| (pits, 0)));
    }

    /// Positions won, drawn and lost for the player in turn.
    fn count(&self, stones: u8) -> [usize; 3] {
        let mut found = [0; 3];
        for (pits, score) in &self.0 {
            if pits.iter().sum::<u8>() == stones {
                found[(1 - score.signum()) as usize] += 1;
            }
        }
        found
    }
}

/// The figures of the table in `games/README.md`.
#[test]
fn scores_of_few_stones() {
    let scores = Scores::up_to(7);
    let expected = [
        [0, 1, 0],
        [5, 0, 7],
        [25, 13, 40],
        [123, 63, 178],
        [580, 143, 642],
        [2_165, 0, 2_203],
        [5_698, 1_548, 5_130],
        [14_921, 4_487, 12_416],
    ];
    for (stones, expected) in (0..).zip(expected) {
        assert_eq!(scores.count(stones), expected, "{stones} stones");
    }
}

/// How many of all positions with the stones put do not have their score by the rules for a number of rounds.
fn other_scores(stones: u8, rounds: u8) -> usize {
    let scores = Scores::up_to(stones);
    let game = game(&format!("awari {stones} {rounds}"));
    let solution = explicit::solve(&game, OpponentModel::MaxOwn, 1_000_000).unwrap();
    // The player after the last stone is put: the first one after an even number.
    let mover = usize::from(stones % 2);
    let control = format!("(control {})", ["south", "north"][mover]);
    let (mut found, mut others) = (0, 0);
    for id in solution.exploration.ids() {
        let held: Vec<String> =
            solution.exploration.state(id).fluents().map(|fluent| game.fluents[fluent.index()].to_string()).collect();
        let number = |name: &str| {
            let found = held.iter().find_map(|fluent| fluent.strip_prefix(name)).expect("a fluent for each number");
            found.trim_end_matches(')').parse::<u8>().expect("a number")
        };
        let captured = number("(captured south ") + number("(captured north ");
        if number("(hand ") + number("(rounds ") + captured > 0 || !held.contains(&control) {
            continue;
        }
        let pits: Pits = std::array::from_fn(|pit| number(&format!("(in {} ", pit + 1)));
        let (view, sign) = if mover == 0 { (pits, 1) } else { (turned(&pits), -1) };
        found += 1;
        others += usize::from(sign * lead(solution.value(id)) != scores.0[&view]);
    }
    assert_eq!(found, positions(stones).len(), "{stones} stones");
    others
}

/// The fewest rounds by which all positions with the stones put have their scores.
#[test]
fn scores_take_few_rounds() {
    for (stones, rounds) in [(2, 2), (3, 5), (4, 5), (5, 7)] {
        assert_eq!(other_scores(stones, rounds), 0, "{stones} stones, {rounds} rounds");
        assert_ne!(other_scores(stones, rounds - 1), 0, "{stones} stones, {rounds} rounds");
    }
}
