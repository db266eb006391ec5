//! Makes auxiliary relations for disjunctions that are not multiplied out.

use super::normal::{self, Body, Disjunction, OwnLiteral, POSSIBLE, Part};
use super::{Lowering, Origin};
use crate::diagnostic::Diagnostic;
use crate::rules::sentence::{Atom, Term, Variables};
use crate::rules::{Predicate, Symbol};
use std::collections::BTreeMap;

struct Surroundings<'b, 'a> {
    conditions: &'b [OwnLiteral],
    disjunctions: &'b [Disjunction<'a>],
    /// For each disjunction, its variables that also occur elsewhere in the rule.
    shared: Vec<Variables>,
    bound: Vec<Variables>,
    binder: BTreeMap<Symbol, usize>,
}

impl<'b, 'a> Surroundings<'b, 'a> {
    fn new(head: &Atom, conditions: &'b [OwnLiteral], disjunctions: &'b [Disjunction<'a>]) -> Self {
        let variables: Vec<Variables> = disjunctions.iter().map(|any| normal::variables(&any.members)).collect();
        let shared = shared_variables(head, conditions, &variables);
        let mut binder = BTreeMap::new();
        for (index, condition) in conditions.iter().enumerate() {
            if let OwnLiteral::Holds(atom, true) = condition {
                atom.each_variable(&mut |variable, _| _ = binder.entry(variable).or_insert(index));
            }
        }
        let bound = |any: &Disjunction| normal::bound_by_any(&any.members).expect(POSSIBLE);
        let bound = disjunctions.iter().map(bound).collect();
        let shared = variables.iter().map(|variables| variables.intersection(&shared).copied().collect()).collect();
        Surroundings { conditions, disjunctions, shared, bound, binder }
    }

    fn other(&self, index: usize, variable: Symbol) -> Option<usize> {
        (0..self.disjunctions.len()).find(|&other| other != index && self.bound[other].contains(&variable))
    }

    /// A disjunction with a shared variable that no condition and no disjunction binds. The variable gets a value only
    /// if members of several disjunctions are combined, so it cannot be an argument of an auxiliary relation.
    fn entangled(&self) -> Option<usize> {
        (0..self.disjunctions.len()).find(|&index| {
            self.shared[index].iter().any(|variable| {
                !self.bound[index].contains(variable)
                    && !self.binder.contains_key(variable)
                    && self.other(index, *variable).is_none()
            })
        })
    }
}

impl Lowering {
    /// Adds the rules for `head ← body`, with auxiliary relations for disjunctions; entangled ones are multiplied out.
    pub(super) fn with_auxiliaries(&mut self, origin: Origin, head: &Atom, body: Body) -> Result<(), Diagnostic> {
        let Body { mut conditions, disjunctions } = body;
        self.spend(origin, conditions.len() + disjunctions.len())?;
        let around = Surroundings::new(head, &conditions, &disjunctions);
        if let Some(entangled) = around.entangled() {
            let others = (0..disjunctions.len()).filter(|&other| other != entangled);
            let others: Vec<Part> = others.map(|other| disjunctions[other].whole).collect();
            for &member in &disjunctions[entangled].members {
                let parts = std::iter::once(member).chain(others.iter().copied()).collect();
                self.rule(origin, head, parts, conditions.clone())?;
            }
            return Ok(());
        }
        let mut weakened = vec![None; disjunctions.len()];
        let mut links = Vec::new();
        for (index, disjunction) in disjunctions.iter().enumerate() {
            let auxiliary = self.auxiliary(origin, &around.shared[index]);
            for &member in &disjunction.members {
                let context = self.context(origin, &around, index, member, &mut weakened)?;
                self.rule(origin, &auxiliary, vec![member], context)?;
            }
            links.push(OwnLiteral::Holds(auxiliary, true));
        }
        conditions.extend(links);
        self.clause(origin, head, conditions)
    }

    /// Conditions outside a disjunction that bind the shared variables that `member` leaves unbound.
    fn context(
        &mut self,
        origin: Origin,
        around: &Surroundings,
        index: usize,
        member: Part,
        weakened: &mut [Option<OwnLiteral>],
    ) -> Result<Vec<OwnLiteral>, Diagnostic> {
        let mut context = Vec::new();
        let mut covered = normal::bound_by(member).expect(POSSIBLE);
        for &variable in &around.shared[index] {
            if covered.contains(&variable) {
                continue;
            }
            let condition = match (around.binder.get(&variable), around.other(index, variable)) {
                (Some(&condition), _) => around.conditions[condition].clone(),
                (None, Some(other)) => match &weakened[other] {
                    Some(condition) => condition.clone(),
                    None => {
                        let members = &around.disjunctions[other].members;
                        let condition = self.weaken(origin, members, &around.bound[other])?;
                        weakened[other].insert(condition).clone()
                    }
                },
                // Without a condition or disjunction that binds the variable, the disjunction would be entangled.
                (None, None) => return Err(origin.too_complex()),
            };
            covered.extend(condition.variables());
            self.spend(origin, 1)?;
            context.push(condition);
        }
        Ok(context)
    }

    /// A relation over the variables `bound`, which holds whenever the disjunction can hold.
    fn weaken(&mut self, origin: Origin, members: &[Part], bound: &Variables) -> Result<OwnLiteral, Diagnostic> {
        let auxiliary = self.auxiliary(origin, bound);
        for member in members {
            self.rule(origin, &auxiliary, vec![member.weakened()], Vec::new())?;
        }
        Ok(OwnLiteral::Holds(auxiliary, true))
    }

    fn auxiliary(&mut self, origin: Origin, arguments: &Variables) -> Atom {
        let name = self.program.symbols.auxiliary(origin.name);
        let predicate = Predicate::Relation(name, arguments.len() as u32);
        let arguments = arguments.iter().map(|&name| Term::Variable(name, origin.span)).collect();
        Atom { predicate, arguments, span: origin.span }
    }
}

/// The variables that occur in at least two of: the head, a condition, a disjunction.
fn shared_variables(head: &Atom, conditions: &[OwnLiteral], disjunctions: &[Variables]) -> Variables {
    let mut parts: BTreeMap<Symbol, u32> = BTreeMap::new();
    let mut count = |variables: &Variables| variables.iter().for_each(|&name| *parts.entry(name).or_default() += 1);
    count(&head.variables());
    conditions.iter().for_each(|condition| count(&condition.variables()));
    disjunctions.iter().for_each(count);
    parts.into_iter().filter(|&(_, parts)| parts > 1).map(|(name, _)| name).collect()
}
