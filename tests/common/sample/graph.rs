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
