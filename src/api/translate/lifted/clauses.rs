//! Turns rules into conditions, either for one move or for all moves.

use super::Obstacle;
use super::flat::{FlatProgram, Kind, arguments, kind};
use super::simplify::{and, negated, or, size};
use super::sorts::{Sorts, ValuePlace};
use super::vocabulary::{Meaning, Vocabulary};
use game::rules::gddl::ast::{Condition, Term, Typed};
use game::rules::{self, Atom, Literal, Predicate, Symbol};
use game::syntax::Span;
use indexmap::IndexSet;

const MOST_CONDITIONS: usize = 200_000;

/// Largest depth to which relations that depend on moves are replaced by the bodies of their rules.
const DEEPEST: usize = 30;

#[derive(Debug, Clone)]
pub struct Actor {
    pub role: Term,
    pub kind: Kind,
    pub parameters: Vec<Term>,
    /// The move that every other role makes, if there are other roles.
    pub waiting: Option<Symbol>,
}

pub struct Opened {
    pub variables: Vec<Typed>,
    /// The arguments of the head or, if the head is about a fluent or a move, the arguments of the fluent or move.
    pub head: Vec<Term>,
    pub conditions: Vec<Condition>,
}

pub struct Lifting<'a> {
    pub flat: &'a FlatProgram<'a>,
    pub sorts: &'a Sorts,
    pub words: Vocabulary,
    /// The predicates in the conditions, besides fluents.
    pub needed: IndexSet<Meaning>,
    /// Why the last rule that could not be translated could not be.
    pub obstacle: Obstacle,
    conditions: usize,
    depth: usize,
}

impl<'a> Lifting<'a> {
    pub fn new(flat: &'a FlatProgram<'a>, sorts: &'a Sorts, words: Vocabulary) -> Self {
        let obstacle = Obstacle::of_game("a condition that GDDL does not have");
        Lifting { flat, sorts, words, needed: IndexSet::new(), obstacle, conditions: 0, depth: 0 }
    }

    pub fn fail<T>(&mut self, what: &'static str, span: Span) -> Option<T> {
        self.obstacle = Obstacle { what, span };
        None
    }

    /// A new variable, with the name of the variable at this position in the heads of `rules` (see [`Opened::head`]).
    pub fn variable(&mut self, rules: &[usize], index: usize, place: ValuePlace, role: bool) -> Typed {
        let wished = rules.iter().find_map(|&rule| {
            let rule = &self.flat.program.rules[rule];
            match self.head(rule).get(index)? {
                rules::Term::Variable(variable) => Some(rule.variables[variable.0 as usize]),
                _ => None,
            }
        });
        let wished = wished.map(|name| self.flat.program.symbols.name(name));
        self.words.variable(wished, self.sorts.of(place), role)
    }

    fn head(&self, rule: &rules::Rule) -> Vec<rules::Term> {
        match self.flat.program.kind(rule.head.predicate) {
            Predicate::Next | Predicate::Init => arguments(&rule.head.arguments[0]).to_vec(),
            Predicate::Legal => [&rule.head.arguments[..1], arguments(&rule.head.arguments[1])].concat(),
            _ => rule.head.arguments.clone(),
        }
    }

    pub fn constant(&mut self, name: Symbol) -> Term {
        self.words.constant(name, &self.flat.program.symbols)
    }

    pub fn holds(&mut self, meaning: Meaning, terms: Vec<Term>) -> Condition {
        Condition::Atom(self.words.atom(meaning, terms, &self.flat.program.symbols))
    }

    pub fn note(&mut self, condition: &Condition) {
        condition.each_atom(true, &mut |atom, _| match self.words.meaning(atom) {
            Meaning::Fluent(_) => {}
            meaning => _ = self.needed.insert(meaning),
        });
    }

    /// A copy of a rule with fresh variables; `None` if the rule cannot be translated.
    pub fn open(&mut self, index: usize, turn: Option<&Actor>) -> Option<Opened> {
        let program = self.flat.program;
        let rule = &program.rules[index];
        let variables: Vec<Typed> = (0..rule.variables.len() as u32)
            .map(|variable| {
                let sort = self.sorts.of(ValuePlace::Variable(index, variable));
                let wished = program.symbols.name(rule.variables[variable as usize]);
                self.words.variable(Some(wished), sort, self.sorts.is_role(index, variable))
            })
            .collect();
        let head = self.terms(&self.head(rule), &variables);
        let mut conditions = Vec::new();
        for literal in &rule.body {
            conditions.push(match literal {
                Literal::Positive(atom) => self.atom(atom, &variables, turn)?,
                Literal::Negative(atom) => negated(self.atom(atom, &variables, turn)?),
                Literal::Distinct(left, right, _) => {
                    let (left, right) = (self.term(left, &variables), self.term(right, &variables));
                    negated(self.words.typing.equal(left, right))
                }
            });
        }
        self.conditions += conditions.iter().map(size).sum::<usize>();
        if self.conditions > MOST_CONDITIONS {
            return self.fail("rules that become too many conditions", rule.span);
        }
        Some(Opened { variables, head, conditions })
    }

    /// The condition under which one of `rules` derives its head with the arguments `given`.
    pub fn any(&mut self, rules: &[usize], given: &[Term], turn: Option<&Actor>) -> Option<Condition> {
        let mut members = Vec::new();
        for &rule in rules {
            let Opened { variables, head, conditions } = self.open(rule, turn)?;
            let typing = &self.words.typing;
            members.push(typing.exists(variables, and(typing.all_equal(&head, given).chain(conditions))));
        }
        Some(or(members))
    }

    fn term(&mut self, term: &rules::Term, variables: &[Typed]) -> Term {
        match term {
            rules::Term::Variable(variable) => Term::Variable(variables[variable.0 as usize].name),
            rules::Term::Constant(name) | rules::Term::Function(name, _) => self.constant(*name),
        }
    }

    fn terms(&mut self, terms: &[rules::Term], variables: &[Typed]) -> Vec<Term> {
        terms.iter().map(|term| self.term(term, variables)).collect()
    }

    fn atom(&mut self, atom: &Atom, variables: &[Typed], turn: Option<&Actor>) -> Option<Condition> {
        let predicate = self.flat.program.kind(atom.predicate);
        Some(match predicate {
            Predicate::True => {
                let terms = self.terms(arguments(&atom.arguments[0]), variables);
                self.holds(Meaning::Fluent(kind(&atom.arguments[0])?), terms)
            }
            Predicate::Role => match &atom.arguments[0] {
                // A variable in this position has the type of roles, so it is a role in any case.
                rules::Term::Variable(_) => Condition::TRUE,
                rules::Term::Constant(name) if self.flat.roles.contains(name) => Condition::TRUE,
                _ => Condition::FALSE,
            },
            Predicate::Legal | Predicate::Does => {
                let made = kind(&atom.arguments[1])?;
                let role = self.term(&atom.arguments[0], variables);
                let terms = self.terms(arguments(&atom.arguments[1]), variables);
                if predicate == Predicate::Does {
                    return match turn {
                        Some(turn) => Some(self.does(turn, role, made, &terms)),
                        None => self.fail("`does` in a rule that is not about the next state", atom.span),
                    };
                }
                self.holds(Meaning::Legal(made), std::iter::once(role).chain(terms).collect())
            }
            Predicate::Terminal => self.holds(Meaning::Terminal, Vec::new()),
            Predicate::Relation(name, _) => {
                let terms = self.terms(&atom.arguments, variables);
                if !self.flat.moving.contains(&predicate) {
                    return Some(self.holds(Meaning::Relation((name, terms.len())), terms));
                }
                self.depth += 1;
                if self.depth > DEEPEST {
                    return self.fail("a relation on moves that is recursive or deep", atom.span);
                }
                let condition = self.any(self.flat.rules_of(predicate), &terms, turn)?;
                self.depth -= 1;
                condition
            }
            _ => return None,
        })
    }

    fn does(&self, turn: &Actor, role: Term, made: Kind, terms: &[Term]) -> Condition {
        let typing = &self.words.typing;
        let own = typing.equal(role, turn.role);
        if made == turn.kind {
            return and(std::iter::once(own).chain(typing.all_equal(terms, &turn.parameters)));
        }
        match turn.waiting {
            Some(waiting) if made == (waiting, 0) => negated(own),
            _ => Condition::FALSE,
        }
    }
}
