//! The command itself, as a process.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};

/// `ggsolve explore` at work; killed when it is dropped.
pub struct Process {
    child: Child,
    pub address: SocketAddr,
    /// The first line that it printed.
    pub line: String,
}

pub fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ggsolve"));
    command.arg("explore").args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

/// What a command that does not serve says.
pub fn output(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().expect("the program runs")
}

impl Process {
    pub fn start(folder: &Path, arguments: &[&str]) -> Process {
        let mut child =
            command(folder, arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs");
        let mut line = String::new();
        let output = child.stdout.as_mut().expect("it is piped");
        BufReader::new(output).read_line(&mut line).expect("a line");
        let line = line.trim_end().to_owned();
        let address = line.strip_prefix("listening on http://").and_then(|rest| rest.strip_suffix('/'));
        let address = address.and_then(|address| address.parse().ok()).unwrap_or_else(|| panic!("no address: {line}"));
        Process { child, address, line }
    }

    /// Bytes of memory that it holds, where the system tells.
    pub fn memory(&self) -> Option<u64> {
        let pages = std::fs::read_to_string(format!("/proc/{}/statm", self.child.id())).ok()?;
        let resident: u64 = pages.split(' ').nth(1)?.parse().ok()?;
        Some(resident * 4096)
    }

    /// Ends it as a terminal does; how it ended, and what it said on standard error.
    pub fn interrupt(mut self, signal: &str) -> (ExitStatus, String) {
        let kill = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(kill.is_ok_and(|status| status.success()));
        let status = self.child.wait().expect("it ends");
        let mut text = String::new();
        self.child.stderr.as_mut().expect("it is piped").read_to_string(&mut text).expect("a text");
        (status, text)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _killed = self.child.kill();
        let _waited = self.child.wait();
    }
}
