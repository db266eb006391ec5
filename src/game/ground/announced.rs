//! Checks whether `base` and `input` list all fluents and moves of the game.

use super::assemble::Assembler;
use crate::diagnostic::Diagnostic;
use crate::propositional::{Game, GroundTerm};
use crate::rules::Predicate;

const LISTED: usize = 5;

impl Assembler<'_> {
    /// Warnings if `base` or `input` exist and lack a possible fluent or move; none if their evaluation ended early.
    pub fn unannounced(&self, game: &Game) -> Vec<Diagnostic> {
        let store = &self.evaluation.store;
        if !self.evaluation.complete {
            return Vec::new();
        }
        let announced = |predicate, row: &[&GroundTerm]| {
            let row: Option<Vec<_>> = row.iter().map(|term| store.terms.lookup(term, self.symbols)).collect();
            let atom = row.and_then(|row| store.atoms.find(self.id(predicate)?, &row));
            atom.is_some_and(|atom| store.atoms.is_derived(atom))
        };
        let fluents = game.fluents.iter().filter(|fluent| !announced(Predicate::Base, &[fluent]));
        let moves = game.moves.iter().filter(|m| !announced(Predicate::Input, &[&game.roles[m.role.index()], &m.term]));
        let found = [
            (Predicate::Base, "not-in-base", ["fluent", "may hold"], fluents.collect::<Vec<_>>()),
            (Predicate::Input, "not-in-input", ["move", "may be legal"], moves.map(|m| &m.term).collect()),
        ];
        let warning = |(predicate, code, [what, may], missing): (Predicate, _, [&str; 2], Vec<&GroundTerm>)| {
            let id = self.program.find_predicate(predicate);
            let rule = self.program.rules.iter().find(|rule| Some(rule.head.predicate) == id)?;
            let names: Vec<String> = missing.iter().take(LISTED).map(|term| term.to_string()).collect();
            let more = if missing.len() > LISTED { ", …" } else { "" };
            let (keyword, plural) = (predicate.name(self.symbols), if missing.len() == 1 { "" } else { "s" });
            let (number, names) = (missing.len(), names.join(", "));
            let message = format!("{number} {what}{plural} {may}, but `{keyword}` does not list: {names}{more}");
            (!missing.is_empty()).then(|| Diagnostic::warning(code, rule.span, message))
        };
        found.into_iter().filter_map(warning).collect()
    }
}
