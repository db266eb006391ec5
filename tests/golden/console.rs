//! Runs of the program, one after the other beside the files of the repository, and their transcript.

use crate::shown;
use assert_cmd::Command;
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What the arguments call the folder for solutions, which has another name in each run of the tests.
const SOLUTION: &str = "SOLUTION";

pub struct Console {
    folder: tempfile::TempDir,
    input: String,
    pub transcript: String,
}

impl Console {
    pub fn new() -> Console {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Console { folder, input: String::new(), transcript: String::new() }
    }

    /// What the next run reads from standard input.
    pub fn input(&mut self, text: &str) {
        self.input = text.to_owned();
    }

    /// What the next run would read.
    pub fn given(&self) -> String {
        self.input.clone()
    }

    /// Runs a command; what it prints stands in the transcript.
    pub fn text(&mut self, arguments: &[&str]) {
        let (output, errors) = self.run(arguments);
        self.transcript += &shown::text(&output);
        self.transcript += &shown::errors(&errors);
    }

    /// As [`Console::text`], with JSON for scripts.
    pub fn json(&mut self, arguments: &[&str]) {
        let arguments: Vec<&str> = arguments.iter().chain(&["--format", "json"]).copied().collect();
        let (output, errors) = self.run(&arguments);
        for value in serde_json::Deserializer::from_str(&output).into_iter::<Value>() {
            self.transcript += &shown::json(value.expect("JSON"));
        }
        self.transcript += &shown::errors(&errors);
    }

    /// The names of the files of a solution, with the sums of their bytes.
    pub fn stored(&mut self, folder: &str) {
        let folder = self.path(folder);
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
            .expect("the folder of a solution")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        files.sort();
        for file in files {
            let name = file.file_name().expect("a file has a name").to_string_lossy().into_owned();
            let mut bytes = std::fs::read(&file).expect("the file can be read");
            if name == "manifest.json" {
                let mut manifest: Value = serde_json::from_slice(&bytes).expect("a manifest in JSON");
                let fields = manifest.as_object_mut().expect("an object");
                for field in ["runs", "checksum"] {
                    fields.shift_remove(field).expect("a field of the manifest");
                }
                bytes = manifest.to_string().into_bytes();
            }
            let _ = writeln!(self.transcript, "{}  {name}", shown::sum(&bytes));
        }
        self.transcript.push('\n');
    }

    /// Changes a byte in the middle of a file.
    pub fn damage(&mut self, file: &str) {
        let path = self.path(file);
        let mut bytes = std::fs::read(&path).expect("the file can be read");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        std::fs::write(path, bytes).expect("the file can be written");
    }

    fn path(&self, argument: &str) -> PathBuf {
        self.folder.path().join(argument)
    }

    fn run(&mut self, arguments: &[&str]) -> (String, String) {
        let solution = self.path(SOLUTION).display().to_string();
        let mut command = Command::cargo_bin("ggsolve").expect("the program");
        command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR"))).env("LC_ALL", "C.UTF-8");
        command.args(arguments.iter().map(|argument| if *argument == SOLUTION { &solution } else { *argument }));
        if ["solve", "classify", "count"].contains(&arguments[0]) {
            command.args(["--threads", "1"]);
            if !arguments.contains(&"--memory") {
                command.args(["--memory", "2G"]);
            }
        }
        let output = command.write_stdin(std::mem::take(&mut self.input)).output().expect("the program runs");
        let code = output.status.code().expect("no signal ends it");
        let quoted: Vec<String> = arguments.iter().map(|argument| shown::quoted(argument)).collect();
        let _ = writeln!(self.transcript, "$ ggsolve {}\ncode {code}", quoted.join(" "));
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8").replace(&solution, SOLUTION);
        (text(output.stdout), text(output.stderr))
    }
}
