//! A search for good moves by random play: Monte Carlo tree search with proofs.
//!
//! A round descends the tree 64 times, by upper confidence bounds (UCT: Kocsis and Szepesvári 2006). Each role chooses
//! separately, so that roles may move at the same time (decoupled UCT); chance moves at random. The descents end at 64
//! states, and new ones are added to the tree. A random play starts from each that is not proved; the plays advance
//! together, because the interpreter evaluates 64 states at once. Until the round ends, a descent counts as a loss for
//! the next ones, so that these take other paths.
//!
//! A state whose value follows from ends of the game is proved and not sampled again (Winands, Björnsson and Saito,
//! "Monte-Carlo Tree Search Solver", 2008). It has the value of its best proved move if all moves are proved or no
//! other move can be better. For a single player, the best play found so far is kept, too.
//!
//! Cost of a round: an evaluation of the rules for each ply of the longest play, and memory for 64 states. If memory
//! runs out, the tree no longer grows and is only sampled.

mod tree;

use super::arena::Arena;
use base::limits::{LimitReached, Limits};
use base::random::Random;
use game::interpreter::{JointMove, Situation, State};
use game::propositional::{MoveId, RoleId};
use std::sync::Arc;
use std::time::Instant;
use tree::{NodeIndex, Tree};

const LANES: usize = 64;
/// Bound on the plies of a random play, after which the goals of the current state count as rewards.
const LONGEST: usize = 1000;

pub struct Search {
    arena: Arc<Arena>,
    tree: Tree,
    random: Random,
    /// For a single player: the reward of the best play found, and the remaining moves of this play.
    plan: Option<(u8, Vec<MoveId>)>,
    rounds: u64,
}

struct Lane {
    path: Vec<(NodeIndex, JointMove)>,
    leaf: NodeIndex,
    state: State,
    /// For a single player: the moves of the random play.
    further: Vec<MoveId>,
    rewards: Option<Vec<u8>>,
    /// Whether the rewards are certain, as those of a terminal or proved state are.
    exact: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    pub action: MoveId,
    pub visits: u32,
    pub worth: f64,
    pub proved: bool,
}

impl Search {
    pub fn new(arena: Arc<Arena>, state: State, limits: &Arc<Limits>, seed: u64) -> Result<Search, LimitReached> {
        let situation = arena.interpreter.situation(&state);
        let tree = Tree::new(&arena.game, state, situation, limits)?;
        Ok(Search { arena, tree, random: Random::new(seed), plan: None, rounds: 0 })
    }

    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// By role: the value of the current state, if it is proved.
    pub fn proved(&self) -> Option<&[u8]> {
        self.tree.proved(Tree::ROOT)
    }

    /// Moves the root to `state`, which must follow from the legal joint move `joint`.
    pub fn advance(&mut self, joint: &JointMove, state: State) -> Result<(), LimitReached> {
        self.plan = self.plan.take().and_then(|(reward, mut moves)| {
            (joint.len() == 1 && moves.first() == Some(&joint[0])).then(|| {
                moves.remove(0);
                (reward, moves)
            })
        });
        let situation = self.arena.interpreter.situation(&state);
        self.tree.advance(joint, state, situation)
    }

    /// Makes a round, unless it would outlast the deadline. Returns false if nothing is left to find out.
    pub fn round(&mut self, deadline: Instant) -> bool {
        if self.proved().is_some() || self.tree.is_over(Tree::ROOT) {
            return false;
        }
        let mut lanes: Vec<Lane> = (0..LANES).map(|_| self.descend()).collect();
        self.expand(&mut lanes);
        let done = self.play_on(&mut lanes, deadline);
        for lane in &lanes {
            match lane.rewards.as_ref().filter(|_| done) {
                Some(rewards) => self.tree.record(&lane.path, rewards),
                None => self.tree.release(&lane.path),
            }
        }
        if !done {
            return true;
        }
        self.rounds += 1;
        for lane in lanes {
            if lane.exact {
                self.tree.prove(lane.path.iter().rev().map(|step| step.0));
            }
            if let (1, Some(rewards)) = (self.arena.game.roles.len(), &lane.rewards)
                && self.plan.as_ref().is_none_or(|(best, _)| rewards[0] > *best)
            {
                let moves = lane.path.iter().map(|step| step.1[0]).chain(lane.further).collect();
                self.plan = Some((rewards[0], moves));
            }
        }
        true
    }

    /// Descends to a state that is not yet in the tree, is proved, or ends the game.
    fn descend(&mut self) -> Lane {
        let mut path = Vec::new();
        let mut node = Tree::ROOT;
        loop {
            if self.tree.proved(node).is_some() || self.tree.is_over(node) || path.len() >= LONGEST {
                break;
            }
            let joint = self.tree.choose(node, &mut self.random);
            let child = self.tree.child(node, &joint);
            path.push((node, joint));
            match child {
                Some(child) => node = child,
                None => {
                    let (parent, joint) = path.last().expect("a step was made");
                    let state = self.arena.interpreter.successor(self.tree.state(*parent), joint);
                    return self.lane(path, None, state);
                }
            }
        }
        let state = self.tree.state(node).clone();
        self.lane(path, Some(node), state)
    }

    fn lane(&self, path: Vec<(NodeIndex, JointMove)>, leaf: Option<NodeIndex>, state: State) -> Lane {
        let rewards = leaf.and_then(|leaf| self.tree.proved(leaf)).map(<[u8]>::to_vec);
        let exact = rewards.is_some();
        Lane { path, leaf: leaf.unwrap_or(NodeIndex::NONE), state, further: Vec::new(), rewards, exact }
    }

    /// Adds the new states to the tree, as far as memory permits.
    fn expand(&mut self, lanes: &mut [Lane]) {
        let new: Vec<usize> = (0..lanes.len()).filter(|&lane| lanes[lane].leaf == NodeIndex::NONE).collect();
        let mut situations = Vec::with_capacity(new.len());
        let states: Vec<&State> = new.iter().map(|&lane| &lanes[lane].state).collect();
        self.arena.interpreter.situations(&states, &mut situations);
        for (lane, situation) in new.into_iter().zip(situations) {
            let lane = &mut lanes[lane];
            let (parent, joint) = lane.path.last().expect("a new state has a parent");
            if let Some(rewards) = ended(&situation) {
                (lane.rewards, lane.exact) = (Some(rewards), true);
            }
            // Another descent of this round may have added the state already.
            let child = self.tree.child(*parent, joint);
            let child = child.or_else(|| self.tree.insert(*parent, joint, lane.state.clone(), situation));
            lane.leaf = child.unwrap_or(NodeIndex::NONE);
        }
    }

    /// Continues all plays at random until they are over; returns false if the deadline comes first.
    fn play_on(&mut self, lanes: &mut [Lane], deadline: Instant) -> bool {
        let interpreter = &self.arena.interpreter;
        let single = self.arena.game.roles.len() == 1;
        let mut open: Vec<usize> = (0..lanes.len()).filter(|&lane| lanes[lane].rewards.is_none()).collect();
        let (mut situations, mut successors) = (Vec::new(), Vec::new());
        for ply in 0.. {
            if open.is_empty() {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            situations.clear();
            let states: Vec<&State> = open.iter().map(|&lane| &lanes[lane].state).collect();
            interpreter.situations(&states, &mut situations);
            let mut moves: Vec<(usize, JointMove)> = Vec::with_capacity(open.len());
            for (&lane, situation) in open.iter().zip(&situations) {
                match situation.random_joint_move(&mut self.random).filter(|_| ply < LONGEST) {
                    Some(joint) => moves.push((lane, joint)),
                    None => lanes[lane].rewards = Some(standing(situation)),
                }
            }
            let pairs: Vec<_> = moves.iter().map(|(lane, joint)| (&lanes[*lane].state, joint.as_slice())).collect();
            successors.clear();
            interpreter.successors(&pairs, &mut successors);
            for ((lane, joint), state) in moves.iter().zip(successors.drain(..)) {
                lanes[*lane].state = state;
                if single {
                    lanes[*lane].further.push(joint[0]);
                }
            }
            open.clear();
            open.extend(moves.iter().map(|(lane, _)| *lane));
        }
        true
    }

    pub fn judged(&self, role: RoleId) -> Vec<Judged> {
        self.tree.judged(Tree::ROOT, role)
    }

    /// The best move so far; `None` if the role has no move.
    pub fn best(&self, role: RoleId) -> Option<MoveId> {
        if let (Some((_, moves)), None) = (&self.plan, self.proved())
            && let Some(&first) = moves.first()
        {
            return Some(first);
        }
        // A proved value counts fully; a mean counts less the fewer samples it has.
        let cautious = |judged: &Judged| match judged.proved {
            true => judged.worth,
            false => judged.worth - 100.0 / f64::from(judged.visits + 1).sqrt(),
        };
        let judged = self.judged(role);
        let best = judged.iter().max_by(|one, other| cautious(one).total_cmp(&cautious(other)));
        best.map(|judged| judged.action)
    }
}

/// By role: the rewards of a state that is terminal or in which a role has no move; `None` for other states.
fn ended(situation: &Situation) -> Option<Vec<u8>> {
    let over = situation.terminal || situation.legal.iter().any(Vec::is_empty);
    over.then(|| standing(situation))
}

/// By role: the first reward whose goal holds in the state, or 0.
fn standing(situation: &Situation) -> Vec<u8> {
    situation.goals.iter().map(|rewards| rewards.first().copied().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests;
