//! From listed states to a [`Play`]: players that choose without any effect on what follows are left out.
//!
//! Where several players choose at the same time, and what follows depends on more than one of them, values need not be
//! rational, so that such a state is an error.

use super::super::super::SolveError;
use super::super::super::expansion::OneByOne;
use super::super::super::pass::Pass;
use super::super::layer::Thinker;
use super::play::{Play, STATE_BYTES};
use crate::exact::Stage;
use crate::listing::{Choices, Graph, Index, List, MISSING, Wrong};
use base::limits::Account;
use game::interpreter::{Interpreter, State};
use game::propositional::Game;
use indexmap::IndexSet;
use kernel::Diagram;
use rustc_hash::FxBuildHasher;
use std::sync::{Mutex, PoisonError};

/// Bytes of a state in which several roles choose, beside its outcomes.
const JOINT_BYTES: u64 = 60;

/// Bounds on the states and joint moves of a look at the first states.
const STATES: usize = 256;
const JOINT_MOVES: usize = 1 << 14;

/// All states, by rank.
pub struct Listed {
    pub states: List,
    pub play: Play,
    /// By state: the place of its rewards, from 1 on; 0 for a state that is not terminal.
    pub ends: Vec<u16>,
    _account: Account,
}

/// A state in which several roles choose, by the player whose choice has an effect.
struct Reduced {
    chooser: u32,
    width: u32,
    outcomes: Vec<u32>,
}

impl Listed {
    /// Lists the states of a set, which must have all successors. `None`: in a state, the choices of several players
    /// have an effect.
    pub fn new(pass: &Pass, one_by_one: &dyn OneByOne, all: &Diagram) -> Result<Option<Listed>, SolveError> {
        let limits = pass.context.limits();
        let states = one_by_one.list(all)?;
        let mut account = Account::new(limits);
        account.set(STATE_BYTES * states.len() as u64)?;
        let mut graph = one_by_one.graph(&states)?;
        let several: Vec<u32> =
            (0..states.len() as u32).filter(|&state| graph.choosers[state as usize] == Graph::SEVERAL).collect();
        let Some(reduced) = reduced(pass, one_by_one, &states, &several, &mut account)? else { return Ok(None) };
        let mut reduced = reduced.into_iter();
        let (chance, mut widths) = (pass.game.players() as u32, Vec::with_capacity(states.len()));
        // Outcomes only become fewer, so that they move towards the start of the list.
        let (mut read, mut written) = (0, 0);
        let Graph { choosers, degrees, targets, .. } = &mut graph;
        for (chooser, degree) in choosers.iter_mut().zip(degrees) {
            let (start, length) = (read, *degree as usize);
            read += length;
            let mut width = 1;
            if *chooser == Graph::SEVERAL {
                let one = reduced.next().expect("every such state was looked at");
                (*chooser, width, *degree) = (one.chooser, one.width, one.outcomes.len() as u32);
                targets[start..start + one.outcomes.len()].copy_from_slice(&one.outcomes);
            } else if *chooser == chance {
                (*chooser, width) = (Graph::NOBODY, *degree);
            } else if length > 1 && targets[start..read].iter().all(|target| *target == targets[start]) {
                (*chooser, *degree) = (Graph::NOBODY, 1);
            }
            targets.copy_within(start..start + *degree as usize, written);
            written += *degree as usize;
            widths.push(if *degree == 0 { 0 } else { width });
        }
        targets.truncate(written);
        // The account of the graph is for two copies.
        let bytes = graph.bytes() / 2;
        let Graph { values, choosers, degrees, targets, .. } = graph;
        account.add(bytes)?;
        let play = Play::new(choosers, widths, &degrees, targets);
        Ok(Some(Listed { states, play, ends: values, _account: account }))
    }
}

/// Whether a look at the first states shows one in which the choices of several players have an effect.
pub fn shows_several(game: &Game) -> bool {
    let interpreter = Interpreter::new(game);
    let mut found: IndexSet<State, FxBuildHasher> = IndexSet::from_iter([interpreter.initial()]);
    let (mut next, mut tried) = (0, 0);
    while next < STATES
        && tried < JOINT_MOVES
        && let Some(state) = found.get_index(next).cloned()
    {
        let situation = interpreter.situation(&state);
        next += 1;
        tried += situation.joint_move_count().min(JOINT_MOVES);
        if situation.terminal || situation.legal.iter().any(Vec::is_empty) || tried > JOINT_MOVES {
            continue;
        }
        let after: Vec<u32> =
            interpreter.after(&state, &situation).map(|(_, after)| found.insert_full(after).0 as u32).collect();
        let choices: Vec<u32> = situation.legal.iter().map(|moves| moves.len() as u32).collect();
        let choices = Choices { rank: 0, rewards: None, choices: &choices, after: &after };
        if matches!(reduce(&choices, game.players()), Ok(None)) {
            return true;
        }
    }
    false
}

/// What is left of each of `some` states. `None`: in one of them, the choices of several players have an effect.
fn reduced(
    pass: &Pass,
    one_by_one: &dyn OneByOne,
    states: &List,
    some: &[u32],
    account: &mut Account,
) -> Result<Option<Vec<Reduced>>, SolveError> {
    let limits = pass.context.limits();
    if some.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let mut list = List::new(states.words(), limits);
    some.iter().try_for_each(|&state| list.push(states.state(state as usize)))?;
    let index = Index::new(states, limits)?;
    let (players, shared) = (pass.game.players(), Mutex::new((Vec::new(), account)));
    let mut thinkers: Vec<Thinker> = (0..pass.context.threads()).map(|_| Thinker::default()).collect();
    one_by_one.decided(&list, &index, &mut thinkers, &|_, state| {
        let one = reduce(state, players)?;
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(one) = &one {
            shared.1.add(JOINT_BYTES + 4 * one.outcomes.len() as u64)?;
        }
        shared.0.push((state.rank, one));
        Ok(0)
    })?;
    let (mut all, _) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.sort_unstable_by_key(|(place, _)| *place);
    Ok(all.into_iter().map(|(_, one)| one).collect())
}

/// `None` if the choices of several players have an effect.
fn reduce(state: &Choices, players: usize) -> Result<Option<Reduced>, Wrong> {
    if state.after.contains(&MISSING) {
        return Err(Wrong::Value(0));
    }
    let (choices, chance) = state.choices.split_at(players);
    let width: usize = chance.iter().map(|&moves| moves as usize).product();
    let mut after = state.after.to_vec();
    after.chunks_mut(width).for_each(<[u32]>::sort_unstable);
    let moves: Vec<&[u32]> = after.chunks(width).collect();
    let stage = Stage { choices, after: &moves };
    let matter: Vec<bool> = (0..players).map(|player| stage.matters(player)).collect();
    let mut choosing = (0..players).filter(|&player| matter[player]);
    let (chooser, None) = (choosing.next(), choosing.next()) else { return Ok(None) };
    let outcomes = stage.with_first_moves(&matter).concat();
    let chooser = chooser.map_or(Graph::NOBODY, |player| player as u32);
    Ok(Some(Reduced { chooser, width: width as u32, outcomes }))
}
