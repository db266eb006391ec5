//! The order of the literals of a join, and its compilation to steps.
//!
//! The order is greedy: literals whose variables are all bound come first, because they only test; then the literal
//! with the fewest expected matches, which is the mean size of the buckets of its index. Literals that share no variable
//! with those before multiply combinations, and a literal that joins them all may come last. So where many combinations
//! are expected, the order is compared with one that leaves such literals for the end.

use super::atom::Atoms;
use super::index::{IndexId, Indexes};
use super::pattern::{Apply, KeyPart, Match, Register, Registers, compile, each_variable, is_bound, shape_of};
use super::split::{Clause, variables_of};
use super::term::{TermId, Terms};
use crate::rules::{Atom, Literal, PredicateId, Term};

/// The atoms that a literal may match, by their time compared with that of the triggering atom. So each combination of
/// atoms is found once, triggered by its youngest atom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    Always,
    Before,
    UpTo,
}

#[derive(Debug)]
pub struct Template {
    pub predicate: PredicateId,
    pub applies: Vec<Apply>,
    pub columns: Vec<Register>,
}

#[derive(Debug)]
pub enum Step {
    /// Continues for each atom of a bucket.
    Scan {
        index: IndexId,
        applies: Vec<Apply>,
        key: Vec<Register>,
        matches: Vec<Match>,
        until: Until,
        /// One match is enough, because nothing else uses the variables that it binds.
        once: bool,
        record: bool,
    },
    /// Continues if the atom is derived.
    Find {
        template: Template,
        until: Until,
        record: bool,
    },
    /// Continues if the atom is not derived.
    Absent(Template),
    Distinct {
        applies: Vec<Apply>,
        left: Register,
        right: Register,
    },
}

#[derive(Debug)]
pub struct Plan {
    pub registers: Vec<TermId>,
    pub trigger: Vec<Match>,
    pub record_trigger: bool,
    pub steps: Vec<Step>,
    pub head: Template,
    /// Negated atoms that depend on the state and are part of the instance.
    pub negatives: Vec<Template>,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct LiteralKind {
    /// Its truth depends on the state, so that it becomes part of the recorded instance.
    pub dynamic: bool,
    /// Its predicate is in the stratum under evaluation, so that more of its atoms may be derived.
    pub recursive: bool,
}

/// Expected matches of a recursive literal whose index has no entry yet.
const UNKNOWN: f64 = 16.0;

/// The least matches that are expected of a recursive literal where orders are compared, as its relation grows.
const GROWING: f64 = 4.0;

/// Expected combinations for one trigger, from which on a second order is looked for: it needs more indexes.
const MANY: f64 = 1024.0;

/// A greedy order of literals.
struct Greedy {
    order: Vec<usize>,
    /// The combinations that are expected: the sum over all steps.
    combinations: f64,
    /// Whether a literal shares no variable with those before.
    apart: bool,
}

struct Next {
    /// The place of the literal among those that are open.
    position: usize,
    /// Its expected matches; `None` for a test.
    matches: Option<f64>,
    /// Whether it shares no variable with the literals before.
    apart: bool,
}

pub struct Planner<'a> {
    pub terms: &'a mut Terms,
    pub atoms: &'a Atoms,
    pub indexes: &'a mut Indexes,
}

impl Planner<'_> {
    /// `None` if no positive literal binds some variable.
    pub fn plan(&mut self, clause: &Clause, kinds: &[LiteralKind], trigger: Option<usize>) -> Option<Plan> {
        let rule = &clause.rule;
        let mut bound = vec![false; rule.variables.len()];
        let mut registers = Registers::new(rule.variables.len());
        let open: Vec<usize> = (0..rule.body.len()).filter(|&index| Some(index) != trigger).collect();
        let (mut steps, mut negatives) = (Vec::new(), Vec::new());

        let mut matches = Vec::new();
        if let Some(index) = trigger
            && let Literal::Positive(atom) = &rule.body[index]
        {
            matches = compile(&atom.arguments, &mut bound, true, &mut registers, self.terms).matches;
        }
        // By step: the index of its literal.
        let mut stepped = Vec::with_capacity(open.len());
        for index in self.order(&rule.body, kinds, open, &bound)? {
            let kind = kinds[index];
            let until = match trigger {
                Some(trigger) if kind.recursive && index < trigger => Until::Before,
                Some(_) if kind.recursive => Until::UpTo,
                _ => Until::Always,
            };
            match &rule.body[index] {
                Literal::Positive(atom) if atom.arguments.iter().all(|term| is_bound(term, &bound)) => {
                    let template = self.template(atom, &mut registers);
                    steps.push(Step::Find { template, until, record: kind.dynamic });
                }
                Literal::Positive(atom) => {
                    let pattern = compile(&atom.arguments, &mut bound, false, &mut registers, self.terms);
                    let index = self.indexes.index(atom.predicate, &pattern.shape);
                    let (applies, key, matches) = (pattern.applies, pattern.key, pattern.matches);
                    steps.push(Step::Scan { index, applies, key, matches, until, once: false, record: kind.dynamic });
                }
                Literal::Negative(atom) => {
                    let template = self.template(atom, &mut registers);
                    if kind.dynamic {
                        negatives.push(template);
                        continue;
                    }
                    steps.push(Step::Absent(template));
                }
                Literal::Distinct(left, right, _) => {
                    let mut applies = Vec::new();
                    let left = registers.build(left, self.terms, &mut applies);
                    let right = registers.build(right, self.terms, &mut applies);
                    steps.push(Step::Distinct { applies, left, right });
                }
            }
            stepped.push(index);
        }
        if !rule.head.arguments.iter().all(|term| is_bound(term, &bound)) {
            return None;
        }
        let head = self.template(&rule.head, &mut registers);
        mark_once(clause, kinds, trigger, &stepped, &mut steps);
        Some(Plan {
            registers: registers.values,
            trigger: matches,
            record_trigger: trigger.is_some_and(|index| kinds[index].dynamic),
            steps,
            head,
            negatives,
        })
    }

    fn template(&mut self, atom: &Atom, registers: &mut Registers) -> Template {
        let mut applies = Vec::new();
        let columns = atom.arguments.iter().map(|term| registers.build(term, self.terms, &mut applies)).collect();
        Template { predicate: atom.predicate, applies, columns }
    }

    /// The cheaper of the greedy orders of the open literals. `None` if no positive literal binds some variable.
    fn order(
        &mut self,
        body: &[Literal],
        kinds: &[LiteralKind],
        open: Vec<usize>,
        bound: &[bool],
    ) -> Option<Vec<usize>> {
        let first = self.greedy(body, kinds, open.clone(), bound.to_vec(), false)?;
        if first.combinations <= MANY || !first.apart {
            return Some(first.order);
        }
        let joined = self.greedy(body, kinds, open, bound.to_vec(), true)?;
        Some(if joined.combinations < first.combinations { joined.order } else { first.order })
    }

    /// `joined`: literals that share no variable with those before come last.
    fn greedy(
        &mut self,
        body: &[Literal],
        kinds: &[LiteralKind],
        mut open: Vec<usize>,
        mut bound: Vec<bool>,
        joined: bool,
    ) -> Option<Greedy> {
        let mut found = Greedy { order: Vec::with_capacity(open.len()), combinations: 0.0, apart: false };
        let mut reached = 1.0;
        while !open.is_empty() {
            let Next { position, matches, apart } = self.choose(body, kinds, &open, &bound, joined)?;
            let index = open.remove(position);
            found.apart |= apart && bound.contains(&true);
            variables_of(&body[index]).into_iter().for_each(|variable| bound[variable.0 as usize] = true);
            reached *= match matches {
                Some(matches) if kinds[index].recursive => matches.max(GROWING),
                Some(matches) => matches,
                None => 1.0,
            };
            found.combinations += reached;
            found.order.push(index);
        }
        Some(found)
    }

    fn choose(
        &mut self,
        body: &[Literal],
        kinds: &[LiteralKind],
        open: &[usize],
        bound: &[bool],
        joined: bool,
    ) -> Option<Next> {
        let all_bound = |terms: &[Term]| terms.iter().all(|term| is_bound(term, bound));
        let mut best: Option<(bool, f64, Next)> = None;
        let test = |position| Some(Next { position, matches: None, apart: false });
        for (position, &index) in open.iter().enumerate() {
            match &body[index] {
                Literal::Distinct(left, right, _) if is_bound(left, bound) && is_bound(right, bound) => {
                    return test(position);
                }
                Literal::Positive(atom) | Literal::Negative(atom) if all_bound(&atom.arguments) => {
                    return test(position);
                }
                Literal::Positive(atom) => {
                    let cost = self.expected(atom, &shape_of(&atom.arguments, bound), kinds[index].recursive);
                    let apart = !variables_of(&body[index]).iter().any(|variable| bound[variable.0 as usize]);
                    let last = joined && apart;
                    if best.as_ref().is_none_or(|(other, least, _)| (last, cost) < (*other, *least)) {
                        best = Some((last, cost, Next { position, matches: Some(cost), apart }));
                    }
                }
                _ => {}
            }
        }
        best.map(|(_, _, next)| next)
    }

    fn expected(&mut self, atom: &Atom, shape: &[KeyPart], recursive: bool) -> f64 {
        let index = self.indexes.index(atom.predicate, shape);
        match self.indexes.size(index, self.atoms, self.terms) {
            (0, _) if recursive => UNKNOWN,
            (0, _) => 0.0,
            (entries, keys) => entries as f64 / keys as f64,
        }
    }
}

/// Marks the scans for which one match is enough: they are not recorded, and bind no variable that is used later.
fn mark_once(clause: &Clause, kinds: &[LiteralKind], trigger: Option<usize>, order: &[usize], steps: &mut [Step]) {
    let rule = &clause.rule;
    let mut used = vec![false; rule.variables.len()];
    rule.head.arguments.iter().for_each(|term| each_variable(term, |variable| used[variable.0 as usize] = true));
    for (index, literal) in rule.body.iter().enumerate() {
        if kinds[index].dynamic && matches!(literal, Literal::Negative(_)) {
            variables_of(literal).iter().for_each(|variable| used[variable.0 as usize] = true);
        }
    }
    // A step does not bind variables that are already bound.
    let mut before = vec![false; rule.variables.len()];
    let mark = |index: usize, set: &mut Vec<bool>| {
        variables_of(&rule.body[index]).iter().for_each(|variable| set[variable.0 as usize] = true);
    };
    if let Some(index) = trigger {
        mark(index, &mut before);
    }
    let mut bound_before = Vec::new();
    for index in order {
        bound_before.push(before.clone());
        mark(*index, &mut before);
    }
    for ((step, index), before) in steps.iter_mut().zip(order).zip(bound_before).rev() {
        if let Step::Scan { once, record, .. } = step {
            let variables = variables_of(&rule.body[*index]);
            *once = !*record && variables.iter().all(|v| before[v.0 as usize] || !used[v.0 as usize]);
        }
        mark(*index, &mut used);
    }
}
