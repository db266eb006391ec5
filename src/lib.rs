//! `ggsolve`: strong solutions of general games from their rules.
//!
//! A strong solution has the value of every reachable state. The rules are texts in GDL, the Game Description Language,
//! or in GDDL, the game dialect of PDDL. A [`Session`] goes the whole way from a text to a [`Solution`] that answers
//! questions about positions; its results display as text and serialise to the JSON of the command line.
//!
//! Solve a game that is given as a text, and look at its first position:
//!
//! ```
//! use ggsolve::{Session, SolveOptions, Source};
//!
//! let rules = "
//!     (role robot) (init (at 1)) (next_to 1 2) (next_to 2 3)
//!     (<= (legal robot (go ?y)) (true (at ?x)) (next_to ?x ?y))
//!     (<= (next (at ?y)) (does robot (go ?y)))
//!     (<= terminal (true (at 3))) (<= (goal robot 100) (true (at 3)))";
//! let session = Session::default();
//! let rules = session.load(Source::new("walk", rules.as_bytes()));
//! let solution = session.solution(&rules, &SolveOptions::default())?;
//! let query = solution.query(&solution.start(), None)?;
//! assert_eq!(query.value, Some(vec![100]));
//! assert_eq!(query.moves[0].action, "(go 2)");
//! # Ok::<(), ggsolve::Error>(())
//! ```
//!
//! Open a solution that lies in a folder, and walk along best moves:
//!
//! ```
//! # use ggsolve::{Destination, Session, SolveOptions};
//! # use std::path::Path;
//! # let session = Session::default();
//! # let rules = session.load_file(Path::new("games/tictactoe.gdl"))?;
//! # let scene = tempfile::tempdir().expect("a temporary folder");
//! # let folder = scene.path().join("tictactoe.ggs");
//! # let destination = Destination::Folder { folder: folder.clone(), force: false };
//! # session.solve(&rules, &SolveOptions::default(), &destination)?;
//! let solution = session.open(&folder)?;
//! let mut position = solution.start();
//! let mut plies = 0;
//! while let Some(best) = solution.query(&position, None)?.moves.into_iter().find(|found| found.optimal) {
//!     assert_eq!(best.value, Some(vec![50, 50]));
//!     position = solution.step(&position, &best.action)?;
//!     plies += 1;
//! }
//! assert_eq!(plies, 9);
//! # Ok::<(), ggsolve::Error>(())
//! ```
//!
//! Count the states of every layer, and keep nothing:
//!
//! ```
//! # use ggsolve::{Destination, Session, SolveOptions};
//! # use std::path::Path;
//! let session = Session::default();
//! let rules = session.load_file(Path::new("games/tictactoe.gdl"))?;
//! let options = SolveOptions { count_only: true, ..SolveOptions::default() };
//! let report = session.solve(&rules, &options, &Destination::Nowhere("counted only".to_owned()))?;
//! let layers: Vec<String> = report.layers.iter().map(|layer| layer.states.to_string()).collect();
//! assert_eq!(layers.join(" "), "1 9 72 252 756 1260 1520 1140 390 78");
//! # Ok::<(), ggsolve::Error>(())
//! ```
//!
//! Write a game in the other language:
//!
//! ```
//! # use ggsolve::{Language, Session};
//! # use std::path::Path;
//! let session = Session::default();
//! let rules = session.load_file(Path::new("games/tictactoe.gdl"))?;
//! let text = session.translate(&rules, Language::Gddl, false)?;
//! assert!(text.contains("(define (domain") && text.contains("(:action "));
//! # Ok::<(), ggsolve::Error>(())
//! ```
//!
//! The other modules are the stages behind a session, and private; the tests and measurements of this repository come to
//! them by the feature `internals`. A module imports only from modules of the groups above its own (`tests/modules.rs`
//! holds that).

// What only the program uses stays where it is left out.
#![cfg_attr(not(all(feature = "cli", feature = "serve")), allow(dead_code, unused_imports))]

// What only tests have, those in `tests/` as well: brute force, and small and random games.
#[cfg(test)]
extern crate self as ggsolve;
#[cfg(test)]
#[allow(dead_code, unused_imports)]
#[path = "../tests/common/explicit/mod.rs"]
mod explicit;
#[cfg(test)]
#[allow(dead_code, unused_imports)]
#[path = "../tests/common/sample/mod.rs"]
mod sample;
#[cfg(test)]
#[path = "../tests/common/show.rs"]
mod show;

// What every stage may use.
mod aim;
mod diagnostic;
mod digits;
mod limits;
mod machine;
mod propositional;
mod random;
mod refusal;
mod reward;
mod sync;

// The reference semantics, formulas, graphs, what values stand for, the form of texts, files for the time of a run, and a server
// within bounds.
mod bdd;
mod coloured;
mod ending;
#[cfg(all(feature = "serve", not(loom)))] // What it stands on has no sockets under loom.
mod http;
mod interpreter;
mod scratch;
mod syntax;

// The diagrams (which know nothing of games), many states at once, proofs, rules, and symmetries of games.
mod batch;
mod kernel;
mod proof;
mod rules;
mod symmetry;

// From rules to a game, from a game to diagrams or lists of states or plans, and what lies on the disk.
mod cheapest;
mod encode;
mod ground;
mod listing;
mod mutex;
mod store;
mod unmet;

// Solving, and reading what was solved.
mod solution;
mod solve;

// What is done with rules and solutions.
mod inspect;
pub mod play;
pub mod review;
mod translate;
mod verify;

// The way through all of it, for programs.
pub mod session;

// What plays over the network.
#[cfg(all(feature = "serve", not(loom)))]
mod player;

// Text for people.
mod report;

// Pages for people.
#[cfg(all(feature = "serve", not(loom)))]
mod explore;

// The program.
#[cfg(all(feature = "cli", not(loom)))]
mod cli;

pub use aim::Aim;
pub use diagnostic::{Diagnostic, Finding, Findings, Severity, Source, Span};
pub use limits::{LimitReached, Limits, parse_size};
pub use random::Random;
pub use reward::OpponentModel;
pub use rules::{Language, Notation, Transcript};
pub use session::{Destination, Error, ErrorKind, Rules, Session};
pub use solution::{
    Among, Distance, Drawing, Guarantee, Position, PositionError, QueriedMove, QueriedPlans, Query, Solution, terms,
};
pub use solve::plan::Terms as PlanTerms;
pub use solve::team::{Link, Team, decline, serve};
pub use solve::{Algorithm, EngineChoice, Event, Listener, Order, Phase, Refusal, SharedWork, SolveOptions, Stage};
pub use unmet::Unmet;
pub use verify::Options as VerifyOptions;

#[cfg(all(feature = "cli", not(loom)))]
#[doc(hidden)]
pub use cli::main as program;

/// The stages behind a session, for the tests and measurements of this repository.
#[cfg(any(test, feature = "internals"))]
#[doc(hidden)]
pub mod internals {
    macro_rules! stages {
        ($($stage:ident)*) => { $(pub mod $stage { pub use crate::$stage::*; })* };
    }
    stages! {
        batch bdd cheapest diagnostic digits encode ending ground inspect interpreter kernel limits listing machine
        mutex proof propositional random refusal report reward rules scratch solution solve store
        symmetry syntax translate verify
    }
    #[cfg(not(loom))]
    stages! { explore http player }
}
