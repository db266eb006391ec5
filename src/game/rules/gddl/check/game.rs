//! Checks the parts of a game: a domain and a problem, a goal, players, their gains, and the role of each action.

use super::types::TypeId;
use super::vocabulary::{CONTROL, ROLE, Vocabulary};
use crate::diagnostic::{Diagnostic, quote};
use crate::reward::reward;
use crate::rules::Symbol;
use crate::rules::check::goals;
use crate::rules::gddl::ast::{Action, Condition, Description, Gain, Name, PredicateName, Term};
use crate::syntax::Span;

const COMPLETE: &str = "write `(define (domain NAME) …)` and `(define (problem NAME) …)`";
const TOGETHER: &str = "give both files, `ggsolve DOMAIN --problem PROBLEM`, or write both into one";

const MOST_PARAMETERS: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    Term(Term),
    /// The role in control; without control, the only role.
    Mover,
}

/// The role to which an action belongs: the first whose control the precondition requires.
pub fn owner(action: &Action, control: Option<PredicateName>) -> Owner {
    let mut found = None;
    action.precondition.each_conjunct(&mut |part| {
        if let Condition::Atom(atom) = part
            && Some(atom.name()) == control
            && let [term] = atom.arguments[..]
        {
            found.get_or_insert(term);
        }
    });
    found.map_or(Owner::Mover, Owner::Term)
}

/// The parameter that is the role of a gain: the first of type `role`.
pub fn role_of_gain<'a>(gain: &'a Gain, vocabulary: &Vocabulary) -> Option<&'a Name> {
    let role = vocabulary.role?;
    let is_role =
        |name: &Name| vocabulary.types.find(name.symbol).is_some_and(|ty| vocabulary.types.is_below(ty, role));
    let typed = gain.parameters.iter().find(|typed| !typed.types.is_empty() && typed.types.iter().all(is_role));
    typed.map(|typed| &typed.name)
}

pub fn check(description: &Description, vocabulary: &Vocabulary, complete: bool, diagnostics: &mut Vec<Diagnostic>) {
    if complete {
        parts(description, diagnostics);
    }
    values(description, diagnostics);
    parameters(description, diagnostics);
    control(description, vocabulary, complete, diagnostics);
    gains(description, vocabulary, complete, diagnostics);
}

fn parts(description: &Description, diagnostics: &mut Vec<Diagnostic>) {
    for (what, found) in [("domain", &description.domains), ("problem", &description.problems)] {
        for name in found.iter().skip(1) {
            let [first, second] = [found[0], *name].map(|name| quote(description.symbols.name(name.symbol)));
            let message = match first == second {
                true => format!("{what} {first} is declared before"),
                false => format!("a second {what}, {second}, beside {first}"),
            };
            let advice = format!("give one {what}: a game has one domain and one problem");
            diagnostics.push(Diagnostic::error("duplicate-declaration", name.span, message).with_advice(advice));
        }
    }
    match (description.domains.first(), description.problems.first()) {
        (None, None) => missing("neither a domain nor a problem", Span::default(), COMPLETE, diagnostics),
        (None, Some(problem)) => {
            let advice = match description.domain_of_problem.first() {
                Some(name) => format!("it belongs to {}: {TOGETHER}", quote(description.symbols.name(name.symbol))),
                None => TOGETHER.to_owned(),
            };
            missing("a problem without its domain", problem.span, &advice, diagnostics);
        }
        (Some(domain), None) => missing("a domain without a problem", domain.span, TOGETHER, diagnostics),
        (Some(domain), Some(problem)) if description.domain_of_problem.is_empty() => {
            let name = description.symbols.name(domain.symbol);
            let message = format!("the problem does not say that its domain is {}", quote(name));
            let advice = format!("write {} into it", quote(&format!("(:domain {name})")));
            diagnostics.push(Diagnostic::warning("missing-domain", problem.span, message).with_advice(advice));
        }
        (Some(_), Some(_)) => {}
    }
    for name in &description.domain_of_problem {
        if let Some(domain) = description.domains.first().filter(|domain| domain.symbol != name.symbol) {
            let (given, wanted) = (description.symbols.name(name.symbol), description.symbols.name(domain.symbol));
            let message = format!("the problem belongs to domain {}, not to {}", quote(given), quote(wanted));
            diagnostics.push(Diagnostic::error("other-domain", name.span, message));
        }
    }
    if description.goals.is_empty() && !description.problems.is_empty() {
        let span = description.problems[0].span;
        let advice = "write `(:goal condition)`: it says in which states play ends";
        diagnostics.push(Diagnostic::error("missing-goal", span, "the problem has no goal").with_advice(advice));
    }
    for &(_, span) in description.goals.iter().skip(1) {
        let message = "a second goal";
        diagnostics.push(
            Diagnostic::error("duplicate-declaration", span, message).with_advice("join both with `and` or `or`"),
        );
    }
}

fn missing(message: &str, span: Span, advice: &str, diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.push(Diagnostic::error("missing-definition", span, message).with_advice(advice));
}

fn values(description: &Description, diagnostics: &mut Vec<Diagnostic>) {
    for gain in &description.gains {
        let value = description.symbols.name(gain.value.symbol);
        if let Err(refused) = reward(value) {
            diagnostics.push(goals::finding("gain-value", gain.value.span, &quote(value), &refused));
        }
    }
}

fn parameters(description: &Description, diagnostics: &mut Vec<Diagnostic>) {
    for action in &description.actions {
        if let Some(typed) = action.parameters.get(MOST_PARAMETERS) {
            let message = format!("more than {MOST_PARAMETERS} parameters of one action");
            let advice = "bind those that only conditions need with `exists`";
            diagnostics.push(Diagnostic::error("too-many-parameters", typed.name.span, message).with_advice(advice));
        }
    }
}

/// Checks turns: several roles need them, and an action must not belong to two roles.
fn control(description: &Description, vocabulary: &Vocabulary, complete: bool, diagnostics: &mut Vec<Diagnostic>) {
    let Some(control) = vocabulary.control else {
        if vocabulary.roles.len() > 1 && complete {
            without_control(description, vocabulary, diagnostics);
        }
        return;
    };
    let given = || description.init.iter().any(|atom| atom.name() == control);
    if vocabulary.roles.len() > 1 && complete && !vocabulary.derived.contains(&control) && !given() {
        let span = description.problems.first().map_or_else(Span::default, |problem| problem.span);
        let message = "no role has control at the start: none can act";
        let advice = "let `:init` say who begins: `(control ROLE)`";
        diagnostics.push(Diagnostic::warning("missing-turn", span, message).with_advice(advice));
    }
    for action in &description.actions {
        let Owner::Term(first) = owner(action, Some(control)) else { continue };
        let names = names_of(first, action);
        action.precondition.each_conjunct(&mut |part| {
            if let Condition::Atom(atom) = part
                && atom.name() == control
                && let [other] = atom.arguments[..]
                && !names.contains(&other.name().symbol)
            {
                let message = "an action of two roles at once";
                let advice = "an action belongs to the one role that its precondition says has control";
                diagnostics.push(Diagnostic::error("two-owners", atom.span, message).with_advice(advice));
            }
        });
    }
}

/// Refuses several roles without turns: `control` is missing, or cannot express whose turn it is.
fn without_control(description: &Description, vocabulary: &Vocabulary, diagnostics: &mut Vec<Diagnostic>) {
    let of_name = |name: Symbol| description.symbols.name(name) == CONTROL;
    let advice = "declare `(control ?player - role)` and let actions hand it on";
    let finding = if let Some(signature) = description.predicates.iter().find(|known| of_name(known.name.symbol)) {
        let message = "`control` says whose turn it is: it has one argument, the role";
        Diagnostic::error("control-arity", signature.span, message)
    } else {
        let second = vocabulary.roles.get(1);
        let object = second.and_then(|&role| description.objects.iter().find(|object| object.name.symbol == role));
        let span = object.map_or_else(Span::default, |object| object.name.span);
        Diagnostic::error("missing-control", span, "several roles, and nothing says whose turn it is")
    };
    diagnostics.push(finding.with_advice(advice));
}

/// `first`, and all names that the precondition equates with it.
fn names_of(first: Term, action: &Action) -> Vec<Symbol> {
    let mut names = vec![first.name().symbol];
    let mut known = 0;
    while known < names.len() {
        known = names.len();
        action.precondition.each_conjunct(&mut |part| {
            if let Condition::Equal(left, right, _) = part {
                let [left, right] = [left, right].map(|term| term.name().symbol);
                match (names.contains(&left), names.contains(&right)) {
                    (true, false) => names.push(right),
                    (false, true) => names.push(left),
                    _ => {}
                }
            }
        });
    }
    names
}

/// Checks that each gain belongs to a role, and that a game of several roles has gains.
fn gains(description: &Description, vocabulary: &Vocabulary, complete: bool, diagnostics: &mut Vec<Diagnostic>) {
    if !complete {
        return;
    }
    if vocabulary.roles.len() > 1 {
        for gain in &description.gains {
            if role_of_gain(gain, vocabulary).is_none() {
                let message = "nothing says whose gain this is";
                let advice = "write `(:gain (?player - role) NUMBER condition)`";
                diagnostics.push(Diagnostic::error("gain-without-role", gain.span, message).with_advice(advice));
            }
        }
        if description.gains.is_empty() {
            let span = description.problems.first().map_or(Span::default(), |problem| problem.span);
            let message = "several roles, and no gain for any of them";
            let advice = "write `(:gain (?player - role) NUMBER condition)` for each result; in a planning task, give the type \
                          `role` another name";
            diagnostics.push(Diagnostic::error("missing-gain", span, message).with_advice(advice));
        }
    }
    ordinary_gains(description, diagnostics);
    let is_game = vocabulary.control.is_some() || !description.gains.is_empty();
    if vocabulary.roles.is_empty()
        && is_game
        && let Some(typed) = description.types.iter().find(|typed| description.symbols.name(typed.name.symbol) == ROLE)
        && vocabulary.types.find(typed.name.symbol).is_some_and(|ty| ty != TypeId::OBJECT)
    {
        let message = "no object of type `role`";
        let advice = "the players are the objects of this type; a game of one player needs neither";
        diagnostics.push(Diagnostic::error("missing-role", typed.name.span, message).with_advice(advice));
    }
}

/// Warns of gains of another type where there is no type `role`, though something is called `control`: one player gets
/// them all.
fn ordinary_gains(description: &Description, diagnostics: &mut Vec<Diagnostic>) {
    let is_role = |name: &Name| description.symbols.name(name.symbol) == ROLE;
    let has_role = description.types.iter().any(|typed| is_role(&typed.name) || typed.types.iter().any(is_role));
    let mut predicates = description.predicates.iter();
    let has_turns = predicates.any(|signature| description.symbols.name(signature.name.symbol) == "control");
    if has_role || !has_turns {
        return;
    }
    let mut types = description.gains.iter().flat_map(|gain| &gain.parameters).flat_map(|typed| &typed.types);
    if let Some(name) = types.next().filter(|&name| !is_role(name)) {
        let message = format!("gains of {}, and no type `role`", quote(description.symbols.name(name.symbol)));
        let advice = "is type `role` meant? Players are of this type; without it one player gets all gains";
        diagnostics.push(Diagnostic::warning("ordinary-role", name.span, message).with_advice(advice));
    }
}
