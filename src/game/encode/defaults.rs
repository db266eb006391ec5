//! Chooses the default of each exactly-one group, that is, the value without a variable.
//!
//! A value without a variable costs no nodes in a zero-suppressed diagram, so it should be the most frequent value.
//! Frequencies come from random plays with a fixed seed. Values are counted by pattern (the same constant in the same
//! argument of the same functor), so that similar groups get similar defaults.

use crate::interpreter::Interpreter;
use crate::propositional::{FluentId, Game, GroundTerm, Group, GroupKind};
use base::limits::{LimitReached, Limits};
use base::random::Random;
use rustc_hash::FxHashMap;

const STATES: usize = 2000;
/// Bound on the nodes of the rules that random plays evaluate, and least number of states in spite of it.
const WORK: usize = 2_000_000_000;
const LEAST: usize = 16;

/// For each group, its default; `None` for a group in which possibly no value holds.
pub fn defaults(game: &Game, groups: &[Group], limits: &Limits) -> Result<Vec<Option<FluentId>>, LimitReached> {
    Ok(defaults_by(game, groups, &occurrences(game, limits)?))
}

/// As [`defaults`], from the number of states in which each fluent holds.
pub fn defaults_by(game: &Game, groups: &[Group], counts: &[u64]) -> Vec<Option<FluentId>> {
    let patterns: Vec<Vec<Pattern>> = groups.iter().map(|group| patterns(game, group)).collect();
    let mut totals: FxHashMap<&Pattern, u64> = FxHashMap::default();
    for (group, patterns) in groups.iter().zip(&patterns) {
        for (fluent, pattern) in group.fluents.iter().zip(patterns) {
            *totals.entry(pattern).or_default() += counts[fluent.index()];
        }
    }
    let best = |(group, patterns): (&Group, &Vec<Pattern>)| {
        let ranked = group.fluents.iter().zip(patterns);
        let key = |fluent: &FluentId, pattern| (totals[pattern], game.init[fluent.index()], std::cmp::Reverse(*fluent));
        let best = ranked.max_by_key(|&(fluent, pattern)| key(fluent, pattern));
        best.map(|(&fluent, _)| fluent).filter(|_| group.kind == GroupKind::ExactlyOne)
    };
    groups.iter().zip(&patterns).map(best).collect()
}

/// The functor and arguments of a fluent, without the arguments that all fluents of its group share.
type Pattern = (String, Vec<Option<GroundTerm>>);

fn patterns(game: &Game, group: &Group) -> Vec<Pattern> {
    let terms: Vec<&GroundTerm> = group.fluents.iter().map(|fluent| &game.fluents[fluent.index()]).collect();
    let alike = terms.iter().all(|t| t.name == terms[0].name && t.arguments.len() == terms[0].arguments.len());
    let differs = |position: usize| terms.iter().any(|t| t.arguments[position] != terms[0].arguments[position]);
    let differing: Option<Vec<bool>> = alike.then(|| (0..terms[0].arguments.len()).map(differs).collect());
    let is_shown = |position: usize| differing.as_ref().is_none_or(|differing| differing[position]);
    terms
        .iter()
        .map(|term| {
            let arguments = term.arguments.iter().enumerate();
            let shown = arguments.map(|(position, argument)| is_shown(position).then(|| argument.clone()));
            (term.name.clone(), shown.collect())
        })
        .collect()
}

/// For each fluent, the number of states of the random plays in which it holds.
fn occurrences(game: &Game, limits: &Limits) -> Result<Vec<u64>, LimitReached> {
    let interpreter = Interpreter::new(game);
    let mut random = Random::new(0x9e37_79b9);
    let mut counts = vec![0; game.fluents.len()];
    let mut state = interpreter.initial();
    for _ in 0..STATES.min((WORK / (game.graph.len() + 1)).max(LEAST)) {
        limits.check()?;
        for fluent in state.fluents() {
            counts[fluent.index()] += 1;
        }
        let situation = interpreter.situation(&state);
        if situation.terminal || situation.legal.iter().any(Vec::is_empty) {
            state = interpreter.initial();
            continue;
        }
        let joint: Vec<_> = situation.legal.iter().map(|moves| moves[random.below(moves.len())]).collect();
        state = interpreter.successor(&state, &joint);
    }
    Ok(counts)
}
