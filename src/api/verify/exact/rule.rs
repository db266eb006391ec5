//! The value that follows from the values of the successors. Only the solution of a matrix uses the solver's code, and
//! mixed strategies prove it.

use base::limits::{LimitReached, Limits};
use game::matrix::{self, Rational};
use game::propositional::Game;
use game::reward::{OpponentModel, Ranking};
use num_traits::Zero;
use solving::exact::Value;

/// Reasons why a state has no value, however its successors' values were found.
pub const NO_VALUE: [&str; 2] = [
    "what two players get who choose at the same time has no constant sum",
    "more than two players choose at the same time",
];

/// The value of a state. `choices`: by role, the number of its moves. `after`: by joint move, the value after it. The
/// inner error is the reason why there is no value.
pub fn follows(
    game: &Game,
    ranking: Ranking,
    choices: &[u32],
    after: &[&Value],
    limits: &Limits,
) -> Result<Result<Value, &'static str>, LimitReached> {
    let players = game.players();
    let chance: usize = choices[players..].iter().map(|&moves| moves as usize).product();
    let mean = |part: &[&Value]| -> Vec<Rational> {
        let count = Rational::from_integer(part.len().into());
        (0..players)
            .map(|player| part.iter().map(|value| &value.numbers()[player]).sum::<Rational>() / &count)
            .collect()
    };
    let after: Vec<Vec<Rational>> = after.chunks(chance).map(mean).collect();
    // A player whose moves never change the value is treated as a player with a single move.
    let (mut choices, mut after) = (choices[..players].to_vec(), after);
    for player in 0..players {
        let below: usize = choices[player + 1..].iter().map(|&moves| moves as usize).product();
        let own = |place: usize| place / below % choices[player] as usize;
        if (0..after.len()).all(|place| after[place] == after[place - own(place) * below]) {
            let first = (0..after.len()).filter(|&place| own(place) == 0);
            after = first.map(|place| after[place].clone()).collect();
            choices[player] = 1;
        }
    }
    let choosing: Vec<usize> = (0..players).filter(|&player| choices[player] > 1).collect();
    if choosing.is_empty() {
        return Ok(Ok(Value::new(after[0].clone())));
    }
    match (ranking, choosing.as_slice()) {
        (Ranking::Against(role), _) => {
            let below: usize = choices[role + 1..].iter().map(|&moves| moves as usize).product();
            let mut rows = vec![Vec::new(); choices[role] as usize];
            for (index, value) in after.iter().enumerate() {
                rows[index / below % choices[role] as usize].push(value[role].clone());
            }
            let mut value = vec![Rational::zero(); players];
            let Some(number) = proved(&rows, limits)? else { return Ok(Err("a matrix is not proved by its mixtures")) };
            value[role] = number;
            Ok(Ok(Value::new(value)))
        }
        (Ranking::Each(model), &[mover]) => {
            let best = after.into_iter().max_by_key(|value| wish(model, mover, value));
            Ok(best.map(Value::new).ok_or("a player has no move"))
        }
        (Ranking::Each(_), &[first, second]) => {
            let sum = &after[0][first] + &after[0][second];
            let same = |value: &Vec<Rational>| {
                let others = (0..players).filter(|player| ![first, second].contains(player));
                &value[first] + &value[second] == sum
                    && others.into_iter().all(|player| value[player] == after[0][player])
            };
            if !after.iter().all(same) {
                return Ok(Err(NO_VALUE[0]));
            }
            let rows: Vec<Vec<Rational>> = after
                .chunks(choices[second] as usize)
                .map(|row| row.iter().map(|value| value[first].clone()).collect())
                .collect();
            let Some(number) = proved(&rows, limits)? else { return Ok(Err("a matrix is not proved by its mixtures")) };
            let mut value = after[0].clone();
            (value[second], value[first]) = (&sum - &number, number);
            Ok(Ok(Value::new(value)))
        }
        _ => Ok(Err(NO_VALUE[1])),
    }
}

/// The value of a matrix; `None` if mixed strategies do not prove one.
fn proved(rows: &[Vec<Rational>], limits: &Limits) -> Result<Option<Rational>, LimitReached> {
    let (height, width) = (rows.len(), rows[0].len());
    let payoffs: Vec<&Rational> = rows.iter().flatten().collect();
    let solution = matrix::solve(height, width, &payoffs, limits)?;
    Ok(matrix::proves(&solution, height, width, &payoffs).then_some(solution.value))
}

/// A key that is larger for values that a player who chooses alone prefers. Numbers are average rewards.
fn wish(model: OpponentModel, mover: usize, value: &[Rational]) -> Vec<Rational> {
    let others: Vec<&Rational> = value[mover + 1..].iter().chain(&value[..mover]).collect();
    let most = others.iter().copied().max().cloned().unwrap_or_else(Rational::zero);
    let lead = || &value[mover] - &most;
    let first = match model {
        OpponentModel::MaxOwn => vec![value[mover].clone()],
        OpponentModel::MaxDiff => vec![lead(), value[mover].clone()],
    };
    let sum = -others.iter().copied().sum::<Rational>();
    first.into_iter().chain([sum]).chain(others.into_iter().map(|number| -number)).collect()
}
