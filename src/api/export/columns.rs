//! The columns of a table, and its metadata.

use super::{Options, Source};
use serde::Serialize;
use solving::solution::Planes;

const OWN: [&str; 6] = ["layer", "to_move", "terminal", "plies", "legal", "best"];

/// The columns of a table of positions.
pub struct Columns<'s> {
    /// The solution whose positions are the rows.
    pub source: &'s Source,
    /// The names of the players.
    pub players: Vec<String>,
    /// By fluent: the name of its column.
    pub fluents: Vec<String>,
    /// Whether there is a column for the plies to the end.
    pub plies: bool,
    /// The description of the table.
    pub metadata: Metadata,
}

/// The source of a table, and the meaning of its parts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Metadata {
    /// Name and version of the program.
    pub generator: String,
    /// Name of the game.
    pub game: String,
    /// SHA-256 of the rules, in hexadecimal digits.
    pub rules_sha256: String,
    /// How movers rank rewards.
    pub opponent_model: String,
    /// How the states were solved.
    pub algorithm: String,
    /// The options of the table.
    #[serde(flatten)]
    pub options: Options,
    /// Number of symmetries, including the identity; 1 without `symmetric`.
    pub symmetries: usize,
    /// Names of the roles, in the order of the numbers of movers; chance, if it has a part, is the last one.
    pub roles: Vec<String>,
    /// Names of the players; rewards are in this order.
    pub players: Vec<String>,
    /// The names of the fluents, in the order of their columns.
    pub fluents: Vec<String>,
    /// Role and name of each move.
    pub moves: Vec<[String; 2]>,
    /// How a state is drawn as planes, if it looks like a board.
    pub board: Option<Planes>,
}

impl<'s> Columns<'s> {
    /// The columns for the positions of a solution.
    pub fn new(source: &'s Source, options: &Options, symmetries: usize) -> Columns<'s> {
        let solution = source.solution();
        let (game, manifest) = (solution.game(), solution.manifest());
        let text =
            |of: fn(&solving::store::Manifest) -> &str| manifest.map_or_else(String::new, |it| of(it).to_owned());
        let players = game.player_names();
        let is_own = |name: &str| OWN.contains(&name) || name.starts_with("value_");
        let column = |name: &String| if is_own(name) { format!("fluent {name}") } else { name.clone() };
        let moves = game.moves.iter();
        Columns {
            source,
            fluents: solution.fluent_names().iter().map(column).collect(),
            plies: manifest.is_some_and(|manifest| manifest.distances) || solution.book().is_some(),
            players,
            metadata: Metadata {
                generator: format!("ggsolve {}", env!("CARGO_PKG_VERSION")),
                game: game.name.clone(),
                rules_sha256: text(|manifest| &manifest.rules_sha256),
                opponent_model: solution.model().name().to_owned(),
                algorithm: text(|manifest| &manifest.algorithm),
                options: options.clone(),
                symmetries,
                roles: solution.roles(),
                players: game.player_names(),
                fluents: solution.fluent_names().to_vec(),
                moves: moves.map(|it| [game.roles[it.role.index()].to_string(), it.term.to_string()]).collect(),
                board: solution.board().map(solving::solution::Board::planes),
            },
        }
    }

    /// The metadata as JSON on one line.
    pub fn json(&self) -> String {
        serde_json::to_string(&self.metadata).expect("texts and numbers")
    }
}
