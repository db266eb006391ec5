//! A server with solutions, on a thread of this process.

use crate::client::Client;
use ggsolve::{Destination, Limits, Rules, Session, Solution, SolveOptions, Source};
use serve::explore::{Explorer, Library};
use serve::http::Server;
use solving::solution::Opened;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

/// A server until it is dropped.
pub struct Running {
    pub address: SocketAddr,
    pub url: String,
    limits: Arc<Limits>,
    thread: Option<JoinHandle<std::io::Result<()>>>,
    _folder: tempfile::TempDir,
}

/// Of a game, or of a domain and a problem with a blank between them.
pub fn rules(game: &str) -> Rules {
    let path = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(name);
    let Some((domain, problem)) = game.split_once(' ') else {
        return Session::default().load_file(&path(game)).expect("the rules are there");
    };
    let source = |name: &str| Source::new(name, &std::fs::read(path(name)).expect("the rules are there"));
    Session::default().load(Source::joined(source(domain), source(problem)))
}

/// A shipped game, solved.
pub fn solution(game: &str) -> Solution {
    Session::default().solution(&rules(game), &SolveOptions::default()).expect("the game is solved")
}

/// The solution of a shipped game, stored in a folder and opened from there.
pub fn stored(game: &str, folder: &Path) -> Opened {
    let destination = Destination::Folder { folder: folder.to_owned(), force: false };
    Session::default().solve(&rules(game), &SolveOptions::default(), &destination).expect("the game is solved");
    Session::default().open_any(folder).expect("the folder is a solution")
}

impl Running {
    /// With shipped games, each stored in a folder of its own.
    pub fn with(games: &[&str]) -> Running {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut library = Library::default();
        for game in games {
            let file = game.rsplit(['/', ' ']).next().expect("a text has a last part");
            let name = file.split('.').next().expect("a name has a part");
            library.add(name, stored(game, &folder.path().join(format!("{name}.ggs"))));
        }
        Running::of(library, folder)
    }

    /// With shipped games, each as some options solve it.
    pub fn solved_as(games: &[(&str, SolveOptions)]) -> Running {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut library = Library::default();
        for (number, (game, options)) in games.iter().enumerate() {
            let name = game.split('.').next().expect("a name has a part");
            let place = folder.path().join(format!("{number}.ggs"));
            let destination = Destination::Folder { folder: place.clone(), force: false };
            Session::default().solve(&rules(game), options, &destination).expect("the game is solved");
            library.add(name, Session::default().open_any(&place).expect("the folder is a solution"));
        }
        Running::of(library, folder)
    }

    /// With a solution that is open, in a folder that goes with it.
    pub fn opened(name: &str, solution: Opened, folder: tempfile::TempDir) -> Running {
        let mut library = Library::default();
        library.add(name, solution);
        Running::of(library, folder)
    }

    pub fn of(library: Library, folder: tempfile::TempDir) -> Running {
        let server = Server::bind("127.0.0.1", 0).expect("a port is free");
        let (address, url, limits) = (server.address(), server.url(), Arc::new(Limits::unlimited()));
        let shared = Arc::clone(&limits);
        let explorer = Explorer::new(library, Arc::clone(&limits));
        let serve = move || server.serve(explorer, Explorer::BOUNDS, &shared);
        Running { address, url, limits, thread: Some(std::thread::spawn(serve)), _folder: folder }
    }

    pub fn client(&self) -> Client {
        Client::new(self.address)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.limits.interrupt();
        let thread = self.thread.take().expect("it is taken once");
        assert!(thread.join().is_ok_and(|served| served.is_ok()), "the server ends well");
    }
}
