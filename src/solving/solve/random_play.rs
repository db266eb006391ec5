//! Random play in search of a state that repeats, which the first states of a game need not show.
//!
//! Sixty-four plays run side by side. From time to time the current state of each is kept. A comparison of whole
//! columns finds a play that returns to its kept state. Cost: a few million gates.

use base::random::Random;
use game::interpreter::{Interpreter, State};
use game::propositional::Game;

/// Bound on the evaluated gates.
const WORK: usize = 4_000_000;
/// Least number of steps, even beyond this bound.
const LEAST: usize = 64;
/// Number of steps for which states are kept, which is the length of the longest cycle that is found.
const KEPT_FOR: usize = 12;
const SEED: u64 = 41;

/// A state to which some play returned. `None` proves nothing.
pub fn comes_back(game: &Game) -> Option<State> {
    let interpreter = Interpreter::new(game);
    let (start, mut random) = (interpreter.initial(), Random::new(SEED));
    let mut lanes = interpreter.lanes(&start);
    let (mut kept, mut going) = (lanes.columns().to_vec(), u64::MAX);
    for step in 1..=(WORK / (game.graph.len() + game.fluents.len() + 1)).max(LEAST) {
        going &= interpreter.play(&mut lanes, &start, &mut random);
        let other = lanes.columns().iter().zip(&kept).fold(0, |other, (now, before)| other | now ^ before);
        if going & !other != 0 {
            return Some(lanes.states().swap_remove((going & !other).trailing_zeros() as usize));
        }
        if step.is_multiple_of(KEPT_FOR) {
            kept.copy_from_slice(lanes.columns());
            going = u64::MAX;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explicit::explore;
    use crate::sample::random_cyclic_game;
    use base::limits::Limits;
    use game::diagnostic::Source;
    use game::ground::{GroundOptions, ground};
    use game::rules::Language;

    fn grounded(text: &str) -> Game {
        let (program, _) = Language::Gdl.program(&Source::new("game", text.as_bytes()));
        ground(&program.unwrap(), &Limits::unlimited(), &GroundOptions::default()).unwrap().game
    }

    /// A token goes along a line, and then round a ring, if there is one.
    fn line(ring: bool) -> Game {
        let steps: String = (0..90).map(|place| format!("(step {place} {})", place + 1)).collect();
        let back = if ring { "(step 90 88)" } else { "" };
        grounded(&format!(
            "(role one) {steps} {back} (init (at 0)) (<= (legal one (go ?b)) (true (at ?a)) (step ?a ?b))
             (<= (next (at ?b)) (does one (go ?b))) (<= terminal (true (at 100))) (<= (goal one 0) (role one))
             (<= (legal one stay) (true (at 90)) (not ring)) (<= terminal (true (at 90)) (not ring)) {}",
            if ring { "ring" } else { "" }
        ))
    }

    #[test]
    fn a_ring_at_the_end_of_a_long_line_is_found() {
        assert!(comes_back(&line(true)).is_some());
        assert!(comes_back(&line(false)).is_none());
    }

    #[test]
    fn what_is_found_leads_back_to_itself() {
        let mut found = 0;
        for seed in 0..60 {
            let game = grounded(&random_cyclic_game(seed));
            let Some(state) = comes_back(&game) else { continue };
            let exploration = explore(&game, 20_000).unwrap();
            let begin = exploration.ids().find(|&id| *exploration.state(id) == state).expect("play reaches it");
            let mut seen = vec![false; exploration.len()];
            let mut open = exploration.successors(begin).to_vec();
            while let Some(id) = open.pop() {
                if !std::mem::replace(&mut seen[id.index()], true) {
                    open.extend(exploration.successors(id).iter().copied());
                }
            }
            assert!(seen[begin.index()], "{seed}");
            found += 1;
        }
        assert!(found > 20, "{found} found");
    }
}
