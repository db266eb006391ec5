//! `generate`: the rulesheet of a game of a known family, on standard output. The families are in `games/families`.

use super::super::arguments::Generate;
use super::super::expect;
use super::super::failure::Failure;
use super::super::families;
use super::super::files::Access;
use super::super::output::print;
use std::path::Path;

pub fn run(arguments: &Generate) -> Result<(), Failure> {
    match (arguments.game.as_str(), arguments.sizes.as_slice()) {
        ("shipped", [folder]) => write_shipped(Path::new(folder)),
        ("shipped", _) => Err(wrong("`shipped` takes the folder to write to, and nothing else".to_owned())),
        (game, sizes) => {
            let words: Vec<String> = std::iter::once(game.to_owned()).chain(sizes.iter().cloned()).collect();
            print(&families::generate(&words).map_err(wrong)?)
        }
    }
}

/// Writes all shipped rulesheets to a folder, which is made if there is none.
fn write_shipped(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| expect::failure(folder, "the rules", Access::Write, &error))?;
    for (file, arguments) in families::SHIPPED {
        let path = folder.join(file);
        let text = families::shipped(arguments).map_err(wrong)?;
        expect::write(&path, "the rules", &text)?;
    }
    Ok(())
}

fn wrong(message: String) -> Failure {
    Failure::Usage(format!("{message}\n  `ggsolve generate --help` lists the games and their sizes"))
}
