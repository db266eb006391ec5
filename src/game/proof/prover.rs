//! Proofs that no reachable state has a property, from the mutex groups and what [`Prover::assume`] adds.

use super::encoding::Encoding;
use super::sat::{Answer, Literal};
use crate::interpreter::State;
use crate::propositional::{FluentId, Game, Group, GroupKind, NodeId};
use base::limits::{LimitReached, Limits};

/// A property of one state, or of a state and a move of each role: the conjunction of all conditions below.
#[derive(Debug, Clone, Default)]
pub struct Property {
    /// Each of these formulas has the given value.
    pub holds: Vec<(NodeId, bool)>,
    /// In each of these lists some formula has the given value.
    pub some: Vec<Vec<(NodeId, bool)>>,
    /// In each of these lists at least two formulas hold.
    pub two: Vec<Vec<NodeId>>,
    /// The state is not terminal and every role chooses one legal move. Needed if formulas depend on moves, such as
    /// those of `next`; without it, moves have no meaning.
    pub step: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Never,
    /// This state has the property and agrees with the groups. It may be unreachable.
    Perhaps(State),
    /// The budget was spent.
    Unknown,
}

pub struct Prover<'game> {
    encoding: Encoding<'game>,
}

impl<'game> Prover<'game> {
    /// `groups` must hold in every reachable state. The cost is their size; formulas are encoded on first use.
    pub fn new(game: &'game Game, groups: &[Group], limits: &'game Limits) -> Self {
        let mut encoding = Encoding::new(game, limits);
        for group in groups {
            let literals = encoding.fluents(&group.fluents);
            let truth = encoding.sat.truth();
            encoding.sat.at_most_one(truth, &literals);
            if group.kind == GroupKind::ExactlyOne {
                encoding.sat.add(literals);
            }
        }
        Prover { encoding }
    }

    /// Assumes from now on that these fluents have these values if `part` holds, or (`never`) that it never holds.
    pub fn assume(&mut self, part: NodeId, fluents: &[(FluentId, bool)], never: bool) {
        let part = self.encoding.node(part);
        if never {
            self.encoding.sat.add([!part]);
        }
        for &(fluent, value) in fluents {
            let literal = self.encoding.fluent(fluent);
            self.encoding.sat.add([!part, if value { literal } else { !literal }]);
        }
    }

    /// Searches for a state with the property, for at most `conflicts` conflicts.
    pub fn ask(&mut self, property: &Property, conflicts: u64) -> Result<Verdict, LimitReached> {
        let mut assumptions = Vec::new();
        let signed = |literal: Literal, value: bool| if value { literal } else { !literal };
        if property.step {
            assumptions.push(self.encoding.step());
        }
        for &(node, value) in &property.holds {
            assumptions.push(signed(self.encoding.node(node), value));
        }
        for list in &property.some {
            let some = self.encoding.sat.literal();
            let mut clause = vec![!some];
            for &(node, value) in list {
                clause.push(signed(self.encoding.node(node), value));
            }
            self.encoding.sat.add(clause);
            assumptions.push(some);
        }
        for list in &property.two {
            let literals = self.encoding.nodes(list);
            assumptions.push(self.encoding.sat.at_least_two(&literals));
        }
        Ok(match self.encoding.sat.solve(&assumptions, conflicts)? {
            Answer::Unsatisfiable => Verdict::Never,
            Answer::Satisfiable => Verdict::Perhaps(self.encoding.found_state()),
            Answer::Unknown => Verdict::Unknown,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::propositional::RoleId;
    use crate::sample::handmade::lines;

    const CONFLICTS: u64 = 10_000;

    /// Cells (three fluents each) and control (the last two) of a game of marks.
    fn groups(game: &Game) -> Vec<Group> {
        let ids: Vec<FluentId> = game.fluent_ids().collect();
        ids.chunks(3).map(|chunk| Group { fluents: chunk.to_vec(), kind: GroupKind::ExactlyOne }).collect()
    }

    fn legal(game: &Game, role: u32) -> Vec<NodeId> {
        game.moves_of(RoleId(role)).map(|id| game.moves[id.index()].legal).collect()
    }

    #[test]
    fn turn_taking_follows_from_the_control_group_and_not_without() {
        let (game, limits) = (lines(3, 3, 3), Limits::unlimited());
        let both_choose = Property { two: vec![legal(&game, 0), legal(&game, 1)], ..Property::default() };
        assert_eq!(Prover::new(&game, &groups(&game), &limits).ask(&both_choose, CONFLICTS).unwrap(), Verdict::Never);
        let Verdict::Perhaps(state) = Prover::new(&game, &[], &limits).ask(&both_choose, CONFLICTS).unwrap() else {
            panic!("proved")
        };
        assert!(state.contains(FluentId(27)) && state.contains(FluentId(28)));
    }

    #[test]
    fn a_full_board_is_terminal_but_not_every_terminal_board_is_full() {
        let (game, limits) = (lines(3, 3, 3), Limits::unlimited());
        let mut prover = Prover::new(&game, &groups(&game), &limits);
        let open_and_stuck = Property {
            holds: legal(&game, 0).into_iter().map(|id| (id, false)).chain([(game.terminal, false)]).collect(),
            ..Property::default()
        };
        // The other player's waiting move needs control, which exactly one player has.
        assert_eq!(prover.ask(&open_and_stuck, CONFLICTS).unwrap(), Verdict::Never);
        let terminal_and_choice = Property {
            holds: vec![(game.terminal, true)],
            some: vec![legal(&game, 0)[..9].iter().map(|&id| (id, true)).collect()],
            ..Property::default()
        };
        assert!(matches!(prover.ask(&terminal_and_choice, CONFLICTS).unwrap(), Verdict::Perhaps(_)));
        assert_eq!(prover.ask(&open_and_stuck, CONFLICTS).unwrap(), Verdict::Never);
    }

    #[test]
    fn a_step_keeps_each_cell_to_one_value() {
        let (game, limits) = (lines(3, 3, 3), Limits::unlimited());
        let mut prover = Prover::new(&game, &groups(&game), &limits);
        let two_values = Property { two: vec![game.next[0..3].to_vec()], step: true, ..Property::default() };
        assert_eq!(prover.ask(&two_values, CONFLICTS).unwrap(), Verdict::Never);
        let unstepped = Property { step: false, ..two_values };
        assert!(matches!(prover.ask(&unstepped, CONFLICTS).unwrap(), Verdict::Perhaps(_)));
    }
}
