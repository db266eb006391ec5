//! The tree of a search: states, the numbers of tries and the results of each move, and proofs.

use super::{Judged, ended};
use base::limits::{Account, LimitReached, Limits};
use base::random::Random;
use game::interpreter::{JointMove, Situation, State};
use game::propositional::{Game, MoveId, RoleId};
use game::reward::OpponentModel;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Weight of the bonus for rarely tried moves, for rewards scaled to the range from 0 to 1.
const EXPLORATION: f64 = 0.7;
/// Bound on the joint moves of a state that is proved although several roles or chance choose there.
const MOST_JOINTS: usize = 4096;
/// Approximate bytes of an entry in the table of children.
const CHILD: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NodeIndex(u32);

impl NodeIndex {
    pub const NONE: NodeIndex = NodeIndex(u32::MAX);

    fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Arm {
    visits: u32,
    /// Descents of the current round.
    pending: u32,
    /// Sum of the role's own rewards.
    sum: u64,
}

#[derive(Debug)]
struct Node {
    state: State,
    /// The legal moves, none if play is over; without rewards.
    situation: Situation,
    /// By role and legal move: its statistics.
    arms: Vec<Vec<Arm>>,
    /// By role: the value under best play, if it is proved.
    proved: Option<Box<[u8]>>,
    /// By role: the best proved value that the only role with a choice can reach.
    floor: Option<Box<[u8]>>,
}

impl Node {
    fn new(state: State, situation: Situation) -> Node {
        let proved = ended(&situation);
        let terminal = proved.is_some();
        let legal = if terminal { vec![Vec::new(); situation.legal.len()] } else { situation.legal };
        let arms = legal.iter().map(|moves| vec![Arm::default(); moves.len()]).collect();
        let situation = Situation { terminal, legal, goals: Vec::new() };
        Node { state, situation, arms, proved: proved.map(Vec::into_boxed_slice), floor: None }
    }

    fn bytes(&self, fluents: usize) -> usize {
        let moves: usize = self.situation.legal.iter().map(Vec::len).sum();
        let lists = self.situation.legal.len() * 2 * size_of::<Vec<Arm>>();
        size_of::<Node>() + fluents / 8 + moves * (size_of::<Arm>() + size_of::<MoveId>()) + lists + CHILD
    }

    fn arm(&mut self, role: usize, action: MoveId) -> Option<&mut Arm> {
        let place = self.situation.legal[role].binary_search(&action).ok()?;
        self.arms[role].get_mut(place)
    }
}

pub struct Tree {
    nodes: Vec<Node>,
    children: FxHashMap<(NodeIndex, JointMove), NodeIndex>,
    account: Account,
    fluents: usize,
    players: usize,
    /// By role: the largest and the smallest reward of the game.
    bounds: Vec<(u8, u8)>,
}

impl Tree {
    pub const ROOT: NodeIndex = NodeIndex(0);

    pub fn new(game: &Game, state: State, situation: Situation, limits: &Arc<Limits>) -> Result<Tree, LimitReached> {
        let bound = |goals: &Vec<(u8, _)>| {
            let rewards = || goals.iter().map(|goal| goal.0);
            (rewards().max().unwrap_or(0), rewards().min().unwrap_or(0))
        };
        let mut tree = Tree {
            nodes: Vec::new(),
            children: FxHashMap::default(),
            account: Account::new(limits),
            fluents: game.fluents.len(),
            players: game.players(),
            bounds: game.goals.iter().map(bound).collect(),
        };
        tree.push(Node::new(state, situation))?;
        Ok(tree)
    }

    fn push(&mut self, node: Node) -> Result<NodeIndex, LimitReached> {
        self.account.add(node.bytes(self.fluents) as u64)?;
        self.nodes.push(node);
        Ok(NodeIndex(self.nodes.len() as u32 - 1))
    }

    fn node(&self, index: NodeIndex) -> &Node {
        &self.nodes[index.index()]
    }

    pub fn state(&self, index: NodeIndex) -> &State {
        &self.node(index).state
    }

    pub fn is_over(&self, index: NodeIndex) -> bool {
        self.node(index).situation.terminal
    }

    pub fn proved(&self, index: NodeIndex) -> Option<&[u8]> {
        self.node(index).proved.as_deref()
    }

    pub fn child(&self, parent: NodeIndex, joint: &JointMove) -> Option<NodeIndex> {
        self.children.get(&(parent, joint.clone())).copied()
    }

    /// Adds a state; `None` if memory does not suffice for it.
    pub fn insert(
        &mut self,
        parent: NodeIndex,
        joint: &JointMove,
        state: State,
        situation: Situation,
    ) -> Option<NodeIndex> {
        let child = self.push(Node::new(state, situation)).ok()?;
        self.children.insert((parent, joint.clone()), child);
        Some(child)
    }

    /// Chooses a joint move: by upper confidence bounds for players, at random for chance. The descent is then pending.
    pub fn choose(&mut self, index: NodeIndex, random: &mut Random) -> JointMove {
        let node = self.node(index);
        let mut choosers = (0..node.situation.legal.len()).filter(|&role| node.situation.legal[role].len() > 1);
        let only = choosers.next().filter(|_| choosers.next().is_none());
        let mut joint = JointMove::new();
        for (role, moves) in node.situation.legal.iter().enumerate() {
            let chosen = match moves.len() {
                1 => 0,
                count if role >= self.players => random.below(count),
                _ => self.bandit(index, role, only == Some(role), random),
            };
            joint.push(moves[chosen]);
        }
        let node = &mut self.nodes[index.index()];
        for (role, &action) in joint.iter().enumerate() {
            node.arm(role, action).expect("a chosen move is legal").pending += 1;
        }
        joint
    }

    /// The index of the move with the largest bound. If `alone`, no other role has a choice, so each move leads to one
    /// state. Moves to proved states are then skipped.
    fn bandit(&self, index: NodeIndex, role: usize, alone: bool, random: &mut Random) -> usize {
        let node = self.node(index);
        let arms = &node.arms[role];
        let total: u32 = arms.iter().map(|arm| arm.visits + arm.pending).sum();
        let log = f64::from(total.max(1)).ln();
        let bound = |place: usize| {
            let arm = arms[place];
            let tries = f64::from(arm.visits + arm.pending);
            match arm.visits + arm.pending {
                0 => f64::INFINITY,
                _ => arm.sum as f64 / 100.0 / tries + EXPLORATION * (log / tries).sqrt(),
            }
        };
        let first = random.below(arms.len());
        let places = (first..arms.len()).chain(0..first);
        let open = places.filter(|&place| {
            !alone
                || node.floor.is_none()
                || self.proved_after(index, role, node.situation.legal[role][place]).is_none()
        });
        let bounds = open.map(|place| (bound(place), place));
        let best = bounds.reduce(|best, next| if next.0 > best.0 { next } else { best });
        // If all moves were proved, the state would be proved, and no descent would come here; so `best` exists.
        best.map_or(first, |best| best.1)
    }

    /// The value after a move of the only role with a choice, if it is proved.
    fn proved_after(&self, index: NodeIndex, role: usize, action: MoveId) -> Option<&[u8]> {
        let mut joint: JointMove = self.node(index).situation.legal.iter().map(|moves| moves[0]).collect();
        joint[role] = action;
        self.proved(*self.children.get(&(index, joint))?)
    }

    /// Counts the result of a descent. If a mover can reach a better proved value, that value counts above its state.
    pub fn record(&mut self, path: &[(NodeIndex, JointMove)], rewards: &[u8]) {
        let mut rewards = rewards.to_vec();
        for (index, joint) in path.iter().rev() {
            let node = &mut self.nodes[index.index()];
            for (role, &action) in joint.iter().enumerate() {
                let arm = node.arm(role, action).expect("a chosen move is legal");
                arm.pending -= 1;
                arm.visits += 1;
                arm.sum += u64::from(rewards[role]);
            }
            let mover = node.situation.legal.iter().position(|moves| moves.len() > 1);
            if let (Some(role), Some(floor)) = (mover, &node.floor)
                && rank(role, floor) > rank(role, &rewards)
            {
                rewards.copy_from_slice(floor);
            }
        }
    }

    pub fn release(&mut self, path: &[(NodeIndex, JointMove)]) {
        for (index, joint) in path {
            for (role, &action) in joint.iter().enumerate() {
                self.nodes[index.index()].arm(role, action).expect("a chosen move is legal").pending -= 1;
            }
        }
    }

    /// Proves states in turn, until a value does not follow.
    pub fn prove(&mut self, states: impl Iterator<Item = NodeIndex>) {
        for index in states {
            if self.node(index).proved.is_some() {
                continue;
            }
            let (floor, proved) = self.follows(index);
            let node = &mut self.nodes[index.index()];
            if proved {
                node.proved = floor;
            } else {
                node.floor = floor;
                return;
            }
        }
    }

    /// The best proved value for the only role with a choice, and whether it is the value of the state.
    fn follows(&self, index: NodeIndex) -> (Option<Box<[u8]>>, bool) {
        let node = self.node(index);
        let after = |joint: JointMove| self.proved(*self.children.get(&(index, joint))?);
        let mut choosers = (0..node.situation.legal.len()).filter(|&role| node.situation.legal[role].len() > 1);
        match (choosers.next(), choosers.next()) {
            // If several roles choose or chance moves, a value is proved only if all choices lead to it.
            (Some(role), next) if next.is_some() || role >= self.players => {
                if node.situation.joint_move_count() > MOST_JOINTS {
                    return (None, false);
                }
                let mut values = node.situation.joint_moves().map(after);
                let first = values.next().flatten();
                match first.filter(|&first| values.all(|value| value == Some(first))) {
                    Some(value) => (Some(value.into()), true),
                    None => (None, false),
                }
            }
            (Some(role), _) => {
                let mut all = true;
                let mut best: Option<&[u8]> = None;
                for joint in node.situation.joint_moves() {
                    match after(joint) {
                        Some(value) if best.is_none_or(|best| rank(role, value) > rank(role, best)) => {
                            best = Some(value);
                        }
                        Some(_) => {}
                        None => all = false,
                    }
                }
                let whole = best.is_some_and(|best| all || rank(role, best) >= rank(role, &self.best_for(role)));
                (best.map(Into::into), whole)
            }
            _ => {
                let value: Option<Box<[u8]>> = node.situation.joint_moves().next().and_then(after).map(Into::into);
                let whole = value.is_some();
                (value, whole)
            }
        }
    }

    fn best_for(&self, role: usize) -> Vec<u8> {
        let each = self.bounds.iter().enumerate();
        each.map(|(other, &(most, least))| if other == role { most } else { least }).collect()
    }

    pub fn judged(&self, index: NodeIndex, role: RoleId) -> Vec<Judged> {
        let node = self.node(index);
        let role = role.index();
        let alone = node.situation.legal.iter().enumerate().all(|(other, moves)| other == role || moves.len() == 1);
        let judge = |(&action, arm): (&MoveId, &Arm)| {
            let proved = alone.then(|| self.proved_after(index, role, action)).flatten().map(|value| value[role]);
            let mean = arm.sum as f64 / f64::from(arm.visits.max(1));
            Judged { action, visits: arm.visits, worth: proved.map_or(mean, f64::from), proved: proved.is_some() }
        };
        node.situation.legal[role].iter().zip(&node.arms[role]).map(judge).collect()
    }

    /// Moves the root to the state after a joint move, and drops all nodes that are not below it.
    pub fn advance(&mut self, joint: &JointMove, state: State, situation: Situation) -> Result<(), LimitReached> {
        let kept = self.child(Tree::ROOT, joint);
        let mut old: Vec<Option<Node>> = std::mem::take(&mut self.nodes).into_iter().map(Some).collect();
        let children = std::mem::take(&mut self.children);
        self.account.shrink_to(0);
        let Some(root) = kept else {
            drop(old);
            self.push(Node::new(state, situation))?;
            return Ok(());
        };
        let mut below: Vec<Vec<(JointMove, NodeIndex)>> = vec![Vec::new(); old.len()];
        for ((parent, joint), child) in children {
            below[parent.index()].push((joint, child));
        }
        let mut take = |index: NodeIndex| old[index.index()].take().expect("a state has one parent");
        self.push(take(root))?;
        let mut next = vec![(root, Tree::ROOT)];
        while let Some((from, to)) = next.pop() {
            for (joint, child) in std::mem::take(&mut below[from.index()]) {
                let Ok(new) = self.push(take(child)) else { continue };
                self.children.insert((to, joint), new);
                next.push((child, new));
            }
        }
        Ok(())
    }
}

fn rank(role: usize, rewards: &[u8]) -> impl Ord + use<> {
    OpponentModel::MaxOwn.rank(role, rewards)
}
