//! `solve`, `classify` and `count`.

use super::super::arguments::{Format, Logging, Solve};
use super::super::failure::Failure;
use super::super::output::{print, print_error, print_json};
use super::super::progress::Console;
use super::super::{interrupt, options};
use super::prepare::{self, Prepared, Rules};
use crate::diagnostic::Source;
use crate::limits::Limits;
use crate::report::{Command, Place, RunReport, refusal_json};
use crate::rules::{Language, Program, identity};
use crate::solve::{self, Difference, Outcome, SolveError, SolveOptions, Stage, differences};
use crate::store::manifest::Progress;
use crate::store::{self, Manifest, RunRecord, Store, StoreError, Subject};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

pub fn run(command: Command, arguments: &Solve, logging: &Logging) -> Result<(), Failure> {
    let limits = options::solve_limits(arguments)?;
    let options = options::solve_options(arguments, command == Command::Count)?;
    interrupt::watch(&limits)?;
    let record = store::Run::start(options.named(), options.threads, limits.memory());
    let console = Console::new(options::display(arguments.progress, logging));
    let format = arguments.report.format;
    let rules = prepare::read(&arguments.game, format, &console)?;
    record.add(Stage::Parse.name(), rules.seconds);
    let rules_sha256 = store::hex(&store::checksum(rules.source.text().as_bytes()));
    let run = Run { options, limits, console, format, force: arguments.force, record };
    let place = place(command, arguments, &run.options, &rules.program);
    let finished = match &place {
        Place::Nowhere(_) => run.unstored(&rules),
        Place::Folder(folder) => run.stored(rules, folder),
    };
    run.console.finish();
    let Finished { game, roles, outcome, from_disk, runs, differences, diagnostics } = finished?;
    for difference in &differences {
        print_error(&format!("note: {difference}\n  --force computes the solution anew\n"));
    }
    let report = RunReport {
        command,
        game: &game,
        roles,
        outcome: &outcome,
        rules_sha256,
        place: &place,
        from_disk,
        runs: &runs,
        differences: &differences,
        diagnostics,
    };
    match format {
        Format::Json => print_json(&report.json()),
        Format::Text => print(&report.text()),
    }
}

/// Where the solution goes, if anywhere: counts are stored only where that is asked for.
fn place(command: Command, arguments: &Solve, options: &SolveOptions, rules: &Program) -> Place {
    if let Some(algorithm) = options.algorithm.filter(|algorithm| !algorithm.is_stored()) {
        return Place::Nowhere(format!("the algorithm {} stores nothing", algorithm.name()));
    }
    match &arguments.out {
        Some(folder) => Place::Folder(folder.clone()),
        None if arguments.no_store => Place::Nowhere("--no-store asks for that".to_owned()),
        None if command == Command::Count => Place::Nowhere("states that are only counted are kept with -o".to_owned()),
        None => Place::Folder(store::default_folder(&rules.name)),
    }
}

/// What a run works with.
struct Run {
    options: SolveOptions,
    limits: Arc<Limits>,
    console: Console,
    format: Format,
    /// A folder with something else is replaced.
    force: bool,
    /// The record of this run.
    record: store::Run,
}

/// What is reported.
struct Finished {
    game: String,
    roles: Vec<String>,
    outcome: Outcome,
    from_disk: bool,
    /// The runs that computed it.
    runs: Vec<RunRecord>,
    differences: Vec<Difference>,
    diagnostics: Value,
}

impl Run {
    fn unstored(&self, rules: &Rules) -> Result<Finished, Failure> {
        let prepared = self.grounded(rules)?;
        let outcome = solve::run(&prepared.grounding.game, &self.options, &self.limits, &self.console);
        let times = outcome.iter().flat_map(|outcome| &outcome.times);
        times.for_each(|time| self.record.add(time.stage.name(), time.seconds));
        self.finished(prepared, outcome)
    }

    /// Goes on with the solution in a folder, or reports it if it is finished.
    fn stored(&self, mut rules: Rules, folder: &Path) -> Result<Finished, Failure> {
        let subject = self.subject(&rules);
        let found = self.find(folder, &subject)?;
        let differences = found.iter().flat_map(|manifest| differences(manifest, &self.options)).collect();
        // A line takes the values, not only what the manifest says of them.
        if !self.options.line
            && let Some(manifest) = &found
            && let Some(outcome) = solve::finished(manifest, self.options.opponent_model, self.options.count_only)
        {
            let Manifest { game, roles, runs, .. } = manifest.clone();
            let diagnostics = prepare::warn(&rules, &self.limits, &self.console)?;
            return Ok(Finished { game, roles, outcome, from_disk: true, runs, differences, diagnostics });
        }
        let open = if self.force && found.is_none() { Store::replace } else { Store::open };
        let mut store = open(folder, subject, &self.record).map_err(Failure::folder)?;
        // The same game may be written in another way; what is stored goes by the way it was written first.
        let Subject { game, language, rules: text, .. } = store.subject();
        if text != rules.source.text().as_bytes() {
            let known = Language::named(language).unwrap_or(rules.language);
            let source = Source::new(format!("{game}.{language}"), text);
            // What there is to say is said of the text that was given.
            let told = Some(prepare::warn(&rules, &self.limits, &self.console)?);
            rules = Rules { told, ..prepare::parse(source, known, rules.check, self.format)? };
        }
        let prepared = self.grounded(&rules)?;
        let game = &prepared.grounding.game;
        let outcome = solve::run_stored(game, &self.options, &mut store, &self.limits, &self.console);
        let finished = self.finished(prepared, outcome);
        let from_disk = !store.has_grown();
        match store.manifest() {
            Some(Manifest { runs, .. }) => finished
                .map(|finished| Finished { from_disk, runs: runs.clone(), differences, ..finished })
                .map_err(|failure| Failure::unfinished(failure, folder)),
            None => finished,
        }
    }

    /// The solution that a run goes on from; with `--force` none that is of something else.
    fn find(&self, folder: &Path, subject: &Subject) -> Result<Option<Manifest>, Failure> {
        match store::find(folder, subject) {
            Err(StoreError::Foreign { .. } | StoreError::Damaged { .. }) if self.force => Ok(None),
            found => {
                let found = found.map_err(Failure::folder)?;
                let wanted = |manifest: &Manifest| {
                    let usable = manifest.phase == Progress::Complete || manifest.id.is_some();
                    usable && differences(manifest, &self.options).is_empty()
                };
                Ok(found.filter(|manifest| !self.force || wanted(manifest)))
            }
        }
    }

    fn grounded(&self, rules: &Rules) -> Result<Prepared, Failure> {
        let prepared = prepare::grounded(rules, self.format, &self.limits, &self.console)?;
        // Reading the rules is in the record already.
        let times = prepared.times.iter().filter(|time| time.stage != Stage::Parse);
        times.for_each(|time| self.record.add(time.stage.name(), time.seconds));
        Ok(prepared)
    }

    /// What a stored solution is of.
    fn subject(&self, rules: &Rules) -> Subject {
        let Rules { source, language, program, .. } = rules;
        let SolveOptions { opponent_model, count_only, .. } = self.options;
        Subject {
            game: program.name.clone(),
            language: language.name().to_owned(),
            rules: source.text().as_bytes().to_vec(),
            rules_hash: identity(&language.rulesheet(source).expect("rules with a program have no errors")),
            opponent_model: (!count_only).then(|| opponent_model.name().to_owned()),
            algorithm: self.options.algorithm.map(|algorithm| algorithm.name().to_owned()),
        }
    }

    fn finished(&self, prepared: Prepared, outcome: Result<Outcome, SolveError>) -> Result<Finished, Failure> {
        let Prepared { grounding, diagnostics, .. } = prepared;
        let game = grounding.game;
        self.console.finish();
        let outcome = outcome.or_else(|error| {
            if let (SolveError::Refused(refusal), Format::Json) = (&error, self.format) {
                print_json(&refusal_json(&game.name, refusal, diagnostics.clone()))?;
            }
            Err(Failure::solve(&game.name, error))
        })?;
        let roles = game.roles.iter().map(ToString::to_string).collect();
        self.record.set_engine(outcome.engine.name());
        self.record.finish();
        let runs = vec![self.record.record()];
        let differences = Vec::new();
        Ok(Finished { game: game.name, roles, outcome, from_disk: false, runs, differences, diagnostics })
    }
}
