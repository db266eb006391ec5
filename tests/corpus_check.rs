//! Every public rulesheet is read and checked.

mod common;

use ggsolve::diagnostic::{Source, render_text};
use ggsolve::rules::gdl;

#[test]
fn every_public_rulesheet_is_accepted() {
    let Some(folder) = common::corpus() else { return };
    let mut refused = Vec::new();
    for file in common::rulesheets(&folder) {
        let bytes = std::fs::read(&file).expect("a rulesheet can be read");
        let source = Source::new(file.file_name().unwrap_or_default().to_string_lossy(), &bytes);
        let (program, diagnostics) = gdl::program(&source);
        if std::env::var_os("GGSOLVE_SHOW").is_some() {
            println!("{}", render_text(&source, &diagnostics));
        }
        match program {
            Some(program) => assert!(!program.rules.is_empty(), "{}", source.name()),
            None => refused.push(format!("{}\n{}", source.stem(), render_text(&source, &diagnostics))),
        }
    }
    assert!(refused.is_empty(), "{} refused:\n{}", refused.len(), refused.join("\n"));
}
