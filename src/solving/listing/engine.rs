//! Evaluates the rules on a list of states: computes successors, values, and arbitrary conditions.

use super::graph::{Graph, graph_bytes};
use super::index::Index;
use base::limits::{Account, LimitReached, Limits, Reserved};
use game::batch::{Evaluator, JointId, LANES, Layout, Plane, Successors};
use game::propositional::{Game, MoveId, RoleId};
use kernel::{Context, DEAD_END, Preferences, of_terminal};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of batches that a thread takes at a time.
const BATCHES: usize = 16;

/// Marks a state without a value.
const NONE: u16 = DEAD_END as u16;

/// Evaluates the rules of one game on lists of states. Reuse an engine, because it caches the effects of moves.
pub struct Engine<'g> {
    layout: Layout,
    pub(super) moves: Vec<Vec<MoveId>>,
    pub(super) roles: usize,
    /// Rewards of terminal states, ascending. The value of a state is the index of its rewards, plus 1.
    pub(super) rewards: Arc<[Vec<u8>]>,
    workers: Vec<Worker<'g>>,
}

pub(super) struct Worker<'g> {
    pub(super) evaluator: Evaluator<'g>,
    pub(super) joints: Vec<(JointId, Plane)>,
    /// The memory of the evaluator's cache, once the evaluator has been used.
    account: Option<Account>,
}

#[derive(Default)]
pub(super) struct Ranking {
    pub(super) found: Successors,
    pub(super) ranks: Vec<u32>,
}

impl Clone for Worker<'_> {
    fn clone(&self) -> Self {
        Worker { evaluator: self.evaluator.clone(), joints: self.joints.clone(), account: None }
    }
}

impl Worker<'_> {
    /// Accounts for the memory of the evaluator's cache.
    fn settle(&mut self, limits: &Arc<Limits>) -> Result<(), LimitReached> {
        self.account.get_or_insert_with(|| Account::new(limits)).set(self.evaluator.bytes() as u64)
    }

    /// Looks up the successors of a batch. Returns their ranks, by state, then by joint move; and the index of each
    /// state's first successor, followed by the number of all successors. Every successor must have a packed form.
    /// `bytes`: memory to reserve per successor.
    pub(super) fn targets<'l>(
        &mut self,
        index: &Index,
        Ranking { found, ranks }: &mut Ranking,
        bytes: usize,
        limits: &'l Limits,
    ) -> Result<(Vec<usize>, Vec<u32>, Reserved<'l>), LimitReached> {
        let Worker { evaluator, joints, .. } = self;
        evaluator.joint_moves(Plane::first(LANES), joints);
        let mut starts = vec![0; evaluator.lanes() + 1];
        joints.iter().for_each(|(_, lanes)| lanes.lanes().for_each(|lane| starts[lane + 1] += 1));
        (1..starts.len()).for_each(|lane| starts[lane] += starts[lane - 1]);
        let all = starts.last().copied().unwrap_or(0);
        let held = limits.hold((all * bytes) as u64)?;
        let (mut places, mut targets) = (starts.clone(), vec![0; all]);
        for (id, lanes) in &*joints {
            limits.check()?;
            evaluator.packable_successors(*id, lanes, found);
            index.ranks(&found.states, ranks);
            for (lane, &rank) in lanes.lanes().zip(&*ranks) {
                targets[places[lane]] = rank;
                places[lane] += 1;
            }
        }
        Ok((starts, targets, held))
    }
}

/// The reason why states have no values.
#[derive(Debug)]
pub enum Wrong {
    Limit(LimitReached),
    /// The state with this rank is ill-formed. [`Engine::ends`] and [`Engine::values`] accept one that only lacks a
    /// move.
    Faulty(usize),
    /// A successor has no value, or a value that the movers do not rank.
    Value(u32),
}

impl From<LimitReached> for Wrong {
    fn from(limit: LimitReached) -> Self {
        Wrong::Limit(limit)
    }
}

impl<'g> Engine<'g> {
    pub fn new(game: &'g Game, layout: Layout, rewards: Vec<Vec<u8>>) -> Engine<'g> {
        let worker = Worker { evaluator: Evaluator::new(game, &layout), joints: Vec::new(), account: None };
        let moves = game.role_ids().map(|role| game.moves_of(role).collect()).collect();
        Engine { layout, moves, roles: game.roles.len(), rewards: rewards.into(), workers: vec![worker] }
    }

    /// Accepts states in which several roles have a choice.
    pub fn with_joint_choices(mut self) -> Self {
        self.workers.iter_mut().for_each(|worker| worker.evaluator.allow_joint_choices());
        self
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The reward vectors that terminal states may have, ascending.
    pub fn rewards(&self) -> &[Vec<u8>] {
        &self.rewards
    }

    /// Bytes that are kept from batch to batch.
    pub fn bytes(&self) -> u64 {
        self.workers.iter().map(|worker| worker.evaluator.bytes() as u64).sum()
    }

    /// As [`Engine::with_own`], with defaults as the initial data of each thread.
    fn on_batches<T: Send + Default, E: Send + From<LimitReached>>(
        &mut self,
        states: &[u64],
        context: &Context,
        body: impl Fn(&mut Worker<'g>, &mut T, usize) -> Result<(), E> + Sync,
    ) -> Result<Vec<T>, E> {
        let mut owns = Vec::new();
        owns.resize_with(context.threads(), T::default);
        self.with_own(states, &mut owns, context, |worker, own, first| body(worker, own, first).map(|()| true))?;
        Ok(owns)
    }

    /// Calls `body` on batches of the states, with the rank of the first state and the data of the thread. A thread
    /// stops if `body` fails or returns false.
    pub(super) fn with_own<T: Send, E: Send + From<LimitReached>>(
        &mut self,
        states: &[u64],
        own: &mut [T],
        context: &Context,
        body: impl Fn(&mut Worker<'g>, &mut T, usize) -> Result<bool, E> + Sync,
    ) -> Result<(), E> {
        let words = self.layout.words();
        let pieces: Vec<(usize, &[u64])> = states.chunks(BATCHES * LANES * words).enumerate().collect();
        while self.workers.len() < own.len().min(pieces.len()) {
            self.workers.push(self.workers[0].clone());
        }
        let mut slots: Vec<_> = self.workers.iter_mut().zip(own).map(|(worker, own)| (worker, own, Ok(true))).collect();
        context.share(&pieces, &mut slots, |_, (piece, states), (worker, own, state)| {
            let first = piece * BATCHES * LANES;
            for (batch, states) in states.chunks(LANES * words).enumerate() {
                if !matches!(state, Ok(true)) {
                    return;
                }
                worker.evaluator.load(states);
                let limits = context.limits();
                *state = limits.check().map_err(E::from).and_then(|()| body(worker, own, first + batch * LANES));
                if let (Ok(_), Err(limit)) = (&*state, worker.settle(limits)) {
                    *state = Err(limit.into());
                }
            }
        });
        slots.into_iter().try_for_each(|(_, _, state)| state.map(|_| ()))
    }

    /// Whether a condition holds in each state, by rank. `condition` gets the evaluator of a batch.
    pub fn select(
        &mut self,
        states: &[u64],
        context: &Context,
        condition: impl Fn(&Evaluator) -> Plane + Sync,
    ) -> Result<Vec<bool>, LimitReached> {
        let mut holds = vec![false; states.len() / self.layout.words()];
        let owns = self.on_batches(states, context, |worker, own: &mut Vec<usize>, first| {
            own.extend(condition(&worker.evaluator).lanes().map(|lane| first + lane));
            Ok::<_, LimitReached>(())
        })?;
        owns.into_iter().flatten().for_each(|rank| holds[rank] = true);
        Ok(holds)
    }

    /// Whether each state has a wanted successor, by rank. `wanted` appends whether each packed state is wanted.
    pub fn leads(
        &mut self,
        states: &[u64],
        context: &Context,
        wanted: impl Fn(&[u64], &mut Vec<bool>) + Sync,
    ) -> Result<Vec<bool>, LimitReached> {
        let mut leads = vec![false; states.len() / self.layout.words()];
        type Own = (Vec<usize>, Successors, Vec<bool>);
        let limits = context.limits();
        let owns = self.on_batches(states, context, |worker, (ranks, found, said): &mut Own, first| {
            let Worker { evaluator, joints, .. } = worker;
            let mut leading = Plane::NONE;
            if evaluator.prefers_pairs() {
                evaluator.each_pair(false, found, |pairs, found| {
                    limits.check()?;
                    said.clear();
                    wanted(&found.states, said);
                    pairs.lanes.iter().zip(&*said).filter(|(_, said)| **said).for_each(|(&lane, _)| leading.set(lane));
                    Ok::<_, LimitReached>(())
                })?;
            } else {
                evaluator.joint_moves(Plane::first(LANES), joints);
                for (id, lanes) in &*joints {
                    evaluator.packable_successors(*id, lanes, found);
                    said.clear();
                    wanted(&found.states, said);
                    lanes.lanes().zip(&*said).filter(|(_, said)| **said).for_each(|(lane, _)| leading.set(lane));
                }
            }
            ranks.extend(leading.lanes().map(|lane| first + lane));
            Ok::<_, LimitReached>(())
        })?;
        owns.into_iter().flat_map(|own| own.0).for_each(|rank| leads[rank] = true);
        Ok(leads)
    }

    /// The moves between states, the roles that choose, and the values of terminal states. Successors that are not in
    /// the index are [`MISSING`](super::MISSING). An ill-formed state is an error.
    pub fn graph(&mut self, states: &[u64], index: &Index, context: &Context) -> Result<Graph, Wrong> {
        type Own = (Ranking, Vec<(usize, Part)>, Option<Account>);
        let (roles, rewards) = (self.roles, Arc::clone(&self.rewards));
        let owns = self.on_batches(states, context, |worker, (ranking, parts, account): &mut Own, first| {
            let evaluator = &worker.evaluator;
            if let Some(lane) = evaluator.faults().any().lanes().next() {
                return Err(Wrong::Faulty(first + lane));
            }
            let values = terminal_values(evaluator, roles, &rewards, &[]);
            let mut choosers = vec![Graph::NOBODY; evaluator.lanes()];
            for role in 0..roles as u32 {
                evaluator.choice(RoleId(role)).lanes().for_each(|lane| {
                    choosers[lane] = if choosers[lane] == Graph::NOBODY { role } else { Graph::SEVERAL };
                });
            }
            let (starts, targets, _held) = worker.targets(index, ranking, size_of::<u32>(), context.limits())?;
            let degrees = starts.windows(2).map(|ends| (ends[1] - ends[0]) as u32).collect();
            let part = Part { values, choosers, degrees, targets };
            account.get_or_insert_with(|| Account::new(context.limits())).add(part.bytes())?;
            parts.push((first, part));
            Ok(())
        })?;
        let (parts, accounts): (Vec<_>, Vec<_>) = owns.into_iter().map(|(_, parts, account)| (parts, account)).unzip();
        let mut parts: Vec<(usize, Part)> = parts.into_iter().flatten().collect();
        parts.sort_unstable_by_key(|(first, _)| *first);
        let targets = parts.iter().map(|(_, part)| part.targets.len()).sum();
        drop(accounts);
        let mut graph = Graph::with_capacity(states.len() / self.layout.words(), targets, context.limits())?;
        for (_, part) in parts {
            graph.values.extend(part.values.iter().map(|&value| if value == NONE { 0 } else { value }));
            graph.choosers.extend(part.choosers);
            graph.degrees.extend(part.degrees);
            graph.targets.extend(part.targets);
        }
        Ok(graph)
    }

    /// The values of terminal states, ascending, each with its number of states and the rank of the first of them.
    pub fn ends(&mut self, states: &[u64], context: &Context) -> Result<Vec<(u16, u64, usize)>, Wrong> {
        type Own = BTreeMap<u16, (u64, usize)>;
        let (roles, rewards) = (self.roles, Arc::clone(&self.rewards));
        let owns = self.on_batches(states, context, |worker, own: &mut Own, first| {
            let faults = worker.evaluator.faults();
            if let Some(lane) = (faults.no_goal | faults.two_goals).lanes().next() {
                return Err(Wrong::Faulty(first + lane));
            }
            let values = terminal_values(&worker.evaluator, roles, &rewards, &[]);
            for (rank, value) in (first..).zip(values).filter(|(_, value)| *value != NONE) {
                let (states, least) = own.entry(value).or_insert((0, rank));
                (*states, *least) = (*states + 1, rank.min(*least));
            }
            Ok(())
        })?;
        let mut all = BTreeMap::new();
        for (value, (states, rank)) in owns.into_iter().flatten() {
            let (sum, least) = all.entry(value).or_insert((0, rank));
            (*sum, *least) = (*sum + states, rank.min(*least));
        }
        Ok(all.into_iter().map(|(value, (states, rank))| (value, states, rank)).collect())
    }

    /// The value of each state by rank, from the values of its successors; [`DEAD_END`] for a state that is not
    /// terminal and has no successor. `look_up` gets packed states and fills its second argument with their values, 0
    /// for a state without a value.
    pub fn values(
        &mut self,
        states: &[u64],
        preferences: &Preferences,
        context: &Context,
        look_up: impl Fn(&[u64], &mut Vec<u32>) + Sync,
    ) -> Result<Vec<u16>, Wrong> {
        #[derive(Default)]
        struct Own {
            found: Successors,
            after: Vec<u32>,
            values: Vec<(usize, Vec<u16>)>,
        }
        let (roles, rewards) = (self.roles, Arc::clone(&self.rewards));
        let owns = self.on_batches(states, context, |worker, own: &mut Own, first| {
            let Worker { evaluator, joints, .. } = worker;
            let faults = evaluator.faults();
            if let Some(lane) = (faults.no_goal | faults.two_goals | faults.two_movers).lanes().next() {
                return Err(Wrong::Faulty(first + lane));
            }
            let mut values = terminal_values(evaluator, roles, &rewards, &preferences.terminals);
            let mut movers = [0; LANES];
            for role in 1..roles {
                evaluator.choice(RoleId(role as u32)).lanes().for_each(|lane| movers[lane] = role);
            }
            evaluator.joint_moves(Plane::first(LANES), joints);
            for (id, lanes) in &*joints {
                evaluator.packable_successors(*id, lanes, &mut own.found);
                look_up(&own.found.states, &mut own.after);
                for (lane, &value) in lanes.lanes().zip(&own.after) {
                    let ranks = &preferences.ranks[movers[lane]];
                    if value == 0 || value as usize >= ranks.len() {
                        return Err(Wrong::Value(value));
                    }
                    let best = values[lane];
                    if best == NONE || ranks[value as usize] > ranks[best as usize] {
                        values[lane] = value as u16;
                    }
                }
            }
            own.values.push((first, values));
            Ok(())
        })?;
        let mut values = vec![0; states.len() / self.layout.words()];
        for (first, some) in owns.into_iter().flat_map(|own| own.values) {
            values[first..first + some.len()].copy_from_slice(&some);
        }
        Ok(values)
    }
}

/// The value of the terminal state in each lane, or its entry in `terminals`; [`NONE`] for other states.
pub(super) fn terminal_values(evaluator: &Evaluator, roles: usize, rewards: &[Vec<u8>], terminals: &[u32]) -> Vec<u16> {
    let lanes = evaluator.lanes();
    let mut values = vec![NONE; lanes];
    if evaluator.terminal().is_none() {
        return values;
    }
    let mut own = vec![0; roles * lanes];
    for (role, reward, plane) in evaluator.rewards() {
        plane.lanes().for_each(|lane| own[lane * roles + role.index()] = reward);
    }
    for lane in evaluator.terminal().lanes() {
        let own = &own[lane * roles..][..roles];
        let place = rewards.binary_search_by(|other| other.as_slice().cmp(own));
        let value = place.expect("the rewards of a state are those of its conditions") as u32 + 1;
        values[lane] = of_terminal(terminals, value) as u16;
    }
    values
}

struct Part {
    values: Vec<u16>,
    choosers: Vec<u32>,
    degrees: Vec<u32>,
    targets: Vec<u32>,
}

impl Part {
    fn bytes(&self) -> u64 {
        graph_bytes(self.values.len(), self.targets.len())
    }
}
