//! Checks the declarations of roles, and that each role has moves and goals.

use super::fluents::shape;
use super::spelling::meant;
use crate::diagnostic::{Diagnostic, quote};
use crate::rules::sentence::Sentence;
use crate::rules::sentence::{Atom, Rulesheet, Term, Variables};
use crate::rules::{CHANCE, Predicate, Symbol};
use crate::syntax::Span;
use indexmap::{IndexMap, IndexSet};

/// If all roles are facts and the text is complete, also checks the roles that other rules mention.
pub fn check(sheet: &Rulesheet, complete: bool, diagnostics: &mut Vec<Diagnostic>) {
    let Some(roles) = declared(sheet, diagnostics).filter(|_| complete) else { return };
    let mut unknown = Variables::new();
    let mut visit = |atom: &Atom| {
        if let Predicate::Legal | Predicate::Goal | Predicate::Does | Predicate::Input = atom.predicate
            && let Some(Term::Constant(name, span)) = atom.arguments.first()
            && !roles.contains_key(name)
            && unknown.insert(*name)
        {
            let message = format!("{} is no role of this game", quote(sheet.symbols.name(*name)));
            let some: Vec<String> = roles.keys().take(8).map(|&role| quote(sheet.symbols.name(role))).collect();
            let advice = format!("declare it, or use one of {}", some.join(", "));
            diagnostics.push(Diagnostic::warning("unknown-role", *span, message).with_advice(advice));
        }
    };
    for sentence in &sheet.sentences {
        visit(&sentence.head);
        sentence.each_condition(&mut |atom, _| visit(atom));
    }
    for (name, span) in foreign(sheet, &roles) {
        if unknown.insert(name) {
            let message = format!("{} is no role of this game", quote(sheet.symbols.name(name)));
            // It may be a mark for no role, such as `none`, which rules tell by the absence of all roles.
            let near = meant(sheet.symbols.name(name), roles.keys().map(|&role| sheet.symbols.name(role)));
            diagnostics.push(match near {
                Some(advice) => Diagnostic::warning("unknown-role", span, message).with_advice(advice),
                None => Diagnostic::note("unknown-role", span, message)
                    .with_advice("the rules ask only which role stands here; if none is meant, all is well"),
            });
        }
    }
    // The first role with the keyword in any case of letters is chance.
    let chance = roles.keys().copied().find(|&role| sheet.symbols.name(role).eq_ignore_ascii_case(CHANCE));
    for (role, &span) in roles.iter().filter(|(role, _)| chance == Some(**role)) {
        // A name may be intended.
        let name = sheet.symbols.name(*role);
        if name != CHANCE {
            let message = format!("{} is chance: each of its legal moves is equally likely", quote(name));
            let advice = format!("write {} to say so, or give a player another name", quote(CHANCE));
            diagnostics.push(Diagnostic::note("chance-role", span, message).with_advice(advice));
        }
    }
    for (predicate, code, what) in [
        (Predicate::Legal, "role-without-moves", "never has a legal move"),
        (Predicate::Goal, "role-without-goal", "never has a goal value"),
    ] {
        let Some(served) = first_arguments(sheet, predicate) else { continue };
        let is_meant = |role: &Symbol| predicate != Predicate::Goal || chance != Some(*role);
        for (role, &span) in roles.iter().filter(|(role, _)| !served.contains(*role) && is_meant(role)) {
            let message = format!("role {} {what}", quote(sheet.symbols.name(*role)));
            diagnostics.push(Diagnostic::warning(code, span, message));
        }
    }
}

/// The constants that are no roles and stand in fluents where rules ask for roles alone, such as whose turn it is.
fn foreign(sheet: &Rulesheet, roles: &IndexMap<Symbol, Span>) -> Vec<(Symbol, Span)> {
    type Place = ((Symbol, usize), usize);
    let (mut of_roles, mut of_any) = (IndexSet::<Place>::new(), IndexSet::<Place>::new());
    let mut asked = IndexSet::new();
    let mut any_fluent = false;
    for sentence in &sheet.sentences {
        let known = role_variables(sentence);
        sentence.each_condition(&mut |atom, _| {
            if atom.predicate != Predicate::True {
                return;
            }
            let Some(shape) = shape(atom) else {
                any_fluent = true;
                return;
            };
            for (place, argument) in arguments(atom).iter().enumerate() {
                match argument {
                    Term::Variable(name, _) if known.contains(name) => _ = of_roles.insert((shape, place)),
                    Term::Constant(name, _) => _ = asked.insert(((shape, place), *name)),
                    _ => _ = of_any.insert((shape, place)),
                }
            }
        });
    }
    let mut found = Vec::new();
    let heads = sheet.sentences.iter().map(|sentence| &sentence.head);
    for head in heads.filter(|head| !any_fluent && matches!(head.predicate, Predicate::Init | Predicate::Next)) {
        let Some(shape) = shape(head) else { continue };
        for (place, argument) in arguments(head).iter().enumerate() {
            let at = (shape, place);
            if let Term::Constant(name, span) = argument
                && !roles.contains_key(name)
                && of_roles.contains(&at)
                && !of_any.contains(&at)
                && !asked.contains(&(at, *name))
            {
                found.push((*name, *span));
            }
        }
    }
    found
}

/// The variables that stand for roles wherever the rule applies.
fn role_variables(sentence: &Sentence) -> Variables {
    let mut found = Variables::new();
    let mut visit = |atom: &Atom| {
        let of_role = [Predicate::Role, Predicate::Legal, Predicate::Goal, Predicate::Does].contains(&atom.predicate);
        if let Some(Term::Variable(name, _)) = atom.arguments.first().filter(|_| of_role) {
            found.insert(*name);
        }
    };
    visit(&sentence.head);
    sentence.each_condition(&mut |atom, positive| {
        if positive {
            visit(atom);
        }
    });
    found
}

/// The arguments of an atom's fluent.
fn arguments(atom: &Atom) -> &[Term] {
    match atom.arguments.last() {
        Some(Term::Function(_, arguments, _)) => arguments,
        _ => &[],
    }
}

fn declared(sheet: &Rulesheet, diagnostics: &mut Vec<Diagnostic>) -> Option<IndexMap<Symbol, Span>> {
    let mut roles = IndexMap::new();
    let mut plain = true;
    for sentence in sheet.sentences.iter().filter(|sentence| sentence.head.predicate == Predicate::Role) {
        match sentence.head.arguments.first() {
            Some(Term::Constant(name, span)) => {
                roles.entry(*name).or_insert(*span);
            }
            _ => plain = false,
        }
        if !sentence.body.is_empty() {
            plain = false;
            let advice = "write each role as a fact, in the order of play";
            let finding = Diagnostic::warning("role-rule", sentence.head.span, "a role that is not a fact");
            diagnostics.push(finding.with_advice(advice));
        }
    }
    plain.then_some(roles)
}

fn first_arguments(sheet: &Rulesheet, predicate: Predicate) -> Option<Variables> {
    let heads = sheet.sentences.iter().map(|sentence| &sentence.head).filter(|head| head.predicate == predicate);
    heads
        .map(|head| match head.arguments.first() {
            Some(Term::Constant(name, _)) => Some(*name),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::diagnostic::Source;
    use crate::rules::check::testing::{REST, findings};
    use crate::rules::gdl;

    #[test]
    fn chance_is_known_by_name() {
        assert!(findings("(role random)(legal random x)").is_empty());
        let text = format!("(role Random)(legal Random x)\n{REST}");
        let (_, told) = gdl::program(&Source::new("test", text.as_bytes()));
        let notes: Vec<_> = told.iter().map(|note| (note.code, note.span.start)).collect();
        assert!(notes.contains(&("chance-role", 6)), "{notes:?}");
        assert_eq!(findings("(role random)"), ["1:7 role-without-moves"]);
        assert_eq!(findings("(role s)(legal s x)"), ["1:7 role-without-goal"]);
        assert_eq!(findings("(<= (sees r x) (true f))"), ["1:5 gdl-ii"]);
    }

    #[test]
    fn names_of_roles_are_compared() {
        assert_eq!(findings("(<= (legal s x) (true f))\n(goal s 0)"), ["1:12 unknown-role"]);
        let turns = "(role white)(legal white x)(goal white 0)(init (turn r))(<= (legal ?p y) (true (turn ?p)))\n\
                     (<= (next (turn white)) (true (turn r)))\n(<= (next (turn whit)) (true (turn white)))";
        assert_eq!(findings(turns), ["1:42 fluent-vanishes", "3:17 unknown-role"]);
        assert!(
            !findings(&format!("{turns}(<= (next f) (true (turn whit)))")).iter().any(|found| found.contains("role"))
        );
        assert_eq!(findings(&turns.replace("(turn whit)", "(turn none)")), ["1:42 fluent-vanishes"]);
        let mark = format!("{turns}(<= (next (turn ?m)) (true (turn ?m)))");
        assert!(!findings(&mark).iter().any(|found| found.contains("unknown-role")));
        assert_eq!(findings("(role s)"), ["1:7 role-without-goal", "1:7 role-without-moves"]);
        assert!(findings("(role s)(<= (legal ?s x) (role ?s))(<= (goal ?s 0) (role ?s))").is_empty());
    }

    #[test]
    fn roles_are_facts() {
        assert_eq!(findings("(<= (role s) (not t))(<= t (distinct a a))"), ["1:5 role-rule"]);
    }
}
