//! The number of orbits of the reachable states under the symmetries that keep the initial state.
//!
//! These symmetries map every layer to itself. By Burnside's lemma, the number of orbits of a layer is the mean, over
//! all symmetries, of the number of states that a symmetry fixes. Conjugate symmetries fix equally many states, so one
//! of each class suffices.
//!
//! The fixed states are counted from the top level of the diagram down: for each node and memory, the number of partial
//! states. The memory tells which truth value the fluents of each cycle of the symmetry share. Only the numbers of one
//! level are kept, never more than there are states.

use super::{ReadError, Stored};
use base::limits::{Account, LimitReached, Limits};
use game::interpreter::State;
use game::propositional::FluentId;
use game::symmetry::{Effort, Kept, Permutation, Rules};
use indexmap::{IndexMap, IndexSet};
use kernel::{Context, Diagram, Node};
use num_bigint::BigUint;
use rustc_hash::FxBuildHasher;
use std::ops::AddAssign;
use std::sync::Arc;

/// Bound on the number of symmetries, since each of them is listed.
const MOST_SYMMETRIES: usize = 10_000;
/// Bytes of a number with its node and memory, apart from the contents of the memory.
const ENTRY_BYTES: u64 = 96;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orbits {
    pub layers: Vec<BigUint>,
    /// The number of orbits of distinct states.
    pub states: BigUint,
    /// Number of symmetries, the identity included.
    pub symmetries: BigUint,
    /// False if the search for symmetries of the formulas of the rules was given up.
    pub complete: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum OrbitsError {
    #[error("{0} symmetries keep the initial state; orbits are counted where there are at most {MOST_SYMMETRIES}")]
    TooMany(BigUint),
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl From<LimitReached> for OrbitsError {
    fn from(limit: LimitReached) -> Self {
        OrbitsError::Read(limit.into())
    }
}

/// All layers must be stored. `done` gets the number of finished pairs of a layer and a symmetry, and of all pairs.
pub fn orbits(stored: &Stored, context: &Context, done: &dyn Fn(u64, u64)) -> Result<Orbits, OrbitsError> {
    let limits = context.limits();
    let initial = State::from_flags(&stored.game.init);
    let kept = Kept { state: Some(&initial), roles: false };
    let found = Rules::new(&stored.game, limits)?.symmetries(kept, &Effort::default(), limits)?;
    let symmetries = found.order();
    if symmetries > MOST_SYMMETRIES.into() {
        return Err(OrbitsError::TooMany(symmetries));
    }
    let classes = classes(&found.elements(MOST_SYMMETRIES), &found.generators, limits)?;
    let manifest = &stored.manifest;
    let disjoint = manifest.is_global() || manifest.progress_measure != Some(false);
    let layers = manifest.layers.len() as u32;
    let total = u64::from(layers) * classes.len() as u64;
    let mut counted = Vec::with_capacity(layers as usize);
    let mut all = Diagram::constant(stored.codec.levels(), 0);
    for layer in 0..layers {
        let mapped = stored.states(layer)?.expect("the manifest names all layers");
        let states = mapped.diagram(limits).map_err(ReadError::from)?;
        counted.push(of_set(stored, &states, &classes, &symmetries, context)?);
        done(u64::from(layer + 1) * classes.len() as u64, total);
        if !disjoint {
            all = kernel::union(&[&all, &states], context)?;
        }
    }
    let states = match disjoint {
        true => counted.iter().sum(),
        false => of_set(stored, &all, &classes, &symmetries, context)?,
    };
    Ok(Orbits { layers: counted, states, symmetries, complete: found.complete })
}

/// All symmetries must map the set to itself.
fn of_set(
    stored: &Stored,
    states: &Diagram,
    classes: &[(Permutation, u64)],
    symmetries: &BigUint,
    context: &Context,
) -> Result<BigUint, LimitReached> {
    let mut sum = BigUint::ZERO;
    for (symmetry, members) in classes {
        let fixed = match symmetry.fluent_cycles().is_empty() {
            true => states.count(context)?,
            false => Watch::new(stored, symmetry).fixed(states, context.limits())?,
        };
        sum += fixed * *members;
    }
    if classes.is_empty() {
        return states.count(context);
    }
    assert_eq!(&sum % symmetries, BigUint::ZERO, "a group acts on the states");
    Ok(sum / symmetries)
}

/// One symmetry of each conjugacy class of the group, and the size of the class.
fn classes(
    elements: &[Permutation],
    generators: &[Permutation],
    limits: &Limits,
) -> Result<Vec<(Permutation, u64)>, LimitReached> {
    let index: IndexSet<&Permutation, FxBuildHasher> = elements.iter().collect();
    let generators: Vec<_> = generators.iter().map(|generator| (generator.inverse(), generator)).collect();
    let mut seen = vec![false; elements.len()];
    let mut classes = Vec::new();
    for first in 0..elements.len() {
        if std::mem::replace(&mut seen[first], true) {
            continue;
        }
        limits.check()?;
        let mut class = vec![first];
        let mut next = 0;
        while let Some(&member) = class.get(next) {
            for (inverse, generator) in &generators {
                let conjugate = inverse.then(&elements[member]).then(generator);
                let place = index.get_index_of(&conjugate).expect("a group holds all conjugates");
                if !std::mem::replace(&mut seen[place], true) {
                    class.push(place);
                }
            }
            next += 1;
        }
        classes.push((elements[first].clone(), class.len() as u64));
    }
    Ok(classes)
}

#[derive(Debug, Clone, Copy)]
enum Event {
    /// The truth of a fluent in a cycle. `first`, `last`: of the cycle, it is the first or last to be known.
    Known { cycle: u32, first: bool, last: bool },
    /// If the variable is true, it rules out a fluent without a variable.
    Against { mark: u32 },
    /// The truth of that fluent is known after this level.
    Settled { mark: u32, cycle: u32, first: bool, last: bool },
}

/// The states that a symmetry fixes, as an automaton that reads assignments from the top level down. Its memory is an
/// ascending list of numbers: those of the unfinished cycles whose fluents hold, and those of the fluents without a
/// variable that are ruled out.
struct Watch {
    /// By level: what its variable tells.
    events: Vec<Vec<Event>>,
}

impl Watch {
    fn new(stored: &Stored, symmetry: &Permutation) -> Watch {
        let cycles = symmetry.fluent_cycles();
        let mut cycle_of = vec![None; symmetry.fluents.len()];
        for (cycle, fluents) in (0..).zip(&cycles) {
            fluents.iter().for_each(|fluent| cycle_of[fluent.index()] = Some(cycle));
        }
        // For each fluent of a cycle: the last level that it depends on, and whether it has no variable.
        let literals = stored.codec.literals();
        // A fluent that depends on no variable holds in all states, and so do all of its cycle.
        let known = |fluent: &FluentId| {
            let literal = &literals[fluent.index()];
            literal.levels.last().map(|&last| (last, !literal.positive, *fluent))
        };
        let mut events: Vec<Vec<Event>> = vec![Vec::new(); stored.codec.levels() as usize];
        let mut mark = cycles.len() as u32;
        for (cycle, fluents) in (0..).zip(&cycles) {
            let mut places: Vec<_> = fluents.iter().filter_map(known).collect();
            places.sort_unstable_by_key(|&(level, settled, fluent)| (level, settled, fluent.0));
            for (place, &(level, settled, fluent)) in places.iter().enumerate() {
                let (first, last) = (place == 0, place + 1 == places.len());
                if !settled {
                    events[level as usize].push(Event::Known { cycle, first, last });
                    continue;
                }
                for &against in &literals[fluent.index()].levels {
                    events[against as usize].push(Event::Against { mark });
                }
                events[level as usize].push(Event::Settled { mark, cycle, first, last });
                mark += 1;
            }
        }
        // Within a level, variables come first, then what follows from them; the events of a cycle stay in order.
        for events in &mut events {
            events.sort_by_key(|event| match event {
                Event::Known { .. } => 0,
                Event::Against { .. } => 1,
                Event::Settled { .. } => 2,
            });
        }
        Watch { events }
    }

    /// `None` if the symmetry does not fix the state.
    fn after(&self, level: usize, bit: bool, mind: &[u32]) -> Option<Vec<u32>> {
        let mut mind = mind.to_vec();
        let known = |mind: &mut Vec<u32>, cycle: u32, truth: bool, first: bool, last: bool| {
            let place = mind.binary_search(&cycle);
            if !first && place.is_ok() != truth {
                return false;
            }
            match place {
                Ok(place) if last => drop(mind.remove(place)),
                Err(place) if truth && !last => mind.insert(place, cycle),
                _ => {}
            }
            true
        };
        for event in &self.events[level] {
            let goes_on = match *event {
                Event::Known { cycle, first, last } => known(&mut mind, cycle, bit, first, last),
                Event::Against { mark } => {
                    if bit && let Err(place) = mind.binary_search(&mark) {
                        mind.insert(place, mark);
                    }
                    true
                }
                Event::Settled { mark, cycle, first, last } => {
                    let place = mind.binary_search(&mark);
                    if let Ok(place) = place {
                        mind.remove(place);
                    }
                    known(&mut mind, cycle, place.is_err(), first, last)
                }
            };
            if !goes_on {
                return None;
            }
        }
        Some(mind)
    }

    fn fixed(&self, states: &Diagram, limits: &Arc<Limits>) -> Result<BigUint, LimitReached> {
        type Minds = IndexSet<Vec<u32>, FxBuildHasher>;
        type Numbers = IndexMap<(Node, u32), BigUint, FxBuildHasher>;
        let mut account = Account::new(limits);
        let mut minds = Minds::from_iter([Vec::new()]);
        let mut numbers = Numbers::from_iter([((states.root(), 0), BigUint::from(1u32))]);
        for level in 0..self.events.len() {
            limits.check()?;
            let (mut next_minds, mut next) = (Minds::default(), Numbers::default());
            // By memory and variable: the next memory, once it is known.
            let mut after: Vec<[Option<Option<u32>>; 2]> = vec![[None; 2]; minds.len()];
            for ((node, mind), number) in numbers {
                let is_here = !node.is_terminal() && states.level(node).index() == level;
                // The variable of a skipped level is false.
                let children = if is_here { states.children(node) } else { [node, Node::ZERO] };
                for (bit, child) in children.into_iter().enumerate() {
                    if child == Node::ZERO {
                        continue;
                    }
                    let found = *after[mind as usize][bit].get_or_insert_with(|| {
                        let mind = self.after(level, bit == 1, &minds[mind as usize])?;
                        Some(next_minds.insert_full(mind).0 as u32)
                    });
                    if let Some(mind) = found {
                        next.entry((child, mind)).or_insert(BigUint::ZERO).add_assign(&number);
                    }
                }
                if next.len().is_multiple_of(1 << 14) {
                    account.set(ENTRY_BYTES * next.len() as u64)?;
                }
            }
            (minds, numbers) = (next_minds, next);
            account.set(2 * ENTRY_BYTES * numbers.len() as u64)?;
        }
        Ok(numbers.into_values().sum())
    }
}
