//! Chooses how a layer is solved: by one sweep on diagrams, or by retrograde analysis on bitvectors in one of three
//! ways.
//!
//! The choice between diagram and bitvector depends on the number of states of the layer just solved and the nodes of
//! its values. A stored solution has these figures as well, so an interrupted run goes on with the same choices. A
//! sweep takes about four requests of 100 to 150 ns for each node; a bitvector takes 5 to 20 ns for each state with a
//! program, and 200 to 600 ns without one. The choice among the ways on bitvectors depends on the number of
//! configurations and does not change the values. Time is never measured.
//!
//! Under a memory bound, bitvectors replace a sweep if the diagrams that it reads, or the diagram that it would have to
//! make of values by rank, would not fit. Another way replaces a program that would not fit even in parts. Both are
//! decided by counts that do not depend on threads. A refused allocation may lead to more parts but never to another
//! way; otherwise it ends the run with the limit.

use super::super::SolveError;
use super::super::expansion::Ahead;
use super::super::options::EngineChoice;
use super::super::outcome::{LayerEngine, Means};
use super::super::pass::Pass;
use super::super::progress::Event;
use super::super::spool::{Layer, Spool};
use super::super::team::{Answer, Assignment, Leader, Team};
use super::super::values::LayerValues;
use crate::ending::Endings;
use crate::kernel::{self, Bitvector, Diagram, Kind, Most, Preferences, Prepared, Retrograde, Way};
use crate::limits::LimitReached;
use num_bigint::BigUint;

/// Layers with fewer states than this are left to the sweep, as other costs of a layer dominate.
const FEW: u64 = 1 << 16;
/// Below this number of states per node of the diagram of values, bitvectors are quicker whatever their size.
const SPARSE: u64 = 64;
/// A program may have one configuration for this number of states.
const WORTH: u64 = 20;
/// Number of configurations that every program may have.
const LEAST: u64 = 1 << 14;
/// Assumed bytes of code for each configuration before the first program.
const CODE_BYTES: u64 = 64;
/// Number of nodes of two layers from which on the memory of their preparation predicts that of larger ones.
const TELLING: u64 = 1 << 12;
/// Bytes of a node of a value diagram; of one of a layer that a way by rank reads.
const NODE_BYTES: u64 = 8;
const RECORD_BYTES: u64 = 48;
/// The current layer may take three of this many parts of the memory bound.
const PARTS: u64 = 4;
/// Reserve beside a program and all memory that is accounted for: the memory bound divided by this.
const LEFT_OVER: u64 = 8;
/// Bound on the parts of a layer that get a program each, one after the other; and the code of all of them relative to
/// one for the whole layer, in eighths.
const MOST_PARTS: u64 = 64;
const OF_PARTS: u64 = 10;
const EIGHTHS: u64 = 8;
/// Bound on the layers prepared at once, for each thread.
const AHEAD: usize = 2;

/// Why a layer is left to the sweep.
const BY_RANK: &str = "nodes of values stand for few states each";
const DENSE: &str = "nodes of values stand for many states each";
const HOPELESS: &str = "programs of layers with as few states a node are too large";
const TOO_LARGE: &str = "its program is too large";
const NO_BITS: &str = "bitvectors would take more memory than there is";
const NO_ROOM: &str = "a sweep would take more memory than there is";
const DEAD_END: &str = "a state without a move was found";

/// Whether the layer before one with these values is better solved by rank: because the values take more bytes as nodes
/// than as bits, or have so many nodes that a sweep takes longer.
fn by_density(values: &Diagram, preferences: &Preferences, states: u64) -> Result<(), &'static str> {
    let planes = (LayerValues::occurring(values, preferences).len() as u64).saturating_sub(1).max(1);
    if values.node_count() * SPARSE.max(8 * NODE_BYTES / planes) > states { Ok(()) } else { Err(DENSE) }
}

/// A solved layer.
pub struct Solved {
    pub values: LayerValues,
    pub engine: LayerEngine,
}

/// A number of states that can be ranked.
pub fn ranked_states(states: &BigUint) -> Option<u64> {
    u64::try_from(states).ok().filter(|&states| states < kernel::MOST_RANKED)
}

/// Configurations that the program for so many states may have.
fn worth(states: u64) -> u64 {
    states / WORTH + LEAST
}

/// States per node of a layer.
fn density(layer: &Diagram, states: u64) -> u64 {
    states / (layer.node_count() + 1)
}

/// How a layer is solved by program.
enum Program {
    Whole(Prepared),
    /// By programs of about this number of parts, one after the other.
    Parts(u64),
}

/// Bytes that the program of a part should have.
fn part_bytes(most: Most) -> u64 {
    most.bytes / 4 * 3
}

/// Chooses the way for each layer, from the last one on.
pub struct Engine<'a> {
    pass: &'a Pass<'a>,
    /// Those of the layer at hand.
    preferences: Preferences,
    endings: &'a Endings,
    layer: usize,
    choice: EngineChoice,
    /// Fixes the way, for tests and measurements.
    way: Option<Way>,
    /// Whether the last layer showed that the next one is better solved by rank, or why not.
    hybrid: Result<(), &'static str>,
    /// Programs of layers with fewer states per node than this are too large.
    hopeless: u64,
    /// Bytes that preparing the last layer took for each node of it and of the next one.
    node_bytes: Option<u64>,
    /// Of the last program.
    code: Code,
    /// Bytes that layers waiting in memory may take.
    waiting: u64,
    /// Hands layers by rank to other processes, if there are any.
    leader: Option<Leader>,
}

/// Approximate bytes of code of a program: for each node of its layer and of the next one (a lower bound, if it was too
/// large), the same for the program before it, and for each configuration.
#[derive(Default)]
struct Code {
    of_node: u64,
    before: u64,
    of_configuration: Option<u64>,
}

impl Code {
    /// Records a program for a number of nodes.
    fn learn(&mut self, configurations: u64, bytes: u64, nodes: u64) {
        let of_node = bytes / (nodes + 1) + 1;
        let before = if self.of_node > 0 { self.of_node } else { of_node };
        *self = Code { of_node, before, of_configuration: Some(bytes / (configurations + 1) + 1) };
    }

    /// The predicted bytes of the next program for a number of nodes, if the bytes for each node grow half as fast as
    /// they did.
    fn expected(&self, nodes: u64) -> u64 {
        let [before, now] = [self.before.max(1), self.of_node].map(u128::from);
        let grown = (now.max(before) * now * now / before).isqrt();
        (u128::from(nodes) * grown).try_into().unwrap_or(u64::MAX)
    }
}

impl<'a> Engine<'a> {
    /// `figures`: of all layers.
    pub fn new(
        pass: &'a Pass<'a>,
        preferences: Preferences,
        endings: &'a Endings,
        choice: EngineChoice,
        way: Option<Way>,
        team: &Team,
        figures: &[Layer],
    ) -> Self {
        let hybrid = Err("the first layer to be solved");
        let nodes: u64 = figures.iter().map(|layer| layer.nodes).sum();
        let waiting = Spool::share(pass.context.limits()).min(nodes * NODE_BYTES);
        Engine {
            pass,
            preferences,
            endings,
            layer: figures.len(),
            choice,
            way,
            hybrid,
            hopeless: 0,
            node_bytes: None,
            code: Code::default(),
            waiting,
            leader: Leader::of(team),
        }
    }

    /// The movers' orders, and what terminal states of the layer solved last have.
    pub fn preferences(&self) -> &Preferences {
        &self.preferences
    }

    /// Values that states of a layer may have.
    fn possible(&self, layer: usize) -> usize {
        self.endings.possible(layer as u32)
    }

    /// Goes on after a layer that was solved before; `None`: its values are stored by rank.
    pub fn go_on(&mut self, values: Option<&LayerValues>, states: &BigUint) {
        self.hybrid = match (values, u64::try_from(states)) {
            (None | Some(LayerValues::Ranked(_)), _) => Ok(()),
            (Some(LayerValues::Diagram(values)), Ok(states)) => by_density(values, &self.preferences, states),
            _ => Err(DENSE),
        };
    }

    /// Whether the states of the next layer may be needed as well.
    pub fn needs_next(&self) -> bool {
        self.choice != EngineChoice::Symbolic && self.pass.expansion.has_retrograde()
    }

    /// Whether the next layer's states are to be kept.
    pub fn keeps_next(&self) -> bool {
        self.needs_next() || self.pass.expansion.needs_next()
    }

    /// How many layers, from the last of these on, to prepare at once, each by one thread: as many as are certain to be
    /// solved by program and fit into memory, up to a number for each thread; 0 if that would be only one.
    pub fn ahead(&self, figures: &[Layer]) -> usize {
        let context = self.pass.context;
        let by_rank = self.choice == EngineChoice::Hybrid || self.choice == EngineChoice::Auto && self.hybrid.is_ok();
        let (Some(node_bytes), true, true) = (self.node_bytes, by_rank, self.needs_next()) else { return 0 };
        if self.leader.is_some() || self.way.is_some_and(|way| way != Way::Program) {
            return 0;
        }
        let free = context.limits().memory().saturating_sub(context.limits().used());
        let (mut count, mut bytes, mut after) = (0, 0, 0);
        for (index, layer) in
            figures.iter().enumerate().rev().take(if context.threads() > 1 { AHEAD * context.threads() } else { 1 })
        {
            let states = ranked_states(&layer.states).filter(|&states| states / (layer.nodes + 1) >= self.hopeless);
            let Some(states) = states.filter(|&states| self.choice == EngineChoice::Hybrid || states >= FEW) else {
                break;
            };
            // A quarter more than predicted, and two bitvectors.
            bytes += (layer.nodes + after) * node_bytes / 4 * 5;
            after = layer.nodes;
            if bytes + 2 * Bitvector::bytes(states, self.possible(index) + 1) > free {
                break;
            }
            count += 1;
        }
        if count > 1 { count } else { 0 }
    }

    /// Prepares layers, last first; `next`: the successors of the first of these. `None` for a layer that must wait.
    pub fn prepare(
        &self,
        layers: &[Diagram],
        figures: &[Layer],
        next: &Diagram,
    ) -> Result<Vec<Option<Prepared>>, SolveError> {
        let nexts = std::iter::once(next).chain(layers);
        let indices = (0..figures.len()).rev();
        let terminals: Vec<Vec<u32>> =
            indices.clone().take(layers.len()).map(|index| self.endings.of_terminals(index as u32)).collect();
        let ahead: Vec<Ahead> = (layers.iter().zip(nexts).zip(indices.zip(&terminals)))
            .map(|((layer, next), (index, terminals))| {
                let states = ranked_states(&figures[index].states);
                let states = states.expect("only layers that can be ranked are prepared");
                Ahead { layer, next, terminals, most: self.most(index, states, layer, next) }
            })
            .collect();
        let prepared = self.pass.expansion.prepare(&ahead).into_iter();
        let mut prepared = prepared
            .map(|prepared| match prepared {
                // They are prepared later one by one, with the memory of the others.
                Err(SolveError::Limit(LimitReached::Memory { .. } | LimitReached::Size { .. })) => Ok(None),
                other => other.map(Some),
            })
            .collect::<Result<Vec<_>, _>>()?;
        if prepared.first().is_some_and(Option::is_none) {
            // It comes next, and may need the memory of the others.
            prepared.fill_with(|| None);
        }
        Ok(prepared)
    }

    /// Bytes that the current layer may take.
    fn room(&self) -> u64 {
        self.pass.context.limits().memory() / PARTS * (PARTS - 1)
    }

    /// The bounds beyond which a program for a layer with a number of states is given up.
    fn most(&self, index: usize, states: u64, layer: &Diagram, next: &Diagram) -> Most {
        if self.way.is_some() {
            return Most::UNLIMITED;
        }
        let memory = self.pass.context.limits().memory();
        let bytes = (memory - memory / LEFT_OVER)
            .saturating_sub(self.waiting)
            .saturating_sub(self.rank_bytes(index, states, layer, next));
        Most { configurations: worth(states), bytes }
    }

    /// Bytes that all ways by rank take for a layer with a number of states.
    fn rank_bytes(&self, index: usize, states: u64, layer: &Diagram, next: &Diagram) -> u64 {
        let planes = Bitvector::bytes(states, self.possible(index)).saturating_mul(2);
        planes.saturating_add((layer.node_count() + next.node_count()) * RECORD_BYTES)
    }

    /// Bytes that a sweep holds from the beginning; the rest may go to disk.
    fn sweep_bytes(&self, layer: &Diagram, after: &Diagram) -> u64 {
        let nodes = after.node_count();
        let ranks = LayerValues::occurring(after, &self.preferences).len() + 1;
        layer.node_count() * NODE_BYTES + nodes * kernel::bytes_of_node(nodes, ranks)
    }

    /// The values of the layer of this number, of so many states (if they fit 63 bits) from those of the `next` one; a dead end has
    /// [`DEAD_END`](kernel::DEAD_END) in a diagram of values, so that is what a layer with one always gets. `after`: `None` if
    /// the values of the next layer are in the store alone.
    #[allow(clippy::too_many_arguments)]
    pub fn solve(
        &mut self,
        index: usize,
        layer: &Diagram,
        states: Option<u64>,
        next: &Diagram,
        after: Option<LayerValues>,
        stored: &Spool,
        prepared: Option<Prepared>,
    ) -> Result<Solved, SolveError> {
        self.layer = index;
        self.preferences.terminals = self.endings.of_terminals(index as u32);
        let symbolic = match (self.choice, states) {
            _ if !self.pass.expansion.has_retrograde() => Some("moves have no relations"),
            (_, None) => Some("more states than can be ranked"),
            (EngineChoice::Symbolic, _) => Some("asked for"),
            (_, Some(states))
                if self.way.is_none() && self.rank_bytes(self.layer, states, layer, next) > self.room() =>
            {
                Some(NO_BITS)
            }
            (EngineChoice::Hybrid, _) => None,
            (EngineChoice::Auto, Some(states)) if states < FEW => Some("few states"),
            (EngineChoice::Auto, Some(states)) => {
                let hopeless = self.way.is_none() && density(layer, states) < self.hopeless;
                self.hybrid.err().or_else(|| hopeless.then_some(HOPELESS))
            }
        };
        if let (Some(states), None) = (states, symbolic)
            && let Some(solved) = self.by_team(layer, states, after.as_ref(), stored)?
        {
            return Ok(solved);
        }
        let after = match after {
            Some(after) => after,
            None => stored.stored_values(index + 1)?,
        };
        match (states, symbolic) {
            (Some(states), None) => self.by_rank(layer, states, next, after, prepared, false),
            (_, reason) => {
                let reason = reason.expect("states that can be ranked, or a reason why not");
                self.by_sweep(layer, states, next, after, reason, false)
            }
        }
    }

    /// Lets all processes solve a layer, if there are several. `None`: it is left to this one, because it is small or
    /// because only the program of the whole layer can tell how it is to be solved.
    fn by_team(
        &mut self,
        layer: &Diagram,
        states: u64,
        after: Option<&LayerValues>,
        stored: &Spool,
    ) -> Result<Option<Solved>, SolveError> {
        let Pass { expansion, context, listener, .. } = *self.pass;
        let hopeless = density(layer, states) < self.hopeless;
        let Some(leader) = self.leader.as_mut().filter(|leader| states >= leader.least()) else { return Ok(None) };
        let next = self.layer + 1;
        if hopeless || self.way.is_some() || next == stored.figures().len() {
            return Ok(None);
        }
        let order = match after {
            Some(LayerValues::Diagram(values)) => LayerValues::occurring(values, &self.preferences),
            _ => Vec::new(),
        };
        let labels = expansion.labels(layer, &self.preferences.terminals)?;
        let assignment = Assignment {
            states,
            labels: &labels,
            moves: expansion.moves(),
            preferences: &self.preferences,
            next: stored.files(next)?,
            order,
            configurations: worth(states),
        };
        let Answer::Values(values) = leader.solve(assignment, context)? else { return Ok(None) };
        listener.event(&Event::Shared(values.work(self.layer as u32)));
        let total = values.total();
        let nodes = layer.node_count() + stored.figures()[next].nodes;
        self.code.learn(total.configurations, total.code, nodes);
        let engine = LayerEngine {
            means: Means::Ranks(Way::Program),
            reason: BY_RANK,
            requests: total.configurations,
            programs: total.programs,
            bytes: Bitvector::bytes(states, values.kinds()),
            spilled: 0,
            down: 0,
            up: 0,
            digest: None,
        };
        Ok(Some(Solved { values: LayerValues::Shared(values), engine }))
    }

    /// `swept`: it has given way to bitvectors before, so that now it must do.
    fn by_sweep(
        &mut self,
        layer: &Diagram,
        states: Option<u64>,
        next: &Diagram,
        after: LayerValues,
        reason: &'static str,
        swept: bool,
    ) -> Result<Solved, SolveError> {
        let Pass { expansion, context, .. } = *self.pass;
        // So many states, if bitvectors may take the sweep's place.
        let other = states.filter(|&states| {
            let free = self.choice == EngineChoice::Auto && !swept && self.needs_next();
            free && self.rank_bytes(self.layer, states, layer, next) <= self.room()
        });
        let after = match other {
            None => after.into_diagram(next, context)?,
            Some(states) => {
                let most = self.room().saturating_sub(after.ranked_bytes()) / kernel::UNRANKED_BYTES;
                match after.into_small_diagram(next, most, context)? {
                    Ok(after) if self.sweep_bytes(layer, &after) <= self.room() => after,
                    Ok(after) => return self.by_rank(layer, states, next, LayerValues::Diagram(after), None, true),
                    Err(after) => return self.by_rank(layer, states, next, after, None, true),
                }
            }
        };
        let before = context.statistics(Kind::Preimage);
        let values = expansion.values(layer, Some(next), after.into(), &self.preferences)?;
        let total = context.statistics(Kind::Preimage);
        self.hybrid = states.map_or(Err(DENSE), |states| by_density(&values, &self.preferences, states));
        let engine = LayerEngine {
            means: Means::Sweep,
            reason,
            requests: total.requests - before.requests,
            programs: 0,
            spilled: total.spilled - before.spilled,
            down: total.down - before.down,
            up: total.up - before.up,
            bytes: values.node_count() * NODE_BYTES,
            digest: None,
        };
        Ok(Solved { values: LayerValues::Diagram(values), engine })
    }

    /// `swept`: the sweep has given way already, so that states are taken one by one rather than not at all. Else that
    /// is for the choice of bitvectors only, as a sweep takes less time almost always.
    fn by_rank(
        &mut self,
        layer: &Diagram,
        states: u64,
        next: &Diagram,
        after: LayerValues,
        prepared: Option<Prepared>,
        swept: bool,
    ) -> Result<Solved, SolveError> {
        let Pass { expansion, context, .. } = *self.pass;
        let density = density(layer, states);
        let (mut ways, reason): (&[Way], _) = match self.way {
            Some(Way::Obvious) => (&[Way::Obvious], "asked for"),
            Some(Way::Walk) => (&[Way::Walk], "asked for"),
            Some(Way::Program) => (&[Way::Program], "asked for"),
            None if density < self.hopeless => (&[Way::Walk], HOPELESS),
            None if self.choice == EngineChoice::Auto && !swept => (&[Way::Program], BY_RANK),
            None if swept => (&[Way::Program, Way::Walk], NO_ROOM),
            None => (&[Way::Program, Way::Walk], BY_RANK),
        };
        let chosen = ways.len();
        let (most, nodes) = (self.most(self.layer, states, layer, next), layer.node_count() + next.node_count());
        let terminals = self.preferences.terminals.clone();
        let ahead = Ahead { layer, next, terminals: &terminals, most };
        let mut program = None;
        if ways[0] == Way::Program {
            // Before the values are brought by rank, which takes long and is in vain where there will be no program.
            program = match prepared {
                None => self.program(&ahead, density, !swept || chosen > 1)?,
                Some(prepared) => self.learn(prepared, nodes, density, most),
            };
            if let Some(Program::Whole(prepared)) = program.as_ref().filter(|_| nodes >= TELLING) {
                self.node_bytes = Some(prepared.bytes() / nodes + 1);
            }
            if program.is_none() {
                ways = &ways[1..];
            }
        }
        let Some(&way) = ways.first() else {
            return self.by_sweep(layer, Some(states), next, after, TOO_LARGE, swept);
        };
        let after = after.into_ranked(next, &self.preferences, context)?;
        let mut result = match program {
            Some(Program::Whole(prepared)) => {
                kernel::execute(prepared, &after, &self.preferences, context).map_err(SolveError::from)
            }
            Some(Program::Parts(parts)) => {
                let configurations = (most.configurations / EIGHTHS).saturating_mul(OF_PARTS);
                let ahead = Ahead { most: Most { configurations, ..most }, ..ahead };
                expansion.in_parts(&ahead, &after, &self.preferences, parts)
            }
            None => expansion.state_by_state(layer, next, &after, &self.preferences, way),
        };
        if let (Ok(Retrograde::TooLarge), [Way::Program, other]) = (&result, ways) {
            ways = &ways[1..];
            result = expansion.state_by_state(layer, next, &after, &self.preferences, *other);
        }
        let again = |engine: &mut Self, reason| {
            engine.by_sweep(layer, Some(states), next, LayerValues::Ranked(after), reason, swept)
        };
        let result = match result {
            Err(SolveError::Limit(LimitReached::Size { .. })) if !swept => return again(self, TOO_LARGE),
            result => result?,
        };
        match result {
            Retrograde::Values(values, cost) => {
                if cost.programs > 1 {
                    self.code.learn(cost.configurations, cost.code / OF_PARTS * EIGHTHS, nodes);
                }
                let bytes = Bitvector::bytes(states, values.values().len());
                let given_up = chosen > ways.len() && !swept;
                let engine = LayerEngine {
                    means: Means::Ranks(ways[0]),
                    reason: if given_up { TOO_LARGE } else { reason },
                    requests: cost.configurations,
                    programs: cost.programs,
                    bytes,
                    spilled: 0,
                    down: 0,
                    up: 0,
                    digest: None,
                };
                Ok(Solved { values: LayerValues::Ranked(values), engine })
            }
            // A sweep tells which state it is.
            Retrograde::DeadEnd => again(self, DEAD_END),
            Retrograde::TooLarge => {
                // Smaller and smaller parts did not help: it is not for want of memory.
                self.hopeless = density + 1;
                again(self, TOO_LARGE)
            }
        }
    }

    /// Takes note of what became of a program for layers with so many nodes, of which the first has so many states a node;
    /// what is left to be done by program.
    fn learn(&mut self, prepared: Prepared, nodes: u64, density: u64, most: Most) -> Option<Program> {
        if let Some((configurations, bytes)) = prepared.program() {
            self.code.learn(configurations, bytes, nodes);
        }
        if !prepared.is_too_large() {
            return Some(Program::Whole(prepared));
        }
        // Clearly not for want of memory: layers with as few states a node have too many configurations as well.
        let configuration = self.code.of_configuration.unwrap_or(CODE_BYTES);
        if most.configurations.saturating_mul(2 * configuration) <= most.bytes {
            self.hopeless = density + 1;
            return None;
        }
        Some(self.in_parts(nodes, most))
    }

    /// Takes note that a program for layers with so many nodes did not fit.
    fn in_parts(&mut self, nodes: u64, most: Most) -> Program {
        self.code.of_node = self.code.of_node.max(most.bytes / (nodes + 1) + 1);
        self.code.before = self.code.of_node;
        Program::Parts(2)
    }

    /// How a layer with so many states a node is solved by program. `None`: it has more configurations, or longer ones, than
    /// there are numbers for, or would take so much memory that many parts were needed, and there is `another` way.
    fn program(&mut self, ahead: &Ahead, density: u64, another: bool) -> Result<Option<Program>, SolveError> {
        let Ahead { layer, next, most, .. } = *ahead;
        let nodes = layer.node_count() + next.node_count();
        let expected = self.code.expected(nodes);
        if expected > most.bytes {
            let parts = (expected / EIGHTHS).saturating_mul(OF_PARTS) / part_bytes(most).max(1) + 1;
            if parts <= MOST_PARTS || !another {
                return Ok(Some(Program::Parts(parts)));
            }
            return Ok(None);
        }
        match self.pass.expansion.prepare(std::slice::from_ref(ahead)).pop().expect("one outcome for each layer") {
            Err(SolveError::Limit(LimitReached::Size { .. })) if another => Ok(None),
            // Parts need less, and make the same values.
            Err(SolveError::Limit(LimitReached::Memory { .. })) => Ok(Some(self.in_parts(nodes, most))),
            prepared => Ok(self.learn(prepared?, nodes, density, most)),
        }
    }
}
