//! Endings of chess: a king and one piece against a king.

use super::text::{WAYS, numbered, slides, successors};

/// A pawn can step twice from its second row on boards of so many rows.
const LONG: usize = 6;

pub fn rules(piece: &str, size: usize) -> Result<String, String> {
    let pawn = piece == "pawn";
    if !["queen", "rook", "pawn"].contains(&piece) {
        return Err(format!("{piece} is not one of queen, rook and pawn"));
    }
    if size < 3 || pawn && size < 4 {
        return Err("the board has at least three rows, with a pawn four".to_owned());
    }
    let middle = size.div_ceil(2);
    let (king, man, black) =
        if pawn { ((middle, 1), (middle, 2), (middle, size)) } else { ((1, size), (1, 1), (size, size - 1)) };
    let pieces: &[&str] = if pawn { &["queen", "rook", "pawn"] } else { &[piece] };
    let twice = size >= LONG;
    let (pawn_text, facts_of_pawn, moves, inputs, effects) = if pawn {
        (
            format!(
                "\n;;; A pawn steps ahead{}, and becomes a queen or a rook in the last row.",
                if twice { ", twice if it likes from the second row" } else { "" }
            ),
            PAWN_ATTACKS,
            format!("\n{PAWN_STEP}{}\n{PROMOTION}", if twice { PAWN_TWICE } else { "" }),
            "\n(promotes queen) (promotes rook)\n(<= (input white (promote ?k)) (promotes ?k))",
            PROMOTED,
        )
    } else {
        (String::new(), "", String::new(), "", "")
    };
    let square = |name: &str, (column, row): (usize, usize)| format!("(init ({name} {column} {row}))");
    Ok(format!(
        "\
;;; An ending of chess on {size} by {size} squares: king and {piece} of white against the king of black.
;;; The rules are those of chess. Mate wins; it is a draw, 50 for both, when the player in turn has no move and is
;;; not in check, and when the piece is taken. Play can go on for ever.{pawn_text}
;;; Written by: ggsolve generate chess-ending {piece} {size}

(role white)
(role black)

{numbers}
{successors}

{slides}

{WAYS}

;; A state: the squares of both kings and of the piece by column and row, until it is taken, and who is to move.

{kinds}

(<= (base (king ?x ?y)) (number ?x) (number ?y))
(<= (base (black ?x ?y)) (number ?x) (number ?y))
(<= (base (piece ?k ?x ?y)) (kind ?k) (number ?x) (number ?y))
(<= (base (control ?p)) (role ?p))

{king} {black} {man}
(init (control white))

;; What is attacked. A king does not hide behind itself: only the white one is in the way of an attack.

(<= (covered ?u ?v)
    (true (king ?x ?y))
    (beside ?d ?x ?y ?u ?v))
(<= (shadowed ?x ?y ?u ?v)
    (between ?x ?y ?a ?b ?u ?v)
    (true (king ?a ?b)))
(<= (attacked ?u ?v)
    (true (piece ?k ?x ?y))
    (slides ?k ?d)
    (far ?d ?x ?y ?u ?v)
    (not (shadowed ?x ?y ?u ?v))){facts_of_pawn}
(<= (near_black ?u ?v)
    (true (black ?x ?y))
    (beside ?d ?x ?y ?u ?v))

;; Moves.

(<= (input white (king ?x ?y)) (number ?x) (number ?y))
(<= (input white (go ?x ?y)) (number ?x) (number ?y)){inputs}
(<= (input black (king ?x ?y)) (number ?x) (number ?y))
(<= (input ?p noop) (role ?p))

(<= (taken ?x ?y) (true (king ?x ?y)))
(<= (taken ?x ?y) (true (black ?x ?y)))
(<= (taken ?x ?y) (true (piece ?k ?x ?y)))
(<= (barred ?x ?y ?u ?v)
    (between ?x ?y ?a ?b ?u ?v)
    (true (black ?a ?b)))
(<= (barred ?x ?y ?u ?v) (shadowed ?x ?y ?u ?v))

(<= (possible white (king ?u ?v))
    (true (king ?x ?y))
    (beside ?d ?x ?y ?u ?v)
    (not (taken ?u ?v))
    (not (near_black ?u ?v)))
(<= (possible white (go ?u ?v))
    (true (piece ?k ?x ?y))
    (slides ?k ?d)
    (far ?d ?x ?y ?u ?v)
    (not (barred ?x ?y ?u ?v))
    (not (taken ?u ?v))){moves}
(<= (possible black (king ?u ?v))
    (true (black ?x ?y))
    (beside ?d ?x ?y ?u ?v)
    (not (covered ?u ?v))
    (not (attacked ?u ?v)))

(<= (legal ?p ?m)
    (true (control ?p))
    (possible ?p ?m))
(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

(<= (moves white) (does white (king ?x ?y)))
(<= (moves black) (does black (king ?x ?y)))
(<= (next (king ?x ?y)) (does white (king ?x ?y)))
(<= (next (king ?x ?y))
    (true (king ?x ?y))
    (not (moves white)))
(<= (next (black ?x ?y)) (does black (king ?x ?y)))
(<= (next (black ?x ?y))
    (true (black ?x ?y))
    (not (moves black)))

(<= shifts (does white (go ?x ?y)))
(<= (next (piece ?k ?x ?y))
    (does white (go ?x ?y))
    (true (piece ?k ?u ?v)))
(<= (next (piece ?k ?x ?y))
    (true (piece ?k ?x ?y))
    (not shifts)
    (not (hit ?x ?y)))
(<= (hit ?x ?y) (does black (king ?x ?y))){effects}

(<= (next (control black)) (true (control white)))
(<= (next (control white)) (true (control black)))

;; The end.

(<= (mobile ?p) (possible ?p ?m))
(<= stuck
    (true (control ?p))
    (not (mobile ?p)))
(<= mate
    stuck
    (true (control black))
    (true (black ?x ?y))
    (attacked ?x ?y))
(<= armed (true (piece ?k ?x ?y)))

(<= terminal stuck)
(<= terminal (not armed))

(<= (goal white 100) mate)
(<= (goal black 0) mate)
(<= (goal ?p 50)
    (role ?p)
    (not mate))
",
        numbers = numbered("number", size),
        successors = successors(1, size),
        slides = pieces.iter().filter(|kind| **kind != "pawn").map(|kind| slides(kind)).collect::<Vec<_>>().join("\n"),
        kinds = pieces.iter().map(|kind| format!("(kind {kind})")).collect::<Vec<_>>().join(" "),
        king = square("king", king),
        black = square("black", black),
        man = square(&format!("piece {piece}"), man),
    )
    .replace("{size}", &size.to_string()))
}

const PAWN_ATTACKS: &str = "
(<= (attacked ?u ?v)
    (true (piece pawn ?x ?y))
    (beside northeast ?x ?y ?u ?v))
(<= (attacked ?u ?v)
    (true (piece pawn ?x ?y))
    (beside northwest ?x ?y ?u ?v))";

const PAWN_STEP: &str = "\
(<= (step ?x ?v)
    (true (piece pawn ?x ?y))
    (beside north ?x ?y ?x ?v)
    (not (taken ?x ?v)))
(<= (possible white (go ?x ?v))
    (step ?x ?v)
    (distinct ?v {size}))";

const PAWN_TWICE: &str = "
(<= (possible white (go ?x 4))
    (true (piece pawn ?x 2))
    (step ?x 3)
    (not (taken ?x 4)))";

const PROMOTION: &str = "\
(<= (possible white (promote ?k))
    (step ?x {size})
    (promotes ?k))";

const PROMOTED: &str = "
(<= shifts (does white (promote ?k)))
(<= (next (piece ?k ?x {size}))
    (does white (promote ?k))
    (true (piece pawn ?x ?y)))";
