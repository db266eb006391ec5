//! The movers' orders of values: finds the order of the values in the planes, and the passes over the program that the
//! movers need.
//!
//! Planes have the first mover's order. If another mover's order is the reverse, its best value is the first mover's
//! worst: the complement of the best of the complements, both for steps and for digits of an index. Movers with these
//! orders share one pass. Every other mover takes two more passes, for its values and for the mask of its states: the
//! planes of the next layer are rewritten in its order, and the result is converted back.

use super::MOVES;
use super::execute::{Pass, Source, execute};
use super::output::Writer;
use super::program::Program;
use crate::bitvector::{MOST_STEPS, in_plane, planes_of};
use crate::context::BATCH;
use crate::{Bitvector, Context, Given, Preferences, TERMINALS};
use base::limits::{LimitReached, Limits};
use std::sync::Arc;

pub struct Plan {
    /// The values that may occur, in the first mover's order; at least one.
    pub values: Vec<u32>,
    movers: Vec<usize>,
    /// `ranks[mover][value]`: the rank of a value for a mover; larger is better.
    ranks: Vec<Vec<u32>>,
}

impl Plan {
    /// A plan for the terminals of a layer and the values that occur in the next layer. `None` if neither has a value,
    /// so that all states in which a role moves are dead ends.
    pub fn new(terminals: &[u32], next: &[u32], preferences: &Preferences) -> Option<Plan> {
        let movers =
            (0..preferences.ranks.len()).filter(|&mover| terminals.contains(&(MOVES + mover as u32))).collect();
        let mut values: Vec<u32> = terminals.iter().chain(next).copied().filter(|&id| id != 0 && id < MOVES).collect();
        values.sort_unstable();
        values.dedup();
        let mut plan = Plan { values: Vec::new(), movers, ranks: preferences.ranks.clone() };
        plan.values = plan.ordered(0, values.into_iter());
        (!plan.values.is_empty()).then_some(plan)
    }

    fn ordered(&self, mover: usize, values: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut values: Vec<u32> = values.collect();
        values.sort_unstable_by_key(|&value| self.rank(mover, value));
        values
    }

    pub fn rank(&self, mover: usize, value: u32) -> u32 {
        self.ranks[mover][value as usize]
    }

    fn is_reversed(&self, mover: usize) -> bool {
        self.ordered(mover, self.values.iter().copied()).iter().eq(self.values.iter().rev())
    }

    fn is_straight(&self, mover: usize) -> bool {
        self.ordered(mover, self.values.iter().copied()) == self.values
    }
}

pub struct Run<'a> {
    next: &'a Bitvector,
    context: &'a Context,
    index: Vec<usize>,
    kinds: usize,
    /// For each mover, the rank of each value of the next layer, by the value's index there.
    preferences: Vec<Vec<u32>>,
    /// For each mover and rank, the index of the value in the result.
    places: Vec<Vec<usize>>,
}

impl<'a> Run<'a> {
    pub fn new(plan: &Plan, next: &'a Bitvector, context: &'a Context) -> Run<'a> {
        let mut index = vec![0; TERMINALS as usize];
        for (place, &value) in plan.values.iter().enumerate() {
            index[value as usize] = place;
        }
        // All movers get tables, even those that do not move in this layer.
        let movers = 0..plan.ranks.len();
        let orders: Vec<Vec<u32>> = movers.map(|mover| plan.ordered(mover, next.values().iter().copied())).collect();
        let good = |order: &Vec<u32>| {
            let place = |value| position(order, value) as u32;
            next.values().iter().map(place).collect()
        };
        let preferences = orders.iter().map(good).collect();
        let places = orders.iter().map(|order| order.iter().map(|&value| index[value as usize]).collect()).collect();
        Run { next, context, index, kinds: plan.values.len(), preferences, places }
    }

    /// The rank of the value of a state of the next layer, for the mover with this label.
    #[inline(always)]
    pub fn preference(&self, label: u32, rank: u64) -> u32 {
        self.preferences[(label - MOVES) as usize][self.next.index(rank)]
    }

    #[inline(always)]
    pub fn index_of_preference(&self, label: u32, preference: u32) -> usize {
        self.places[(label - MOVES) as usize][preference as usize]
    }

    #[inline(always)]
    pub fn index_of(&self, value: u32) -> usize {
        self.index[value as usize]
    }

    #[inline(always)]
    pub fn fill(&self, output: &mut Writer, states: u64, index: usize) {
        output.fill(states, |plane| in_plane(self.kinds, index, plane));
    }

    pub fn check(&self) -> Result<(), LimitReached> {
        self.context.check()
    }
}

pub struct Unfinished<'a> {
    plan: &'a Plan,
    next: Given<'a, Bitvector>,
    pass: Pass,
    values: Bitvector,
    own: Vec<Own<'a>>,
    none: Bitvector,
}

/// A mover with its own pass: the values of its states in its own order, and the mask of these states.
struct Own<'a> {
    next: Given<'a, Bitvector>,
    pass: Pass,
    values: Bitvector,
    mask_pass: Pass,
    mask: Bitvector,
}

impl<'a> Unfinished<'a> {
    pub fn new(plan: &'a Plan, next: &'a Bitvector, states: u64, limits: &Arc<Limits>) -> Result<Self, LimitReached> {
        let in_order_of = |mover| {
            let own = plan.ordered(mover, next.values().iter().copied());
            // Digits are compared as they are read, so a value needs the same index in the next layer as in the result.
            let all = || plan.ordered(mover, plan.values.iter().copied());
            in_order(next, if plan.values.len() <= MOST_STEPS { own } else { all() }, limits)
        };
        let new = |pass: &Pass| Bitvector::new(states, pass.values.clone(), limits);
        let own = |mover: usize| {
            let mut pass = Pass::new(plan.ordered(mover, plan.values.iter().copied()));
            pass.movers[mover] = true;
            pass.sources = sources(plan, mover, &pass.values, next.values());
            let mut mask_pass = Pass::new(vec![0, 1]);
            mask_pass.movers[mover] = true;
            mask_pass.sources = vec![Source::Always];
            let (values, mask) = (new(&pass)?, new(&mask_pass)?);
            Ok(Own { next: in_order_of(mover)?, pass, values, mask_pass, mask })
        };
        let has_own = |mover: &usize| !plan.is_straight(*mover) && !plan.is_reversed(*mover);
        let mut pass = Pass::new(plan.values.clone());
        for &mover in plan.movers.iter().filter(|mover| !has_own(mover)) {
            pass.movers[mover] = true;
            pass.reversed[mover] = !plan.is_straight(mover);
        }
        pass.terminals = true;
        pass.sources = sources(plan, 0, &plan.values, next.values());
        let values = new(&pass)?;
        let own = plan.movers.iter().copied().filter(has_own).map(own).collect::<Result<_, LimitReached>>()?;
        // All movers without their own pass use the first mover's order.
        let next = in_order_of(0)?;
        Ok(Unfinished { plan, next, pass, values, own, none: Bitvector::new(0, vec![0], limits)? })
    }

    /// Executes the program of some states of the layer, which must have no values yet.
    pub fn run(&self, program: &Program, context: &Context) -> Result<(), LimitReached> {
        execute(program, &self.next, &self.pass, &self.values, context)?;
        for own in &self.own {
            execute(program, &own.next, &own.pass, &own.values, context)?;
            execute(program, &self.none, &own.mask_pass, &own.mask, context)?;
        }
        Ok(())
    }

    pub fn finish(self, limits: &Arc<Limits>) -> Result<Bitvector, LimitReached> {
        let Unfinished { plan, next, values, own, .. } = self;
        drop(next);
        for Own { next, values: of_mover, mask, .. } in own {
            drop(next);
            merge(&values, &*in_order(&of_mover, plan.values.clone(), limits)?, &mask, limits)?;
        }
        Ok(values)
    }
}

/// The source of each plane. `values` and the planes of the next layer are in `mover`'s order; `next`, the values of
/// that layer, in any order.
fn sources(plan: &Plan, mover: usize, values: &[u32], next: &[u32]) -> Vec<Source> {
    let source = |&threshold: &u32| {
        let worse = next.iter().filter(|&&value| plan.rank(mover, value) <= plan.rank(mover, threshold)).count();
        match worse {
            0 => Source::Always,
            all if all == next.len() => Source::Never,
            some => Source::Plane(some - 1),
        }
    };
    if values.len() > MOST_STEPS {
        return (0..planes_of(values.len())).map(Source::Plane).collect();
    }
    values[..values.len() - 1].iter().map(source).collect()
}

fn position(order: &[u32], value: &u32) -> usize {
    let place = order.iter().position(|other| other == value);
    place.unwrap_or_else(|| panic!("the order {order:?} lacks the value {value}"))
}

fn in_order<'a>(
    bitvector: &'a Bitvector,
    order: Vec<u32>,
    limits: &Arc<Limits>,
) -> Result<Given<'a, Bitvector>, LimitReached> {
    if bitvector.values() == order {
        return Ok(Given::Kept(bitvector));
    }
    let same_places = bitvector.plane_count() == planes_of(order.len()) && !bitvector.has_steps();
    if same_places && order.starts_with(bitvector.values()) {
        // Additional values change no plane.
        return Ok(Given::Kept(bitvector));
    }
    let positions: Vec<usize> = bitvector.values().iter().map(|value| position(&order, value)).collect();
    if positions.is_empty() {
        return Ok(Given::UsedUp(Bitvector::new(0, order, limits)?));
    }
    let (kinds, mut masks) = (order.len(), Vec::new());
    let made = Bitvector::of_words(bitvector.states(), order, bitvector.words().to_vec(), limits)?;
    let members = |plane: usize| {
        let places = positions.iter().enumerate().filter(move |(_, position)| in_plane(kinds, **position, plane));
        places.map(|(place, _)| place).collect::<Vec<usize>>()
    };
    let members: Vec<Vec<usize>> = (0..made.plane_count()).map(members).collect();
    for word in bitvector.words().iter().cloned().flatten() {
        if word % BATCH == 0 {
            limits.check()?;
        }
        bitvector.masks(word, &mut masks);
        for (plane, members) in members.iter().enumerate() {
            let all = members.iter().fold(0, |all, &place| all | masks[place]);
            // SAFETY: the word is within a plane that nobody else has yet.
            unsafe { *made.plane_pointer(plane).add(word) |= all };
        }
    }
    Ok(Given::UsedUp(made))
}

/// Copies to `values` the values that the states of `mask` (one plane) have in `other`; `values` must not have them
/// yet. Both bitvectors have the same order.
fn merge(values: &Bitvector, other: &Bitvector, mask: &Bitvector, limits: &Limits) -> Result<(), LimitReached> {
    for plane in 0..values.plane_count() {
        for (word, &mask) in mask.plane(0).iter().enumerate() {
            // SAFETY: the word is within a plane that nobody else has yet; all have the same number of states.
            unsafe { *values.plane_pointer(plane).add(word) |= other.plane(plane)[word] & mask };
        }
        limits.check()?;
    }
    Ok(())
}
