//! How the states of a game look as boards, where the fluents look like one.
//!
//! Nothing is known of games. In the order in which they are tried, a board is
//!
//! - a functor with two arguments that are coordinates (numbers, letters, or words that differ by their number: `c1`,
//!   `c2`) or one that is a square (`a1`, `b1`), and an argument that is a content;
//! - functors with two coordinates or a square only, which are then the contents themselves;
//! - a single row: a functor with one coordinate and one content, such as the heaps of Nim.
//!
//! The first coordinate counts columns, the second rows from below. Everything else is a list.

use super::drawing::{Drawing, EMPTY, Meaning};
use crate::interpreter::State;
use crate::propositional::{FluentId, Game, GroundTerm};
use std::collections::{BTreeMap, BTreeSet};

/// Longest side of a board that is drawn.
const LONGEST: usize = 40;
/// Fewest cells of what is called a board.
const FEWEST: usize = 3;
/// Contents that say that there is nothing.
const NOTHING: [&str; 4] = ["blank", "empty", "free", "none"];

/// How to draw the states of a game.
#[derive(Debug, Clone)]
pub struct Board {
    columns: Vec<String>,
    rows: Vec<String>,
    /// By fluent: column, row and content, for those on the board.
    places: Vec<Option<(usize, usize, usize)>>,
    /// By content: what is drawn.
    signs: Vec<String>,
    /// Signs with what they mean, where they do not say it.
    legend: Vec<Meaning>,
    /// Signs with what they mean, all but that of nothing.
    contents: Vec<Meaning>,
    /// Cells that there are, by row and column.
    cells: Vec<Vec<bool>>,
}

/// A cell and its content by name.
type Placed<'a> = (&'a str, &'a str, &'a str);

impl Board {
    /// The board of a game, if its fluents look like one; the largest, if there are several.
    pub fn new(game: &Game) -> Option<Board> {
        let mut functors: BTreeMap<(&str, usize), Vec<&GroundTerm>> = BTreeMap::new();
        for term in game.fluents.iter().filter(|term| term.arguments.iter().all(|inner| inner.arguments.is_empty())) {
            functors.entry((&term.name, term.arguments.len())).or_default().push(term);
        }
        let with_content = functors.values().filter_map(|terms| first(&WITH_CONTENT, terms, is_board));
        let best = with_content.max_by_key(Vec::len).or_else(|| {
            let several = functors.values().filter(|terms| !is_function(game, terms));
            let placed: Vec<_> =
                several.filter_map(|terms| first(&WITHOUT_CONTENT, terms, |_| true)).flatten().collect();
            is_board(&placed).then_some(placed)
        });
        let best = best.or_else(|| {
            let rows = functors.values().filter_map(|terms| first(&IN_A_ROW, terms, |placed| is_row(game, placed)));
            rows.max_by_key(Vec::len)
        });
        best.map(|placed| Board::build(game, &placed))
    }

    fn build(game: &Game, fluents: &[(&GroundTerm, Placed<'_>)]) -> Board {
        let axis = |of: fn(&Placed<'_>) -> String| {
            let names: BTreeSet<String> = fluents.iter().map(|(_, placed)| of(placed)).collect();
            sorted(names.into_iter().collect())
        };
        let columns = axis(|placed| placed.0.to_owned());
        let rows = axis(|placed| placed.1.to_owned());
        let mut contents: Vec<&str> = fluents.iter().map(|(_, placed)| placed.2).collect();
        contents.sort_unstable();
        contents.dedup();
        let by_term: BTreeMap<&GroundTerm, Placed<'_>> = fluents.iter().copied().collect();
        let index = |names: &[String], name: &str| {
            names.iter().position(|other| other == name).expect("the axes have the names of all fluents on the board")
        };
        let place = |term: &GroundTerm| {
            let (column, row, content) = by_term.get(term)?;
            let content = contents.binary_search(content);
            let content = content.expect("the contents are those of all fluents on the board");
            Some((index(&columns, column), index(&rows, row), content))
        };
        let places: Vec<Option<(usize, usize, usize)>> = game.fluents.iter().map(place).collect();
        let mut cells = vec![vec![false; columns.len()]; rows.len()];
        let mut initially = vec![0; contents.len()];
        for (place, &holds) in places.iter().zip(&game.init) {
            if let Some((column, row, content)) = *place {
                cells[row][column] = true;
                initially[content] += usize::from(holds);
            }
        }
        let count: usize = cells.iter().flatten().filter(|cell| **cell).count();
        let nothing = |index: usize, name: &str| {
            NOTHING.contains(&name) || (["b", "e"].contains(&name) && 2 * initially[index] > count)
        };
        let empty: Vec<bool> = contents.iter().enumerate().map(|(index, name)| nothing(index, name)).collect();
        let shown: Vec<&str> =
            contents.iter().zip(&empty).filter(|(_, empty)| !**empty).map(|(name, _)| *name).collect();
        let sign = |(name, empty): (&&str, &bool)| if *empty { EMPTY.to_owned() } else { shortest(name, &shown) };
        let signs: Vec<String> = contents.iter().zip(&empty).map(sign).collect();
        let meaning =
            |(sign, content): (&String, &&str)| Meaning { sign: sign.clone(), content: (*content).to_owned() };
        let contents: Vec<Meaning> =
            signs.iter().zip(&contents).filter(|(sign, _)| *sign != EMPTY).map(meaning).collect();
        let legend = contents.iter().filter(|meaning| meaning.sign != meaning.content).cloned().collect();
        Board { columns, rows, places, signs, legend, contents, cells }
    }

    /// A state on the board.
    pub fn drawing(&self, game: &Game, state: &State) -> Drawing {
        let (columns, rows) = (self.columns.clone(), self.rows.clone());
        let (legend, contents) = (self.legend.clone(), self.contents.clone());
        let not_here = |fluent: &FluentId| self.places[fluent.index()].is_none();
        let others = state.fluents().filter(not_here).map(|fluent| game.fluents[fluent.index()].to_string());
        let mut others: Vec<String> = others.collect();
        others.sort_unstable();
        Drawing { columns, rows, cells: self.filled(state), others, legend, contents }
    }

    /// The cells of a drawing of a state.
    pub fn filled(&self, state: &State) -> Vec<Vec<Option<String>>> {
        let cell = |there: &bool| there.then(String::new);
        let mut cells: Vec<Vec<Option<String>>> = self.cells.iter().map(|row| row.iter().map(cell).collect()).collect();
        for (column, row, content) in state.fluents().filter_map(|fluent| self.places[fluent.index()]) {
            cells[row][column].get_or_insert_default().push_str(&self.signs[content]);
        }
        for sign in cells.iter_mut().flatten().flatten().filter(|sign| sign.is_empty()) {
            sign.push_str(EMPTY);
        }
        cells
    }
}

/// The argument of a number; `None` where there are not exactly `arity`.
fn argument(term: &GroundTerm, arity: usize, index: usize) -> Option<&str> {
    (term.arguments.len() == arity).then(|| term.arguments[index].name.as_str())
}

/// Column and row of a square such as `c2`.
fn square(name: &str) -> Option<(&str, &str)> {
    let (column, row) = name.split_at_checked(1)?;
    (column.as_bytes()[0].is_ascii_alphabetic() && row.parse::<u32>().is_ok()).then_some((column, row))
}

/// A way to read a fluent as a cell with a content.
type Reading = for<'a> fn(&'a GroundTerm) -> Option<Placed<'a>>;

/// Two coordinates, or a square, beside the content.
const WITH_CONTENT: [Reading; 5] = [
    |term| Some((argument(term, 3, 0)?, argument(term, 3, 1)?, argument(term, 3, 2)?)),
    |term| Some((argument(term, 3, 1)?, argument(term, 3, 2)?, argument(term, 3, 0)?)),
    |term| Some((argument(term, 3, 0)?, argument(term, 3, 2)?, argument(term, 3, 1)?)),
    |term| square(argument(term, 2, 0)?).and_then(|(column, row)| Some((column, row, argument(term, 2, 1)?))),
    |term| square(argument(term, 2, 1)?).and_then(|(column, row)| Some((column, row, argument(term, 2, 0)?))),
];

/// Two coordinates, or a square, of what the functor names.
const WITHOUT_CONTENT: [Reading; 2] = [
    |term| Some((argument(term, 2, 0)?, argument(term, 2, 1)?, term.name.as_str())),
    |term| square(argument(term, 1, 0)?).map(|(column, row)| (column, row, term.name.as_str())),
];

/// One coordinate beside the content, in the row that the functor names.
const IN_A_ROW: [Reading; 2] = [
    |term| Some((argument(term, 2, 0)?, term.name.as_str(), argument(term, 2, 1)?)),
    |term| Some((argument(term, 2, 1)?, term.name.as_str(), argument(term, 2, 0)?)),
];

/// The fluents by the first reading that suits all of them.
fn first<'a>(
    readings: &[Reading],
    terms: &[&'a GroundTerm],
    suits: impl Fn(&[(&'a GroundTerm, Placed<'a>)]) -> bool,
) -> Option<Vec<(&'a GroundTerm, Placed<'a>)>> {
    readings.iter().find_map(|reading| {
        let placed: Option<Vec<_>> = terms.iter().map(|term| Some((*term, reading(term)?))).collect();
        placed.filter(|placed| suits(placed))
    })
}

/// Whether the cells have numbers, each holds one thing at most at first, and what they hold are no cells again.
fn is_row(game: &Game, placed: &[(&GroundTerm, Placed<'_>)]) -> bool {
    let columns: BTreeSet<&str> = placed.iter().map(|(_, placed)| placed.0).collect();
    let contents: BTreeSet<&str> = placed.iter().map(|(_, placed)| placed.2).collect();
    let holding = holding(game);
    let held: Vec<&str> =
        placed.iter().filter(|(term, _)| holding.contains(term)).map(|(_, placed)| placed.0).collect();
    let once: BTreeSet<&str> = held.iter().copied().collect();
    (FEWEST..=LONGEST).contains(&columns.len())
        && columns.iter().all(|name| split(name).1.is_some())
        && is_axis(&columns)
        && !held.is_empty()
        && once.len() == held.len()
        && (contents.is_disjoint(&columns) || contents.iter().all(|name| is_number(name)))
}

/// Whether the cells have coordinates and fill at least half of their rectangle.
fn is_board(placed: &[(&GroundTerm, Placed<'_>)]) -> bool {
    let columns: BTreeSet<&str> = placed.iter().map(|(_, placed)| placed.0).collect();
    let rows: BTreeSet<&str> = placed.iter().map(|(_, placed)| placed.1).collect();
    let cells: BTreeSet<(&str, &str)> = placed.iter().map(|(_, placed)| (placed.0, placed.1)).collect();
    let small = |names: &BTreeSet<&str>| names.len() <= LONGEST;
    cells.len() >= FEWEST
        && small(&columns)
        && small(&rows)
        && 2 * cells.len() >= columns.len() * rows.len()
        && is_axis(&columns)
        && is_axis(&rows)
}

/// Whether names are ordered: numbers, several single letters, or one word with numbers behind it.
fn is_axis(names: &BTreeSet<&str>) -> bool {
    let letters =
        names.len() > 1 && names.iter().all(|name| name.len() == 1 && name.as_bytes()[0].is_ascii_alphabetic());
    let prefixes: BTreeSet<&str> = names.iter().map(|name| split(name).0).collect();
    letters || (prefixes.len() == 1 && names.iter().all(|name| split(name).1.is_some()))
}

/// A word and the number behind it.
fn split(name: &str) -> (&str, Option<u32>) {
    let word = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (word, name[word.len()..].parse().ok())
}

/// Names of an axis, ascending.
fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort_by(|left, right| split(left).1.cmp(&split(right).1).then_with(|| left.cmp(right)));
    names
}

/// Whether a relation between two arguments initially is a function of one of them, as that of a counter is.
fn is_function(game: &Game, terms: &[&GroundTerm]) -> bool {
    let holding = holding(game);
    terms.iter().all(|term| term.arguments.len() == 2)
        && [0, 1].into_iter().any(|argument| {
            let keys: BTreeSet<&GroundTerm> = terms.iter().map(|term| &term.arguments[argument]).collect();
            let held: Vec<&GroundTerm> =
                terms.iter().filter(|term| holding.contains(*term)).map(|term| &term.arguments[argument]).collect();
            held.len() == keys.len() && held.iter().copied().collect::<BTreeSet<_>>() == keys
        })
}

/// The fluents of the initial state.
fn holding(game: &Game) -> BTreeSet<&GroundTerm> {
    game.fluents.iter().zip(&game.init).filter(|(_, init)| **init).map(|(term, _)| term).collect()
}

fn is_number(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit())
}

/// The shortest beginning that no other name has; a number is not cut.
fn shortest(name: &str, names: &[&str]) -> String {
    if is_number(name) {
        return name.to_owned();
    }
    let ends = name.char_indices().map(|(at, c)| at + c.len_utf8());
    let own = |start: &&str| !names.iter().any(|other| *other != name && other.starts_with(start));
    ends.map(|end| &name[..end]).find(own).unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::handmade::{lines, nim, term};

    fn game(fluents: &[(&str, &[&str], bool)]) -> Game {
        Game {
            fluents: fluents.iter().map(|(name, arguments, _)| term(name, arguments)).collect(),
            init: fluents.iter().map(|(_, _, init)| *init).collect(),
            ..Game::default()
        }
    }

    fn initial(game: &Game) -> String {
        let state = State::from_flags(&game.init);
        let board = Board::new(game).unwrap_or_else(|| panic!("no board: {:?}", state.names(game)));
        board.drawing(game, &state).text(1)
    }

    #[test]
    fn cells_with_a_content_are_drawn() {
        let mut game = lines(3, 2, 2);
        game.init[2] = false;
        game.init[0] = true;
        assert_eq!(initial(&game), " 2 | . . .\n 1 | x . .\n   +------\n     1 2 3\n (control x)\n");
    }

    #[test]
    fn coordinates_are_found_anywhere_and_signs_are_short() {
        let mut fluents = Vec::new();
        for row in ["r1", "r2", "r10"] {
            for column in ["a", "b"] {
                for (piece, holds) in [("white", column == "a"), ("wolf", row == "r10" && column == "b")] {
                    fluents.push((piece, column, row, holds));
                }
            }
        }
        let arguments: Vec<[&str; 3]> = fluents.iter().map(|&(piece, column, row, _)| [piece, column, row]).collect();
        let fluents: Vec<(&str, &[&str], bool)> =
            arguments.iter().zip(&fluents).map(|(arguments, fluent)| ("at", arguments.as_slice(), fluent.3)).collect();
        let expected = [
            " r10 | wh wo",
            "  r2 | wh  .",
            "  r1 | wh  .",
            "     +------",
            "        a  b",
            " [wh white, wo wolf]",
            "",
        ];
        assert_eq!(initial(&game(&fluents)), expected.join("\n"));
    }

    #[test]
    fn nothing_is_a_dot() {
        let cells: Vec<[&str; 3]> = ["1", "2"]
            .into_iter()
            .flat_map(|x| ["1", "2"].map(|y| ["black", "blank", "white"].map(|content| [x, y, content])))
            .flatten()
            .collect();
        let holds = |cell: &[&str; 3]| (cell[2] == "blank") == (cell[0] == cell[1]) && cell[2] != "white";
        let fluents: Vec<(&str, &[&str], bool)> =
            cells.iter().map(|cell| ("cell", cell.as_slice(), holds(cell))).collect();
        assert_eq!(initial(&game(&fluents)), " 2 | b .\n 1 | . b\n   +----\n     1 2\n [b black, w white]\n");
    }

    #[test]
    fn pairs_of_coordinates_are_cells_unless_they_are_counters() {
        let names: Vec<[String; 2]> = (1..4).flat_map(|x| (1..4).map(move |y| [x, y].map(|n| n.to_string()))).collect();
        let names: Vec<[&str; 2]> = names.iter().map(|[x, y]| [x.as_str(), y.as_str()]).collect();
        let fluents = |init: fn(&[&str; 2]) -> bool| {
            game(&names.iter().map(|pair| ("peg", pair.as_slice(), init(pair))).collect::<Vec<_>>())
        };
        let pegs = fluents(|pair| pair[0] != pair[1]);
        assert_eq!(initial(&pegs), " 3 | p p .\n 2 | p . p\n 1 | . p p\n   +------\n     1 2 3\n [p peg]\n");
        let heaps = fluents(|pair| pair[1] == "3");
        assert_eq!(initial(&heaps), " peg | 3 3 3\n     +------\n       1 2 3\n");
    }

    #[test]
    fn squares_are_coordinates() {
        let squares = ["a1", "b1", "c1"];
        let tokens: Vec<[&str; 2]> =
            ["black", "white"].into_iter().flat_map(|piece| squares.map(|square| [piece, square])).collect();
        let holds = |token: &[&str; 2]| (token[0] == "white") == (token[1] == "b1");
        let fluents: Vec<(&str, &[&str], bool)> =
            tokens.iter().map(|token| ("token", token.as_slice(), holds(token))).collect();
        assert_eq!(initial(&game(&fluents)), " 1 | b w b\n   +------\n     a b c\n [b black, w white]\n");
        let pegs = squares.map(|square| [square]);
        let fluents: Vec<(&str, &[&str], bool)> =
            pegs.iter().map(|peg| ("peg", peg.as_slice(), peg[0] != "a1")).collect();
        assert_eq!(initial(&game(&fluents)), " 1 | . p p\n   +------\n     a b c\n [p peg]\n");
    }

    #[test]
    fn what_has_one_coordinate_is_a_row() {
        let heaps: Vec<[String; 2]> =
            (1..4).flat_map(|heap| (0..=17).map(move |left| [heap, left].map(|n: i32| n.to_string()))).collect();
        let heaps: Vec<[&str; 2]> = heaps.iter().map(|[heap, left]| [heap.as_str(), left.as_str()]).collect();
        let fluents: Vec<(&str, &[&str], bool)> = heaps
            .iter()
            .map(|pair| ("heap", pair.as_slice(), matches!(pair, ["1", "17"] | ["2", "5"] | ["3", "0"])))
            .collect();
        assert_eq!(initial(&game(&fluents)), " heap | 17  5  0\n      +---------\n         1  2  3\n");
        // What stands on what is no row.
        let on: [(&str, &[&str], bool); 4] = [
            ("on", &["b1", "b2"], true),
            ("on", &["b2", "b3"], true),
            ("on", &["b3", "table"], true),
            ("on", &["b1", "table"], false),
        ];
        assert!(Board::new(&game(&on)).is_none());
    }

    #[test]
    fn other_games_have_no_board() {
        assert!(Board::new(&nim(9, 3)).is_none());
        assert!(Board::new(&Game::default()).is_none());
    }
}
