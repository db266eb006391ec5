//! Rules as formulas, either for a move that is being made or independent of moves.

use super::flat::{FlatProgram, Kind, arguments, kind};
use super::formula::{Formula, Name, Term, Variable};
use super::sorts::{Sort, Sorts, ValuePlace};
use crate::rules::{self, Atom, Literal, Predicate, Symbol};

/// Bound on the conditions of all formulas of a game.
const MOST_CONDITIONS: usize = 200_000;

/// Relations that depend on moves are replaced by the bodies of their rules, nested at most so deep.
const DEEPEST: usize = 30;

/// A player who makes a move.
#[derive(Debug, Clone)]
pub struct Actor {
    pub role: Term,
    pub kind: Kind,
    pub parameters: Vec<Term>,
    /// The move that all other roles make, if there are others.
    pub waiting: Option<Symbol>,
}

/// What a variable is called, and what it stands for.
#[derive(Debug, Clone, Copy)]
pub struct VariableEntry {
    /// The name in the program; `None` for a variable that the translation introduced.
    pub name: Option<Symbol>,
    pub sort: Option<Sort>,
}

/// A copy of a rule with fresh variables.
pub struct Opened {
    pub variables: Vec<Variable>,
    /// The arguments of the head; of a fluent or move, those inside.
    pub head: Vec<Term>,
    pub conditions: Vec<Formula>,
}

/// Makes formulas of rules.
pub struct Clauses<'a> {
    pub flat: &'a FlatProgram<'a>,
    pub sorts: &'a Sorts,
    pub variables: Vec<VariableEntry>,
    conditions: usize,
    depth: usize,
}

impl<'a> Clauses<'a> {
    pub fn new(flat: &'a FlatProgram<'a>, sorts: &'a Sorts) -> Self {
        Clauses { flat, sorts, variables: Vec::new(), conditions: 0, depth: 0 }
    }

    /// A new variable.
    pub fn variable(&mut self, name: Option<Symbol>, sort: Option<Sort>, role: bool) -> Variable {
        self.variables.push(VariableEntry { name, sort });
        Variable { id: self.variables.len() as u32 - 1, role }
    }

    /// The name of the variable at a place of the heads of some rules, as in [`Opened::head`].
    pub fn name(&self, rules: &[usize], index: usize) -> Option<Symbol> {
        rules.iter().find_map(|&rule| {
            let rule = &self.flat.program.rules[rule];
            match self.head(rule).get(index)? {
                rules::Term::Variable(variable) => Some(rule.variables[variable.0 as usize]),
                _ => None,
            }
        })
    }

    /// The arguments of a head; of a fluent or move, those inside.
    fn head(&self, rule: &rules::Rule) -> Vec<rules::Term> {
        match self.flat.predicate(rule.head.predicate) {
            Predicate::Next | Predicate::Init => arguments(&rule.head.arguments[0]).to_vec(),
            Predicate::Legal => [&rule.head.arguments[..1], arguments(&rule.head.arguments[1])].concat(),
            _ => rule.head.arguments.clone(),
        }
    }

    pub fn constant(&self, name: Symbol) -> Term {
        Term::Constant { name, role: self.flat.roles.contains(&name) }
    }

    /// A copy of a rule with fresh variables; `None` if the rule cannot be translated.
    pub fn open(&mut self, index: usize, turn: Option<&Actor>) -> Option<Opened> {
        let rule = &self.flat.program.rules[index];
        let variables: Vec<Variable> = (0..rule.variables.len() as u32)
            .map(|variable| {
                let sort = self.sorts.of(ValuePlace::Variable(index, variable));
                let role = self.sorts.is_role(index, variable);
                self.variable(Some(rule.variables[variable as usize]), sort, role)
            })
            .collect();
        let head = self.terms(&self.head(rule), &variables);
        let mut conditions = Vec::new();
        for literal in &rule.body {
            conditions.push(match literal {
                Literal::Positive(atom) => self.atom(atom, &variables, turn)?,
                Literal::Negative(atom) => self.atom(atom, &variables, turn)?.negated(),
                // A constant that occurs only in comparisons is never the value of a variable.
                Literal::Distinct(left, right, _) if self.is_foreign(left) != self.is_foreign(right) => Formula::TRUE,
                Literal::Distinct(left, right, _) => {
                    Formula::equal(self.term(left, &variables), self.term(right, &variables)).negated()
                }
            });
        }
        self.conditions += conditions.iter().map(Formula::size).sum::<usize>();
        (self.conditions <= MOST_CONDITIONS).then_some(Opened { variables, head, conditions })
    }

    /// The condition that one of some rules derives its head with these arguments.
    pub fn any(&mut self, rules: &[usize], given: &[Term], turn: Option<&Actor>) -> Option<Formula> {
        let mut members = Vec::new();
        for &rule in rules {
            let Opened { variables, head, conditions } = self.open(rule, turn)?;
            let equations = head.iter().zip(given).map(|(&own, &given)| Formula::equal(own, given));
            members.push(Formula::exists(variables, Formula::and(equations.chain(conditions))));
        }
        Some(Formula::or(members))
    }

    /// Whether a term is a constant that occurs in comparisons only.
    fn is_foreign(&self, term: &rules::Term) -> bool {
        matches!(term, rules::Term::Constant(name) if self.sorts.of(ValuePlace::Constant(*name)).is_none())
    }

    fn term(&self, term: &rules::Term, variables: &[Variable]) -> Term {
        match term {
            rules::Term::Variable(variable) => Term::Variable(variables[variable.0 as usize]),
            rules::Term::Constant(name) | rules::Term::Function(name, _) => self.constant(*name),
        }
    }

    fn terms(&self, terms: &[rules::Term], variables: &[Variable]) -> Vec<Term> {
        terms.iter().map(|term| self.term(term, variables)).collect()
    }

    fn atom(&mut self, atom: &Atom, variables: &[Variable], turn: Option<&Actor>) -> Option<Formula> {
        let predicate = self.flat.predicate(atom.predicate);
        Some(match predicate {
            Predicate::True => {
                let (name, arity) = kind(&atom.arguments[0])?;
                Formula::Atom(Name::Fluent(name, arity), self.terms(arguments(&atom.arguments[0]), variables))
            }
            Predicate::Role => match self.term(&atom.arguments[0], variables) {
                // A variable in this position has the type of roles.
                Term::Variable(_) | Term::Constant { role: true, .. } => Formula::TRUE,
                Term::Constant { .. } => Formula::FALSE,
            },
            Predicate::Legal => {
                let (name, arity) = kind(&atom.arguments[1])?;
                let role = self.term(&atom.arguments[0], variables);
                let terms = self.terms(arguments(&atom.arguments[1]), variables);
                Formula::Atom(Name::Legal(name, arity), std::iter::once(role).chain(terms).collect())
            }
            Predicate::Does => {
                let made = kind(&atom.arguments[1])?;
                let role = self.term(&atom.arguments[0], variables);
                let terms = self.terms(arguments(&atom.arguments[1]), variables);
                does(turn?, role, made, &terms)
            }
            Predicate::Terminal => Formula::Atom(Name::Terminal, Vec::new()),
            Predicate::Relation(name, _) => {
                let terms = self.terms(&atom.arguments, variables);
                if !self.flat.moving.contains(&predicate) {
                    return Some(Formula::Atom(Name::Relation(name, terms.len()), terms));
                }
                self.depth += 1;
                if self.depth > DEEPEST {
                    return None;
                }
                let rules = self.flat.rules_of(predicate);
                let formula = self.any(rules, &terms, turn)?;
                self.depth -= 1;
                formula
            }
            _ => return None,
        })
    }
}

/// The condition that a role makes a move.
fn does(turn: &Actor, role: Term, made: Kind, terms: &[Term]) -> Formula {
    let own = Formula::equal(role, turn.role);
    if made == turn.kind {
        let equations = terms.iter().zip(&turn.parameters).map(|(&term, &given)| Formula::equal(term, given));
        return Formula::and(std::iter::once(own).chain(equations));
    }
    match turn.waiting {
        Some(waiting) if made == (waiting, 0) => own.negated(),
        _ => Formula::FALSE,
    }
}
