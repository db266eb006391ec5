//! Draws the two plots of the README into `docs/`: states and nodes by layer, and seconds beside published ones.
//!
//! `cargo run --release --example plots -- games/connect4_5x5.gdl` counts the game of the first plot; the figures of the
//! second are those of the table in `docs/performance.md`.

use ggsolve::{Destination, Session, SolveOptions};
use std::error::Error;
use std::fmt::Write;
use std::path::Path;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
/// Around the area of the plot: left, right, top, bottom.
const MARGIN: [f64; 4] = [64.0, 16.0, 36.0, 44.0];

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "games/connect4_5x5.gdl".to_owned());
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::write(root.join("docs/layers.svg"), layers(&root.join(file))?)?;
    let table = std::fs::read_to_string(root.join("docs/performance.md"))?;
    std::fs::write(root.join("docs/seconds.svg"), seconds(&measured(&table)))?;
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
    let decades = states.iter().chain(&nodes).fold(1.0f64, |most, value| most.max(*value)).log10().ceil();
    let [left, right, top, bottom] = MARGIN;
    let x = |layer: usize| left + (WIDTH - left - right) * layer as f64 / (states.len() - 1).max(1) as f64;
    let y = |value: f64| HEIGHT - bottom - (HEIGHT - top - bottom) * value.max(1.0).log10() / decades;
    let mut plot = Plot::new(&format!("{}: reachable states and nodes of their diagrams, by layer", report.game));
    for decade in 0..=decades as i32 {
        plot.rule(y(10f64.powi(decade)), &power(decade));
    }
    for layer in (0..states.len()).step_by((states.len() / 12).max(1)) {
        plot.text(x(layer), HEIGHT - bottom + 18.0, "middle", &layer.to_string());
    }
    for (name, values, colour) in [("states", &states, BLUE), ("nodes", &nodes, ORANGE)] {
        let points: Vec<(f64, f64)> = values.iter().enumerate().map(|(layer, value)| (x(layer), y(*value))).collect();
        plot.line(&points, colour);
        let highest = points.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default();
        plot.coloured(highest.0, highest.1 - 8.0, name, colour);
    }
    Ok(plot.end())
}

/// A game with the seconds that were measured and those that were published.
type Row = (String, f64, f64);

/// The rows of the first table that have both figures; the first published one counts.
fn measured(page: &str) -> Vec<Row> {
    let rows = page.lines().skip_while(|line| !line.starts_with("| game | value")).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    let figure = |cell: &str| -> Option<f64> {
        let mut words = cell.split([' ', ',', ';']).filter(|word| !word.is_empty());
        let number: String = if cell.contains(" s") && cell.split(" s").next()?.contains(',') {
            // `14,197 s`, but `4.2 s, 1.6 s`.
            cell.split(" s").next()?.replace(',', "")
        } else {
            words.next()?.to_owned()
        };
        let unit = if cell.contains(" h") { 3600.0 } else { 1.0 };
        number.parse::<f64>().ok().map(|number| number * unit)
    };
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [game, .., seconds, published] = cells.as_slice() else { return None };
        let seconds = seconds.replace(',', "").parse().ok()?;
        Some((game.replace('`', ""), seconds, figure(published)?))
    };
    rows.filter_map(row).collect()
}

/// Two bars for each game on a logarithmic axis.
fn seconds(rows: &[Row]) -> String {
    let [left, right, top, bottom] = MARGIN;
    let (left, height) = (left + 150.0, 26.0);
    let decades: Vec<i32> = (-2..=5).collect();
    let first = f64::from(decades[0]);
    let x = |value: f64| left + (WIDTH - left - right) * (value.log10() - first) / (decades.len() - 1) as f64;
    let mut plot =
        Plot::sized("Seconds from rules to values: here, and published", top + bottom + height * rows.len() as f64);
    for &decade in &decades {
        let at = x(10f64.powi(decade));
        plot.column(at, top, top + height * rows.len() as f64);
        plot.text(at, top + height * rows.len() as f64 + 18.0, "middle", &power(decade));
    }
    for (index, (game, here, published)) in rows.iter().enumerate() {
        let y = top + height * index as f64;
        plot.text(left - 8.0, y + 16.0, "end", game);
        plot.bar(left, x(*here), y + 3.0, BLUE);
        plot.bar(left, x(*published), y + 13.0, ORANGE);
    }
    let below = top + height * rows.len() as f64 + 36.0;
    plot.coloured(left + 60.0, below, "here", BLUE);
    plot.coloured(left + 180.0, below, "published", ORANGE);
    plot.end()
}

const BLUE: &str = "#1f6fb2";
const ORANGE: &str = "#d2691e";

fn power(decade: i32) -> String {
    match decade {
        -2..0 => format!("{}", 10f64.powi(decade)),
        0..=3 => format!("{}", 10u32.pow(decade as u32)),
        _ => format!("10<tspan dy=\"-5\" font-size=\"9\">{decade}</tspan>"),
    }
}

/// A drawing under way.
struct Plot {
    text: String,
}

impl Plot {
    fn new(title: &str) -> Plot {
        Plot::sized(title, HEIGHT)
    }

    fn sized(title: &str, height: f64) -> Plot {
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
             font-family=\"sans-serif\" font-size=\"12\" role=\"img\" aria-label=\"{title}\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"{}\" y=\"20\" text-anchor=\"middle\" font-size=\"14\">{title}</text>\n",
            WIDTH / 2.0
        );
        Plot { text }
    }

    fn end(self) -> String {
        self.text + "</svg>\n"
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        writeln!(self.text, "{element}").expect("a text in memory can be written");
    }

    fn text(&mut self, x: f64, y: f64, anchor: &str, text: &str) {
        self.add(format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"));
    }

    fn coloured(&mut self, x: f64, y: f64, text: &str, colour: &str) {
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" fill=\"{colour}\">{text}</text>"
        ));
    }

    /// A line of the grid with its value.
    fn rule(&mut self, y: f64, label: &str) {
        let (from, to) = (MARGIN[0], WIDTH - MARGIN[1]);
        self.add(format_args!("<path d=\"M{from} {y:.1}H{to}\" stroke=\"#ddd\"/>"));
        self.text(from - 8.0, y + 4.0, "end", label);
    }

    fn column(&mut self, x: f64, top: f64, bottom: f64) {
        self.add(format_args!("<path d=\"M{x:.1} {top:.1}V{bottom:.1}\" stroke=\"#ddd\"/>"));
    }

    fn bar(&mut self, from: f64, to: f64, y: f64, colour: &str) {
        let width = (to - from).max(1.0);
        self.add(format_args!(
            "<rect x=\"{from:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"9\" fill=\"{colour}\"/>"
        ));
    }

    fn line(&mut self, points: &[(f64, f64)], colour: &str) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.add(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            points.join(" ")
        ));
    }
}
