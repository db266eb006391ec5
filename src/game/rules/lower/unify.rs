//! Solves equations between terms by unification (Robinson 1965), with bounds on steps and on the size of the result.

use super::normal::OwnLiteral;
use crate::rules::program::Symbol;
use crate::rules::sentence::{Atom, Term};
use crate::syntax::tree::DEEPEST;
use std::collections::BTreeMap;

#[derive(Debug, PartialEq, Eq)]
pub struct TooLarge;

const MOST_STEPS: usize = 1 << 13;

const MOST_TERMS: usize = 1 << 16;

type Substitution<'a> = BTreeMap<Symbol, &'a Term>;

/// Applies the most general solution of the equations to the rule, and removes them; `None` without a solution.
pub fn solve(
    equations: &[(&Term, &Term)],
    head: &Atom,
    clause: &[OwnLiteral],
) -> Result<Option<(Atom, Vec<OwnLiteral>)>, TooLarge> {
    let Some(substitution) = unify(equations)? else { return Ok(None) };
    let mut budget = MOST_TERMS;
    let head = substitute_atom(head, &substitution, &mut budget)?;
    let mut conditions = Vec::new();
    for condition in clause.iter().filter(|condition| condition.equation().is_none()) {
        conditions.push(match condition {
            OwnLiteral::Holds(atom, positive) => {
                OwnLiteral::Holds(substitute_atom(atom, &substitution, &mut budget)?, *positive)
            }
            OwnLiteral::Differ(left, right, positive, span) => OwnLiteral::Differ(
                substitute(left, &substitution, 0, &mut budget)?,
                substitute(right, &substitution, 0, &mut budget)?,
                *positive,
                *span,
            ),
        });
    }
    Ok(Some((head, conditions)))
}

fn unify<'a>(equations: &[(&'a Term, &'a Term)]) -> Result<Option<Substitution<'a>>, TooLarge> {
    let mut substitution = Substitution::new();
    let mut open = equations.to_vec();
    let mut steps = 0;
    while let Some((left, right)) = open.pop() {
        steps += 1;
        if steps > MOST_STEPS {
            return Err(TooLarge);
        }
        match (value(left, &substitution), value(right, &substitution)) {
            (Term::Variable(a, _), Term::Variable(b, _)) if a == b => {}
            (Term::Variable(name, _), term) | (term, Term::Variable(name, _)) => {
                substitution.insert(*name, term);
            }
            (Term::Constant(a, _), Term::Constant(b, _)) if a == b => {}
            (Term::Function(f, a, _), Term::Function(g, b, _)) if f == g && a.len() == b.len() => {
                open.extend(a.iter().zip(b));
            }
            _ => return Ok(None),
        }
    }
    Ok((!contains_itself(&substitution)).then_some(substitution))
}

/// Whether a variable stands for a term that contains it, also through other variables; then there is no finite
/// solution. Variables that no other variable's term contains are removed repeatedly; the remaining variables are in a
/// cycle.
fn contains_itself(substitution: &Substitution) -> bool {
    let mut waiting: BTreeMap<Symbol, usize> = substitution.keys().map(|&name| (name, 0)).collect();
    for term in substitution.values() {
        term.each_variable(&mut |name, _| {
            waiting.entry(name).and_modify(|count| *count += 1);
        });
    }
    let mut free: Vec<Symbol> = waiting.iter().filter(|&(_, &count)| count == 0).map(|(&name, _)| name).collect();
    let mut removed = 0;
    while let Some(name) = free.pop() {
        removed += 1;
        substitution[&name].each_variable(&mut |name, _| {
            if let Some(count) = waiting.get_mut(&name) {
                *count -= 1;
                if *count == 0 {
                    free.push(name);
                }
            }
        });
    }
    removed < substitution.len()
}

fn value<'a>(mut term: &'a Term, substitution: &Substitution<'a>) -> &'a Term {
    while let Term::Variable(name, _) = term {
        let Some(next) = substitution.get(name) else { break };
        term = next;
    }
    term
}

fn substitute_atom(atom: &Atom, substitution: &Substitution, budget: &mut usize) -> Result<Atom, TooLarge> {
    let arguments = atom.arguments.iter().map(|term| substitute(term, substitution, 0, budget));
    Ok(Atom { arguments: arguments.collect::<Result<_, _>>()?, ..*atom })
}

fn substitute(term: &Term, substitution: &Substitution, depth: usize, budget: &mut usize) -> Result<Term, TooLarge> {
    *budget = budget.checked_sub(1).ok_or(TooLarge)?;
    if depth > DEEPEST {
        return Err(TooLarge);
    }
    match value(term, substitution) {
        Term::Function(name, arguments, span) => {
            let arguments = arguments.iter().map(|term| substitute(term, substitution, depth + 1, budget));
            Ok(Term::Function(*name, arguments.collect::<Result<_, _>>()?, *span))
        }
        simple => Ok(simple.clone()),
    }
}
