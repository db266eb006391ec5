//! Facts about all reachable states that are proved once, so that the passes need not check them.

use super::strengthen::Strengthening;
use crate::proof::{Property, Prover, Verdict};
use crate::propositional::{Game, Group, NodeId, RoleId};
use base::limits::{LimitReached, Limits};

const CONFLICTS: u64 = 20_000;

/// A false entry means that the fact is not proved; it may hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Every role has a legal move in every reachable state that is not terminal.
    pub playable: bool,
    /// A reachable state is terminal if and only if it has no joint move.
    pub stuck_terminal: bool,
    /// For each role, whether it has exactly one reward in every reachable terminal state.
    pub one_goal: Vec<bool>,
}

impl Facts {
    /// Proves facts from the mutex groups and the strengthened parts of the terminal condition.
    pub fn prove(
        game: &Game,
        groups: &[Group],
        strengthenings: &[Strengthening],
        limits: &Limits,
    ) -> Result<Self, LimitReached> {
        let mut prover = Prover::new(game, groups, limits);
        for strengthening in strengthenings {
            prover.assume(strengthening.part, &strengthening.literals, strengthening.never);
        }
        let mut never = |property: Property| Ok(prover.ask(&property, CONFLICTS)? == Verdict::Never);
        let legal = |role: RoleId, value: bool| -> Vec<(NodeId, bool)> {
            game.moves_of(role).map(|action| (game.moves[action.index()].legal, value)).collect()
        };
        let mut playable = true;
        for role in game.role_ids() {
            let mut holds = legal(role, false);
            holds.push((game.terminal, false));
            playable = playable && never(Property { holds, ..Property::default() })?;
        }
        let stuck_terminal = playable
            && never(Property {
                holds: vec![(game.terminal, true)],
                some: game.role_ids().map(|role| legal(role, true)).collect(),
                ..Property::default()
            })?;
        let one_goal = game.goals.iter().map(|goals| {
            let mut none: Vec<(NodeId, bool)> = goals.iter().map(|goal| (goal.1, false)).collect();
            none.push((game.terminal, true));
            let several = goals.iter().map(|goal| goal.1).collect();
            Ok(never(Property { holds: none, ..Property::default() })?
                && never(Property { holds: vec![(game.terminal, true)], two: vec![several], ..Property::default() })?)
        });
        let one_goal = one_goal.collect::<Result<_, LimitReached>>()?;
        Ok(Facts { playable, stuck_terminal, one_goal })
    }
}
