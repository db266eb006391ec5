use super::*;
use crate::diagnostic::Source;
use crate::rules::gdl;
use crate::syntax::{Kind, NodeId, Tree, lexer};
use base::random::Random;
use std::collections::HashMap;

fn sheet(text: &str) -> Rulesheet {
    let mut diagnostics = Vec::new();
    let sheet = gdl::rulesheet(&Source::new("a.gdl", text.as_bytes()), &mut diagnostics);
    assert!(!crate::diagnostic::has_errors(&diagnostics), "{diagnostics:?}");
    sheet
}

/// The sentences of a text in another order, with other names for all names without a fixed meaning.
fn scrambled(text: &str, numbers: Numbers, random: &mut Random) -> (String, HashMap<String, String>) {
    let source = Source::new("a.gdl", text.as_bytes());
    let tokens = lexer::tokens(&source, &mut Vec::new());
    let tree = Tree::new(&source, &tokens, Some("<="), &mut Vec::new());
    let mut names: HashMap<String, String> = HashMap::new();
    fn write(
        source: &Source,
        tree: &Tree,
        node: NodeId,
        numbers: Numbers,
        names: &mut HashMap<String, String>,
        random: &mut Random,
    ) -> String {
        if tree.kind(node) == Kind::List {
            let mut parts: Vec<String> =
                tree.children(node).map(|child| write(source, tree, child, numbers, names, random)).collect();
            let from = if parts.first().is_some_and(|first| first == "<=") { 2 } else { parts.len() };
            random.shuffle(&mut parts[from..]);
            return format!("({})", parts.join(" "));
        }
        let word = source.slice(tree.span(node));
        let fixed = "<= and or not distinct role init true does next legal goal terminal base input 0 50 99 100";
        if fixed.split(' ').any(|fixed| fixed.eq_ignore_ascii_case(word))
            || (numbers == Numbers::Kept && word.parse::<i64>().is_ok())
        {
            return word.to_owned();
        }
        let next = format!("{}w{}x{}", if word.starts_with('?') { "?" } else { "" }, random.below(1000), names.len());
        names.entry(word.to_owned()).or_insert(next).clone()
    }
    let mut sentences: Vec<String> =
        tree.roots().iter().map(|&root| write(&source, &tree, root, numbers, &mut names, random)).collect();
    random.shuffle(&mut sentences);
    (sentences.join("\n"), names)
}

fn shipped() -> Vec<(String, String)> {
    let names = ["tictactoe", "nim4", "clobber", "connect4_4x4", "peg", "hanoi", "eightpuzzle", "sheepandwolf"];
    let read = |name: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games").join(format!("{name}.gdl"));
        (name.to_owned(), std::fs::read_to_string(path).expect("a shipped game"))
    };
    names.map(read).into()
}

#[test]
fn a_scrambled_game_is_found_again_and_no_other() {
    let mut random = Random::new(11);
    let games = shipped();
    for numbers in Numbers::ALL {
        // If rules compute rewards, numbers keep their values.
        let computed = |text: &str| text.contains("?reward)");
        for (name, text) in games.iter().filter(|(_, text)| numbers == Numbers::Kept || !computed(text)) {
            let (other, names) = scrambled(text, numbers, &mut random);
            let (one, two) = (sheet(text), sheet(&other));
            assert_eq!(shape(&one, numbers), shape(&two, numbers), "{name}");
            let found = renaming(&one, &two, numbers).unwrap_or_else(|| panic!("{name} is not found, {numbers:?}"));
            let scrambled_names = names.iter().filter(|(from, _)| !from.starts_with('?'));
            for (from, _) in scrambled_names {
                assert!(found.contains_key(from), "{name}: {from} has no name");
            }
            for (another, text) in games.iter().filter(|(another, _)| another != name) {
                let third = sheet(text);
                assert_ne!(shape(&third, numbers), shape(&two, numbers), "{name} {another}");
                assert_eq!(renaming(&third, &two, numbers), None, "{name} {another}");
            }
        }
    }
}

#[test]
fn a_small_difference_is_one() {
    let text = "(role a) (role b) (init (p 1)) (succ 1 2) (succ 2 3) (<= (next (p ?y)) (true (p ?x)) (succ ?x ?y))
        (<= (legal ?r go) (role ?r)) (<= (goal a 100) (true (p 3))) (<= (goal b 0) (true (p 3)))
        (<= terminal (true (p 3)))";
    for (from, to) in [
        ("(goal a 100)", "(goal a 50)"),
        ("(goal b 0)", "(goal a 0)"),
        ("(succ 2 3)", "(succ 3 2)"),
        ("(init (p 1))", "(init (p 2))"),
        ("(succ ?x ?y)", "(succ ?y ?x)"),
        ("terminal (true (p 3))", "terminal (not (true (p 3)))"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        for numbers in Numbers::ALL {
            assert_eq!(renaming(&sheet(text), &sheet(&changed), numbers), None, "{from} {to}");
        }
    }
    let renamed = text.replace("succ", "above").replace("(p ", "(cell ").replace("?x", "?cell");
    let found = renaming(&sheet(text), &sheet(&renamed), Numbers::Kept).expect("only names differ");
    assert_eq!((found["succ"].as_str(), found["p"].as_str(), found["3"].as_str()), ("above", "cell", "3"));
}

/// Many names that only a cycle distinguishes; refinement alone cannot do so.
#[test]
fn ties_are_broken_within_bounds() {
    let cycle = |names: &[usize]| -> String {
        let next = names.iter().zip(names.iter().cycle().skip(1));
        let facts: Vec<String> = next.map(|(from, to)| format!("(next_to n{from} n{to})")).collect();
        format!("(role a) (legal a go) {}", facts.join(" "))
    };
    let (one, two) = ([0, 1, 2, 3, 4, 5], [3, 1, 5, 0, 2, 4]);
    let found = renaming(&sheet(&cycle(&one)), &sheet(&cycle(&two)), Numbers::Kept).expect("a cycle is a cycle");
    for (from, to) in one.iter().zip(one.iter().cycle().skip(1)) {
        let place = |name: usize| two.iter().position(|&other| found[&format!("n{name}")] == format!("n{other}"));
        let (from, to) = (place(*from).unwrap(), place(*to).unwrap());
        assert_eq!((from + 1) % two.len(), to);
    }
    let threes = format!("{} {}", cycle(&[0, 1, 2]), "(next_to n3 n4) (next_to n4 n5) (next_to n5 n3)");
    assert_eq!(renaming(&sheet(&cycle(&one)), &sheet(&threes), Numbers::Kept), None);
}

#[test]
fn far_arguments_have_their_places() {
    let fact = |swapped: bool| {
        let mut arguments: Vec<String> = (0..70_000).map(|place| (place % 7).to_string()).collect();
        if swapped {
            arguments.swap(69_990, 69_991);
        }
        format!("(role a) (legal a go) (p {})", arguments.join(" "))
    };
    let [one, other] = [false, true].map(|swapped| sheet(&fact(swapped)));
    assert!(renaming(&one, &one, Numbers::Kept).is_some());
    assert_eq!(renaming(&one, &other, Numbers::Kept), None);
}
