//! Solutions as a site without a server: the page of the explorer, and files in place of the server's answers.
//!
//! The page evaluates the rules as a circuit of gates. The stored diagram of a layer gives the rank of a state, and the
//! rank gives its value. In a game of three values, a state takes two bits in addition to the diagram. All data are in
//! scripts, because a script can read no other files of a folder.

mod bundle;
mod files;
mod game;
mod positions;
mod recorded;

use super::answers::{Layers, Listed};
use super::files::{PAGE, content};
use super::library::{Entry, Library};
use api::puzzles::Options;
use api::session::{Error, PuzzleReport};
use base::digits::{counted, grouped};
use base::limits::{LimitReached, Limits};
use files::{Parts, Site, Work, folder_of, put};
use num_bigint::BigUint;
use positions::Writer;
use recorded::Recorder;
use serde_json::{Value, json};
use solving::solution::{Opened, Stored};
use solving::solve::Listener;
use solving::words::number;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Bound on the sum of the states of all layers.
const MOST_STATES: u64 = 1 << 24;
/// As [`MOST_STATES`], for exact values: a state takes a hundred bytes, and a linear program for each joint move.
const MOST_EXACT: u64 = 1 << 20;

const PUZZLES: Options = Options { number: 50, layer: None, draws: 10_000, seed: 1 };

/// By name: the modules that replace the server.
const MODULES: [(&str, &str); 8] = [
    ("answers.js", include_str!("answers.js")),
    ("diagram.js", include_str!("diagram.js")),
    ("exact.js", include_str!("exact.js")),
    ("joint.js", include_str!("joint.js")),
    ("record.js", include_str!("record.js")),
    ("rules.js", include_str!("rules.js")),
    ("solved.js", include_str!("solved.js")),
    ("source.js", include_str!("source.js")),
];

/// Replacements in the page: it loads a single script, and its files are beside it.
const PAGE_CHANGES: [(&str, &str); 4] = [
    ("<script type=\"module\" src=\"/assets/main.js\">", "<script defer src=\"page.js\">"),
    ("/assets/", ""),
    ("href=\"/\"", "href=\"#/\""),
    (" The same answers are JSON at\n<a href=\"/api/solutions\">/api/solutions</a>.", ""),
];

#[derive(Debug, Clone, PartialEq)]
pub struct SiteReport {
    pub folder: PathBuf,
    pub solutions: usize,
    pub positions: u64,
    pub files: usize,
    pub bytes: u64,
    pub seconds: f64,
}

/// Writes the solutions of a library as a site into a folder, which appears when it is complete. An existing folder is
/// replaced only if it is empty or a site. Fails for solutions that are unfinished or have too many states.
pub fn export(
    library: &Library,
    folder: &Path,
    limits: &Arc<Limits>,
    listener: &dyn Listener,
) -> Result<SiteReport, Error> {
    let start = Instant::now();
    let solutions: Vec<(&Entry, &Stored)> = library.entries().iter().map(fitting).collect::<Result<_, _>>()?;
    let total = solutions.iter().map(|(_, stored)| states(stored)).sum();
    let mut site = Site::begin(folder)?;
    let mut done = 0;
    for &(Entry { name, solution: opened }, stored) in &solutions {
        let mut data = game::data(opened.solution(), &stored.manifest);
        let work = Work { stored, parts: Parts::new(&mut site, name), limits, listener, total, done: &mut done };
        match opened {
            Opened::Rewards(solution) => Writer { solution, work }.write(&mut data)?,
            Opened::Exact(exact) => Recorder { exact, work }.write(&mut data)?,
        }
        let puzzles = match stored.manifest.opponent_model {
            None => Value::Null,
            Some(_) => {
                let mut puzzles = json!(PuzzleReport::new(opened, &stored.manifest, &PUZZLES, limits, listener)?);
                // Without the time, equal solutions yield equal bytes.
                puzzles["time_s"] = Value::Null;
                puzzles
            }
        };
        let game = json!({"layers": Layers::new(opened, &stored.manifest)?, "puzzles": puzzles, "data": data});
        site.write(&format!("{}/game.js", folder_of(name)), &put(&format!("{name}/game"), &game))?;
    }
    let listed: Vec<Listed> = library.entries().iter().map(Listed::new).collect();
    site.write("solutions.js", &put("solutions", &listed))?;
    let text = |name: &str| {
        let own = MODULES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
        own.or_else(|| content(name)).expect("modules import what is there")
    };
    site.write("page.js", &bundle::bundle("main.js", &text))?;
    for name in ["style.css", "icon.svg"] {
        site.write(name, text(name))?;
    }
    site.write("index.html", &PAGE_CHANGES.iter().fold(PAGE.to_owned(), |page, (from, to)| page.replace(from, to)))?;
    // A complete site is kept even if a limit is reached afterwards.
    limits.check()?;
    let (files, bytes) = site.finish(&about(&solutions))?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(SiteReport { folder: folder.to_owned(), solutions: solutions.len(), positions: total, files, bytes, seconds })
}

fn about(solutions: &[(&Entry, &Stored)]) -> Value {
    let of = |(Entry { name, .. }, stored): &(&Entry, &Stored)| json!({"name": name, "game": stored.manifest.game, "rules_sha256": stored.manifest.rules_sha256});
    let generator = format!("ggsolve {}", env!("CARGO_PKG_VERSION"));
    json!({"generator": generator, "solutions": solutions.iter().map(of).collect::<Vec<_>>()})
}

fn states(stored: &Stored) -> u64 {
    let sum: BigUint = stored.manifest.layers.iter().map(|layer| &layer.states).sum();
    u64::try_from(sum).unwrap_or(u64::MAX)
}

/// The stored part of a solution; an error if a site cannot show the solution.
fn fitting(entry: &Entry) -> Result<(&Entry, &Stored), Error> {
    let game = &entry.solution.solution().game().name;
    let Some(stored) = entry.solution.solution().values().stored() else {
        return Err(Error::Options(format!("{game} is in no folder, from which a site could be written")));
    };
    let (has_answers, most) = match &entry.solution {
        Opened::Rewards(_) => (stored.manifest.opponent_model.is_some(), MOST_STATES),
        Opened::Exact(exact) => (exact.has_values() || exact.stored_guarantees().next().is_some(), MOST_EXACT),
    };
    if !stored.manifest.is_finished() || !has_answers {
        return Err(Error::Unsolved(format!("{game}: values are missing, without which there is no site")));
    }
    match states(stored) {
        number if number > most => {
            let number = grouped(number);
            let what = format!("the number of states of {game} for a site without a server, {number},");
            Err(LimitReached::Size { what, limit: most }.into())
        }
        _ => Ok((entry, stored)),
    }
}

impl fmt::Display for SiteReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (solutions, files) = (counted(self.solutions, "solution"), counted(self.files, "file"));
        let (positions, bytes) = (counted(self.positions, "position"), number::bytes(self.bytes));
        writeln!(f, "a site of {solutions} with {positions}")?;
        let (folder, time) = (self.folder.display(), number::seconds(self.seconds));
        writeln!(f, "  in {folder}, {files}, {bytes}, written in {time}")?;
        writeln!(
            f,
            "  open {} in a browser, or put the folder on any web server",
            self.folder.join("index.html").display()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_loads_what_lies_beside_it() {
        let page = PAGE_CHANGES.iter().fold(PAGE.to_owned(), |page, (from, to)| {
            assert!(page.contains(from), "{from} in {page}");
            page.replace(from, to)
        });
        assert!(!page.contains("\"/") && !page.contains("module") && page.contains("src=\"page.js\""), "{page}");
    }

    #[test]
    fn modules_hold_texts_and_load_nothing_from_elsewhere() {
        for (name, text) in MODULES {
            assert!(!text.contains("innerHTML") && !text.contains("http:") && !text.contains("https:"), "{name}");
            assert!(!text.contains("fetch("), "{name}: a page in a folder may not");
            assert!(name == "source.js" || content(name).is_none(), "{name} would hide a module of the page");
        }
    }
}
