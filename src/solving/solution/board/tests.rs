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
    let board = Board::new(game, &[]).unwrap_or_else(|| panic!("no board: {:?}", state.names(game)));
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
    let expected =
        [" r10 | wh wo", "  r2 | wh  .", "  r1 | wh  .", "     +------", "        a  b", " [wh white, wo wolf]", ""];
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
    let fluents: Vec<(&str, &[&str], bool)> = cells.iter().map(|cell| ("cell", cell.as_slice(), holds(cell))).collect();
    assert_eq!(initial(&game(&fluents)), " 2 | b .\n 1 | . b\n   +----\n     1 2\n [b black, w white]\n");
}

/// Words that mean nothing together are a dot, too; alike initials get more letters of the last word.
#[test]
fn contents_of_several_words_have_short_signs() {
    let contents = [["none", "none"], ["white", "rook"], ["white", "returner"], ["white", "king"], ["black", "rook"]];
    let cells: Vec<[&str; 4]> = [["1", "1"], ["1", "2"], ["2", "1"], ["2", "2"]]
        .iter()
        .flat_map(|[x, y]| contents.map(|[owner, piece]| [*x, *y, owner, piece]))
        .collect();
    let shown = [[0, 1], [2, 3]];
    let place = |name: &str| usize::from(name == "2");
    let holds = |cell: &[&str; 4]| contents[shown[place(cell[0])][place(cell[1])]] == [cell[2], cell[3]];
    let fluents: Vec<(&str, &[&str], bool)> = cells.iter().map(|cell| ("cell", cell.as_slice(), holds(cell))).collect();
    let legend = " [br black rook, wk white king, wre white returner, wro white rook]";
    let expected = [" 2 | wro  wk", " 1 |   . wre", "   +--------", "       1   2", legend, ""];
    assert_eq!(initial(&game(&fluents)), expected.join("\n"));
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
    let fluents: Vec<(&str, &[&str], bool)> = pegs.iter().map(|peg| ("peg", peg.as_slice(), peg[0] != "a1")).collect();
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
    // Blocks that stand on each other are no row.
    let on: [(&str, &[&str], bool); 4] = [
        ("on", &["b1", "b2"], true),
        ("on", &["b2", "b3"], true),
        ("on", &["b3", "table"], true),
        ("on", &["b1", "table"], false),
    ];
    assert!(Board::new(&game(&on), &[]).is_none());
}

/// Fluents as texts; those with a star hold initially.
fn written(fluents: &[&str]) -> Game {
    let read = |text: &str| {
        let tokens: Vec<String> =
            text.replace('(', " ( ").replace(')', " ) ").split_whitespace().map(str::to_owned).collect();
        fn parsed(tokens: &mut std::slice::Iter<'_, String>, first: &str) -> GroundTerm {
            if first != "(" {
                return term(first, &[]);
            }
            let mut read = term(tokens.next().unwrap(), &[]);
            while let Some(next) = tokens.next().filter(|next| *next != ")") {
                read.arguments.push(parsed(tokens, next));
            }
            read
        }
        let mut tokens = tokens.iter();
        let first = tokens.next().unwrap();
        parsed(&mut tokens, first)
    };
    Game {
        fluents: fluents.iter().map(|text| read(text.trim_start_matches('*'))).collect(),
        init: fluents.iter().map(|text| text.starts_with('*')).collect(),
        ..Game::default()
    }
}

fn drawn(fluents: &[String]) -> String {
    initial(&written(&fluents.iter().map(String::as_str).collect::<Vec<_>>()))
}

#[test]
fn contents_of_several_words_have_a_sign_of_several_letters() {
    let mut fluents = vec!["*(control white)".to_owned()];
    for (column, row) in ["a", "b", "c"].into_iter().flat_map(|column| [1, 2].map(|row| (column, row))) {
        for piece in ["white king", "white rook", "black king"] {
            let star =
                if [("white king", "a", 1), ("black king", "c", 2)].contains(&(piece, column, row)) { "*" } else { "" };
            fluents.push(format!("{star}(at {piece} {column} {row})"));
        }
    }
    let expected = " 2 |  .  . bk\n 1 | wk  .  .\n   +---------\n      a  b  c\n (control white) [bk black king, wk white king, wr white rook]\n";
    assert_eq!(drawn(&fluents), expected);
    let inside = |text: &String| {
        let words: Vec<&str> = text.split([' ', '(', ')']).filter(|word| !word.is_empty()).collect();
        match words[..] {
            ["*", at, colour, kind, column, row] => {
                format!("*({at} (piece {colour} {kind}) (sq {column} {row}))")
            }
            [at, colour, kind, column, row] => format!("({at} (piece {colour} {kind}) (sq {column} {row}))"),
            _ => text.clone(),
        }
    };
    assert_eq!(drawn(&fluents.iter().map(inside).collect::<Vec<_>>()), expected);
}

#[test]
fn further_coordinates_are_boards_side_by_side() {
    let cells = (1..=3).flat_map(|board| [(board, 1, 1), (board, 1, 2), (board, 2, 1), (board, 2, 2)]);
    let pieces = cells.flat_map(|(board, x, y)| {
        let star = if board == 3 && x == y { "*" } else { "" };
        [format!("(cell {board} {x} {y} x)"), format!("{star}(cell {board} {x} {y} o)")]
    });
    let one: Vec<String> = pieces.collect();
    let text = drawn(&one);
    let expected = " 2 |   .   .       .   .       .   o\n 1 |   .   .       .   .       o   .\n";
    assert!(text.starts_with(expected) && text.contains("     1:1 1:2     2:1 2:2     3:1 3:2\n"), "{text}");
    let text = drawn(&one.iter().map(|text| text.replacen("cell ", "cell", 1)).collect::<Vec<_>>());
    assert!(text.contains("cell1:1 cell1:2         cell2:1 cell2:2         cell3:1 cell3:2\n"), "{text}");
}

#[test]
fn rows_and_columns_may_be_named() {
    let cells: Vec<String> = (1..=2)
        .flat_map(|row| {
            (1..=3).map(move |column| {
                format!("{}(cell r{row} c{column} x)", if (row, column) == (1, 3) { "*" } else { "" })
            })
        })
        .collect();
    assert_eq!(drawn(&cells), " r2 |  .  .  .\n r1 |  .  .  x\n    +---------\n      c1 c2 c3\n");
    let joined: Vec<String> = cells.iter().map(|text| text.replace(" c", "c")).collect();
    assert_eq!(drawn(&joined), " 2 | . . .\n 1 | . . x\n   +------\n     1 2 3\n");
    assert_eq!(
        [square("c_3_12"), square("x1y2"), square("r1c2"), square("h8")].map(Option::unwrap),
        [("3", "12"), ("1", "2"), ("2", "1"), ("h", "8")]
    );
    assert_eq!([square("12"), square("a"), square(""), square("1x"), square("x12345678901"), square("ä1")], [None; 6]);
    let heaps: Vec<String> = ["a", "b", "c"]
        .into_iter()
        .flat_map(|heap| (0..3).map(move |left| format!("{}(heap {heap} {left})", if left == 2 { "*" } else { "" })))
        .collect();
    assert_eq!(drawn(&heaps), " heap | 2 2 2\n      +------\n        a b c\n");
}

#[test]
fn what_holds_for_ever_is_on_the_board() {
    let mut game = lines(2, 2, 2);
    game.fluents.push(term("cell", &["3", "1", "wall"]));
    game.fluents.push(term("open", &[]));
    game.init.extend([false, false]);
    let constant = game.fluents.split_off(game.fluents.len() - 2);
    game.init.truncate(game.fluents.len());
    let board = Board::new(&game, &constant).unwrap();
    let text = board.drawing(&game, &State::from_flags(&game.init)).text(0);
    assert!(text.contains("1 | . . w") && text.contains("open") && text.contains("w wall"), "{text}");
}

#[test]
fn alike_names_of_different_things_are_no_board() {
    let places = (1..=5).map(|place| format!("(at r{place})"));
    let charges = (0..=4).map(|left| format!("(charge l{left})"));
    let fluents: Vec<String> = places.chain(charges).collect();
    assert!(Board::new(&written(&fluents.iter().map(String::as_str).collect::<Vec<_>>()), &[]).is_none());
}

#[test]
fn other_games_have_no_board() {
    assert!(Board::new(&nim(9, 3), &[]).is_none());
    assert!(Board::new(&Game::default(), &[]).is_none());
}
