//! The automata of the kernel's sweeps. A condition automaton selects the states in which a condition holds; the payoff
//! automaton finds the mover, and the payoff of terminal states.

use super::lazy::{Lazy, Machine};
use super::residual::{Residual, Residuals};
use crate::bdd::Manager;
use base::limits::{Account, LimitReached, Limits};
use kernel::{Automaton, Level, Outcome, Payoff, PayoffInfo, Terminal};
use std::sync::Arc;

pub struct Source {
    residuals: Residuals,
    manager: Arc<Manager>,
    limits: Arc<Limits>,
    _account: Account,
}

impl Source {
    pub fn new(mut residuals: Residuals, manager: Manager, limits: &Arc<Limits>) -> Result<Source, LimitReached> {
        residuals.shrink();
        let mut account = Account::new(limits);
        account.set(residuals.bytes())?;
        Ok(Source { residuals, manager: Arc::new(manager), limits: limits.clone(), _account: account })
    }
}

pub type ConditionAutomaton = Lazy<ConditionMachine>;

/// A machine whose state is the remaining formula.
pub struct ConditionMachine {
    residuals: Residuals,
    manager: Arc<Manager>,
}

impl ConditionAutomaton {
    /// The automaton of the condition that all of `formulas` hold.
    pub fn new(source: &Source, formulas: &[Residual]) -> Result<Self, LimitReached> {
        let (mut residuals, formulas) = source.residuals.of(formulas);
        let all = residuals.and(formulas);
        Lazy::of(ConditionMachine { residuals, manager: source.manager.clone() }, vec![all.0], &source.limits)
    }
}

impl Machine for ConditionMachine {
    fn level(&self, state: &[u32]) -> u32 {
        self.residuals.level(Residual(state[0]))
    }

    fn step(&mut self, state: &[u32], bit: bool, next: &mut Vec<u32>) {
        let level = self.level(state);
        next.push(self.residuals.derive(Residual(state[0]), level, bit, &self.manager).0);
    }

    fn info(&self, state: &[u32]) -> u32 {
        match Residual(state[0]) {
            Residual::FALSE => 0,
            Residual::TRUE => 1,
            _ => 2,
        }
    }

    fn bytes(&self) -> u64 {
        self.residuals.bytes()
    }

    fn size(&self) -> u64 {
        self.residuals.size()
    }

    fn is_full(&self) -> bool {
        self.residuals.is_full()
    }
}

impl Automaton for ConditionAutomaton {
    #[inline]
    fn level(&self, state: u32) -> Level {
        Lazy::level(self, state)
    }

    #[inline]
    fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached> {
        Lazy::next(self, state, bit)
    }

    #[inline]
    fn outcome(&self, state: u32) -> Outcome {
        match self.told(state) {
            2 => Outcome::Undecided,
            decided => Outcome::Decided(decided),
        }
    }

    fn size(&self) -> u64 {
        Lazy::size(self)
    }
}

/// The formulas that decide the mover and the payoff of a state; see [`PayoffAutomaton`].
#[derive(Clone)]
pub struct PayoffRules {
    /// For each role but the first, the formula that it is its turn. At most one formula holds; if none holds, the
    /// first role is the mover.
    pub moves: Vec<Residual>,
    pub terminal: Residual,
    /// For each role, its possible rewards with their conditions; in a terminal state exactly one of these holds.
    pub goals: Vec<Vec<(u8, Residual)>>,
    /// All combinations of rewards, ascending; the value id is the index plus 1.
    pub rewards: Vec<Vec<u8>>,
}

pub type PayoffAutomaton = Lazy<PayoffMachine>;

/// A machine whose state is a list: the formula of the turn of each role but the first, then the formula that the state
/// is terminal. If that last formula is not false, an entry for each role follows: the number of its possible rewards,
/// then each of these rewards with its formula.
pub struct PayoffMachine {
    residuals: Residuals,
    manager: Arc<Manager>,
    rewards: Vec<Vec<u8>>,
    movers: usize,
}

/// Number of bits for the mover in the output of a state.
const MOVER_BITS: u32 = 8;
/// Bound on the number of roles, for which `MOVER_BITS` suffice.
pub const MOST_ROLES: usize = (1 << MOVER_BITS) - 2;

/// For each role, the possible rewards, each with its formula.
struct Roles<'a>(&'a [u32]);

impl<'a> Iterator for Roles<'a> {
    type Item = &'a [[u32; 2]];

    fn next(&mut self) -> Option<Self::Item> {
        let (&goals, rest) = self.0.split_first()?;
        let (role, rest) = rest.split_at(2 * goals as usize);
        self.0 = rest;
        Some(role.as_chunks().0)
    }
}

impl PayoffAutomaton {
    pub fn new(source: &Source, rules: &PayoffRules) -> Result<Self, LimitReached> {
        let goals = rules.goals.iter().flatten().map(|goal| goal.1);
        let formulas: Vec<Residual> = rules.moves.iter().copied().chain([rules.terminal]).chain(goals).collect();
        let (residuals, formulas) = source.residuals.of(&formulas);
        let movers = rules.moves.len();
        let mut state: Vec<u32> = formulas[..=movers].iter().map(|formula| formula.0).collect();
        let mut left = &formulas[movers + 1..];
        for role in rules.goals.iter().take_while(|_| formulas[movers] != Residual::FALSE) {
            let (own, others) = left.split_at(role.len());
            push_role(&mut state, role.iter().map(|goal| u32::from(goal.0)).zip(own.iter().copied()));
            left = others;
        }
        settle_mover(&mut state[..movers]);
        let (manager, rewards) = (source.manager.clone(), rules.rewards.clone());
        Lazy::of(PayoffMachine { residuals, manager, rewards, movers }, state, &source.limits)
    }
}

/// If a role is known to move, makes the formulas of all other roles false.
fn settle_mover(moves: &mut [u32]) {
    if let Some(known) = moves.iter().position(|&formula| Residual(formula) == Residual::TRUE) {
        moves.iter_mut().enumerate().filter(|(role, _)| *role != known).for_each(|(_, no)| *no = Residual::FALSE.0);
    }
}

/// Appends the entry of a role: its certain reward alone, or else all rewards that are still possible.
fn push_role(state: &mut Vec<u32>, goals: impl Iterator<Item = (u32, Residual)>) {
    let start = state.len() + 1;
    state.push(0);
    for (reward, goal) in goals {
        match goal {
            Residual::FALSE => {}
            Residual::TRUE => {
                state.truncate(start);
                state.extend([reward, Residual::TRUE.0]);
                break;
            }
            Residual(open) => state.extend([reward, open]),
        }
    }
    if let [_, only] = &mut state[start..] {
        *only = Residual::TRUE.0;
    }
    state[start - 1] = (state.len() - start) as u32 / 2;
}

impl Machine for PayoffMachine {
    fn level(&self, state: &[u32]) -> u32 {
        let (head, roles) = state.split_at(self.movers + 1);
        let goals = Roles(roles).flatten().map(|goal| &goal[1]);
        let levels = head.iter().chain(goals).map(|&formula| self.residuals.level(Residual(formula)));
        levels.min().expect("there is the formula of terminal states")
    }

    fn step(&mut self, state: &[u32], bit: bool, next: &mut Vec<u32>) {
        let level = self.level(state);
        let mut derive = |formula: u32| self.residuals.derive(Residual(formula), level, bit, &self.manager);
        let (head, roles) = state.split_at(self.movers + 1);
        next.extend(head.iter().map(|&formula| derive(formula).0));
        settle_mover(&mut next[..self.movers]);
        if Residual(next[self.movers]) != Residual::FALSE {
            Roles(roles).for_each(|role| push_role(next, role.iter().map(|goal| (goal[0], derive(goal[1])))));
        }
    }

    /// Bits 0–7: the mover plus one, 0 if unknown. From bit 8: 0 unknown, 1 not terminal, or the value id plus 1.
    fn info(&self, state: &[u32]) -> u32 {
        let moves = state[..self.movers].iter().map(|&formula| Residual(formula));
        let mover = match moves.clone().position(|formula| formula == Residual::TRUE) {
            Some(known) => known as u32 + 2,
            None => u32::from(moves.clone().all(|formula| formula == Residual::FALSE)),
        };
        let terminal = match Residual(state[self.movers]) {
            Residual::FALSE => 1,
            Residual::TRUE => self.value(state).map_or(0, |id| id + 1),
            _ => 0,
        };
        mover | terminal << MOVER_BITS
    }

    fn bytes(&self) -> u64 {
        self.residuals.bytes()
    }

    fn size(&self) -> u64 {
        self.residuals.size()
    }

    fn is_full(&self) -> bool {
        self.residuals.is_full()
    }
}

impl PayoffMachine {
    /// The value id of a terminal state; `None` while some reward is not certain.
    fn value(&self, state: &[u32]) -> Option<u32> {
        let certain = |role: &[[u32; 2]]| match *role {
            [[reward, formula]] if Residual(formula) == Residual::TRUE => {
                Some(u8::try_from(reward).expect("rewards are bytes"))
            }
            _ => None,
        };
        let rewards: Vec<u8> = Roles(&state[self.movers + 1..]).map(certain).collect::<Option<_>>()?;
        let place = self.rewards.binary_search(&rewards);
        Some(place.expect("all combinations of the roles' rewards are listed") as u32 + 1)
    }
}

impl Payoff for PayoffAutomaton {
    #[inline]
    fn level(&self, state: u32) -> Level {
        Lazy::level(self, state)
    }

    #[inline]
    fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached> {
        Lazy::next(self, state, bit)
    }

    #[inline]
    fn info(&self, state: u32) -> PayoffInfo {
        let info = self.told(state);
        let mover = match info & ((1 << MOVER_BITS) - 1) {
            0 => None,
            known => Some(known as u8 - 1),
        };
        let terminal = match info >> MOVER_BITS {
            0 => Terminal::Unknown,
            1 => Terminal::No,
            value => Terminal::Value(value - 1),
        };
        PayoffInfo { mover, terminal }
    }

    fn size(&self) -> u64 {
        Lazy::size(self)
    }
}

#[cfg(test)]
mod tests {
    use super::super::renewed::Renewed;
    use super::*;
    use crate::bdd::Bdd;

    const LEVELS: u32 = 10;

    fn end(bits: u32, start: u32, level: impl Fn(u32) -> Level, next: impl Fn(u32, bool) -> u32) -> u32 {
        let mut state = start;
        while level(state) != Level::NONE {
            state = next(state, bits >> level(state).index() & 1 == 1);
        }
        state
    }

    /// Three roles: the second moves if level 1 holds, else the third if level 0 holds, else the first. The rewards of
    /// the first two are certain from the start; level 0 decides the reward of the third.
    #[test]
    fn rewards_that_are_certain_from_the_start_are_those_of_their_role() {
        let limits = Arc::new(Limits::new(1 << 18));
        let mut manager = Manager::new(1000, &Arc::new(Limits::unlimited()));
        let mut residuals = Residuals::default();
        let [first, second] = [0, 1].map(|level| manager.literal(level, true).unwrap());
        let only = manager.not(second).and_then(|other| manager.and(first, other)).unwrap();
        let not_first = manager.not(first).unwrap();
        let [first, second, only, not_first] =
            [first, second, only, not_first].map(|formula| residuals.leaf(formula, &manager));
        let rules = PayoffRules {
            moves: vec![second, only],
            terminal: Residual::TRUE,
            goals: vec![
                vec![(0, Residual::FALSE), (50, Residual::TRUE), (100, Residual::FALSE)],
                vec![(10, Residual::TRUE), (20, Residual::FALSE)],
                vec![(30, first), (40, not_first)],
            ],
            rewards: [0, 50, 100]
                .into_iter()
                .flat_map(|a| [10, 20].into_iter().flat_map(move |b| [vec![a, b, 30], vec![a, b, 40]]))
                .collect(),
        };
        let source = Source::new(residuals, manager, &limits).unwrap();
        let payoff = PayoffAutomaton::new(&source, &rules).unwrap();
        for bits in 0..4 {
            let state = end(bits, payoff.start(), |s| payoff.level(s), |s, bit| payoff.next(s, bit).unwrap());
            let PayoffInfo { mover, terminal } = payoff.info(state);
            assert_eq!(mover, Some([0, 2, 1, 1][bits as usize]), "{bits:b}");
            assert_eq!(terminal, Terminal::Value(if bits & 1 == 1 { 5 } else { 6 }), "{bits:b}");
        }
    }

    /// Condition: both levels of at least two neighbouring pairs hold. Payoff: the second role moves if the last level
    /// is true; the first role wins by level 0 or 1, and the second if neither holds.
    #[test]
    fn automata_renewed_at_each_use_decide_as_the_formulas_say() {
        let limits = Arc::new(Limits::new(1 << 18));
        let mut manager = Manager::new(10_000, &Arc::new(Limits::unlimited()));
        let literals: Vec<Bdd> = (0..LEVELS).map(|level| manager.literal(level, true).unwrap()).collect();
        let neither = manager.or(literals[0], literals[1]).and_then(|either| manager.not(either)).unwrap();
        let mut residuals = Residuals::default();
        let leaves: Vec<Residual> = literals.iter().map(|&f| residuals.leaf(f, &manager)).collect();
        let pairs: Vec<Residual> = leaves.windows(2).map(|pair| residuals.and(pair.iter().copied())).collect();
        let two = residuals.at_least_two(pairs);
        let (first, second) = (residuals.or([leaves[0], leaves[1]]), residuals.leaf(neither, &manager));
        let rules = PayoffRules {
            moves: vec![leaves[LEVELS as usize - 1]],
            terminal: two,
            goals: vec![vec![(0, second), (100, first)], vec![(0, first), (100, second)]],
            rewards: vec![vec![0, 0], vec![0, 100], vec![100, 0], vec![100, 100]],
        };
        let source = Arc::new(Source::new(residuals, manager, &limits).unwrap());
        let (own, held) = (source.clone(), limits.used());
        let condition = Renewed::new(&limits, move || ConditionAutomaton::new(&own, &[two]));
        let own = source.clone();
        let payoff = Renewed::new(&limits, move || PayoffAutomaton::new(&own, &rules));
        // Little memory is free, so that only small automata are kept.
        let scarce = limits.hold((1 << 18) - held - (1 << 15)).unwrap();
        for bits in 0..1 << LEVELS {
            let terminal = (0..LEVELS - 1).filter(|level| bits >> level & 3 == 3).count() >= 2;
            let automaton = condition.begin().unwrap();
            let state = end(bits, automaton.start(), |s| automaton.level(s), |s, bit| automaton.next(s, bit).unwrap());
            assert_eq!(automaton.outcome(state), Outcome::Decided(u32::from(terminal)), "{bits:b}");
            let automaton = payoff.begin().unwrap();
            let state = end(bits, automaton.start(), |s| automaton.level(s), |s, bit| automaton.next(s, bit).unwrap());
            let info = automaton.info(state);
            assert_eq!(info.mover, Some((bits >> (LEVELS - 1)) as u8), "{bits:b}");
            let value = if bits & 3 == 0 { 2 } else { 3 };
            assert_eq!(info.terminal, if terminal { Terminal::Value(value) } else { Terminal::No }, "{bits:b}");
        }
        assert!(condition.begun() > 100 && payoff.begun() > 100, "{} and {}", condition.begun(), payoff.begun());
        drop((scarce, condition, payoff));
        assert_eq!(limits.used(), held);
        drop(source);
        assert_eq!(limits.used(), 0);
    }
}
