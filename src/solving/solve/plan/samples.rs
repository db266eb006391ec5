//! Measures the costs of some layers on this machine. Programs of the first layers are built and dropped. The last
//! layers are solved as in the run. For the largest layers in between, programs are built for a few small ranges of
//! ranks. These programs have more configurations per state than the program of the whole layer, because equal parts
//! are shared only within a range. The ratio is measured on layers at both ends. Time is processor time, so that other
//! work on the machine does not count.

use super::super::SolveError;
use super::super::backward::choice::by_density;
use super::super::backward::{self, ranked_states};
use super::super::expansion::by_rank::{self, Ahead};
use super::super::options::{EngineChoice, SolveOptions, fitting};
use super::super::outcome::{LayerEngine, Means};
use super::super::pass::Pass;
use super::super::progress::{Event, Listener, Phase};
use super::super::spool::Spool;
use super::super::values::LayerValues;
use super::layers::Layer;
use base::machine::processor_seconds;
use game::ending::Endings;
use kernel::{Diagram, Most, Slices};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Divisors of the number of all states, for the states of the measured first layers, and of the last layers by rank
/// and by sweep. A sweep's time depends on its number of nodes, and a node stands for more states toward the end.
const FIRST: f64 = 16.0;
const LAST: f64 = 10.0;
const LAST_SWEPT: f64 = 4.0;
/// Bounds on the configurations of programs of the first layers, the states of the last layers, and the value nodes of
/// their sweeps. Each corresponds to about a minute of one processor.
const MOST_CONFIGURATIONS: u64 = 1 << 26;
const MOST_STATES: f64 = (1u64 << 33) as f64;
const MOST_NODES: f64 = (1u64 << 26) as f64;
/// This number of states is within the bounds in any case.
const ALWAYS: f64 = (1u32 << 20) as f64;
/// Layers with fewer states tell nothing about large ones.
const TELLING: u64 = 1 << 10;
/// Most ranges of a layer that are built to measure the cost of cutting it.
const RANGES: u64 = 64;
/// Expected bound on the ratio of their configurations to those of the whole layer.
const CUT: u64 = 4;

/// Values by rank of at most this number of states are converted to a diagram, to count its nodes.
const UNRANKED: u64 = 1 << 27;
/// Number of pieces of a layer.
const PIECES: u64 = 64;
/// Number of pieces that are built.
const BUILT: u64 = 4;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    pub layer: usize,
    pub states: u64,
    pub configurations: u64,
    /// Bytes of its code.
    pub code: u64,
    /// Bytes of the additional memory that building it took.
    pub memory: u64,
    pub processor: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solved {
    pub layer: usize,
    pub states: u64,
    pub engine: LayerEngine,
    /// Number of nodes of its values as a diagram; 0 if they are by rank and were not converted.
    pub nodes: u64,
    /// Bytes of the file of its values.
    pub bytes: u64,
    pub processor: f64,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    pub programs: Vec<Sample>,
    /// From the last layer on.
    pub solved: Vec<Solved>,
    /// Layers of which pieces were built, and the configurations per state estimated from them.
    pub pieces: Vec<(usize, f64)>,
    /// A number of ranges of a layer, and the ratio of their configurations to those of the whole layer.
    pub cut: Option<(u64, f64)>,
    /// Wall-clock seconds of all measurements.
    pub wall: f64,
    /// Processor seconds of all measurements.
    pub processor: f64,
}

/// Measures the processor seconds of each layer of a pass, and passes events on to another listener.
pub struct Clock<'a> {
    listener: &'a dyn Listener,
    phase: Phase,
    /// The time of the last event, and the layers in the order of the pass.
    state: Mutex<(f64, Vec<Lap>)>,
}

#[derive(Debug, Clone, Copy)]
pub struct Lap {
    layer: usize,
    pub processor: f64,
    nodes: u64,
}

impl<'a> Clock<'a> {
    pub fn new(listener: &'a dyn Listener, phase: Phase) -> Clock<'a> {
        Clock { listener, phase, state: Mutex::new((processor_seconds(), Vec::new())) }
    }

    pub fn layers(&self) -> Vec<Lap> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).1.clone()
    }
}

impl Listener for Clock<'_> {
    fn event(&self, event: &Event) {
        if let Event::LayerFinished { phase, layer, nodes, .. } = event
            && *phase == self.phase
        {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let now = processor_seconds();
            let spent = now - std::mem::replace(&mut state.0, now);
            state.1.push(Lap { layer: *layer as usize, processor: spent, nodes: *nodes });
        }
        self.listener.event(event);
    }
}

/// Measures layers of a spool. `layers`: all layers of the game; `complete`: all of them are in the spool. `processes`:
/// the team of the planned run.
pub fn measure(
    pass: &Pass,
    spool: &mut Spool,
    (endings, options): (&Endings, &SolveOptions),
    layers: &[Layer],
    complete: bool,
    processes: u64,
) -> Result<Measured, SolveError> {
    let (begin, before) = (Instant::now(), processor_seconds());
    let total: f64 = layers.iter().map(Layer::size).sum();
    let mut measured = Measured::default();
    if pass.expansion.by_rank().is_some() && options.engine != EngineChoice::Symbolic {
        programs(pass, spool, endings, total, processes, &mut measured)?;
    }
    if complete {
        measured.solved = fitting(solved(pass, spool, (endings, options), layers))?.unwrap_or_default();
    }
    if !measured.programs.is_empty() {
        fitting(pieces(pass, spool, endings, &mut measured))?;
    }
    (measured.wall, measured.processor) = (begin.elapsed().as_secs_f64(), processor_seconds() - before);
    Ok(measured)
}

fn programs(
    pass: &Pass,
    spool: &mut Spool,
    endings: &Endings,
    total: f64,
    processes: u64,
    measured: &mut Measured,
) -> Result<(), SolveError> {
    let Pass { context, listener, .. } = *pass;
    let limits = context.limits();
    let sizes: Vec<Option<u64>> = spool.figures().iter().map(|figures| ranked_states(&figures.states)).collect();
    let (mut sum, most) = (0.0, f64::max(total / FIRST, ALWAYS));
    let mut chosen = Vec::new();
    for (index, states) in sizes.iter().enumerate().take(sizes.len().saturating_sub(1)) {
        let Some(states) = *states else { break };
        sum += states as f64;
        if sum > most {
            break;
        }
        chosen.extend((states >= TELLING).then_some((index, states)));
    }
    let mut left = MOST_CONFIGURATIONS;
    for (done, &(index, states)) in chosen.iter().enumerate() {
        listener.event(&Event::Work { what: "measuring", done: done as u64, total: chosen.len() as u64 });
        limits.check()?;
        let Some((layer, next)) = fitting(pair(spool, index))? else { break };
        let terminals = endings.of_terminals(index as u32);
        let most = Most { configurations: left, ..Most::UNLIMITED };
        let ahead = Ahead { layer: &layer, next: &next, terminals: &terminals, most };
        limits.restart_peak();
        let (used, before) = (limits.used(), processor_seconds());
        let prepared = by_rank::prepare(pass.ranked_game(), &ahead, context);
        let Some(prepared) = fitting(prepared.map_err(SolveError::from))? else { break };
        let Some((configurations, code)) = prepared.program() else { break };
        left = left.saturating_sub(configurations);
        let processor = processor_seconds() - before;
        // The memory of both layers themselves does not count.
        let layers = prepared.bytes().saturating_sub(2 * code);
        let memory = limits.peak().saturating_sub(used).saturating_sub(layers);
        measured.programs.push(Sample { layer: index, states, configurations, code, memory, processor });
        drop(prepared);
    }
    // The cost of cutting a layer is measured on the largest sampled layer whose ranges are within bounds.
    let may_be_cut = |sample: &&Sample| (1..=MOST_CONFIGURATIONS / CUT).contains(&sample.configurations);
    if let Some(sample) = measured.programs.iter().rev().find(may_be_cut).filter(|_| processes > 1) {
        let (count, terminals) = (processes.min(RANGES), endings.of_terminals(sample.layer as u32));
        let all = match fitting(pair(spool, sample.layer))? {
            Some((layer, next)) => {
                let all = in_ranges(pass, [&layer, &next], &terminals, sample.states, count, 0..count);
                fitting(all)?.flatten()
            }
            None => None,
        };
        measured.cut = all.map(|all| (count, (all as f64 / sample.configurations as f64).max(1.0)));
    }
    Ok(())
}

fn pair(spool: &mut Spool, layer: usize) -> Result<(Diagram, Diagram), SolveError> {
    Ok((spool.take(layer)?, spool.take(layer + 1)?))
}

/// Builds pieces of the largest even and the largest odd layer of those not measured, if larger than the measured ones.
fn pieces(pass: &Pass, spool: &mut Spool, endings: &Endings, measured: &mut Measured) -> Result<(), SolveError> {
    let sizes: Vec<Option<u64>> = spool.figures().iter().map(|figures| ranked_states(&figures.states)).collect();
    let programs = measured.programs.iter().map(|sample| (sample.layer, sample.configurations));
    let known: Vec<(usize, u64)> =
        programs.chain(measured.by_program().map(|solved| (solved.layer, solved.engine.requests))).collect();
    // Configurations per state of the pieces, which are more than those of the whole layer.
    let mut of_pieces = |layer: usize| -> Result<Option<f64>, SolveError> {
        let Some(states) = sizes[layer].filter(|states| *states >= PIECES * TELLING) else { return Ok(None) };
        pass.context.limits().check()?;
        let Some((this, next)) = fitting(pair(spool, layer))? else { return Ok(None) };
        let numbers = (0..BUILT).map(|number| (2 * number + 1) * PIECES / (2 * BUILT));
        let terminals = endings.of_terminals(layer as u32);
        let all = fitting(in_ranges(pass, [&this, &next], &terminals, states, PIECES, numbers))?.flatten();
        Ok(all.map(|all| all as f64 * PIECES as f64 / BUILT as f64 / states as f64))
    };
    let of_size = |layer: &usize| sizes[*layer].unwrap_or(0);
    let open = |parity: usize| {
        let open = (0..sizes.len().saturating_sub(1)).filter(|layer| known.iter().all(|(other, _)| other != layer));
        open.filter(|layer| layer % 2 == parity).max_by_key(of_size)
    };
    // The largest measured layers at both ends.
    let largest = known.iter().max_by_key(|(layer, _)| of_size(layer)).map_or(0, |(layer, _)| *layer);
    let middle = open(0).into_iter().chain(open(1)).min().unwrap_or(0);
    let of_end = |first: bool| {
        let end = known.iter().filter(|(layer, _)| (*layer < middle) == first && layer + 1 < sizes.len());
        end.max_by_key(|(layer, _)| of_size(layer)).copied()
    };
    let (mut sum, mut count) = (0.0, 0);
    for (layer, configurations) in [of_end(true), of_end(false)].into_iter().flatten() {
        if let (Some(found), Some(states)) = (of_pieces(layer)?, sizes[layer]) {
            sum += (found * states as f64 / configurations.max(1) as f64).ln();
            count += 1;
        }
    }
    if count == 0 || of_size(&largest) == 0 {
        return Ok(());
    }
    let more = (sum / f64::from(count)).exp();
    let chosen: Vec<usize> = [open(0), open(1)].into_iter().flatten().collect();
    for layer in chosen {
        if of_size(&layer) > of_size(&largest)
            && let Some(found) = of_pieces(layer)?
        {
            measured.pieces.push((layer, found / more));
        }
    }
    Ok(())
}

/// Configurations of the programs of the ranges `numbers`, out of `count` ranges of about equal length. `None` if they
/// cannot be built, or have more configurations than the bound.
fn in_ranges(
    pass: &Pass,
    [layer, next]: [&Diagram; 2],
    terminals: &[u32],
    states: u64,
    count: u64,
    numbers: impl Iterator<Item = u64>,
) -> Result<Option<u64>, SolveError> {
    let (game, context) = (pass.ranked_game(), pass.context);
    let (labels, moves) = by_rank::of_layer(game, layer, terminals, context)?;
    let slices = Slices::new(&labels, next, &moves.relations, &moves.roots, context)?;
    let mut sum = 0;
    for number in numbers {
        let [start, end] =
            [number, number + 1].map(|cut| (u128::from(states) * u128::from(cut) / u128::from(count)) as u64);
        if start == end {
            continue;
        }
        match slices.begin(
            start..end,
            Most { configurations: MOST_CONFIGURATIONS.saturating_sub(sum), ..Most::UNLIMITED },
            context,
        )? {
            Ok(slice) => sum += slice.configurations(),
            Err(_) => return Ok(None),
        }
    }
    Ok(Some(sum))
}

/// Solves the last layers. If the engine may choose and solves none of them by rank, a large one is solved by rank as a
/// measurement, which does not affect the choice for the layers before it.
fn solved(
    pass: &Pass,
    spool: &mut Spool,
    wanted: (&Endings, &SolveOptions),
    layers: &[Layer],
) -> Result<Vec<Solved>, SolveError> {
    let (endings, options) = wanted;
    let (count, total) = (layers.len(), layers.iter().map(Layer::size).sum::<f64>());
    let most = f64::max(total / LAST, ALWAYS).min(MOST_STATES);
    let mut states = 0.0;
    let last = layers.iter().rev().take_while(|layer| {
        states += layer.size();
        states <= most
    });
    let mut first = count - last.count();
    if first == count || pass.expansion.by_rank().is_none() {
        return solved_by(pass, spool, wanted, options.engine, first);
    }
    // The values are so dense that the layer before is swept.
    let is_dense = |solved: &Solved| {
        let values = endings.possible(solved.layer as u32);
        solved.nodes > 0 && by_density(solved.nodes, values, solved.states).is_err()
    };
    let before = |solved: Option<&Solved>| match solved {
        Some(solved) if is_dense(solved) && options.engine == EngineChoice::Auto => EngineChoice::Symbolic,
        _ => options.engine,
    };
    let mut all = Vec::new();
    let states_of = |layer: &usize| ranked_states(&layers[*layer].states).filter(|states| *states <= UNRANKED);
    let tried = (first..count - 1).filter(|layer| states_of(layer).is_some()).max_by_key(states_of);
    if let Some(tried) = tried.filter(|_| options.engine == EngineChoice::Auto) {
        all = solved_by(pass, spool, wanted, EngineChoice::Auto, tried + 1)?;
        if all.iter().all(|solved| solved.engine.means == Means::Sweep) {
            let by_rank = fitting(solved_by(pass, spool, wanted, EngineChoice::Hybrid, tried))?;
            all.extend(by_rank.into_iter().flatten());
            if tried > first {
                all.extend(solved_by(pass, spool, wanted, before(all.last()), tried - 1)?);
            }
        }
    }
    all.extend(solved_by(pass, spool, wanted, options.engine, first)?);
    let mut nodes: f64 = all.iter().map(|solved| solved.nodes as f64).sum();
    let mut states: f64 = layers[first..].iter().map(Layer::size).sum();
    while let Some(last) = all.last().filter(|last| before(Some(last)) == EngineChoice::Symbolic && first > 0) {
        let size = layers[first - 1].size();
        // At least as many nodes per state are assumed as in the layer after it.
        let expected = size * last.nodes as f64 / last.states.max(1) as f64;
        if states + size > total / LAST_SWEPT || nodes + expected > MOST_NODES {
            break;
        }
        first -= 1;
        let solved = solved_by(pass, spool, wanted, EngineChoice::Symbolic, first)?;
        nodes += solved.iter().map(|solved| solved.nodes as f64).sum::<f64>();
        states += size;
        all.extend(solved);
    }
    Ok(all)
}

fn solved_by(
    pass: &Pass,
    spool: &mut Spool,
    (endings, options): (&Endings, &SolveOptions),
    engine: EngineChoice,
    first: usize,
) -> Result<Vec<Solved>, SolveError> {
    if first == spool.figures().len() {
        return Ok(Vec::new());
    }
    let options = SolveOptions { engine, ..options.clone() };
    let clock = Clock::new(pass.listener, Phase::Backward);
    let (_, engines) = backward::backward(&Pass { listener: &clock, ..*pass }, spool, endings, &options, first)?;
    let layer = |Lap { layer, processor, nodes }: Lap| {
        let engine = engines[layer]?;
        let states = ranked_states(&spool.figures()[layer].states)?;
        let bytes = spool.file_bytes(layer).1?;
        Some(Solved { layer, states, engine, nodes, bytes, processor })
    };
    let mut solved: Vec<Solved> = clock.layers().into_iter().filter_map(layer).collect();
    for solved in solved.iter_mut().filter(|solved| solved.nodes == 0 && solved.states <= UNRANKED) {
        // Without room for the values by rank, they would be a diagram with this number of nodes.
        let mut nodes = || -> Result<u64, SolveError> {
            let values = LayerValues::stored(&spool.archive()?, solved.layer, pass.context)?;
            Ok(values.into_diagram(&spool.take(solved.layer)?, pass.context)?.node_count())
        };
        solved.nodes = fitting(nodes())?.unwrap_or(0);
    }
    Ok(solved)
}

impl Measured {
    pub fn by_program(&self) -> impl Iterator<Item = &Solved> {
        self.solved.iter().filter(|solved| matches!(solved.engine.means, Means::Ranks(kernel::Way::Program)))
    }

    pub fn by_sweep(&self) -> impl Iterator<Item = &Solved> {
        self.solved.iter().filter(|solved| solved.engine.means == Means::Sweep)
    }
}
