//! Conditions and effects as text, with names for the variables of one section.

use super::clauses::Clauses;
use super::effects::Effect;
use super::formula::{Formula, Name, Term, Variable};
use super::vocabulary::Vocabulary;
use crate::translate::layout::{Expression, list, word};
use crate::translate::names::Names;
use indexmap::IndexMap;

/// The variables of one section of the text with their names there.
pub struct Scope<'v, 'c> {
    vocabulary: &'v Vocabulary,
    clauses: &'v Clauses<'c>,
    names: Names,
    chosen: IndexMap<Variable, String>,
}

impl<'v, 'c> Scope<'v, 'c> {
    pub fn new(vocabulary: &'v Vocabulary, clauses: &'v Clauses<'c>) -> Self {
        Scope { vocabulary, clauses, names: Names::gddl(&["?"]), chosen: IndexMap::new() }
    }

    fn variable(&mut self, variable: Variable) -> Expression {
        if let Some(name) = self.chosen.get(&variable) {
            return word(name.as_str());
        }
        let entry = self.clauses.variables[variable.id as usize];
        let wished = match entry.name {
            Some(name) => self.clauses.flat.program.symbols.name(name).to_owned(),
            None => format!("?{}", self.vocabulary.type_of(variable, self.clauses)),
        };
        let name = self.names.choose(&wished);
        self.chosen.insert(variable, name.clone());
        word(name)
    }

    /// Variables with their types.
    pub fn typed(&mut self, variables: &[Variable]) -> Vec<Expression> {
        let mut words = Vec::new();
        for (index, &variable) in variables.iter().enumerate() {
            words.push(self.variable(variable));
            let own = self.vocabulary.type_of(variable, self.clauses);
            let next = variables.get(index + 1).map(|&next| self.vocabulary.type_of(next, self.clauses));
            if next != Some(own) {
                words.extend([word("-"), word(own)]);
            }
        }
        words
    }

    pub fn term(&mut self, term: Term) -> Expression {
        match term {
            Term::Constant { name, .. } => word(self.vocabulary.object(name)),
            Term::Variable(variable) => self.variable(variable),
        }
    }

    pub fn condition(&mut self, formula: &Formula) -> Expression {
        match formula {
            Formula::Atom(name, terms) => {
                let terms: Vec<Expression> = terms.iter().map(|&term| self.term(term)).collect();
                list(self.vocabulary.predicate(*name), terms)
            }
            Formula::Equal(left, right) => list("=", [self.term(*left), self.term(*right)]),
            Formula::Not(inner) => list("not", [self.condition(inner)]),
            Formula::And(parts) => list("and", parts.iter().map(|part| self.condition(part)).collect::<Vec<_>>()),
            Formula::Or(parts) => list("or", parts.iter().map(|part| self.condition(part)).collect::<Vec<_>>()),
            Formula::Exists(variables, body) => {
                let typed = Expression::List(self.typed(variables));
                list("exists", [typed, self.condition(body)])
            }
        }
    }

    pub fn effect(&mut self, effect: &Effect) -> Expression {
        let typed = (!effect.variables.is_empty()).then(|| Expression::List(self.typed(&effect.variables)));
        let terms: Vec<Expression> = effect.arguments.iter().map(|&term| self.term(term)).collect();
        let mut text = list(self.vocabulary.predicate(Name::Fluent(effect.fluent.0, effect.fluent.1)), terms);
        if !effect.value {
            text = list("not", [text]);
        }
        if !effect.condition.is_true() {
            text = list("when", [self.condition(&effect.condition), text]);
        }
        match typed {
            Some(typed) => list("forall", [typed, text]),
            None => text,
        }
    }
}
