//! What layers take on this machine, measured: programs of the first layers, built and dropped, and the last layers, solved as
//! they will be.
//!
//! Time is that of processors, so that other work on the machine does not count.

use super::super::SolveError;
use super::super::backward::{self, Wanted, ranked_states};
use super::super::expansion::Ahead;
use super::super::options::EngineChoice;
use super::super::outcome::{LayerEngine, Means};
use super::super::pass::Pass;
use super::super::progress::{Event, Listener, Phase};
use super::super::spool::Spool;
use super::layers::Layer;
use crate::ending::Endings;
use crate::kernel::{Begun, Diagram, Most, Slices};
use crate::limits::LimitReached;
use crate::machine::processor_seconds;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The first layers may have the states of all layers divided by this together, and the last ones by that.
const FIRST: f64 = 16.0;
const LAST: f64 = 10.0;
/// So many states are always within that.
const ALWAYS: f64 = (1u32 << 20) as f64;
/// Layers of fewer states tell nothing of large ones.
const TELLING: u64 = 1 << 10;
/// As many ranges are built of a layer at most, to find what cutting it takes.
const RANGES: u64 = 64;

/// The program of a layer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    pub layer: usize,
    pub states: u64,
    pub configurations: u64,
    /// Bytes of its code, and of memory while it was built beside what was there before.
    pub code: u64,
    pub memory: u64,
    /// Processor seconds.
    pub processor: f64,
}

/// A layer that was solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solved {
    pub layer: usize,
    pub states: u64,
    pub engine: LayerEngine,
    /// Nodes of its values; 0 if they are by rank.
    pub nodes: u64,
    /// Of the file of its values.
    pub bytes: u64,
    pub processor: f64,
}

/// Everything that was measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    pub programs: Vec<Sample>,
    /// The last layer first.
    pub solved: Vec<Solved>,
    /// Configurations of a layer in so many ranges, beside those of the whole.
    pub cut: Option<(u64, f64)>,
    /// Seconds of wall-clock time and of processors that all of it took.
    pub wall: f64,
    pub processor: f64,
}

/// Adds processor seconds by layer of a pass to what another listener hears.
pub struct Clock<'a> {
    listener: &'a dyn Listener,
    phase: Phase,
    /// The time of the last event, and the layers in the order of the pass.
    state: Mutex<(f64, Vec<Lap>)>,
}

/// A layer that a pass has finished.
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

    /// By layer in the order of the pass.
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

/// Measures layers of a spool; `layers`: all that there are going to be; `complete`: they are all in the spool.
/// `processes`: the team of the planned run.
pub fn measure(
    pass: &Pass,
    spool: &mut Spool,
    wanted: Wanted,
    layers: &[Layer],
    complete: bool,
    processes: u64,
) -> Result<Measured, SolveError> {
    let (begin, before) = (Instant::now(), processor_seconds());
    let total: f64 = layers.iter().map(Layer::size).sum();
    let mut measured = Measured::default();
    if pass.expansion.has_retrograde() && wanted.engine != EngineChoice::Symbolic {
        programs(pass, spool, &wanted.endings, total, processes, &mut measured)?;
    }
    if complete {
        let most = f64::max(total / LAST, ALWAYS);
        let mut states = 0.0;
        let last = layers.iter().rev().take_while(|layer| {
            states += layer.size();
            states <= most
        });
        let first = layers.len() - last.count();
        measured.solved = solved(pass, spool, &wanted, first)?;
    }
    (measured.wall, measured.processor) = (begin.elapsed().as_secs_f64(), processor_seconds() - before);
    Ok(measured)
}

/// Builds programs of the first layers.
fn programs(
    pass: &Pass,
    spool: &mut Spool,
    endings: &Endings,
    total: f64,
    processes: u64,
    measured: &mut Measured,
) -> Result<(), SolveError> {
    let Pass { expansion, context, listener, .. } = *pass;
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
    for (done, &(index, states)) in chosen.iter().enumerate() {
        listener.event(&Event::Work { what: "measuring", done: done as u64, total: chosen.len() as u64 });
        limits.check()?;
        let (layer, next) = (spool.take(index)?, spool.take(index + 1)?);
        let terminals = endings.of_terminals(index as u32);
        let ahead = Ahead { layer: &layer, next: &next, terminals: &terminals, most: Most::UNLIMITED };
        limits.restart_peak();
        let (used, before) = (limits.used(), processor_seconds());
        let prepared = expansion.prepare(&[ahead]).pop().expect("one outcome for each layer");
        let prepared = match prepared {
            // Less memory here than the planned run will have.
            Err(SolveError::Limit(LimitReached::Memory { .. } | LimitReached::Size { .. })) => break,
            prepared => prepared?,
        };
        let Some((configurations, code)) = prepared.program() else { break };
        let processor = processor_seconds() - before;
        // Beside what both layers take by themselves.
        let layers = prepared.bytes().saturating_sub(2 * code);
        let memory = limits.peak().saturating_sub(used).saturating_sub(layers);
        measured.programs.push(Sample { layer: index, states, configurations, code, memory, processor });
        drop(prepared);
        if done + 1 == chosen.len() && processes > 1 && configurations > 0 {
            let count = processes.min(RANGES);
            let all = in_ranges(pass, &layer, &next, &terminals, states, count)?;
            measured.cut = all.map(|all| (count, (all as f64 / configurations as f64).max(1.0)));
        }
    }
    Ok(())
}

/// Configurations of the programs of so many ranges of a layer; `None` if they cannot be built.
fn in_ranges(
    pass: &Pass,
    layer: &Diagram,
    next: &Diagram,
    terminals: &[u32],
    states: u64,
    count: u64,
) -> Result<Option<u64>, SolveError> {
    let Pass { expansion, context, .. } = *pass;
    let labels = expansion.labels(layer, terminals)?;
    let (relations, roots) = expansion.moves();
    let slices = Slices::new(&labels, next, relations, roots, context)?;
    let mut sum = 0;
    for number in 0..count {
        let [start, end] =
            [number, number + 1].map(|cut| (u128::from(states) * u128::from(cut) / u128::from(count)) as u64);
        if start == end {
            continue;
        }
        match slices.begin(start..end, Most::UNLIMITED, context)? {
            Begun::Ready(slice) => sum += slice.configurations(),
            Begun::DeadEnd | Begun::TooLarge => return Ok(None),
        }
    }
    Ok(Some(sum))
}

/// Solves the layers from one on. Where the engine is free to choose and takes none of them by rank, the largest one is
/// taken so, to see what that takes.
fn solved(pass: &Pass, spool: &mut Spool, wanted: &Wanted, first: usize) -> Result<Vec<Solved>, SolveError> {
    let count = spool.figures().len();
    if wanted.engine != EngineChoice::Auto || !pass.expansion.has_retrograde() || count - first < 2 {
        return solved_by(pass, spool, wanted, wanted.engine, first);
    }
    let mut solved = solved_by(pass, spool, wanted, EngineChoice::Auto, first + 1)?;
    let swept = solved.iter().all(|solved| solved.engine.means == Means::Sweep);
    let engine = if swept { EngineChoice::Hybrid } else { EngineChoice::Auto };
    solved.extend(solved_by(pass, spool, wanted, engine, first)?);
    Ok(solved)
}

fn solved_by(
    pass: &Pass,
    spool: &mut Spool,
    wanted: &Wanted,
    engine: EngineChoice,
    first: usize,
) -> Result<Vec<Solved>, SolveError> {
    if first == spool.figures().len() {
        return Ok(Vec::new());
    }
    let wanted = Wanted { engine, first, ..wanted.clone() };
    let clock = Clock::new(pass.listener, Phase::Backward);
    let outcome = backward::backward(&Pass { listener: &clock, ..*pass }, spool, &wanted)?;
    let layer = |Lap { layer, processor, nodes }: Lap| {
        let engine = outcome.engines[layer]?;
        let states = ranked_states(&spool.figures()[layer].states)?;
        let bytes = spool.file_bytes(layer).1?;
        Some(Solved { layer, states, engine, nodes, bytes, processor })
    };
    Ok(clock.layers().into_iter().filter_map(layer).collect())
}

impl Measured {
    /// Those by program.
    pub fn by_program(&self) -> impl Iterator<Item = &Solved> {
        self.solved.iter().filter(|solved| matches!(solved.engine.means, Means::Ranks(crate::kernel::Way::Program)))
    }

    /// Those by sweep.
    pub fn by_sweep(&self) -> impl Iterator<Item = &Solved> {
        self.solved.iter().filter(|solved| solved.engine.means == Means::Sweep)
    }
}
