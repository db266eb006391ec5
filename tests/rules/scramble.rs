//! The same program with its rules in another order, other names for its variables, and other numbers for its symbols
//! and predicates.

use base::random::Random;
use game::rules::{Atom, Literal, Predicate, PredicateId, Program, Rule, Symbol, Term};

struct Renaming {
    symbols: Vec<Symbol>,
    predicates: Vec<PredicateId>,
}

impl Renaming {
    fn term(&self, term: &Term) -> Term {
        match term {
            Term::Constant(symbol) => Term::Constant(self.symbols[symbol.0 as usize]),
            Term::Variable(variable) => Term::Variable(*variable),
            Term::Function(functor, arguments) => Term::Function(
                self.symbols[functor.0 as usize],
                arguments.iter().map(|argument| self.term(argument)).collect(),
            ),
        }
    }

    fn atom(&self, atom: &Atom) -> Atom {
        Atom {
            predicate: self.predicates[atom.predicate.0 as usize],
            arguments: atom.arguments.iter().map(|term| self.term(term)).collect(),
            span: atom.span,
        }
    }

    fn literal(&self, literal: &Literal) -> Literal {
        match literal {
            Literal::Positive(atom) => Literal::Positive(self.atom(atom)),
            Literal::Negative(atom) => Literal::Negative(self.atom(atom)),
            Literal::Distinct(left, right, span) => Literal::Distinct(self.term(left), self.term(right), *span),
        }
    }
}

/// Shuffles rules and renumbers everything; the order of the roles, which has a meaning, is kept beside the rules.
pub fn scramble(program: &Program, random: &mut Random) -> Program {
    let mut scrambled = Program { name: program.name.clone(), ..Program::default() };
    let mut order: Vec<Symbol> = program.symbols.symbols().collect();
    random.shuffle(&mut order);
    let mut symbols = vec![Symbol(0); order.len()];
    for symbol in order {
        symbols[symbol.0 as usize] = scrambled.symbols.intern(program.symbols.name(symbol));
    }
    let mut order: Vec<usize> = (0..program.predicates.len()).collect();
    random.shuffle(&mut order);
    let mut predicates = vec![PredicateId(0); order.len()];
    for index in order {
        let renamed = match program.predicates[index] {
            Predicate::Relation(symbol, arity) => Predicate::Relation(symbols[symbol.0 as usize], arity),
            keyword => keyword,
        };
        predicates[index] = scrambled.predicate(renamed);
    }
    let renaming = Renaming { symbols, predicates };
    let mut rules: Vec<Rule> = Vec::new();
    for rule in &program.rules {
        let count = rule.variables.len();
        let variables = (0..count).map(|index| scrambled.symbols.intern(&format!("v{}", count - index))).collect();
        let body = rule.body.iter().map(|literal| renaming.literal(literal)).collect();
        rules.push(Rule { head: renaming.atom(&rule.head), body, variables, span: rule.span });
    }
    scrambled.roles = program.roles.iter().map(|role| renaming.term(role)).collect();
    random.shuffle(&mut rules);
    scrambled.rules = rules;
    scrambled
}
