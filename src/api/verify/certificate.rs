//! A certificate for values of games in which play can return to a state: the round that settled each state.
//!
//! The algorithm (`solve/global/retrograde.rs`) determines each round from the rounds before it. Round 0 settles the
//! terminal states. A later round settles all states whose successors are all settled, if there are any: each gets the
//! best value of its successors in its mover's order. If there are none, each role looks at the unsettled states in
//! which it has the choice, and takes the best value that any of them can reach in one move: if it prefers this value
//! to endless play, all these states that can reach it are settled with it. In some games ([`at_once`]) a role also
//! settles states together with forced ones as soon as a successor has a certain value: at first the best value of all,
//! then the one that the role chose last. By induction over the rounds, the values are right if and only if each round
//! follows these rules and nothing is left to settle after the last round. For a single state, this means:
//! - If it was settled in the round after the last of its successors, its value is the best of theirs, and that round
//!   settles forced states. It cannot be settled later.
//! - If it was settled before one of its successors, this was at once or by choice: its value is the best of the
//!   successors settled before, and the same for all states of that round and role.
//! - Before it was settled, none of its settled successors had a value as good as the one that its role chose in the
//!   next round by choice, or settled at once in any round. If it was never settled, none has a value better than
//!   endless play.
//!
//! Cost: for each state, sorting its successors by their rounds, and for each successor a maximum over an interval of
//! rounds, in time logarithmic in the number of rounds. Memory: a few words for each round and role.

use game::interpreter::State;

/// The rank of a value in the mover's order, larger is better. Different values have different ranks.
pub type Rank = u32;

pub struct Entry<'a> {
    pub state: &'a State,
    pub chooser: Option<usize>,
    /// The round that settled the state; `None` for endless play, or if the state is not yet settled.
    pub round: Option<u32>,
    /// The rank of the state's value; without meaning if the state has no round.
    pub rank: Rank,
    /// The round and the rank of each successor; `None` for a successor that is not settled.
    pub after: &'a [Option<(u32, Rank)>],
    pub endless: Rank,
}

pub struct Certificate {
    rounds: u32,
    complete: bool,
    /// By round: whether it settled a forced state.
    forced: Vec<bool>,
    /// By round, then by role: the rank with which it settled states before one of their successors.
    chosen: Vec<Vec<Option<Rank>>>,
    /// By role and round: the best rank that the role could have chosen in the round and did not.
    exits: Vec<Exits>,
}

impl Certificate {
    /// A certificate without states. `rounds` includes round 0, which settles the terminal states.
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

    /// Bytes of a certificate of states that take `state` bytes each outside of their fields.
    pub fn bytes(rounds: u32, roles: usize, state: usize) -> u64 {
        let exit = 2 * (size_of::<Option<(Rank, State)>>() + state);
        let chosen = size_of::<Vec<Rank>>() + roles * (size_of::<Option<Rank>>() + exit);
        (u64::from(rounds) + 1) * (size_of::<bool>() + chosen) as u64
    }

    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Records a state that is not terminal. Returns the error in this state alone, if there is one.
    pub fn add(&mut self, entry: &Entry) -> Option<String> {
        let Entry { state, chooser, round, rank, endless, .. } = *entry;
        let mut after: Vec<(u32, Rank)> = entry.after.iter().flatten().copied().collect();
        after.sort_unstable();
        let all = (after.len() == entry.after.len()).then(|| after.last().map_or(0, |last| last.0) + 1);
        if let Some(role) = chooser {
            // After the last round, no role may have anything left to choose.
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

    /// Records the values that a role could have chosen in this state in the rounds up to `last`.
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

    /// The errors in the rounds as a whole. `all`: all states were recorded. `endless`: by role, the rank of endless
    /// play. `at_once`: the result of [`at_once`] for rounds of this kind; later, the ranks after the last round.
    pub fn end(
        &self,
        all: bool,
        endless: &[Rank],
        at_once: &mut Option<Vec<Option<Rank>>>,
    ) -> Vec<(Option<&State>, String)> {
        let mut findings = Vec::new();
        for round in 1..=self.rounds as usize {
            let (forced, chosen) = (self.forced[round], &self.chosen[round]);
            let last = round == self.rounds as usize;
            let any = chosen.iter().any(Option::is_some);
            if all && !last && !forced && !any {
                findings.push((None, format!("no state was settled in round {round}")));
            }
            // If only some states were recorded, it is unknown whether the role settles states with a rank at once.
            let is_at_once = |role: usize| at_once.as_ref().is_some_and(|ranks| chosen[role] == ranks[role]);
            let by_choice = (0..chosen.len()).any(|role| chosen[role].is_some() && !is_at_once(role));
            let due = forced || (0..chosen.len()).any(|role| chosen[role].is_some() && is_at_once(role));
            if due && by_choice && (all || at_once.is_none()) {
                findings
                    .push((None, format!("round {round} has states that were chosen for and states that had to be")));
            }
            if !last || self.complete {
                for (role, exits) in self.exits.iter().enumerate() {
                    let Some((rank, state)) = exits.best(round) else { continue };
                    let least = match &*at_once {
                        _ if last => Some(endless[role] + 1),
                        Some(_) if !all => chosen[role],
                        Some(ranks) if due => ranks[role],
                        None if forced => None,
                        // If no state of a round was recorded, the role's choice in it is unknown.
                        _ => chosen[role].or((all && any).then_some(endless[role] + 1)),
                    };
                    if least.is_some_and(|least| rank >= least) {
                        let message = match last {
                            true => "is left open, but a state after it is better than endless play".to_owned(),
                            false => format!(
                                "a state after it is as good as what its role settles for in round {round}, or better"
                            ),
                        };
                        findings.push((Some(state), message));
                    }
                }
            }
            if let Some(ranks) = at_once
                && !due
            {
                ranks.iter_mut().zip(chosen).for_each(|(rank, chosen)| *rank = chosen.or(*rank));
            }
        }
        findings
    }
}

/// By role, the best rank of all if the role prefers it to endless play; at the start, the role settles states with
/// this rank at once. `None`: roles settle nothing at once, because that could change values. This is so unless there
/// is one role, or two roles whose orders are opposite and that prefer at most one value both to endless play. `ranks`:
/// by role and value of a terminal state, the rank.
pub fn at_once(ranks: &[Vec<Rank>], endless: &[Rank]) -> Option<Vec<Option<Rank>>> {
    let values = ranks.first()?.len();
    let strict = match ranks {
        [_] => true,
        [one, other] => {
            let opposite = |a: usize, b: usize| (one[a] < one[b]) == (other[b] < other[a]);
            let both = (0..values).filter(|&value| one[value] > endless[0] && other[value] > endless[1]).count();
            both <= 1 && (0..values).all(|a| (0..a).all(|b| opposite(a, b)))
        }
        _ => false,
    };
    let best = |(ranks, endless): (&Vec<Rank>, &Rank)| ranks.iter().max().copied().filter(|rank| rank > endless);
    strict.then(|| ranks.iter().zip(endless).map(best).collect())
}

/// The maximum of the values of each round, as a tree whose nodes stand for intervals of rounds.
struct Exits {
    slots: usize,
    /// Node k has the children 2k and 2k + 1. The leaf of round r is node `slots + r`.
    nodes: Vec<Option<(Rank, State)>>,
}

impl Exits {
    fn new(slots: usize) -> Exits {
        Exits { slots, nodes: vec![None; 2 * slots] }
    }

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
    use base::random::Random;

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
