//! Texts of a language: derived from its grammar, cut by it, changed at random.

use crate::ebnf::{Grammar, Level, derive, matches};
use base::random::Random;

/// Characters as terminals.
struct Characters;

const SPECIAL: [(&str, &str); 5] = [
    ("printable ASCII but ( ) ; double quote | ` \\", "abzAZ019_+-*/<=>!.,'?:~^%$#@&[]{}"),
    ("letter or digit beyond ASCII", "éßλЖ中٣"),
    ("space, tab, line feed, carriage return, vertical tab or form feed", " \t\n\r\u{b}\u{c}"),
    ("any character but line feed and carriage return", "abc ();\"|\\?:\u{0}\u{a0}é“"),
    ("double quote", "\""),
];

impl Level for Characters {
    type Item = char;

    fn quoted(&self, word: &str, input: &[char]) -> Option<usize> {
        let given: String = input.iter().take(word.len()).collect();
        given.eq_ignore_ascii_case(word).then_some(word.len())
    }

    fn write_quoted(&self, word: &str, random: &mut Random) -> Vec<char> {
        word.chars().map(|c| if random.chance(10) { c.to_ascii_uppercase() } else { c }).collect()
    }

    fn item(&self, name: &str, &item: &char) -> Option<bool> {
        let kinds: [fn(char) -> bool; 5] = [
            |c| c.is_ascii_graphic() && !"();\"|`\\".contains(c),
            |c| !c.is_ascii() && c.is_alphanumeric(),
            |c| " \t\n\r\u{b}\u{c}".contains(c),
            |c| c != '\n' && c != '\r',
            |c| c == '"',
        ];
        SPECIAL.iter().zip(kinds).find(|((special, _), _)| *special == name).map(|(_, kind)| kind(item))
    }

    fn write_item(&self, name: &str, random: &mut Random) -> Option<char> {
        let (_, characters) = SPECIAL.iter().find(|(special, _)| *special == name)?;
        let characters: Vec<char> = characters.chars().collect();
        random.choose(&characters).copied()
    }
}

/// A language: its grammar and its parser.
pub struct Language {
    pub grammar: Grammar,
    /// The findings of the parser that the grammar is about, as text.
    pub refusal: fn(&[u8]) -> String,
    /// Rules of the grammar that describe whole tokens, each with a stock of examples: short names from a small stock
    /// make rules that have something to do with each other.
    pub tokens: &'static [(&'static str, &'static [&'static str])],
    /// Bounds on repetitions in texts that are derived to be accepted, and in those that are changed.
    pub sizes: [usize; 2],
    /// Tokens to put into texts.
    pub stock: &'static [&'static str],
}

/// Tokens as terminals.
struct Tokens<'a>(&'a Language);

impl Level for Tokens<'_> {
    type Item = String;

    fn quoted(&self, word: &str, input: &[String]) -> Option<usize> {
        input.first()?.eq_ignore_ascii_case(word).then_some(1)
    }

    fn write_quoted(&self, word: &str, random: &mut Random) -> Vec<String> {
        vec![Characters.write_quoted(word, random).into_iter().collect()]
    }

    fn item(&self, name: &str, item: &String) -> Option<bool> {
        let characters: Vec<char> = item.chars().collect();
        let whole = || matches(&self.0.grammar, &Characters, name, &characters).contains(&characters.len());
        self.0.tokens.iter().any(|(token, _)| *token == name).then(whole)
    }

    fn write_item(&self, name: &str, random: &mut Random) -> Option<String> {
        let (_, stock) = self.0.tokens.iter().find(|(token, _)| *token == name)?;
        match random.below(3) {
            0 => {
                Some(derive(&self.0.grammar, &Characters, &self.0.grammar.rules[name], 6, random).into_iter().collect())
            }
            _ => Some(random.choose(stock)?.to_string()),
        }
    }
}

/// Tokens with random gaps between them.
fn join(grammar: &Grammar, tokens: &[String], random: &mut Random) -> String {
    let is_word = |token: &String| token != "(" && token != ")";
    let mut text = String::new();
    for (at, token) in tokens.iter().enumerate() {
        let mut gap: String = derive(grammar, &Characters, &grammar.rules["gap"], 3, random).into_iter().collect();
        // A comment swallows what follows on its line.
        if gap.contains(';') {
            gap.push('\n');
        }
        if gap.is_empty() && at > 0 && is_word(&tokens[at - 1]) && is_word(token) {
            gap.push(' ');
        }
        text.push_str(&gap);
        text.push_str(token);
    }
    text
}

/// Cuts a text into tokens by the rules of the grammar; none if some character belongs to none.
fn cut(grammar: &Grammar, text: &str) -> Option<Vec<String>> {
    let characters: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        at += matches(grammar, &Characters, "gap", &characters[at..]).last()?;
        if at == characters.len() {
            return Some(tokens);
        }
        let length = *matches(grammar, &Characters, "token", &characters[at..]).last()?;
        tokens.push(characters[at..at + length].iter().collect());
        at += length;
    }
}

impl Language {
    /// Whether the grammar has a text.
    pub fn recognises(&self, text: &str) -> bool {
        let whole =
            |tokens: Vec<String>| matches(&self.grammar, &Tokens(self), "text", &tokens).contains(&tokens.len());
        cut(&self.grammar, text).is_some_and(whole)
    }

    fn derive(&self, depth: usize, random: &mut Random) -> Vec<String> {
        derive(&self.grammar, &Tokens(self), &self.grammar.rules["text"], depth, random)
    }

    pub fn assert_derived_texts_are_accepted(&self, rounds: u64) {
        for seed in 0..rounds {
            let mut random = Random::new(seed);
            let tokens = self.derive(self.sizes[0], &mut random);
            let text = join(&self.grammar, &tokens, &mut random);
            assert_eq!((self.refusal)(text.as_bytes()), "", "seed {seed}:\n{text}");
        }
    }

    pub fn assert_changed_texts_are_accepted_by_both_or_by_neither(&self, rounds: u64) {
        let mut accepted = [0u64, 0];
        for seed in 0..rounds {
            let mut random = Random::new(seed);
            let mut tokens = self.derive(self.sizes[1], &mut random);
            tokens.truncate(200);
            for _ in 0..1 + random.below(2) {
                let (at, from) = (random.below(tokens.len()), random.below(tokens.len()));
                match random.below(4) {
                    _ if tokens.is_empty() => tokens.push(")".to_owned()),
                    0 => drop(tokens.remove(at)),
                    1 => tokens[at] = tokens[from].clone(),
                    2 => tokens.swap(at, from),
                    _ => tokens.insert(at, random.choose(self.stock).unwrap_or(&"x").to_string()),
                }
            }
            let text = join(&self.grammar, &tokens, &mut random);
            let refusal = (self.refusal)(text.as_bytes());
            let recognised = self.recognises(&text);
            assert_eq!(refusal.is_empty(), recognised, "seed {seed}:\n{text}\n{refusal}");
            accepted[usize::from(recognised)] += 1;
        }
        assert!(accepted.iter().all(|&number| number > rounds / 20), "refused and accepted: {accepted:?}");
    }

    pub fn assert_refused(&self, texts: &[&str]) {
        for text in texts {
            assert!(!self.recognises(text), "the grammar has {text}");
            assert_ne!((self.refusal)(text.as_bytes()), "", "the parser accepts {text}");
        }
    }

    pub fn assert_accepted(&self, texts: &[&str]) {
        for text in texts {
            assert!(self.recognises(text), "the grammar lacks {text}");
            assert_eq!((self.refusal)(text.as_bytes()), "", "the parser refuses {text}");
        }
    }
}
