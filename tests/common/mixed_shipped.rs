//! The shipped games with chance or choices at the same time: what is compared of games in turns is not asked of them, and
//! `tests/games/exact.rs` compares all of them with other code.

pub const MIXED: [&str; 14] = [
    "duel_5.gdl",
    "duel_6.gdl",
    "goofspiel_4.gdl",
    "goofspiel_4_random.gdl",
    "goofspiel_5.gdl",
    "hide_and_seek.gdl",
    "matching_pennies.gdl",
    "oshizumo_10_9.gdl",
    "oshizumo_6.gdl",
    "pig_20.gdl",
    "pig_8.gdl",
    "race_20.gdl",
    "rock_paper_scissors.gdl",
    "tictactoe_simultaneous.gdl",
];
