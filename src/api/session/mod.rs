//! The whole way from a text to a strong solution, for programs; the command line is one of them.
//!
//! A [`Session`] has limits, and a listener for progress. It loads [`Rules`] from a text or a file, checks, grounds,
//! solves and translates them, opens stored solutions and verifies them. Results are plain data: their JSON is that of
//! the command line, and [`crate::report`] displays them as text. Failures are [`Error`]s of different kinds. Costs:
//! see [`game::ground`] and [`::solving::solve`].

mod aim;
mod book;
mod check;
mod cyclic_plan;
mod error;
mod export;
mod ground;
mod guarantee;
mod longest;
mod orbits;
mod plan;
mod plans;
mod puzzles;
mod rules;
mod run;
mod solve;
mod solving;
mod stored;
mod symmetry;
mod verify;

pub use crate::verify::{Checked as VerifiedLayer, Claims, Finding as VerifyFinding};
pub use aim::Unreached;
pub use aim::dead_ends;
pub use book::{BookLayer, BookReport};
pub use check::CheckReport;
pub use cyclic_plan::{CyclicPlanReport, CyclicPlanTimes, TiersReport};
pub use error::{Error, ErrorKind};
pub use export::ExportReport;
pub use ground::{GroundReport, GroundStatistics, GroundTimes, Restricted, RestrictedRelation, RuleCost, RulePlace};
pub use guarantee::GuaranteeReport;
pub use longest::LongestPlay;
pub use orbits::{OrbitsOfStates, OrbitsReport, SymmetriesFound};
pub use plan::{AnyPlan, PlanLayer, PlanLimit, PlanReport, PlanTimes};
pub use plans::PlansReport;
pub use puzzles::{PuzzleMove, PuzzleRecord, PuzzleReport};
pub use rules::{Rules, read_bounded};
pub use run::{Command, LayerReport, RunReport, Times};
pub use solve::Destination;
pub use stored::{SolutionReport, UnfinishedReport};
pub use symmetry::{Generator, SymmetryGroup, SymmetryReport};
pub use verify::VerifyReport;

use crate::inspect;
use crate::translate::gambit::Form;
use crate::translate::{self, TranslateError};
use ::solving::solution::{ExactSolution, Opened, Position, Solution};
use ::solving::solve::{Event, Listener, Silent, Stage};
use base::limits::Limits;
use base::machine;
use game::diagnostic::{Findings, Source};
use game::ground::Grounding;
use game::rules::notation::{Transcribed, transcribed};
use game::rules::{Language, Notation};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Approximate bytes of memory per byte of rules, for parsed rules and findings.
const READ_BYTES: u64 = 50;

/// Limits and a listener for some work. Clones share both.
#[derive(Clone)]
pub struct Session {
    limits: Arc<Limits>,
    listener: Arc<dyn Listener>,
}

impl Default for Session {
    /// A session with 80 % of the machine's memory, and without a listener.
    fn default() -> Self {
        Session::new(Limits::new(machine::granted_memory()))
    }
}

impl Session {
    /// A session without a listener.
    pub fn new(limits: Limits) -> Self {
        Session::with(Arc::new(limits), Arc::new(Silent))
    }

    /// A session with limits that may be shared, and with a listener.
    pub fn with(limits: Arc<Limits>, listener: Arc<dyn Listener>) -> Self {
        Session { limits, listener }
    }

    /// The limits of the session. [`Limits::interrupt`] stops its work at the next check.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Fails if memory does not suffice to read a text as rules.
    pub fn check_room(&self, source: &Source) -> Result<(), Error> {
        let bytes = source.text().len() as u64;
        let room = self.limits.hold(bytes.saturating_mul(READ_BYTES));
        Ok(room.map(drop).map_err(|limit| limit.during(|| format!("reading {} ({bytes} bytes)", source.name())))?)
    }

    /// Reads a text as rules. The language follows from the extension of the source's name, otherwise from the text.
    pub fn load(&self, source: Source) -> Rules {
        let language = Language::of(Path::new(source.name()), source.text());
        let ((program, diagnostics), seconds) = self.stage(Stage::Parse, || language.program(&source));
        Rules { source, language, gdl: None, program, diagnostics, seconds }
    }

    /// Rules in a notation of the caller's own.
    ///
    /// ```
    /// use ggsolve::{Diagnostic, Notation, Session, SolveOptions, Source, Transcript};
    ///
    /// /// A maze: a way on each line, from one place to another. Go from `in` to `out`.
    /// struct Maze;
    ///
    /// impl Notation for Maze {
    ///     fn transcribe(&self, source: &Source, transcript: &mut Transcript) {
    ///         for (place, line) in source.lines() {
    ///             match line.split_whitespace().collect::<Vec<_>>()[..] {
    ///                 [from, to] => transcript.sentence(place, format!("(way {from} {to})")),
    ///                 _ => transcript.finding(Diagnostic::error("maze", place, "two places are expected")),
    ///             }
    ///         }
    ///         let rules = "(role you) (init (at in)) (<= (legal you (go ?y)) (true (at ?x)) (way ?x ?y))
    ///             (<= (next (at ?y)) (does you (go ?y))) (<= moving (true (at ?x)) (way ?x ?y))
    ///             (<= terminal (true (at out))) (<= terminal (not moving))
    ///             (<= (goal you 100) (true (at out))) (<= (goal you 0) (not (true (at out))))";
    ///         transcript.sentence(Default::default(), rules);
    ///     }
    /// }
    ///
    /// let session = Session::default();
    /// let rules = session.load_with(Source::new("maze", b"in left\nin right\nright out"), &Maze);
    /// let solution = session.solution(&rules, &SolveOptions::default())?;
    /// assert_eq!(solution.query(&solution.start(), None)?.moves[0].action, "(go right)");
    /// # Ok::<(), ggsolve::Error>(())
    /// ```
    pub fn load_with(&self, source: Source, notation: &dyn Notation) -> Rules {
        let (read, seconds) = self.stage(Stage::Parse, || transcribed(&source, notation));
        let Transcribed { program, diagnostics, gdl } = read;
        Rules { source, language: Language::Gdl, gdl: Some(gdl), program, diagnostics, seconds }
    }

    /// Reads the rules in a file.
    pub fn load_file(&self, path: &Path) -> Result<Rules, Error> {
        Ok(self.load(self.source(path, "the rules")?))
    }

    /// Reads a file. `what` is its role in errors, such as "the rules". Fails if memory does not suffice.
    pub fn source(&self, path: &Path, what: &'static str) -> Result<Source, Error> {
        let file = std::fs::File::open(path).map_err(|error| Error::file(path, what, &error))?;
        let bytes = read_bounded(file, path, what)?;
        let source = Source::new(path.display().to_string(), &bytes);
        self.check_room(&source)?;
        Ok(source)
    }

    /// Writes rules in another language. With `ground`, GDDL is written without parameters, from the propositional
    /// form. Findings are reported to the listener.
    pub fn translate(&self, rules: &Rules, to: Language, ground: bool) -> Result<String, Error> {
        let program = rules.program()?;
        if program.costs.is_some() {
            self.listener.event(&Event::Notice(translate::without_costs(to).to_owned()));
        }
        if to == Language::Gdl {
            let (inspection, grounding) = inspect::program(program, &self.limits)?;
            self.tell(&rules.all_findings(inspection.diagnostics));
            let idle = grounding.map_or_else(Vec::new, |grounding| grounding.idle);
            return Ok(translate::told(translate::gdl::text(program, &idle), program, to));
        }
        let (grounding, _, findings) = self.grounding(rules, None)?;
        let text = match ground {
            true => translate::ground::text(&grounding.game, &self.limits).map(|text| (text, None)),
            false => translate::gddl(program, &grounding.game, &grounding.idle, &self.limits),
        };
        let (text, obstacle) = self.translated(rules, &grounding, findings, text)?;
        if let Some(obstacle) = obstacle {
            self.listener.event(&Event::Notice(obstacle.text(&rules.source)));
        }
        Ok(translate::told(text, program, to))
    }

    /// Writes a game for Gambit: as a tree, or as a table if every player chooses once. Findings are reported to the
    /// listener.
    pub fn gambit(&self, rules: &Rules, form: Form) -> Result<String, Error> {
        let (grounding, _, findings) = self.grounding(rules, None)?;
        let text = translate::gambit::text(&grounding.game, form, &self.limits);
        self.translated(rules, &grounding, findings, text)
    }

    /// Writes a position with exact values for Gambit, as a table of joint choices and the values after them.
    pub fn gambit_position(&self, solution: &ExactSolution, position: &Position) -> Result<String, Error> {
        let table = translate::gambit::of_position(solution, position, &self.limits)?;
        table.ok_or_else(|| export::no_single_values(&solution.solution().game().name, "a table could show"))
    }

    fn translated<T>(
        &self,
        rules: &Rules,
        grounding: &Grounding,
        findings: Findings,
        text: Result<T, TranslateError>,
    ) -> Result<T, Error> {
        text.or_else(|error| {
            let refusal = if let TranslateError::Refused(refusal) = &error { Some(refusal) } else { None };
            let findings = rules.with_reasons(grounding, refusal, findings, &self.limits)?;
            Err(Error::translate(&grounding.game.name, error, findings))
        })
    }

    /// Opens a stored solution, finished or not. Fails for solutions with exact values: see [`Session::open_any`].
    pub fn open(&self, folder: &Path) -> Result<Solution, Error> {
        Ok(Solution::open(folder, &self.limits)?.within(&self.limits))
    }

    /// Opens a stored solution with values of any kind.
    pub fn open_any(&self, folder: &Path) -> Result<Opened, Error> {
        Ok(Opened::open(folder, &self.limits)?.within(&self.limits))
    }

    /// Reports the stage to the listener; returns the result of the work and its seconds.
    fn stage<T>(&self, stage: Stage, work: impl FnOnce() -> T) -> (T, f64) {
        self.listener.event(&Event::StageStarted(stage));
        let start = Instant::now();
        let result = work();
        let seconds = start.elapsed().as_secs_f64();
        self.listener.event(&Event::StageFinished { stage, seconds, detail: String::new() });
        (result, seconds)
    }

    fn tell(&self, findings: &Findings) {
        self.listener.event(&Event::Findings(findings.clone()));
    }
}
