//! Draws the states of a game as boards, if its fluents look like the cells of a board.
//!
//! No game is known by name. If an argument of a fluent has arguments itself, these count as the fluent's own, so that
//! `(cell (at 1 2) x)` reads like `(cell 1 2 x)`. Coordinates are numbers, letters, or words that differ by their
//! number (`c1`, `c2`). These forms of a board are tried in this order:
//!
//! - A functor with a cell and a content. The cell is two arguments that are coordinates, or one argument that is a
//!   square (`a1`, `b1`, or two numbers as in `x1y2`). The content is the other arguments that are no coordinates
//!   (`white king`), or the last of the others if all are coordinates. Further coordinates name boards that stand side
//!   by side; functors with the same cells and contents are drawn side by side, too.
//! - Functors with only two coordinates or a square, which have cells in common if there are several; the functor
//!   itself is the content.
//! - A single row: a functor with one coordinate and one content, such as the heaps of Nim.
//!
//! The first coordinate counts columns, the second rows from below, unless their names say otherwise (`r1`, `c1`).

use super::drawing::{Drawing, EMPTY, Meaning};
use game::interpreter::State;
use game::propositional::{FluentId, Game, GroundTerm};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const LONGEST: usize = 40;
const FEWEST: usize = 3;
/// Words that stand for an empty cell, alone or together.
const NOTHING: [&str; 4] = ["blank", "empty", "free", "none"];

#[derive(Debug, Clone, Serialize)]
pub struct Board {
    columns: Vec<String>,
    rows: Vec<String>,
    /// For each fluent, its column, row and content; `None` if it is not on the board.
    places: Vec<Option<(usize, usize, usize)>>,
    /// For each fluent on the board that holds in every state, its column, row and content.
    fixed: Vec<(usize, usize, usize)>,
    /// Texts of the fluents that hold in every state and are not on the board.
    others: Vec<String>,
    signs: Vec<String>,
    legend: Vec<Meaning>,
    contents: Vec<Meaning>,
    cells: Vec<Vec<bool>>,
    names: Vec<String>,
}

/// A board as planes: each content has a plane, the set of its cells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Planes {
    pub columns: Vec<String>,
    pub rows: Vec<String>,
    pub contents: Vec<String>,
    /// The fluents on the board, each as [number, plane, row, column].
    pub fluents: Vec<[usize; 4]>,
    /// The fluents on the board that hold in every state, each as [plane, row, column].
    pub fixed: Vec<[usize; 3]>,
}

#[derive(Debug, Clone)]
struct Placed<'a> {
    block: String,
    column: &'a str,
    row: &'a str,
    content: String,
}

#[derive(Debug, Clone)]
struct Flat<'a> {
    term: &'a GroundTerm,
    arguments: Vec<&'a str>,
}

type OnBoard<'a> = Vec<(&'a GroundTerm, Placed<'a>)>;

impl Board {
    /// The largest board that the fluents look like. `constant`: the fluents that hold in every state.
    pub fn new(game: &Game, constant: &[GroundTerm]) -> Option<Board> {
        let mut functors: BTreeMap<(&str, String), Vec<Flat<'_>>> = BTreeMap::new();
        for (term, (shape, arguments)) in
            game.fluents.iter().chain(constant).filter_map(|term| Some((term, flat(term)?)))
        {
            functors.entry((&term.name, shape)).or_default().push(Flat { term, arguments });
        }
        let boards: Vec<OnBoard> = functors.values().filter_map(|fluents| with_content(fluents)).collect();
        let largest = boards.iter().max_by_key(|board| board.len());
        let holding = holding(game, constant);
        let best = largest.map(|largest| side_by_side(boards.iter().filter(|board| are_alike(largest, board))));
        let best = best.or_else(|| {
            let several = functors.values().filter(|fluents| !is_function(&holding, fluents));
            let placed = of_one_board(several.filter_map(|fluents| all(fluents, without_content)).collect());
            is_board(&placed).then_some(placed)
        });
        let best = best.or_else(|| {
            let readings = |fluents| IN_A_ROW.iter().filter_map(move |reading| all(fluents, reading));
            let rows =
                functors.values().filter_map(|fluents| readings(fluents).find(|placed| is_row(&holding, placed)));
            rows.max_by_key(Vec::len)
        });
        best.map(|placed| Board::build(game, constant, &placed))
    }

    fn build(game: &Game, constant: &[GroundTerm], fluents: &[(&GroundTerm, Placed<'_>)]) -> Board {
        let turned = is_turned(fluents);
        let place = |placed: &Placed<'_>| {
            let (column, row) = if turned { (placed.row, placed.column) } else { (placed.column, placed.row) };
            ((placed.block.clone(), column.to_owned()), row.to_owned())
        };
        let rows: BTreeSet<String> = fluents.iter().map(|(_, placed)| place(placed).1).collect();
        let mut rows: Vec<String> = rows.into_iter().collect();
        rows.sort_by_cached_key(|name| natural(name));
        let columns: BTreeSet<(String, String)> = fluents.iter().map(|(_, placed)| place(placed).0).collect();
        let mut columns: Vec<(String, String)> = columns.into_iter().collect();
        columns.sort_by_cached_key(|(block, name)| (natural(block), natural(name)));
        let columns = with_gaps(columns);
        let mut contents: Vec<&str> = fluents.iter().map(|(_, placed)| placed.content.as_str()).collect();
        contents.sort_unstable();
        contents.dedup();
        let by_term: BTreeMap<&GroundTerm, &Placed<'_>> =
            fluents.iter().map(|(term, placed)| (*term, placed)).collect();
        const KNOWN: &str = "the axes and contents are those of all fluents on the board";
        let place = |term: &GroundTerm| {
            let placed = by_term.get(term)?;
            let (at, row) = place(placed);
            let column = columns.iter().position(|other| other.as_ref() == Some(&at)).expect(KNOWN);
            let row = rows.iter().position(|other| *other == row).expect(KNOWN);
            Some((column, row, contents.binary_search(&placed.content.as_str()).expect(KNOWN)))
        };
        let places: Vec<Option<(usize, usize, usize)>> = game.fluents.iter().map(place).collect();
        let fixed: Vec<(usize, usize, usize)> = constant.iter().filter_map(place).collect();
        let others = constant.iter().filter(|term| place(term).is_none()).map(ToString::to_string).collect();
        let mut cells = vec![vec![false; columns.len()]; rows.len()];
        let mut initially = vec![0; contents.len()];
        let changing = places.iter().zip(&game.init).filter_map(|(place, &holds)| Some(((*place)?, holds)));
        for ((column, row, content), holds) in changing.chain(fixed.iter().map(|&place| (place, true))) {
            cells[row][column] = true;
            initially[content] += usize::from(holds);
        }
        let count: usize = cells.iter().flatten().filter(|cell| **cell).count();
        let nothing = |index: usize, name: &str| {
            name.split(' ').all(|word| NOTHING.contains(&word))
                || (["b", "e"].contains(&name) && 2 * initially[index] > count)
        };
        let empty: Vec<bool> = contents.iter().enumerate().map(|(index, name)| nothing(index, name)).collect();
        let shown: Vec<&str> =
            contents.iter().zip(&empty).filter(|(_, empty)| !**empty).map(|(name, _)| *name).collect();
        let sign = |(name, empty): (&&str, &bool)| if *empty { EMPTY.to_owned() } else { shortest(name, &shown) };
        let signs: Vec<String> = contents.iter().zip(&empty).map(sign).collect();
        let names = contents.iter().map(|&name| name.to_owned()).collect();
        let meaning =
            |(sign, content): (&String, &&str)| Meaning { sign: sign.clone(), content: (*content).to_owned() };
        let contents: Vec<Meaning> =
            signs.iter().zip(&contents).filter(|(sign, _)| *sign != EMPTY).map(meaning).collect();
        let legend = contents.iter().filter(|meaning| meaning.sign != meaning.content).cloned().collect();
        let columns = columns.iter().map(|column| column.as_ref().map_or_else(String::new, column_name)).collect();
        Board { columns, rows, places, fixed, others, signs, legend, contents, cells, names }
    }

    pub fn planes(&self) -> Planes {
        let on_board = self.places.iter().enumerate().filter_map(|(fluent, place)| Some((fluent, (*place)?)));
        Planes {
            columns: self.columns.clone(),
            rows: self.rows.clone(),
            contents: self.names.clone(),
            fluents: on_board.map(|(fluent, (column, row, content))| [fluent, content, row, column]).collect(),
            fixed: self.fixed.iter().map(|&(column, row, content)| [content, row, column]).collect(),
        }
    }

    pub fn drawing(&self, game: &Game, state: &State) -> Drawing {
        let (columns, rows) = (self.columns.clone(), self.rows.clone());
        let (legend, contents) = (self.legend.clone(), self.contents.clone());
        let not_here = |fluent: &FluentId| self.places[fluent.index()].is_none();
        let others = state.fluents().filter(not_here).map(|fluent| game.fluents[fluent.index()].to_string());
        let mut others: Vec<String> = others.chain(self.others.iter().cloned()).collect();
        others.sort_unstable();
        Drawing { columns, rows, cells: self.filled(state), others, legend, contents }
    }

    /// The signs of a state, by row (from below) and column; `None` where there is no cell.
    pub fn filled(&self, state: &State) -> Vec<Vec<Option<String>>> {
        let cell = |there: &bool| there.then(String::new);
        let mut cells: Vec<Vec<Option<String>>> = self.cells.iter().map(|row| row.iter().map(cell).collect()).collect();
        let changing = state.fluents().filter_map(|fluent| self.places[fluent.index()]);
        for (column, row, content) in changing.chain(self.fixed.iter().copied()) {
            cells[row][column].get_or_insert_default().push_str(&self.signs[content]);
        }
        for sign in cells.iter_mut().flatten().flatten().filter(|sign| sign.is_empty()) {
            sign.push_str(EMPTY);
        }
        cells
    }
}

fn column_name((block, name): &(String, String)) -> String {
    if block.is_empty() { name.clone() } else { format!("{block}:{name}") }
}

fn with_gaps(columns: Vec<(String, String)>) -> Vec<Option<(String, String)>> {
    let mut spaced: Vec<Option<(String, String)>> = Vec::new();
    for column in columns {
        if spaced.last().is_some_and(|last| last.as_ref().is_some_and(|last| last.0 != column.0)) {
            spaced.push(None);
        }
        spaced.push(Some(column));
    }
    spaced
}

/// The shape and the arguments of a fluent, with nested arguments in place of their term; `None` if nested twice.
fn flat(term: &GroundTerm) -> Option<(String, Vec<&str>)> {
    let (mut shape, mut arguments) = (String::new(), Vec::new());
    for argument in &term.arguments {
        if argument.arguments.is_empty() {
            shape.push('.');
            arguments.push(argument.name.as_str());
            continue;
        }
        let _ = write!(shape, "({} {})", argument.name, argument.arguments.len());
        for inner in &argument.arguments {
            arguments.push(inner.arguments.is_empty().then_some(inner.name.as_str())?);
        }
    }
    Some((shape, arguments))
}

fn square(name: &str) -> Option<(&str, &str)> {
    let is_number = |text: &str| text.parse::<u32>().is_ok();
    if let Some((column, row)) = name.split_at_checked(1)
        && column.as_bytes()[0].is_ascii_alphabetic()
        && is_number(row)
    {
        return Some((column, row));
    }
    // From the end of the name: the second number, the text between both numbers, the first number.
    let digits = |text: &'_ str| text.len() - text.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (rest, row) = name.split_at(digits(name));
    let first = rest.trim_end_matches(|c: char| !c.is_ascii_digit());
    let between = &rest[first.len()..];
    let (before, column) = first.split_at(digits(first));
    let turned = before.starts_with(['r', 'R']) && between.starts_with(['c', 'C']);
    (is_number(column) && is_number(row)).then_some(if turned { (row, column) } else { (column, row) })
}

fn with_content<'a>(fluents: &[Flat<'a>]) -> Option<OnBoard<'a>> {
    let count = fluents.first()?.arguments.len();
    let names: Vec<BTreeSet<&str>> =
        (0..count).map(|index| fluents.iter().map(|fluent| fluent.arguments[index]).collect()).collect();
    let axes: Vec<bool> = names.iter().map(|names| names.len() <= LONGEST && is_axis(names)).collect();
    let pairs = (0..count).flat_map(|row| (0..row).map(move |column| (column, row)));
    let mut pairs: Vec<(usize, usize)> = pairs.filter(|&(column, row)| axes[column] && axes[row]).collect();
    // If there are more than three arguments, coordinates with the same names are preferred.
    pairs.sort_by_key(|&(column, row)| (count > 3 && names[column] != names[row], row - column, column));
    let pairs = pairs.into_iter().map(|(column, row)| Cell::Pair(column, row));
    let squares = (0..count).filter(|&index| names[index].iter().all(|name| square(name).is_some())).map(Cell::Square);
    pairs.chain(squares).find_map(|cell| {
        let rest = |index: &usize| match cell {
            Cell::Pair(column, row) => ![column, row].contains(index),
            Cell::Square(square) => *index != square,
        };
        let (mut blocks, mut contents): (Vec<usize>, Vec<usize>) =
            (0..count).filter(rest).partition(|&index| axes[index]);
        if contents.is_empty() {
            contents.push(blocks.pop()?);
        }
        let words = |fluent: &Flat<'a>, of: &[usize], between: &str| {
            of.iter().map(|&index| fluent.arguments[index]).collect::<Vec<_>>().join(between)
        };
        let placed = |fluent: &Flat<'a>| {
            let (column, row) = match cell {
                Cell::Pair(column, row) => (fluent.arguments[column], fluent.arguments[row]),
                Cell::Square(index) => square(fluent.arguments[index])?,
            };
            let (block, content) = (words(fluent, &blocks, ":"), words(fluent, &contents, " "));
            Some(Placed { block, column, row, content })
        };
        all(fluents, placed).filter(|placed| is_board(placed))
    })
}

#[derive(Clone, Copy)]
enum Cell {
    Pair(usize, usize),
    Square(usize),
}

fn without_content<'a>(fluent: &Flat<'a>) -> Option<Placed<'a>> {
    let (column, row) = match fluent.arguments[..] {
        [column, row] => (column, row),
        [name] => square(name)?,
        _ => return None,
    };
    Some(Placed { block: String::new(), column, row, content: fluent.term.name.clone() })
}

/// Functors that have a cell in common with another one, or else the one with most fluents: alike names of different
/// things, such as `(at r1)` and `(charge l4)`, are no cells of one board.
fn of_one_board(boards: Vec<OnBoard<'_>>) -> OnBoard<'_> {
    fn cells<'b>(board: &'b OnBoard<'_>) -> BTreeSet<(&'b str, &'b str)> {
        board.iter().map(|(_, placed)| (placed.column, placed.row)).collect()
    }
    let cells: Vec<_> = boards.iter().map(cells).collect();
    let shares = |index: usize| {
        cells.iter().enumerate().any(|(other, theirs)| other != index && !theirs.is_disjoint(&cells[index]))
    };
    let shared: Vec<bool> = (0..boards.len()).map(shares).collect();
    if shared.contains(&true) {
        return boards.into_iter().zip(shared).filter(|(_, shares)| *shares).flat_map(|(board, _)| board).collect();
    }
    boards.into_iter().max_by_key(Vec::len).unwrap_or_default()
}

type Reading = for<'a> fn(&Flat<'a>) -> Option<Placed<'a>>;

/// Reads a fluent of one coordinate and one content, in either order; the functor is the row.
const IN_A_ROW: [Reading; 2] = [|fluent| in_a_row(fluent, 0, 1), |fluent| in_a_row(fluent, 1, 0)];

fn in_a_row<'a>(fluent: &Flat<'a>, column: usize, content: usize) -> Option<Placed<'a>> {
    let [_, _] = fluent.arguments[..] else { return None };
    let (column, content) = (fluent.arguments[column], fluent.arguments[content].to_owned());
    Some(Placed { block: String::new(), column, row: &fluent.term.name, content })
}

fn all<'a>(fluents: &[Flat<'a>], reading: impl Fn(&Flat<'a>) -> Option<Placed<'a>>) -> Option<OnBoard<'a>> {
    fluents.iter().map(|fluent| Some((fluent.term, reading(fluent)?))).collect()
}

fn are_alike(one: &OnBoard<'_>, other: &OnBoard<'_>) -> bool {
    fn parts<'b>(board: &'b OnBoard<'_>) -> BTreeSet<(&'b str, &'b str, &'b str)> {
        board.iter().map(|(_, placed)| (placed.column, placed.row, placed.content.as_str())).collect()
    }
    parts(one) == parts(other)
}

/// Puts alike boards side by side, each named by its functor; only the first board if together they are too wide.
fn side_by_side<'a: 'b, 'b>(boards: impl Iterator<Item = &'b OnBoard<'a>>) -> OnBoard<'a> {
    let boards: Vec<&OnBoard<'a>> = boards.collect();
    let columns = |board: &OnBoard<'a>| {
        board.iter().map(|(_, placed)| (placed.block.clone(), placed.column)).collect::<BTreeSet<_>>().len()
    };
    let wide: usize = boards.iter().map(|board| columns(board) + 1).sum();
    let several = boards.len() > 1 && wide <= LONGEST;
    let named = |(term, placed): &(&'a GroundTerm, Placed<'a>)| {
        let block = match placed.block.as_str() {
            _ if !several => placed.block.clone(),
            "" => term.name.clone(),
            block => format!("{}:{block}", term.name),
        };
        (*term, Placed { block, ..placed.clone() })
    };
    let shown = if several { boards.len() } else { 1 };
    boards.into_iter().take(shown).flatten().map(named).collect()
}

fn is_turned(fluents: &[(&GroundTerm, Placed<'_>)]) -> bool {
    let starts = |of: fn(&Placed<'_>) -> char, with: &[char]| {
        fluents.iter().all(|(_, placed)| with.contains(&of(placed).to_ascii_lowercase()))
    };
    let numbered = |name: &str| split(name).1.is_some();
    fn first(name: &str) -> char {
        name.chars().next().unwrap_or(' ')
    }
    fluents.iter().all(|(_, placed)| numbered(placed.column) && numbered(placed.row))
        && starts(|placed| first(placed.column), &['r', 'y'])
        && starts(|placed| first(placed.row), &['c', 'x', 'f'])
}

/// Whether fluents look like a row. The names of cells are numbers or end with one, or are letters if the contents are
/// numbers; each cell has at most one content initially; and contents that are no numbers are not names of cells.
fn is_row(holding: &BTreeSet<&GroundTerm>, placed: &[(&GroundTerm, Placed<'_>)]) -> bool {
    let columns: BTreeSet<&str> = placed.iter().map(|(_, placed)| placed.column).collect();
    let contents: BTreeSet<&str> = placed.iter().map(|(_, placed)| placed.content.as_str()).collect();
    let numbers = contents.iter().all(|name| is_number(name));
    let held: Vec<&str> =
        placed.iter().filter(|(term, _)| holding.contains(term)).map(|(_, placed)| placed.column).collect();
    let once: BTreeSet<&str> = held.iter().copied().collect();
    (FEWEST..=LONGEST).contains(&columns.len())
        && (numbers || columns.iter().all(|name| split(name).1.is_some()))
        && is_axis(&columns)
        && !held.is_empty()
        && once.len() == held.len()
        && (numbers || contents.is_disjoint(&columns))
}

/// Whether the names of columns and rows are coordinates, there are enough cells and not too many columns or rows, and
/// cells fill at least half of their rectangle.
fn is_board(placed: &[(&GroundTerm, Placed<'_>)]) -> bool {
    let names =
        |of: fn(&Placed<'_>) -> String| placed.iter().map(|(_, placed)| of(placed)).collect::<BTreeSet<String>>();
    let columns: BTreeSet<&str> = placed.iter().map(|(_, placed)| placed.column).collect();
    let rows: BTreeSet<&str> = placed.iter().map(|(_, placed)| placed.row).collect();
    let cells: BTreeSet<(&str, &str, &str)> =
        placed.iter().map(|(_, placed)| (placed.block.as_str(), placed.column, placed.row)).collect();
    let blocks = names(|placed| placed.block.clone()).len();
    cells.len() >= FEWEST
        && blocks * (columns.len() + 1) - 1 <= LONGEST
        && rows.len() <= LONGEST
        && 2 * cells.len() >= blocks * columns.len() * rows.len()
        && is_axis(&columns)
        && is_axis(&rows)
}

/// Whether names have an order: numbers, at least two single letters, or one word with different numbers.
fn is_axis(names: &BTreeSet<&str>) -> bool {
    let letters =
        names.len() > 1 && names.iter().all(|name| name.len() == 1 && name.as_bytes()[0].is_ascii_alphabetic());
    let prefixes: BTreeSet<&str> = names.iter().map(|name| split(name).0).collect();
    letters || (prefixes.len() == 1 && names.iter().all(|name| split(name).1.is_some()))
}

fn split(name: &str) -> (&str, Option<u32>) {
    let word = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (word, name[word.len()..].parse().ok())
}

/// The sort key of a name: for each part between colons, the number at its end, then its text.
fn natural(name: &str) -> Vec<(Option<u32>, String)> {
    name.split(':').map(|part| (split(part).1, part.to_owned())).collect()
}

/// Whether initially one argument of a functor's fluents is a function of the other, as for a counter.
fn is_function(holding: &BTreeSet<&GroundTerm>, fluents: &[Flat<'_>]) -> bool {
    fluents.iter().all(|fluent| fluent.arguments.len() == 2)
        && [0, 1].into_iter().any(|argument| {
            let keys: BTreeSet<&str> = fluents.iter().map(|fluent| fluent.arguments[argument]).collect();
            let held = fluents.iter().filter(|fluent| holding.contains(fluent.term));
            let held: Vec<&str> = held.map(|fluent| fluent.arguments[argument]).collect();
            held.len() == keys.len() && held.iter().copied().collect::<BTreeSet<_>>() == keys
        })
}

fn holding<'a>(game: &'a Game, constant: &'a [GroundTerm]) -> BTreeSet<&'a GroundTerm> {
    let changing = game.fluents.iter().zip(&game.init).filter(|(_, init)| **init).map(|(term, _)| term);
    changing.chain(constant).collect()
}

fn is_number(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit())
}

/// The shortest prefix that no other name has; numbers and names of at most two letters are kept whole. A name of
/// several words is shortened to their initials, and to more letters of its last word if other names have the same
/// initials.
fn shortest(name: &str, names: &[&str]) -> String {
    if is_number(name) || name.len() <= 2 {
        return name.to_owned();
    }
    let ends = |word: &str| word.char_indices().map(|(at, c)| at + c.len_utf8()).collect::<Vec<_>>();
    if let Some((_, last)) = name.rsplit_once(' ') {
        let short = |name: &str, end: usize| {
            let (first, last) = name.rsplit_once(' ').unwrap_or(("", name));
            let last = if end == 0 { initial(last) } else { last.get(..end).unwrap_or(last) };
            first.split(' ').map(initial).chain([last]).collect::<String>()
        };
        let own = |end: &usize| {
            let own = short(name, *end);
            let alike = |other: &str| [short(other, *end), short(other, 0), other.to_owned()].contains(&own);
            !names.iter().any(|other| *other != name && alike(other))
        };
        let end = std::iter::once(0).chain(ends(last)).find(own);
        return end.map_or_else(|| name.replace(' ', ""), |end| short(name, end));
    }
    let own = |start: &&str| !names.iter().any(|other| *other != name && other.starts_with(start));
    ends(name).into_iter().map(|end| &name[..end]).find(own).unwrap_or(name).to_owned()
}

fn initial(word: &str) -> &str {
    let first = word.chars().next().map_or(0, char::len_utf8);
    if is_number(word) { word } else { &word[..first] }
}

#[cfg(test)]
mod tests;
