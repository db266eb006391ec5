//! Random play with the moves that led to each position.

use super::board::{Board, Clash};
use base::random::Random;
use game::interpreter::{Interpreter, JointMove, Lanes, State, View};
use game::propositional::Game;
use rustc_hash::FxHashMap;
use solving::solve::{self, Refusal};
use std::collections::BTreeSet;

const LANES: usize = 64;
/// Bound on the moves of each play, including those after a new start.
const STEPS: usize = 200;
/// Bound on the graph nodes that are evaluated in all plays.
const WORK: usize = 10_000_000;
/// This number of moves is made in each play in any case.
const LEAST: usize = 4;
const SEED: u64 = 1;

pub struct Played {
    /// Number of positions, with repetitions.
    pub positions: usize,
    /// The first position that the solver refuses.
    pub refusal: Option<Refusal>,
    /// The first clash on a board: two contents in one square, or a content that is gone.
    pub clash: Option<Clash>,
    /// The first position in which several players have a choice.
    pub joint: Option<Refusal>,
    /// Whether a player has a choice in some position.
    pub chosen: bool,
    /// The joint moves of several players to a state that is not terminal, in which nobody has a choice and that does
    /// not change any more.
    pub stuck: Option<Vec<JointMove>>,
    /// The first state that repeats in a play.
    pub repeat: Option<Refusal>,
    /// Sums of the rewards of all players in terminal positions.
    pub sums: BTreeSet<u32>,
}

#[derive(Clone, Default)]
struct Lane {
    path: Vec<JointMove>,
    met: FxHashMap<State, usize>,
}

struct Look<'a, 'b, 'c> {
    game: &'a Game,
    interpreter: &'a Interpreter,
    boards: &'b mut [Board<'c>],
    played: Played,
}

/// Plays at random from the initial state, again and again. If several plays make a finding at the same time, the one
/// with the shortest path counts.
pub fn play(game: &Game, boards: &mut [Board]) -> Played {
    let interpreter = Interpreter::new(game);
    let mut random = Random::new(SEED);
    let start = interpreter.initial();
    let mut columns = interpreter.lanes(&start);
    let mut lanes = vec![Lane::default(); LANES];
    let mut order: Vec<usize> = (0..LANES).collect();
    let steps = STEPS.min((WORK / (game.graph.len() + LANES * game.fluents.len() + 1)).max(LEAST));
    let played = Played {
        stuck: None,
        positions: 0,
        refusal: None,
        clash: None,
        joint: None,
        chosen: false,
        repeat: None,
        sums: BTreeSet::new(),
    };
    let mut look = Look { game, interpreter: &interpreter, boards, played };
    // The columns before the last moves, and the plays that went on.
    let mut last: Option<(Vec<u64>, u64)> = None;
    for _ in 0..steps {
        order.sort_by_key(|&lane| lanes[lane].path.len());
        let (terminal, forced) = look.at(&mut columns, &mut lanes, &order);
        if let Some((before, going)) = last.take() {
            let path = |lane: usize| lanes[lane].path.clone();
            let moved = |board: &mut Board| board.moved(&before, columns.columns(), going & !terminal, &path);
            look.boards.iter_mut().for_each(moved);
        }
        if look.played.refusal.is_some() && look.boards.is_empty() {
            break;
        }
        let before = columns.columns().to_vec();
        interpreter.step(&mut columns, order.iter().copied(), &start, &mut random);
        look.stuck(&before, forced, &columns, &lanes);
        let mut going = 0;
        for (place, (lane, joint)) in lanes.iter_mut().zip(interpreter.made(&columns)).enumerate() {
            match joint {
                Some(joint) => {
                    lane.path.push(joint);
                    going |= 1 << place;
                }
                None => *lane = Lane::default(),
            }
        }
        last = Some((before, going));
    }
    let Look { boards, played, .. } = look;
    let clash = boards.iter().find_map(Board::found).or_else(|| boards.iter().find_map(|board| board.faded(game)));
    Played { clash, ..played }
}

impl Look<'_, '_, '_> {
    /// Examines the positions of the lanes in `order`, and returns which of them are terminal, and in which of the
    /// others each role has one move. They are extracted from the columns for findings, and until a state has repeated.
    fn at(&mut self, columns: &mut Lanes, lanes: &mut [Lane], order: &[usize]) -> (u64, u64) {
        let view = self.interpreter.look(columns);
        let terminal = view.terminal;
        let choosing = view.choosing.iter().fold(0, |any, choosing| any | choosing);
        let ended = (terminal, view.able.iter().fold(!terminal, |able, role| able & role) & !choosing);
        self.played.positions += lanes.len();
        let of_players = view.choosing[..self.game.players()].iter().fold(0, |any, choosing| any | choosing);
        self.played.chosen |= of_players & !terminal != 0;
        self.sums(columns, &view);
        let joint = self.joint(&view);
        let faults = if self.played.refusal.is_none() { faults(&view) } else { 0 };
        let clashing = self.boards.iter_mut().fold(0, |clashing, board| clashing | board.clashing(columns.columns()));
        if clashing | joint | faults == 0 && self.played.repeat.is_some() {
            return ended;
        }
        let states = columns.states();
        for &lane in order {
            let (state, Lane { path, met }) = (&states[lane], &mut lanes[lane]);
            let is_in = |positions: u64| positions >> lane & 1 == 1;
            if is_in(clashing) {
                self.boards.iter_mut().for_each(|board| board.look(state, path));
            }
            if self.played.repeat.is_none() {
                let now = path.len();
                if let Some(before) = met.insert(state.clone(), now) {
                    let names = self.interpreter.play_names(self.game, path);
                    let (path, cycle) = names.split_at(before);
                    self.played.repeat = Some(solve::repeats(state.names(self.game), path.to_vec(), cycle.to_vec()));
                }
            }
            let told = match is_in(joint) {
                true => &mut self.played.joint,
                false => &mut self.played.refusal,
            };
            if is_in(joint | faults) && told.is_none() {
                let violation = self.interpreter.situation(state).turn().expect_err("the columns show a fault");
                *told = Some(solve::shown(self.game, self.interpreter, &violation, state, path));
            }
        }
        ended
    }

    /// Notes a play that has come to a standstill: `forced` tells where nobody has a choice, and `before` and `after`
    /// are the positions around that move. If there are several, the one after the fewest moves counts.
    fn stuck(&mut self, before: &[u64], forced: u64, after: &Lanes, lanes: &[Lane]) {
        // A single player may come to a dead end, which is no fault of the rules.
        if self.played.stuck.is_some() || forced == 0 || self.game.players() < 2 {
            return;
        }
        let same = before.iter().zip(after.columns()).fold(forced, |same, (before, after)| same & !(before ^ after));
        let stuck = lanes.iter().enumerate().filter(|(lane, _)| same >> lane & 1 == 1);
        self.played.stuck = stuck.map(|(_, lane)| &lane.path).min_by_key(|path| path.len()).cloned();
    }

    /// Notes the sums of rewards of terminal positions in which every role has exactly one reward.
    fn sums(&mut self, columns: &Lanes, view: &View) {
        let ended = view.terminal & view.paid;
        if ended == 0 {
            return;
        }
        let mut sums = [0; LANES];
        let players = self.game.players();
        for (_, reward, positions) in self.interpreter.rewards(columns).filter(|(role, ..)| role.index() < players) {
            let positions = positions & ended;
            let lanes = sums.iter_mut().enumerate().filter(|(lane, _)| positions >> lane & 1 == 1);
            lanes.for_each(|(_, sum)| *sum += u32::from(reward));
        }
        self.played.sums.extend((0..LANES).filter(|lane| ended >> lane & 1 == 1).map(|lane| sums[lane]));
    }

    /// The positions in which several players have a choice; none if such a position was found before.
    fn joint(&self, view: &View) -> u64 {
        if self.played.joint.is_some() {
            return 0;
        }
        let (mut one, mut two) = (0, 0);
        for choosing in &view.choosing[..self.game.players()] {
            two |= one & choosing;
            one |= choosing;
        }
        two & view.able.iter().fold(!view.terminal, |going, able| going & able)
    }
}

/// The positions in which a role has no legal move, or that are terminal and give some role no reward or several.
fn faults(view: &View) -> u64 {
    let able = view.able.iter().fold(u64::MAX, |all, able| all & able);
    view.terminal & !view.paid | !view.terminal & !able
}
