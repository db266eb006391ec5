//! The mean of all joint moves, as if every player drew its move like chance does.

use base::limits::Limits;
use game::matrix::Rational;
use solving::exact::{Decision, Rule, Stage, Undecided, Value};

/// The rule of players who do not mind what they get.
pub struct Average;

impl Rule for Average {
    fn decide(&self, stage: &Stage, _mixed: bool, _limits: &Limits) -> Result<Decision, Undecided> {
        let evenly = |&moves: &u32| (moves > 1).then(|| vec![Rational::new(1.into(), moves.into()); moves as usize]);
        let strategies = stage.choices.iter().map(evenly).collect();
        Ok(Decision { value: Value::mean(stage.after.iter().copied()), strategies })
    }
}
