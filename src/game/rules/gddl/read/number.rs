//! Reads numbers. Costs of actions are read; no condition depends on them, so they do not change play. All other
//! numeric features are refused (`grammar/gddl.md`).

use super::Reader;
use crate::diagnostic::Diagnostic;
use crate::rules::gddl::ast::{Amount, Atom, Effect, Number, Operator};
use crate::syntax::{Kind, NodeId, all};

/// The operators that compare numbers, apart from `=`.
pub(super) const COMPARISONS: [&str; 4] = ["<", ">", "<=", ">="];

const ARITHMETIC: [&str; 4] = ["+", "-", "*", "/"];

/// Largest cost, so that sums of many costs are exact.
pub(super) const LARGEST_COST: u64 = u32::MAX as u64;

pub(super) fn is_number(word: &str) -> bool {
    let word = word.strip_prefix('-').unwrap_or(word);
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    match word.split_once('.') {
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => digits(word),
    }
}

/// The cost by its text: a whole number up to [`LARGEST_COST`], with only zeros after a decimal point.
fn cost(word: &str) -> Option<u64> {
    let (whole, fraction) = word.split_once('.').unwrap_or((word, ""));
    let is_whole = fraction.bytes().all(|digit| digit == b'0');
    whole.parse().ok().filter(|&cost| is_whole && cost <= LARGEST_COST)
}

impl Reader<'_> {
    fn number(&self, node: NodeId) -> Number {
        Number { cost: cost(self.text(node)), span: self.span(node) }
    }

    /// `(:functions (total-cost) (length ?x ?y - place) - number …)`
    pub(super) fn functions(&mut self, parts: &[NodeId]) -> Option<()> {
        const ADVICE: &str = "`number` is the only type of a function; for another one write a predicate";
        let mut parts = parts.iter();
        while let Some(&part) = parts.next() {
            if !self.is_word(part, "-") {
                let function = self.signature(part)?;
                self.found.functions.push(function);
                continue;
            }
            match parts.next() {
                Some(&of) if self.is_word(of, "number") => {}
                Some(&of) => self.unsupported(of, "functions with objects as their values", ADVICE),
                None => self.error("missing-type", self.span(part), "`-` without a type", ADVICE),
            }
        }
        Some(())
    }

    /// `(:metric minimize (total-cost))`
    pub(super) fn metric(&mut self, node: NodeId, parts: &[NodeId]) -> Option<()> {
        let advice = "it takes `minimize` and what is to be small: `(:metric minimize (total-cost))`";
        let [direction, amount] = self.exactly(node, parts, ":metric", advice)?;
        if self.is_word(direction, "maximize") {
            let advice = "reaching the goal is worth 100, whatever else holds then; `:gain` says what else is worth";
            self.unsupported(node, "metric to maximize", advice);
            return None;
        }
        if !self.is_word(direction, "minimize") {
            self.wrong_form(direction, "`minimize`");
            return None;
        }
        // Some texts write `total-time`, although there is no such function, or omit the parentheses.
        let amount = match self.kind(amount) == Kind::Name {
            _ if self.is_word(amount, "total-time") || self.is_total_time(amount) => {
                Amount::Number(self.number(amount))
            }
            true if !is_number(self.text(amount)) => {
                let (predicate, span) = (self.intern(amount), self.span(amount));
                Amount::Function(Atom { predicate, arguments: Vec::new(), span })
            }
            _ => self.amount(amount)?,
        };
        self.found.metrics.push((amount, self.span(node)));
        Some(())
    }

    fn is_total_time(&self, node: NodeId) -> bool {
        matches!(self.children(node)[..], [word] if self.is_word(word, "total-time"))
    }

    /// `(increase (total-cost) amount)`
    pub(super) fn increase(&mut self, node: NodeId, parts: &[NodeId]) -> Option<Effect> {
        let advice = "it takes a function and by how much it grows: `(increase (total-cost) 1)`";
        let [function, amount] = self.exactly(node, parts, "increase", advice)?;
        let (function, amount) = (self.atom(function, true), self.amount(amount));
        Some(Effect::Increase(function?, amount?, self.span(node)))
    }

    fn amount(&mut self, node: NodeId) -> Option<Amount> {
        const WHAT: &str = "a number or a function such as `(length ?x ?y)`";
        if self.kind(node) != Kind::List {
            if self.kind(node) == Kind::Name && is_number(self.text(node)) {
                return Some(Amount::Number(self.number(node)));
            }
            self.wrong_form(node, WHAT);
            return None;
        }
        let (first, parts) = self.head(node, WHAT)?;
        let operator = match self.text(first) {
            "+" => Operator::Plus,
            "*" => Operator::Times,
            _ => Operator::Other,
        };
        if !ARITHMETIC.contains(&self.text(first)) {
            return self.atom(node, true).map(Amount::Function);
        }
        if parts.is_empty() {
            self.wrong_form(node, WHAT);
            return None;
        }
        let parts = all(parts.iter().map(|&part| self.amount(part)))?;
        Some(Amount::Combined(operator, parts, self.span(node)))
    }

    /// `(= (function object …) number)` of `:init`.
    pub(super) fn value(&mut self, node: NodeId, parts: &[NodeId]) -> Option<()> {
        let advice = "it says the value of a function: `(= (total-cost) 0)`";
        let [function, value] = self.exactly(node, parts, "=", advice)?;
        if self.kind(function) != Kind::List {
            self.wrong_form(node, "a fact such as `(on a b)`; objects are the same only under one name");
            return None;
        }
        let function = self.atom(function, false)?;
        if self.kind(value) != Kind::Name || !is_number(self.text(value)) {
            let advice = "`number` is the only type of a function; for another one write a predicate";
            self.unsupported(value, "functions with objects as their values", advice);
            return None;
        }
        let value = self.number(value);
        self.found.values.push((function, value));
        Some(())
    }

    pub(super) fn compares_numbers(&self, word: &str, parts: &[NodeId]) -> bool {
        (word == "=" || COMPARISONS.contains(&word)) && parts.iter().any(|&part| self.kind(part) == Kind::List)
    }

    pub(super) fn unsupported(&mut self, node: NodeId, what: &str, advice: &str) {
        let message = format!("GDDL has no {what}");
        self.diagnostics.push(Diagnostic::error("unsupported", self.span(node), message).with_advice(advice));
    }
}
