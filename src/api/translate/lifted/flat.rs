//! Finds out whether a program can be translated rule by rule, and collects its parts.

use super::Obstacle;
use super::planning::Stuck;
use game::rules::dependencies::dependents;
use game::rules::{Atom, Literal, Predicate, Program, Symbol, Term};
use indexmap::{IndexMap, IndexSet};

/// A fluent or a kind of move, by name and number of arguments.
pub type Kind = (Symbol, usize);

/// A program in which arguments of fluents and moves have no function terms.
pub struct FlatProgram<'a> {
    pub program: &'a Program,
    pub rules: IndexMap<Predicate, Vec<usize>>,
    pub roles: Vec<Symbol>,
    pub moves: IndexSet<Kind>,
    pub fluents: IndexSet<Kind>,
    pub moving: IndexSet<Predicate>,
    /// The rules that GDDL implies in a planning task. They are not among `rules`.
    pub stuck: Option<Stuck>,
}

impl<'a> FlatProgram<'a> {
    /// Collects the parts of a program; fails if a term is nested too deeply, or a rule has another form.
    pub fn new(program: &'a Program) -> Result<Self, Obstacle> {
        let mut flat = FlatProgram {
            program,
            rules: IndexMap::new(),
            roles: Vec::new(),
            moves: IndexSet::new(),
            fluents: IndexSet::new(),
            moving: IndexSet::new(),
            stuck: Stuck::new(program),
        };
        for (index, rule) in program.rules.iter().enumerate() {
            if flat.stuck.is_some_and(|stuck| stuck.has(index)) {
                continue;
            }
            let predicate = program.kind(rule.head.predicate);
            flat.rules.entry(predicate).or_default().push(index);
            if matches!(predicate, Predicate::Base | Predicate::Input) {
                continue;
            }
            flat.add(&rule.head)?;
            if predicate == Predicate::Role {
                let ([Term::Constant(role)], []) = (&rule.head.arguments[..], &rule.body[..]) else {
                    return Err(Obstacle { what: "roles by a rule", span: rule.span });
                };
                flat.roles.push(*role);
            }
            for literal in &rule.body {
                match literal {
                    Literal::Positive(atom) | Literal::Negative(atom) => {
                        use Predicate::{Base, Goal, Init, Input, Next};
                        if matches!(program.kind(atom.predicate), Base | Goal | Init | Input | Next) {
                            let what = "a condition on `goal`, `base` or `input`";
                            return Err(Obstacle { what, span: atom.span });
                        }
                        flat.add(atom)?;
                    }
                    Literal::Distinct(left, right, span) => {
                        if !is_simple(left) || !is_simple(right) {
                            return Err(Obstacle { what: "a function term in `distinct`", span: *span });
                        }
                    }
                }
            }
        }
        let dependents = dependents(program, [Predicate::Does]).into_iter();
        flat.moving = dependents.filter(|predicate| matches!(predicate, Predicate::Relation(..))).collect();
        Ok(flat)
    }

    /// Adds the kind of an atom; fails if the terms of the atom are not flat.
    fn add(&mut self, atom: &Atom) -> Result<(), Obstacle> {
        use Predicate::{Does, Init, Legal, Next, True};
        let fail = |what| Obstacle { what, span: atom.span };
        let known = |term: &Term, variable, nested| {
            kind(term).ok_or_else(|| fail(if matches!(term, Term::Variable(_)) { variable } else { nested }))
        };
        let fluent =
            |term: &Term| known(term, "a variable that stands for a fluent", "a function term inside a fluent");
        let action = |term: &Term| known(term, "a variable that stands for a move", "a function term inside a move");
        match self.program.kind(atom.predicate) {
            True | Init | Next => drop(self.fluents.insert(fluent(&atom.arguments[0])?)),
            Does => drop(action(&atom.arguments[1])?),
            Legal => drop(self.moves.insert(action(&atom.arguments[1])?)),
            _ if !atom.arguments.iter().all(is_simple) => return Err(fail("a function term inside a relation")),
            _ => {}
        }
        Ok(())
    }

    pub fn rules_of(&self, predicate: Predicate) -> &[usize] {
        self.rules.get(&predicate).map_or(&[], Vec::as_slice)
    }
}

/// The kind of a fluent or a move; `None` for a variable, and for a term that is not flat.
pub fn kind(term: &Term) -> Option<Kind> {
    match term {
        Term::Constant(name) => Some((*name, 0)),
        Term::Function(name, arguments) if arguments.iter().all(is_simple) => Some((*name, arguments.len())),
        _ => None,
    }
}

pub fn arguments(term: &Term) -> &[Term] {
    match term {
        Term::Function(_, arguments) => arguments,
        _ => &[],
    }
}

fn is_simple(term: &Term) -> bool {
    !matches!(term, Term::Function(..))
}
