//! From checked sentences to the Datalog program: `and`, `or` and nested `not` are normalised away.
//!
//! A body is brought into negation normal form on the fly ([`normal`]) and multiplied out while that gives at most
//! [`MOST_CLAUSES`] rules; otherwise each of its disjunctions becomes an auxiliary relation over the variables that it
//! shares with the rest of the rule, with one rule per member (Tseitin's construction), so that the program stays of
//! polynomial size. The rules of an auxiliary relation must be safe by themselves: a variable that a member does not
//! bind gets a condition from around the disjunction. Where only another disjunction binds it, that one is weakened
//! to its positive conditions, which bind the same variables and need none.
//! Relations that are stratified only by the arguments of their rules are split before ([`split`]).
//! A negated `distinct` is an equation, solved by unification ([`unify`]).

mod normal;
mod split;
#[cfg(test)]
mod tests;
mod unify;

use super::program::{self, Literal, Predicate, Program, Rule, Symbol, SymbolTable, Variable};
use super::sentence::{Atom, Rulesheet, Sentence, Term, Variables};
use crate::diagnostic::Diagnostic;
use crate::syntax::Span;
use indexmap::IndexSet;
use normal::{Body, Condition, Part};
use std::collections::BTreeMap;

/// A body is multiplied out into at most so many rules.
const MOST_CLAUSES: usize = 64;

/// Bound on the conditions of all rules together, each of them once for every rule that it is copied to.
const MOST_CONDITIONS: usize = 1 << 22;

/// The program of sentences that passed all checks; the only thing that can go wrong is size.
pub fn program(name: &str, sheet: Rulesheet) -> Result<Program, Diagnostic> {
    let Rulesheet { symbols, sentences } = split::split(sheet);
    let program = Program { name: name.to_owned(), symbols, ..Program::default() };
    let mut lowering = Lowering { program, auxiliaries: 0, budget: MOST_CONDITIONS };
    for sentence in &sentences {
        lowering.sentence(sentence)?;
    }
    Ok(lowering.program)
}

struct Lowering {
    program: Program,
    /// Number of auxiliary relations so far.
    auxiliaries: u32,
    /// Number of conditions that may still be written.
    budget: usize,
}

/// What the rules made from one sentence have in common.
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
        let name = match sentence.head.predicate {
            Predicate::Relation(name, _) => self.program.symbols.name(name).to_owned(),
            keyword => keyword.keyword().map_or(String::new(), |(name, _)| name.to_owned()),
        };
        let origin = Origin { name: &name, span: sentence.span };
        let parts = sentence.body.iter().map(Part::new).collect();
        self.rule(origin, &sentence.head, parts, Vec::new())
    }

    /// Adds the rules for `head ← parts ∧ context`.
    fn rule(
        &mut self,
        origin: Origin,
        head: &Atom,
        parts: Vec<Part>,
        mut context: Vec<Condition>,
    ) -> Result<(), Diagnostic> {
        let Some(body) = Body::new(parts) else { return Ok(()) };
        if body.clauses() <= MOST_CLAUSES {
            for mut clause in body.expand() {
                clause.extend(context.iter().cloned());
                self.clause(origin, head, clause)?;
            }
            return Ok(());
        }
        context.splice(0..0, body.conditions);
        self.with_auxiliaries(origin, head, context, body.disjunctions)
    }

    /// Adds the rule for `head ← conditions ∧ disjunctions` with an auxiliary relation for each disjunction.
    fn with_auxiliaries(
        &mut self,
        origin: Origin,
        head: &Atom,
        mut conditions: Vec<Condition>,
        disjunctions: Vec<Vec<Part>>,
    ) -> Result<(), Diagnostic> {
        let variables: Vec<Variables> = disjunctions.iter().map(|members| normal::variables(members)).collect();
        let bound: Vec<Variables> =
            disjunctions.iter().map(|members| normal::bound_by_any(members).unwrap_or_default()).collect();
        let shared = shared_variables(head, &conditions, &variables);
        let mut binder: BTreeMap<Symbol, usize> = BTreeMap::new();
        for (index, condition) in conditions.iter().enumerate() {
            condition.each_bound(&mut |variable| {
                binder.entry(variable).or_insert(index);
            });
        }
        let mut weakened: Vec<Option<Condition>> = vec![None; disjunctions.len()];
        let mut links = Vec::new();
        for (index, members) in disjunctions.iter().enumerate() {
            let arguments: Variables = variables[index].intersection(&shared).copied().collect();
            let auxiliary = self.auxiliary(origin, &arguments);
            for &member in members {
                let Some(mut covered) = normal::bound_by(member) else { continue };
                let mut context = Vec::new();
                for &variable in &arguments {
                    if covered.contains(&variable) {
                        continue;
                    }
                    let condition = match binder.get(&variable) {
                        Some(&index) => conditions[index].clone(),
                        None => {
                            let other = (0..disjunctions.len())
                                .find(|&other| other != index && bound[other].contains(&variable))
                                .ok_or_else(|| origin.too_complex())?;
                            if weakened[other].is_none() {
                                weakened[other] = Some(self.weaken(origin, &disjunctions[other], &bound[other])?);
                            }
                            weakened[other].clone().ok_or_else(|| origin.too_complex())?
                        }
                    };
                    condition.each_variable(&mut |variable| {
                        covered.insert(variable);
                    });
                    context.push(condition);
                    self.spend(origin, 1)?;
                }
                self.rule(origin, &auxiliary, vec![member], context)?;
            }
            links.push(Condition::Holds(auxiliary, true));
        }
        conditions.extend(links);
        self.clause(origin, head, conditions)
    }

    /// A relation of `bound` that holds at least where a disjunction can.
    fn weaken(&mut self, origin: Origin, members: &[Part], bound: &Variables) -> Result<Condition, Diagnostic> {
        let auxiliary = self.auxiliary(origin, bound);
        for member in members {
            self.rule(origin, &auxiliary, vec![member.weakened()], Vec::new())?;
        }
        Ok(Condition::Holds(auxiliary, true))
    }

    /// A new relation of some variables; no text can name it, as `|` is no part of a name.
    fn auxiliary(&mut self, origin: Origin, arguments: &Variables) -> Atom {
        self.auxiliaries += 1;
        let name = self.program.symbols.intern(&format!("{}|{}", origin.name, self.auxiliaries));
        let predicate = Predicate::Relation(name, arguments.len() as u32);
        let arguments = arguments.iter().map(|&name| Term::Variable(name, origin.span)).collect();
        Atom { predicate, arguments, span: origin.span }
    }

    fn spend(&mut self, origin: Origin, conditions: usize) -> Result<(), Diagnostic> {
        self.budget = self.budget.checked_sub(conditions).ok_or_else(|| origin.too_complex())?;
        Ok(())
    }

    /// Adds one rule after solving its equations.
    fn clause(&mut self, origin: Origin, head: &Atom, clause: Vec<Condition>) -> Result<(), Diagnostic> {
        self.spend(origin, clause.len())?;
        let equations: Vec<(&Term, &Term)> = clause.iter().filter_map(Condition::equation).collect();
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

    fn literal(&mut self, condition: &Condition, variables: &mut IndexSet<Symbol>) -> Literal {
        match condition {
            Condition::Holds(atom, true) => Literal::Positive(self.atom(atom, variables)),
            Condition::Holds(atom, false) => Literal::Negative(self.atom(atom, variables)),
            Condition::Differ(left, right, _, span) => {
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

/// The variables that occur in more than one of: the head, each condition, each disjunction.
fn shared_variables(head: &Atom, conditions: &[Condition], disjunctions: &[Variables]) -> Variables {
    let mut parts: BTreeMap<Symbol, u32> = BTreeMap::new();
    let mut count = |variables: &Variables| variables.iter().for_each(|&name| *parts.entry(name).or_default() += 1);
    let mut of_head = Variables::new();
    head.each_variable(&mut |name, _| {
        of_head.insert(name);
    });
    count(&of_head);
    for condition in conditions {
        let mut of_condition = Variables::new();
        condition.each_variable(&mut |name| {
            of_condition.insert(name);
        });
        count(&of_condition);
    }
    disjunctions.iter().for_each(count);
    parts.into_iter().filter(|&(_, parts)| parts > 1).map(|(name, _)| name).collect()
}

/// A program as text in the manner of logic programming, for tests and traces.
pub fn show(program: &Program) -> String {
    let mut text = String::new();
    for rule in &program.rules {
        text.push_str(&show_atom(program, rule, &rule.head));
        for (index, literal) in rule.body.iter().enumerate() {
            text.push_str(if index == 0 { " :- " } else { ", " });
            match literal {
                Literal::Positive(atom) => text.push_str(&show_atom(program, rule, atom)),
                Literal::Negative(atom) => {
                    text.push('~');
                    text.push_str(&show_atom(program, rule, atom));
                }
                Literal::Distinct(left, right, _) => {
                    let symbols = &program.symbols;
                    let (left, right) = (show_term(symbols, rule, left), show_term(symbols, rule, right));
                    text.push_str(&format!("{left} != {right}"));
                }
            }
        }
        text.push('\n');
    }
    text
}

fn show_atom(program: &Program, rule: &Rule, atom: &program::Atom) -> String {
    let name = match program.kind(atom.predicate) {
        Predicate::Relation(name, _) => program.symbols.name(name),
        keyword => keyword.keyword().map_or("", |(name, _)| name),
    };
    let arguments: Vec<String> =
        atom.arguments.iter().map(|argument| show_term(&program.symbols, rule, argument)).collect();
    if arguments.is_empty() { name.to_owned() } else { format!("{name}({})", arguments.join(",")) }
}

fn show_term(symbols: &SymbolTable, rule: &Rule, term: &program::Term) -> String {
    match term {
        program::Term::Constant(name) => symbols.name(*name).to_owned(),
        program::Term::Variable(variable) => symbols.name(rule.variables[variable.0 as usize]).to_owned(),
        program::Term::Function(name, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(|argument| show_term(symbols, rule, argument)).collect();
            format!("{}({})", symbols.name(*name), arguments.join(","))
        }
    }
}
