//! Gathers rules that differ in one condition alone, such as the rules into which a disjunction is multiplied out. The
//! alternatives become rules of an auxiliary relation over the variables that they share with the rest of the rule. The
//! rest is then joined once, not once for each alternative; an atom that several alternatives derive counts once.

use super::split::{Clause, variables_of};
use crate::rules::{Atom, Literal, Made, Predicate, PredicateId, Rule, SymbolTable, Term, Variable};
use indexmap::{IndexMap, IndexSet};
use std::collections::BTreeSet;

/// Rules with more conditions are left alone: the rest of the rule is compared for each condition.
const LONGEST: usize = 500;

/// The number of a rule, and of the condition in which it differs.
type Alternative = (usize, usize);

/// Returns the rules as clauses; of the rules for which `chosen` holds, alternatives are gathered.
pub fn gather(
    rules: &[Rule],
    chosen: impl Fn(usize) -> bool,
    symbols: &mut SymbolTable,
    predicates: &mut IndexSet<Predicate>,
) -> Vec<Clause> {
    let mut gathered = vec![false; rules.len()];
    let mut clauses = Vec::with_capacity(rules.len());
    for (alternatives, shared) in groups(rules, chosen) {
        let alternatives: Vec<Alternative> = alternatives.into_iter().filter(|&(rule, _)| !gathered[rule]).collect();
        let [(first, at), _, ..] = alternatives[..] else { continue };
        let name = symbols.make(Made::Gathered(first));
        let (predicate, _) = predicates.insert_full(Predicate::Relation(name, shared.len() as u32));
        let arguments = shared.into_iter().map(Term::Variable).collect();
        let either = Atom { predicate: PredicateId(predicate as u32), arguments, span: rules[first].span };
        for &(rule, literal) in &alternatives {
            gathered[rule] = true;
            let body = vec![rules[rule].body[literal].clone()];
            let rule_of_either = Rule { head: either.clone(), body, ..rules[rule].clone() };
            clauses.push(Clause { rule: rule_of_either, origin: rule, asks: false });
        }
        let mut rule = rules[first].clone();
        rule.body[at] = Literal::Positive(either);
        clauses.push(Clause { rule, origin: first, asks: false });
    }
    let whole = |(origin, rule): (usize, &Rule)| Clause { rule: rule.clone(), origin, asks: false };
    clauses.extend(rules.iter().enumerate().filter(|&(origin, _)| !gathered[origin]).map(whole));
    clauses.sort_by_key(|clause| clause.origin);
    clauses
}

pub fn partners(rules: &[Rule], rule: usize) -> Vec<usize> {
    let same = |other: usize| rules[other].head.predicate == rules[rule].head.predicate;
    let groups = groups(rules, same).into_iter().map(|(alternatives, _)| alternatives);
    let rules = |alternatives: Vec<Alternative>| alternatives.into_iter().map(|(rule, _)| rule).collect::<Vec<usize>>();
    groups.map(rules).find(|group| group.contains(&rule)).unwrap_or_default()
}

/// Alternatives, with the variables that they share with the rest of their rules; the largest groups first.
fn groups(rules: &[Rule], chosen: impl Fn(usize) -> bool) -> Vec<(Vec<Alternative>, Vec<Variable>)> {
    let mut groups: IndexMap<String, (Vec<Alternative>, Vec<Variable>)> = IndexMap::new();
    let chosen = |number: usize, rule: &Rule| rule.body.len() <= LONGEST && chosen(number);
    for (number, rule) in rules.iter().enumerate().filter(|&(number, rule)| chosen(number, rule)) {
        for (at, literal) in rule.body.iter().enumerate() {
            let Literal::Positive(_) = literal else { continue };
            let rest: Vec<&Literal> = rule.body.iter().enumerate().filter(|&(o, _)| o != at).map(|(_, l)| l).collect();
            let mut outside: BTreeSet<Variable> = rest.iter().flat_map(|literal| variables_of(literal)).collect();
            outside.extend(variables_of(&Literal::Positive(rule.head.clone())));
            let shared: Vec<Variable> = variables_of(literal).intersection(&outside).copied().collect();
            let key = format!("{:?} {rest:?} {shared:?} {at}", rule.head);
            groups.entry(key).or_insert_with(|| (Vec::new(), shared)).0.push((number, at));
        }
    }
    let mut groups: Vec<_> = groups.into_values().filter(|(group, _)| group.len() > 1).collect();
    groups.sort_by_key(|(group, _)| std::cmp::Reverse(group.len()));
    groups
}
