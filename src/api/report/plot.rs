//! Plots as SVG: lines by layer on a logarithmic axis, shares stacked by layer, and parts for other plots. Colours are
//! attributes, so that a plot is complete by itself. Elements also have classes (`c0`, `c1`, … for series, `ground`,
//! `grid`), so that the page around a plot can set other colours. Texts are escaped.

use base::digits::grouped;
use std::fmt::{Arguments, Write};

/// Width of a plot.
pub const WIDTH: f64 = 640.0;
/// Height of a plot, unless another one is given.
pub const HEIGHT: f64 = 360.0;
/// The margins of a plot: left, right, top, bottom.
pub const MARGIN: [f64; 4] = [64.0, 16.0, 36.0, 44.0];
/// Colours that people with any colour vision can distinguish (Okabe and Ito, "Color Universal Design", 2008). The last
/// colour is for the remainder.
pub const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8f7a00", "#8a8a8a"];
/// By colour: the lengths of the dashes and gaps of a line. All patterns differ, so that coinciding lines are all
/// visible. The first line is solid and wider than the other lines, because it is below them.
const DASHES: [&str; 8] = ["", "8 5", "2 4", "9 3 2 3", "14 4", "5 3 2 3 2 3", "4 8", "1 3"];
/// The widths of the first line and of the others.
const WIDTHS: [f64; 2] = [3.5, 2.0];
/// The radius of a circle for a single value on the first line, and by how much it decreases with each further line.
const RADII: [f64; 2] = [4.5, 0.4];
/// By colour: the marks on a line, as paths around a point. Different lines have marks at different layers.
const MARKS: [&str; 8] = [
    "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "m-3.5-3.5h7v7h-7z",
    "m0-4.6l4.6 7.8h-9.2z",
    "m0-5l5 5l-5 5l-5-5z",
    "m0 4.6l4.6-7.8h-9.2z",
    "m-1.4-4.6h2.8v3.2h3.2v2.8h-3.2v3.2h-2.8v-3.2h-3.2v-2.8h3.2z",
    "m-5-2.6h10v5.2h-10z",
    "m-2.6-5h5.2v10h-5.2z",
];
/// Largest number of marks of all lines together.
const MOST_MARKS: usize = 24;
/// The length of the line beside a name.
const SAMPLE: f64 = 24.0;
/// Largest number of labels of layers below a plot.
const LABELS: usize = 12;

/// Values by layer, or by another number. Missing values and zeros are not drawn.
pub struct Series {
    /// Name of the series.
    pub name: String,
    /// The values, by layer.
    pub values: Vec<f64>,
}

/// Values by layer on a logarithmic axis, a line for each series.
pub fn lines(title: &str, series: &[Series]) -> String {
    let values = || series.iter().flat_map(|series| &series.values);
    let layers = series.iter().map(|series| series.values.len()).max().unwrap_or(0);
    let decades = values().fold(10.0f64, |most, value| most.max(*value)).log10().ceil();
    let [_, _, top, bottom] = MARGIN;
    let x = |layer: usize| across(layer as f64, (layers.max(2) - 1) as f64);
    let y = |value: f64| HEIGHT - bottom - (HEIGHT - top - bottom) * value.max(1.0).log10() / decades;
    let mut plot = Plot::new(title);
    let step = (decades as usize / 10).max(1);
    for decade in (0..=decades as i32).step_by(step) {
        plot.rule(y(10f64.powi(decade)), &power(decade));
    }
    layer_labels(&mut plot, layers, x);
    // At each marked layer one series has its mark, and the series take turns.
    let apart = layers.div_ceil(MOST_MARKS).max(1);
    let turn =
        |layer: usize| if layer.is_multiple_of(apart) { layer / apart % series.len().max(1) } else { series.len() };
    for (colour, Series { name, values }) in series.iter().enumerate() {
        let points = values.iter().enumerate().map(|(layer, &value)| (x(layer), y(value), value > 0.0));
        let points: Vec<(f64, f64, bool)> = points.collect();
        for run in points.split(|point| !point.2) {
            match run {
                [] => {}
                [(x, y, _)] => plot.dot(*x, *y, colour),
                run => plot.line(&run.iter().map(|&(x, y, _)| (x, y)).collect::<Vec<_>>(), colour),
            }
        }
        for (layer, value) in values.iter().enumerate().filter(|(layer, value)| turn(*layer) == colour && **value > 0.0)
        {
            plot.mark(x(layer), y(*value), colour, &format!("{name}, {layer}: {}", rounded(*value)));
        }
        plot.line_key(colour, series.len(), colour, name);
    }
    plot.end()
}

/// Shares stacked by layer, the first series at the bottom. The values of a series are shares from 0 to 1.
pub fn shares(title: &str, parts: &[Series]) -> String {
    let layers = parts.iter().map(|part| part.values.len()).max().unwrap_or(0);
    let [_, _, top, bottom] = MARGIN;
    let y = |share: f64| HEIGHT - bottom - (HEIGHT - top - bottom) * share;
    let x = |layer: f64| across(layer, layers.max(1) as f64);
    let mut plot = Plot::new(title);
    for percent in [0, 25, 50, 75, 100] {
        plot.rule(y(f64::from(percent) / 100.0), &escaped(&format!("{percent} %")));
    }
    layer_labels(&mut plot, layers, |layer| x(layer as f64 + 0.5));
    // Wide bars have gaps between them.
    let gap = if layers <= 120 { 0.06 } else { 0.0 };
    for layer in 0..layers {
        let mut below = 0.0;
        for (colour, part) in parts.iter().enumerate() {
            let share = part.values.get(layer).copied().unwrap_or(0.0);
            if share > 0.0 {
                let [left, right] = [gap, 1.0 - gap].map(|edge| x(layer as f64 + edge));
                let label = format!("layer {layer}, {}: {:.1} %", part.name, share * 100.0);
                plot.area([left, y(below + share), right, y(below)], colour_of(colour, parts.len()), &label);
                below += share;
            }
        }
    }
    for (index, part) in parts.iter().enumerate() {
        plot.key(index, parts.len(), colour_of(index, parts.len()), &part.name);
    }
    plot.end()
}

/// The colour of a part. The last of at least as many parts as colours is the remainder and has the last colour.
fn colour_of(index: usize, parts: usize) -> usize {
    if parts > COLOURS.len() - 1 && index + 1 == parts { COLOURS.len() - 1 } else { index }
}

fn across(at: f64, most: f64) -> f64 {
    let [left, right, ..] = MARGIN;
    left + (WIDTH - left - right) * at / most
}

fn layer_labels(plot: &mut Plot, layers: usize, x: impl Fn(usize) -> f64) {
    for layer in (0..layers).step_by(layers.div_ceil(LABELS).max(1)) {
        plot.text(x(layer), HEIGHT - MARGIN[3] + 16.0, "middle", &layer.to_string());
    }
}

/// A power of ten, as markup.
pub fn power(decade: i32) -> String {
    match decade {
        -2..0 => format!("{}", 10f64.powi(decade)),
        0..=3 => grouped(10u32.pow(decade as u32)),
        _ => format!("10<tspan dy=\"-5\" font-size=\"9\">{decade}</tspan>"),
    }
}

/// The text, escaped for HTML, XML and their attributes. Characters that XML does not allow are replaced.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\t' | '\n' => safe.push(c),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            c if c.is_control() => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// A plot that is being drawn.
pub struct Plot {
    text: String,
}

impl Plot {
    /// A plot of the usual height, with a title.
    pub fn new(title: &str) -> Plot {
        Plot::sized(title, HEIGHT)
    }

    /// A plot with a title, of this height.
    pub fn sized(title: &str, height: f64) -> Plot {
        let title = escaped(title);
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
             font-family=\"sans-serif\" font-size=\"12\" role=\"img\" aria-label=\"{title}\">\n\
             <rect class=\"ground\" width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"{}\" y=\"20\" text-anchor=\"middle\" font-size=\"14\">{title}</text>\n",
            WIDTH / 2.0
        );
        Plot { text }
    }

    /// The finished SVG.
    pub fn end(self) -> String {
        self.text + "</svg>\n"
    }

    fn add(&mut self, element: Arguments<'_>) {
        writeln!(self.text, "{element}").expect("a text in memory can be written");
    }

    /// Adds a text, which is escaped.
    pub fn text(&mut self, x: f64, y: f64, anchor: &str, text: &str) {
        self.markup(x, y, anchor, &escaped(text));
    }

    /// Adds a text that is already markup, so it is not escaped.
    pub fn markup(&mut self, x: f64, y: f64, anchor: &str, markup: &str) {
        self.add(format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{markup}</text>"));
    }

    /// Adds the name of a series to the row below the plot, with a square of its colour.
    pub fn key(&mut self, place: usize, places: usize, colour: usize, name: &str) {
        self.key_at(key_place(place, places), HEIGHT - 10.0, colour, name);
    }

    /// As [`Plot::key`], with a piece of the series' line in place of the square.
    fn line_key(&mut self, place: usize, places: usize, colour: usize, name: &str) {
        let (x, y) = (key_place(place, places), HEIGHT - 10.0);
        let (end, middle, look) = (x + SAMPLE, y - 4.0, line_look(colour));
        self.add(format_args!("<path {look} d=\"M{x:.1} {middle:.1}H{end:.1}\"/>"));
        self.mark(x + SAMPLE / 2.0, middle, colour, name);
        self.text(end + 4.0, y, "start", name);
    }

    /// Adds the name of a series at a point, with a square of its colour.
    pub fn key_at(&mut self, x: f64, y: f64, colour: usize, name: &str) {
        let (class, fill) = (colour % COLOURS.len(), COLOURS[colour % COLOURS.len()]);
        let top = y - 9.0;
        self.add(format_args!(
            "<rect class=\"c{class}\" x=\"{x:.1}\" y=\"{top:.1}\" width=\"10\" height=\"10\" fill=\"{fill}\"/>"
        ));
        self.text(x + 14.0, y, "start", name);
    }

    /// Adds a horizontal line of the grid. Its label is markup, which is not escaped.
    pub fn rule(&mut self, y: f64, label: &str) {
        let (from, to) = (MARGIN[0], WIDTH - MARGIN[1]);
        self.add(format_args!("<path class=\"grid\" d=\"M{from} {y:.1}H{to}\" stroke=\"#ddd\"/>"));
        self.markup(from - 8.0, y + 4.0, "end", label);
    }

    /// Adds a vertical line of the grid.
    pub fn column(&mut self, x: f64, top: f64, bottom: f64) {
        self.add(format_args!("<path class=\"grid\" d=\"M{x:.1} {top:.1}V{bottom:.1}\" stroke=\"#ddd\"/>"));
    }

    /// Adds a rectangle with these edges. The label tells its meaning.
    pub fn area(&mut self, [left, top, right, bottom]: [f64; 4], colour: usize, label: &str) {
        let (class, fill) = (colour % COLOURS.len(), COLOURS[colour % COLOURS.len()]);
        let [width, height] = [right - left, bottom - top].map(|length| length.max(0.3));
        let label = escaped(label);
        self.add(format_args!(
            "<rect class=\"c{class}\" x=\"{left:.2}\" y=\"{top:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" \
             fill=\"{fill}\"><title>{label}</title></rect>"
        ));
    }

    /// Adds a line through points.
    pub fn line(&mut self, points: &[(f64, f64)], colour: usize) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.add(format_args!("<polyline {} points=\"{}\"/>", line_look(colour), points.join(" ")));
    }

    /// Adds the mark of a line at a point. The label tells the value there.
    fn mark(&mut self, x: f64, y: f64, colour: usize, label: &str) {
        let (class, fill) = (colour % COLOURS.len(), COLOURS[colour % COLOURS.len()]);
        let (shape, label) = (MARKS[class], escaped(label));
        self.add(format_args!(
            "<path class=\"c{class}\" fill=\"{fill}\" d=\"M{x:.1} {y:.1}{shape}\"><title>{label}</title></path>"
        ));
    }

    /// Adds a circle for a single value.
    pub fn dot(&mut self, x: f64, y: f64, colour: usize) {
        let (class, fill) = (colour % COLOURS.len(), COLOURS[colour % COLOURS.len()]);
        let radius = RADII[0] - RADII[1] * class as f64;
        self.add(format_args!(
            "<circle class=\"c{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"{fill}\"/>"
        ));
    }
}

/// A whole number, or a decimal number with a power of ten.
fn rounded(value: f64) -> String {
    if value < 1e15 { grouped(value.round() as u64) } else { format!("{value:.3e}") }
}

/// The horizontal position at which a name in the row below a plot begins.
fn key_place(place: usize, places: usize) -> f64 {
    let wide = (WIDTH - MARGIN[0] - MARGIN[1]) / places.max(4) as f64;
    MARGIN[0] + wide * place as f64
}

fn line_look(colour: usize) -> String {
    let class = colour % COLOURS.len();
    let (stroke, width, dashes) = (COLOURS[class], WIDTHS[class.min(1)], DASHES[class]);
    let dashes = if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") };
    format!("class=\"line c{class}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{width}\"{dashes}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_become_markup() {
        assert_eq!(
            escaped("<a href='x' & \"y\">\u{1}\u{7f}"),
            "&lt;a href=&#39;x&#39; &amp; &quot;y&quot;&gt;\u{fffd}\u{fffd}"
        );
        let series = [Series { name: "<b>".to_owned(), values: vec![1.0, 0.0, 1e20] }];
        for plot in [lines("<i>&", &series), shares("<i>&", &series)] {
            assert!(plot.contains("&lt;i&gt;&amp;") && plot.contains("&lt;b&gt;") && !plot.contains("<b>"), "{plot}");
        }
    }

    #[test]
    fn a_series_is_interrupted_where_it_has_nothing() {
        let series = [Series { name: "s".to_owned(), values: vec![1.0, 10.0, 0.0, 5.0, 0.0, 7.0, 8.0] }];
        let plot = lines("t", &series);
        assert_eq!((plot.matches("<polyline").count(), plot.matches("<circle").count()), (2, 1), "{plot}");
        for empty in [lines("t", &[]), shares("t", &[])] {
            assert!(empty.ends_with("</svg>\n") && !empty.contains("NaN"), "{empty}");
        }
    }

    #[test]
    fn equal_lines_are_told_apart() {
        let one = |name: &str| Series { name: name.to_owned(), values: vec![3.0, 7.0, 0.0, 5.0] };
        let names = ["a", "b", "c", "d", "e", "f", "g"];
        let plot = lines("t", &names.map(one));
        let look =
            |line: &str, key: &str| line.split(&format!("{key}=\"")).nth(1)?.split('"').next().map(str::to_owned);
        let of = |element: &str, key: &str| -> Vec<Option<String>> {
            plot.lines().filter(|line| line.starts_with(element)).map(|line| look(line, key)).collect()
        };
        let dashes = of("<polyline", "stroke-dasharray");
        let mut different = dashes.clone();
        different.sort();
        different.dedup();
        assert_eq!((dashes[0].as_ref(), different.len()), (None, names.len()), "{plot}");
        assert!(of("<polyline", "stroke-width")[0] > of("<polyline", "stroke-width")[1], "{plot}");
        let radii: Vec<f64> = of("<circle", "r").into_iter().flatten().map(|radius| radius.parse().unwrap()).collect();
        assert!(radii.len() == names.len() && radii.is_sorted_by(|below, above| below > above), "{plot}");
        // Every layer with values has the mark of one line, in turn, and all marks differ.
        let marks = of("<path class=\"c", "d");
        assert_eq!(marks.len(), 3 + names.len(), "{plot}");
        let shapes: Vec<&str> = marks.iter().flatten().map(|path| path.split_once('m').unwrap().1).collect();
        let mut different = shapes.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), names.len(), "{plot}");
        assert_eq!(of("<path class=\"line", "stroke-dasharray"), dashes, "{plot}");
    }

    #[test]
    fn shares_fill_the_height() {
        let part = |name: &str, values: &[f64]| Series { name: name.to_owned(), values: values.to_vec() };
        let plot = shares("t", &[part("a", &[0.25, 0.0]), part("b", &[0.75, 1.0])]);
        let bars = plot.lines().filter(|line| line.contains("<title>"));
        let height = |line: &str| line.split("height=\"").nth(1)?.split('"').next()?.parse::<f64>().ok();
        let heights: Vec<f64> = bars.filter_map(height).collect();
        assert_eq!(heights, [70.0, 210.0, 280.0]);
    }
}
