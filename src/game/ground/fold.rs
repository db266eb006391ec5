//! Turns conditions of a rule on large relations that do not depend on the state into a walk through a diagram.
//!
//! A rule with conditions `(true (cell 1 ?a)) .. (true (cell 9 ?i)) (different ?a .. ?i)` has as many instances as the
//! relation has rows, although most rows differ from others in few terms. Here the rows are compiled to a decision
//! diagram ([`super::compile`]), whose nodes become constants and whose branches become facts. The rule becomes a
//! chain. Each link adds one of the other conditions, keeps the variables that are needed later, and goes from node to
//! node by the terms that the condition binds. If the head needs none of the bound variables, there are then only as
//! many instances as branches.

use super::compile::{Argument, Compiler};
use super::rows::{Level, Rows, Unfit};
use super::split::{Clause, variables_of};
use super::term::{TermId, Terms};
use crate::rules::{Atom, Literal, Made, Predicate, PredicateId, Rule, Symbol, SymbolTable, Term, Variable};
use crate::syntax::Span;
use indexmap::IndexSet;
use std::collections::BTreeSet;

pub struct Folder<'a> {
    pub compiler: Compiler<'a>,
    pub symbols: &'a mut SymbolTable,
    pub predicates: &'a mut IndexSet<Predicate>,
    /// The nodes whose branches are already facts.
    pub told: IndexSet<Rows>,
    pub links: usize,
}

/// Conditions that are added together, and the diagram's variables that are followed with them, by ascending level.
#[derive(Default)]
struct Link {
    conditions: Vec<Literal>,
    followed: Vec<Variable>,
}

impl Folder<'_> {
    /// Returns clauses without folded relations in place of `clause`; `None` if `clause` uses no folded relation. Fails
    /// if it has a folded relation under a negation, or if a diagram would be too large.
    pub fn fold(&mut self, clause: &Clause) -> Result<Option<Vec<Clause>>, Unfit> {
        let (rule, relations) = (&clause.rule, self.compiler.folded);
        let is_folded = |literal: &Literal| literal.atom().is_some_and(|atom| relations.contains(&atom.predicate));
        if relations.contains(&rule.head.predicate) {
            return Ok(Some(Vec::new()));
        }
        let (folded, others): (Vec<_>, Vec<_>) = rule.body.iter().cloned().partition(is_folded);
        if folded.is_empty() {
            return Ok(None);
        }
        let links = links(others, &folded);
        let mut bindings = vec![None; rule.variables.len()];
        let levels: Vec<Variable> = links.iter().flat_map(|link| link.followed.iter().copied()).collect();
        self.compiler.free = levels.len() as Level;
        (0..).zip(&levels).for_each(|(level, v)| bindings[v.0 as usize] = Some(Argument::Level(level)));
        self.compiler.known.clear();
        let mut root = Rows::UNIT;
        for literal in &folded {
            let Literal::Positive(atom) = literal else { return Err(Unfit) };
            let rows = self.compiler.atom(atom, &mut bindings)?;
            root = self.compiler.diagrams.join(root, rows)?;
        }
        let mut clauses = self.facts(root, clause);
        if root != Rows::NONE {
            self.chain(clause, links, root, &mut clauses);
        }
        Ok(Some(clauses))
    }

    fn chain(&mut self, clause: &Clause, links: Vec<Link>, root: Rows, clauses: &mut Vec<Clause>) {
        let rule = &clause.rule;
        let mut variables = rule.variables.clone();
        let mut needed = vec![variables_of(&Literal::Positive(rule.head.clone()))];
        for link in links.iter().rev() {
            let later = needed.last().expect("it begins with the head");
            let own = link.conditions.iter().flat_map(variables_of).chain(link.followed.iter().copied());
            needed.push(own.chain(later.iter().copied()).collect());
        }
        let mut node = Term::Constant(self.name(root));
        let mut before: Option<Atom> = None;
        let mut bound: BTreeSet<Variable> = BTreeSet::new();
        let last = links.len() - 1;
        for (index, link) in links.into_iter().enumerate() {
            let mut body: Vec<Literal> = before.take().into_iter().map(Literal::Positive).collect();
            bound.extend(link.conditions.iter().flat_map(variables_of).chain(link.followed.iter().copied()));
            body.extend(link.conditions);
            let ends = index == last;
            for (place, &variable) in link.followed.iter().enumerate() {
                let next = if ends && place + 1 == link.followed.len() {
                    Term::Constant(self.name(Rows::UNIT))
                } else {
                    variables.push(self.symbols.make(Made::Branch));
                    Term::Variable(Variable(variables.len() as u32 - 1))
                };
                body.push(Literal::Positive(self.branch(node, Term::Variable(variable), next.clone(), rule.span)));
                node = next;
            }
            let head = if ends {
                rule.head.clone()
            } else {
                let later = &needed[last - index];
                let keep = bound.iter().filter(|variable| later.contains(variable)).copied();
                let mut arguments: Vec<Term> = keep.map(Term::Variable).collect();
                let at = matches!(node, Term::Variable(_)).then(|| node.clone());
                arguments.extend(at);
                let name = self.symbols.make(Made::Link(self.links));
                self.links += 1;
                let predicate = self.relation(name, arguments.len());
                before = Some(Atom { predicate, arguments, span: rule.span });
                before.clone().expect("it was just made")
            };
            let rule = Rule { head, body, variables: variables.clone(), span: rule.span };
            clauses.push(Clause { rule, ..*clause });
        }
    }

    fn facts(&mut self, root: Rows, clause: &Clause) -> Vec<Clause> {
        let mut clauses = Vec::new();
        for rows in self.compiler.diagrams.below_of(root) {
            if !self.told.insert(rows) {
                continue;
            }
            for (term, next) in self.compiler.diagrams.branches(rows).to_vec() {
                let (from, to) = (Term::Constant(self.name(rows)), Term::Constant(self.name(next)));
                let term = written(term, &self.compiler.store.terms);
                let head = self.branch(from, term, to, clause.rule.span);
                let rule = Rule { head, body: Vec::new(), variables: Vec::new(), span: clause.rule.span };
                clauses.push(Clause { rule, ..*clause });
            }
        }
        clauses
    }

    fn branch(&mut self, from: Term, term: Term, to: Term, span: Span) -> Atom {
        let name = self.symbols.make(Made::Branch);
        Atom { predicate: self.relation(name, 3), arguments: vec![from, term, to], span }
    }

    fn relation(&mut self, name: Symbol, arity: usize) -> PredicateId {
        PredicateId(self.predicates.insert_full(Predicate::Relation(name, arity as u32)).0 as u32)
    }

    fn name(&mut self, rows: Rows) -> Symbol {
        self.symbols.make(Made::Node(rows.0))
    }
}

/// The other conditions of a rule as links: first the conditions that bind no variable of the diagram, then a link for
/// each condition that binds such a variable, and a last one for variables that no condition binds. Conditions that
/// only test come as early as possible.
fn links(others: Vec<Literal>, folded: &[Literal]) -> Vec<Link> {
    let in_diagram: BTreeSet<Variable> = folded.iter().flat_map(variables_of).collect();
    let (binding, mut testing): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|literal| matches!(literal, Literal::Positive(_)));
    let mut links = vec![Link::default()];
    for condition in binding {
        let open = |variable: &Variable| !links.iter().any(|link| link.followed.contains(variable));
        let followed: Vec<Variable> =
            variables_of(&condition).intersection(&in_diagram).copied().filter(open).collect();
        if followed.is_empty() {
            links[0].conditions.push(condition);
        } else {
            links.push(Link { conditions: vec![condition], followed });
        }
    }
    let open = |variable: &Variable| !links.iter().any(|link| link.followed.contains(variable));
    let rest: Vec<Variable> = in_diagram.iter().copied().filter(open).collect();
    if !rest.is_empty() {
        links.push(Link { conditions: Vec::new(), followed: rest });
    }
    if links.len() > 1 && links[0].conditions.is_empty() {
        links.remove(0);
    }
    let mut bound: BTreeSet<Variable> = BTreeSet::new();
    for link in &mut links {
        bound.extend(link.conditions.iter().flat_map(variables_of).chain(link.followed.iter().copied()));
        let ready = |literal: &Literal| variables_of(literal).is_subset(&bound);
        let (now, later): (Vec<_>, Vec<_>) = testing.into_iter().partition(ready);
        link.conditions.extend(now);
        testing = later;
    }
    links.last_mut().expect("there is one link at least").conditions.extend(testing);
    links
}

fn written(term: TermId, terms: &Terms) -> Term {
    let arguments = terms.arguments(term);
    match arguments {
        [] => Term::Constant(terms.functor(term)),
        _ => Term::Function(terms.functor(term), arguments.iter().map(|&argument| written(argument, terms)).collect()),
    }
}
