//! The states of a layer and their values as lists, for layers that are expanded state by state.
//!
//! Evaluating the rules takes and yields single states. The diagram of the values is made only if it is stored or
//! shown. Memory: the words of a state, and two bytes for its value.

use super::form::Form;
use crate::listing::List;
use base::limits::{Account, LimitReached, Limits};
use kernel::{self, Context, DEAD_END, Diagram};
use std::sync::Arc;

#[derive(Debug)]
pub struct Listed {
    form: Arc<Form>,
    states: List,
    values: Vec<u16>,
    diagram: Option<Diagram>,
    _account: Account,
}

impl Listed {
    /// `values`: the values of the listed states, by rank.
    pub fn new(form: Arc<Form>, states: List, values: Vec<u16>, limits: &Arc<Limits>) -> Result<Listed, LimitReached> {
        let mut account = Account::new(limits);
        account.set((values.capacity() * size_of::<u16>()) as u64)?;
        Ok(Listed { form, states, values, diagram: None, _account: account })
    }

    pub fn states(&self) -> &List {
        &self.states
    }

    pub fn values(&self) -> &[u16] {
        &self.values
    }

    /// Whether a state is not terminal and has no successor.
    pub fn has_dead_end(&self) -> bool {
        self.values.iter().any(|&value| u32::from(value) == DEAD_END)
    }

    /// The values that occur, ascending, and the number of states with each.
    pub fn counts(&self) -> Vec<(u32, u64)> {
        let mut counts = vec![0; self.values.iter().max().map_or(0, |&most| usize::from(most) + 1)];
        self.values.iter().for_each(|&value| counts[usize::from(value)] += 1);
        (0..).zip(counts).filter(|(_, states)| *states > 0).collect()
    }

    /// Makes the value diagram and keeps it for [`Listed::drawn`].
    pub fn draw(&mut self, context: &Context) -> Result<(), LimitReached> {
        self.diagram = Some(self.diagram(context)?);
        Ok(())
    }

    pub fn drawn(&self) -> Option<&Diagram> {
        self.diagram.as_ref()
    }

    /// Makes the value diagram, even if one was drawn.
    pub fn diagram(&self, context: &Context) -> Result<Diagram, LimitReached> {
        let set = self.form.set(&self.states, |rank| self.values[rank].into(), context.limits())?;
        kernel::as_values(&set, context)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::budget::Bound;
    use super::super::super::forward::forward;
    use super::super::super::options::Order;
    use super::super::super::pass::{Bounds, Pass};
    use super::super::super::probe::{All, Found, Probe};
    use super::super::super::progress::Silent;
    use super::super::super::spool::Spool;
    use super::super::super::values::LayerValues;
    use super::super::{Expansion, States};
    use super::*;
    use crate::sample::handmade::{lines, nim};
    use crate::sample::random_game;
    use game::diagnostic::Source;
    use game::ending::Endings;
    use game::ground::{GroundOptions, ground};
    use game::propositional::Game;
    use game::reward::{OpponentModel, Ranking};
    use game::rules::Language;
    use kernel::Preferences;

    fn grounded(text: &str) -> Game {
        let (program, _) = Language::Gdl.program(&Source::new("listed", text.as_bytes()));
        ground(&program.unwrap(), &Limits::unlimited(), &GroundOptions::default()).unwrap().game
    }

    #[test]
    fn lists_and_diagrams_give_the_same_values() {
        let context = Context::new(Arc::new(Limits::unlimited()), 1);
        let random = (0..40).map(|seed| grounded(&random_game(seed, None)));
        let (mut layers, mut several) = (0, 0);
        for game in [lines(3, 3, 3), nim(9, 3)].into_iter().chain(random) {
            let Found::Ended(all) = Probe::new(&game, false).look(&Order::Rules, Bound::Memory, &context).unwrap()
            else {
                panic!("it ends")
            };
            let All { groups, variables, layers: explored, .. } = *all;
            let expansion = &States::new(&game, variables, &context);
            let pass = Pass {
                game: &game,
                groups: &groups,
                expansion,
                context: &context,
                listener: &Silent,
                solving: true,
                repeating: None,
                ends: false,
                bounds: Bounds::NONE,
            };
            let mut spool = Spool::new(Some(u64::MAX), None, &context);
            if forward(&pass, &mut spool, &mut explored.filter(|explored| explored.is_disjoint())).is_err() {
                continue;
            }
            let endings = Endings::plain(expansion.rewards().to_vec());
            let ranking = Ranking::Each(OpponentModel::MaxOwn);
            let places = (0..game.roles.len()).map(|mover| endings.places(ranking, mover, game.roles.len()));
            let preferences = Preferences::new(places.collect());
            let levels = expansion.variables().levels();
            let mut next = Diagram::constant(levels, 0);
            let none = || Diagram::constant(levels, 0);
            let (mut drawn, mut after) = (none(), LayerValues::Diagram(none()));
            for index in (0..spool.figures().len()).rev() {
                let layer = spool.take(index).unwrap();
                let values = || expansion.values(&layer, Some(&next), (&drawn).into(), &preferences).unwrap();
                let [values, copy] = [values(), values()];
                drawn = values;
                let mut listed = expansion.listed(&layer, &next, after, &preferences).unwrap().expect("lists fit");
                assert_eq!(listed.diagram(&context).unwrap(), drawn);
                assert!(listed.drawn().is_none());
                listed.draw(&context).unwrap();
                assert_eq!(listed.drawn(), Some(&drawn));
                let counts: Vec<(u32, num_bigint::BigUint)> =
                    listed.counts().into_iter().map(|(value, states)| (value, states.into())).collect();
                assert_eq!(counts, kernel::tally(&layer, &drawn, &context).unwrap());
                assert!(!listed.has_dead_end());
                layers += 1;
                several += usize::from(counts.len() > 1);
                // Every second layer gets its values from a diagram.
                after = match index % 2 {
                    0 => LayerValues::Listed(listed),
                    _ => LayerValues::Diagram(copy),
                };
                next = layer;
            }
        }
        assert!(layers > 100 && several > 30, "{layers} layers, {several} of several values");
    }

    #[test]
    fn lists_that_do_not_fit_give_the_values_back() {
        let game = nim(9, 3);
        let variables = {
            let context = Context::new(Arc::new(Limits::unlimited()), 1);
            let Found::Ended(all) = Probe::new(&game, false).look(&Order::Rules, Bound::Memory, &context).unwrap()
            else {
                panic!("it ends")
            };
            all.variables
        };
        let context = Context::new(Arc::new(Limits::new(64)), 1);
        let states = States::new(&game, variables, &context);
        let layer = Diagram::single(states.variables().levels(), states.initial());
        let next = Diagram::constant(states.variables().levels(), 0);
        let preferences = Preferences::new(vec![vec![0; 8]; 2]);
        let after = LayerValues::Diagram(Diagram::constant(states.variables().levels(), 0));
        let Err(LayerValues::Diagram(after)) = states.listed(&layer, &next, after, &preferences).unwrap() else {
            panic!("nothing fits")
        };
        assert_eq!(after, next);
    }
}
