//! Chooses moves by a strong solution, whose game may have other names than that of the match.
//!
//! Only moves that keep the value by the solution's opponent model are candidates. A player who is ahead takes a move
//! that is best by distance, as far as the search for distances gets. Any other player takes the move after which the
//! largest share of the next mover's choices are mistakes, because opponents err. If states can repeat, only moves that
//! are best by rounds are candidates, because these lead to an end. With exact values, the move is drawn from the best
//! mixed strategy. Cost: a lookup for each move, and one for each answer to the candidates.

use base::limits::Limits;
use base::random::Random;
use game::propositional::RoleId;
use game::rules::isomorphism::Renaming;
use solving::solution::{Assessment, MoveValue, Opened, Position, ReadError, Solution};
use solving::words::exact::numbers_text;
use solving::words::value::value_text;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Number of positions that a search for distances keeps, in some tenths of a second.
const NODES: usize = 20_000;
/// If there is less time than this, distances are not searched for.
const ROOM: Duration = Duration::from_secs(1);
const MOST_LOOKED_AT: usize = 64;

#[derive(Clone)]
pub struct Expert {
    pub solution: Arc<Opened>,
    names: Option<Names>,
    /// By role of the match: the index of the role in the solution.
    roles: Vec<usize>,
}

#[derive(Debug, Clone)]
struct Names {
    to_solution: Renaming,
    to_match: Renaming,
}

impl Expert {
    pub fn of_same_names(solution: Arc<Opened>) -> Expert {
        let roles = (0..solution.solution().game().roles.len()).collect();
        Expert { solution, names: None, roles }
    }

    /// The expert by a solution with other names; `None` if its roles do not correspond to those of the match.
    pub fn of_renamed(solution: Arc<Opened>, renaming: Renaming, roles: &[String]) -> Option<Expert> {
        let known = solution.solution().roles();
        let index = |role: &String| known.iter().position(|other| *other == renamed(role, &renaming));
        let roles = roles.iter().map(index).collect::<Option<Vec<_>>>()?;
        let all = (0..known.len()).all(|role| roles.contains(&role));
        let to_match = renaming.iter().map(|(from, to)| (to.clone(), from.clone())).collect();
        let names = Some(Names { to_solution: renaming, to_match });
        (all && roles.len() == known.len()).then_some(Expert { solution, names, roles })
    }

    /// Translates a term from the names of the match to those of the solution.
    pub fn to_solution(&self, term: &str) -> String {
        self.names.as_ref().map_or_else(|| term.to_owned(), |names| renamed(term, &names.to_solution))
    }

    /// Translates a term from the names of the solution to those of the match.
    pub fn to_match(&self, term: &str) -> String {
        self.names.as_ref().map_or_else(|| term.to_owned(), |names| renamed(term, &names.to_match))
    }

    pub fn role(&self, role: RoleId) -> RoleId {
        RoleId(self.roles[role.index()] as u32)
    }

    /// A joint move of the match in the order and the names of the solution.
    pub fn joint(&self, moves: &[String]) -> Vec<String> {
        let mut joint = vec![String::new(); self.roles.len()];
        for (action, &role) in moves.iter().zip(&self.roles) {
            joint[role] = self.to_solution(action);
        }
        joint
    }

    /// Whether the solution has a strategy for a role of the match: by values, or by the role's guarantee.
    pub fn knows(&self, role: RoleId) -> bool {
        match &*self.solution {
            Opened::Rewards(_) => true,
            Opened::Exact(exact) => exact.knows(self.role(role).index()),
        }
    }

    /// Whether a role of the match plays by its guarantee, because the game has no single value.
    pub fn only_forces(&self) -> bool {
        matches!(&*self.solution, Opened::Exact(exact) if !exact.has_values())
    }

    pub fn after(&self, position: &Position, moves: &[String]) -> Result<Position, ReadError> {
        let joint = self.joint(moves);
        let step = match &*self.solution {
            Opened::Rewards(solution) => solution.joint_step(position, &joint),
            Opened::Exact(exact) => exact.joint_step(position, &joint),
        };
        Ok(step?.successor)
    }

    /// A best move of a role, in the names of the match; and for the log, the value by role of the solution.
    pub fn choose(
        &self,
        position: &Position,
        role: RoleId,
        deadline: Instant,
        random: &mut Random,
        limits: &Limits,
    ) -> Result<(String, String), ReadError> {
        let own = self.role(role);
        let (chosen, value) = match &*self.solution {
            Opened::Rewards(solution) => {
                let assessed = solution.assess(position)?;
                let chosen = match assessed.to_move() {
                    Some(mover) if mover == own => {
                        let best = best(solution, &assessed, own, deadline, limits)?;
                        random.choose(&best).map(|option| option.joint[own.index()])
                    }
                    Some(_) => assessed.moves.first().map(|option| option.joint[own.index()]),
                    None => None,
                };
                (chosen, value_text(assessed.value.as_deref()))
            }
            Opened::Exact(exact) => {
                let value = exact.value(position)?.map_or("-".to_owned(), numbers_text);
                (exact.draw(position, own.index(), random, limits)?, value)
            }
        };
        let chosen = chosen.ok_or_else(|| ReadError::Damaged("play is over, and a move is asked for".to_owned()))?;
        Ok((self.to_match(self.solution.solution().move_name(chosen)), value))
    }
}

fn best<'a>(
    solution: &Solution,
    assessed: &'a Assessment,
    own: RoleId,
    deadline: Instant,
    limits: &Limits,
) -> Result<Vec<&'a MoveValue>, ReadError> {
    let ends = !solution.values().by_rounds();
    let candidate = |option: &&MoveValue| if ends { option.keeps_value } else { option.optimal };
    let best: Vec<&MoveValue> = assessed.moves.iter().filter(candidate).collect();
    if best.len() < 2 {
        return Ok(best);
    }
    if ahead(assessed, own)
        && Instant::now() + ROOM < deadline
        && let Some(distances) = solution.distances_within(assessed, NODES, limits)?
        && let (soonest, true) = solution.best(assessed, Some(&distances))
    {
        return Ok(soonest);
    }
    hardest(solution, assessed, best, own, deadline)
}

/// The moves after which the largest share of an opponent's choices are mistakes.
fn hardest<'a>(
    solution: &Solution,
    assessed: &Assessment,
    best: Vec<&'a MoveValue>,
    own: RoleId,
    deadline: Instant,
) -> Result<Vec<&'a MoveValue>, ReadError> {
    let mut rated: Vec<(f64, &MoveValue)> = Vec::new();
    for &option in best.iter().take(MOST_LOOKED_AT) {
        if Instant::now() >= deadline {
            return Ok(best);
        }
        let next =
            solution.assess(&Position { layer: assessed.position.layer + 1, state: option.successor.clone() })?;
        let opponent = next.to_move().is_some_and(|mover| mover != own) && next.moves.len() > 1;
        // A mistake counts only if this role gains by it.
        let rank = |value: &Option<Vec<u8>>| solution.rank(own, value.as_deref());
        let now = rank(&option.value);
        let helps = |reply: &&MoveValue| rank(&reply.value) > now;
        let share = match opponent {
            true => next.moves.iter().filter(helps).count() as f64 / next.moves.len() as f64,
            false => 0.0,
        };
        rated.push((share, option));
    }
    let most = rated.iter().map(|rated| rated.0).fold(0.0, f64::max);
    Ok(rated.into_iter().filter(|rated| rated.0 >= most).map(|rated| rated.1).collect())
}
/// Whether a role gets more than all others, or is the only role.
fn ahead(assessed: &Assessment, own: RoleId) -> bool {
    let Some(value) = &assessed.value else { return false };
    let others = value.iter().enumerate().filter(|(role, _)| *role != own.index());
    others.map(|(_, other)| other).max().is_none_or(|other| value[own.index()] > *other)
}

/// Replaces each name in a term. Names that are not in `names` stay.
pub fn renamed(term: &str, names: &Renaming) -> String {
    let mut text = String::with_capacity(term.len());
    for part in term.split_inclusive([' ', '(', ')']) {
        let name = part.trim_end_matches([' ', '(', ')']);
        text.push_str(names.get(name).map_or(name, String::as_str));
        text.push_str(&part[name.len()..]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_changed_inside_terms() {
        let names: Renaming =
            [("mark", "put"), ("x", "cross"), ("1", "one")].map(|(a, b)| (a.to_owned(), b.to_owned())).into();
        assert_eq!(renamed("(mark 1 (at x 12))", &names), "(put one (at cross 12))");
        assert_eq!(renamed("mark", &names), "put");
        assert_eq!(renamed("noop", &names), "noop");
    }
}
