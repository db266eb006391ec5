//! The report of `ground`: the propositional form of a game.

use super::number::{grouped, json_seconds, seconds};
use crate::propositional::{FluentId, Game, Group, GroupKind};
use crate::solve::StageTime;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// A grounded game and what it cost.
#[derive(Debug, Clone)]
pub struct GroundReport<'a> {
    pub game: &'a Game,
    /// A partition of the fluents.
    pub groups: &'a [Group],
    /// Instances of rules before simplification.
    pub rules: usize,
    /// Atoms before simplification.
    pub atoms: usize,
    pub times: Vec<StageTime>,
    /// The passes of grounding with their seconds, in the order of their run.
    pub passes: Vec<(String, f64)>,
    /// What there is to say about the rules, as `check` gives it.
    pub diagnostics: Value,
}

impl GroundReport<'_> {
    /// Bits that number the values of all groups.
    fn bits(&self) -> u32 {
        self.groups.iter().map(Group::bits).sum()
    }

    fn fluent(&self, id: FluentId) -> String {
        self.game.fluents[id.index()].to_string()
    }

    /// The object of the command contract, and some more keys.
    pub fn json(&self) -> Value {
        let game = self.game;
        let mut moves = Map::new();
        for role in game.role_ids() {
            let terms = game.moves_of(role).map(|id| game.moves[id.index()].term.to_string().into()).collect();
            moves.insert(game.roles[role.index()].to_string(), Value::Array(terms));
        }
        let mut times = Map::new();
        for time in &self.times {
            times.insert(time.stage.name().to_owned(), json_seconds(time.seconds));
        }
        let mut passes = Map::new();
        for (name, time) in &self.passes {
            passes.insert(name.clone(), json_seconds(*time));
        }
        times.insert("ground_passes".to_owned(), passes.into());
        json!({
            "game": game.name,
            "roles": game.roles.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "fluents": game.fluents.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "init": game.fluent_ids().filter(|id| game.init[id.index()]).map(|id| self.fluent(id)).collect::<Vec<_>>(),
            "groups": self.groups.iter().map(|group| self.terms(group)).collect::<Vec<_>>(),
            "exactly_one": self.groups.iter().map(|group| group.kind == GroupKind::ExactlyOne).collect::<Vec<_>>(),
            "bits": self.bits(),
            "moves": moves,
            "derived": game.derived.iter().map(|derived| derived.term.to_string()).collect::<Vec<_>>(),
            "rules": self.rules,
            "atoms": self.atoms,
            "gates": game.graph.len(),
            "time_s": times,
            "diagnostics": self.diagnostics,
        })
    }

    fn terms(&self, group: &Group) -> Vec<String> {
        group.fluents.iter().map(|&id| self.fluent(id)).collect()
    }

    /// Several lines, the last one ended.
    pub fn text(&self) -> String {
        let game = self.game;
        let count = |number: usize| grouped(&number.into());
        let mut text = format!("{}\n\n", game.name);
        for (name, number) in [
            ("roles", game.roles.len()),
            ("fluents", game.fluents.len()),
            ("mutex groups", self.groups.iter().filter(|group| group.fluents.len() > 1).count()),
            ("bits", self.bits() as usize),
            ("moves", game.moves.len()),
            ("derived atoms", game.derived.len()),
            ("gates", game.graph.len()),
            ("ground atoms", self.atoms),
            ("ground rules", self.rules),
        ] {
            let _ = writeln!(text, "  {name:<14}{:>10}", count(number));
        }
        text.push_str("\nGroups (= exactly one, ≤ at most one; * holds initially)\n");
        for group in self.groups {
            let sign = if group.kind == GroupKind::ExactlyOne { "=" } else { "≤" };
            let _ = write!(text, "  {sign}");
            for &id in &group.fluents {
                let mark = if game.init[id.index()] { "*" } else { "" };
                let _ = write!(text, " {}{mark}", self.fluent(id));
            }
            text.push('\n');
        }
        for role in game.role_ids() {
            let moves: Vec<String> = game.moves_of(role).map(|id| game.moves[id.index()].term.to_string()).collect();
            let _ = writeln!(text, "\nMoves of {} ({})\n  {}", game.roles[role.index()], moves.len(), moves.join(" "));
        }
        text.push_str(&self.derived());
        let times: Vec<String> =
            self.times.iter().map(|time| format!("{} {}", time.stage, seconds(time.seconds))).collect();
        let passes: Vec<String> = self.passes.iter().map(|(name, time)| format!("{name} {}", seconds(*time))).collect();
        let _ = writeln!(text, "\nTime: {}\nPasses of grounding: {}", times.join(", "), passes.join(", "));
        text
    }

    /// The derived predicates by name and arity, with the number of their atoms.
    fn derived(&self) -> String {
        let mut predicates: Vec<((&str, usize), usize)> = Vec::new();
        for derived in &self.game.derived {
            let key = (derived.term.name.as_str(), derived.term.arguments.len());
            match predicates.iter_mut().find(|(known, _)| *known == key) {
                Some((_, count)) => *count += 1,
                None => predicates.push((key, 1)),
            }
        }
        let mut text = format!("\nDerived predicates ({})\n", predicates.len());
        for ((name, arity), count) in predicates {
            let _ = writeln!(text, "  {name}/{arity}: {count} {}", if count == 1 { "atom" } else { "atoms" });
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::propositional::{GroundTerm, Move, NodeId, RoleId};
    use crate::solve::Stage;

    fn term(name: &str) -> GroundTerm {
        GroundTerm { name: name.to_owned(), arguments: Vec::new() }
    }

    #[test]
    fn json_follows_the_contract_and_text_marks_the_initial_state() {
        let game = Game {
            name: "small".to_owned(),
            roles: vec![term("x")],
            fluents: vec![term("a"), term("b")],
            init: vec![true, false],
            moves: vec![Move { role: RoleId(0), term: term("go"), legal: NodeId::TRUE }],
            ..Game::default()
        };
        let groups = [Group { fluents: vec![FluentId(0), FluentId(1)], kind: GroupKind::ExactlyOne }];
        let times = vec![StageTime { stage: Stage::Ground, seconds: 0.5 }];
        let report = GroundReport {
            game: &game,
            groups: &groups,
            rules: 7,
            atoms: 9,
            times,
            passes: vec![],
            diagnostics: json!([]),
        };
        let json = report.json();
        assert_eq!(json["roles"], json!(["x"]));
        assert_eq!(json["fluents"], json!(["a", "b"]));
        assert_eq!(json["init"], json!(["a"]));
        assert_eq!(json["groups"], json!([["a", "b"]]));
        assert_eq!((&json["bits"], &json["rules"]), (&json!(1), &json!(7)));
        assert_eq!(json["moves"], json!({"x": ["go"]}));
        assert!(report.text().contains("\n  = a* b\n"), "{}", report.text());
    }
}
