//! Output in the form in which it is compared: without figures of time and memory, long objects a line for each part.

use crate::figures::without_figures;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// Keys of figures that differ from run to run.
const FIGURES: [&str; 5] = ["time_s", "peak_memory_bytes", "memory_limit_bytes", "machine", "version"];
/// Longer lines and texts are cut, with the sum of what they were.
const LONGEST_LINE: usize = 400;
const MOST_LINES: usize = 60;

/// An object with a line for each key, and for each element of an array of objects or arrays.
pub fn json(value: Value) -> String {
    let fields = match without_values(value) {
        Value::Object(fields) => fields,
        other => return format!("{other}\n\n"),
    };
    let mut text = String::from("{\n");
    for (key, value) in fields {
        match value {
            Value::Array(elements) if elements.iter().any(|element| element.is_object() || element.is_array()) => {
                text += &format!("  {key}:\n");
                let lines: Vec<String> = elements.iter().map(|element| format!("    {element}")).collect();
                text += &cut(&lines);
            }
            value => text += &cut(&[format!("  {key}: {value}")]),
        }
    }
    text + "}\n\n"
}

/// The object with the names of its figures, and not the figures.
fn without_values(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(key, value)| {
                let value = if FIGURES.contains(&key.as_str()) { names(value) } else { without_values(value) };
                (key, value)
            });
            Value::Object(fields.collect::<Map<_, _>>())
        }
        Value::Array(elements) => elements.into_iter().map(without_values).collect(),
        other => other,
    }
}

/// The keys of an object of figures; of any other value its kind.
fn names(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (key, names(value))).collect(),
        Value::Null => Value::Null,
        Value::Number(_) => "a number".into(),
        _ => "a text".into(),
    }
}

/// A text without figures of time and memory.
pub fn text(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| without_machine(&without_figures(line))).collect();
    cut(&lines) + "\n"
}

/// Lines, each ended; of long ones and of many the beginning.
fn cut(lines: &[String]) -> String {
    let mut shown = String::new();
    let sum = |text: &str| sum(text.as_bytes())[..16].to_owned();
    for line in &lines[..lines.len().min(MOST_LINES)] {
        shown += &match line.char_indices().nth(LONGEST_LINE) {
            Some((end, _)) => format!("{}… in all {} bytes, sum {}\n", &line[..end], line.len(), sum(line)),
            None => format!("{line}\n"),
        };
    }
    if lines.len() > MOST_LINES {
        shown += &format!("… in all {} lines, sum {}\n", lines.len(), sum(&lines.join("\n")));
    }
    shown
}

/// The sum of some bytes, in digits.
pub fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A line about a run without the version and the machine.
fn without_machine(line: &str) -> String {
    let line = line.replace(&format!("ggsolve {}", env!("CARGO_PKG_VERSION")), "ggsolve #");
    match line.split_once("; at most #; ").or_else(|| line.split_once(", at most #; ")) {
        Some((run, _)) => format!("{run}, at most #; #"),
        None => line,
    }
}

/// What was told on standard error, each line with a mark.
pub fn errors(text: &str) -> String {
    text.lines().map(|line| format!("2> {}\n", without_figures(line))).collect()
}

/// An argument as a shell takes it.
pub fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    if !argument.is_empty() && argument.chars().all(plain) { argument.to_owned() } else { format!("'{argument}'") }
}
