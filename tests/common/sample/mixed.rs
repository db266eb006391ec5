//! Random games with chance and choices at the same time, as GDL text: one to three players, up to some hundred states.
//!
//! Play ends as each ply raises a level by one or two, so that layers may overlap. All roles may choose in the same state.
//! What players get in the end depends on two flags; of two players it sums up to 100 in most games.

use base::random::Random;
use std::fmt::Write;

const REWARDS: [usize; 7] = [0, 10, 25, 30, 50, 75, 100];

/// The rules of the game of a seed, the same for ever.
pub fn random_mixed_game(seed: u64) -> String {
    let mut random = Random::new(seed);
    let players = 1 + random.below(3);
    let mut roles: Vec<String> = (0..players).map(|player| format!("r{player}")).collect();
    if players == 1 || random.chance(60) {
        roles.insert(random.below(players + 1), "random".to_owned());
    }
    let (flags, limit) = (3 + random.below(2), 2 + random.below(3));
    let mut text = String::new();
    roles.iter().for_each(|role| line(&mut text, &format!("(role {role})")));
    let moves: Vec<usize> = roles.iter().map(|_| 1 + random.below(3)).collect();
    line(&mut text, "(init (level 0))");
    for level in 0..limit {
        line(&mut text, &format!("(one {level} {}) (two {level} {})", level + 1, (level + 2).min(limit)));
    }
    let state = |random: &mut Random| {
        let atom = format!("(true (flag {}))", random.below(flags));
        if random.chance(40) { format!("(not {atom})") } else { atom }
    };
    for (role, &moves) in roles.iter().zip(&moves) {
        line(&mut text, &format!("(legal {role} m0)"));
        for action in 1..moves {
            let body = if random.chance(50) { String::new() } else { state(&mut random) };
            line(&mut text, &format!("(<= (legal {role} m{action}) (true (level ?l)) {body})"));
        }
    }
    let done = |random: &mut Random| {
        let role = random.below(roles.len());
        let atom = format!("(does {} m{})", roles[role], random.below(moves[role]));
        if random.chance(30) { format!("(not {atom})") } else { atom }
    };
    line(&mut text, &format!("(<= jump {} {})", done(&mut random), state(&mut random)));
    line(&mut text, "(<= (next (level ?m)) (true (level ?l)) (one ?l ?m) (not jump))");
    line(&mut text, "(<= (next (level ?m)) (true (level ?l)) (two ?l ?m) jump)");
    for flag in 0..flags {
        if random.chance(40) {
            line(&mut text, &format!("(init (flag {flag}))"));
        }
        for _ in 0..1 + random.below(3) {
            let mut body = done(&mut random);
            for _ in 0..random.below(3) {
                let more = if random.chance(50) { done(&mut random) } else { state(&mut random) };
                let _ = write!(body, " {more}");
            }
            line(&mut text, &format!("(<= (next (flag {flag})) {body})"));
        }
    }
    line(&mut text, &format!("(<= terminal (true (level {limit})))"));
    if random.chance(50) {
        let body = format!("{} {}", state(&mut random), state(&mut random));
        line(&mut text, &format!("(<= terminal (not (true (level 0))) {body})"));
    }
    let constant = players == 2 && random.chance(70);
    for case in ["(true (flag 0)) (true (flag 1))", "(true (flag 0)) (not (true (flag 1)))", "(not (true (flag 0)))"] {
        let mut first = 0;
        for player in 0..players {
            let mut reward = REWARDS[random.below(REWARDS.len())];
            if player == 0 {
                first = reward;
            } else if constant {
                reward = 100 - first;
            }
            line(&mut text, &format!("(<= (goal r{player} {reward}) {case})"));
        }
    }
    text
}

fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}
