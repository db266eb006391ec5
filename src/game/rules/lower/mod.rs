//! Lowers checked sentences to the Datalog program: `and`, `or` and nested `not` are normalised away.
//!
//! A body is brought into negation normal form on the fly (`normal`), and multiplied out if that yields at most 64
//! rules. Otherwise each disjunction becomes an auxiliary relation with one rule for each member (Tseitin's
//! construction), so that the program stays of polynomial size. The arguments of the relation are the variables that
//! the disjunction shares with the rest of the rule. The rules of an auxiliary relation must be safe themselves: for a
//! variable that a member does not bind, a condition from outside of the disjunction is added. If only another
//! disjunction binds the variable, that condition is an auxiliary relation of the positive conditions of the other
//! disjunction alone, which bind the same variables and need no further conditions. Relations that are stratified only
//! by the arguments of their rules are split first (`split`). A negated `distinct` is an equation, which is solved by
//! unification (`unify`).

mod auxiliary;
mod normal;
mod split;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod twin;
mod unify;

use super::program::{self, Literal, Program, Rule, Symbol, Variable};
use super::sentence::{Atom, Rulesheet, Sentence, Term};
use crate::diagnostic::Diagnostic;
use crate::syntax::Span;
use indexmap::IndexSet;
pub(super) use normal::Part;
pub(super) use normal::bound_by;
use normal::{Body, OwnLiteral};

const MOST_CLAUSES: usize = 64;

/// Bound on the conditions of the program in addition to those that multiplying out may give.
const MOST_FURTHER_CONDITIONS: usize = 1 << 17;

/// The program of sentences that passed all checks. The only possible error is that the program is too large.
pub fn program(name: &str, sheet: Rulesheet) -> Result<Program, Diagnostic> {
    bounded_program(name, sheet, MOST_CLAUSES)
}

fn bounded_program(name: &str, sheet: Rulesheet, most_clauses: usize) -> Result<Program, Diagnostic> {
    let sheet = split::split(sheet);
    let roles: Vec<Term> = sheet.listed_roles().iter().flat_map(|role| role.head.arguments.first().cloned()).collect();
    let Rulesheet { symbols, sentences, costs } = sheet;
    let program = Program { name: name.to_owned(), symbols, costs, ..Program::default() };
    let mut conditions: usize = 0;
    for part in sentences.iter().flat_map(|sentence| &sentence.body) {
        part.each_leaf(true, &mut |_, _| conditions += 1);
    }
    let budget = conditions.saturating_mul(MOST_CLAUSES).saturating_add(MOST_FURTHER_CONDITIONS);
    let mut lowering = Lowering { program, most_clauses, budget };
    for sentence in &sentences {
        lowering.sentence(sentence)?;
    }
    let roles = roles.iter().map(|role| term(role, &mut IndexSet::new())).collect();
    Ok(Program { roles, ..lowering.program })
}

struct Lowering {
    program: Program,
    most_clauses: usize,
    budget: usize,
}

#[derive(Clone, Copy)]
struct Origin<'a> {
    name: &'a str,
    span: Span,
}

impl Origin<'_> {
    fn too_complex(&self) -> Diagnostic {
        let message = "the conditions of this rule are too entangled to be multiplied out";
        let advice = "give its disjunctions and equations relations of their own";
        Diagnostic::error("too-complex", self.span, message).with_advice(advice)
    }
}

impl Lowering {
    fn sentence(&mut self, sentence: &Sentence) -> Result<(), Diagnostic> {
        let name = sentence.head.predicate.name(&self.program.symbols).to_owned();
        let origin = Origin { name: &name, span: sentence.span };
        let parts = sentence.body.iter().map(Part::new).collect();
        self.rule(origin, &sentence.head, parts, Vec::new())
    }

    fn rule(
        &mut self,
        origin: Origin,
        head: &Atom,
        parts: Vec<Part>,
        mut context: Vec<OwnLiteral>,
    ) -> Result<(), Diagnostic> {
        let Some(mut body) = Body::new(parts) else { return Ok(()) };
        if body.clauses() <= self.most_clauses {
            for mut clause in body.expand() {
                clause.extend(context.iter().cloned());
                self.clause(origin, head, clause)?;
            }
            return Ok(());
        }
        body.conditions.append(&mut context);
        self.with_auxiliaries(origin, head, body)
    }

    fn spend(&mut self, origin: Origin, conditions: usize) -> Result<(), Diagnostic> {
        self.budget = self.budget.checked_sub(conditions).ok_or_else(|| origin.too_complex())?;
        Ok(())
    }

    fn clause(&mut self, origin: Origin, head: &Atom, clause: Vec<OwnLiteral>) -> Result<(), Diagnostic> {
        self.spend(origin, clause.len())?;
        let equations: Vec<(&Term, &Term)> = clause.iter().filter_map(OwnLiteral::equation).collect();
        let solved;
        let (head, clause) = if equations.is_empty() {
            (head, &clause)
        } else {
            match unify::solve(&equations, head, &clause) {
                Ok(Some(result)) => {
                    solved = result;
                    (&solved.0, &solved.1)
                }
                Ok(None) => return Ok(()),
                Err(unify::TooLarge) => return Err(origin.too_complex()),
            }
        };
        let mut variables = IndexSet::new();
        let head = self.atom(head, &mut variables);
        let body = clause.iter().map(|condition| self.literal(condition, &mut variables)).collect();
        let rule = Rule { head, body, variables: variables.into_iter().collect(), span: origin.span };
        self.program.rules.push(rule);
        Ok(())
    }

    fn literal(&mut self, condition: &OwnLiteral, variables: &mut IndexSet<Symbol>) -> Literal {
        match condition {
            OwnLiteral::Holds(atom, true) => Literal::Positive(self.atom(atom, variables)),
            OwnLiteral::Holds(atom, false) => Literal::Negative(self.atom(atom, variables)),
            OwnLiteral::Differ(left, right, _, span) => {
                Literal::Distinct(term(left, variables), term(right, variables), *span)
            }
        }
    }

    fn atom(&mut self, atom: &Atom, variables: &mut IndexSet<Symbol>) -> program::Atom {
        program::Atom {
            predicate: self.program.predicate(atom.predicate),
            arguments: atom.arguments.iter().map(|argument| term(argument, variables)).collect(),
            span: atom.span,
        }
    }
}

fn term(term: &Term, variables: &mut IndexSet<Symbol>) -> program::Term {
    match term {
        Term::Constant(name, _) => program::Term::Constant(*name),
        Term::Variable(name, _) => program::Term::Variable(Variable(variables.insert_full(*name).0 as u32)),
        Term::Function(name, arguments, _) => {
            program::Term::Function(*name, arguments.iter().map(|argument| self::term(argument, variables)).collect())
        }
    }
}
