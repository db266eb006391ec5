//! Printed lines without what differs from run to run.

/// A line without figures of time and memory, and without spaces at its end. Units count as part of a figure: the same
/// time may be told in another one.
pub fn without_figures(line: &str) -> String {
    const UNITS: [&str; 11] = ["ms", "µs", "s", "min", "h", "seconds", "B", "KiB", "MiB", "GiB", "bytes"];
    let mut found: Vec<String> = vec![];
    let mut words = line.trim_end().split(' ').peekable();
    while let Some(word) = words.next() {
        let is_number = !word.is_empty() && word.chars().all(|c| c.is_ascii_digit() || ",.".contains(c));
        let unit = words.peek().map_or("", |next| next.trim_end_matches([',', '.', ';', ':', ')']));
        if is_number && UNITS.contains(&unit) {
            let end = words.next().map_or("", |next| &next[unit.len()..]);
            found.push(format!("#{end}"));
        } else {
            found.push(word.to_owned());
        }
    }
    found.join(" ")
}
