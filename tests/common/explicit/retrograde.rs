//! Values where play can go on for ever, by their definition: every reachable state is looked at again and again.
//!
//! Endless play pays nobody. It ranks as if every role got 0, just below a real such reward, in the mover's order.
//! 1. All states all of whose successors have values take the best of them in their mover's order, again and again.
//! 2. If that settles nothing more: for each role, of all values that successors of the unsettled states where it
//!    moves have, the best one; if that ranks above endless play, all of these states with such a successor take it.
//!    Then 1 again.
//! 3. If that settles nothing either, play from what is left is endless.
//!
//! Each time that states take values is a round. With one role, or with two whose orders are opposite and that prefer at
//! most one value both to endless play, roles also take values at once, in the rounds of 1: as soon as a successor has the
//! value that the role took last by 2, or at first the best value of all. That changes rounds but not values; both ways
//! are gone and compared.

use super::explore::explore_while;
use super::{ExplicitError, Exploration, StateId};
use game::propositional::Game;
use game::reward::OpponentModel;
use std::collections::{BTreeMap, BTreeSet};

/// The strong solution of a well-formed game, cyclic or not. Arrays are indexed by [`StateId`].
#[derive(Debug, Clone)]
pub struct RetrogradeSolution {
    pub exploration: Exploration,
    /// Rewards by role, `None` for endless play.
    pub values: Vec<Option<Vec<u8>>>,
    /// The round in which the value was found, 0 for a terminal state; `None` for endless play.
    pub rounds: Vec<Option<u32>>,
    /// Moves needed to get there from the initial state.
    pub distances: Vec<u32>,
}

/// Solves a game of at most `limit_states` distinct states, in time quadratic in their number at worst. Refuses
/// ill-formed games as [`solve`](super::solve) does.
pub fn retrograde(game: &Game, model: OpponentModel, limit_states: usize) -> Result<RetrogradeSolution, ExplicitError> {
    let exploration = explore_while(game, limit_states, Result::is_ok)?;
    if let Some(witness) = exploration.first_violation(game) {
        return Err(ExplicitError::IllFormed(Box::new(witness)));
    }
    let (values, mut rounds) = settle(&exploration, game, model, false);
    if takes_at_once(&exploration, game, model) {
        let other = settle(&exploration, game, model, true);
        assert_eq!(values, other.0, "values do not depend on what roles take at once");
        rounds = other.1;
    }
    let mut distances = vec![u32::MAX; exploration.len()];
    distances[0] = 0;
    for id in exploration.ids() {
        for next in exploration.successors(id) {
            distances[next.index()] = distances[next.index()].min(distances[id.index()] + 1);
        }
    }
    Ok(RetrogradeSolution { exploration, values, rounds, distances })
}

fn ends(exploration: &Exploration) -> BTreeSet<Vec<u8>> {
    exploration.ids().filter_map(|id| exploration.rewards(id).map(<[u8]>::to_vec)).collect()
}

fn takes_at_once(exploration: &Exploration, game: &Game, model: OpponentModel) -> bool {
    let (roles, values) = (game.roles.len(), ends(exploration));
    let rank = |mover, value: Option<&Vec<u8>>| model.rank_or_endless(mover, roles, value.map(Vec::as_slice));
    let liked = |value: &&Vec<u8>| (0..roles).all(|mover| rank(mover, Some(*value)) > rank(mover, None));
    let opposite = |a: &Vec<u8>| {
        values.iter().all(|b| rank(0, Some(a)).cmp(&rank(0, Some(b))) == rank(1, Some(b)).cmp(&rank(1, Some(a))))
    };
    roles == 1 || roles == 2 && values.iter().filter(liked).count() <= 1 && values.iter().all(opposite)
}

/// Values and rounds.
#[allow(clippy::type_complexity)]
fn settle(
    exploration: &Exploration,
    game: &Game,
    model: OpponentModel,
    takes_at_once: bool,
) -> (Vec<Option<Vec<u8>>>, Vec<Option<u32>>) {
    let roles = game.roles.len();
    let mut values: Vec<Option<Vec<u8>>> =
        exploration.ids().map(|id| exploration.rewards(id).map(<[u8]>::to_vec)).collect();
    let mut rounds: Vec<Option<u32>> = values.iter().map(|value| value.as_ref().map(|_| 0)).collect();
    let rank = |mover, value: Option<&Vec<u8>>| model.rank_or_endless(mover, roles, value.map(Vec::as_slice));
    let mut at_once: Vec<Option<Vec<u8>>> = (0..roles)
        .map(|mover| {
            let best = ends(exploration).into_iter().max_by_key(|value| rank(mover, Some(value)));
            best.filter(|value| takes_at_once && rank(mover, Some(value)) > rank(mover, None))
        })
        .collect();
    // Of a state that is not terminal, by the best value of its successors.
    let best_of = |id: StateId, before: &[Option<Vec<u8>>]| {
        let mut values = exploration.successors(id).iter().map(|next| before[next.index()].clone());
        let best = match exploration.mover(id) {
            Some(mover) => values.max_by_key(|value| rank(mover.index(), value.as_ref())),
            None => values.next(),
        };
        best.expect("a state that is not terminal has a successor")
    };
    for round in 1.. {
        let before = values.clone();
        let mut settled = false;
        for id in exploration.ids().filter(|id| !exploration.terminal(*id)) {
            let successors = || exploration.successors(id).iter().map(|next| before[next.index()].as_ref());
            if before[id.index()].is_none() && successors().all(|value| value.is_some()) {
                values[id.index()] = best_of(id, &before);
                rounds[id.index()] = Some(round);
                settled = true;
            } else if let Some(mover) = exploration.mover(id)
                && let Some(value) = &at_once[mover.index()]
                && before[id.index()].is_none()
                && successors().any(|next| next == Some(value))
            {
                values[id.index()] = Some(value.clone());
                rounds[id.index()] = Some(round);
                settled = true;
            }
        }
        if settled {
            continue;
        }
        for (role, at_once) in at_once.iter_mut().enumerate() {
            let open = || {
                let choosing = |id: &StateId| exploration.mover(*id).is_some_and(|mover| mover.index() == role);
                exploration.ids().filter(choosing).filter(|id| before[id.index()].is_none())
            };
            let of = |id: StateId| exploration.successors(id).iter().map(|next| before[next.index()].as_ref());
            let best = open().flat_map(of).max_by_key(|value| rank(role, *value)).flatten();
            if best.is_some() && rank(role, best) > rank(role, None) {
                if takes_at_once {
                    *at_once = best.cloned();
                }
                for id in open().filter(|id| of(*id).any(|value| value == best)) {
                    values[id.index()] = best.cloned();
                    rounds[id.index()] = Some(round);
                    settled = true;
                }
            }
        }
        if !settled {
            break;
        }
    }
    (values, rounds)
}

impl RetrogradeSolution {
    /// Whether another move is worth more to the mover than the value: it gets more or, by [`OpponentModel::MaxDiff`],
    /// leads by more, or by as much with more of its own.
    pub fn is_not_best(&self, id: StateId, model: OpponentModel) -> bool {
        let Some(mover) = self.exploration.mover(id) else { return false };
        let gets = |id: StateId| {
            let Some(rewards) = &self.values[id.index()] else { return [0; 2] };
            let own = i32::from(rewards[mover.index()]);
            let others = rewards.iter().enumerate().filter(|(role, _)| *role != mover.index());
            let most = others.map(|(_, reward)| i32::from(*reward)).max().unwrap_or(0);
            if model == OpponentModel::MaxOwn { [own, 0] } else { [own - most, own] }
        };
        self.exploration.successors(id).iter().any(|next| gets(*next) > gets(id))
    }

    /// The number of these states; `None` if play ends or roles may settle for values at once, which leaves none.
    pub fn not_best(&self, game: &Game, model: OpponentModel) -> Option<u64> {
        let found = self.exploration.ids().filter(|id| self.is_not_best(*id, model)).count() as u64;
        if self.exploration.topological_order().is_none() && !takes_at_once(&self.exploration, game, model) {
            return Some(found);
        }
        assert_eq!(found, 0, "every value is an equilibrium");
        None
    }

    /// By distance from the initial state: how many states have which value.
    pub fn histograms(&self) -> Vec<BTreeMap<Option<Vec<u8>>, u64>> {
        let last = self.distances.iter().max().map_or(0, |last| *last as usize);
        let mut histograms = vec![BTreeMap::new(); last + 1];
        for (distance, value) in self.distances.iter().zip(&self.values) {
            *histograms[*distance as usize].entry(value.clone()).or_insert(0) += 1;
        }
        histograms
    }
}
