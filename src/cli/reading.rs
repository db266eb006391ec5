//! The arguments of the commands that read a stored solution.

#[cfg(feature = "serve")]
use super::shared::Listen;
use super::shared::{self, Memory, Progress, Resources};
use api::report::SHEETS;
use clap::{Args, ValueEnum};
use game::reward;
use solving::exact;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Solution {
    /// The folder of a stored solution
    pub solution: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "Without --moves and --state the position is the initial one. --moves names the moves of \
the roles that have a choice, each an atom or a term in parentheses; of a single move these may be left out. Moves of roles with a single one are implied; where no role \
has a choice, one move of the ply may be named, as `--line` and `query` show it. The moves of all roles in parentheses, in the order of the roles, are a ply as well. --state names all fluents that hold, such as \
'(cell 1 1 x) (control o)'.

With `-` in place of the moves or the fluents, positions are read from standard input, one a line; a line that starts with `;` is a comment, which has no answer, and an empty line \
is the initial position, or with --state the position in which no fluent holds. With --format json each answer is then one line.

If distances are stored (`solve --distances`), every value comes with `plies`: the number of plies to the end; for a move, with \
that move. Otherwise --distance searches for them, among moves that keep the value: a role that gets more than all others \
shortens play, one that gets less prolongs it, and with equal rewards or a single player play is as short as possible. The \
search keeps at most --nodes positions, within --memory; beyond that the answer is a lower bound.

The answer for a single player whose moves have costs says what a cheapest plan costs, from the position and by each move that \
keeps the value, with --plans also how many plans cost so little and have, of these, the fewest moves. These searches keep at \
most about --nodes positions each, too.

--layer L draws a random state of a layer, --sample N as many as it says, all states with the same probability; with --rewards only states of that value (a \
reward for each role, such as 100,0, or `endless`), with --plies only those with that number of plies to the end. With --format \
json each answer is one line.

Example: ggsolve query NAME.ggs --moves '(mark 2 2) (mark 1 1)' --distance")]
pub struct Query {
    #[command(flatten)]
    pub solution: Solution,
    /// The movers' moves that lead to the position, from the start or from --state; `-`: lines of standard input
    #[arg(long, value_name = "MOVES", allow_hyphen_values = true)]
    pub moves: Option<String>,
    /// The fluents that hold in the position; `-`: lines of standard input
    #[arg(long, value_name = "FLUENTS", allow_hyphen_values = true)]
    pub state: Option<String>,
    /// Also tell how soon play ends under best play
    #[arg(long)]
    pub distance: bool,
    /// Also tell the line of best play, what each move that is not best gives away, and the line that punishes it
    #[arg(long)]
    pub why: bool,
    /// Maximum number of positions that a search for the distance, for costs, plans or lines keeps [default: 2000000]
    #[arg(long, value_name = "N")]
    pub nodes: Option<usize>,
    /// Also tell how many best plans a single player has from the position
    #[arg(long)]
    pub plans: bool,
    /// Show this many random states of the layer, each drawn uniformly from all its states
    #[arg(long, value_name = "N", requires = "layer", conflicts_with_all = ["moves", "state"])]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub sample: Option<u64>,
    /// Show a random state of this layer, or as many as --sample says
    #[arg(long, value_name = "L", conflicts_with_all = ["moves", "state"])]
    pub layer: Option<u32>,
    /// Draw from the states with this value alone: a reward for each role, such as 100,0, or `endless`
    #[arg(long, value_name = "REWARDS", requires = "layer", value_parser = rewards)]
    pub rewards: Option<Rewards>,
    /// Of these, draw only from the states with this number of plies to the end (needs stored distances)
    #[arg(long, value_name = "PLIES", requires = "rewards")]
    pub plies: Option<u32>,
    /// Seed of the random states [default: a new one for each run; the answers name it]
    #[arg(long, value_name = "S", requires = "layer")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub memory: Memory,
    #[command(flatten)]
    pub report: shared::Report,
}

#[derive(Debug, Args)]
#[command(
    after_help = "HTML is one file with plots and all tables, for browsers (light or dark) and for print. LaTeX is a \
document with booktabs. JSON is what `solve --format json` prints for a finished solution.

CSV is one table: the layers, unless --table names another; lines that start with # say where it comes from \
(pandas.read_csv(file, comment='#'), read.csv(file, comment.char = '#')). With -o FOLDER, where FOLDER exists or ends in /, every \
table goes to a file of its own: layers.csv, values.csv (a line for each layer and value), buckets.csv, matrix.csv, \
guarantees.csv, runs.csv, and of solutions with distances plies.csv (states by plies to the end and value).

Example: ggsolve report NAME.ggs --to html -o NAME.html"
)]
pub struct Report {
    #[command(flatten)]
    pub solution: Solution,
    /// The form of the report
    #[arg(long, value_enum)]
    pub to: Form,
    /// The file to write; with --to csv also a folder for all tables: one that exists, or a name that ends in / [default: standard output]
    #[arg(short, long, value_name = "FILE", value_parser = shared::output())]
    pub out: Option<PathBuf>,
    /// The table, with --to csv [default: layers]
    #[arg(long, value_enum)]
    pub table: Option<Table>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "--draws positions are drawn, each state of each layer with the same probability; where there are no more, all are looked \
at. A state that lies in several layers counts in each. Of positions that symmetries map onto each other one is kept.

The difficulty of a puzzle is the mean of three probabilities to take a wrong move: at random; by a look at the rewards one ply \
ahead; and by a search of three plies (fewer where that would look at more than 5,000 positions). To the last two a position in \
which play is not over is worth the middle of what each role can get, and of moves that look best each is as likely.

Example: ggsolve puzzles NAME.ggs --number 5 --seed 1 --html puzzles.html"
)]
pub struct Puzzles {
    #[command(flatten)]
    pub solution: Solution,
    /// Most puzzles that are shown, the most difficult ones
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub number: usize,
    /// Positions of this layer alone [default: of all layers]
    #[arg(long, value_name = "L")]
    pub layer: Option<u32>,
    /// Positions that are drawn at random
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub draws: u64,
    /// Seed of the random positions [default: a new one for each run; the report names it]
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Also write a page with the boards
    #[arg(long, value_name = "FILE", value_parser = shared::output())]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub resources: Resources,
    #[command(flatten)]
    pub report: shared::Report,
    /// Progress bars on standard error; auto: when it is a terminal
    #[arg(long, value_enum, default_value_t = Progress::Auto)]
    pub progress: Progress,
}

#[derive(Debug, Args)]
#[command(
    after_help = "A row for each position: its layer, `to_move`, `terminal`, what it is worth to each role (`value_ROLE`; empty, null \
or -1 where play can go on for ever), `plies` to the end where distances are stored, the `legal` moves and those that are `best`, \
and for each fluent whether it holds. Exact values are texts such as 175/4, with floats beside them. The file says inside where \
it comes from: game, digest of the rules, version and options.

parquet is for pandas, polars, DuckDB and others. npz has arrays of NumPy: `fluents`, `legal` and `best` with a column for each \
fluent and move, and `planes` (contents by rows by columns) where states look like a board. csv starts with a line after #, \
jsonl with an object `metadata`; the other lines of jsonl have `state` and `value` as `query` does.

--sample draws positions with repetitions: all states of all layers with the same probability or, with --over values, all values \
that occur with the same probability, and all states of a value. A state that lies in several layers counts in each. \
--symmetric keeps one position of each orbit of the symmetries that keep the first position and all roles; of drawn positions \
each is replaced by that of its orbit.

Example: ggsolve export NAME.ggs --to parquet --sample 100000 --over values --seed 1 -o NAME.parquet"
)]
pub struct Export {
    #[command(flatten)]
    pub solution: Solution,
    /// The form of the table
    #[arg(long, value_enum)]
    pub to: Rows,
    /// Positions of this layer alone [default: of all layers]
    #[arg(long, value_name = "L")]
    pub layer: Option<u32>,
    /// Draw this many positions at random [default: all positions]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub sample: Option<u64>,
    /// What has the same probability
    #[arg(long, value_enum, default_value_t = Draw::States, requires = "sample")]
    pub over: Draw,
    /// Seed of the random positions [default: a new one for each run; report and file name it]
    #[arg(long, value_name = "S", requires = "sample")]
    pub seed: Option<u64>,
    /// One position of each orbit of symmetric ones
    #[arg(long)]
    pub symmetric: bool,
    /// The file to write
    #[arg(short, long, value_name = "FILE", value_parser = shared::output())]
    pub out: PathBuf,
    #[command(flatten)]
    pub resources: Resources,
    #[command(flatten)]
    pub report: shared::Report,
    /// Progress bars on standard error; auto: when it is a terminal
    #[arg(long, value_enum, default_value_t = Progress::Auto)]
    pub progress: Progress,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Rows {
    Parquet,
    Npz,
    Csv,
    Jsonl,
}

/// The choices that are equally likely when positions are drawn at random.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Draw {
    States,
    Values,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    Html,
    Md,
    Csv,
    Tex,
    Json,
}

/// The tables of a solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Table {
    /// A line for each layer, with a column for each value
    #[default]
    Layers,
    /// A line for each layer and value
    Values,
    /// A line for each value
    Buckets,
    /// Two roles: rewards of the first one by those of the second
    Matrix,
    /// A line for each role and reward that it can force, where that is stored
    Guarantees,
    /// A line for each run that computed the solution
    Runs,
    /// With distances: a line for each number of plies to the end, with a column for each value
    Plies,
}

impl Table {
    /// The name of the table, as the library has it.
    pub fn name(self) -> &'static str {
        SHEETS[self as usize]
    }
}

/// A value: the reward of each role; `None` is endless play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewards(pub Option<Vec<u8>>);

/// A value as reports write it (`100/0`, `endless`) or as JSON does (`100,0`, `null`).
fn rewards(text: &str) -> Result<Rewards, String> {
    let is_exact = text.contains('/') && exact::Value::parse(&text.replace(',', " ")).is_some();
    let wrong = || match is_exact {
        true => "states with an exact value such as 75/2 are not drawn; without --rewards all states of a layer are",
        false => "one reward from 0 to 100 for each role, such as 100,0, or `endless`",
    };
    reward::vector(text).map(Rewards).ok_or_else(|| wrong().to_owned())
}

#[derive(Debug, Args)]
#[command(
    after_help = "One line at a time is read from standard input: a move by its name or number, or a command; `help` \
lists them. The program plays a best move: the one that ends play soonest if it gets more than you, and the one that ends \
it latest if it gets less."
)]
pub struct Play {
    #[command(flatten)]
    pub solution: Solution,
    /// The role that you play, `random` for chance [default: the first one]
    #[arg(long = "as", value_name = "ROLE")]
    pub role: Option<String>,
    /// Chance, from 0 to 1, that a move of the program is not one of the best
    #[arg(long, value_name = "CHANCE", default_value_t = 0.0)]
    pub error_rate: f64,
    /// Seed of the random choices; the same seed and moves give the same game
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

#[derive(Debug, Args)]
#[command(
    after_help = "A match is a text with the movers' moves in the order of play, usually one a line, with or without numbers, or a match of \
general game playing in JSON: an object with `moves`, an array with one array of moves (one for each role) for each ply, and \
perhaps `states`, which are then compared."
)]
pub struct Review {
    #[command(flatten)]
    pub solution: Solution,
    /// The file of the match, or - for standard input
    #[arg(value_name = "MATCH")]
    pub record: PathBuf,
    /// Also tell the line that punishes each mistake
    #[arg(long)]
    pub why: bool,
    /// Maximum number of positions that a search for such a line keeps
    #[arg(long, value_name = "N", default_value_t = 200_000, requires = "why")]
    pub nodes: usize,
    #[command(flatten)]
    pub report: shared::Report,
}

#[cfg(feature = "serve")]
#[derive(Debug, Args)]
#[command(
    after_help = "The first line on standard output is the address of the page, on port 8264 unless --port names \
another; Ctrl-C ends the server. A rulesheet is solved \
first, into the folder that `ggsolve solve` would take. The address of a page is that of its position: \
/NAME?moves=(mark 2 2) (mark 1 1). The same data is there as JSON: /api/solutions lists the solutions, \
/api/solutions/NAME/position, layers, line, puzzles, random, reply and review answer questions about one.

Only this machine reaches the server, unless --bind names another address. It asks for no password: whoever reaches it can \
read the solutions.

--export DIR writes a site that needs no server: finished solutions with up to 16,777,216 states, or 1,048,576 \
if values are exact numbers. A \
folder that holds anything but a site is left alone.

Examples: ggsolve explore tictactoe.ggs games/connect4_5x5.gdl
          ggsolve explore connect4_4x4.ggs --export site"
)]
pub struct Explore {
    /// Folders of stored solutions, or rulesheets, which are solved first
    #[arg(required = true, value_name = "SOLUTION")]
    pub solutions: Vec<PathBuf>,
    /// Write the page with all positions into this folder, for a browser or any web server, and serve nothing
    #[arg(long, value_name = "DIR", conflicts_with_all = ["port", "bind"])]
    pub export: Option<PathBuf>,
    #[command(flatten)]
    pub listen: Listen,
    #[command(flatten)]
    pub memory: Memory,
    /// Worker threads for solving [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Progress bars on standard error; auto: when it is a terminal
    #[arg(long, value_enum, default_value_t = Progress::Auto)]
    pub progress: Progress,
}

#[derive(Debug, Args)]
#[command(
    after_help = "For solutions without stored distances. The distance of each position of the last ply is found by a search on \
the stored values, once for positions that symmetries map onto each other; the distances of earlier positions follow from these. \
All are stored in the file book.distances in the folder of the solution, where `query`, `play` and `explore` find them. The file \
is written every half minute and when a limit or Ctrl-C ends the command; the same command continues from it, and so does one \
with more plies.

Example: ggsolve book NAME.ggs --plies 4"
)]
pub struct Book {
    #[command(flatten)]
    pub solution: Solution,
    /// The last ply, counted from the start
    #[arg(long, value_name = "N")]
    pub plies: u32,
    #[command(flatten)]
    pub resources: Resources,
    /// Worker threads [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub report: shared::Report,
    /// Progress bars on standard error; auto: when it is a terminal
    #[arg(long, value_enum, default_value_t = Progress::Auto)]
    pub progress: Progress,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Checks the checksums of all files and the counts of every layer first; then, state by state, that the value of \
a terminal state is its goals, that every other value is the best of the successors' values, that the next layer consists of \
exactly the successors, and whose turn it is. Layers with more than --states states are checked on random states; --full checks \
every state of every layer, which takes about a microsecond each, and some thirty where play can go round. The report says what was proved and what was sampled. Exit code 5 if anything is wrong."
)]
pub struct Verify {
    #[command(flatten)]
    pub solution: Solution,
    /// Check every state of every layer
    #[arg(long)]
    pub full: bool,
    /// Check against the rules in this file, in either language, instead of those in the folder; fluents and moves must
    /// have the same names
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
    /// Check layers with at most this many states state by state
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub states: u64,
    /// Check this many random states of every larger layer
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub random: u64,
    /// Check this many random states of every value of a larger layer
    #[arg(long, value_name = "N", default_value_t = 4_000)]
    pub random_by_value: u64,
    /// Seed of the random states [default: a new one for each run; the report names it]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub resources: Resources,
    /// Worker threads [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub report: shared::Report,
    /// Progress bars on standard error; auto: when it is a terminal
    #[arg(long, value_enum, default_value_t = Progress::Auto)]
    pub progress: Progress,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_the_names_of_the_library() {
        let named = |table: &Table| table.to_possible_value().expect("all are shown").get_name().to_owned();
        assert!(Table::value_variants().iter().all(|table| named(table) == table.name()));
        assert_eq!(Table::value_variants().len(), SHEETS.len());
    }

    #[test]
    fn rewards_are_read_as_reports_and_json_write_them() {
        for text in ["100,0", "100/0", " 100, 0 ", "[100,0]"] {
            assert_eq!(rewards(text), Ok(Rewards(Some(vec![100, 0]))), "{text}");
        }
        assert_eq!([rewards("null"), rewards("endless")], [Ok(Rewards(None)), Ok(Rewards(None))]);
        assert_eq!(rewards("7"), Ok(Rewards(Some(vec![7]))));
        for wrong in ["", "101", "100,", "-1", "won", "1.5", "100 0", "3/2,1"] {
            assert!(rewards(wrong).is_err(), "{wrong}");
        }
        assert!(rewards("75/2,125/2").unwrap_err().contains("an exact value such as"));
    }
}
