//! All reachable states and the moves between them.

use super::{StateId, Witness};
use base::limits::LimitReached;
use game::interpreter::{Interpreter, JointMove, Situation, State, Turn, Violation};
use game::propositional::{Game, RoleId};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// States expanded between two looks at the limits.
const BATCH: usize = 1024;

/// The reachable part of a game, ill-formed or not. Arrays are indexed by [`StateId`].
#[derive(Debug, Clone)]
pub struct Exploration {
    states: IndexSet<State, FxBuildHasher>,
    /// Whose turn it is, if the state is well-formed.
    turns: Vec<Result<Turn, Violation>>,
    /// By well-formed terminal state: its index in `rewards`; 0 elsewhere.
    rewards_of: Vec<u32>,
    rewards: IndexSet<Vec<u8>, FxBuildHasher>,
    terminal: Vec<bool>,
    parents: Vec<StateId>,
    /// Where each state's edges start in `edges`; one more entry than states.
    starts: Vec<usize>,
    edges: Vec<StateId>,
}

/// Finds all states reachable by any joint moves whatsoever, simultaneous choices included. Terminal states and
/// those where a role has no legal move are not expanded.
///
/// Fails if there are more than `limit_states` states, or more than 256 times as many joint moves.
pub fn explore(game: &Game, limit_states: usize) -> Result<Exploration, LimitReached> {
    explore_while(game, limit_states, |_| true)
}

/// As [`explore`], but ends after the first batch of states in which one has a turn that `go_on` does not hold for.
pub(super) fn explore_while(
    game: &Game,
    limit_states: usize,
    go_on: impl Fn(&Result<Turn, Violation>) -> bool,
) -> Result<Exploration, LimitReached> {
    let limit_states = limit_states.min(u32::MAX as usize);
    let interpreter = Interpreter::new(game);
    let mut found = Exploration {
        states: IndexSet::default(),
        turns: Vec::new(),
        rewards_of: Vec::new(),
        rewards: IndexSet::default(),
        terminal: Vec::new(),
        parents: vec![StateId(0)],
        starts: vec![0],
        edges: Vec::new(),
    };
    found.states.insert(interpreter.initial());
    let (mut situations, mut successors) = (Vec::new(), Vec::new());
    let mut first = 0;
    while first < found.states.len() {
        let last = found.states.len().min(first + BATCH);
        let batch: Vec<&State> = (first..last).map(|index| &found.states[index]).collect();
        situations.clear();
        interpreter.situations(&batch, &mut situations);
        let joint_moves = situations.iter().filter(|situation| !situation.terminal).map(Situation::joint_move_count);
        let limit_edges = limit_states.saturating_mul(256);
        if joint_moves.fold(found.edges.len(), usize::saturating_add) > limit_edges {
            return Err(LimitReached::Size { what: "number of joint moves".to_owned(), limit: limit_edges as u64 });
        }
        let moves: Vec<(usize, JointMove)> = (situations.iter().enumerate())
            .filter(|(_, situation)| !situation.terminal)
            .flat_map(|(index, situation)| situation.joint_moves().map(move |joint| (index, joint)))
            .collect();
        let pairs: Vec<_> = moves.iter().map(|(index, joint)| (batch[*index], joint.as_slice())).collect();
        successors.clear();
        interpreter.successors(&pairs, &mut successors);

        let mut edges = moves.iter().map(|(index, _)| *index).zip(successors.drain(..)).peekable();
        for (index, situation) in situations.iter().enumerate() {
            found.add_situation(situation);
            while let Some((_, successor)) = edges.next_if(|(source, _)| *source == index) {
                let (target, new) = found.states.insert_full(successor);
                found.edges.push(StateId(target as u32));
                if new {
                    found.parents.push(StateId((first + index) as u32));
                }
            }
            found.starts.push(found.edges.len());
            if found.states.len() > limit_states {
                return Err(LimitReached::Size { what: "number of states".to_owned(), limit: limit_states as u64 });
            }
        }
        if !found.turns[first..].iter().all(&go_on) {
            break;
        }
        first = last;
    }
    Ok(found)
}

impl Exploration {
    fn add_situation(&mut self, situation: &Situation) {
        let turn = situation.turn();
        let mut rewards = 0;
        if turn == Ok(Turn::Terminal) {
            rewards = self.rewards.insert_full(situation.goals.iter().map(|goals| goals[0]).collect()).0;
        }
        self.turns.push(turn);
        self.rewards_of.push(rewards as u32);
        self.terminal.push(situation.terminal);
    }

    /// Number of distinct reachable states.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Never true: the initial state is reachable.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = StateId> + use<> {
        (0..self.turns.len() as u32).map(StateId)
    }

    pub fn state(&self, id: StateId) -> &State {
        &self.states[id.index()]
    }

    /// The id of a state, if it is reachable.
    pub fn find(&self, state: &State) -> Option<StateId> {
        self.states.get_index_of(state).map(|index| StateId(index as u32))
    }

    pub fn terminal(&self, id: StateId) -> bool {
        self.terminal[id.index()]
    }

    /// Number of distinct reachable terminal states.
    pub fn terminal_states(&self) -> usize {
        self.terminal.iter().filter(|terminal| **terminal).count()
    }

    /// Whose turn it is, or what is wrong with the state.
    pub fn turn(&self, id: StateId) -> &Result<Turn, Violation> {
        &self.turns[id.index()]
    }

    /// The role that has the choice, if exactly one has.
    pub fn mover(&self, id: StateId) -> Option<RoleId> {
        match self.turns[id.index()] {
            Ok(Turn::Mover(role)) => Some(role),
            _ => None,
        }
    }

    /// By role: the rewards of a well-formed terminal state.
    pub fn rewards(&self, id: StateId) -> Option<&[u8]> {
        let rewarded = self.turns[id.index()] == Ok(Turn::Terminal);
        rewarded.then(|| self.rewards[self.rewards_of[id.index()] as usize].as_slice())
    }

    /// The successors of a state, one for each joint move in the order of [`Situation::joint_moves`], so that
    /// several moves may lead to the same state. None for a terminal state.
    pub fn successors(&self, id: StateId) -> &[StateId] {
        &self.edges[self.starts[id.index()]..self.starts[id.index() + 1]]
    }

    /// The first ill-formed state in breadth-first order, with a shortest path to it.
    pub fn first_violation(&self, game: &Game) -> Option<Witness> {
        self.violation_where(game, |_| true)
    }

    /// The first state in breadth-first order where two roles have a choice, with a shortest path to it.
    pub fn simultaneous_choice(&self, game: &Game) -> Option<Witness> {
        self.violation_where(game, |violation| matches!(violation, Violation::Simultaneous(..)))
    }

    fn violation_where(&self, game: &Game, wanted: impl Fn(&Violation) -> bool) -> Option<Witness> {
        let (id, violation) = self
            .ids()
            .find_map(|id| self.turn(id).as_ref().err().filter(|found| wanted(found)).map(|found| (id, found)))?;
        Some(Witness { violation: violation.clone(), state: self.state(id).clone(), path: self.path(game, id) })
    }

    /// A shortest sequence of joint moves from the initial state to a state.
    pub fn path(&self, game: &Game, mut id: StateId) -> Vec<JointMove> {
        let interpreter = Interpreter::new(game);
        let mut path = Vec::new();
        while id != StateId(0) {
            let parent = self.parents[id.index()];
            let position = self.successors(parent).iter().position(|successor| *successor == id);
            let position = position.expect("a state is a successor of its parent");
            let joint = interpreter.situation(self.state(parent)).joint_moves().nth(position);
            path.push(joint.expect("each successor belongs to a joint move"));
            id = parent;
        }
        path.reverse();
        path
    }

    /// Whether no role has the choice in two consecutive states, and more than one role plays.
    pub fn alternating(&self, game: &Game) -> bool {
        let repeats = |id: StateId| {
            self.mover(id).is_some_and(|mover| self.successors(id).iter().any(|next| self.mover(*next) == Some(mover)))
        };
        game.roles.len() > 1 && self.turns.iter().all(Result::is_ok) && !self.ids().any(repeats)
    }

    /// All states, each before all of its successors; `None` if a state can be reached again from itself.
    pub fn topological_order(&self) -> Option<Vec<StateId>> {
        let mut waiting = vec![0u32; self.len()];
        for target in &self.edges {
            waiting[target.index()] += 1;
        }
        let mut order: Vec<StateId> = self.ids().filter(|id| waiting[id.index()] == 0).collect();
        let mut next = 0;
        while let Some(&id) = order.get(next) {
            next += 1;
            for target in self.successors(id) {
                waiting[target.index()] -= 1;
                if waiting[target.index()] == 0 {
                    order.push(*target);
                }
            }
        }
        (order.len() == self.len()).then_some(order)
    }
}
