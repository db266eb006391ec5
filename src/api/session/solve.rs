//! Solves games, with or without a folder that keeps finished parts.

use super::guarantee::roles_of;
use super::solving::Solving;
use super::{Error, Rules, RunReport, Session, longest};
use base::digits::counted;
use base::scratch::TemporaryFolder;
use game::diagnostic::Findings;
use game::ground::Grounding;
use game::rules::identity;
use solving::solution::Solution;
use solving::solve::{self, Algorithm, Event, Outcome, PlayedMove, SolveError, SolveOptions, Stage, differences};
use solving::store::manifest::Progress;
use solving::store::{self, Manifest, Store, StoreError, Subject};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bound on the positions that the search for a line of best play keeps; each takes some hundred bytes.
const LINE_POSITIONS: usize = 2_000_000;

/// Where a solution is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A folder that is new or has a solution of the same game and options. A finished solution is reported, an
    /// unfinished one is continued.
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Whether a solution of another game or with other options is replaced.
        force: bool,
    },
    /// Nothing is stored, for this reason.
    Nowhere(String),
}

impl Session {
    /// Solves a game strongly, or counts its states if the options say so.
    pub fn solve(&self, rules: &Rules, options: &SolveOptions, destination: &Destination) -> Result<RunReport, Error> {
        let before = Duration::try_from_secs_f64(rules.seconds).unwrap_or_default();
        let record = store::Run::start(options.named(), options.threads, self.limits.memory(), before);
        record.add(Stage::Parse.name(), rules.seconds);
        let run = Solving { session: self, options, record };
        match destination {
            Destination::Nowhere(reason) => {
                let solved = if run.needs_store(rules)? { run.stored_for_a_while(rules) } else { run.unstored(rules) };
                Ok(RunReport { unstored: Some(reason.clone()), ..solved? })
            }
            Destination::Folder { folder, force } => {
                let solved = run.stored(rules, folder, *force).and_then(|report| run.looked_in(folder, report));
                let report = solved.map_err(|error| run.kept(error, rules, folder, *force))?;
                Ok(RunReport { stored: Some(folder.clone()), ..report })
            }
        }
    }

    pub(super) fn look_in(&self, folder: &Path, report: &mut RunReport) -> Result<(), Error> {
        longest::with_states(&mut report.longest, folder, &self.limits, &*self.listener)?;
        if let Some(unreached) = &mut report.unreached {
            unreached.look(folder, &self.limits, &*self.listener)?;
        }
        Ok(())
    }

    /// Solves a game in turns without chance in a temporary folder, which lasts as long as the opened solution.
    pub fn solution(&self, rules: &Rules, options: &SolveOptions) -> Result<Solution, Error> {
        let options = &SolveOptions { in_turns: true, ..options.clone() };
        let folder = temporary_folder(None)?;
        // The session needs an empty folder.
        let destination = Destination::Folder { folder: folder.path().join("solution"), force: false };
        match self.solve(rules, options, &destination) {
            Ok(_) => {
                let solution = Solution::temporary(folder, Path::new("solution"), &self.limits)?;
                Ok(solution.within(&self.limits))
            }
            // The folder is removed, so the run cannot be continued.
            Err(Error::Unfinished { error, .. }) => Err(*error),
            Err(error) => Err(error),
        }
    }
}

/// A temporary folder in `parent`, or in the system's folder for temporary files.
pub(super) fn temporary_folder(parent: Option<&Path>) -> Result<TemporaryFolder, Error> {
    TemporaryFolder::new(parent, "ggsolve-").map_err(|error| Error::Storage(error.to_string()))
}

impl Solving<'_> {
    /// Whether the report needs stored states or values.
    fn needs_store(&self, rules: &Rules) -> Result<bool, Error> {
        let SolveOptions { guarantees, ties, orbits, line, algorithm, .. } = self.options;
        let line = *line && algorithm.is_none_or(Algorithm::is_stored) && rules.program()?.roles.len() > 1;
        Ok(line || *ties || *orbits || !guarantees.is_empty())
    }

    /// Solves in a temporary folder, because guarantees, ties, orbits and a line need stored states or values.
    fn stored_for_a_while(&self, rules: &Rules) -> Result<RunReport, Error> {
        let folder = temporary_folder(self.options.scratch.as_deref())?;
        let folder = folder.path().join("solution");
        match self.stored(rules, &folder, false) {
            // The folder is removed, so the run cannot be continued.
            Err(Error::Unfinished { error, .. }) => Err(*error),
            solved => self.looked_in(&folder, solved?),
        }
    }

    /// Adds to a report what stored states tell.
    fn looked_in(&self, folder: &Path, mut report: RunReport) -> Result<RunReport, Error> {
        self.session.look_in(folder, &mut report)?;
        if self.options.orbits {
            report.add_orbits(folder, self.options, &self.session.limits, &*self.session.listener)?;
        }
        Ok(report)
    }

    /// The error of a run into a folder, which says whether anything is kept there: from this run or an earlier one.
    fn kept(&self, error: Error, rules: &Rules, folder: &Path, force: bool) -> Error {
        let found = || self.subject(rules).and_then(|subject| self.find(folder, &subject, force));
        match error {
            Error::Limit(_) if found().is_ok_and(|found| found.is_some()) => error.unfinished(folder),
            error => error,
        }
    }

    fn unstored(&self, rules: &Rules) -> Result<RunReport, Error> {
        let (grounding, findings) = self.grounded(rules, None)?;
        let outcome = solve::run(&grounding.game, self.options, &self.session.limits, &*self.session.listener);
        let times = outcome.iter().flat_map(|outcome| &outcome.times);
        times.for_each(|time| self.record.add(time.stage.name(), time.seconds));
        let report = self.finished(rules, grounding, outcome, findings)?;
        // A line that ends is part of the outcome.
        if self.options.line && report.line.is_none() && report.value == Some(None) && report.roles.len() > 1 {
            let algorithm = report.algorithm.name();
            let text =
                format!("a line that goes on for ever follows stored values; the algorithm {algorithm} has none");
            self.session.listener.event(&Event::Notice(text));
        }
        Ok(report)
    }

    /// Continues the solution in a folder, or reports it if it is finished.
    fn stored(&self, rules: &Rules, folder: &Path, force: bool) -> Result<RunReport, Error> {
        rules.program()?;
        let subject = self.subject(rules)?;
        let found = self.find(folder, &subject, force)?;
        if found.as_ref().is_some_and(Manifest::is_exact) {
            solve::check_exact(self.options).map_err(|error| Error::Options(error.to_string()))?;
        }
        let option_differences = found.iter().flat_map(|manifest| differences(manifest, self.options)).collect();
        // A line of best play, and ties that were not counted, need more than the manifest.
        let counted = !self.options.ties || found.as_ref().is_some_and(|manifest| manifest.ties.is_some());
        let searched = |manifest: &Manifest| manifest.roles.len() > 1 && !manifest.is_global();
        if (!self.options.line || found.as_ref().is_some_and(searched))
            && counted
            && !found.as_ref().map_or(Ok(false), |manifest| self.plans_by_layers(rules, manifest))?
            && let Some(manifest) = &found
            && let Some(mut outcome) = solve::finished(manifest, self.options.opponent_model, self.options.count_only)
        {
            // A run that only counts needs no values, so it has no reason to lack them.
            outcome.unvalued = None;
            let Manifest { game, roles, mut runs, .. } = manifest.clone();
            if let Err(error) = store::tidy(folder, manifest) {
                let text = format!("files that a killed run left cannot be removed: {error}");
                self.session.listener.event(&Event::Notice(text));
            }
            let (game_of_plans, findings) = match self.looks_for_plans(rules)? {
                true => self.grounded(rules, None).map(|(grounding, findings)| (Some(grounding.game), findings))?,
                false => (None, self.session.inspected(rules)?),
            };
            let (guarantees, computed) = self.guarantees(rules, &findings, folder)?;
            if computed {
                runs = Store::open(folder, subject, &self.record, &self.session.limits)
                    .and_then(Store::add_run)
                    .map_err(Error::folder)?;
            }
            let report = RunReport::new(outcome, game, roles, rules.sha256(), findings.diagnostics).with_runs(runs);
            let mut report = self.with_line(report, folder)?.aimed(&rules.program()?.rewards());
            if let Some(game) = game_of_plans {
                let added = self.session.add_plans(&game, self.options, None, &mut report);
                added.map_err(|error| error.unfinished(folder))?;
            }
            let has_values = self.options.count_only && manifest.is_finished();
            return Ok(RunReport { guarantees, from_disk: !computed, has_values, option_differences, ..report });
        }
        let open = if force && found.is_none() { Store::replace } else { Store::open };
        let mut store = open(folder, subject, &self.record, &self.session.limits).map_err(Error::folder)?;
        self.tell_removed(folder, &store);
        let Subject { game, language, rules: text, .. } = store.subject();
        let (grounding, findings) = self.stored_game(rules, game, language, text, None)?;
        let roles = grounding.game.player_names();
        roles_of(&self.options.guarantees, &roles)?;
        let (limits, listener) = (&self.session.limits, &*self.session.listener);
        let outcome = solve::run_stored(&grounding.game, self.options, &mut store, limits, listener);
        let finished = self.finished(rules, grounding, outcome, findings.clone());
        let from_disk = !store.has_grown();
        let Some(Manifest { runs, .. }) = store.manifest().cloned() else { return finished };
        let finished = self.with_line(finished.map_err(|error| error.unfinished(folder))?.with_runs(runs), folder)?;
        store.forget_replaced().map_err(Error::folder)?;
        if self.options.guarantees.is_empty() {
            return Ok(RunReport { from_disk, option_differences, ..finished });
        }
        let (guarantees, computed) = self.guarantees(rules, &findings, folder)?;
        let finished = match computed {
            true => finished.with_runs(store.add_run().map_err(Error::folder)?),
            false => finished,
        };
        Ok(RunReport { guarantees, from_disk: from_disk && !computed, option_differences, ..finished })
    }

    fn tell_removed(&self, folder: &Path, store: &Store) {
        if store.unnamed() > 0 {
            let (folder, files) = (folder.display(), counted(store.unnamed(), "file"));
            let text =
                format!("{folder}: {files} of a solution removed, as there was no manifest.json that names them");
            self.session.listener.event(&Event::Notice(text));
        }
    }

    /// Adds a line of best play in a game of several roles, if the options ask for it and the run found none. Of a
    /// single player without an end within reach, the report says that there is no plan.
    fn with_line(&self, mut report: RunReport, folder: &Path) -> Result<RunReport, Error> {
        let has_line = report.value.as_ref().is_some_and(|value| value.is_some() || report.roles.len() > 1);
        if !self.options.line || !has_line || report.line.is_some() {
            return Ok(report);
        }
        let solution = Solution::open(folder, &self.session.limits)?;
        let start = solution.start();
        let line = solution.line(&start, LINE_POSITIONS, &self.session.limits)?;
        report.line_repeats = line.repeats;
        let played = line.steps.iter().map(|step| PlayedMove {
            role: step.ply.role,
            action: solution.move_name(step.ply.action()).to_owned(),
            joint: solution.joint_names(&step.ply.joint),
        });
        report.line = Some(played.collect());
        report.line_exact = line.exact;
        Ok(report)
    }

    /// The solution in the folder that the run continues. `None` if there is none; or if `force` replaces it, because
    /// it is of another game, damaged, or with other options.
    fn find(&self, folder: &Path, subject: &Subject, force: bool) -> Result<Option<Manifest>, Error> {
        let found = store::find(folder, subject).and_then(|found| {
            if let Some(manifest) = &found {
                self.check_guarantees(folder, manifest)?;
            }
            Ok(found)
        });
        match found {
            Err(StoreError::Foreign { .. } | StoreError::Damaged { .. }) if force => Ok(None),
            found => {
                let found = found.map_err(Error::folder)?;
                let wanted = |manifest: &Manifest| {
                    let usable = manifest.phase == Progress::Complete || manifest.id.is_some();
                    usable && differences(manifest, self.options).is_empty()
                };
                Ok(found.filter(|manifest| !force || wanted(manifest)))
            }
        }
    }

    pub(super) fn subject(&self, rules: &Rules) -> Result<Subject, Error> {
        let (source, language) = (rules.stored_text(), rules.language);
        let SolveOptions { opponent_model, count_only, distances, .. } = *self.options;
        Ok(Subject {
            game: rules.program()?.name.clone(),
            language: language.name().to_owned(),
            rules: source.text().as_bytes().to_vec(),
            rules_hash: identity(&language.rulesheet(source).expect("rules with a program have no errors")),
            opponent_model: (!count_only).then(|| opponent_model.name().to_owned()),
            distances,
            algorithm: self.options.algorithm.map(|algorithm| algorithm.name().to_owned()),
        })
    }

    fn finished(
        &self,
        rules: &Rules,
        grounding: Grounding,
        outcome: Result<Outcome, SolveError>,
        findings: Findings,
    ) -> Result<RunReport, Error> {
        let mut outcome = match outcome {
            Ok(outcome) => outcome,
            Err(error) => {
                let limits = &self.session.limits;
                let findings = rules.with_reasons(&grounding, error.refusal(), findings, limits)?;
                return Err(Error::solve(&grounding.game.name, error, findings));
            }
        };
        let game = grounding.game;
        let roles = game.player_names();
        self.record.set_engine(outcome.engine.name());
        self.record.finish();
        let (unmet, plan) = (outcome.unmet.take(), outcome.solution.as_mut().and_then(|found| found.plan.take()));
        let report = RunReport::new(outcome, game.name.clone(), roles, rules.sha256(), findings.diagnostics);
        let mut report = report.with_runs(vec![self.record.record()]).aimed(&rules.program()?.rewards());
        if let Some(unreached) = &mut report.unreached {
            unreached.explain(&game, unmet);
        }
        self.session.add_plans(&game, self.options, plan, &mut report)?;
        Ok(report)
    }
}
