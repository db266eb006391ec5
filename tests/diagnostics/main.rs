//! What the user sees: the findings of small texts, word for word.
//!
//! `GGSOLVE_ACCEPT=1 cargo test --test diagnostics` writes the expected texts anew; look at the difference.

use ggsolve::diagnostic::{Source, render_json, render_text};
use ggsolve::rules::{Language, gdl};
use std::collections::BTreeSet;
use std::path::Path;

/// Compares the findings of a file in this folder with the text beside it.
fn compare(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let bytes = std::fs::read(folder.join(name)).expect("the text can be read");
    let source = Source::new(name, &bytes);
    let (_, diagnostics) = Language::of(Path::new(name), source.text()).program(&source);
    let shown = render_text(&source, &diagnostics);
    let expected = folder.join(format!("{name}.txt"));
    if std::env::var_os("GGSOLVE_ACCEPT").is_some() {
        std::fs::write(&expected, &shown).expect("the expected text can be written");
    }
    let expected = std::fs::read_to_string(expected).expect("the expected text can be read");
    assert!(shown == expected, "{name} now gives:\n{shown}");
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
                "severity": "warning", "code": "unknown-relation", "file": "g.kif",
                "line": 3, "column": 6, "end_line": 3, "end_column": 12,
                "message": "nothing defines `q`: it is always false, its negation always true",
            },
            {
                "severity": "error", "code": "unsafe-variable", "file": "g.kif",
                "line": 3, "column": 9, "end_line": 3, "end_column": 11,
                "message": "variable `?y` in `not` has no value",
                "advice": "use it in a condition that is not negated, in every member of an `or`",
            },
        ],
    });
    assert_eq!(render_json(&source, &diagnostics), expected);
}

/// The codes of the sources are those of the pages in `grammar/`.
#[test]
fn every_code_is_documented() {
    assert_documented("gdl-diagnostics.md", &["diagnostic", "syntax", "rules"], "rules/gddl");
    assert_documented("gddl.md", &["rules/gddl"], "nothing");
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
            if path == root.join("src").join(without) {
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
            && *text != "-"
            && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
    };
    let made: BTreeSet<&str> = quoted.filter(is_code).collect();
    let undocumented: Vec<_> = made.difference(&documented).collect();
    assert!(undocumented.is_empty(), "not on the page: {undocumented:?}");
    let unmade: Vec<_> = documented.iter().filter(|code| !sources.contains(&format!("\"{code}\""))).collect();
    assert!(unmade.is_empty(), "only on the page: {unmade:?}");
}
