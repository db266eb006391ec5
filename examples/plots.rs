//! Draws the two plots of the README into `docs/`: states and nodes by layer, and seconds beside published ones.
//!
//! `cargo run --release --example plots -- games/connect4_5x5.gdl` counts the game of the first plot; the figures of the
//! second are those of `docs/results.json`.

#[path = "reproduce/results.rs"]
mod results;

use api::report::plot::{self, MARGIN, Plot, Series, WIDTH, power};
use ggsolve::{Destination, Session, SolveOptions};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "games/connect4_5x5.gdl".to_owned());
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::write(root.join("docs/layers.svg"), layers(&root.join(file))?)?;
    std::fs::write(root.join("docs/seconds.svg"), seconds(&measured(&results::read(root)?)))?;
    Ok(())
}

/// States and nodes of every layer on a logarithmic axis.
fn layers(game: &Path) -> Result<String, Box<dyn Error>> {
    let session = Session::default();
    let rules = session.load_file(game)?;
    let options = SolveOptions { count_only: true, ..SolveOptions::default() };
    let report = session.solve(&rules, &options, &Destination::Nowhere("the plot needs counts only".to_owned()))?;
    let states: Vec<f64> =
        report.layers.iter().map(|layer| layer.states.to_string().parse()).collect::<Result<_, _>>()?;
    let nodes: Vec<f64> = report.layers.iter().map(|layer| layer.nodes as f64).collect();
    let title = format!("{}: reachable states and nodes of their diagrams, by layer", report.game);
    let series = [("states", states), ("nodes", nodes)];
    Ok(plot::lines(&title, &series.map(|(name, values)| Series { name: name.to_owned(), values })))
}

/// A game with the seconds that were measured and those that were published.
type Row = (String, f64, f64);

/// The rows that have both figures.
fn measured(rows: &[results::Row]) -> Vec<Row> {
    let both = |row: &results::Row| Some((row.short_title(), row.seconds, row.published.as_ref()?.seconds));
    rows.iter().filter_map(both).collect()
}

/// Two bars for each game on a logarithmic axis.
fn seconds(rows: &[Row]) -> String {
    let [left, right, top, bottom] = MARGIN;
    let (left, height) = (left + 150.0, 26.0);
    let decades: Vec<i32> = (-2..=6).collect();
    let first = f64::from(decades[0]);
    let x = |value: f64| left + (WIDTH - left - right) * (value.log10() - first) / (decades.len() - 1) as f64;
    let mut plot =
        Plot::sized("Seconds from rules to values: here, and published", top + bottom + height * rows.len() as f64);
    for &decade in &decades {
        let at = x(10f64.powi(decade));
        plot.column(at, top, top + height * rows.len() as f64);
        plot.markup(at, top + height * rows.len() as f64 + 18.0, "middle", &power(decade));
    }
    for (index, (game, here, published)) in rows.iter().enumerate() {
        let y = top + height * index as f64;
        plot.text(left - 8.0, y + 16.0, "end", game);
        for (colour, seconds, top) in [(0, *here, y + 3.0), (1, *published, y + 13.0)] {
            plot.area([left, top, x(seconds).max(left + 1.0), top + 9.0], colour, &format!("{game}: {seconds} s"));
        }
    }
    let below = top + height * rows.len() as f64 + 36.0;
    plot.key_at(left + 60.0, below, 0, "here");
    plot.key_at(left + 180.0, below, 1, "published");
    plot.end()
}
