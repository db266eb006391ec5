//! Rules that choose how a layer is solved. Only counts decide: states, nodes, configurations and bytes.

use super::super::options::EngineChoice;
use kernel::{self, Bitvector, Most, Way};

/// Layers with fewer states than this are left to the sweep: costs that every layer has outweigh what another way
/// saves.
pub const FEW: u64 = 1 << 16;
/// Bitvectors are quicker if the diagram of values has fewer states per node than this, however large both are.
const SPARSE: u64 = 64;
/// A program may have one configuration for this number of states, beside [`LEAST`].
const WORTH: u64 = 20;
/// Configurations that every program may have, however few the states.
const LEAST: u64 = 1 << 14;
/// Assumed bytes of code for each configuration before the first program.
const CODE_BYTES: u64 = 64;
/// Bytes of a node of a value diagram, and of a node of a layer's diagram while the layer is solved by rank.
pub const NODE_BYTES: u64 = 8;
const RECORD_BYTES: u64 = 48;
/// Divisor of the memory bound; the current layer may take all but one of the parts.
const PARTS: u64 = 4;
/// Divisor of the memory bound; the quotient stays free when the bound on a program's bytes is set.
const LEFT_OVER: u64 = 8;
/// Most parts of a layer for which one program each, one after the other, is preferred to another way. The programs of
/// all parts together have about `OF_PARTS / EIGHTHS` times the code of one program for the whole layer.
const MOST_PARTS: u64 = 64;
const OF_PARTS: u64 = 10;
const EIGHTHS: u64 = 8;

/// Reasons for the way in which a layer is solved, as users see them.
pub const BY_RANK: &str = "nodes of values stand for few states each";
pub const DENSE: &str = "nodes of values stand for many states each";
pub const HOPELESS: &str = "programs of layers with as few states a node are too large";
pub const TOO_LARGE: &str = "its program is too large";
pub const DEAD_END: &str = "a state without a move was found";
pub const NO_ROOM: &str = "a sweep would take more memory than there is";
const NO_BITS: &str = "bitvectors would take more memory than there is";

/// Whether the previous layer is better solved by rank, as judged by the values of a solved layer with `states` states:
/// a diagram of `nodes` nodes with `values` different values. It is if nodes take more bytes than bitvectors would, or
/// if they are so many that a sweep takes longer. `Err`: the reason against it.
pub fn by_density(nodes: u64, values: usize, states: u64) -> Result<(), &'static str> {
    let planes = (values as u64).saturating_sub(1).max(1);
    if nodes * SPARSE.max(8 * NODE_BYTES / planes) > states { Ok(()) } else { Err(DENSE) }
}

/// Most configurations that the program for this number of states may have.
pub fn worth(states: u64) -> u64 {
    states / WORTH + LEAST
}

/// States per node of a layer.
pub fn density(nodes: u64, states: u64) -> u64 {
    states / (nodes + 1)
}

/// Sizes of a layer that are known before it is solved.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    pub states: u64,
    /// Nodes of the layer's diagram.
    pub nodes: u64,
    pub next: u64,
    /// Number of different values that states of the layer may have.
    pub possible: usize,
}

impl Sizes {
    /// Nodes of both layers.
    pub fn both(&self) -> u64 {
        self.nodes + self.next
    }

    pub fn density(&self) -> u64 {
        density(self.nodes, self.states)
    }

    /// Upper bound on the bytes that a process takes to solve its share of the layer by rank, without the program.
    pub fn rank_bytes(&self, processes: u64) -> u64 {
        let planes = Bitvector::bytes(self.states.div_ceil(processes), self.possible).saturating_mul(2);
        planes.saturating_add(self.both() * RECORD_BYTES)
    }
}

/// Use of gather programs for a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    Whole,
    /// Programs of about this number of parts, one after the other.
    Parts(u64),
    /// No program: another way solves the layer.
    No,
}

/// Approximate bytes of code of the last program: for each node of its layer and of the next one (a lower bound, if the
/// program was too large), the same figure of the program before it, and for each configuration.
#[derive(Default)]
struct Code {
    of_node: u64,
    before: u64,
    of_configuration: Option<u64>,
}

/// Options, bounds, and what the layers solved so far have shown.
pub struct Choice {
    pub engine: EngineChoice,
    /// The only way that may be used, for tests and measurements.
    pub way: Option<Way>,
    /// Whether the moves have relations, without which no layer is solved by rank.
    retrograde: bool,
    memory: u64,
    /// Bytes that layers waiting in memory may take.
    waiting: u64,
    /// Whether the last sweep showed that the next layer is better solved by rank; `Err`: the reason against it.
    pub hybrid: Result<(), &'static str>,
    /// Programs of layers with fewer states per node than this are too large.
    hopeless: u64,
    code: Code,
}

impl Choice {
    /// `memory`: the bound in bytes; `waiting`: bytes that layers waiting in memory may take; `nodes`: of all layers.
    pub fn new(
        engine: EngineChoice,
        way: Option<Way>,
        retrograde: bool,
        memory: u64,
        (waiting, nodes): (u64, u64),
    ) -> Choice {
        let waiting = waiting.min(nodes.saturating_mul(NODE_BYTES));
        let hybrid = Err("the first layer to be solved");
        Choice { engine, way, retrograde, memory, waiting, hybrid, hopeless: 0, code: Code::default() }
    }

    /// Whether bitvectors may replace a sweep that does not fit into memory.
    pub fn may_give_way(&self, sizes: &Sizes) -> bool {
        self.engine == EngineChoice::Auto && self.retrograde && sizes.rank_bytes(1) <= self.room()
    }

    /// Bytes that the current layer may take.
    pub fn room(&self) -> u64 {
        self.memory / PARTS * (PARTS - 1)
    }

    /// Bytes that layers waiting in memory may take.
    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    /// Whether programs of a layer are known to be too large.
    pub fn is_hopeless(&self, density: u64) -> bool {
        density < self.hopeless
    }

    /// Whether the next layer is solved by rank, unless its size forbids it.
    pub fn is_by_rank(&self) -> bool {
        self.engine == EngineChoice::Hybrid || self.engine == EngineChoice::Auto && self.hybrid.is_ok()
    }

    /// Reason for which a layer is left to the sweep, if it is, where `processes` share the layer. `sizes`: `None` if
    /// the layer has too many states to be ranked.
    pub fn left_to_sweep(&self, sizes: Option<&Sizes>, processes: u64) -> Option<&'static str> {
        let Some(sizes) = sizes.filter(|_| self.retrograde) else {
            return Some(if self.retrograde { "more states than can be ranked" } else { "moves have no relations" });
        };
        match self.engine {
            EngineChoice::Symbolic => Some("asked for"),
            _ if self.way.is_none() && sizes.rank_bytes(processes) > self.room() => Some(NO_BITS),
            EngineChoice::Hybrid => None,
            EngineChoice::Auto if sizes.states < FEW => Some("few states"),
            EngineChoice::Auto => {
                let hopeless = self.way.is_none() && self.is_hopeless(sizes.density());
                self.hybrid.err().or_else(|| hopeless.then_some(HOPELESS))
            }
        }
    }

    /// Bounds beyond which the construction of a layer's program is given up.
    pub fn most(&self, sizes: &Sizes) -> Most {
        if self.way.is_some() {
            return Most::UNLIMITED;
        }
        let bytes =
            (self.memory - self.memory / LEFT_OVER).saturating_sub(self.waiting).saturating_sub(sizes.rank_bytes(1));
        Most { configurations: worth(sizes.states), bytes }
    }

    /// Bounds on the programs of all parts together.
    pub fn most_of_parts(most: Most) -> Most {
        Most { configurations: (most.configurations / EIGHTHS).saturating_mul(OF_PARTS), ..most }
    }

    /// The ways by rank to try in turn, and the reason for the first. State by state is slower than a sweep almost always,
    /// so the automatic choice has it only where the sweep did not fit into memory (`swept`).
    pub fn ways(&self, density: u64, swept: bool) -> (&'static [Way], &'static str) {
        match self.way {
            Some(Way::Walk) => (&[Way::Walk], "asked for"),
            Some(Way::Program) => (&[Way::Program], "asked for"),
            None if self.is_hopeless(density) => (&[Way::Walk], HOPELESS),
            None if self.engine == EngineChoice::Auto && !swept => (&[Way::Program], BY_RANK),
            None if swept => (&[Way::Program, Way::Walk], NO_ROOM),
            None => (&[Way::Program, Way::Walk], BY_RANK),
        }
    }

    /// Expected use of programs for a layer, before one is built. Bytes of code for each node are expected to grow by
    /// the square root of their last growth. The result is `No` if many parts would be needed and there is `another`
    /// way.
    pub fn expected(&self, nodes: u64, most: Most, another: bool) -> Program {
        let [before, now] = [self.code.before.max(1), self.code.of_node].map(u128::from);
        let grown = (now.max(before) * now * now / before).isqrt();
        let expected: u64 = (u128::from(nodes) * grown).try_into().unwrap_or(u64::MAX);
        if expected <= most.bytes {
            return Program::Whole;
        }
        // A part's program aims at less than the bound, since parts differ in size.
        let part = most.bytes / 4 * 3;
        let parts = (expected / EIGHTHS).saturating_mul(OF_PARTS) / part.max(1) + 1;
        if parts <= MOST_PARTS || !another { Program::Parts(parts) } else { Program::No }
    }

    /// Records the configurations and bytes of code of a program for two layers with this number of nodes.
    pub fn learn(&mut self, (configurations, bytes): (u64, u64), nodes: u64) {
        let of_node = bytes / (nodes + 1) + 1;
        let before = if self.code.of_node > 0 { self.code.of_node } else { of_node };
        self.code = Code { of_node, before, of_configuration: Some(bytes / (configurations + 1) + 1) };
    }

    /// Records the same of the programs of all parts of a layer.
    pub fn learn_parts(&mut self, (configurations, bytes): (u64, u64), nodes: u64) {
        self.learn((configurations, bytes / OF_PARTS * EIGHTHS), nodes);
    }

    /// Records that the program of a layer was given up; returns how programs are used for the layer instead.
    pub fn given_up(&mut self, sizes: &Sizes, most: Most) -> Program {
        // Even at twice the usual code, memory would have sufficed: the configurations were too many, as they will be
        // for layers with as few states per node.
        let configuration = self.code.of_configuration.unwrap_or(CODE_BYTES);
        if most.configurations.saturating_mul(2 * configuration) <= most.bytes {
            self.is_too_large(sizes.density());
            return Program::No;
        }
        self.in_parts(sizes.both(), most)
    }

    /// Records that a program for two layers with this number of nodes did not fit into memory.
    pub fn in_parts(&mut self, nodes: u64, most: Most) -> Program {
        self.code.of_node = self.code.of_node.max(most.bytes / (nodes + 1) + 1);
        self.code.before = self.code.of_node;
        Program::Parts(2)
    }

    /// Records that programs of layers with at most this number of states per node are too large.
    pub fn is_too_large(&mut self, density: u64) {
        self.hopeless = density + 1;
    }

    /// Bytes that a sweep cannot move to disk. `layer`, `after`: nodes of the layer and of the values of the next
    /// layer; `values`: number of different values of the next layer.
    pub fn sweep_bytes(layer: u64, after: u64, values: usize) -> u64 {
        layer * NODE_BYTES + after * kernel::bytes_of_node(after, values + 1)
    }
}
