//! The terminal states of each layer by rewards, for single-player games and for values with distances; and in
//! single-player games a shortest play to the best reward.
//!
//! With one player, the value of a state is the best reward that can be reached, so a shortest play ends in the first
//! layer with a terminal state of that reward. The play is found backward, by a predecessor in the layer before at each
//! step. This holds for layers and for states by distance alike. Cost: sorting the terminal states of each layer by
//! reward, and for each move of the play the preimage of one state.

use super::SolveError;
use super::global::line::through;
use super::global::orders::Orders;
use super::global::terminals::terminal_values;
use super::outcome::PlayedMove;
use super::pass::Pass;
use super::progress::Event;
use super::spool::Spool;
use super::witness::way;
use super::{MOST_REWARDS as MOST_VALUES, costs, options::SolveOptions};
use crate::cheapest::Cheapest;
use crate::store::manifest::EndRecord;
use crate::unmet::{self, Literal, Unmet};
use base::limits::LimitReached;
use game::encode::{FluentCode, Variables};
use game::ending::Endings;
use game::propositional::FluentId;
use kernel::Diagram;

pub struct Ends {
    /// By layer: its terminal states by their rewards, ascending.
    pub by_layer: Vec<Vec<EndRecord>>,
    /// A terminal state with the best reward, in the first layer that has one: rank of the reward, layer, state by
    /// level.
    best: Option<(u32, usize, Vec<bool>)>,
    /// For a single player whose highest reward no state pays: the conditions for that reward, and those that no state
    /// meets. It is not stored, because it follows from the stored states.
    pub unmet: Option<Unmet>,
}

/// What the terminal states tell beside the values.
#[derive(Default)]
pub struct Told {
    /// See [`Ends::by_layer`].
    pub by_layer: Option<Vec<Vec<EndRecord>>>,
    /// See [`Ends::unmet`].
    pub unmet: Option<Unmet>,
    pub plan: Option<Cheapest>,
    /// The line of a single player, if the options ask for one.
    pub line: Option<Vec<PlayedMove>>,
}

impl Ends {
    /// `all`: all states, if they are solved at once. The layers must still be in the spool.
    pub fn told(
        self,
        pass: &Pass,
        spool: &mut Spool,
        all: Option<&Diagram>,
        options: &SolveOptions,
    ) -> Result<Told, SolveError> {
        let plan = costs::by_layers(pass, spool, &self, all, options)?;
        let (by_layer, unmet) = (Some(self.by_layer.clone()), self.unmet.clone());
        let line = match options.line && pass.game.roles.len() == 1 {
            true => self.line(pass, spool)?,
            false => None,
        };
        Ok(Told { by_layer, unmet, plan, line })
    }

    /// Sorts the terminal states of all layers of a spool, and stores the counts if the layers are stored. Does nothing
    /// in games of several players without distances.
    pub fn find(pass: &Pass, spool: &mut Spool, options: &SolveOptions) -> Result<Option<Ends>, SolveError> {
        let Pass { game, expansion, context, .. } = *pass;
        if game.roles.len() != 1 && !options.distances {
            return Ok(None);
        }
        let orders = Orders::new(options.ranking(), game.roles.len(), expansion.rewards());
        let mut ends = Ends { by_layer: Vec::new(), best: None, unmet: None };
        for index in 0..spool.figures().len() {
            let mut found = Vec::new();
            if spool.figures()[index].terminal != 0u32.into() {
                let layer = spool.layer(index)?;
                let is_better = |rank: u32| ends.best.as_ref().is_none_or(|(best, ..)| rank > *best);
                let rank = |id: u32| orders.rank(0, id);
                let (mut counts, best) = match expansion.ends(&layer)? {
                    Some(mut ended) => {
                        let counts: Vec<_> = ended.iter().map(|ended| (ended.value, ended.states.into())).collect();
                        ended.sort_by_key(|ended| rank(ended.value));
                        (counts, ended.pop().map(|ended| (rank(ended.value), ended.first)))
                    }
                    None => {
                        let values = terminal_values(pass, &expansion.terminals(&layer)?, &orders)?;
                        let best = values.terminals().into_iter().map(|id| (rank(id), id)).max();
                        let pick =
                            |(rank, id)| (rank, values.pick(id).expect("a set has a state for each of its terminals"));
                        (values.counts(context.limits())?, best.filter(|(rank, _)| is_better(*rank)).map(pick))
                    }
                };
                // Value ids ascend with the rewards.
                counts.sort_unstable_by_key(|(id, _)| *id);
                let rewards = |id: u32| expansion.rewards()[id as usize - 1].clone();
                found = counts.into_iter().map(|(id, states)| EndRecord { rewards: rewards(id), states }).collect();
                if let Some((rank, state)) = best.filter(|(rank, _)| is_better(*rank)) {
                    ends.best = Some((rank, index, state));
                }
            }
            ends.by_layer.push(found);
        }
        if let Some(store) = spool.store() {
            store.set_ends(ends.by_layer.clone())?;
        } else if game.roles.len() == 1 {
            ends.unmet = ends.unmet(pass, spool)?;
        }
        Ok(Some(ends))
    }

    /// The conditions for the highest reward, if no state pays it and memory suffices.
    fn unmet(&self, pass: &Pass, spool: &mut Spool) -> Result<Option<Unmet>, SolveError> {
        let Some(&(highest, _)) = pass.game.goals[0].last() else { return Ok(None) };
        let paid = self.by_layer.iter().flatten().any(|end| end.rewards == [highest]);
        let Some(mut search) = unmet::Search::new(pass.game, highest).filter(|_| !paid) else { return Ok(None) };
        let literals = literals(pass.expansion.variables());
        for index in 0..spool.figures().len() {
            match search.look(&*spool.layer(index)?, &literals, pass.context) {
                Err(limit) if limit.ends_all() => return Err(limit.into()),
                Err(limit) => {
                    let text = format!("the conditions of the goal are not looked at: {limit}");
                    pass.listener.event(&Event::Notice(text));
                    return Ok(None);
                }
                Ok(()) => {}
            }
        }
        Ok(Some(search.finish()))
    }

    /// What value ids stand for if each tells rewards and the ply at which play ends.
    pub fn endings(&self, pass: &Pass) -> Result<Endings, LimitReached> {
        let by_layer = self.by_layer.iter().map(|ends| ends.iter().map(|end| end.rewards.as_slice()));
        let endings = Endings::timed(pass.expansion.rewards().to_vec(), by_layer);
        if endings.count() > MOST_VALUES {
            let what = "pairs of rewards and the ply at which play ends with them".to_owned();
            return Err(LimitReached::Size { what, limit: MOST_VALUES as u64 });
        }
        Ok(endings)
    }

    /// In one-player games, a shortest play to the best reward; `None` if play never ends.
    fn line(self, pass: &Pass, spool: &mut Spool) -> Result<Option<Vec<PlayedMove>>, SolveError> {
        let Some((_, last, state)) = self.best else { return Ok(None) };
        let before = |index: usize, state: &[bool]| {
            pass.context.limits().check()?;
            pass.expansion.predecessor(&*spool.layer(index)?, state)
        };
        Ok(Some(through(pass, &way(state, last, before)?)))
    }
}

/// By fluent: the literal over the levels that is true where the fluent holds.
fn literals(variables: &Variables) -> Vec<Literal> {
    let of_fluent = |fluent| match variables.code(FluentId(fluent)) {
        FluentCode::Level(level) => Literal { levels: vec![level], positive: true },
        FluentCode::Default(block) => Literal { levels: variables.blocks()[block].levels().collect(), positive: false },
    };
    (0..variables.fluents() as u32).map(of_fluent).collect()
}

#[cfg(test)]
mod tests {
    use super::super::budget::Bound;
    use super::super::expansion::{Expansion, States};
    use super::super::options::Order;
    use super::super::probe::{Found, Probe};
    use super::*;
    use crate::sample::random_game;
    use base::limits::Limits;
    use game::diagnostic::Source;
    use game::ground::{GroundOptions, ground};
    use game::rules::Language;
    use kernel::Context;
    use std::sync::Arc;

    #[test]
    fn conditions_are_met_in_the_same_states_one_by_one_and_as_sets() {
        let (context, mut apart, mut never) = (Context::new(Arc::new(Limits::unlimited()), 1), 0, 0);
        for seed in 0..60 {
            let text = random_game(seed, None);
            let (program, _) = Language::Gdl.program(&Source::new("random", text.as_bytes()));
            let game = ground(&program.unwrap(), &Limits::unlimited(), &GroundOptions::default()).unwrap().game;
            let found = Probe::new(&game, false).look(&Order::Rules, Bound::Memory, &context).unwrap();
            let Found::Ended(all) = found else { panic!("it ends") };
            let expansion = States::new(&game, all.variables, &context);
            let literals = literals(expansion.variables());
            for &(reward, _) in &game.goals[0] {
                let [states, sets] = [(); 2].map(|()| unmet::Search::new(&game, reward));
                let Some((mut states, mut sets)) = states.zip(sets) else { continue };
                let mut layer = Diagram::single(expansion.variables().levels(), expansion.initial());
                for _ in 0..4 {
                    if layer.is_empty() {
                        break;
                    }
                    states.look_at_states(&layer, &literals, &context).unwrap();
                    sets.look_at_sets(&layer, &literals, &context).unwrap();
                    layer = expansion.successors(&layer).unwrap();
                }
                let [states, sets] = [states, sets].map(unmet::Search::finish);
                assert_eq!(states, sets, "seed {seed}");
                apart += states.never_together.len();
                never += states.never.len();
            }
        }
        assert!(apart > 5 && never > 5, "{apart} pairs apart, {never} conditions never met");
    }
}
