//! The automata that run in the sweeps of the kernel: one selects the states in which a condition holds, one finds the
//! mover and the payoff of terminal states.

use super::lazy::{Lazy, Machine};
use super::residual::{Residual, Residuals};
use crate::bdd::Manager;
use crate::kernel::{Automaton, Level, Outcome, Payoff, PayoffInfo, Terminal};
use crate::limits::{LimitReached, Limits};
use std::sync::Arc;

/// Selects the states in which a residual formula holds.
pub struct ConditionAutomaton {
    lazy: Lazy<ConditionMachine>,
    start: u32,
}

struct ConditionMachine {
    residuals: Residuals,
    manager: Arc<Manager>,
}

impl ConditionAutomaton {
    pub fn new(
        residuals: Residuals,
        manager: Arc<Manager>,
        formula: Residual,
        limits: &Arc<Limits>,
    ) -> Result<Self, LimitReached> {
        let lazy = Lazy::new(ConditionMachine { residuals, manager }, limits);
        let start = lazy.enter(formula)?;
        Ok(ConditionAutomaton { lazy, start })
    }

    /// The state to start in.
    pub fn start(&self) -> u32 {
        self.start
    }
}

impl Machine for ConditionMachine {
    type State = Residual;

    fn level(&self, state: &Residual) -> u32 {
        self.residuals.level(*state)
    }

    fn step(&mut self, state: &Residual, bit: bool) -> Residual {
        let level = self.residuals.level(*state);
        self.residuals.derive(*state, level, bit, &self.manager)
    }

    fn info(&self, state: &Residual) -> u64 {
        match *state {
            Residual::FALSE => 0,
            Residual::TRUE => 1,
            _ => 2,
        }
    }

    fn bytes(&self, _: usize) -> u64 {
        self.residuals.bytes()
    }
}

impl Automaton for ConditionAutomaton {
    fn level(&self, state: u32) -> Level {
        Level::new(self.lazy.level(state))
    }

    fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached> {
        self.lazy.next(state, bit)
    }

    fn outcome(&self, state: u32) -> Outcome {
        match self.lazy.info(state) {
            2 => Outcome::Undecided,
            decided => Outcome::Decided(decided as u32),
        }
    }
}

/// What decides the payoff of a state; see [`PayoffAutomaton`].
#[derive(Clone)]
pub struct PayoffRules {
    /// The second role is the mover, if a formula decides whose turn it is.
    pub second_moves: Residual,
    pub terminal: Residual,
    /// By role: each possible reward with its condition; exactly one holds in a terminal state.
    pub goals: Vec<Vec<(u8, Residual)>>,
    /// All combinations of rewards, ascending; value id = index + 1.
    pub rewards: Vec<Vec<u8>>,
}

/// Who moves, whether a state is terminal, and what it pays.
pub struct PayoffAutomaton {
    lazy: Lazy<PayoffMachine>,
    start: u32,
}

struct PayoffMachine {
    residuals: Residuals,
    manager: Arc<Manager>,
    rewards: Vec<Vec<u8>>,
    /// Bytes of the lists of rewards of a state, at most.
    goals_bytes: u64,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct PayoffState {
    second_moves: Residual,
    terminal: Residual,
    /// By role: the rewards still possible. Empty where the state is not terminal.
    goals: Vec<Vec<(u8, Residual)>>,
}

impl PayoffAutomaton {
    pub fn new(
        residuals: Residuals,
        manager: Arc<Manager>,
        rules: &PayoffRules,
        limits: &Arc<Limits>,
    ) -> Result<Self, LimitReached> {
        let entry = size_of::<(u8, Residual)>();
        let goals_bytes = rules.goals.iter().map(|role| 40 + role.len() * entry).sum::<usize>() as u64;
        let machine = PayoffMachine { residuals, manager, rewards: rules.rewards.clone(), goals_bytes };
        let state = normalised(rules.second_moves, rules.terminal, rules.goals.clone());
        let lazy = Lazy::new(machine, limits);
        let start = lazy.enter(state)?;
        Ok(PayoffAutomaton { lazy, start })
    }

    /// The state to start in.
    pub fn start(&self) -> u32 {
        self.start
    }
}

/// Removes what no longer matters: all goals if the state is not terminal, rewards that are impossible, and the other
/// rewards of a role once one is certain or the only one left.
fn normalised(second_moves: Residual, terminal: Residual, mut goals: Vec<Vec<(u8, Residual)>>) -> PayoffState {
    if terminal == Residual::FALSE {
        goals.clear();
    }
    for role in &mut goals {
        role.retain(|goal| goal.1 != Residual::FALSE);
        if let Some(&certain) = role.iter().find(|goal| goal.1 == Residual::TRUE) {
            *role = vec![certain];
        } else if let [(reward, _)] = role[..] {
            *role = vec![(reward, Residual::TRUE)];
        }
    }
    PayoffState { second_moves, terminal, goals }
}

impl Machine for PayoffMachine {
    type State = PayoffState;

    fn level(&self, state: &PayoffState) -> u32 {
        let goals = state.goals.iter().flatten().map(|goal| goal.1);
        let conditions = [state.second_moves, state.terminal].into_iter().chain(goals);
        conditions.map(|condition| self.residuals.level(condition)).min().expect("there are two conditions at least")
    }

    fn step(&mut self, state: &PayoffState, bit: bool) -> PayoffState {
        let level = self.level(state);
        let mut derive = |formula| self.residuals.derive(formula, level, bit, &self.manager);
        let goals = state.goals.iter().map(|role| role.iter().map(|&(reward, goal)| (reward, derive(goal))).collect());
        let goals = goals.collect();
        normalised(derive(state.second_moves), derive(state.terminal), goals)
    }

    /// Bits 0–1: the mover plus one, 0 if unknown; from bit 2: 0 unknown, 1 not terminal, else value id plus 1.
    fn info(&self, state: &PayoffState) -> u64 {
        let mover = match state.second_moves {
            Residual::FALSE => 1,
            Residual::TRUE => 2,
            _ => 0,
        };
        let terminal = match state.terminal {
            Residual::FALSE => 1,
            Residual::TRUE => self.value(state).map_or(0, |id| u64::from(id) + 1),
            _ => 0,
        };
        mover | terminal << 2
    }

    /// Every state is stored twice, in the list and in the table, each time with lists of its own.
    fn bytes(&self, states: usize) -> u64 {
        self.residuals.bytes() + states as u64 * 2 * self.goals_bytes
    }
}

impl PayoffMachine {
    /// The value id of a terminal state; `None` while some reward is not certain.
    fn value(&self, state: &PayoffState) -> Option<u32> {
        let certain = |role: &Vec<(u8, Residual)>| match role[..] {
            [(reward, Residual::TRUE)] => Some(reward),
            _ => None,
        };
        let rewards: Vec<u8> = state.goals.iter().map(certain).collect::<Option<_>>()?;
        let place = self.rewards.binary_search(&rewards);
        Some(place.expect("all combinations of the roles' rewards are listed") as u32 + 1)
    }
}

impl Payoff for PayoffAutomaton {
    fn level(&self, state: u32) -> Level {
        Level::new(self.lazy.level(state))
    }

    fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached> {
        self.lazy.next(state, bit)
    }

    fn info(&self, state: u32) -> PayoffInfo {
        let info = self.lazy.info(state);
        let mover = match info & 3 {
            0 => None,
            known => Some(known as u8 - 1),
        };
        let terminal = match info >> 2 {
            0 => Terminal::Unknown,
            1 => Terminal::No,
            value => Terminal::Value(value as u32 - 1),
        };
        PayoffInfo { mover, terminal }
    }
}
