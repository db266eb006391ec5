//! The report of a stored solution, finished or not, from its manifest.

use super::guarantee::stored_guarantees;
use super::run::{displayed, runs};
use super::{Error, LayerReport, Rules, RunReport, Session, Times};
use game::diagnostic::Source;
use game::reward::{OpponentModel, Ranking};
use game::rules::Language;
use num_bigint::BigUint;
use serde::Serialize;
use solving::solve::{self, Bucket, EncodingSize};
use solving::store::manifest::{CycleRecord, Progress, integer};
use solving::store::runs::{peak, times};
use solving::store::{Manifest, RunRecord, StoreError};
use std::path::{Path, PathBuf};

/// A finished or an unfinished solution. The JSON of a finished solution is that of `solve`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SolutionReport {
    /// All values are stored.
    Finished(Box<RunReport>),
    /// Some states or values are missing.
    Unfinished(Box<UnfinishedReport>),
}

/// The report of an unfinished solution. Its JSON has those keys of a finished solution that are known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UnfinishedReport {
    /// Name of the game.
    pub game: String,
    /// Names of the roles; rewards are in this order.
    pub roles: Vec<String>,
    /// Always false.
    pub finished: bool,
    /// The current pass.
    pub phase: Progress,
    /// The progress of the solution, in words.
    pub progress: String,
    /// How movers rank rewards; `None` if no values were requested yet.
    pub opponent_model: Option<OpponentModel>,
    /// How the states were solved.
    pub algorithm: String,
    /// SHA-256 of the rules, in hexadecimal digits.
    pub rules_sha256: String,
    /// Number of distinct states; `None` until all are known.
    #[serde(with = "integer::optional")]
    pub states: Option<BigUint>,
    /// Sum of the states of the stored layers.
    #[serde(with = "integer")]
    pub layer_states: BigUint,
    /// Number of distinct terminal states; `None` until all states are known.
    #[serde(with = "integer::optional")]
    pub terminal_states: Option<BigUint>,
    /// The stored layers; those with values have buckets.
    pub layers: Vec<LayerReport>,
    /// The states of the solved layers by their rewards.
    pub buckets: Vec<Bucket>,
    /// A play that never ends, if one was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<CycleRecord>,
    /// The size of a state as variables.
    pub encoding: EncodingSize,
    /// The folder of the solution, if it is kept.
    #[serde(serialize_with = "displayed")]
    pub stored: Option<PathBuf>,
    /// Seconds by stage, summed over the runs.
    pub time_s: Times,
    /// The largest memory of the process, in bytes; `None` if unknown.
    pub peak_memory_bytes: Option<u64>,
    /// The runs that computed the stored part.
    #[serde(serialize_with = "runs")]
    pub runs: Vec<RunRecord>,
}

impl Session {
    /// The report of a finished solution, as [`Session::solve`] gives it.
    pub fn report(&self, folder: &Path) -> Result<RunReport, Error> {
        match self.report_stored(folder)? {
            SolutionReport::Finished(report) => Ok(*report),
            SolutionReport::Unfinished(report) => {
                let (folder, progress) = (folder.display(), report.progress);
                Err(Error::Unsolved(format!("{folder}: the solution is unfinished ({progress})")))
            }
        }
    }

    /// The report of a solution, finished or not, from its manifest and rules. Other files are read only for
    /// guarantees, longest plays, and a reward that no state pays.
    pub fn report_stored(&self, folder: &Path) -> Result<SolutionReport, Error> {
        let manifest = Manifest::load(folder)?;
        // A run that only counts states has no ranking of rewards.
        let model = manifest.ranking().map(Ranking::model);
        let rules = self.stored_rules(folder, &manifest)?;
        let count_only = model.is_none();
        let Some(outcome) = solve::finished(&manifest, model.unwrap_or_default(), count_only) else {
            return Ok(SolutionReport::Unfinished(Box::new(UnfinishedReport::new(manifest, model, folder))));
        };
        let findings = self.inspected(&rules)?;
        let (guarantees, unfinished_guarantees) = stored_guarantees(folder, &manifest)?;
        let Manifest { game, roles, rules_sha256, runs, .. } = manifest;
        let report = RunReport::new(outcome, game, roles, rules_sha256, findings.diagnostics).with_runs(runs);
        let report = report.aimed(&rules.program()?.rewards());
        let stored = Some(folder.to_owned());
        let mut report = RunReport { stored, from_disk: true, guarantees, unfinished_guarantees, ..report };
        self.look_in(folder, &mut report)?;
        self.add_stored_plans(&rules, &mut report)?;
        Ok(SolutionReport::Finished(Box::new(report)))
    }

    fn stored_rules(&self, folder: &Path, manifest: &Manifest) -> Result<Rules, Error> {
        let text = manifest.rules(folder)?;
        if Language::named(&manifest.language).is_none() {
            let found = format!("rules in {}, which this program does not read", manifest.language);
            return Err(StoreError::foreign(folder, found).into());
        }
        let source = Source::new(folder.join(&manifest.rules_file).display().to_string(), &text);
        self.check_room(&source)?;
        Ok(self.load(source))
    }
}

impl UnfinishedReport {
    fn new(manifest: Manifest, model: Option<OpponentModel>, folder: &Path) -> UnfinishedReport {
        let (progress, cycle) = (solve::progress(&manifest), manifest.cycle_found().cloned());
        let mut outcomes = solve::stored_layers(&manifest, false);
        let total = solve::total_shares(outcomes.iter().map(|layer| &layer.shares));
        solve::shares_alike(outcomes.iter_mut().map(|layer| &mut layer.shares), &total);
        let known = manifest.layers.iter().map(|layer| layer.buckets.is_some());
        let layers: Vec<LayerReport> = known
            .zip(outcomes)
            .enumerate()
            .map(|(layer, (solved, outcome))| LayerReport::new(layer, outcome, solved))
            .collect();
        UnfinishedReport {
            finished: false,
            phase: manifest.phase,
            progress,
            opponent_model: model,
            layer_states: layers.iter().map(|layer| &layer.states).sum(),
            buckets: solve::total_buckets(layers.iter().filter_map(|layer| layer.buckets.as_ref())),
            layers,
            encoding: manifest.encoding,
            stored: Some(folder.to_owned()),
            time_s: Times(times(&manifest.runs)),
            peak_memory_bytes: peak(&manifest.runs),
            game: manifest.game,
            roles: manifest.roles,
            algorithm: manifest.algorithm,
            rules_sha256: manifest.rules_sha256,
            states: manifest.states,
            terminal_states: manifest.terminal_states,
            cycle,
            runs: manifest.runs,
        }
    }
}
