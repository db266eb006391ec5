//! The languages of rules, and their recognition.

use super::sentence::Rulesheet;
use super::{Program, gddl, gdl};
use crate::diagnostic::{Diagnostic, Source, has_errors};
use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// The Game Description Language in KIF syntax.
    Gdl,
    /// The game dialect of PDDL.
    Gddl,
}

impl Language {
    /// The language of a file: by its extension, otherwise by its text, which in GDDL starts with `(define`.
    pub fn of(path: &Path, text: &str) -> Self {
        match path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("gddl" | "pddl") => Language::Gddl,
            Some("gdl" | "kif") => Language::Gdl,
            _ => {
                let code = text.split(['\n', '\r']).map(|line| line.split(';').next().unwrap_or(""));
                let code = code.collect::<Vec<_>>().join("\n");
                let inner = code.trim_start().strip_prefix('(').unwrap_or("").trim_start();
                let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')');
                let word = inner.split(ends).next().unwrap_or("");
                if word.eq_ignore_ascii_case("define") { Language::Gddl } else { Language::Gdl }
            }
        }
    }

    /// The name in stored solutions.
    pub fn name(self) -> &'static str {
        match self {
            Language::Gdl => "gdl",
            Language::Gddl => "gddl",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        [Language::Gdl, Language::Gddl].into_iter().find(|language| language.name() == name)
    }

    /// The sentences of a text, for the identity of the game; `None` if the text has errors.
    pub fn rulesheet(self, source: &Source) -> Option<Rulesheet> {
        let mut findings = Vec::new();
        let sheet = match self {
            Language::Gdl => Some(gdl::rulesheet(source, &mut findings)),
            Language::Gddl => gddl::rulesheet(source, &mut findings),
        };
        sheet.filter(|_| !has_errors(&findings))
    }

    /// The program of a text, and all findings. There is a program if and only if no finding is an error.
    pub fn program(self, source: &Source) -> (Option<Program>, Vec<Diagnostic>) {
        if let Some(finding) = no_text(source) {
            return (None, vec![finding]);
        }
        match self {
            Language::Gdl => gdl::program(source),
            Language::Gddl => gddl::program(source),
        }
    }
}

pub(super) fn no_text(source: &Source) -> Option<Diagnostic> {
    let (span, content) = source.foreign()?;
    let finding = Diagnostic::error("no-text", span, format!("no rules can be read here: {content}"));
    Some(finding.with_advice(content.advice()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides_and_then_the_content() {
        assert_eq!(Language::of(Path::new("a.gddl"), "(role x)"), Language::Gddl);
        assert_eq!(Language::of(Path::new("a.kif"), "(define"), Language::Gdl);
        for (text, gddl) in [
            ("; c\n ( define (domain x))", true),
            ("(DEFINE(domain", true),
            ("(role x)", false),
            ("(defined a)", false),
            ("", false),
        ] {
            let expected = if gddl { Language::Gddl } else { Language::Gdl };
            assert_eq!(Language::of(Path::new("-"), text), expected, "{text}");
        }
    }
}
