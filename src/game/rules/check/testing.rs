//! Short forms of findings, for the tests of checks.

use crate::diagnostic::{Diagnostic, Severity, Source};
use crate::rules::gdl;

/// Completes a text under test to a smallest game.
pub const REST: &str = "(role r)(init f)(<= (next f) (true f))(legal r m)(goal r 100)(<= terminal (true f))";

/// The findings on a text with [`REST`] after it, as `line:column code`.
pub fn findings(text: &str) -> Vec<String> {
    all_findings(&format!("{text}\n{REST}"))
}

/// The findings on a text alone, as `line:column code`.
pub fn all_findings(text: &str) -> Vec<String> {
    let source = Source::new("test", text.as_bytes());
    told(&source)
        .map(|diagnostic| {
            let place = source.position(diagnostic.span.start);
            format!("{}:{} {}", place.line, place.column, diagnostic.code)
        })
        .collect()
}

pub fn messages(text: &str) -> Vec<String> {
    let source = Source::new("test", format!("{text}\n{REST}").as_bytes());
    told(&source).map(|diagnostic| diagnostic.message).collect()
}

fn told(source: &Source) -> impl Iterator<Item = Diagnostic> {
    gdl::program(source).1.into_iter().filter(|finding| finding.severity != Severity::Note)
}
