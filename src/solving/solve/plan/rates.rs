//! The cost of a layer by its size, from measurements, or from other games and then reported as assumed.

use super::curve::{Bridge, Curve, Descent};
use super::samples::{Measured, Sample, Solved};

/// Assumed rates if nothing was measured: seconds per configuration of a program, per state by program, and per request
/// of a sweep.
const CONFIGURATION: f64 = 400e-9;
const STATE: f64 = 5e-9;
const REQUEST: f64 = 200e-9;
/// Seconds per state of a walk, that is, by rank without a program.
const WALK: f64 = 400e-9;
/// Number of requests of a sweep per node of its values.
const REQUESTS: f64 = 3.0;
/// The same in the first layers, where hardly two requests have the same result. In the games that were examined, the
/// number is about two after the first layers and then falls.
const FIRST_REQUESTS: f64 = 1.0;
/// Configurations per state.
const CONFIGURATIONS: f64 = 0.01;
/// Bytes of memory per configuration of a program under construction; bytes of code per configuration; bytes of memory
/// per request of a sweep.
const BUILDING: f64 = 100.0;
const CODE: f64 = 40.0;
pub const REQUEST_BYTES: f64 = 32.0;
const NODE_FILE_BYTES: f64 = 4.0;
/// Number of value nodes per state in the first layers, where hardly any two states are alike.
const FIRST_NODES: f64 = 1.0;
/// Divisor of the configurations of the largest measured program: programs with fewer do not determine rates.
const SMALL: u64 = 64;
/// Seconds per byte of values that processes write together. They pack and write at the same time, but the checksum of
/// the file goes from one process to the next.
pub const SUMMED: f64 = 7e-10;

/// Indices into [`Rates::assumed`].
pub const BY_RANK: usize = 0;
pub const SWEEP: usize = 1;

#[derive(Debug, Clone)]
pub struct Rates {
    configurations: Curve,
    /// Number of value nodes per state.
    nodes: Descent,
    /// Bytes per state of values by rank in a file.
    bytes: Bridge,
    /// Seconds per configuration, per state by program, and per request.
    pub configuration: f64,
    pub state: f64,
    pub request: f64,
    /// Seconds per state of a walk, that is, by rank without a program.
    pub walk: f64,
    /// Seconds per state that is expanded by itself, if moves have no relations.
    pub one_by_one: Option<f64>,
    /// Requests per value node.
    requests: Curve,
    /// Bytes of memory per configuration while a program is built; bytes of code per configuration; bytes of a value
    /// node in a file.
    pub building: f64,
    pub code: f64,
    pub node_file: f64,
    /// Wall-clock seconds per processor second.
    pub wall: f64,
    /// The measured ones among the rates `configuration`, `state` and `request`.
    pub measured: Vec<&'static str>,
    /// The assumed figures in words, for layers by rank and for sweeps.
    pub assumed: [Vec<String>; 2],
}

/// The ratio of the sums of two figures; `None` if one of them is 0.
fn ratio<'a, T: 'a>(of: impl Iterator<Item = &'a T>, one: impl Fn(&T) -> f64, by: impl Fn(&T) -> f64) -> Option<f64> {
    let (sum, all) = of.fold((0.0, 0.0), |(sum, all), item| (sum + one(item), all + by(item)));
    (sum > 0.0 && all > 0.0).then(|| sum / all)
}

/// Collects the names of the measured rates, and the assumed figures in words.
#[derive(Default)]
struct Told {
    measured: Vec<&'static str>,
    assumed: [Vec<String>; 2],
}

impl Told {
    /// The measured figure `found`; otherwise `other`, which is recorded as assumed.
    fn or(&mut self, found: Option<f64>, other: f64, engine: usize, what: &str) -> f64 {
        found.unwrap_or_else(|| {
            self.assumed[engine].push(format!("{other} {what}"));
            other
        })
    }

    /// As [`Told::or`], for seconds that are reported in nanoseconds.
    fn rate(&mut self, name: &'static str, found: Option<f64>, other: f64, engine: usize, what: &str) -> f64 {
        self.measured.extend(found.map(|_| name));
        found.unwrap_or_else(|| {
            self.assumed[engine].push(format!("{:.0} ns for each {what}", other * 1e9));
            other
        })
    }
}

/// The layer, and its figure per state.
fn by_state(layer: usize, figure: u64, states: u64) -> (usize, f64) {
    (layer, figure as f64 / states.max(1) as f64)
}

/// A layer with fewer states that was solved by program tells nothing about larger layers.
const TELLING: u64 = 1 << 10;

impl Rates {
    /// `values`: number of values that states may have. `relations`: states are expanded by relations. `threads`,
    /// `planned`: number of threads of the measured run, and of a process of the planned run; each thread is assumed to
    /// have a processor.
    pub fn new(measured: &Measured, values: usize, relations: bool, [threads, planned]: [usize; 2]) -> Rates {
        let mut told = Told::default();
        let largest = measured.programs.iter().map(|sample| sample.configurations).max().unwrap_or(0);
        let telling = || measured.programs.iter().filter(|sample| sample.configurations >= largest / SMALL);
        let count = |sample: &Sample| sample.configurations as f64;
        let configuration = ratio(telling(), |sample| sample.processor, count).filter(|_| relations);
        let what = "configuration of a program";
        let configuration = told.rate("configuration", configuration, CONFIGURATION, BY_RANK, what);
        let built = |solved: &Solved| solved.engine.requests as f64 * configuration;
        let states = |solved: &Solved| solved.states as f64;
        let state = ratio(measured.by_program(), |solved| solved.processor - built(solved), states);
        let state = told.rate("state", state, STATE, BY_RANK, "state by rank, beside the configurations");
        let [time, file, requests, nodes] = [
            |solved: &Solved| solved.processor,
            |solved: &Solved| solved.bytes as f64,
            |solved: &Solved| solved.engine.requests as f64,
            |solved: &Solved| solved.nodes as f64,
        ];
        let request = ratio(measured.by_sweep(), time, requests).filter(|_| relations);
        let request = told.rate("request", request, REQUEST, SWEEP, "request of a sweep");
        let one_by_one = ratio(measured.by_sweep(), time, states).filter(|_| !relations);
        let wall = if measured.processor > 0.0 { measured.wall / measured.processor } else { 0.0 };
        Rates {
            requests: requests_by_node(measured, relations, &mut told),
            nodes: nodes_by_state(measured, &mut told),
            bytes: bytes_by_state(measured, values),
            configurations: configurations_by_state(measured, &mut told),
            configuration,
            state,
            request,
            walk: WALK,
            one_by_one,
            building: ratio(telling(), |sample| sample.memory as f64, count).unwrap_or(BUILDING),
            code: ratio(telling(), |sample| sample.code as f64, count).unwrap_or(CODE),
            node_file: ratio(measured.by_sweep(), file, nodes).unwrap_or(NODE_FILE_BYTES),
            wall: wall.max(1.0 / threads as f64) * threads as f64 / planned as f64,
            measured: told.measured,
            assumed: told.assumed,
        }
    }

    pub fn configurations(&self, layer: usize, states: f64) -> f64 {
        (states * self.configurations.at(layer).unwrap_or(CONFIGURATIONS)).max(1.0)
    }

    pub fn requests(&self, layer: usize, nodes: f64) -> f64 {
        nodes * self.requests.at(layer).expect("measured or assumed")
    }

    pub fn nodes(&self, layer: usize, states: f64) -> f64 {
        (states * self.nodes.at(layer)).max(1.0)
    }

    /// Bytes of the values of a layer by rank in a file.
    pub fn bytes(&self, layer: usize, states: f64) -> f64 {
        states * self.bytes.at(layer)
    }
}

fn requests_by_node(measured: &Measured, relations: bool, told: &mut Told) -> Curve {
    let requests = |solved: &Solved| solved.engine.requests as f64 / solved.nodes as f64;
    let of_node = measured.by_sweep().filter(|solved| relations && solved.engine.requests > 0 && solved.nodes > 0);
    let curve = Curve::new(of_node.map(|solved| (solved.layer, requests(solved))));
    match curve.is_empty() {
        true => Curve::new([(0, told.or(None, REQUESTS, SWEEP, "requests of a sweep for each node of its values"))]),
        false => curve.with_first(FIRST_REQUESTS),
    }
}

fn nodes_by_state(measured: &Measured, told: &mut Told) -> Descent {
    let nodes = measured.solved.iter().map(|solved| by_state(solved.layer, solved.nodes, solved.states));
    let nodes = Descent::new(FIRST_NODES, nodes);
    if nodes.is_empty() {
        told.or(None, FIRST_NODES, SWEEP, "nodes of values for each state, more than there will be");
    }
    nodes
}

fn bytes_by_state(measured: &Measured, values: usize) -> Bridge {
    // A value takes the bits that distinguish all values, if all values are about equally frequent.
    let first = (values.max(2) as f64).log2() / 8.0;
    let solved = measured.by_program().filter(|solved| solved.states >= TELLING);
    Bridge::new(first, solved.map(|solved| by_state(solved.layer, solved.bytes, solved.states)))
}

fn configurations_by_state(measured: &Measured, told: &mut Told) -> Curve {
    let programs = measured.programs.iter().map(|sample| by_state(sample.layer, sample.configurations, sample.states));
    let solved = measured.by_program().filter(|solved| solved.states >= TELLING);
    let solved = solved.map(|solved| by_state(solved.layer, solved.engine.requests, solved.states));
    let curve = Curve::new(measured.pieces.iter().copied().chain(programs).chain(solved));
    match curve.is_empty() {
        true => Curve::new([(0, told.or(None, CONFIGURATIONS, BY_RANK, "configurations of a program for each state"))]),
        false => curve,
    }
}
