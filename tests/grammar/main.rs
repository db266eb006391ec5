//! `grammar/gdl.ebnf` says exactly what the parser accepts: texts that are derived from it are accepted, and changed
//! texts are accepted by both or by neither.

mod ebnf;

use ebnf::{Grammar, Level, derive, matches};
use ggsolve::diagnostic::{Source, render_text};
use ggsolve::random::Random;
use ggsolve::rules::gdl;

/// The findings that the grammar is about; all others belong to the checks after it.
const SYNTACTIC: [&str; 13] = [
    "empty-list",
    "foreign-keyword",
    "keyword-arity",
    "keyword-in-body",
    "keyword-in-head",
    "misplaced-rule",
    "misplaced-variable",
    "missing-head",
    "missing-name",
    "missing-parenthesis",
    "unclosed-parenthesis",
    "unexpected-character",
    "unmatched-parenthesis",
];

fn grammar() -> Grammar {
    Grammar::new(include_str!("../../grammar/gdl.ebnf"))
}

/// The syntactic findings of the parser, as text.
fn refusal(text: &[u8]) -> String {
    let source = Source::new("test", text);
    let mut findings = gdl::program(&source).1;
    findings.retain(|finding| {
        // Inside terms the code is a warning for words that the grammar allows, and `sees` is in its own class.
        SYNTACTIC.contains(&finding.code)
            || finding.code == "keyword-in-term" && finding.severity == ggsolve::diagnostic::Severity::Error
            || finding.code == "gdl-ii" && finding.message.contains("sees")
    });
    render_text(&source, &findings)
}

/// Characters as terminals.
struct Characters;

const SPECIAL: [(&str, &str); 4] = [
    ("printable ASCII but ( ) ; double quote | ` \\", "abzAZ019_+-*/<=>!.,'?:~^%$#@&[]{}"),
    ("letter or digit beyond ASCII", "éßλЖ中٣"),
    ("space, tab, line feed, carriage return, vertical tab or form feed", " \t\n\r\u{b}\u{c}"),
    ("any character but line feed and carriage return", "abc ();\"|\\?:\u{0}\u{a0}é“"),
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
        let kinds: [fn(char) -> bool; 4] = [
            |c| c.is_ascii_graphic() && !"();\"|`\\".contains(c),
            |c| !c.is_ascii() && c.is_alphanumeric(),
            |c| " \t\n\r\u{b}\u{c}".contains(c),
            |c| c != '\n' && c != '\r',
        ];
        SPECIAL.iter().zip(kinds).find(|((special, _), _)| *special == name).map(|(_, kind)| kind(item))
    }

    fn write_item(&self, name: &str, random: &mut Random) -> Option<char> {
        let (_, characters) = SPECIAL.iter().find(|(special, _)| *special == name)?;
        let characters: Vec<char> = characters.chars().collect();
        random.choose(&characters).copied()
    }
}

/// Tokens as terminals.
struct Tokens<'a>(&'a Grammar);

/// Rules of the grammar that describe whole tokens.
const TOKENS: [&str; 2] = ["word", "variable"];

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
        let whole = || matches(self.0, &Characters, name, &characters).contains(&characters.len());
        TOKENS.contains(&name).then(whole)
    }

    fn write_item(&self, name: &str, random: &mut Random) -> Option<String> {
        if !TOKENS.contains(&name) {
            return None;
        }
        // Short names from a small stock make rules that have something to do with each other.
        match random.below(3) {
            0 => Some(derive(self.0, &Characters, &self.0.rules[name], 6, random).into_iter().collect()),
            _ if name == "variable" => Some(random.choose(&["?x", "?y", "?X"])?.to_string()),
            _ => Some(random.choose(&["a", "p", "A", "7", "role", "true", "or", "terminal"])?.to_string()),
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

/// Whether the grammar has a text.
fn recognises(grammar: &Grammar, text: &str) -> bool {
    cut(grammar, text).is_some_and(|tokens| matches(grammar, &Tokens(grammar), "text", &tokens).contains(&tokens.len()))
}

#[test]
fn derived_texts_are_accepted() {
    let grammar = grammar();
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let tokens = derive(&grammar, &Tokens(&grammar), &grammar.rules["text"], 12, &mut random);
        let text = join(&grammar, &tokens, &mut random);
        assert_eq!(refusal(text.as_bytes()), "", "seed {seed}:\n{text}");
    }
}

#[test]
fn changed_texts_are_accepted_by_both_or_by_neither() {
    let grammar = grammar();
    let mut accepted = [0, 0];
    for seed in 0..2500 {
        let mut random = Random::new(seed);
        let mut tokens = derive(&grammar, &Tokens(&grammar), &grammar.rules["text"], 6, &mut random);
        tokens.truncate(200);
        for _ in 0..1 + random.below(2) {
            let (at, from) = (random.below(tokens.len()), random.below(tokens.len()));
            match random.below(4) {
                _ if tokens.is_empty() => tokens.push(")".to_owned()),
                0 => drop(tokens.remove(at)),
                1 => tokens[at] = tokens[from].clone(),
                2 => tokens.swap(at, from),
                _ => {
                    let stock = ["<=", "or", "not", "true", "next", "sees", "(", ")", "?x", "?", ":a", "a|b", "“", "x"];
                    tokens.insert(at, random.choose(&stock).unwrap_or(&"x").to_string());
                }
            }
        }
        let text = join(&grammar, &tokens, &mut random);
        let refusal = refusal(text.as_bytes());
        let recognised = recognises(&grammar, &text);
        assert_eq!(refusal.is_empty(), recognised, "seed {seed}:\n{text}\n{refusal}");
        accepted[usize::from(recognised)] += 1;
    }
    assert!(accepted.iter().all(|&number| number > 200), "refused and accepted: {accepted:?}");
}

#[test]
fn bad_texts_are_refused_by_both() {
    let grammar = grammar();
    let bad = [
        "(",
        ")",
        "()",
        "(a",
        "a)",
        "(<=)",
        "<=",
        "(<= a <= b)",
        "(<= (or a b))",
        "(<= (not a) b)",
        "(<= (a) (next b))",
        "(<= (a) (init b))",
        "(<= (true a) b)",
        "(does r m)",
        "?x",
        "(?x a)",
        "((a) b)",
        "(<= a ?x)",
        "(<= a (?x b))",
        "(<= a ())",
        "(<= a ((b)))",
        "(a ())",
        "(a ((b) c))",
        "(role)",
        "(role a b)",
        "role",
        "(terminal a)",
        "(legal a)",
        "(<= a (not))",
        "(<= a (not b c))",
        "(<= a (distinct b))",
        "(<= a (distinct b c d))",
        "(<= a or b)",
        "(<= a not b)",
        "(a (or b c))",
        "(a (true b))",
        "(a <= b)",
        "(a ?)",
        ":a",
        "(a :b)",
        "(a \"b\")",
        "a|b",
        "(sees r x)",
        "(<= a (sees r x))",
        "(a \u{a0} b)",
        "“a”",
        "(<= (a) (<= (b)))",
        "(<=(a)",
    ];
    for text in bad {
        assert!(!recognises(&grammar, text), "the grammar has {text}");
        assert_ne!(refusal(text.as_bytes()), "", "the parser accepts {text}");
    }
}

#[test]
fn good_texts_are_accepted_by_both() {
    let grammar = grammar();
    let good = [
        "",
        " ; nothing",
        "a",
        "(a)",
        "(a b (c d ?x) (e) 7)",
        "(<= a)",
        "(<=(a)(not(not b))(or)(or b)(and)(and b (or c d)))",
        "(ROLE r)(Role r)",
        "(<= Terminal (TRUE x) (DISTINCT ?x (f ?y)))",
        "(a role) (a (role b)) (a sees)",
        "(<= (goal ?r 100) (does ?r (m)) (legal ?r ?m) (goal a b) (role c) (base d) (input e f) terminal (terminal))",
        "(> 8 7)(+ 1 2 3)(- a)",
        "(é ß);ü\r\n(b)",
        "a;b\rc",
    ];
    for text in good {
        assert!(recognises(&grammar, text), "the grammar lacks {text}");
        assert_eq!(refusal(text.as_bytes()), "", "the parser refuses {text}");
    }
}
