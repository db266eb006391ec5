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

/// The JSON of a finished solution is that of `solve` when it finds one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SolutionReport {
    Finished(Box<RunReport>),
    Unfinished(Box<UnfinishedReport>),
}

/// An unfinished solution. Its JSON has the known keys of a finished one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UnfinishedReport {
    pub game: String,
    pub roles: Vec<String>,
    /// Always false.
    pub finished: bool,
    pub phase: Progress,
    /// How far the solution is, in words.
    pub progress: String,
    /// `None`: no values have been asked for yet.
    pub opponent_model: Option<OpponentModel>,
    pub algorithm: String,
    pub rules_sha256: String,
    /// Distinct states; `None` until all are known.
    #[serde(with = "integer::optional")]
    pub states: Option<BigUint>,
    /// Sum over the stored layers.
    #[serde(with = "integer")]
    pub layer_states: BigUint,
    #[serde(with = "integer::optional")]
    pub terminal_states: Option<BigUint>,
    /// The layers that are stored; those that are solved have buckets.
    pub layers: Vec<LayerReport>,
    /// The states of the solved layers by their rewards.
    pub buckets: Vec<Bucket>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<CycleRecord>,
    pub encoding: EncodingSize,
    #[serde(serialize_with = "displayed")]
    pub stored: Option<PathBuf>,
    pub time_s: Times,
    pub peak_memory_bytes: Option<u64>,
    #[serde(serialize_with = "runs")]
    pub runs: Vec<RunRecord>,
}

impl Session {
    /// The finished solution in a folder, as [`Session::solve`] reports it.
    pub fn report(&self, folder: &Path) -> Result<RunReport, Error> {
        match self.report_stored(folder)? {
            SolutionReport::Finished(report) => Ok(*report),
            SolutionReport::Unfinished(report) => {
                let (folder, progress) = (folder.display(), report.progress);
                Err(Error::Unsolved(format!("{folder}: the solution is unfinished ({progress})")))
            }
        }
    }

    /// The report of the solution in a folder, finished or not, from its manifest and rules; no other file is read.
    pub fn report_stored(&self, folder: &Path) -> Result<SolutionReport, Error> {
        let manifest = Manifest::load(folder)?;
        // If only states were counted, there is no ranking of rewards.
        let model = manifest.ranking(folder)?.map(Ranking::model);
        let rules = self.stored_rules(folder, &manifest)?;
        let count_only = model.is_none();
        let Some(outcome) = solve::finished(&manifest, model.unwrap_or_default(), count_only) else {
            return Ok(SolutionReport::Unfinished(Box::new(UnfinishedReport::new(manifest, model, folder))));
        };
        let findings = self.inspected(&rules)?;
        let guarantees = stored_guarantees(folder, &manifest)?;
        let Manifest { game, roles, rules_sha256, runs, .. } = manifest;
        let report = RunReport::new(outcome, game, roles, rules_sha256, findings.diagnostics).with_runs(runs);
        let report = report.aimed(&rules.program()?.rewards());
        let mut report = RunReport { stored: Some(folder.to_owned()), from_disk: true, guarantees, ..report };
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
        let progress = solve::progress(&manifest);
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
            cycle: manifest.cycle,
            runs: manifest.runs,
        }
    }
}
