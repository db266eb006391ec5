//! Lowers the costs of actions to costs of moves.

use crate::rules::Symbol;
use crate::rules::costs::{self, Argument, Costs};
use crate::rules::gddl::ast::{self, Action, Atom, Description, Operator, PredicateName, Term};
use crate::rules::gddl::check::costs::{increases, metric, objects};
use crate::rules::gddl::check::{Owner, Vocabulary, owner};

/// The costs of a description without errors; `None` if plans are counted in moves.
pub fn costs(description: &Description, vocabulary: &Vocabulary) -> Option<Costs> {
    let metric = metric(description, vocabulary).ok().flatten()?;
    let name = |symbol: Symbol| description.symbols.name(symbol).to_owned();
    let mut found = Costs::default();
    for (action, of) in description.actions.iter().zip(&vocabulary.moves) {
        let reading = Reading { description, action, role: role(action, vocabulary.control) };
        let own = increases(action).into_iter().filter(|increase| increase.function.name() == metric);
        let amounts: Vec<costs::Amount> = own.map(|increase| reading.amount(increase.amount)).collect();
        if !amounts.is_empty() {
            found.moves.insert(of.clone(), amounts);
        }
    }
    let valued = description.values.iter().filter_map(|(function, value)| Some((function, value.cost?)));
    for (function, value) in valued.filter(|(function, _)| function.name() != metric) {
        let arguments = objects(function).into_iter().map(name);
        found.values.insert(std::iter::once(name(function.predicate.symbol)).chain(arguments).collect(), value);
    }
    Some(found)
}

fn role(action: &Action, control: Option<PredicateName>) -> Option<Symbol> {
    match owner(action, control) {
        Owner::Term(Term::Variable(name)) => Some(name.symbol),
        Owner::Term(Term::Object(_)) | Owner::Mover => None,
    }
}

struct Reading<'a> {
    description: &'a Description,
    action: &'a Action,
    role: Option<Symbol>,
}

impl Reading<'_> {
    fn amount(&self, amount: &ast::Amount) -> costs::Amount {
        let all = |parts: &[ast::Amount]| parts.iter().map(|part| self.amount(part)).collect();
        match amount {
            ast::Amount::Number(number) => {
                costs::Amount::Number(number.cost.expect("costs that count are whole numbers"))
            }
            ast::Amount::Function(function) => self.function(function),
            ast::Amount::Combined(Operator::Plus, parts, span) => costs::Amount::Sum(all(parts), *span),
            ast::Amount::Combined(Operator::Times, parts, span) => costs::Amount::Product(all(parts), *span),
            ast::Amount::Combined(Operator::Other, ..) => unreachable!("costs that count have no other operators"),
        }
    }

    fn function(&self, function: &Atom) -> costs::Amount {
        let name = |symbol: Symbol| self.description.symbols.name(symbol).to_owned();
        let argument = |term: &Term| match term {
            Term::Object(object) => Argument::Object(name(object.symbol)),
            Term::Variable(variable) if Some(variable.symbol) == self.role => Argument::Role,
            Term::Variable(variable) => {
                // The role is not an argument of the move.
                let parameters = self.action.parameters.iter().map(|typed| typed.name.symbol);
                let mut arguments = parameters.filter(|&name| Some(name) != self.role);
                let number = arguments.position(|name| name == variable.symbol);
                Argument::Parameter(number.expect("unbound variables are errors"))
            }
        };
        let arguments = function.arguments.iter().map(argument).collect();
        costs::Amount::Function(name(function.predicate.symbol), arguments, function.span)
    }
}
