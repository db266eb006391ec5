//! Lowers actions to moves: rules for their legality and for their effects.

use super::{Bound, Lowering, compound, keyword, relation};
use crate::rules::gddl::ast::{Action, Effect, PredicateName, Term};
use crate::rules::gddl::check::{Owner, owner};
use crate::rules::sentence::{self, Formula};
use crate::rules::{Made, Predicate, Symbol};
use crate::syntax::Span;

/// The move of a role without control; a number follows the name if an action has this name.
const WAITING: &str = "noop";

/// Bound on the conditions that several effects share without a separate relation.
const MOST_REPEATED: usize = 8;

#[derive(Clone)]
struct Circumstances {
    /// The conditions for an effect: the action is done, quantified variables have their types, and each `when` holds.
    conditions: Vec<Formula>,
    variables: Vec<Symbol>,
}

impl Lowering<'_> {
    pub(super) fn actions(&mut self, actions: &[Action]) {
        for (action, name) in actions.iter().zip(&self.vocabulary.moves) {
            self.action(action, name);
        }
        if self.control.is_some() {
            self.waiting();
        }
    }

    fn action(&mut self, action: &Action, name: &str) {
        let span = action.span;
        let parameters = self.bind(&action.parameters, false);
        let owner = owner(action, self.control);
        let (role, own) = match owner {
            Owner::Term(term @ Term::Variable(name)) => (self.term(term), Some(name.symbol)),
            Owner::Term(term) => (self.term(term), None),
            Owner::Mover => (sentence::Term::Variable(self.fresh("?mover"), span), None),
        };
        // The role is not an argument of the move.
        let arguments = parameters.iter().filter(|bound| Some(bound.name) != own);
        let arguments = arguments.map(|bound| sentence::Term::Variable(bound.name, span)).collect();
        let term = compound(self.symbols.intern(name), arguments, action.name.span);
        let mut body = vec![Formula::Atom(keyword(Predicate::Role, vec![role.clone()], span))];
        if let (Owner::Mover, Some(control)) = (owner, self.control) {
            body.push(self.has_control(control, role.clone(), span));
        }
        body.extend(parameters.iter().map(|bound| self.typed(bound, span)).collect::<Vec<_>>());
        body.push(self.condition(&action.precondition, true));
        self.add(keyword(Predicate::Legal, vec![role.clone(), term.clone()], span), body, span);
        let variables = parameters.into_iter().map(|bound| bound.name).collect();
        let conditions = vec![Formula::Atom(keyword(Predicate::Does, vec![role, term], span))];
        self.effect(&action.effect, &mut Circumstances { conditions, variables });
        self.release(&action.parameters);
    }

    fn effect(&mut self, effect: &Effect, under: &mut Circumstances) {
        match effect {
            Effect::Add(atom) => {
                self.add(self.atom(Predicate::Next, atom), under.conditions.clone(), atom.span);
            }
            Effect::Delete(atom, span) => {
                self.deletes.insert(atom.name());
                let head = relation(self.deleted(atom.predicate.symbol), self.terms(atom), *span);
                self.add(head, under.conditions.clone(), *span);
            }
            Effect::And(parts) => parts.iter().for_each(|part| self.effect(part, under)),
            Effect::Forall(variables, inner, span) => {
                let bound: Vec<Bound> = self.bind(variables, true);
                let (outer, outer_variables) = (under.conditions.len(), under.variables.len());
                under.conditions.extend(bound.iter().map(|bound| self.typed(bound, *span)).collect::<Vec<_>>());
                under.variables.extend(bound.iter().map(|bound| bound.name));
                self.effect(inner, under);
                under.conditions.truncate(outer);
                under.variables.truncate(outer_variables);
                self.release(variables);
            }
            Effect::When(condition, inner, span) => {
                let condition = self.condition(condition, true);
                let mut under = under.clone();
                under.conditions.push(condition);
                self.share(inner, &mut under, *span);
                self.effect(inner, &mut under);
            }
            Effect::Increase(..) => {}
        }
    }

    /// Replaces many conditions by an auxiliary relation if several effects share them.
    fn share(&mut self, effect: &Effect, under: &mut Circumstances, span: Span) {
        let (mut effects, mut leaves) = (0, 0);
        effect.each_atom(&mut |_, _| effects += 1);
        under.conditions.iter().for_each(|condition| condition.each_leaf(true, &mut |_, _| leaves += 1));
        if effects < 2 || leaves < MOST_REPEATED {
            return;
        }
        let name = self.fresh("when");
        let arguments = under.variables.iter().map(|&name| sentence::Term::Variable(name, span)).collect();
        let shared = relation(name, arguments, span);
        self.add(shared.clone(), std::mem::replace(&mut under.conditions, vec![Formula::Atom(shared)]), span);
    }

    fn deleted(&mut self, predicate: Symbol) -> Symbol {
        let name = self.symbols.name(predicate).to_owned();
        self.symbols.make(Made::Deleted(name))
    }

    /// Adds the frame rules: a fluent that holds still holds next, unless the move deletes it.
    pub(super) fn frames(&mut self) {
        let span = Span::default();
        for &name in &self.vocabulary.fluents {
            let PredicateName { symbol: predicate, arity } = name;
            let variable = |index: usize| self.symbols.intern(&format!("?{}", index + 1));
            let variables: Vec<sentence::Term> =
                (0..arity).map(variable).map(|name| sentence::Term::Variable(name, span)).collect();
            let fluent = compound(predicate, variables.clone(), span);
            let mut body = vec![Formula::Atom(keyword(Predicate::True, vec![fluent.clone()], span))];
            if self.deletes.contains(&name) {
                let deleted = Formula::Atom(relation(self.deleted(predicate), variables, span));
                body.push(Formula::Not(Box::new(deleted), span));
            }
            self.add(keyword(Predicate::Next, vec![fluent], span), body, span);
        }
    }

    fn waiting(&mut self) {
        let Some(control) = self.control else { return };
        let taken = |name: &str| self.vocabulary.moves.iter().any(|taken| taken == name);
        let mut name = WAITING.to_owned();
        let mut number = 0;
        while taken(&name) {
            number += 1;
            name = format!("{WAITING}{number}");
        }
        let span = Span::default();
        let waiting = sentence::Term::Constant(self.symbols.intern(&name), span);
        let role = sentence::Term::Variable(self.symbols.intern("?role"), span);
        let is_role = Formula::Atom(keyword(Predicate::Role, vec![role.clone()], span));
        let has_control = self.has_control(control, role.clone(), span);
        let body = vec![is_role, Formula::Not(Box::new(has_control), span)];
        self.add(keyword(Predicate::Legal, vec![role, waiting], span), body, span);
    }

    fn has_control(&self, control: PredicateName, role: sentence::Term, span: Span) -> Formula {
        Formula::Atom(self.applied(Predicate::True, control, vec![role], span))
    }
}
