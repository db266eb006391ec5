//! Dōbutsu shōgi, also with more rows or fewer pieces.

use super::text::{WINS, facts, numbered, successors};

const COLUMNS: usize = 3;
const PIECES: [&str; 3] = ["elephant", "giraffe", "chick"];

/// Which squares a piece reaches from its own.
const ELEPHANT: &str = "(<= (reach ?p elephant ?x ?y ?u ?v) (role ?p) (slant ?x ?y ?u ?v))";
const GIRAFFE: &str = "(<= (reach ?p giraffe ?x ?y ?u ?v) (role ?p) (straight ?x ?y ?u ?v))";
const CHICK: &str = "\
(<= (ahead first ?y ?v) (succ ?y ?v))
(<= (ahead second ?v ?y) (succ ?y ?v))
(<= (reach ?p chick ?x ?y ?x ?v) (column ?x) (ahead ?p ?y ?v))
(<= (reach ?p hen ?x ?y ?u ?v) (role ?p) (straight ?x ?y ?u ?v))
(<= (reach ?p hen ?x ?y ?u ?v) (slant ?x ?y ?u ?v) (ahead ?p ?y ?v))";

/// `pieces`: what each player has beside its lion, some of elephant, giraffe and chick, each once.
pub fn rules(rows: usize, pieces: &[&str]) -> Result<String, String> {
    if let Some(other) = pieces.iter().find(|piece| !PIECES.contains(piece)) {
        return Err(format!("{other} is not one of elephant, giraffe and chick"));
    }
    let has = |piece: &str| pieces.contains(&piece);
    let pieces: Vec<&str> = PIECES.into_iter().filter(|piece| has(piece)).collect();
    let least = if has("chick") { 4 } else { 3 };
    if pieces.is_empty() {
        return Err("there is at least one piece beside the lion".to_owned());
    }
    if rows < least {
        let why = if has("chick") { ", as the chicks stand between the lions" } else { "" };
        return Err(format!("there are at least {least} rows{why}"));
    }
    let reach: Vec<&str> = [("elephant", ELEPHANT), ("giraffe", GIRAFFE), ("chick", CHICK)]
        .into_iter()
        .filter(|(piece, _)| has(piece))
        .map(|(_, rules)| rules)
        .collect();
    // Where the pieces begin: those of the second player are those of the first turned around.
    let begin = |column: usize, row: usize, piece: &str| {
        let (across, back) = (COLUMNS + 1 - column, rows + 1 - row);
        [(column, row, "first"), (across, back, "second")]
            .map(|(column, row, player)| format!("(init (cell {column} {row} {player} {piece}))"))
    };
    let places = [(2, 1, "lion"), (1, 1, "elephant"), (3, 1, "giraffe"), (2, 2, "chick")];
    let used: Vec<_> = places.into_iter().filter(|place| place.2 == "lion" || has(place.2)).collect();
    let at = |column, row| {
        move |&(c, r, _): &(usize, usize, &str)| {
            (c, r) == (column, row) || (COLUMNS + 1 - c, rows + 1 - r) == (column, row)
        }
    };
    let cells = (1..=rows).flat_map(|row| (1..=COLUMNS).map(move |column| (column, row)));
    let empty = cells.filter(|&(column, row)| !used.iter().any(at(column, row)));
    Ok(format!(
        "\
;;; Dobutsu shogi, the game of the animals, on {COLUMNS} columns and {rows} rows.
;;; Each player has a lion and one each of: {set}.
;;; A lion moves one step to any side, an elephant along a diagonal, a giraffe along a row or column, a chick to the
;;; row ahead. A chick that moves into the last row becomes a hen, which moves like a lion, but not diagonally back.
;;; A piece that is taken goes to the hand of who took it, a hen as a chick, and can be put on a blank square in place
;;; of a move; a chick that is put into the last row stays one. Who can take the lion of the opponent wins, and who has
;;; its lion in the last row and the opponent cannot take it. Play can go on for ever.
;;; Written by: ggsolve generate dobutsu {rows} {words}

(role first)
(role second)

(other first second)
(other second first)

{columns}
{numbers}
{successors}

(last first {rows}) (last second 1)

;; The pieces that can be in hand, what each becomes there, and the numbers of them.

{kinds}
{shrinks}
(more 0 1) (more 1 2)

;; (reach ?player ?piece ?x ?y ?u ?v): from column ?x of row ?y the piece reaches column ?u of row ?v.

(<= (near ?a ?b) (succ ?a ?b))
(<= (near ?b ?a) (succ ?a ?b))
(<= (straight ?x ?y ?x ?v) (column ?x) (near ?y ?v))
(<= (straight ?x ?y ?u ?y) (column ?x) (column ?u) (near ?x ?u) (row ?y))
(<= (slant ?x ?y ?u ?v) (column ?x) (column ?u) (near ?x ?u) (near ?y ?v))

(<= (reach ?p lion ?x ?y ?u ?v) (role ?p) (straight ?x ?y ?u ?v))
(<= (reach ?p lion ?x ?y ?u ?v) (role ?p) (slant ?x ?y ?u ?v))
{reach}

;; A state: the piece on every square and whose it is (none: nobody's), how many of a kind are in hand, and who is to
;; move.

(piece lion)
{pieces}

(<= (base (cell ?x ?y none none)) (column ?x) (row ?y))
(<= (base (cell ?x ?y ?p ?k)) (column ?x) (row ?y) (role ?p) (piece ?k))
(<= (base (hand ?p ?k 0)) (role ?p) (kind ?k))
(<= (base (hand ?p ?k ?n)) (role ?p) (kind ?k) (more ?m ?n))
(<= (base (control ?p)) (role ?p))

{begin}
{blank}
(<= (init (hand ?p ?k 0)) (role ?p) (kind ?k))
(init (control first))

;; Moves.

(<= (input ?p (move ?x ?y ?u ?v)) (reach ?p ?k ?x ?y ?u ?v))
(<= (input ?p (put ?k ?x ?y)) (role ?p) (kind ?k) (column ?x) (row ?y))
(<= (input ?p noop) (role ?p))

(<= (own ?p ?x ?y) (true (cell ?x ?y ?p ?k)) (role ?p))

(<= (legal ?p (move ?x ?y ?u ?v))
    (true (control ?p))
    (true (cell ?x ?y ?p ?k))
    (reach ?p ?k ?x ?y ?u ?v)
    (not (own ?p ?u ?v)))
(<= (legal ?p (put ?k ?x ?y))
    (true (control ?p))
    (true (hand ?p ?k ?n))
    (more ?m ?n)
    (true (cell ?x ?y none none)))
(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

{becomes}
(<= (next (cell ?x ?y none none)) (does ?p (move ?x ?y ?u ?v)))
(<= (next (cell ?x ?y ?p ?k)) (does ?p (put ?k ?x ?y)))
(<= (next (cell ?x ?y ?p ?k))
    (true (cell ?x ?y ?p ?k))
    (not (changed ?x ?y)))

(<= (changed ?x ?y) (does ?p (move ?x ?y ?u ?v)))
(<= (changed ?u ?v) (does ?p (move ?x ?y ?u ?v)))
(<= (changed ?x ?y) (does ?p (put ?k ?x ?y)))

(<= (takes ?p ?l)
    (does ?p (move ?x ?y ?u ?v))
    (other ?p ?q)
    (true (cell ?u ?v ?q ?k))
    (shrinks ?k ?l))
(<= (puts ?p ?k) (does ?p (put ?k ?x ?y)))

(<= (next (hand ?p ?k ?n))
    (takes ?p ?k)
    (true (hand ?p ?k ?m))
    (more ?m ?n))
(<= (next (hand ?p ?k ?m))
    (puts ?p ?k)
    (true (hand ?p ?k ?n))
    (more ?m ?n))
(<= (next (hand ?p ?k ?n))
    (true (hand ?p ?k ?n))
    (not (takes ?p ?k))
    (not (puts ?p ?k)))

(<= (next (control ?q))
    (true (control ?p))
    (other ?p ?q))

;; The end: the player to move can take the lion of the opponent, or that lion has got to the last row.

(<= catches
    (true (control ?p))
    (other ?p ?q)
    (true (cell ?x ?y ?p ?k))
    (reach ?p ?k ?x ?y ?u ?v)
    (true (cell ?u ?v ?q lion)))
(<= (home ?p)
    (last ?p ?y)
    (true (cell ?x ?y ?p lion)))

(<= (won ?p)
    (true (control ?p))
    catches)
(<= (won ?q)
    (true (control ?p))
    (other ?p ?q)
    (home ?q)
    (not catches))

{WINS}
",
        set = pieces.join(", "),
        words = pieces.join(" "),
        columns = numbered("column", COLUMNS),
        numbers = numbered("row", rows),
        successors = successors(1, rows),
        kinds = facts(pieces.iter().map(|piece| format!("(kind {piece})"))),
        shrinks = facts(
            pieces
                .iter()
                .map(|piece| format!("(shrinks {piece} {piece})"))
                .chain(has("chick").then(|| "(shrinks hen chick)".to_owned())),
        ),
        reach = reach.join("\n"),
        pieces = facts(pieces.iter().copied().chain(has("chick").then_some("hen")).map(|k| format!("(piece {k})"))),
        begin = used.iter().map(|&(c, r, k)| begin(c, r, k).join(" ")).collect::<Vec<_>>().join("\n"),
        blank = facts(empty.map(|(column, row)| format!("(init (cell {column} {row} none none))"))),
        becomes = if has("chick") { PROMOTION } else { NO_PROMOTION },
    ))
}

/// What stands on a square after a move, without chicks and with them.
const NO_PROMOTION: &str = "\
(<= (next (cell ?u ?v ?p ?k))
    (does ?p (move ?x ?y ?u ?v))
    (true (cell ?x ?y ?p ?k)))";
const PROMOTION: &str = "\
(<= (next (cell ?u ?v ?p ?k))
    (does ?p (move ?x ?y ?u ?v))
    (true (cell ?x ?y ?p ?k))
    (distinct ?k chick))
(<= (next (cell ?u ?v ?p chick))
    (does ?p (move ?x ?y ?u ?v))
    (true (cell ?x ?y ?p chick))
    (not (last ?p ?v)))
(<= (next (cell ?u ?v ?p hen))
    (does ?p (move ?x ?y ?u ?v))
    (true (cell ?x ?y ?p chick))
    (last ?p ?v))";
