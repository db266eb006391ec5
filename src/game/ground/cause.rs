//! The argument that multiplied a relation's atoms: the one with the most values in atoms that match a rule's head.

use super::error::Cause;
use super::pattern::{Registers, compile, run};
use super::record::Evaluation;
use super::term::TermId;
use crate::rules::Program;
use rustc_hash::FxHashSet;

const ATOMS: usize = 1 << 18;

/// `None` if no variable of the head has more than one value.
pub fn cause(program: &Program, rule: usize, found: &Evaluation) -> Option<Cause> {
    let rule = &program.rules[rule];
    let store = &found.store;
    // The pattern may create terms for constants of the head, so it has a copy of the terms.
    let mut terms = store.terms.clone();
    let mut registers = Registers::new(rule.variables.len());
    let mut bound = vec![false; rule.variables.len()];
    let pattern = compile(&rule.head.arguments, &mut bound, true, &mut registers, &mut terms);
    let mut values: Vec<FxHashSet<TermId>> = vec![FxHashSet::default(); rule.variables.len()];
    let extent = store.atoms.extent(rule.head.predicate);
    let step = extent.len() / ATOMS + 1;
    let mut row = registers.values;
    for &atom in extent.iter().step_by(step) {
        if run(&pattern.matches, store.atoms.arguments(atom), &mut row, &terms) {
            values.iter_mut().zip(&row).for_each(|(values, &value)| _ = values.insert(value));
        }
    }
    let of_head = (0..rule.variables.len()).filter(|&variable| bound[variable] && values[variable].len() > 1);
    let most = of_head.max_by_key(|&variable| (values[variable].len(), std::cmp::Reverse(variable)))?;
    let name = program.symbols.name(rule.variables[most]).trim_start_matches('?');
    Some(Cause {
        relation: program.kind(rule.head.predicate).name(&program.symbols).to_owned(),
        argument: format!("?{name}"),
        values: values[most].len(),
        atoms: extent.len(),
    })
}
