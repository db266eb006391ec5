//! Rules evaluated on one state at a time, by trying all substitutions: the slow and obvious twin of grounding.

use ggsolve::propositional::GroundTerm;
use ggsolve::rules::{Literal, Predicate, PredicateId, Program, Rule, Term};
use std::collections::{BTreeSet, HashMap};

/// The rows of one relation.
pub type Facts = BTreeSet<Vec<GroundTerm>>;

pub struct Prover<'a> {
    program: &'a Program,
    /// By predicate: its relation is complete when all of smaller level are.
    levels: Vec<usize>,
}

/// Everything that holds in a state.
pub struct Model<'a> {
    program: &'a Program,
    facts: HashMap<PredicateId, Facts>,
}

impl Model<'_> {
    fn get(&self, predicate: Predicate) -> Facts {
        let id = self.program.find_predicate(predicate);
        id.and_then(|id| self.facts.get(&id)).cloned().unwrap_or_default()
    }

    pub fn terminal(&self) -> bool {
        !self.get(Predicate::Terminal).is_empty()
    }

    pub fn next(&self) -> Facts {
        self.get(Predicate::Next)
    }

    /// The second arguments of `legal` or `goal` for a role.
    pub fn pairs(&self, keyword: &str, role: &GroundTerm) -> BTreeSet<String> {
        let predicate = if keyword == "legal" { Predicate::Legal } else { Predicate::Goal };
        self.get(predicate).iter().filter(|row| &row[0] == role).map(|row| row[1].to_string()).collect()
    }
}

type Substitution = Vec<Option<GroundTerm>>;

impl<'a> Prover<'a> {
    pub fn new(program: &'a Program) -> Self {
        let mut levels = vec![0; program.predicates.len()];
        for _ in 0..=program.predicates.len() {
            for rule in &program.rules {
                for literal in &rule.body {
                    let head = rule.head.predicate.0 as usize;
                    match literal {
                        Literal::Positive(atom) => levels[head] = levels[head].max(levels[atom.predicate.0 as usize]),
                        Literal::Negative(atom) => {
                            levels[head] = levels[head].max(levels[atom.predicate.0 as usize] + 1);
                        }
                        Literal::Distinct(..) => {}
                    }
                }
            }
        }
        Prover { program, levels }
    }

    /// The fluents of the initial state.
    pub fn initial(&self) -> Facts {
        self.model(&Facts::new(), &Facts::new()).get(Predicate::Init)
    }

    /// What holds when these fluents hold and these moves are done.
    pub fn model(&self, fluents: &Facts, does: &Facts) -> Model<'a> {
        let mut model = Model { program: self.program, facts: HashMap::new() };
        for (predicate, facts) in [(Predicate::True, fluents), (Predicate::Does, does)] {
            if let Some(id) = self.program.find_predicate(predicate) {
                model.facts.insert(id, facts.clone());
            }
        }
        for level in 0..=self.levels.iter().copied().max().unwrap_or(0) {
            let rules =
                || self.program.rules.iter().filter(|rule| self.levels[rule.head.predicate.0 as usize] == level);
            loop {
                let mut new = false;
                for rule in rules() {
                    for row in self.heads(rule, &model) {
                        new |= model.facts.entry(rule.head.predicate).or_default().insert(row);
                    }
                }
                if !new {
                    break;
                }
            }
        }
        model
    }

    fn heads(&self, rule: &Rule, model: &Model<'_>) -> Facts {
        let none = Facts::new();
        let relation = |predicate: PredicateId| model.facts.get(&predicate).unwrap_or(&none);
        let mut found: Vec<Substitution> = vec![vec![None; rule.variables.len()]];
        for literal in &rule.body {
            if let Literal::Positive(atom) = literal {
                found = found
                    .iter()
                    .flat_map(|before| {
                        relation(atom.predicate).iter().filter_map(|row| {
                            let mut after = before.clone();
                            let pairs = || atom.arguments.iter().zip(row);
                            pairs().all(|(term, ground)| self.unify(term, ground, &mut after)).then_some(after)
                        })
                    })
                    .collect();
            }
        }
        let holds = |literal: &Literal, substitution: &Substitution| match literal {
            Literal::Positive(_) => true,
            Literal::Negative(atom) => {
                let row: Vec<GroundTerm> = atom.arguments.iter().map(|t| self.apply(t, substitution)).collect();
                !relation(atom.predicate).contains(&row)
            }
            Literal::Distinct(left, right, _) => self.apply(left, substitution) != self.apply(right, substitution),
        };
        found.retain(|substitution| rule.body.iter().all(|literal| holds(literal, substitution)));
        found.iter().map(|s| rule.head.arguments.iter().map(|term| self.apply(term, s)).collect()).collect()
    }

    fn unify(&self, term: &Term, ground: &GroundTerm, substitution: &mut Substitution) -> bool {
        match term {
            Term::Constant(symbol) => ground.arguments.is_empty() && self.program.symbols.name(*symbol) == ground.name,
            Term::Variable(variable) => {
                let slot = &mut substitution[variable.0 as usize];
                *slot.get_or_insert_with(|| ground.clone()) == *ground
            }
            Term::Function(functor, arguments) => {
                self.program.symbols.name(*functor) == ground.name
                    && arguments.len() == ground.arguments.len()
                    && arguments
                        .iter()
                        .zip(&ground.arguments)
                        .all(|(term, ground)| self.unify(term, ground, substitution))
            }
        }
    }

    fn apply(&self, term: &Term, substitution: &Substitution) -> GroundTerm {
        let (symbol, arguments) = match term {
            Term::Variable(variable) => return substitution[variable.0 as usize].clone().expect("the rule is safe"),
            Term::Constant(symbol) => (symbol, Vec::new()),
            Term::Function(functor, arguments) => {
                (functor, arguments.iter().map(|term| self.apply(term, substitution)).collect())
            }
        };
        GroundTerm { name: self.program.symbols.name(*symbol).to_owned(), arguments }
    }
}
