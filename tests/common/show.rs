//! A program as text in the manner of logic programming, for tests and traces.

use game::rules::program::{Atom, Literal, Program, Rule, SymbolTable, Term};

/// Each rule on a line of its own.
pub fn show(program: &Program) -> String {
    let mut text = String::new();
    for rule in &program.rules {
        text.push_str(&show_atom(program, rule, &rule.head));
        for (index, literal) in rule.body.iter().enumerate() {
            text.push_str(if index == 0 { " :- " } else { ", " });
            match literal {
                Literal::Positive(atom) => text.push_str(&show_atom(program, rule, atom)),
                Literal::Negative(atom) => {
                    text.push('~');
                    text.push_str(&show_atom(program, rule, atom));
                }
                Literal::Distinct(left, right, _) => {
                    let symbols = &program.symbols;
                    let (left, right) = (show_term(symbols, rule, left), show_term(symbols, rule, right));
                    text.push_str(&format!("{left} != {right}"));
                }
            }
        }
        text.push('\n');
    }
    text
}

fn show_atom(program: &Program, rule: &Rule, atom: &Atom) -> String {
    let name = program.kind(atom.predicate).name(&program.symbols);
    let arguments: Vec<String> =
        atom.arguments.iter().map(|argument| show_term(&program.symbols, rule, argument)).collect();
    if arguments.is_empty() { name.to_owned() } else { format!("{name}({})", arguments.join(",")) }
}

fn show_term(symbols: &SymbolTable, rule: &Rule, term: &Term) -> String {
    match term {
        Term::Constant(name) => symbols.name(*name).to_owned(),
        Term::Variable(variable) => symbols.name(rule.variables[variable.0 as usize]).to_owned(),
        Term::Function(name, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(|argument| show_term(symbols, rule, argument)).collect();
            format!("{}({})", symbols.name(*name), arguments.join(","))
        }
    }
}
