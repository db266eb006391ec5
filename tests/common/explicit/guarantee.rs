//! What a role can force against all others together, by definition: at least a reward if it can force an end that pays so
//! much or more. The states from which it can are those ends, the states where it chooses and one successor is such a state,
//! and those where it does not and all successors are, again and again until there are no more.

use super::Exploration;
use game::propositional::RoleId;
use std::collections::BTreeSet;

/// By state: the highest reward that a role can force; `None` where the others can make play go on for ever.
pub fn guarantee(exploration: &Exploration, role: RoleId) -> Vec<Option<u8>> {
    let ends: BTreeSet<u8> =
        exploration.ids().filter_map(|id| exploration.rewards(id)).map(|rewards| rewards[role.index()]).collect();
    let mut values = vec![None; exploration.len()];
    for reward in ends {
        let mut forces = vec![false; exploration.len()];
        loop {
            let mut grown = false;
            for id in exploration.ids().rev().filter(|id| !forces[id.index()]).collect::<Vec<_>>() {
                let mut successors = exploration.successors(id).iter().map(|next| forces[next.index()]);
                let now = match exploration.rewards(id) {
                    Some(rewards) => rewards[role.index()] >= reward,
                    None if exploration.mover(id) == Some(role) => successors.any(|forced| forced),
                    None => successors.all(|forced| forced),
                };
                forces[id.index()] = now;
                grown |= now;
            }
            if !grown {
                break;
            }
        }
        values.iter_mut().zip(forces).filter(|(_, forced)| *forced).for_each(|(value, _)| *value = Some(reward));
    }
    values
}
