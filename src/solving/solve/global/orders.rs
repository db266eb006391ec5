//! The movers' orders of value ids, including endless play, which ranks just below a terminal state in which every role
//! gets 0.

use game::reward::Ranking;
use kernel::{Preferences, Wishes};

/// The movers' orders. A value id is the index of its rewards plus 1; the id after the last one stands for endless
/// play, and during the computation for unknown values.
pub struct Orders {
    pub endless: u32,
    /// Unknown values rank highest: a state gets a value only if all successors have one.
    pub waiting: Preferences,
    /// Unknown values rank lowest: a state gets the best known value of its successors.
    pub hasty: Preferences,
    /// By mover and value id: the rank, also for endless play; larger is better.
    ranks: Vec<Vec<u32>>,
}

impl Orders {
    pub fn new(ranking: Ranking, roles: usize, rewards: &[Vec<u8>]) -> Orders {
        let endless = rewards.len() as u32 + 1;
        let ranks: Vec<Vec<u32>> = (0..roles).map(|mover| ranking.places(mover, roles, rewards)).collect();
        let unknown_at = |rank: u32| {
            let mut ranks = ranks.clone();
            ranks.iter_mut().for_each(|ranks| ranks[endless as usize] = rank);
            Preferences::new(ranks)
        };
        Orders { endless, waiting: unknown_at(endless + 1), hasty: unknown_at(0), ranks }
    }

    /// The orders without endless play, and the number of values that each mover prefers to it.
    pub fn wishes(&self) -> Wishes {
        let order = |mover: usize| {
            let mut order: Vec<u32> = (1..self.endless).collect();
            order.sort_unstable_by_key(|&id| std::cmp::Reverse(self.rank(mover, id)));
            order
        };
        let orders: Vec<Vec<u32>> = (0..self.ranks.len()).map(order).collect();
        let worth =
            |(mover, order): (usize, &Vec<u32>)| order.iter().take_while(|&&id| self.beats_endless(mover, id)).count();
        Wishes { settled_for: orders.iter().enumerate().map(worth).collect(), orders }
    }

    /// For each mover, the best of the values `ids` if the mover prefers it to endless play. At the start, the mover
    /// settles states with this value at once, see [`retrograde`](super::retrograde). `None` unless there is one
    /// player, or there are two players with opposite orders and at most one value that both prefer to endless play: in
    /// other games, settling states at once could change values.
    pub fn at_once(&self, ids: &[u32]) -> Option<Vec<Option<u32>>> {
        let opposite = |a: u32, b: u32| (self.rank(0, a) < self.rank(0, b)) == (self.rank(1, b) < self.rank(1, a));
        let movers = 0..self.ranks.len();
        let strict = match movers.len() {
            1 => true,
            2 => {
                let both = ids.iter().filter(|&&id| movers.clone().all(|mover| self.beats_endless(mover, id)));
                both.count() <= 1 && ids.iter().all(|&a| ids.iter().all(|&b| opposite(a, b)))
            }
            _ => false,
        };
        let best = |mover: usize| {
            let liked = ids.iter().copied().filter(|&id| self.beats_endless(mover, id));
            liked.max_by_key(|&id| self.rank(mover, id))
        };
        strict.then(|| movers.map(best).collect())
    }

    pub fn rank(&self, mover: usize, id: u32) -> u32 {
        self.ranks[mover][id as usize]
    }

    pub fn beats_endless(&self, mover: usize, id: u32) -> bool {
        self.rank(mover, id) > self.rank(mover, self.endless)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::reward::OpponentModel;

    #[test]
    fn endless_play_ranks_just_below_nothing_for_both() {
        let rewards = [vec![0, 0], vec![0, 100], vec![50, 50], vec![100, 0]];
        for model in OpponentModel::ALL {
            let orders = Orders::new(Ranking::Each(model), 2, &rewards);
            let beats = |mover| (1..=4).filter(|&id| orders.beats_endless(mover, id)).collect::<Vec<_>>();
            assert_eq!((orders.endless, beats(0), beats(1)), (5, vec![1, 3, 4], vec![1, 2, 3]));
            assert_eq!(orders.rank(0, 1), orders.rank(0, 5) + 1);
        }
        let orders = Orders::new(Ranking::Each(OpponentModel::MaxOwn), 2, &rewards);
        assert_eq!(orders.at_once(&[2, 3, 4]), Some(vec![Some(4), Some(2)]));
        assert_eq!(orders.at_once(&[2, 3]), Some(vec![Some(3), Some(2)]));
        assert_eq!(orders.at_once(&[4]), Some(vec![Some(4), None]));
        assert_eq!(orders.at_once(&[1, 2, 3]), None, "both prefer 50 to 0 for both");
        let alone = Orders::new(Ranking::Each(OpponentModel::MaxOwn), 1, &[vec![0], vec![30]]);
        assert!(alone.beats_endless(0, 1) && alone.beats_endless(0, 2));
    }
}
