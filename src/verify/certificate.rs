//! Why values are right where play can return to a state: the rounds in which they were settled.
//!
//! The rules that give the values (see `solve/global/retrograde.rs`) say of each round what it settles, given the
//! rounds before: the terminal states in round 0; all states all of whose successors are settled, if there are any,
//! each with the best of these values in its mover's order; else, for each role, all states left where it has the
//! choice and can go to the best value that any of them can go to, if it prefers that to endless play. By induction
//! over the rounds, values are right exactly if each round has what the rules say, and nothing is left to be settled
//! after the last one. Of a state, that is:
//! - where it was settled in the round after the last of its successors, its value is the best one of these; this
//!   round is one of forced states, and it is settled in no later one;
//! - where it was settled before one of its successors, that was by choice: its value is the best one of the
//!   successors settled before, and that of all states that the role chose for in that round;
//! - as long as it was not settled, no successor that was had a better value than the one that its role chose in the
//!   next round by choice, nor the same one; or one better than endless play when the last round was over.
//!
//! Cost: for each state that of its successors in the order of their rounds, and a maximum over an interval of rounds
//! for each, which takes the logarithm of their number; a few words for each round and role.

use crate::interpreter::State;

/// A key that is larger the better a value is for whoever moves, which tells values apart: for two roles, keys of
/// different values differ.
pub type Rank = u32;

/// How a state stands to its successors.
pub struct Entry<'a> {
    pub state: &'a State,
    /// The role with the choice; `None` where nobody has one.
    pub chooser: Option<usize>,
    /// The round in which the state was settled; `None`: endless play, or not settled yet.
    pub round: Option<u32>,
    /// The rank of its value; without a round not used.
    pub rank: Rank,
    /// Of each successor, the round and the rank of its value, if it was settled.
    pub after: &'a [Option<(u32, Rank)>],
    /// The rank of endless play.
    pub endless: Rank,
}

/// What the states looked at so far say of the rounds.
pub struct Certificate {
    rounds: u32,
    /// No round is to come.
    complete: bool,
    /// By round: some state was settled since its successors were; and by role, the rank that it chose.
    forced: Vec<bool>,
    chosen: Vec<Vec<Option<Rank>>>,
    /// By role: what it could have had in each round, and did not take yet.
    exits: Vec<Exits>,
}

impl Certificate {
    /// Of so many rounds, the first one being that of the terminal states.
    pub fn new(rounds: u32, complete: bool, roles: usize) -> Certificate {
        let slots = rounds as usize + 1;
        Certificate {
            rounds,
            complete,
            forced: vec![false; slots],
            chosen: vec![vec![None; roles]; slots],
            exits: (0..roles).map(|_| Exits::new(slots)).collect(),
        }
    }

    /// Notes a state that is not terminal; what is wrong with it by itself.
    pub fn add(&mut self, entry: &Entry) -> Option<String> {
        let Entry { state, chooser, round, rank, endless, .. } = *entry;
        let mut after: Vec<(u32, Rank)> = entry.after.iter().flatten().copied().collect();
        after.sort_unstable();
        let all = (after.len() == entry.after.len()).then(|| after.last().map_or(0, |last| last.0) + 1);
        if let Some(role) = chooser {
            // At the end of the last round of all, nothing may be left to choose.
            let last = round.map_or(self.rounds, |round| round.saturating_sub(1));
            self.note_exits(role, &after, last, state);
        }
        let Some(round) = round else {
            let late = all.filter(|&due| self.complete || due < self.rounds);
            return late.map(|due| format!("is not settled, but all states after it were before round {due}"));
        };
        if round == 0 || all.is_some_and(|due| round > due) {
            return Some(format!("was settled in round {round}, later or earlier than the states after it allow"));
        }
        let best = after.iter().filter(|(earlier, _)| *earlier < round).map(|(_, rank)| *rank).max();
        if best != Some(rank) {
            return Some("the value is not the best one of the states after it that were settled before".to_owned());
        }
        if all == Some(round) {
            self.forced[round as usize] = true;
            return None;
        }
        let Some(role) = chooser else {
            return Some(format!("was settled in round {round}, before the only state after it"));
        };
        if rank <= endless {
            return Some("was settled by choice for a value that is no better than endless play".to_owned());
        }
        match self.chosen[round as usize][role].replace(rank) {
            Some(other) if other != rank => {
                Some(format!("was settled by choice in round {round} for another value than others of that round"))
            }
            _ => None,
        }
    }

    /// Notes the values that a role could choose in each round up to `last`.
    fn note_exits(&mut self, role: usize, after: &[(u32, Rank)], last: u32, state: &State) {
        let mut best: Option<Rank> = None;
        for (index, &(round, rank)) in after.iter().enumerate() {
            best = best.max(Some(rank));
            let until = after.get(index + 1).map_or(last, |next| next.0.min(last));
            if let Some(best) = best
                && round < until
            {
                self.exits[role].note(round as usize + 1, until as usize, best, state);
            }
        }
    }

    /// What is wrong with rounds as a whole. `all`: all states were noted. `endless`: the rank of endless play, by role.
    pub fn end(&self, all: bool, endless: &[Rank]) -> Vec<(Option<&State>, String)> {
        let mut findings = Vec::new();
        for round in 1..=self.rounds as usize {
            let (forced, chosen) = (self.forced[round], self.chosen[round].iter().any(Option::is_some));
            let last = round == self.rounds as usize;
            if forced && chosen {
                findings
                    .push((None, format!("round {round} has states that were chosen for and states that had to be")));
            }
            if all && !last && !forced && !chosen {
                findings.push((None, format!("no state was settled in round {round}")));
            }
            // Where nothing is known of a round, its choices may be among the states not looked at.
            if forced || (last && !self.complete) || (!all && !last && !chosen) {
                continue;
            }
            for (role, exits) in self.exits.iter().enumerate() {
                let Some((rank, state)) = exits.best(round) else { continue };
                let enough = self.chosen[round][role].is_some_and(|taken| rank < taken);
                let unknown = !all && !last && self.chosen[round][role].is_none();
                if rank > endless[role] && !enough && !unknown {
                    let message = match last {
                        true => "is left open, but a state after it is better than endless play".to_owned(),
                        false => {
                            format!("a state after it is as good as what its role chose in round {round}, or better")
                        }
                    };
                    findings.push((Some(state), message));
                }
            }
        }
        findings
    }
}

/// A maximum for each round, raised on intervals of them: a tree whose nodes stand for intervals.
struct Exits {
    slots: usize,
    /// Node k has the children 2k and 2k + 1; round r is node `slots + r`.
    nodes: Vec<Option<(Rank, State)>>,
}

impl Exits {
    fn new(slots: usize) -> Exits {
        Exits { slots, nodes: vec![None; 2 * slots] }
    }

    /// Raises the rounds from `first` to `last`.
    fn note(&mut self, first: usize, last: usize, rank: Rank, state: &State) {
        let (mut left, mut right) = (first + self.slots, last + self.slots + 1);
        let raise = |node: &mut Option<(Rank, State)>| {
            if node.as_ref().is_none_or(|(best, _)| *best < rank) {
                *node = Some((rank, state.clone()));
            }
        };
        while left < right {
            if left % 2 == 1 {
                raise(&mut self.nodes[left]);
                left += 1;
            }
            if right % 2 == 1 {
                right -= 1;
                raise(&mut self.nodes[right]);
            }
            (left, right) = (left / 2, right / 2);
        }
    }

    fn best(&self, round: usize) -> Option<(Rank, &State)> {
        let mut node = round + self.slots;
        let mut best: Option<(Rank, &State)> = None;
        while node > 0 {
            if let Some((rank, state)) = &self.nodes[node]
                && best.is_none_or(|(most, _)| most < *rank)
            {
                best = Some((*rank, state));
            }
            node /= 2;
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn the_best_exit_of_each_round_is_that_of_all_intervals() {
        let mut random = Random::new(4);
        for slots in 1..40 {
            let (mut exits, mut plain) = (Exits::new(slots), vec![None; slots]);
            for _ in 0..random.below(30) {
                let first = random.below(slots);
                let last = first + random.below(slots - first);
                let rank = random.below(9) as Rank;
                exits.note(first, last, rank, &State::empty(1));
                plain[first..=last].iter_mut().for_each(|best: &mut Option<Rank>| *best = (*best).max(Some(rank)));
            }
            for (round, best) in plain.into_iter().enumerate() {
                assert_eq!(exits.best(round).map(|best| best.0), best);
            }
        }
    }
}
