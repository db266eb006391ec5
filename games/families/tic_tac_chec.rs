//! Tic Tac Chec: chess pieces on a small board, a line wins.

use super::text::{WAYS, WINS, facts, numbered, slides, successors};

const PIECES: [&str; 4] = ["rook", "bishop", "knight", "pawn"];

/// `pieces`: as many as the board has rows, each once.
pub fn rules(size: usize, pieces: &[&str]) -> Result<String, String> {
    if let Some(other) = pieces.iter().find(|piece| !PIECES.contains(piece)) {
        return Err(format!("{other} is not one of rook, bishop, knight and pawn"));
    }
    let has = |piece: &str| pieces.contains(&piece);
    let pieces: Vec<&str> = PIECES.into_iter().filter(|piece| has(piece)).collect();
    if !(3..=4).contains(&size) || pieces.len() != size {
        return Err("there are three or four rows, and as many different pieces".to_owned());
    }
    if size == 3 && !has("rook") {
        return Err("on three rows a rook is among the pieces: without it a player may have no move".to_owned());
    }
    let pawn = has("pawn");
    let opening = 2 * (size - 1);
    // The lines, each as a rule.
    let along = || 1..=size;
    let lines = along()
        .map(|row| along().map(|k| (k, row)).collect())
        .chain(along().map(|column| along().map(|k| (column, k)).collect()))
        .chain([along().map(|k| (k, k)).collect(), along().map(|k| (k, size + 1 - k)).collect::<Vec<_>>()])
        .map(|cells: Vec<(usize, usize)>| {
            let own: Vec<String> = cells.iter().map(|(column, row)| format!("(own ?p {column} {row})")).collect();
            format!("(<= (won ?p) {})", own.join(" "))
        });
    let lines: Vec<String> = lines.collect();
    let sliding = pieces.iter().map(|piece| slides(piece)).filter(|text| !text.is_empty()).collect::<Vec<_>>();
    let listed = pieces.join(", ");
    Ok(format!(
        "\
;;; Tic Tac Chec, {size} by {size} squares; the pieces of each player: {listed}.
;;; The players in turn put a piece from the hand on a blank square. When each has put {first}, a turn is to put a
;;; piece or to move one as in chess; a piece that is taken goes back to the hand of its owner. A line of {size} own
;;; pieces wins. Play can go on for ever.{pawn_text}
;;; Written by: ggsolve generate tic-tac-chec {size} {words}

(role white)
(role black)

(other white black)
(other black white)

{numbers}
{successors}

{sliding}

{WAYS}
{steps}
;; A state: the piece on every square and whose it is (none: nobody's), how many pieces were put in the opening, and who
;; is to move. What is not on the board is in hand.{returner_text}

{kinds}{returner}

(<= (base (cell ?x ?y none none)) (number ?x) (number ?y))
(<= (base (cell ?x ?y ?p ?l)) (number ?x) (number ?y) (role ?p) (kind ?k ?l))
{opened}
(<= (base (control ?p)) (role ?p))

(<= (init (cell ?x ?y none none)) (number ?x) (number ?y))
(init (opened 0))
(init (control white))

(<= (own ?p ?x ?y) (role ?p) (true (cell ?x ?y ?p ?l)))
(<= (used ?p ?k) (kind ?k ?l) (true (cell ?x ?y ?p ?l)))
(<= (blank ?x ?y) (true (cell ?x ?y none none)))

;; Moves.

(<= (input ?p (put ?k ?x ?y)) (role ?p) (kind ?k ?l) (number ?x) (number ?y))
(<= (input ?p (move ?x ?y ?u ?v)) (role ?p) (reach ?p ?l ?x ?y ?u ?v)){pawn_input}
(<= (input ?p noop) (role ?p))

(<= (barred ?x ?y ?u ?v)
    (between ?x ?y ?a ?b ?u ?v)
    (not (blank ?a ?b)))

(<= (legal ?p (put ?k ?x ?y))
    (true (control ?p))
    (kind ?k ?k)
    (not (used ?p ?k))
    (blank ?x ?y))
(<= (legal ?p (move ?x ?y ?u ?v))
    (true (control ?p))
    (true (opened {opening}))
    (true (cell ?x ?y ?p ?l))
    (reach ?p ?l ?x ?y ?u ?v)
    (not (barred ?x ?y ?u ?v))
    (not (own ?p ?u ?v))){pawn_moves}
(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

{effects}
(<= (next (cell ?x ?y none none)) (does ?p (move ?x ?y ?u ?v)))
(<= (next (cell ?x ?y ?p ?l))
    (true (cell ?x ?y ?p ?l))
    (not (changed ?x ?y)))

(<= (changed ?x ?y) (does ?p (put ?k ?x ?y)))
(<= (changed ?x ?y) (does ?p (move ?x ?y ?u ?v)))
(<= (changed ?u ?v) (does ?p (move ?x ?y ?u ?v)))

(<= (next (opened ?n))
    (true (opened ?m))
    (succ ?m ?n))
(<= (next (opened {opening})) (true (opened {opening})))

(<= (next (control ?q))
    (true (control ?p))
    (other ?p ?q))

;; The end.

{lines}

{WINS}
",
        first = size - 1,
        pawn_text = if pawn { PAWN_TEXT } else { "" },
        words = pieces.join(" "),
        numbers = numbered("number", size),
        successors = successors(0, opening.max(size)),
        sliding = sliding.join("\n"),
        steps = [
            "",
            if sliding.is_empty() { "" } else { SLIDES },
            if has("knight") { KNIGHT } else { "" },
            if pawn { PAWN } else { "" },
        ]
        .join("\n"),
        returner_text = if pawn { " A pawn on its way back is a returner." } else { "" },
        kinds = facts(pieces.iter().map(|piece| format!("(kind {piece} {piece})"))),
        returner = if pawn { " (kind pawn returner)" } else { "" },
        opened = facts((0..=opening).map(|count| format!("(base (opened {count}))"))),
        pawn_input = if pawn { PAWN_INPUT } else { "" },
        pawn_moves = if pawn { PAWN_MOVES } else { "" },
        effects = if pawn { TURNING } else { PLAIN },
        lines = lines.join("\n"),
    )
    .replace("{last}", &size.to_string())
    .replace("{opening}", &opening.to_string()))
}

const PAWN_TEXT: &str = "
;;; A pawn steps one square ahead and takes along a diagonal ahead; in the last row it turns around, and in the first
;;; again.";

const SLIDES: &str = "\
;; (reach ?player ?piece ?x ?y ?u ?v): where a piece can move and take if nothing is between.

(<= (reach ?p ?k ?x ?y ?u ?v) (role ?p) (slides ?k ?d) (far ?d ?x ?y ?u ?v))";

const KNIGHT: &str = "\
(<= (two ?a ?c) (up ?a ?b) (up ?b ?c))
(<= (apart 1 ?a ?b) (up ?a ?b))
(<= (apart 1 ?b ?a) (up ?a ?b))
(<= (apart 2 ?a ?b) (two ?a ?b))
(<= (apart 2 ?b ?a) (two ?a ?b))
(<= (reach ?p knight ?x ?y ?u ?v) (role ?p) (apart 1 ?x ?u) (apart 2 ?y ?v))
(<= (reach ?p knight ?x ?y ?u ?v) (role ?p) (apart 2 ?x ?u) (apart 1 ?y ?v))";

/// Which way pawns go, and what they become when they get to a row.
const PAWN: &str = "
;; (onward ?player ?pawn ?y ?v): the row ahead; (end ?player ?pawn ?y): the row in which a pawn turns around.

(<= (onward white pawn ?y ?v) (up ?y ?v))
(<= (onward white returner ?v ?y) (up ?y ?v))
(<= (onward black pawn ?v ?y) (up ?y ?v))
(<= (onward black returner ?y ?v) (up ?y ?v))
(end white pawn {last}) (end white returner 1) (end black pawn 1) (end black returner {last})
(turns pawn returner) (turns returner pawn)
(<= (aside ?a ?b) (up ?a ?b))
(<= (aside ?b ?a) (up ?a ?b))
";

const PAWN_INPUT: &str = "
(<= (input ?p (move ?x ?y ?x ?v)) (onward ?p ?l ?y ?v) (number ?x))
(<= (input ?p (move ?x ?y ?u ?v)) (onward ?p ?l ?y ?v) (aside ?x ?u))";

const PAWN_MOVES: &str = "
(<= (legal ?p (move ?x ?y ?x ?v))
    (true (control ?p))
    (true (opened {opening}))
    (true (cell ?x ?y ?p ?l))
    (onward ?p ?l ?y ?v)
    (blank ?x ?v))
(<= (legal ?p (move ?x ?y ?u ?v))
    (true (control ?p))
    (true (opened {opening}))
    (true (cell ?x ?y ?p ?l))
    (onward ?p ?l ?y ?v)
    (aside ?x ?u)
    (other ?p ?q)
    (own ?q ?u ?v))";

const PLAIN: &str = "\
(<= (next (cell ?x ?y ?p ?k)) (does ?p (put ?k ?x ?y)))
(<= (next (cell ?u ?v ?p ?k))
    (does ?p (move ?x ?y ?u ?v))
    (true (cell ?x ?y ?p ?k)))";

const TURNING: &str = "\
(<= (next (cell ?x ?y ?p ?k))
    (does ?p (put ?k ?x ?y))
    (not (end ?p ?k ?y)))
(<= (next (cell ?x ?y ?p ?l))
    (does ?p (put ?k ?x ?y))
    (end ?p ?k ?y)
    (turns ?k ?l))
(<= (next (cell ?u ?v ?p ?k))
    (does ?p (move ?x ?y ?u ?v))
    (true (cell ?x ?y ?p ?k))
    (not (end ?p ?k ?v)))
(<= (next (cell ?u ?v ?p ?l))
    (does ?p (move ?x ?y ?u ?v))
    (true (cell ?x ?y ?p ?k))
    (end ?p ?k ?v)
    (turns ?k ?l))";
