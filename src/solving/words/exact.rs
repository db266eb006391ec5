//! Exact values in words, and the report of `query` on them.

use super::number::share;
use super::query::{picture, shown_moves};
use super::table::Table;
use crate::exact::{Value, decimal, text};
use crate::solution::{ExactLine, ExactMove, ExactQuery, Forced, Mixed, Outcome, Reason};
use crate::solve::{Common, Share};
use base::digits::grouped;
use game::matrix::Rational;
use game::reward::OpponentModel;
use num_bigint::BigUint;
use std::fmt;

/// Average rewards as fractions and rounded: `175/4 (43.75) for white, 225/4 (56.25) for black on average`.
pub fn exact_text(roles: &[String], value: &Value) -> String {
    let each = roles.iter().zip(value.numbers()).map(|(role, number)| format!("{} for {role}", text(number)));
    let each: Vec<String> = each.collect();
    let average = if value.numbers().iter().all(|number| number.is_integer()) { "" } else { " on average" };
    format!("{}{average}", each.join(", "))
}

/// A number in a matrix: the fraction, or an approximation if the fraction has many characters.
fn shortest(number: &Rational) -> String {
    let told = text(number);
    told.split_once(" (").map_or(told.clone(), |(number, _)| number.to_owned())
}

/// Largest number of characters of a fraction that a line with several numbers shows exactly.
const BRIEF: usize = 9;

/// A number in a line with several numbers: the fraction alone if it is short, otherwise an approximation.
fn brief(number: &Rational) -> String {
    let is_short = || number.denom().bits() <= 4 * BRIEF as u64 && number.to_string().len() <= BRIEF;
    if number.is_integer() || is_short() { number.to_string() } else { decimal(number) }
}

fn brief_numbers(value: &Value) -> String {
    value.numbers().iter().map(brief).collect::<Vec<_>>().join(", ")
}

/// The numbers without the roles, as short as in a matrix: `175/4, 225/4`.
pub fn shortest_numbers(value: &Value) -> String {
    value.numbers().iter().map(shortest).collect::<Vec<_>>().join(", ")
}

/// The numbers without the roles: `175/4 (43.75), 225/4 (56.25)`.
pub fn numbers_text(value: &Value) -> String {
    value.numbers().iter().map(text).collect::<Vec<_>>().join(", ")
}

/// How movers rank average rewards, in parentheses after a space; empty for a single role.
pub fn exact_model_text(roles: &[String], model: OpponentModel) -> &'static str {
    match (roles.len(), model) {
        (1, _) => "",
        (_, OpponentModel::MaxOwn) => {
            " (a player that chooses alone takes the most for itself, then the least for others)"
        }
        (_, OpponentModel::MaxDiff) => " (a player that chooses alone takes the largest lead)",
    }
}

/// A table of the numbers of states by exact value. If there are too many values, it is by ranges of the first player's
/// average, and a line above the table says so.
pub fn share_table(roles: &[String], shares: &[Share]) -> String {
    let by_range = shares.iter().any(|share| matches!(share.common, Common::From(_)));
    let head = match (by_range, roles.first()) {
        (true, Some(first)) => format!("\n  States by ranges of what {first} gets, as there are many values\n"),
        _ => String::new(),
    };
    let name = if by_range { "range" } else { "value" };
    let mut table = Table::new([name, "states", "share"].map(String::from));
    let total: BigUint = shares.iter().map(|share| &share.states).sum();
    for Share { common, states } in shares {
        let name = match common {
            Common::Value(value) => numbers_text(value),
            Common::From(from) => Share::range_text(*from),
        };
        table.row([name, grouped(states), share(states, &total)]);
    }
    format!("{head}\n{}", table.render(2))
}

impl fmt::Display for ExactQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plies = match self.layer {
            0 => "at the start".to_owned(),
            layer => format!("in layer {layer}"),
        };
        let turn = match &self.to_move {
            _ if self.terminal => "play is over".to_owned(),
            Some(role) if self.forced => format!("{role} to move, without a choice"),
            Some(role) => format!("{role} to move"),
            None => "several roles to move at the same time".to_owned(),
        };
        let picture = picture(self.drawing.as_ref(), &self.state, 2);
        writeln!(f, "{}, {plies}: {turn}\n\n{picture}", self.game)?;
        if let Some(value) = &self.value {
            let model = exact_model_text(&self.roles, self.opponent_model);
            writeln!(f, "  {}{model}", exact_text(&self.roles, value))?;
        }
        for (index, (role, Forced { value, strategy, .. })) in self.guarantees.iter().enumerate() {
            let apart = index > 0 && !self.guarantees[index - 1].strategy.is_empty();
            writeln!(f, "{}  {role} can force {}", if apart { "\n" } else { "" }, text(value))?;
            if !strategy.is_empty() {
                write!(f, "\n{}", mixture(&format!("{role}, to force it"), strategy))?;
            }
        }
        for (role, strategy) in &self.strategies {
            write!(f, "\n{}", mixture(role, strategy))?;
        }
        if let Some(matrix) = self.matrix.as_ref().filter(|matrix| matrix.iter().all(|row| row.len() <= COLUMNS)) {
            write!(f, "\n{}", self.matrix_text(matrix))?;
        } else if !self.moves.is_empty() {
            write!(f, "\n{}", self.moves_text())?;
        }
        f.write_str(&self.why_text())
    }
}

/// Largest number of possible values of a line of play that a text shows.
const OUTCOMES: usize = 6;

/// The continuation of play: moves of a line, roles that decide next, and possible values with probabilities.
pub fn exact_line_text(line: &ExactLine) -> String {
    let moves = shown_moves(&line.moves);
    if line.then.is_empty() {
        return if moves.is_empty() { "play is over".to_owned() } else { moves };
    }
    let outcomes = line.outcomes.iter().take(OUTCOMES);
    let outcomes = outcomes.map(|Outcome { value, probability, .. }| match probability.0.is_integer() {
        true => brief_numbers(value),
        false => format!("{} with {}", brief_numbers(value), brief(&probability.0)),
    });
    let more = line.outcomes.len().saturating_sub(OUTCOMES);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    let then = if moves.is_empty() { String::new() } else { format!("{moves}, then ") };
    format!("{then}{}: {}{more}", line.then.join(" and "), outcomes.collect::<Vec<_>>().join("; "))
}

/// The best reply of another player to a move; empty unless exactly one other player chooses at the same time.
pub fn answer_text(reason: &Reason) -> String {
    let answer = reason.answer.as_ref();
    answer.map_or_else(String::new, |answer| format!("{}: {}", answer.action, brief_numbers(&answer.value)))
}

/// Wider matrices, in columns, are shown as lists instead of tables.
const COLUMNS: usize = 12;

impl ExactQuery {
    /// A table of the first player's average rewards, with its moves as rows and the second player's as columns.
    fn matrix_text(&self, matrix: &[Vec<Value>]) -> String {
        let mixed: Vec<&Vec<Mixed>> = self.strategies.values().collect();
        let first = self.strategies.keys().next().and_then(|role| self.roles.iter().position(|other| other == role));
        let ([rows, columns], Some(first)) = (mixed.as_slice(), first) else { return String::new() };
        let head = std::iter::once(String::new()).chain(columns.iter().map(|column| column.action.clone()));
        let mut table = Table::new(head);
        for (row, values) in rows.iter().zip(matrix) {
            let numbers = values.iter().map(|value| shortest(&value.numbers()[first]));
            table.row(std::iter::once(row.action.clone()).chain(numbers));
        }
        format!("  What {} gets\n\n{}", self.roles[first], table.render_left(2, &[0]))
    }

    /// The continuation of play and the reasons why moves are worse, if requested.
    fn why_text(&self) -> String {
        let Some(line) = self.line.as_ref().filter(|_| !self.terminal) else { return String::new() };
        let mut text = format!("\n  play goes on: {}\n", exact_line_text(line));
        for (role, reasons) in self.reasons.iter().filter(|(_, reasons)| !reasons.is_empty()) {
            let answered = reasons.iter().any(|reason| reason.answer.is_some());
            let head = [role.as_str(), "gives away", "comes to", "what follows"].map(str::to_owned).into_iter();
            let mut table = Table::new(head.chain(answered.then(|| "answered best by".to_owned())));
            for reason in reasons {
                let Reason { action, gives_away, follows, .. } = reason;
                let cells =
                    [action.clone(), brief(gives_away), brief_numbers(&follows.value), exact_line_text(follows)];
                table.row(cells.into_iter().chain(answered.then(|| answer_text(reason))));
            }
            text += &format!("\n{}", table.render_left(2, &[0, 3, 4]));
        }
        text
    }

    fn moves_text(&self) -> String {
        let chance = self.moves.iter().any(|option| option.probability.is_some());
        let head = ["", "move"].map(String::from).into_iter().chain(chance.then(|| "probability".to_owned()));
        let head = head.chain(self.value.as_ref().map(|_| "value".to_owned()));
        let mut table = Table::new(head.chain(self.guarantees.keys().map(|role| format!("{role} forces"))));
        // Chance does not choose, so none of its moves is best.
        let by_chance = self.to_move.is_some() && chance;
        let alone = !by_chance && !self.forced && self.strategies.is_empty() && self.value.is_some();
        for ExactMove { action, value, probability, optimal, keeps_value, guarantees, .. } in &self.moves {
            let mark = match (alone, optimal, keeps_value) {
                (true, true, _) => "best",
                (true, false, true) => "keeps",
                _ => "",
            };
            let cells = [mark.to_owned(), action.clone()].into_iter();
            let likely = chance.then(|| probability.as_ref().map_or(String::new(), |likely| text(&likely.0)));
            let guarantees = guarantees.values().map(|forced| text(&forced.value));
            table.row(cells.chain(likely).chain(value.as_ref().map(numbers_text)).chain(guarantees));
        }
        table.render_left(2, &[1])
    }
}

fn mixture(role: &str, strategy: &[Mixed]) -> String {
    let mut table = Table::new([role, "probability"].map(String::from));
    for Mixed { action, probability } in strategy {
        table.row([action.clone(), text(&probability.0)]);
    }
    table.render_left(2, &[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::str::FromStr;

    #[test]
    fn long_fractions_are_decimals_among_other_numbers() {
        let told = |text: &str| Rational::from_str(text).map(|number| [shortest(&number), brief(&number)]).unwrap();
        assert_eq!(told("175/4"), ["175/4", "175/4"]);
        assert_eq!(told("12345/67891"), ["12345/67891", "about 0.181836"]);
        let many = format!("2{zeros}1/3{zeros}1", zeros = "0".repeat(60));
        assert_eq!(told(&many), ["about 0.666667", "about 0.666667"]);
    }
}
