//! Changed rulesheets: whatever the text, reading and checking it ends soon, in findings and not in a panic.
//!
//! `GGSOLVE_FUZZ_CASES=1000000 cargo test --release --test fuzz_gdl` runs a million inputs; the default is bounded to
//! a few seconds. A failing input is shrunk and shown.

mod common;

use ggsolve::diagnostic::{Severity, Source, render_json, render_text};
use ggsolve::rules::gdl;
use proptest::prelude::*;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Texts to start from: the smaller shipped games, the smaller files of the corpus, and all constructs in one.
fn seeds() -> &'static [Vec<u8>] {
    static SEEDS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let mut seeds = vec![
            b"(role r)(<= (next (f ?x)) (or (true (f ?x)) (and (does r (m ?x)) (not (or (p ?x) (distinct ?x a))))))\n\
              (<= (goal r 0) (not (goal r 100)))(<= terminal (not (true ?y)) (true ?y))(p a)(init (f (s (s 0))))"
                .to_vec(),
        ];
        let games = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
        let games = std::fs::read_dir(games).expect("the games can be read");
        let mut files: Vec<_> = games.map(|entry| entry.expect("an entry").path()).collect();
        files.extend(common::corpus().into_iter().flat_map(|corpus| common::rulesheets(&corpus)));
        files.sort();
        seeds.extend(files.iter().map(|file| std::fs::read(file).expect("a rulesheet can be read")));
        seeds.retain(|seed| seed.len() < 8000);
        seeds
    })
}

/// A change at a place that is given as a share of the text, so that it shrinks well.
#[derive(Debug, Clone)]
enum Change {
    Remove(u16, u8),
    Insert(u16, &'static str),
    InsertBytes(u16, Vec<u8>),
    /// Copies a piece elsewhere, several times.
    Copy(u16, u8, u16, u8),
    Truncate(u16),
}

fn change() -> impl Strategy<Value = Change> {
    let pieces = prop::sample::select(vec![
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
    ]);
    prop_oneof![
        3 => (any::<u16>(), 1..40u8).prop_map(|(at, length)| Change::Remove(at, length)),
        4 => (any::<u16>(), pieces).prop_map(|(at, piece)| Change::Insert(at, piece)),
        1 => (any::<u16>(), prop::collection::vec(any::<u8>(), 1..8)).prop_map(|(at, bytes)| Change::InsertBytes(at, bytes)),
        2 => (any::<u16>(), any::<u8>(), any::<u16>(), 1..6u8).prop_map(|(from, length, to, times)| Change::Copy(from, length, to, times)),
        1 => any::<u16>().prop_map(Change::Truncate),
    ]
}

fn apply(text: &mut Vec<u8>, change: &Change) {
    let place = |share: u16, text: &[u8]| usize::from(share) * text.len() / (usize::from(u16::MAX) + 1);
    match change {
        Change::Remove(at, length) => {
            let at = place(*at, text);
            text.drain(at..(at + usize::from(*length)).min(text.len()));
        }
        Change::Insert(at, piece) => {
            let at = place(*at, text);
            text.splice(at..at, piece.bytes());
        }
        Change::InsertBytes(at, bytes) => {
            let at = place(*at, text);
            text.splice(at..at, bytes.iter().copied());
        }
        Change::Copy(from, length, to, times) => {
            let from = place(*from, text);
            let piece = text[from..(from + usize::from(*length)).min(text.len())].repeat(usize::from(*times));
            let to = place(*to, text);
            text.splice(to..to, piece);
        }
        Change::Truncate(at) => text.truncate(place(*at, text)),
    }
}

/// Reads a text and says what must be so of every text.
fn examine(text: &[u8]) -> Result<(), TestCaseError> {
    let started = Instant::now();
    let source = Source::new("fuzz.kif", text);
    let (program, diagnostics) = gdl::program(&source);
    let errors = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    prop_assert_eq!(program.is_some(), !errors);
    for diagnostic in &diagnostics {
        prop_assert!(diagnostic.span.start <= diagnostic.span.end);
        prop_assert!(diagnostic.span.end as usize <= source.text().len());
    }
    let shown = render_text(&source, &diagnostics);
    prop_assert!(shown.lines().count() >= diagnostics.len());
    prop_assert_eq!(render_json(&source, &diagnostics)["ok"].as_bool(), Some(!errors));
    prop_assert!(started.elapsed() < Duration::from_secs(20), "too slow");
    Ok(())
}

fn cases() -> u32 {
    std::env::var("GGSOLVE_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(1500)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_rulesheets_end_in_findings(seed in any::<prop::sample::Index>(), changes in prop::collection::vec(change(), 1..6)) {
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
