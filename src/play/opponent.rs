//! The moves of the program.

use super::Settings;
use crate::interpreter::Turn;
use crate::random::Random;
use crate::solution::{Assessment, Distance, MoveValue, ReadError, Solution};
use std::cmp::Ordering;

/// A move for the role that has the choice: one of the best or, with the probability of an error, one of the others.
/// Among the best, the winner takes the shortest way and the loser the longest, as far as the search for it gets;
/// otherwise equally good moves are equally likely.
pub fn choose<'a>(
    solution: &Solution,
    assessment: &'a Assessment,
    settings: &Settings,
    random: &mut Random,
) -> Result<&'a MoveValue, ReadError> {
    let (best, others): (Vec<&MoveValue>, Vec<&MoveValue>) = assessment.moves.iter().partition(|option| option.optimal);
    // Drawn in every case, so that the moves to come do not depend on how many there are.
    let errs = random.below(1_000_000) < settings.errors_per_million as usize;
    if errs && !others.is_empty() {
        return Ok(random.choose(&others).expect("there are others"));
    }
    let best = match standing(assessment) {
        Ordering::Equal => best,
        standing => {
            let distances = solution.distances(assessment, settings.nodes)?;
            distances.and_then(|found| in_time(assessment, &found.moves, standing)).unwrap_or(best)
        }
    };
    Ok(random.choose(&best).expect("an assessed position in which a role moves has a best move"))
}

/// Whether the mover gets more than the others (or is alone), less, or the same.
fn standing(assessment: &Assessment) -> Ordering {
    let Turn::Mover(mover) = assessment.turn else { return Ordering::Equal };
    let Some(value) = &assessment.value else { return Ordering::Equal };
    let own = value[mover.index()];
    let others = value.iter().enumerate().filter(|(role, _)| *role != mover.index());
    others.map(|(_, other)| other).max().map_or(Ordering::Greater, |other| own.cmp(other))
}

/// The best moves that win soonest or lose latest, if all their distances are known.
pub fn in_time<'a>(
    assessment: &'a Assessment,
    distances: &[Option<Distance>],
    standing: Ordering,
) -> Option<Vec<&'a MoveValue>> {
    let best = assessment.moves.iter().zip(distances).filter_map(|(option, distance)| Some((option, (*distance)?)));
    let best: Vec<(&MoveValue, Distance)> = best.collect();
    let plies = best.iter().map(|(_, distance)| distance.plies);
    let wanted = if standing == Ordering::Greater { plies.min() } else { plies.max() }?;
    let chosen = best.iter().filter(|(_, distance)| distance.plies == wanted).map(|(option, _)| *option);
    best.iter().all(|(_, distance)| distance.exact).then(|| chosen.collect())
}
