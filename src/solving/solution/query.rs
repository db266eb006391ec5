//! A position as plain data, the basis of all reports on positions.

use super::{
    Assessment, Distance, Distances, Drawing, Guarantee, Loss, Position, QueriedPlans, ReadError, SearchBound,
    Solution, ToldLine,
};
use base::limits::Limits;
use game::aim::Aim;
use game::interpreter::{State, Turn};
use game::reward::{OpponentModel, shortens};
use indexmap::IndexMap;
use serde::Serialize;
use std::cmp::Reverse;

/// Its JSON is the `query` object of the command contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Query {
    pub game: String,
    pub roles: Vec<String>,
    pub opponent_model: OpponentModel,
    pub layer: u32,
    /// The role whose moves are listed; `None` if play is over.
    pub to_move: Option<String>,
    pub terminal: bool,
    pub forced: bool,
    /// For each role, the reward under best play; `None` for endless play.
    pub value: Option<Vec<u8>>,
    /// For a single player with a known aim: whether the aim cannot be reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dead_end: Option<bool>,
    /// Whether another move is worth more to the mover than the value, which is no equilibrium then; see
    /// [`Assessment::is_not_best`].
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub not_best: bool,
    /// Plies to the end under best play, if they are stored and play ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub guarantees: IndexMap<String, Guarantee>,
    /// Plies to the end under best play, if requested and play ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<Distance>,
    /// What ended the search for distances, if some of them are lower bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance_ended_by: Option<SearchBound>,
    #[serde(flatten)]
    pub plans: QueriedPlans,
    pub state: Vec<String>,
    /// [`Solution::query`] sorts them: moves that are worth more than the value first, then others whose value the
    /// mover prefers to it, then optimal moves, then other moves that keep the value, then by value for the mover,
    /// unsettled moves last; equally good moves by distance.
    pub moves: Vec<QueriedMove>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<ToldLine>,
    #[serde(skip)]
    pub drawing: Option<Drawing>,
    #[serde(skip)]
    pub aim: Option<Aim>,
}

/// A move as plain data; see [`super::MoveValue`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QueriedMove {
    #[serde(rename = "move")]
    pub action: String,
    pub role: String,
    pub joint: Vec<String>,
    pub value: Option<Vec<u8>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unsettled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    pub keeps_value: bool,
    /// Whether the move is best, also by distance or cost if these are known (see [`super::MoveValue::optimal`]).
    pub optimal: bool,
    /// Whether the move is worth more to the mover than the value of the position.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub worth_more: bool,
    /// The first alike move, if it is another one: a symmetry that keeps the position maps this move onto it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub guarantees: IndexMap<String, Guarantee>,
    /// Plies to the end by this move, including the move, if it keeps the value and distances were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<Distance>,
    /// The cost of the best plans by this move, including the move, if it keeps the value (see
    /// [`Solution::add_plans`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_at_least: Option<u64>,
    /// The mover's loss by this move, if there is one and it was requested.
    #[serde(rename = "gives_away", skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// The line of best play after a move that does not keep the value, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refutation: Option<ToldLine>,
    #[serde(skip)]
    pub successor: State,
}

impl Solution {
    /// A position with its value and moves, the best moves first. With `distances`, searches that keep at most about
    /// this number of positions find distances, within the limits of the solution.
    pub fn query(&self, position: &Position, distances: Option<usize>) -> Result<Query, ReadError> {
        self.query_within(position, distances, &self.limits)
    }

    /// As [`Solution::query`]; `limits` bound the memory of the search and may interrupt it.
    pub fn query_within(
        &self,
        position: &Position,
        distances: Option<usize>,
        limits: &Limits,
    ) -> Result<Query, ReadError> {
        let assessed = self.assess(position)?;
        let distances = distances.map(|limit| self.distances_within(&assessed, limit, limits)).transpose()?.flatten();
        self.ranked(&assessed, distances)
    }

    /// As [`Solution::query`] without distances, for a position that may have a value before all its moves do. Moves to
    /// states without a value are `unsettled` and come last. The values of the other moves are final, but unsettled
    /// moves may later turn out to keep the value, too.
    pub fn query_so_far(&self, position: &Position) -> Result<Query, ReadError> {
        self.ranked(&self.assess_so_far(position)?, None)
    }

    /// As [`Solution::query`], for a position that was assessed; `distances`: its distances, if known.
    pub fn ranked(&self, assessed: &Assessment, distances: Option<Distances>) -> Result<Query, ReadError> {
        let mut query = self.described(assessed, distances);
        let Position { layer, .. } = assessed.position;
        query.guarantees = self.guarantees(&assessed.position, assessed.value.as_deref())?;
        self.tell_alike(&mut query, assessed);
        for (queried, option) in query.moves.iter_mut().zip(&assessed.moves) {
            let after = Position { layer: layer + 1, state: option.successor.clone() };
            queried.guarantees = self.guarantees(&after, option.value.as_deref())?;
        }
        if let Some(mover) = assessed.to_move() {
            let value = self.rank(mover, assessed.value.as_deref());
            // Equally good moves stay in the order of the rules.
            query.moves.sort_by_cached_key(|option| {
                let plies = option.plies.or(option.distance.map(|distance| distance.plies)).map(i64::from);
                let soon = option.value.as_deref().is_none_or(|value| shortens(value, mover.index()));
                let plies = if soon { plies } else { plies.map(|plies| -plies) };
                let rank = self.rank(mover, option.value.as_deref());
                // This is true only if the value is no equilibrium.
                let is_better = !option.unsettled && rank > value;
                let first = (option.worth_more, is_better, option.optimal, option.keeps_value);
                (Reverse((first, !option.unsettled, rank)), plies)
            });
        }
        Ok(query)
    }

    /// The moves of the query must be in the order of the rules.
    pub fn tell_alike(&self, query: &mut Query, assessed: &Assessment) {
        let alike = self.alike(&assessed.position, &assessed.moves);
        for (index, first) in alike.iter().copied().enumerate().filter(|(index, first)| index != first) {
            query.moves[index].same_as = Some(self.move_name(assessed.moves[first].action).to_owned());
        }
    }

    /// As [`Solution::ranked`], without guarantees and alike moves, and with moves in the order of the rules.
    pub fn described(&self, assessed: &Assessment, distances: Option<Distances>) -> Query {
        let best = distances.as_ref().and_then(Distances::best);
        let (distance, by_move, distance_ended_by) = match distances {
            Some(found) => (Some(found.position), found.moves, found.ended_by),
            None => (None, vec![None; assessed.moves.len()], None),
        };
        let mut moves = Vec::with_capacity(assessed.moves.len());
        for (index, (option, distance)) in assessed.moves.iter().zip(by_move).enumerate() {
            moves.push(QueriedMove {
                action: self.move_name(option.action).to_owned(),
                role: self.role_name(option.role),
                joint: self.joint_names(&option.joint),
                value: option.value.clone(),
                unsettled: option.unsettled,
                plies: option.plies,
                keeps_value: option.keeps_value,
                optimal: best.as_ref().map_or(option.optimal, |best| best[index]),
                worth_more: option.is_worth_more,
                same_as: None,
                guarantees: IndexMap::new(),
                distance,
                cost: None,
                cost_at_least: None,
                loss: None,
                refutation: None,
                successor: option.successor.clone(),
            });
        }
        let Assessment { position: Position { layer, state }, turn, value, plies, aim, .. } = assessed;
        Query {
            game: self.game().name.clone(),
            roles: self.roles(),
            opponent_model: self.model(),
            layer: *layer,
            to_move: assessed.to_move().map(|role| self.role_name(role)),
            terminal: *turn == Turn::Terminal,
            forced: *turn == Turn::Forced,
            value: value.clone(),
            not_best: assessed.is_not_best(),
            dead_end: aim.map(|aim| aim.is_missed(value.as_deref())),
            plies: *plies,
            guarantees: IndexMap::new(),
            distance,
            distance_ended_by,
            plans: QueriedPlans::default(),
            state: self.state_names(state),
            moves,
            line: None,
            drawing: self.board().map(|board| board.drawing(self.game(), state)),
            aim: *aim,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::brute::BruteForce;
    use crate::sample::handmade::{lines, nim};
    use crate::solution::Solution;
    use game::propositional::RoleId;
    use game::reward::OpponentModel;
    use std::cmp::Ordering;

    fn each_position(solution: &Solution, visit: &mut dyn FnMut(&crate::solution::Assessment)) {
        let mut layer = vec![solution.start()];
        while !layer.is_empty() {
            let mut next = Vec::new();
            for position in &layer {
                let assessed = solution.assess(position).unwrap();
                next.extend(assessed.moves.iter().map(|option| solution.after(position, &option.joint)));
                visit(&assessed);
            }
            next.sort_by_key(|position| position.state.names(solution.game()));
            next.dedup();
            layer = next;
        }
    }

    #[test]
    fn moves_are_listed_best_first() {
        // How often the first of two neighbours in the list is better, or as good and ends sooner or later.
        let (mut worse, mut sooner, mut later) = (0, 0, 0);
        // Each game from the layer on in which distances are found at once.
        let games = [(nim(9, 3), OpponentModel::MaxOwn, 0), (lines(3, 3, 3), OpponentModel::MaxDiff, 4)];
        for (game, model, first) in games {
            let solution = BruteForce::solution(game, model);
            each_position(&solution, &mut |assessed| {
                if assessed.position.layer < first {
                    return;
                }
                let query = solution.query(&assessed.position, Some(100_000)).unwrap();
                let mut names: Vec<&str> = query.moves.iter().map(|found| found.action.as_str()).collect();
                let mut expected: Vec<&str> =
                    assessed.moves.iter().map(|option| solution.move_name(option.action)).collect();
                names.sort_unstable();
                expected.sort_unstable();
                assert_eq!(names, expected);
                let Some(RoleId(mover)) = assessed.to_move() else { return };
                for pair in query.moves.windows(2) {
                    let [first, second] = [0, 1].map(|at| pair[at].value.as_deref().expect("play ends"));
                    let order = model.compare(mover as usize, first, second);
                    assert_ne!(order, Ordering::Less, "{query}");
                    worse += usize::from(order == Ordering::Greater);
                    if let (Some(one), Some(other)) = (pair[0].distance, pair[1].distance) {
                        let ahead = first.iter().all(|&other| first[mover as usize] >= other);
                        assert!(if ahead { one.plies <= other.plies } else { one.plies >= other.plies }, "{query}");
                        sooner += usize::from(one.plies < other.plies);
                        later += usize::from(one.plies > other.plies);
                    }
                }
            });
        }
        assert!(worse > 0 && sooner > 0 && later > 0, "{worse} {sooner} {later}");
    }
}
