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
use super::choice::{self, BY_RANK, Choice, DENSE, FEW, NODE_BYTES, Sizes, TOO_LARGE, by_density, density, worth};
use base::limits::LimitReached;
use game::ending::Endings;
use kernel::{self, Bitvector, Diagram, Kind, Most, Preferences, Prepared, Retrograde, Way};
use num_bigint::BigUint;

/// Number of nodes of two layers from which on the memory of their preparation predicts that of larger ones.
const TELLING: u64 = 1 << 12;
/// Bound on the layers prepared at once, for each thread.
const AHEAD: usize = 2;

/// Why a layer is left to the sweep.
const DEAD_END: &str = "a state without a move was found";

/// A solved layer.
pub struct Solved {
    pub values: LayerValues,
    pub engine: LayerEngine,
}

/// A number of states that can be ranked.
pub fn ranked_states(states: &BigUint) -> Option<u64> {
    u64::try_from(states).ok().filter(|&states| states < kernel::MOST_RANKED)
}

/// What a layer is solved by.
enum Program {
    Whole(Prepared),
    /// By programs of about this number of parts, one after the other.
    Parts(u64),
}

/// Chooses the way for each layer, from the last one on.
pub struct Engine<'a> {
    pass: &'a Pass<'a>,
    /// Those of the layer at hand.
    preferences: Preferences,
    endings: &'a Endings,
    layer: usize,
    choice: Choice,
    /// Bytes that preparing the last layer took for each node of it and of the next one.
    node_bytes: Option<u64>,
    /// Hands layers by rank to other processes, if there are any.
    leader: Option<Leader>,
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
        let limits = pass.context.limits();
        let nodes = figures.iter().map(|layer| layer.nodes).sum();
        let retrograde = pass.expansion.has_retrograde();
        let choice = Choice::new(choice, way, retrograde, limits.memory(), (Spool::share(limits), nodes));
        Engine { pass, preferences, endings, layer: figures.len(), choice, node_bytes: None, leader: Leader::of(team) }
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
        self.choice.hybrid = match (values, u64::try_from(states)) {
            (None | Some(LayerValues::Ranked(_)), _) => Ok(()),
            (Some(LayerValues::Diagram(values)), Ok(states)) => self.by_density(values, states),
            _ => Err(DENSE),
        };
    }

    /// Whether the states of the next layer may be needed as well.
    pub fn needs_next(&self) -> bool {
        self.choice.engine != EngineChoice::Symbolic && self.pass.expansion.has_retrograde()
    }

    /// Whether the next layer's states are to be kept.
    pub fn keeps_next(&self) -> bool {
        self.needs_next() || self.pass.expansion.needs_next()
    }

    /// How many layers, from the last of these on, to prepare at once, each by one thread: as many as are certain to be
    /// solved by program and fit into memory, up to a number for each thread; 0 if that would be only one.
    pub fn ahead(&self, figures: &[Layer]) -> usize {
        let context = self.pass.context;
        let (Some(node_bytes), true, true) = (self.node_bytes, self.choice.is_by_rank(), self.needs_next()) else {
            return 0;
        };
        if self.leader.is_some() || self.choice.way.is_some_and(|way| way != Way::Program) {
            return 0;
        }
        let free = context.limits().memory().saturating_sub(context.limits().used());
        let (mut count, mut bytes, mut after) = (0, 0, 0);
        for (index, layer) in
            figures.iter().enumerate().rev().take(if context.threads() > 1 { AHEAD * context.threads() } else { 1 })
        {
            let states = ranked_states(&layer.states);
            let states = states.filter(|&states| !self.choice.is_hopeless(density(layer.nodes, states)));
            let Some(states) = states.filter(|&states| self.choice.engine == EngineChoice::Hybrid || states >= FEW)
            else {
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
                Ahead { layer, next, terminals, most: self.choice.most(&self.sizes(index, states, layer, next)) }
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

    /// What decides how a layer is solved.
    fn sizes(&self, index: usize, states: u64, layer: &Diagram, next: &Diagram) -> Sizes {
        Sizes { states, nodes: layer.node_count(), next: next.node_count(), possible: self.possible(index) }
    }

    /// Whether the layer before one of so many states with these values is better solved by rank.
    fn by_density(&self, values: &Diagram, states: u64) -> Result<(), &'static str> {
        by_density(values.node_count(), LayerValues::occurring(values, &self.preferences).len(), states)
    }

    /// Bytes that a sweep holds from the beginning; the rest may go to disk.
    fn sweep_bytes(&self, layer: &Diagram, after: &Diagram) -> u64 {
        let values = LayerValues::occurring(after, &self.preferences).len();
        Choice::sweep_bytes(layer.node_count(), after.node_count(), values)
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
        let sizes = states.map(|states| self.sizes(index, states, layer, next));
        let processes = self.leader.as_ref().map_or(1, Leader::processes);
        if let (Some(states), None) = (states, self.choice.left_to_sweep(sizes.as_ref(), processes))
            && let Some(solved) = self.by_team(layer, states, after.as_ref(), stored)?
        {
            return Ok(solved);
        }
        let symbolic = self.choice.left_to_sweep(sizes.as_ref(), 1);
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
        let hopeless = self.choice.is_hopeless(density(layer.node_count(), states));
        let Some(leader) = self.leader.as_mut().filter(|leader| states >= leader.least()) else { return Ok(None) };
        let next = self.layer + 1;
        if hopeless || self.choice.way.is_some() || next == stored.figures().len() {
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
        let cost = values.cost();
        let configurations = cost.piece.configurations;
        let nodes = layer.node_count() + stored.figures()[next].nodes;
        self.choice.learn((configurations, cost.code), nodes);
        let engine = LayerEngine {
            means: Means::Ranks(Way::Program),
            reason: BY_RANK,
            requests: configurations,
            programs: cost.programs,
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
        let after = match expansion.listed(layer, next, after, &self.preferences)? {
            Err(after) => after,
            Ok(listed) => {
                self.choice.hybrid = Err(DENSE);
                let engine = LayerEngine {
                    means: Means::Sweep,
                    reason,
                    requests: 0,
                    programs: 0,
                    spilled: 0,
                    down: 0,
                    up: 0,
                    // A diagram is made later, if at all.
                    bytes: 0,
                    digest: None,
                };
                return Ok(Solved { values: LayerValues::Listed(listed), engine });
            }
        };
        // So many states, if bitvectors may take the sweep's place.
        let other = states.filter(|&states| {
            let free = self.choice.engine == EngineChoice::Auto && !swept && self.needs_next();
            free && self.sizes(self.layer, states, layer, next).rank_bytes(1) <= self.choice.room()
        });
        let after = match other {
            None => after.into_diagram(next, context)?,
            Some(states) => {
                let most = self.choice.room().saturating_sub(after.ranked_bytes()) / kernel::UNRANKED_BYTES;
                match after.into_small_diagram(next, most, context)? {
                    Ok(after) if self.sweep_bytes(layer, &after) <= self.choice.room() => after,
                    Ok(after) => return self.by_rank(layer, states, next, LayerValues::Diagram(after), None, true),
                    Err(after) => return self.by_rank(layer, states, next, after, None, true),
                }
            }
        };
        let before = context.statistics(Kind::Preimage);
        let values = expansion.values(layer, Some(next), after.into(), &self.preferences)?;
        let total = context.statistics(Kind::Preimage);
        self.choice.hybrid = states.map_or(Err(DENSE), |states| self.by_density(&values, states));
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

    /// `swept`: see [`Choice::ways`].
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
        let sizes = self.sizes(self.layer, states, layer, next);
        let (mut ways, reason) = self.choice.ways(sizes.density(), swept);
        let chosen = ways.len();
        let (most, nodes) = (self.choice.most(&sizes), sizes.both());
        let terminals = self.preferences.terminals.clone();
        let ahead = Ahead { layer, next, terminals: &terminals, most };
        let mut program = None;
        if ways[0] == Way::Program {
            // Before the values are brought by rank, which takes long and is in vain where there will be no program.
            program = match prepared {
                None => self.program(&ahead, &sizes, !swept || chosen > 1)?,
                Some(prepared) => self.learn(prepared, &sizes, most),
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
                let ahead = Ahead { most: Choice::most_of_parts(most), ..ahead };
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
                    self.choice.learn_parts((cost.configurations, cost.code), nodes);
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
                self.choice.is_too_large(sizes.density());
                again(self, TOO_LARGE)
            }
        }
    }

    /// Takes note of what became of a program; what is left to be done by program.
    fn learn(&mut self, prepared: Prepared, sizes: &Sizes, most: Most) -> Option<Program> {
        if let Some(program) = prepared.program() {
            self.choice.learn(program, sizes.both());
        }
        if !prepared.is_too_large() {
            return Some(Program::Whole(prepared));
        }
        in_parts(self.choice.given_up(sizes, most))
    }

    /// How a layer is solved by program. `None`: it has more configurations, or longer ones, than there are numbers for, or
    /// would take so much memory that many parts were needed, and there is `another` way.
    fn program(&mut self, ahead: &Ahead, sizes: &Sizes, another: bool) -> Result<Option<Program>, SolveError> {
        let (most, nodes) = (ahead.most, sizes.both());
        match self.choice.expected(nodes, most, another) {
            choice::Program::Whole => {}
            other => return Ok(in_parts(other)),
        }
        match self.pass.expansion.prepare(std::slice::from_ref(ahead)).pop().expect("one outcome for each layer") {
            Err(SolveError::Limit(LimitReached::Size { .. })) if another => Ok(None),
            // Parts need less, and make the same values.
            Err(SolveError::Limit(LimitReached::Memory { .. })) => Ok(in_parts(self.choice.in_parts(nodes, most))),
            prepared => Ok(self.learn(prepared?, sizes, most)),
        }
    }
}

/// The parts that a layer is solved in, if it is solved by program at all.
fn in_parts(program: choice::Program) -> Option<Program> {
    match program {
        choice::Program::Parts(parts) => Some(Program::Parts(parts)),
        choice::Program::Whole | choice::Program::No => None,
    }
}
