//! The variables of a state: one per fluent, except that the default of each exactly-one group has none.
//!
//! A level of a diagram is a variable. The variables of a group are adjacent, in the order of its fluents; the caller
//! chooses the order of the groups. A default holds if and only if no variable of its group does.

use crate::propositional::{FluentId, Group, GroupKind};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FluentCode {
    Level(u32),
    /// The default of the group with this index in [`Variables::blocks`].
    Default(usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub start: u32,
    /// Number of variables; 0 for a group of one fluent that always holds.
    pub len: u32,
    pub default: Option<FluentId>,
}

impl Block {
    pub fn levels(&self) -> std::ops::Range<u32> {
        self.start..self.start + self.len
    }
}

#[derive(Debug, Clone)]
pub struct Variables {
    fluents: Vec<FluentId>,
    codes: Vec<FluentCode>,
    blocks: Vec<Block>,
    block_of: Vec<usize>,
}

impl Variables {
    /// Lays out the groups in this order (a permutation of the indices of `groups`). `defaults[g]` is the default of an
    /// exactly-one group `g`. The groups partition the `fluents` fluents of the game.
    pub fn new(fluents: usize, groups: &[Group], defaults: &[Option<FluentId>], order: &[usize]) -> Self {
        let mut variables = Variables {
            fluents: Vec::new(),
            codes: vec![FluentCode::Level(0); fluents],
            blocks: Vec::with_capacity(order.len()),
            block_of: Vec::new(),
        };
        for &index in order {
            let group = &groups[index];
            let default = defaults[index].filter(|_| group.kind == GroupKind::ExactlyOne);
            let start = variables.fluents.len() as u32;
            for &fluent in &group.fluents {
                if Some(fluent) == default {
                    variables.codes[fluent.index()] = FluentCode::Default(variables.blocks.len());
                } else {
                    variables.codes[fluent.index()] = FluentCode::Level(variables.fluents.len() as u32);
                    variables.fluents.push(fluent);
                    variables.block_of.push(variables.blocks.len());
                }
            }
            variables.blocks.push(Block { start, len: variables.fluents.len() as u32 - start, default });
        }
        variables
    }

    pub fn levels(&self) -> u32 {
        self.fluents.len() as u32
    }

    pub fn fluents(&self) -> usize {
        self.codes.len()
    }

    pub fn fluent(&self, level: u32) -> FluentId {
        self.fluents[level as usize]
    }

    pub fn code(&self, fluent: FluentId) -> FluentCode {
        self.codes[fluent.index()]
    }

    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    pub fn block_of(&self, level: u32) -> &Block {
        &self.blocks[self.block_of[level as usize]]
    }

    pub fn assignment(&self, state: &[bool]) -> Vec<bool> {
        self.fluents.iter().map(|fluent| state[fluent.index()]).collect()
    }

    pub fn state(&self, assignment: &[bool]) -> Vec<bool> {
        self.codes
            .iter()
            .map(|code| match *code {
                FluentCode::Level(level) => assignment[level as usize],
                FluentCode::Default(block) => !self.blocks[block].levels().any(|level| assignment[level as usize]),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(range: std::ops::Range<u32>) -> Vec<FluentId> {
        range.map(FluentId).collect()
    }

    #[test]
    fn states_and_assignments_are_inverse() {
        let groups = [
            Group { fluents: ids(0..3), kind: GroupKind::ExactlyOne },
            Group { fluents: ids(3..4), kind: GroupKind::AtMostOne },
            Group { fluents: ids(4..6), kind: GroupKind::AtMostOne },
        ];
        let defaults = [Some(FluentId(1)), None, Some(FluentId(4))];
        let variables = Variables::new(6, &groups, &defaults, &[2, 0, 1]);
        assert_eq!(variables.levels(), 5);
        assert_eq!(variables.code(FluentId(1)), FluentCode::Default(1));
        assert_eq!(variables.code(FluentId(4)), FluentCode::Level(0));
        assert_eq!(variables.block_of(3).levels(), 2..4);
        for first in 0..3 {
            for lone in [false, true] {
                for pair in [None, Some(4), Some(5)] {
                    let mut state = vec![false; 6];
                    state[first] = true;
                    state[3] = lone;
                    pair.into_iter().for_each(|fluent: usize| state[fluent] = true);
                    assert_eq!(variables.state(&variables.assignment(&state)), state);
                }
            }
        }
    }
}
