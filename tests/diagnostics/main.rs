//! What the user sees: the findings of small texts, word for word.
//!
//! `INSTA_UPDATE=always cargo test --test diagnostics` writes the expected texts anew; look at the difference.

mod slips;

use game::diagnostic::{Finding, Findings, Source};
use game::rules::{Language, gdl};
use ggsolve::session::Session;
use ggsolve::{Destination, Error, Severity, SolveOptions};
use insta::assert_snapshot;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics")
}

fn source(name: &str) -> Source {
    Source::new(name, &std::fs::read(folder().join(name)).expect("the text can be read"))
}

/// Compares the findings on the text of a file in this folder with those that are expected.
fn compare(name: &str) {
    let source = source(name);
    let (_, diagnostics) = Language::of(Path::new(name), source.text()).program(&source);
    assert_snapshot!(name, Findings::new(&source, &diagnostics).to_string());
}

/// Compares everything that `check` says of a file in this folder with what is expected; gives the findings as
/// places and codes.
fn compare_checked(name: &str) -> Vec<String> {
    let source = source(name);
    let session = Session::default();
    let report = session.check(&session.load(source.clone())).expect("no limit");
    assert_snapshot!(name, report.to_string());
    let place = |finding: &Finding| {
        let line = source.text().lines().nth(finding.line - 1).expect("a line of the text");
        let end = if finding.end_line == finding.line { finding.end_column - 1 } else { line.chars().count() };
        let text: String = line.chars().take(end).skip(finding.column - 1).collect();
        format!("{} {text} {}", finding.line, finding.code)
    };
    report.findings.diagnostics.iter().map(place).collect()
}

#[test]
fn everything_wrong_at_once() {
    compare("bad.kif");
}

#[test]
fn everything_unusual_at_once() {
    compare("unusual.kif");
}

#[test]
fn what_is_closed_too_soon() {
    compare("closed.kif");
    compare("closed.gddl");
}

#[test]
fn rules_in_infix_form() {
    compare("infix.kif");
}

#[test]
fn everything_wrong_in_the_form_of_gddl() {
    compare("form.gddl");
}

#[test]
fn everything_wrong_at_once_in_gddl() {
    compare("bad.gddl");
}

#[test]
fn everything_unusual_at_once_in_gddl() {
    compare("unusual.gddl");
}

/// The typical slips of somebody's first rulesheets, each of which is told at its place.
#[test]
fn beginners_games() {
    let expected: [(&str, &[&str]); 4] = [
        (
            "race.kif",
            &[
                "4 (init (lane dry)) fluent-vanishes",
                "5 (<= (legal ?r step) (true (turn ?r)) (at ?r ?x) (suc ?x ?y)) no-legal-move",
                "5 (at ?r ?x) unknown-relation",
                "5 (suc ?x ?y) unknown-relation",
                "5 ?y single-variable",
                "6 (<= (legal ?r wait) (role ?r) (not (true (turn ?r)))) no-legal-move",
                "7 (<= (legal ?r rest) (true (turn ?r)) (true (lane dry))) no-legal-move",
                "9 ?runer single-variable",
                "11 (true (turn Blue)) never-holds",
                "11 Blue names-differ-in-case",
                "12 (<= terminal (true (at ?r 5))) never-terminal",
                "12 (true (at ?r 5)) never-holds",
                "13 (true (at ?r 4)) never-holds",
            ],
        ),
        (
            "noughts.kif",
            &[
                "10 (<= (next (cell ?s ?c)) (true (cell ?s ?c))) two-contents",
                "13 (!= ?a ?b) unknown-relation",
                "16 (true (cell 5 ?p)) never-holds",
            ],
        ),
        (
            "lamps.kif",
            &[
                "4 03 names-differ-in-zeros",
                "11 (<= (next (steps ?m)) (true (steps ?n)) (count ?n ?m)) never-applies",
                "12 (<= terminal (true (steps 0))) never-terminal",
                "12 (true (steps 0)) never-holds",
            ],
        ),
        (
            "auction.kif",
            &[
                "4 (<= (legal ?r (bid 1)) (role ?r)) not-turn-taking",
                "5 (<= (legal ?r (bid 2)) (role ?r)) not-turn-taking",
            ],
        ),
    ];
    for (name, expected) in expected {
        assert_eq!(compare_checked(name), expected, "{name}");
    }
}

/// What only play shows: the rules that are concerned, each at its place, and what to add.
#[test]
fn faults_that_play_shows() {
    let expected: [(&str, &str, &[usize]); 11] = [
        ("lost.kif", "no-legal-move", &[5, 6, 7]),
        ("silent.kif", "no-legal-move", &[6]),
        ("stuck.kif", "no-legal-move", &[5]),
        ("both.kif", "not-turn-taking", &[7, 5]),
        ("once.kif", "not-turn-taking", &[5, 5]),
        ("unrewarded.kif", "goals", &[18, 19]),
        ("twice.kif", "goals", &[18, 21]),
        ("blocked.gddl", "no-legal-move", &[10, 14]),
        ("torn.gddl", "not-turn-taking", &[7, 7]),
        ("ungained.gddl", "goals", &[13]),
        ("unpaid.gddl", "goals", &[11, 12]),
    ];
    for (name, code, lines) in expected {
        compare_checked(name);
        let source = source(name);
        let session = Session::default();
        let rules = session.load(source.clone());
        let report = session.check(&rules).expect("no limit");
        let found = |findings: &[Finding]| -> Vec<Finding> {
            findings.iter().filter(|finding| finding.code == code).cloned().collect()
        };
        let checked = found(&report.findings.diagnostics);
        // Choices at the same time may be meant: notes tell of them.
        let joint = code == "not-turn-taking";
        assert_eq!((report.findings.ok, report.solvable == Some(false)), (joint, !joint), "{name}");
        // What `solve` says is the same, but for the order; of choices at the same time if it is to take turns alone.
        let options = SolveOptions { in_turns: true, ..SolveOptions::default() };
        let Err(Error::Refused { refusal, findings, .. }) = session.solve(&rules, &options, &nowhere()) else {
            panic!("{name} is taken");
        };
        let mut solved = found(&findings.diagnostics);
        let errors = solved.iter().filter(|finding| finding.severity == Severity::Error);
        assert_eq!(errors.filter(|finding| finding.advice.is_some()).count(), 1, "{name}");
        if joint {
            solved.iter_mut().for_each(|finding| finding.severity = Severity::Note);
        } else {
            assert_eq!(Some(*refusal), report.refusal, "{name}");
        }
        solved.sort_by_key(|finding| (finding.line, finding.column, finding.severity));
        assert_eq!(solved, checked, "{name}");
        let places: BTreeSet<usize> = checked.iter().map(|finding| finding.line).collect();
        assert_eq!(places, lines.iter().copied().collect(), "{name}");
    }
}

fn nowhere() -> Destination {
    Destination::Nowhere("not asked for".to_owned())
}

/// The lines of an example that an error advises to add, or a note on choices at the same time.
fn advised(findings: &Findings) -> Vec<String> {
    // Play that can go on for ever has no example.
    let is_wrong = |finding: &Finding| finding.severity == Severity::Error && finding.code != "cyclic";
    let is_meant = |finding: &&Finding| is_wrong(finding) || finding.code == "not-turn-taking";
    let mut told = findings.diagnostics.iter().filter(is_meant);
    let advice = told.find_map(|finding| finding.advice.clone()).expect("advice");
    advice.split('`').skip(1).step_by(2).map(str::to_owned).filter(|line| line.starts_with('(')).collect()
}

/// The example of the advice, added to the rules, mends them.
#[test]
fn what_is_advised_mends_the_rules() {
    for (name, value) in [
        ("silent.kif", [0, 0].as_slice()),
        ("stuck.kif", &[100]),
        ("unrewarded.kif", &[100, 0]),
        ("blocked.gddl", &[0, 100]),
        ("ungained.gddl", &[100, 0]),
    ] {
        let mut text = source(name).text().to_owned();
        let session = Session::default();
        let mut rounds = 0;
        let solved = loop {
            let rules = session.load(Source::new(name, text.as_bytes()));
            match session.solve(&rules, &SolveOptions::default(), &nowhere()) {
                Ok(report) => break report,
                Err(Error::Refused { findings, .. }) => {
                    let lines: Vec<String> =
                        advised(&findings).into_iter().filter(|line| !line.contains(":goal")).collect();
                    // In GDDL they belong into the domain, in front of its gains.
                    let place = text.find("(:gain").unwrap_or(text.len());
                    text.insert_str(place, &format!("{}\n", lines.join("\n")));
                    rounds += 1;
                }
                Err(other) => panic!("{name}: {other}\n{text}"),
            }
            assert!(rounds < 3, "{name}: {text}");
        };
        assert!(rounds > 0, "{name} was right before");
        assert_eq!(solved.value, Some(Some(value.to_vec())), "{name}: {text}");
    }
}

/// Slips of other languages, and words of GDL as names of relations: the advice says what to write.
#[test]
fn advice_on_what_is_not_gdl() {
    let advice = |text: &str, code: &str| {
        let report = Session::default();
        let report = report.check(&report.load(Source::new("g.kif", text.as_bytes()))).expect("no limit");
        let found = report.findings.diagnostics.iter().filter(|finding| finding.code == code);
        found.filter_map(|finding| finding.advice.clone()).collect::<Vec<String>>().join("\n")
    };
    for (text, code, part) in [
        ("(role p) (next 1 2)", "keyword-arity", "a relation of your own needs another name"),
        ("(role p) (<= (legal p go) (next 1 ?y))", "keyword-in-body", "a relation of your own needs another name"),
        ("(role p) (<= (legal p go) (next (at 1)))", "keyword-in-body", "use that here and under `next`"),
        ("(role p) (legal p go) :- (true a)", "foreign-keyword", "`(<= head condition …)`"),
        ("(role p) (<= (legal p go) (true (n ?x)) (not (= ?x 3)))", "unknown-relation", "`(distinct ?x ?y)`"),
        (
            "(role p) (init (n 0)) (legal p inc) (<= (next (n (s ?x))) (true (n ?x))) (<= terminal (true (n 9))) (goal p 1)",
            "endless-terms",
            "`(succ 1 2)`",
        ),
    ] {
        let told = advice(text, code);
        assert!(told.contains(part), "{text}: {told}");
    }
}

/// Only a role whose turn it is may lack a fluent that its moves ask for; another one cannot wait.
#[test]
fn whose_turn_it_is_decides_what_is_advised() {
    let advice = |text: &str| {
        let session = Session::default();
        let report = session.check(&session.load(Source::new("g.kif", text.as_bytes()))).expect("no limit");
        let fault = report.findings.diagnostics.into_iter().find(|found| found.code == "no-legal-move");
        fault.and_then(|found| found.advice).expect("advice")
    };
    let text = source("lost.kif").text().to_owned();
    assert!(advice(&text).contains("it is the turn of blue there"));
    let kept = format!("{text}(<= (next (on ?p ?a)) (true (on ?p ?a)) (does ?p wait))");
    let waiting = "(<= (legal ?p wait) (role ?p) (not (true (turn ?p))) (true (on red 0)))";
    let narrow = kept.replace("(<= (legal ?p wait) (role ?p) (not (true (turn ?p))))", waiting);
    assert_ne!(narrow, kept);
    assert!(advice(&narrow).contains("let it wait where others move"));
}

/// Nobody can act where `control` holds of no role.
#[test]
fn somebody_has_to_begin() {
    let text = source("blocked.gddl").text().to_owned();
    let codes = |text: &str| {
        let source = Source::new("g.gddl", text.as_bytes());
        let (_, diagnostics) = Language::Gddl.program(&source);
        diagnostics.iter().map(|finding| finding.code).filter(|code| *code == "missing-turn").count()
    };
    assert_eq!(codes(&text), 0);
    assert_eq!(codes(&text.replace("(:init (control blue)", "(:init")), 1);
}

/// What the text alone shows.
#[test]
fn rewards_that_exclude_each_other_are_told() {
    let places = compare_checked("facts.kif");
    assert_eq!(places, ["6 (goal a 50) two-rewards", "8 (goal a 40) two-rewards"]);
}

#[test]
fn a_name_in_two_spellings_is_told() {
    let places = compare_checked("spelled.kif");
    let told = places.iter().filter(|place| place.ends_with("two-spellings")).map(String::as_str);
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            "3 (open2) two-spellings",
            "4 (stay) two-spellings",
            "4 open2 two-spellings",
            "5 stay two-spellings",
            "7 over two-spellings",
            "8 (over) two-spellings",
        ]
    );
}

#[test]
fn what_published_files_have_is_taken() {
    compare("published.gddl");
}

/// Half a game is told as that, not as a text without the names of the other half.
#[test]
fn half_a_game() {
    compare("problem.pddl");
    compare("domain.pddl");
}

#[test]
fn data_for_scripts() {
    let source =
        Source::new("g.kif", b"(role r)(legal r m)(goal r 100)(init f)(next f)\n(<= terminal (p ?x)\n(not (q ?y)))");
    let (program, diagnostics) = gdl::program(&source);
    assert!(program.is_none());
    let expected = serde_json::json!({
        "ok": false,
        "diagnostics": [
            {
                "severity": "warning", "code": "unknown-relation", "file": "g.kif",
                "line": 2, "column": 14, "end_line": 2, "end_column": 20,
                "message": "nothing defines `p`: it is always false",
            },
            {
                "severity": "note", "code": "single-variable", "file": "g.kif",
                "line": 2, "column": 17, "end_line": 2, "end_column": 19,
                "message": "variable `?x` occurs once in this rule: any value will do",
                "advice": "if one is to be the same as something else, use one name for both",
            },
            {
                "severity": "warning", "code": "unknown-relation", "file": "g.kif",
                "line": 3, "column": 6, "end_line": 3, "end_column": 12,
                "message": "nothing defines `q`: it is always false, its negation always true",
            },
            {
                "severity": "error", "code": "unsafe-variable", "file": "g.kif",
                "line": 3, "column": 9, "end_line": 3, "end_column": 11,
                "message": "variable `?y` in `not` has no value",
                "advice": "use it in a condition that is not negated, in every member of an `or`; or negate a relation \
                           without it, which a rule of its own defines",
            },
        ],
    });
    assert_eq!(serde_json::to_value(Findings::new(&source, &diagnostics)).unwrap(), expected);
}

/// The codes of the sources are those of the pages in `grammar/`.
#[test]
fn every_code_is_documented() {
    assert_documented(
        "gdl-diagnostics.md",
        &["game/diagnostic", "game/syntax", "game/rules", "game/ground", "api/inspect"],
        "game/rules/gddl",
    );
    assert_documented("gddl.md", &["game/rules/gddl"], "nothing");
}

/// The codes in some folders, but for one in them, are those in the tables of a page.
fn assert_documented(page: &str, folders: &[&str], without: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("grammar").join(page)).expect("the page can be read");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let documented: BTreeSet<&str> =
        rows.filter_map(|row| row.split('|').nth(1)).flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    let mut sources = String::new();
    let mut folders: Vec<_> = folders.iter().map(|folder| root.join("src").join(folder)).collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the sources can be read") {
            let path = entry.expect("an entry").path();
            if path == root.join("src").join(without) || path.ends_with("tests.rs") {
                continue;
            } else if path.is_dir() {
                folders.push(path);
            } else {
                let text = std::fs::read_to_string(path).expect("a source can be read");
                sources.push_str(text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default());
            }
        }
    }
    // A code is a quoted word with hyphens where a finding is made.
    let quoted = sources.split('"');
    let is_word = |text: &str| ["in-package", "scale-down", "scale-up", "total-time"].contains(&text);
    let is_code = |text: &&str| {
        !is_word(text)
            && text.contains('-')
            && text.bytes().any(|b| b.is_ascii_lowercase())
            && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
    };
    let made: BTreeSet<&str> = quoted.filter(is_code).collect();
    let undocumented: Vec<_> = made.difference(&documented).collect();
    assert!(undocumented.is_empty(), "not on the page: {undocumented:?}");
    let unmade: Vec<_> = documented.iter().filter(|code| !sources.contains(&format!("\"{code}\""))).collect();
    assert!(unmade.is_empty(), "only on the page: {unmade:?}");
}

/// Slips of those who know other languages, each with its place and what to write.
#[test]
fn forms_of_other_languages_are_told_by_what_to_write() {
    let rules = "(init (at 0))\n(<= (legal a go) (true (at 0)))\n(<= terminal (true (at 0)))";
    let session = Session::default();
    for (text, line, advice) in [
        (format!("(\n(role a)\n{rules}\n)"), 1, "surround all rules, remove both"),
        ("((role a) (goal a 0))".to_owned(), 1, "remove a parenthesis"),
        (format!("(role a)\n((goal a 0)\n{rules}"), 2, "add the missing `)`; the expression"),
        (format!("(role a)\n(=> (true (at 0)) terminal)\n{rules}"), 2, "rules are written `(<= head condition …)`"),
        (format!("(role a)\n{rules}\n(<= (goal a 0) (-> x y))"), 5, "rules are written `(<= head condition …)`"),
    ] {
        let report = session.check(&session.load(Source::new("a.kif", text.as_bytes()))).expect("no limit");
        let found = report.findings.diagnostics.iter().find(|found| found.severity == Severity::Error);
        let found = found.unwrap_or_else(|| panic!("{text}"));
        let told = found.advice.as_deref().unwrap_or_default();
        assert!(found.line == line && told.contains(advice), "{text}: {found:?}");
    }
}

/// A move of waiting that other rules ask for is what is advised, not another name for it.
#[test]
fn the_move_that_rules_wait_by_is_advised() {
    let text = "(role cat) (role mouse) (init (turn cat)) (init (at 0)) (step 0 1) (step 1 2) (step 2 3)
        (<= (legal ?r (go ?y)) (true (turn ?r)) (true (at ?x)) (step ?x ?y))
        (<= (next (at ?y)) (does ?r (go ?y)))
        (<= (next (turn ?r)) (does ?r noop))
        (<= terminal (true (at 3))) (<= (goal cat 100) (true (at 3))) (<= (goal mouse 0) (true (at 3)))";
    let session = Session::default();
    let report = session.check(&session.load(Source::new("cat.kif", text.as_bytes()))).expect("no limit");
    let lines = advised(&report.findings);
    assert!(!lines.is_empty() && lines.iter().all(|line| line.contains(" noop)")), "{lines:?}");
}

/// Where fluents say whose turn it is, these decide who waits, also if the rules ask for them nowhere or never come to the
/// turn of the second role.
#[test]
fn turns_that_rules_keep_are_those_of_the_advice() {
    let game = |condition: &str| {
        format!(
            "(role cat) (role mouse) (init (turn cat)) (init (at cat 0)) (init (at mouse 1)) (next_to 0 1) (next_to 1 2)
             (next_to 2 3) (next_to 3 0) (next_to 1 0) (next_to 0 3)
             (<= (legal ?r (go ?y)) {condition} (true (at ?r ?x)) (next_to ?x ?y))
             (<= (next (at ?r ?y)) (does ?r (go ?y)))
             (<= (next (at ?r ?x)) (true (at ?r ?x)) (does ?r noop))
             (<= (next (turn mouse)) (true (turn cat))) (<= (next (turn cat)) (true (turn mouse)))
             (<= terminal (true (at cat ?x)) (true (at mouse ?x)))
             (<= (goal cat 100) terminal) (<= (goal mouse 0) terminal)"
        )
    };
    let session = Session::default();
    let check = |text: &str| session.check(&session.load(Source::new("cat.kif", text.as_bytes()))).expect("no limit");
    let expected = ["(<= (legal cat noop) (true (turn mouse)))", "(<= (legal mouse noop) (true (turn cat)))"];
    for condition in ["(true (turn ?r))", "(role ?r)"] {
        let report = check(&game(condition));
        let lines: Vec<String> = advised(&report.findings).into_iter().filter(|line| line.starts_with("(<=")).collect();
        assert_eq!(lines, expected, "{condition}");
        let mended = check(&format!("{} {}", game("(true (turn ?r))"), lines.join(" ")));
        assert!(mended.findings.errors().diagnostics.is_empty(), "{}", mended.findings);
    }
}
