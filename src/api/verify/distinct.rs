//! Counts the distinct states and the distinct terminal states, and finds out whether a state lies in two layers.
//!
//! First, a measure of progress ([`measure`]) may prove that no state lies in two layers, in a pass over every diagram.
//! Otherwise the union of all layers is built ([`union`](super::union)) as far as memory permits, and its terminal
//! states are counted by a walk.

use super::check::Check;
use super::claims::{Claim, How};
use super::diagram::Set;
use super::measure::{self, Equations};
use super::union::Union;
use super::walk::Cursor;
use super::{Findings, Verification};
use base::limits::LimitReached;
use base::random::Random;
use game::batch::LANES;
use game::interpreter::{Interpreter, State};
use num_bigint::BigUint;
use solving::solution::ReadError;

/// Number of searches for weights; each search uses twice as many states as the previous one.
const TRIES: u32 = 8;

pub fn check(check: &mut Check, result: &mut Verification) -> Result<(), ReadError> {
    let manifest = &check.stored.manifest;
    let mut findings = Findings::new("manifest.json".to_owned());
    let sum: BigUint = manifest.layers.iter().map(|layer| &layer.states).sum();
    let terminal: BigUint = manifest.layers.iter().map(|layer| &layer.terminal).sum();
    if let (Some(told), Some(told_terminal), Some(told_measure)) =
        (&manifest.states, &manifest.terminal_states, manifest.progress_measure)
    {
        let (found, counted) = if has_measure(check)? {
            check.claims.add(Claim::Disjoint, How::Proved);
            // The sum is proved only if the number of every layer is.
            let of_layers = check.claims.of(Claim::Terminal).unwrap_or(How::Open);
            (Some((sum.clone(), Some(terminal.clone()))), of_layers)
        } else {
            (by_union(check)?, How::Proved)
        };
        match found {
            Some((states, ends)) => {
                if *told != states {
                    findings.add(|| format!("the manifest has {told} states, there are {states} distinct ones"));
                }
                if let Some(ends) = &ends
                    && told_terminal != ends
                {
                    findings.add(|| format!("the manifest has {told_terminal} terminal states, there are {ends}"));
                }
                let disjoint = states == sum;
                if (told_measure || manifest.goes_round()) != disjoint {
                    let how = if disjoint { "none does" } else { "some do" };
                    findings.add(|| format!("whether states lie in two layers is told wrong: {how}"));
                }
                check.claims.add(Claim::DistinctStates, How::Proved);
                check.claims.add(Claim::DistinctTerminal, if ends.is_some() { counted } else { How::Open });
            }
            None => {
                for (what, total, sum) in [("states", told, &sum), ("terminal states", told_terminal, &terminal)] {
                    if total > sum || ((told_measure || manifest.goes_round()) && total != sum) {
                        findings.add(|| format!("{total} {what} in all, but {sum} in the layers"));
                    }
                }
                check.claims.add(Claim::DistinctStates, How::Open);
                check.claims.add(Claim::DistinctTerminal, How::Open);
            }
        }
    }
    findings.end(result);
    Ok(())
}

fn has_measure(check: &Check) -> Result<bool, ReadError> {
    let manifest = &check.stored.manifest;
    let levels = manifest.variables.len();
    if levels > measure::MOST_LEVELS {
        return Ok(false);
    }
    let mut equations = Equations::new(levels);
    // The seed is fixed, so the user's seed has no influence on what can be proved.
    let mut random = Random::new(0);
    let mut draws = 2 + 2 * levels / manifest.layers.len().max(1);
    for _ in 0..TRIES {
        let mut proved = true;
        let mut weights = equations.weights();
        for record in &manifest.layers {
            check.limits.check()?;
            let Some(mapped) = check.stored.states(record.layer)? else { return Ok(false) };
            let set = Set::read(mapped.file(), check.limits)?;
            if measure::sum(&set, &weights) == Some(u64::from(record.layer)) {
                continue;
            }
            proved = false;
            for _ in 0..draws {
                if let Some(assignment) = measure::some_state(&set, &mut random) {
                    equations.add(&assignment, record.layer);
                }
            }
            if equations.contradicted() {
                return Ok(false);
            }
            weights = equations.weights();
        }
        if proved {
            return Ok(true);
        }
        draws *= 2;
    }
    Ok(false)
}

/// The number of distinct states and, if all can be checked, of distinct terminal ones. `None` if memory is short.
fn by_union(check: &Check) -> Result<Option<(BigUint, Option<BigUint>)>, ReadError> {
    let manifest = &check.stored.manifest;
    let levels = manifest.variables.len();
    let mut union = Union::new(check.limits);
    for record in &manifest.layers {
        let Some(mapped) = check.stored.states(record.layer)? else { return Ok(None) };
        let set = Set::read(mapped.file(), check.limits)?;
        match union.add(&set) {
            Ok(()) => {}
            Err(limit) if limit.ends_all() => return Err(limit.into()),
            Err(_) => return Ok(None),
        }
    }
    let total = union.count();
    let set = match union.set(levels) {
        Err(LimitReached::Memory { .. }) => return Ok(Some((total, None))),
        set => set?,
    };
    let walked = set.states.filter(|states| check.options.full || *states <= check.options.exhaustive);
    let Some(states) = walked else { return Ok(Some((total, None))) };
    let interpreter = Interpreter::new(&check.stored.game);
    let (mut terminal, mut packed) = (0u64, Vec::new());
    let mut cursor = Cursor::new(&set, check.layout.words(), 0, states);
    while cursor.take(LANES, &mut packed) > 0 {
        check.limits.check()?;
        let states: Vec<State> =
            packed.chunks_exact(check.layout.words()).map(|state| check.layout.state(state)).collect();
        let mut situations = Vec::with_capacity(states.len());
        interpreter.situations(&states.iter().collect::<Vec<_>>(), &mut situations);
        terminal += situations.iter().filter(|situation| situation.terminal).count() as u64;
        packed.clear();
    }
    Ok(Some((total, Some(terminal.into()))))
}
