//! Matrix games from the standard input, one a line as JSON, such as `[[0, "1/2"], ["-7/3", 1]]` for two rows of two
//! payoffs to the player of the rows: prints a line of JSON for each, with the value and a strategy of each player.
//!
//! `echo '[[1, -1], [-1, 1]]' | cargo run --release --example matrices`

use base::limits::Limits;
use game::matrix::{MatrixSolution, Rational, proves, solve};
use serde_json::{Value, json};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    for line in std::io::stdin().lines() {
        let rows: Vec<Vec<Value>> = serde_json::from_str(&line?)?;
        let columns = rows.first().map_or(0, Vec::len);
        if columns == 0 || rows.iter().any(|row| row.len() != columns) {
            return Err("a matrix has rows of one length, with at least one payoff".into());
        }
        let payoff =
            |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned).parse::<Rational>();
        let payoffs = rows.iter().flatten().map(payoff).collect::<Result<Vec<_>, _>>()?;
        let solution = solve(rows.len(), columns, &payoffs, &Limits::unlimited())?;
        let proved = proves(&solution, rows.len(), columns, &payoffs);
        let MatrixSolution { value, row_strategy, column_strategy } = solution;
        let words = |numbers: Vec<Rational>| numbers.iter().map(Rational::to_string).collect::<Vec<_>>();
        println!(
            "{}",
            json!({
                "value": value.to_string(),
                "row_strategy": words(row_strategy),
                "column_strategy": words(column_strategy),
                "proved": proved,
            })
        );
    }
    Ok(())
}
