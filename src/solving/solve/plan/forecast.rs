//! Predicts a run layer by layer, from the last layer to the first: applies the engine's own decisions to expected
//! figures, adds up the costs, and finds the limit that the run would reach first.

use super::super::backward::choice::{self, Choice, NODE_BYTES, Sizes, worth};
use super::super::backward::decide::{Attempts, Built, ByRank, Ranked, Shared, Swept};
use super::super::backward::ranked_states;
use super::super::options::{EngineChoice, SolveError};
use super::super::outcome::{Engine, Means};
use super::super::progress::Phase;
use super::super::team::{FEW, FEW_NODES, ranges};
use super::layers::Layer;
use super::rates::{BY_RANK, REQUEST_BYTES, Rates, SUMMED, SWEEP};
use kernel::{Bitvector, Most, Unsolved, Way};

/// The resources of the planned run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    pub processes: u64,
    /// Threads of each process.
    pub threads: usize,
    /// Bytes of memory of each process.
    pub memory: u64,
    /// The bytes of them that the program itself takes.
    pub own: u64,
    /// Bytes of disk for the solution and temporary files.
    pub disk: u64,
    /// Bound on the run time, in seconds.
    pub time: Option<f64>,
}

impl Terms {
    /// The first limit that is exceeded. `needed`: memory, disk and time.
    pub fn reached(&self, place: Option<(Phase, Option<usize>)>, needed: [f64; 3]) -> Option<Reached> {
        let limits = [
            (Resource::Memory, self.memory as f64),
            (Resource::Disk, self.disk as f64),
            (Resource::Time, self.time.unwrap_or(f64::INFINITY)),
        ];
        let passed = limits.into_iter().zip(needed).find(|((_, limit), needed)| needed > limit);
        passed.map(|((resource, limit), needed)| Reached { resource, place, needed, limit })
    }
}

/// The expected costs of a layer.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedLayer {
    pub layer: Layer,
    pub means: Means,
    pub engine: Engine,
    pub processes: u64,
    /// Number of configurations of its programs; 0 without programs.
    pub configurations: f64,
    /// Number of programs in each process.
    pub programs: u64,
    /// Bytes of the file of its values.
    pub bytes: f64,
    /// Bytes of memory of each process if there is enough.
    pub memory: f64,
    /// The least number of bytes of memory of each process that suffices.
    pub least: f64,
    /// Wall-clock seconds of work that processes share, already divided by their number.
    pub shared: f64,
    /// Wall-clock seconds of work that one process does while the others wait.
    pub alone: f64,
    /// Processor seconds of all processes.
    pub processor: f64,
}

/// A resource that may be too scarce for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    Memory,
    Disk,
    Time,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reached {
    pub resource: Resource,
    /// The pass, and the layer if the costs are by layer; `None` if the limit is reached before both passes.
    pub place: Option<(Phase, Option<usize>)>,
    /// The need up to this point, in bytes or seconds.
    pub needed: f64,
    pub limit: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    pub layers: Vec<PlannedLayer>,
    /// Bytes of the solution.
    pub bytes: f64,
    /// Largest number of bytes of temporary files.
    pub temporary: f64,
    /// Bytes of memory of a process.
    pub memory: f64,
    /// Wall-clock seconds up to the end of the forward pass.
    pub forward: f64,
    /// Wall-clock seconds of the backward pass, see [`PlannedLayer::shared`] and [`PlannedLayer::alone`].
    pub shared: f64,
    pub alone: f64,
    /// Processor seconds of all processes.
    pub processor: f64,
    pub reached: Option<Reached>,
    pub assumed: Vec<String>,
}

pub struct Basis<'a> {
    pub rates: &'a Rates,
    pub engine: EngineChoice,
    /// The engine of layers that are not solved by rank.
    pub expansion: Engine,
    pub retrograde: bool,
    /// Number of values that states may have.
    pub values: usize,
    /// A number of ranges of a layer, and the ratio of their configurations to those of the whole layer.
    pub cut: Option<(u64, f64)>,
    pub terms: Terms,
}

/// The time of a layer in a forward pass of several processes, as parts of the time that one process takes: of process
/// 0 alone, which counts, numbers and writes the states; and of all processes together, including exchanges.
const FORWARD_ALONE: f64 = 0.25;
const FORWARD_SHARED: f64 = 1.05;

/// Predicts a run. `before`: processor and wall-clock seconds before the forward pass.
pub fn forecast(layers: &[Layer], basis: &Basis, before: (f64, f64)) -> Result<Forecast, SolveError> {
    let Basis { rates, terms, .. } = *basis;
    let nodes = layers.iter().map(|layer| layer.nodes).sum();
    let mut choice = Choice::new(basis.engine, None, basis.retrograde, terms.memory, (terms.memory / WAITING, nodes));
    let mut planned: Vec<PlannedLayer> = Vec::with_capacity(layers.len());
    for index in (0..layers.len()).rev() {
        planned.push(basis.layer(&mut choice, layers, index)?);
    }
    planned.reverse();
    let forward = before.1 + layers.iter().map(|layer| basis.forward(layer)).sum::<f64>();
    let sum = |of: fn(&PlannedLayer) -> f64| planned.iter().map(of).sum::<f64>();
    let processor = before.0 + layers.iter().map(|layer| layer.processor).sum::<f64>() + sum(|layer| layer.processor);
    let bytes = sum(|layer| layer.layer.bytes as f64 + layer.bytes);
    let most = |of: fn(&PlannedLayer) -> f64| planned.iter().map(of).fold(0.0, f64::max);
    let memory = most(|layer| layer.memory);
    let temporary = (memory - terms.memory as f64).max(0.0);
    let reached = reached(&planned, basis, before.1);
    let swept = planned
        .iter()
        .any(|layer| layer.means == Means::Sweep && ranked_states(&layer.layer.states) > Some(choice::FEW));
    let ranked = planned.iter().any(|layer| layer.means != Means::Sweep);
    let used = [(BY_RANK, ranked), (SWEEP, swept)].into_iter().filter(|(_, used)| *used);
    let mut assumed: Vec<String> = used.flat_map(|(engine, _)| rates.assumed[engine].clone()).collect();
    if basis.cut.is_none() && planned.iter().any(|layer| layer.processes > 1) {
        assumed.push("programs of ranges have no more configurations together than that of the whole layer".to_owned());
    }
    let memory = memory.min(terms.memory as f64);
    let (shared, alone) = (sum(|layer| layer.shared), sum(|layer| layer.alone));
    Ok(Forecast { layers: planned, bytes, temporary, memory, forward, shared, alone, processor, reached, assumed })
}

/// Divisor of the memory bound for layers that wait for the backward pass.
const WAITING: u64 = 4;
/// A program in parts has this multiple of the configurations of a whole program.
const IN_PARTS: f64 = 1.25;
/// Bytes of the record that the builder of a program has per node of a layer.
const RECORD_BYTES: f64 = 48.0;

impl Basis<'_> {
    /// Wall-clock seconds of a layer in the forward pass.
    fn forward(&self, layer: &Layer) -> f64 {
        let processes = self.terms.processes;
        let is_shared = processes > 1 && self.expansion == Engine::Symbolic && layer.nodes >= FEW_NODES;
        let part = if is_shared { FORWARD_ALONE + FORWARD_SHARED / processes as f64 } else { 1.0 };
        layer.processor * self.rates.wall * part
    }

    /// The ratio of the configurations of all ranges, for this number of processes, to those of the whole layer.
    fn cut(&self, processes: u64) -> f64 {
        match self.cut {
            Some((count, ratio)) if count > 1 => {
                1.0 + (ratio - 1.0) * (ranges(processes) as f64).ln() / (count as f64).ln()
            }
            _ => 1.0,
        }
    }

    fn layer(&self, choice: &mut Choice, layers: &[Layer], index: usize) -> Result<PlannedLayer, SolveError> {
        let (layer, next) = (&layers[index], layers.get(index + 1));
        let sizes = ranked_states(&layer.states).map(|states| Sizes {
            states,
            nodes: layer.nodes,
            next: next.map_or(0, |next| next.nodes),
            possible: self.values,
        });
        let waiting = choice.waiting() as f64;
        let mut expected = ByFigures { basis: self, layer, next, index, size: layer.size(), sizes, waiting };
        choice.solve(sizes.as_ref(), self.terms.processes, &mut expected)
    }
}

struct ByFigures<'a> {
    basis: &'a Basis<'a>,
    layer: &'a Layer,
    next: Option<&'a Layer>,
    index: usize,
    size: f64,
    sizes: Option<Sizes>,
    /// Bytes of layers that wait.
    waiting: f64,
}

impl ByFigures<'_> {
    fn states(&self) -> u64 {
        self.sizes.map_or(0, |sizes| sizes.states)
    }

    /// Configurations and bytes of code of programs with `more` times the configurations of one for the whole layer.
    fn program(&self, more: f64) -> (u64, u64) {
        let rates = self.basis.rates;
        let configurations = rates.configurations(self.index, self.size) * more;
        (configurations as u64, (configurations * rates.code) as u64)
    }

    /// Numbers of nodes of the values of the layer and of the values of the next layer.
    fn nodes(&self) -> (f64, f64) {
        let rates = self.basis.rates;
        let after = self.next.map_or(0.0, |next| rates.nodes(self.index + 1, next.size()));
        (rates.nodes(self.index, self.size), after)
    }

    fn sweep_bytes(&self) -> u64 {
        Choice::sweep_bytes(self.layer.nodes, self.nodes().1 as u64, self.basis.values)
    }

    /// The costs by rank, with `programs` programs in each of some processes, which together have `more` times the
    /// configurations of one for the whole layer.
    fn ranked(&self, way: Way, processes: u64, programs: u64, more: f64) -> PlannedLayer {
        let Basis { rates, values, terms, .. } = *self.basis;
        let share = processes as f64;
        let bits = |states: u64| Bitvector::bytes(states, values) as f64;
        let (configurations, state) = match way {
            Way::Program => (rates.configurations(self.index, self.size) * more, rates.state),
            Way::Walk => (0.0, rates.walk),
        };
        let bytes = rates.bytes(self.index, self.size).min(bits(self.states()));
        let processor = configurations * rates.configuration + self.size * state;
        let (shared, alone) = match processes {
            1 => (0.0, processor * rates.wall),
            _ => ((processor - bytes * SUMMED).max(0.0) * rates.wall / share, bytes * SUMMED),
        };
        let diagrams = self.layer.nodes + self.next.map_or(0, |next| next.nodes);
        let planes = bits(self.states()) + self.next.and_then(|next| ranked_states(&next.states)).map_or(0.0, bits);
        // Programs do not count: those of parts and of halves of ranges take little memory.
        let least = terms.own as f64 + diagrams as f64 * (NODE_BYTES as f64 + RECORD_BYTES) + planes / share;
        let building = configurations * rates.building / programs as f64;
        PlannedLayer {
            layer: self.layer.clone(),
            means: Means::Ranks(way),
            engine: Engine::Hybrid,
            processes,
            configurations,
            programs: if way == Way::Program { programs } else { 0 },
            bytes,
            memory: self.waiting + least + building.max(configurations * rates.code) / share,
            least,
            shared,
            alone,
            processor,
        }
    }
}

impl Attempts for ByFigures<'_> {
    type Program = ();
    type Solved = PlannedLayer;

    fn share(&mut self) -> Result<Option<Shared<PlannedLayer>>, SolveError> {
        let processes = self.basis.terms.processes;
        let shares = processes > 1 && self.states() >= FEW && self.next.is_some();
        let (more, most) = (self.basis.cut(processes), worth(self.states()));
        let fits = self.basis.rates.configurations(self.index, self.size) * more <= most as f64;
        Ok((shares && fits).then(|| (self.ranked(Way::Program, processes, 1, more), self.program(more))))
    }

    fn ready(&mut self) -> Option<Built<()>> {
        None
    }

    fn build(&mut self, most: Most) -> Result<Built<()>, SolveError> {
        let (configurations, code) = self.program(1.0);
        Ok(match configurations > most.configurations || code > most.bytes {
            true => Built::TooLarge,
            false => Built::Whole((), Some((configurations, code))),
        })
    }

    fn values_by_rank(&mut self) -> Result<(), SolveError> {
        Ok(())
    }

    fn rank(&mut self, by: ByRank<()>, _reason: &'static str) -> Result<Ranked<PlannedLayer>, SolveError> {
        let (way, programs, more) = match by {
            ByRank::Whole(()) => (Way::Program, 1, 1.0),
            ByRank::Parts(_, most) if self.program(IN_PARTS).0 > most.configurations => {
                return Ok(Err(Unsolved::TooLarge));
            }
            ByRank::Parts(parts, _) => (Way::Program, parts, IN_PARTS),
            ByRank::States => (Way::Walk, 1, 0.0),
        };
        Ok(Ok((self.ranked(way, 1, programs, more), programs, self.program(more))))
    }

    fn sweep(&mut self, _reason: &'static str, room: Option<u64>) -> Result<Swept<PlannedLayer>, SolveError> {
        let Basis { rates, values, terms, expansion, .. } = *self.basis;
        let bytes = self.sweep_bytes();
        if room.is_some_and(|room| bytes > room) {
            return Ok(Swept::NoRoom);
        }
        let (nodes, _) = self.nodes();
        let requests = rates.requests(self.index, nodes);
        let processor = match rates.one_by_one {
            Some(state) => self.size * state,
            None => requests * rates.request,
        };
        let least = (terms.own + bytes) as f64;
        let planned = PlannedLayer {
            layer: self.layer.clone(),
            means: Means::Sweep,
            engine: expansion,
            processes: 1,
            configurations: 0.0,
            programs: 0,
            bytes: nodes * rates.node_file,
            memory: self.waiting + least + requests * REQUEST_BYTES,
            least,
            shared: 0.0,
            alone: processor * rates.wall,
            processor,
        };
        Ok(Swept::Solved(planned, Some((nodes as u64, values))))
    }
}

/// The first limit that a run reaches. The steps are the `before` seconds before the passes, then the layers forward,
/// then backward.
fn reached(layers: &[PlannedLayer], basis: &Basis, before: f64) -> Option<Reached> {
    let terms = basis.terms;
    let (mut disk, mut time) = (0.0, 0.0);
    let forward = layers.iter().enumerate().map(|(index, layer)| {
        let next = layers.get(index + 1).map_or(0, |next| next.layer.nodes);
        let memory = (terms.own + NODE_BYTES * (layer.layer.nodes + next)) as f64;
        let seconds = basis.forward(&layer.layer);
        (Some((Phase::Forward, Some(index))), memory, [layer.layer.bytes as f64, 0.0], seconds)
    });
    let backward = layers.iter().enumerate().rev().map(|(index, layer)| {
        let temporary = (layer.memory - terms.memory as f64).max(0.0);
        (Some((Phase::Backward, Some(index))), layer.least, [layer.bytes, temporary], layer.shared + layer.alone)
    });
    let preparation = (None, terms.own as f64, [0.0, 0.0], before);
    for (place, memory, [bytes, temporary], seconds) in std::iter::once(preparation).chain(forward).chain(backward) {
        disk += bytes;
        time += seconds;
        let reached = terms.reached(place, [memory, disk + temporary, time]);
        if reached.is_some() {
            return reached;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::samples::Measured;
    use super::*;

    const TERMS: Terms = Terms { processes: 1, threads: 1, memory: 1 << 40, own: 0, disk: 1 << 50, time: None };

    const BEFORE: f64 = 0.25;

    /// Layers that grow by a factor of ten and shrink again.
    fn layers() -> Vec<Layer> {
        let layer = |index: u32| Layer {
            states: 10u64.pow(if index < 10 { index } else { 19 - index }).into(),
            nodes: 100 * u64::from(index + 1),
            bytes: 1000,
            processor: 1.0,
            foretold: false,
        };
        (0..20).map(layer).collect()
    }

    fn planned(terms: Terms, engine: EngineChoice) -> Forecast {
        planned_with(Some((16, 1.5)), terms, engine)
    }

    fn planned_with(cut: Option<(u64, f64)>, terms: Terms, engine: EngineChoice) -> Forecast {
        planned_of(&layers(), cut, terms, engine)
    }

    fn planned_of(layers: &[Layer], cut: Option<(u64, f64)>, terms: Terms, engine: EngineChoice) -> Forecast {
        let rates = Rates::new(&Measured::default(), 3, true, [1, 1]);
        let basis =
            Basis { rates: &rates, engine, expansion: Engine::Symbolic, retrograde: true, values: 3, cut, terms };
        forecast(layers, &basis, (0.0, BEFORE)).unwrap()
    }

    #[test]
    fn everything_is_the_sum_of_its_layers() {
        let forecast = planned(TERMS, EngineChoice::Hybrid);
        let states: f64 = layers().iter().map(Layer::size).sum();
        let configurations: f64 = forecast.layers.iter().map(|layer| layer.configurations).sum();
        assert!((configurations / (states * 0.01) - 1.0).abs() < 0.01, "{configurations}");
        assert!(forecast.layers.iter().all(|layer| layer.means == Means::Ranks(Way::Program) && layer.programs == 1));
        let backward = configurations * 400e-9 + states * 5e-9;
        assert!((forecast.alone / backward - 1.0).abs() < 0.01 && forecast.shared == 0.0, "{}", forecast.alone);
        assert!((forecast.forward - 20.0 - BEFORE).abs() < 1e-9, "{}", forecast.forward);
        assert_eq!((forecast.reached, forecast.temporary), (None, 0.0));
        assert_eq!(forecast.assumed.len(), 3, "{:?}", forecast.assumed);
        let symbolic = planned(TERMS, EngineChoice::Symbolic);
        assert!(symbolic.layers.iter().all(|layer| layer.means == Means::Sweep && layer.configurations == 0.0));
    }

    #[test]
    fn processes_divide_what_they_share() {
        let large: Vec<Layer> = layers().into_iter().map(|layer| Layer { nodes: FEW_NODES, ..layer }).collect();
        let seconds = |processes| {
            let terms = Terms { processes, ..TERMS };
            planned_of(&large, None, terms, EngineChoice::Hybrid).forward - BEFORE
        };
        let [one, four, many] = [1, 4, 64].map(seconds);
        assert!(four < 0.6 * one && many < 0.3 * one && many > 0.2 * one, "{one} {four} {many}");
        let one = planned(TERMS, EngineChoice::Hybrid);
        let many = planned(Terms { processes: 16, ..TERMS }, EngineChoice::Hybrid);
        let shared = many.layers.iter().filter(|layer| layer.processes == 16);
        assert_eq!(shared.count(), 8, "those of a million states and more, and no small ones");
        assert!(many.alone < one.alone / 8.0 && many.shared < one.alone / 8.0, "{} {}", many.alone, many.shared);
        let work = |forecast: &Forecast| forecast.layers[9].configurations;
        assert!((work(&many) / work(&one) - 1.5).abs() < 1e-9, "cutting a layer costs");
        assert_eq!((one.assumed.len(), many.assumed.len()), (3, 3));
        let uncut = planned_with(None, Terms { processes: 16, ..TERMS }, EngineChoice::Hybrid);
        assert!(uncut.assumed.len() == 4 && uncut.assumed[3].contains("ranges"), "{:?}", uncut.assumed);
        let half = planned(Terms { processes: 4, ..TERMS }, EngineChoice::Hybrid);
        assert!((work(&half) / work(&one) - 1.25).abs() < 1e-9, "half as many cuts, by their logarithm");
        let crowd = planned(Terms { processes: 64, ..TERMS }, EngineChoice::Hybrid);
        let ratio = work(&crowd) / work(&one);
        assert!((ratio - 1.0 - 0.5 * 192f64.ln() / 16f64.ln()).abs() < 1e-9, "three ranges for each: {ratio}");
    }

    #[test]
    fn the_first_limit_of_a_run_is_found_where_it_is_met() {
        let hybrid = |terms| planned(terms, EngineChoice::Hybrid).reached;
        let reached = hybrid(Terms { time: Some(5.5), ..TERMS }).unwrap();
        assert_eq!((reached.resource, reached.place), (Resource::Time, Some((Phase::Forward, Some(5)))));
        let reached = hybrid(Terms { time: Some(0.2), ..TERMS }).unwrap();
        assert_eq!((reached.resource, reached.place, reached.needed), (Resource::Time, None, BEFORE));
        let reached = hybrid(Terms { disk: 7_500, ..TERMS }).unwrap();
        assert_eq!((reached.resource, reached.place), (Resource::Disk, Some((Phase::Forward, Some(7)))));
        // The disk suffices for the states, and for the values of some layers.
        let reached = hybrid(Terms { disk: 30_000_000, ..TERMS }).unwrap();
        let Some((Phase::Backward, Some(layer))) = reached.place else { panic!("{reached:?}") };
        assert_eq!(reached.resource, Resource::Disk);
        assert!((9..=12).contains(&layer) && reached.needed > reached.limit, "{reached:?}");
        let reached = planned(Terms { memory: 20_000, ..TERMS }, EngineChoice::Symbolic).reached.unwrap();
        let Some((Phase::Forward, Some(layer))) = reached.place else { panic!("{reached:?}") };
        assert_eq!(reached.resource, Resource::Memory);
        // The memory that the program itself takes counts.
        let terms = Terms { memory: 40_000, own: 20_000, ..TERMS };
        let earlier = planned(terms, EngineChoice::Symbolic).reached.unwrap();
        assert_eq!((earlier.resource, earlier.place), (Resource::Memory, Some((Phase::Forward, Some(layer)))));
        let terms = Terms { memory: 10_000, own: 20_000, ..TERMS };
        assert_eq!(planned(terms, EngineChoice::Symbolic).reached.unwrap().place, None);
    }
}
