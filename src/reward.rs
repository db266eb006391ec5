//! Rewards: how they are written, and how a mover ranks vectors of them.
//!
//! A reward is a whole number from 0 to 100; a reward vector holds one per role, in the order of the roles.

use serde::Serialize;
use std::cmp::Ordering;

/// The largest reward.
const BEST: u8 = 100;

/// Why a word is no reward.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoReward {
    /// A number from 0 to 100 with needless digits or a sign, such as `050`. To every language of rules it is another
    /// name than `50`, so that conditions on one would miss the other.
    #[error("the number {0} is written differently")]
    Spelling(u8),
    #[error("no whole number from 0 to 100")]
    Value,
}

impl NoReward {
    /// What to write in its place.
    pub fn advice(&self) -> String {
        match self {
            NoReward::Spelling(value) => format!("write `{value}`: `0` and signs in front make another name of it"),
            NoReward::Value => "the best result is worth 100, the worst 0".to_owned(),
        }
    }
}

/// The reward that a word of the rules stands for: digits only, none of them needless.
pub fn reward(word: &str) -> Result<u8, NoReward> {
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NoReward::Value);
    }
    let significant = match digits.trim_start_matches('0') {
        "" => "0",
        significant => significant,
    };
    let value = significant.parse::<u8>().ok().filter(|&value| value <= BEST).ok_or(NoReward::Value)?;
    match word {
        _ if word == significant => Ok(value),
        _ if word.starts_with('-') && value > 0 => Err(NoReward::Value),
        _ => Err(NoReward::Spelling(value)),
    }
}

/// How the mover of a state ranks the reward vectors it can reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpponentModel {
    /// The highest own reward; ties by the lowest reward of the opponent (Edelkamp and Kissmann, "Symbolic Exploration
    /// for General Game Playing in PDDL", 2007, Algorithm 6).
    #[default]
    MaxOwn,
    /// The highest difference of own and opponent's reward; ties by the higher own reward.
    MaxDiff,
}

impl OpponentModel {
    /// All models, in the order of their presentation.
    pub const ALL: [OpponentModel; 2] = [OpponentModel::MaxOwn, OpponentModel::MaxDiff];

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            OpponentModel::MaxOwn => "max-own",
            OpponentModel::MaxDiff => "max-diff",
        }
    }

    /// A key that is larger the better `rewards` are for the role of index `mover`; keys of two vectors are equal
    /// only if the mover is indifferent, for two players only if the vectors are equal.
    ///
    /// With more than two roles the opponents count by the sum of their rewards.
    pub fn rank(self, mover: usize, rewards: &[u8]) -> (i32, i32) {
        let own = i32::from(rewards[mover]);
        let others = rewards.iter().map(|&reward| i32::from(reward)).sum::<i32>() - own;
        match self {
            OpponentModel::MaxOwn => (own, -others),
            OpponentModel::MaxDiff => (own - others, own),
        }
    }

    /// As [`OpponentModel::rank`], with endless play (`None`) among the rewards of `roles` roles: it ranks as if
    /// everybody got 0, just below a real such reward.
    pub fn rank_or_endless(self, mover: usize, roles: usize, value: Option<&[u8]>) -> ((i32, i32), bool) {
        match value {
            Some(rewards) => (self.rank(mover, rewards), true),
            None => (self.rank(mover, &vec![0; roles]), false),
        }
    }

    /// `Greater`: the mover prefers `left` to `right`.
    pub fn compare(self, mover: usize, left: &[u8], right: &[u8]) -> Ordering {
        self.rank(mover, left).cmp(&self.rank(mover, right))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reward_is_written_in_one_way() {
        for value in 0..=BEST {
            assert_eq!(reward(&value.to_string()), Ok(value));
        }
        for (word, value) in [("050", 50), ("00", 0), ("+5", 5), ("-0", 0), ("+0100", 100)] {
            assert_eq!(reward(word), Err(NoReward::Spelling(value)), "{word}");
        }
        for word in ["101", "256", "-5", "+", "-", "", "1.0", "5e1", "win", "0x5", "٥", "99999999999999999999"] {
            assert_eq!(reward(word), Err(NoReward::Value), "{word}");
        }
    }

    #[test]
    fn max_own_takes_the_own_reward_first_and_then_harms_the_opponent() {
        let model = OpponentModel::MaxOwn;
        assert_eq!(model.compare(0, &[60, 100], &[50, 0]), Ordering::Greater);
        assert_eq!(model.compare(0, &[50, 30], &[50, 40]), Ordering::Greater);
        assert_eq!(model.compare(1, &[50, 30], &[50, 40]), Ordering::Less);
        assert_eq!(model.compare(1, &[50, 30], &[60, 30]), Ordering::Greater);
    }

    #[test]
    fn max_diff_takes_the_difference_first_and_then_the_own_reward() {
        let model = OpponentModel::MaxDiff;
        assert_eq!(model.compare(0, &[60, 100], &[50, 0]), Ordering::Less);
        assert_eq!(model.compare(0, &[60, 60], &[50, 50]), Ordering::Greater);
        assert_eq!(model.compare(1, &[60, 60], &[50, 50]), Ordering::Greater);
    }

    #[test]
    fn two_players_are_never_indifferent_between_different_vectors() {
        let vectors: Vec<[u8; 2]> = (0..=100).step_by(10).flat_map(|a| (0..=100).map(move |b| [a, b])).collect();
        for model in OpponentModel::ALL {
            for mover in 0..2 {
                let mut keys: Vec<_> = vectors.iter().map(|rewards| model.rank(mover, rewards)).collect();
                keys.sort_unstable();
                keys.dedup();
                assert_eq!(keys.len(), vectors.len());
            }
        }
    }
}
