//! Splits relations that depend on their own negation although none of their rules does.
//!
//! Each rule of such a relation derives its own new relation, from which the original relation follows. Inside the
//! cycle, a condition on the original relation becomes a disjunction over the new relations whose rules may match it.
//! If the rules were stratified, so are the new relations.

use crate::rules::dependencies::Dependencies;
use crate::rules::sentence::{Atom, Formula, Rulesheet, Sentence};
use crate::rules::{Made, Predicate, SymbolTable};
use indexmap::IndexSet;
use std::collections::BTreeMap;

pub fn split(sheet: Rulesheet) -> Rulesheet {
    let components: Vec<Vec<usize>> =
        Dependencies::new(&sheet).negative_components(&sheet).into_iter().map(|component| component.rules).collect();
    if components.is_empty() {
        return sheet;
    }
    let Rulesheet { mut symbols, mut sentences, costs } = sheet;
    let mut bridges: BTreeMap<usize, Sentence> = BTreeMap::new();
    for rules in components {
        let heads: Vec<(Atom, Atom)> = rules
            .iter()
            .map(|&rule| {
                let head = &sentences[rule].head;
                (head.clone(), Atom { predicate: relation_of_rule(head, rule, &mut symbols), ..head.clone() })
            })
            .collect();
        let inside: IndexSet<Predicate> = heads.iter().map(|(head, _)| head.predicate).collect();
        for (&rule, (head, own)) in rules.iter().zip(&heads) {
            let sentence = &mut sentences[rule];
            sentence.body.iter_mut().for_each(|part| redirect(part, &inside, &heads));
            sentence.head = own.clone();
            let body = vec![Formula::Atom(own.clone())];
            bridges.insert(rule, Sentence { head: head.clone(), body, span: sentence.span });
        }
    }
    let sentences = sentences.into_iter().enumerate();
    let sentences = sentences.flat_map(|(index, sentence)| std::iter::once(sentence).chain(bridges.remove(&index)));
    Rulesheet { sentences: sentences.collect(), symbols, costs }
}

fn relation_of_rule(head: &Atom, rule: usize, symbols: &mut SymbolTable) -> Predicate {
    let of = head.predicate.name(symbols).to_owned();
    Predicate::Relation(symbols.make(Made::Rule { of, rule }), head.arguments.len() as u32)
}

/// Replaces conditions on the relations of a cycle by disjunctions over the relations of their rules.
fn redirect(formula: &mut Formula, inside: &IndexSet<Predicate>, heads: &[(Atom, Atom)]) {
    match formula {
        Formula::Atom(atom) => {
            if inside.contains(&atom.predicate) {
                let matching = heads.iter().filter(|(head, _)| head.may_equal(atom));
                let members = matching.map(|(_, own)| Formula::Atom(Atom { predicate: own.predicate, ..atom.clone() }));
                *formula = Formula::Or(members.collect(), atom.span);
            }
        }
        Formula::Distinct(..) => {}
        Formula::Not(inner, _) => redirect(inner, inside, heads),
        Formula::And(parts, _) | Formula::Or(parts, _) => {
            parts.iter_mut().for_each(|part| redirect(part, inside, heads))
        }
    }
}
