//! Rules that choose how a layer is solved. Only counts decide: states, nodes, configurations and bytes.

use super::super::options::EngineChoice;
use kernel::{self, Bitvector, Most, Way};

/// Layers with fewer states are left to the sweep, because the fixed costs of a layer outweigh what another way saves.
pub const FEW: u64 = 1 << 16;
/// Bitvectors are quicker if the diagram of values has fewer states per node, however large both are.
const SPARSE: u64 = 64;
/// Bitvectors are quicker if the diagram of the values after the layer has at least this multiple of the layer's nodes. A
/// program has about one configuration for each of these nodes, which takes as long as six to ten requests of a sweep.
const ABOVE_STATES: u64 = 2;
/// A program may have one configuration per this number of states, in addition to [`LEAST`].
const WORTH: u64 = 20;
/// Configurations that every program may have, however few the states.
const LEAST: u64 = 1 << 14;
/// Bytes of code per configuration that are assumed before the first program.
const CODE_BYTES: u64 = 64;
/// Bytes of a node of a value diagram.
pub const NODE_BYTES: u64 = 8;
/// Bytes of a node of a layer's diagram while the layer is solved by rank.
const RECORD_BYTES: u64 = 48;
/// Divisor of the memory bound; the current layer may take all but one of the parts.
const PARTS: u64 = 4;
/// Divisor of the memory bound; the quotient stays free when the bound on a program's bytes is set.
const LEFT_OVER: u64 = 8;
/// Largest number of parts for which programs, one after the other, are preferred to another way. The programs of all
/// parts together have about `OF_PARTS / EIGHTHS` times the code of one program for the whole layer.
const MOST_PARTS: u64 = 64;
const OF_PARTS: u64 = 10;
const EIGHTHS: u64 = 8;

/// Reasons for the way in which a layer is solved, as users see them.
pub const BY_RANK: &str = "nodes of values stand for few states each";
pub const DENSE: &str = "nodes of values stand for many states each";
pub const LIKE_STATES: &str = "the values after it have few nodes beside the states";
pub const HOPELESS: &str = "programs of layers with as few states a node are too large";
pub const TOO_LARGE: &str = "its program is too large";
pub const DEAD_END: &str = "a state without a move was found";
pub const NO_ROOM: &str = "a sweep would take more memory than there is";
const NO_BITS: &str = "bitvectors would take more memory than there is";

/// Whether the layer before a solved layer should be solved by rank. The solved layer has `states` states, and its
/// values are a diagram of `nodes` nodes with `values` different values. Ranks are better if nodes take more bytes than
/// bitvectors, or if a sweep over so many nodes takes longer. `Err`: the reason against ranks.
pub fn by_density(nodes: u64, values: usize, states: u64) -> Result<(), &'static str> {
    let planes = (values as u64).saturating_sub(1).max(1);
    if nodes * SPARSE.max(8 * NODE_BYTES / planes) > states { Ok(()) } else { Err(DENSE) }
}

/// Most configurations that the program for this number of states may have.
pub fn worth(states: u64) -> u64 {
    states / WORTH + LEAST
}

pub fn density(nodes: u64, states: u64) -> u64 {
    states / (nodes + 1)
}

#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    pub states: u64,
    pub nodes: u64,
    pub next: u64,
    pub possible: usize,
}

impl Sizes {
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

/// Approximate bytes of code of the last program per node of its layer and the next one (a lower bound if the program
/// was too large), the same figure of the program before it, and bytes per configuration.
#[derive(Default)]
struct Code {
    of_node: u64,
    before: u64,
    of_configuration: Option<u64>,
}

pub struct Choice {
    pub engine: EngineChoice,
    /// The only way that may be used, for tests and measurements.
    pub way: Option<Way>,
    /// Whether the moves have relations, and few enough roles choose; otherwise no layer is solved by rank.
    retrograde: bool,
    memory: u64,
    waiting: u64,
    /// The last sweep showed that the next layer should be solved by rank; `Err`: the reason against it.
    pub hybrid: Result<(), &'static str>,
    /// Nodes of the values of the layer that was solved last; `None` if they are not a diagram.
    pub after: Option<u64>,
    /// Programs are too large for layers with fewer states per node.
    hopeless: u64,
    code: Code,
}

impl Choice {
    /// `memory`: bound in bytes; `waiting`: bytes that layers waiting in memory may take; `nodes`: nodes of all layers.
    pub fn new(
        engine: EngineChoice,
        way: Option<Way>,
        retrograde: bool,
        memory: u64,
        (waiting, nodes): (u64, u64),
    ) -> Choice {
        let waiting = waiting.min(nodes.saturating_mul(NODE_BYTES));
        let hybrid = Err("the first layer to be solved");
        let (after, code) = (None, Code::default());
        Choice { engine, way, retrograde, memory, waiting, hybrid, after, hopeless: 0, code }
    }

    /// Whether bitvectors may replace a sweep that does not fit into memory.
    pub fn may_give_way(&self, sizes: &Sizes) -> bool {
        self.engine == EngineChoice::Auto && self.retrograde && sizes.rank_bytes(1) <= self.room()
    }

    /// Bytes that the current layer may take.
    pub fn room(&self) -> u64 {
        self.memory / PARTS * (PARTS - 1)
    }

    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    pub fn is_hopeless(&self, density: u64) -> bool {
        density < self.hopeless
    }

    /// Whether the next layer, of so many nodes, is solved by rank if its size permits.
    pub fn is_by_rank(&self, nodes: u64) -> bool {
        let chosen = self.hybrid.is_ok() && !self.is_like_states(nodes);
        self.engine == EngineChoice::Hybrid || self.engine == EngineChoice::Auto && chosen
    }

    /// Whether the values of the layer that was solved last have few nodes beside the `nodes` of the next layer.
    fn is_like_states(&self, nodes: u64) -> bool {
        self.way.is_none() && self.after.is_some_and(|after| after < nodes.saturating_mul(ABOVE_STATES))
    }

    /// The reason for leaving a layer, which `processes` share, to the sweep. `sizes`: `None` if the layer has too many
    /// states for ranks.
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
                let like_states = || self.is_like_states(sizes.nodes).then_some(LIKE_STATES);
                self.hybrid.err().or_else(|| hopeless.then_some(HOPELESS)).or_else(like_states)
            }
        }
    }

    pub fn most(&self, sizes: &Sizes) -> Most {
        if self.way.is_some() {
            return Most::UNLIMITED;
        }
        let bytes =
            (self.memory - self.memory / LEFT_OVER).saturating_sub(self.waiting).saturating_sub(sizes.rank_bytes(1));
        Most { configurations: worth(sizes.states), bytes }
    }

    pub fn most_of_parts(most: Most) -> Most {
        Most { configurations: (most.configurations / EIGHTHS).saturating_mul(OF_PARTS), ..most }
    }

    /// The ways by rank to try in turn, and the reason for the first one. State by state is almost always slower than a
    /// sweep, so the automatic choice includes it only if the sweep did not fit into memory (`swept`).
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

    /// Expected use of programs for a layer, before one is built. The last growth of the code bytes per node is
    /// extrapolated by its square root. The result is `No` if many parts would be needed and there is `another` way.
    pub fn expected(&self, nodes: u64, most: Most, another: bool) -> Program {
        let [before, now] = [self.code.before.max(1), self.code.of_node].map(u128::from);
        let grown = (now.max(before) * now * now / before).isqrt();
        let expected: u64 = (u128::from(nodes) * grown).try_into().unwrap_or(u64::MAX);
        if expected <= most.bytes {
            return Program::Whole;
        }
        // The program of a part aims at less than the bound, because parts differ in size.
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

    pub fn learn_parts(&mut self, (configurations, bytes): (u64, u64), nodes: u64) {
        self.learn((configurations, bytes / OF_PARTS * EIGHTHS), nodes);
    }

    /// Records that the program of a layer was given up; returns how programs are used for the layer instead.
    pub fn given_up(&mut self, sizes: &Sizes, most: Most) -> Program {
        // Memory would suffice for twice the usual code, so there were too many configurations. Layers with as few
        // states per node will have too many, too.
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

    pub fn is_too_large(&mut self, density: u64) {
        self.hopeless = density + 1;
    }

    /// Bytes that a sweep cannot move to disk. `layer`, `after`: nodes of the layer and of the values of the next
    /// layer; `values`: number of different values of the next layer.
    pub fn sweep_bytes(layer: u64, after: u64, values: usize) -> u64 {
        layer * NODE_BYTES + after * kernel::bytes_of_node(after, values + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_few_nodes_beside_the_states_are_left_to_the_sweep() {
        let nodes = 10_000;
        let sizes = Sizes { states: 20 * nodes, nodes, next: nodes, possible: 3 };
        let reason = |engine, way, after| {
            let mut choice = Choice::new(engine, way, true, 1 << 30, (0, 0));
            (choice.hybrid, choice.after) = (Ok(()), after);
            assert_eq!(choice.is_by_rank(nodes), choice.left_to_sweep(Some(&sizes), 1).is_none());
            choice.left_to_sweep(Some(&sizes), 1)
        };
        assert_eq!(reason(EngineChoice::Auto, None, Some(2 * nodes - 1)), Some(LIKE_STATES));
        assert_eq!(reason(EngineChoice::Auto, None, Some(2 * nodes)), None);
        assert_eq!(reason(EngineChoice::Auto, None, None), None, "the values before are ranked");
        assert_eq!(reason(EngineChoice::Auto, Some(Way::Program), Some(0)), None, "asked for");
        assert_eq!(reason(EngineChoice::Hybrid, None, Some(0)), None, "asked for");
    }
}
