//! The commands.

mod book;
mod check;
mod exact;
#[cfg(feature = "serve")]
mod explore;
mod export;
mod generate;
mod ground;
mod plan;
mod play;
#[cfg(feature = "serve")]
mod player;
mod puzzles;
mod query;
mod report;
mod review;
#[cfg(feature = "serve")]
mod serving;
mod session;
mod solve;
mod translate;
mod verify;

use super::arguments::{Cli, Command};
use super::failure::Failure;
use super::output::print;
use api::session as library;
use clap::CommandFactory;

pub fn run(cli: Cli) -> Result<(), Failure> {
    let Cli { command, logging } = cli;
    match command {
        Command::Solve(arguments) => solve::run(library::Command::Solve, &arguments, &logging),
        Command::Classify(arguments) => solve::run(library::Command::Classify, &arguments, &logging),
        Command::Count(arguments) => solve::run(library::Command::Count, &arguments, &logging),
        Command::Plan(arguments) => plan::run(&arguments, &logging),
        Command::Check(arguments) => check::run(&arguments),
        Command::Ground(arguments) => ground::run(&arguments),
        Command::Query(arguments) => query::run(&arguments),
        Command::Play(arguments) => play::run(&arguments),
        #[cfg(feature = "serve")]
        Command::Player(arguments) => player::run(&arguments),
        Command::Review(arguments) => review::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Puzzles(arguments) => puzzles::run(&arguments, &logging),
        Command::Export(arguments) => export::run(&arguments, &logging),
        Command::Verify(arguments) => verify::run(&arguments, &logging),
        Command::Book(arguments) => book::run(&arguments, &logging),
        #[cfg(feature = "serve")]
        Command::Explore(arguments) => explore::run(&arguments, &logging),
        Command::Translate(arguments) => translate::run(&arguments),
        Command::Generate(arguments) => generate::run(&arguments),
        Command::Man => {
            let mut page = Vec::new();
            let rendered = clap_mangen::Man::new(Cli::command()).render(&mut page);
            rendered.expect("a text in memory can be written");
            print(&String::from_utf8_lossy(&page))
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "ggsolve", &mut script);
            print(&String::from_utf8_lossy(&script))
        }
    }
}
