//! Every command of the pages for users, run as it stands, in the order in which it stands, beside a fresh copy of what
//! the repository holds; what it prints is what the page shows.
//!
//! A block marked `console` is a dialogue: lines that start with `$ ` are commands, the lines below each are what it
//! prints on both channels. `…` on a line of its own stands for any lines, and figures of time and memory may differ.
//! A command below which nothing is shown must end well. A block marked `sh` is a script that must end well. The blocks of a
//! page share one folder. A block below `<!-- not run: REASON -->` is left out; no other block may show commands.
//!
//! Tables below `<!-- results: … -->` are made of `docs/results.json`.
//!
//! `GGSOLVE_UPDATE_DOCS=1 cargo test --release --test docs` writes what is printed into the pages, to be read and
//! shortened by hand.

#[path = "../common/figures.rs"]
mod figures;
mod page;
#[path = "../../examples/reproduce/results.rs"]
mod results;
mod shell;

use page::Page;
use shell::Shell;
use std::path::Path;

/// Runs the commands of a page. The error says which of them does not do what the page says.
fn follow(name: &str) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join(name);
    let update = std::env::var_os("GGSOLVE_UPDATE_DOCS").is_some();
    let mut text = std::fs::read_to_string(&path).expect("the page can be read");
    let rows = results::read(root)?;
    let with_tables = results::with_tables(&text, &rows);
    if with_tables != text && !update {
        return Err(format!("{name}: the tables are not those of docs/results.json"));
    }
    text = with_tables;
    let mut page = Page::new(&text);
    if let Some(line) = page.stray {
        return Err(format!("{name}:{line}: a command in a block that is marked neither `console` nor `sh`"));
    }
    let shell = Shell::new(root);
    for place in 0..page.commands.len() {
        let command = &page.commands[place];
        let printed = shell.run(&command.text);
        if command.agrees(&printed.text) && (printed.code == 0 || !command.expected.is_empty()) {
            continue;
        }
        if !update || command.is_script {
            return Err(format!(
                "{name}:{}: `{}` ends with code {} and prints\n{}\nwhere the page shows\n{}",
                command.line + 1,
                command.text,
                printed.code,
                printed.text,
                command.expected.join("\n"),
            ));
        }
        page.replace(place, &printed.text);
    }
    if update {
        std::fs::write(&path, page.text()).expect("the page can be written");
    }
    Ok(())
}

/// The pages for users, beside the one that the tests of the Python module run.
fn pages() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec!["README.md".to_owned()];
    for folder in ["docs", "games", "grammar", "paper"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("the folder can be read") {
            let name = entry.expect("an entry").file_name().into_string().expect("names are UTF-8");
            pages.extend(name.ends_with(".md").then(|| format!("{folder}/{name}")));
        }
    }
    pages.sort();
    pages
}

/// The plot of seconds has the figures of the tables.
#[test]
fn the_plot_of_seconds_is_that_of_the_results() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let plot = std::fs::read_to_string(root.join("docs/seconds.svg")).expect("the plot can be read");
    for row in results::read(root).unwrap() {
        let Some(published) = &row.published else { continue };
        for seconds in [row.seconds, published.seconds] {
            let bar = format!("<title>{}: {seconds} s</title>", row.short_title());
            assert!(plot.contains(&bar), "{bar} is missing: `cargo run --release --example plots` draws it");
        }
    }
}

#[test]
fn every_page_can_be_followed() {
    let pages = pages();
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let followed: Vec<_> = pages.iter().map(|page| scope.spawn(move || follow(page))).collect();
        let results = followed.into_iter().map(|page| page.join().expect("a page is followed to its end"));
        results.filter_map(Result::err).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let commands = |name: &str| {
        let page =
            std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).expect("the page is there");
        Page::new(&page).commands.len()
    };
    // What a new user comes by: an own game, an own game that goes round, an own planning task.
    for page in ["docs/tutorial.md", "docs/cycles.md", "docs/planning.md", "README.md", "docs/solutions.md"] {
        assert!(commands(page) > 2, "{page} has commands");
    }
}
