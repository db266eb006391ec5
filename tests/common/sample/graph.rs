//! Games of a token on a random graph, as GDL.

use base::random::Random;
use std::fmt::Write;

/// Places of the graph, and ends among them.
const PLACES: usize = 14;
const ENDS: usize = 3;

/// The rules of the game of a seed, the same for ever: two or three roles, of which one may move several times in a row,
/// and ends that pay anything.
pub fn random_graph(seed: u64) -> String {
    graph(seed, ENDS, 11)
}

/// As [`random_graph`]; of several ends many pay a role the same.
pub fn random_graph_with_ties(seed: u64) -> String {
    graph(seed, 2 * ENDS, 3)
}

/// `rewards`: how many there are.
fn graph(seed: u64, ends: usize, rewards: usize) -> String {
    let mut random = Random::new(seed);
    let roles = 2 + random.below(2);
    let mut text: String = (0..roles).map(|role| format!("(role r{role})\n")).collect();
    for place in 0..PLACES {
        if place >= PLACES - ends {
            (0..roles).for_each(|role| {
                let _ = writeln!(text, "(end p{place}) (pays p{place} r{role} {})", 10 * random.below(rewards));
            });
            continue;
        }
        let role = random.below(roles);
        for _ in 0..1 + random.below(3) {
            let _ = writeln!(text, "(edge r{role} p{place} p{})", random.below(PLACES));
        }
    }
    text + "(init (at p0))
(<= (moves ?r ?x) (edge ?r ?x ?y))
(<= (legal ?r (go ?y)) (true (at ?x)) (edge ?r ?x ?y))
(<= (legal ?r noop) (role ?r) (true (at ?x)) (not (moves ?r ?x)))
(<= (next (at ?y)) (does ?r (go ?y)))
(<= terminal (true (at ?x)) (end ?x))
(<= (goal ?r ?v) (true (at ?x)) (pays ?x ?r ?v))\n"
}

/// The rules of the game of a seed, the same for ever: one to three players and chance on a graph on which play may go
/// round. In a place chance alone moves the token, or a player does, also together with chance, and another one may have
/// a choice without any effect; a move may stay where it is. Two players mostly have the same sum at every end.
pub fn random_graph_with_chance(seed: u64) -> String {
    let mut random = Random::new(seed);
    let players = [1, 1, 2, 2, 2, 3][random.below(6)];
    let mut roles: Vec<String> = (0..players).map(|player| format!("r{player}")).collect();
    roles.insert(random.below(players + 1), "random".to_owned());
    let mut text: String = roles.iter().map(|role| format!("(role {role})\n")).collect();
    let (places, ends) = (4 + random.below(9), 1 + random.below(3));
    let (constant, chances) = (random.chance(80), if random.chance(20) { 100 } else { 30 });
    for place in 0..places {
        if place >= places - ends {
            let first = 10 * random.below(11);
            for player in 0..players {
                let own = match player {
                    0 => first,
                    1 if constant && players == 2 => 100 - first,
                    _ => 10 * random.below(11),
                };
                let _ = writeln!(text, "(end p{place}) (pays p{place} r{player} {own})");
            }
            continue;
        }
        let alone = random.chance(chances);
        let owner = if alone { "nobody".to_owned() } else { format!("r{}", random.below(players)) };
        let _ = writeln!(text, "(owner p{place} {owner})");
        if players > 1 && random.chance(20) {
            let other = format!("r{}", random.below(players));
            if other != owner {
                let _ = writeln!(text, "(talks p{place} {other})");
            }
        }
        let moves = if alone { 1 } else { 2 + random.below(2) };
        let outcomes = if alone || random.chance(30) { 1 + random.below(3) } else { 1 };
        for number in 0..moves * outcomes {
            let (action, outcome) = (number / outcomes, number % outcomes);
            let next = if random.chance(15) { place } else { random.below(places) };
            let _ = writeln!(text, "(edge p{place} {action} {outcome} p{next})");
        }
    }
    text + "(init (at p0)) (word yes) (word no)
(<= (legal ?r (m ?k)) (true (at ?x)) (owner ?x ?r) (edge ?x ?k ?j ?y))
(<= (legal ?r (say ?w)) (true (at ?x)) (talks ?x ?r) (word ?w))
(<= (legal random (c ?j)) (true (at ?x)) (edge ?x ?k ?j ?y))
(<= (acts ?x ?r) (owner ?x ?r)) (<= (acts ?x ?r) (talks ?x ?r)) (<= (acts ?x random) (edge ?x ?k ?j ?y))
(<= (legal ?r noop) (role ?r) (true (at ?x)) (not (acts ?x ?r)))
(<= (next (at ?y)) (true (at ?x)) (owner ?x ?r) (does ?r (m ?k)) (does random (c ?j)) (edge ?x ?k ?j ?y))
(<= (next (at ?y)) (true (at ?x)) (owner ?x nobody) (does random (c ?j)) (edge ?x ?k ?j ?y))
(<= terminal (true (at ?x)) (end ?x))
(<= (goal ?r ?v) (true (at ?x)) (pays ?x ?r ?v))\n"
}
