//! `solve`, `classify` and `count`.

use super::super::arguments::{Format, Logging, Solve};
use super::super::failure::Failure;
use super::super::output::{print, print_json};
use super::super::progress::Console;
use super::super::{interrupt, memory, options};
use super::prepare::{self, Prepared, Rules};
use crate::diagnostic::Source;
use crate::limits::Limits;
use crate::report::{Command, Place, RunReport, refusal_json};
use crate::rules::{Language, Program, identity};
use crate::solve::{self, Outcome, SolveError, SolveOptions, StageTime};
use crate::store::{self, Store, Subject};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

pub fn run(command: Command, arguments: &Solve, logging: &Logging) -> Result<(), Failure> {
    let start = Instant::now();
    let limits = options::limits(&arguments.resources)?;
    let options = options::solve_options(arguments, command == Command::Count)?;
    interrupt::watch(&limits)?;
    let console = Console::new(options::display(arguments.progress, logging));
    let format = arguments.report.format;
    let rules = prepare::read(&arguments.game, format, &console)?;
    let run = Run { options, limits, console, format };
    let place = place(command, arguments, &run.options, &rules.program);
    let finished = match &place {
        Place::Folder(folder) => run.stored(rules, folder),
        Place::Nowhere(_) => run.unstored(&rules),
    };
    run.console.finish();
    let Finished { game, roles, outcome, before, diagnostics } = finished?;
    let report = RunReport {
        command,
        game: &game,
        roles,
        outcome: &outcome,
        place,
        before,
        total_seconds: start.elapsed().as_secs_f64(),
        peak_memory_bytes: memory::peak(),
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
        None if arguments.no_store => Place::Nowhere("--no-store".to_owned()),
        None if command == Command::Count => Place::Nowhere("counts are stored where --out says".to_owned()),
        None => Place::Folder(store::default_folder(&rules.name)),
    }
}

/// What a run works with.
struct Run {
    options: SolveOptions,
    limits: Arc<Limits>,
    console: Console,
    format: Format,
}

/// What is reported.
struct Finished {
    game: String,
    roles: Vec<String>,
    outcome: Outcome,
    before: Vec<StageTime>,
    diagnostics: Value,
}

impl Run {
    fn unstored(&self, rules: &Rules) -> Result<Finished, Failure> {
        let prepared = prepare::grounded(rules, self.format, &self.limits, &self.console)?;
        let outcome = solve::run(&prepared.grounding.game, &self.options, &self.limits, &self.console);
        self.finished(prepared, outcome)
    }

    /// Goes on with the solution in a folder, or reports it if it is finished.
    fn stored(&self, mut rules: Rules, folder: &Path) -> Result<Finished, Failure> {
        let subject = self.subject(&rules);
        let count_only = self.options.count_only;
        // A line takes the values, not only what the manifest says of them.
        if !self.options.line
            && let Some(manifest) = store::find(folder, &subject).map_err(Failure::store)?
            && let Some(outcome) = solve::finished(&manifest, self.options.opponent_model, count_only)
        {
            let before = vec![StageTime { stage: solve::Stage::Parse, seconds: rules.seconds }];
            let diagnostics = prepare::warn(&rules, &self.limits, &self.console)?;
            return Ok(Finished { game: manifest.game, roles: manifest.roles, outcome, before, diagnostics });
        }
        let mut store = Store::open(folder, subject).map_err(Failure::store)?;
        // The same game may be written in another way; what is stored goes by the way it was written first.
        let Subject { game, language, rules: text, .. } = store.subject();
        if text != rules.source.text().as_bytes() {
            let known = Language::named(language).unwrap_or(rules.language);
            let source = Source::new(format!("{game}.{language}"), text);
            // What there is to say is said of the text that was given.
            let told = Some(prepare::warn(&rules, &self.limits, &self.console)?);
            rules = Rules { told, ..prepare::parse(source, known, rules.check, self.format)? };
        }
        let prepared = prepare::grounded(&rules, self.format, &self.limits, &self.console)?;
        let game = &prepared.grounding.game;
        let outcome = solve::run_stored(game, &self.options, &mut store, &self.limits, &self.console);
        let finished = self.finished(prepared, outcome);
        match store.manifest() {
            Some(_) => finished.map_err(|failure| Failure::unfinished(failure, folder)),
            None => finished,
        }
    }

    /// What a stored solution is of.
    fn subject(&self, rules: &Rules) -> Subject {
        let Rules { source, language, program, .. } = rules;
        let SolveOptions { opponent_model, count_only, .. } = self.options;
        Subject {
            game: program.name.clone(),
            language: language.name().to_owned(),
            rules: source.text().as_bytes().to_vec(),
            rules_hash: identity(&language.rulesheet(source)),
            opponent_model: (!count_only).then(|| opponent_model.name().to_owned()),
            algorithm: self.options.algorithm.map(|algorithm| algorithm.name().to_owned()),
        }
    }

    fn finished(&self, prepared: Prepared, outcome: Result<Outcome, SolveError>) -> Result<Finished, Failure> {
        let Prepared { grounding, times: before, diagnostics } = prepared;
        let game = grounding.game;
        self.console.finish();
        let outcome = outcome.or_else(|error| {
            if let (SolveError::Refused(refusal), Format::Json) = (&error, self.format) {
                print_json(&refusal_json(&game.name, refusal, diagnostics.clone()))?;
            }
            Err(Failure::solve(&game.name, error))
        })?;
        let roles = game.roles.iter().map(ToString::to_string).collect();
        Ok(Finished { game: game.name, roles, outcome, before, diagnostics })
    }
}
