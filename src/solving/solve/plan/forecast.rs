//! Goes through the layers of a run as it would, from the last one to the first, with the engine's own decisions and the
//! figures that are expected; adds up what that takes, and finds which limit comes first.

use super::super::backward::choice::{Choice, NODE_BYTES, Program, Sizes, by_density, worth};
use super::super::backward::ranked_states;
use super::super::options::EngineChoice;
use super::super::outcome::{Engine, Means};
use super::super::progress::Phase;
use super::super::team::{FEW, ranges};
use super::layers::Layer;
use super::rates::{BY_RANK, REQUEST_BYTES, Rates, SUMMED, SWEEP};
use kernel::{Bitvector, Way};

/// What the planned run has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    pub processes: u64,
    /// Threads of each process.
    pub threads: usize,
    /// Bytes of each process, and those of them that the program takes by itself.
    pub memory: u64,
    pub own: u64,
    /// Bytes for the solution and temporary files.
    pub disk: u64,
    /// Seconds.
    pub time: Option<f64>,
}

/// What one layer will take.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedLayer {
    pub layer: Layer,
    pub means: Means,
    pub engine: Engine,
    /// Processes that share it.
    pub processes: u64,
    /// Of its programs, and how many these are in each process; 0 for a sweep.
    pub configurations: f64,
    pub programs: u64,
    /// Of the file of its values.
    pub bytes: f64,
    /// Of memory that each process takes for it if there is enough, and at least.
    pub memory: f64,
    pub least: f64,
    /// Seconds of wall-clock time: of what processes share, divided by them, and of what one does while the others wait.
    pub shared: f64,
    pub alone: f64,
    /// Processor seconds of all processes.
    pub processor: f64,
}

/// Something that a run may have too little of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    Memory,
    Disk,
    Time,
}

/// Where a run comes to its end too early.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reached {
    pub resource: Resource,
    /// The layer of a pass; `None`: before both.
    pub place: Option<(Phase, usize)>,
    /// What is needed up to there: bytes or seconds.
    pub needed: f64,
    pub limit: f64,
}

/// What a run will take.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    pub layers: Vec<PlannedLayer>,
    /// Bytes of the solution; of temporary files at most; of memory of a process.
    pub bytes: f64,
    pub temporary: f64,
    pub memory: f64,
    /// Wall-clock seconds.
    pub forward: f64,
    pub shared: f64,
    pub alone: f64,
    /// Processor seconds of all processes.
    pub processor: f64,
    pub reached: Option<Reached>,
    pub assumed: Vec<String>,
}

/// What decides, and with what figures.
pub struct Basis<'a> {
    pub rates: &'a Rates,
    pub engine: EngineChoice,
    /// That of layers that are not by rank.
    pub expansion: Engine,
    pub retrograde: bool,
    /// Values that states may have.
    pub values: usize,
    /// Configurations of a layer in so many ranges beside those of the whole.
    pub cut: Option<(u64, f64)>,
    pub terms: Terms,
}

/// `before`: processor and wall-clock seconds before the forward pass.
pub fn forecast(layers: &[Layer], basis: &Basis, before: (f64, f64)) -> Forecast {
    let Basis { rates, terms, .. } = *basis;
    let nodes = layers.iter().map(|layer| layer.nodes).sum();
    let mut choice = Choice::new(basis.engine, None, basis.retrograde, terms.memory, (terms.memory / WAITING, nodes));
    let mut planned: Vec<PlannedLayer> = Vec::with_capacity(layers.len());
    for index in (0..layers.len()).rev() {
        planned.push(basis.layer(&mut choice, layers, index));
    }
    planned.reverse();
    let forward = before.1 + layers.iter().map(|layer| layer.processor).sum::<f64>() * rates.wall;
    let sum = |of: fn(&PlannedLayer) -> f64| planned.iter().map(of).sum::<f64>();
    let processor = before.0 + layers.iter().map(|layer| layer.processor).sum::<f64>() + sum(|layer| layer.processor);
    let bytes = sum(|layer| layer.layer.bytes as f64 + layer.bytes);
    let most = |of: fn(&PlannedLayer) -> f64| planned.iter().map(of).fold(0.0, f64::max);
    let memory = most(|layer| layer.memory);
    let temporary = (memory - terms.memory as f64).max(0.0);
    let reached = reached(&planned, basis, before.1);
    let swept =
        planned.iter().any(|layer| layer.means == Means::Sweep && ranked_states(&layer.layer.states) > Some(1 << 16));
    let ranked = planned.iter().any(|layer| layer.means != Means::Sweep);
    let used = [(BY_RANK, ranked), (SWEEP, swept)].into_iter().filter(|(_, used)| *used);
    let mut assumed: Vec<String> = used.flat_map(|(engine, _)| rates.assumed[engine].clone()).collect();
    if basis.cut.is_none() && planned.iter().any(|layer| layer.processes > 1) {
        assumed.push("programs of ranges have no more configurations together than that of the whole layer".to_owned());
    }
    let memory = memory.min(terms.memory as f64);
    let (shared, alone) = (sum(|layer| layer.shared), sum(|layer| layer.alone));
    Forecast { layers: planned, bytes, temporary, memory, forward, shared, alone, processor, reached, assumed }
}

/// Layers waiting for the backward pass may take the memory bound divided by this.
const WAITING: u64 = 4;
/// A program in parts has so many times the configurations of a whole one.
const IN_PARTS: f64 = 1.25;
/// Bytes of a node of a layer, and of the record that a program's builder has of it.
const RECORD_BYTES: f64 = 48.0;

/// How a layer is solved, as the engine decides it.
enum Chosen {
    Sweep,
    Program(u64),
    Walk,
}

impl Basis<'_> {
    /// The share of the configurations that ranges of so many processes have together, beside those of the whole layer.
    fn cut(&self, processes: u64) -> f64 {
        match self.cut {
            Some((count, ratio)) if count > 1 => {
                1.0 + (ratio - 1.0) * (ranges(processes) as f64).ln() / (count as f64).ln()
            }
            _ => 1.0,
        }
    }

    fn decide(&self, choice: &mut Choice, sizes: &Sizes, configurations: f64) -> Chosen {
        let (ways, _) = choice.ways(sizes.density(), false);
        let otherwise = |ways: &[Way]| if ways.contains(&Way::Walk) { Chosen::Walk } else { Chosen::Sweep };
        if ways[0] == Way::Walk {
            return Chosen::Walk;
        }
        let most = choice.most(sizes);
        let program = match choice.expected(sizes.both(), most, ways.len() > 1) {
            Program::Whole => {
                let code = configurations * self.rates.code;
                match configurations > most.configurations as f64 || code > most.bytes as f64 {
                    true => choice.given_up(sizes, most),
                    false => {
                        choice.learn((configurations as u64, code as u64), sizes.both());
                        Program::Whole
                    }
                }
            }
            other => other,
        };
        match program {
            Program::Whole => Chosen::Program(1),
            Program::No => otherwise(ways),
            Program::Parts(_) if configurations * IN_PARTS > Choice::most_of_parts(most).configurations as f64 => {
                if ways.len() == 1 {
                    choice.is_too_large(sizes.density());
                }
                otherwise(ways)
            }
            Program::Parts(parts) => {
                let configurations = configurations * IN_PARTS;
                choice.learn_parts((configurations as u64, (configurations * self.rates.code) as u64), sizes.both());
                Chosen::Program(parts)
            }
        }
    }

    fn layer(&self, choice: &mut Choice, layers: &[Layer], index: usize) -> PlannedLayer {
        let Basis { rates, values, terms, .. } = *self;
        let layer = &layers[index];
        let next = layers.get(index + 1);
        let size = layer.size();
        let sizes = ranked_states(&layer.states).map(|states| Sizes {
            states,
            nodes: layer.nodes,
            next: next.map_or(0, |next| next.nodes),
            possible: values,
        });
        let whole = rates.configurations(index, size);
        let mut processes = 1;
        let mut way = Chosen::Sweep;
        if let Some(sizes) = &sizes {
            let shares = terms.processes > 1 && sizes.states >= FEW && next.is_some();
            let fits = whole * self.cut(terms.processes) <= worth(sizes.states) as f64;
            let by_rank = choice.left_to_sweep(Some(sizes), terms.processes).is_none();
            if shares && fits && by_rank && !choice.is_hopeless(sizes.density()) {
                processes = terms.processes;
                way = Chosen::Program(1);
                let configurations = whole * self.cut(processes);
                choice.learn((configurations as u64, (configurations * rates.code) as u64), sizes.both());
            } else if choice.left_to_sweep(Some(sizes), 1).is_none() {
                way = self.decide(choice, sizes, whole);
            }
        }
        let nodes = rates.nodes(index, size);
        let own = terms.own as f64;
        let waiting = choice.waiting() as f64;
        let diagrams = (NODE_BYTES * (layer.nodes + next.map_or(0, |next| next.nodes))) as f64;
        let part = |bytes: f64, by: u64| bytes / by as f64;
        match way {
            Chosen::Sweep => {
                if let Some(sizes) = &sizes {
                    choice.hybrid = by_density(nodes as u64, values, sizes.states);
                }
                let after = next.map_or(0.0, |next| rates.nodes(index + 1, next.size()));
                let requests = rates.requests(index, nodes);
                let processor = match rates.one_by_one {
                    Some(state) => size * state,
                    None => requests * rates.request,
                };
                let least = own + Choice::sweep_bytes(layer.nodes, after as u64, values) as f64;
                PlannedLayer {
                    layer: layer.clone(),
                    means: Means::Sweep,
                    engine: self.expansion,
                    processes: 1,
                    configurations: 0.0,
                    programs: 0,
                    bytes: nodes * rates.node_file,
                    memory: waiting + least + requests * REQUEST_BYTES,
                    least,
                    shared: 0.0,
                    alone: processor * rates.wall,
                    processor,
                }
            }
            Chosen::Program(_) | Chosen::Walk => {
                let (means, programs) = match way {
                    Chosen::Program(programs) => (Means::Ranks(Way::Program), programs),
                    _ => (Means::Ranks(Way::Walk), 0),
                };
                let more = if processes > 1 {
                    self.cut(processes)
                } else if programs > 1 {
                    IN_PARTS
                } else {
                    1.0
                };
                let configurations = if programs > 0 { whole * more } else { 0.0 };
                let states = match programs {
                    0 => size * rates.walk,
                    _ => size * rates.state,
                };
                let bytes = rates
                    .bytes(index, size)
                    .min(Bitvector::bytes(sizes.map_or(0, |sizes| sizes.states), values) as f64);
                let summed = bytes * SUMMED;
                let processor = configurations * rates.configuration + states;
                let alone = if processes > 1 { summed } else { processor * rates.wall };
                let shared =
                    if processes > 1 { (processor - summed).max(0.0) * rates.wall / processes as f64 } else { 0.0 };
                let bits = |layer: &Layer| {
                    ranked_states(&layer.states).map_or(0.0, |states| Bitvector::bytes(states, values) as f64)
                };
                let planes = part(bits(layer) + next.map_or(0.0, bits), processes);
                let records = diagrams / NODE_BYTES as f64 * RECORD_BYTES;
                let building = part(configurations * rates.building, processes * programs.max(1));
                let code = part(configurations * rates.code, processes);
                // Parts and halves need less.
                let least = own + diagrams + records + planes;
                PlannedLayer {
                    layer: layer.clone(),
                    means,
                    engine: Engine::Hybrid,
                    processes,
                    configurations,
                    programs,
                    bytes,
                    memory: waiting + least + building.max(code),
                    least,
                    shared,
                    alone,
                    processor,
                }
            }
        }
    }
}

/// The first limit that the steps of a run come to: what comes `before` the passes, in seconds, then layers forward, then
/// layers backward.
fn reached(layers: &[PlannedLayer], basis: &Basis, before: f64) -> Option<Reached> {
    let Basis { rates, terms, .. } = *basis;
    let (mut disk, mut time) = (0.0, 0.0);
    let forward = layers.iter().enumerate().map(|(index, layer)| {
        let next = layers.get(index + 1).map_or(0, |next| next.layer.nodes);
        let memory = (terms.own + NODE_BYTES * (layer.layer.nodes + next)) as f64;
        let seconds = layer.layer.processor * rates.wall;
        (Some((Phase::Forward, index)), memory, [layer.layer.bytes as f64, 0.0], seconds)
    });
    let backward = layers.iter().enumerate().rev().map(|(index, layer)| {
        let temporary = (layer.memory - terms.memory as f64).max(0.0);
        (Some((Phase::Backward, index)), layer.least, [layer.bytes, temporary], layer.shared + layer.alone)
    });
    let preparation = (None, terms.own as f64, [0.0, 0.0], before);
    for (place, memory, [bytes, temporary], seconds) in std::iter::once(preparation).chain(forward).chain(backward) {
        disk += bytes;
        time += seconds;
        let checks = [
            (Resource::Memory, memory, terms.memory as f64),
            (Resource::Disk, disk + temporary, terms.disk as f64),
            (Resource::Time, time, terms.time.unwrap_or(f64::INFINITY)),
        ];
        let passed = checks.into_iter().find(|(_, needed, limit)| needed > limit);
        if let Some((resource, needed, limit)) = passed {
            return Some(Reached { resource, place, needed, limit });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::samples::Measured;
    use super::*;

    const TERMS: Terms = Terms { processes: 1, threads: 1, memory: 1 << 40, own: 0, disk: 1 << 50, time: None };

    /// Seconds before the passes.
    const BEFORE: f64 = 0.25;

    /// Layers that grow by ten and shrink again.
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
        let rates = Rates::new(&Measured::default(), 3, true, [1, 1]);
        let basis =
            Basis { rates: &rates, engine, expansion: Engine::Symbolic, retrograde: true, values: 3, cut, terms };
        forecast(&layers(), &basis, (0.0, BEFORE))
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
        assert_eq!((reached.resource, reached.place), (Resource::Time, Some((Phase::Forward, 5))));
        let reached = hybrid(Terms { time: Some(0.2), ..TERMS }).unwrap();
        assert_eq!((reached.resource, reached.place, reached.needed), (Resource::Time, None, BEFORE));
        let reached = hybrid(Terms { disk: 7_500, ..TERMS }).unwrap();
        assert_eq!((reached.resource, reached.place), (Resource::Disk, Some((Phase::Forward, 7))));
        // The layers of states, and the values of some.
        let reached = hybrid(Terms { disk: 30_000_000, ..TERMS }).unwrap();
        let Some((Phase::Backward, layer)) = reached.place else { panic!("{reached:?}") };
        assert_eq!(reached.resource, Resource::Disk);
        assert!((9..=12).contains(&layer) && reached.needed > reached.limit, "{reached:?}");
        let reached = planned(Terms { memory: 20_000, ..TERMS }, EngineChoice::Symbolic).reached.unwrap();
        let Some((Phase::Forward, layer)) = reached.place else { panic!("{reached:?}") };
        assert_eq!(reached.resource, Resource::Memory);
        // What the program takes by itself counts.
        let terms = Terms { memory: 40_000, own: 20_000, ..TERMS };
        let earlier = planned(terms, EngineChoice::Symbolic).reached.unwrap();
        assert_eq!((earlier.resource, earlier.place), (Resource::Memory, Some((Phase::Forward, layer))));
        let terms = Terms { memory: 10_000, own: 20_000, ..TERMS };
        assert_eq!(planned(terms, EngineChoice::Symbolic).reached.unwrap().place, None);
    }
}
