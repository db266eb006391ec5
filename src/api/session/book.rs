//! Makes the book of a solution: a file beside it with the distances of all positions up to a ply.

use super::{Error, Session};
use base::limits::Limits;
use game::interpreter::State;
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use solving::solution::book::{self, Mirrors, Positions, Searched};
use solving::solution::{Position, ReadError, Solution};
use solving::solve::{Event, Listener};
use solving::store::manifest::Progress;
use solving::store::runs::Seconds;
use solving::store::{self, Lock, Manifest};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Least time between two saves.
const BETWEEN_SAVES: Duration = Duration::from_secs(30);
/// The next save waits for at least this multiple of the time that the last save took.
const SAVING_SHARE: u32 = 20;

/// The result of [`Session::book`] with its costs. Its JSON is the report of `book`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BookReport {
    /// Name of the game.
    pub game: String,
    /// Names of the roles; rewards are in this order.
    pub roles: Vec<String>,
    /// The last requested ply.
    pub plies: u32,
    /// Whether the book has the distance of every position up to that ply from which play ends.
    pub complete: bool,
    /// By role: the reward of the first position; `None` if play can go on for ever.
    pub value: Option<Vec<u8>>,
    /// Plies from the first position to the end, if play ends.
    pub distance: Option<u32>,
    /// The plies of the book.
    pub layers: Vec<BookLayer>,
    /// Number of symmetries that map a position to one with the same distance, including the identity.
    pub symmetries: usize,
    /// Number of positions whose distance was searched in this run.
    pub searched: u64,
    /// The file of the book.
    pub stored: PathBuf,
    /// Bytes of the file.
    pub bytes: u64,
    /// Seconds that the work took.
    pub time_s: Seconds,
}

/// The positions that are first reached at one ply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BookLayer {
    /// Number of the ply.
    pub ply: u32,
    /// Number of positions.
    pub positions: u64,
    /// Number of positions whose distance is known.
    pub known: u64,
    /// Number of positions from which play can go on for ever.
    pub endless: u64,
}

impl Session {
    /// Stores the distances of all positions up to a ply beside the solution, on `threads` threads. Distances in an
    /// existing book are kept. If a limit ends the run, the distances found so far are stored.
    pub fn book(&self, folder: &Path, plies: u32, threads: usize) -> Result<BookReport, Error> {
        self.made_book(folder, plies, threads).map_err(|error| match error {
            Error::Limit(_) => error.unfinished(folder),
            other => other,
        })
    }

    fn made_book(&self, folder: &Path, plies: u32, threads: usize) -> Result<BookReport, Error> {
        let start = Instant::now();
        let manifest = Manifest::load(folder)?;
        if manifest.is_exact() {
            let what =
                "a book has the plies to the end under best play, and with chance or mixed moves these are no number";
            return Err(Error::Options(what.to_owned()));
        }
        if manifest.phase != Progress::Complete || manifest.opponent_model.is_none() {
            return Err(Error::Unsolved(format!("{}: values are missing", folder.display())));
        }
        if manifest.distances {
            let folder = folder.display();
            return Err(Error::Options(format!("{folder} has the distances of all states already: ask with `query`")));
        }
        let _lock = Lock::take(folder)?;
        let solution = self.open(folder)?;
        let positions = Positions::new(&solution, plies, &self.limits)?;
        let mut making = Making {
            folder,
            manifest: &manifest,
            solution: &solution,
            positions: &positions,
            mirrors: Mirrors::new(&solution, &self.limits)?,
            plies: plies.max(solution.book().map_or(0, store::Book::plies)),
            threads,
            limits: &self.limits,
            listener: &*self.listener,
            known: FxHashMap::default(),
            endless: FxHashSet::default(),
            unsaved: false,
            saved: Instant::now(),
            searched: 0,
        };
        making.take_over()?;
        let made = making.run();
        let saved = making.save();
        made.and(saved)?;
        making.report(plies, start.elapsed())
    }
}

struct Making<'a> {
    folder: &'a Path,
    manifest: &'a Manifest,
    solution: &'a Solution,
    positions: &'a Positions<'a>,
    mirrors: Mirrors,
    plies: u32,
    threads: usize,
    limits: &'a Arc<Limits>,
    listener: &'a dyn Listener,
    known: FxHashMap<State, u32>,
    endless: FxHashSet<State>,
    unsaved: bool,
    saved: Instant,
    searched: u64,
}

impl Making<'_> {
    fn take_over(&mut self) -> Result<(), ReadError> {
        if let Some(book) = self.solution.book() {
            // A damaged book must not be continued, so its checksum is compared.
            book.check_sum()?;
            self.known.extend(self.solution.booked());
        }
        Ok(())
    }

    fn run(&mut self) -> Result<(), ReadError> {
        let last = self.positions.plies() - 1;
        if last as u32 == self.plies {
            self.search(last, self.positions.of(last).iter().cloned().collect())?;
        }
        for ply in (0..=last).rev() {
            let mut left = Vec::new();
            for state in self.positions.of(ply) {
                self.limits.check()?;
                if self.known.contains_key(state) || self.endless.contains(state) {
                    continue;
                }
                let position = Position { layer: ply as u32, state: state.clone() };
                match book::derived(self.solution, &position, |after| self.known.get(after).copied())? {
                    Some(plies) => self.found(state.clone(), Searched::Plies(plies)),
                    None if (ply as u32) < self.plies => left.push(state.clone()),
                    None => {}
                }
            }
            // These are endless, have a successor of an earlier ply or without a distance, or a value that yields.
            self.search(ply, left)?;
        }
        Ok(())
    }

    fn search(&mut self, ply: usize, states: Vec<State>) -> Result<(), ReadError> {
        let mut orbits: IndexMap<State, Vec<State>> = IndexMap::new();
        for state in states {
            let least = self.mirrors.least(&state);
            if let Some(&plies) = self.known.get(&state).or_else(|| self.known.get(&least)) {
                self.found(state, Searched::Plies(plies));
            } else {
                orbits.entry(least).or_default().push(state);
            }
        }
        let layer = ply as u32;
        let positions: Vec<Position> =
            orbits.values().map(|states| Position { layer, state: states[0].clone() }).collect();
        let total = positions.len() as u64;
        let mut done = 0;
        // The first search may take minutes.
        self.listener.event(&Event::Work { what: "distances", done, total });
        let (solution, threads, limits) = (self.solution, self.threads, self.limits);
        book::search(solution, &positions, threads, limits, |index, found| {
            done += 1;
            self.searched += 1;
            self.listener.event(&Event::Work { what: "distances", done, total });
            for state in &orbits[index] {
                self.found(state.clone(), found);
            }
            if self.saved.elapsed() > BETWEEN_SAVES {
                self.save()?;
            }
            Ok(())
        })
    }

    fn found(&mut self, state: State, found: Searched) {
        match found {
            Searched::Plies(plies) => self.unsaved |= self.known.insert(state, plies).is_none(),
            Searched::Endless => drop(self.endless.insert(state)),
            Searched::Open => {}
        }
    }

    /// Does nothing if the stored book has all distances already.
    fn save(&mut self) -> Result<(), ReadError> {
        if !self.unsaved && self.solution.book().is_some_and(|book| book.plies() == self.plies) {
            return Ok(());
        }
        let start = Instant::now();
        let key = |state: &State| self.solution.book_key(state);
        let mut records = Vec::with_capacity(self.known.len());
        for (state, &plies) in &self.known {
            records.push((key(state)?, plies));
        }
        records.sort_unstable();
        store::Book::write(self.folder, self.manifest, self.plies, &records, self.limits)?;
        self.unsaved = false;
        // The next save waits for a multiple of the time that this save took.
        self.saved = Instant::now() + SAVING_SHARE * start.elapsed();
        Ok(())
    }

    fn report(self, plies: u32, time: Duration) -> Result<BookReport, Error> {
        let start = self.solution.start();
        let layer = |ply: usize| {
            let states = self.positions.of(ply);
            let count = |is: &dyn Fn(&State) -> bool| states.iter().filter(|state| is(state)).count() as u64;
            BookLayer {
                ply: ply as u32,
                positions: states.len() as u64,
                known: count(&|state| self.known.contains_key(state)),
                endless: count(&|state| self.endless.contains(state)),
            }
        };
        let layers: Vec<BookLayer> = (0..self.positions.plies()).map(layer).collect();
        let stored = self.folder.join(store::BOOK);
        let bytes = std::fs::metadata(&stored).map_err(|error| Error::file(&stored, "the book", &error))?.len();
        Ok(BookReport {
            game: self.manifest.game.clone(),
            roles: self.solution.roles(),
            plies,
            complete: layers.iter().all(|layer| layer.known + layer.endless == layer.positions),
            value: self.solution.worth(&start)?.value.map(<[u8]>::to_vec),
            distance: self.known.get(&start.state).copied(),
            layers,
            symmetries: self.mirrors.number(),
            searched: self.searched,
            stored,
            bytes,
            time_s: Seconds::new(time.as_secs_f64()),
        })
    }
}
