//! Checks the book of a solution, that is, the distances stored beside it, after the values.
//!
//! The rules give the positions from the start. If the book has all positions after the best moves of a position, the
//! distance of the position follows from their distances. Otherwise a search on the stored values finds the distance:
//! for a random sample of such positions, or with `full` for all. A book must have no positions beyond its last ply.

use super::{Claim, Finding, Findings, How, Options, Verification};
use base::limits::Limits;
use base::random::Random;
use game::interpreter::State;
use game::propositional::Game;
use rustc_hash::FxHashMap;
use solving::solution::book::{self, Positions, Searched};
use solving::solution::{Position, ReadError, Solution, Stored};
use solving::solve::{Event, Listener};
use solving::store::{self, StoreError};
use std::path::Path;

/// Number of positions whose distance is searched; a search may take seconds.
const SEARCHED: usize = 16;

/// Checks the book of a solution, if there is one. Does nothing if errors were found in the values.
pub fn check(
    folder: &Path,
    rules: Option<Game>,
    options: &Options,
    limits: &Limits,
    listener: &dyn Listener,
    result: &mut Verification,
) -> Result<(), ReadError> {
    if !folder.join(store::BOOK).exists() || !result.findings.is_empty() {
        return Ok(());
    }
    let stored = match Stored::open_with(folder, rules.clone(), limits) {
        Err(ReadError::Store(error @ StoreError::Damaged { .. })) => {
            damaged(result, &error);
            return Ok(());
        }
        stored => stored?,
    };
    let solution = Solution::of(stored);
    let Some(found) = solution.book() else { return Ok(()) };
    result.files += 1;
    result.bytes += found.bytes();
    if let Err(error) = found.check_sum() {
        damaged(result, &error);
        return Ok(());
    }
    let mut findings = Findings::new(store::BOOK.to_owned());
    let positions = Positions::new(&solution, found.plies(), limits)?;
    let known: FxHashMap<State, u32> = solution.booked().collect();
    let booked = |state: &State| known.get(state).copied();
    let (mut seen, mut by_search) = (0, Vec::new());
    for position in positions.all() {
        limits.check()?;
        let Some(plies) = booked(&position.state) else { continue };
        seen += 1;
        match book::derived(&solution, &position, booked)? {
            Some(expected) if expected == plies => {}
            Some(expected) => findings.add(|| wrong(&position, &solution, plies, &expected.to_string())),
            None => by_search.push((position, plies)),
        }
    }
    let others = found.states() - seen;
    if others > 0 {
        findings.add(|| format!("{others} states that are no positions up to ply {}", found.plies()));
    }
    let all = options.full || by_search.len() <= SEARCHED;
    if !all {
        Random::new(options.seed).shuffle(&mut by_search);
        by_search.truncate(SEARCHED);
    }
    // The solution is opened without the book, so that the search is independent of it.
    let alone = Solution::of(Stored::open_without_book(folder, rules, limits)?);
    let asked: Vec<Position> = by_search.iter().map(|(position, _)| position.clone()).collect();
    let (mut done, total, mut open) = (0, asked.len() as u64, false);
    book::search(&alone, &asked, options.threads, limits, |index, searched| {
        done += 1;
        listener.event(&Event::Work { what: "distances", done, total });
        let (position, plies) = &by_search[index];
        match searched {
            Searched::Plies(expected) if expected == *plies => {}
            Searched::Plies(expected) => findings.add(|| wrong(position, &alone, *plies, &expected.to_string())),
            Searched::Endless => findings.add(|| wrong(position, &alone, *plies, "no end")),
            Searched::Open => open = true,
        }
        Ok(())
    })?;
    findings.end(result);
    result.claims.add(Claim::Book, if all && !open { How::Proved } else { How::Sampled });
    Ok(())
}

fn damaged(result: &mut Verification, error: &StoreError) {
    result.findings.push(Finding { place: store::BOOK.to_owned(), message: error.without_file() });
}

fn wrong(position: &Position, solution: &Solution, plies: u32, expected: &str) -> String {
    let state = position.state.names(solution.game()).join(" ");
    format!("the position of ply {} with {state} has the distance {plies}, and it is {expected}", position.layer)
}
