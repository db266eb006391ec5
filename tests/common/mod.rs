//! What several integration tests share.

use std::path::{Path, PathBuf};

/// The folder of public rulesheets: `GGSOLVE_CORPUS`, or `../shared/corpus` beside this checkout. Says so and gives
/// nothing where it is absent; the tests that need it then pass without having looked.
pub fn corpus() -> Option<PathBuf> {
    let folder = match std::env::var_os("GGSOLVE_CORPUS") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"),
    };
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no corpus at {}; set GGSOLVE_CORPUS", folder.display());
    None
}

/// The rulesheets of the corpus, by name.
pub fn rulesheets(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the corpus can be read");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "kif"));
    files.sort();
    files
}
