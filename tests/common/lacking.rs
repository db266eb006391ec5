//! What a machine lacks for some tests: said where it is missed, listed at the end of `.ci/run`, and an error where
//! `GGSOLVE_REQUIRE` asks for it.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

/// The file in the target folder's `tmp` to which every lack is appended, one a line.
const LIST: &str = "lacking";

/// To be called by a test that cannot run. `what`: one word; `remedy`: how to get it.
///
/// # Panics
/// If `GGSOLVE_REQUIRE` is `all`, or names it in a list with commas.
pub fn lacking(what: &str, remedy: &str) {
    let required = std::env::var("GGSOLVE_REQUIRE").unwrap_or_default();
    assert!(!is_required(what, &required), "{what} is lacking, and GGSOLVE_REQUIRE={required}: {remedy}");
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let line = format!("{what}: not run: {test} ({remedy})\n");
    // Written past the harness, which shows what is printed by tests that fail only.
    let _shown = std::io::stderr().write_all(line.as_bytes());
    if let Some(folder) = option_env!("CARGO_TARGET_TMPDIR") {
        let list = OpenOptions::new().create(true).append(true).open(Path::new(folder).join(LIST));
        let listed = list.and_then(|mut list| list.write_all(line.as_bytes()));
        listed.unwrap_or_else(|error| panic!("{folder}/{LIST}: what is lacking cannot be listed: {error}"));
    }
}

/// Whether a value of `GGSOLVE_REQUIRE` asks for something.
pub fn is_required(what: &str, required: &str) -> bool {
    required.split(',').any(|name| name == "all" || name == what)
}

#[test]
fn all_or_some_may_be_required() {
    let required = |required: &str| ["corpus", "browser"].map(|what| is_required(what, required));
    assert_eq!([required(""), required("all"), required("mpi,browser")], [[false; 2], [true; 2], [false, true]]);
}
