//! A naive evaluator of rule programs: the slow and obvious twin of grounding and interpreter.
//!
//! In every state, all relations are computed bottom-up from all rules, stratum by stratum, by nested loops.

use game::rules::{Atom, Literal, Predicate, PredicateId, Program, Rule, Symbol, Term};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ground {
    pub name: Symbol,
    pub arguments: Vec<Ground>,
}

type Facts = BTreeMap<PredicateId, BTreeSet<Vec<Ground>>>;
pub type NaiveState = BTreeSet<Ground>;

pub struct Naive<'a> {
    program: &'a Program,
    /// Stratum of every predicate: above those it depends on through negation.
    strata: Vec<usize>,
}

impl<'a> Naive<'a> {
    pub fn new(program: &'a Program) -> Self {
        let mut strata = vec![0; program.predicates.len()];
        loop {
            let before = strata.clone();
            for rule in &program.rules {
                let head = rule.head.predicate.0 as usize;
                for literal in &rule.body {
                    strata[head] = strata[head].max(match literal {
                        Literal::Positive(atom) => strata[atom.predicate.0 as usize],
                        Literal::Negative(atom) => strata[atom.predicate.0 as usize] + 1,
                        Literal::Distinct(..) => 0,
                    });
                }
            }
            if strata == before {
                return Naive { program, strata };
            }
        }
    }

    pub fn show(&self, term: &Ground) -> String {
        let name = self.program.symbols.name(term.name).to_owned();
        if term.arguments.is_empty() {
            return name;
        }
        let arguments: Vec<String> = term.arguments.iter().map(|argument| self.show(argument)).collect();
        format!("({name} {})", arguments.join(" "))
    }

    fn facts(&self, state: &NaiveState, does: &[(Ground, Ground)]) -> Facts {
        let mut facts = Facts::new();
        if let Some(predicate) = self.program.find_predicate(Predicate::True) {
            facts.insert(predicate, state.iter().map(|fluent| vec![fluent.clone()]).collect());
        }
        if let Some(predicate) = self.program.find_predicate(Predicate::Does) {
            facts.insert(predicate, does.iter().map(|(role, action)| vec![role.clone(), action.clone()]).collect());
        }
        for stratum in 0..=self.strata.iter().copied().max().unwrap_or(0) {
            let rules: Vec<&Rule> = self
                .program
                .rules
                .iter()
                .filter(|rule| self.strata[rule.head.predicate.0 as usize] == stratum)
                .collect();
            loop {
                let mut new = Vec::new();
                for rule in &rules {
                    let mut binding = vec![None; rule.variables.len()];
                    let mut body: Vec<&Literal> = rule.body.iter().collect();
                    body.sort_by_key(|literal| !matches!(literal, Literal::Positive(_)));
                    derive(&facts, &body, &mut binding, &mut |binding| {
                        let arguments: Vec<Ground> =
                            rule.head.arguments.iter().map(|term| instance(term, binding)).collect();
                        if !facts.get(&rule.head.predicate).is_some_and(|known| known.contains(&arguments)) {
                            new.push((rule.head.predicate, arguments));
                        }
                    });
                }
                if new.is_empty() {
                    break;
                }
                new.into_iter().for_each(|(predicate, arguments)| {
                    facts.entry(predicate).or_default().insert(arguments);
                });
            }
        }
        facts
    }

    fn all(&self, facts: &Facts, predicate: Predicate) -> Vec<Vec<Ground>> {
        let id = self.program.find_predicate(predicate);
        id.and_then(|id| facts.get(&id)).into_iter().flatten().cloned().collect()
    }

    pub fn initial(&self) -> NaiveState {
        let facts = self.facts(&NaiveState::new(), &[]);
        self.all(&facts, Predicate::Init).into_iter().filter_map(|mut arguments| arguments.pop()).collect()
    }

    /// Whether the state is terminal, and the roles with their legal moves, by role.
    pub fn look(&self, state: &NaiveState) -> (bool, Vec<Vec<(Ground, Ground)>>) {
        let facts = self.facts(state, &[]);
        let terminal = !self.all(&facts, Predicate::Terminal).is_empty();
        let legal = self.all(&facts, Predicate::Legal);
        let moves = |role: &Ground| {
            legal.iter().filter(|pair| pair[0] == *role).map(|pair| (pair[0].clone(), pair[1].clone())).collect()
        };
        let roles = self.all(&facts, Predicate::Role);
        (terminal, roles.iter().map(|role| moves(&role[0])).collect())
    }

    /// The roles with the values of their goals.
    pub fn goals(&self, state: &NaiveState) -> Vec<(Ground, Ground)> {
        let goals = self.all(&self.facts(state, &[]), Predicate::Goal);
        goals.into_iter().map(|pair| (pair[0].clone(), pair[1].clone())).collect()
    }

    pub fn successor(&self, state: &NaiveState, does: &[(Ground, Ground)]) -> NaiveState {
        let facts = self.facts(state, does);
        self.all(&facts, Predicate::Next).into_iter().filter_map(|mut arguments| arguments.pop()).collect()
    }
}

fn derive(
    facts: &Facts,
    body: &[&Literal],
    binding: &mut Vec<Option<Ground>>,
    found: &mut dyn FnMut(&[Option<Ground>]),
) {
    let Some((first, rest)) = body.split_first() else { return found(binding) };
    let holds = |atom: &Atom, binding: &[Option<Ground>]| {
        let arguments: Vec<Ground> = atom.arguments.iter().map(|term| instance(term, binding)).collect();
        facts.get(&atom.predicate).is_some_and(|known| known.contains(&arguments))
    };
    match first {
        Literal::Negative(atom) if holds(atom, binding) => {}
        Literal::Distinct(left, right, _) if instance(left, binding) == instance(right, binding) => {}
        Literal::Negative(_) | Literal::Distinct(..) => derive(facts, rest, binding, found),
        Literal::Positive(atom) => {
            for fact in facts.get(&atom.predicate).into_iter().flatten() {
                let before = binding.clone();
                if atom.arguments.iter().zip(fact).all(|(term, value)| matches(term, value, binding)) {
                    derive(facts, rest, binding, found);
                }
                *binding = before;
            }
        }
    }
}

fn matches(term: &Term, value: &Ground, binding: &mut Vec<Option<Ground>>) -> bool {
    match term {
        Term::Constant(symbol) => *symbol == value.name && value.arguments.is_empty(),
        Term::Function(symbol, arguments) => {
            *symbol == value.name
                && arguments.len() == value.arguments.len()
                && arguments.iter().zip(&value.arguments).all(|(term, value)| matches(term, value, binding))
        }
        Term::Variable(variable) => binding[variable.0 as usize].get_or_insert_with(|| value.clone()) == value,
    }
}

fn instance(term: &Term, binding: &[Option<Ground>]) -> Ground {
    match term {
        Term::Constant(symbol) => Ground { name: *symbol, arguments: Vec::new() },
        Term::Function(symbol, arguments) => {
            Ground { name: *symbol, arguments: arguments.iter().map(|term| instance(term, binding)).collect() }
        }
        Term::Variable(variable) => binding[variable.0 as usize].clone().expect("a safe rule"),
    }
}
