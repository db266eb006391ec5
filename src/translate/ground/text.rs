//! The text of a ground game: domain and problem.

use super::effects::{GroundAction, GroundEffect, Rewriter};
use super::formulas::Formulas;
use super::turns::{self, Turns};
use crate::limits::Limits;
use crate::propositional::{FluentId, Game, NodeId};
use crate::translate::TranslateError;
use crate::translate::layout::{Expression, list, word};
use crate::translate::names::{GDDL_WORDS, Names, flat};

/// A game in GDDL; refused where its players do not take turns.
pub fn text(game: &Game, limits: &Limits) -> Result<String, TranslateError> {
    let mut graph = game.graph.clone();
    let turns = turns::turns(game, &mut graph, limits)?;
    let mut actions = Vec::new();
    let mut rewriter = Rewriter::new(game, &mut graph);
    for id in game.role_ids().flat_map(|role| game.moves_of(role)) {
        limits.check()?;
        actions.extend(rewriter.action(id, &turns)?);
    }
    let mut predicates = Names::gddl(&GDDL_WORDS);
    predicates.choose("control");
    let mut objects = Names::gddl(&["-"]);
    let roles: Vec<String> = game.roles.iter().map(|role| objects.choose(&flat(role))).collect();
    let mut declared = Vec::new();
    let fluents: Vec<Expression> = (game.fluent_ids().zip(&game.fluents))
        .map(|(fluent, term)| match &turns {
            Turns::Fluents(fluents) if fluents.contains(&fluent) => {
                let role = fluents.iter().position(|&other| other == fluent);
                list("control", [word(&roles[role.expect("it is one of them")])])
            }
            _ => {
                let name = predicates.choose(&flat(term));
                declared.push(list(&name, []));
                list(&name, [])
            }
        })
        .collect();
    let formulas = Formulas::new(game, &graph, &fluents, &roots(game, &actions, &turns), &mut predicates);
    let writer = Writer { game, turns: &turns, roles: &roles, fluents: &fluents, formulas: &formulas };
    Ok(writer.text(declared, &actions))
}

/// All formulas of the text, repeated as often as they are written.
fn roots(game: &Game, actions: &[GroundAction], turns: &Turns) -> Vec<NodeId> {
    let mut roots = vec![game.terminal];
    roots.extend(game.goals.iter().flatten().map(|(_, condition)| *condition));
    if let Turns::Formulas(formulas) = turns {
        roots.extend(formulas);
    }
    for action in actions {
        roots.push(action.precondition);
        // Effects of one action under the same condition are written together.
        let mut conditions: Vec<NodeId> = action.effects.iter().map(|effect| effect.condition).collect();
        conditions.sort_unstable();
        conditions.dedup();
        roots.extend(conditions);
    }
    roots
}

struct Writer<'a> {
    game: &'a Game,
    turns: &'a Turns,
    roles: &'a [String],
    fluents: &'a [Expression],
    formulas: &'a Formulas<'a>,
}

impl Writer<'_> {
    fn text(&self, declared: Vec<Expression>, actions: &[GroundAction]) -> String {
        let comment = self.game.name.replace(['\n', '\r'], " ");
        let name = Names::gddl(&["-"]).choose(&name_of(&comment));
        let mut text = format!(";;; {comment}, written by ggsolve\n\n(define (domain {name})");
        let mut section = |expression: Expression, blank: bool, kept: usize| {
            text.push_str(if blank { "\n\n  " } else { "\n  " });
            expression.write(&mut text, 2, kept);
        };
        section(list(":requirements", [word(":adl"), word(":derived-predicates")]), false, 9);
        section(list(":types", [word("role")]), false, 9);
        let roles = self.roles.iter().map(word);
        section(list(":constants", roles.chain([word("-"), word("role")])), false, 1);
        let control = (*self.turns != Turns::Single).then(|| list("control", ["?role", "-", "role"].map(word)));
        let derived = self.formulas.predicates().map(|name| list(name, []));
        section(list(":predicates", control.into_iter().chain(declared).chain(derived)), true, 1);
        if let Turns::Formulas(formulas) = self.turns {
            for (role, &formula) in self.roles.iter().zip(formulas) {
                let head = list("control", ["?role", "-", "role"].map(word));
                section(list(":derived", [head, self.of_role(role, formula)]), true, 2);
            }
        }
        self.formulas.rules().for_each(|rule| section(rule, true, 2));
        let mut names = Names::gddl(&["-"]);
        for action in actions {
            section(self.action(action, &mut names), true, 2);
        }
        for (role, rewards) in self.roles.iter().zip(&self.game.goals) {
            for &(reward, condition) in rewards {
                let parameters = Expression::List(["?role", "-", "role"].map(word).into());
                let body = self.of_role(role, condition);
                section(list(":gain", [parameters, word(reward.to_string()), body]), true, 3);
            }
        }
        text.push_str(&format!(")\n\n(define (problem {name})"));
        let mut section = |expression: Expression| {
            text.push_str("\n  ");
            expression.write(&mut text, 2, 1);
        };
        section(list(":domain", [word(name)]));
        let holds = |fluent: &FluentId| self.game.init[fluent.index()];
        let init = self.game.fluent_ids().filter(holds).map(|fluent| self.fluents[fluent.index()].clone());
        section(list(":init", init));
        section(list(":goal", [self.formulas.condition(self.game.terminal)]));
        text.push_str(")\n");
        text
    }

    /// A condition on one role, which is called `?role`.
    fn of_role(&self, role: &str, condition: NodeId) -> Expression {
        let is_role = list("=", [word("?role"), word(role)]);
        match condition {
            NodeId::TRUE => is_role,
            _ => list("and", [is_role].into_iter().chain(self.formulas.conjuncts(condition))),
        }
    }

    fn action(&self, action: &GroundAction, names: &mut Names) -> Expression {
        let own = &self.game.moves[action.action.index()];
        let role = &self.roles[own.role.index()];
        let mut conditions = Vec::new();
        if *self.turns != Turns::Single {
            conditions.push(list("control", [word(role)]));
        }
        conditions.extend(self.formulas.conjuncts(action.precondition));
        // Effects under the same condition stand together, in the order of their first.
        let mut groups: indexmap::IndexMap<NodeId, Vec<Expression>> = indexmap::IndexMap::new();
        for GroundEffect { condition, fluent, value } in &action.effects {
            let atom = self.fluents[fluent.index()].clone();
            let effect = if *value { atom } else { list("not", [atom]) };
            groups.entry(*condition).or_default().push(effect);
        }
        let mut effects = groups.shift_remove(&NodeId::TRUE).unwrap_or_default();
        for (condition, mut group) in groups {
            let effect = if group.len() == 1 { group.remove(0) } else { list("and", group) };
            effects.push(list("when", [self.formulas.condition(condition), effect]));
        }
        let mut parts = vec![word(names.choose(&flat(&own.term)))];
        if !conditions.is_empty() {
            parts.extend([word(":precondition"), list("and", conditions)]);
        }
        parts.extend([word(":effect"), list("and", effects)]);
        list(":action", parts)
    }
}

/// The letters and digits of a text as a name.
fn name_of(text: &str) -> String {
    text.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-' || *c == '_').collect()
}
