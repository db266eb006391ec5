//! Rules that were read, whether they are right or not.

use super::Error;
use crate::diagnostic::{Diagnostic, Findings, Source, finish};
use crate::rules::{Language, Program};
use std::io::Read;
use std::path::Path;

/// No rulesheet is as long as this; positions in the text are 32-bit numbers.
const LONGEST: u64 = 1 << 30;

/// A text and what was made of it.
#[derive(Debug, Clone)]
pub struct Rules {
    pub(super) source: Source,
    pub(super) language: Language,
    /// The rules in GDL, where `source` is in a notation of the caller's own.
    pub(super) gdl: Option<Source>,
    /// `None`: there are errors among the diagnostics.
    pub(super) program: Option<Program>,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// What reading took.
    pub(super) seconds: f64,
}

impl Rules {
    /// The text.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The language of [`Rules::stored_text`].
    pub fn language(&self) -> Language {
        self.language
    }

    /// What a stored solution keeps of the rules: the text or, where that is in a notation of the caller's own, the
    /// sentences of GDL that it stands for.
    pub fn stored_text(&self) -> &Source {
        self.gdl.as_ref().unwrap_or(&self.source)
    }

    /// What there is to say about the text alone; [`super::Session::check`] finds out more.
    pub fn findings(&self) -> Findings {
        Findings::new(&self.source, &self.diagnostics)
    }

    /// The program of the rules; an error where the text has some.
    pub fn program(&self) -> Result<&Program, Error> {
        self.program.as_ref().ok_or_else(|| Error::Rules(self.findings()))
    }

    /// All findings: those on the text, and some more.
    pub(super) fn all_findings(&self, more: Vec<Diagnostic>) -> Findings {
        Findings::new(&self.source, &finish(self.diagnostics.iter().cloned().chain(more).collect()))
    }
}

/// The bytes of an input. `what` they are, such as "the rules"; what is longer than any rulesheet is refused.
pub fn read_bounded(input: impl Read, name: &Path, what: &'static str) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    match input.take(LONGEST + 1).read_to_end(&mut bytes) {
        Err(error) => Err(Error::file(name, what, &error)),
        Ok(length) if length as u64 > LONGEST => Err(Error::TooLong(name.to_owned())),
        Ok(_) => Ok(bytes),
    }
}
