//! Demand: relations restricted to the requested atoms (magic sets).
//!
//! A restricted relation has some arguments that all its uses bind. Another relation, its demand, lists the requested
//! values of these arguments. The demand becomes the first condition of every rule of the restricted relation. Every
//! use of the relation gives a rule for the demand; its body is the demand on the head of the rule that contains the
//! use, then the conditions evaluated before the use (Beeri and Ramakrishnan, "On the power of magic", 1991). Only
//! arguments that all uses bind are restricted, so one demand covers all uses.
//!
//! Magic sets can break stratification, but not here. Only relations that depend on the state are restricted. Relaxed
//! evaluation ignores negated conditions on the state, and so do the rules for demands; their atoms over-approximate
//! the requests and are no part of the instances. Rules that do not depend on the state stay as they are, and the graph
//! of instances, in which negation on the state counts, gains no edge. By induction from the roots, the graph has all
//! instances of every atom that it needs: an atom of a condition, negated or not, is requested as soon as the positive
//! conditions before it are met.

use super::RelationStatistics;
use super::dependency::{Dependencies, key_argument};
use super::pattern::{each_variable, is_bound, shape_of};
use super::record::Evaluation;
use super::split::Clause;
use super::strategy::Prepared;
use crate::rules::{Atom, Literal, Made, Predicate, PredicateId, Rule, SymbolTable, Term};
use indexmap::{IndexMap, IndexSet};

/// Expected number of matches of a condition whose relation has no known atoms.
const UNKNOWN: f64 = 16.0;

#[derive(Debug, Clone)]
pub struct Asked {
    pub relation: PredicateId,
    pub demand: PredicateId,
    pub bound: Vec<bool>,
}

type Bound = IndexMap<PredicateId, Vec<bool>>;

pub struct Asker<'a> {
    pub clauses: &'a [Clause],
    pub predicates: &'a IndexSet<Predicate>,
    pub dependencies: &'a Dependencies,
    /// An abandoned evaluation, and the number of its predicates that still have the same meaning.
    pub sizes: Option<(&'a mut Evaluation, usize)>,
}

struct Use {
    literal: usize,
    before: Vec<usize>,
    bound: Vec<bool>,
}

impl Asker<'_> {
    /// The relations to restrict so that the relations `blamed` are restricted: these relations, and the relations that
    /// pass bindings on to them. Empty if no relation of `blamed` is ever used with a bound argument.
    pub fn bound(&mut self, blamed: &IndexSet<PredicateId>) -> Bound {
        let mut bound: Bound = IndexMap::new();
        let can = self.callers(blamed.clone(), |_| true);
        for clause in self.clauses {
            let head = &clause.rule.head;
            if can.contains(&head.predicate)
                && !head.arguments.is_empty()
                && self.dependencies.is_dynamic(head, self.predicates)
            {
                bound.entry(head.predicate).or_insert_with(|| vec![true; head.arguments.len()]);
            }
        }
        // Fewer restricted relations change the order of conditions, so this step is repeated.
        loop {
            let before = bound.clone();
            self.narrow(&mut bound);
            if bound == before {
                let blamed = blamed.iter().copied().filter(|relation| bound.contains_key(relation)).collect();
                let helpful = self.callers(blamed, |caller| bound.contains_key(&caller));
                bound.retain(|relation, _| helpful.contains(relation));
                if bound == before {
                    return bound;
                }
            }
        }
    }

    /// Keeps only the arguments that all uses bind.
    fn narrow(&mut self, bound: &mut Bound) {
        for clause in self.clauses {
            for used in self.uses(&clause.rule, bound) {
                let Some(Atom { predicate, .. }) = clause.rule.body[used.literal].atom() else { continue };
                let Some(all) = bound.get_mut(predicate) else { continue };
                all.iter_mut().zip(&used.bound).for_each(|(all, &bound)| *all &= bound);
                if all.iter().all(|&bound| !bound) {
                    bound.shift_remove(predicate);
                }
            }
        }
    }

    pub fn restrict(
        &mut self,
        bound: &Bound,
        symbols: &mut SymbolTable,
        predicates: &mut IndexSet<Predicate>,
    ) -> (Vec<Clause>, Vec<Asked>) {
        let ask = |(number, (&relation, bound)): (usize, (&PredicateId, &Vec<bool>))| {
            let name = symbols.make(Made::Demand(number));
            let arity = bound.iter().filter(|&&bound| bound).count() as u32;
            let demand = PredicateId(predicates.insert_full(Predicate::Relation(name, arity)).0 as u32);
            (relation, Asked { relation, demand, bound: bound.clone() })
        };
        let asked: IndexMap<PredicateId, Asked> = bound.iter().enumerate().map(ask).collect();
        let mut clauses = Vec::with_capacity(2 * self.clauses.len());
        for clause in self.clauses {
            let demand = asked.get(&clause.rule.head.predicate).map(|asked| asked.atom(&clause.rule.head));
            for used in self.uses(&clause.rule, bound) {
                let Some(atom) = clause.rule.body[used.literal].atom() else { continue };
                let head = asked[&atom.predicate].atom(atom);
                if demand
                    .as_ref()
                    .is_some_and(|demand| demand.arguments == head.arguments && demand.predicate == head.predicate)
                {
                    continue;
                }
                let before = used.before.iter().map(|&literal| clause.rule.body[literal].clone());
                let body = demand.clone().map(Literal::Positive).into_iter().chain(before).collect();
                let rule = Rule { head, body, ..clause.rule.clone() };
                clauses.push(Clause { rule, origin: clause.origin, asks: true });
            }
            let mut rule = clause.rule.clone();
            rule.body.splice(0..0, demand.map(Literal::Positive));
            clauses.push(Clause { rule, ..*clause });
        }
        (clauses, asked.into_values().collect())
    }

    /// The relations `called`, and all relations that depend on them through relations for which `passes` holds.
    fn callers(&self, called: IndexSet<PredicateId>, passes: impl Fn(PredicateId) -> bool) -> IndexSet<PredicateId> {
        let is_relation = |head: PredicateId| matches!(self.predicates[head.0 as usize], Predicate::Relation(..));
        let passing = |rule: &&Rule| is_relation(rule.head.predicate) && passes(rule.head.predicate);
        callers(self.clauses.iter().map(|clause| &clause.rule).filter(passing), called)
    }

    fn uses(&mut self, rule: &Rule, restricted: &Bound) -> Vec<Use> {
        let mut used = rule.body.iter().filter_map(Literal::atom);
        if !used.any(|used| restricted.contains_key(&used.predicate)) {
            return Vec::new();
        }
        let mut bound = vec![false; rule.variables.len()];
        let bind = |terms: &[Term], bound: &mut Vec<bool>| {
            terms.iter().for_each(|term| each_variable(term, |variable| bound[variable.0 as usize] = true));
        };
        if let Some(head) = restricted.get(&rule.head.predicate) {
            rule.head.arguments.iter().zip(head).filter(|(_, bound)| **bound).for_each(|(term, _)| {
                bind(std::slice::from_ref(term), &mut bound);
            });
        }
        let is_negated = |literal: &Literal| matches!(literal, Literal::Negative(atom) if self.dependencies.is_dynamic(atom, self.predicates));
        let (mut order, mut uses) = (Vec::new(), Vec::new());
        let mut open: Vec<usize> = (0..rule.body.len()).filter(|&index| !is_negated(&rule.body[index])).collect();
        let negated: Vec<usize> = (0..rule.body.len()).filter(|&index| is_negated(&rule.body[index])).collect();
        while let Some(position) = self.choose(rule, &open, &bound, restricted) {
            let literal = open.remove(position);
            if let Literal::Positive(atom) = &rule.body[literal] {
                if restricted.contains_key(&atom.predicate) {
                    let bound = atom.arguments.iter().map(|term| is_bound(term, &bound)).collect();
                    uses.push(Use { literal, before: order.clone(), bound });
                }
                bind(&atom.arguments, &mut bound);
            }
            order.push(literal);
        }
        for literal in negated {
            if let Literal::Negative(atom) = &rule.body[literal]
                && restricted.contains_key(&atom.predicate)
            {
                uses.push(Use { literal, before: order.clone(), bound: vec![true; atom.arguments.len()] });
            }
        }
        uses
    }

    fn choose(&mut self, rule: &Rule, open: &[usize], bound: &[bool], restricted: &Bound) -> Option<usize> {
        let all_bound = |terms: &[Term]| terms.iter().all(|term| is_bound(term, bound));
        let mut best: Option<(f64, bool, usize)> = None;
        for (position, &index) in open.iter().enumerate() {
            let (expected, asks) = match &rule.body[index] {
                Literal::Distinct(left, right, _) if is_bound(left, bound) && is_bound(right, bound) => (0.0, false),
                Literal::Distinct(..) => continue,
                Literal::Negative(atom) if all_bound(&atom.arguments) => (0.0, false),
                Literal::Negative(_) => continue,
                Literal::Positive(atom) => {
                    let asks = restricted.contains_key(&atom.predicate);
                    let expected = if all_bound(&atom.arguments) { 0.0 } else { self.expected(atom, bound, asks) };
                    (expected, asks)
                }
            };
            if best.is_none_or(|(least, asked, _)| (expected, asks) < (least, asked)) {
                best = Some((expected, asks, position));
            }
        }
        best.map(|(_, _, position)| position)
    }

    fn expected(&mut self, atom: &Atom, bound: &[bool], asks: bool) -> f64 {
        let key = key_argument(self.predicates[atom.predicate.0 as usize]);
        let is_free = |term: &Term| !is_bound(term, bound) && !matches!(term, Term::Function(..));
        let free = atom.arguments.iter().enumerate().all(|(column, term)| Some(column) != key && is_free(term));
        if asks && free {
            return f64::MAX;
        }
        let Some((evaluation, _)) = self.sizes.as_mut().filter(|(_, known)| (atom.predicate.0 as usize) < *known)
        else {
            return UNKNOWN;
        };
        let store = &mut evaluation.store;
        let index = store.indexes.index(atom.predicate, &shape_of(&atom.arguments, bound));
        match store.indexes.size(index, &store.atoms, &store.terms) {
            (0, _) => UNKNOWN,
            (entries, keys) => entries as f64 / keys as f64,
        }
    }
}

impl Asked {
    pub fn statistics(&self, prepared: &Prepared, evaluation: &Evaluation) -> RelationStatistics {
        let atoms = &evaluation.store.atoms;
        let relation = prepared.predicates[self.relation.0 as usize];
        // Relations made after lowering are parts of rules.
        let is_part = matches!(relation, Predicate::Relation(name, _) if matches!(prepared.symbols.made(name), Some(Made::Split(_) | Made::Gathered(_) | Made::Link(_))));
        let mut rules = prepared.clauses.iter().filter(|clause| clause.rule.head.predicate == self.relation);
        RelationStatistics {
            name: match relation {
                Predicate::Relation(name, _) => prepared.symbols.written(name),
                keyword => keyword.name(&prepared.symbols),
            }
            .to_owned(),
            part_of: rules.find(|_| is_part).map(|clause| clause.origin),
            bound: self.bound.clone(),
            demanded: atoms.extent(self.demand).len(),
            made: atoms.extent(self.relation).len(),
        }
    }

    fn atom(&self, atom: &Atom) -> Atom {
        let bound = atom.arguments.iter().zip(&self.bound).filter(|(_, bound)| **bound);
        Atom { predicate: self.demand, arguments: bound.map(|(term, _)| term.clone()).collect(), span: atom.span }
    }
}

/// The relations `called`, and all relations that depend on them by these rules.
pub fn callers<'r>(
    rules: impl Iterator<Item = &'r Rule> + Clone,
    called: IndexSet<PredicateId>,
) -> IndexSet<PredicateId> {
    let mut found = called;
    loop {
        let before = found.len();
        for rule in rules.clone() {
            if rule.body.iter().filter_map(Literal::atom).any(|used| found.contains(&used.predicate)) {
                found.insert(rule.head.predicate);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}
