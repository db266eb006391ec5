//! The program's choice of a move in a match.

use super::Settings;
use base::random::Random;
use solving::solution::{Assessment, MoveValue, ReadError, Solution};

/// A best move, by cost or distance if known, otherwise by value; with the probability of an error, a worse move.
pub fn choose<'a>(
    solution: &Solution,
    assessment: &'a Assessment,
    settings: &Settings,
    random: &mut Random,
) -> Result<&'a MoveValue, ReadError> {
    let others: Vec<&MoveValue> = assessment.moves.iter().filter(|option| !option.keeps_value).collect();
    // A number is drawn even if every move keeps the value, so that later draws do not depend on that.
    let errs = random.below(1_000_000) < settings.errors_per_million as usize;
    if errs && !others.is_empty() {
        return Ok(random.choose(&others).expect("there are others"));
    }
    let best = best(solution, assessment, settings.nodes)?;
    Ok(random.choose(&best).expect("an assessed position in which a role moves has a best move"))
}

/// The best moves, as far as is known. Each search keeps about `nodes` positions.
fn best<'a>(solution: &Solution, assessment: &'a Assessment, nodes: usize) -> Result<Vec<&'a MoveValue>, ReadError> {
    if solution.has_costs() {
        let mut query = solution.described(assessment, None);
        solution.tell_plans(&mut query, &assessment.position, false, nodes, solution.limits())?;
        if query.plans.cost.is_some() {
            let moves = assessment.moves.iter().zip(&query.moves);
            return Ok(moves.filter(|(_, queried)| queried.optimal).map(|(option, _)| option).collect());
        }
    }
    let distances = solution.distances(assessment, nodes)?;
    Ok(solution.best(assessment, distances.as_ref()).0)
}
