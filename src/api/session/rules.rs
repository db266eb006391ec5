//! Rules as read, valid or not.

use super::Error;
use crate::inspect::explain::{Subject, explained};
use base::limits::{LimitReached, Limits};
use game::diagnostic::{Diagnostic, Findings, Source, finish};
use game::ground::Grounding;
use game::refusal::Refusal;
use game::rules::{Language, Program};
use solving::store;
use std::io::Read;
use std::path::Path;

/// Bound on the bytes of a text: positions in it are 32-bit numbers.
const LONGEST: u64 = 1 << 30;

/// A text and the rules in it, valid or not.
#[derive(Debug, Clone)]
pub struct Rules {
    pub(super) source: Source,
    pub(super) language: Language,
    /// The sentences in GDL, if `source` is in a notation of the caller.
    pub(super) gdl: Option<Source>,
    /// `None` if there are errors.
    pub(super) program: Option<Program>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) seconds: f64,
}

impl Rules {
    /// The text of the rules.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The language of [`Rules::stored_text`].
    pub fn language(&self) -> Language {
        self.language
    }

    /// The text that stored solutions keep: this one or, for a notation of the caller, its sentences in GDL.
    pub fn stored_text(&self) -> &Source {
        self.gdl.as_ref().unwrap_or(&self.source)
    }

    pub(super) fn sha256(&self) -> String {
        store::hex(&store::checksum(self.stored_text().text().as_bytes()))
    }

    /// The findings on the text alone. [`super::Session::check`] adds those of grounding and play.
    pub fn findings(&self) -> Findings {
        Findings::new(&self.source, &self.diagnostics)
    }

    /// The program; an error if the text has errors.
    pub fn program(&self) -> Result<&Program, Error> {
        self.program.as_ref().ok_or_else(|| Error::Rules(self.findings()))
    }

    /// Adds the findings that explain a refusal of the game.
    pub(super) fn with_reasons(
        &self,
        grounding: &Grounding,
        refusal: Option<&Refusal>,
        findings: Findings,
        limits: &Limits,
    ) -> Result<Findings, LimitReached> {
        let Some(refusal) = refusal else { return Ok(findings) };
        Ok(findings.and(&self.source, &self.explained(grounding, refusal, limits)?))
    }

    pub(super) fn explained(
        &self,
        grounding: &Grounding,
        refusal: &Refusal,
        limits: &Limits,
    ) -> Result<Vec<Diagnostic>, LimitReached> {
        let Some(program) = &self.program else { return Ok(Vec::new()) };
        let language = self.gdl.is_none().then_some(self.language);
        explained(&Subject { program, source: &self.source, language, grounding }, refusal, limits)
    }

    pub(super) fn all_findings(&self, more: Vec<Diagnostic>) -> Findings {
        Findings::new(&self.source, &finish(self.diagnostics.iter().cloned().chain(more).collect()))
    }
}

/// Reads all bytes of rules; an error if there are too many. `what`: their role in errors, such as "the rules".
pub fn read_bounded(input: impl Read, name: &Path, what: &'static str) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    match input.take(LONGEST + 1).read_to_end(&mut bytes) {
        Err(error) => Err(Error::file(name, what, &error)),
        Ok(length) if length as u64 > LONGEST => Err(Error::TooLong(name.to_owned())),
        Ok(_) => Ok(bytes),
    }
}
