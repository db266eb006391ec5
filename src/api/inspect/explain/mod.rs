//! Explains a refusal by the rules that cause it, each at its place in the text, and by advice with an example.
//!
//! The rules are found by their heads and, if it matters which of them apply, by evaluating them in the erroneous
//! state. The example comes from a comparison of this state with other states: see [`condition`].

mod advice;
mod condition;
mod sample;

use advice::Adviser;
use base::limits::{LimitReached, Limits};
use game::diagnostic::{Diagnostic, Source, quote};
use game::encode::MOST_ROLES;
use game::ground::{Grounding, position};
use game::interpreter::{Interpreter, State, Violation};
use game::propositional::{FluentId, GroundTerm, RoleId};
use game::rules::{Language, Predicate, Program, Rule, Term};
use game::syntax::Span;
use solving::solve::Refusal;

const ENDING: &str = "let every play end, for example after a number of moves that the state counts";
const NO_ENDING: &str = "let every play end, for example after a number of moves that the state counts; \
                         `--algorithm global` needs no end";
const SHOWN: usize = 4;
const STEPS: u64 = 5_000_000;

/// The rules to explain.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The lowered rules.
    pub program: &'a Program,
    /// The text of the rules.
    pub source: &'a Source,
    /// The language; `None` for a caller's own notation, in which no example can be given.
    pub language: Option<Language>,
    /// The grounded rules.
    pub grounding: &'a Grounding,
}

/// An error and notes on further rules; empty if no rules are to blame, or the game has other names than the rules.
pub fn explained(of: &Subject, refusal: &Refusal, limits: &Limits) -> Result<Vec<Diagnostic>, LimitReached> {
    let at =
        |span, advice: &str| vec![Diagnostic::error(refusal.code, span, refusal.message.clone()).with_advice(advice)];
    let general = |predicate, advice: &str| {
        at(of.rules(predicate, None).first().map_or(Span::default(), |(_, rule)| rule.span), advice)
    };
    match refusal.code {
        "roles" if of.grounding.game.roles.len() <= MOST_ROLES => {
            return Ok(general(Predicate::Role, "the other algorithms take any number of players"));
        }
        "roles" => return Ok(general(Predicate::Role, "leave out roles that never have a choice")),
        // No rule is to blame, so that the place is the text as a whole.
        "cyclic" => return Ok(at(Span::default(), if refusal.must_end { ENDING } else { NO_ENDING })),
        "no-player" => return Ok(general(Predicate::Role, "add a role that plays")),
        "rewards" => return Ok(general(Predicate::Goal, "give fewer different rewards")),
        "no-legal-move" | "not-turn-taking" | "goals" => {}
        _ => return Ok(Vec::new()),
    }
    // A refusal of the whole game has no state.
    if refusal.state.is_empty() {
        return Ok(Vec::new());
    }
    let game = &of.grounding.game;
    let mut state = State::empty(game.fluents.len());
    for name in &refusal.state {
        match game.fluents.iter().position(|fluent| fluent.to_string() == *name) {
            Some(index) => state.insert(FluentId(index as u32)),
            None => return Ok(Vec::new()),
        }
    }
    let situation = Interpreter::new(game).situation(&state);
    let Err(violation) = situation.turn() else { return Ok(Vec::new()) };
    let applying = |predicate| of.applying(predicate, &state, limits);
    let adviser = Adviser::new(of, state.clone(), limits)?;
    Ok(match violation {
        Violation::NoMove(role) => of.without(&adviser, role, Predicate::Legal, refusal),
        Violation::Goals { role, rewards } if rewards.is_empty() => {
            of.without(&adviser, role, Predicate::Goal, refusal)
        }
        Violation::Goals { role, rewards } => {
            let of_role =
                applying(Predicate::Goal)?.into_iter().filter(|(_, head)| head[0] == game.roles[role.index()]);
            let by = |reward: u8| of_role.clone().find(|(_, head)| head[1].to_string() == reward.to_string());
            let [Some((first, one)), Some((second, other))] = [rewards[0], rewards[1]].map(by) else {
                return Ok(of.without(&adviser, role, Predicate::Goal, refusal));
            };
            let spans = [first, second].map(|rule| of.program.rules[rule].span);
            let (message, note) = two_rewards(of.language, &one, &other);
            let advice = adviser.rewards(role, [rewards[0], rewards[1]], spans);
            let note = Diagnostic::note(refusal.code, spans[1], note);
            vec![Diagnostic::error(refusal.code, spans[0], message).with_advice(advice), note]
        }
        Violation::Simultaneous(first, second) => {
            let legal = applying(Predicate::Legal)?;
            let rules = |role: RoleId| of.spans(legal.iter().filter(|(_, head)| head[0] == game.roles[role.index()]));
            let (advice, eager) = adviser.turns(first, second);
            let patient = if eager == first { second } else { first };
            let named = |role: RoleId| quote(&game.roles[role.index()].to_string());
            let message = format!(
                "{} can choose by this rule in a reachable state in which {} has a choice, too",
                named(eager),
                named(patient)
            );
            let mut found = listed(refusal.code, rules(eager), message, "its moves there come from this rule, too");
            if let Some(first) = found.first_mut() {
                first.advice = Some(advice);
            }
            let others = rules(patient).into_iter().filter(|span| !rules(eager).contains(span)).take(SHOWN);
            let note = format!("{} can choose there by this rule", named(patient));
            found.extend(others.map(|span| Diagnostic::note(refusal.code, span, note.clone())));
            found
        }
    })
}

/// What is told of two goals that hold together, and beside the second one.
fn two_rewards(language: Option<Language>, one: &[GroundTerm], other: &[GroundTerm]) -> (String, String) {
    if language == Some(Language::Gddl) {
        let role = quote(&one[0].to_string());
        return (
            format!("{role} gains {} and {} in a reachable end of play", one[1], other[1]),
            format!("the condition of this gain of {} holds there, too", other[1]),
        );
    }
    let [one, other] = [one, other].map(|head| quote(&format!("(goal {} {})", head[0], head[1])));
    (
        format!("{one} and {other} hold together in a reachable terminal state"),
        format!("{other} holds there by this rule, too"),
    )
}

impl Subject<'_> {
    fn without(&self, adviser: &Adviser, role: RoleId, lacking: Predicate, refusal: &Refusal) -> Vec<Diagnostic> {
        let name = &self.grounding.game.roles[role.index()];
        let of_all = self.rules(lacking, Some(name));
        let mut spans = self.spans(of_all.iter());
        if spans.is_empty() {
            spans.push(self.rules(Predicate::Role, Some(name)).first().map_or(Span::default(), |(_, rule)| rule.span));
        }
        let (advice, rules) = match (lacking, self.language) {
            (Predicate::Legal, Some(Language::Gddl)) => (adviser.moves(role), "actions"),
            (Predicate::Legal, _) => (adviser.moves(role), "rules for `legal`"),
            (_, Some(Language::Gddl)) => (adviser.reward(role), "gains"),
            _ => (adviser.reward(role), "rules for `goal`"),
        };
        let message = match of_all.is_empty() {
            true => format!("{}: it has no {rules}", refusal.message),
            false => format!("{}: none of its {rules} applies there", refusal.message),
        };
        let mut found = listed(refusal.code, spans, message, "this one does not apply there, either");
        if let Some(first) = found.first_mut() {
            first.advice = Some(advice);
        }
        found
    }

    /// The rules for a predicate, with their indices. With `role`, only rules that may be about this role.
    fn rules(&self, predicate: Predicate, role: Option<&GroundTerm>) -> Vec<(usize, &Rule)> {
        let Some(id) = self.program.find_predicate(predicate) else { return Vec::new() };
        let fits = |rule: &Rule| match (rule.head.arguments.first(), role) {
            (Some(Term::Constant(name)), Some(role)) => self.program.symbols.name(*name) == role.to_string(),
            _ => true,
        };
        let rules = self.program.rules.iter().enumerate();
        rules.filter(|(_, rule)| rule.head.predicate == id && fits(rule)).collect()
    }

    /// The places of rules in the text, each place once. Rules that lowering made have no place.
    fn spans<'r, T: 'r>(&self, rules: impl Iterator<Item = &'r (usize, T)>) -> Vec<Span> {
        let mut spans: Vec<Span> = rules.map(|(rule, _)| self.program.rules[*rule].span).collect();
        spans.retain(|span| span.start < span.end);
        spans.sort_unstable();
        spans.dedup();
        spans
    }

    /// The rules that apply in a state, with the arguments of their heads; empty if that takes too much work.
    fn applying(
        &self,
        predicate: Predicate,
        state: &State,
        limits: &Limits,
    ) -> Result<Vec<(usize, Vec<GroundTerm>)>, LimitReached> {
        let Grounding { game, constant, .. } = self.grounding;
        let held: Vec<GroundTerm> = state
            .fluents()
            .map(|fluent| game.fluents[fluent.index()].clone())
            .chain(constant.iter().cloned())
            .collect();
        let found = position::applying(self.program, predicate, &held, STEPS, limits);
        limits.check()?;
        Ok(found.unwrap_or_default())
    }
}

/// An error at the first place, and notes at the other places.
fn listed(code: &'static str, spans: Vec<Span>, message: String, further: &str) -> Vec<Diagnostic> {
    let mut spans = spans.into_iter().take(SHOWN);
    let first = Diagnostic::error(code, spans.next().unwrap_or_default(), message);
    [first].into_iter().chain(spans.map(|span| Diagnostic::note(code, span, further))).collect()
}
