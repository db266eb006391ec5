//! Verification of a stored solution and of its guarantees.

use super::{Error, Rules, Session};
use crate::verify::{Checked, Claims, Finding, Options, Verification, check_forced, verify};
use game::propositional::RoleId;
use indexmap::IndexMap;
use serde::Serialize;
use solving::solve::{Event, Listener};
use solving::store::{Manifest, guarantee_beside, guarantee_folder};
use std::path::Path;

/// The result of [`Session::verify`]: the checked claims, and the errors found. Its JSON is the report of `verify`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerifyReport {
    /// Name of the game.
    pub game: String,
    /// Whether nothing wrong was found.
    pub ok: bool,
    /// Whether all layers have values or, without single values, the guarantees are complete.
    pub complete: bool,
    /// The reason why there is no single value, if only guarantees are stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_value: Option<String>,
    /// Number of files.
    pub files: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// Whether the options asked for a check of all states.
    pub full: bool,
    /// Unless `full`, layers with more states than this were checked on random states only.
    pub exhaustive_states: u64,
    /// Number of random states that were checked of every larger layer.
    pub random_states: u64,
    /// Number of random states of each value that were checked of every larger layer.
    pub random_states_by_value: u64,
    /// Seed of random choices.
    pub seed: u64,
    /// The name of the rules, unless they are those in the folder.
    pub rules: Option<String>,
    /// The checked claims, and how far each was shown.
    pub claims: Claims,
    /// The layers, from the first one on.
    pub layers: Vec<Checked>,
    /// By role with a stored guarantee: the claims on it.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub guarantees: IndexMap<String, Claims>,
    /// The errors found.
    pub findings: Vec<Finding>,
}

/// A listener that adds a name to notices.
struct Named<'a> {
    listener: &'a dyn Listener,
    what: String,
}

impl Listener for Named<'_> {
    fn event(&self, event: &Event) {
        match event {
            Event::Notice(text) => self.listener.event(&Event::Notice(format!("{}: {text}", self.what))),
            other => self.listener.event(other),
        }
    }
}

impl Session {
    /// Checks the solution in a folder against its own rules, or against other ones.
    pub fn verify(&self, folder: &Path, rules: Option<&Rules>, options: &Options) -> Result<VerifyReport, Error> {
        let grounding = rules.map(|rules| self.grounding(rules, None)).transpose()?;
        let game = grounding.map(|(grounding, ..)| grounding.game);
        let verification = verify(folder, game.clone(), options, &self.limits, &*self.listener)?;
        let mut report = VerifyReport::new(verification, options, rules);
        let manifest = Manifest::load(folder)?;
        for (role, name) in manifest.roles.iter().enumerate() {
            if guarantee_beside(folder, &manifest, role)?.is_some() {
                let own = guarantee_folder(folder, role);
                let text = format!("what {name} can force against all others");
                self.listener.event(&Event::Message(text));
                let named = Named { listener: &*self.listener, what: format!("what {name} can force") };
                let mut verification = verify(&own, game.clone(), options, &self.limits, &named)?;
                if report.ok {
                    let (role, game, found) = (RoleId(role as u32), game.clone(), &mut verification);
                    check_forced(folder, role, game, options, &self.limits, &named, found)?;
                }
                report.guarantee(name, verification);
            }
        }
        Ok(report)
    }
}

impl VerifyReport {
    fn guarantee(&mut self, role: &str, verification: Verification) {
        let Verification { complete, files, bytes, findings, claims, .. } = verification;
        self.ok &= findings.is_empty();
        self.complete &= complete;
        self.files += files;
        self.bytes += bytes;
        let told = |found: Finding| Finding { place: format!("what {role} can force, {}", found.place), ..found };
        self.findings.extend(findings.into_iter().map(told));
        self.guarantees.insert(role.to_owned(), claims);
    }

    fn new(verification: Verification, options: &Options, rules: Option<&Rules>) -> VerifyReport {
        let Verification { game, complete, no_value, files, bytes, layers, claims, findings } = verification;
        VerifyReport {
            game,
            ok: findings.is_empty(),
            complete,
            no_value,
            files,
            bytes,
            full: options.full,
            exhaustive_states: options.exhaustive,
            random_states: options.samples,
            random_states_by_value: options.samples_by_value,
            seed: options.seed,
            rules: rules.map(|rules| rules.source.name().to_owned()),
            claims,
            layers,
            guarantees: IndexMap::new(),
            findings,
        }
    }
}
