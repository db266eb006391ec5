//! Lowered programs, shown as text.

use crate::diagnostic::{Findings, Source};
use crate::rules::gdl;
use crate::show::show;

/// The lowered rules of a text, which need not be a whole game.
fn lowered(text: &str) -> String {
    const REST: &str = "(role r)(init f)(<= (next f) (true f))(legal r m)(goal r 100)(<= terminal (true f))";
    let source = Source::new("test", format!("{text}{REST}").as_bytes());
    let (program, diagnostics) = gdl::program(&source);
    let program = program.unwrap_or_else(|| panic!("{}", Findings::new(&source, &diagnostics)));
    let shown = show(&program);
    let own = shown.lines().take_while(|line| !line.starts_with("role"));
    own.map(|line| format!("{line}\n")).collect()
}

#[test]
fn disjunctions_are_multiplied_out() {
    let rules = lowered("(<= (p ?x) (q ?x) (or (r1 ?x) (and s (not (t ?x)))))");
    assert_eq!(rules, "p(?x) :- q(?x), r1(?x)\np(?x) :- q(?x), s, ~t(?x)\n");
}

#[test]
fn negations_are_pushed_inwards() {
    let rules = lowered("(<= (p ?x) (q ?x) (not (or (r1 ?x) (not s) (and t u))))");
    assert_eq!(rules, "p(?x) :- q(?x), ~r1(?x), s, ~t\np(?x) :- q(?x), ~r1(?x), s, ~u\n");
}

#[test]
fn empty_disjunctions_never_hold() {
    assert_eq!(lowered("(<= p (or)) (<= q (not (or))) (<= s (or (or) t)) (<= u (and))"), "q\ns :- t\nu\n");
}

#[test]
fn negated_distinct_is_an_equation() {
    let rules = lowered("(<= (p ?x ?y) (q ?x ?y) (not (distinct (f ?x) (f ?y))))(<= z (not (distinct a b)))");
    assert_eq!(rules, "p(?y,?y) :- q(?y,?y)\n");
}

#[test]
fn large_disjunctions_become_relations() {
    let members: String = (0..65).map(|n| format!("(q{n} ?y)")).collect();
    let rules = lowered(&format!("(<= (p ?x) (e ?x ?y) (or {members}))"));
    assert!(rules.starts_with("p|1(?y) :- q0(?y)\np|1(?y) :- q1(?y)\n"), "{rules}");
    assert!(rules.ends_with("p(?x) :- e(?x,?y), p|1(?y)\n"), "{rules}");
}

#[test]
fn relations_for_disjunctions_are_safe() {
    let choice = |negated: &str, n: usize| format!("(or (not ({negated} ?x ?y)) (and (a{n} ?x) (b{n} ?y)))");
    let many: String = (0..7).map(|n| choice("n", n)).collect();
    let rules = lowered(&format!("(<= (p ?x) (q ?x) (or (r1 ?y) (r2 ?y)) {many})"));
    assert!(rules.contains("p|1(?y) :- r1(?y)\n"), "{rules}");
    assert!(rules.contains("p|3(?y) :- r1(?y)\n"), "{rules}");
    assert!(rules.contains("p|2(?x,?y) :- ~n(?x,?y), q(?x), p|3(?y)\n"), "{rules}");
    assert!(rules.contains("p|2(?x,?y) :- a0(?x), b0(?y)\n"), "{rules}");
}

#[test]
fn relations_stratified_by_arguments_are_split() {
    let rules =
        lowered("(<= (goal r 0) (not (goal r 50)))(<= (goal r 50) (s r) (not (goal r 7)))(<= (goal ?x 9) (s ?x))");
    let expected = [
        "goal|rule0(r,0) :- ~goal|rule1(r,50)",
        "goal(r,0) :- goal|rule0(r,0)",
        "goal|rule1(r,50) :- s(r)",
        "goal(r,50) :- goal|rule1(r,50)",
        "goal|rule2(?x,9) :- s(?x)",
        "goal(?x,9) :- goal|rule2(?x,9)",
    ];
    assert_eq!(rules.lines().collect::<Vec<_>>(), expected);
}
