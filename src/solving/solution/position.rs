//! Positions, and reading them from fluents.

use super::text::find;
use super::{PositionError, ReadError, Solution};
use crate::store::manifest::Progress;
use game::interpreter::State;
use game::mutex;
use game::propositional::{FluentId, Group, GroupKind};
use std::sync::{Arc, PoisonError};

const SHOWN: usize = 6;

/// A state and one of its layers. The layer: the number of plies from the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    pub layer: u32,
    pub state: State,
}

impl Solution {
    /// The position with these fluents; those that hold in every state may be left out. Fails if it is unreachable.
    pub fn position(&self, fluents: &[String]) -> Result<Position, ReadError> {
        let mut state = State::empty(self.game().fluents.len());
        for name in fluents {
            if let Some(fluent) = self.fluent(name)? {
                state.insert(fluent);
            }
        }
        self.placed(state)
    }

    /// The position in which exactly the flagged fluents hold; flags are in the order of [`Solution::fluent_names`].
    pub fn position_of(&self, holds: &[bool]) -> Result<Position, ReadError> {
        let fluents = self.game().fluents.len();
        if holds.len() != fluents {
            return Err(PositionError::Flags { found: holds.len(), fluents }.into());
        }
        self.placed(State::from_flags(holds))
    }

    fn placed(&self, state: State) -> Result<Position, ReadError> {
        match self.values().find(&state)? {
            Some(layer) => Ok(Position { layer, state }),
            None => Err(self.unreachable(&state)?.into()),
        }
    }

    /// The reason why a state is unreachable: fluents that never hold together; no fluent of a group of which one must
    /// hold; a missing fluent that would make the state reachable; or no known reason.
    fn unreachable(&self, state: &State) -> Result<PositionError, ReadError> {
        let names =
            |fluents: &[FluentId]| shown(fluents.iter().map(|id| self.fluent_names()[id.index()].clone()).collect());
        let groups = self.groups()?;
        let held = |group: &Group| group.fluents.iter().copied().filter(|&id| state.contains(id)).collect::<Vec<_>>();
        let clashing: Vec<Vec<String>> =
            groups.iter().map(held).filter(|held| held.len() > 1).map(|held| names(&held)).collect();
        if !clashing.is_empty() {
            return Ok(PositionError::Clashing { clashing });
        }
        let one_of = groups.iter().filter(|group| group.kind == GroupKind::ExactlyOne && held(group).is_empty());
        let missing: Vec<Vec<String>> = one_of.map(|group| names(&group.fluents)).collect();
        if !missing.is_empty() {
            return Ok(PositionError::Missing { missing });
        }
        if let Some(manifest) = self.manifest().filter(|manifest| manifest.phase == Progress::Forward) {
            return Err(ReadError::Unexplored { layers: manifest.layers.len() });
        }
        for fluent in self.game().fluent_ids().filter(|&id| !state.contains(id)) {
            let mut more = state.clone();
            more.insert(fluent);
            if self.values().find(&more)?.is_some() {
                return Ok(PositionError::Missing { missing: vec![names(&[fluent])] });
            }
        }
        let fluents: Vec<FluentId> = state.fluents().collect();
        Ok(PositionError::Unreachable { fluents: names(&fluents) })
    }

    /// The groups of fluents of which at most one holds. They are proved on the first call.
    fn groups(&self) -> Result<Arc<[Group]>, ReadError> {
        // A panic of another thread leaves the groups unchanged.
        let mut known = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(groups) = &*known {
            return Ok(Arc::clone(groups));
        }
        let groups = mutex::groups(self.game(), &mutex::Effort::default(), &self.limits)?;
        Ok(Arc::clone(known.insert(groups.into())))
    }

    pub(super) fn fluent(&self, name: &str) -> Result<Option<FluentId>, PositionError> {
        let names = self.fluent_names();
        if let Some(index) = find(names.iter().map(String::as_str), name) {
            return Ok(Some(FluentId(index as u32)));
        }
        if find(self.constant().iter().map(String::as_str), name).is_some() {
            return Ok(None);
        }
        let functor = |term: &str| term.trim_start_matches('(').split([' ', ')']).next().unwrap_or("").to_owned();
        let mut known: Vec<String> = names.iter().filter(|other| functor(other) == functor(name)).cloned().collect();
        if known.is_empty() {
            known = names.to_vec();
        }
        Err(PositionError::UnknownFluent { name: name.to_owned(), known: shown(known) })
    }
}

fn shown(mut names: Vec<String>) -> Vec<String> {
    if names.len() > SHOWN {
        names.truncate(SHOWN);
        names.push("...".to_owned());
    }
    names
}
