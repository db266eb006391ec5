//! Algorithms on the whole reachable set, with every state once: for games whose layers share states, for games with
//! endless play, and as references for the layered solver.
//!
//! [`reach()`] finds the states. Their values come from `global` ([`mod@retrograde`] on diagrams, [`mod@passes`] by
//! rank, [`mod@counting`] state by state), [`mod@classic`] or [`mod@matrix`]. All of these record [`Rounds`]: a state
//! gets its value in a later round than some successor with the same value, so moves that keep the value and lead to
//! earlier rounds end in a terminal state of that value. Only `global` stores its results ([`mod@saving`]), because its
//! rounds follow from its rules and can be verified. Distances to the end ([`mod@plies`]) are computed from all values.
//! Play from states that never get a value is endless; their value id is [`Orders::endless`].

mod classic;
mod counting;
mod digits;
mod distances;
pub mod line;
mod matrix;
mod not_best;
pub mod orders;
mod outcome;
mod passes;
mod plies;
pub mod reach;
pub mod rehearsal;
mod retrograde;
mod rounds;
mod saving;
mod settled;
pub mod terminals;

pub use orders::Orders;
pub use outcome::{Start, run};
pub use terminals::terminal_values;

use super::ends::{Ends, Told};
use super::expansion::States;
use super::explored::Kept;
use super::options::or_left_out;
use super::outcome::{Algorithm, Bucket, Engine, Solved, Valuation};
use super::pass::Pass;
use super::progress::Event;
use super::spool::Spool;
use super::stored::bucket_records;
use super::{EngineChoice, ExpansionChoice, SolveError, SolveOptions, buckets};
use base::limits::Limits;
use counting::Counting;
use distances::Distances;
use game::ending::Endings;
use game::reward::Ranking;
use kernel::{self, Diagram};
use num_bigint::BigUint;
use plies::measure;
use reach::reach;
use rounds::Rounds;
use saving::Saving;
use settled::Settled;
use std::time::Instant;
use terminals::{all_as, only, without};

/// Approximate bytes of a listed state with its moves, in addition to its packed form.
const STATE_BYTES: u64 = 140;
/// A set is dense if a node stands for at least `SPARSE` states. Sets of up to `FEW` states that are not dense are
/// solved by lists. Other sets are solved by rank if possible, otherwise by lists if they have up to `FEW` states or
/// are not dense.
pub const FEW: u64 = 1 << 23;
const SPARSE: u64 = 100;

/// Computes the values of the reached states, which are in the spool by distance. `listed`: a list of these states, if
/// the probe kept one. `repeats`: whether some state repeats.
fn solve(
    pass: &Pass,
    (all, listed): (&Diagram, Option<Kept>),
    spool: &mut Spool,
    (algorithm, repeats): (Algorithm, bool),
    options: &SolveOptions,
) -> Result<Solved, SolveError> {
    let orders = Orders::new(options.ranking(), pass.game.roles.len(), pass.expansion.rewards());
    let ends = Ends::find(pass, spool, options)?;
    let mut rounds = Rounds::new(pass, spool.is_stored());
    let measured = options.distances || options.line && pass.game.roles.len() > 1;
    let mut engine = pass.expansion.engine();
    let (mut values, plies) = match algorithm {
        Algorithm::Classic | Algorithm::Matrix => {
            if options.engine == EngineChoice::Hybrid {
                let text = format!("no rounds by rank: the algorithm {} uses diagrams", algorithm.name());
                pass.listener.event(&Event::Notice(text));
            }
            let settle = if algorithm == Algorithm::Classic { classic::settle } else { matrix::settle };
            let values = settle(pass, all, &orders, &mut rounds)?;
            let plies = match measured {
                true => or_left_out(measure(pass, &values, &orders), "a line of best play is", pass.listener)?,
                false => None,
            };
            (Settled::diagram(pass, all, values), plies.map(Distances::Diagram))
        }
        Algorithm::Layered | Algorithm::Global | Algorithm::Exact => {
            let mut saving = Saving::new(pass, spool);
            settled(pass, (all, listed), &orders, (options, measured), &mut rounds, &mut saving, &mut engine)?
        }
    };
    if spool.is_stored() || plies.is_some() {
        // What is stored does not depend on the engine, so it has the nodes of values, which only diagrams tell.
        values.as_diagram()?;
    }
    let told = ends.map_or_else(|| Ok(Told::default()), |ends| ends.told(pass, spool, Some(all), options))?;
    let line = match plies.as_ref().filter(|_| options.line && pass.game.roles.len() > 1) {
        Some(plies) => line::by_plies(pass, values.all()?, plies)?,
        None => None,
    };
    let plies = plies.filter(|_| options.distances);
    drop(rounds);
    let by_layer = match &values.by_rank {
        Some(ranked) => ranked.buckets(pass, spool)?,
        None => of_layers(pass, spool, values.all()?, plies.as_ref(), &orders)?,
    };
    let (ties, not_best) = undecided(pass, spool, values, &orders, repeats, options)?;
    if let Some(store) = spool.store().filter(|_| algorithm == Algorithm::Global) {
        store.finish_settled(by_layer.iter().map(|buckets| bucket_records(buckets)).collect())?;
    }
    let valuation = Valuation { line, ties, not_best, ..Valuation::of(&by_layer) };
    Ok(Solved { valuation, by_layer, means: Vec::new(), engine, told })
}

/// The number of states in which a tie decides, if the options ask for it, and the number of states whose value is no
/// equilibrium, if there may be some. Both are stored.
fn undecided(
    pass: &Pass,
    spool: &mut Spool,
    mut values: Settled,
    orders: &Orders,
    repeats: bool,
    options: &SolveOptions,
) -> Result<(Option<BigUint>, Option<BigUint>), SolveError> {
    let ranking =
        Some(options.ranking()).filter(|_| repeats && not_best::is_possible(orders, &values.ids(orders.endless)));
    let (mut ties, mut not_best) = (None, None);
    if options.ties && spool.is_stored() {
        let counted = super::ties::in_all(pass, values.as_diagram()?, options.opponent_model);
        ties = super::ties::noted(counted, pass, spool)?;
    }
    if let Some(Ranking::Each(model)) = ranking {
        let counted = values.as_diagram().and_then(|values| not_best::count(pass, values, orders, model));
        not_best = or_left_out(counted, "the states whose value is no equilibrium are", pass.listener)?.flatten();
        if let (Some(states), Some(store)) = (&not_best, spool.store()) {
            store.set_not_best(states.clone())?;
        }
    }
    Ok((ties, not_best))
}

/// The buckets of the states by distance from the initial state. `plies`: their distances from the end.
fn of_layers(
    pass: &Pass,
    spool: &mut Spool,
    values: &Diagram,
    plies: Option<&Distances>,
    orders: &Orders,
) -> Result<Vec<Vec<Bucket>>, SolveError> {
    let as_values = kernel::as_values(values, pass.context)?;
    let endings = Endings::plain(pass.expansion.rewards().to_vec());
    let distances = 0..spool.figures().len();
    let of_layer = |distance| {
        let states = spool.take(distance)?;
        let own = kernel::as_values(&kernel::restrict(&states, &as_values, pass.context)?, pass.context)?;
        let mut buckets = buckets::of_layer(&states, &own, &endings, distance, pass.context)?;
        let histograms = plies.map(|plies| plies.histograms(&states, values, orders, pass)).transpose()?;
        let mut histograms = histograms.unwrap_or_default();
        for bucket in &mut buckets {
            let index = pass.expansion.rewards().iter().position(|rewards| Some(rewards) == bucket.rewards.as_ref());
            bucket.plies = index.and_then(|index| histograms.remove(&(index as u32 + 1))).unwrap_or_default();
        }
        Ok(buckets)
    };
    distances.map(of_layer).collect()
}

/// The values of all states and, if `measured`, the distances of the states from which play ends. The size of the set
/// and the options decide whether lists, tables by rank or diagrams are used. Values are stored, and distances if the
/// options ask for them. Without distances, values that were found by rank are returned in that form, too.
fn settled<'a>(
    pass: &'a Pass<'a>,
    (all, known): (&'a Diagram, Option<Kept>),
    orders: &Orders,
    (options, measured): (&SolveOptions, bool),
    rounds: &mut Rounds,
    saving: &mut Saving,
    engine: &mut Engine,
) -> Result<(Settled<'a>, Option<Distances>), SolveError> {
    let count = u64::try_from(all.count(pass.context)?).unwrap_or(u64::MAX);
    let few = are_few(pass, options, all, count);
    let ranked = if few { None } else { passes::prepare(pass, all, count, orders, (options, rounds.are_kept()))? };
    let fits = fits_listed(pass, all, count);
    let listed = ranked.is_none() && may_list(options) && one_by_one(pass, all, count);
    let states = listed.then(|| States::new(pass.game, pass.expansion.variables().clone(), pass.context));
    // Without a use, the list that the probe kept gives its memory back.
    let known = known.filter(|_| states.is_some());
    let moves = states.as_ref().map_or(Ok(None), |states| counting::prepare(states, all, known))?;
    let _memory =
        moves.as_ref().map(|moves| pass.context.limits().hold(Counting::bytes(moves, measured))).transpose()?;
    // Loaded after the choice of the engine, which frees the states that the probe kept.
    let (before, known) = saving.before(rounds)?;
    let mut counting = states.as_ref().zip(moves).map(|(states, moves)| Counting::new(pass, states, moves, orders));
    let mut values = match (ranked, &mut counting) {
        (Some(mut ranked), _) => {
            *engine = Engine::Hybrid;
            passes::settle(pass, all, &mut ranked, orders, before, rounds, saving)?;
            Settled::by_rank(pass, all, ranked)
        }
        (None, Some(counting)) => Settled::diagram(pass, all, counting.run(before, rounds, saving)?),
        (None, None) => {
            let reason = match (may_list(options), listed || !fits) {
                (false, _) => "lists of states are excluded",
                (true, true) => "lists of states, or of their moves, do not fit into memory",
                (true, false) => "a node stands for many states",
            };
            pass.listener.event(&Event::Message(format!("rounds by diagrams: {reason}")));
            Settled::diagram(pass, all, retrograde::settle(pass, all, orders, before, rounds, saving)?)
        }
    };
    if saving.stores() {
        saving.save(Instant::now(), values.all()?, None, rounds)?;
    }
    let measure = |values: &mut Settled| {
        if let Some(mut counting) = counting {
            return Ok(Distances::Diagram(counting.plies()?));
        }
        values.all()?;
        let by_rank = values.by_rank.take();
        let all = values.all()?;
        match by_rank.map_or(Ok(None), |ranked| passes::measure(pass, ranked, all, orders))? {
            Some(plies) => Ok(plies),
            None => Ok(Distances::Diagram(measure(pass, all, orders)?)),
        }
    };
    let mut plies = match known.filter(|(count, _)| *count == rounds.count()) {
        Some((_, plies)) => Distances::Diagram(plies),
        None if !measured => return Ok((values, None)),
        None => match measure(&mut values) {
            Err(SolveError::Limit(limit)) if !options.distances && limit.is_want_of_room() => {
                let message = format!("a line of best play can't be read from distances, which do not fit: {limit}");
                pass.listener.event(&Event::Notice(message));
                return Ok((values, None));
            }
            plies => plies?,
        },
    };
    if options.distances && rounds.are_kept() {
        let diagram = plies.into_diagram(pass)?;
        saving.save(Instant::now(), values.all()?, Some(&diagram), rounds)?;
        plies = Distances::Diagram(diagram);
    }
    Ok((values, Some(plies)))
}

fn may_list(options: &SolveOptions) -> bool {
    options.expansion != ExpansionChoice::Relations && options.engine != EngineChoice::Symbolic
}

/// Whether lists are used in place of ranks, without a look at what ranks take.
fn are_few(pass: &Pass, options: &SolveOptions, all: &Diagram, states: u64) -> bool {
    let few = states <= FEW && !is_dense(all, states) && fits_listed(pass, all, states);
    few && options.engine == EngineChoice::Auto && may_list(options)
}

/// Whether lists of `states` states fit into memory, and the states are few or not dense.
fn one_by_one(pass: &Pass, all: &Diagram, states: u64) -> bool {
    fits_listed(pass, all, states) && (states <= FEW || !is_dense(all, states))
}

fn is_dense(set: &Diagram, states: u64) -> bool {
    states / (set.node_count() + 1) >= SPARSE
}

fn fits_listed(pass: &Pass, all: &Diagram, states: u64) -> bool {
    may_be_listed(all.levels(), states, pass.context.limits())
}

/// Whether lists of `states` states of so many levels, with the moves between them, fit into memory.
pub fn may_be_listed(levels: u32, states: u64, limits: &Limits) -> bool {
    (u64::from(levels) / 8 + STATE_BYTES).saturating_mul(states) <= limits.free() / 4 * 3
}
