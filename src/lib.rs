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
//! Solve a game in which two players choose at the same time, in exact numbers:
//!
//! ```
//! # use ggsolve::{Destination, Opened, Session, SolveOptions};
//! # use std::path::Path;
//! # let session = Session::default();
//! # let scene = tempfile::tempdir().expect("a temporary folder");
//! # let folder = scene.path().join("pennies.ggs");
//! let rules = session.load_file(Path::new("games/matching_pennies.gdl"))?;
//! session.solve(&rules, &SolveOptions::default(), &Destination::Folder { folder: folder.clone(), force: false })?;
//! let Opened::Exact(solution) = session.open_any(&folder)? else { panic!("the values of such games are exact numbers") };
//! let query = solution.query(&solution.start())?;
//! assert_eq!(query.value.expect("there is a single value").to_string(), "50 50");
//! assert_eq!(query.strategies["even"][0].probability.0.to_string(), "1/2");
//! # Ok::<(), ggsolve::Error>(())
//! ```
//!
//! The crates `base`, `kernel`, `game`, `solving` and `api` are the stages behind a session, in this order.

#![warn(missing_docs)]

#[cfg(all(feature = "cli", not(loom)))]
mod cli;

#[doc(inline)]
pub use api::export::{Form as ExportForm, Options as ExportOptions};
#[doc(inline)]
pub use api::puzzles::Options as PuzzleOptions;
#[doc(inline)]
pub use api::session::{self, Destination, Error, ErrorKind, Rules, Session};
#[doc(inline)]
pub use api::translate::gambit::Form as GambitForm;
#[doc(inline)]
pub use api::verify::Options as VerifyOptions;
#[doc(inline)]
pub use api::{play, review};
#[doc(inline)]
pub use base::limits::{LimitReached, Limits, parse_size};
#[doc(inline)]
pub use base::random::Random;
#[doc(inline)]
pub use game::aim::Aim;
#[doc(inline)]
pub use game::diagnostic::{Diagnostic, Finding, Findings, Severity, Source, Span};
#[doc(inline)]
pub use game::matrix::Rational;
#[doc(inline)]
pub use game::reward::OpponentModel;
#[doc(inline)]
pub use game::rules::{Language, Notation, Transcript};
#[doc(inline)]
pub use solving::exact::Value as ExactValue;
#[doc(inline)]
pub use solving::solution::{
    Among, Distance, Drawing, ExactMove, ExactQuery, ExactSolution, Forced, Guarantee, Mixed, Opened, Over, Position,
    PositionError, Probability, QueriedMove, QueriedPlans, Query, ReadError, Sample, Solution, terms,
};
#[doc(inline)]
pub use solving::solve::plan::Terms as PlanTerms;
#[doc(inline)]
pub use solving::solve::team::{Link, Team, decline, serve};
#[doc(inline)]
pub use solving::solve::{
    Algorithm, EngineChoice, Event, Listener, Order, Phase, Refusal, SharedWork, SolveOptions, Stage,
};
#[doc(inline)]
pub use solving::unmet::Unmet;

#[cfg(all(feature = "cli", not(loom)))]
#[doc(hidden)]
pub use cli::main as program;
