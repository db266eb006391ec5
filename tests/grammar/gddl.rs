//! GDDL: `grammar/gddl.ebnf`.

use crate::ebnf::Grammar;
use crate::language::Language;
use game::diagnostic::{Findings, Source};
use game::rules::gddl;

/// The findings that the grammar is about; all others belong to the checks after it.
const SYNTACTIC: [&str; 10] = [
    "keyword-arity",
    "misplaced-section",
    "missing-name",
    "missing-type",
    "unclosed-parenthesis",
    "unexpected-character",
    "unknown-section",
    "unmatched-parenthesis",
    "unsupported",
    "wrong-form",
];

fn language() -> Language {
    Language {
        grammar: Grammar::new(include_str!("../../grammar/gddl.ebnf")),
        refusal,
        tokens: &[
            ("word", &["a", "p", "A", "7", "role", "either", "domain", "control", "=", "-"]),
            ("name", &["a", "p", "A", "7", "role", "either", "domain", "control", "=", "-3"]),
            ("glued type", &["-a", "-role"]),
            ("number", &["0", "2.5", "-1"]),
            ("string", &["\"\"", "\"a b\""]),
            ("variable", &["?x", "?y", "?X"]),
            ("keyword", &[":adl", ":typing", ":action"]),
        ],
        sizes: [6, 4],
        stock: &[
            "define",
            "or",
            "not",
            "when",
            "exists",
            "-",
            "(",
            ")",
            "?x",
            "?",
            ":a",
            ":goal",
            ":",
            "a|b",
            "“",
            "x",
            "increase",
            "oneof",
            ":effect",
            "-a",
            "a?x",
            ":vars",
            ":metric",
            ":functions",
            "\"a\"",
            "+",
            ":length",
            "number",
            "minimize",
            "in-package",
        ],
    }
}

fn refusal(text: &[u8]) -> String {
    let source = Source::new("test", text);
    let mut findings = gddl::program(&source).1;
    findings.retain(|finding| SYNTACTIC.contains(&finding.code));
    Findings::new(&source, &findings).to_string()
}

#[test]
fn derived_texts_are_accepted() {
    language().assert_derived_texts_are_accepted(500);
}

#[test]
fn changed_texts_are_accepted_by_both_or_by_neither() {
    language().assert_changed_texts_are_accepted_by_both_or_by_neither(1500);
}

#[test]
fn bad_texts_are_refused_by_both() {
    language().assert_refused(&[
        "a",
        "()",
        "(define)",
        "(define (domain))",
        "(define (domain d) a)",
        "(define (domain d) ())",
        "(define (domain d) (p))",
        "(define (domain d e))",
        "(define (game d))",
        "(domain d)",
        "(define (domain d) (:init))",
        "(define (problem d) (:types a))",
        "(define (domain d) (:functions f))",
        "(define (domain d) (:functions (f) - object))",
        "(define (domain d) (:functions (f) -))",
        "(define (domain d) (:types a - b - c))",
        "(define (domain d) (:predicates (p - a)))",
        "(define (domain d) (:action a :parameters (?x - a - b)))",
        "(define (domain d) (:action a? :effect ()))",
        "(define (domain d) (:action a :effect (increase (f))))",
        "(define (domain d) (:action a :effect (increase f 1)))",
        "(define (domain d) (:action a :effect (increase (f) ?x)))",
        "(define (domain d) (:action a :effect (decrease (f) 1)))",
        "(define (domain d) (:action a :effect (assign (f) 1)))",
        "(define (domain d) (:action a :precondition (>= (f) 1)))",
        "(define (domain d) (:action a :precondition (= (f) 1)))",
        "(define (domain d) (:action a :precondition (preference p (q))))",
        "(define (domain d) (:durative-action a))",
        "(define (domain d) (:constraints (and)))",
        "(define (problem d) (:metric maximize (f)))",
        "(define (problem d) (:metric minimize))",
        "(define (problem d) (:init (= (f) a)))",
        "(define (problem d) (:init (at 5 (p))))",
        "(in-package)",
        "(in-package (a))",
        "(in-package \"a)",
        "(define (domain d) (:types a -))",
        "(define (domain d) (:types a - ?x))",
        "(define (domain d) (:types a - (b c)))",
        "(define (domain d) (:types a - (either)))",
        "(define (domain d) (:requirements a))",
        "(define (domain d) (:predicates p))",
        "(define (domain d) (:predicates (p a)))",
        "(define (domain d) (:predicates (and ?x)))",
        "(define (domain d) (:derived (p)))",
        "(define (domain d) (:derived p (q)))",
        "(define (domain d) (:action))",
        "(define (domain d) (:action a :effect))",
        "(define (domain d) (:action a (p)))",
        "(define (domain d) (:action a :parameters ?x))",
        "(define (domain d) (:action a :effect (or (p))))",
        "(define (domain d) (:action a :effect (not (not (p)))))",
        "(define (domain d) (:action a :effect (when (p))))",
        "(define (domain d) (:action a :precondition (when (p) (q))))",
        "(define (domain d) (:action a :precondition (not)))",
        "(define (domain d) (:action a :precondition (= a)))",
        "(define (domain d) (:action a :precondition (exists ?x (p))))",
        "(define (domain d) (:action a :precondition p))",
        "(define (domain d) (:gain 100))",
        "(define (domain d) (:gain (?x) ?y (p)))",
        "(define (problem d) (:goal))",
        "(define (problem d) (:goal (p) (q)))",
        "(define (problem d) (:init (p ?x)))",
        "(define (problem d) (:init (= a b)))",
        "(define (domain d) (:derived (p) (define (domain e))))",
    ]);
}

#[test]
fn good_texts_are_accepted_by_both() {
    language().assert_accepted(&[
        "",
        "(define (domain d))",
        "(DEFINE (Domain d) (:Types a b - (EITHER c d) e) (:requirements :a :B))",
        "(define (problem p) (:domain d) (:objects 1 2 - n) (:init (p 1) (not (q))) (:goal ()))",
        "(define (domain d) (:action a :effect () :precondition (and) :parameters ()))",
        "(define (domain d) (:action a :effect NIL :precondition nil) (:action b :effect (when nil (and nil))))",
        "(define (domain d) (:predicates (p ?x ?y - t ?z) (q)) (:constants))",
        "(define (domain d) (:derived (p ?x) (imply (= ?x a) (forall (?y - t) (exists () (or (p ?y) (not (q))))))))",
        "(define (domain d) (:action a :effect (forall (?x) (when (p ?x) (and (not (p ?x)) (q ?x) ())))))",
        "(in-package \"a b\") (in-package 'a) (in-package :a) (define (domain d))",
        "(define (domain d) (:types - a -b a b) (:constants - a b - c - d -1 -e) (:predicates (p?x ?y -a?z) (= ?x ?y)))",
        "(define (domain d) (:functions) (:functions (f ?x) (g) - number))",
        "(define (domain d) (:action a :vars (?x) :effect (and (increase (f ?x) (+ 1 (* (g) 2.5))) (p))))",
        "(define (problem d) (:init (= (f a) 0)) (:metric minimize (total-time)) (:metric minimize total-cost) (:length (a 5)))",
        "(define (problem d) (:metric minimize (+ (f) (g a))))",
        "(define (domain d) (:gain 0 (p)) (:gain () 1 (p)) (:gain ?x - role 2 (p)) (:gain (?x - role ?y) 3 (p)))",
    ]);
}
