//! Finds boards, whose squares have one content each, and positions in which a square of a board has two contents.
//!
//! Names play no role. The fluents of one relation form a board if initially every square, given by all arguments but
//! one, has exactly one content, there are several squares, and contents repeat (as blank squares do). Initially, a
//! relation may be read as a board in several ways (pieces that stand in a row, by row or by kind). A reading is given
//! up when a position has two contents in a square. If all readings are given up, some square got a second content and
//! kept the first: the rule that carries contents over does not check whether a move put another content there. If
//! squares get empty as well, they have sets of contents (such as lamps that are lit), and nothing is wrong.
//!
//! If a content is nearly always gone after the next move, with none in its place, the rule that carries it over may be
//! missing. A capture removes few contents at once, so it does not reach the bound. Moves that end play do not count, nor
//! do contents that follow from other squares, as in automata.

use game::diagnostic::Diagnostic;
use game::interpreter::{Interpreter, JointMove, State};
use game::propositional::{FluentId, Game, GroundTerm, Node};
use game::rules::{Literal, Made, Predicate, Program, Rule, Symbol, Term, Variable};
use game::syntax::Span;
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

const FEWEST: usize = 4;
const SHOWN: usize = 12;
/// A content fades if it is gone after the next move in at least this number of cases.
const FADES: u64 = 16;
/// A content that is kept in at least this part of the cases, one of four, does not fade.
const KEPT: (u64, u64) = (1, 4);
/// Bound on the fluents of a fading content whose rules are examined.
const LOOKED_AT: usize = 16;

pub struct Board<'a> {
    readings: Vec<Reading<'a>>,
}

struct Reading<'a> {
    places: Vec<Vec<Content<'a>>>,
    /// The argument that is the content.
    what: usize,
    /// The number of contents at first.
    contents: usize,
    clash: Option<Clash>,
    /// Whether a square had no content in some position.
    is_sparse: bool,
    /// The fate of each content.
    kinds: IndexMap<&'a GroundTerm, Fate>,
}

/// What became of a content in the squares that had it before a move.
#[derive(Debug, Clone, Default)]
struct Fate {
    held: u64,
    /// How often its square had no content after the move.
    gone: u64,
    /// The fluent of the first square that was empty after the move, with the moves that lead there.
    example: Option<(FluentId, Vec<JointMove>)>,
}

#[derive(Clone, Copy)]
struct Content<'a> {
    term: &'a GroundTerm,
    /// The index of the content among the kinds of the reading.
    kind: usize,
    /// `None` if the fluent always holds.
    id: Option<FluentId>,
    initial: bool,
}

/// A position in which a square has a wrong number of contents.
#[derive(Debug, Clone)]
pub struct Clash {
    /// The two contents, or the one that is gone.
    pub contents: Vec<GroundTerm>,
    pub places: usize,
    pub path: Vec<JointMove>,
}

impl Board<'_> {
    /// The positions (one bit each) in which a reading without a clash so far has a clash. Also notes whether squares
    /// have no content. `columns`: by fluent, the positions in which it holds.
    pub fn clashing(&mut self, columns: &[u64]) -> u64 {
        let mut clashing = 0;
        for reading in self.readings.iter_mut().filter(|reading| reading.clash.is_none() || !reading.is_sparse) {
            for contents in &reading.places {
                let (mut one, mut two) = (0, 0);
                for content in contents {
                    let held = content.id.map_or(u64::MAX, |id| columns[id.index()]);
                    two |= one & held;
                    one |= held;
                }
                reading.is_sparse |= one != u64::MAX;
                clashing |= if reading.clash.is_none() { two } else { 0 };
            }
        }
        clashing
    }

    /// Looks for the first clash of each reading in a position.
    pub fn look(&mut self, state: &State, path: &[JointMove]) {
        for reading in self.readings.iter_mut().filter(|reading| reading.clash.is_none()) {
            reading.clash = reading.clash(state).map(|clash| Clash { path: path.to_vec(), ..clash });
        }
    }

    /// Notes what became of contents by a move in the positions `going`. `before` and `after`: by fluent, the positions
    /// in which it held and holds. `path`: the moves to a position, by its number.
    pub fn moved(&mut self, before: &[u64], after: &[u64], going: u64, path: &dyn Fn(usize) -> Vec<JointMove>) {
        for Reading { places, kinds, .. } in &mut self.readings {
            for contents in places {
                let held = |content: &Content, columns: &[u64]| content.id.map_or(u64::MAX, |id| columns[id.index()]);
                let filled = contents.iter().fold(0, |filled, content| filled | held(content, after));
                for content in contents.iter() {
                    let held = held(content, before) & going;
                    let gone = held & !filled;
                    let fate = &mut kinds[content.kind];
                    fate.held += u64::from(held.count_ones());
                    fate.gone += u64::from(gone.count_ones());
                    if let (true, Some(id), None) = (gone != 0, content.id, &fate.example) {
                        fate.example = Some((id, path(gone.trailing_zeros() as usize)));
                    }
                }
            }
        }
    }

    /// A content that fades, in the reading with the fewest contents.
    pub fn faded(&self, game: &Game) -> Option<Clash> {
        let reading = self.readings.iter().min_by_key(|reading| reading.contents)?;
        let fades = |fate: &&Fate| fate.gone >= FADES && KEPT.1 * fate.gone > (KEPT.1 - KEPT.0) * fate.held;
        let fading = reading.kinds.values().enumerate().filter(|(_, fate)| fades(fate));
        let follows = |kind: usize| {
            let contents = reading.places.iter().flatten().filter(|content| content.kind == kind);
            let looked_at = contents.filter_map(|content| content.id).take(LOOKED_AT);
            looked_at.into_iter().any(|id| follows_from_board(game, id, reading.what))
        };
        let (_, fate) = fading.into_iter().find(|&(kind, _)| !follows(kind))?;
        let (id, path) = fate.example.as_ref()?;
        Some(Clash {
            contents: vec![game.fluents[id.index()].clone()],
            places: reading.places.len(),
            path: path.clone(),
        })
    }

    /// If every reading has a clash: that of the reading with the fewest contents, among those without empty squares.
    pub fn found(&self) -> Option<Clash> {
        let refuted = self.readings.iter().all(|reading| reading.clash.is_some());
        let boards = self.readings.iter().filter(|reading| refuted && !reading.is_sparse);
        boards.min_by_key(|reading| reading.contents)?.clash.clone()
    }
}

impl Reading<'_> {
    fn clash(&self, state: &State) -> Option<Clash> {
        self.places.iter().find_map(|contents| {
            let holds = |content: &&Content| content.id.is_none_or(|id| state.contains(id));
            let mut held = contents.iter().filter(holds);
            let (first, second) = (held.next()?, held.next()?);
            let contents = vec![first.term.clone(), second.term.clone()];
            Some(Clash { contents, places: self.places.len(), path: Vec::new() })
        })
    }
}

/// Whether the rules make a fluent under some condition on other squares, as automata do. `what`: the argument that is
/// the content.
fn follows_from_board(game: &Game, fluent: FluentId, what: usize) -> bool {
    let own = &game.fluents[fluent.index()];
    let is_beside = |other: &GroundTerm| {
        let mut arguments = other.arguments.iter().zip(&own.arguments).enumerate();
        let is_board = (&other.name, other.arguments.len()) == (&own.name, own.arguments.len());
        is_board && arguments.any(|(index, (other, own))| index != what && other != own)
    };
    let (mut next, mut met) = (vec![game.next[fluent.index()]], FxHashSet::default());
    while let Some(node) = next.pop() {
        match game.graph.node(node) {
            Node::Fluent(other) if is_beside(&game.fluents[other.index()]) => return true,
            inner => next.extend(inner.children().iter().copied().filter(|&child| met.insert(child))),
        }
    }
    false
}

/// The boards of a game. `constant`: the fluents that always hold.
pub fn boards<'a>(game: &'a Game, constant: &'a [GroundTerm]) -> Vec<Board<'a>> {
    let varying = game.fluent_ids().map(|id| {
        let index = id.index();
        Content { term: &game.fluents[index], kind: 0, id: Some(id), initial: game.init[index] }
    });
    let constant = constant.iter().map(|term| Content { term, kind: 0, id: None, initial: true });
    let mut relations: IndexMap<(&str, usize), Vec<Content<'a>>> = IndexMap::new();
    for content in varying.chain(constant) {
        relations.entry((&content.term.name, content.term.arguments.len())).or_default().push(content);
    }
    let readings = |arity: usize, fluents: &[Content<'a>]| -> Vec<Reading<'a>> {
        (0..arity).filter_map(|content| reading(fluents, content)).collect()
    };
    let boards = relations.iter().filter(|((_, arity), _)| *arity >= 2);
    let boards = boards.map(|((_, arity), fluents)| Board { readings: readings(*arity, fluents) });
    boards.filter(|board| !board.readings.is_empty()).collect()
}

/// The reading of fluents in which argument `what` is the content, if they form a board.
fn reading<'a>(fluents: &[Content<'a>], what: usize) -> Option<Reading<'a>> {
    let mut places: IndexMap<Vec<&GroundTerm>, Vec<Content<'a>>> = IndexMap::new();
    let mut contents: BTreeSet<&GroundTerm> = BTreeSet::new();
    let mut kinds = IndexMap::new();
    for &fluent in fluents {
        let kind = kinds.entry(&fluent.term.arguments[what]);
        let fluent = Content { kind: kind.index(), ..fluent };
        kind.or_insert_with(Fate::default);
        let arguments = fluent.term.arguments.iter().enumerate();
        let place = arguments.filter(|&(index, _)| index != what).map(|(_, argument)| argument);
        places.entry(place.collect()).or_default().push(fluent);
        if fluent.initial {
            contents.insert(&fluent.term.arguments[what]);
        }
    }
    let held = |contents: &Vec<Content>| contents.iter().filter(|content| content.initial).count();
    let is_board = places.len() >= FEWEST && places.values().all(|contents| held(contents) == 1);
    let contents = contents.len();
    let is_board = is_board && contents < places.len();
    is_board.then(|| Reading {
        places: places.into_values().collect(),
        what,
        contents,
        clash: None,
        is_sparse: false,
        kinds,
    })
}

/// The finding on a clash. It points at the rule that keeps contents; if the language keeps them, at the effect.
pub fn finding(program: &Program, game: &Game, clash: &Clash) -> Diagnostic {
    let Clash { contents, places, path } = clash;
    let path = Interpreter::new(game).play_names(game, path);
    let moves = path.get(..SHOWN).unwrap_or(&path).join(", ");
    let more = if path.len() > SHOWN { ", …" } else { "" };
    let (after, first) =
        (format!("after {moves}{more}"), format!("at first each of {places} such places holds one content"));
    let (code, message, advice) = match &contents[1..] {
        [] => (
            "no-content",
            format!("{} is gone {after}, with nothing in its place; {first}", contents[0]),
            "a fluent holds after a move only if a rule for `next` says so, as `(<= (next F) (true F) …)` does; if it is \
             meant to go, nothing is wrong",
        ),
        others => (
            "two-contents",
            format!("{} and {} hold together {after}; {first}", contents[0], others[0]),
            "the rule that keeps a content must ask that no move puts another one there",
        ),
    };
    let kept = keeper(program, &contents[0]);
    let (span, advice) = match kept {
        Span { start: 0, end: 0 } => effect(program, game, clash),
        _ => (kept, advice.to_owned()),
    };
    Diagnostic::warning(code, span, message).with_advice(advice)
}

/// The place of the effect that makes a clash, and advice, where what no effect deletes stays by itself.
fn effect(program: &Program, game: &Game, clash: &Clash) -> (Span, String) {
    let moves: Vec<&GroundTerm> =
        clash.path.last().into_iter().flatten().map(|&id| &game.moves[id.index()].term).collect();
    let by_move = |wanted: &GroundTerm, deletes: bool| {
        let effects = || program.rules.iter().filter(|rule| rule.span != Span::default());
        let made = |rule: &&Rule| makes(program, rule, &moves, wanted, deletes);
        effects().find(made).map(|rule| rule.span)
    };
    match &clash.contents[..] {
        [gone] => {
            let advice =
                "an effect deletes it, and none puts another content there; if it is meant to go, nothing is wrong";
            (by_move(gone, true).unwrap_or_default(), advice.to_owned())
        }
        [one, other, ..] => match (by_move(one, false), by_move(other, false)) {
            (Some(place), Some(_)) => {
                (place, "two effects put contents there at once: let one action be possible at a time".to_owned())
            }
            (Some(place), None) => (place, stays(other)),
            (None, Some(place)) => (place, stays(one)),
            (None, None) => (Span::default(), stays(one)),
        },
        [] => unreachable!("a clash has contents"),
    }
}

fn stays(content: &GroundTerm) -> String {
    format!(
        "what no effect deletes stays: an effect that puts a content there has to delete the other, here by \
         `(not {content})`"
    )
}

/// Whether a rule for effects makes `wanted` by one of these moves: that it holds next or, if it `deletes`, that it
/// ends.
fn makes(program: &Program, rule: &Rule, moves: &[&GroundTerm], wanted: &GroundTerm, deletes: bool) -> bool {
    let head = match (program.kind(rule.head.predicate), &rule.head.arguments[..]) {
        (Predicate::Next, [Term::Function(name, arguments)])
            if !deletes && program.symbols.name(*name) == wanted.name =>
        {
            arguments
        }
        (Predicate::Relation(name, _), _)
            if deletes && program.symbols.made(name) == Some(&Made::Deleted(wanted.name.clone())) =>
        {
            &rule.head.arguments
        }
        _ => return false,
    };
    let does = rule.body.iter().filter_map(|literal| match literal {
        Literal::Positive(atom) if program.kind(atom.predicate) == Predicate::Does => atom.arguments.last(),
        _ => None,
    });
    does.flat_map(|action| moves.iter().map(move |made| (action, made))).any(|(action, made)| {
        let mut values = FxHashMap::default();
        fits(program, action, made, &mut values)
            && head.len() == wanted.arguments.len()
            && head.iter().zip(&wanted.arguments).all(|(term, wanted)| fits(program, term, wanted, &mut values))
    })
}

/// The place of a rule that makes a move legal for a role.
pub fn rule_of(program: &Program, role: &GroundTerm, action: &GroundTerm) -> Option<Span> {
    let legal = program.find_predicate(Predicate::Legal)?;
    let fits = |rule: &&Rule| {
        let (mut values, arguments) = (FxHashMap::default(), &rule.head.arguments);
        fits(program, &arguments[0], role, &mut values) && fits(program, &arguments[1], action, &mut values)
    };
    let rules = program.rules.iter().filter(|rule| rule.head.predicate == legal && rule.span != Span::default());
    rules.into_iter().find(fits).map(|rule| rule.span)
}

fn fits<'t>(
    program: &Program,
    pattern: &Term,
    term: &'t GroundTerm,
    values: &mut FxHashMap<Variable, &'t GroundTerm>,
) -> bool {
    match pattern {
        Term::Variable(variable) => *values.entry(*variable).or_insert(term) == term,
        Term::Constant(name) => program.symbols.name(*name) == term.name && term.arguments.is_empty(),
        Term::Function(name, arguments) => {
            program.symbols.name(*name) == term.name
                && arguments.len() == term.arguments.len()
                && arguments.iter().zip(&term.arguments).all(|(pattern, term)| fits(program, pattern, term, values))
        }
    }
}

/// The rule for `next` that keeps fluents of a relation from `true`; otherwise the first rule for the relation.
fn keeper(program: &Program, fluent: &GroundTerm) -> Span {
    let shape = |term: &Term| -> Option<(Symbol, usize)> {
        match term {
            Term::Constant(name) => Some((*name, 0)),
            Term::Function(name, arguments) => Some((*name, arguments.len())),
            Term::Variable(_) => None,
        }
    };
    let wanted = program.symbols.find(&fluent.name).map(|name| (name, fluent.arguments.len()));
    let makes = |rule: &&Rule| {
        program.kind(rule.head.predicate) == Predicate::Next && rule.head.arguments.first().and_then(shape) == wanted
    };
    let keeps = |rule: &&Rule| {
        rule.body.iter().any(|literal| match literal {
            Literal::Positive(atom) => {
                program.kind(atom.predicate) == Predicate::True && atom.arguments.first() == rule.head.arguments.first()
            }
            _ => false,
        })
    };
    let rules = || program.rules.iter().filter(makes);
    rules().find(keeps).or_else(|| rules().next()).map_or(Span::default(), |rule| rule.span)
}
