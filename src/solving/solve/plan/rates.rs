//! What a layer takes by its size, from what was measured; where nothing was, what other games took, which is said.

use super::curve::{Bridge, Curve, Descent};
use super::samples::{Measured, Sample, Solved};

/// Assumed where nothing was measured. Seconds for each configuration of a program, each state by program and each request
/// of a sweep.
const CONFIGURATION: f64 = 400e-9;
const STATE: f64 = 5e-9;
const REQUEST: f64 = 200e-9;
/// Seconds for each state without a program.
const WALK: f64 = 400e-9;
/// Requests of a sweep for each node of its values; and in the first layers, where hardly two requests have the same
/// values: between these and the last ones the number falls from about two in the games that were looked at.
const REQUESTS: f64 = 3.0;
const FIRST_REQUESTS: f64 = 1.0;
/// Configurations for each state.
const CONFIGURATIONS: f64 = 0.01;
/// Bytes of memory for each configuration while a program is built, of its code, and for each request of a sweep.
const BUILDING: f64 = 100.0;
const CODE: f64 = 40.0;
pub const REQUEST_BYTES: f64 = 32.0;
/// Bytes of a node of values in a file.
const NODE_FILE_BYTES: f64 = 4.0;
/// Nodes of the values of a layer's states in the first layers, for each state: hardly any two states are alike.
const FIRST_NODES: f64 = 1.0;
/// Programs of fewer configurations than this part of the largest measured one are not counted for rates.
const SMALL: u64 = 64;
/// Seconds for each byte of values that processes write together: they pack and write at the same time, but the sum of the
/// file goes from one to the next.
pub const SUMMED: f64 = 7e-10;

/// Places of what was assumed.
pub const BY_RANK: usize = 0;
pub const SWEEP: usize = 1;

/// By layer and size.
#[derive(Debug, Clone)]
pub struct Rates {
    /// Configurations for each state.
    configurations: Curve,
    /// Nodes of values for each state, and bytes of values by rank in a file.
    nodes: Descent,
    bytes: Bridge,
    /// Seconds.
    pub configuration: f64,
    pub state: f64,
    pub request: f64,
    /// Without a program: by state.
    pub walk: f64,
    /// Without relations: by state.
    pub one_by_one: Option<f64>,
    /// Requests for each node of values.
    requests: Curve,
    /// Bytes of memory.
    pub building: f64,
    pub code: f64,
    pub node_file: f64,
    /// Wall-clock seconds for each processor second.
    pub wall: f64,
    /// Which of `configuration`, `state` and `request` were measured.
    pub measured: Vec<&'static str>,
    /// What could not be measured, in words: of layers by rank, and of sweeps.
    pub assumed: [Vec<String>; 2],
}

/// The sum of a figure over another one; `None` if there is nothing to go by.
fn ratio<'a, T: 'a>(of: impl Iterator<Item = &'a T>, one: impl Fn(&T) -> f64, by: impl Fn(&T) -> f64) -> Option<f64> {
    let (sum, all) = of.fold((0.0, 0.0), |(sum, all), item| (sum + one(item), all + by(item)));
    (sum > 0.0 && all > 0.0).then(|| sum / all)
}

impl Rates {
    /// `values`: how many values states may have; `relations`: states are not expanded one by one; `threads`: of what was
    /// measured, and of a process of the planned run, all of which are taken to have a processor.
    pub fn new(measured: &Measured, values: usize, relations: bool, [threads, planned]: [usize; 2]) -> Rates {
        let mut assumed = [Vec::new(), Vec::new()];
        let mut or = |found: Option<f64>, other: f64, engine: usize, what: String| {
            found.unwrap_or_else(|| {
                assumed[engine].push(what);
                other
            })
        };
        let largest = measured.programs.iter().map(|sample| sample.configurations).max().unwrap_or(0);
        let telling = || measured.programs.iter().filter(|sample| sample.configurations >= largest / SMALL);
        let count = |sample: &Sample| sample.configurations as f64;
        let programs = relations && largest > 0;
        let measured_configuration = ratio(telling(), |sample| sample.processor, count).filter(|_| programs);
        let configuration = or(
            measured_configuration,
            CONFIGURATION,
            BY_RANK,
            format!("{:.0} ns for each configuration of a program", CONFIGURATION * 1e9),
        );
        let building = ratio(telling(), |sample| sample.memory as f64, count).unwrap_or(BUILDING);
        let code = ratio(telling(), |sample| sample.code as f64, count).unwrap_or(CODE);
        let built = |solved: &Solved| solved.engine.requests as f64 * configuration;
        let measured_state =
            ratio(measured.by_program(), |solved| solved.processor - built(solved), |solved| solved.states as f64);
        let state = or(
            measured_state,
            STATE,
            BY_RANK,
            format!("{:.0} ns for each state by rank, beside the configurations", STATE * 1e9),
        );
        let requests = |solved: &Solved| solved.engine.requests as f64;
        let measured_request = ratio(measured.by_sweep(), |solved| solved.processor, requests).filter(|_| relations);
        let request =
            or(measured_request, REQUEST, SWEEP, format!("{:.0} ns for each request of a sweep", REQUEST * 1e9));
        let of_node = measured.by_sweep().filter(|solved| relations && solved.engine.requests > 0 && solved.nodes > 0);
        let of_node = of_node.map(|solved| (solved.layer, requests(solved) / solved.nodes as f64));
        let mut of_node = Curve::new(of_node);
        if of_node.is_empty() {
            let what = format!("{REQUESTS} requests of a sweep for each node of its values");
            of_node = Curve::new([(0, or(None, REQUESTS, SWEEP, what))]);
        } else {
            of_node = of_node.with_first(FIRST_REQUESTS);
        }
        let file = |solved: &Solved| solved.bytes as f64;
        let node_file = ratio(measured.by_sweep(), file, |solved| solved.nodes as f64).unwrap_or(NODE_FILE_BYTES);
        let one_by_one = (!relations)
            .then(|| ratio(measured.by_sweep(), |solved| solved.processor, |solved| solved.states as f64))
            .flatten();
        let nodes =
            measured.solved.iter().map(|solved| (solved.layer, solved.nodes as f64 / solved.states.max(1) as f64));
        let nodes = Descent::new(FIRST_NODES, nodes);
        if nodes.is_empty() {
            or(
                None,
                FIRST_NODES,
                SWEEP,
                format!("{FIRST_NODES} nodes of values for each state, more than there will be"),
            );
        }
        // As many bits as tell values apart, where all are about as frequent.
        let first = (values.max(2) as f64).log2() / 8.0;
        let by_rank = measured.by_program().filter(|solved| solved.states >= 1 << 10);
        let bytes = by_rank.map(|solved| (solved.layer, file(solved) / solved.states as f64));
        let bytes = Bridge::new(first, bytes);
        let per_state = |configurations: u64, states: u64| configurations as f64 / states.max(1) as f64;
        let programs =
            measured.programs.iter().map(|sample| (sample.layer, per_state(sample.configurations, sample.states)));
        let solved = measured.by_program().filter(|solved| solved.states >= 1 << 10);
        let solved = solved.map(|solved| (solved.layer, per_state(solved.engine.requests, solved.states)));
        let mut configurations = Curve::new(measured.pieces.iter().copied().chain(programs).chain(solved));
        if configurations.is_empty() {
            let what = format!("{CONFIGURATIONS} configurations of a program for each state");
            configurations = Curve::new([(0, or(None, CONFIGURATIONS, BY_RANK, what))]);
        }
        let wall = if measured.processor > 0.0 { measured.wall / measured.processor } else { 0.0 };
        let wall = wall.max(1.0 / threads as f64) * threads as f64 / planned as f64;
        Rates {
            configurations,
            nodes,
            bytes,
            configuration,
            state,
            request,
            walk: WALK,
            one_by_one,
            requests: of_node,
            building,
            code,
            node_file,
            wall,
            measured: [
                measured_configuration.map(|_| "configuration"),
                measured_state.map(|_| "state"),
                measured_request.map(|_| "request"),
            ]
            .into_iter()
            .flatten()
            .collect(),
            assumed,
        }
    }

    /// Configurations of the program of a layer.
    pub fn configurations(&self, layer: usize, states: f64) -> f64 {
        (states * self.configurations.at(layer).unwrap_or(CONFIGURATIONS)).max(1.0)
    }

    /// Requests of the sweep of a layer whose values have so many nodes.
    pub fn requests(&self, layer: usize, nodes: f64) -> f64 {
        nodes * self.requests.at(layer).expect("measured or assumed")
    }

    /// Nodes of the values of a layer.
    pub fn nodes(&self, layer: usize, states: f64) -> f64 {
        (states * self.nodes.at(layer)).max(1.0)
    }

    /// Bytes of the values of a layer by rank in a file.
    pub fn bytes(&self, layer: usize, states: f64) -> f64 {
        states * self.bytes.at(layer)
    }
}
