//! Finds rules that never apply in any reachable state, each with its first condition that is impossible by itself.
//!
//! Evaluation finds the instances of every rule over the relaxed reachable atoms (see [`super::evaluate`]); a rule
//! without instances never applies. Such a condition is usually a mistake: a wrong constant, or a square outside the
//! board. If every condition is possible but not all together, the rule may be intended for boards of another size,
//! which is reported only for `goal`, `terminal` and `next`. A rule that never applies only because it depends on
//! another such rule is not reported.

use super::assemble::Assembler;
use super::dependency::part_of;
use super::split::Clause;
use super::term::TermId;
use crate::diagnostic::{Diagnostic, quote};
use crate::rules::dependencies::needed;
use crate::rules::{Atom, Literal, Made, Predicate, PredicateId, Rule, Term, Variable};
use crate::syntax::Span;
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

const COMPARISONS: usize = 2_000_000;

impl Assembler<'_> {
    /// The rules that apply in no reachable state, by number, ascending. `clauses`: the evaluated clauses.
    pub fn idle(&self, clauses: &[Clause]) -> Vec<usize> {
        use Predicate::{Goal, Init, Legal, Next, Role, Terminal};
        let rules = &self.program.rules;
        // Predicates on which the game does not depend may not have been evaluated.
        let needed = needed(self.program, [Role, Init, Legal, Next, Goal, Terminal]);
        // Rules of restricted relations have incomplete instances. Gathered rules have them under the first of them.
        let own = |clause: &&Clause| clause.rule.head.predicate == rules[clause.origin].head.predicate;
        let complete = clauses.iter().filter(own).filter(|clause| !self.is_restricted(clause.rule.head.predicate));
        let complete: FxHashSet<usize> = complete.map(|clause| clause.origin).collect();
        let is_idle = |&rule: &usize| {
            let Rule { head, body, .. } = &rules[rule];
            let is_known = complete.contains(&rule) && needed.contains(&self.program.kind(head.predicate));
            is_known && !body.is_empty() && !self.evaluation.fired[rule]
        };
        (0..rules.len()).filter(is_idle).collect()
    }

    /// A warning for each sentence that never applies, as its rules are `idle`; none at all after more than
    /// [`COMPARISONS`] comparisons.
    pub fn idle_sentences(&self, idle: &[usize]) -> Vec<Diagnostic> {
        let rules = &self.program.rules;
        let fired = rules.iter().zip(&self.evaluation.fired).filter(|&(_, &fired)| fired);
        let applied: FxHashSet<Span> = fired.map(|(rule, _)| rule.span).collect();
        let mut sentences: IndexMap<Span, Vec<usize>> = IndexMap::new();
        for &rule in idle {
            let span = rules[rule].span;
            // Rules without a place in the text are not reported.
            if span != Span::default() && !applied.contains(&span) {
                sentences.entry(span).or_default().push(rule);
            }
        }
        let mut matcher = Matcher { assembler: self, comparisons: COMPARISONS };
        let mut findings = Vec::new();
        for (span, numbers) in sentences {
            let rules: Vec<&Rule> = numbers.into_iter().map(|number| &rules[number]).collect();
            let Some(blames) = rules.iter().map(|rule| matcher.blame(rule)).collect::<Option<Vec<Blame>>>() else {
                return Vec::new();
            };
            let heads: Vec<Predicate> = rules.iter().map(|rule| self.program.kind(rule.head.predicate)).collect();
            let several = rules.iter().any(|rule| rule.body.iter().filter_map(Literal::atom).nth(1).is_some());
            findings.extend(finding(span, &heads, several, &blames));
        }
        findings
    }
}

enum Blame {
    /// This condition can never hold, although other atoms of its predicate (and functor) hold.
    Condition(Span),
    /// No atom with the predicate (and functor) ever holds, which another check reports, or not all atoms were made.
    Consequence(Span),
    /// As [`Blame::Consequence`], but the predicate belongs to another rule of the sentence, whose blame tells more.
    Within,
    /// There is no object of these types.
    NoObject(String),
    Together,
}

/// `several`: whether it has several conditions.
fn finding(span: Span, heads: &[Predicate], several: bool, blames: &[Blame]) -> Option<Diagnostic> {
    let matters = |head: &Predicate| matches!(head, Predicate::Goal | Predicate::Terminal | Predicate::Next);
    let message = "this rule applies in no reachable state";
    let follows = |blame: &Blame| matches!(blame, Blame::Within | Blame::NoObject(_));
    let types = blames.iter().find_map(|blame| if let Blame::NoObject(types) = blame { Some(types) } else { None });
    if let Some(types) = types.filter(|_| blames.iter().all(follows)) {
        let advice = format!("no object is of type {types}");
        let finding = Diagnostic::warning("never-applies", span, message).with_advice(advice);
        return heads.iter().any(matters).then_some(finding);
    }
    // If a rule of the same sentence is to blame, as in goals of planning tasks, no other check reports it.
    let within = blames.iter().any(follows);
    let condition = blames.iter().find_map(|blame| match blame {
        Blame::Condition(condition) => Some(*condition),
        Blame::Consequence(condition) => within.then_some(*condition),
        _ => None,
    });
    if !within && blames.iter().any(|blame| matches!(blame, Blame::Consequence(_))) {
        return None;
    }
    if let Some(condition) = condition {
        let advice = "its rule never applies: is a name or number wrong, or a rule missing that makes it true?";
        let message = "this condition holds in no reachable state";
        return Some(Diagnostic::warning("never-holds", condition, message).with_advice(advice));
    }
    heads.first().is_some_and(matters).then(|| {
        let advice = match several {
            true => "each of its conditions can hold, but never all of them together",
            false => "what it asks for is true nowhere",
        };
        Diagnostic::warning("never-applies", span, message).with_advice(advice)
    })
}

struct Matcher<'a, 'p> {
    assembler: &'a Assembler<'p>,
    comparisons: usize,
}

impl Matcher<'_, '_> {
    fn blame(&mut self, rule: &Rule) -> Option<Blame> {
        let (mut alone, mut unknown) = (None, None);
        for literal in &rule.body {
            let atom = match literal {
                Literal::Positive(atom) => atom,
                Literal::Distinct(one, other, span) if one == other => {
                    alone = alone.or(Some(*span));
                    continue;
                }
                Literal::Negative(_) | Literal::Distinct(..) => continue,
            };
            if self.assembler.is_restricted(atom.predicate) {
                unknown = Some(atom.span);
                continue;
            }
            match self.met(atom)? {
                Met::Yes => {}
                Met::No => alone = alone.or(Some(atom.span)),
                Met::NoneOfItsKind => {
                    return Some(match self.types(atom.predicate) {
                        Some(types) => Blame::NoObject(types),
                        None if self.is_within(atom.predicate, rule.span) => Blame::Within,
                        None => Blame::Consequence(atom.span),
                    });
                }
            }
        }
        let unknown = unknown.map_or(Blame::Together, Blame::Consequence);
        Some(alone.map_or(unknown, Blame::Condition))
    }

    /// The types whose objects a relation lists.
    fn types(&self, predicate: PredicateId) -> Option<String> {
        let program = self.assembler.program;
        let Predicate::Relation(name, _) = program.kind(predicate) else { return None };
        let Some(Made::Types(names)) = program.symbols.made(name) else { return None };
        Some(names.iter().map(|name| quote(name)).collect::<Vec<_>>().join(" or "))
    }

    fn is_within(&self, predicate: PredicateId, sentence: Span) -> bool {
        let program = self.assembler.program;
        let made =
            matches!(program.kind(predicate), Predicate::Relation(name, _) if program.symbols.made(name).is_some());
        made && program.rules.iter().filter(|rule| rule.head.predicate == predicate).all(|rule| rule.span == sentence)
    }

    fn met(&mut self, atom: &Atom) -> Option<Met> {
        let program = self.assembler.program;
        let store = &self.assembler.evaluation.store;
        // The functor of a fluent or move, and its number of arguments.
        let wanted = match program.kind(atom.predicate) {
            Predicate::True | Predicate::Does | Predicate::Legal => part_of(atom, &program.predicates).1,
            _ => None,
        };
        let mut kind = Met::NoneOfItsKind;
        for &known in store.atoms.extent(atom.predicate) {
            self.comparisons = self.comparisons.checked_sub(1)?;
            let row = store.atoms.arguments(known);
            let of_its_kind = wanted
                .is_none_or(|(functor, arity)| row.last().is_some_and(|&term| store.terms.is(term, functor, arity)));
            if of_its_kind {
                kind = Met::No;
                let mut values = FxHashMap::default();
                if atom.arguments.iter().zip(row).all(|(pattern, &term)| self.fits(pattern, term, &mut values)) {
                    return Some(Met::Yes);
                }
            }
        }
        Some(kind)
    }

    fn fits(&self, pattern: &Term, term: TermId, values: &mut FxHashMap<Variable, TermId>) -> bool {
        let terms = &self.assembler.evaluation.store.terms;
        match pattern {
            Term::Constant(name) => terms.is(term, *name, 0),
            Term::Variable(variable) => *values.entry(*variable).or_insert(term) == term,
            Term::Function(name, arguments) => {
                terms.is(term, *name, arguments.len() as u32)
                    && arguments
                        .iter()
                        .zip(terms.arguments(term))
                        .all(|(pattern, &term)| self.fits(pattern, term, values))
            }
        }
    }
}

enum Met {
    Yes,
    No,
    NoneOfItsKind,
}
