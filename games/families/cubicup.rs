//! Cubi Cup on a corner of any edge length.

use super::text::{facts, successors};

/// `edge`: cubes along an edge; edge · (edge + 1) · (edge + 2) / 6 places in all.
pub fn rules(edge: usize) -> String {
    let mut places = Vec::new();
    for z in 1..=edge {
        for y in z..=edge {
            places.extend((y..=edge).map(|x| (x, y, z)));
        }
    }
    let count = places.len();
    let (first, second) = (count.div_ceil(2), count / 2);
    format!(
        "\
;;; Cubi Cup with an edge of {edge} cubes, {count} in all.
;;; Cubes are piled up in a corner, which has room for {edge_places} in the lowest layer, for a single one in the highest. The
;;; players place cubes of their colour in turn. A cube above the lowest layer rests on three others, side by side. Three
;;; of one colour below a free place are a cubi cup: the opponent must fill it, and then is to move again. Yellow has
;;; {first} cubes, red {second}; while one has none left, the other one moves on, and a cubi cup is then filled from
;;; a common heap. Who places the topmost cube wins, but when it fills a cubi cup of the opponent, the game is a draw.
;;; Written by: ggsolve generate cubicup {edge}

(role yellow)
(role red)

(opponent yellow red)
(opponent red yellow)

{numbers}

;; (place ?x ?y ?z): 1 <= ?z <= ?y <= ?x <= {edge}, ?z being the layer. Places of layer 0 stand for the ground.

{layers}

(<= (rests ?x ?y ?z ?u ?v ?w)
    (place ?x ?y ?z)
    (succ ?u ?x) (succ ?v ?y) (succ ?w ?z))

;; A state: the cubes in place, the cubi cups that are open (one can tell them from the cubes, but the moves are simpler
;; with them), the number of cubes that either player has left, and who is to move.

(<= (base (cube ?x ?y ?z ?p)) (place ?x ?y ?z) (role ?p))
(<= (base (cup ?x ?y ?z ?p)) (rests ?x ?y ?z ?u ?v ?w) (place ?u ?v ?w) (role ?p))
(<= (base (left ?p ?n)) (stock ?p ?m) (upto ?n ?m))
(<= (base (control ?p)) (role ?p))

(stock yellow {first})
(stock red {second})

(upto {first} {first}) (upto {second} {second})
(<= (upto ?l ?n) (upto ?m ?n) (succ ?l ?m))

(<= (init (left ?p ?n)) (stock ?p ?n))
(init (control yellow))

(<= (filled ?x ?y ?z)
    (true (cube ?x ?y ?z ?p)))

;; (ready ?x ?y ?z): the place is free, and what a cube rests on there is in place.

(<= (ready ?x ?y 1)
    (place ?x ?y 1)
    (not (filled ?x ?y 1)))
(<= (ready ?x ?y ?z)
    (rests ?x ?y ?z ?u ?v ?w)
    (filled ?u ?v ?w)
    (filled ?x ?v ?w)
    (filled ?x ?y ?w)
    (not (filled ?x ?y ?z)))

;; Moves: an open cubi cup of the opponent comes first. (Its place is free; saying so shows that no place holds two cubes.)

(<= (cup_of ?p)
    (true (cup ?x ?y ?z ?p)))

(<= (input ?p (put ?x ?y ?z)) (role ?p) (place ?x ?y ?z))
(<= (input ?p noop) (role ?p))

(<= (legal ?p (put ?x ?y ?z))
    (true (control ?p))
    (opponent ?p ?q)
    (true (cup ?x ?y ?z ?q))
    (not (filled ?x ?y ?z)))
(<= (legal ?p (put ?x ?y ?z))
    (true (control ?p))
    (opponent ?p ?q)
    (not (cup_of ?q))
    (ready ?x ?y ?z))
(<= (legal ?p noop)
    (role ?p)
    (not (true (control ?p))))

(<= (next (cube ?x ?y ?z ?p))
    (does ?p (put ?x ?y ?z)))
(<= (next (cube ?x ?y ?z ?p))
    (true (cube ?x ?y ?z ?p)))

(<= (put_at ?x ?y ?z)
    (does ?p (put ?x ?y ?z)))

(<= (next (cup ?x ?y ?z ?p))
    (does ?p (put ?u ?v ?w))
    (rests ?x ?y ?z ?u ?v ?w)
    (true (cube ?x ?v ?w ?p))
    (true (cube ?x ?y ?w ?p)))
(<= (next (cup ?x ?y ?z ?p))
    (does ?p (put ?x ?v ?w))
    (rests ?x ?y ?z ?u ?v ?w)
    (true (cube ?u ?v ?w ?p))
    (true (cube ?x ?y ?w ?p)))
(<= (next (cup ?x ?y ?z ?p))
    (does ?p (put ?x ?y ?w))
    (rests ?x ?y ?z ?u ?v ?w)
    (true (cube ?u ?v ?w ?p))
    (true (cube ?x ?v ?w ?p)))
(<= (next (cup ?x ?y ?z ?p))
    (true (cup ?x ?y ?z ?p))
    (not (put_at ?x ?y ?z)))

(<= (next (left ?p ?m))
    (true (control ?p))
    (true (left ?p ?n))
    (succ ?m ?n))
(<= (next (left ?p 0))
    (true (left ?p 0)))
(<= (next (left ?p ?n))
    (true (left ?p ?n))
    (not (true (control ?p))))

(<= (moves_on ?p)
    (opponent ?p ?q)
    (cup_of ?q))
(<= (moves_on ?p)
    (opponent ?p ?q)
    (true (left ?q 0)))

(<= (next (control ?p))
    (true (control ?p))
    (moves_on ?p))
(<= (next (control ?q))
    (true (control ?p))
    (opponent ?p ?q)
    (not (moves_on ?p)))

;; The end: the topmost cube is in place.

(<= terminal
    (filled {edge} {edge} {edge}))

(<= drawn
    (opponent ?p ?q)
    (true (cube {edge} {edge} {edge} ?p))
    (rests {edge} {edge} {edge} ?u ?v ?w)
    (true (cube ?u ?v ?w ?q))
    (true (cube {edge} ?v ?w ?q))
    (true (cube {edge} {edge} ?w ?q)))

(<= (goal ?p 50)
    (role ?p)
    drawn)
(<= (goal ?p 100)
    (true (cube {edge} {edge} {edge} ?p))
    (not drawn))
(<= (goal ?p 0)
    (opponent ?p ?q)
    (true (cube {edge} {edge} {edge} ?q))
    (not drawn))
",
        edge_places = edge * (edge + 1) / 2,
        numbers = successors(0, first.max(edge)),
        layers = layers(edge, &places),
    )
}

/// The places, a layer to a paragraph.
fn layers(edge: usize, places: &[(usize, usize, usize)]) -> String {
    let layer =
        |z: usize| facts(places.iter().filter(|place| place.2 == z).map(|(x, y, z)| format!("(place {x} {y} {z})")));
    (1..=edge).map(layer).collect::<Vec<_>>().join("\n")
}
