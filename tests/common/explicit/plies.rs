//! Plies to the end by definition: only moves that keep the value are played, and where play can go round only those to a
//! state whose value was found in an earlier round. Of what these lead to, a mover who gets less than another role takes the
//! longest play, and any other one the shortest.

use super::{ExplicitSolution, Exploration, RetrogradeSolution, StateId};

/// By state in an order in which the successors that count come first; `None` where play is endless.
fn plies<'v>(
    exploration: &Exploration,
    order: impl Iterator<Item = StateId>,
    value: impl Fn(StateId) -> Option<&'v [u8]>,
    leads_on: impl Fn(StateId, StateId) -> bool,
) -> Vec<Option<u32>> {
    let mut plies = vec![None; exploration.len()];
    for id in order {
        let Some(rewards) = value(id) else { continue };
        if exploration.terminal(id) {
            plies[id.index()] = Some(0);
            continue;
        }
        let best =
            exploration.successors(id).iter().filter(|&&next| value(next) == Some(rewards) && leads_on(id, next));
        let after = best.map(|next| plies[next.index()].expect("a distance that is known by then") + 1);
        let behind = exploration.mover(id).is_some_and(|mover| rewards.iter().any(|&own| own > rewards[mover.index()]));
        plies[id.index()] = if behind { after.max() } else { after.min() };
        assert!(plies[id.index()].is_some(), "a best move");
    }
    plies
}

impl ExplicitSolution {
    /// By state: the plies to the end.
    pub fn plies(&self) -> Vec<Option<u32>> {
        let order = self.exploration.topological_order().expect("play ends");
        plies(&self.exploration, order.into_iter().rev(), |id| Some(self.value(id)), |_, _| true)
    }
}

impl RetrogradeSolution {
    /// By state: the plies to the end; `None` where play is endless.
    pub fn plies(&self) -> Vec<Option<u32>> {
        let mut order: Vec<StateId> = self.exploration.ids().collect();
        order.sort_by_key(|id| self.rounds[id.index()]);
        let round = |id: StateId| self.rounds[id.index()];
        let value = |id: StateId| self.values[id.index()].as_deref();
        plies(&self.exploration, order.into_iter(), value, |id, next| round(next) < round(id))
    }
}
