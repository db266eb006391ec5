//! The arguments as they are written; [`super::options`] interprets them.

use super::families;
#[cfg(feature = "serve")]
use super::reading::Explore;
use super::reading::{self, Book, Play, Query, Review, Verify};
#[cfg(feature = "serve")]
use super::shared::Listen;
use super::shared::{Game, Logging, Progress, Report, Resources, output};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;

/// Strong solutions of general games from their rules.
#[derive(Debug, Parser)]
#[command(name = "ggsolve", version, max_term_width = 110, arg_required_else_help = true)]
#[command(
    after_help = "`ggsolve GAME` is short for `ggsolve solve GAME`, and `ggsolve DOMAIN PROBLEM` for `ggsolve solve DOMAIN PROBLEM`.

Exit codes: 0 done, 1 input/output error, 2 wrong usage, 3 the game is refused,
4 a limit was reached, 5 a stored solution is damaged or of another game, 130 interrupted."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub logging: Logging,
}

/// The value names of options whose value begins with a number, followed by a unit or a comma.
const MEASURED: [&str; 3] = ["SIZE", "TIME", "REWARDS"];

/// The options of [`Solve`] that need values, which `count` refuses.
const OF_VALUES: [&str; 6] = ["guarantee", "ties", "distances", "line", "plan", "plans"];

fn without_values(argument: clap::Arg) -> clap::Arg {
    let needs_values = OF_VALUES.contains(&argument.get_id().as_str());
    argument.hide(needs_values)
}

/// The definition of the arguments. A negative number counts as the value of the option before it, never as an option;
/// the message about this value says what is wrong.
pub fn definition() -> clap::Command {
    let numbers = |argument: clap::Arg| {
        let takes_one = !argument.is_positional() && argument.get_action().takes_values();
        let is_measured =
            argument.get_value_names().into_iter().flatten().any(|name| MEASURED.contains(&name.as_str()));
        match takes_one {
            true if is_measured => argument.allow_hyphen_values(true),
            true => argument.allow_negative_numbers(true),
            false => argument,
        }
    };
    Cli::command().mut_subcommands(|command| command.mut_args(numbers))
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Solve a game strongly: the value of every reachable state
    Solve(Solve),
    /// Solve a game and report the partition of its states by rewards
    Classify(Solve),
    /// Count the reachable and terminal states of every layer
    #[command(mut_args(without_values))]
    Count(Solve),
    /// Tell what a full solution will take: time, memory and bytes, and which limit comes first
    Plan(Plan),
    /// Parse and validate a game; report every finding with its place
    Check(Check),
    /// Show the propositional form of a game: fluents, mutex groups, moves
    Ground(Ground),
    /// Look up a position in a stored solution: its value, and that of every legal move
    Query(Query),
    /// Play against a stored solution
    Play(Play),
    /// Play for general game playing servers, over HTTP
    #[cfg(feature = "serve")]
    Player(Player),
    /// Judge the moves of a played match with a stored solution
    Review(Review),
    /// Tables and plots of a stored solution: HTML, Markdown, CSV, LaTeX or JSON
    Report(reading::Report),
    /// Find positions in which exactly one move keeps the value, the most tempting ones first
    Puzzles(reading::Puzzles),
    /// Write positions with their values and moves as a table: Parquet, NumPy, CSV or JSON lines
    Export(reading::Export),
    /// Check a stored solution against its rules, by code of its own
    Verify(Verify),
    /// Store the distances to the end of all positions up to a ply beside a solution
    Book(Book),
    /// Show solved games in a browser: a page from a server on this machine
    #[cfg(feature = "serve")]
    Explore(Explore),
    /// Write a game in the other language, or for Gambit
    Translate(Translate),
    /// Print the rulesheet of a game of a known family in another size
    Generate(Generate),
    /// Print shell completions
    Completions {
        /// The shell to complete for
        shell: Shell,
    },
    /// Print the manual page
    Man,
}

#[derive(Debug, Args)]
pub struct Solve {
    #[command(flatten)]
    pub game: Game,
    /// How a mover ranks the rewards of all roles
    #[arg(long, value_enum, default_value_t = Model::MaxOwn)]
    pub opponent_model: Model,
    /// Representation of states and values
    #[arg(long, value_enum, default_value_t = Engine::Auto)]
    pub engine: Engine,
    /// How values are computed [default: layered, or global if play can go on for ever or layers share most states]
    #[arg(long, value_enum)]
    pub algorithm: Option<Algorithm>,
    /// Also solve what a role can force against all others together: one role, several with commas, or `all`; may be given several times
    #[arg(long, value_name = "ROLE|all")]
    pub guarantee: Vec<String>,
    /// Also count the states in which the mover has several best moves that differ in the rewards of the others
    #[arg(long)]
    pub ties: bool,
    /// Also count the orbits of the states, of each layer and in all, under the symmetries that keep the initial state; of all states also under those that keep the set of reachable states
    #[arg(long)]
    pub orbits: bool,
    /// Also store the plies to the end of every state: a role that gets more than all others shortens play, one that gets less prolongs it
    #[arg(long)]
    pub distances: bool,
    /// Also give a line of best play; of a single player a cheapest plan
    #[arg(long)]
    pub line: bool,
    /// Write a cheapest plan of a single player to a file, as planners do: an action a line
    #[arg(long, value_name = "FILE", value_parser = output())]
    pub plan: Option<PathBuf>,
    /// Also tell how many cheapest plans a single player has
    #[arg(long)]
    pub plans: bool,
    #[command(flatten)]
    pub resources: Resources,
    /// Upper bound of the solution and temporary files, such as 40G [default: the free space of the file system, less a tenth]
    #[arg(long, value_name = "SIZE")]
    pub disk: Option<String>,
    /// Folder of temporary files [default: that of the solution]
    #[arg(long, value_name = "DIR")]
    pub scratch: Option<PathBuf>,
    /// Worker threads [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Folder of the solution [default: the name of the game with .ggs; for count: none]
    #[arg(short, long, value_name = "DIR", conflicts_with = "no_store")]
    pub out: Option<PathBuf>,
    /// Keep nothing on disk
    #[arg(long)]
    pub no_store: bool,
    /// Replace a folder that holds the solution of another game or of other options
    #[arg(long, conflicts_with = "no_store")]
    pub force: bool,
    /// Order of the variables: search, rules, or a file with one fluent a line
    #[arg(long, value_name = "ORDER", default_value = "search")]
    pub order: String,
    #[command(flatten)]
    pub report: Report,
    /// Progress bars on standard error; auto: when it is a terminal
    #[arg(long, value_enum, default_value_t = Progress::Auto)]
    pub progress: Progress,
}

#[derive(Debug, Args)]
#[command(
    after_help = "The options say what the planned run has. The plan itself takes no more memory than that (or 32 MiB), nor than this \
machine grants, and keeps nothing; --time bounds the planned run alone, and --nodes the time that the plan takes. It runs the forward pass, and measures the backward pass at both ends of the layers. Where the forward pass has more than --nodes \
nodes, or looks at more than eight 64-bit words of keys for each of them, what it has found tells how the layers go on, and the \
report says that they are extrapolated."
)]
pub struct Plan {
    #[command(flatten)]
    pub game: Game,
    /// How a mover ranks the rewards of all roles
    #[arg(long, value_enum, default_value_t = Model::MaxOwn)]
    pub opponent_model: Model,
    /// Representation of states and values
    #[arg(long, value_enum, default_value_t = Engine::Auto)]
    pub engine: Engine,
    /// Processes that share the planned run, each on a machine like this one
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=65536))]
    pub processes: u64,
    #[command(flatten)]
    pub resources: Resources,
    /// Room for the solution and temporary files, such as 40G [default: the free space of this file system, less a tenth]
    #[arg(long, value_name = "SIZE")]
    pub disk: Option<String>,
    /// Folder of temporary files of the plan [default: that of the system]
    #[arg(long, value_name = "DIR")]
    pub scratch: Option<PathBuf>,
    /// Threads of each process [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Nodes of layers after which the forward pass ends and the other layers are extrapolated
    #[arg(long, value_name = "N", default_value_t = 1 << 28)]
    pub nodes: u64,
    #[command(flatten)]
    pub report: Report,
    /// Progress bars on standard error; auto: when it is a terminal
    #[arg(long, value_enum, default_value_t = Progress::Auto)]
    pub progress: Progress,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Errors in the rules end it with exit code 3, and so does a game that `solve` does not take, such as one with a dead end. \
The last line says whether `solve` takes it, and in JSON `solvable`, which is true, false, or null where it is not known, \
with `solvable_reason`."
)]
pub struct Check {
    #[command(flatten)]
    pub game: Game,
    #[command(flatten)]
    pub report: Report,
}

#[derive(Debug, Args)]
pub struct Ground {
    #[command(flatten)]
    pub game: Game,
    /// Tell what grounding cost: by sentence, by relation made for what is asked, and memory by stage
    #[arg(long)]
    pub stats: bool,
    #[command(flatten)]
    pub resources: Resources,
    #[command(flatten)]
    pub report: Report,
}

#[cfg(feature = "serve")]
#[derive(Debug, Args)]
#[command(
    after_help = "The player answers the messages INFO, START, PLAY, STOP, ABORT and PREVIEW of game servers such as those \
of ggp-base and Dresden. It plays one match at a time: perfectly where a solution of the game is stored, whatever names the \
rules use, or can be computed in time, and by a search otherwise. What it solves is kept until it ends.

Example: ggsolve player --port 9147 --bind 0.0.0.0 --name solver --solutions solved -v"
)]
pub struct Player {
    #[command(flatten)]
    pub listen: Listen,
    /// What the player calls itself, one word
    #[arg(long, value_name = "NAME", default_value = "ggsolve")]
    pub name: String,
    /// A folder with folders of stored solutions, which are played by
    #[arg(long, value_name = "DIR")]
    pub solutions: Option<PathBuf>,
    /// Seconds of each clock that are left when an answer is given [default: an eighth, within 0.5 and 2]
    #[arg(long, value_name = "SECONDS")]
    pub margin: Option<f64>,
    /// Seed of its random moves, each match with one of its own that follows from it [default: a new one each time]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub resources: Resources,
    /// Threads that solve [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

#[derive(Debug, Args)]
pub struct Translate {
    #[command(flatten)]
    pub game: Game,
    /// The language to write
    #[arg(long, value_enum)]
    pub to: Language,
    /// Write GDDL without parameters, from the propositional form
    #[arg(long)]
    pub ground: bool,
    /// Of a stored solution in place of the rules: the moves that lead to the position that is written, as `query` takes them
    #[arg(long, value_name = "MOVES", allow_hyphen_values = true)]
    pub moves: Option<String>,
    /// Of a stored solution: the fluents that hold in the position
    #[arg(long, value_name = "FLUENTS", allow_hyphen_values = true)]
    pub state: Option<String>,
    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "FILE", value_parser = output())]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub resources: Resources,
}

#[derive(Debug, Args)]
#[command(after_help = families::USAGE)]
pub struct Generate {
    /// The family
    pub game: String,
    /// The sizes, in the order of the list below
    pub sizes: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// The Game Description Language
    Gdl,
    /// The game dialect of PDDL
    Gddl,
    /// The tree of a small game, for Gambit
    Efg,
    /// The table of a game in which all choose once, or of a position of a stored solution, for Gambit
    Nfg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Model {
    /// Highest own reward, ties by lowest reward of the opponent; of several opponents by the lowest sum, then by the lowest
    /// reward of the next role in turn
    MaxOwn,
    /// Highest own minus opponent's reward (of several opponents the best one's), ties by higher own reward
    MaxDiff,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// Diagrams, and bitvectors for layers where they are better
    Auto,
    /// Decision diagrams throughout
    Symbolic,
    /// Decision diagrams forward, bitvectors by rank backward
    Hybrid,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Algorithm {
    /// Layer by layer: for games whose play ends
    Layered,
    /// All reachable states at once, for games with cycles as well. Endless play ranks just below an end that pays 0
    /// to every role
    Global,
    /// The original classification of zero-sum games into won, lost and drawn states; a reference, nothing is stored
    Classic,
    /// The original reward matrix with restarts, for games whose play ends; a reference, nothing is stored
    Matrix,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        definition().debug_assert();
    }

    #[test]
    fn numbers_below_0_are_values() {
        for (text, told) in [
            ("ggsolve solve a --threads -1", "invalid value '-1' for '--threads <N>'"),
            ("ggsolve query a --sample 3 --layer -2", "invalid value '-2' for '--layer <L>'"),
            ("ggsolve explore a --port -1", "invalid value '-1' for '--port <N>'"),
            ("ggsolve query a --sample 3 --layer 1 --rewards -1,0", "invalid value '-1,0' for '--rewards <REWARDS>'"),
        ] {
            let error = definition().try_get_matches_from(text.split_whitespace()).unwrap_err().to_string();
            assert!(error.contains(told) && !error.contains("tip:"), "{text}: {error}");
        }
        for text in [
            "ggsolve solve a --time -1h",
            "ggsolve solve a --memory -1",
            "ggsolve solve a --disk -1G",
            "ggsolve player --margin -0.5",
        ] {
            assert!(definition().try_get_matches_from(text.split_whitespace()).is_ok(), "{text}");
        }
    }

    #[test]
    fn what_is_not_built_is_not_offered() {
        for text in [
            "ggsolve solve a --engine explicit",
            "ggsolve solve a -o folder --no-store",
            "ggsolve solve a --threads 0",
            "ggsolve check a --threads 2",
        ] {
            assert_eq!(Cli::try_parse_from(text.split_whitespace()).unwrap_err().exit_code(), 2, "{text}");
        }
    }
}
