//! The measured runs of `docs/results.json`, and the tables of the pages that are made of them.

#![allow(dead_code)] // Each user uses a part of it.

use serde::{Deserialize, Serialize};
use std::path::Path;

/// One run: what to solve, and what that gave and took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The rulesheet in `games/`, without its extension; none if it is generated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// Arguments of `ggsolve generate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generate: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(default = "solve", skip_serializing_if = "is_solve")]
    pub command: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// Whether the README's table has it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub readme: bool,
    /// Whether it runs only if it is named.
    #[serde(default, skip_serializing_if = "is_false")]
    pub long: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    pub states: u64,
    /// The sum over all layers, where states lie in several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer_states: Option<u64>,
    /// Nodes of the largest layer.
    pub nodes: u64,
    pub memory_bytes: u64,
    /// Processor seconds of the whole run.
    pub seconds: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<Published>,
    /// What was measured, and where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    pub text: String,
    pub seconds: f64,
}

fn solve() -> String {
    "solve".to_owned()
}

fn is_solve(command: &str) -> bool {
    command == "solve"
}

fn is_false(flag: &bool) -> bool {
    !flag
}

impl Row {
    /// The game and what is not usual about the run, as a cell of a table.
    pub fn title(&self) -> String {
        let mut title = format!("`{}`", self.name());
        if self.generate.is_some() {
            title += " (generated)";
        }
        if let Some(note) = &self.note {
            title += &format!(" ({note})");
        }
        if !is_solve(&self.command) {
            title += &format!(", `{}`", self.command);
        }
        // One option and its value after the other.
        for option in self.options.chunks(2) {
            title += &format!(", `{}`", option.join(" "));
        }
        title
    }

    /// The game and what is not usual about the run, in a few plain words.
    pub fn short_title(&self) -> String {
        let command = (!is_solve(&self.command)).then_some(&self.command);
        // What it may take of the machine is no matter of the game.
        let of_game = |option: &&[String]| !["--threads", "--memory"].contains(&option[0].as_str());
        let values = self.options.chunks(2).filter(of_game).filter_map(<[String]>::last);
        let words: Vec<&String> = command.into_iter().chain(values).collect();
        let note = self.note.as_ref().filter(|note| !note.contains("]("));
        let note = note.map_or_else(String::new, |note| format!(" ({note})"));
        words.into_iter().fold(format!("{}{note}", self.name()), |title, word| format!("{title}, {word}"))
    }

    pub fn name(&self) -> String {
        match (&self.game, &self.generate) {
            (Some(game), _) => game.clone(),
            (None, Some(arguments)) => arguments.join(" "),
            (None, None) => panic!("docs/results.json: a row without `game` and `generate`"),
        }
    }

    fn cells(&self, with_nodes: bool) -> Vec<String> {
        let states = match self.layer_states {
            None => grouped(self.states),
            Some(layered) => format!("{} ({} in layers)", grouped(self.states), grouped(layered)),
        };
        let mut cells = vec![self.title(), self.value.clone().unwrap_or_default(), states];
        cells.extend(with_nodes.then(|| grouped(self.nodes)));
        let published = self.published.as_ref().map_or(String::new(), |published| published.text.clone());
        cells.extend([bytes(self.memory_bytes), seconds(self.seconds), published]);
        cells
    }
}

/// All rows, in the order of the tables.
pub fn read(root: &Path) -> Result<Vec<Row>, String> {
    let path = root.join("docs/results.json");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// One row a line, so that differences can be read.
pub fn text(rows: &[Row]) -> String {
    let lines = rows.iter().map(|row| format!("  {}", serde_json::to_string(row).expect("rows are plain data")));
    format!("[\n{}\n]\n", lines.collect::<Vec<_>>().join(",\n"))
}

/// The page with its tables made anew: the lines below each comment `<!-- results: README -->` and
/// `<!-- results: all -->`, up to the next empty one.
pub fn with_tables(page: &str, rows: &[Row]) -> String {
    let mut lines = Vec::new();
    let mut old = page.lines();
    while let Some(line) = old.next() {
        lines.push(line.to_owned());
        let with_nodes = match line {
            "<!-- results: README -->" => false,
            "<!-- results: all -->" => true,
            _ => continue,
        };
        lines.push(String::new());
        lines.extend(table(rows.iter().filter(|row| with_nodes || row.readme), with_nodes));
        lines.push(String::new());
        old.by_ref().skip(1).find(|line| line.is_empty());
    }
    lines.join("\n") + "\n"
}

fn table<'a>(rows: impl Iterator<Item = &'a Row>, with_nodes: bool) -> Vec<String> {
    let nodes = |head: &'static str| with_nodes.then_some(head);
    let head = ["game", "value", "states"].into_iter().chain(nodes("nodes of the largest layer"));
    let head = head.chain(["peak memory", "seconds", "published"]).map(str::to_owned).collect();
    let rule = ["---", "---", "---:"].into_iter().chain(nodes("---:"));
    let rule = rule.chain(["---:", "---:", "---"]).map(str::to_owned).collect();
    let lines = [head, rule].into_iter().chain(rows.map(|row| row.cells(with_nodes)));
    lines.map(|cells: Vec<String>| format!("| {} |", cells.join(" | ")).replace("|  |", "| |")).collect()
}

pub fn grouped(count: u64) -> String {
    base::digits::grouped(count)
}

pub fn bytes(bytes: u64) -> String {
    match bytes as f64 / 1e6 {
        large if large >= 899.5 => format!("{:.1} GB", large / 1e3),
        small => format!("{small:.0} MB"),
    }
}

/// Two digits of what is short, whole seconds of what is long.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        long if long >= 9.95 => grouped(long.round() as u64),
        long if long >= 0.095 => format!("{long:.1}"),
        short => format!("{short:.2}"),
    }
}
