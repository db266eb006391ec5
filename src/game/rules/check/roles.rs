//! Checks the declarations of roles, and that each role has moves and goals.

use crate::diagnostic::{Diagnostic, quote};
use crate::rules::sentence::{Atom, Rulesheet, Term, Variables};
use crate::rules::{CHANCE, Predicate, Symbol};
use crate::syntax::Span;
use indexmap::IndexMap;

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
        assert_eq!(findings("(role s)"), ["1:7 role-without-goal", "1:7 role-without-moves"]);
        assert!(findings("(role s)(<= (legal ?s x) (role ?s))(<= (goal ?s 0) (role ?s))").is_empty());
    }

    #[test]
    fn roles_are_facts() {
        assert_eq!(findings("(<= (role s) (not t))(<= t (or))"), ["1:5 role-rule"]);
    }
}
