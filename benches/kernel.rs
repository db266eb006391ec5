//! The kernel by itself, fed by hand with Connect Four, Peg or Clobber: forward layers, then backward values.
//!
//! `cargo bench --bench kernel -- [--threads N] [--forward] [--tally] [--details] connect4 6 5 | peg | clobber 5 4` prints states, values of
//! the first state, and per kind of sweep requests, nanoseconds a request and nodes; user seconds; peak memory.

use base::limits::{LimitReached, Limits};
use kernel::{
    Automaton, Context, Diagram, IDENTITY, KINDS, Level, NONE, Outcome, Payoff, PayoffInfo, Preferences, RelationId,
    Relations, Terminal, classify, image, preimage, tally,
};
use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

type Literal = (u32, bool);
type Cube = Vec<Literal>;

/// What a bench game consists of. Movers alternate, except in Peg.
struct Game {
    levels: u32,
    start: Vec<bool>,
    relations: Relations,
    /// The roots of all moves, by mover.
    moves: [Vec<RelationId>; 2],
    one_player: bool,
    values: u32,
    terminal: Terminals,
}

enum Terminals {
    /// Four in a row: cubes with their values; a full board is worth the value given.
    Parts(Parts, usize, u32),
    /// No move: worth what the number of tokens says.
    Count(Box<dyn Fn(usize) -> Count>),
}

fn relation(store: &mut Relations, guard: &[Literal], effect: &[Literal]) -> RelationId {
    let mut levels: Vec<u32> = guard.iter().chain(effect).map(|literal| literal.0).collect();
    levels.sort_unstable();
    levels.dedup();
    let of =
        |cube: &[Literal], level| cube.iter().find(|literal| literal.0 == level).map(|literal| usize::from(literal.1));
    let mut root = IDENTITY;
    for &level in levels.iter().rev() {
        let mut t = [NONE; 4];
        for x in (0..2).filter(|&x| of(guard, level).is_none_or(|value| value == x)) {
            t[2 * x + of(effect, level).unwrap_or(x)] = root;
        }
        root = store.make(Level::new(level), t);
    }
    root
}

fn union_of(store: &mut Relations, mut roots: Vec<RelationId>) -> Vec<RelationId> {
    while roots.len() > 1 {
        roots = roots.chunks(2).map(|two| two.iter().fold(NONE, |a, &b| store.union(a, b))).collect();
    }
    roots
}

/// Cubes still possible, each with the number of its literals read.
type Progress = Vec<(u16, u16)>;

/// Cubes read side by side: a state is the set of cubes still possible, made when first met.
struct Parts {
    cubes: Vec<(Cube, u32)>,
    next: Vec<OnceLock<Box<[State]>>>,
    known: Mutex<(HashMap<Progress, u32>, Vec<Progress>)>,
}

#[derive(Default)]
struct State {
    next: [AtomicU32; 2],
    level: AtomicU32,
    /// Value of a complete cube, plus one.
    value: AtomicU32,
}

const BLOCK: usize = 1 << 12;

impl Parts {
    fn new(cubes: Vec<(Cube, u32)>) -> (Parts, u32) {
        let next = (0..1 << 12).map(|_| OnceLock::new()).collect();
        let parts = Parts { cubes, next, known: Mutex::default() };
        let all = (0..parts.cubes.len() as u16).map(|cube| (cube, 0)).collect();
        parts.state(0);
        parts.intern(vec![], 0);
        let root = parts.intern(all, 0);
        (parts, root)
    }

    fn state(&self, id: u32) -> &State {
        let block = self.next[id as usize / BLOCK].get_or_init(|| (0..BLOCK).map(|_| State::default()).collect());
        &block[id as usize % BLOCK]
    }

    fn intern(&self, set: Vec<(u16, u16)>, value: u32) -> u32 {
        let mut known = self.known.lock().unwrap();
        let key = if value > 0 { vec![(u16::MAX, value as u16)] } else { set };
        if let Some(&id) = known.0.get(&key) {
            return id;
        }
        let id = known.1.len() as u32;
        let literal = |&(cube, place): &(u16, u16)| self.cubes[cube as usize].0[place as usize].0;
        let level = if value > 0 { None } else { key.iter().map(literal).min() };
        let state = self.state(id);
        state.level.store(level.unwrap_or(u32::MAX), Ordering::Release);
        state.value.store(value, Ordering::Release);
        known.1.push(key.clone());
        known.0.insert(key, id);
        id
    }

    fn follow(&self, id: u32, bit: bool) -> u32 {
        let level = self.level(id);
        let set = self.known.lock().unwrap().1[id as usize].clone();
        let (mut after, mut value) = (vec![], 0);
        for (cube, place) in set {
            let (literals, pays) = &self.cubes[cube as usize];
            if Level::new(literals[place as usize].0) != level {
                after.push((cube, place));
            } else if literals[place as usize].1 == bit {
                if place as usize + 1 == literals.len() {
                    value = pays + 1;
                } else {
                    after.push((cube, place + 1));
                }
            }
        }
        self.intern(after, value)
    }
}

impl Parts {
    #[inline]
    fn level(&self, state: u32) -> Level {
        Level::new(self.state(state).level.load(Ordering::Acquire))
    }

    #[inline]
    fn next(&self, state: u32, bit: bool) -> u32 {
        let place = &self.state(state).next[usize::from(bit)];
        match NonZeroU32::new(place.load(Ordering::Acquire)) {
            Some(next) => next.get() - 1,
            None => {
                let next = self.follow(state, bit);
                place.store(next + 1, Ordering::Release);
                next
            }
        }
    }

    #[inline]
    fn value(&self, state: u32) -> u32 {
        self.state(state).value.load(Ordering::Acquire)
    }
}

/// The states in which no part holds.
struct Alive<'a>(&'a Parts);

impl Automaton for Alive<'_> {
    fn level(&self, state: u32) -> Level {
        self.0.level(state)
    }
    fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached> {
        Ok(self.0.next(state, bit))
    }
    fn outcome(&self, state: u32) -> Outcome {
        match (self.0.value(state), self.0.level(state)) {
            (0, Level::NONE) => Outcome::Decided(1),
            (0, _) => Outcome::Undecided,
            _ => Outcome::Decided(0),
        }
    }
}

/// What the parts pay.
struct Pays<'a> {
    parts: &'a Parts,
    mover: u8,
    otherwise: Terminal,
}

impl Payoff for Pays<'_> {
    fn level(&self, state: u32) -> Level {
        self.parts.level(state)
    }
    fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached> {
        Ok(self.parts.next(state, bit))
    }
    fn info(&self, state: u32) -> PayoffInfo {
        let terminal = match (self.parts.value(state), self.parts.level(state)) {
            (0, Level::NONE) => self.otherwise,
            (0, _) => Terminal::Unknown,
            (value, _) => Terminal::Value(value - 1),
        };
        PayoffInfo { mover: Some(self.mover), terminal }
    }
}

/// Counts along the levels up to `cap`, each level with its weight for true; state `level * (cap + 1) + count`.
struct Count {
    weights: Vec<u32>,
    cap: u32,
    values: Vec<u32>,
    mover: u8,
}

impl Payoff for Count {
    fn level(&self, state: u32) -> Level {
        let level = state / (self.cap + 1);
        if level as usize == self.weights.len() || state % (self.cap + 1) == self.cap {
            Level::NONE
        } else {
            Level::new(level)
        }
    }
    fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached> {
        let (level, count) = (state / (self.cap + 1), state % (self.cap + 1));
        let count = (count + if bit { self.weights[level as usize] } else { 0 }).min(self.cap);
        // One state for all that have reached the cap.
        Ok(if count == self.cap { count } else { (level + 1) * (self.cap + 1) + count })
    }
    fn info(&self, state: u32) -> PayoffInfo {
        let terminal = match self.level(state) {
            Level::NONE => Terminal::Value(self.values[(state % (self.cap + 1)) as usize]),
            _ => Terminal::Unknown,
        };
        PayoffInfo { mover: Some(self.mover), terminal }
    }
}

/// Level 0: whose turn; then two levels a cell, column by column from below. Blank has no variable.
fn connect_four(columns: u32, rows: u32) -> Game {
    let cell = |column: u32, row: u32| 1 + 2 * (column * rows + row);
    let is = |column, row, owner| match owner {
        2 => vec![(cell(column, row), false), (cell(column, row) + 1, false)],
        owner => vec![(cell(column, row) + owner, true)],
    };
    let mut relations = Relations::new();
    let mut all = vec![];
    for player in 0..2 {
        for column in 0..columns {
            for row in 0..rows {
                for below in 0..2 {
                    let mut guard = vec![(0, player == 1)];
                    guard.extend(is(column, row, 2));
                    if row > 0 {
                        guard.extend(is(column, row - 1, below));
                    }
                    let effect = [(0, player == 0), (cell(column, row) + player, true)];
                    all.push(relation(&mut relations, &guard, &effect));
                }
            }
        }
    }
    let roots = union_of(&mut relations, all);
    let mut cubes = vec![];
    for player in 0..2 {
        for (dc, dr) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
            for column in 0..columns as i32 {
                for row in 0..rows as i32 {
                    let (last_column, last_row) = (column + 3 * dc, row + 3 * dr);
                    if last_column < columns as i32 && (0..rows as i32).contains(&last_row) {
                        // Only who has just moved can have won.
                        let mut cube: Cube = (0..4)
                            .map(|i| (cell((column + i * dc) as u32, (row + i * dr) as u32) + player, true))
                            .chain([(0, player == 0)])
                            .collect();
                        cube.sort_unstable();
                        cubes.push((cube, if player == 0 { 3 } else { 1 }));
                    }
                }
            }
        }
    }
    let (parts, root) = Parts::new(cubes);
    Game {
        levels: 1 + 2 * columns * rows,
        start: vec![false; 1 + 2 * (columns * rows) as usize],
        relations,
        moves: [roots.clone(), roots],
        one_player: false,
        values: 3,
        terminal: Terminals::Parts(parts, (columns * rows) as usize, root),
    }
}

fn peg() -> Game {
    let cells: Vec<(i32, i32)> = (0..49)
        .map(|k| (k / 7, k % 7))
        .filter(|&(row, column)| (2..5).contains(&row) || (2..5).contains(&column))
        .collect();
    let at = |row, column| cells.iter().position(|&cell| cell == (row, column)).map(|k| k as u32);
    let mut relations = Relations::new();
    let mut all = vec![];
    for (k, &(row, column)) in cells.iter().enumerate() {
        for (dr, dc) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
            if let (Some(over), Some(to)) = (at(row + dr, column + dc), at(row + 2 * dr, column + 2 * dc)) {
                let from = k as u32;
                let (guard, effect) =
                    ([(from, true), (over, true), (to, false)], [(from, false), (over, false), (to, true)]);
                all.push(relation(&mut relations, &guard, &effect));
            }
        }
    }
    let roots = union_of(&mut relations, all);
    let centre = at(3, 3).unwrap() as usize;
    // The centre counts one, the others two: one is the centre alone, two a single peg elsewhere.
    let weights: Vec<u32> = (0..33).map(|k| if k == centre { 1 } else { 2 }).collect();
    let value = |count: u32| match count {
        0 => 1,
        1 => 12,
        2 => 11,
        _ => 12u32.saturating_sub(count.div_ceil(2)).max(1),
    };
    let values: Vec<u32> = (0..=21).map(value).collect();
    let terminal = move |_| Count { weights: weights.clone(), cap: 21, values: values.clone(), mover: 0 };
    Game {
        levels: 33,
        start: (0..33).map(|k| k != centre).collect(),
        relations,
        moves: [roots.clone(), roots],
        one_player: true,
        values: 12,
        terminal: Terminals::Count(Box::new(terminal)),
    }
}

/// Values: 15 + k where white wins with k tokens left, 16 - k where black does.
fn clobber(columns: u32, rows: u32) -> Game {
    let cells: Vec<(u32, u32)> = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))).collect();
    let n = cells.len() as u32;
    let mut relations = Relations::new();
    let mut moves = [vec![], vec![]];
    for (from, a) in cells.iter().enumerate() {
        for (to, b) in cells.iter().enumerate() {
            if a.0.abs_diff(b.0) + a.1.abs_diff(b.1) == 1 {
                for player in 0..2 {
                    let (from, to) = (2 * from as u32, 2 * to as u32);
                    let guard = [(from + player, true), (to + 1 - player, true)];
                    let effect = [(from + player, false), (to + 1 - player, false), (to + player, true)];
                    moves[player as usize].push(relation(&mut relations, &guard, &effect));
                }
            }
        }
    }
    let start = cells.iter().flat_map(|&(row, column)| [(row + column) % 2 == 0, (row + column) % 2 == 1]).collect();
    let moves = moves.map(|roots| union_of(&mut relations, roots));
    let terminal = move |layer: usize| {
        let (mover, winner) = ((layer % 2) as u8, 1 - layer as u32 % 2);
        let values = (0..=n / 2 + 1).map(|k| if winner == 0 { 15 + k.min(n / 2) } else { 16 - k.min(n / 2) }).collect();
        Count {
            weights: (0..2 * n).map(|level| u32::from(level % 2 == winner)).collect(),
            cap: n / 2 + 1,
            values,
            mover,
        }
    };
    Game {
        levels: 2 * n,
        start,
        relations,
        moves,
        one_player: false,
        values: 30,
        terminal: Terminals::Count(Box::new(terminal)),
    }
}

fn user_seconds() -> f64 {
    // SAFETY: fills a plain structure of numbers.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    usage.ru_utime.tv_sec as f64 + usage.ru_utime.tv_usec as f64 * 1e-6
}

fn run(game: &Game, forward_only: bool, tallies: bool, details: bool, context: &Context) -> Result<(), LimitReached> {
    let (begin, user) = (Instant::now(), user_seconds());
    let (relations, roots) = game.relations.compact(&game.moves.concat());
    let roots = [&roots[..game.moves[0].len()], &roots[game.moves[0].len()..]];
    let (mut layers, mut states, mut nodes, mut largest) = (vec![], num_bigint::BigUint::ZERO, 0, 0);
    let mut layer = Diagram::single(game.levels, &game.start);
    while !layer.is_empty() {
        states += layer.count(context)?;
        nodes += layer.node_count();
        largest = largest.max(layer.node_count());
        let number = layers.len();
        let time = Instant::now();
        let next = match &game.terminal {
            Terminals::Parts(parts, _, root) => {
                let open = classify(&layer, &Alive(parts), *root, context)?;
                image(&open, &relations, roots[number % 2], context)?
            }
            Terminals::Count(_) => image(&layer, &relations, roots[number % 2], context)?,
        };
        if details {
            println!(
                "layer {number} nodes {} -> {} {:.3} s",
                layer.node_count(),
                next.node_count(),
                time.elapsed().as_secs_f64()
            );
        }
        layers.push(if forward_only { Diagram::constant(game.levels, 0) } else { layer });
        layer = next;
    }
    println!(
        "forward: layers {} states {states} nodes {nodes} largest {largest} | {:.2} s user, {:.2} s wall, peak {} MB",
        layers.len(),
        user_seconds() - user,
        begin.elapsed().as_secs_f64(),
        context.limits().peak() >> 20
    );
    if !forward_only {
        let (begin, user) = (Instant::now(), user_seconds());
        let up: Vec<u32> = (0..=game.values).collect();
        let down = up.iter().map(|rank| game.values + 1 - rank).collect();
        let preferences = Preferences::new(vec![up, down]);
        let mut value = Diagram::constant(game.levels, 0);
        let (mut nodes, mut largest) = (0, 0);
        let mut first = vec![];
        while let Some(layer) = layers.pop() {
            let number = layers.len();
            let moves = roots[number % 2];
            let time = Instant::now();
            value = match &game.terminal {
                Terminals::Parts(parts, full, root) => {
                    let otherwise = if number == *full { Terminal::Value(2) } else { Terminal::No };
                    let pays = Pays { parts, mover: (number % 2) as u8, otherwise };
                    preimage(&layer, (&value).into(), &relations, moves, &pays, *root, false, &preferences, context)?
                }
                Terminals::Count(count) => {
                    let mut pays = count(number);
                    if game.one_player {
                        pays.mover = 0;
                    }
                    preimage(&layer, (&value).into(), &relations, moves, &pays, 0, true, &preferences, context)?
                }
            };
            nodes += value.node_count();
            largest = largest.max(value.node_count());
            if details {
                println!(
                    "layer {number} nodes {} values {} {:.3} s",
                    layer.node_count(),
                    value.node_count(),
                    time.elapsed().as_secs_f64()
                );
            }
            if tallies || number == 0 {
                first = tally(&layer, &value, context)?;
            }
        }
        println!(
            "backward: first state {first:?} nodes {nodes} largest {largest} | {:.2} s user, {:.2} s wall, peak {} MB",
            user_seconds() - user,
            begin.elapsed().as_secs_f64(),
            context.limits().peak() >> 20
        );
    }
    for kind in KINDS {
        let s = context.statistics(kind);
        if s.requests > 0 {
            let each = |nanoseconds: u64| nanoseconds as f64 / s.requests as f64;
            println!(
                "  {kind:?}: {} sweeps, {:.2} M requests, {:.2} words each, {:.2} M nodes, {:.0} + {:.0} ns a request",
                s.sweeps,
                s.requests as f64 / 1e6,
                s.key_words as f64 / s.requests as f64,
                s.nodes as f64 / 1e6,
                each(s.down),
                each(s.up)
            );
        }
    }
    Ok(())
}

fn main() {
    let (mut threads, mut forward_only, mut tallies, mut details, mut words) = (1, false, false, false, vec![]);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--threads" => threads = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1),
            "--forward" => forward_only = true,
            "--tally" => tallies = true,
            "--details" => details = true,
            "--bench" => {}
            _ => words.push(argument),
        }
    }
    if words.is_empty() {
        words = ["connect4", "4", "4"].map(String::from).to_vec();
    }
    let number = |k: usize| words.get(k).and_then(|word| word.parse().ok()).unwrap_or(4);
    let game = match words[0].as_str() {
        "peg" => peg(),
        "clobber" => clobber(number(1), number(2)),
        _ => connect_four(number(1), number(2)),
    };
    let context = Context::new(Arc::new(Limits::unlimited()), threads);
    if let Err(limit) = run(&game, forward_only, tallies, details, &context) {
        println!("{limit}");
    }
}
