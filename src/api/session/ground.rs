//! The propositional form of a game, and the costs of grounding.

use super::{Error, Rules, Session, SymmetryReport};
use crate::inspect;
use base::machine;
use game::diagnostic::{Findings, Source, Span};
use game::ground::{self, GroundOptions, Grounding};
use game::mutex;
use game::propositional::{FluentId, Group, GroupKind};
use indexmap::IndexMap;
use serde::Serialize;
use solving::solve::Stage;
use solving::store::runs::Seconds;

/// The propositional form of a game, and the costs of grounding. Its JSON is the `ground` object of the command
/// contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroundReport {
    /// Name of the game.
    pub game: String,
    /// Names of the roles; rewards are in this order.
    pub roles: Vec<String>,
    /// The fluents that hold in some states and not in others.
    pub fluents: Vec<String>,
    /// Those of them that hold initially.
    pub init: Vec<String>,
    /// The fluents that hold in every state; `fluents` and `init` lack them.
    pub constant: Vec<String>,
    /// The groups, which partition the fluents.
    pub groups: Vec<Vec<String>>,
    /// By group: whether exactly one of its fluents holds in every state; otherwise at most one does.
    pub exactly_one: Vec<bool>,
    /// Number of bits of a state, by groups.
    pub bits: u32,
    /// By role: the names of its moves.
    pub moves: IndexMap<String, Vec<String>>,
    /// The derived atoms that are left after simplification.
    pub derived: Vec<String>,
    /// Number of instances of rules before simplification.
    pub rules: usize,
    /// Number of atoms before simplification.
    pub atoms: usize,
    /// Nodes of the graph of the rules.
    pub gates: usize,
    /// The symmetries of the game and of the rules.
    pub symmetries: SymmetryReport,
    /// Seconds by stage and by pass.
    pub time_s: GroundTimes,
    /// The costs of grounding, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stats: Option<GroundStatistics>,
    /// The findings on the rules.
    pub diagnostics: Vec<game::diagnostic::Finding>,
    /// By name and arity of a derived predicate: the number of its atoms.
    #[serde(skip)]
    pub derived_predicates: IndexMap<(String, usize), usize>,
}

/// Seconds of grounding.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroundTimes {
    /// By stage: its seconds.
    #[serde(flatten)]
    pub stages: IndexMap<&'static str, Seconds>,
    /// The passes of grounding in their order, with their seconds.
    pub ground_passes: IndexMap<&'static str, Seconds>,
}

/// The costs of rules in grounding.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroundStatistics {
    /// Number of times that the evaluation started again because a rule exceeded its budget of join steps. The rule
    /// then gets another method.
    pub restarts: usize,
    /// The costliest rules first; rules without join steps are left out.
    pub rules: Vec<RuleCost>,
    /// The relations of which only demanded atoms were made.
    pub restricted: Vec<RestrictedRelation>,
    /// The relations of which no atoms were made. Rules read diagrams of their rows instead.
    pub folded: Vec<String>,
    /// By stage: its seconds.
    pub time_s: IndexMap<&'static str, Seconds>,
    /// By pass of grounding: the bytes held at its end.
    pub pass_bytes: IndexMap<&'static str, u64>,
    /// By stage: the largest memory of the process up to its end, in bytes; `None` if this is unknown.
    pub peak_bytes: IndexMap<&'static str, Option<u64>>,
    /// The largest memory of the process over all stages, in bytes.
    pub peak_memory_bytes: Option<u64>,
    /// Whether the text is a domain and a problem in two files.
    #[serde(skip)]
    pub two_files: bool,
}

/// The costs of a sentence of the text in the last evaluation: sums over the rules that were made from it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RuleCost {
    /// The sentence.
    #[serde(flatten)]
    pub rule: RulePlace,
    /// Number of different demands; `None` if all atoms of the relation were made.
    pub demanded: Option<usize>,
    /// Number of instances. For a rule that does not depend on the state, the number of solutions of its body.
    pub made: u64,
    /// Number of join steps.
    pub steps: u64,
}

/// A rule, by its head and its place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RulePlace {
    /// The head of the rule.
    pub head: String,
    /// The file. File, line and column are `None` for a rule without a place in the text, such as one that keeps a
    /// fluent in GDDL.
    pub file: Option<String>,
    /// Line in the text, from 1 on.
    pub line: Option<usize>,
    /// Column in the text, from 1 on.
    pub column: Option<usize>,
}

/// A relation of which only demanded atoms were made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RestrictedRelation {
    /// The relation.
    #[serde(flatten)]
    pub what: Restricted,
    /// By argument: whether a demand gives its value.
    pub bound: Vec<bool>,
    /// Number of different demands.
    pub demanded: usize,
    /// Number of atoms made.
    pub made: usize,
}

/// The conditions that were restricted to demanded atoms.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Restricted {
    /// A relation of the text.
    Relation(String),
    /// Some conditions of a rule.
    PartOf(RulePlace),
}

impl Session {
    /// Grounds rules to their propositional form.
    pub fn ground(&self, rules: &Rules) -> Result<GroundReport, Error> {
        Ok(self.ground_counted(rules)?.0)
    }

    /// As [`Session::ground`], with the costs of grounding.
    pub fn ground_with_stats(&self, rules: &Rules) -> Result<GroundReport, Error> {
        let (report, stats) = self.ground_counted(rules)?;
        Ok(GroundReport { stats: Some(stats), ..report })
    }

    fn ground_counted(&self, rules: &Rules) -> Result<(GroundReport, GroundStatistics), Error> {
        let mut peaks = IndexMap::new();
        let mut peak = |stage: Stage| _ = peaks.insert(stage.name(), machine::peak_memory());
        let (grounding, seconds, findings) = self.grounding(rules, None)?;
        peak(Stage::Ground);
        let (groups, grouping) =
            self.stage(Stage::Groups, || mutex::groups(&grounding.game, &mutex::Effort::default(), &self.limits));
        peak(Stage::Groups);
        let (symmetries, searching) =
            self.stage(Stage::Symmetries, || SymmetryReport::new(&grounding.game, &self.limits));
        peak(Stage::Symmetries);
        let groups = groups.map_err(|limit| Stage::Groups.limit(limit))?;
        let symmetries = symmetries.map_err(|limit| Stage::Symmetries.limit(limit))?;
        let stages = [
            (Stage::Parse, rules.seconds),
            (Stage::Ground, seconds),
            (Stage::Groups, grouping),
            (Stage::Symmetries, searching),
        ];
        let stages: IndexMap<_, _> =
            stages.into_iter().map(|(stage, seconds)| (stage.name(), Seconds::new(seconds))).collect();
        let stats = GroundStatistics::new(&grounding.statistics, rules, &stages, peaks);
        Ok((GroundReport::new(&grounding, &groups, symmetries, stages, findings), stats))
    }

    /// The grounding, its seconds and the findings, which are reported to the listener unless `told` has them.
    pub(super) fn grounding(&self, rules: &Rules, told: Option<Findings>) -> Result<(Grounding, f64, Findings), Error> {
        let program = rules.program()?;
        let (grounding, seconds) =
            self.stage(Stage::Ground, || ground::ground(program, &self.limits, &GroundOptions::default()));
        let tell = |more| {
            let findings = rules.all_findings(more).without_notes();
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

impl GroundStatistics {
    fn new(
        found: &ground::Statistics,
        rules: &Rules,
        stages: &IndexMap<&'static str, Seconds>,
        peak_bytes: IndexMap<&'static str, Option<u64>>,
    ) -> Self {
        let restricted = found.restricted.iter().map(|relation| RestrictedRelation {
            what: match relation.part_of {
                Some(rule) => Restricted::PartOf(RulePlace::new(&found.rules[rule], &rules.source)),
                None => Restricted::Relation(relation.name.clone()),
            },
            bound: relation.bound.clone(),
            demanded: relation.demanded,
            made: relation.made,
        });
        GroundStatistics {
            restarts: found.restarts,
            rules: RuleCost::of_sentences(&found.rules, &rules.source),
            restricted: restricted.collect(),
            folded: found.folded.clone(),
            time_s: stages.clone(),
            pass_bytes: found.passes.iter().map(|&(name, _, bytes)| (name, bytes)).collect(),
            peak_memory_bytes: peak_bytes.values().copied().max().flatten(),
            peak_bytes,
            two_files: rules.source.name_at(u32::MAX) != rules.source.name(),
        }
    }
}

impl RuleCost {
    /// The costs of each sentence, because several rules may come from one sentence; the costliest first. Rules without
    /// a place are put together if their heads are equal.
    fn of_sentences(rules: &[ground::RuleStatistics], source: &Source) -> Vec<RuleCost> {
        let mut sentences: IndexMap<(Span, Option<&str>), Vec<&ground::RuleStatistics>> = IndexMap::new();
        for rule in rules.iter().filter(|rule| rule.steps > 0) {
            let of_none = (rule.span == Span::default()).then_some(rule.head.as_str());
            sentences.entry((rule.span, of_none)).or_default().push(rule);
        }
        let cost = |rules: Vec<&ground::RuleStatistics>| {
            let speaker = rules.iter().find(|rule| rule.named).unwrap_or(&rules[0]);
            RuleCost {
                rule: RulePlace::new(speaker, source),
                demanded: rules.iter().filter_map(|rule| rule.demanded).max(),
                made: rules.iter().map(|rule| rule.instances).sum(),
                steps: rules.iter().map(|rule| rule.steps).sum(),
            }
        };
        let mut costs: Vec<RuleCost> = sentences.into_values().map(cost).collect();
        costs.sort_by_key(|cost| std::cmp::Reverse(cost.steps));
        costs
    }
}

/// Largest number of characters of a sentence that is shown in place of a head.
const SHOWN: usize = 60;

impl RulePlace {
    /// The head and the place of a rule. If the text does not name the head's relation, the sentence is shown.
    fn new(rule: &ground::RuleStatistics, source: &Source) -> RulePlace {
        let place = (rule.span != Span::default()).then(|| source.position(rule.span.start));
        let words: Vec<&str> = source.slice(rule.span).split_whitespace().collect();
        let text = words.join(" ");
        let head = match text.char_indices().nth(SHOWN) {
            _ if rule.named || text.is_empty() => rule.head.clone(),
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        };
        RulePlace {
            head,
            file: place.map(|_| source.name_at(rule.span.start).to_owned()),
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
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
            constant: grounding.constant.iter().map(ToString::to_string).collect(),
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
            stats: None,
            diagnostics: findings.diagnostics,
            derived_predicates,
        }
    }
}
