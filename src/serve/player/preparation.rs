//! The thread that prepares a match: it reads and grounds the rules, looks for a stored solution, and otherwise solves
//! the game. Results go to the thread that plays. Solutions are kept, so a later match of the same game continues an
//! unfinished one.

use super::arena::{Arena, Place};
use super::expert::{Expert, renamed};
use super::library::{Found, Library, Rulebook};
use super::thinker::News;
use api::session::{Destination, Error, ErrorKind, Session};
use base::limits::Limits;
use base::machine;
use base::random::Random;
use game::diagnostic::Source;
use game::ground::{GroundOptions, ground};
use game::propositional::RoleId;
use game::rules::Language;
use game::rules::spellings::Spellings;
use solving::solve::{Event, Listener, NO_VALUE, SolveOptions};
use solving::store::{Manifest, check_files};
use std::path::Path;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

/// Number of random plays that compare a renamed game with the match.
const PLAYS: usize = 20;
/// Bound on the plies of such a play.
const PLIES: usize = 100;
/// Bound on the nodes of the rules that these plays evaluate. At least two plays are made.
const WORK: usize = 200_000_000;

/// Divisor of the free disk space for temporary files.
const DISK_SHARE: u64 = 2;

pub struct Preparation {
    pub match_id: String,
    pub role: String,
    pub rules: String,
    pub library: Arc<Library>,
    /// Held during a preparation, because each one may use the whole memory.
    pub workshop: Arc<Mutex<()>>,
    pub limits: Arc<Limits>,
    pub threads: usize,
    pub news: Sender<News>,
}

struct Logged;

impl Listener for Logged {
    fn event(&self, event: &Event) {
        if let Event::Notice(text) = event {
            tracing::warn!("{text}");
        }
    }
}

impl Preparation {
    /// Works until all is known or the limits are interrupted.
    pub fn run(self) {
        match self.prepare() {
            Ok(()) => {}
            // The match was called off, which may be the cause of the error.
            Err(_) if self.limits.check().is_err() => self.tell_called_off(),
            Err(reason) => self.tell(News::Nothing(reason)),
        }
    }

    fn tell(&self, news: News) {
        // Nobody receives news of a match that is over.
        let _over = self.news.send(news);
    }

    fn tell_called_off(&self) {
        tracing::info!("{}: the work on its game is called off", self.match_id);
    }

    fn prepare(&self) -> Result<(), String> {
        let session = Session::with(Arc::clone(&self.limits), Arc::new(Logged));
        let source = Source::new("match.gdl", self.rules.as_bytes());
        session.check_room(&source).map_err(|error| error.to_string())?;
        let rules = session.load(source.clone());
        let program = rules.program().map_err(|error| format!("the rules are wrong: {error}"))?;
        let spellings = Language::Gdl.rulesheet(&source).map(|sheet| Spellings::new(&sheet));
        self.tell(News::Rules(Arc::new(program.clone()), spellings.unwrap_or_default()));
        // The preparation of the previous match may not have ended yet.
        let _workshop = self.workshop.lock().unwrap_or_else(PoisonError::into_inner);
        let book = Rulebook::new(source, Language::Gdl).ok_or("the rules are wrong")?;
        let found = self.library.find(&book);
        let game = ground(program, &self.limits, &GroundOptions { derived: false, ..GroundOptions::default() });
        let game =
            game.map_err(|error| format!("the game is not grounded, so moves are played at random: {error}"))?.game;
        let arena = Arc::new(Arena::new(game));
        self.tell(News::Arena(Arc::clone(&arena)));
        let role = match arena.role(&self.role) {
            // The player needs no solution to play chance. The other thread reports an unknown role.
            Some(role) if !arena.is_chance(role) => role,
            _ => return Ok(()),
        };
        for found in &found {
            if self.limits.check().is_err() {
                return Ok(());
            }
            if self.use_found(&session, &arena, found, role) {
                return Ok(());
            }
        }
        self.solve(&session, &arena, book, role);
        Ok(())
    }

    /// Plays by a solution of the same game. Returns whether nothing else is to be tried.
    fn use_found(&self, session: &Session, arena: &Arc<Arena>, found: &Found, role: RoleId) -> bool {
        let (folder, id) = (found.folder.display(), &self.match_id);
        let roles: Vec<String> = arena.game.roles.iter().map(ToString::to_string).collect();
        if found.own
            && let Err(error) = self.finish(
                session,
                found.source.clone(),
                &found.folder,
                &renamed(&roles[role.index()], &found.renaming),
            )
        {
            self.give_up(&error, &found.folder);
            return true;
        }
        let small = Manifest::load(&found.folder).and_then(|manifest| check_files(&found.folder, &manifest));
        let solution = match small.map_err(Error::from).and_then(|()| session.open_any(&found.folder)) {
            Ok(solution) => Arc::new(solution),
            Err(error) if error.kind() == ErrorKind::Interrupted => {
                self.tell_called_off();
                return true;
            }
            Err(error) => {
                tracing::warn!("{id}: {folder}: passed over: {error}");
                return false;
            }
        };
        let expert = Expert::of_renamed(solution, found.renaming.clone(), &roles);
        match expert.filter(|expert| agrees(arena, expert)) {
            Some(expert) if !expert.knows(role) => {
                tracing::warn!("{id}: {folder}: passed over: it has no values, and not what {} can force", self.role);
                false
            }
            Some(expert) => {
                self.tell(News::Expert(expert, Some(found.folder.clone())));
                true
            }
            None => {
                tracing::warn!("{id}: {folder}: passed over: it plays another game under these names");
                false
            }
        }
    }

    fn solve(&self, session: &Session, arena: &Arc<Arena>, book: Rulebook, role: RoleId) {
        let source = book.source.clone();
        let folder = self.library.keep(book);
        if let Some(free) = folder.parent().and_then(machine::free_disk) {
            self.limits.bound_disk(free / DISK_SHARE);
        }
        if let Err(error) = self.finish(session, source, &folder, &arena.game.roles[role.index()].to_string()) {
            self.give_up(&error, &folder);
            return;
        }
        match session.open_any(&folder) {
            Ok(solution) if solution.solution().game().roles == arena.game.roles => {
                tracing::info!("{}: solved", self.match_id);
                self.tell(News::Expert(Expert::of_same_names(Arc::new(solution)), None));
            }
            Ok(_) => tracing::warn!("{}: the solution has other roles than the match", self.match_id),
            Err(error) if error.kind() == ErrorKind::Interrupted => self.tell_called_off(),
            Err(error) => tracing::warn!("{}: the solution cannot be read: {error}", self.match_id),
        }
    }

    /// Solves the game in a folder of the player's own, or continues a solution there. If the game has no single value,
    /// the guarantee of the role is solved.
    fn finish(&self, session: &Session, source: Source, folder: &Path, role: &str) -> Result<(), Error> {
        let options = SolveOptions { threads: self.threads, ..SolveOptions::default() };
        let (rules, destination) =
            (session.load(source), Destination::Folder { folder: folder.to_owned(), force: false });
        match session.solve(&rules, &options, &destination) {
            Err(Error::Refused { refusal, .. }) if refusal.code == NO_VALUE => {
                tracing::info!("{}: {refusal}; what {role} can force is looked for", self.match_id);
                let options = SolveOptions { guarantees: vec![role.to_owned()], ..options };
                session.solve(&rules, &options, &destination).map(drop)
            }
            solved => solved.map(drop),
        }
    }

    /// Logs why a game is not solved, and drops a solution that cannot be continued.
    fn give_up(&self, error: &Error, folder: &Path) {
        let (id, kind) = (&self.match_id, error.kind());
        match kind {
            ErrorKind::Interrupted => return self.tell_called_off(),
            ErrorKind::Rules => tracing::info!("{id}: not solved: {error}"),
            _ => tracing::warn!("{id}: not solved: {error}"),
        }
        if kind != ErrorKind::Limit {
            self.library.drop_kept(folder);
        }
    }
}

/// Whether random plays show no difference between the game of a solution and that of the match.
fn agrees(arena: &Arena, expert: &Expert) -> bool {
    let other = Arena::new(expert.solution.solution().game().clone());
    let nodes = arena.game.graph.len() + other.game.graph.len() + 1;
    let mut random = Random::new(1);
    let mut work = 0;
    for play in 0..PLAYS {
        let (mut here, mut there) = (arena.start(), other.start());
        for _ in 0..PLIES {
            if !alike(arena, expert, &other, &here, &there) {
                return false;
            }
            work += 2 * nodes;
            let Some(joint) = here.situation.random_joint_move(&mut random) else { break };
            let names: Vec<String> = joint.iter().map(|&action| arena.name(action).to_owned()).collect();
            let Some(renamed) = other.joint(&there, &expert.joint(&names)) else { return false };
            (here, there) = (arena.after(&here, &joint), other.after(&there, &renamed));
        }
        if work > WORK && play > 0 {
            break;
        }
    }
    true
}

/// Whether two positions agree in the end of play, the rewards and the legal moves.
fn alike(arena: &Arena, expert: &Expert, other: &Arena, here: &Place, there: &Place) -> bool {
    if here.situation.terminal != there.situation.terminal {
        return false;
    }
    arena.game.role_ids().all(|role| {
        let twin = expert.role(role).index();
        let mut legal: Vec<String> =
            here.situation.legal[role.index()].iter().map(|&action| expert.to_solution(arena.name(action))).collect();
        let mut known: Vec<&str> = there.situation.legal[twin].iter().map(|&action| other.name(action)).collect();
        legal.sort_unstable();
        known.sort_unstable();
        legal == known
            && (!here.situation.terminal || here.situation.goals[role.index()] == there.situation.goals[twin])
    })
}
