//! A shell in a folder that looks like a fresh clone.

use std::path::Path;
use std::process::{Command, Stdio};

/// What is made by building or running and is in no fresh clone.
const NOT_CLONED: [&str; 2] = ["target", ".git"];

pub struct Shell {
    folder: tempfile::TempDir,
}

pub struct Printed {
    pub code: i32,
    /// Both channels.
    pub text: String,
}

impl Shell {
    /// A shell beside links to what `root` holds, with `ggsolve` on its path.
    pub fn new(root: &Path) -> Shell {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for entry in std::fs::read_dir(root).expect("the checkout can be read") {
            let entry = entry.expect("an entry");
            let name = entry.file_name();
            let solution = Path::new(&name).extension().is_some_and(|extension| extension == "ggs");
            if !solution && !NOT_CLONED.iter().any(|left_out| name == *left_out) {
                std::os::unix::fs::symlink(entry.path(), folder.path().join(name)).expect("a link");
            }
        }
        Shell { folder }
    }

    /// Runs a command. `cargo run --release --` is the program that is tested.
    pub fn run(&self, command: &str) -> Printed {
        let program = Path::new(env!("CARGO_BIN_EXE_ggsolve"));
        let programs = program.parent().expect("a program is in a folder");
        let path = std::env::var("PATH").expect("a shell has a path");
        let command = command.replace("cargo run --release -- ", "ggsolve ");
        let output = Command::new("bash")
            .args(["-c", &format!("exec 2>&1\n{command}")])
            .current_dir(self.folder.path())
            .env("PATH", format!("{}:{path}", programs.display()))
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .output()
            .expect("bash can be started");
        let code = output.status.code().expect("no signal ends the shell");
        Printed { code, text: String::from_utf8(output.stdout).expect("the program prints UTF-8") }
    }
}
