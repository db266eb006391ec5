//! A symmetry as a permutation of fluents, moves and roles.

use crate::interpreter::State;
use crate::propositional::{FluentId, MoveId, RoleId};

/// The image of each fluent, move and role.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Permutation {
    pub fluents: Vec<FluentId>,
    pub moves: Vec<MoveId>,
    pub roles: Vec<RoleId>,
}

impl Permutation {
    pub fn identity(&self) -> Permutation {
        Permutation {
            fluents: (0..self.fluents.len() as u32).map(FluentId).collect(),
            moves: (0..self.moves.len() as u32).map(MoveId).collect(),
            roles: (0..self.roles.len() as u32).map(RoleId).collect(),
        }
    }

    pub fn inverse(&self) -> Permutation {
        fn inverse<T>(images: &[T], index: impl Fn(&T) -> usize, id: impl Fn(u32) -> T) -> Vec<T> {
            let mut inverse: Vec<T> = (0..images.len() as u32).map(&id).collect();
            for (from, to) in (0..).zip(images) {
                inverse[index(to)] = id(from);
            }
            inverse
        }
        Permutation {
            fluents: inverse(&self.fluents, |to| to.index(), FluentId),
            moves: inverse(&self.moves, |to| to.index(), MoveId),
            roles: inverse(&self.roles, |to| to.index(), RoleId),
        }
    }

    pub fn then(&self, other: &Permutation) -> Permutation {
        Permutation {
            fluents: self.fluents.iter().map(|id| other.fluents[id.index()]).collect(),
            moves: self.moves.iter().map(|id| other.moves[id.index()]).collect(),
            roles: self.roles.iter().map(|id| other.roles[id.index()]).collect(),
        }
    }

    /// The image of a state: the images of its fluents hold.
    pub fn state(&self, state: &State) -> State {
        let mut image = State::empty(self.fluents.len());
        state.fluents().for_each(|fluent| image.insert(self.fluents[fluent.index()]));
        image
    }

    /// Gives the reward of each role to the image of the role.
    pub fn rewards(&self, rewards: &[u8]) -> Vec<u8> {
        let mut image = rewards.to_vec();
        for (role, &to) in self.roles.iter().enumerate() {
            image[to.index()] = rewards[role];
        }
        image
    }

    /// The cycles of the fluents that are moved, each from its smallest fluent on, ascending by their first fluents.
    pub fn fluent_cycles(&self) -> Vec<Vec<FluentId>> {
        cycles(self.fluents.len(), |fluent| self.fluents[fluent].index(), |fluent| FluentId(fluent as u32))
    }

    pub fn move_cycles(&self) -> Vec<Vec<MoveId>> {
        cycles(self.moves.len(), |action| self.moves[action].index(), |action| MoveId(action as u32))
    }

    pub fn role_cycles(&self) -> Vec<Vec<RoleId>> {
        cycles(self.roles.len(), |role| self.roles[role].index(), |role| RoleId(role as u32))
    }
}

fn cycles<T>(number: usize, image: impl Fn(usize) -> usize, id: impl Fn(usize) -> T) -> Vec<Vec<T>> {
    let mut seen = vec![false; number];
    let mut cycles = Vec::new();
    for first in 0..number {
        if seen[first] || image(first) == first {
            continue;
        }
        let (mut cycle, mut next) = (Vec::new(), first);
        while !std::mem::replace(&mut seen[next], true) {
            cycle.push(id(next));
            next = image(next);
        }
        cycles.push(cycle);
    }
    cycles
}
