//! Rules under other names and in another order, and the way back: what scramblers of game servers do.

use super::wire::Dialect;
use base::random::Random;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The words and parentheses of a text, without its comments.
pub fn tokens(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.split(';').next().unwrap_or_default();
        let spaced = line.replace('(', " ( ").replace(')', " ) ");
        found.extend(spaced.split_whitespace().map(str::to_owned));
    }
    found
}

/// A text as terms are displayed.
pub fn joined(tokens: &[String]) -> String {
    tokens.join(" ").replace("( ", "(").replace(" )", ")")
}

/// The expressions of a text.
pub fn expressions(text: &str) -> Vec<Vec<String>> {
    let (mut found, mut current, mut depth) = (Vec::new(), Vec::new(), 0);
    for token in tokens(text) {
        match token.as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        current.push(token);
        if depth == 0 {
            found.push(std::mem::take(&mut current));
        }
    }
    found
}

const KEYWORDS: &str = "<= and or not distinct role init true does next legal goal terminal base input nil random ( )";

/// How a match names things.
pub struct Disguise {
    dialect: Dialect,
    there: HashMap<String, String>,
    back: HashMap<String, String>,
    rules: String,
}

impl Disguise {
    /// Names as they are.
    pub fn none(text: &str, dialect: Dialect) -> Disguise {
        Disguise::new(text, dialect, |word, _| word.to_owned(), None)
    }

    /// Other names for everything but numbers, and the sentences in another order.
    pub fn scrambled(text: &str, dialect: Dialect, random: &mut Random) -> Disguise {
        let syllables = ["ba", "du", "fe", "go", "ki", "lo", "me", "nu", "po", "ri", "sa", "tu"];
        let word = |word: &str, random: &mut Random| match word.parse::<i64>() {
            Ok(_) => word.to_owned(),
            Err(_) => {
                let made: String = (0..6).map(|_| *random.choose(&syllables).unwrap()).collect();
                if word.starts_with('?') { format!("?{made}") } else { made }
            }
        };
        Disguise::new(text, dialect, word, Some(random))
    }

    fn new(
        text: &str,
        dialect: Dialect,
        mut name: impl FnMut(&str, &mut Random) -> String,
        random: Option<&mut Random>,
    ) -> Disguise {
        let mut sentences = expressions(text);
        let mut source = Random::new(0);
        let shuffled = random.is_some();
        let random = random.unwrap_or(&mut source);
        if shuffled {
            random.shuffle(&mut sentences);
        }
        let mut disguise = Disguise { dialect, there: HashMap::new(), back: HashMap::new(), rules: String::new() };
        for token in sentences.iter().flatten() {
            let keyword = KEYWORDS.split(' ').any(|word| word.eq_ignore_ascii_case(token));
            if keyword || disguise.there.contains_key(token) {
                continue;
            }
            loop {
                let made = name(token, random);
                if let Entry::Vacant(free) = disguise.back.entry(made.to_lowercase()) {
                    free.insert(token.clone());
                    disguise.there.insert(token.clone(), made);
                    break;
                }
            }
        }
        let written: Vec<String> = sentences.iter().map(|sentence| disguise.write(sentence)).collect();
        disguise.rules = written.join("\n");
        disguise
    }

    fn write(&self, tokens: &[String]) -> String {
        let word = |token: &String| self.there.get(token).unwrap_or(token).clone();
        let text = joined(&tokens.iter().map(word).collect::<Vec<_>>());
        if self.dialect == Dialect::Dresden { text.to_uppercase() } else { text }
    }

    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The rules as the player gets them.
    pub fn rules(&self) -> &str {
        &self.rules
    }

    /// The roles that the rules name, in their order there.
    pub fn roles(&self) -> Vec<String> {
        let sentences = expressions(&self.rules);
        let is_role = |sentence: &&Vec<String>| sentence.len() > 1 && sentence[1].eq_ignore_ascii_case("role");
        let role = |sentence: &Vec<String>| self.undisguised(&joined(&sentence[2..sentence.len() - 1]));
        sentences.iter().filter(is_role).map(role).collect()
    }

    /// A term as the player gets it.
    pub fn disguised(&self, term: &str) -> String {
        self.write(&tokens(term))
    }

    /// A term that a player sent, in the words of the rules.
    pub fn undisguised(&self, term: &str) -> String {
        // Keywords keep their names, but for the case of letters.
        let word = |token: &String| self.back.get(&token.to_lowercase()).cloned().unwrap_or(token.to_lowercase());
        joined(&tokens(term).iter().map(word).collect::<Vec<_>>())
    }
}
