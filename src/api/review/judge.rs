//! Judges the moves of a match in a game in turns without chance.

use super::Record;
use base::limits::Limits;
use game::interpreter::Turn;
use game::propositional::RoleId;
use game::reward::OpponentModel;
use indexmap::IndexMap;
use serde::Serialize;
use solving::solution::{Loss, MoveValue, Position, PositionError, ReadError, Solution, Step, ToldLine};

/// A judged match. Its JSON is the report of `review`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Review {
    /// Name of the game.
    pub game: String,
    /// Names of the roles; rewards are in this order.
    pub roles: Vec<String>,
    /// How movers rank rewards.
    pub opponent_model: OpponentModel,
    /// Whether play is over at the end of the match.
    pub finished: bool,
    /// By role: the rewards of the last position's value; `None`: endless play.
    pub value: Option<Vec<u8>>,
    /// The judged plies.
    pub moves: Vec<Reviewed>,
    /// The plies with a loss: the turning points.
    pub mistakes: Vec<u32>,
    /// The ply from which on every position has the last value; that of the first position if no ply changed it.
    pub decided_at: u32,
    /// By role: how well it chose.
    pub accuracy: IndexMap<String, Accuracy>,
}

/// How well a role chose in the plies with something at stake, that is, with a legal move that does not keep the value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Accuracy {
    /// Number of plies with something at stake.
    pub choices: usize,
    /// Number of such plies in which the move of the role kept the value.
    pub kept: usize,
    /// The mean score of its moves in such plies, from 0 to 100; `None` if there are no such plies.
    pub percent: Option<f64>,
}

/// A judged ply.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reviewed {
    /// The number of the ply, from 1 on.
    pub ply: u32,
    /// The role whose move is shown: the role with the choice or, in a forced ply, the role whose move has an effect.
    pub role: String,
    /// Name of the move.
    #[serde(rename = "move")]
    pub action: String,
    /// By role: its move.
    pub joint: Vec<String>,
    /// Whether no role had a choice.
    pub forced: bool,
    /// By role: the value before the move; `None`: endless play.
    pub before: Option<Vec<u8>>,
    /// By role: the value after the move; `None`: endless play.
    pub after: Option<Vec<u8>>,
    /// Whether the move kept the value of the position.
    pub keeps_value: bool,
    /// Whether the move was one of the best, see [`MoveValue::optimal`](solving::solution::MoveValue::optimal), or
    /// nobody had a choice.
    pub optimal: bool,
    /// For a move that keeps the value, if distances are stored and play ends: the plies by which play is longer than
    /// after a best move; negative if it is shorter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longer_by: Option<i64>,
    /// For a move of a single player that keeps the value, if moves have costs: the difference between the cost of a
    /// cheapest plan with this move and that of a best plan, if both were found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dearer_by: Option<u64>,
    /// Whether a move of the position is worth more to the mover than its value, which is no equilibrium then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub not_best: bool,
    /// Whether this move is worth more to the mover than that value.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub worth_more: bool,
    /// The loss of the mover, if any.
    #[serde(rename = "gives_away")]
    pub loss: Option<Loss>,
    /// The best moves of the position.
    pub best: Vec<String>,
    /// The share of the stake that the move kept, from 0 (the worst move) to 1 (nothing was given away). The stake is
    /// counted in the mover's first criterion: its reward, or its lead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// For a move with a loss, if requested: the line of best play after it, which punishes the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refutation: Option<ToldLine>,
}

/// States that each search for a cheapest plan keeps, if moves have costs.
const PLAN_STATES: usize = 20_000;

/// Judges a match from the start.
pub fn review(solution: &Solution, record: &Record) -> Result<Review, ReadError> {
    review_from(solution, &solution.start(), record, None, &Limits::unlimited())
}

/// As [`review`], for a match that starts from some position. `lines`: the number of positions that each search for a
/// line keeps at most, about, if the lines that punish mistakes are wanted.
pub fn review_from(
    solution: &Solution,
    start: &Position,
    record: &Record,
    lines: Option<usize>,
    limits: &Limits,
) -> Result<Review, ReadError> {
    let _plies = record.reserve(limits)?;
    let steps = steps(solution, start, record, limits)?;
    let mut position = start.clone();
    let mut moves = Vec::with_capacity(steps.len());
    for step in steps {
        limits.check()?;
        let mut reviewed = judge(solution, &position, &step, limits)?;
        if let Some(nodes) = lines.filter(|_| reviewed.loss.is_some()) {
            let line = solution.line(&step.successor, nodes, limits)?;
            reviewed.refutation = Some(solution.told_line(&line));
        }
        moves.push(reviewed);
        position = step.successor;
    }
    let last = solution.assess(&position)?;
    let changes = moves.iter().rposition(|reviewed| reviewed.before != reviewed.after);
    Ok(Review {
        game: solution.game().name.clone(),
        roles: solution.roles(),
        decided_at: changes.map_or(start.layer, |last| moves[last].ply),
        accuracy: solution.roles().into_iter().map(|role| (role.clone(), accuracy(&moves, &role))).collect(),
        opponent_model: solution.model(),
        finished: last.turn == Turn::Terminal,
        value: last.value,
        mistakes: moves.iter().filter(|reviewed| reviewed.loss.is_some()).map(|reviewed| reviewed.ply).collect(),
        moves,
    })
}

fn steps(solution: &Solution, start: &Position, record: &Record, limits: &Limits) -> Result<Vec<Step>, ReadError> {
    let replay = |position: &Position, moves: &[String], lines: Option<&[String]>| {
        solution.replay_either(position, moves, lines, limits)
    };
    let single = solution.game().roles.len() == 1;
    let joint = |position: &Position, moves: &[String]| {
        (moves.len() != 1 || single).then(|| solution.joint_step(position, moves))
    };
    played(solution, start, record, (replay, joint), limits)
}

/// The plies of a record. `replay` reads the moves of the roles that choose; its last argument is a second reading,
/// with a move on each line. `joint` reads the moves of all roles in a ply, and returns `None` if the record has the
/// moves of some roles only.
pub(super) fn played(
    solution: &Solution,
    start: &Position,
    record: &Record,
    (replay, joint): (
        impl Fn(&Position, &[String], Option<&[String]>) -> Result<Vec<Step>, ReadError>,
        impl Fn(&Position, &[String]) -> Option<Result<Step, ReadError>>,
    ),
    limits: &Limits,
) -> Result<Vec<Step>, ReadError> {
    let (moves, states) = match record {
        Record::Movers { moves, lines } => return replay(start, moves, lines.as_deref()),
        Record::Match { moves, states } => (moves, states),
    };
    let mut steps: Vec<Step> = Vec::with_capacity(moves.len());
    let mut position = start.clone();
    for ply in 0..=moves.len() {
        limits.check()?;
        if let Some(state) = states.get(ply) {
            compare(solution, &position, state)?;
        }
        let Some(actions) = moves.get(ply) else { break };
        match joint(&position, actions) {
            Some(step) => steps.push(step?),
            None => steps.extend(replay(&position, actions, None)?),
        }
        if let Some(step) = steps.last() {
            position.clone_from(&step.successor);
        }
    }
    Ok(steps)
}

/// Compares a position with the fluents of a record. Fluents that the game lacks hold in every state.
fn compare(solution: &Solution, position: &Position, told: &[String]) -> Result<(), PositionError> {
    let names = position.state.names(solution.game());
    let ply = position.layer;
    let same = |left: &String, right: &String| left.eq_ignore_ascii_case(right);
    if let Some(missing) = names.iter().find(|name| !told.iter().any(|other| same(other, name))) {
        return Err(PositionError::Differs { ply, difference: format!("{missing} holds, but is not told") });
    }
    let known = |name: &&String| solution.fluent_names().iter().any(|other| same(other, name));
    match told.iter().filter(known).find(|name| !names.iter().any(|other| same(other, name))) {
        Some(wrong) => Err(PositionError::Differs { ply, difference: format!("{wrong} does not hold") }),
        None => Ok(()),
    }
}

fn judge(solution: &Solution, position: &Position, step: &Step, limits: &Limits) -> Result<Reviewed, ReadError> {
    let mut found = solution.assess(position)?;
    let ply = &step.ply;
    let made = found.moves.iter().position(|option| option.joint == ply.joint);
    let made = made.expect("a replayed move is one of the legal ones");
    let mut dearer_by = None;
    if solution.has_costs() {
        let mut query = solution.described(&found, None);
        solution.tell_plans(&mut query, position, false, PLAN_STATES, limits)?;
        for (option, queried) in found.moves.iter_mut().zip(&query.moves) {
            option.optimal = queried.optimal;
        }
        dearer_by = query.moves[made].cost.zip(query.plans.cost).map(|(own, best)| own - best);
    }
    let made = &found.moves[made];
    let (after, optimal, keeps_value) = (made.value.clone(), made.optimal, made.keeps_value);
    let best_plies = found.moves.iter().find(|option| option.optimal).and_then(|option| option.plies);
    let longer_by = made.plies.zip(best_plies).filter(|_| keeps_value && !solution.has_costs());
    let best = found.moves.iter().filter(|option| option.optimal);
    let loss = solution.loss(ply.role, found.value.as_deref(), after.as_deref()).filter(|_| !ply.forced);
    Ok(Reviewed {
        ply: position.layer + 1,
        role: solution.role_name(ply.role),
        action: solution.move_name(ply.action()).to_owned(),
        joint: solution.joint_names(&ply.joint),
        forced: ply.forced,
        best: best.map(|option| solution.move_name(option.action).to_owned()).collect(),
        score: score(solution, ply.role, (found.value.as_deref(), &found.moves), made),
        loss,
        refutation: None,
        keeps_value,
        optimal,
        not_best: found.is_not_best(),
        worth_more: made.is_worth_more,
        longer_by: longer_by.map(|(made, best)| i64::from(made) - i64::from(best)),
        dearer_by,
        before: found.value,
        after,
    })
}

fn accuracy(moves: &[Reviewed], role: &str) -> Accuracy {
    let own = || moves.iter().filter(|reviewed| reviewed.role == role);
    let scores: Vec<f64> = own().filter_map(|reviewed| reviewed.score).collect();
    let kept = own().filter(|reviewed| reviewed.score.is_some() && reviewed.keeps_value).count();
    let percent = (!scores.is_empty()).then(|| 100.0 * (scores.iter().sum::<f64>() / scores.len() as f64));
    Accuracy { choices: scores.len(), kept, percent }
}

/// The share of the stake that a move kept; `None` if every move keeps the value.
fn score(
    solution: &Solution,
    mover: RoleId,
    (value, moves): (Option<&[u8]>, &[MoveValue]),
    made: &MoveValue,
) -> Option<f64> {
    if moves.iter().all(|option| option.keeps_value) {
        return None;
    }
    if solution.loss(mover, value, made.value.as_deref()).is_none() {
        return Some(1.0);
    }
    let nothing = vec![0; solution.game().roles.len()];
    let worth =
        |option: &MoveValue| solution.model().criterion(mover.index(), option.value.as_deref().unwrap_or(&nothing)).0;
    let kept = moves.iter().filter(|option| option.keeps_value).map(worth).max()?;
    let worst = moves.iter().map(worth).min()?;
    let of_made = worth(made);
    Some(if kept > worst {
        f64::from(of_made - worst) / f64::from(kept - worst)
    } else {
        // Endless play counts as nothing, and is better or worse than an end that pays nothing.
        f64::from(u8::from(made.value.is_some() == value.is_some()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brute::BruteForce;
    use crate::sample::handmade::lines;
    use base::limits::LimitReached;

    fn judged(record: &str) -> Result<Review, ReadError> {
        review(&BruteForce::solution(lines(3, 3, 3), OpponentModel::MaxOwn), &Record::read(record).unwrap())
    }

    /// A match: the corner; the edge beside it, which loses; then best play, in which the first player wins by ply 7.
    const MOVES: [[u32; 2]; 7] = [[1, 1], [1, 2], [2, 2], [3, 3], [3, 1], [1, 3], [2, 1]];

    #[test]
    fn the_moves_that_gave_the_result_away_are_found() {
        let text: String = MOVES.iter().map(|[x, y]| format!("(mark {x} {y})\n")).collect();
        let review = judged(&text).unwrap();
        let losses: Vec<Option<Loss>> = review.moves.iter().map(|reviewed| reviewed.loss).collect();
        assert_eq!(losses, [None, Some(Loss::Draw), None, None, None, None, None]);
        assert_eq!((review.value, review.finished), (Some(vec![100, 0]), true));
        assert_eq!(review.moves[1].best, ["(mark 2 2)"]);
        assert_eq!((&review.moves[1].before, &review.moves[1].after), (&Some(vec![50, 50]), &Some(vec![100, 0])));
    }

    #[test]
    fn a_slip_is_told_where_it_stands_though_lines_have_no_parentheses() {
        let error = judged("mark 1 1\nmark 2 2\nmrak 1 2\n").unwrap_err().to_string();
        assert!(error.contains("ply 3") && error.contains("mrak"), "{error}");
        let error = judged("(mark 1 1) mrak").unwrap_err().to_string();
        assert!(error.contains("ply 2"), "{error}");
    }

    #[test]
    fn a_match_with_joint_moves_and_states_is_the_same() {
        let joint = |index: usize, [x, y]: [u32; 2]| match index % 2 {
            0 => format!("[\"(mark {x} {y})\", \"noop\"]"),
            _ => format!("[\"noop\", \"(MARK {x} {y})\"]"),
        };
        let moves: Vec<String> = MOVES[..3].iter().enumerate().map(|(index, cell)| joint(index, *cell)).collect();
        let text: String = MOVES[..3].iter().map(|[x, y]| format!("(mark {x} {y})\n")).collect();
        assert_eq!(judged(&format!("[{}]", moves.join(","))).unwrap(), judged(&text).unwrap());
        let game = lines(3, 3, 3);
        let start = game::interpreter::State::from_flags(&game.init).names(&game);
        let with = |state: &[String]| judged(&format!("{{\"moves\": [], \"states\": {}}}", serde_json::json!([state])));
        assert!(!with(&start).unwrap().finished);
        assert!(with(&[start.clone(), vec!["(always here)".to_owned()]].concat()).is_ok());
        for wrong in [&start[1..], &[start.clone(), vec!["(cell 1 1 x)".to_owned()]].concat()] {
            assert!(matches!(with(wrong), Err(ReadError::Position(PositionError::Differs { ply: 0, .. }))));
        }
    }

    #[test]
    fn the_time_ends_a_review() {
        let solution = BruteForce::solution(lines(3, 3, 3), OpponentModel::MaxOwn);
        let limits = Limits::unlimited().with_time(std::time::Duration::ZERO);
        for record in ["(mark 1 1)", "mark 1 1", "[[\"(mark 1 1)\", \"noop\"]]", "[]"] {
            let record = Record::read(record).unwrap();
            let stopped = review_from(&solution, &solution.start(), &record, None, &limits);
            assert!(matches!(stopped, Err(ReadError::Limit(LimitReached::Time { .. }))), "{stopped:?}");
        }
    }

    #[test]
    fn wrong_moves_are_told_with_their_ply() {
        let error = judged("(mark 1 1) (mark 1 1)").unwrap_err().to_string();
        assert!(error.starts_with("ply 2: (mark 1 1) is not a legal move of o; legal: (mark 1 2)"), "{error}");
        let error = judged("[[\"(mark 1 1)\", \"noop\", \"noop\"]]").unwrap_err().to_string();
        assert_eq!(error, "ply 1: 3 moves for 2 roles");
        let all: String = MOVES.iter().map(|[x, y]| format!("(mark {x} {y})\n")).collect();
        let error = judged(&format!("{all} noop")).unwrap_err().to_string();
        assert_eq!(error, "ply 8: noop follows, but play is over");
    }
}
