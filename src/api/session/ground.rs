//! The propositional form of a game.

use super::{Error, Rules, Session, SymmetryReport};
use crate::inspect;
use game::diagnostic::Findings;
use game::ground::{self, GroundOptions, Grounding};
use game::mutex;
use game::propositional::{FluentId, Group, GroupKind};
use indexmap::IndexMap;
use serde::Serialize;
use solving::solve::Stage;
use solving::store::runs::Seconds;

/// A grounded game and what it cost. Its JSON is the `ground` object of the command contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroundReport {
    /// Name of the game.
    pub game: String,
    pub roles: Vec<String>,
    pub fluents: Vec<String>,
    /// The fluents that hold initially.
    pub init: Vec<String>,
    /// A partition of the fluents.
    pub groups: Vec<Vec<String>>,
    /// By group: one of its fluents holds in every state, not only at most one.
    pub exactly_one: Vec<bool>,
    /// Bits that number the values of all groups.
    pub bits: u32,
    /// By role.
    pub moves: IndexMap<String, Vec<String>>,
    /// The derived atoms that are left.
    pub derived: Vec<String>,
    /// Instances of rules before simplification.
    pub rules: usize,
    /// Atoms before simplification.
    pub atoms: usize,
    pub gates: usize,
    pub symmetries: SymmetryReport,
    pub time_s: GroundTimes,
    /// The findings on the rules, as in the report of `check`.
    pub diagnostics: Vec<game::diagnostic::Finding>,
    /// The derived predicates, by name and arity, with the number of their atoms.
    #[serde(skip)]
    pub derived_predicates: IndexMap<(String, usize), usize>,
}

/// Seconds by stage.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroundTimes {
    #[serde(flatten)]
    pub stages: IndexMap<&'static str, Seconds>,
    /// The passes of grounding, in the order of their run.
    pub ground_passes: IndexMap<&'static str, Seconds>,
}

impl Session {
    /// The propositional form of rules.
    pub fn ground(&self, rules: &Rules) -> Result<GroundReport, Error> {
        let (grounding, seconds, findings) = self.grounding(rules, None)?;
        let (groups, grouping) =
            self.stage(Stage::Groups, || mutex::groups(&grounding.game, &mutex::Effort::default(), &self.limits));
        let (symmetries, searching) =
            self.stage(Stage::Symmetries, || SymmetryReport::new(&grounding.game, &self.limits));
        let stages = [
            (Stage::Parse, rules.seconds),
            (Stage::Ground, seconds),
            (Stage::Groups, grouping),
            (Stage::Symmetries, searching),
        ];
        let stages = stages.into_iter().map(|(stage, seconds)| (stage.name(), Seconds::new(seconds))).collect();
        Ok(GroundReport::new(&grounding, &groups?, symmetries?, stages, findings))
    }

    /// Grounds rules. Returns the grounding, the seconds that it took, and the findings; these are reported to the
    /// listener unless they are given as `told` already.
    pub(super) fn grounding(&self, rules: &Rules, told: Option<Findings>) -> Result<(Grounding, f64, Findings), Error> {
        let program = rules.program()?;
        let (grounding, seconds) =
            self.stage(Stage::Ground, || ground::ground(program, &self.limits, &GroundOptions::default()));
        let tell = |more| {
            let findings = rules.all_findings(more);
            self.tell(&findings);
            findings
        };
        match grounding {
            Ok(grounding) => {
                let more = || inspect::grounded(program, &grounding).diagnostics;
                let findings = told.unwrap_or_else(|| tell(more()));
                Ok((grounding, seconds, findings))
            }
            Err(error) => {
                told.unwrap_or_else(|| tell(Vec::new()));
                Err(Error::ground(&rules.source, error))
            }
        }
    }
}

impl GroundReport {
    fn new(
        grounding: &Grounding,
        groups: &[Group],
        symmetries: SymmetryReport,
        stages: IndexMap<&'static str, Seconds>,
        findings: Findings,
    ) -> GroundReport {
        let (game, sizes) = (&grounding.game, &grounding.statistics);
        let fluent = |id: FluentId| game.fluents[id.index()].to_string();
        let moves_of = |role| game.moves_of(role).map(|id| game.moves[id.index()].term.to_string()).collect();
        let mut derived_predicates = IndexMap::new();
        for derived in &game.derived {
            let key = (derived.term.name.clone(), derived.term.arguments.len());
            *derived_predicates.entry(key).or_default() += 1;
        }
        let passes = sizes.passes.iter().map(|(name, time, _)| (*name, Seconds::new(time.as_secs_f64())));
        GroundReport {
            game: game.name.clone(),
            roles: game.roles.iter().map(ToString::to_string).collect(),
            fluents: game.fluents.iter().map(ToString::to_string).collect(),
            init: game.fluent_ids().filter(|id| game.init[id.index()]).map(fluent).collect(),
            groups: groups.iter().map(|group| group.fluents.iter().map(|&id| fluent(id)).collect()).collect(),
            exactly_one: groups.iter().map(|group| group.kind == GroupKind::ExactlyOne).collect(),
            bits: groups.iter().map(Group::bits).sum(),
            moves: game.role_ids().map(|role| (game.roles[role.index()].to_string(), moves_of(role))).collect(),
            derived: game.derived.iter().map(|derived| derived.term.to_string()).collect(),
            rules: sizes.instances,
            atoms: sizes.atoms,
            gates: game.graph.len(),
            symmetries,
            time_s: GroundTimes { stages, ground_passes: passes.collect() },
            diagnostics: findings.diagnostics,
            derived_predicates,
        }
    }
}
