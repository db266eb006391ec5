//! The rounds of [`retrograde`](super::retrograde) on tables by rank, a few bits per state. [`Settling`] finds the
//! moves between ranks once, for all reachable states, and follows them in each round. If rounds are kept, their
//! numbers are in a table until a diagram is needed to save memory or to be stored.
//!
//! The ranks are those of a somewhat larger set with fewer nodes ([`kernel::widened`]), in which the moves of more
//! states are alike. Cost: the moves, at most a few bytes per state; tables of a few bits per place; and in each round
//! a few nanoseconds for each move of the states without a value that have a successor from the last round.

use super::super::expansion::{by_rank, guarded};
use super::super::options::{EngineChoice, SolveOptions};
use super::super::outcome::Bucket;
use super::super::pass::Pass;
use super::super::progress::Event;
use super::super::spool::Spool;
use super::super::{ExpansionChoice, SolveError, buckets};
use super::distances::Distances;
use super::orders::Orders;
use super::plies::{Told, ended, terminal_of, without_end};
use super::rehearsal::Rehearsal;
use super::rounds::Rounds;
use super::saving::Saving;
use super::terminals::{all_as, only};
use base::digits::grouped;
use base::limits::LimitReached;
use base::machine::processor_seconds;
use game::ending::Endings;
use game::reward::shortens;
use kernel::{self, Bitvector, Context, Diagram, RankedTally, Settling};
use std::time::Instant;

/// Divisor of the free memory: the moves may take the quotient.
const SHARE: u64 = 4;
/// Most bytes of moves per state if the options do not ask for this engine. Lists of states take some 130 bytes a state,
/// and begin after moves by rank that were made in vain.
const MOST_BYTES: u64 = 24;

pub struct Ranked {
    /// The set whose ranks number the states.
    places: Diagram,
    settling: Settling,
}

/// All states by rank, with the terminal ones settled. `None`: this engine is excluded, or its tables and moves would
/// take too much memory.
pub fn prepare(
    pass: &Pass,
    reached: &Diagram,
    states: u64,
    orders: &Orders,
    (options, keep): (&SolveOptions, bool),
) -> Result<Option<Ranked>, SolveError> {
    let Pass { expansion, context, listener, .. } = *pass;
    let asked_for = options.engine == EngineChoice::Hybrid;
    let excluded = options.engine == EngineChoice::Symbolic || options.expansion == ExpansionChoice::States;
    if excluded {
        return Ok(None);
    }
    let refused = |reason: &str| {
        let text = format!("no rounds by rank: {reason}");
        let event = if asked_for { Event::Notice(text + "; another engine is used") } else { Event::Message(text) };
        listener.event(&event);
        Ok(None)
    };
    if expansion.by_rank().is_none() {
        let reason = format!("there are no relations of moves, or more than {} roles", kernel::MOST_MOVERS);
        return if asked_for { refused(&reason) } else { Ok(None) };
    }
    if states >= kernel::MOST_RANKED / 2 {
        return refused("there are more states than can be ranked");
    }
    let tables = Bitvector::bytes(states, orders.endless as usize).saturating_mul(4);
    let Some(free) = context.limits().free().checked_sub(tables) else {
        return refused(&format!("tables of {} bytes do not fit into memory", grouped(tables)));
    };
    let most = if asked_for { free / SHARE } else { (free / SHARE).min(MOST_BYTES.saturating_mul(states)) };
    let begin = Instant::now();
    let ranked = match by_rank(pass, reached, orders, keep, most) {
        Err(SolveError::Limit(limit)) if limit.is_want_of_room() => return refused(&limit.to_string()),
        made => made?,
    };
    let Some(Ranked { settling, .. }) = &ranked else {
        return refused(&format!("the moves between ranks are too large (at most {} bytes)", grouped(most)));
    };
    let [places, bytes] = [settling.values().states(), settling.bytes()].map(grouped);
    let seconds = begin.elapsed().as_secs_f64();
    let text = format!("rounds by rank: {places} places, {bytes} bytes of moves, {seconds:.1} s");
    listener.event(&Event::Message(text));
    Ok(ranked)
}

impl Ranked {
    pub fn bytes(&self) -> u64 {
        self.settling.bytes()
    }

    pub fn values(&self, reached: &Diagram, pass: &Pass) -> Result<Diagram, SolveError> {
        let values = kernel::unranked_set(&self.places, self.settling.values(), pass.context)?;
        Ok(kernel::intersection(&values, reached, pass.context)?)
    }

    /// The ids of all values that states may have, and of endless play.
    pub fn ids(&self) -> Vec<u32> {
        self.settling.values().values().to_vec()
    }

    /// The buckets of the states by distance from the initial state, without nodes.
    pub fn buckets(&self, pass: &Pass, spool: &mut Spool) -> Result<Vec<Vec<Bucket>>, SolveError> {
        let endings = Endings::plain(pass.expansion.rewards().to_vec());
        let table = self.settling.values();
        let mut tally = RankedTally::new(&self.places, table, pass.context)?;
        let distances = 0..spool.figures().len();
        let of_layer = |distance| {
            let counts = tally.count(&spool.take(distance)?)?;
            let occurring = table.values().iter().copied().zip(counts).filter(|(_, states)| *states > 0);
            let counts = occurring.map(|(value, states)| (value, states.into()));
            Ok(buckets::of_counts(counts, &endings, distance))
        };
        distances.map(of_layer).collect()
    }

    fn begin(&self, rounds: &mut Rounds, orders: &Orders) {
        // The first of the values stands for no value.
        rounds.begin(orders, &self.settling.values().values()[1..]);
    }

    /// Determines the states of the next round. Returns false if nothing is left to settle.
    fn find(&mut self, rounds: &mut Rounds, context: &Context) -> Result<bool, LimitReached> {
        let found = self.settling.find(rounds.at_once(), context)?;
        self.settling.chosen().for_each(|(mover, value)| rounds.choose(mover, value));
        Ok(found)
    }

    /// Records the rounds since the last call, if rounds are kept.
    fn record(&mut self, rounds: &mut Rounds, context: &Context) -> Result<(), LimitReached> {
        if let Some((table, count)) = self.settling.rounds().filter(|(_, count)| *count > 0) {
            rounds.record(&kernel::unranked_set(&self.places, table, context)?, count)?;
            self.settling.forget_rounds();
        }
        Ok(())
    }
}

/// Settles rounds for about `seconds` processor seconds, then makes a diagram of the values. Enters figures of both in
/// `seen`.
pub fn rehearse(
    pass: &Pass,
    reached: &Diagram,
    mut ranked: Ranked,
    orders: &Orders,
    seconds: f64,
    seen: &mut Rehearsal,
) -> Result<(), SolveError> {
    let begin = processor_seconds();
    let since = |begin: f64| processor_seconds() - begin;
    let mut rounds = Rounds::new(pass, false);
    ranked.begin(&mut rounds, orders);
    while !seen.ended && since(begin) < seconds {
        seen.ended = !ranked.find(&mut rounds, pass.context)?;
        if !seen.ended {
            if !ranked.settling.has_room(pass.context)? {
                ranked.settling.forget_rounds();
            }
            seen.settled += ranked.settling.settle(pass.context);
            seen.rounds += 1;
        }
    }
    seen.settling = since(begin);
    let begin = processor_seconds();
    seen.nodes = ranked.values(reached, pass)?.node_count();
    seen.writing = since(begin);
    Ok(())
}

fn by_rank(
    pass: &Pass,
    reached: &Diagram,
    orders: &Orders,
    keep: bool,
    most: u64,
) -> Result<Option<Ranked>, SolveError> {
    let (game, context) = (pass.ranked_game(), pass.context);
    let places = match kernel::widened(reached, context) {
        Err(limit) if limit.is_want_of_room() => None,
        made => made?,
    };
    let places = match places {
        Some(places) => places,
        None => all_as(1, reached, pass)?,
    };
    let labels = by_rank::labels(game, reached, &[], context)?;
    let (moves, wishes) = (guarded::moves(game, &places, context)?, orders.wishes());
    let open = (orders.endless, keep);
    let settling = Settling::new(&places, &labels, &moves.relations, &moves.roots, &wishes, open, most, context)?;
    drop(moves);
    Ok(settling.map(|settling| Ranked { places, settling }))
}

/// Settles all states that rounds settle. `before`: the values of a run that is resumed.
pub fn settle(
    pass: &Pass,
    reached: &Diagram,
    ranked: &mut Ranked,
    orders: &Orders,
    before: Option<Diagram>,
    rounds: &mut Rounds,
    saving: &mut Saving,
) -> Result<(), SolveError> {
    let context = pass.context;
    match before {
        None => {
            ranked.begin(rounds, orders);
            let ends = super::terminal_values(pass, &pass.expansion.terminals(reached)?, orders)?;
            if !ends.is_empty() {
                rounds.push(&ends)?;
            }
        }
        Some(values) => {
            // Places without a state keep their values.
            let Ranked { places, settling } = &mut *ranked;
            let order = settling.values().values().to_vec();
            if values.terminals().iter().any(|id| *id != 0 && !order.contains(id)) {
                return Err(saving.foreign_values());
            }
            let all = kernel::unranked_set(places, settling.values(), context)?;
            let values = kernel::as_values(&kernel::overlay(&all, &values, context)?, context)?;
            settling.resume(kernel::ranked_codes(places, &values, order, context)?);
        }
    }
    while ranked.find(rounds, context)? {
        if !ranked.settling.has_room(context)? {
            ranked.record(rounds, context)?;
        }
        rounds.pass_by(ranked.settling.settle(context))?;
        if saving.is_due() {
            let begin = Instant::now();
            ranked.record(rounds, context)?;
            saving.save(begin, &ranked.values(reached, pass)?, None, rounds)?;
        }
    }
    ranked.record(rounds, context)?;
    Ok(())
}

/// Finds the distances by rank, as [`super::plies::measure`] does by diagrams. `values`: all states with their value
/// ids. `None`: memory does not suffice for the tables.
pub fn measure(
    pass: &Pass,
    ranked: Ranked,
    values: &Diagram,
    orders: &Orders,
) -> Result<Option<Distances>, SolveError> {
    let Ranked { places, mut settling } = ranked;
    let terminals = Bitvector::coded(settling.values().states(), vec![0], pass.context.limits());
    let measured = terminals.map_err(SolveError::from).and_then(|mut terminals| {
        let mut classes = ended(values, orders).into_iter();
        classes.try_for_each(|id| {
            measure_class(pass, (&places, &mut settling), (id, &only(id, values, 1, pass)?), orders, &mut terminals)
        })?;
        Ok(terminals)
    });
    match measured {
        // A distance without a terminal is an error: diagrams have none for it, either.
        Err(SolveError::Limit(limit)) if matches!(limit.reason(), LimitReached::Memory { .. }) => {
            pass.listener.event(&Event::Message(format!("no distances by rank: {limit}")));
            Ok(None)
        }
        measured => Ok(Some(Distances::Ranked { terminals: measured?, places })),
    }
}

/// Adds the distances of `class`, the states of the value `id`, as terminals.
fn measure_class(
    pass: &Pass,
    (places, settling): (&Diagram, &mut Settling),
    (id, class): (u32, &Diagram),
    orders: &Orders,
    terminals: &mut Bitvector,
) -> Result<(), SolveError> {
    let Pass { game, expansion, context, .. } = *pass;
    let limits = context.limits();
    let rewards = &expansion.rewards()[id as usize - 1];
    let shortening: Vec<_> = (0..game.roles.len()).map(|mover| shortens(rewards, mover).then_some(id)).collect();
    let ended = expansion.terminals(class)?;
    let open = all_as(orders.endless, &kernel::difference(class, &ended, context)?, pass)?;
    settling.hurry_none();
    loop {
        let table = kernel::ranked_beside(places, id, &open, settling.values().values().to_vec(), context)?;
        let ended_by_place = kernel::ranked_beside(places, 1, all_as(2, &ended, pass)?, vec![1, 2], context)?;
        settling.begin_plies(table, &ended_by_place, &shortening, limits)?;
        let mut told = Told::new(pass, id, class)?;
        told.ply(ended_by_place.counts()[1]);
        drop(ended_by_place);
        let mut earlier = Bitvector::coded(terminals.states(), vec![0], limits)?;
        let mut before = 0;
        for plies in 1.. {
            if !settling.has_room(context)? {
                settling.add_rounds(&mut earlier, before, limits)?;
                before = terminal_of(plies - 1)?;
                settling.forget_rounds();
            }
            let settled = settling.ply(context)?;
            if settled == 0 {
                break;
            }
            terminal_of(plies)?;
            told.ply(settled);
        }
        let was_hurried = settling.is_hurried();
        if settling.hurry(limits)? == 0 {
            terminals.add(&earlier, 0, limits)?;
            settling.add_rounds(terminals, before, limits)?;
            return Ok(());
        }
        if was_hurried {
            return Err(without_end());
        }
    }
}
