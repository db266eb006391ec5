//! Verification of a stored solution and of its guarantees.

use super::{Error, Rules, Session};
use crate::verify::{Checked, Claim, Finding, How, Options, Verification, check_forced, verify};
use game::propositional::RoleId;
use indexmap::IndexMap;
use num_bigint::BigUint;
use serde::Serialize;
use solving::solve::{Event, Listener};
use solving::store::manifest::integer;
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
    #[serde(serialize_with = "names")]
    pub claims: Vec<(Claim, How)>,
    /// The layers, from the first one on.
    pub layers: Vec<VerifiedLayer>,
    /// By role with a stored guarantee: the claims on it.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub guarantees: IndexMap<String, Claimed>,
    /// The errors found.
    pub findings: Vec<VerifyFinding>,
}

/// The checks of a layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerifiedLayer {
    /// Number of the layer.
    pub layer: u32,
    /// Number of states by the verifier's own count.
    #[serde(with = "integer")]
    pub states: BigUint,
    /// Number of checked states.
    pub checked: u64,
    /// Whether all states were checked.
    pub exhaustive: bool,
    /// Whether the layer has values; they were checked, too.
    pub values: bool,
}

/// An error in a file or a layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerifyFinding {
    /// The file or the layer.
    #[serde(rename = "where")]
    pub place: String,
    /// The error in words.
    pub message: String,
}

/// Claims, and how far each was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Claimed(#[serde(serialize_with = "names")] pub Vec<(Claim, How)>);

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
        self.findings.extend(findings.into_iter().map(|Finding { place, message }| VerifyFinding {
            place: format!("what {role} can force, {place}"),
            message,
        }));
        self.guarantees.insert(role.to_owned(), Claimed(claims.iter().collect()));
    }

    fn new(verification: Verification, options: &Options, rules: Option<&Rules>) -> VerifyReport {
        let Verification { game, complete, no_value, files, bytes, layers, claims, findings } = verification;
        let layer = |Checked { layer, states, checked, exhaustive, values }| VerifiedLayer {
            layer,
            states,
            checked,
            exhaustive,
            values,
        };
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
            claims: claims.iter().collect(),
            layers: layers.into_iter().map(layer).collect(),
            guarantees: IndexMap::new(),
            findings: findings.into_iter().map(|Finding { place, message }| VerifyFinding { place, message }).collect(),
        }
    }
}

fn names<S: serde::Serializer>(claims: &[(Claim, How)], serializer: S) -> Result<S::Ok, S::Error> {
    let names: IndexMap<&str, &str> = claims.iter().map(|(claim, how)| (claim.name(), how.name())).collect();
    names.serialize(serializer)
}
