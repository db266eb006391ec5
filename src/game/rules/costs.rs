//! The costs of moves: whole numbers from 0 on that depend only on the role, the move and its arguments.

use crate::propositional::GroundTerm;
use crate::syntax::Span;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Moves that are not mentioned cost 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Costs {
    /// For the name of a move, the amounts whose sum is its cost.
    pub moves: BTreeMap<String, Vec<Amount>>,
    /// For the name and arguments of a function, its value.
    pub values: BTreeMap<Vec<String>, u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Amount {
    Number(u64),
    Function(String, Vec<Argument>, Span),
    Sum(Vec<Amount>, Span),
    Product(Vec<Amount>, Span),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    Object(String),
    /// The argument of the move with this index.
    Parameter(usize),
    Role,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoCost {
    /// A function without a value.
    Unknown { function: String, span: Span },
    /// The cost does not fit 64 bits. The place is that of a sum or product, if one of the text is too large.
    TooLarge { span: Span },
}

impl Costs {
    pub fn of(&self, role: &GroundTerm, action: &GroundTerm) -> Result<u64, NoCost> {
        let parts = self.moves.get(&action.name).map_or(&[][..], Vec::as_slice);
        self.combined((parts, Span::default()), 0, u64::checked_add, (role, action))
    }

    fn combined(
        &self,
        (parts, span): (&[Amount], Span),
        neutral: u64,
        combine: fn(u64, u64) -> Option<u64>,
        by: (&GroundTerm, &GroundTerm),
    ) -> Result<u64, NoCost> {
        let too_large = NoCost::TooLarge { span };
        parts.iter().try_fold(neutral, |sum, part| combine(sum, self.amount(part, by)?).ok_or(too_large.clone()))
    }

    fn amount(&self, amount: &Amount, by: (&GroundTerm, &GroundTerm)) -> Result<u64, NoCost> {
        match amount {
            Amount::Number(number) => Ok(*number),
            Amount::Sum(parts, span) => self.combined((parts, *span), 0, u64::checked_add, by),
            Amount::Product(parts, span) => self.combined((parts, *span), 1, u64::checked_mul, by),
            Amount::Function(name, arguments, span) => {
                let mut key = vec![name.clone()];
                key.extend(arguments.iter().map(|argument| match argument {
                    Argument::Object(name) => name.clone(),
                    Argument::Parameter(number) => by.1.arguments[*number].to_string(),
                    Argument::Role => by.0.to_string(),
                }));
                let value = self.values.get(&key).copied();
                value.ok_or_else(|| NoCost::Unknown { function: format!("({})", key.join(" ")), span: *span })
            }
        }
    }

    /// A text that is equal for equal costs, wherever they are in the rules.
    pub(super) fn normal_form(&self) -> String {
        let mut text = String::new();
        for (name, parts) in &self.moves {
            let _ = writeln!(text, "{name}: {}", Amount::normal_forms(parts));
        }
        for (key, value) in &self.values {
            let _ = writeln!(text, "({}) = {value}", key.join(" "));
        }
        text
    }
}

impl Amount {
    fn normal_forms(parts: &[Amount]) -> String {
        let mut parts: Vec<String> = parts.iter().map(Amount::normal_form).collect();
        parts.sort_unstable();
        parts.join(" ")
    }

    fn normal_form(&self) -> String {
        match self {
            Amount::Number(number) => number.to_string(),
            Amount::Sum(parts, _) => format!("(+ {})", Amount::normal_forms(parts)),
            Amount::Product(parts, _) => format!("(* {})", Amount::normal_forms(parts)),
            Amount::Function(name, arguments, _) => {
                let arguments = arguments.iter().map(|argument| match argument {
                    Argument::Object(name) => format!(" {name}"),
                    Argument::Parameter(number) => format!(" ?{number}"),
                    Argument::Role => " ?".to_owned(),
                });
                format!("({name}{})", arguments.collect::<String>())
            }
        }
    }
}
