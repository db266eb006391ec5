//! Groups that are assumed without proof, for searches that visit every state and thereby verify them.
//!
//! The candidates that random play does not contradict are reduced to a partition as if they were proved. If a search
//! meets a state that contradicts a group, candidates lose the fluents that the state shows together, and another
//! partition is made of them. If no reachable state contradicts a partition, its groups are mutex groups.

use super::invariant::{Bound, Invariant};
use super::{Effort, candidates, cover, simulate::Samples};
use crate::interpreter::{Interpreter, State};
use crate::propositional::{Game, Group, GroupKind};
use base::limits::{LimitReached, Limits};

/// Disjoint groups of all fluents, with the candidates that they were made of.
pub struct Guess {
    pub groups: Vec<Group>,
    /// For each fluent, the number of states of random play in which it held.
    pub held: Vec<u64>,
    claims: Vec<Invariant>,
}

impl Guess {
    pub fn new(game: &Game, effort: &Effort, limits: &Limits) -> Result<Guess, LimitReached> {
        let (interpreter, play) = (Interpreter::new(game), (effort.steps, effort.play));
        let samples = Samples::new(game, &interpreter, play, effort.seed, limits)?;
        let held = |fluent| samples.column(fluent).iter().map(|word| u64::from(word.count_ones())).sum();
        let claims = candidates::claims(game, &samples, limits)?;
        Ok(Guess { groups: cover::cover(game, &claims), held: game.fluent_ids().map(held).collect(), claims })
    }

    /// Groups that are known to hold.
    pub fn of_groups(groups: Vec<Group>, fluents: usize) -> Guess {
        Guess { groups, held: vec![0; fluents], claims: Vec::new() }
    }

    /// Makes other groups, after states contradicted some. With `give_up`, the fluents of these become single groups,
    /// and the others stay.
    pub fn refute(&mut self, game: &Game, states: &[State], give_up: bool) {
        if give_up {
            self.groups = states.iter().fold(std::mem::take(&mut self.groups), apart);
            return;
        }
        self.claims.retain_mut(|claim| states.iter().all(|state| reduced(claim, state)));
        self.groups = cover::cover(game, &self.claims);
    }
}

/// Takes all fluents that hold in a state, except the first one, out of a claim of at most one. Returns whether a claim
/// is left.
fn reduced(claim: &mut Invariant, state: &State) -> bool {
    let first = claim.members.iter().copied().find(|fluent| state.contains(*fluent));
    match claim.bound {
        Bound::AtLeastOne => first.is_some(),
        Bound::AtMostOne => {
            claim.members.retain(|fluent| Some(*fluent) == first || !state.contains(*fluent));
            claim.members.len() > 1
        }
    }
}

/// The groups, in the order of their first fluents, after the fluents of those that the state contradicts became single
/// groups.
fn apart(groups: Vec<Group>, state: &State) -> Vec<Group> {
    let mut left = Vec::with_capacity(groups.len());
    for group in groups {
        let holding = group.fluents.iter().filter(|fluent| state.contains(**fluent)).count();
        if holding == 1 || holding == 0 && group.kind == GroupKind::AtMostOne {
            left.push(group);
        } else {
            let single = |fluent| Group { fluents: vec![fluent], kind: GroupKind::AtMostOne };
            left.extend(group.fluents.into_iter().map(single));
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
        let Guess { groups, held, .. } = Guess::new(&game, &Effort::default(), &Limits::unlimited()).unwrap();
        assert_eq!(held[0] + held[1] + held[2], held[27] + held[28], "one of a group in every state");
        assert_eq!(groups.len(), 10);
        assert!(groups.iter().all(|group| group.kind == GroupKind::ExactlyOne));
    }

    #[test]
    fn a_state_takes_groups_apart_as_far_as_it_is_against_them() {
        let ids = |ids: &[u32]| ids.iter().map(|&id| FluentId(id)).collect::<Vec<_>>();
        let group = |members: &[u32], kind| Group { fluents: ids(members), kind };
        let (at_most, exactly) = (GroupKind::AtMostOne, GroupKind::ExactlyOne);
        let groups = vec![
            group(&[0, 1, 2, 3], exactly),
            group(&[4, 5], exactly),
            group(&[6, 7, 8], exactly),
            group(&[9, 10], at_most),
        ];
        let mut state = State::empty(11);
        ids(&[1, 2, 7]).into_iter().for_each(|fluent| state.insert(fluent));
        let single = |id: u32| group(&[id], at_most);
        let found = apart(groups.clone(), &state);
        assert_eq!(found, (0..6).map(single).chain(groups[2..].iter().cloned()).collect::<Vec<_>>());
        // The smaller claim about 2 and 10 takes the place of what the state takes out of the larger one.
        let claim = |members: &[u32], bound| Invariant { members: ids(members), bound };
        let claims =
            [[0, 1, 2, 3].as_slice(), &[4, 5], &[2, 10], &[6, 7, 8]].map(|members| claim(members, Bound::AtMostOne));
        let at_least = [[4, 5].as_slice(), &[6, 7, 8]].map(|members| claim(members, Bound::AtLeastOne));
        let game = of_fluents(11);
        let mut guess = Guess::of_groups(groups, 11);
        guess.claims = claims.into_iter().chain(at_least).collect();
        guess.refute(&game, &[state], false);
        let expected = [
            group(&[0, 1, 3], at_most),
            group(&[2, 10], at_most),
            group(&[4, 5], at_most),
            group(&[6, 7, 8], exactly),
            single(9),
        ];
        assert_eq!(guess.groups, expected);
    }

    /// A game with fluents that have no meaning.
    fn of_fluents(number: usize) -> Game {
        let game = lines(3, 3, 3);
        let fluents = game.fluents[..number].to_vec();
        Game { fluents, ..game }
    }
}
