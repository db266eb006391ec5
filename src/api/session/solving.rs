//! A run with its session, options and record, and the game that it solves.

use super::{Error, Rules, Session};
use game::diagnostic::{Findings, Source};
use game::ground::Grounding;
use game::rules::Language;
use solving::solve::{SolveOptions, Stage};
use solving::store;

pub(super) struct Solving<'a> {
    pub(super) session: &'a Session,
    pub(super) options: &'a SolveOptions,
    pub(super) record: store::Run,
}

impl Solving<'_> {
    /// The game of the text in a stored solution, which may differ from the given text of the same game. Findings are
    /// about the given text. `told`: findings that were already reported.
    pub(super) fn stored_game(
        &self,
        rules: &Rules,
        game: &str,
        language: &str,
        text: &[u8],
        told: Option<Findings>,
    ) -> Result<(Grounding, Findings), Error> {
        if text == rules.stored_text().text().as_bytes() {
            return self.grounded(rules, told);
        }
        let source = Source::new(format!("{game}.{language}"), text);
        let language = Language::named(language).unwrap_or(rules.language);
        let findings = told.map_or_else(|| self.session.inspected(rules), Ok)?;
        let (program, diagnostics) = language.program(&source);
        let first = Rules { source, language, gdl: None, program, diagnostics, seconds: 0.0 };
        self.grounded(&first, Some(findings))
    }

    pub(super) fn grounded(&self, rules: &Rules, told: Option<Findings>) -> Result<(Grounding, Findings), Error> {
        let (grounding, seconds, findings) = self.session.grounding(rules, told)?;
        self.record.add(Stage::Ground.name(), seconds);
        Ok((grounding, findings))
    }
}
