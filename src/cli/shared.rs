//! Arguments that several commands have.

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The name of a file to write.
pub fn output() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.as_os_str() == "-" {
        true => Err("for standard output, name /dev/stdout; for a file of that name, ./-"),
        false => Ok(path),
    })
}

#[derive(Debug, Args)]
pub struct Logging {
    /// Log what is done on standard error (-vv: every layer)
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub verbose: u8,
    /// Write the log to a file instead
    #[arg(long, value_name = "FILE", global = true)]
    pub log: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Game {
    /// The rules: a file in GDL (.gdl, .kif) or GDDL (.gddl), or - for standard input
    pub game: PathBuf,
    /// The problem, where the first file in GDDL (or PDDL) holds only the domain; the order does not matter
    #[arg(value_name = "PROBLEM", conflicts_with = "problem")]
    pub second: Option<PathBuf>,
    /// As PROBLEM
    #[arg(long, value_name = "FILE")]
    pub problem: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Report {
    /// How the result is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct Memory {
    /// Upper bound of resident memory, such as 512M or 8G [default: 80 % of the machine or its cgroup]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
}

#[cfg(feature = "serve")]
#[derive(Debug, Args)]
pub struct Listen {
    /// The port to listen on; 0 takes a free one
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// The address to listen on; only this machine can reach the default, all machines can reach 0.0.0.0
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
    pub bind: String,
}

#[derive(Debug, Args)]
pub struct Resources {
    #[command(flatten)]
    pub memory: Memory,
    /// Upper bound of wall time, such as 90s, 15m or 1h30m [default: none]
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Progress {
    Auto,
    Always,
    Never,
}
