//! A notation for subtraction games: piles, how many may be taken, and whether the last to take wins or loses.
//!
//! ```text
//! players ann bob       # in this order
//! pile small 3
//! pile large 5
//! take 1 2              # so many from any one pile
//! last wins             # or loses
//! ```
//!
//! Whoever cannot move is the one after the last to take. The file uses nothing but the public library.

use ggsolve::{Diagnostic, Notation, Source, Span, Transcript};

const LINES: &str = "`players A B`, `pile NAME HEIGHT`, `take N…` or `last wins|loses`";

/// Piles are at most as high as this: a sum of GDL is a fact for each pair of numbers.
const HIGHEST: u32 = 500;

pub struct Subtraction;

/// A word and its place in the text.
type Word<'a> = (&'a str, Span);

impl Notation for Subtraction {
    fn transcribe(&self, source: &Source, transcript: &mut Transcript) {
        let mut game = Game::default();
        for (place, line) in source.lines() {
            if let Err(finding) = game.line(&words(place, line)) {
                transcript.finding(finding);
            }
        }
        if let Err(finding) = game.transcribe(transcript) {
            transcript.finding(finding);
        }
    }
}

/// The words of a line up to its comment.
fn words(place: Span, line: &str) -> Vec<Word<'_>> {
    let code = line.split('#').next().unwrap_or_default();
    let start = |word: &str| place.start + (word.as_ptr() as usize - line.as_ptr() as usize) as u32;
    let place = |word: &str| Span { start: start(word), end: start(word) + word.len() as u32 };
    code.split_whitespace().map(|word| (word, place(word))).collect()
}

fn mistake((word, place): Word, expected: &str) -> Diagnostic {
    Diagnostic::error("subtraction", place, format!("`{word}` where {expected} is expected"))
}

/// A word that GDL takes as a name as well.
fn name(word: Word) -> Result<String, Diagnostic> {
    let is_name = word.0.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_name { Ok(word.0.to_owned()) } else { Err(mistake(word, "a name of letters, digits and `_`")) }
}

fn number(word: Word) -> Result<u32, Diagnostic> {
    let number = word.0.parse().ok().filter(|number| (1..=HIGHEST).contains(number));
    number.ok_or_else(|| mistake(word, &format!("a number from 1 to {HIGHEST}")))
}

#[derive(Default)]
struct Game {
    players: Vec<(String, Span)>,
    piles: Vec<(String, u32, Span)>,
    takes: Vec<(u32, Span)>,
    last: Option<(bool, Span)>,
}

impl Game {
    fn line(&mut self, words: &[Word]) -> Result<(), Diagnostic> {
        let Some((&(verb, place), rest)) = words.split_first() else { return Ok(()) };
        match (verb, rest) {
            ("players", &[first, second]) if first.0 != second.0 => {
                self.players = vec![(name(first)?, first.1), (name(second)?, second.1)];
            }
            ("pile", &[pile, _]) if self.piles.iter().any(|(known, ..)| known == pile.0) => {
                return Err(mistake(pile, "another name than that of a pile above"));
            }
            ("pile", &[pile, height]) => self.piles.push((name(pile)?, number(height)?, place)),
            ("take", [_, ..]) => {
                for &word in rest {
                    self.takes.push((number(word)?, word.1));
                }
            }
            ("last", &[("wins", place)]) => self.last = Some((true, place)),
            ("last", &[("loses", place)]) => self.last = Some((false, place)),
            _ => return Err(mistake((verb, place), LINES)),
        }
        Ok(())
    }

    fn transcribe(&self, transcript: &mut Transcript) -> Result<(), Diagnostic> {
        let missing =
            |what: &str| Diagnostic::error("subtraction", Span::default(), format!("there is no line `{what}`"));
        let [(ann, first), (bob, second)] = &self.players[..] else { return Err(missing("players")) };
        let (wins, last) = self.last.ok_or_else(|| missing("last"))?;
        for (player, other, place) in [(ann, bob, *first), (bob, ann, *second)] {
            transcript.sentence(place, format!("(role {player})"));
            transcript.sentence(place, format!("(<= (next (turn {other})) (true (turn {player})))"));
            let (mover, waiting) = if wins { (0, 100) } else { (100, 0) };
            transcript.sentence(last, format!("(<= (goal {player} {mover}) (true (turn {player})))"));
            transcript.sentence(last, format!("(<= (goal {player} {waiting}) (true (turn {other})))"));
        }
        transcript.sentence(*first, format!("(init (turn {ann}))"));
        for (pile, height, place) in &self.piles {
            transcript.sentence(*place, format!("(init (pile {pile} {height}))"));
        }
        let highest = self.piles.iter().map(|&(_, height, _)| height).max().unwrap_or(0);
        for &(number, place) in &self.takes {
            for height in number..=highest {
                transcript.sentence(place, format!("(minus {height} {number} {})", height - number));
            }
        }
        for rule in RULES {
            transcript.sentence(last, rule);
        }
        Ok(())
    }
}

/// What is the same in all these games.
const RULES: [&str; 6] = [
    "(<= (legal ?r (take ?p ?n)) (true (turn ?r)) (true (pile ?p ?h)) (minus ?h ?n ?l))",
    "(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))",
    "(<= (next (pile ?p ?l)) (does ?r (take ?p ?n)) (true (pile ?p ?h)) (minus ?h ?n ?l))",
    "(<= (next (pile ?p ?h)) (true (pile ?p ?h)) (does ?r (take ?q ?n)) (distinct ?p ?q))",
    "(<= open (true (pile ?p ?h)) (minus ?h ?n ?l))",
    "(<= terminal (not open))",
];
