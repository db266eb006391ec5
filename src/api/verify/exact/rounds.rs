//! Shows that values do not rest on themselves where states repeat.
//!
//! Numbers that solve the equations of best play may be larger than the least such numbers, which players can force.
//! Rounds show that they are not: a player whose number is above 0 has a move after which, whatever the others do at the
//! same time, its mean number is larger, or the same and some outcome has an earlier round; at the end it has round 0.
//! So, whatever the others do, its number never falls on average, and play that goes on without a rise comes to an end
//! with probability 1. What two players can force is an equilibrium if it adds up to the same in all states.

use game::matrix::Rational;
use num_traits::Zero;
use solving::exact::Value;
use solving::solution::{ExactWorth, ReadError, Stored};

/// Whether choices may matter as far as all values tell: there is one player, or one against all others, or what two get
/// adds up to the same in all states.
pub fn may_choose(stored: &Stored) -> Result<bool, ReadError> {
    if !stored.manifest.goes_round() || stored.manifest.told() == 1 {
        return Ok(true);
    }
    let mut total: Option<&Rational> = None;
    for layer in 0..stored.manifest.layers.len() as u32 {
        for (value, _) in stored.table(layer)?.iter().flat_map(|table| &table.0) {
            if stored.manifest.roles.len() != 2 || total.is_some_and(|total| total != value.total()) {
                return Ok(false);
            }
            total = Some(value.total());
        }
    }
    Ok(true)
}

/// What is wrong with the rounds of a state, if anything. `choices`: by role, the number of its moves; `after`: by joint
/// move, what the state after it is worth; `may_choose`: whether choices may matter.
pub fn fault(
    players: usize,
    choices: &[u32],
    (value, rounds): ExactWorth,
    after: &[ExactWorth],
    may_choose: bool,
) -> Option<&'static str> {
    let rounds = rounds?;
    let chance: usize = choices[players..].iter().map(|&moves| moves as usize).product();
    let after: Vec<(Vec<Rational>, &[ExactWorth])> =
        after.chunks(chance).map(|outcomes| (mean(outcomes, players), outcomes)).collect();
    for player in 0..players {
        let below: usize = choices[player + 1..players].iter().map(|&moves| moves as usize).product();
        let own = |place: usize| place / below % choices[player] as usize;
        let first = |place: usize| &after[place - own(place) * below].0;
        if !may_choose && (0..after.len()).any(|place| after[place].0 != *first(place)) {
            return Some("a player chooses where what players can force has no constant sum");
        }
        let number = &value.numbers()[player];
        if number.is_zero() {
            continue;
        }
        let Some(round) = rounds[player] else { return Some("a value above 0 has no round") };
        // By move of the player: the latest round to which it leads while the others leave the number as it is.
        let mut latest: Vec<Option<u32>> = vec![Some(0); choices[player] as usize];
        for (place, (mean, outcomes)) in after.iter().enumerate() {
            let move_latest = &mut latest[own(place)];
            if mean[player] < *number {
                *move_latest = None;
            } else if mean[player] == *number {
                let rounds = outcomes.iter().filter_map(|(_, rounds)| rounds.and_then(|rounds| rounds[player]));
                *move_latest = move_latest.and_then(|latest| Some(latest.max(rounds.min()?.checked_add(1)?)));
            }
        }
        match latest.into_iter().flatten().min() {
            Some(earliest) if earliest == round => {}
            _ => return Some("the round does not follow from those of the successors"),
        }
    }
    None
}

fn mean(outcomes: &[ExactWorth], players: usize) -> Vec<Rational> {
    let values: Vec<&Value> = outcomes.iter().map(|(value, _)| *value).collect();
    let numbers = Value::mean(values.into_iter()).numbers().to_vec();
    numbers.into_iter().take(players).collect()
}
