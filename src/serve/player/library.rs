//! Finds stored solutions of the game of a match, whatever names the match uses.
//!
//! There are two places: the user's folder, which is only read, and a temporary folder for the player's own solutions,
//! finished or not. Each rulesheet has two shapes, numbers that do not depend on names ([`isomorphism::shape`]). A
//! renaming is searched for only if shapes are equal. Cost: a look at each folder, whose manifest is read again only
//! after a change, and a search for each rulesheet with an equal shape.

use base::digits::counted;
use base::scratch::TemporaryFolder;
use game::diagnostic::Source;
use game::reward::OpponentModel;
use game::rules::Language;
use game::rules::isomorphism::{self, Numbers, Renaming};
use game::rules::sentence::Rulesheet;
use solving::store::manifest::{self, Manifest};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

const MOST_KEPT: usize = 8;

pub struct Library {
    given: Option<PathBuf>,
    kept: TemporaryFolder,
    shelves: Mutex<Shelves>,
}

#[derive(Default)]
struct Shelves {
    /// By folder of the user: the time of its manifest; and the rules, or `None` if the solution is unusable.
    given: BTreeMap<PathBuf, (SystemTime, Option<Arc<Rulebook>>)>,
    /// The player's own games, the newest last.
    kept: Vec<(PathBuf, Arc<Rulebook>)>,
    made: u64,
}

#[derive(Debug, Clone)]
pub struct Rulebook {
    pub source: Source,
    language: Language,
    /// The shape by each way to treat numbers ([`Numbers::ALL`]).
    shapes: [u64; 2],
}

#[derive(Debug, Clone)]
pub struct Found {
    pub folder: PathBuf,
    /// The rules with the names of the solution.
    pub source: Source,
    /// From the names of the match to those of the solution.
    pub renaming: Renaming,
    /// Whether the solution is the player's own and may be unfinished.
    pub own: bool,
}

impl Rulebook {
    /// Reads rules; `None` if they have errors.
    pub fn new(source: Source, language: Language) -> Option<Rulebook> {
        let sheet = language.rulesheet(&source)?;
        let shapes = Numbers::ALL.map(|numbers| isomorphism::shape(&sheet, numbers));
        Some(Rulebook { source, language, shapes })
    }

    fn sheet(&self) -> Option<Rulesheet> {
        self.language.rulesheet(&self.source)
    }

    /// The renaming between two rulesheets; `None` if they differ in more than names.
    fn renaming(&self, other: &Rulebook) -> Option<Renaming> {
        let alike = |index: &usize| self.shapes[*index] == other.shapes[*index];
        let numbers = (0..Numbers::ALL.len()).filter(alike).map(|index| Numbers::ALL[index]);
        let (one, two) = (self.sheet()?, other.sheet()?);
        numbers.into_iter().find_map(|numbers| isomorphism::renaming(&one, &two, numbers))
    }

    fn may_be(&self, other: &Rulebook) -> bool {
        self.shapes.iter().zip(&other.shapes).any(|(one, two)| one == two)
    }
}

impl Library {
    pub fn new(given: Option<PathBuf>) -> io::Result<Library> {
        let kept = TemporaryFolder::new(None, "ggsolve-player-")?;
        let library = Library { given, kept, shelves: Mutex::default() };
        if library.given.is_some() {
            let games = library.look(&mut library.shelves()).len();
            tracing::info!("{}", counted(games, "stored solution"));
        }
        Ok(library)
    }

    fn shelves(&self) -> std::sync::MutexGuard<'_, Shelves> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The solutions of the same game, the user's own before the player's.
    pub fn find(&self, rules: &Rulebook) -> Vec<Found> {
        let mut shelves = self.shelves();
        let given = self.look(&mut shelves).into_iter().map(|(folder, book)| (folder, book, false));
        let kept = shelves.kept.iter().rev().map(|(folder, book)| (folder.clone(), book.clone(), true));
        let books: Vec<(PathBuf, Arc<Rulebook>, bool)> = given.chain(kept).collect();
        drop(shelves);
        let found = books.into_iter().filter(|(_, book, _)| rules.may_be(book)).filter_map(|(folder, book, own)| {
            let renaming = rules.renaming(&book)?;
            Some(Found { folder, source: book.source.clone(), renaming, own })
        });
        found.collect()
    }

    pub fn keep(&self, rules: Rulebook) -> PathBuf {
        let mut shelves = self.shelves();
        shelves.made += 1;
        let folder = self.kept.path().join(format!("{}.ggs", shelves.made));
        shelves.kept.push((folder.clone(), Arc::new(rules)));
        if shelves.kept.len() > MOST_KEPT {
            let (oldest, _) = shelves.kept.remove(0);
            remove(&oldest);
        }
        folder
    }

    pub fn clear(&self) {
        self.shelves().kept.clear();
        remove(self.kept.path());
    }

    pub fn drop_kept(&self, folder: &Path) {
        self.shelves().kept.retain(|(kept, _)| kept != folder);
        remove(folder);
    }

    /// The finished solutions in the user's folder, ordered by name. The errors of the other solutions are logged once.
    fn look(&self, shelves: &mut Shelves) -> Vec<(PathBuf, Arc<Rulebook>)> {
        let Some(given) = &self.given else { return Vec::new() };
        let mut folders = vec![given.clone()];
        match std::fs::read_dir(given) {
            Ok(entries) => folders.extend(entries.filter_map(|entry| Some(entry.ok()?.path()))),
            Err(error) => tracing::warn!("{}: the folder of solutions cannot be read: {error}", given.display()),
        }
        folders.sort();
        let mut found = Vec::new();
        for folder in folders {
            let Ok(changed) = std::fs::metadata(folder.join(manifest::NAME)).and_then(|data| data.modified()) else {
                continue;
            };
            let known = shelves.given.get(&folder).filter(|(time, _)| *time == changed);
            let book = match known {
                Some((_, book)) => book.clone(),
                None => {
                    let book = usable(&folder)
                        .map_err(|reason| tracing::warn!("{}: passed over: {reason}", folder.display()))
                        .ok()
                        .map(Arc::new);
                    shelves.given.insert(folder.clone(), (changed, book.clone()));
                    book
                }
            };
            found.extend(book.map(|book| (folder, book)));
        }
        found
    }
}

fn remove(folder: &Path) {
    if let Err(error) = std::fs::remove_dir_all(folder)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!("{}: an old solution stays: {error}", folder.display());
    }
}

/// The rules of a usable solution. The error is the reason why the solution is unusable.
fn usable(folder: &Path) -> Result<Rulebook, String> {
    let manifest = Manifest::load(folder).map_err(|error| error.to_string())?;
    match &manifest.opponent_model {
        // A solution with exact values may have guarantees in place of values.
        None if manifest.is_exact() => {}
        None => return Err("states are counted there, and have no values".to_owned()),
        Some(model) if OpponentModel::ALL.iter().any(|known| known.name() == model) => {}
        Some(model) => return Err(format!("its values are those of `{model}`, not of play for oneself")),
    }
    if !manifest.is_finished() {
        return Err("the solution is unfinished".to_owned());
    }
    let rules = manifest.rules(folder).map_err(|error| error.to_string())?;
    let language = Language::named(&manifest.language);
    let language =
        language.ok_or_else(|| format!("rules in {}, which this program does not read", manifest.language))?;
    let source = Source::new(format!("{}.{}", manifest.game, manifest.language), &rules);
    Rulebook::new(source, language).ok_or_else(|| "the rules are refused".to_owned())
}
