//! Writes a program as a GDL text, rule by rule, without what can never hold. Time and memory are linear in its size.

use super::layout::{Expression, list, word};
use super::names::Names;
use super::possible;
use game::rules::check::is_slip;
use game::rules::{Atom, Literal, Made, Predicate, Program, Rule, Symbol, Term, Variable};
use indexmap::IndexMap;

const RESERVED: [&str; 20] = [
    "<=", "and", "or", "not", "distinct", "role", "init", "true", "does", "next", "legal", "goal", "terminal", "base",
    "input", "sees", "=>", "<=>", "->", "<-",
];

/// The rules as text, from which the same game is read, without what can never hold ([`possible`]). `idle`: the rules
/// that apply in no reachable state, as far as they are known. Where lowering made a variable for the only role, the
/// text has the role itself. Names that GDL does not allow are replaced.
pub fn text(program: &Program, idle: &[usize]) -> String {
    let program = &possible::program(program, idle);
    let writer = Writer::new(program);
    let mut text = format!(";;; {}, written by ggsolve\n", program.name.replace(['\n', '\r'], " "));
    let mut last = None;
    for rule in &program.rules {
        let facts = rule.body.is_empty();
        // A blank line separates the rules of different predicates.
        let group = (rule.head.predicate, facts);
        if last != Some(group) {
            text.push('\n');
        }
        last = Some(group);
        writer.rule(rule).write(&mut text, 0, 2);
        text.push('\n');
    }
    for rule in writer.asked_for() {
        text.push('\n');
        rule.write(&mut text, 0, 2);
        text.push('\n');
    }
    text
}

struct Writer<'a> {
    program: &'a Program,
    /// By name and number of arguments: in GDL, a name has one number.
    relations: IndexMap<(Symbol, usize), String>,
    terms: IndexMap<Symbol, String>,
    /// The only role, if the game has one and one fact names it.
    role: Option<Symbol>,
}

impl<'a> Writer<'a> {
    fn new(program: &'a Program) -> Self {
        let mut relations = IndexMap::new();
        let mut terms = IndexMap::new();
        for rule in &program.rules {
            let atoms = rule.body.iter().filter_map(|literal| match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
                Literal::Distinct(..) => None,
            });
            for atom in std::iter::once(&rule.head).chain(atoms) {
                if let Predicate::Relation(name, _) = program.kind(atom.predicate) {
                    relations.insert((name, atom.arguments.len()), String::new());
                }
                atom.arguments.iter().for_each(|term| collect(term, &mut terms));
            }
            for literal in &rule.body {
                if let Literal::Distinct(left, right, _) = literal {
                    [left, right].into_iter().for_each(|term| collect(term, &mut terms));
                }
            }
        }
        name(program, &mut relations, |&(name, _)| name);
        name(program, &mut terms, |&name| name);
        let mut roles = program.rules.iter().filter(|rule| program.kind(rule.head.predicate) == Predicate::Role);
        let role = match program.roles[..] {
            [Term::Constant(role)] => roles.next().and(Some(role)).filter(|_| roles.next().is_none()),
            _ => None,
        };
        Writer { program, relations, terms, role }
    }

    /// Rules that never apply, where GDL asks for rules of a keyword and the game needs none: all fluents are false at
    /// first, nothing changes, or a planning task has no actions.
    fn asked_for(&self) -> Vec<Expression> {
        let program = self.program;
        let Some(role) = program.roles.first().map(|role| self.term(role, &[])) else { return Vec::new() };
        let taken: Vec<String> = self.terms.values().map(|name| name.to_ascii_lowercase()).collect();
        let none = Names::new(&taken.iter().map(String::as_str).collect::<Vec<_>>()).choose("none");
        let none = || word(none.clone());
        let no_role = || list("not", [list("role", [role.clone()])]);
        let rules = [
            (Predicate::Init, list("init", [none()]), no_role()),
            (Predicate::Next, list("next", [none()]), list("true", [none()])),
            (Predicate::Legal, list("legal", [role.clone(), none()]), no_role()),
        ];
        let is_missing = |wanted| !program.rules.iter().any(|rule| program.kind(rule.head.predicate) == wanted);
        let rules = rules.into_iter().filter(|&(keyword, ..)| is_missing(keyword));
        rules.map(|(_, head, condition)| list("<=", [head, condition])).collect()
    }

    fn rule(&self, rule: &Rule) -> Expression {
        let only = self.only_role(rule);
        let variables = self.variables(rule, &only);
        let head = self.atom(&rule.head, &variables);
        if rule.body.is_empty() {
            return match self.is_unlisted_role(&rule.head) {
                // As a fact, it would list the role, and the order of the listed roles matters.
                true => list("<=", [head, list("distinct", ["0", "1"].map(word))]),
                false => head,
            };
        }
        let is_known = |literal: &&Literal| match literal {
            Literal::Positive(atom) => {
                self.program.kind(atom.predicate) == Predicate::Role
                    && matches!(atom.arguments[..], [Term::Variable(variable)] if only.contains(&variable))
            }
            _ => false,
        };
        let mut body = rule.body.iter().filter(|literal| !is_known(literal)).peekable();
        if body.peek().is_none() {
            return head;
        }
        let body = body.map(|literal| match literal {
            Literal::Positive(atom) => self.atom(atom, &variables),
            Literal::Negative(atom) => list("not", [self.atom(atom, &variables)]),
            Literal::Distinct(left, right, _) => {
                list("distinct", [self.term(left, &variables), self.term(right, &variables)])
            }
        });
        list("<=", std::iter::once(head).chain(body))
    }

    /// The variables of lowering that stand for the only role. The others are of the text, which keeps them.
    fn only_role(&self, rule: &Rule) -> Vec<Variable> {
        let program = self.program;
        if self.role.is_none() {
            return Vec::new();
        }
        let positive = rule.body.iter().filter_map(|literal| match literal {
            Literal::Positive(atom) => Some(atom),
            _ => None,
        });
        let of_role = positive.filter(|atom| {
            matches!(program.kind(atom.predicate), Predicate::Role | Predicate::Does | Predicate::Legal)
        });
        let variables = of_role.filter_map(|atom| match atom.arguments[0] {
            Term::Variable(variable) => Some(variable),
            _ => None,
        });
        let made = |variable: &Variable| program.symbols.made(rule.variables[variable.0 as usize]).is_some();
        variables.filter(made).collect()
    }

    /// By variable of a rule: its name, or that of the role for the variables in `only`.
    fn variables(&self, rule: &Rule, only: &[Variable]) -> Vec<String> {
        let symbols = &self.program.symbols;
        let mut names = Names::default();
        let mut chosen: Vec<String> = Vec::with_capacity(rule.variables.len());
        for (index, &name) in rule.variables.iter().enumerate() {
            if let Some(role) = self.role.filter(|_| only.contains(&Variable(index as u32))) {
                chosen.push(self.terms[&role].clone());
                continue;
            }
            let mut name = names.choose(symbols.name(name));
            let others = rule.variables.iter().filter(|&&other| symbols.made(other).is_none());
            let mut others = others.map(|&other| symbols.name(other));
            // A check of the text would take the name for a slip.
            if symbols.made(rule.variables[index]).is_some() && others.any(|other| is_slip(&name, other)) {
                name = names.choose(&format!("{name}_of_rule"));
            }
            chosen.push(name);
        }
        chosen
    }

    /// Whether a fact names a role that the original text gives by a rule only. Such roles come after the listed ones.
    fn is_unlisted_role(&self, head: &Atom) -> bool {
        self.program.kind(head.predicate) == Predicate::Role
            && head.arguments.first().is_some_and(|role| !self.program.roles.contains(role))
    }

    fn atom(&self, atom: &Atom, variables: &[String]) -> Expression {
        let name = match self.program.kind(atom.predicate) {
            Predicate::Relation(name, _) => self.relations[&(name, atom.arguments.len())].as_str(),
            keyword => keyword.name(&self.program.symbols),
        };
        if atom.arguments.is_empty() {
            return word(name);
        }
        list(name, atom.arguments.iter().map(|term| self.term(term, variables)))
    }

    fn term(&self, term: &Term, variables: &[String]) -> Expression {
        match term {
            Term::Constant(name) => word(self.terms[name].as_str()),
            Term::Variable(variable) => word(variables[variable.0 as usize].as_str()),
            Term::Function(name, arguments) => {
                list(&self.terms[name], arguments.iter().map(|argument| self.term(argument, variables)))
            }
        }
    }
}

fn collect(term: &Term, names: &mut IndexMap<Symbol, String>) {
    match term {
        Term::Variable(_) => {}
        Term::Constant(name) => drop(names.insert(*name, String::new())),
        Term::Function(name, arguments) => {
            names.insert(*name, String::new());
            arguments.iter().for_each(|argument| collect(argument, names));
        }
    }
}

/// Chooses names: first for symbols of the text, which keep theirs if possible; then for symbols of lowering.
fn name<K>(program: &Program, found: &mut IndexMap<K, String>, symbol: impl Fn(&K) -> Symbol) {
    let mut names = Names::new(&RESERVED);
    for made in [false, true] {
        for (key, chosen) in found.iter_mut() {
            let symbol = symbol(key);
            if program.symbols.made(symbol).is_some() != made {
                continue;
            }
            *chosen = match program.symbols.made(symbol) {
                // Under the name of the fluents themselves, a reader would mistake the relation for them.
                Some(Made::Deleted(of)) => names.choose(&format!("deleted_{of}")),
                _ => names.choose(program.symbols.name(symbol)),
            };
        }
    }
}
