//! Prints the rulesheet of a game of any size: `cargo run --release --example generate -- connect4 8 5`.

mod games;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let written = match arguments.as_slice() {
        [command, folder] if command == "shipped" => write_shipped(Path::new(folder)),
        _ => match games::generate(&arguments) {
            Ok(text) => std::io::stdout().write_all(text.as_bytes()).map_err(|error| error.to_string()),
            Err(message) => {
                eprintln!("error: {message}\n\n{}", games::USAGE);
                return ExitCode::from(2);
            }
        },
    };
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(1)
        }
    }
}

/// Writes every shipped file into a folder that exists.
fn write_shipped(folder: &Path) -> Result<(), String> {
    for (file, arguments) in games::SHIPPED {
        let path = folder.join(file);
        std::fs::write(&path, games::shipped(arguments)?).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}
