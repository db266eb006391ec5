//! Groups that are assumed without proof, for searches that visit every state and thereby verify them.
//!
//! The candidates that random play does not contradict are reduced to a partition as if they were proved. A search that
//! meets a state that contradicts a group continues with the groups of [`refuted`]. If no reachable state contradicts a
//! partition, its groups are mutex groups.

use super::{Effort, candidates, cover, simulate::Samples};
use crate::interpreter::{Interpreter, State};
use crate::propositional::{Game, Group, GroupKind};
use base::limits::{LimitReached, Limits};

/// Disjoint groups of all fluents, and for each fluent the number of states of random play in which it held.
pub fn guess(game: &Game, effort: &Effort, limits: &Limits) -> Result<(Vec<Group>, Vec<u64>), LimitReached> {
    let (interpreter, play) = (Interpreter::new(game), (effort.steps, effort.play));
    let samples = Samples::new(game, &interpreter, play, effort.seed, limits)?;
    let held = |fluent| samples.column(fluent).iter().map(|word| u64::from(word.count_ones())).sum();
    let groups = cover::cover(game, &candidates::claims(game, &samples, limits)?);
    Ok((groups, game.fluent_ids().map(held).collect()))
}

/// The groups after a state contradicted some of them. Of a contradicted group, the first fluent that holds and the
/// fluents that do not hold stay an at-most-one group; the other fluents, or all with `give_up`, become single groups.
/// Groups are in the order of their first fluents.
pub fn refuted(groups: Vec<Group>, state: &State, give_up: bool) -> Vec<Group> {
    let mut left = Vec::with_capacity(groups.len());
    let single = |fluent| Group { fluents: vec![fluent], kind: GroupKind::AtMostOne };
    for Group { fluents, kind } in groups {
        let holding = fluents.iter().filter(|fluent| state.contains(**fluent)).count();
        match holding {
            1 => left.push(Group { fluents, kind }),
            0 if kind == GroupKind::AtMostOne || !give_up => left.push(Group { fluents, kind: GroupKind::AtMostOne }),
            0 => left.extend(fluents.into_iter().map(single)),
            _ if give_up => left.extend(fluents.into_iter().map(single)),
            _ => {
                let first = fluents.iter().copied().find(|fluent| state.contains(*fluent));
                let (apart, together): (Vec<_>, Vec<_>) =
                    fluents.into_iter().partition(|fluent| state.contains(*fluent) && Some(*fluent) != first);
                left.extend(apart.into_iter().map(single));
                left.push(Group { fluents: together, kind: GroupKind::AtMostOne });
            }
        }
    }
    left.sort_by_key(|group| group.fluents[0]);
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::propositional::FluentId;
    use crate::sample::handmade::lines;

    #[test]
    fn cells_and_turns_are_guessed_to_be_groups() {
        let game = lines(3, 3, 3);
        let (groups, held) = guess(&game, &Effort::default(), &Limits::unlimited()).unwrap();
        assert_eq!(held[0] + held[1] + held[2], held[27] + held[28], "one of a group in every state");
        assert_eq!(groups.len(), 10);
        assert!(groups.iter().all(|group| group.kind == GroupKind::ExactlyOne));
    }

    #[test]
    fn a_state_takes_groups_apart_as_far_as_it_is_against_them() {
        let ids = |ids: &[u32]| ids.iter().map(|&id| FluentId(id)).collect::<Vec<_>>();
        let group = |members: &[u32], kind| Group { fluents: ids(members), kind };
        let groups = vec![
            group(&[0, 1, 2, 3], GroupKind::ExactlyOne),
            group(&[4, 5], GroupKind::ExactlyOne),
            group(&[6, 7, 8], GroupKind::ExactlyOne),
            group(&[9, 10], GroupKind::AtMostOne),
        ];
        let mut state = State::empty(11);
        ids(&[1, 2, 7]).into_iter().for_each(|fluent| state.insert(fluent));
        let at_most = |members: &[u32]| group(members, GroupKind::AtMostOne);
        let found = refuted(groups.clone(), &state, false);
        assert_eq!(found, [at_most(&[0, 1, 3]), at_most(&[2]), at_most(&[4, 5]), groups[2].clone(), at_most(&[9, 10])]);
        let found = refuted(groups.clone(), &state, true);
        let singles = (0..6).map(|id| at_most(&[id]));
        assert_eq!(found, singles.chain([groups[2].clone(), at_most(&[9, 10])]).collect::<Vec<_>>());
    }
}
