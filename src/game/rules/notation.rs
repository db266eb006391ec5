//! Rule languages that a program adds to GDL and GDDL without a change to this crate.
//!
//! A [`Notation`] translates a text to sentences of GDL, and gives the part of the text from which each sentence comes.
//! The sentences are read, checked and lowered like any GDL. A finding about a sentence is reported at its part of the
//! text. Stored solutions keep the sentences, so any program that reads GDL can open them. Cost: that of reading the
//! sentences.

use super::language::no_text;
use super::{Language, Literal, Program};
use crate::diagnostic::{Diagnostic, Source, Span, finish, has_errors};

/// A notation for rules, to be implemented by a program. `Session::load_with` does the rest.
pub trait Notation {
    /// Adds to `transcript` a sentence of GDL for each fact and rule that the text stands for, and a finding for each
    /// mistake in it. The sentences are used only if no finding is an error.
    fn transcribe(&self, source: &Source, transcript: &mut Transcript);
}

/// The sentences of GDL that a text stands for, and the findings on the text.
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    /// The sentences, each followed by a line break.
    text: String,
    /// The start of each sentence in `text`, and the part of the other notation from which it comes.
    places: Vec<(usize, Span)>,
    findings: Vec<Diagnostic>,
}

impl Transcript {
    /// Adds a fact or a rule in GDL, such as `(<= (legal ?r noop) (role ?r))`, from the part `place` of the text. Names
    /// from the text must be names of GDL, too: without parentheses, spaces, `;` and a leading `?`.
    pub fn sentence(&mut self, place: Span, gdl: impl AsRef<str>) {
        self.places.push((self.text.len(), place));
        self.text.push_str(gdl.as_ref());
        self.text.push('\n');
    }

    /// Adds a finding. Its place is in the text of the other notation.
    pub fn finding(&mut self, finding: Diagnostic) {
        self.findings.push(finding);
    }

    /// The part of the other notation from which a place in `text` comes.
    fn origin(&self, place: Span) -> Span {
        let after = self.places.partition_point(|&(start, _)| start <= place.start as usize);
        after.checked_sub(1).map_or(Span::default(), |at| self.places[at].1)
    }
}

#[derive(Debug, Clone)]
pub struct Transcribed {
    /// The program, if no finding is an error. Its places are those of the text.
    pub program: Option<Program>,
    pub diagnostics: Vec<Diagnostic>,
    pub gdl: Source,
}

pub fn transcribed(source: &Source, notation: &dyn Notation) -> Transcribed {
    let mut transcript = Transcript::default();
    match no_text(source) {
        Some(finding) => transcript.finding(finding),
        None => notation.transcribe(source, &mut transcript),
    }
    if has_errors(&transcript.findings) {
        let gdl = Source::new(source.name(), &[]);
        return Transcribed { program: None, diagnostics: finish(transcript.findings), gdl };
    }
    let gdl = Source::new(source.name(), transcript.text.as_bytes());
    let (mut program, diagnostics) = Language::Gdl.program(&gdl);
    if let Some(program) = &mut program {
        each_place(program, &mut |place| *place = transcript.origin(*place));
    }
    let moved = diagnostics.into_iter().map(|found| Diagnostic { span: transcript.origin(found.span), ..found });
    let diagnostics = finish(transcript.findings.iter().cloned().chain(moved).collect());
    Transcribed { program, diagnostics, gdl }
}

fn each_place(program: &mut Program, change: &mut dyn FnMut(&mut Span)) {
    for rule in &mut program.rules {
        change(&mut rule.span);
        change(&mut rule.head.span);
        for literal in &mut rule.body {
            match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => change(&mut atom.span),
                Literal::Distinct(_, _, span) => change(span),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A notation with a sentence of GDL on every line, after a word that does not belong to it.
    struct Marked;

    impl Notation for Marked {
        fn transcribe(&self, source: &Source, transcript: &mut Transcript) {
            for (place, line) in source.lines() {
                match line.split_once(": ") {
                    Some((_, gdl)) => transcript.sentence(place, gdl),
                    None => transcript.finding(Diagnostic::error("no-mark", place, "a line without a mark")),
                }
            }
        }
    }

    fn read(text: &str) -> (Transcribed, Vec<(&'static str, usize)>) {
        let source = Source::new("folder/game.marked", text.as_bytes());
        let read = transcribed(&source, &Marked);
        let found = read.diagnostics.iter().map(|found| (found.code, source.position(found.span.start).line));
        let found = found.collect();
        (read, found)
    }

    #[test]
    fn mistakes_are_told_at_their_place_in_the_text() {
        assert_eq!(read("a: (role x)\nmarkless\n(init (p))").1, [("no-mark", 2), ("no-mark", 3)]);
        let (read, found) = read("a: (role x)\n\u{e9}: (<= (legal x ?m) (not (p ?m)))\nb: )");
        assert!(read.program.is_none());
        assert!(found.contains(&("unsafe-variable", 2)) && found.contains(&("unmatched-parenthesis", 3)), "{found:?}");
    }

    #[test]
    fn programs_have_the_places_of_the_text() {
        let text = "start: (role x)\nmove: (legal x go)\nend: (<= terminal (true done))\nend: (<= (next done) (does x go))\n\
                    end: (goal x 100)";
        let (read, found) = read(text);
        let program = read.program.unwrap_or_else(|| panic!("{found:?}"));
        assert_eq!((program.name.as_str(), read.gdl.text().lines().count()), ("game", 5));
        let source = Source::new("", text.as_bytes());
        let places: Vec<&str> = program.rules.iter().map(|rule| source.slice(rule.span)).collect();
        assert_eq!(places, text.lines().collect::<Vec<_>>());
        let conditions: Vec<&str> = program
            .rules
            .iter()
            .flat_map(|rule| &rule.body)
            .map(|literal| match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => source.slice(atom.span),
                Literal::Distinct(_, _, span) => source.slice(*span),
            })
            .collect();
        assert_eq!(conditions, [places[2], places[3]]);
    }

    #[test]
    fn what_is_no_text_is_not_transcribed() {
        let read = transcribed(&Source::new("game", b"\x1f\x8b\x08\x00"), &Marked);
        assert_eq!(read.diagnostics.iter().map(|found| found.code).collect::<Vec<_>>(), ["no-text"]);
    }
}
