//! A match against a solution, line by line.

use crate::play::{Choice, Hint, Stand, Standing, Told};
use num_traits::Zero;
use solving::exact::{Value, text};
use solving::solution::Query;
use solving::words::exact::{exact_text, numbers_text};
use solving::words::query::{cost_text, distance_text, picture};
use solving::words::value::value_text;
use std::fmt;

const HELP: &str = "  MOVE     play a move, by its name (parentheses may be left out) or its number
  moves    your legal moves
  values   your legal moves, each with what it leads to
  hint     the best moves, and how soon play ends
  board    the position
  state    the fluents that hold
  undo     take back your last move
  new      start again
  quit     end
A move that is called like a command is played in parentheses: (quit)
";

const AFTER_THE_END: &str = "`undo` takes back your last move, `new` starts again, `quit` ends\n";

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Told::Started { game, role } => writeln!(f, "{game}: you play {role}; `help` tells what to type"),
            Told::Forced { role, action } => writeln!(f, "no choice for {role}: {action}"),
            Told::Played { role, action } => writeln!(f, "{role}: {action}"),
            Told::Position { query, standing } => position(query, *standing, f),
            Told::Moves { query, standing, values } => moves(query, *standing, *values, f),
            Told::Hint { query, hint: found } => hint(query, found, f),
            Told::Stand { stand, standing } => exact_position(stand, *standing, f),
            Told::Choices { choices, standing, values } => choice_list(choices, *standing, *values, f),
            Told::Mixture { value, choices } => mixture(value.as_ref(), choices, f),
            Told::State(fluents) => writeln!(f, "  {}", fluents.join(" ")),
            Told::Illegal(legal) => writeln!(f, "not a legal move; legal: {}", legal.join(" ")),
            Told::Over => write!(f, "play is over; {AFTER_THE_END}"),
            Told::NothingToTakeBack => writeln!(f, "there is no move of yours to take back"),
            Told::Help => f.write_str(HELP),
            Told::Left => Ok(()),
        }
    }
}

fn position(query: &Query, standing: Standing, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n{}", picture(query.drawing.as_ref(), &query.state, 2))?;
    match standing {
        Standing::Repeats => {
            writeln!(f, "this position was there before, and you have no choice: play goes on for ever")?;
            f.write_str(AFTER_THE_END)
        }
        Standing::Over => {
            writeln!(f, "play is over: {}", query.outcome())?;
            f.write_str(AFTER_THE_END)
        }
        Standing::ToMove => writeln!(f, "ply {}, your move ({} legal)", query.layer + 1, query.moves.len()),
    }
}

fn moves(query: &Query, standing: Standing, values: bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if standing != Standing::ToMove {
        return writeln!(f, "  play is over");
    }
    for (index, option) in query.moves.iter().enumerate() {
        write!(f, "  {:>3}  {}", index + 1, option.action)?;
        if values {
            write!(f, "  {}", value_text(option.value.as_deref()))?;
            match query.mark(option) {
                "" => {}
                mark => write!(f, "  {mark}")?,
            }
            if let Some(cost) = cost_text(option) {
                write!(f, "  cost {cost}")?;
            }
        }
        option.same_as.iter().try_for_each(|first| write!(f, "  same as {first}"))?;
        writeln!(f)?;
    }
    Ok(())
}

fn exact_position(stand: &Stand, standing: Standing, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let Stand { roles, layer, value, state, drawing, legal } = stand;
    writeln!(f, "\n{}", picture(drawing.as_ref(), state, 2))?;
    match (standing, value) {
        (Standing::ToMove, _) => writeln!(f, "ply {}, your move ({legal} legal)", layer + 1),
        (Standing::Repeats, _) => {
            let text = "play stops here, as you have had no choice for many plies: it may end later, or go on for ever";
            writeln!(f, "{text}\n{}", AFTER_THE_END.trim_end())
        }
        (_, Some(value)) => writeln!(f, "play is over: {}\n{}", exact_text(roles, value), AFTER_THE_END.trim_end()),
        (_, None) => writeln!(f, "play is over\n{}", AFTER_THE_END.trim_end()),
    }
}

fn choice_list(choices: &[Choice], standing: Standing, values: bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match standing {
        Standing::ToMove => {}
        Standing::Repeats => return writeln!(f, "  play stopped, as you have no choice"),
        Standing::Over => return writeln!(f, "  play is over"),
    }
    for (index, Choice { action, value, probability }) in choices.iter().enumerate() {
        write!(f, "  {:>3}  {action}", index + 1)?;
        if values {
            value.iter().try_for_each(|value| write!(f, "  {}", numbers_text(value)))?;
            probability.iter().try_for_each(|likely| write!(f, "  with probability {}", text(likely)))?;
        }
        writeln!(f)?;
    }
    Ok(())
}

fn mixture(value: Option<&Value>, choices: &[Choice], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    value.iter().try_for_each(|value| writeln!(f, "  worth {}", numbers_text(value)))?;
    let likely = choices.iter().filter_map(|choice| Some((&choice.action, choice.probability.as_ref()?)));
    let mut told = likely.filter(|(_, probability)| !probability.is_zero()).peekable();
    match told.peek() {
        None => writeln!(f, "  no best moves are known"),
        Some(_) => {
            told.try_for_each(|(action, probability)| writeln!(f, "  {action} with probability {}", text(probability)))
        }
    }
}

fn hint(query: &Query, hint: &Hint, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let outcome = query.outcome();
    match hint {
        Hint::Costs { best, .. } => writeln!(f, "{}  by {}", query.plans_text(), best.join(" ")),
        Hint::Endless { best } => writeln!(f, "  {outcome}, by {}", best.join(" ")),
        Hint::Ends { after, moves } => {
            f.write_str(&query.plans_text())?;
            writeln!(f, "  {outcome}; {}", distance_text(after))?;
            moves.iter().try_for_each(|(name, distance)| writeln!(f, "  {name}: {}", distance_text(distance)))
        }
    }?;
    f.write_str(&query.not_best_text())
}

#[cfg(test)]
mod tests {
    use crate::brute::BruteForce;
    use crate::play::{Command, Match, Settings};
    use crate::sample::handmade::{counter, lines};
    use base::random::Random;
    use game::propositional::{Game, RoleId};
    use game::reward::OpponentModel;

    fn settings(human: u32) -> Settings {
        Settings { human: RoleId(human), errors_per_million: 0, seed: 1, nodes: 1000 }
    }

    /// The output of a match with these lines as input.
    fn say(game: &Game, settings: Settings, lines: &[&str]) -> String {
        let solution = BruteForce::solution(game.clone(), OpponentModel::MaxOwn);
        let (mut game, mut told) = Match::start(solution.into(), settings).unwrap();
        for command in lines.iter().filter_map(|line| Command::read(line)) {
            told.extend(game.answer(&command).unwrap());
        }
        told.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_program_never_loses_what_it_could_keep() {
        let game = lines(3, 3, 3);
        for seed in 0..30 {
            for human in 0..2 {
                let settings = Settings { seed, ..settings(human) };
                let mut random = Random::new(seed + 100);
                let moves: Vec<String> = (0..9).map(|_| (1 + random.below(9)).to_string()).collect();
                let mut input: Vec<&str> = moves.iter().map(String::as_str).collect();
                input.extend(["1"; 9]);
                let text = say(&game, settings, &input);
                let person = ["x", "o"][human as usize];
                assert!(text.contains("play is over"), "{text}");
                assert!(!text.contains(&format!("a win for {person}")), "{text}");
            }
        }
    }

    #[test]
    fn a_program_that_always_errs_loses_at_times() {
        let settings = Settings { errors_per_million: 1_000_000, ..settings(0) };
        let lost = (0..20).any(|seed| {
            let text = say(&lines(3, 3, 3), Settings { seed, ..settings }, &["1"; 9]);
            text.contains("a win for x")
        });
        assert!(lost);
    }

    #[test]
    fn commands_are_answered() {
        let game = lines(3, 3, 3);
        let bare = say(&game, settings(0), &["MARK 2  2", "moves"]);
        assert!(bare.contains("o: (mark") && !bare.contains("(mark 2 2)\n"), "{bare}");
        let text = say(&game, settings(0), &["help", "moves", "values", "hint", "(mark 9 9)", "( MARK 2  2 )", "undo"]);
        for part in [
            "take back",
            "  1  (mark 1 1)\n",
            "  1  (mark 1 1)  50/50  best",
            "  3  (mark 1 3)  50/50  best  same as (mark 1 1)\n",
            "a draw",
            "not a legal move",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(text.contains("o: (mark"), "{text}");
        assert!(text.ends_with("(control x)\n\nply 1, your move (9 legal)\n"), "{text}");
        let end = say(&game, settings(0), &["undo", "state", "quit"]);
        assert!(end.contains("no move of yours") && end.contains("(cell 1 1 b)"), "{end}");
    }

    #[test]
    fn one_player_games_are_played_to_their_end() {
        let text = say(&counter(3, false), settings(0), &["two", "1", "one", "new", "one"]);
        assert!(text.contains("play is over: 100 at best for robot"), "{text}");
    }

    #[test]
    fn a_seed_gives_the_same_game_again() {
        let erring = Settings { errors_per_million: 500_000, ..settings(1) };
        assert_eq!(say(&lines(3, 3, 3), erring, &["1"; 9]), say(&lines(3, 3, 3), erring, &["1"; 9]));
    }
}
