//! Random play with the moves that led to each position.

use super::board::{Board, Clash};
use base::random::Random;
use game::interpreter::{Interpreter, JointMove, Situation, State, Turn, Violation};
use game::propositional::Game;
use rustc_hash::FxHashMap;
use solving::solve::{self, Refusal};
use std::collections::BTreeSet;

/// Plays side by side.
const LANES: usize = 64;
/// Number of moves of each play, including those after it started again.
const STEPS: usize = 200;
/// Bound on the graph nodes evaluated, except that at least `LEAST` moves of each play are made.
const WORK: usize = 10_000_000;
const LEAST: usize = 4;
const SEED: u64 = 1;

/// What random play found.
pub struct Played {
    /// Positions looked at, with repetitions.
    pub positions: usize,
    /// The first position that the solver refuses.
    pub refusal: Option<Refusal>,
    /// The first place of a board with two contents.
    pub clash: Option<Clash>,
    /// The first position in which several players have a choice.
    pub joint: Option<Refusal>,
    /// The first position that play came back to. Nobody but those who have to know looks for one.
    pub repeat: Option<Refusal>,
    /// What the rewards of all players sum up to where play ends.
    pub sums: BTreeSet<u32>,
}

struct Lane {
    state: State,
    path: Vec<JointMove>,
    /// The states of this play, each with the number of moves before it.
    met: FxHashMap<State, usize>,
}

/// Number of players that have a choice.
fn choosing(game: &Game, situation: &Situation) -> usize {
    situation.legal[..game.players()].iter().filter(|moves| moves.len() > 1).count()
}

/// Plays at random from the initial state, again and again; of positions at the same time those with the shortest
/// path are told.
pub fn play(game: &Game, boards: &mut [Board]) -> Played {
    let interpreter = Interpreter::new(game);
    let mut random = Random::new(SEED);
    let start = || Lane { state: State::from_flags(&game.init), path: Vec::new(), met: FxHashMap::default() };
    let mut lanes: Vec<Lane> = (0..LANES).map(|_| start()).collect();
    let steps = STEPS.min((WORK / (game.graph.len() + LANES * game.fluents.len() + 1)).max(LEAST));
    let mut played =
        Played { positions: 0, refusal: None, clash: None, joint: None, repeat: None, sums: BTreeSet::new() };
    for _ in 0..steps {
        lanes.sort_by_key(|lane| lane.path.len());
        let mut situations: Vec<Situation> = Vec::with_capacity(LANES);
        interpreter.situations(&lanes.iter().map(|lane| &lane.state).collect::<Vec<_>>(), &mut situations);
        played.positions += lanes.len();
        for (lane, situation) in lanes.iter_mut().zip(&situations) {
            if played.clash.is_none() {
                let mut path = || interpreter.play_names(game, &lane.path);
                played.clash = boards.iter_mut().find_map(|board| board.look(&lane.state, &mut path));
            }
            // Games in turns may go round.
            if (game.has_chance || played.joint.is_some()) && played.repeat.is_none() {
                let now = lane.path.len();
                if let Some(before) = lane.met.insert(lane.state.clone(), now) {
                    let names = interpreter.play_names(game, &lane.path);
                    let (path, cycle) = names.split_at(before);
                    played.repeat = Some(solve::repeats(lane.state.names(game), path.to_vec(), cycle.to_vec()));
                }
            }
            match situation.turn() {
                Err(violation @ Violation::Simultaneous(..)) => {
                    if played.joint.is_none() && choosing(game, situation) > 1 {
                        played.joint = Some(solve::shown(game, &interpreter, &violation, &lane.state, &lane.path));
                    }
                }
                Ok(Turn::Terminal) => {
                    let rewards = situation.goals[..game.players()].iter().flatten();
                    played.sums.insert(rewards.map(|&reward| u32::from(reward)).sum());
                }
                Ok(_) => {}
                Err(_) if played.refusal.is_some() => {}
                Err(violation) => {
                    played.refusal = Some(solve::shown(game, &interpreter, &violation, &lane.state, &lane.path))
                }
            }
        }
        if played.refusal.is_some() && (played.clash.is_some() || boards.is_empty()) {
            return played;
        }
        let joints: Vec<_> = situations.iter().map(|situation| situation.random_joint_move(&mut random)).collect();
        let going = lanes.iter().zip(&joints).filter_map(|(lane, joint)| Some((&lane.state, joint.as_deref()?)));
        let mut successors = Vec::with_capacity(LANES);
        interpreter.successors(&going.collect::<Vec<_>>(), &mut successors);
        let mut successors = successors.into_iter();
        for (lane, joint) in lanes.iter_mut().zip(joints) {
            match joint {
                Some(joint) => {
                    lane.state = successors.next().expect("each joint move has a successor");
                    lane.path.push(joint);
                }
                None => *lane = start(),
            }
        }
    }
    played
}
