//! A small interpreter of EBNF (ISO/IEC 14977): derives random sentences and recognises given ones.

use base::random::Random;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The right-hand side of a rule or a part of it.
#[derive(Debug, Clone)]
pub enum Expression {
    /// A word in quotes.
    Quoted(String),
    Rule(String),
    /// `? … ?`
    Special(String),
    Sequence(Vec<Expression>),
    Choice(Vec<Expression>),
    /// `{ … }`
    Repeated(Box<Expression>),
    Optional(Box<Expression>),
    /// `a - b`
    Except(Box<Expression>, Box<Expression>),
}

/// Rules by name.
pub struct Grammar {
    pub rules: BTreeMap<String, Expression>,
}

impl Grammar {
    /// Reads a grammar. Panics where it is not EBNF.
    pub fn new(text: &str) -> Self {
        let mut reader = Reader { rest: text };
        let mut rules = BTreeMap::new();
        loop {
            reader.skip();
            if reader.rest.is_empty() {
                return Grammar { rules };
            }
            let name = reader.name();
            assert!(reader.take("="), "no `=` after {name}");
            let expression = reader.choice();
            assert!(reader.take(";"), "no `;` at the end of {name}, but {:.30}", reader.rest);
            assert!(rules.insert(name.clone(), expression).is_none(), "{name} twice");
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn skip(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            let Some(comment) = self.rest.strip_prefix("(*") else { return };
            self.rest = &comment[comment.find("*)").expect("comments end") + 2..];
        }
    }

    fn take(&mut self, sign: &str) -> bool {
        self.skip();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn name(&mut self) -> String {
        self.skip();
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != ' ').unwrap_or(self.rest.len());
        let name = self.rest[..end].trim().to_owned();
        assert!(!name.is_empty(), "a name is missing at {:.30}", self.rest);
        self.rest = &self.rest[end..];
        name
    }

    fn until(&mut self, sign: char) -> String {
        let end = self.rest.find(sign).expect("the closing sign");
        let text = self.rest[..end].to_owned();
        self.rest = &self.rest[end + sign.len_utf8()..];
        text
    }

    fn choice(&mut self) -> Expression {
        let mut members = vec![self.sequence()];
        while self.take("|") {
            members.push(self.sequence());
        }
        if members.len() == 1 { members.remove(0) } else { Expression::Choice(members) }
    }

    fn sequence(&mut self) -> Expression {
        let mut members = vec![self.exception()];
        while self.take(",") {
            members.push(self.exception());
        }
        if members.len() == 1 { members.remove(0) } else { Expression::Sequence(members) }
    }

    fn exception(&mut self) -> Expression {
        let all = self.primary();
        if self.take("-") { Expression::Except(Box::new(all), Box::new(self.primary())) } else { all }
    }

    fn primary(&mut self) -> Expression {
        let bracketed = |reader: &mut Self, close: &str| {
            let inner = reader.choice();
            assert!(reader.take(close), "no `{close}` at {:.30}", reader.rest);
            inner
        };
        if self.take("(") {
            bracketed(self, ")")
        } else if self.take("{") {
            Expression::Repeated(Box::new(bracketed(self, "}")))
        } else if self.take("[") {
            Expression::Optional(Box::new(bracketed(self, "]")))
        } else if self.take("\"") {
            Expression::Quoted(self.until('"'))
        } else if self.take("?") {
            Expression::Special(self.until('?').trim().to_owned())
        } else {
            Expression::Rule(self.name())
        }
    }
}

/// What the terminals of a level of the grammar are: characters, or tokens.
pub trait Level {
    type Item;
    /// How many items at the start of `input` a word in quotes matches.
    fn quoted(&self, word: &str, input: &[Self::Item]) -> Option<usize>;
    /// A word in quotes as items.
    fn write_quoted(&self, word: &str, random: &mut Random) -> Vec<Self::Item>;
    /// Whether an item is what a rule or a special sequence of this name describes; none if the name stands for
    /// something else.
    fn item(&self, name: &str, item: &Self::Item) -> Option<bool>;
    /// A random item of a rule or a special sequence; none if the name stands for something else.
    fn write_item(&self, name: &str, random: &mut Random) -> Option<Self::Item>;
}

/// All ends of matches of an expression that start at `start`.
fn ends<L: Level>(
    grammar: &Grammar,
    level: &L,
    expression: &Expression,
    input: &[L::Item],
    start: usize,
    known: &mut HashMap<(*const Expression, usize), BTreeSet<usize>>,
) -> BTreeSet<usize> {
    let key = (std::ptr::from_ref(expression), start);
    if let Some(found) = known.get(&key) {
        return found.clone();
    }
    let mut from = |expression: &Expression, start: usize| ends(grammar, level, expression, input, start, known);
    let item = |name: &str| {
        let first = input.get(start);
        level.item(name, first?).map(|matches| if matches { BTreeSet::from([start + 1]) } else { BTreeSet::new() })
    };
    let found = match expression {
        Expression::Quoted(word) => {
            level.quoted(word, &input[start..]).map(|length| start + length).into_iter().collect()
        }
        Expression::Special(name) => item(name).unwrap_or_default(),
        Expression::Rule(name) => match item(name) {
            Some(found) => found,
            None => from(grammar.rules.get(name).unwrap_or_else(|| panic!("no rule {name}")), start),
        },
        Expression::Sequence(members) => {
            let mut at = BTreeSet::from([start]);
            for member in members {
                at = at.into_iter().flat_map(|at| from(member, at)).collect();
            }
            at
        }
        Expression::Choice(members) => members.iter().flat_map(|member| from(member, start)).collect(),
        Expression::Repeated(inner) => {
            let mut all = BTreeSet::from([start]);
            let mut open = vec![start];
            while let Some(at) = open.pop() {
                open.extend(from(inner, at).into_iter().filter(|&end| all.insert(end)));
            }
            all
        }
        Expression::Optional(inner) => {
            let mut all = from(inner, start);
            all.insert(start);
            all
        }
        Expression::Except(all, but) => {
            let but = from(but, start);
            from(all, start).into_iter().filter(|end| !but.contains(end)).collect()
        }
    };
    known.insert(key, found.clone());
    found
}

/// The lengths of all starts of `input` that a rule matches.
pub fn matches<L: Level>(grammar: &Grammar, level: &L, rule: &str, input: &[L::Item]) -> BTreeSet<usize> {
    ends(grammar, level, &grammar.rules[rule], input, 0, &mut HashMap::new())
}

/// A random sentence of a rule; `size` bounds repetitions and gets smaller inside.
pub fn derive<L: Level>(
    grammar: &Grammar,
    level: &L,
    expression: &Expression,
    size: usize,
    random: &mut Random,
) -> Vec<L::Item> {
    let inside = size * 2 / 3;
    match expression {
        Expression::Quoted(word) => level.write_quoted(word, random),
        Expression::Special(name) => vec![level.write_item(name, random).expect("a known special sequence")],
        Expression::Rule(name) => match level.write_item(name, random) {
            Some(item) => vec![item],
            None => derive(grammar, level, &grammar.rules[name], size, random),
        },
        Expression::Sequence(members) => {
            members.iter().flat_map(|member| derive(grammar, level, member, inside, random)).collect()
        }
        Expression::Choice(members) => {
            // Near the bound only members that hold no rule again are taken, if there are any.
            let flat: Vec<&Expression> = members.iter().filter(|member| depth(grammar, member, 6) < 6).collect();
            let all: Vec<&Expression> = members.iter().collect();
            let members = if size < 2 && !flat.is_empty() { &flat } else { &all };
            derive(grammar, level, random.choose(members).expect("a member"), size, random)
        }
        Expression::Repeated(inner) => {
            let times = random.below(size + 1);
            (0..times).flat_map(|_| derive(grammar, level, inner, inside, random)).collect()
        }
        Expression::Optional(inner) => {
            if random.chance(50) {
                derive(grammar, level, inner, inside, random)
            } else {
                Vec::new()
            }
        }
        Expression::Except(all, but) => loop {
            let items = derive(grammar, level, all, size, random);
            if !ends(grammar, level, but, &items, 0, &mut HashMap::new()).contains(&items.len()) {
                return items;
            }
        },
    }
}

/// How many rules deep the flattest sentence of an expression is, up to a bound.
fn depth(grammar: &Grammar, expression: &Expression, bound: usize) -> usize {
    match expression {
        Expression::Quoted(_) | Expression::Special(_) | Expression::Repeated(_) | Expression::Optional(_) => 0,
        Expression::Rule(_) if bound == 0 => 0,
        Expression::Rule(name) => 1 + depth(grammar, &grammar.rules[name], bound - 1),
        Expression::Sequence(members) => {
            members.iter().map(|member| depth(grammar, member, bound)).max().unwrap_or_default()
        }
        Expression::Choice(members) => {
            members.iter().map(|member| depth(grammar, member, bound)).min().unwrap_or_default()
        }
        Expression::Except(all, _) => depth(grammar, all, bound),
    }
}
