//! The program, as long as a test needs it.

use super::wire::{Dialect, send};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

pub struct Process {
    child: Child,
    pub address: SocketAddr,
    folder: TempDir,
}

impl Process {
    pub fn start(arguments: &[&str]) -> Process {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_ggsolve"))
            .args(["player", "--port", "0", "--name", "tester", "--memory", "512M", "-v", "--log"])
            .arg(folder.path().join("log"))
            .args(arguments)
            .env("TMPDIR", folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").and_then(|rest| rest.strip_suffix('/'));
        let address = address.unwrap_or_else(|| panic!("{line}")).parse().unwrap();
        Process { child, address, folder }
    }

    pub fn say(&self, message: &str) -> String {
        send(self.address, Dialect::Base, message).body
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log_file()).unwrap()
    }

    /// What is told so far, once a text is in it; work in the background may tell it a little later.
    pub fn told(&self, text: &str) -> String {
        for _ in 0..600 {
            if self.log().contains(text) {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        let log = self.log();
        assert!(log.contains(text), "`{text}` is not told: {log}");
        log
    }

    fn log_file(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// Asks it to end; returns its exit code.
    pub fn end(&mut self) -> Option<i32> {
        let killed = Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        assert!(killed.success());
        self.child.wait().unwrap().code()
    }

    /// Asks it to end; returns its exit code and what is left in the folder of temporary files.
    pub fn stop(mut self) -> (Option<i32>, Vec<String>) {
        let code = self.end();
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        (code, names.filter(|name| name != "log").collect())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended.
        let _ended = self.child.kill();
        let _code = self.child.wait();
    }
}
