//! The text of a lifted game: domain and problem.

use super::clauses::{Clauses, Turn};
use super::effects::{Effect, effects};
use super::formula::{Formula, Name, Term, Variable};
use super::shape::{Kind, Shape, kind};
use super::sorts::{Place, Sort, Sorts};
use super::vocabulary::{Vocabulary, initial_fluents};
use crate::limits::Limits;
use crate::propositional::{Game, NodeId};
use crate::rules::{Predicate, Program, Symbol};
use crate::translate::TranslateError;
use crate::translate::ground::effects::Rewriter;
use crate::translate::ground::turns::{self, Turns};
use crate::translate::layout::{Expression, list, word};
use crate::translate::names::Names;
use indexmap::{IndexMap, IndexSet};

/// A program in GDDL; none if it is of no form that can be translated rule by rule.
pub fn text(program: &Program, game: &Game, limits: &Limits) -> Result<Option<String>, TranslateError> {
    let Some(shape) = Shape::new(program) else { return Ok(None) };
    let mut graph = game.graph.clone();
    let turns = turns::turns(game, &mut graph, limits)?;
    let Some(control) = control(&shape, game, &turns) else { return Ok(None) };
    let Some(moves) = moves(&shape, game, &mut Rewriter::new(game, &mut graph), &turns) else { return Ok(None) };
    let Some(init) = initial_fluents(program, limits) else { return Ok(None) };
    let sorts = Sorts::new(&shape);
    let mut clauses = Clauses::new(&shape, &sorts);
    let Some(game) = Lifted::new(&mut clauses, game, control, &moves) else { return Ok(None) };
    let mut rules = Vec::new();
    let Some(relations) = game.relations(&mut clauses, &mut rules) else { return Ok(None) };
    let vocabulary = Vocabulary::new(&clauses, control, &relations);
    Ok(Some(vocabulary.text(&clauses, &game, &rules, &init)))
}

/// The fluent that tells whose turn it is (nothing where there is one role), or none where no fluent of one argument
/// does.
fn control(shape: &Shape, game: &Game, turns: &Turns) -> Option<Option<Symbol>> {
    let fluents = match turns {
        Turns::Single => return Some(None),
        Turns::Formulas(_) => return None,
        Turns::Fluents(fluents) => fluents,
    };
    let mut found = None;
    for (role, fluent) in game.roles.iter().zip(fluents) {
        let term = &game.fluents[fluent.index()];
        if term.arguments.len() != 1 || term.arguments[0] != *role || *found.get_or_insert(&term.name) != &term.name {
            return None;
        }
    }
    let name = shape.program.symbols.find(found?)?;
    shape.fluents.contains(&(name, 1)).then_some(Some(name))
}

/// The kinds of moves that are made in control, and the one that the others wait with.
struct Moves {
    kinds: IndexSet<Kind>,
    waiting: Option<Symbol>,
}

/// None unless every role without control has the same single move, which is none of those made in control.
fn moves(shape: &Shape, game: &Game, rewriter: &mut Rewriter, turns: &Turns) -> Option<Moves> {
    let mut kinds = IndexSet::new();
    let mut waiting = None;
    for own in game.role_ids() {
        let legal = rewriter.legal(own, turns);
        for role in game.role_ids() {
            let possible = game.moves_of(role).filter(|id| legal[id.index()] != NodeId::FALSE);
            let possible: Vec<_> = possible.collect();
            if role == own {
                for id in possible {
                    let term = &game.moves[id.index()].term;
                    kinds.insert((shape.program.symbols.find(&term.name)?, term.arguments.len()));
                }
                continue;
            }
            let [id] = possible[..] else { return None };
            let term = &game.moves[id.index()].term;
            let name = shape.program.symbols.find(&term.name)?;
            if legal[id.index()] != NodeId::TRUE || !term.arguments.is_empty() || *waiting.get_or_insert(name) != name {
                return None;
            }
        }
    }
    (!waiting.is_some_and(|name| kinds.contains(&(name, 0)))).then_some(Moves { kinds, waiting })
}

/// An action.
pub struct Action {
    pub kind: Kind,
    /// The parameter for the role, where there are several.
    pub role: Option<Variable>,
    pub parameters: Vec<Variable>,
    pub precondition: Vec<Formula>,
    pub effects: Vec<Effect>,
}

/// What a text consists of besides its vocabulary.
pub struct Lifted {
    pub actions: Vec<Action>,
    /// The role (where there are several), the reward, and when the role gets it.
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
    fn new(clauses: &mut Clauses, game: &Game, control: Option<Symbol>, moves: &Moves) -> Option<Self> {
        let shape = clauses.shape;
        let role_sort = clauses.sorts.of(Place::Role);
        let single = (shape.roles.len() == 1).then(|| clauses.constant(shape.roles[0]));
        let role = |clauses: &mut Clauses, rules: &[usize]| match single {
            Some(role) => (None, role),
            None => {
                let variable = clauses.variable(clauses.name(rules, 0), role_sort, true);
                (Some(variable), Term::Variable(variable))
            }
        };
        let mut actions = Vec::new();
        for &kind in &moves.kinds {
            let rules = legal_rules(shape, kind);
            let (own, term) = role(clauses, &rules);
            let parameters: Vec<Variable> = (0..kind.1)
                .map(|index| {
                    let sort = clauses.sorts.of(Place::Move(kind, index));
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
            let turn = Turn { role: term, kind, parameters: given, waiting: moves.waiting };
            let effects = effects(clauses, &turn, &precondition)?;
            actions.push(Action { kind, role: own, parameters, precondition, effects });
        }
        let values: std::collections::BTreeSet<u8> = game.goals.iter().flatten().map(|&(value, _)| value).collect();
        let mut gains = Vec::new();
        for value in values.into_iter().rev() {
            // A reward that no text of the rules names can't occur.
            let Some(name) = shape.program.symbols.find(&value.to_string()) else { continue };
            let rules = shape.rules_of(Predicate::Goal);
            let (own, term) = role(clauses, rules);
            let given = [term, clauses.constant(name)];
            let condition = clauses.any(rules, &given, None)?;
            if !condition.is_false() {
                gains.push((own, value, condition));
            }
        }
        let goal = clauses.any(shape.rules_of(Predicate::Terminal), &[], None)?;
        Some(Lifted { actions, gains, goal })
    }

    /// Appends the rules of all derived predicates that the text needs, and gives all names it uses but fluents.
    fn relations(&self, clauses: &mut Clauses, rules: &mut Vec<Rule>) -> Option<IndexSet<Name>> {
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

fn legal_rules(shape: &Shape, wanted: Kind) -> Vec<usize> {
    let rules = shape.rules_of(Predicate::Legal).iter().copied();
    rules.filter(|&rule| kind(&shape.program.rules[rule].head.arguments[1]) == Some(wanted)).collect()
}

/// The rules of a derived predicate, one for each of the program; none for facts.
fn derivations(clauses: &mut Clauses, name: Name) -> Option<Vec<Rule>> {
    let shape = clauses.shape;
    let (rules, places): (Vec<usize>, Vec<Option<Sort>>) = match name {
        Name::Relation(relation, arity) => {
            let rules = shape.rules_of(Predicate::Relation(relation, arity as u32)).to_vec();
            let place = |index| clauses.sorts.of(Place::Relation(relation, arity, index));
            (rules, (0..arity).map(place).collect())
        }
        Name::Legal(kind, arity) => {
            let role = clauses.sorts.of(Place::Role);
            let place = |index| clauses.sorts.of(Place::Move((kind, arity), index));
            (legal_rules(shape, (kind, arity)), std::iter::once(role).chain((0..arity).map(place)).collect())
        }
        Name::Terminal => (shape.rules_of(Predicate::Terminal).to_vec(), Vec::new()),
        Name::Fluent(..) | Name::Facts(..) => return Some(Vec::new()),
    };
    let is_fact = |&rule: &usize| shape.program.rules[rule].body.is_empty();
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

/// Variables of one section of the text, by their names there.
pub struct Scope<'v, 'c> {
    vocabulary: &'v Vocabulary,
    clauses: &'v Clauses<'c>,
    names: Names,
    chosen: IndexMap<Variable, String>,
}

impl<'v, 'c> Scope<'v, 'c> {
    pub fn new(vocabulary: &'v Vocabulary, clauses: &'v Clauses<'c>) -> Self {
        Scope { vocabulary, clauses, names: Names::new(&["?"]), chosen: IndexMap::new() }
    }

    fn variable(&mut self, variable: Variable) -> Expression {
        if let Some(name) = self.chosen.get(&variable) {
            return word(name.as_str());
        }
        let entry = self.clauses.variables[variable.id as usize];
        let wished = match entry.name {
            Some(name) => self.clauses.shape.program.symbols.name(name).to_owned(),
            None => format!("?{}", self.vocabulary.type_of(variable, self.clauses)),
        };
        let name = self.names.choose(&wished);
        self.chosen.insert(variable, name.clone());
        word(name)
    }

    /// Variables with their types.
    pub fn typed(&mut self, variables: &[Variable]) -> Vec<Expression> {
        let mut words = Vec::new();
        for (index, &variable) in variables.iter().enumerate() {
            words.push(self.variable(variable));
            let own = self.vocabulary.type_of(variable, self.clauses);
            let next = variables.get(index + 1).map(|&next| self.vocabulary.type_of(next, self.clauses));
            if next != Some(own) {
                words.extend([word("-"), word(own)]);
            }
        }
        words
    }

    pub fn term(&mut self, term: Term) -> Expression {
        match term {
            Term::Constant { name, .. } => word(self.vocabulary.object(name)),
            Term::Variable(variable) => self.variable(variable),
        }
    }

    pub fn condition(&mut self, formula: &Formula) -> Expression {
        match formula {
            Formula::Atom(name, terms) => {
                let terms: Vec<Expression> = terms.iter().map(|&term| self.term(term)).collect();
                list(self.vocabulary.predicate(*name), terms)
            }
            Formula::Equal(left, right) => list("=", [self.term(*left), self.term(*right)]),
            Formula::Not(inner) => list("not", [self.condition(inner)]),
            Formula::And(parts) => list("and", parts.iter().map(|part| self.condition(part)).collect::<Vec<_>>()),
            Formula::Or(parts) => list("or", parts.iter().map(|part| self.condition(part)).collect::<Vec<_>>()),
            Formula::Exists(variables, body) => {
                let typed = Expression::List(self.typed(variables));
                list("exists", [typed, self.condition(body)])
            }
        }
    }

    pub fn effect(&mut self, effect: &Effect) -> Expression {
        let typed = (!effect.variables.is_empty()).then(|| Expression::List(self.typed(&effect.variables)));
        let terms: Vec<Expression> = effect.arguments.iter().map(|&term| self.term(term)).collect();
        let mut text = list(self.vocabulary.predicate(Name::Fluent(effect.fluent.0, effect.fluent.1)), terms);
        if !effect.value {
            text = list("not", [text]);
        }
        if !effect.condition.is_true() {
            text = list("when", [self.condition(&effect.condition), text]);
        }
        match typed {
            Some(typed) => list("forall", [typed, text]),
            None => text,
        }
    }
}
