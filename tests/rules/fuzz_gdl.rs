//! Changed rulesheets: whatever the text, reading and checking it ends soon, in findings and not in a panic.
//!
//! `GGSOLVE_FUZZ_CASES=1000000 cargo test --release --test rules fuzz_gdl::` runs a million inputs; the default is bounded to
//! a few seconds. A failing input is shrunk and shown.

use crate::fuzz::{apply, cases, change};
use game::rules::Language;
use proptest::prelude::*;
use std::sync::OnceLock;

/// Texts to start from: the smaller shipped games, the smaller files of the corpus, and all constructs in one.
fn seeds() -> &'static [Vec<u8>] {
    static SEEDS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let mut seeds = vec![
            b"(role r)(<= (next (f ?x)) (or (true (f ?x)) (and (does r (m ?x)) (not (or (p ?x) (distinct ?x a))))))\n\
              (<= (goal r 0) (not (goal r 100)))(<= terminal (not (true ?y)) (true ?y))(p a)(init (f (s (s 0))))"
                .to_vec(),
        ];
        let mut files = crate::common::all_shipped();
        files.extend(crate::common::corpus().into_iter().flat_map(|corpus| crate::common::rulesheets(&corpus)));
        files.sort();
        seeds.extend(files.iter().map(|file| std::fs::read(file).expect("a rulesheet can be read")));
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
    "(<= ",
    "?x",
    " ?x ",
    "not",
    "(not ",
    "(or ",
    "(and ",
    "(or)",
    "distinct",
    "true",
    "(true ",
    "does",
    "next",
    "role",
    "legal",
    "goal",
    "terminal",
    "init",
    " 0",
    " 101",
    ";",
    "\r",
    "\0",
    "|",
    "\"",
    "\u{feff}",
    "random",
    "sees",
    "(distinct ?x (f ?x))",
    "(not (distinct ?x (f ?y ?y)))",
    "(role random)",
    "(<= (p ?x) (not (p ?x)))",
];

fn examine(text: &[u8]) -> Result<(), TestCaseError> {
    crate::fuzz::examine(Language::Gdl, text)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_rulesheets_end_in_findings(seed in any::<prop::sample::Index>(), changes in prop::collection::vec(change(PIECES), 1..6)) {
        let mut text = seed.get(seeds()).clone();
        changes.iter().for_each(|change| apply(&mut text, change));
        examine(&text)?;
    }

    #[test]
    fn any_bytes_end_in_findings(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        examine(&bytes)?;
    }
}

/// A small game around some rules.
fn around(rules: &str) -> String {
    format!("(role r)(init f)(<= (next f) (true f))(legal r m)(goal r 100)(<= terminal (true f)){rules}")
}

#[test]
fn deep_nesting_costs_no_stack() {
    const DEPTH: usize = 100_000;
    let nested = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(DEPTH), close.repeat(DEPTH));
    for text in [
        nested("(", "", ")"),
        "(".repeat(DEPTH),
        ")".repeat(DEPTH),
        format!("(<= (p ?x) {})", nested("(not ", "(q ?x)", ")")),
        format!("(<= (p ?x) {})", nested("(or ", "(q ?x)", ")")),
        format!("(<= (p ?x) {})", nested("(and (q ?x) ", "(q ?x)", ")")),
        format!("(init {})", nested("(s ", "0", ")")),
        format!("(<= (p ?x) (distinct {} ?x) (q ?x))", nested("(s ", "0", ")")),
        nested("(<= ", "a", ")"),
        nested("(<= p (or ", "a", "))"),
        nested("(s ", "", ""),
    ] {
        examine(around(&text).as_bytes()).expect("no panic");
        examine(text.as_bytes()).expect("no panic");
    }
}

#[test]
fn wide_texts_take_linear_time() {
    const WIDTH: usize = 50_000;
    let many = |piece: &dyn Fn(usize) -> String| (0..WIDTH).map(piece).collect::<String>();
    for text in [
        many(&|n| format!("(p {n})")),
        many(&|_| "(p ?x)".to_owned()),
        many(&|_| "\"a".to_owned()),
        format!("(p {})", many(&|n| format!(" {n}"))),
        format!("(<= p {})", many(&|n| format!("(q{n} ?x{n})"))),
        format!("(<= (p{}) {})", many(&|n| format!(" ?x{n}")), many(&|n| format!("(q ?x{n})"))),
        format!("(<= (p{}) (q ?x))", many(&|n| format!(" ?x{n}"))),
        format!("(<= p (or {}))", many(&|n| format!("(q{n} ?x{n})"))),
        many(&|n| format!("(<= p{n} p{})", n + 1)),
        many(&|n| format!("(<= (next (p ?x)) (not (q{n} ?y)))")),
        many(&|n| format!("(<= (q ?x) (not (q {n})) (true ?x))")),
        format!("(<= (p{}) (p{}))", many(&|n| format!(" (f {n} ?x)")), many(&|n| format!(" (g {n} ?x)"))),
        many(&|n| format!("(<= (legal r (m {n})) p0)(<= p{n} p{})", n + 1)) + "(<= p50000 (does r m))",
    ] {
        examine(around(&text).as_bytes()).expect("no panic");
    }
}

#[test]
fn products_of_disjunctions_stay_small() {
    let choices = |number: usize, negated: bool| -> String {
        let not = |what: String| if negated { format!("(not {what})") } else { what };
        (0..number).map(|n| format!("(or (a{n} ?x) {} (and (b ?y) (c{n} ?y)))", not(format!("(d ?x {n})")))).collect()
    };
    let nested = (0..100).fold("(p ?x)".to_owned(), |inner, n| format!("(or (q{n} ?x) (and (b ?x) {inner} (or b c)))"));
    let entangled: String = (0..40).map(|n| format!("(or (not (a ?y)) (b ?x{n} ?x{}))", n + 1)).collect();
    for text in [
        format!("(<= (p ?x) (q ?x) {})", choices(60, false)),
        format!("(<= (p ?x) (q ?x) {})", choices(60, true)),
        format!("(<= (p ?x) (q ?x) {})", choices(2000, true)),
        format!("(<= (p ?x) (q ?x) {nested})"),
        format!("(<= (p ?x) (q ?x) (not {nested}))"),
        format!("(<= (p ?y) (q ?y) {entangled})"),
    ] {
        examine(around(&text).as_bytes()).expect("no panic");
    }
}

#[test]
fn equations_stay_small() {
    let doubling: String = (0..60).map(|n| format!("(v ?x{n})(not (distinct ?x{n} (f ?x{0} ?x{0})))", n + 1)).collect();
    let chain: String = (0..5000).map(|n| format!("(v ?x{n})(not (distinct ?x{n} (f ?x{})))", n + 1)).collect();
    let ring: String = (0..500).map(|n| format!("(v ?x{n})(not (distinct ?x{n} ?x{}))", (n + 1) % 500)).collect();
    for text in [doubling + "(v ?x60)", chain + "(v ?x5000)", ring] {
        examine(around(&format!("(<= (p ?x0) {text})")).as_bytes()).expect("no panic");
    }
}
