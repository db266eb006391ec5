//! The moves of the program.

use super::Settings;
use base::random::Random;
use solving::solution::{Assessment, MoveValue, ReadError, Solution};

/// A move for the role that has the choice: one of the best or, with the probability of an error, one that does not keep the
/// value. The best ones are those by distance, as far as it is stored or the search for it gets; they are equally likely.
pub fn choose<'a>(
    solution: &Solution,
    assessment: &'a Assessment,
    settings: &Settings,
    random: &mut Random,
) -> Result<&'a MoveValue, ReadError> {
    let others: Vec<&MoveValue> = assessment.moves.iter().filter(|option| !option.keeps_value).collect();
    // Drawn in every case, so that the moves to come do not depend on how many there are.
    let errs = random.below(1_000_000) < settings.errors_per_million as usize;
    if errs && !others.is_empty() {
        return Ok(random.choose(&others).expect("there are others"));
    }
    let distances = solution.distances(assessment, settings.nodes)?;
    let (best, _) = solution.best(assessment, distances.as_ref());
    Ok(random.choose(&best).expect("an assessed position in which a role moves has a best move"))
}
