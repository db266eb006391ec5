//! The contents of all documents: sentences, tables and provenance.

use super::{exact, guarantees};
use crate::report::next::{described, quoted, times_text};
use crate::report::plies::longest_text;
use crate::report::run::{endless_text, left_out_text};
use crate::session::{Command, GuaranteeReport, LayerReport, RunReport, SolutionReport, Times, dead_ends};
use base::digits::grouped;
use game::aim::Aim;
use num_bigint::BigUint;
use solving::solve::{Bucket, EncodingSize, Share, Stage};
use solving::store::RunRecord;
use solving::store::runs::{Seconds, TOTAL};
use solving::words::number::{self, bytes, seconds, share};
use solving::words::table::Table;
use solving::words::value::value_text;
use std::collections::BTreeSet;

/// The names of all tables, in their order. `values`, with a row for each layer and value, and `runs` are for CSV only.
pub const SHEETS: [&str; 7] = ["layers", "values", "buckets", "matrix", "guarantees", "runs", "plies"];
/// Largest number of values with separate columns in tables for people.
pub const VALUE_COLUMNS: usize = 8;

/// A table of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// The name of the table, for files and options.
    pub name: &'static str,
    /// The heading, for people.
    pub title: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows, a cell for each column.
    pub rows: Vec<Vec<Cell>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub name: String,
    /// Whether the cells are aligned to the right.
    pub numeric: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Unknown, or not recorded.
    Empty,
    /// No state is counted here: shown as a dot, and 0 for programs.
    Nothing,
    /// Stands in place of a reward: play can go on for ever.
    Endless,
    Text(String),
    Number(BigUint),
    /// A part of a total.
    Share(BigUint, BigUint),
    Bytes(u64),
    Seconds(Seconds),
}

impl Sheet {
    /// The table as text, with the columns whose names are `wanted`.
    pub(in crate::report) fn text(&self, wanted: impl Fn(&str) -> bool) -> Table {
        let shown: Vec<bool> = self.columns.iter().map(|column| wanted(&column.name)).collect();
        let header = self.columns.iter().map(|column| column.name.clone());
        let mut table = Table::new(header.zip(&shown).filter(|(_, shown)| **shown).map(|(name, _)| name));
        for row in &self.rows {
            table.row(row.iter().zip(&shown).filter(|(_, shown)| **shown).map(|(cell, _)| cell.shown()));
        }
        table
    }
}

impl Cell {
    pub fn number(number: impl Into<BigUint>) -> Cell {
        Cell::Number(number.into())
    }

    /// The text for people.
    pub fn shown(&self) -> String {
        match self {
            Cell::Empty => String::new(),
            Cell::Nothing => ".".to_owned(),
            Cell::Endless => value_text(None),
            Cell::Text(text) => text.clone(),
            Cell::Number(number) => grouped(number),
            Cell::Share(part, total) => share(part, total),
            Cell::Bytes(count) => bytes(*count),
            Cell::Seconds(time) => seconds(time.as_f64()),
        }
    }

    /// The text for programs.
    pub fn plain(&self) -> String {
        match self {
            Cell::Empty | Cell::Endless => String::new(),
            Cell::Nothing => "0".to_owned(),
            Cell::Text(text) => text.clone(),
            Cell::Number(number) => number.to_string(),
            Cell::Share(part, total) => {
                // Integers of any size are used for rounding, so that nothing overflows.
                let scale = 1_000_000u32;
                let zero = *total == BigUint::ZERO;
                let parts = if zero { BigUint::ZERO } else { (part * scale + total / 2u32) / total };
                format!("{}.{:0>6}", &parts / scale, (&parts % scale).to_string())
            }
            Cell::Bytes(count) => count.to_string(),
            Cell::Seconds(time) => time.as_f64().to_string(),
        }
    }
}

/// The common content of finished and unfinished solutions.
pub(in crate::report) struct Facts<'a> {
    pub roles: &'a [String],
    pub layers: &'a [LayerReport],
    pub buckets: &'a [Bucket],
    /// With exact values: the states by value or range, in place of buckets.
    pub shares: Option<&'a [Share]>,
    pub runs: &'a [RunRecord],
    /// The guarantees with the names of the roles.
    pub guarantees: Vec<(&'a str, &'a GuaranteeReport)>,
    game: &'a str,
    times: &'a Times,
    peak: Option<u64>,
    encoding: EncodingSize,
    rules_sha256: &'a str,
    /// The aim of a single player, if there are dead ends.
    aim: Option<Aim>,
}

impl<'a> Facts<'a> {
    pub fn of_run(report: &'a RunReport) -> Facts<'a> {
        Facts {
            roles: &report.roles,
            layers: &report.layers,
            buckets: report.buckets.as_deref().unwrap_or_default(),
            shares: report.shares.as_deref(),
            runs: &report.runs,
            guarantees: report.guarantees.iter().map(|(role, own)| (role.as_str(), own)).collect(),
            game: &report.game,
            times: &report.time_s,
            peak: report.peak_memory_bytes,
            encoding: report.encoding,
            rules_sha256: &report.rules_sha256,
            aim: report.aim.filter(|_| report.dead_ends.as_ref().is_some_and(|number| *number != BigUint::ZERO)),
        }
    }

    pub fn of(report: &'a SolutionReport) -> Facts<'a> {
        match report {
            SolutionReport::Finished(report) => Facts::of_run(report),
            SolutionReport::Unfinished(report) => Facts {
                roles: &report.roles,
                layers: &report.layers,
                buckets: &report.buckets,
                shares: None,
                runs: &report.runs,
                guarantees: Vec::new(),
                game: &report.game,
                times: &report.time_s,
                peak: report.peak_memory_bytes,
                encoding: report.encoding,
                rules_sha256: &report.rules_sha256,
                aim: None,
            },
        }
    }
}

pub(super) struct Document {
    pub title: String,
    /// The result, in a sentence.
    pub outcome: String,
    pub remarks: Vec<String>,
    /// The most important numbers, each with the name of what it counts.
    pub figures: Vec<(&'static str, String)>,
    pub sheets: Vec<Sheet>,
    /// The origin of the figures, as names and facts.
    pub provenance: Vec<(String, String)>,
}

impl Document {
    pub fn new(report: &SolutionReport) -> Document {
        let facts = Facts::of(report);
        let sheets = [
            layers(&facts, Some(VALUE_COLUMNS)),
            buckets(&facts, true),
            matrix(&facts),
            guarantees::sheet(&facts),
            plies(&facts, Some(VALUE_COLUMNS)),
        ];
        Document {
            title: facts.game.to_owned(),
            outcome: outcome(report),
            remarks: remarks(report, &facts),
            figures: figures(report),
            sheets: sheets.into_iter().flatten().collect(),
            provenance: provenance(report, &facts),
        }
    }
}

/// The tables of a report.
pub fn sheets(report: &SolutionReport) -> Vec<Sheet> {
    let facts = Facts::of(report);
    let of_solution =
        [layers(&facts, None), values(&facts), buckets(&facts, false), matrix(&facts), guarantees::sheet(&facts)];
    let plies =
        plies(&facts, None).or_else(|| no_plies(&facts).filter(|_| matches!(report, SolutionReport::Finished(_))));
    of_solution.into_iter().chain([runs(&facts), plies]).flatten().collect()
}

fn outcome(report: &SolutionReport) -> String {
    match report {
        SolutionReport::Finished(report) => report.result().unwrap_or_else(|| match &report.no_value {
            None => "only states are counted, there are no values".to_owned(),
            Some(_) => "there is no single value; what roles can force is told below".to_owned(),
        }),
        SolutionReport::Unfinished(report) => format!("unfinished: {}", report.progress),
    }
}

fn remarks(report: &SolutionReport, facts: &Facts) -> Vec<String> {
    let mut remarks = Vec::new();
    match report {
        SolutionReport::Finished(report) => {
            if report.layer_states != report.states {
                let states = grouped(&report.layer_states);
                remarks.push(format!("{states} states if each is counted in every layer that contains it, as below."));
            }
            remarks.extend(report.no_value.as_ref().map(|refusal| sentence(exact::no_value(refusal))));
            remarks.extend(report.dead_ends_text().map(sentence));
            remarks.extend(report.best_plan().map(|text| format!("{text}.")));
            if let Some((text, listed)) = report.unreached_text() {
                let colon = if listed.is_empty() { "" } else { ": " };
                remarks.push(format!("{text}{colon}{}.", listed.join(", ")));
            }
            for play in &report.longest {
                // A state in which no fluent holds has nothing to show.
                let state = play.state.as_ref().filter(|state| !state.is_empty());
                let such = state.map_or(String::new(), |state| format!(", such as {}", state.join(" ")));
                remarks.push(format!("{}{such}.", longest_text(play)));
            }
            if let Some(ties) = &report.ties {
                remarks.push(format!("{}.", report.ties_text(ties)));
            }
            remarks.extend(report.not_best_text().map(|text| format!("{text}.")));
            remarks
                .extend(report.guarantees.iter().map(|(role, own)| guarantees::remark(role, own, report.by_layer())));
            remarks.extend(report.unfinished_guarantees_text().map(|text| format!("{text}.")));
            remarks.extend(endless_text(facts.buckets).map(sentence));
        }
        SolutionReport::Unfinished(report) => {
            let more = report.stored.as_ref().map_or(String::new(), |folder| {
                format!(" To go on from there: ggsolve solve GAME -o {}, with the options of before.", quoted(folder))
            });
            remarks.push(format!("The figures are those of what is stored so far.{more}"));
        }
    }
    let values = facts.buckets.len();
    let without_plies = plies(facts, None).is_some() && plies(facts, Some(VALUE_COLUMNS)).is_none();
    if let Some(text) = left_out_text(values, values > VALUE_COLUMNS, without_plies) {
        remarks.push(format!("{text}; the CSV has them."));
    }
    remarks
}

/// Adds a capital letter and a full stop.
fn sentence(text: String) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

fn figures(report: &SolutionReport) -> Vec<(&'static str, String)> {
    let unknown = |number: &Option<BigUint>| number.as_ref().map_or("not known yet".to_owned(), grouped);
    let layers = |layers: &[LayerReport]| grouped(layers.len());
    match report {
        SolutionReport::Finished(report) => vec![
            ("reachable states", grouped(&report.states)),
            ("terminal states", grouped(&report.terminal_states)),
            ("layers", layers(&report.layers)),
        ],
        SolutionReport::Unfinished(report) => vec![
            ("reachable states", unknown(&report.states)),
            ("states in the layers so far", grouped(&report.layer_states)),
            ("layers so far", layers(&report.layers)),
        ],
    }
}

fn provenance(report: &SolutionReport, facts: &Facts) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    let mut line = |what: &str, text: String| lines.push((what.to_owned(), text));
    line("program", format!("ggsolve {}", env!("CARGO_PKG_VERSION")));
    line("rules", format!("SHA-256 {}", facts.rules_sha256));
    match report {
        SolutionReport::Finished(report) => {
            if report.command != Command::Count {
                line("opponent model", report.opponent_model.name().to_owned());
            }
            line("algorithm", format!("{}: {}", report.algorithm.name(), report.algorithm_reason));
            line("engine", report.engine.name().to_owned());
        }
        SolutionReport::Unfinished(report) => {
            let model = report.opponent_model.map_or("none yet: only states are counted", |model| model.name());
            line("opponent model", model.to_owned());
            line("algorithm", report.algorithm.clone());
        }
    }
    line("encoding", number::encoding(facts.encoding));
    if let Some(times) = times_text(facts.times) {
        line("time", times);
    }
    line("memory", facts.peak.map_or("not recorded".to_owned(), |peak| format!("{} at the peak", bytes(peak))));
    if facts.runs.is_empty() {
        line("runs", "not recorded: the solution is in an older format".to_owned());
    }
    for (number, run) in facts.runs.iter().enumerate() {
        line(&format!("run {}", number + 1), described(run));
    }
    lines
}

pub(super) fn column(name: impl Into<String>) -> Column {
    Column { name: name.into(), numeric: true }
}

pub(super) fn words(name: impl Into<String>) -> Column {
    Column { name: name.into(), numeric: false }
}

fn by_value(buckets: &[Bucket]) -> impl Iterator<Item = (&Option<Vec<u8>>, &BigUint)> {
    buckets.iter().map(|bucket| (&bucket.rewards, &bucket.states))
}

/// The number of states with these rewards in a layer; empty if it is not known of any.
fn states_of<'s, R: PartialEq + 's>(known: Option<impl Iterator<Item = (&'s R, &'s BigUint)>>, rewards: &R) -> Cell {
    let Some(mut known) = known else { return Cell::Empty };
    let found = known.find(|(own, _)| *own == rewards);
    found.map_or(Cell::Nothing, |(_, states)| Cell::Number(states.clone()))
}

/// A row for each layer. Each value has a column, if there are at most `most` values.
pub(in crate::report) fn layers(facts: &Facts, most: Option<usize>) -> Option<Sheet> {
    let ends = facts.layers.iter().flat_map(|layer| layer.ends.iter().flatten());
    let ends: BTreeSet<_> = ends.map(|end| end.rewards.clone()).collect();
    let few = |count: usize| most.is_none_or(|most| count <= most);
    // A single column would repeat the number of terminal states.
    let ends = if ends.len() > 1 && few(ends.len()) { ends } else { BTreeSet::new() };
    let values: Vec<_> = facts.buckets.iter().map(|bucket| bucket.rewards.clone()).collect();
    let values = if few(values.len()) { values } else { Vec::new() };
    let orbits = facts.layers.iter().any(|layer| layer.orbits.is_some());
    let columns = ["layer", "states"].into_iter().chain(orbits.then_some("orbits")).chain(["terminal"]).map(column);
    let columns = columns.chain(ends.iter().map(|rewards| column(format!("end {}", value_text(Some(rewards))))));
    let kinds = exact::kinds(facts);
    let columns = columns.chain(kinds.iter().map(|kind| column(kind.0)));
    let columns = columns.chain([column("nodes")]).chain(facts.aim.map(|_| column("dead ends")));
    let columns = columns.chain(values.iter().map(|rewards| column(value_text(rewards.as_deref()))));
    let row = |layer: &LayerReport| {
        let counts = [Cell::number(layer.layer), Cell::Number(layer.states.clone())].into_iter();
        let own = orbits.then(|| layer.orbits.clone().map_or(Cell::Empty, Cell::Number));
        let counts = counts.chain(own).chain([Cell::Number(layer.terminal.clone())]);
        let known = || layer.ends.as_ref().map(|ends| ends.iter().map(|end| (&end.rewards, &end.states)));
        let row = counts.chain(ends.iter().map(|rewards| states_of(known(), rewards)));
        let known = layer.buckets.as_deref();
        let dead_ends = facts.aim.map(|aim| Cell::Number(dead_ends(aim, known.unwrap_or_default())));
        let kinds = kinds.iter().map(|(_, cells)| cells[layer.layer].clone());
        row.chain(kinds)
            .chain([Cell::number(layer.nodes)])
            .chain(dead_ends)
            .chain(values.iter().map(|rewards| states_of(known.map(by_value), rewards)))
            .collect()
    };
    Some(Sheet {
        name: "layers",
        title: "Layers".to_owned(),
        columns: columns.collect(),
        rows: facts.layers.iter().map(row).collect(),
    })
}

/// A cell for each role with its reward, or with endless play in place of a number.
fn rewards(facts: &Facts, rewards: &Option<Vec<u8>>) -> Vec<Cell> {
    match rewards {
        Some(rewards) => rewards.iter().map(|&reward| Cell::number(reward)).collect(),
        None => vec![Cell::Endless; facts.roles.len()],
    }
}

fn values(facts: &Facts) -> Option<Sheet> {
    let role_columns = facts.roles.iter().map(column);
    let columns = [column("layer")].into_iter().chain(role_columns).chain(["states", "nodes"].map(column));
    let row = |layer: usize, bucket: &Bucket| {
        let nodes = bucket.nodes.map_or(Cell::Empty, Cell::number);
        let counts = [Cell::Number(bucket.states.clone()), nodes];
        [Cell::number(layer)].into_iter().chain(rewards(facts, &bucket.rewards)).chain(counts).collect()
    };
    let of_layer = |layer: &LayerReport| -> Vec<Vec<Cell>> {
        layer.buckets.iter().flatten().map(|bucket| row(layer.layer, bucket)).collect()
    };
    let rows: Vec<Vec<Cell>> = facts.layers.iter().flat_map(of_layer).collect();
    let title = "Values by layer".to_owned();
    let sheet = (!rows.is_empty()).then(|| Sheet { name: "values", title, columns: columns.collect(), rows });
    sheet.or_else(|| exact::values(facts))
}

/// A row for each value. `people`: ranges of exact values are written in words.
fn buckets(facts: &Facts, people: bool) -> Option<Sheet> {
    let columns = facts.roles.iter().map(column).chain(["states", "share", "nodes"].map(column));
    let total: BigUint = facts.buckets.iter().map(|bucket| &bucket.states).sum();
    let row = |bucket: &Bucket| {
        let nodes = bucket.nodes.map_or(Cell::Empty, Cell::number);
        let counts = [Cell::Number(bucket.states.clone()), Cell::Share(bucket.states.clone(), total.clone()), nodes];
        rewards(facts, &bucket.rewards).into_iter().chain(counts).collect()
    };
    let rows: Vec<Vec<Cell>> = facts.buckets.iter().map(row).collect();
    let title = "States by rewards under best play".to_owned();
    let sheet = (!rows.is_empty()).then(|| Sheet { name: "buckets", title, columns: columns.collect(), rows });
    sheet.or_else(|| exact::buckets(facts, people))
}

/// For two roles: the number of states by the rewards of both, the first role's as rows.
pub(in crate::report) fn matrix(facts: &Facts) -> Option<Sheet> {
    let [first, second] = facts.roles else { return None };
    let pairs = || {
        facts.buckets.iter().filter_map(|bucket| Some((<[u8; 2]>::try_from(bucket.rewards.as_deref()?).ok()?, bucket)))
    };
    let rows: BTreeSet<u8> = pairs().map(|([row, _], _)| row).collect();
    let columns: BTreeSet<u8> = pairs().map(|([_, column], _)| column).collect();
    if rows.is_empty() {
        return None;
    }
    let row = |row: &u8| {
        let cells = columns.iter().map(|column| states_of(Some(by_value(facts.buckets)), &Some(vec![*row, *column])));
        [Cell::number(*row)].into_iter().chain(cells).collect()
    };
    Some(Sheet {
        name: "matrix",
        title: format!("Reward matrix: rows {first}, columns {second}"),
        columns: [column(format!("{first} \\ {second}"))]
            .into_iter()
            .chain(columns.iter().map(|reward| column(reward.to_string())))
            .collect(),
        rows: rows.iter().map(row).collect(),
    })
}

/// A row for each number of plies to the end. Each value has a column, if there are at most `most` values.
fn plies(facts: &Facts, most: Option<usize>) -> Option<Sheet> {
    let timed: Vec<&Bucket> = facts.buckets.iter().filter(|bucket| !bucket.plies.is_empty()).collect();
    if timed.is_empty() || most.is_some_and(|most| timed.len() > most) {
        return None;
    }
    let all: BTreeSet<u32> = timed.iter().flat_map(|bucket| &bucket.plies).map(|record| record.plies).collect();
    let states = |bucket: &&Bucket, plies: u32| {
        let record = bucket.plies.iter().find(|record| record.plies == plies);
        record.map_or(Cell::Nothing, |record| Cell::Number(record.states.clone()))
    };
    let row = |&plies: &u32| -> Vec<Cell> {
        std::iter::once(Cell::number(plies)).chain(timed.iter().map(|bucket| states(bucket, plies))).collect()
    };
    let values = timed.iter().map(|bucket| column(value_text(bucket.rewards.as_deref())));
    let columns = std::iter::once(column("plies")).chain(values).collect();
    let title = "States by plies to the end".to_owned();
    Some(Sheet { name: "plies", title, columns, rows: all.iter().map(row).collect() })
}

/// The table of plies without rows, if distances are stored and, as all values are known, play never ends.
fn no_plies(facts: &Facts) -> Option<Sheet> {
    let is_stored = !facts.buckets.is_empty() && facts.runs.iter().any(|run| run.options.contains_key("distances"));
    let columns = vec![column("plies")];
    let title = "States by plies to the end".to_owned();
    is_stored.then(|| Sheet { name: "plies", title, columns, rows: Vec::new() })
}

fn runs(facts: &Facts) -> Option<Sheet> {
    let ran = |stage: &&str| facts.runs.iter().any(|run| run.time_s.contains_key(*stage));
    let stages: Vec<&str> = Stage::ALL.map(Stage::name).into_iter().chain([TOTAL]).filter(ran).collect();
    let columns = [column("run"), words("version"), words("options"), words("engine")].into_iter();
    let columns = columns.chain(["threads", "memory_limit_bytes", "peak_memory_bytes"].map(column));
    let columns = columns.chain(stages.iter().map(|stage| column(format!("{stage}_s"))));
    let row = |(number, run): (usize, &RunRecord)| {
        let options: Vec<String> = run.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let engine = run.engine.clone().map_or(Cell::Empty, Cell::Text);
        let texts = [Cell::number(number + 1), Cell::Text(run.version.clone()), Cell::Text(options.join(" ")), engine];
        let peak = run.peak_memory_bytes.map_or(Cell::Empty, Cell::Bytes);
        // `u64::MAX` stands for no bound.
        let limit = Some(run.memory_limit_bytes).filter(|limit| *limit < u64::MAX).map_or(Cell::Empty, Cell::Bytes);
        let times = stages.iter().map(|stage| run.time_s.get(*stage).map_or(Cell::Empty, |time| Cell::Seconds(*time)));
        let end = [Cell::Text(run.finished.to_string()), Cell::Text(run.machine.clone())];
        texts.into_iter().chain([Cell::number(run.threads), limit, peak]).chain(times).chain(end).collect()
    };
    let rows: Vec<Vec<Cell>> = facts.runs.iter().enumerate().map(row).collect();
    let columns = columns.chain([words("finished"), words("machine")]).collect();
    (!rows.is_empty()).then(|| Sheet { name: "runs", title: "Runs".to_owned(), columns, rows })
}
