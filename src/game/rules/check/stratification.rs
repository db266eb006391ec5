//! Checks stratification: no relation may depend on its own negation (Apt, Blair and Walker 1988), because it would
//! have no meaning, or several. A relation may depend on its own negation although none of its rules does, if the
//! arguments of the rules differ: `(goal ?r 0)` holds if not `(goal ?r 100)`. Then the meaning is clear, there is only
//! a warning, and [`crate::rules::lower`] splits the relation.

use super::spelling::chain;
use crate::diagnostic::{Diagnostic, quote};
use crate::rules::dependencies::{Component, Dependencies, component_numbers, graph, way};
use crate::rules::sentence::Rulesheet;

const MOST_WAYS: usize = 100;

const MOST_COMPARISONS: usize = 1 << 20;

pub fn check(sheet: &Rulesheet, dependencies: &Dependencies, diagnostics: &mut Vec<Diagnostic>) {
    let mut ways = 0;
    for component in dependencies.negative_components(sheet) {
        let group = rule_groups(sheet, &component);
        for arc in component.arcs.iter().filter(|arc| !arc.positive) {
            let head = sheet.sentences[arc.sentence].head.predicate;
            let in_cycle = group.as_ref().is_none_or(|group| {
                let own = group[place(&component, arc.sentence)];
                let mut matching = matching(sheet, &component, arc.atom);
                matching.any(|rule| group[place(&component, rule)] == own)
            });
            diagnostics.push(if in_cycle {
                let mut message = "negation of a relation that depends on this rule".to_owned();
                ways += 1;
                if ways <= MOST_WAYS {
                    let dependents = dependencies.dependents([head]);
                    let cycle = std::iter::once(head).chain(way(&dependents, arc.atom.predicate));
                    message = format!("{message}: {}", chain(cycle, &sheet.symbols));
                }
                let advice = "a relation can't be defined by what is false of itself: break the cycle";
                Diagnostic::error("unstratified", arc.atom.span, message).with_advice(advice)
            } else {
                let name = quote(arc.atom.predicate.name(&sheet.symbols));
                let message = format!("{name} as a whole depends on its own negation, though none of its rules does");
                let advice = "say what both rules have in common in a relation of its own";
                Diagnostic::warning("stratified-by-arguments", arc.atom.span, message).with_advice(advice)
            });
        }
    }
}

fn matching<'a>(
    sheet: &'a Rulesheet,
    component: &'a Component,
    condition: &'a crate::rules::sentence::Atom,
) -> impl Iterator<Item = usize> + 'a {
    component.rules.iter().copied().filter(move |&rule| sheet.sentences[rule].head.may_equal(condition))
}

/// For each rule of a component, the number of its cycle of rules; `None` if this takes too many comparisons.
fn rule_groups(sheet: &Rulesheet, component: &Component) -> Option<Vec<usize>> {
    if component.rules.len().saturating_mul(component.arcs.len()) > MOST_COMPARISONS {
        return None;
    }
    let place = |rule| place(component, rule) as u32;
    let arcs = component.arcs.iter().flat_map(|arc| {
        let from = place(arc.sentence);
        matching(sheet, component, arc.atom).map(move |rule| (from, place(rule)))
    });
    Some(component_numbers(&graph(component.rules.len(), arcs)))
}

fn place(component: &Component, rule: usize) -> usize {
    component.rules.binary_search(&rule).expect("an arc of a component starts from one of its rules")
}

#[cfg(test)]
mod tests {
    use crate::rules::check::testing::{findings, messages};

    #[test]
    fn negation_in_a_cycle_is_refused() {
        let text = "(<= (legal r x) p)\n(<= p q)\n(<= q s (not p))\n(<= s (not t))\nt";
        assert_eq!(findings(text), ["3:14 unstratified"]);
        assert_eq!(messages(text), ["negation of a relation that depends on this rule: `q` → `p` → `q`"]);
        assert_eq!(findings("(<= (goal r 0) (not (or terminal (goal r 0))))"), ["1:34 unstratified"]);
    }

    #[test]
    fn negation_of_other_rules_of_a_relation_is_unusual() {
        let text = "(<= (goal r 0) (not (goal r 50)))\n(<= (goal r 50) (not (goal r 100)))";
        assert_eq!(findings(text), ["1:21 stratified-by-arguments", "2:22 stratified-by-arguments"]);
        let text = "(<= (goal r 0) (not (goal r 50)))\n(<= (goal r 50) (not (goal r ?x)) (true ?x))";
        assert_eq!(findings(text), ["1:21 unstratified", "2:22 unstratified"]);
    }

    #[test]
    fn double_negation_in_a_cycle_is_none() {
        assert!(findings("(<= (legal r x) p)\n(<= p (not (not q)))\n(<= q p)").is_empty());
    }

    #[test]
    fn long_chains_cost_no_stack() {
        let chain: String = (0..50_000).map(|n| format!("(<= p{n} p{})\n", n + 1)).collect();
        let found = findings(&format!("(<= (legal r x) p0)\n{chain}(<= p50000 (not p0))"));
        assert_eq!(found, ["50002:17 unstratified"]);
    }
}
