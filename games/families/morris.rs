//! Men's Morris on boards of one, two or three squares, flying or not.

use super::text::facts;

/// A board: its points, the steps between them (each once), and the lines that are mills.
struct Board {
    points: usize,
    steps: Vec<[usize; 2]>,
    mills: Vec<[usize; 3]>,
    men: usize,
}

/// Points of a ring around the centre, clockwise: corners are the even ones.
const RING: usize = 8;

impl Board {
    /// The nine points of one square with its centre, the last one.
    fn three() -> Board {
        let mut board = Board::rings(1, 3);
        let centre = RING;
        board.points += 1;
        for point in 0..RING {
            board.steps.push([point, centre]);
        }
        for point in 0..RING / 2 {
            board.mills.push([point, centre, point + RING / 2]);
        }
        board
    }

    /// Squares inside each other, with steps between the middles of their sides.
    fn rings(rings: usize, men: usize) -> Board {
        let (mut steps, mut mills) = (Vec::new(), Vec::new());
        for first in (0..rings).map(|ring| RING * ring) {
            for k in 0..RING {
                steps.push([first + k, first + (k + 1) % RING]);
            }
            for corner in (0..RING).step_by(2) {
                mills.push([first + corner, first + corner + 1, first + (corner + 2) % RING]);
            }
        }
        for middle in (1..RING).step_by(2) {
            for ring in 1..rings {
                steps.push([RING * (ring - 1) + middle, RING * ring + middle]);
            }
            if rings == 3 {
                mills.push([middle, RING + middle, 2 * RING + middle]);
            }
        }
        Board { points: RING * rings, steps, mills, men }
    }
}

/// `men`: three, six or nine.
pub fn rules(men: &str, flying: bool) -> Result<String, String> {
    let board = match men {
        "three" => Board::three(),
        "six" => Board::rings(2, 6),
        "nine" => Board::rings(3, 9),
        _ => return Err(format!("{men} is not one of three, six and nine")),
    };
    if flying && men == "three" {
        return Err("with three men there is nothing to capture, so that nobody flies later".to_owned());
    }
    Ok(if men == "three" { three(&board) } else { capturing(&board, men, flying) })
}

fn point(number: usize) -> String {
    format!("p{}", number + 1)
}

/// The facts about a board.
fn facts_of(board: &Board) -> String {
    let points = facts((0..board.points).map(|number| format!("(point {})", point(number))));
    let steps = facts(board.steps.iter().map(|&[a, b]| format!("(step {} {})", point(a), point(b))));
    let mills = facts(board.mills.iter().map(|&[a, b, c]| format!("(mill {} {} {})", point(a), point(b), point(c))));
    let counts = facts((1..=board.men).map(|number| format!("(succ {} {number})", number - 1)));
    format!(
        "\
{points}

{steps}

{mills}

{counts}

(<= (beside ?a ?b) (step ?a ?b))
(<= (beside ?a ?b) (step ?b ?a))"
    )
}

/// What all boards have in common but for the end.
const STATE: &str = "\
(<= (base (at ?a none)) (point ?a))
(<= (base (at ?a ?p)) (point ?a) (role ?p))
(<= (base (hand ?p 0)) (role ?p))
(<= (base (hand ?p ?n)) (role ?p) (succ ?m ?n))
(<= (base (control ?p)) (role ?p))

(<= (init (at ?a none)) (point ?a))
(init (control white))";

const MOVES: &str = "\
(<= (input ?p (place ?a)) (role ?p) (point ?a))
(<= (input ?p noop) (role ?p))

(<= (placing ?p)
    (true (hand ?p ?n))
    (succ ?m ?n))

(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

(<= (next (hand ?p ?m))
    (does ?p (place ?a))
    (true (hand ?p ?n))
    (succ ?m ?n))
(<= (next (hand ?p ?n))
    (true (hand ?p ?n))
    (not (places ?p)))

(<= (places ?p) (does ?p (place ?a)))";

fn three(board: &Board) -> String {
    format!(
        "\
;;; Three Men's Morris on nine points: the corners and the middles of the sides of a square, and its centre.
;;; The players in turn place three men each, and then move one along a line to the next point. Three own men in a line,
;;; a diagonal among them, win; who cannot move loses.
;;; Written by: ggsolve generate morris three

(role white)
(role black)

(other white black)
(other black white)

;; The points, clockwise from a corner, and the centre; the steps between them, the lines that win, and numbers of men.

{facts}

;; A state: who has a man on each point (none: nobody), men in hand, and who is to move.

{STATE}
(<= (init (hand ?p {men})) (role ?p))

;; Moves.

(<= (input ?p (move ?a ?b)) (role ?p) (beside ?a ?b))
{MOVES}

(<= (legal ?p (place ?a))
    (true (control ?p))
    (placing ?p)
    (true (at ?a none)))
(<= (legal ?p (move ?a ?b))
    (true (control ?p))
    (not (placing ?p))
    (true (at ?a ?p))
    (beside ?a ?b)
    (true (at ?b none)))

(<= (next (at ?a ?p)) (does ?p (place ?a)))
(<= (next (at ?b ?p)) (does ?p (move ?a ?b)))
(<= (next (at ?a none)) (does ?p (move ?a ?b)))
(<= (next (at ?a ?x))
    (true (at ?a ?x))
    (not (changed ?a)))

(<= (changed ?a) (does ?p (place ?a)))
(<= (changed ?a) (does ?p (move ?a ?b)))
(<= (changed ?b) (does ?p (move ?a ?b)))

(<= (next (control ?q))
    (true (control ?p))
    (other ?p ?q))

;; The end.

(<= (won ?p)
    (role ?p)
    (mill ?a ?b ?c)
    (true (at ?a ?p))
    (true (at ?b ?p))
    (true (at ?c ?p)))
(<= lined (won ?p))

(<= (mobile ?p) (placing ?p))
(<= (mobile ?p)
    (true (at ?a ?p))
    (beside ?a ?b)
    (true (at ?b none)))
(<= (won ?q)
    (true (control ?p))
    (other ?p ?q)
    (not (mobile ?p)))

(<= terminal lined)

(<= (goal ?p 100) (won ?p))
(<= (goal ?p 0)
    (role ?p)
    (not (won ?p)))
",
        facts = facts_of(board),
        men = board.men,
    )
}

fn capturing(board: &Board, men: &str, flying: bool) -> String {
    let (option, flight, input) = if flying {
        (
            " flying",
            " Who has only\n;;; three men left moves to any point.",
            "(<= (input ?p (move ?a ?b)) (role ?p) (point ?a) (point ?b) (distinct ?a ?b))",
        )
    } else {
        ("", "", "(<= (input ?p (move ?a ?b)) (role ?p) (beside ?a ?b))")
    };
    let flight_rule = if flying {
        "
(<= (way ?p ?a ?b)
    (true (men ?p 3))
    (point ?a)
    (point ?b)
    (distinct ?a ?b))"
    } else {
        ""
    };
    format!(
        "\
;;; {name} Men's Morris on {points} points: the corners and the middles of the sides of squares inside each other.
;;; The players in turn place {count} men each, and then move one along a line to the next point.{flight}
;;; Who makes a line of three own men, a mill, takes a man of the opponent, one that is in no mill as long as there is any.
;;; Who has fewer than three men, in hand and on the board together, or cannot move, loses.
;;; Written by: ggsolve generate morris {men}{option}

(role white)
(role black)

(other white black)
(other black white)

;; The points of each square, clockwise from a corner; the steps between them, the mills, and numbers of men.

{facts}

;; A state: who has a man on each point (none: nobody), men in hand, men in hand and on the board, who is to move, and
;; whether it is to take a man.

{STATE}
(<= (base (men ?p 0)) (role ?p))
(<= (base (men ?p ?n)) (role ?p) (succ ?m ?n))
(base taking)
(<= (init (hand ?p {count})) (role ?p))
(<= (init (men ?p {count})) (role ?p))

;; Moves.

{input}
(<= (input ?p (take ?a)) (role ?p) (point ?a))
{MOVES}

(<= (way ?p ?a ?b) (role ?p) (beside ?a ?b)){flight_rule}

(<= (legal ?p (place ?a))
    (true (control ?p))
    (not (true taking))
    (placing ?p)
    (true (at ?a none)))
(<= (legal ?p (move ?a ?b))
    (true (control ?p))
    (not (true taking))
    (not (placing ?p))
    (true (at ?a ?p))
    (way ?p ?a ?b)
    (true (at ?b none)))
(<= (legal ?p (take ?a))
    (true (control ?p))
    (true taking)
    (other ?p ?q)
    (true (at ?a ?q))
    (not (milled ?a)))
(<= (legal ?p (take ?a))
    (true (control ?p))
    (true taking)
    (other ?p ?q)
    (true (at ?a ?q))
    (not (loose ?q)))

(<= (line ?a ?b ?c) (mill ?a ?b ?c))
(<= (line ?a ?b ?c) (mill ?b ?a ?c))
(<= (line ?a ?b ?c) (mill ?b ?c ?a))

(<= (milled ?a)
    (line ?a ?b ?c)
    (role ?p)
    (true (at ?a ?p))
    (true (at ?b ?p))
    (true (at ?c ?p)))
(<= (loose ?p)
    (role ?p)
    (true (at ?a ?p))
    (not (milled ?a)))

(<= (next (at ?a ?p)) (does ?p (place ?a)))
(<= (next (at ?b ?p)) (does ?p (move ?a ?b)))
(<= (next (at ?a none)) (does ?p (move ?a ?b)))
(<= (next (at ?a none)) (does ?p (take ?a)))
(<= (next (at ?a ?x))
    (true (at ?a ?x))
    (not (changed ?a)))

(<= (changed ?a) (does ?p (place ?a)))
(<= (changed ?a) (does ?p (move ?a ?b)))
(<= (changed ?b) (does ?p (move ?a ?b)))
(<= (changed ?a) (does ?p (take ?a)))

(<= (next (men ?q ?m))
    (does ?p (take ?a))
    (other ?p ?q)
    (true (men ?q ?n))
    (succ ?m ?n))
(<= (next (men ?q ?n))
    (true (men ?q ?n))
    (not (loses ?q)))

(<= (loses ?q)
    (does ?p (take ?a))
    (other ?p ?q))

;; A line that a man comes to.

(<= closes
    (does ?p (place ?a))
    (line ?a ?b ?c)
    (true (at ?b ?p))
    (true (at ?c ?p)))
(<= closes
    (does ?p (move ?d ?a))
    (line ?a ?b ?c)
    (distinct ?d ?b)
    (distinct ?d ?c)
    (true (at ?b ?p))
    (true (at ?c ?p)))

(<= (next taking) closes)
(<= (next (control ?p))
    (true (control ?p))
    closes)
(<= (next (control ?q))
    (true (control ?p))
    (other ?p ?q)
    (not closes))

;; The end.

(<= (mobile ?p) (true (control ?p)) (true taking))
(<= (mobile ?p) (placing ?p))
(<= (mobile ?p)
    (true (at ?a ?p))
    (way ?p ?a ?b)
    (true (at ?b none)))

(<= (lost ?p) (true (men ?p 2)))
(<= (lost ?p)
    (true (control ?p))
    (not (mobile ?p)))

(<= terminal (lost ?p))

(<= (goal ?p 0) (lost ?p))
(<= (goal ?q 100)
    (lost ?p)
    (other ?p ?q))
(<= (goal ?p 50)
    (role ?p)
    (not over))

(<= over (lost ?p))
",
        name = if men == "six" { "Six" } else { "Nine" },
        points = board.points,
        count = board.men,
        facts = facts_of(board),
    )
}
