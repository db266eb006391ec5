//! Advice on an error, with an example that can be added to the rules.

use super::Subject;
use super::condition::{Literals, Separation};
use super::sample::Sample;
use base::limits::{LimitReached, Limits};
use fixedbitset::FixedBitSet;
use game::interpreter::{Situation, State};
use game::propositional::{FluentId, GroundTerm, Move, Node, RoleId};
use game::rules::dependencies::needed;
use game::rules::{Language, Literal, Predicate, Term};
use game::syntax::Span;

const LINES: usize = 6;
/// Bound on the characters of a rule that the advice writes out with a change.
const RULE: usize = 160;
/// The move of a role that waits, in examples, if the rules have no name for it.
const WAITING: &str = "noop";
const TURN: &str = "turn";

/// Compares the erroneous state with other states.
pub struct Adviser<'a> {
    of: &'a Subject<'a>,
    sample: Sample,
}

struct Advice {
    words: String,
    lines: Vec<String>,
}

impl Advice {
    fn text(self) -> String {
        let lines: Vec<String> = self.lines.iter().map(|line| format!("`{line}`")).collect();
        match lines.is_empty() {
            true => self.words,
            false => format!("{}: {}", self.words, lines.join(" ")),
        }
    }
}

impl<'a> Adviser<'a> {
    pub fn new(of: &'a Subject<'a>, witness: State, limits: &Limits) -> Result<Adviser<'a>, LimitReached> {
        Ok(Adviser { of, sample: Sample::new(&of.grounding.game, witness, limits)? })
    }

    fn literals(&self, head: Predicate) -> Literals<'a> {
        Literals::new(self.of.program, &self.of.grounding.game, &self.sample, head)
    }

    fn name(&self, role: RoleId) -> String {
        self.of.grounding.game.roles[role.index()].to_string()
    }

    fn fresh(&self, stem: &str) -> String {
        let taken = |name: &str| self.of.program.symbols.find(name).is_some();
        let names = (1..).map(|number| if number == 1 { stem.to_owned() } else { format!("{stem}{number}") });
        names.into_iter().find(|name| !taken(name)).expect("the rules have finitely many names")
    }

    pub fn moves(&self, role: RoleId) -> String {
        let stuck = |situation: &Situation| !situation.terminal && situation.legal.iter().all(Vec::is_empty);
        let stuck = self.sample.with(stuck);
        let advice = match self.of.language {
            None => Advice { words: "give it a move there, or let play end".to_owned(), lines: Vec::new() },
            Some(Language::Gddl) => self.pass(role),
            Some(Language::Gdl) if stuck.contains(0) => self.end(&stuck),
            Some(Language::Gdl) => self.wait(role),
        };
        advice.text()
    }

    /// Advice for a role without a move: it should wait. All roles that lack such a move get one at once, so that one
    /// round of advice mends the rules. If it is the role's turn, its rules require something that does not hold: most
    /// often a fluent that no rule for `next` keeps.
    fn wait(&self, role: RoleId) -> Advice {
        let mut words = "every role makes a move in every state: let it wait where others move".to_owned();
        if let Some(turn) = self.kept_turn() {
            let lines = self.waiting_by(turn);
            if lines.is_empty() && self.has_turn(turn, role) {
                words = format!(
                    "it is the turn of {0} there: `(true ({turn} {0}))`; if its rules ask for a fluent that the state \
                     lacks, a rule for `next` has to keep that: nothing stays by itself; if play should be over \
                     there, a rule for `terminal` is missing",
                    self.name(role)
                );
            }
            return Advice { words, lines };
        }
        let literals = self.literals(Predicate::Legal);
        let waiting = self.waiting();
        let mut lines = Vec::new();
        for role in self.of.grounding.game.role_ids() {
            let can = |situation: &Situation| !situation.legal[role.index()].is_empty();
            let moving = self.sample.with(|situation| !situation.terminal && can(situation));
            let mut idle = self.sample.with(|situation| {
                !situation.terminal && !can(situation) && situation.legal.iter().any(|moves| !moves.is_empty())
            });
            while let Some(state) = idle.minimum().filter(|_| lines.len() < LINES) {
                let found = literals.separating(state, &idle, &moving);
                let head = format!("(legal {} {waiting})", self.name(role));
                lines.push(rule(&head, &found));
                idle.difference_with(&found.covered);
            }
        }
        Advice { words, lines }
    }

    fn has_turn(&self, turn: &str, role: RoleId) -> bool {
        let game = &self.of.grounding.game;
        let own = [game.roles[role.index()].clone()];
        let fluent = game.fluents.iter().position(|fluent| fluent.name == turn && fluent.arguments == own);
        fluent.is_some_and(|fluent| self.sample.holding(FluentId(fluent as u32)).contains(0))
    }

    /// The name of the fluents of turns: each role has such a fluent, and exactly one of them holds in each state.
    fn kept_turn(&self) -> Option<&'a str> {
        let game = &self.of.grounding.game;
        let of_role = |name: &str, role: RoleId| {
            let is =
                |fluent: &GroundTerm| fluent.name == name && fluent.arguments == [game.roles[role.index()].clone()];
            game.fluents.iter().position(is).map(|fluent| self.sample.holding(FluentId(fluent as u32)))
        };
        let states = self.sample.with(|_| true);
        let tells = |name: &str| {
            let sets: Option<Vec<FixedBitSet>> = game.role_ids().map(|role| of_role(name, role)).collect();
            sets.is_some_and(|sets| {
                let mut left = states.clone();
                sets.iter().for_each(|set| left.difference_with(set));
                left.is_clear() && sets.iter().map(|set| set.count_ones(..)).sum::<usize>() == states.count_ones(..)
            })
        };
        let mut names = game.fluents.iter().filter(|fluent| fluent.arguments.len() == 1).map(|fluent| &*fluent.name);
        names.find(|name| game.roles.len() > 1 && tells(name))
    }

    /// Rules for waiting, for all roles without a move named `waiting`.
    fn waiting_by(&self, turn: &str) -> Vec<String> {
        let game = &self.of.grounding.game;
        let waiting = self.waiting();
        let lacking = game.role_ids().filter(|role| {
            let waits = |action: &Move| action.role == *role && action.term.to_string() == waiting;
            !game.moves.iter().any(waits)
        });
        lacking
            .map(|role| {
                let name = self.name(role);
                let others = || game.role_ids().filter(|other| *other != role);
                let condition = match others().next() {
                    Some(other) if others().count() == 1 => format!("(true ({turn} {}))", self.name(other)),
                    _ => format!("(not (true ({turn} {name})))"),
                };
                format!("(<= (legal {name} {waiting}) {condition})")
            })
            .collect()
    }

    /// The move by which roles already wait; otherwise a required move that is never legal; otherwise a new name.
    fn waiting(&self) -> String {
        let game = &self.of.grounding.game;
        let mut matters = vec![false; game.moves.len()];
        for (_, node) in game.graph.nodes() {
            if let Node::Move(action) = node {
                matters[action.index()] = true;
            }
        }
        let mere = game.moves.iter().zip(&matters).filter(|(action, matters)| {
            let alone = |situation: &Situation| match situation.legal[action.role.index()][..] {
                [only] => !situation.terminal && game.moves[only.index()].term == action.term,
                _ => false,
            };
            !**matters && action.term.arguments.is_empty() && !self.sample.with(alone).is_clear()
        });
        let named = mere.map(|(action, _)| action.term.to_string()).next();
        named.or_else(|| self.asked()).unwrap_or_else(|| self.fresh(WAITING))
    }

    /// A move without arguments that a rule requires in its body and that is never legal.
    fn asked(&self) -> Option<String> {
        let (program, game) = (self.of.program, &self.of.grounding.game);
        let does = program.find_predicate(Predicate::Does)?;
        let atoms = program.rules.iter().flat_map(|rule| &rule.body).filter_map(|literal| match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
            Literal::Distinct(..) => None,
        });
        let mut names = atoms.filter(|atom| atom.predicate == does).filter_map(|atom| match atom.arguments.last() {
            Some(Term::Constant(name)) => Some(program.symbols.name(*name)),
            _ => None,
        });
        names.find(|name| game.moves.iter().all(|action| action.term.to_string() != *name)).map(str::to_owned)
    }

    fn end(&self, stuck: &FixedBitSet) -> Advice {
        let program = self.of.program;
        let words = "no role has a move there: if play is over, say so".to_owned();
        let terminal = program.find_predicate(Predicate::Terminal);
        if terminal.is_none_or(|terminal| !needed(program, [Predicate::Legal]).contains(&program.kind(terminal))) {
            let movable = self.fresh("movable");
            let lines = vec![format!("(<= {movable} (legal ?role ?move))"), format!("(<= terminal (not {movable}))")];
            return Advice { words, lines };
        }
        let going = self.sample.with(|situation| !situation.terminal && !situation.legal.iter().all(Vec::is_empty));
        let literals = self.literals(Predicate::Terminal);
        let lines = vec![rule("terminal", &literals.separating(0, stuck, &going))];
        Advice { words, lines }
    }

    /// Advice in GDDL, where roles without control wait automatically: the role should pass, or play should end.
    fn pass(&self, role: RoleId) -> Advice {
        let game = &self.of.grounding.game;
        let control = |role: RoleId| format!("(control {})", self.name(role));
        let fluent = |role: RoleId| game.fluents.iter().position(|fluent| fluent.to_string() == control(role));
        let mut able = self.sample.with(|found| !found.terminal && !found.legal[role.index()].is_empty());
        if let Some(fluent) = fluent(role) {
            able.intersect_with(&self.sample.holding(FluentId(fluent as u32)));
        }
        let stuck = self.sample.with(|found| !found.terminal && found.legal[role.index()].is_empty());
        let literals = self.literals(Predicate::Legal);
        let found = literals.separating(0, &stuck, &able);
        let condition = found.text(Language::Gddl);
        if game.roles.len() < 2 || game.role_ids().any(|role| fluent(role).is_none()) {
            let words = "there is no action for it there: add one, or let the `:goal` hold there, by `or`".to_owned();
            let lines = if condition.is_empty() { Vec::new() } else { vec![format!("(and{condition})")] };
            return Advice { words, lines };
        }
        let next = RoleId((role.0 + 1) % game.roles.len() as u32);
        let (own, other) = (control(role), control(next));
        let pass = self.fresh("pass");
        let precondition = format!("(and {own}{condition})");
        let line =
            format!("(:action {pass} :parameters () :precondition {precondition} :effect (and (not {own}) {other}))");
        let words = "it has control and no action there: let it pass, or let the `:goal` hold there".to_owned();
        Advice { words, lines: vec![line] }
    }

    pub fn reward(&self, role: RoleId) -> String {
        let game = &self.of.grounding.game;
        let name = self.name(role);
        let words = format!("give {name} one reward in every terminal state");
        let Some(language) = self.of.language else { return words };
        let rewarded = |situation: &Situation| situation.terminal && !situation.goals[role.index()].is_empty();
        let without = self.sample.with(|situation| situation.terminal && situation.goals[role.index()].is_empty());
        let literals = self.literals(Predicate::Goal);
        let found = literals.separating(0, &without, &self.sample.with(rewarded));
        let known: Vec<u8> = game.goals[role.index()].iter().map(|(reward, _)| *reward).collect();
        let reward = if known.contains(&0) { 50 } else { 0 };
        let line = match language {
            Language::Gdl => rule(&format!("(goal {name} {reward})"), &found),
            Language::Gddl if game.roles.len() == 1 => format!("(:gain () {reward} (and{}))", found.text(language)),
            Language::Gddl => {
                format!("(:gain (?role - role) {reward} (and (= ?role {name}){}))", found.text(language))
            }
        };
        Advice { words, lines: vec![line] }.text()
    }

    /// Advice on two rewards in one terminal state. `rules`: the rules that give them.
    pub fn rewards(&self, role: RoleId, rewards: [u8; 2], rules: [Span; 2]) -> String {
        let words = "let the conditions of the two exclude each other, or leave one out".to_owned();
        let Some(language) = self.of.language else { return words };
        let of = |situation: &Situation| situation.goals[role.index()].clone();
        let both = self.sample.with(|found| found.terminal && rewards.iter().all(|reward| of(found).contains(reward)));
        let literals = self.literals(Predicate::Goal);
        for restricted in [1, 0] {
            let alone = self.sample.with(|found| found.terminal && of(found) == [rewards[restricted]]);
            if alone.is_clear() {
                continue;
            }
            let found = literals.separating(0, &both, &alone);
            if let Some(literal) = found.single(&both) {
                let condition = literal.text(language, !literal.positive);
                return Advice { words, lines: vec![self.restricted(rules[restricted], &condition, language)] }.text();
            }
        }
        words
    }

    /// A rule of the text with one more condition; the condition alone if the rule is long or not written in GDL.
    fn restricted(&self, rule: Span, condition: &str, language: Language) -> String {
        let lines = self.of.source.slice(rule).lines().map(|line| line.split(';').next().unwrap_or_default());
        let text = lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
        match text.strip_suffix(')') {
            _ if language != Language::Gdl || text.len() > RULE => condition.to_owned(),
            Some(body) if text.starts_with("(<=") => format!("{body} {condition})"),
            _ => format!("(<= {text} {condition})"),
        }
    }

    /// Advice for two roles that choose at the same time. Also returns the role that should wait.
    pub fn turns(&self, first: RoleId, second: RoleId) -> (String, RoleId) {
        let game = &self.of.grounding.game;
        let choosing = |situation: &Situation, role: RoleId| situation.legal[role.index()].len() > 1;
        let clash = self.sample.with(|found| !found.terminal && choosing(found, first) && choosing(found, second));
        let waiting = self.waiting();
        let both = || Advice {
            words: "only one role may choose in a state: give the others one move to wait with".to_owned(),
            lines: Vec::new(),
        };
        let advice = match self.of.language {
            None => return (both().text(), second),
            Some(Language::Gddl) => {
                let taken = format!("(not (control {}))", self.name(first));
                let words =
                    "`control` holds of both: let `:init` give it to one role, and let each action that gives it \
                             to one take it from the other, by an effect"
                        .to_owned();
                return (Advice { words, lines: vec![taken] }.text(), second);
            }
            Some(Language::Gdl) => {
                let literals = self.literals(Predicate::Legal);
                [second, first].into_iter().find_map(|eager| {
                    let own = self.sample.with(|found| {
                        !found.terminal && game.role_ids().all(|role| choosing(found, role) == (role == eager))
                    });
                    let turn = literals.separating(own.minimum()?, &own, &clash);
                    let other = literals.separating(0, &clash, &own);
                    let (turn, other) = (turn.single(&own)?, other.single(&clash)?);
                    let name = self.name(eager);
                    let turn = turn.text(Language::Gdl, turn.positive);
                    let words = format!("let {name} move in its turn, by the condition `{turn}`, and wait in others");
                    let other = other.text(Language::Gdl, other.positive);
                    let lines = vec![format!("(<= (legal {name} {waiting}) {other})")];
                    Some((Advice { words, lines }, eager))
                })
            }
        };
        let advice = advice.or_else(|| {
            let turn = self.kept_turn()?;
            let words = format!(
                "if one role is to choose at a time, ask for `(true ({turn} …))` of the role itself in all its rules for \
                 `legal`, and let it wait in the turns of others"
            );
            Some((Advice { words, lines: self.waiting_by(turn) }, second))
        });
        let (advice, eager) = advice.unwrap_or_else(|| (self.alternating(&waiting), second));
        (advice.text(), eager)
    }

    fn alternating(&self, waiting: &str) -> Advice {
        let (turn, game) = (self.fresh(TURN), &self.of.grounding.game);
        let players = &game.player_names()[..];
        let mut lines = vec![format!("(init ({turn} {}))", players[0])];
        for (now, next) in players.iter().zip(players.iter().cycle().skip(1)) {
            lines.push(format!("(<= (next ({turn} {next})) (true ({turn} {now})))"));
            let others = match players.len() {
                2 => format!("(true ({turn} {now}))"),
                _ => format!("(not (true ({turn} {next})))"),
            };
            lines.push(format!("(<= (legal {next} {waiting}) {others})"));
        }
        let words = format!(
            "if one role is to choose at a time, keep whose turn it is, and ask for `(true ({turn} …))` in the rules for `legal`"
        );
        Advice { words, lines }
    }
}

fn rule(head: &str, condition: &Separation) -> String {
    match condition.literals.is_empty() {
        true => head.to_owned(),
        false => format!("(<= {head}{})", condition.text(Language::Gdl)),
    }
}
