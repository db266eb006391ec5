//! The backward pass: the values of all states, from the last layer to the first, two layers at a time.

pub mod choice;
pub mod decide;
mod doing;
mod engine;

use super::SolveError;
use super::forward;
use super::options::SolveOptions;
use super::outcome::{Bucket, LayerEngine};
use super::pass::{Bounds, Pass};
use super::progress::{Event, Phase, Silent};
use super::spool::Spool;
use super::team::Team;
use super::values::LayerValues;
use crate::store::Kind;
use doing::Solved;
use engine::Engine;
pub use engine::ranked_states;
use game::ending::Endings;
use kernel::{Diagram, Preferences, Prepared};
use std::collections::VecDeque;
use std::ops::Range;
use std::time::Instant;

/// Listed values that are not stored are not converted to a diagram if the layer has at least this number of nodes: the
/// diagram would only show its size, and takes as long as solving the layer.
const MANY: u64 = 1 << 12;

/// By layer: its buckets, and how it was solved; `None` for one that an earlier run solved.
type Backward = (Vec<Vec<Bucket>>, Vec<Option<LayerEngine>>);

/// Runs the pass over the layers of a spool and consumes them. It begins at the last layer whose values are not stored.
/// `first`: the first layer to solve; earlier layers get no buckets.
pub fn backward(
    pass: &Pass,
    spool: &mut Spool,
    endings: &Endings,
    options: &SolveOptions,
    first: usize,
) -> Result<Backward, SolveError> {
    let Pass { game, expansion, context, listener, .. } = *pass;
    let (ranking, team) = (options.ranking(), &options.team);
    let roles = game.roles.len();
    let ranks = (0..roles).map(|mover| endings.places(ranking, mover, roles));
    let preferences = Preferences::new(ranks.collect());
    expansion.begin_backward();
    let mut engine = Engine::new(pass, preferences, endings, options, spool.figures());
    let mut by_layer = spool.stored_buckets();
    let total = by_layer.len();
    let done = by_layer.iter().rev().take_while(|buckets| buckets.is_some()).count();
    let levels = expansion.variables().levels();
    let mut next = Diagram::constant(levels, 0);
    let mut values = values_behind(pass, &mut engine, spool, done, team)?;
    // Stored values by rank become a diagram through their states, whichever engine goes on.
    let by_rank = !matches!(values, Some(LayerValues::Diagram(_)));
    if done > 0 && done < total && (engine.keeps_next() || by_rank) {
        next = spool.take(total - done)?;
    }
    let mut engines = vec![None; total];
    // Layers taken from the spool together, the next one first, each with its preparation.
    let mut ahead = VecDeque::new();
    for index in (first..total - done).rev() {
        let start = Instant::now();
        let (layer, prepared) = taken(&engine, spool, first..index + 1, &next, &mut ahead)?;
        let states = ranked_states(&spool.figures()[index].states);
        let size = layer.node_count();
        let during = |what: &str, error: SolveError| {
            error.during(|| format!("{what} of layer {index} of {total} ({size} nodes){}", also(context.stopped())))
        };
        let solved = engine.solve(index, &layer, states, &next, values, spool, prepared);
        let Solved { values: mut found, engine: mut means } = solved.map_err(|error| during("values", error))?;
        if found.has_dead_end() {
            return Err(dead_end(pass));
        }
        if let LayerValues::Listed(listed) = &mut found
            && (spool.is_stored() || size < MANY)
        {
            listed.draw(context)?;
            means.bytes = choice::NODE_BYTES * found.nodes();
        }
        let buckets = counted_and_stored(pass, spool, endings, index, (&layer, &mut found), &during)?;
        if let Some(store) = spool.store().filter(|_| team.is_shared()) {
            // Other processes read the values.
            store.save()?;
        }
        let nodes = found.nodes();
        values = Some(found).filter(|found| !matches!(found, LayerValues::Shared(_)));
        by_layer[index] = Some(buckets);
        let states = &spool.figures()[index].states;
        listener.event(&Event::layer(Phase::Backward, index, Some(total), states, nodes, start));
        listener.event(&Event::Message(format!("layer {index}: {means}")));
        engines[index] = Some(means);
        next = if engine.keeps_next() { layer } else { Diagram::constant(levels, 0) };
    }
    Ok((by_layer.into_iter().map(Option::unwrap_or_default).collect(), engines))
}

/// Takes the last of `layers` from the spool, prepared. Layers that are prepared together with it go to `ahead`.
fn taken(
    engine: &Engine,
    spool: &mut Spool,
    layers: Range<usize>,
    next: &Diagram,
    ahead: &mut VecDeque<(Diagram, Option<Prepared>)>,
) -> Result<(Diagram, Option<Prepared>), SolveError> {
    let last = layers.end - 1;
    let count = engine.ahead(&spool.figures()[..layers.end]).min(layers.len());
    if ahead.is_empty() && count > 0 {
        let taken = (0..count).map(|k| spool.take(last - k)).collect::<Result<Vec<_>, _>>()?;
        let prepared = engine.prepare(&taken, &spool.figures()[..layers.end], next)?;
        ahead.extend(taken.into_iter().zip(prepared));
    }
    match ahead.pop_front() {
        Some(ready) => Ok(ready),
        None => Ok((spool.take(last)?, None)),
    }
}

/// Values of the layer that an earlier run solved last; no values if `done` is 0. `done`: number of layers that are
/// solved. `None`: only the store has them, or all layers are solved.
fn values_behind(
    pass: &Pass,
    engine: &mut Engine,
    spool: &mut Spool,
    done: usize,
    team: &Team,
) -> Result<Option<LayerValues>, SolveError> {
    let total = spool.figures().len();
    if done == 0 {
        return Ok(Some(LayerValues::Diagram(Diagram::constant(pass.expansion.variables().levels(), 0))));
    } else if done == total {
        return Ok(None);
    }
    let archive = spool.archive()?;
    let values = if team.is_shared() && archive.values_kind(total - done) == Some(Kind::Ranked) {
        archive.check_ranked(total - done)?;
        None
    } else {
        Some(LayerValues::stored(&archive, total - done, pass.context)?)
    };
    engine.go_on(values.as_ref(), &spool.figures()[total - done].states);
    Ok(values)
}

fn counted_and_stored(
    pass: &Pass,
    spool: &mut Spool,
    endings: &Endings,
    index: usize,
    (layer, values): (&Diagram, &mut LayerValues),
    during: &dyn Fn(&str, SolveError) -> SolveError,
) -> Result<Vec<Bucket>, SolveError> {
    let buckets = values.buckets(layer, endings, index, pass.context);
    let buckets = buckets.map_err(|error| during("counts of values", error))?;
    if spool.is_stored() {
        let stored = spool.push_values(index, layer, values, &buckets);
        stored.map_err(|error| during("storage of values", error.into()))?;
    }
    Ok(buckets)
}

/// The refusal of a game with a dead end. The forward pass is repeated with its check, which finds a dead end as near as
/// possible to the initial state.
fn dead_end(pass: &Pass) -> SolveError {
    let again = Pass { solving: false, listener: &Silent, bounds: Bounds::NONE, ..*pass };
    match forward::forward(&again, &mut Spool::new(None, None, pass.context), &mut None) {
        Err(error) => error,
        Ok(_) => SolveError::Inconsistent("only values have a dead end".to_owned()),
    }
}

/// The end of a message about the sweep that was under way.
fn also(sweep: Option<String>) -> String {
    sweep.map_or(String::new(), |sweep| format!(": {sweep}"))
}
