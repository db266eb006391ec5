//! Plies to the end by definition. Only moves that keep the value are played. Of what these lead to, a mover who gets less
//! than another role takes the longest play, and any other one the shortest: textbook retrograde analysis, distance by
//! distance, within the states of a value. Where movers who get less could go on for ever in this way, they take the shortest
//! play, too.

use super::{ExplicitSolution, Exploration, RetrogradeSolution, StateId};

/// By state; `None` where play is endless.
fn plies<'v>(exploration: &Exploration, value: impl Fn(StateId) -> Option<&'v [u8]>) -> Vec<Option<u32>> {
    let ends = |id: &StateId| value(*id).is_some();
    let behind = |id: StateId| {
        let rewards = value(id).unwrap_or_default();
        exploration.mover(id).is_some_and(|mover| rewards.iter().any(|&other| other > rewards[mover.index()]))
    };
    let mut late: Vec<bool> = exploration.ids().map(behind).collect();
    for _ in 0..2 {
        let mut plies: Vec<Option<u32>> = exploration.ids().map(|id| exploration.terminal(id).then_some(0)).collect();
        let mut far = 0;
        while plies.contains(&Some(far)) {
            far += 1;
            let known = plies.clone();
            for id in exploration.ids().filter(ends).filter(|id| known[id.index()].is_none()) {
                let next = exploration.successors(id).iter().filter(|&&next| value(next) == value(id));
                let mut found = next.map(|next| known[next.index()].is_some());
                let is_far = if late[id.index()] { found.all(|known| known) } else { found.any(|known| known) };
                plies[id.index()] = is_far.then_some(far);
            }
        }
        if exploration.ids().filter(ends).all(|id| plies[id.index()].is_some()) {
            return plies;
        }
        exploration.ids().for_each(|id| late[id.index()] &= plies[id.index()].is_some());
    }
    panic!("some play ends, and nobody takes it")
}

impl ExplicitSolution {
    /// By state: the plies to the end.
    pub fn plies(&self) -> Vec<Option<u32>> {
        plies(&self.exploration, |id| Some(self.value(id)))
    }
}

impl RetrogradeSolution {
    /// By state: the plies to the end; `None` where play is endless.
    pub fn plies(&self) -> Vec<Option<u32>> {
        plies(&self.exploration, |id| self.values[id.index()].as_deref())
    }
}
