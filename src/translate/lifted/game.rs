//! The contents of a lifted text: actions, gains, the goal, and the rules of the derived predicates that they use.

use super::clauses::{Actor, Clauses};
use super::effects::{Effect, effects};
use super::flat::{FlatProgram, Kind, kind};
use super::formula::{Formula, Name, Term, Variable};
use super::sorts::{Sort, ValuePlace};
use crate::propositional::Game;
use crate::rules::{Predicate, Symbol};
use indexmap::IndexSet;

/// The kinds of moves that roles make in control, and the move of the roles without control.
pub struct Moves {
    pub kinds: IndexSet<Kind>,
    pub waiting: Option<Symbol>,
}

/// An action.
pub struct Action {
    pub kind: Kind,
    /// The parameter for the role, if there are several roles.
    pub role: Option<Variable>,
    pub parameters: Vec<Variable>,
    pub precondition: Vec<Formula>,
    pub effects: Vec<Effect>,
}

/// A text without its vocabulary.
pub struct Lifted {
    pub actions: Vec<Action>,
    /// The role (if there are several), the reward, and the condition under which the role gets it.
    pub gains: Vec<(Option<Variable>, u8, Formula)>,
    pub goal: Formula,
}

/// A rule of a derived predicate.
pub struct Rule {
    pub name: Name,
    pub head: Vec<Variable>,
    pub body: Formula,
}

impl Lifted {
    /// `None` if some rule cannot be translated.
    pub fn new(clauses: &mut Clauses, game: &Game, control: Option<Symbol>, moves: &Moves) -> Option<Self> {
        let flat = clauses.flat;
        let role_sort = clauses.sorts.of(ValuePlace::Role);
        let single = (flat.roles.len() == 1).then(|| clauses.constant(flat.roles[0]));
        let role = |clauses: &mut Clauses, rules: &[usize]| match single {
            Some(role) => (None, role),
            None => {
                let variable = clauses.variable(clauses.name(rules, 0), role_sort, true);
                (Some(variable), Term::Variable(variable))
            }
        };
        let mut actions = Vec::new();
        for &kind in &moves.kinds {
            let rules = legal_rules(flat, kind);
            let (own, term) = role(clauses, &rules);
            let parameters: Vec<Variable> = (0..kind.1)
                .map(|index| {
                    let sort = clauses.sorts.of(ValuePlace::Move(kind, index));
                    clauses.variable(clauses.name(&rules, index + 1), sort, false)
                })
                .collect();
            let given: Vec<Term> = parameters.iter().map(|&variable| Term::Variable(variable)).collect();
            let head: Vec<Term> = std::iter::once(term).chain(given.iter().copied()).collect();
            let legal = clauses.any(&rules, &head, None)?;
            let in_control = control.map(|control| Formula::Atom(Name::Fluent(control, 1), vec![term]));
            let legal = legal.given(in_control.as_slice());
            if legal.is_false() {
                continue;
            }
            let precondition: Vec<Formula> = in_control.into_iter().chain(legal.conjuncts()).collect();
            let turn = Actor { role: term, kind, parameters: given, waiting: moves.waiting };
            let effects = effects(clauses, &turn, &precondition)?;
            actions.push(Action { kind, role: own, parameters, precondition, effects });
        }
        let values: std::collections::BTreeSet<u8> = game.goals.iter().flatten().map(|&(value, _)| value).collect();
        let mut gains = Vec::new();
        for value in values.into_iter().rev() {
            // A number can be written in several ways, such as `50` and `050`.
            let symbols = &flat.program.symbols;
            for name in symbols.symbols().filter(|&name| symbols.name(name).parse() == Ok(value)) {
                let rules = flat.rules_of(Predicate::Goal);
                let (own, term) = role(clauses, rules);
                let given = [term, clauses.constant(name)];
                let condition = clauses.any(rules, &given, None)?;
                if !condition.is_false() {
                    gains.push((own, value, condition));
                }
            }
        }
        let goal = clauses.any(flat.rules_of(Predicate::Terminal), &[], None)?;
        Some(Lifted { actions, gains, goal })
    }

    /// Appends the rules of all derived predicates that the text needs, and returns all names that it uses except
    /// fluents.
    pub fn relations(&self, clauses: &mut Clauses, rules: &mut Vec<Rule>) -> Option<IndexSet<Name>> {
        let mut needed: IndexSet<Name> = IndexSet::new();
        let note = |formula: &Formula, needed: &mut IndexSet<Name>| {
            formula.each_atom(&mut |name| {
                if !matches!(name, Name::Fluent(..)) {
                    needed.insert(name);
                }
            });
        };
        for action in &self.actions {
            action.precondition.iter().for_each(|part| note(part, &mut needed));
            action.effects.iter().for_each(|effect| note(&effect.condition, &mut needed));
        }
        self.gains.iter().for_each(|(_, _, condition)| note(condition, &mut needed));
        note(&self.goal, &mut needed);
        let mut next = 0;
        while let Some(&name) = needed.get_index(next) {
            next += 1;
            for rule in derivations(clauses, name)? {
                note(&rule.body, &mut needed);
                rules.push(rule);
            }
        }
        Some(needed)
    }
}

fn legal_rules(flat: &FlatProgram, wanted: Kind) -> Vec<usize> {
    let rules = flat.rules_of(Predicate::Legal).iter().copied();
    rules.filter(|&rule| kind(&flat.program.rules[rule].head.arguments[1]) == Some(wanted)).collect()
}

/// The rules of a derived predicate, one for each rule of the program; facts are not among them.
fn derivations(clauses: &mut Clauses, name: Name) -> Option<Vec<Rule>> {
    let flat = clauses.flat;
    let (rules, places): (Vec<usize>, Vec<Option<Sort>>) = match name {
        Name::Relation(relation, arity) => {
            let rules = flat.rules_of(Predicate::Relation(relation, arity as u32)).to_vec();
            let place = |index| clauses.sorts.of(ValuePlace::Relation(relation, arity, index));
            (rules, (0..arity).map(place).collect())
        }
        Name::Legal(kind, arity) => {
            let role = clauses.sorts.of(ValuePlace::Role);
            let place = |index| clauses.sorts.of(ValuePlace::Move((kind, arity), index));
            (legal_rules(flat, (kind, arity)), std::iter::once(role).chain((0..arity).map(place)).collect())
        }
        Name::Terminal => (flat.rules_of(Predicate::Terminal).to_vec(), Vec::new()),
        Name::Fluent(..) | Name::Facts(..) => return Some(Vec::new()),
    };
    let is_fact = |&rule: &usize| flat.program.rules[rule].body.is_empty();
    let (facts, rules): (Vec<usize>, Vec<usize>) = match name {
        Name::Relation(..) => rules.into_iter().partition(is_fact),
        _ => (Vec::new(), rules),
    };
    if rules.is_empty() {
        return Some(Vec::new());
    }
    let mut found = Vec::new();
    for rule in rules {
        let named = |(index, &sort)| clauses.variable(clauses.name(&[rule], index), sort, false);
        let head: Vec<Variable> = places.iter().enumerate().map(named).collect();
        let given: Vec<Term> = head.iter().map(|&variable| Term::Variable(variable)).collect();
        let body = clauses.any(&[rule], &given, None)?;
        found.push(Rule { name, head, body });
    }
    if let (Name::Relation(relation, arity), false) = (name, facts.is_empty()) {
        let head: Vec<Variable> = places.iter().map(|&sort| clauses.variable(None, sort, false)).collect();
        let given = head.iter().map(|&variable| Term::Variable(variable)).collect();
        found.push(Rule { name, head, body: Formula::Atom(Name::Facts(relation, arity), given) });
    }
    found.retain(|rule| !rule.body.is_false());
    Some(found)
}
