//! Finds conditions that can never hold because no head produces such a fluent or move, or because they are an `or` of
//! nothing; and fluents that vanish with the first move because no rule for `next` produces them.

use super::spelling::meant;
use crate::diagnostic::{Diagnostic, quote};
use crate::rules::sentence::{Atom, Formula, Rulesheet, Term};
use crate::rules::{CHANCE, Predicate, Symbol};
use crate::syntax::Span;
use indexmap::{IndexMap, IndexSet};

const MOST_SEARCHES: usize = 100;

/// Each name with its number of arguments is reported once.
pub fn check(sheet: &Rulesheet, diagnostics: &mut Vec<Diagnostic>) {
    let init_or_next = [Predicate::Init, Predicate::Next];
    compare(sheet, Predicate::True, &init_or_next, "unknown-fluent", "fluent", diagnostics);
    compare(sheet, Predicate::Does, &[Predicate::Legal], "unknown-move", "move", diagnostics);
    vanishing(sheet, diagnostics);
    sheet.sentences.iter().flat_map(|sentence| &sentence.body).for_each(|part| of_nothing(part, true, diagnostics));
}

/// Warns of an `or` of no conditions, and of a negated `and` of none: neither ever holds. `positive`: whether the
/// condition is inside an even number of `not`.
fn of_nothing(condition: &Formula, positive: bool, diagnostics: &mut Vec<Diagnostic>) {
    let mut warn = |message, span: Span| {
        let advice = "no rule applies by this part: are its conditions missing?";
        diagnostics.push(Diagnostic::warning("never-holds", span, message).with_advice(advice));
    };
    match condition {
        Formula::Or(parts, span) if parts.is_empty() && positive => {
            warn("an `or` of no conditions never holds", *span);
        }
        Formula::And(parts, span) if parts.is_empty() && !positive => {
            warn("an `and` of no conditions always holds, so that its `not` never does", *span);
        }
        Formula::Not(inner, _) => of_nothing(inner, !positive, diagnostics),
        Formula::And(parts, _) | Formula::Or(parts, _) => {
            parts.iter().for_each(|part| of_nothing(part, positive, diagnostics));
        }
        Formula::Atom(_) | Formula::Distinct(..) => {}
    }
}

/// Warns of fluents that hold initially and that no rule for `next` produces, if some condition wants them to hold.
fn vanishing(sheet: &Rulesheet, diagnostics: &mut Vec<Diagnostic>) {
    let heads =
        |wanted| sheet.sentences.iter().map(|sentence| &sentence.head).filter(move |head| head.predicate == wanted);
    let Some(kept) = heads(Predicate::Next).map(shape).collect::<Option<IndexSet<_>>>() else { return };
    if kept.is_empty() {
        return;
    }
    let (mut asked, mut conditions) = (IndexSet::new(), Vec::new());
    for sentence in &sheet.sentences {
        sentence.each_condition(&mut |atom, positive| {
            // That a fluent is gone may be what a rule waits for.
            if positive && atom.predicate == Predicate::True {
                asked.extend(shape(atom));
                conditions.push(atom);
            }
        });
    }
    Turns::of(sheet, conditions).warn(diagnostics);
    let mut reported = IndexSet::new();
    for head in heads(Predicate::Init) {
        let Some(shape) = shape(head).filter(|shape| !kept.contains(shape) && asked.contains(shape)) else { continue };
        if reported.insert(shape) {
            let name = sheet.symbols.name(shape.0);
            let message = format!("fluent {} holds at first, and never after a move", quote(name));
            let term = if shape.1 == 0 { name.to_owned() } else { format!("({name} …)") };
            let advice = format!("nothing stays by itself: `(<= (next {term}) (true {term}) …)` keeps it");
            diagnostics.push(Diagnostic::warning("fluent-vanishes", head.span, message).with_advice(advice));
        }
    }
}

/// The fluents that tell of players, such as whose turn it is.
struct Turns<'s> {
    sheet: &'s Rulesheet,
    players: IndexSet<Symbol>,
    /// By name and number of arguments: the fluents of rules for `next`, and those of conditions that ask whether they
    /// hold.
    next: IndexMap<(Symbol, usize), Vec<&'s Term>>,
    asked: IndexMap<(Symbol, usize), Vec<&'s Term>>,
}

impl<'s> Turns<'s> {
    /// `asked`: the conditions that want a fluent to hold.
    fn of(sheet: &'s Rulesheet, asked: Vec<&'s Atom>) -> Turns<'s> {
        let heads = |wanted| sheet.sentences.iter().map(|one| &one.head).filter(move |head| head.predicate == wanted);
        let players = heads(Predicate::Role).filter_map(|head| match head.arguments.first() {
            // Chance often moves once, as a dealer.
            Some(Term::Constant(name, _)) if !sheet.symbols.name(*name).eq_ignore_ascii_case(CHANCE) => Some(*name),
            _ => None,
        });
        let by_shape = |atoms: Vec<&'s Atom>| {
            let mut all = IndexMap::<_, Vec<&Term>>::new();
            for atom in atoms {
                if let (Some(shape), Some(fluent)) = (shape(atom), atom.arguments.last()) {
                    all.entry(shape).or_default().push(fluent);
                }
            }
            all
        };
        let (next, asked) = (by_shape(heads(Predicate::Next).collect()), by_shape(asked));
        Turns { sheet, players: players.collect(), next, asked }
    }

    /// Warns of initial fluents that tell of a player, that some condition asks for, and that rules for `next` make of
    /// other players only. One fluent of each name and player is looked at.
    fn warn(&self, diagnostics: &mut Vec<Diagnostic>) {
        let mut seen = IndexSet::new();
        for sentence in self.sheet.sentences.iter().filter(|sentence| sentence.head.predicate == Predicate::Init) {
            let (Some(shape), Some(fluent)) = (shape(&sentence.head), sentence.head.arguments.last()) else { continue };
            let Term::Function(name, arguments, span) = fluent else { continue };
            let places = arguments.iter().enumerate().filter_map(|(place, argument)| match argument {
                Term::Constant(player, _) if self.players.contains(player) => Some((place, *player)),
                _ => None,
            });
            let [next, asked] = [&self.next, &self.asked].map(|all| all.get(&shape).map_or(&[][..], Vec::as_slice));
            for (place, player) in places {
                if seen.len() == MOST_SEARCHES || !seen.insert((shape, place, player)) {
                    continue;
                }
                let occurs = |among: &[&Term], fluent: &Term| among.iter().any(|other| other.may_equal(fluent));
                let of_other = self.players.iter().filter(|other| **other != player).any(|&other| {
                    let mut arguments = arguments.clone();
                    arguments[place] = Term::Constant(other, *span);
                    occurs(next, &Term::Function(*name, arguments, *span))
                });
                if of_other && occurs(asked, fluent) && !occurs(next, fluent) {
                    let player = quote(self.sheet.symbols.name(player));
                    let name = quote(self.sheet.symbols.name(*name));
                    let message = format!("fluent {name} of {player} holds at first, and never after a move");
                    let advice = format!("is a rule for `next` missing that makes it true of {player} again?");
                    let finding = Diagnostic::warning("fluent-vanishes", sentence.head.span, message);
                    diagnostics.push(finding.with_advice(advice));
                }
            }
        }
    }
}

fn compare(
    sheet: &Rulesheet,
    asked: Predicate,
    made: &[Predicate],
    code: &'static str,
    what: &str,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let heads = sheet.sentences.iter().map(|sentence| &sentence.head).filter(|head| made.contains(&head.predicate));
    // A variable as the fluent of a head may be any fluent.
    let Some(known) = heads.map(shape).collect::<Option<IndexSet<_>>>() else { return };
    let relations: IndexSet<Predicate> = sheet.sentences.iter().map(|sentence| sentence.head.predicate).collect();
    let names: IndexSet<&str> = known.iter().map(|&(name, _)| sheet.symbols.name(name)).collect();
    let mut reported = IndexSet::new();
    for sentence in &sheet.sentences {
        sentence.each_condition(&mut |atom, _| {
            let Some(shape) = shape(atom).filter(|_| atom.predicate == asked) else { return };
            if known.contains(&shape) || !reported.insert(shape) {
                return;
            }
            let name = sheet.symbols.name(shape.0);
            let of_arity = match names.contains(name) {
                true => format!(" with {}", super::spelling::arguments(shape.1)),
                false => String::new(),
            };
            let verb = if asked == Predicate::True { "true" } else { "legal" };
            let message = format!("{what} {}{of_arity} is never {verb}", quote(name));
            let span = atom.arguments.last().map_or(atom.span, Term::span);
            let advice = if relations.contains(&Predicate::Relation(shape.0, shape.1 as u32)) {
                let keyword = if asked == Predicate::True { "true" } else { "does" };
                Some(format!("{} is a relation: write it without `{keyword}`", quote(name)))
            } else if reported.len() <= MOST_SEARCHES {
                meant(name, names.iter().copied())
            } else {
                None
            };
            diagnostics.push(Diagnostic { advice, ..Diagnostic::warning(code, span, message) });
        });
    }
}

/// Name and number of arguments of an atom's fluent or move; `None` for a variable.
pub fn shape(atom: &Atom) -> Option<(Symbol, usize)> {
    match atom.arguments.last()? {
        Term::Constant(name, _) => Some((*name, 0)),
        Term::Function(name, arguments, _) => Some((*name, arguments.len())),
        Term::Variable(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::check::testing::{findings, messages};

    #[test]
    fn terms_that_nothing_makes_are_reported() {
        let text = "(init (cell 1))\n(<= (goal r 0) (true (cel 1)) (true (cel 2)) (true (cell 1)) (true ?x))\n(<= (next g) (does r n))";
        assert_eq!(findings(text), ["1:1 fluent-vanishes", "2:22 unknown-fluent", "3:22 unknown-move"]);
        assert_eq!(messages(text)[2], "move `n` is never legal");
    }

    #[test]
    fn fluents_that_nothing_keeps_are_reported() {
        let text = "(init (cell 1))\n(init (cell 2))(init flag)\n(<= (goal r 0) (true (cell 1)))";
        assert_eq!(findings(text), ["1:1 fluent-vanishes"]);
        let text = "(role s)(legal s m)(goal s 0)(init (turn s))\n(<= (next (turn r)) (true (turn s)))";
        assert_eq!(findings(text), ["1:30 fluent-vanishes"]);
        let deal = "(role random)(legal random m)(init (turn random))\n(<= (next (turn r)) (true (turn random)))";
        assert!(findings(deal).is_empty());
        assert!(findings(&text.replace("(turn r)) (true", "(turn ?r)) (role ?r) (true")).is_empty());
        assert!(findings(&format!("{text}(<= (next (turn s)) (true (turn r)))")).is_empty());
        assert!(findings("(init opening)\n(init (cell 1))\n(<= (goal r 0) (not (true opening)) (true (cell 1)))\n(<= (next (cell 1)) (true (cell 1)))").is_empty());
    }

    #[test]
    fn conditions_of_nothing_are_reported() {
        let never = [("(or)", 16), ("(not (and))", 21), ("(and (true f) (or))", 30), ("(not (not (or)))", 26)];
        for (condition, column) in never {
            let expected = [format!("1:{column} never-holds")];
            assert_eq!(findings(&format!("(<= (goal r 0) {condition})")), expected, "{condition}");
        }
        for condition in ["(and)", "(not (or))", "(or (true f) (and))"] {
            assert!(findings(&format!("(<= (goal r 0) {condition})")).is_empty(), "{condition}");
        }
    }

    #[test]
    fn variables_as_heads_make_anything() {
        assert!(findings("(<= (next ?x) (p ?x))\n(p (g 1))(<= (goal r 0) (true (g 1)))").is_empty());
    }
}
