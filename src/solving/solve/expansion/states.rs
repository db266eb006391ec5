//! Expands a layer state by state. The diagram is converted to a list, and the results are converted back to diagrams.
//!
//! Cost: the cost of [`listing`], and as much again for the diagrams. A list of states may take a part of the memory
//! bound; a larger layer is listed in parts. If the lists of successors take more than their part of the bound, they
//! are emptied into a diagram. If the list of the successors' values does not fit, values are looked up in the diagram.

use super::super::exact::Thinker;
use super::super::values::LayerValues;
use super::super::{Engine, SolveError};
use super::form::Form;
use super::{Decide, Ended, Expansion, Listed, OneByOne, Step};
use crate::listing::{self, Graph, Index, List, MISSING, Wrong};
use crate::store::manifest::MixedRecord;
use game::batch::{Evaluator, Plane};
use game::encode::{Variables, reward_vectors};
use game::interpreter::Interpreter;
use game::propositional::{Game, RoleId};
use kernel::{self, Context, Diagram, Given, Preferences};
use num_bigint::BigUint;
use std::cell::RefCell;
use std::sync::Arc;

/// Bound on the states listed together.
const AT_ONCE: usize = 1 << 20;
/// States that a thread expands between two checks of the memory for successors.
const EXPANDED: usize = 1 << 14;
/// Divisors of the memory bound, for a list of states and for successors.
const LIST_SHARE: u64 = 16;
const SUCCESSOR_SHARE: u64 = 4;
const WORD: u64 = 8;
/// Bytes of a state's value with its entry in an index.
const RANK_BYTES: u64 = 24;

pub struct States<'a> {
    game: &'a Game,
    variables: Variables,
    form: Arc<Form>,
    initial: Vec<bool>,
    rewards: Vec<Vec<u8>>,
    engine: RefCell<listing::Engine<'a>>,
    at_once: usize,
    exact: bool,
    context: &'a Context,
}

impl<'a> States<'a> {
    pub fn new(game: &'a Game, variables: Variables, context: &'a Context) -> Self {
        let engine = listing::Engine::new(game, Form::new(&variables).layout().clone(), reward_vectors(game));
        States::with(engine, game, variables, context)
    }

    /// The words of a packed state.
    pub fn words(&self) -> usize {
        self.form.layout().words()
    }

    pub fn exact(self) -> Self {
        let engine = RefCell::new(self.engine.into_inner().with_joint_choices());
        States { engine, exact: true, ..self }
    }

    /// `engine`: one that has evaluated the rules before, on states of these variables in the form of [`Form`].
    pub fn with(engine: listing::Engine<'a>, game: &'a Game, variables: Variables, context: &'a Context) -> Self {
        let (form, rewards) = (Arc::new(Form::new(&variables)), engine.rewards().to_vec());
        assert!(engine.layout() == form.layout(), "states of these variables");
        let initial = variables.assignment(&game.init);
        let engine = RefCell::new(engine);
        States { game, variables, form, initial, rewards, engine, at_once: AT_ONCE, exact: false, context }
    }

    /// The set of the listed states, with their terminals. States with terminal 0 are left out.
    pub fn set(&self, list: &List, terminal: impl Fn(usize) -> u32) -> Result<Diagram, SolveError> {
        Ok(self.form.set(list, terminal, self.context.limits())?)
    }

    /// The moves between the listed states. A successor that is not listed is an error.
    pub fn graph(&self, list: &List) -> Result<Graph, SolveError> {
        let index = Index::new(list, self.context.limits())?;
        let graph = self.engine.borrow_mut().graph(list.keys(), &index, self.context);
        let whole = graph.and_then(|graph| match graph.targets.contains(&MISSING) {
            true => Err(Wrong::Value(0)),
            false => Ok(graph),
        });
        whole.map_err(|wrong| self.error(wrong, list))
    }

    /// Calls `visit` with parts of a set in order, until it returns false.
    fn for_each_part(
        &self,
        states: &Diagram,
        mut visit: impl FnMut(&List) -> Result<bool, SolveError>,
    ) -> Result<(), SolveError> {
        let limits = self.context.limits();
        let state = self.form.layout().words() as u64 * WORD;
        let at_once = (limits.memory() / LIST_SHARE / state).clamp(1, self.at_once as u64) as usize;
        let mut part = List::new(self.form.layout().words(), limits);
        let (mut elements, mut packed) = (states.elements(), Vec::new());
        loop {
            part.clear();
            while part.len() < at_once
                && let Some((element, _)) = elements.next_element()
            {
                self.form.pack(element, &mut packed);
                part.push(&packed)?;
            }
            if part.is_empty() || !visit(&part)? {
                return Ok(());
            }
        }
    }

    fn filtered(
        &self,
        states: &Diagram,
        mut condition: impl FnMut(&List) -> Result<Vec<bool>, SolveError>,
    ) -> Result<Diagram, SolveError> {
        let limits = self.context.limits();
        let mut found = Diagram::constant(states.levels(), 0);
        self.for_each_part(states, |part| {
            let holds = condition(part)?;
            found = self.united(&found, self.form.set(part, |rank| u32::from(holds[rank]), limits)?)?;
            Ok(true)
        })?;
        Ok(found)
    }

    fn united(&self, set: &Diagram, more: Diagram) -> Result<Diagram, SolveError> {
        Ok(if set.is_empty() { more } else { kernel::union(&[set, &more], self.context)? })
    }

    /// The successors of the states of a set, the number of terminal states in it, and, if `by_choice`, whether no role
    /// with a choice in a state has a choice again in a successor; or the first ill-formed state.
    fn image(&self, states: &Diagram, by_choice: bool) -> Result<Result<Step, Vec<bool>>, SolveError> {
        let (limits, mut engine) = (self.context.limits(), self.engine.borrow_mut());
        let room = limits.memory() / SUCCESSOR_SHARE;
        let mut expanded = engine.expansion(by_choice, self.context);
        let mut step = Step { terminal: BigUint::ZERO, next: Diagram::constant(states.levels(), 0), alternates: true };
        let mut faulty = None;
        let mut unite = |expanded: &mut listing::Expanded, engine: &mut listing::Engine| -> Result<(), SolveError> {
            let lists = expanded.take()?;
            let all = match &lists[..] {
                [all] => all,
                by_role => {
                    for (role, list) in (0..by_role.len() as u32 - 1).map(RoleId).zip(by_role) {
                        let again = engine.select(list.keys(), self.context, |batch| batch.choice(role))?;
                        step.alternates &= !again.contains(&true);
                    }
                    let merge = |all: List, list: &List| all.merged(list);
                    &by_role.iter().try_fold(List::new(self.form.layout().words(), limits), merge)?
                }
            };
            step.next = self.united(&step.next, self.form.set(all, |_| 1, limits)?)?;
            Ok(())
        };
        let at_once = EXPANDED * self.context.threads();
        self.for_each_part(states, |part| {
            for (chunk, some) in part.keys().chunks(at_once * part.words()).enumerate() {
                engine.expand(some, &mut expanded, self.context)?;
                faulty = expanded.met.faulty.map(|rank| self.form.assignment(part.state(chunk * at_once + rank)));
                if faulty.is_some() {
                    return Ok(false);
                }
                if let Some(&(rank, _)) = expanded.met.unfit.first() {
                    let state = self.form.layout().state(part.state(chunk * at_once + rank));
                    let names = state.names(self.game).join(" ");
                    return Err(SolveError::Inconsistent(format!(
                        "mutex groups do not hold in a successor of {names}"
                    )));
                }
                if expanded.bytes() > room {
                    unite(&mut expanded, &mut engine)?;
                }
            }
            Ok(true)
        })?;
        if let Some(state) = faulty {
            return Ok(Err(state));
        }
        unite(&mut expanded, &mut engine)?;
        step.terminal = expanded.met.terminal.into();
        Ok(Ok(step))
    }

    /// The values of the states of a layer. `look_up` replaces its second argument by the values of packed successors.
    fn values_by(
        &self,
        layer: &Diagram,
        preferences: &Preferences,
        look_up: impl Fn(&[u64], &mut Vec<u32>) + Sync,
    ) -> Result<Diagram, SolveError> {
        let (limits, mut engine) = (self.context.limits(), self.engine.borrow_mut());
        let mut found = Diagram::constant(layer.levels(), 0);
        self.for_each_part(layer, |part| {
            let values = engine.values(part.keys(), preferences, self.context, &look_up);
            let values = values.map_err(|wrong| self.error(wrong, part))?;
            // A union would lose the values, so the part is overlaid.
            found = kernel::overlay(&found, &self.form.set(part, |rank| values[rank].into(), limits)?, self.context)?;
            Ok(true)
        })?;
        Ok(kernel::as_values(&found, self.context)?)
    }

    /// Whether a list of this number of states, with values and an index, fits into half of the free memory.
    fn fits(&self, states: u64) -> bool {
        let bytes = states.saturating_mul(self.form.layout().words() as u64 * WORD * 2 + RANK_BYTES);
        bytes <= self.context.limits().free() / 2
    }
}

impl OneByOne for States<'_> {
    fn list(&self, states: &Diagram) -> Result<List, SolveError> {
        Ok(self.form.list(states, self.context.limits())?)
    }

    fn graph(&self, states: &List) -> Result<Graph, SolveError> {
        States::graph(self, states)
    }

    fn assignment(&self, state: &[u64]) -> Vec<bool> {
        self.form.assignment(state)
    }

    fn decided(
        &self,
        states: &List,
        next: &Index,
        thinkers: &mut [Thinker],
        decide: Decide,
    ) -> Result<Vec<u32>, SolveError> {
        let decided = self.engine.borrow_mut().choices(states.keys(), next, thinkers, self.context, decide);
        decided.map_err(|wrong| self.error(wrong, states))
    }

    fn error(&self, wrong: Wrong, list: &List) -> SolveError {
        match wrong {
            Wrong::Limit(limit) => limit.into(),
            Wrong::Faulty(rank) => {
                let state = self.form.layout().state(list.state(rank));
                let situation = Interpreter::new(self.game).situation(&state);
                let violation = situation.turn().err().map_or_else(String::new, |violation| violation.to_string());
                SolveError::Inconsistent(format!("in a stored layer, {violation}"))
            }
            Wrong::Value(value) => {
                SolveError::Inconsistent(format!("a successor of a state has the value {value} in the layer after it"))
            }
        }
    }

    fn mixed(&self, states: &Diagram) -> Result<MixedRecord, SolveError> {
        let mut found = MixedRecord::default();
        self.for_each_part(states, |part| {
            let [chance, joint] = self.mixed_among(part)?.map(|are| are.into_iter().filter(|is| *is).count());
            found.chance += chance;
            found.joint += joint;
            Ok(true)
        })?;
        Ok(found)
    }

    fn mixed_among(&self, states: &List) -> Result<[Vec<bool>; 2], SolveError> {
        let (players, roles) = (self.game.players() as u32, self.game.roles.len() as u32);
        let select = |condition: &(dyn Fn(&Evaluator) -> Plane + Sync)| -> Result<Vec<bool>, SolveError> {
            Ok(self.engine.borrow_mut().select(states.keys(), self.context, condition)?)
        };
        let joint = select(&|batch| {
            let (mut one, mut two) = (Plane::NONE, Plane::NONE);
            for choice in (0..players).map(|player| batch.choice(RoleId(player))) {
                two |= one & choice;
                one |= choice;
            }
            two
        })?;
        let chance = if roles > players { select(&|batch| batch.choice(RoleId(players)))? } else { Vec::new() };
        Ok([chance, joint])
    }
}

/// Replaces `values` by the values of packed states, 0 for a state that is not in the index. `after`: values by rank.
fn look_up(index: &Index, after: &[u16], states: &[u64], values: &mut Vec<u32>) {
    index.ranks(states, values);
    values.iter_mut().for_each(|rank| *rank = if *rank == MISSING { 0 } else { after[*rank as usize].into() });
}

impl Expansion for States<'_> {
    fn engine(&self) -> Engine {
        Engine::Explicit
    }

    fn variables(&self) -> &Variables {
        &self.variables
    }

    fn initial(&self) -> &[bool] {
        &self.initial
    }

    fn rewards(&self) -> &[Vec<u8>] {
        &self.rewards
    }

    fn step(
        &self,
        layer: &Diagram,
        _states: &BigUint,
        _dead_ends: bool,
        alternating: bool,
    ) -> Result<Result<Step, Vec<bool>>, SolveError> {
        self.image(layer, alternating)
    }

    fn successors(&self, states: &Diagram) -> Result<Diagram, SolveError> {
        let step = self.image(states, false)?;
        step.map(|step| step.next)
            .map_err(|_| SolveError::Inconsistent("an ill-formed state is among those of a layer".to_owned()))
    }

    fn terminals(&self, states: &Diagram) -> Result<Diagram, SolveError> {
        self.filtered(states, |part| {
            Ok(self.engine.borrow_mut().select(part.keys(), self.context, |batch| batch.terminal())?)
        })
    }

    fn ends(&self, states: &Diagram) -> Result<Option<Vec<Ended>>, SolveError> {
        let mut all: Vec<Ended> = Vec::new();
        self.for_each_part(states, |part| {
            let found = self.engine.borrow_mut().ends(part.keys(), self.context);
            for (value, states, rank) in found.map_err(|wrong| self.error(wrong, part))? {
                let value = value.into();
                // Parts are in lexicographic order, so the first state stays the first.
                match all.iter_mut().find(|ended| ended.value == value) {
                    Some(ended) => ended.states += states,
                    None => all.push(Ended { value, states, first: self.form.assignment(part.state(rank)) }),
                }
            }
            Ok(true)
        })?;
        all.sort_unstable_by_key(|ended| ended.value);
        Ok(Some(all))
    }

    fn violation(&self, layer: &Diagram, _dead_ends: bool) -> Result<Option<Vec<bool>>, SolveError> {
        let mut found = None;
        self.for_each_part(layer, |part| {
            let is = self.engine.borrow_mut().select(part.keys(), self.context, |batch| batch.faults().any())?;
            found = is.iter().position(|is| *is).map(|rank| self.form.assignment(part.state(rank)));
            Ok(found.is_none())
        })?;
        Ok(found)
    }

    fn values(
        &self,
        layer: &Diagram,
        next: Option<&Diagram>,
        after: Given,
        preferences: &Preferences,
    ) -> Result<Diagram, SolveError> {
        if let Some(value) = after.root().as_terminal() {
            let words = self.form.layout().words();
            return self.values_by(layer, preferences, |states, values| {
                values.clear();
                values.resize(states.len() / words, value);
            });
        }
        let limits = self.context.limits();
        let made = if next.is_none() { Some(self.successors(layer)?) } else { None };
        let next = next.or(made.as_ref()).expect("the successors were given or made");
        let states = u64::try_from(next.count(self.context)?).unwrap_or(u64::MAX);
        if self.fits(states) {
            let _room = limits.hold(states * size_of::<u16>() as u64)?;
            let (list, known) = self.form.valued_list(next, &after, limits)?;
            drop(after);
            let index = Index::new(&list, limits)?;
            return self.values_by(layer, preferences, |states, values| look_up(&index, &known, states, values));
        }
        let form = &self.form;
        self.values_by(layer, preferences, |states, values| {
            let value = |state| match form.assignment(state) {
                assignment if next.contains(&assignment) == 0 => 0,
                assignment => after.value_at(&assignment),
            };
            values.clear();
            values.extend(states.chunks_exact(form.layout().words()).map(value));
        })
    }

    fn listed(
        &self,
        layer: &Diagram,
        next: &Diagram,
        after: LayerValues,
        preferences: &Preferences,
    ) -> Result<Result<Listed, LayerValues>, SolveError> {
        let limits = self.context.limits();
        let states = layer.count(self.context)? + next.count(self.context)?;
        if !self.fits(u64::try_from(states).unwrap_or(u64::MAX)) {
            return Ok(Err(after));
        }
        let after = match after {
            LayerValues::Listed(listed) => listed,
            after => {
                let (states, values) = self.form.valued_list(next, &after.into_diagram(next, self.context)?, limits)?;
                Listed::new(Arc::clone(&self.form), states, values, limits)?
            }
        };
        let list = self.form.list(layer, limits)?;
        let index = Index::new(after.states(), limits)?;
        let values = self.engine.borrow_mut().values(list.keys(), preferences, self.context, |states, values| {
            look_up(&index, after.values(), states, values);
        });
        let values = values.map_err(|wrong| self.error(wrong, &list))?;
        drop(index);
        Ok(Ok(Listed::new(Arc::clone(&self.form), list, values, limits)?))
    }

    fn needs_next(&self) -> bool {
        true
    }

    fn exact(&self) -> Option<&dyn OneByOne> {
        self.exact.then_some(self as &dyn OneByOne)
    }

    fn choosing(&self, states: &Diagram, role: usize) -> Result<Diagram, SolveError> {
        let role = RoleId(role as u32);
        self.filtered(states, |part| {
            Ok(self.engine.borrow_mut().select(part.keys(), self.context, |batch| batch.choice(role))?)
        })
    }

    fn predecessors(&self, within: &Diagram, targets: &Diagram) -> Result<Diagram, SolveError> {
        let limits = self.context.limits();
        let (form, words) = (&self.form, self.form.layout().words());
        if !self.fits(u64::try_from(targets.count(self.context)?).unwrap_or(u64::MAX)) {
            return self.filtered(within, |part| {
                let wanted = |states: &[u64], said: &mut Vec<bool>| {
                    let contains = |state| targets.contains(&form.assignment(state)) != 0;
                    said.extend(states.chunks_exact(words).map(contains));
                };
                Ok(self.engine.borrow_mut().leads(part.keys(), self.context, wanted)?)
            });
        }
        let list = self.form.list(targets, limits)?;
        let index = Index::new(&list, limits)?;
        self.filtered(within, |part| {
            let wanted = |states: &[u64], said: &mut Vec<bool>| {
                let mut ranks = Vec::new();
                index.ranks(states, &mut ranks);
                said.extend(ranks.iter().map(|&rank| rank != MISSING));
            };
            Ok(self.engine.borrow_mut().leads(part.keys(), self.context, wanted)?)
        })
    }

    fn predecessor(&self, states: &Diagram, target: &[bool]) -> Result<Option<Vec<bool>>, SolveError> {
        let (target, words) = (self.form.packed(target), self.form.layout().words());
        let mut found = None;
        self.for_each_part(states, |part| {
            let wanted = |states: &[u64], said: &mut Vec<bool>| {
                said.extend(states.chunks_exact(words).map(|state| state == target));
            };
            let leads = self.engine.borrow_mut().leads(part.keys(), self.context, wanted)?;
            found = leads.iter().position(|leads| *leads).map(|rank| self.form.assignment(part.state(rank)));
            Ok(found.is_none())
        })?;
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
