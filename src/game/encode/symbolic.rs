//! The encoding of a game under one order of its variables.

use super::automata::{ConditionAutomaton, PayoffAutomaton, PayoffRules, Source};
use super::condition::Conditions;
use super::formulas::Formulas;
use super::joint::{self, TurnRule};
use super::renewed::Renewed;
use super::residual::{Residual, Residuals};
use super::stepwise::Stepwise;
use super::transitions::{self, Apart, Moves, Parts};
use super::variables::Variables;
use super::{Analysis, EncodeError, PART_ROOM, ROOM, node_bound, strengthen};
use crate::bdd::{Bdd, TooLarge};
use crate::propositional::{FluentId, Game, NodeId, RoleId};
use base::limits::Limits;
use kernel::Relations;
use std::sync::Arc;

/// A property that no reachable state may have. It is not proved that no state has it, so every layer is checked.
pub struct Check {
    pub kind: CheckKind,
    /// A state has the property if one of these conditions holds.
    pub cases: Vec<Stepwise>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckKind {
    Simultaneous,
    /// The state is not terminal, and a role has no legal move.
    DeadEnd,
    /// The state is terminal, and the role has no reward or several.
    Goals(RoleId),
}

pub struct SymbolicGame {
    pub variables: Variables,
    pub initial: Vec<bool>,
    pub relations: Relations,
    pub moves: Moves,
    /// For a single player, the moves with each cost, ascending by cost.
    pub by_cost: Vec<(u64, Moves)>,
    /// Conditions of moves that are too large for relations.
    pub conditions: Vec<Renewed<ConditionAutomaton>>,
    pub terminal: Renewed<ConditionAutomaton>,
    pub open: Renewed<ConditionAutomaton>,
    pub payoff: Renewed<PayoffAutomaton>,
    /// All reward vectors that a terminal state may have, ascending; the value id is the index plus 1.
    pub rewards: Vec<Vec<u8>>,
    /// Whether it is proved that a state is terminal if and only if it has no successor.
    pub stuck_terminal: bool,
    pub checks: Vec<Check>,
    /// For each role, selects the non-terminal states in which it has a choice.
    pub choosing: Vec<Renewed<ConditionAutomaton>>,
}

impl SymbolicGame {
    /// `order` lists the indices of the groups.
    pub fn new(analysis: &Analysis, order: &[usize], limits: &Arc<Limits>) -> Result<Self, EncodeError> {
        let game = analysis.game;
        let variables = Variables::new(game.fluents.len(), analysis.groups, &analysis.defaults, order);
        let mut formulas =
            Formulas::new(&analysis.graph, &variables, (node_bound(limits), &analysis.steps), ROOM, limits);
        let Parts { relations, moves, by_cost, conditions } = transitions::relations(analysis, &mut formulas, limits)?;
        formulas.room = PART_ROOM;
        strengthen::apply(&mut formulas, &analysis.strengthenings)?;
        let built =
            Builder { analysis, conditions: Conditions::default(), formulas: &mut formulas }.build(&conditions)?;
        let mut manager = formulas.manager;
        manager.drop_results();
        let source = Arc::new(Source::new(built.residuals, manager, limits)?);
        let condition = |formula| {
            let source = source.clone();
            Renewed::new(limits, move || ConditionAutomaton::new(&source, &[formula]))
        };
        let check = |(kind, cases): (CheckKind, Vec<Vec<Residual>>)| Check {
            kind,
            cases: cases.into_iter().map(|parts| Stepwise::new(&source, parts, limits)).collect(),
        };
        let rewards = reward_vectors(game);
        let rules = PayoffRules {
            moves: built.moves,
            terminal: if analysis.facts.stuck_terminal { Residual::TRUE } else { built.terminal },
            goals: built.goals,
            rewards: rewards.clone(),
        };
        Ok(SymbolicGame {
            initial: variables.assignment(&game.init),
            relations,
            moves,
            by_cost,
            conditions: built.guards.iter().map(|&formula| condition(formula)).collect(),
            terminal: condition(built.terminal),
            open: condition(built.open),
            rewards,
            stuck_terminal: analysis.facts.stuck_terminal,
            checks: built.checks.into_iter().map(check).collect(),
            choosing: built.choosing.iter().map(|&formula| condition(formula)).collect(),
            payoff: Renewed::new(limits, move || PayoffAutomaton::new(&source, &rules)),
            variables,
        })
    }

    /// Drops the automata that are neither in use nor small. They start again on demand.
    pub fn let_go(&self) {
        let conditions = [&self.terminal, &self.open].into_iter().chain(&self.conditions);
        conditions.chain(&self.choosing).for_each(Renewed::let_go);
        self.checks.iter().flat_map(|check| &check.cases).for_each(Stepwise::let_go);
        self.payoff.let_go();
    }
}

pub fn reward_vectors(game: &Game) -> Vec<Vec<u8>> {
    let mut vectors = vec![Vec::new()];
    for goals in &game.goals {
        let extend = |vector: &Vec<u8>| -> Vec<Vec<u8>> {
            goals.iter().map(|&(reward, _)| vector.iter().copied().chain([reward]).collect()).collect()
        };
        vectors = vectors.iter().flat_map(extend).collect();
    }
    vectors
}

struct Built {
    residuals: Residuals,
    terminal: Residual,
    open: Residual,
    moves: Vec<Residual>,
    goals: Vec<Vec<(u8, Residual)>>,
    /// For each check, the parts of each of its cases.
    checks: Vec<(CheckKind, Vec<Vec<Residual>>)>,
    choosing: Vec<Residual>,
    guards: Vec<Residual>,
}

struct Builder<'a, 'b> {
    analysis: &'a Analysis<'a>,
    conditions: Conditions,
    formulas: &'a mut Formulas<'b>,
}

impl Builder<'_, '_> {
    fn build(mut self, conditions: &[Apart]) -> Result<Built, TooLarge> {
        let (game, facts) = (self.analysis.game, &self.analysis.facts);
        let legal = |role| game.moves_of(role).map(|action| game.moves[action.index()].legal);
        let terminal = self.node(game.terminal, true)?;
        let open = self.node(game.terminal, false)?;
        let mut goals = Vec::new();
        for role in &game.goals {
            let conditions = self.nodes(role.iter().map(|goal| goal.1), true)?;
            goals.push(role.iter().map(|goal| goal.0).zip(conditions).collect::<Vec<_>>());
        }
        let mut checks = Vec::new();
        for role in game.role_ids().filter(|role| !facts.one_goal[role.index()]) {
            let several = self.conditions.residuals.at_least_two(goals[role.index()].iter().map(|goal| goal.1));
            let none = self.nodes(game.goals[role.index()].iter().map(|goal| goal.1), false)?;
            let none = self.conditions.residuals.and(none);
            let wrong = self.conditions.residuals.or([several, none]);
            checks.push((CheckKind::Goals(role), vec![self.parts([terminal, wrong])]));
        }
        if !facts.playable {
            let mut cases = Vec::new();
            for role in game.role_ids() {
                let none = self.nodes(legal(role), false)?;
                cases.push(self.parts(std::iter::once(open).chain(none)));
            }
            checks.push((CheckKind::DeadEnd, cases));
        }
        let mut choosing = Vec::new();
        for role in game.role_ids() {
            let legal = self.nodes(legal(role), true)?;
            choosing.push(self.conditions.residuals.at_least_two(legal));
        }
        if self.analysis.turn == TurnRule::Counted {
            let several = match choosing[..] {
                [first, second] => self.parts([first, second, open]),
                _ => {
                    let several = self.conditions.residuals.at_least_two(choosing.iter().copied());
                    self.parts([several, open])
                }
            };
            checks.push((CheckKind::Simultaneous, vec![several]));
        }
        let moves = match &self.analysis.turn {
            TurnRule::Counted => choosing[1..].to_vec(),
            TurnRule::Fluents { fluents, otherwise } => {
                let others = game.role_ids().skip(1);
                others.map(|role| self.moves(fluents, *otherwise, role)).collect::<Result<_, _>>()?
            }
        };
        let choosing = choosing.into_iter().map(|two| self.conditions.residuals.and([two, open])).collect();
        let guards = conditions.iter().map(|apart| self.guard(apart)).collect::<Result<_, _>>()?;
        Ok(Built { residuals: self.conditions.residuals, terminal, open, moves, goals, checks, choosing, guards })
    }

    /// The condition of some moves and, if small, the disjunction of the guards of their relations, which decides early
    /// for most states.
    fn guard(&mut self, apart: &Apart) -> Result<Residual, TooLarge> {
        let condition = self.node(apart.condition, true)?;
        let manager = &mut self.formulas.manager;
        let some = manager.within(PART_ROOM, |manager| {
            apart.guards.iter().try_fold(Bdd::FALSE, |some, &guard| manager.or(guard, some))
        })?;
        let Some(some) = some.filter(|&some| !some.is_constant()) else { return Ok(condition) };
        let some = self.conditions.residuals.leaf(some, manager);
        Ok(self.conditions.residuals.and([some, condition]))
    }

    fn moves(&mut self, fluents: &[(FluentId, RoleId)], otherwise: RoleId, role: RoleId) -> Result<Residual, TooLarge> {
        let moves = joint::mover_condition(self.formulas, fluents, otherwise, role)?;
        Ok(match moves {
            Bdd::FALSE => Residual::FALSE,
            Bdd::TRUE => Residual::TRUE,
            moves => self.conditions.residuals.leaf(moves, &self.formulas.manager),
        })
    }

    fn parts(&mut self, of: impl IntoIterator<Item = Residual>) -> Vec<Residual> {
        let all = self.conditions.residuals.and(of);
        self.conditions.residuals.conjuncts(all)
    }

    fn nodes(&mut self, nodes: impl Iterator<Item = NodeId>, positive: bool) -> Result<Vec<Residual>, TooLarge> {
        nodes.map(|node| self.node(node, positive)).collect()
    }

    fn node(&mut self, node: NodeId, positive: bool) -> Result<Residual, TooLarge> {
        self.conditions.residual(self.formulas, node, positive)
    }
}
