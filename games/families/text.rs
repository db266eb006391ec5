//! Pieces of text that several rulesheets share.

/// Facts side by side, as many as fit a line.
pub fn facts(facts: impl IntoIterator<Item = String>) -> String {
    let mut lines: Vec<String> = Vec::new();
    for fact in facts {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + fact.len() <= 100 => {
                line.push(' ');
                line.push_str(&fact);
            }
            _ => lines.push(fact),
        }
    }
    lines.join("\n")
}

/// A number with what it counts: `1 step`, `5 steps`.
pub fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// `(name 1) … (name n)`.
pub fn numbered(name: &str, count: usize) -> String {
    facts((1..=count).map(|number| format!("({name} {number})")))
}

/// `(succ first first+1) … (succ last-1 last)`.
pub fn successors(first: usize, last: usize) -> String {
    facts((first..last).map(|number| format!("(succ {number} {})", number + 1)))
}

/// `(role player)` of all players, in the order of their turns.
pub fn roles(players: &[&str]) -> String {
    let roles: Vec<String> = players.iter().map(|player| format!("(role {player})")).collect();
    roles.join("\n")
}

/// `(relation player next)`: who comes after whom in turn.
pub fn around(relation: &str, players: &[&str]) -> String {
    let next = players.iter().cycle().skip(1);
    let pairs: Vec<String> = players.iter().zip(next).map(|(one, next)| format!("({relation} {one} {next})")).collect();
    pairs.join("\n")
}

/// The rules by which control goes around: of two players one for each, of more by `after`.
pub fn turns(players: &[&str]) -> String {
    match players {
        [one, other] => format!(
            "(<= (next (control {one})) (true (control {other})))\n(<= (next (control {other})) (true (control {one})))"
        ),
        _ => "(<= (next (control ?q))\n    (true (control ?p))\n    (after ?p ?q))".to_owned(),
    }
}

/// The end of a game that who has `(won player)` wins, and everybody else loses.
pub const WINS: &str = "\
(<= terminal (won ?p))

(<= (goal ?p 100) (won ?p))
(<= (goal ?p 0)
    (role ?p)
    (not (won ?p)))";

/// Rules of `(line content)`: `length` cells of one content, which `guard` binds, in a row, a column or one of the
/// two diagonals, as far as they fit a board of `columns` × `rows`.
pub fn lines(columns: usize, rows: usize, length: usize, content: &str, guard: &str) -> String {
    let (wide, high) = (columns >= length, rows >= length);
    let along: Vec<usize> = (1..=length).collect();
    let back: Vec<usize> = (1..=length).rev().collect();
    let mut rules = Vec::new();
    if wide {
        rules.push((Some(&along), None));
    }
    if high {
        rules.push((None, Some(&along)));
    }
    if wide && high {
        rules.push((Some(&along), Some(&along)));
        rules.push((Some(&along), Some(&back)));
    }
    let rules: Vec<String> = rules.into_iter().map(|(c, r)| line(length, c, r, content, guard)).collect();
    rules.join("\n\n")
}

/// One rule of `(line content)`; the i-th cell stands in column `?c<columns[i]>` and row `?r<rows[i]>`, or all stand
/// in the same.
fn line(length: usize, columns: Option<&Vec<usize>>, rows: Option<&Vec<usize>>, content: &str, guard: &str) -> String {
    let mut text = format!("(<= (line {content})\n    {guard}");
    for (base, places) in [("?c", columns), ("?r", rows)] {
        if places.is_some() {
            let steps = (1..length).map(|i| format!("(succ {base}{i} {base}{})", i + 1));
            text.push_str(&format!("\n    {}", facts(steps)));
        }
    }
    let name = |base: &str, places: Option<&Vec<usize>>, i: usize| match places {
        Some(places) => format!("{base}{}", places[i]),
        None => base.to_owned(),
    };
    for i in 0..length {
        text.push_str(&format!("\n    (true (cell {} {} {content}))", name("?c", columns, i), name("?r", rows, i)));
    }
    text + ")"
}

/// Rules of the eight ways across a board of squares `(number ?x)` by `(number ?y)`: `(beside way x y u v)`, one step;
/// `(far way x y u v)`, any number of them; and `(between x y a b u v)`, that the square in the middle lies between.
pub const WAYS: &str = "\
(<= (up ?a ?b) (number ?a) (number ?b) (succ ?a ?b))
(<= (beside east ?x ?y ?u ?y) (up ?x ?u) (number ?y))
(<= (beside west ?u ?y ?x ?y) (up ?x ?u) (number ?y))
(<= (beside north ?x ?y ?x ?v) (number ?x) (up ?y ?v))
(<= (beside south ?x ?v ?x ?y) (number ?x) (up ?y ?v))
(<= (beside northeast ?x ?y ?u ?v) (up ?x ?u) (up ?y ?v))
(<= (beside southwest ?u ?v ?x ?y) (up ?x ?u) (up ?y ?v))
(<= (beside northwest ?u ?y ?x ?v) (up ?x ?u) (up ?y ?v))
(<= (beside southeast ?x ?v ?u ?y) (up ?x ?u) (up ?y ?v))

(<= (far ?d ?x ?y ?u ?v) (beside ?d ?x ?y ?u ?v))
(<= (far ?d ?x ?y ?u ?v) (far ?d ?x ?y ?a ?b) (beside ?d ?a ?b ?u ?v))
(<= (between ?x ?y ?a ?b ?u ?v) (slides ?k ?d) (far ?d ?x ?y ?a ?b) (far ?d ?a ?b ?u ?v))";

/// `(slides piece way)`: the ways that a piece goes along.
pub fn slides(piece: &str) -> String {
    let straight = ["east", "west", "north", "south"];
    let slant = ["northeast", "northwest", "southeast", "southwest"];
    let ways = match piece {
        "rook" => straight.to_vec(),
        "bishop" => slant.to_vec(),
        "queen" => [straight, slant].concat(),
        _ => Vec::new(),
    };
    facts(ways.into_iter().map(|way| format!("(slides {piece} {way})")))
}
