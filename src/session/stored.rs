//! What is recorded of a solution in its folder.

use super::guarantee::stored_guarantees;
use super::run::Circumstances;
use super::{Command, Error, RunReport, Session};
use crate::diagnostic::Source;
use crate::reward::Ranking;
use crate::rules::Language;
use crate::solve;
use crate::store::{Manifest, StoreError};
use std::path::Path;

impl Session {
    /// The report of the finished solution in a folder, as [`Session::solve`] gives it where nothing is left to do.
    /// Nothing is computed but what there is to say about the rules.
    pub fn report(&self, folder: &Path) -> Result<RunReport, Error> {
        let manifest = Manifest::load(folder)?;
        // Where only states were counted, nobody ranks rewards.
        let ranking = manifest.ranking(folder)?;
        let model = ranking.map_or_else(Default::default, Ranking::model);
        let outcome = solve::finished(&manifest, model, ranking.is_none()).ok_or_else(|| {
            let progress = solve::progress(&manifest);
            Error::Unsolved(format!("{}: the solution is unfinished ({progress})", folder.display()))
        })?;
        let bytes = manifest.rules(folder)?;
        if Language::named(&manifest.language).is_none() {
            let found = format!("rules in {}, which this program does not read", manifest.language);
            return Err(StoreError::foreign(folder, found).into());
        }
        let rules = self.load(Source::new(folder.join(&manifest.rules_file).display().to_string(), &bytes));
        let findings = self.inspected(&rules)?;
        let guarantees = stored_guarantees(folder, &manifest)?;
        let circumstances = Circumstances {
            game: manifest.game,
            roles: manifest.roles,
            command: if ranking.is_some() { Command::Solve } else { Command::Count },
            rules_sha256: manifest.rules_sha256,
            stored: Some(folder.to_owned()),
            unstored: None,
            from_disk: true,
            differences: Vec::new(),
            runs: manifest.runs,
            diagnostics: findings.diagnostics,
            guarantees,
        };
        Ok(RunReport::new(outcome, circumstances))
    }
}
