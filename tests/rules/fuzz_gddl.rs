//! Changed domains and problems: whatever the text, reading and checking it ends soon, in findings and not in a panic.
//!
//! `GGSOLVE_FUZZ_CASES=1000000 cargo test --release --test rules fuzz_gddl` runs a million inputs; the default is bounded to
//! a few seconds. A failing input is shrunk and shown.

use crate::fuzz::{apply, cases, change};
use game::rules::Language;
use proptest::prelude::*;
use std::path::Path;
use std::sync::OnceLock;

/// Texts to start from: the smaller shipped games, the planning domains of the tests, and all constructs in one.
fn seeds() -> &'static [Vec<u8>] {
    static SEEDS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let mut seeds = vec![
            b"(define (domain d) (:requirements :adl :derived-predicates) (:types role a - object b - a)
                (:constants x y - role c - (either a role))
                (:predicates (p ?x - a ?y) (control ?r - role) (q) (r ?x - a))
                (:derived (r ?x) (or (exists (?y - (either a b)) (and (p ?x ?y) (r ?y))) (imply (q) (p ?x ?x))))
                (:derived (r ?x - b) (forall (?y ?z - a) (not (= ?y ?z))))
                (:action m :parameters (?r - role ?x - a) :precondition (and (control ?r) () (not (p ?x c)))
                  :effect (and (p ?x ?x) (not (q)) (forall (?y - a) (when (r ?y) (and (not (p ?y c)) (q)))))) 
                (:gain ?r - role 100 (and (= ?r x) (q))) (:gain (?r - role) 0 (not (q))))
              (define (problem t) (:domain d) (:objects e f - b) (:init (control x) (p e f)) (:goal (or (q) (r c))))"
                .to_vec(),
        ];
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut files = Vec::new();
        for folder in ["games", "tests/gddl/planning"] {
            let entries = std::fs::read_dir(root.join(folder)).expect("the folder can be read");
            files.extend(entries.map(|entry| entry.expect("an entry").path()));
        }
        files.retain(|file| file.extension().is_some_and(|extension| extension == "gddl" || extension == "pddl"));
        files.sort();
        seeds.extend(files.iter().map(|file| std::fs::read(file).expect("a game can be read")));
        seeds.retain(|seed| seed.len() < 8000);
        seeds
    })
}

/// What is inserted.
const PIECES: &[&str] = &[
    "(",
    ")",
    "((",
    "))",
    "()",
    "(define ",
    "(define (domain d)",
    "?x",
    " ?x ",
    " - ",
    "(not ",
    "(or ",
    "(and ",
    "(or)",
    "(when ",
    "(forall (?x) ",
    "(exists (?y - b) ",
    "(imply ",
    "(= ?x ?y)",
    "either",
    "(either a b)",
    "control",
    "(control x)",
    "role",
    "object",
    ":derived",
    ":action",
    ":effect",
    ":gain",
    "(:gain 50 (q))",
    "(:types b - c c - b)",
    "(:derived (q) (not (q)))",
    " 0",
    " 101",
    ";",
    "\r",
    "\0",
    "|",
    "\"",
    "\u{feff}",
    ":",
    "?",
];

fn examine(text: &[u8]) -> Result<(), TestCaseError> {
    crate::fuzz::examine(Language::Gddl, text)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_texts_end_in_findings(seed in any::<prop::sample::Index>(), changes in prop::collection::vec(change(PIECES), 1..6)) {
        let mut text = seed.get(seeds()).clone();
        changes.iter().for_each(|change| apply(&mut text, change));
        examine(&text)?;
    }

    #[test]
    fn any_bytes_end_in_findings(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        examine(&bytes)?;
    }
}

/// A game around some sections of its domain and some facts.
fn around(sections: &str, facts: &str) -> String {
    format!(
        "(define (domain d) (:types t) (:predicates (p ?x) (q ?x ?y) (s)) {sections})
         (define (problem e) (:objects a b) (:init {facts}) (:goal (s)))"
    )
}

#[test]
fn deep_nesting_costs_no_stack() {
    const DEPTH: usize = 100_000;
    let nested = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(DEPTH), close.repeat(DEPTH));
    for text in [
        nested("(", "", ")"),
        "(".repeat(DEPTH),
        nested("(define (domain d) ", "", ")"),
        around(&format!("(:derived (s) {})", nested("(not ", "(s)", ")")), ""),
        around(&format!("(:derived (s) {})", nested("(exists (?x) ", "(p ?x)", ")")), ""),
        around(&format!("(:action a :effect {})", nested("(when (s) ", "(p a)", ")")), ""),
        around("", &nested("(p ", "a", ")")),
    ] {
        examine(text.as_bytes()).expect("no panic");
    }
}

/// As deep as is allowed.
#[test]
fn quantifiers_inside_each_other() {
    for (quantifier, depth) in [("exists", 200), ("forall", 200), ("not (forall", 100)] {
        let open: String = (0..depth).map(|n| format!("({quantifier} (?x{n}) (or (q ?x{n} ?y) ")).collect();
        let close = if quantifier.contains('(') { ")))" } else { "))" };
        let text = around(&format!("(:derived (p ?y) {open}(s){})", close.repeat(depth)), "");
        examine(text.as_bytes()).expect("no panic");
    }
}

#[test]
fn wide_texts_take_linear_time() {
    const WIDTH: usize = 50_000;
    let many = |piece: &dyn Fn(usize) -> String| (0..WIDTH).map(piece).collect::<String>();
    let names = many(&|n| format!(" ?x{n}"));
    for text in [
        around("", &many(&|n| format!("(p {n})"))),
        around("", &many(&|_| "(p a)".to_owned())),
        around(&format!("(:types {})", many(&|n| format!("t{n} - t{} ", n + 1))), ""),
        around(&format!("(:types {})", many(&|n| format!("u{n} "))), ""),
        around(&format!("(:constants {})", many(&|n| format!("c{n} - t{} ", n % 7))), ""),
        around(&format!("(:constants {})", many(&|n| format!("c{n} ")) + "- t"), ""),
        around(&format!("(:predicates {})", many(&|n| format!("(r{n} ?x)"))), ""),
        around(&format!("(:derived (p{names}) (s))"), ""),
        around(&format!("(:action a :parameters ({names}) :effect (s))"), ""),
        around(&format!("(:action a :parameters ({names}) :effect (and {}))", many(&|n| format!("(p ?x{n})"))), ""),
        around(&format!("(:action a :effect (and {}))", many(&|n| format!("(when (p a) (q b {n}))"))), ""),
        around(
            &format!("(:action a :effect (when (and {}) (and {})))", "(p a)".repeat(WIDTH), "(p b)".repeat(WIDTH)),
            "",
        ),
        around(&many(&|n| format!("(:action a{n} :effect (s))")), ""),
        around(&many(&|_| "(:derived (s) (not (s)))".to_owned()), ""),
        around(&many(&|n| format!("(:gain {n} (s))")), ""),
        around(&format!("(:derived (s) (or {}))", "(p a)".repeat(WIDTH)), ""),
        around(&format!("(:derived (s) (and {}))", many(&|n| format!("(exists (?x) (q ?x a{n}))"))), ""),
        around(&format!("(:derived (s) (and {}))", many(&|_| "(forall (?x) (q ?x a))".to_owned())), ""),
    ] {
        examine(text.as_bytes()).expect("no panic");
    }
}
