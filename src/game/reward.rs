//! Rewards: their written form, and how a mover ranks vectors of them.
//!
//! A reward is a whole number from 0 to 100; a reward vector has one per role, in the order of the roles.

use serde::Serialize;
use smallvec::SmallVec;
use std::cmp::Ordering;

const BEST: u8 = 100;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoReward {
    /// A number from 0 to 100 with superfluous digits or a sign, such as `050`. In all rule languages this is a
    /// different name from `50`, so conditions on the one would not apply to the other.
    #[error("the number {0} is written differently")]
    Spelling(u8),
    #[error("no whole number from 0 to 100")]
    Value,
}

impl NoReward {
    pub fn advice(&self) -> String {
        match self {
            NoReward::Spelling(value) => format!("write `{value}`: `0` and signs in front make another name of it"),
            NoReward::Value => "the best result is worth 100, the worst 0".to_owned(),
        }
    }
}

/// The reward that a word of the rules denotes: digits only, without leading zeros.
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

/// A value in a written form: `100/0` or `100,0`, with or without brackets; `endless` or `null` for endless play (the
/// inner `None`). The outer `None` means that the text is no value, such as a text with both separators (`3/2,1`).
pub fn vector(text: &str) -> Option<Option<Vec<u8>>> {
    let text = text.trim();
    if ["endless", "null"].contains(&text) {
        return Some(None);
    }
    let reward = |word: &str| word.trim().parse().ok().filter(|reward| *reward <= BEST);
    let between = if text.contains(',') { ',' } else { '/' };
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let rewards = inner.unwrap_or(text).split(between).map(reward);
    rewards.collect::<Option<_>>().map(Some)
}

/// How the mover of a state ranks the reward vectors that it can reach.
///
/// For three or more roles the values are those of max^n (Luckhardt and Irani, "An algorithmic solution of N-person
/// games", AAAI 1986): every mover takes the vector that is best for itself. If several are equally good, the
/// equilibrium depends on the choice, so the ranking decides between any two vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpponentModel {
    /// The highest own reward. Ties are broken by the lowest sum of the other roles' rewards, for two players the
    /// lowest reward of the opponent (Edelkamp and Kissmann, "Symbolic Exploration for General Game Playing in PDDL",
    /// 2007, Algorithm 6); then by the lowest reward of the next role in turn, and so on.
    #[default]
    MaxOwn,
    /// The largest lead over the best other role. Ties are broken by the own reward, then as for
    /// [`OpponentModel::MaxOwn`].
    MaxDiff,
}

/// A mover's rank of a vector, compared number by number: larger is better.
pub type Rank = SmallVec<[i32; 6]>;

impl OpponentModel {
    pub const ALL: [OpponentModel; 2] = [OpponentModel::MaxOwn, OpponentModel::MaxDiff];

    pub fn name(self) -> &'static str {
        match self {
            OpponentModel::MaxOwn => "max-own",
            OpponentModel::MaxDiff => "max-diff",
        }
    }

    /// The numbers that the role `mover` maximises. Ties between vectors of the same criterion are broken only so that
    /// the value of a state is unique.
    pub fn criterion(self, mover: usize, rewards: &[u8]) -> (i32, i32) {
        let own = i32::from(rewards[mover]);
        match self {
            OpponentModel::MaxOwn => (own, 0),
            OpponentModel::MaxDiff => {
                let others = rewards.iter().enumerate().filter(|(role, _)| *role != mover);
                (own - others.map(|(_, &reward)| i32::from(reward)).max().unwrap_or(0), own)
            }
        }
    }

    /// Whether a value is worth more to the role `mover` than another one, and not only by a tie. Endless play (`None`)
    /// pays nobody.
    pub fn is_worth_more(self, mover: usize, roles: usize, value: Option<&[u8]>, other: Option<&[u8]>) -> bool {
        let nothing = vec![0; roles];
        let criterion = |value: Option<&[u8]>| self.criterion(mover, value.unwrap_or(&nothing));
        criterion(value) > criterion(other)
    }

    /// Different vectors have different ranks.
    pub fn rank(self, mover: usize, rewards: &[u8]) -> Rank {
        let (first, second) = self.criterion(mover, rewards);
        let next = rewards[mover + 1..].iter().chain(&rewards[..mover]).map(|&reward| i32::from(reward));
        [first, second, -next.clone().sum::<i32>()].into_iter().chain(next.map(|reward| -reward)).collect()
    }

    /// As [`OpponentModel::rank`]; endless play (`None`) ranks just below the vector in which each of `roles` roles
    /// gets 0.
    pub fn rank_or_endless(self, mover: usize, roles: usize, value: Option<&[u8]>) -> (Rank, bool) {
        match value {
            Some(rewards) => (self.rank(mover, rewards), true),
            None => (self.rank(mover, &vec![0; roles]), false),
        }
    }

    /// Whether some mover prefers these rewards to endless play although another role gets more, so that it prolongs
    /// play. Only in this case may a mover have to end play that it could prolong for ever.
    pub fn yields(self, rewards: &[u8]) -> bool {
        let roles = rewards.len();
        let likes =
            |mover| self.rank_or_endless(mover, roles, Some(rewards)) > self.rank_or_endless(mover, roles, None);
        (0..roles).any(|mover| !shortens(rewards, mover) && likes(mover))
    }

    pub fn compare(self, mover: usize, left: &[u8], right: &[u8]) -> Ordering {
        self.rank(mover, left).cmp(&self.rank(mover, right))
    }
}

/// Whether a mover shortens play with these rewards: no other role gets more.
pub fn shortens(rewards: &[u8], mover: usize) -> bool {
    rewards.iter().all(|&reward| reward <= rewards[mover])
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ranking {
    /// Each role ranks the vectors of all rewards.
    Each(OpponentModel),
    /// The role of this index maximises its own reward, and all others together minimise it (the paranoid value:
    /// Sturtevant and Korf, "On pruning techniques for multi-player games", AAAI 2000).
    Against(usize),
}

/// The name of [`Ranking::Against`], before the index of the role.
const AGAINST: &str = "guarantee ";

impl Ranking {
    /// The name in manifests.
    pub fn name(self) -> String {
        match self {
            Ranking::Each(model) => model.name().to_owned(),
            Ranking::Against(role) => format!("{AGAINST}{role}"),
        }
    }

    /// The model by which each role ranks vectors; the default if one role plays against all others.
    pub fn model(self) -> OpponentModel {
        match self {
            Ranking::Each(model) => model,
            Ranking::Against(_) => OpponentModel::default(),
        }
    }

    pub fn named(name: &str, roles: usize) -> Option<Ranking> {
        if let Some(role) = name.strip_prefix(AGAINST) {
            return role.parse().ok().filter(|&role| role < roles).map(Ranking::Against);
        }
        OpponentModel::ALL.into_iter().find(|model| model.name() == name).map(Ranking::Each)
    }

    /// For [`Ranking::Against`], endless play (`None`) is the worst value for the one role and the best for the others.
    fn key(self, mover: usize, roles: usize, value: Option<&[u8]>) -> (Rank, bool) {
        match self {
            Ranking::Each(model) => model.rank_or_endless(mover, roles, value),
            Ranking::Against(role) => {
                let reward = value.map_or(0, |rewards| i32::from(rewards[role]));
                let own = mover == role;
                (std::iter::once(if own { reward } else { -reward }).collect(), own == value.is_some())
            }
        }
    }

    /// The rank of each value id for a role, from 1 on; larger is better, no two are equal. The ids are those of
    /// `rewards`, from 1 on, then the id of endless play; id 0 stands for no value, and has 0.
    pub fn places(self, mover: usize, roles: usize, rewards: &[Vec<u8>]) -> Vec<u32> {
        places_by(rewards, |value| self.key(mover, roles, value))
    }
}

impl OpponentModel {
    /// As [`Ranking::places`], with the reverse order among values of the same [criterion](OpponentModel::criterion).
    pub fn places_with_ties_reversed(self, mover: usize, roles: usize, rewards: &[Vec<u8>]) -> Vec<u32> {
        let nothing = vec![0; roles];
        places_by(rewards, |value| {
            let criterion = self.criterion(mover, value.unwrap_or(&nothing));
            (criterion, std::cmp::Reverse(self.rank_or_endless(mover, roles, value)))
        })
    }

    /// As [`Ranking::places`], but the best are the values of the same [criterion](OpponentModel::criterion) as `value`
    /// and of other rewards, and `value` comes right after them. Endless play has no rewards but 0.
    pub fn places_of_ties(self, mover: usize, roles: usize, rewards: &[Vec<u8>], value: Option<&[u8]>) -> Vec<u32> {
        let nothing = vec![0; roles];
        let own = value.unwrap_or(&nothing);
        places_by(rewards, |other| {
            let paid = other.unwrap_or(&nothing);
            let ties = paid != own && self.criterion(mover, paid) == self.criterion(mover, own);
            (ties, other == value, self.rank_or_endless(mover, roles, other))
        })
    }
}

fn places_by<K: Ord>(rewards: &[Vec<u8>], key: impl Fn(Option<&[u8]>) -> K) -> Vec<u32> {
    let mut ids: Vec<usize> = (1..=rewards.len() + 1).collect();
    ids.sort_by_cached_key(|&id| key(rewards.get(id - 1).map(Vec::as_slice)));
    let mut places = vec![0; rewards.len() + 2];
    ids.into_iter().zip(1..).for_each(|(id, place)| places[id] = place);
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tie_is_between_other_rewards_with_the_same_for_the_mover() {
        let rewards = [vec![0, 0], vec![0, 50], vec![40, 60]];
        // The places of all values, endless play the last one, where the value is `of`.
        let places = |of: Option<&[u8]>| OpponentModel::MaxOwn.places_of_ties(0, 2, &rewards, of)[1..].to_vec();
        let best = |of| places(of).iter().position(|&place| place == 4);
        assert_eq!(best(Some(&[0, 0])), Some(1));
        assert_eq!(best(Some(&[0, 50])), Some(0));
        // Endless play pays everybody 0, as the first rewards do.
        assert_eq!(best(None), Some(1));
        assert_eq!(places(Some(&[0, 0]))[0], 3);
        assert_eq!(best(Some(&[40, 60])), Some(2));
    }

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
    fn a_tie_is_not_worth_more() {
        let more = |model: OpponentModel, value: Option<&[u8]>, other| model.is_worth_more(0, 2, value, other);
        for model in OpponentModel::ALL {
            assert!(more(model, Some(&[60, 40]), Some(&[50, 40])) && more(model, Some(&[10, 0]), None));
            assert!(!more(model, Some(&[50, 40]), Some(&[60, 40])) && !more(model, Some(&[0, 0]), None));
        }
        assert!(!more(OpponentModel::MaxOwn, Some(&[50, 30]), Some(&[50, 40])));
        assert!(more(OpponentModel::MaxDiff, Some(&[50, 30]), Some(&[50, 40])));
    }

    #[test]
    fn max_diff_takes_the_difference_first_and_then_the_own_reward() {
        let model = OpponentModel::MaxDiff;
        assert_eq!(model.compare(0, &[60, 100], &[50, 0]), Ordering::Less);
        assert_eq!(model.compare(0, &[60, 60], &[50, 50]), Ordering::Greater);
        assert_eq!(model.compare(1, &[60, 60], &[50, 50]), Ordering::Greater);
    }

    #[test]
    fn ties_of_many_players_go_by_the_sum_of_the_others_and_then_by_the_next_in_turn() {
        let (own, lead) = (OpponentModel::MaxOwn, OpponentModel::MaxDiff);
        assert_eq!(own.compare(1, &[0, 50, 100], &[100, 40, 0]), Ordering::Greater);
        assert_eq!(own.compare(1, &[30, 50, 30], &[70, 50, 0]), Ordering::Greater);
        assert_eq!(own.compare(0, &[50, 20, 30], &[50, 30, 20]), Ordering::Greater);
        assert_eq!(own.compare(1, &[20, 50, 30], &[30, 50, 20]), Ordering::Less);
        assert_eq!(own.compare(2, &[20, 30, 50], &[30, 20, 50]), Ordering::Greater);
        assert_eq!(lead.compare(0, &[60, 50, 0], &[40, 20, 20]), Ordering::Less);
        assert_eq!(lead.compare(0, &[60, 50, 0], &[50, 40, 40]), Ordering::Greater);
        assert_eq!(lead.compare(0, &[60, 50, 0], &[60, 50, 10]), Ordering::Greater);
    }

    #[test]
    fn two_players_are_ranked_by_two_numbers() {
        for (model, mover) in OpponentModel::ALL.into_iter().flat_map(|model| [(model, 0), (model, 1)]) {
            for vector in vectors(2) {
                let [own, other] = [vector[mover], vector[1 - mover]].map(i32::from);
                let expected = match model {
                    OpponentModel::MaxOwn => (own, -other),
                    OpponentModel::MaxDiff => (own - other, own),
                };
                for other in vectors(2) {
                    let [own, opponent] = [other[mover], other[1 - mover]].map(i32::from);
                    let less = match model {
                        OpponentModel::MaxOwn => expected < (own, -opponent),
                        OpponentModel::MaxDiff => expected < (own - opponent, own),
                    };
                    assert_eq!(model.rank(mover, &vector) < model.rank(mover, &other), less);
                }
            }
        }
    }

    fn vectors(roles: usize) -> Vec<Vec<u8>> {
        let mut vectors = vec![Vec::new()];
        for _ in 0..roles {
            let one_more =
                |vector: &Vec<u8>| (0..=100).step_by(25).map(|r| [&vector[..], &[r]].concat()).collect::<Vec<_>>();
            vectors = vectors.iter().flat_map(one_more).collect();
        }
        vectors
    }

    #[test]
    fn nobody_is_ever_indifferent_between_different_vectors() {
        for roles in 1..=4 {
            for (model, mover) in OpponentModel::ALL.into_iter().flat_map(|model| (0..roles).map(move |m| (model, m))) {
                let mut keys: Vec<_> = vectors(roles).iter().map(|rewards| model.rank(mover, rewards)).collect();
                keys.sort_unstable();
                keys.dedup();
                assert_eq!(keys.len(), vectors(roles).len());
            }
        }
    }

    #[test]
    fn reversed_ties_keep_what_the_mover_wants_most() {
        let rewards = [vec![0, 50, 0], vec![50, 0, 100], vec![50, 100, 0], vec![50, 100, 100]];
        let places = |reversed: bool| match reversed {
            true => OpponentModel::MaxOwn.places_with_ties_reversed(0, 3, &rewards),
            false => Ranking::Each(OpponentModel::MaxOwn).places(0, 3, &rewards),
        };
        assert_eq!(places(false), [0, 1, 5, 4, 3, 2]);
        assert_eq!(places(true), [0, 2, 3, 4, 5, 1]);
        let ties = |value| OpponentModel::MaxOwn.places_of_ties(0, 3, &rewards, value);
        assert_eq!(ties(Some(&[50, 100, 0])), [0, 1, 5, 3, 4, 2]);
        assert_eq!(ties(None), [0, 5, 3, 2, 1, 4]);
    }

    #[test]
    fn all_others_want_the_reverse_of_what_one_wants() {
        let rewards = [vec![0, 0, 0], vec![0, 30, 0], vec![0, 100, 0]];
        let against = Ranking::Against(1);
        assert_eq!(against.places(1, 3, &rewards), [0, 2, 3, 4, 1]);
        assert_eq!(against.places(0, 3, &rewards), [0, 3, 2, 1, 4]);
        assert_eq!(against.places(2, 3, &rewards), against.places(0, 3, &rewards));
        for ranking in [against, Ranking::Each(OpponentModel::MaxDiff)] {
            assert_eq!(Ranking::named(&ranking.name(), 3), Some(ranking));
        }
        assert_eq!((Ranking::named("guarantee 3", 3), Ranking::named("max", 3)), (None, None));
    }
}
