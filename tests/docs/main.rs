//! Every command of the pages for users, run as it stands, in the order in which it stands, beside a fresh copy of what
//! the repository holds; what it prints is what the page shows.
//!
//! A block marked `console` is a dialogue: lines that start with `$ ` are commands, the lines below each are what it
//! prints on both channels. `…` on a line of its own stands for any lines, and figures of time and memory may differ.
//! A command below which nothing is shown must end well. The blocks of a page share one folder.
//!
//! `GGSOLVE_UPDATE_DOCS=1 cargo test --release --test docs` writes what is printed into the pages, to be read and
//! shortened by hand.

#[path = "../common/figures.rs"]
mod figures;
mod page;
mod shell;

use page::Page;
use shell::Shell;
use std::path::Path;

fn follow(name: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join(name);
    let mut page = Page::new(&std::fs::read_to_string(&path).expect("the page can be read"));
    assert!(!page.commands.is_empty(), "{name} has no block marked `console`");
    let shell = Shell::new(root);
    let update = std::env::var_os("GGSOLVE_UPDATE_DOCS").is_some();
    for place in 0..page.commands.len() {
        let command = &page.commands[place];
        let printed = shell.run(&command.text);
        if command.agrees(&printed.text) && (printed.code == 0 || !command.expected.is_empty()) {
            continue;
        }
        if update {
            page.replace(place, &printed.text);
        } else {
            panic!(
                "{name}:{}: `{}` ends with code {} and prints\n{}\nwhere the page shows\n{}",
                command.line + 1,
                command.text,
                printed.code,
                printed.text,
                command.expected.join("\n"),
            );
        }
    }
    if update {
        std::fs::write(&path, page.text()).expect("the page can be written");
    }
}

#[test]
fn the_readme_can_be_followed() {
    follow("README.md");
}

#[test]
fn the_tutorial_can_be_followed() {
    follow("docs/tutorial.md");
}

#[test]
fn the_page_of_solutions_can_be_followed() {
    follow("docs/solutions.md");
}

#[test]
fn the_page_of_gddl_can_be_followed() {
    follow("docs/gddl.md");
}
