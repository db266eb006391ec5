//! Families of games whose rulesheets are written by size; the files of `games/` are exactly what they print.

mod awari;
mod bids;
mod breakthrough;
mod chess_ending;
mod chomp;
mod clobber;
mod connect4;
mod cubicup;
mod dice;
mod dobutsu;
mod dodgem;
mod fox;
mod hare;
mod hex;
mod morris;
mod nim;
mod peg;
mod quixo;
mod simultaneous;
mod teeko;
mod text;
mod tic_tac_chec;
mod tictactoe;

use bids::Order;
use clobber::Rewards;

/// What the generator takes.
pub const USAGE: &str = "\
Families and their sizes:

  tictactoe COLUMNS ROWS LENGTH         three (or LENGTH) in a line
  connect4 COLUMNS ROWS                 four in a line, discs fall
  clobber ROWS COLUMNS zero-sum|N       N: the winner gets N for each of its
                                        tokens left, at most 100
  peg english|european|small|ROWSxCOLUMNS
                                        one player, the centre is empty
  nim HEAP...                           take any number from one heap, the last
                                        one wins
  take MATCHES MOST                     one heap, take 1 to MOST
  chomp ROWS COLUMNS                    the corner is poisoned
  cubicup EDGE                          cubes piled up in a corner
  hex SIZE                              connect two sides
  quixo SIZE                            push cubes in for a line
  awari STONES [ROUNDS]                 sow and capture; after ROUNDS without a
                                        capture the stones left are divided
  morris three|six|nine [flying]        men in a line; six and nine: mills take
  teeko SIZE                            four men in a line or a square
  breakthrough COLUMNS ROWS             pawns that get to the last row
  dodgem SIZE                           cars leave the board
  hare-and-hounds COLUMNS               columns between the ends, an odd number
  fox-and-geese cross|ROWSxCOLUMNS GEESE
                                        the fox jumps, geese close it in
  chess-ending queen|rook|pawn SIZE     king and piece against king
  dobutsu ROWS PIECE...                 Dobutsu shogi on three columns; pieces
                                        beside the lion: elephant giraffe chick
  tic-tac-chec SIZE PIECE...            a line of chess pieces; as many as rows:
                                        rook bishop knight pawn
  tictactoe3 COLUMNS ROWS LENGTH        three players
  clobber3 ROWS COLUMNS                 three players, the last one to move gets
                                        100, the one before 50
  nim3 last|ranked HEAP...              three players, the last one gets 100;
                                        ranked: the one before 50
  goofspiel CARDS rising|falling|random win|points
                                        bid cards for prizes, at the same time;
                                        points: their difference is the reward
  oshi-zumo COINS SIZE LEAST [OTHER]    bid coins to push, SIZE places to each
                                        side; OTHER: coins of the second player
  tictactoe-simultaneous COLUMNS ROWS LENGTH
                                        both mark at the same time
  duel STEPS BULLETS BULLETS            shoot or wait, at the same time
  pig GOAL SIDES [MOVES]                roll or hold, at most MOVES or for ever
  race LENGTH                           choose one of two dice
  shipped FOLDER                        write the generated files of games/ into
                                        FOLDER";

/// The files of `games/`, each with the arguments that print it.
pub const SHIPPED: [(&str, &str); 61] = [
    ("tictactoe.gdl", "tictactoe 3 3 3"),
    ("peg.gdl", "peg english"),
    ("clobber.gdl", "clobber 4 5 10"),
    ("clobber_1x6.gdl", "clobber 1 6 zero-sum"),
    ("clobber_3x4.gdl", "clobber 3 4 20"),
    ("chomp_8x7.gdl", "chomp 8 7"),
    ("chomp_10x10.gdl", "chomp 10 10"),
    ("chomp_12x12.gdl", "chomp 12 12"),
    ("nim4.gdl", "nim 12 12 20 20"),
    ("nim40.gdl", "take 40 3"),
    ("cubicup_5.gdl", "cubicup 5"),
    ("connect4_4x4.gdl", "connect4 4 4"),
    ("connect4_4x5.gdl", "connect4 4 5"),
    ("connect4_5x4.gdl", "connect4 5 4"),
    ("connect4_5x5.gdl", "connect4 5 5"),
    ("connect4_5x6.gdl", "connect4 5 6"),
    ("connect4_6x4.gdl", "connect4 6 4"),
    ("connect4_6x5.gdl", "connect4 6 5"),
    ("connect4_6x6.gdl", "connect4 6 6"),
    ("connect4_7x4.gdl", "connect4 7 4"),
    ("connect4_7x5.gdl", "connect4 7 5"),
    ("connect4_7x6.gdl", "connect4 7 6"),
    ("tictactoe3.gdl", "tictactoe3 3 3 3"),
    ("tictactoe3_4x3.gdl", "tictactoe3 4 3 3"),
    ("clobber3_3x3.gdl", "clobber3 3 3"),
    ("clobber3_3x4.gdl", "clobber3 3 4"),
    ("nim3.gdl", "nim3 last 3 4 5"),
    ("nim3_ranked.gdl", "nim3 ranked 7 7 7"),
    ("quixo_3.gdl", "quixo 3"),
    ("quixo_4.gdl", "quixo 4"),
    ("awari_9.gdl", "awari 9"),
    ("awari_5_7.gdl", "awari 5 7"),
    ("morris_three.gdl", "morris three"),
    ("morris_six.gdl", "morris six"),
    ("teeko.gdl", "teeko 5"),
    ("teeko_4.gdl", "teeko 4"),
    ("breakthrough_4x4.gdl", "breakthrough 4 4"),
    ("breakthrough_4x5.gdl", "breakthrough 4 5"),
    ("breakthrough_4x6.gdl", "breakthrough 4 6"),
    ("dodgem_3.gdl", "dodgem 3"),
    ("dodgem_4.gdl", "dodgem 4"),
    ("hare_and_hounds.gdl", "hare-and-hounds 3"),
    ("fox_and_geese_4x4.gdl", "fox-and-geese 4x4 9"),
    ("chess_rook_8.gdl", "chess-ending rook 8"),
    ("chess_queen_8.gdl", "chess-ending queen 8"),
    ("chess_pawn_8.gdl", "chess-ending pawn 8"),
    ("dobutsu.gdl", "dobutsu 4 elephant giraffe chick"),
    ("dobutsu_chick.gdl", "dobutsu 4 chick"),
    ("tic_tac_chec.gdl", "tic-tac-chec 4 rook bishop knight pawn"),
    ("tic_tac_chec_3.gdl", "tic-tac-chec 3 rook bishop knight"),
    ("goofspiel_4.gdl", "goofspiel 4 rising win"),
    ("goofspiel_5.gdl", "goofspiel 5 falling points"),
    ("goofspiel_4_random.gdl", "goofspiel 4 random win"),
    ("oshizumo_6.gdl", "oshi-zumo 6 2 1"),
    ("oshizumo_10_9.gdl", "oshi-zumo 10 2 1 9"),
    ("tictactoe_simultaneous.gdl", "tictactoe-simultaneous 3 3 3"),
    ("duel_5.gdl", "duel 5 1 1"),
    ("duel_6.gdl", "duel 6 2 1"),
    ("pig_8.gdl", "pig 8 4 20"),
    ("pig_20.gdl", "pig 20 6"),
    ("race_20.gdl", "race 20"),
];

/// The text of a shipped file by its arguments, separated by blanks.
pub fn shipped(arguments: &str) -> Result<String, String> {
    let arguments: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
    generate(&arguments)
}

/// The rulesheet that the arguments ask for, or what is wrong with them.
pub fn generate(arguments: &[String]) -> Result<String, String> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (name, sizes) = words.split_first().ok_or("no game given")?;
    match (*name, sizes) {
        ("tictactoe", [columns, rows, length]) => {
            tictactoe::rules(size(columns)?, size(rows)?, size(length)?, &["xplayer", "oplayer"])
        }
        ("tictactoe3", [columns, rows, length]) => {
            tictactoe::rules(size(columns)?, size(rows)?, size(length)?, &["xplayer", "yplayer", "zplayer"])
        }
        ("connect4", [columns, rows]) => Ok(connect4::rules(size(columns)?, size(rows)?)),
        ("clobber", [rows, columns, reward]) => {
            let number =
                || size(reward).map_err(|_| format!("{reward} is neither zero-sum nor a number from 1 to 100"));
            let rewards = if *reward == "zero-sum" { Rewards::ZeroSum } else { Rewards::PerToken(number()?) };
            Ok(clobber::rules(size(rows)?, size(columns)?, rewards))
        }
        ("clobber3", [rows, columns]) => Ok(clobber::rules(size(rows)?, size(columns)?, Rewards::Three)),
        ("peg", [board]) => peg::rules(board),
        ("nim", heaps @ [_, ..]) => Ok(nim::rules(&sizes_of(heaps)?, nim::Rewards::Two)),
        ("nim3", ["last", heaps @ ..]) if !heaps.is_empty() => Ok(nim::rules(&sizes_of(heaps)?, nim::Rewards::Last)),
        ("nim3", ["ranked", heaps @ ..]) if !heaps.is_empty() => {
            Ok(nim::rules(&sizes_of(heaps)?, nim::Rewards::Ranked))
        }
        ("nim3", [_, _, ..]) => Err("nim3 takes last or ranked before its heaps".to_owned()),
        ("take", [matches, most]) => Ok(nim::take(size(matches)?, size(most)?)),
        ("chomp", [rows, columns]) => Ok(chomp::rules(size(rows)?, size(columns)?)),
        ("cubicup", [edge]) => Ok(cubicup::rules(size(edge)?)),
        ("hex", [length]) => Ok(hex::rules(size(length)?)),
        ("awari", [stones]) => awari::rules(size(stones)?, None),
        ("awari", [stones, rounds]) => awari::rules(size(stones)?, Some(size(rounds)?)),
        ("quixo", [length]) => quixo::rules(size(length)?),
        ("morris", [men]) => morris::rules(men, false),
        ("morris", [men, "flying"]) => morris::rules(men, true),
        ("teeko", [length]) => teeko::rules(size(length)?),
        ("breakthrough", [columns, rows]) => breakthrough::rules(size(columns)?, size(rows)?),
        ("dodgem", [length]) => dodgem::rules(size(length)?),
        ("hare-and-hounds", [columns]) => hare::rules(size(columns)?),
        ("fox-and-geese", [board, geese]) => fox::rules(board, size(geese)?),
        ("chess-ending", [piece, length]) => chess_ending::rules(piece, size(length)?),
        ("tic-tac-chec", [length, pieces @ ..]) => tic_tac_chec::rules(size(length)?, pieces),
        ("dobutsu", [rows, pieces @ ..]) => dobutsu::rules(size(rows)?, pieces),
        ("goofspiel", [cards, order, scoring]) => {
            let order = match *order {
                "rising" => Order::Rising,
                "falling" => Order::Falling,
                "random" => Order::Random,
                other => return Err(format!("{other} is no order of prizes: rising, falling or random")),
            };
            match *scoring {
                "win" => bids::goofspiel(size(cards)?, order, false),
                "points" => bids::goofspiel(size(cards)?, order, true),
                other => Err(format!("{other} is neither win nor points")),
            }
        }
        ("oshi-zumo", [coins, places, least]) => bids::oshi_zumo([size(coins)?; 2], size(places)?, size(least)?),
        ("oshi-zumo", [coins, places, least, other]) => {
            bids::oshi_zumo([size(coins)?, size(other)?], size(places)?, size(least)?)
        }
        ("tictactoe-simultaneous", [columns, rows, length]) => {
            simultaneous::rules(size(columns)?, size(rows)?, size(length)?)
        }
        ("duel", [steps, own, other]) => Ok(dice::duel(size(steps)?, [size(own)?, size(other)?])),
        ("pig", [goal, sides]) => dice::pig(size(goal)?, size(sides)?, None),
        ("pig", [goal, sides, moves]) => dice::pig(size(goal)?, size(sides)?, Some(size(moves)?)),
        ("race", [length]) => Ok(dice::race(size(length)?)),
        _ => Err(unusable(name)),
    }
}

/// Why there is no rulesheet: other sizes than the family takes, or no family of this name.
fn unusable(name: &str) -> String {
    let uses = || USAGE.lines().filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    let name_of = |usage: &'static str| usage.split(' ').next().unwrap_or(usage);
    if let Some(usage) = uses().find(|usage| name_of(usage) == name) {
        let sizes = usage.split("  ").next().unwrap_or(usage);
        return format!("these are no sizes of {name}; it takes: ggsolve generate {sizes}");
    }
    let near = |other: &&str| strsim::damerau_levenshtein(other, name) <= other.len() / 3;
    let meant = uses().map(name_of).find(near).map_or(String::new(), |other| format!("; did you mean {other}?"));
    format!("unknown game {name}{meant}")
}

fn sizes_of(words: &[&str]) -> Result<Vec<usize>, String> {
    words.iter().map(|word| size(word)).collect()
}

fn size(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..=100) => Ok(number),
        _ => Err(format!("{text} is not a size from 1 to 100")),
    }
}
