//! Finds dependencies that GDL forbids (Love, Hinrichs and Genesereth 2006, section 4). Rules that apply before the
//! first move must not depend on the state or on moves. Rules for legal moves and results must not depend on the chosen
//! moves.

use super::spelling::chain;
use crate::diagnostic::Diagnostic;
use crate::rules::Predicate;
use crate::rules::dependencies::{Dependencies, way};
use crate::rules::sentence::Rulesheet;

pub fn check(sheet: &Rulesheet, dependencies: &Dependencies, diagnostics: &mut Vec<Diagnostic>) {
    let state = dependencies.dependents([Predicate::True]);
    let moves = dependencies.dependents([Predicate::Does]);
    for (head, arc) in dependencies.arcs() {
        let (targets, advice): (&[_], _) = match head {
            Predicate::Init | Predicate::Role | Predicate::Base | Predicate::Input => {
                (&[&state, &moves], "roles, the initial state and domains are the same in every state")
            }
            Predicate::Legal => (&[&moves], "what is legal is known before anybody moves: it depends on `true` only"),
            Predicate::Goal | Predicate::Terminal => {
                (&[&moves], "results belong to a state: remember the move in a fluent with `next`")
            }
            _ => continue,
        };
        for dependents in targets {
            if dependents.contains_key(&arc.atom.predicate) {
                let way = std::iter::once(head).chain(way(dependents, arc.atom.predicate));
                let message = format!("forbidden dependency: {}", chain(way, &sheet.symbols));
                let finding = Diagnostic::error("forbidden-dependency", arc.atom.span, message);
                diagnostics.push(finding.with_advice(advice));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::check::testing::{findings, messages};

    #[test]
    fn moves_and_states_come_after_what_they_need() {
        assert_eq!(findings("(<= (init x) (true f))"), ["1:14 forbidden-dependency"]);
        assert_eq!(findings("(<= (legal r x)\n (does r m))"), ["2:2 forbidden-dependency"]);
        let text = "(<= (base x) (not p))\n(<= p (q a))\n(<= (q ?x) (does r ?x))";
        assert_eq!(messages(text), ["forbidden dependency: `base` → `p` → `q` → `does`"]);
        assert_eq!(findings("(<= terminal (or (true f) (does r m)))"), ["1:27 forbidden-dependency"]);
    }

    #[test]
    fn others_may_depend_on_anything() {
        assert!(findings("(<= (next x) (does r m) (legal r m) (goal r 100) terminal (true x))").is_empty());
        assert!(findings("(<= (legal r x) (not terminal))(<= (goal r 0) terminal (legal r x))").is_empty());
    }
}
