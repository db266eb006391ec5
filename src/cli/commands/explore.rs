//! `explore`: a page that shows solved games, from a server on this machine or as files.

use super::super::failure::Failure;
use super::super::files;
use super::super::options;
use super::super::output::{print, print_error};
use super::super::reading::Explore;
use super::super::shared::{Game, Logging};
use super::{serving, session};
use api::session::Destination;
use base::limits::Limits;
use game::reward::Ranking;
use serve::explore::{Explorer, Library};
use solving::solve::SolveOptions;
use solving::store;
use solving::store::manifest::Manifest;
use solving::words::exact::exact_text;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const PORT: u16 = 8264;

pub fn run(arguments: &Explore, logging: &Logging) -> Result<(), Failure> {
    // A port in use must be reported before anything is solved.
    let server = arguments.export.is_none().then(|| serving::listen(&arguments.listen, PORT)).transpose()?;
    let limits = Arc::new(options::memory_limits(&arguments.memory)?);
    super::super::interrupt::watch(&limits)?;
    let mut library = Library::default();
    for path in &arguments.solutions {
        let folder = match is_rules(path) {
            true => solved(path, arguments, logging, &limits)?,
            false => path.clone(),
        };
        let solution = session::open(&folder, &limits)?;
        let wished = name(&folder).unwrap_or_else(|| solution.solution().game().name.clone());
        let name = library.add(&wished, solution).to_owned();
        tracing::info!("{} is shown as /{name}", folder.display());
    }
    match (server, &arguments.export) {
        (Some(server), _) => {
            serving::serve(server, Explorer::new(library, Arc::clone(&limits)), Explorer::BOUNDS, &limits)
        }
        (None, folder) => {
            export(&library, folder.as_deref().expect("it serves or exports"), arguments, logging, &limits)
        }
    }
}

fn export(
    library: &Library,
    folder: &Path,
    arguments: &Explore,
    logging: &Logging,
    limits: &Arc<Limits>,
) -> Result<(), Failure> {
    let (_, console) = session::listened(limits, None, options::display(arguments.progress, logging));
    let report = serve::explore::export(library, folder, limits, &*console)?;
    console.finish();
    print(&report.to_string())
}

/// Whether a path may be that of rules. The manifest of a solution is not: opening it says what is wrong.
fn is_rules(path: &Path) -> bool {
    let inside = path.file_name().is_some_and(|name| name == store::manifest::NAME);
    path == Path::new("-") || (path.is_file() && !inside)
}

/// Solves and reports a game like `solve`. Returns the folder of the solution.
fn solved(path: &Path, arguments: &Explore, logging: &Logging, limits: &Arc<Limits>) -> Result<PathBuf, Failure> {
    let game = Game { game: path.to_owned(), second: None, problem: None };
    let display = options::display(arguments.progress, logging);
    let (session, console) = session::listened(limits, Some(&game), display);
    let rules = session::load(&session, &game)?;
    let folder = store::default_folder(&rules.program()?.name);
    let destination = Destination::Folder { folder: folder.clone(), force: false };
    let (shown, kept) = (path.display(), folder.display());
    if !files::is_solution(&folder) {
        print_error(&format!("{shown}: solving it first, into {kept}\n"));
    }
    let threads = options::threads(arguments.threads);
    let mut options = SolveOptions { threads, ..SolveOptions::default() };
    // A stored solution is shown as it is. If it is damaged, the attempt to go on tells how.
    if let Ok(stored) = Manifest::load(&folder) {
        options.distances = stored.distances;
        if let Some(Ranking::Each(model)) = stored.ranking() {
            options.opponent_model = model;
        }
    }
    let report = session.solve(&rules, &options, &destination);
    console.finish();
    let report = report?;
    let exact = || report.exact_value.as_ref().map(|value| exact_text(&report.roles, value));
    let outcome = report.outcome().or_else(exact).unwrap_or_default();
    let how = if report.from_disk { "read from" } else { "solved into" };
    print_error(&format!("{shown}: {how} {kept}: {outcome}\n"));
    Ok(folder)
}

fn name(folder: &Path) -> Option<String> {
    let whole = folder.canonicalize().ok()?;
    let name = if whole.extension().is_some_and(|extension| extension == files::SOLUTION) {
        whole.file_stem()
    } else {
        whole.file_name()
    };
    name.map(|name| name.to_string_lossy().into_owned())
}
