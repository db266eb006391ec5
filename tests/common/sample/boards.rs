//! Board games in which play goes round, as GDL.

use std::fmt::Write;

/// Facts about numbers from 1 on: `succ`, and `on`, which are of the board.
fn numbers(size: u32) -> String {
    let on: String = (1..=size).map(|number| format!("(on {number})\n")).collect();
    (1..size).map(|number| format!("(succ {number} {})\n", number + 1)).chain([on]).collect()
}

/// Dodgem (Colin Vout; Berlekamp, Conway and Guy, "Winning Ways"): red goes to the right and off the board, blue upward; a
/// car may step aside, but not back. Who has no car left wins, and who cannot move.
pub fn dodgem(size: u32) -> String {
    let mut text = numbers(size);
    (2..=size).for_each(|place| {
        let _ = writeln!(text, "(init (car 1 {place} r)) (init (car {place} 1 b))");
    });
    text + &format!(
        "(role red) (role blue) (init (turn red)) (owner red r) (owner blue b) (last {size})
(<= (step r ?x ?y ?x2 ?y) (succ ?x ?x2) (on ?y))
(<= (step b ?x ?y ?x ?y2) (succ ?y ?y2) (on ?x))
(<= (step r ?x ?y ?x ?y2) (succ ?y ?y2) (on ?x))
(<= (step r ?x ?y ?x ?y2) (succ ?y2 ?y) (on ?x))
(<= (step b ?x ?y ?x2 ?y) (succ ?x ?x2) (on ?y))
(<= (step b ?x ?y ?x2 ?y) (succ ?x2 ?x) (on ?y))
(<= (taken ?x ?y) (true (car ?x ?y ?c)))
(<= (can ?p (move ?x ?y ?x2 ?y2)) (owner ?p ?c) (true (car ?x ?y ?c)) (step ?c ?x ?y ?x2 ?y2) (not (taken ?x2 ?y2)))
(<= (can red (exit ?n ?y)) (last ?n) (true (car ?n ?y r)))
(<= (can blue (exit ?x ?n)) (last ?n) (true (car ?x ?n b)))
(<= (legal ?p ?m) (true (turn ?p)) (can ?p ?m))
(<= (legal red noop) (true (turn blue)))
(<= (legal blue noop) (true (turn red)))
(<= (leaves ?x ?y) (does ?p (move ?x ?y ?x2 ?y2)))
(<= (leaves ?x ?y) (does ?p (exit ?x ?y)))
(<= (next (car ?x ?y ?c)) (true (car ?x ?y ?c)) (not (leaves ?x ?y)))
(<= (next (car ?x ?y ?c)) (owner ?p ?c) (does ?p (move ?x1 ?y1 ?x ?y)))
(<= (next (turn red)) (true (turn blue)))
(<= (next (turn blue)) (true (turn red)))
(<= (has ?p) (owner ?p ?c) (true (car ?x ?y ?c)))
(<= (free ?p) (can ?p ?m))
(<= out (role ?p) (not (has ?p)))
(<= (won ?p) (role ?p) (not (has ?p)))
(<= (won ?p) (true (turn ?p)) (not (free ?p)) (not out))
(<= terminal (won ?p))
(<= (goal ?p 100) (won ?p))
(<= (goal ?p 0) (role ?p) (not (won ?p)))\n"
    )
}

/// Hare and Hounds without a bound on moves that lead nowhere: three hounds, which never go back, close the hare in, or it
/// gets past them.
pub fn hare_and_hounds() -> String {
    let columns = [vec!["w"], vec!["a3", "a2", "a1"], vec!["b3", "b2", "b1"], vec!["c3", "c2", "c1"], vec!["e"]];
    let edges = "w-a3 w-a2 w-a1 a3-b3 a2-b2 a1-b1 a3-a2 a2-a1 b3-b2 b2-b1 a3-b2 a1-b2 b2-c3 b2-c1 b3-c3 b2-c2 b1-c1 \
                 c3-c2 c2-c1 c3-e c2-e c1-e";
    let mut text = String::new();
    let column = |place: &str| columns.iter().position(|column| column.contains(&place)).expect("a place");
    for place in columns.iter().flatten() {
        for other in columns.iter().flatten().filter(|other| column(place) < column(other)) {
            let _ = writeln!(text, "(before {place} {other})");
        }
    }
    for (from, to) in edges.split(' ').map(|edge| edge.split_once('-').expect("two places")) {
        let _ = writeln!(text, "(edge {from} {to}) (edge {to} {from})");
    }
    text + "(role hounds) (role hare)
(init (hound w)) (init (hound a3)) (init (hound a1)) (init (hare e)) (init (turn hounds))
(<= (taken ?x) (true (hound ?x)))
(<= (taken ?x) (true (hare ?x)))
(<= (legal hounds (go ?x ?y)) (true (turn hounds)) (true (hound ?x)) (edge ?x ?y) (not (before ?y ?x)) (not (taken ?y)))
(<= (run ?x ?y) (true (hare ?x)) (edge ?x ?y) (not (taken ?y)))
(<= (legal hare (go ?x ?y)) (true (turn hare)) (run ?x ?y))
(<= (legal hounds wait) (true (turn hare)))
(<= (legal hare wait) (true (turn hounds)))
(<= (left ?x) (does ?p (go ?x ?y)))
(<= (next (hound ?x)) (true (hound ?x)) (not (left ?x)))
(<= (next (hare ?x)) (true (hare ?x)) (not (left ?x)))
(<= (next (hound ?y)) (does hounds (go ?x ?y)))
(<= (next (hare ?y)) (does hare (go ?x ?y)))
(<= (next (turn hare)) (true (turn hounds)))
(<= (next (turn hounds)) (true (turn hare)))
(<= ahead (true (hound ?x)) (true (hare ?y)) (before ?x ?y))
(<= free (run ?x ?y))
(<= closed (true (turn hare)) (not free) ahead)
(<= terminal (not ahead))
(<= terminal closed)
(<= (goal hounds 100) closed)
(<= (goal hare 0) closed)
(<= (goal hounds 0) (not ahead))
(<= (goal hare 100) (not ahead))\n"
}

/// Quixo: a cube of the edge that is blank or one's own is taken out, marked, and pushed in at an end of its row or column,
/// which all cubes from there to the gap move along. A line of one's own wins; who makes one of the other loses.
pub fn quixo(size: u32) -> String {
    let mut text = numbers(size);
    let mut lines = Vec::new();
    for at in 1..=size {
        lines.push((1..=size).map(|other| (other, at)).collect::<Vec<_>>());
        lines.push((1..=size).map(|other| (at, other)).collect::<Vec<_>>());
    }
    for (number, line) in lines.iter().enumerate() {
        for back in [false, true] {
            let line: Vec<(u32, u32)> = if back { line.iter().rev().copied().collect() } else { line.clone() };
            let push = 2 * number + usize::from(back);
            for (place, &(x, y)) in line.iter().enumerate() {
                let edge = |at: u32| at == 1 || at == size;
                // From its end on, cubes move one place towards the gap.
                if place > 0 && (edge(x) || edge(y)) {
                    let _ = writeln!(text, "(push {x} {y} p{push})");
                    for &(x1, y1) in &line[..place] {
                        let _ = writeln!(text, "(within {x} {y} p{push} {x1} {y1})");
                    }
                }
                if place > 0 {
                    let (x1, y1) = line[place - 1];
                    let _ = writeln!(text, "(follows p{push} {x1} {y1} {x} {y})");
                }
            }
            let _ = writeln!(text, "(entry p{push} {} {})", line[0].0, line[0].1);
        }
    }
    lines.push((1..=size).map(|at| (at, at)).collect());
    lines.push((1..=size).map(|at| (at, size + 1 - at)).collect());
    for line in &lines {
        let own: String = line.iter().map(|(x, y)| format!(" (true (cube {x} {y} ?p))")).collect();
        let _ = writeln!(text, "(<= (line ?p) (role ?p){own})");
    }
    text + "(role x) (role o) (init (turn x)) (other x o) (other o x)
(<= (marked ?x ?y) (true (cube ?x ?y ?p)))
(<= (mine ?p ?x ?y) (role ?p) (on ?x) (on ?y) (not (marked ?x ?y)))
(<= (mine ?p ?x ?y) (true (cube ?x ?y ?p)))
(<= (legal ?p (take ?x ?y ?d)) (true (turn ?p)) (push ?x ?y ?d) (mine ?p ?x ?y))
(<= (legal x noop) (true (turn o)))
(<= (legal o noop) (true (turn x)))
(<= (moves ?x ?y) (does ?p (take ?a ?b ?d)) (within ?a ?b ?d ?x ?y))
(<= (moves ?x ?y) (does ?p (take ?x ?y ?d)))
(<= (next (cube ?x ?y ?c)) (true (cube ?x ?y ?c)) (not (moves ?x ?y)))
(<= (next (cube ?x2 ?y2 ?c)) (does ?p (take ?a ?b ?d)) (within ?a ?b ?d ?x ?y) (follows ?d ?x ?y ?x2 ?y2)
  (true (cube ?x ?y ?c)))
(<= (next (cube ?x ?y ?p)) (does ?p (take ?a ?b ?d)) (entry ?d ?x ?y))
(<= (next (turn o)) (true (turn x)))
(<= (next (turn x)) (true (turn o)))
(<= over (line ?p))
(<= terminal over)
(<= (wins ?p) (true (turn ?p)) (line ?p))
(<= (wins ?p) (true (turn ?q)) (other ?p ?q) (line ?p) (not (line ?q)))
(<= (goal ?p 100) (wins ?p))
(<= (goal ?p 0) (other ?p ?q) (wins ?q))
(<= (goal ?p 50) (role ?p) (not over))\n"
}

/// White's king and a rook or queen against black's king, on a small board; white moves first.
pub fn chess_ending(size: u32, queen: bool) -> String {
    let name = |x: u32, y: u32| format!("s{x}{y}");
    let squares: Vec<(u32, u32)> = (1..=size).flat_map(|x| (1..=size).map(move |y| (x, y))).collect();
    let mut text = String::new();
    for &(x, y) in &squares {
        for (dx, dy) in (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))).filter(|way| *way != (0, 0)) {
            let mut passed: Vec<String> = Vec::new();
            for far in 1..size as i32 {
                let (x2, y2) = (x as i32 + far * dx, y as i32 + far * dy);
                if !(1..=size as i32).contains(&x2) || !(1..=size as i32).contains(&y2) {
                    break;
                }
                let (from, to) = (name(x, y), name(x2 as u32, y2 as u32));
                if far == 1 {
                    let _ = writeln!(text, "(step {from} {to})");
                }
                if queen || dx == 0 || dy == 0 {
                    let _ = writeln!(text, "(ray {from} {to})");
                    passed.iter().for_each(|over| {
                        let _ = writeln!(text, "(over {from} {to} {over})");
                    });
                }
                passed.push(to);
            }
        }
    }
    let (corner, middle, piece) = (name(size, size), name(1, size - 1), name(1, 1));
    text + &format!("(init (king {middle})) (init (piece {piece})) (init (black {corner}))\n")
        + "(role white) (role blacks) (init (turn white))
(<= (by_king ?t) (true (king ?k)) (step ?k ?t))
(<= (by_black ?t) (true (black ?b)) (step ?b ?t))
(<= (shut ?s ?t) (over ?s ?t ?u) (true (king ?u)))
(<= (barred ?s ?t) (shut ?s ?t))
(<= (barred ?s ?t) (over ?s ?t ?u) (true (black ?u)))
(<= (by_piece ?t) (true (piece ?s)) (ray ?s ?t) (not (shut ?s ?t)))
(<= (legal white (king ?s ?t)) (true (turn white)) (true (king ?s)) (step ?s ?t) (not (true (piece ?t)))
  (not (by_black ?t)))
(<= (legal white (piece ?s ?t)) (true (turn white)) (true (piece ?s)) (ray ?s ?t) (not (barred ?s ?t))
  (not (true (king ?t))) (not (true (black ?t))))
(<= (flight ?s ?t) (true (black ?s)) (step ?s ?t) (not (by_king ?t)) (not (by_piece ?t)))
(<= (legal blacks (go ?s ?t)) (true (turn blacks)) (flight ?s ?t))
(<= (legal white noop) (true (turn blacks)))
(<= (legal blacks noop) (true (turn white)))
(<= (next (king ?t)) (does white (king ?s ?t)))
(<= (next (king ?s)) (true (king ?s)) (not king_moves))
(<= king_moves (does white (king ?s ?t)))
(<= (next (piece ?t)) (does white (piece ?s ?t)))
(<= (next (piece ?s)) (true (piece ?s)) (not piece_moves) (not (taken ?s)))
(<= piece_moves (does white (piece ?s ?t)))
(<= (taken ?t) (does blacks (go ?s ?t)))
(<= (next (black ?t)) (does blacks (go ?s ?t)))
(<= (next (black ?s)) (true (black ?s)) (true (turn white)))
(<= (next (turn blacks)) (true (turn white)))
(<= (next (turn white)) (true (turn blacks)))
(<= flees (flight ?s ?t))
(<= armed (true (piece ?s)))
(<= check (true (black ?b)) (by_piece ?b))
(<= stuck (true (turn blacks)) (not flees))
(<= mate stuck check)
(<= terminal stuck)
(<= terminal (not armed))
(<= (goal white 100) mate)
(<= (goal blacks 0) mate)
(<= (goal white 50) (not mate))
(<= (goal blacks 50) (not mate))\n"
}

/// Rules in GDL of a game of one player who moves tokens one place or two along a track of `places`, until all of them
/// are at its end: `places` to the power of `tokens` states, which lie at several distances. `round`: the
/// track is a ring, so that play can go on for ever.
pub fn track(tokens: usize, places: usize, round: bool) -> String {
    let mut text = String::from(
        "(role p) (<= (legal p (move ?t one)) (true (at ?t ?a)) (after ?a ?b))
         (<= (legal p (move ?t two)) (true (at ?t ?a)) (after ?a ?b) (after ?b ?c))
         (<= (next (at ?t ?b)) (does p (move ?t one)) (true (at ?t ?a)) (after ?a ?b))
         (<= (next (at ?t ?c)) (does p (move ?t two)) (true (at ?t ?a)) (after ?a ?b) (after ?b ?c))
         (<= (next (at ?t ?a)) (true (at ?t ?a)) (does p (move ?u ?n)) (distinct ?t ?u))
         (<= unfinished (true (at ?t ?a)) (after ?a ?b) (distinct ?b 0))
         (<= terminal (not unfinished)) (goal p 100)\n",
    );
    (0..tokens).for_each(|token| text += &format!("(init (at t{token} 0))"));
    (1..places).for_each(|place| text += &format!("(after {} {place})", place - 1));
    if round {
        text += &format!("(after {} 0)", places - 1);
    }
    text
}
