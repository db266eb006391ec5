//! The Datalog program, with negation and function terms, to which every rule language is lowered.
//!
//! The program contains no disjunctions and no nested negations, which were multiplied out or moved to auxiliary
//! predicates. Every rule is safe and the program is stratified. The keywords of the Game Description Language (Love,
//! Hinrichs and Genesereth 2006) are ordinary predicates; [`Predicate`] distinguishes them.

use super::CHANCE;
use super::costs::Costs;
use crate::reward::reward;
use crate::syntax::Span;
use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

/// The purpose of a name made by lowering or grounding. Such names contain [`Made::MARK`] or a blank, unlike names of a
/// text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Made {
    /// An auxiliary relation or variable for a name of the text, with its own number.
    Auxiliary { of: String, number: u32 },
    /// The relation of one rule, after the relation of this name was split.
    Rule { of: String, rule: usize },
    /// The fluents of this name that a move deletes.
    Deleted(String),
    /// The objects of one of these types.
    Types(Vec<String>),
    /// A part of a split rule, by its number.
    Split(usize),
    /// The alternatives of gathered rules, by the number of the first rule.
    Gathered(usize),
    /// The relation that lists the demands on another relation, by its number.
    Demand(usize),
    /// A part of a rule that uses a diagram, by its number.
    Link(usize),
    /// The relation that lists the branches of diagrams, and a variable for a node.
    Branch,
    /// A node of a diagram, by its number.
    Node(u32),
}

impl Made {
    pub const MARK: char = '|';
}

/// Only this code writes made names.
impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = Made::MARK;
        match self {
            Made::Auxiliary { of, number } => write!(f, "{of}{mark}{number}"),
            Made::Rule { of, rule } => write!(f, "{of}{mark}rule{rule}"),
            Made::Deleted(of) => write!(f, "{of}{mark}deleted"),
            Made::Types(types) => {
                types.iter().try_for_each(|name| write!(f, "{name}{mark}"))?;
                f.write_str("type")
            }
            Made::Split(number) => write!(f, "split {number}"),
            Made::Gathered(number) => write!(f, "gathered {number}"),
            Made::Demand(number) => write!(f, "demand {number}"),
            Made::Link(number) => write!(f, "link {number}"),
            Made::Branch => f.write_str("branch of"),
            Made::Node(number) => write!(f, "node {number}"),
        }
    }
}

/// All names of a program; [`Symbol`]s index it.
#[derive(Debug, Clone, Default)]
pub struct SymbolTable {
    names: IndexSet<String>,
    made: FxHashMap<Symbol, Made>,
    auxiliaries: u32,
}

impl SymbolTable {
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(index) = self.names.get_index_of(name) {
            return Symbol(index as u32);
        }
        Symbol(self.names.insert_full(name.to_owned()).0 as u32)
    }

    /// The name for a purpose. Equal purposes have one name.
    pub fn make(&mut self, made: Made) -> Symbol {
        let symbol = self.intern(&made.to_string());
        self.made.insert(symbol, made);
        symbol
    }

    /// An auxiliary name that differs from all other names.
    pub fn auxiliary(&mut self, of: &str) -> Symbol {
        self.auxiliaries += 1;
        self.make(Made::Auxiliary { of: of.to_owned(), number: self.auxiliaries })
    }

    /// The purpose of a made name; `None` for a name of the text.
    pub fn made(&self, symbol: Symbol) -> Option<&Made> {
        self.made.get(&symbol)
    }

    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }

    /// The name in the text that a symbol comes from; its own name if there is none.
    pub fn written(&self, symbol: Symbol) -> &str {
        match self.made(symbol) {
            Some(Made::Auxiliary { of, .. } | Made::Rule { of, .. } | Made::Deleted(of)) => of,
            _ => self.name(symbol),
        }
    }

    pub fn symbols(&self) -> impl Iterator<Item = Symbol> + use<> {
        (0..self.names.len() as u32).map(Symbol)
    }

    pub fn find(&self, name: &str) -> Option<Symbol> {
        self.names.get_index_of(name).map(|index| Symbol(index as u32))
    }
}

/// An index into [`Rule::variables`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variable(pub u32);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Term {
    Constant(Symbol),
    Variable(Variable),
    /// A function symbol applied to one or more arguments.
    Function(Symbol, Vec<Term>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Predicate {
    /// `(role r)`
    Role,
    /// `(init f)`
    Init,
    /// `(true f)`
    True,
    /// `(does r m)`
    Does,
    /// `(next f)`
    Next,
    /// `(legal r m)`
    Legal,
    /// `(goal r n)`
    Goal,
    /// `terminal`
    Terminal,
    /// `(base f)`
    Base,
    /// `(input r m)`
    Input,
    /// A relation of the rulesheet by name and arity, or a made relation ([`SymbolTable::made`]).
    Relation(Symbol, u32),
}

impl Predicate {
    /// The name as displayed: the keyword, or the name of the relation.
    pub fn name(self, symbols: &SymbolTable) -> &str {
        match self {
            Predicate::Relation(name, _) => symbols.name(name),
            keyword => keyword.keyword().expect("what is no relation has a word").0,
        }
    }

    /// The keyword of a predicate with a fixed meaning, and its number of arguments; `None` for other relations.
    pub fn keyword(self) -> Option<(&'static str, usize)> {
        Some(match self {
            Predicate::Role => ("role", 1),
            Predicate::Init => ("init", 1),
            Predicate::True => ("true", 1),
            Predicate::Does => ("does", 2),
            Predicate::Next => ("next", 1),
            Predicate::Legal => ("legal", 2),
            Predicate::Goal => ("goal", 2),
            Predicate::Terminal => ("terminal", 0),
            Predicate::Base => ("base", 1),
            Predicate::Input => ("input", 2),
            Predicate::Relation(..) => return None,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PredicateId(pub u32);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Atom {
    pub predicate: PredicateId,
    pub arguments: Vec<Term>,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Literal {
    Positive(Atom),
    Negative(Atom),
    /// The two terms differ once they are ground.
    Distinct(Term, Term, Span),
}

impl Literal {
    /// The atom of which the condition is true or false; `None` for two terms that must differ.
    pub fn atom(&self) -> Option<&Atom> {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
            Literal::Distinct(..) => None,
        }
    }

    /// The same condition without its place in the text.
    pub fn without_place(&self) -> Literal {
        let atom = |atom: &Atom| Atom { span: Span::default(), ..atom.clone() };
        match self {
            Literal::Positive(positive) => Literal::Positive(atom(positive)),
            Literal::Negative(negative) => Literal::Negative(atom(negative)),
            Literal::Distinct(left, right, _) => Literal::Distinct(left.clone(), right.clone(), Span::default()),
        }
    }
}

/// A rule `head ← body`. A fact has an empty body and no variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub head: Atom,
    pub body: Vec<Literal>,
    /// The written names of the variables, by [`Variable`].
    pub variables: Vec<Symbol>,
    pub span: Span,
}

#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The name of the game, such as the stem of the file's name.
    pub name: String,
    pub symbols: SymbolTable,
    pub predicates: IndexSet<Predicate>,
    pub rules: Vec<Rule>,
    /// The roles that are facts, each once. Their order, with chance last, is that of moves and rewards. Roles that
    /// rules derive come after them, ordered by name.
    pub roles: Vec<Term>,
    /// The costs of moves; `None` if each costs 1.
    pub costs: Option<Costs>,
}

impl Program {
    pub fn predicate(&mut self, predicate: Predicate) -> PredicateId {
        PredicateId(self.predicates.insert_full(predicate).0 as u32)
    }

    pub fn find_predicate(&self, predicate: Predicate) -> Option<PredicateId> {
        self.predicates.get_index_of(&predicate).map(|index| PredicateId(index as u32))
    }

    pub fn players(&self) -> usize {
        self.roles.len() - usize::from(self.has_chance())
    }

    pub fn has_chance(&self) -> bool {
        self.place_of_chance().is_some()
    }

    /// The index of chance among the roles that are facts, in the order of the text: the first one with its name, in
    /// whatever case.
    pub fn place_of_chance(&self) -> Option<usize> {
        let is_chance =
            |role: &Term| matches!(role, Term::Constant(name) if self.symbols.name(*name).eq_ignore_ascii_case(CHANCE));
        self.roles.iter().position(is_chance)
    }

    /// The rewards in heads of rules for `goal`, for any role.
    pub fn rewards(&self) -> Vec<u8> {
        let goal = self.find_predicate(Predicate::Goal);
        let goals = self.rules.iter().filter(|rule| Some(rule.head.predicate) == goal);
        let named = goals.filter_map(|rule| match rule.head.arguments.last() {
            Some(Term::Constant(name)) => reward(self.symbols.name(*name)).ok(),
            _ => None,
        });
        let named: BTreeSet<u8> = named.collect();
        named.into_iter().collect()
    }

    pub fn kind(&self, predicate: PredicateId) -> Predicate {
        self.predicates[predicate.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_were_made_differ_from_written_ones_and_say_what_for() {
        let mut symbols = SymbolTable::default();
        let row = symbols.intern("row");
        let made = [
            Made::Auxiliary { of: "row".to_owned(), number: 3 },
            Made::Rule { of: "row".to_owned(), rule: 3 },
            Made::Deleted("row".to_owned()),
            Made::Types(vec!["row".to_owned(), "column".to_owned()]),
            Made::Split(3),
            Made::Gathered(3),
            Made::Demand(3),
            Made::Link(3),
            Made::Branch,
            Made::Node(3),
        ];
        let names: Vec<Symbol> = made.iter().map(|made| symbols.make(made.clone())).collect();
        let shown: Vec<&str> = names.iter().map(|&name| symbols.name(name)).collect();
        let expected = ["row|3", "row|rule3", "row|deleted", "row|column|type", "split 3", "gathered 3", "demand 3"];
        assert_eq!(shown, [&expected[..], &["link 3", "branch of", "node 3"]].concat());
        assert!(names.iter().zip(&made).all(|(&name, made)| symbols.made(name) == Some(made)));
        assert_eq!(symbols.make(made[0].clone()), names[0]);
        let [one, other] = [(); 2].map(|()| symbols.auxiliary("row"));
        assert!(one != other && !names.contains(&one) && symbols.written(other) == "row");
        assert_eq!(symbols.made(row), None);
        assert_eq!(Predicate::Relation(names[2], 1).name(&symbols), "row|deleted");
        assert_eq!(Predicate::Terminal.name(&symbols), "terminal");
    }
}
