//! The meaning of value ids: rewards and, with distances, the layer in which play ends with them.
//!
//! With distances a value is a pair: the rewards, and the layer of the terminal state to which best play leads. A state
//! takes the pair of its best successor unchanged, so nothing is counted from layer to layer; the plies to the end are
//! the difference between the two layers. A mover ranks pairs by their rewards first. Of pairs with the same rewards, a
//! mover prefers the earliest end if no other role gets more than itself, and the latest otherwise. Only the pairs of
//! terminal states have an id, in order from the last layer to the first, and in a layer by ascending rewards.

use crate::reward::{Ranking, shortens};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endings {
    rewards: Vec<Vec<u8>>,
    /// With distances, by value id - 1: the index of the rewards, and the layer in which play ends.
    pairs: Option<Vec<(usize, u32)>>,
}

impl Endings {
    /// Without distances: the id of rewards is their index plus 1.
    pub fn plain(rewards: Vec<Vec<u8>>) -> Endings {
        Endings { rewards, pairs: None }
    }

    /// With distances. `ends`: by layer, the rewards of terminal states; what is not in `rewards` is left out.
    pub fn timed<'e, E>(rewards: Vec<Vec<u8>>, ends: impl DoubleEndedIterator<Item = E> + ExactSizeIterator) -> Endings
    where
        E: IntoIterator<Item = &'e [u8]>,
    {
        let mut pairs = Vec::new();
        for (layer, ends) in (0..).zip(ends).collect::<Vec<_>>().into_iter().rev() {
            let places = ends.into_iter().filter_map(|end| rewards.iter().position(|rewards| rewards == end));
            let mut places: Vec<usize> = places.collect();
            places.sort_unstable();
            places.dedup();
            pairs.extend(places.into_iter().map(|place| (place, layer)));
        }
        Endings { rewards, pairs: Some(pairs) }
    }

    pub fn all_rewards(&self) -> &[Vec<u8>] {
        &self.rewards
    }

    pub fn is_timed(&self) -> bool {
        self.pairs.is_some()
    }

    pub fn count(&self) -> usize {
        self.pairs.as_ref().map_or(self.rewards.len(), Vec::len)
    }

    pub fn index(&self, id: u32) -> Option<usize> {
        let place = (id as usize).checked_sub(1)?;
        match &self.pairs {
            Some(pairs) => pairs.get(place).map(|pair| pair.0),
            None => (place < self.rewards.len()).then_some(place),
        }
    }

    /// The rewards of an id; `None` for endless play and for an id without a value.
    pub fn rewards(&self, id: u32) -> Option<&[u8]> {
        self.index(id).map(|index| self.rewards[index].as_slice())
    }

    /// With distances, the layer in which play ends.
    pub fn last_layer(&self, id: u32) -> Option<u32> {
        let place = (id as usize).checked_sub(1)?;
        self.pairs.as_ref()?.get(place).map(|pair| pair.1)
    }

    /// With distances, the plies to the end from a state of `layer`; `None` also if that end lies before `layer`.
    pub fn plies(&self, id: u32, layer: u32) -> Option<u32> {
        self.last_layer(id)?.checked_sub(layer)
    }

    /// Number of ids that states of a layer can have.
    pub fn possible(&self, layer: u32) -> usize {
        self.pairs.as_ref().map_or(self.rewards.len(), |pairs| pairs.partition_point(|pair| pair.1 >= layer))
    }

    /// By the index of rewards plus 1: the id of the terminal states of a layer with these rewards; 0 if there are
    /// none. Empty without distances, because the id is then the index plus 1.
    pub fn of_terminals(&self, layer: u32) -> Vec<u32> {
        let Some(pairs) = &self.pairs else { return Vec::new() };
        let mut ids = vec![0; self.rewards.len() + 1];
        let first = pairs.partition_point(|pair| pair.1 > layer);
        for (id, pair) in (first as u32 + 1..).zip(&pairs[first..]).take_while(|(_, pair)| pair.1 == layer) {
            ids[pair.0 + 1] = id;
        }
        ids
    }

    /// For each id, the rank of its value for the role `mover`: larger is better, no two are equal; 0 for the id 0.
    pub fn places(&self, ranking: Ranking, mover: usize, roles: usize) -> Vec<u32> {
        let mut of_rewards = ranking.places(mover, roles, &self.rewards);
        let Some(pairs) = &self.pairs else {
            // Play ends, so the last rank, that of endless play, is dropped.
            of_rewards.pop();
            return of_rewards;
        };
        let mut ids: Vec<u32> = (1..=pairs.len() as u32).collect();
        ids.sort_unstable_by_key(|&id| {
            let (rewards, layer) = pairs[id as usize - 1];
            let layer = i64::from(layer);
            let late = if shortens(&self.rewards[rewards], mover) { -layer } else { layer };
            (of_rewards[rewards + 1], late)
        });
        let mut places = vec![0; pairs.len() + 1];
        ids.into_iter().zip(1..).for_each(|(id, place)| places[id as usize] = place);
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reward::OpponentModel;

    fn rewards() -> Vec<Vec<u8>> {
        vec![vec![0, 100], vec![50, 50], vec![100, 0]]
    }

    fn timed() -> Endings {
        let ends: [&[&[u8]]; 5] = [&[], &[], &[&[100, 0]], &[&[0, 100]], &[&[100, 0], &[50, 50]]];
        Endings::timed(rewards(), ends.iter().map(|layer| layer.iter().copied()))
    }

    #[test]
    fn ids_stand_for_the_pairs_that_occur() {
        let timed = timed();
        let all: Vec<_> = (0..6).map(|id| timed.rewards(id).zip(timed.last_layer(id))).collect();
        let expected: [(&[u8], u32); 4] = [(&[50, 50], 4), (&[100, 0], 4), (&[0, 100], 3), (&[100, 0], 2)];
        let expected = [None].into_iter().chain(expected.map(Some)).chain([None]);
        assert!(expected.eq(all));
        assert_eq!((timed.count(), timed.possible(4), timed.possible(3), timed.possible(0)), (4, 2, 3, 4));
        assert_eq!((timed.of_terminals(4), timed.of_terminals(3)), (vec![0, 0, 1, 2], vec![0, 3, 0, 0]));
        assert_eq!((timed.of_terminals(2), timed.of_terminals(1)), (vec![0, 0, 0, 4], vec![0; 4]));
        assert_eq!((timed.plies(2, 0), timed.plies(2, 4), timed.plies(2, 5), timed.plies(9, 0)), {
            (Some(4), Some(0), None, None)
        });
        let plain = Endings::plain(rewards());
        assert_eq!((plain.count(), plain.rewards(3), plain.plies(3, 0)), (3, Some(&[100, 0][..]), None));
        assert!(plain.rewards(4).is_none() && plain.of_terminals(0).is_empty());
    }

    #[test]
    fn who_is_ahead_ends_soon_and_who_is_behind_late() {
        let ranking = Ranking::Each(OpponentModel::MaxOwn);
        // Worst first, for the first role: lost, drawn, won late, won soon; for the second: lost soon, lost late,
        // drawn, won.
        assert_eq!(timed().places(ranking, 0, 2), [0, 2, 3, 1, 4]);
        assert_eq!(timed().places(ranking, 1, 2), [0, 3, 2, 4, 1]);
        // Endless play has the rank 2, which no id has.
        assert_eq!(Endings::plain(rewards()).places(ranking, 1, 2), [0, 4, 3, 1]);
    }

    #[test]
    fn equal_rewards_end_soon_for_all_and_the_best_of_three_is_ahead() {
        let rewards = vec![vec![50, 50, 50], vec![60, 60, 0]];
        let ends: [&[&[u8]]; 2] = [&[&[50, 50, 50], &[60, 60, 0]]; 2];
        let endings = Endings::timed(rewards, ends.iter().map(|layer| layer.iter().copied()));
        let places = |mover| endings.places(Ranking::Each(OpponentModel::MaxOwn), mover, 3);
        assert_eq!(places(0), [0, 1, 3, 2, 4]);
        assert_eq!(places(1), places(0));
        assert_eq!(places(2), [0, 3, 2, 4, 1]);
    }
}
