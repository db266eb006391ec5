//! The description of a ground game: domain and problem.

use super::effects::{GroundAction, GroundEffect, Rewriter};
use super::formulas::Formulas;
use super::turns::{self, Turns};
use crate::translate::TranslateError;
use crate::translate::description::{self, atom, name};
use crate::translate::names::{GDDL_WORDS, Names, flat};
use base::limits::Limits;
use game::propositional::{Game, NodeId};
use game::rules::Symbol;
use game::rules::gddl::ast::{
    Action, Atom, Condition, Derivation, Description, Effect, Gain, Name, Signature, Term, Typed,
};
use game::syntax::Span;
use indexmap::IndexMap;

/// The place of all parts of the description: they have none, because the text is not written yet.
const NOWHERE: Span = Span { start: 0, end: 0 };

/// The description of a game. A game in which players do not take turns is refused, if random play shows that.
pub fn text(game: &Game, limits: &Limits) -> Result<String, TranslateError> {
    let mut graph = game.graph.clone();
    let turns = turns::turns(game, &mut graph, limits)?;
    let mut actions = Vec::new();
    let mut rewriter = Rewriter::new(game, &mut graph);
    for id in game.role_ids().flat_map(|role| game.moves_of(role)) {
        limits.check()?;
        actions.extend(rewriter.action(id, &turns)?);
    }
    let mut described = Description::default();
    let symbols = &mut described.symbols;
    let [control, role, variable] = ["control", "role", "?role"].map(|word| name(symbols.intern(word)));
    let of_role = vec![Typed { name: variable, types: vec![role] }];
    let mut predicates = Names::gddl(&GDDL_WORDS);
    predicates.choose("control");
    let mut objects = Names::gddl(&["-"]);
    let roles: Vec<Name> = game.roles.iter().map(|role| name(symbols.intern(&objects.choose(&flat(role))))).collect();
    let mut declared = Vec::new();
    let fluents: Vec<Atom> = (game.fluent_ids().zip(&game.fluents))
        .map(|(fluent, term)| {
            let place = match &turns {
                Turns::Fluents(fluents) => fluents.iter().position(|&other| other == fluent),
                _ => None,
            };
            match place {
                Some(role) => atom(control.symbol, vec![Term::Object(roles[role])]),
                None => {
                    let symbol = symbols.intern(&predicates.choose(&flat(term)));
                    declared.push(Signature { name: name(symbol), parameters: Vec::new(), span: NOWHERE });
                    atom(symbol, Vec::new())
                }
            }
        })
        .collect();
    let roots = roots(game, &actions, &turns);
    let formulas = Formulas::new(game, &graph, &fluents, &roots, &mut predicates, symbols);
    let mut names = Names::gddl(&["-"]);
    let texts = Texts { control: control.symbol, variable, fluents: &fluents, formulas: &formulas };
    for action in &actions {
        let own = &game.moves[action.action.index()];
        let named = name(symbols.intern(&names.choose(&flat(&own.term))));
        let role = (turns != Turns::Single).then(|| roles[own.role.index()]);
        described.actions.push(texts.action(action, named, role));
    }
    described.types = vec![Typed { name: role, types: Vec::new() }];
    described.objects = roles.iter().map(|&name| Typed { name, types: vec![role] }).collect();
    let head = Signature { name: control, parameters: of_role.clone(), span: NOWHERE };
    if let Turns::Formulas(formulas) = &turns {
        for (&role, &formula) in roles.iter().zip(formulas) {
            let body = texts.of_role(role, formula);
            described.derivations.push(Derivation { head: head.clone(), body, span: NOWHERE });
        }
    }
    described.predicates = (turns != Turns::Single).then_some(head).into_iter().chain(declared).collect();
    for rule in formulas.rules() {
        described.predicates.push(rule.head.clone());
        described.derivations.push(rule);
    }
    for (&role, rewards) in roles.iter().zip(&game.goals) {
        for &(reward, condition) in rewards {
            let value = name(described.symbols.intern(&reward.to_string()));
            let body = texts.of_role(role, condition);
            described.gains.push(Gain { parameters: of_role.clone(), value, body, span: NOWHERE });
        }
    }
    if let ([], [player]) = (&described.gains[..], &of_role[..]) {
        let zero = name(described.symbols.intern("0"));
        described.gains.push(Gain::before(formulas.condition(game.terminal), player.clone(), zero));
    }
    let initial = fluents.iter().zip(&game.init).filter(|(_, holds)| **holds);
    described.init = initial.map(|(atom, _)| atom.clone()).collect();
    described.goals = vec![(formulas.condition(game.terminal), NOWHERE)];
    Ok(description::text(&game.name, &described))
}

/// All formulas of the text, each as often as it is written.
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

struct Texts<'a> {
    control: Symbol,
    /// The variable that stands for the role in conditions on the role.
    variable: Name,
    fluents: &'a [Atom],
    formulas: &'a Formulas<'a>,
}

impl Texts<'_> {
    fn of_role(&self, role: Name, condition: NodeId) -> Condition {
        let is_role = Condition::Equal(Term::Variable(self.variable), Term::Object(role), NOWHERE);
        match condition {
            NodeId::TRUE => is_role,
            _ => Condition::And(std::iter::once(is_role).chain(self.formulas.conjuncts(condition)).collect()),
        }
    }

    /// An action of the description. `role`: the name of the role that must have control; `None` in a game of one role.
    fn action(&self, action: &GroundAction, name: Name, role: Option<Name>) -> Action {
        let in_control = role.map(|role| Condition::Atom(atom(self.control, vec![Term::Object(role)])));
        let conditions = in_control.into_iter().chain(self.formulas.conjuncts(action.precondition));
        let mut groups: IndexMap<NodeId, Vec<Effect>> = IndexMap::new();
        for GroundEffect { condition, fluent, value } in &action.effects {
            let atom = self.fluents[fluent.index()].clone();
            let effect = if *value { Effect::Add(atom) } else { Effect::Delete(atom, NOWHERE) };
            groups.entry(*condition).or_default().push(effect);
        }
        let mut effects = groups.shift_remove(&NodeId::TRUE).unwrap_or_default();
        for (condition, mut group) in groups {
            let effect = if group.len() == 1 { group.remove(0) } else { Effect::And(group) };
            effects.push(Effect::When(self.formulas.condition(condition), Box::new(effect), NOWHERE));
        }
        let precondition = Condition::And(conditions.collect());
        Action { name, parameters: Vec::new(), precondition, effect: Effect::And(effects), span: NOWHERE }
    }
}
