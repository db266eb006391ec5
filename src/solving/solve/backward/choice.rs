//! The rules by which it is decided how a layer is solved, by counts: states, nodes, configurations and bytes.

use super::super::options::EngineChoice;
use kernel::{self, Bitvector, Most, Way};

/// Layers with fewer states than this are left to the sweep, as other costs of a layer dominate.
pub const FEW: u64 = 1 << 16;
/// Below this number of states per node of the diagram of values, bitvectors are quicker whatever their size.
const SPARSE: u64 = 64;
/// A program may have one configuration for this number of states.
const WORTH: u64 = 20;
/// Number of configurations that every program may have.
const LEAST: u64 = 1 << 14;
/// Assumed bytes of code for each configuration before the first program.
const CODE_BYTES: u64 = 64;
/// Bytes of a node of a value diagram; of one of a layer that a way by rank reads.
pub const NODE_BYTES: u64 = 8;
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

/// Why a layer is left to the sweep, or not.
pub const BY_RANK: &str = "nodes of values stand for few states each";
pub const DENSE: &str = "nodes of values stand for many states each";
pub const HOPELESS: &str = "programs of layers with as few states a node are too large";
pub const TOO_LARGE: &str = "its program is too large";
pub const DEAD_END: &str = "a state without a move was found";
pub const NO_ROOM: &str = "a sweep would take more memory than there is";
const NO_BITS: &str = "bitvectors would take more memory than there is";

/// Whether the layer before one of so many states, whose values have so many nodes and are so many, is better solved by
/// rank: because the values take more bytes as nodes than as bits, or have so many nodes that a sweep takes longer.
pub fn by_density(nodes: u64, values: usize, states: u64) -> Result<(), &'static str> {
    let planes = (values as u64).saturating_sub(1).max(1);
    if nodes * SPARSE.max(8 * NODE_BYTES / planes) > states { Ok(()) } else { Err(DENSE) }
}

/// Configurations that the program for so many states may have.
pub fn worth(states: u64) -> u64 {
    states / WORTH + LEAST
}

/// States per node of a layer.
pub fn density(nodes: u64, states: u64) -> u64 {
    states / (nodes + 1)
}

/// What of a layer is known before it is solved.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    pub states: u64,
    /// Of the diagrams of the layer and of the next one.
    pub nodes: u64,
    pub next: u64,
    /// Values that its states may have.
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

    /// Bytes that all ways by rank take in one of some processes that share the layer.
    pub fn rank_bytes(&self, processes: u64) -> u64 {
        let planes = Bitvector::bytes(self.states.div_ceil(processes), self.possible).saturating_mul(2);
        planes.saturating_add(self.both() * RECORD_BYTES)
    }
}

/// How a layer is solved by program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    Whole,
    /// By programs of about this number of parts, one after the other.
    Parts(u64),
    /// Not.
    No,
}

/// Approximate bytes of code of a program: for each node of its layer and of the next one (a lower bound, if it was too
/// large), the same for the program before it, and for each configuration.
#[derive(Default)]
struct Code {
    of_node: u64,
    before: u64,
    of_configuration: Option<u64>,
}

/// What is asked for, what there is, and what the layers so far have shown.
pub struct Choice {
    pub engine: EngineChoice,
    /// Fixes the way, for tests and measurements.
    pub way: Option<Way>,
    /// Whether layers can be solved by rank at all.
    retrograde: bool,
    memory: u64,
    /// Bytes that layers waiting in memory may take.
    waiting: u64,
    /// Whether the last layer showed that the next one is better solved by rank, or why not.
    pub hybrid: Result<(), &'static str>,
    /// Programs of layers with fewer states per node than this are too large.
    hopeless: u64,
    /// Of the last program.
    code: Code,
}

impl Choice {
    /// `memory`: the bound; `waiting`: bytes that layers waiting in memory may take; `nodes`: those of all layers.
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

    /// Whether bitvectors may take the place of the sweep of a layer.
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

    /// Whether the next layer is solved by rank, whatever its size.
    pub fn is_by_rank(&self) -> bool {
        self.engine == EngineChoice::Hybrid || self.engine == EngineChoice::Auto && self.hybrid.is_ok()
    }

    /// Why a layer that some processes share is left to the sweep, if it is. `None` for sizes: it cannot be ranked.
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

    /// The bounds beyond which the program of a layer is given up.
    pub fn most(&self, sizes: &Sizes) -> Most {
        if self.way.is_some() {
            return Most::UNLIMITED;
        }
        let bytes =
            (self.memory - self.memory / LEFT_OVER).saturating_sub(self.waiting).saturating_sub(sizes.rank_bytes(1));
        Most { configurations: worth(sizes.states), bytes }
    }

    /// The bounds for the programs of all parts of a layer.
    pub fn most_of_parts(most: Most) -> Most {
        Most { configurations: (most.configurations / EIGHTHS).saturating_mul(OF_PARTS), ..most }
    }

    /// The ways by rank to try in turn, and why. `swept`: the sweep has given way already, so that states are taken one by
    /// one rather than not at all. Else that is for the choice of bitvectors only, as a sweep takes less time almost always.
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

    /// How a layer is expected to be solved by program, before one is built. Not if it would take so much memory that many
    /// parts were needed, and there is `another` way. Code for each node is expected to grow half as fast as it did.
    pub fn expected(&self, nodes: u64, most: Most, another: bool) -> Program {
        let [before, now] = [self.code.before.max(1), self.code.of_node].map(u128::from);
        let grown = (now.max(before) * now * now / before).isqrt();
        let expected: u64 = (u128::from(nodes) * grown).try_into().unwrap_or(u64::MAX);
        if expected <= most.bytes {
            return Program::Whole;
        }
        // Bytes that the program of a part should have.
        let part = most.bytes / 4 * 3;
        let parts = (expected / EIGHTHS).saturating_mul(OF_PARTS) / part.max(1) + 1;
        if parts <= MOST_PARTS || !another { Program::Parts(parts) } else { Program::No }
    }

    /// Takes note of a program with so many configurations and bytes for layers with so many nodes.
    pub fn learn(&mut self, (configurations, bytes): (u64, u64), nodes: u64) {
        let of_node = bytes / (nodes + 1) + 1;
        let before = if self.code.of_node > 0 { self.code.of_node } else { of_node };
        self.code = Code { of_node, before, of_configuration: Some(bytes / (configurations + 1) + 1) };
    }

    /// As [`Choice::learn`], of programs of parts.
    pub fn learn_parts(&mut self, (configurations, bytes): (u64, u64), nodes: u64) {
        self.learn((configurations, bytes / OF_PARTS * EIGHTHS), nodes);
    }

    /// Takes note that the program of a layer was given up; how the layer is solved by program then.
    pub fn given_up(&mut self, sizes: &Sizes, most: Most) -> Program {
        // Clearly not for want of memory: layers with as few states a node have too many configurations as well.
        let configuration = self.code.of_configuration.unwrap_or(CODE_BYTES);
        if most.configurations.saturating_mul(2 * configuration) <= most.bytes {
            self.is_too_large(sizes.density());
            return Program::No;
        }
        self.in_parts(sizes.both(), most)
    }

    /// Takes note that a program for layers with so many nodes did not fit.
    pub fn in_parts(&mut self, nodes: u64, most: Most) -> Program {
        self.code.of_node = self.code.of_node.max(most.bytes / (nodes + 1) + 1);
        self.code.before = self.code.of_node;
        Program::Parts(2)
    }

    /// Takes note that programs of layers with so few states a node are too large.
    pub fn is_too_large(&mut self, density: u64) {
        self.hopeless = density + 1;
    }

    /// Bytes that a sweep holds from the beginning, with so many nodes of the values of the next layer and so many of these;
    /// the rest may go to disk.
    pub fn sweep_bytes(layer: u64, after: u64, values: usize) -> u64 {
        layer * NODE_BYTES + after * kernel::bytes_of_node(after, values + 1)
    }
}
