//! Compares random rules as written with the lowered rules, over all values of their variables.

use super::{bounded_program, program::Literal};
use crate::diagnostic::{Source, has_errors};
use crate::rules::sentence::{Formula, Rulesheet, Sentence, Term};
use crate::rules::{Predicate, Program, Symbol, check, gdl, program};
use base::random::Random;
use std::collections::{BTreeMap, BTreeSet};

const DOMAIN: [&str; 3] = ["a", "b", "c"];
const VARIABLES: [&str; 4] = ["?x", "?y", "?z", "?u"];

fn term(random: &mut Random) -> String {
    match random.below(10) {
        0 => DOMAIN[random.below(3)].to_owned(),
        1 => format!("(f {})", VARIABLES[random.below(3)]),
        _ => VARIABLES[random.below(4)].to_owned(),
    }
}

fn plain(random: &mut Random) -> String {
    if random.chance(85) { VARIABLES[random.below(4)].to_owned() } else { DOMAIN[random.below(3)].to_owned() }
}

fn formula(random: &mut Random, depth: usize) -> String {
    let some = |random: &mut Random| -> String {
        (0..random.below(4)).map(|_| formula(random, depth - 1)).collect::<Vec<_>>().join(" ")
    };
    match random.below(if depth == 0 { 5 } else { 10 }) {
        0 | 1 => format!("(p {})", plain(random)),
        2 | 3 => format!("(q {} {})", plain(random), plain(random)),
        4 => format!("(distinct {} {})", term(random), term(random)),
        5 => format!("(and {})", some(random)),
        6 | 7 => format!("(not {})", formula(random, depth - 1)),
        _ => format!("(or {} {})", formula(random, depth - 1), some(random)),
    }
}

fn rule(random: &mut Random) -> String {
    let body: String = (0..1 + random.below(4)).map(|_| formula(random, 3)).collect::<Vec<_>>().join(" ");
    format!("(<= (h {} {}) (q {} {}) {body})", plain(random), plain(random), plain(random), plain(random))
}

type Ground = (String, Vec<String>);

fn facts(random: &mut Random) -> BTreeSet<Ground> {
    let mut facts = BTreeSet::new();
    for one in DOMAIN {
        if random.chance(60) {
            facts.insert(("p".to_owned(), vec![one.to_owned()]));
        }
        for other in DOMAIN.into_iter().filter(|_| random.chance(60)) {
            facts.insert(("q".to_owned(), vec![one.to_owned(), other.to_owned()]));
        }
    }
    facts
}

fn assignments(variables: &BTreeSet<Symbol>) -> Vec<BTreeMap<Symbol, &'static str>> {
    let mut all = vec![BTreeMap::new()];
    for &variable in variables {
        let extended = all.into_iter().flat_map(|assignment| {
            DOMAIN.map(|value| {
                let mut assignment: BTreeMap<Symbol, &str> = assignment.clone();
                assignment.insert(variable, value);
                assignment
            })
        });
        all = extended.collect();
    }
    all
}

fn written_value(sheet: &Rulesheet, term: &Term, values: &BTreeMap<Symbol, &str>) -> String {
    match term {
        Term::Constant(name, _) => sheet.symbols.name(*name).to_owned(),
        Term::Variable(name, _) => values[name].to_owned(),
        Term::Function(name, arguments, _) => {
            let arguments: Vec<String> =
                arguments.iter().map(|argument| written_value(sheet, argument, values)).collect();
            format!("{}({})", sheet.symbols.name(*name), arguments.join(","))
        }
    }
}

fn written_atom(sheet: &Rulesheet, atom: &crate::rules::sentence::Atom, values: &BTreeMap<Symbol, &str>) -> Ground {
    let Predicate::Relation(name, _) = atom.predicate else { unreachable!("only relations are written") };
    let arguments = atom.arguments.iter().map(|argument| written_value(sheet, argument, values)).collect();
    (sheet.symbols.name(name).to_owned(), arguments)
}

fn holds(sheet: &Rulesheet, formula: &Formula, values: &BTreeMap<Symbol, &str>, facts: &BTreeSet<Ground>) -> bool {
    match formula {
        Formula::Atom(atom) => facts.contains(&written_atom(sheet, atom, values)),
        Formula::Distinct(left, right, _) => written_value(sheet, left, values) != written_value(sheet, right, values),
        Formula::Not(inner, _) => !holds(sheet, inner, values, facts),
        Formula::And(parts, _) => parts.iter().all(|part| holds(sheet, part, values, facts)),
        Formula::Or(parts, _) => parts.iter().any(|part| holds(sheet, part, values, facts)),
    }
}

/// The heads of a sentence, under all assignments that make its body true.
fn as_written(sheet: &Rulesheet, sentence: &Sentence, facts: &BTreeSet<Ground>) -> BTreeSet<Ground> {
    let mut variables = BTreeSet::new();
    let mut add = |name: Symbol, _| {
        variables.insert(name);
    };
    sentence.each_variable(&mut add);
    assignments(&variables)
        .iter()
        .filter(|values| sentence.body.iter().all(|part| holds(sheet, part, values, facts)))
        .map(|values| written_atom(sheet, &sentence.head, values))
        .collect()
}

fn lowered_value(program: &Program, term: &program::Term, values: &[&str]) -> String {
    match term {
        program::Term::Constant(name) => program.symbols.name(*name).to_owned(),
        program::Term::Variable(variable) => values[variable.0 as usize].to_owned(),
        program::Term::Function(name, arguments) => {
            let arguments: Vec<String> =
                arguments.iter().map(|argument| lowered_value(program, argument, values)).collect();
            format!("{}({})", program.symbols.name(*name), arguments.join(","))
        }
    }
}

fn lowered_atom(program: &Program, atom: &program::Atom, values: &[&str]) -> Ground {
    let Predicate::Relation(name, _) = program.kind(atom.predicate) else { unreachable!("only relations are made") };
    let arguments = atom.arguments.iter().map(|argument| lowered_value(program, argument, values)).collect();
    (program.symbols.name(name).to_owned(), arguments)
}

/// The heads that all rules derive. The rules of auxiliary relations precede the rules that use them.
fn after_lowering(program: &Program, mut facts: BTreeSet<Ground>) -> BTreeSet<Ground> {
    for rule in &program.rules {
        assert_safe(program, rule);
        let variables = (0..rule.variables.len() as u32).map(Symbol).collect();
        for values in assignments(&variables) {
            let values: Vec<&str> = values.into_values().collect();
            let holds = rule.body.iter().all(|literal| match literal {
                Literal::Positive(atom) => facts.contains(&lowered_atom(program, atom, &values)),
                Literal::Negative(atom) => !facts.contains(&lowered_atom(program, atom, &values)),
                Literal::Distinct(left, right, _) => {
                    lowered_value(program, left, &values) != lowered_value(program, right, &values)
                }
            });
            if holds {
                facts.insert(lowered_atom(program, &rule.head, &values));
            }
        }
    }
    facts
}

fn assert_safe(program: &Program, rule: &program::Rule) {
    fn collect(term: &program::Term, found: &mut BTreeSet<u32>) {
        match term {
            program::Term::Constant(_) => {}
            program::Term::Variable(variable) => {
                found.insert(variable.0);
            }
            program::Term::Function(_, arguments) => arguments.iter().for_each(|argument| collect(argument, found)),
        }
    }
    let mut bound = BTreeSet::new();
    for literal in &rule.body {
        if let Literal::Positive(atom) = literal {
            atom.arguments.iter().for_each(|argument| collect(argument, &mut bound));
        }
    }
    assert_eq!(bound.len(), rule.variables.len(), "{}", crate::show::show(program));
}

#[test]
fn lowering_keeps_the_meaning() {
    let mut compared = 0;
    for seed in 0..6000 {
        let mut random = Random::new(seed);
        let text = rule(&mut random);
        let mut diagnostics = Vec::new();
        let sheet = gdl::rulesheet(&Source::new("test", text.as_bytes()), &mut diagnostics);
        check::rulesheet(&sheet, false, &mut diagnostics);
        if has_errors(&diagnostics) {
            continue;
        }
        let facts = facts(&mut random);
        let expected = as_written(&sheet, &sheet.sentences[0], &facts);
        for most_clauses in [0, 1, 3, 64] {
            let program = bounded_program("test", sheet.clone(), most_clauses).expect("small rules are lowered");
            let mut found = after_lowering(&program, facts.clone());
            found.retain(|(name, _)| name == "h");
            assert_eq!(found, expected, "seed {seed}, {most_clauses}: {text}\n{}", crate::show::show(&program));
        }
        compared += 1;
    }
    assert!(compared > 1500, "only {compared} rules were safe");
}
