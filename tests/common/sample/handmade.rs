//! Propositional games built by hand, so that whatever works on them can be tested without a front end.

use game::propositional::{FluentId, Game, GroundTerm, Move, MoveId, NodeId, RoleId};

/// A term from a name and its arguments, none of which has arguments itself.
pub fn term(name: &str, arguments: &[&str]) -> GroundTerm {
    let argument = |name: &&str| GroundTerm { name: (*name).to_owned(), arguments: Vec::new() };
    GroundTerm { name: name.to_owned(), arguments: arguments.iter().map(argument).collect() }
}

fn add_fluent(game: &mut Game, term: GroundTerm, init: bool) -> NodeId {
    game.fluents.push(term);
    game.init.push(init);
    game.next.push(NodeId::FALSE);
    game.graph.fluent(FluentId(game.fluents.len() as u32 - 1))
}

/// Moves have to be added by ascending role.
fn add_move(game: &mut Game, role: u32, term: GroundTerm, legal: NodeId) -> NodeId {
    game.moves.push(Move { role: RoleId(role), term, legal, cost: 1 });
    game.graph.action(MoveId(game.moves.len() as u32 - 1))
}

/// Two players take 1 to `most` of `heap` matches in turn; who takes the last one wins. Fluents: `(matches n)` for
/// every n and `(control r)`. `2 * heap` states at most, layers overlapping where `most` is more than 1.
pub fn nim(heap: usize, most: usize) -> Game {
    let mut game = Game { name: "nim".to_owned(), ..Game::default() };
    game.roles = vec![term("first", &[]), term("second", &[])];
    let matches: Vec<NodeId> =
        (0..=heap).map(|count| add_fluent(&mut game, term("matches", &[&count.to_string()]), count == heap)).collect();
    let control: Vec<NodeId> =
        ["first", "second"].map(|role| add_fluent(&mut game, term("control", &[role]), role == "first")).to_vec();
    let mut taken = vec![Vec::new(); most + 1];
    for role in 0..2 {
        for (count, taken) in taken.iter_mut().enumerate().skip(1) {
            let legal = game.graph.or(matches.iter().skip(count).copied().collect::<Vec<_>>());
            let legal = game.graph.and([legal, control[role]]);
            taken.push(add_move(&mut game, role as u32, term("take", &[&count.to_string()]), legal));
        }
        let legal = control[1 - role];
        add_move(&mut game, role as u32, term("noop", &[]), legal);
    }
    let taken: Vec<NodeId> = taken.into_iter().map(|moves| game.graph.or(moves)).collect();
    for left in 0..=heap {
        let ways: Vec<NodeId> =
            (1..=most.min(heap - left)).map(|count| game.graph.and([matches[left + count], taken[count]])).collect();
        game.next[left] = game.graph.or(ways);
    }
    (game.next[heap + 1], game.next[heap + 2]) = (control[1], control[0]);
    game.terminal = matches[0];
    game.goals = (0..2).map(|role| vec![(0, control[role]), (100, control[1 - role])]).collect();
    game
}

/// Two players mark a cell of a `columns`×`rows` board in turn; who has `line` in a row first wins. Fluents:
/// `(cell x y v)` with v of x, o, b, and `(control r)`. Tic-tac-toe is `lines(3, 3, 3)`.
pub fn lines(columns: usize, rows: usize, line: usize) -> Game {
    let mut game = Game { name: "lines".to_owned(), ..Game::default() };
    game.roles = vec![term("x", &[]), term("o", &[])];
    let mut cells = Vec::new();
    for x in 1..=columns {
        for y in 1..=rows {
            cells.push(["x", "o", "b"].map(|value| {
                add_fluent(&mut game, term("cell", &[&x.to_string(), &y.to_string(), value]), value == "b")
            }));
        }
    }
    let control = ["x", "o"].map(|role| add_fluent(&mut game, term("control", &[role]), role == "x"));
    let mut marks = Vec::new();
    for role in 0..2 {
        for (index, cell) in cells.iter().enumerate() {
            let legal = game.graph.and([cell[2], control[role]]);
            let (x, y) = ((index / rows + 1).to_string(), (index % rows + 1).to_string());
            marks.push(add_move(&mut game, role as u32, term("mark", &[&x, &y]), legal));
        }
        add_move(&mut game, role as u32, term("noop", &[]), control[1 - role]);
    }
    for (index, cell) in cells.iter().enumerate() {
        let marked = [marks[index], marks[cells.len() + index]];
        for player in 0..2 {
            game.next[3 * index + player] = game.graph.or([cell[player], marked[player]]);
        }
        let touched = game.graph.or(marked);
        let untouched = game.graph.not(touched);
        game.next[3 * index + 2] = game.graph.and([cell[2], untouched]);
    }
    let first_control = 3 * cells.len();
    (game.next[first_control], game.next[first_control + 1]) = (control[1], control[0]);

    let won = [0, 1].map(|player| {
        let mut ways = Vec::new();
        for (x, y) in (0..columns as isize).flat_map(|x| (0..rows as isize).map(move |y| (x, y))) {
            for (dx, dy) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                let places: Vec<(isize, isize)> = (0..line as isize).map(|k| (x + k * dx, y + k * dy)).collect();
                let inside =
                    |&(x, y): &(isize, isize)| (0..columns as isize).contains(&x) && (0..rows as isize).contains(&y);
                if places.iter().all(inside) {
                    let node = |&(x, y): &(isize, isize)| cells[x as usize * rows + y as usize][player];
                    ways.push(game.graph.and(places.iter().map(node).collect::<Vec<_>>()));
                }
            }
        }
        game.graph.or(ways)
    });
    let open = game.graph.or(cells.iter().map(|cell| cell[2]).collect::<Vec<_>>());
    let full = game.graph.not(open);
    game.terminal = game.graph.or([won[0], won[1], full]);
    let either = game.graph.or(won);
    let draw = game.graph.not(either);
    game.goals = (0..2).map(|player| vec![(0, won[1 - player]), (50, draw), (100, won[player])]).collect();
    game
}

/// One player steps a counter up by one or two until `limit` is passed or it waits for ever at `limit` if
/// `cyclic`; the reward is 100 if the counter stands at `limit`. The `flag` fluent holds once a step of two was made.
pub fn counter(limit: usize, cyclic: bool) -> Game {
    let mut game = Game { name: "counter".to_owned(), ..Game::default() };
    game.roles = vec![term("robot", &[])];
    let steps: Vec<NodeId> =
        (0..=limit + 1).map(|count| add_fluent(&mut game, term("step", &[&count.to_string()]), count == 0)).collect();
    let flag = add_fluent(&mut game, term("flag", &[]), false);
    let moves = ["one", "two"].map(|name| add_move(&mut game, 0, term(name, &[]), NodeId::TRUE));
    for count in 1..=limit + 1 {
        let mut ways = vec![game.graph.and([steps[count - 1], moves[0]])];
        if count > 1 {
            ways.push(game.graph.and([steps[count - 2], moves[1]]));
        }
        game.next[count] = game.graph.or(ways);
    }
    if cyclic {
        let ways = [steps[limit], steps[limit - 1]];
        let arrived = game.graph.and([steps[limit - 1], moves[1]]);
        let kept = game.graph.or([steps[limit], arrived]);
        let stepped = game.graph.and([ways[1], moves[0]]);
        game.next[limit + 1] = NodeId::FALSE;
        game.next[limit] = game.graph.or([kept, stepped]);
    }
    game.next[limit + 2] = game.graph.or([flag, moves[1]]);
    game.terminal = if cyclic { NodeId::FALSE } else { game.graph.or([steps[limit], steps[limit + 1]]) };
    let missed = game.graph.not(steps[limit]);
    game.goals = vec![vec![(0, missed), (100, steps[limit])]];
    game
}
