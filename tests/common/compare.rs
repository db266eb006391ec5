//! The symbolic solver against brute force, layer by layer.

use ggsolve::explicit::{self, ExplicitError, ExplicitSolution};
use ggsolve::limits::Limits;
use ggsolve::propositional::Game;
use ggsolve::reward::OpponentModel;
use ggsolve::solve::{self, ExpansionChoice, Outcome, SolveError, SolveOptions};
use num_bigint::BigUint;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most states that brute force may take.
pub const STATES: usize = 2_000_000;

/// The outcome of the solver for one game.
pub fn solve(game: &Game, options: &SolveOptions) -> Result<Outcome, SolveError> {
    solve::run(game, options, &Arc::new(Limits::new(8 << 30)), &solve::Silent)
}

/// Panics with `name` unless solver and brute force agree in everything both report, values under `model` included,
/// whatever way the solver expands states.
pub fn assert_agreement(name: &str, game: &Game, model: OpponentModel, threads: usize) {
    let expected = explicit::solve(game, model, STATES);
    for expansion in [ExpansionChoice::Auto, ExpansionChoice::States] {
        let options = SolveOptions { opponent_model: model, threads, expansion, ..SolveOptions::default() };
        assert_equal(&format!("{name}, {expansion:?}"), game, solve(game, &options), &expected, model);
    }
}

fn assert_equal(
    name: &str,
    game: &Game,
    outcome: Result<Outcome, SolveError>,
    expected: &Result<ExplicitSolution, ExplicitError>,
    model: OpponentModel,
) {
    let (outcome, expected) = match (outcome, expected) {
        (Ok(outcome), Ok(expected)) => (outcome, expected),
        (Err(SolveError::Refused(refusal)), Err(error)) => {
            assert_witness(name, game, &refusal, error);
            return;
        }
        (outcome, expected) => {
            panic!("{name}: the solver says {:?}, brute force {:?}", outcome.map(|o| o.states), expected.as_ref().err())
        }
    };
    let count = |count: u64| BigUint::from(count);
    assert_eq!(outcome.states, BigUint::from(expected.exploration.len()), "{name}: distinct states");
    assert_eq!(outcome.layer_states, count(expected.layer_states()), "{name}: states of all layers");
    assert_eq!(
        outcome.terminal_states,
        BigUint::from(expected.exploration.terminal_states()),
        "{name}: terminal states"
    );
    assert_eq!(outcome.progress_measure, expected.disjoint_layers, "{name}: disjoint layers");
    assert_eq!(outcome.alternating, expected.alternating, "{name}: alternating");
    assert_eq!(outcome.layers.len(), expected.layers.len(), "{name}: layers");
    let solution = outcome.solution.expect("values were asked for");
    assert_eq!(solution.value.as_deref(), Some(expected.initial_value()), "{name}: value");
    for (index, (layer, (counts, histogram))) in outcome.layers.iter().zip(&expected.layers).enumerate() {
        assert_eq!(layer.states, count(counts.states), "{name}: states of layer {index}");
        assert_eq!(layer.terminal, count(counts.terminal), "{name}: terminal states of layer {index}");
        let buckets: BTreeMap<Vec<u8>, BigUint> =
            layer.buckets.iter().map(|b| (b.rewards.clone().expect("play is finite"), b.states.clone())).collect();
        let histogram: BTreeMap<Vec<u8>, BigUint> =
            histogram.iter().map(|(rewards, &states)| (rewards.clone(), count(states))).collect();
        assert_eq!(buckets, histogram, "{name}: values of layer {index} under {}", model.name());
    }
}

/// Both refuse, for the same kind of reason where it shows in a state, with a shortest path.
fn assert_witness(name: &str, game: &Game, refusal: &solve::Refusal, error: &explicit::ExplicitError) {
    match error {
        explicit::ExplicitError::Cyclic => assert_eq!(refusal.code, "cyclic", "{name}"),
        explicit::ExplicitError::IllFormed(witness) => {
            assert_eq!(refusal.path.len(), witness.path.len(), "{name}: {refusal:?} against {}", error);
            assert!(!refusal.state.is_empty() || game.fluents.is_empty(), "{name}: no state in {refusal:?}");
        }
        explicit::ExplicitError::Limit(limit) => panic!("{name}: {limit}"),
    }
}
