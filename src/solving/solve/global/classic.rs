//! The original classification of zero-sum games (`--algorithm classic`): Edelkamp and Kissmann, "Symbolic Exploration
//! for General Game Playing in PDDL", 2007, Algorithm 3.
//!
//! For each player, the lost states are the terminal states that it loses, the states in which the opponent can move to
//! a lost state, and the states in which the player has to move to one. A state that neither player loses is drawn. If
//! play may be endless, a state is drawn only if a drawn terminal state can be reached through states that nobody
//! loses; each player prefers a draw to endless play. The algorithm is a simple reference for games with three values.

use super::super::pass::Pass;
use super::super::{Refusal, SolveError};
use super::orders::Orders;
use super::rounds::Rounds;
use super::terminals::flood;
use super::{all_as, only, terminal_values};
use kernel::{self, Diagram};
use std::cmp::Ordering;

/// The value ids that occur: by role the id with which it loses, and the id of a draw.
struct Values {
    lost: [Option<u32>; 2],
    drawn: Option<u32>,
}

/// All states with their values; [`Orders::endless`] stands for endless play.
pub fn settle(pass: &Pass, reached: &Diagram, orders: &Orders, rounds: &mut Rounds) -> Result<Diagram, SolveError> {
    if pass.game.roles.len() != 2 {
        let message = "the classic algorithm is for two players".to_owned();
        return Err(Refusal::of_game("roles", message).into());
    }
    let ends = terminal_values(pass, &pass.expansion.terminals(reached)?, orders)?;
    let ids = values(pass, orders, &ends.terminals())?;
    let mut all = all_as(orders.endless, reached, pass)?;
    let mut open = kernel::difference(&all_as(1, reached, pass)?, &ends, pass.context)?;
    for (loser, lost) in ids.lost.iter().enumerate().filter_map(|(loser, id)| Some((loser, (*id)?))) {
        let mut front = only(lost, &ends, 1, pass)?;
        let mut total = Diagram::constant(reached.levels(), 0);
        while !front.is_empty() {
            total = kernel::union(&[&total, &front], pass.context)?;
            open = kernel::difference(&open, &front, pass.context)?;
            let before = pass.expansion.predecessors(&open, &front)?;
            rounds.push(&front)?;
            let wins = pass.expansion.choosing(&before, 1 - loser)?;
            let others = kernel::difference(&before, &wins, pass.context)?;
            let elsewhere = kernel::difference(reached, &total, pass.context)?;
            let escapes = pass.expansion.predecessors(&others, &elsewhere)?;
            let loses = kernel::difference(&others, &escapes, pass.context)?;
            front = kernel::union(&[&wins, &loses], pass.context)?;
        }
        all = kernel::overlay(&all, &all_as(lost, &total, pass)?, pass.context)?;
    }
    if let Some(drawn) = ids.drawn {
        flood(pass, drawn, &ends, &mut open, &mut all, rounds)?;
    }
    Ok(all)
}

/// Sorts the value ids that occur into losses of each role and draws. Other games are refused.
fn values(pass: &Pass, orders: &Orders, occurring: &[u32]) -> Result<Values, SolveError> {
    let mut values = Values { lost: [None; 2], drawn: None };
    let rewards = pass.expansion.rewards();
    let mut sums = Vec::new();
    for &id in occurring {
        let [first, second] = [0, 1].map(|player| rewards[id as usize - 1][player]);
        sums.push(u16::from(first) + u16::from(second));
        let beats = [0, 1].map(|mover| orders.beats_endless(mover, id));
        let (place, fits) = match first.cmp(&second) {
            Ordering::Less => (&mut values.lost[0], beats == [false, true]),
            Ordering::Greater => (&mut values.lost[1], beats == [true, false]),
            Ordering::Equal => (&mut values.drawn, beats == [true, true]),
        };
        if !fits || place.replace(id).is_some() {
            let text = "the classic algorithm is for one way to win, one to lose and one to draw; this game has others";
            return Err(refused(text.to_owned()));
        }
    }
    if sums.windows(2).any(|pair| pair[0] != pair[1]) {
        let [least, most] = [sums.iter().min(), sums.iter().max()].map(|sum| sum.copied().unwrap_or(0));
        return Err(refused(format!(
            "the classic algorithm is for zero-sum games; the rewards of this game add up to {least} or {most}"
        )));
    }
    Ok(values)
}

fn refused(message: String) -> SolveError {
    Refusal::of_game("not-zero-sum", message).into()
}
