//! Draws the pictures of `ggsolve explore` in `docs/`, by a browser without a window.
//!
//! `cargo run --release --example screenshots` writes `docs/explore-*.png`; with a folder as argument, pictures of every
//! page in light, dark and narrow go there instead. With `--server ADDRESS` after it the pages of a server that runs
//! already are taken.

#[path = "../tests/common/browser.rs"]
mod browser;

use browser::Browser;
use ggsolve::{Limits, Session, SolveOptions, Source};
use serve::explore::{Explorer, Library};
use serve::http::Server;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Games with boards, and one without.
const GAMES: [&str; 3] = ["tictactoe.gdl", "connect4_5x5.gdl", "blocks.gdl"];

/// A page, by its address and a name for files.
struct Page {
    file: &'static str,
    address: &'static str,
    /// What the mouse is on.
    hover: Option<&'static str>,
}

const PAGES: [Page; 7] = [
    Page { file: "hexapawn", address: "hexapawn?moves=(move+2+1+2+2)", hover: None },
    Page { file: "list", address: "", hover: None },
    Page {
        file: "position",
        address: "connect4_5x5?moves=(drop+3)+(drop+3)+(drop+2)+(drop+4)+(drop+2)+(drop+2)+(drop+4)",
        hover: None,
    },
    Page {
        file: "tictactoe",
        address: "tictactoe?moves=(mark+1+1)+(mark+1+2)+(mark+2+2)+(mark+3+3)",
        hover: Some(".moves li:nth-child(2) button"),
    },
    Page { file: "fluents", address: "blocks", hover: Some(".moves li:nth-child(2) button") },
    Page { file: "layers", address: "connect4_5x5/layers", hover: None },
    Page { file: "wrong", address: "tictactoe?moves=(mark+7+7)", hover: None },
];

/// The pages in the documents: in which look, and how large.
const DOCUMENTED: [(&str, &str, bool, u32, u32); 5] = [
    ("hexapawn", "explore-hexapawn.png", false, 1200, 1010),
    ("position", "explore-position.png", false, 1200, 1280),
    ("layers", "explore-layers.png", false, 1200, 860),
    ("list", "explore-list.png", true, 1200, 430),
    ("tictactoe", "explore-phone.png", true, 390, 844),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(mut browser) = Browser::start() else { return };
    let (limits, mut thread) = (Arc::new(Limits::unlimited()), None);
    let root = match arguments.get(2) {
        Some(address) => address.clone(),
        None => {
            let server = Server::bind("127.0.0.1", 0).expect("a port is free");
            let (url, shared) = (server.url(), Arc::clone(&limits));
            let explorer = Explorer::new(library(), Arc::clone(&limits));
            thread = Some(std::thread::spawn(move || server.serve(explorer, Explorer::BOUNDS, &shared)));
            url
        }
    };
    match arguments.first().map(PathBuf::from) {
        Some(folder) => looks(&mut browser, &root, &folder),
        None => documented(&mut browser, &root),
    }
    for complaint in &browser.complaints {
        println!("{complaint}");
    }
    limits.interrupt();
    if let Some(thread) = thread {
        thread.join().expect("the server ends").expect("the server went on to its end");
    }
}

fn library() -> Library {
    let (session, mut library) = (Session::default(), Library::default());
    for game in GAMES {
        let rules = session.load_file(&Path::new("games").join(game)).expect("the rules are there");
        let solution = session.solution(&rules, &SolveOptions::default()).expect("the game is solved");
        library.add(game.trim_end_matches(".gdl"), solution);
    }
    let rules = session.load(Source::new("hexapawn.gdl", tutorial().as_bytes()));
    library.add("hexapawn", session.solution(&rules, &SolveOptions::default()).expect("the game is solved"));
    library
}

/// The game of the tutorial, as it is after the mistakes are mended.
fn tutorial() -> String {
    let page = std::fs::read_to_string("docs/tutorial.md").expect("the tutorial is there");
    let rules =
        page.split("<<'EOF'\n").nth(1).and_then(|rest| rest.split("EOF\n").next()).expect("the rules are there");
    let head = "(<= (next (cell ?d ?s ?x))\n";
    let mended = rules.replace(head, &format!("{head}    (pawn ?p ?x)\n")).replace("ahed", "ahead");
    mended.replace("\n    (control ?p)\n", "\n    (true (control ?p))\n")
}

fn open(browser: &mut Browser, root: &str, page: &Page) {
    browser.open(&format!("{root}{}", page.address));
    let ready = "(line => line === null || line.hidden || line.querySelector('.ply') !== null)(document.querySelector('section.line'))";
    browser.wait(ready);
    // Distances that a first search bounds are found by a longer one.
    browser.wait("!(document.querySelector('.status')?.innerText ?? '').includes('at least')");
    if let Some(selector) = page.hover {
        browser.hover(selector);
    }
}

fn looks(browser: &mut Browser, root: &str, folder: &Path) {
    for page in &PAGES {
        for (look, dark, width) in [("light", false, 1200), ("dark", true, 1200), ("narrow", false, 390)] {
            browser.size(width, 860);
            browser.dark(dark);
            open(browser, root, page);
            browser.screenshot(&folder.join(format!("{}-{look}.png", page.file)), true);
        }
    }
}

fn documented(browser: &mut Browser, root: &str) {
    for (name, file, dark, width, height) in DOCUMENTED {
        let page = PAGES.iter().find(|page| page.file == name).expect("it is one of the pages");
        browser.size(width, height);
        browser.dark(dark);
        open(browser, root, &Page { hover: None, ..*page });
        browser.screenshot(&Path::new("docs").join(file), false);
    }
}
