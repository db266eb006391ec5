//! States as assignments of a solution's variables. A fluent without a variable holds if all in its list are false.

use crate::unmet::Literal;
use game::batch::Layout;
use game::interpreter::State;
use game::propositional::{FluentId, Game};
use std::collections::HashMap;

#[derive(Debug, Clone)]
pub struct Codec {
    fluents: usize,
    variables: Vec<FluentId>,
    defaults: Vec<(FluentId, Vec<u32>)>,
}

impl Codec {
    /// `defaults`: the fluents without a variable, each with the levels whose variables must be false. An error names a
    /// fluent that is missing, is not of the game or occurs more than once, or a level that does not exist.
    pub fn new<'a>(
        game: &Game,
        variables: &'a [String],
        defaults: impl Iterator<Item = (&'a str, &'a [u32])>,
    ) -> Result<Codec, String> {
        let mut open: HashMap<String, FluentId> =
            game.fluent_ids().map(|fluent| (game.fluents[fluent.index()].to_string(), fluent)).collect();
        let mut take = |name: &str| {
            open.remove(name).ok_or_else(|| format!("{name} is no fluent of the rules (fluents must have the same names in both), or occurs more than once"))
        };
        let variables = variables.iter().map(|name| take(name)).collect::<Result<Vec<_>, _>>()?;
        let mut codec = Codec { fluents: game.fluents.len(), variables, defaults: Vec::new() };
        for (name, unless) in defaults {
            let levels = codec.variables.len();
            if let Some(level) = unless.iter().find(|&&level| level as usize >= levels) {
                return Err(format!("{name} depends on level {level} of {levels}"));
            }
            codec.defaults.push((take(name)?, unless.to_vec()));
        }
        match open.into_keys().min() {
            Some(missing) => Err(format!("the fluent {missing} of the rules is missing")),
            None => Ok(codec),
        }
    }

    pub fn levels(&self) -> u32 {
        self.variables.len() as u32
    }

    pub fn layout(&self) -> Layout {
        Layout::new(self.fluents, self.variables.clone(), self.defaults.clone())
    }

    pub fn literals(&self) -> Vec<Literal> {
        let mut literals: Vec<Literal> =
            (0..self.fluents).map(|_| Literal { levels: Vec::new(), positive: false }).collect();
        for (level, fluent) in (0..).zip(&self.variables) {
            literals[fluent.index()] = Literal { levels: vec![level], positive: true };
        }
        for (fluent, unless) in &self.defaults {
            let mut levels = unless.clone();
            levels.sort_unstable();
            literals[fluent.index()].levels = levels;
        }
        literals
    }

    /// For each level, whether its variable is true. `None` if no assignment represents the state.
    pub fn assignment(&self, state: &State) -> Option<Vec<bool>> {
        let assignment: Vec<bool> = self.variables.iter().map(|&fluent| state.contains(fluent)).collect();
        let fits = |(fluent, unless): &(FluentId, Vec<u32>)| {
            state.contains(*fluent) != unless.iter().any(|&level| assignment[level as usize])
        };
        self.defaults.iter().all(fits).then_some(assignment)
    }

    pub fn state(&self, assignment: &[bool]) -> State {
        let mut state = State::empty(self.fluents);
        let variables = self.variables.iter().zip(assignment).filter(|(_, value)| **value);
        variables.for_each(|(&fluent, _)| state.insert(fluent));
        for (fluent, unless) in &self.defaults {
            if !unless.iter().any(|&level| assignment[level as usize]) {
                state.insert(*fluent);
            }
        }
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::handmade::nim;

    fn codec(variables: &[&str], defaults: &[(&str, &[u32])]) -> Result<Codec, String> {
        let variables: Vec<String> = variables.iter().map(|name| (*name).to_owned()).collect();
        Codec::new(&nim(2, 1), &variables, defaults.iter().copied())
    }

    #[test]
    fn states_and_assignments_are_inverse() {
        let levels: &[u32] = &[0, 2];
        let codec = codec(
            &["(matches 0)", "(control first)", "(matches 1)"],
            &[("(matches 2)", levels), ("(control second)", &[1])],
        )
        .unwrap();
        for [first, control, second] in [[false; 3], [true, false, false], [false, true, true], [false, true, false]] {
            let assignment = [first, control, second];
            assert_eq!(codec.assignment(&codec.state(&assignment)), Some(assignment.to_vec()));
        }
        assert_eq!(codec.assignment(&State::empty(5)), None);
    }

    #[test]
    fn every_fluent_has_to_occur_once() {
        let all = ["(matches 0)", "(matches 1)", "(matches 2)", "(control first)", "(control second)"];
        assert!(codec(&all, &[]).is_ok());
        assert!(codec(&all[1..], &[]).unwrap_err().contains("(matches 0)"));
        assert!(codec(&all, &[("(matches 0)", &[])]).unwrap_err().contains("(matches 0)"));
        assert!(codec(&all[1..], &[("(matches 0)", &[4])]).unwrap_err().contains("level 4 of 4"));
        assert!(codec(&["queen"], &[]).unwrap_err().contains("queen"));
    }
}
