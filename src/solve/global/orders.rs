//! How movers rank value ids, endless play among them.
//!
//! Endless play pays nobody: it ranks as if every role got 0, just below a real such reward.

use crate::kernel::Preferences;
use crate::reward::OpponentModel;

/// The movers' orders. Value ids are 1 more than the index in the rewards; one id more stands for endless play, and
/// for what is not known yet.
pub struct Orders {
    pub endless: u32,
    /// What is not known yet ranks highest: a state gets a value only if all successors have one.
    pub waiting: Preferences,
    /// What is not known yet ranks lowest: a state gets the best value that some successor has.
    pub hasty: Preferences,
    /// By mover and value id, endless play in its place; larger is better.
    ranks: Vec<Vec<u32>>,
}

impl Orders {
    pub fn new(model: OpponentModel, roles: usize, rewards: &[Vec<u8>]) -> Orders {
        let endless = rewards.len() as u32 + 1;
        let ranks: Vec<Vec<u32>> = (0..roles)
            .map(|mover| {
                let rewards = |id: u32| rewards.get(id as usize - 1).map(Vec::as_slice);
                let key = |&id: &u32| model.rank_or_endless(mover, roles, rewards(id));
                let mut ids: Vec<u32> = (1..=endless).collect();
                ids.sort_by_key(key);
                let mut ranks = vec![0; endless as usize + 1];
                ids.into_iter().zip(1..).for_each(|(id, rank)| ranks[id as usize] = rank);
                ranks
            })
            .collect();
        let unknown_at = |rank: u32| {
            let mut ranks = ranks.clone();
            ranks.iter_mut().for_each(|ranks| ranks[endless as usize] = rank);
            Preferences { ranks }
        };
        Orders { endless, waiting: unknown_at(endless + 1), hasty: unknown_at(0), ranks }
    }

    /// Larger the better the value is for the mover.
    pub fn rank(&self, mover: usize, id: u32) -> u32 {
        self.ranks[mover][id as usize]
    }

    /// Whether the mover prefers the value to endless play.
    pub fn beats_endless(&self, mover: usize, id: u32) -> bool {
        self.rank(mover, id) > self.rank(mover, self.endless)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_play_ranks_just_below_nothing_for_both() {
        let rewards = [vec![0, 0], vec![0, 100], vec![50, 50], vec![100, 0]];
        for model in OpponentModel::ALL {
            let orders = Orders::new(model, 2, &rewards);
            let beats = |mover| (1..=4).filter(|&id| orders.beats_endless(mover, id)).collect::<Vec<_>>();
            assert_eq!((orders.endless, beats(0), beats(1)), (5, vec![1, 3, 4], vec![1, 2, 3]));
            assert_eq!(orders.rank(0, 1), orders.rank(0, 5) + 1);
        }
        let alone = Orders::new(OpponentModel::MaxOwn, 1, &[vec![0], vec![30]]);
        assert!(alone.beats_endless(0, 1) && alone.beats_endless(0, 2));
    }
}
