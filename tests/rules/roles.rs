//! The order of the roles: that of their facts in the text, then by name those that rules give. Swapping sentences
//! changes it only together with the identity of the rules, and translations keep it.

use api::translate;
use base::limits::Limits;
use base::random::Random;
use game::diagnostic::{Findings, Source, has_errors};
use game::ground::{GroundOptions, ground};
use game::propositional::Game;
use game::rules::sentence::{Formula, Rulesheet};
use game::rules::{Language, Predicate, identity, lower};
use std::path::{Path, PathBuf};

/// A game of two roles that move in turn, with some sentences about who they are.
fn game_of(roles: &str) -> String {
    format!(
        "{roles}
        (init (turn 1)) (succ 1 2) (succ 2 3)
        (<= (legal ?r wait) (role ?r))
        (<= (next (turn ?n)) (true (turn ?m)) (succ ?m ?n))
        (<= terminal (true (turn 3)))
        (goal a 100) (<= (goal b 0) (role b)) (<= (goal c 50) (role c))"
    )
}

/// Ways of saying who plays.
const SAYINGS: [&str; 10] = [
    "(role a) (role b)",
    "(role b) (role a) (role b)",
    "(<= (role b) (distinct x y)) (role a)",
    "(<= (role b) (two)) (<= (role a) (two)) (two)",
    "(<= (role ?r) (player ?r)) (player b) (player a)",
    "(<= (role ?r) (or (first ?r) (second ?r))) (first b) (second a)",
    "(role a) (role a) (<= (role c) (two)) (<= (role b) (two)) (two)",
    "(<= (role ?r) (player ?r)) (role c) (player b) (player a) (player c)",
    "(<= (role b) (not (distinct x x))) (role a)",
    "(<= (role b)) (<= (role a) (two)) (role c) (<= (two) (distinct x y))",
];

fn sheet(source: &Source, language: Language) -> Rulesheet {
    let diagnostics = language.program(source).1;
    assert!(!has_errors(&diagnostics), "{}", Findings::new(source, &diagnostics));
    language.rulesheet(source).expect("there are no errors")
}

/// Nothing where grounding outgrows a bound that keeps this test short.
fn game(sheet: Rulesheet) -> Option<Game> {
    let program = lower::program("test", sheet).expect("the program is simple");
    let options = GroundOptions { instances: 3_000, ..GroundOptions::default() };
    ground(&program, &Limits::unlimited(), &options).ok().map(|grounding| grounding.game)
}

fn roles(game: &Game) -> Vec<String> {
    game.roles.iter().map(ToString::to_string).collect()
}

/// What must not change where the identity does not.
fn shape(game: &Game) -> String {
    let Game { roles, fluents, init, moves, .. } = game;
    let moves: Vec<_> = moves.iter().map(|m| (m.role, &m.term)).collect();
    format!("{roles:?}\n{fluents:?}\n{init:?}\n{moves:?}")
}

/// Changes the order of the members of conditions.
fn stir(formula: &mut Formula, random: &mut Random) {
    match formula {
        Formula::And(parts, _) | Formula::Or(parts, _) => {
            parts.iter_mut().for_each(|part| stir(part, random));
            random.shuffle(parts);
        }
        Formula::Not(inner, _) => stir(inner, random),
        Formula::Atom(_) | Formula::Distinct(..) => {}
    }
}

/// Shuffles sentences and conditions; with `all`, also the facts that name roles.
fn shuffled(sheet: &Rulesheet, all: bool, random: &mut Random) -> Rulesheet {
    let mut sheet = sheet.clone();
    let listed = sheet.clone();
    for sentence in &mut sheet.sentences {
        sentence.body.iter_mut().for_each(|part| stir(part, random));
        random.shuffle(&mut sentence.body);
    }
    random.shuffle(&mut sheet.sentences);
    if !all {
        let is_fact = |sentence: &game::rules::sentence::Sentence| {
            sentence.head.predicate == Predicate::Role && sentence.body.is_empty()
        };
        let mut facts = listed.sentences.into_iter().filter(is_fact);
        for sentence in sheet.sentences.iter_mut().filter(|sentence| is_fact(sentence)) {
            *sentence = facts.next().expect("as many facts as before");
        }
    }
    sheet
}

/// Compares a game with shuffled versions of itself; tells whether it could be grounded.
fn assert_order(name: &str, original: &Rulesheet, rounds: u64) -> bool {
    let sum = identity(original);
    let Some(known) = game(original.clone()) else { return false };
    for seed in 0..rounds {
        for all in [false, true] {
            let other = shuffled(original, all, &mut Random::new(seed));
            let same = identity(&other) == sum;
            let now = game(other).expect("the order does not change the size");
            if same {
                assert_eq!(shape(&now), shape(&known), "{name}, seed {seed}");
            } else {
                assert!(all, "{name}, seed {seed}: another identity without a role in another place");
                // Chance is the last role wherever it is named.
                let differs = roles(&now) != roles(&known) || known.has_chance;
                assert!(differs, "{name}, seed {seed}: another identity for the same order");
            }
        }
    }
    true
}

#[test]
fn swapped_sentences_change_the_order_only_together_with_the_identity() {
    for saying in SAYINGS {
        let source = Source::new("a.kif", game_of(saying).as_bytes());
        assert!(assert_order(saying, &sheet(&source, Language::Gdl), 20), "{saying}");
    }
}

#[test]
fn facts_come_in_the_order_of_the_text_and_other_roles_by_name() {
    let expected: [&[&str]; 10] = [
        &["a", "b"],
        &["b", "a"],
        &["a", "b"],
        &["a", "b"],
        &["a", "b"],
        &["a", "b"],
        &["a", "b", "c"],
        &["c", "a", "b"],
        &["a", "b"],
        &["b", "c", "a"],
    ];
    for (saying, expected) in SAYINGS.into_iter().zip(expected) {
        let source = Source::new("a.kif", game_of(saying).as_bytes());
        let game = game(sheet(&source, Language::Gdl)).expect("a small game");
        assert_eq!(roles(&game), expected, "{saying}");
    }
}

#[test]
fn of_two_names_of_chance_the_first_one_is() {
    let source = Source::new("a.kif", game_of("(role Random) (role a) (role random) (role b)").as_bytes());
    let sheet = sheet(&source, Language::Gdl);
    assert_eq!(lower::program("test", sheet.clone()).expect("a small game").place_of_chance(), Some(0));
    assert!(assert_order("two names", &sheet, 20));
    assert_eq!(roles(&game(sheet).expect("a small game")), ["a", "random", "b", "Random"]);
}

#[test]
fn translations_keep_the_order() {
    for saying in SAYINGS {
        let source = Source::new("a.kif", game_of(saying).as_bytes());
        let program = Language::Gdl.program(&source).0.expect("rules without errors");
        let game = crate::common::game(&program);
        let mut texts = vec![(Language::Gdl, translate::gdl::text(&program, &[]))];
        if let Ok((text, _)) = translate::gddl(&program, &game, &[], &Limits::unlimited()) {
            texts.push((Language::Gddl, text));
        }
        for (language, text) in texts {
            let source = Source::new("b", text.as_bytes());
            let other = language.program(&source).0.unwrap_or_else(|| panic!("{text}"));
            assert_eq!(roles(&crate::common::game(&other)), roles(&game), "{saying}\n{text}");
        }
    }
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|known| known == extension));
    files.sort();
    files
}

/// All small games of the repository and, where it is there, of the public collection.
#[test]
fn swapped_sentences_of_many_games() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = files(&root.join("games"), "gdl");
    let own = paths.len();
    paths.extend(files(&root.join("games"), "gddl"));
    paths.extend(files(&root.join("../shared/corpus"), "kif"));
    if paths.len() < own + 50 {
        eprintln!("the public collection is not there: only the games of the repository are looked at");
    }
    let mut looked = 0;
    for path in &paths {
        let bytes = std::fs::read(path).expect("a rulesheet can be read");
        let source = Source::new(path.display().to_string(), &bytes);
        let language = Language::of(path, source.text());
        if language.program(&source).0.is_some() {
            looked += usize::from(assert_order(source.name(), &sheet(&source, language), 2));
        }
    }
    assert!(looked >= 8, "only {looked} games were small enough");
}
