//! The number of orbits of the reachable states under two groups of symmetries of the rules: those that keep the
//! initial state, which map every layer to itself, and those that keep the set of reachable states.
//!
//! A symmetry maps the states that are reachable from the initial state to the states that are reachable from its
//! image. If the image is reachable, these are all reachable from the initial state, and equally many, so all reachable
//! states. So a symmetry keeps the set of reachable states if and only if the set contains the image of the initial
//! state, which one lookup tells. Some power of the symmetry is the identity, so play leads on from image to image and
//! back to the initial state. So only symmetries of games with cycles can move the initial state.
//!
//! By Burnside's lemma, the number of orbits of a set is the mean, over all symmetries, of the number of states that a
//! symmetry fixes. Conjugate symmetries fix equally many of all states, so one of each class suffices. The numbers of
//! fixed states add up over disjoint layers, even if the symmetry does not map the layers to themselves.
//!
//! The fixed states are counted from the top level of the diagram down: for each node and memory, the number of partial
//! states. The memory has the truth value that the fluents of each cycle of the symmetry share. Only the numbers of one
//! level are kept, never more than there are states.

use super::{ReadError, Stored, Values};
use base::limits::{Account, LimitReached, Limits};
use game::interpreter::State;
use game::propositional::{FluentId, Game, MoveId};
use game::symmetry::{Effort, Kept, Permutation, Rules, Symmetries};
use indexmap::{IndexMap, IndexSet};
use kernel::{Context, Diagram, Node};
use num_bigint::BigUint;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::ops::AddAssign;
use std::sync::Arc;

/// Bound on the number of symmetries, because they are listed.
const MOST_SYMMETRIES: usize = 10_000;
/// Bytes of a number with its node and memory, without the contents of the memory.
const ENTRY_BYTES: u64 = 96;

#[derive(Debug)]
pub struct Orbits {
    /// The number of orbits of each layer, under the symmetries that keep the initial state.
    pub layers: Vec<BigUint>,
    /// Orbits of all states, under the symmetries that keep the initial state.
    pub of_start: Counted,
    /// Orbits of all states, under the symmetries that keep the set of reachable states.
    pub of_states: Result<Counted, OrbitsError>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    pub orbits: BigUint,
    /// Number of symmetries, including the identity.
    pub symmetries: BigUint,
    /// False if the search for symmetries of the formulas of the rules was given up.
    pub complete: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum OrbitsError {
    #[error("{0} symmetries keep {1}; orbits are counted where there are at most {MOST_SYMMETRIES}")]
    TooMany(BigUint, &'static str),
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl From<LimitReached> for OrbitsError {
    fn from(limit: LimitReached) -> Self {
        OrbitsError::Read(limit.into())
    }
}

/// Counts the orbits. All layers must be stored. `done` gets the number of finished and of all pairs of a layer and a
/// class of symmetries.
pub fn orbits(stored: &Stored, context: &Context, done: &dyn Fn(u64, u64)) -> Result<Orbits, OrbitsError> {
    let limits = context.limits();
    let initial = State::from_flags(&stored.game.init);
    let rules = Rules::new(&stored.game, limits)?;
    let found = |state| rules.symmetries(Kept { state, roles: false }, &Effort::default(), limits);
    let of_start = found(Some(&initial))?;
    if of_start.order() > MOST_SYMMETRIES.into() {
        return Err(OrbitsError::TooMany(of_start.order(), "the initial state"));
    }
    let manifest = &stored.manifest;
    // Without a way back to the initial state, both groups are the same.
    let of_rules = if manifest.is_global() { found(None)? } else { of_start.clone() };
    let start = elements(&of_start, &stored.game);
    let keeping = match of_rules.order() {
        order if order > MOST_SYMMETRIES.into() => Err(OrbitsError::TooMany(order, "the rules")),
        _ => {
            let keeping = keeping_states(stored, &initial, elements(&of_rules, &stored.game), limits)?;
            // This search may have been given up, and then have found fewer symmetries than that for `start`.
            Ok(if keeping.len() < start.len() { start.clone() } else { keeping })
        }
    };
    let generators: Vec<_> = of_start.generators.iter().chain(&of_rules.generators).cloned().collect();
    let of_states = keeping.as_ref().map_or(&[] as &[_], Vec::as_slice);
    let classes = classes(stored, [&start, of_states], &generators, limits)?;

    let disjoint = manifest.is_global() || manifest.progress_measure != Some(false);
    let layers = manifest.layers.len() as u32;
    let total = u64::from(layers) * classes.len() as u64;
    let mut counted = Vec::with_capacity(layers as usize);
    let mut all = Diagram::constant(stored.codec.levels(), 0);
    let mut fixed = vec![BigUint::ZERO; classes.len()];
    let mut others = Ok(());
    for (layer, record) in (0..layers).zip(&manifest.layers) {
        let mapped = stored.states(layer)?.expect("the manifest names all layers");
        // A group need not act on the states of a damaged file. Large files are not checked when they are opened.
        mapped.file().check_recorded(&record.states_file).map_err(ReadError::from)?;
        let states = mapped.diagram(limits).map_err(ReadError::from)?;
        let of_layer = fixed_by(&classes, &states, &mut others, context)?;
        counted.push(mean(&classes, &of_layer, |class| class.of_start));
        if disjoint {
            fixed.iter_mut().zip(of_layer).for_each(|(sum, number)| *sum += number);
        } else {
            all = kernel::union(&[&all, &states], context)?;
        }
        done(u64::from(layer + 1) * classes.len() as u64, total);
    }
    if !disjoint {
        fixed = fixed_by(&classes, &all, &mut others, context)?;
    }
    let of_group = |group: fn(&Class) -> u64, complete| Counted {
        orbits: mean(&classes, &fixed, group),
        symmetries: classes.iter().map(group).sum::<u64>().into(),
        complete,
    };
    Ok(Orbits {
        layers: counted,
        of_start: of_group(|class| class.of_start, of_start.complete),
        of_states: keeping.and_then(|_| {
            others?;
            Ok(of_group(|class| class.of_states, of_rules.complete))
        }),
    })
}

/// The number of states that each class fixes. `others` becomes an error if memory does not suffice for a class that
/// moves the initial state; later classes of this kind are left out then.
fn fixed_by(
    classes: &[Class],
    states: &Diagram,
    others: &mut Result<(), LimitReached>,
    context: &Context,
) -> Result<Vec<BigUint>, LimitReached> {
    let mut numbers = vec![BigUint::ZERO; classes.len()];
    for (number, class) in numbers.iter_mut().zip(classes) {
        let moves_start = class.of_start == 0;
        if moves_start && others.is_err() {
            continue;
        }
        match class.fixed(states, context) {
            Err(limit) if moves_start && !limit.ends_all() => *others = Err(limit),
            counted => *number = counted?,
        }
    }
    Ok(numbers)
}

fn elements(found: &Symmetries, game: &Game) -> Vec<Permutation> {
    let mut elements = found.elements(MOST_SYMMETRIES);
    if elements.is_empty() {
        let (fluents, moves) = (game.fluent_ids().collect(), (0..game.moves.len() as u32).map(MoveId).collect());
        elements.push(Permutation { fluents, moves, roles: game.role_ids().collect() });
    }
    elements
}

/// The symmetries of the rules that keep the set of reachable states.
fn keeping_states(
    stored: &Stored,
    initial: &State,
    symmetries: Vec<Permutation>,
    limits: &Limits,
) -> Result<Vec<Permutation>, ReadError> {
    let mut reached: FxHashMap<State, bool> = FxHashMap::default();
    let mut keeping = Vec::new();
    for symmetry in symmetries {
        let image = symmetry.state(initial);
        let is_reached = match reached.get(&image) {
            Some(&known) => known,
            None => {
                limits.check()?;
                let mut found = false;
                for layer in 0..stored.layers() {
                    found = found || stored.contains(layer, &image)?;
                }
                reached.insert(image, found);
                found
            }
        };
        if is_reached {
            keeping.push(symmetry);
        }
    }
    Ok(keeping)
}

/// Symmetries that fix equally many of all reachable states, because they are conjugate.
struct Class {
    /// `None` if they fix all states.
    watch: Option<Watch>,
    /// Number of members that keep the initial state.
    of_start: u64,
    /// Number of members that keep the set of reachable states.
    of_states: u64,
}

impl Class {
    fn fixed(&self, states: &Diagram, context: &Context) -> Result<BigUint, LimitReached> {
        match &self.watch {
            None => states.count(context),
            Some(watch) => watch.fixed(states, context.limits()),
        }
    }
}

/// The mean number of states that the symmetries of a group fix. The group must map the set of states to itself.
fn mean(classes: &[Class], fixed: &[BigUint], group: impl Fn(&Class) -> u64) -> BigUint {
    let order: u64 = classes.iter().map(&group).sum();
    let sum: BigUint = classes.iter().zip(fixed).map(|(class, fixed)| fixed * group(class)).sum();
    assert_eq!(&sum % order, BigUint::ZERO, "a group acts on the states");
    sum / order
}

/// The classes of the symmetries that keep the initial state, and of those that keep the reachable set.
fn classes(
    stored: &Stored,
    [of_start, of_states]: [&[Permutation]; 2],
    generators: &[Permutation],
    limits: &Limits,
) -> Result<Vec<Class>, LimitReached> {
    // For one symmetry of each class: the number of members of the class in each group.
    let mut members: IndexMap<&Permutation, [u64; 2], FxBuildHasher> = IndexMap::default();
    for class in conjugate(of_start, generators, limits)? {
        members.insert(&of_start[class[0]], [class.len() as u64, 0]);
    }
    for class in conjugate(of_states, generators, limits)? {
        let known = class.iter().find_map(|&member| members.get_index_of(&of_states[member]));
        let place = known.unwrap_or_else(|| members.insert_full(&of_states[class[0]], [0, 0]).0);
        members[place][1] += class.len() as u64;
    }
    let class = |(symmetry, of_group): (&Permutation, [u64; 2])| {
        let moves = !symmetry.fluent_cycles().is_empty();
        let [of_start, of_states] = of_group;
        Class { watch: moves.then(|| Watch::new(stored, symmetry)), of_start, of_states }
    };
    Ok(members.into_iter().map(class).collect())
}

/// The classes of conjugate elements of a group, as indices into `elements`. Generators outside the group are ignored.
fn conjugate(
    elements: &[Permutation],
    generators: &[Permutation],
    limits: &Limits,
) -> Result<Vec<Vec<usize>>, LimitReached> {
    let index: IndexSet<&Permutation, FxBuildHasher> = elements.iter().collect();
    let within = generators.iter().filter(|generator| index.contains(generator));
    let generators: Vec<_> = within.map(|generator| (generator.inverse(), generator)).collect();
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
        classes.push(class);
    }
    Ok(classes)
}

#[derive(Debug, Clone, Copy)]
enum Event {
    /// The variable gives the truth of a fluent in a cycle, which is the `first` or `last` known fluent of the cycle.
    Known { cycle: u32, first: bool, last: bool },
    /// If the variable is true, it rules out the fluent of `mark`, which has no variable.
    Against { mark: u32 },
    /// From this level on, the truth of the fluent of `mark` is known. The other fields are as in `Known`.
    Settled { mark: u32, cycle: u32, first: bool, last: bool },
}

/// The states that a symmetry fixes, as an automaton that reads assignments from the top level down. Its memory is an
/// ascending list of numbers: those of the unfinished cycles whose fluents hold, and those of the fluents without a
/// variable that are ruled out.
struct Watch {
    /// By level: the information that its variable gives.
    events: Vec<Vec<Event>>,
    /// Whether a fluent and its negation share a cycle, as with turns that are exchanged: no state is fixed.
    never: bool,
}

impl Watch {
    fn new(stored: &Stored, symmetry: &Permutation) -> Watch {
        let cycles = symmetry.fluent_cycles();
        let mut cycle_of = vec![None; symmetry.fluents.len()];
        for (cycle, fluents) in (0..).zip(&cycles) {
            fluents.iter().for_each(|fluent| cycle_of[fluent.index()] = Some(cycle));
        }
        // For each fluent of a cycle: the last level on which it depends, and whether it has no variable.
        let literals = stored.codec.literals();
        // A fluent that depends on no variable holds in all states, and so do all fluents of its cycle.
        let known = |fluent: &FluentId| {
            let literal = &literals[fluent.index()];
            literal.levels.last().map(|&last| (last, !literal.positive, *fluent))
        };
        let mut events: Vec<Vec<Event>> = vec![Vec::new(); stored.codec.levels() as usize];
        let (mut mark, mut never) = (cycles.len() as u32, false);
        for (cycle, fluents) in (0..).zip(&cycles) {
            let mut places: Vec<_> = fluents.iter().filter_map(known).collect();
            places.sort_unstable_by_key(|&(level, settled, fluent)| (level, settled, fluent.0));
            for (place, &(level, settled, fluent)) in places.iter().enumerate() {
                let (first, last) = (place == 0, place + 1 == places.len());
                if !settled {
                    events[level as usize].push(Event::Known { cycle, first, last });
                    continue;
                }
                let ruled_out = &literals[fluent.index()].levels;
                let before = place.checked_sub(1).map(|before| (places[before].0, places[before].1));
                never |= ruled_out.len() == 1 && before == Some((level, false));
                for &against in ruled_out {
                    events[against as usize].push(Event::Against { mark });
                }
                events[level as usize].push(Event::Settled { mark, cycle, first, last });
                mark += 1;
            }
        }
        // Within a level, its variable comes before what follows from it; the events of a cycle stay in order.
        for events in &mut events {
            events.sort_by_key(|event| match event {
                Event::Known { .. } => 0,
                Event::Against { .. } => 1,
                Event::Settled { .. } => 2,
            });
        }
        Watch { events, never }
    }

    /// The memory after a level whose variable is `bit`; `None` if the symmetry does not fix the state.
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
        if self.never {
            return Ok(BigUint::ZERO);
        }
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
