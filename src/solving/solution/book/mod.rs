//! The distances of all positions up to a ply.
//!
//! The rules give the positions from the start on, ply by ply, each once. Searches find the distances at the last ply,
//! for one position of each orbit of the symmetries that keep the initial state and all roles (or of a subgroup, if
//! there are many). The distance of an earlier position follows from the distances after its best moves. Cost: the
//! searches, which use the values of the solution (`distance`), and about 200 bytes per position.

mod search;

pub use search::{Searched, search};

use super::{Position, ReadError, Solution};
use base::limits::{Account, LimitReached, Limits};
use game::interpreter::{State, Turn};
use game::symmetry::{Effort, Kept, Permutation, Rules};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

const BY_POSITION: u64 = 200;
const MOST_SYMMETRIES: usize = 64;

pub struct Positions<'l> {
    plies: Vec<IndexSet<State, FxBuildHasher>>,
    account: Account<&'l Limits>,
}

impl<'l> Positions<'l> {
    /// Lists the positions up to ply `plies`, each only at its first ply. `limits` bound memory and time.
    pub fn new(solution: &Solution, plies: u32, limits: &'l Limits) -> Result<Positions<'l>, ReadError> {
        let mut found = Positions { plies: vec![IndexSet::default()], account: Account::new(&limits) };
        found.plies[0].insert(solution.start().state);
        found.grow(solution, plies)?;
        Ok(found)
    }

    fn grow(&mut self, solution: &Solution, plies: u32) -> Result<(), ReadError> {
        let state_bytes = BY_POSITION + solution.game().fluents.len() as u64 / 8;
        for ply in 0..plies {
            let mut next: IndexSet<State, FxBuildHasher> = IndexSet::default();
            for state in &self.plies[ply as usize] {
                self.account.check()?;
                let position = Position { layer: ply, state: state.clone() };
                let (situation, turn) = solution.situation(&position)?;
                if turn == Turn::Terminal {
                    continue;
                }
                for joint in situation.joint_moves() {
                    let after = solution.after(&position, &joint).state;
                    if self.plies.iter().any(|earlier| earlier.contains(&after)) || !next.insert(after) {
                        continue;
                    }
                    self.account.add(state_bytes).map_err(|limit: LimitReached| {
                        limit.during(|| format!("listing the positions of ply {}", ply + 1))
                    })?;
                }
            }
            if next.is_empty() {
                break;
            }
            self.plies.push(next);
        }
        Ok(())
    }

    pub fn plies(&self) -> usize {
        self.plies.len()
    }

    pub fn of(&self, ply: usize) -> &IndexSet<State, FxBuildHasher> {
        &self.plies[ply]
    }

    pub fn all(&self) -> impl Iterator<Item = Position> + '_ {
        (0..)
            .zip(&self.plies)
            .flat_map(|(layer, states)| states.iter().map(move |state| Position { layer, state: state.clone() }))
    }
}

/// A symmetry group that maps positions to positions of the same ply, value and distance.
pub struct Mirrors(Vec<Permutation>);

impl Mirrors {
    /// The symmetries that keep the initial state and each role; a subgroup if there are many. If the search meets a
    /// limit, there are none, or an error if the limit ends the run.
    pub fn new(solution: &Solution, limits: &Limits) -> Result<Mirrors, LimitReached> {
        let start = solution.start().state;
        let kept = Kept { state: Some(&start), roles: true };
        let found =
            Rules::new(solution.game(), limits).and_then(|rules| rules.symmetries(kept, &Effort::default(), limits));
        match found {
            Err(limit) if limit.ends_all() => Err(limit),
            Err(limit) => {
                tracing::info!("every position stands for itself: {limit}");
                Ok(Mirrors(Vec::new()))
            }
            Ok(symmetries) => Ok(Mirrors(symmetries.elements(MOST_SYMMETRIES))),
        }
    }

    pub fn least(&self, state: &State) -> State {
        self.0.iter().map(|images| images.state(state)).min().unwrap_or_else(|| state.clone())
    }

    pub fn is_least(&self, state: &State) -> bool {
        self.0.iter().all(|images| images.state(state) >= *state)
    }

    pub fn number(&self) -> usize {
        self.0.len().max(1)
    }
}

/// The distance of a position, from the distances after the moves that keep its value. `None` if play is endless, one
/// of these distances is unknown, or they do not suffice
/// ([`OpponentModel::yields`](game::reward::OpponentModel::yields)).
pub fn derived(
    solution: &Solution,
    position: &Position,
    mut known: impl FnMut(&State) -> Option<u32>,
) -> Result<Option<u32>, ReadError> {
    let found = solution.assess(position)?;
    let Some(value) = &found.value else { return Ok(None) };
    let soon = solution.shortens(found.turn, Some(value));
    if found.turn == Turn::Terminal {
        return Ok(Some(0));
    }
    if solution.values().by_rounds() && solution.model().yields(value) {
        return Ok(None);
    }
    let best = found.moves.iter().filter(|option| option.keeps_value);
    let Some(after) = best.map(|option| known(&option.successor)).collect::<Option<Vec<u32>>>() else {
        return Ok(None);
    };
    let after = if soon { after.into_iter().min() } else { after.into_iter().max() };
    Ok(after.map(|plies| plies + 1))
}
