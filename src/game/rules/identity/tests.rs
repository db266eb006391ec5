use super::*;
use crate::diagnostic::Source;
use crate::rules::gdl;
use base::random::Random;

fn of(text: &str) -> String {
    let mut diagnostics = Vec::new();
    let sheet = gdl::rulesheet(&Source::new("a.gdl", text.as_bytes()), &mut diagnostics);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    identity(&sheet)
}

#[test]
fn the_way_of_writing_does_not_count() {
    let one = "(role a) (role b) (succ 1 2)\n(<= (p ?x ?y) (q ?x) (not (r ?y ?x)) (or (s ?x) (t ?y ?z)) (u ?z))";
    let other = "; comment\r\n(<= (p ?m ?a) (u ?c) (or (t ?a ?c) (s ?m)) (q ?m) (not (r ?a ?m)))\r\n(role a)(role b)
        (succ 1 2) (succ 1 2)";
    assert_eq!(of(one), of(other));
}

#[test]
fn the_place_of_chance_among_the_roles_does_not_count() {
    let texts =
        ["(role a) (role b) (role random)", "(role a) (role random) (role b)", "(role random) (role a) (role b)"];
    let sums: BTreeSet<String> = texts.iter().map(|text| of(text)).collect();
    assert_eq!(sums.len(), 1);
    assert!(!sums.contains(&of("(role b) (role a) (role random)")) && !sums.contains(&of("(role a) (role b)")));
}

#[test]
fn a_difference_in_meaning_counts() {
    let texts = [
        "(role a) (role b) (<= (p ?x) (q ?x ?y) (r ?y))",
        "(role b) (role a) (<= (p ?x) (q ?x ?y) (r ?y))",
        "(role a) (role b) (<= (p ?x) (q ?y ?x) (r ?y))",
        "(role a) (role b) (<= (p ?x) (q ?x ?y) (r ?x))",
        "(role a) (role b) (<= (p ?x) (q ?x ?y) (not (r ?y)))",
        "(role a) (role b) (<= (p ?x) (or (q ?x ?y) (r ?y)))",
        "(role a) (role b) (<= (p ?x) (q ?x y) (r y))",
        "(role a) (role b) (<= (p ?x) (q ?x ?y))",
        "(role a) (role b)",
    ];
    let sums: BTreeSet<String> = texts.iter().map(|text| of(text)).collect();
    assert_eq!(sums.len(), texts.len());
}

/// Rules of a line, a ring or a random graph over variables, each written in two random ways.
#[test]
fn symmetrical_rules_are_recognised() {
    let mut random = Random::new(7);
    for round in 0..200 {
        let variables = 2 + random.below(7);
        let edges: Vec<(usize, usize)> = match round % 3 {
            0 => (0..variables).map(|k| (k, (k + 1) % variables)).collect(),
            1 => (1..variables).map(|k| (k - 1, k)).collect(),
            _ => (0..2 * variables).map(|_| (random.below(variables), random.below(variables))).collect(),
        };
        let mut write = || {
            let mut names: Vec<usize> = (0..variables).collect();
            let mut edges = edges.clone();
            random.shuffle(&mut names);
            random.shuffle(&mut edges);
            let body: Vec<String> = edges.iter().map(|&(a, b)| format!("(e ?v{} ?v{})", names[a], names[b])).collect();
            format!("(role a) (<= (p 1) {})", body.join(" "))
        };
        let (one, other) = (write(), write());
        assert_eq!(of(&one), of(&other), "{one}\n{other}");
    }
}
