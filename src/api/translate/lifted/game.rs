//! The parts of a lifted description except declarations: actions, gains, goal, derived predicates, initial state.

use super::clauses::{Actor, Lifting};
use super::effects::effects;
use super::flat::{FlatProgram, Kind, kind};
use super::sorts::ValuePlace;
use super::vocabulary::Meaning;
use crate::translate::description::name;
use crate::translate::names::Names;
use game::propositional::{Game, GroundTerm};
use game::rules::gddl::ast::{Action, Atom, Condition, Derivation, Effect, Gain, Signature, Term, Typed};
use game::rules::{self, Predicate, Symbol};
use game::syntax::Span;
use indexmap::IndexSet;
use std::collections::BTreeSet;

/// The kinds of moves of the role in control, and the move of all other roles.
pub struct Moves {
    pub kinds: IndexSet<Kind>,
    pub waiting: Option<Symbol>,
}

impl Lifting<'_> {
    /// Adds all parts to the description; `None` if some rule cannot be translated.
    pub fn describe(&mut self, game: &Game, control: Option<Symbol>, moves: &Moves, init: &[GroundTerm]) -> Option<()> {
        let mut names = Names::gddl(&["-"]);
        for &kind in &moves.kinds {
            self.action(kind, control, moves, &mut names)?;
        }
        match self.flat.stuck {
            Some(stuck) => self.goal_of_task(stuck)?,
            None => self.outcome(game)?,
        }
        let mut next = 0;
        while let Some(&meaning) = self.needed.get_index(next) {
            next += 1;
            self.derivations(meaning)?;
        }
        self.init(init)
    }

    /// Adds the gains and the goal.
    fn outcome(&mut self, game: &Game) -> Option<()> {
        self.gains(game)?;
        let goal = self.any(self.flat.rules_of(Predicate::Terminal), &[], None)?;
        self.note(&goal);
        if self.words.description.gains.is_empty()
            && let (Some(player), _) = self.role(self.flat.rules_of(Predicate::Goal))
        {
            let zero = name(self.words.description.symbols.intern("0"));
            self.words.description.gains.push(Gain::before(goal.clone(), player, zero));
        }
        self.words.description.goals.push((goal, Span::default()));
        Some(())
    }

    /// The role in the heads of `rules`: a parameter, or the role itself if the game has only one.
    fn role(&mut self, rules: &[usize]) -> (Option<Typed>, Term) {
        if let [role] = self.flat.roles[..] {
            return (None, self.constant(role));
        }
        let variable = self.variable(rules, 0, ValuePlace::Role, true);
        let term = Term::Variable(variable.name);
        (Some(variable), term)
    }

    fn action(&mut self, kind: Kind, control: Option<Symbol>, moves: &Moves, names: &mut Names) -> Option<()> {
        let rules = legal_rules(self.flat, kind);
        let (own, role) = self.role(&rules);
        let parameters: Vec<Typed> =
            (0..kind.1).map(|index| self.variable(&rules, index + 1, ValuePlace::Move(kind, index), false)).collect();
        let given: Vec<Term> = parameters.iter().map(|variable| Term::Variable(variable.name)).collect();
        let head: Vec<Term> = std::iter::once(role).chain(given.iter().copied()).collect();
        let legal = self.any(&rules, &head, None)?;
        let in_control = control.map(|control| self.holds(Meaning::Fluent((control, 1)), vec![role]));
        let legal = self.words.typing.given(legal, in_control.as_slice());
        if legal == Condition::FALSE {
            return Some(());
        }
        let conjuncts = match legal {
            Condition::And(parts) => parts,
            other => vec![other],
        };
        let known: Vec<Condition> = in_control.into_iter().chain(conjuncts).collect();
        known.iter().for_each(|part| self.note(part));
        let turn = Actor { role, kind, parameters: given, waiting: moves.waiting };
        let effects = effects(self, &turn, &known)?;
        let chosen = names.choose(self.flat.program.symbols.name(kind.0));
        let name = name(self.words.description.symbols.intern(&chosen));
        let parameters = own.into_iter().chain(parameters).collect();
        let (precondition, effect) = (Condition::And(known), Effect::And(effects));
        let action = Action { name, parameters, precondition, effect, span: Span::default() };
        self.words.description.actions.push(action);
        Some(())
    }

    fn gains(&mut self, game: &Game) -> Option<()> {
        let mut values: BTreeSet<u8> = game.goals.iter().flatten().map(|&(value, _)| value).collect();
        if self.flat.roles.len() == 1 {
            // A single player is told that no state pays the highest reward that the rules name.
            values.extend(self.flat.program.rewards());
        }
        let symbols = &self.flat.program.symbols;
        let rules = self.flat.rules_of(Predicate::Goal);
        for value in values.into_iter().rev() {
            // The text may write a number in several ways, such as `50` and `050`.
            for written in symbols.symbols().filter(|&name| symbols.name(name).parse() == Ok(value)) {
                let (own, role) = self.role(rules);
                let given = [role, self.constant(written)];
                let body = self.any(rules, &given, None)?;
                if body != Condition::FALSE {
                    self.note(&body);
                    let value = name(self.words.description.symbols.intern(&value.to_string()));
                    let parameters = own.into_iter().collect();
                    self.words.description.gains.push(Gain { parameters, value, body, span: Span::default() });
                }
            }
        }
        Some(())
    }

    /// Adds a derivation for each rule of the program that is not a fact.
    fn derivations(&mut self, meaning: Meaning) -> Option<()> {
        let flat = self.flat;
        let (facts, rules) = match meaning {
            Meaning::Relation((relation, arity)) => {
                let rules = flat.rules_of(Predicate::Relation(relation, arity as u32)).iter();
                rules.partition(|&&rule| flat.program.rules[rule].body.is_empty())
            }
            Meaning::Legal(kind) => (Vec::new(), legal_rules(flat, kind)),
            Meaning::Terminal => (Vec::new(), flat.rules_of(Predicate::Terminal).to_vec()),
            Meaning::Fluent(_) | Meaning::Facts(_) => return Some(()),
        };
        for &rule in &rules {
            let (head, given) = self.signature(meaning, &[rule]);
            let body = self.any(&[rule], &given, None)?;
            self.derivation(head, body);
        }
        if let (Meaning::Relation(kind), false, false) = (meaning, rules.is_empty(), facts.is_empty()) {
            let (head, given) = self.signature(meaning, &[]);
            let body = self.holds(Meaning::Facts(kind), given);
            self.derivation(head, body);
        }
        Some(())
    }

    fn signature(&mut self, meaning: Meaning, rules: &[usize]) -> (Signature, Vec<Term>) {
        let places = meaning.places();
        let named = |(index, place)| self.variable(rules, index, place, false);
        let parameters: Vec<Typed> = places.into_iter().enumerate().map(named).collect();
        let given: Vec<Term> = parameters.iter().map(|variable| Term::Variable(variable.name)).collect();
        let Atom { predicate, .. } = self.words.atom(meaning, Vec::new(), &self.flat.program.symbols);
        (Signature { name: predicate, parameters, span: Span::default() }, given)
    }

    fn derivation(&mut self, head: Signature, body: Condition) {
        if body != Condition::FALSE {
            self.note(&body);
            self.words.description.derivations.push(Derivation { head, body, span: Span::default() });
        }
    }

    /// Adds the initial fluents, and the facts of all relations that occur.
    fn init(&mut self, init: &[GroundTerm]) -> Option<()> {
        let program = self.flat.program;
        for fluent in init {
            let terms = fluent.arguments.iter().map(|term| Some(self.constant(program.symbols.find(&term.name)?)));
            let terms = terms.collect::<Option<Vec<Term>>>()?;
            let kind = (program.symbols.find(&fluent.name)?, terms.len());
            let atom = self.words.atom(Meaning::Fluent(kind), terms, &program.symbols);
            self.words.description.init.push(atom);
        }
        for meaning in self.needed.clone() {
            let (Meaning::Relation((relation, arity)) | Meaning::Facts((relation, arity))) = meaning else { continue };
            let rules = self.flat.rules_of(Predicate::Relation(relation, arity as u32));
            let facts = rules.iter().map(|&rule| &program.rules[rule]).filter(|rule| rule.body.is_empty());
            // A relation with facts and other rules has a separate predicate for its facts.
            if matches!(meaning, Meaning::Relation(_)) && facts.clone().count() < rules.len() {
                continue;
            }
            for fact in facts {
                let terms = fact.head.arguments.iter().map(|term| match term {
                    rules::Term::Constant(name) => self.constant(*name),
                    _ => unreachable!("a fact of a program with flat terms has constants only"),
                });
                let terms = terms.collect();
                let atom = self.words.atom(meaning, terms, &program.symbols);
                self.words.description.init.push(atom);
            }
        }
        Some(())
    }
}

fn legal_rules(flat: &FlatProgram, wanted: Kind) -> Vec<usize> {
    let rules = flat.rules_of(Predicate::Legal).iter().copied();
    rules.filter(|&rule| kind(&flat.program.rules[rule].head.arguments[1]) == Some(wanted)).collect()
}
