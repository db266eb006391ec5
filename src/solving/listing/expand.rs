//! Computes the successors of listed states, and collects figures and errors of the states.

use super::engine::{Engine, Worker};
use super::list::{Collector, List};
use base::limits::LimitReached;
use game::batch::{LANES, Plane, Successors};
use game::interpreter::JointMove;
use game::propositional::RoleId;
use kernel::Context;

/// Collected successors and findings. If a state is ill-formed or has a successor without a packed form, only `faulty`
/// and `unfit` of `met` have a meaning.
pub struct Expanded {
    /// The collectors of each thread. If successors are distinguished by the role with the choice, there is one for
    /// each role and one for states without a choice; otherwise there is a single collector.
    collectors: Vec<Vec<Collector>>,
    pub met: Met,
}

#[derive(Default)]
pub struct Met {
    pub terminal: u64,
    /// Number of successors; a successor of several moves counts several times.
    pub edges: u64,
    /// Number of evaluated gates; a gate counts once for a whole batch.
    pub gates: u64,
    /// For each role, whether it has a choice in some state.
    pub choosing: Vec<bool>,
    /// The rank of the first ill-formed state.
    pub faulty: Option<usize>,
    /// Ranks of states with a successor that has no packed form, ascending, with the moves that lead there. Covers only
    /// the first batch with such states, and perhaps not all of them.
    pub unfit: Vec<(usize, JointMove)>,
}

impl Met {
    fn new(roles: usize) -> Met {
        Met { choosing: vec![false; roles], ..Met::default() }
    }

    fn join(&mut self, other: Met) {
        self.terminal += other.terminal;
        self.choosing.iter_mut().zip(other.choosing).for_each(|(all, own)| *all |= own);
        self.edges += other.edges;
        self.gates += other.gates;
        self.faulty = self.faulty.into_iter().chain(other.faulty).min();
        if self.unfit.is_empty() || !other.unfit.is_empty() && other.unfit < self.unfit {
            self.unfit = other.unfit;
        }
    }
}

impl Expanded {
    /// Bytes of the collected successors, including the room for merging them.
    pub fn bytes(&self) -> u64 {
        self.collectors.iter().flatten().map(Collector::bytes).sum()
    }

    /// Takes out the successors collected so far, without duplicates: a list for each collector of a thread.
    pub fn take(&mut self) -> Result<Vec<List>, LimitReached> {
        let mut lists: Vec<Option<List>> = Vec::new();
        for collectors in &mut self.collectors {
            lists.resize_with(collectors.len(), || None);
            for (list, collector) in lists.iter_mut().zip(collectors) {
                let more = collector.take()?;
                *list = Some(match list.take() {
                    Some(list) if more.is_empty() => list,
                    Some(list) => list.merged(&more)?,
                    None => more,
                });
            }
        }
        Ok(lists.into_iter().flatten().collect())
    }
}

struct Part<'a> {
    collectors: &'a mut Vec<Collector>,
    /// For each role, the states of the batch in which it has a choice. Empty if successors are not distinguished.
    kinds: Vec<Plane>,
    words: usize,
    met: Met,
}

impl Part<'_> {
    /// The index of the collector for the successors of the state in a lane.
    fn kind(&self, lane: usize) -> usize {
        self.kinds.iter().position(|kind| kind.get(lane)).unwrap_or(self.kinds.len())
    }

    /// The index of the collector for all states in `lanes`; `None` if they have different collectors.
    fn common(&self, lanes: &Plane) -> Option<usize> {
        let whole = self.kinds.iter().position(|kind| *kind & *lanes == *lanes);
        whole.or_else(|| self.kinds.iter().all(|kind| (*kind & *lanes).is_none()).then_some(self.kinds.len()))
    }

    /// Collects successors of states with the same collector.
    fn collect(&mut self, kind: usize, states: &[u64]) -> Result<(), LimitReached> {
        self.met.edges += (states.len() / self.words) as u64;
        self.collectors[kind].extend(states)
    }

    fn collect_each(&mut self, lanes: impl Iterator<Item = usize>, states: &[u64]) -> Result<(), LimitReached> {
        lanes.zip(states.chunks_exact(self.words)).try_for_each(|(lane, state)| self.collect(self.kind(lane), state))
    }

    /// Collects the successors of a batch of well-formed states; `first` is the rank of its first state.
    fn successors(
        &mut self,
        Worker { evaluator, joints, .. }: &mut Worker,
        found: &mut Successors,
        first: usize,
        context: &Context,
    ) -> Result<(), LimitReached> {
        if evaluator.prefers_pairs() {
            return evaluator.each_pair(true, found, |pairs, found| {
                context.limits().check()?;
                self.met.unfit.extend(found.unfit.lanes().map(|pair| (first + pairs.lanes[pair], pairs.joint(pair))));
                match self.kinds.is_empty() {
                    true => self.collect(0, &found.states),
                    false => self.collect_each(pairs.lanes.iter().copied(), &found.states),
                }
            });
        }
        evaluator.joint_moves(Plane::first(LANES), joints);
        for (id, lanes) in &*joints {
            context.limits().check()?;
            evaluator.successors(*id, lanes, found);
            if let Some(lane) = found.unfit.lanes().next() {
                self.met.unfit.push((first + lane, evaluator.joint(*id).clone()));
                continue;
            }
            match self.common(lanes) {
                Some(kind) => self.collect(kind, &found.states)?,
                None => self.collect_each(lanes.lanes(), &found.states)?,
            }
        }
        Ok(())
    }
}

impl Engine<'_> {
    /// An empty expansion. With `by_choice`, it distinguishes successors by the role with the choice.
    pub fn expansion(&self, by_choice: bool, context: &Context) -> Expanded {
        let kinds = if by_choice { self.roles + 1 } else { 1 };
        let collectors = || (0..kinds).map(|_| Collector::new(self.layout().words(), context.limits())).collect();
        Expanded { collectors: (0..context.threads()).map(|_| collectors()).collect(), met: Met::new(self.roles) }
    }

    pub fn expand(&mut self, states: &[u64], into: &mut Expanded, context: &Context) -> Result<(), LimitReached> {
        let (roles, words) = (self.roles, self.layout().words());
        let part = |collectors| Part { collectors, kinds: Vec::new(), words, met: Met::new(roles) };
        let mut parts: Vec<(Part, Successors)> =
            into.collectors.iter_mut().map(|collectors| (part(collectors), Successors::default())).collect();
        self.with_own(states, &mut parts, context, |worker, (part, found), first| {
            let evaluator = &worker.evaluator;
            part.met.terminal += evaluator.terminal().count() as u64;
            if let Some(lane) = evaluator.faults().any().lanes().next() {
                part.met.faulty = Some(first + lane);
                return Ok(false);
            }
            part.kinds = (0..roles as u32).map(|role| evaluator.choice(RoleId(role))).collect();
            part.met.choosing.iter_mut().zip(&part.kinds).for_each(|(choosing, kind)| *choosing |= !kind.is_none());
            if part.collectors.len() == 1 {
                part.kinds.clear();
            }
            let before = evaluator.work();
            part.successors(worker, found, first, context)?;
            part.met.gates += worker.evaluator.work() - before + worker.evaluator.gates();
            part.met.unfit.sort_unstable();
            Ok::<_, LimitReached>(part.met.unfit.is_empty())
        })?;
        let met: Vec<Met> = parts.into_iter().map(|(part, _)| part.met).collect();
        met.into_iter().for_each(|met| into.met.join(met));
        Ok(())
    }
}
