//! Planning tasks and other games of one player: tasks without a plan, why there is none, and dead ends, against a search in
//! sets of facts that knows nothing of the program.

use ggsolve::session::RunReport;
use ggsolve::{Algorithm, Destination, Finding, Position, Random, Rules, Session, Solution, SolveOptions, Source};
use serde_json::{Value, json};
use solving::solve::ExpansionChoice;
use std::collections::{BTreeMap, BTreeSet};

/// Random tasks.
const TASKS: u64 = if cfg!(debug_assertions) { 50 } else { 200 };
/// Goals that are tried with some actions.
const GOALS: usize = 20;
/// Kinds of tasks: by whether there is a plan and, if not, by what of the goal holds in no state.
const KINDS: [&str; 5] = ["solvable", "by the rules", "alone", "in pairs", "together"];
/// Facts of a random task; a state is a set of them, a bit each.
const FACTS: usize = 6;

/// A fact that is to hold, or not to hold.
type Literal = (usize, bool);

/// A random task.
struct Task {
    initial: u32,
    /// What each action needs, and what it changes.
    actions: Vec<(Vec<Literal>, Vec<Literal>)>,
    goal: Vec<Literal>,
}

fn literals(random: &mut Random, least: usize, most: usize) -> Vec<Literal> {
    let mut facts: Vec<usize> = (0..FACTS).collect();
    random.shuffle(&mut facts);
    facts.truncate(least + random.below(most - least + 1));
    facts.into_iter().map(|fact| (fact, random.below(2) == 0)).collect()
}

fn written(literals: &[Literal]) -> Vec<String> {
    literals
        .iter()
        .map(|&(fact, holds)| if holds { format!("(f{fact})") } else { format!("(not (f{fact}))") })
        .collect()
}

fn shown((fact, holds): Literal) -> String {
    if holds { format!("f{fact}") } else { format!("(not f{fact})") }
}

impl Task {
    /// A random task of the kind that is the seed's turn, if there is one among some.
    fn new(seed: u64) -> Task {
        let mut random = Random::new(seed);
        loop {
            let initial = random.below(1 << FACTS) as u32;
            let number = 7 + random.below(4);
            let actions = (0..number).map(|_| (literals(&mut random, 2, 3), literals(&mut random, 1, 3))).collect();
            let mut task = Task { initial, actions, goal: Vec::new() };
            for _ in 0..GOALS {
                task.goal = literals(&mut random, 2, 4);
                if task.kind() == KINDS[seed as usize % KINDS.len()] {
                    return task;
                }
            }
        }
    }

    /// Whether the task has a plan and, if not, why.
    fn kind(&self) -> &'static str {
        let states = self.reached(self.initial);
        let met = |literals: &[Literal]| states.iter().any(|&state| Task::holds(literals, state));
        let pairs = || self.goal.iter().flat_map(|&first| self.goal.iter().map(move |&second| [first, second]));
        match () {
            () if met(&self.goal) => "solvable",
            () if !self.goal.iter().all(|&literal| met(&[literal])) => {
                if self.goal.iter().all(|&literal| self.is_open(literal)) { "alone" } else { "by the rules" }
            }
            () if pairs().all(|pair| met(&pair)) => "together",
            () => "in pairs",
        }
    }

    /// Whether a literal holds at first, or is an effect of an action whose facts come about if none is ever taken away.
    fn is_open(&self, literal: Literal) -> bool {
        let mut facts = self.initial;
        let is_done =
            |facts: u32, needs: &[Literal]| needs.iter().all(|&(fact, holds)| !holds || facts >> fact & 1 == 1);
        for _ in 0..FACTS {
            for (needs, changes) in &self.actions {
                if is_done(facts, needs) {
                    changes.iter().filter(|change| change.1).for_each(|change| facts |= 1 << change.0);
                }
            }
        }
        let mut done = self.actions.iter().filter(|(needs, _)| is_done(facts, needs));
        Task::holds(&[literal], self.initial) || done.any(|(_, changes)| changes.contains(&literal))
    }

    fn text(&self) -> String {
        let facts: Vec<String> = (0..FACTS).map(|fact| format!("(f{fact})")).collect();
        let mut text = format!("(define (domain facts) (:requirements :adl) (:predicates {})", facts.join(" "));
        for (number, (needs, changes)) in self.actions.iter().enumerate() {
            let (needs, changes) = (written(needs).join(" "), written(changes).join(" "));
            text += &format!("\n(:action a{number} :precondition (and {needs}) :effect (and {changes}))");
        }
        let initial: Vec<String> =
            (0..FACTS).filter(|fact| self.initial >> fact & 1 == 1).map(|fact| format!("(f{fact})")).collect();
        let goal = written(&self.goal).join(" ");
        text + &format!(")\n(define (problem task) (:domain facts) (:init {}) (:goal (and {goal})))", initial.join(" "))
    }

    /// A state from the facts that an action changes; the others are as they were at first.
    fn whole(&self, state: u32) -> u32 {
        let changed = self.actions.iter().flat_map(|(_, changes)| changes).fold(0, |mask, &(fact, _)| mask | 1 << fact);
        state & changed | self.initial & !changed
    }

    fn holds(literals: &[Literal], state: u32) -> bool {
        literals.iter().all(|&(fact, holds)| (state >> fact & 1 == 1) == holds)
    }

    fn successors(&self, state: u32) -> BTreeSet<u32> {
        let mut after = BTreeSet::new();
        if !Task::holds(&self.goal, state) {
            for (needs, changes) in &self.actions {
                if Task::holds(needs, state) {
                    let changed =
                        changes.iter().fold(
                            state,
                            |state, &(fact, holds)| {
                                if holds { state | 1 << fact } else { state & !(1 << fact) }
                            },
                        );
                    after.insert(changed);
                }
            }
        }
        after
    }

    /// The states that can be reached from some, these included.
    fn reached(&self, from: u32) -> BTreeSet<u32> {
        let (mut found, mut open) = (BTreeSet::from([from]), vec![from]);
        while let Some(state) = open.pop() {
            open.extend(self.successors(state).into_iter().filter(|&next| found.insert(next)));
        }
        found
    }

    fn is_dead_end(&self, state: u32) -> bool {
        !self.reached(state).into_iter().any(|state| Task::holds(&self.goal, state))
    }

    /// Dead ends in the breadth-first layers, each state in every one that has it.
    fn dead_ends_by_layer(&self) -> usize {
        let (mut layer, mut found) = (BTreeSet::from([self.initial]), 0);
        while !layer.is_empty() {
            found += layer.iter().filter(|&&state| self.is_dead_end(state)).count();
            layer = layer.iter().flat_map(|&state| self.successors(state)).collect();
        }
        found
    }
}

fn facts(solution: &Solution, position: &Position) -> u32 {
    let query = solution.query(position, None).expect("a position of the solution");
    query.state.iter().fold(0, |state, name| state | 1 << name.trim_start_matches('f').parse::<u32>().expect("a fact"))
}

fn names(value: &Value) -> BTreeSet<Vec<String>> {
    let text = |value: &Value| value.as_str().expect("a condition").to_owned();
    let each = value.as_array().expect("a list").iter();
    each.map(|one| match one {
        Value::Array(pair) => {
            let mut pair: Vec<String> = pair.iter().map(text).collect();
            pair.sort();
            pair
        }
        one => vec![text(one)],
    })
    .collect()
}

/// How a task was told: whether it has a plan and, if not, why.
fn compare(task: &Task, report: &RunReport, name: &str) -> &'static str {
    let states = task.reached(task.initial);
    let json = json!(report);
    let dead_ends = match report.algorithm {
        Algorithm::Layered => task.dead_ends_by_layer(),
        _ => states.iter().filter(|&&state| task.is_dead_end(state)).count(),
    };
    assert_eq!(json["dead_ends"], json!(dead_ends), "{name}");
    let text = report.to_string();
    if !task.is_dead_end(task.initial) {
        assert!(json.get("unsolvable").is_none() && json.get("unreached").is_none(), "{name}");
        assert!(!text.contains("no plan"), "{name}: {text}");
        assert_eq!(text.contains("from which the goal can't be reached"), dead_ends > 0, "{name}: {text}");
        return "solvable";
    }
    assert!(text.starts_with("task: the goal can't be reached: there is no plan\n"), "{name}: {text}");
    let found = &json["unsolvable"];
    assert_eq!((&found["reward"], &found["states"]), (&json!(100), &json!(states.len())), "{name}");
    let somewhere = |literals: &[Literal]| states.iter().any(|&state| Task::holds(literals, state));
    let alone = task.goal.iter().filter(|literal| !somewhere(&[**literal]));
    let never: BTreeSet<Vec<String>> = alone.map(|&literal| vec![shown(literal)]).collect();
    if found["by_rules"] == json!(true) {
        assert!(!never.is_empty() && found.get("never").is_none(), "{name}: {found}");
        return "by the rules";
    }
    assert_eq!(names(&found["never"]), never, "{name}: {found}");
    let mut apart = BTreeSet::new();
    for (index, &first) in task.goal.iter().enumerate() {
        for &second in task.goal[index + 1..].iter().filter(|second| !somewhere(&[first, **second])) {
            let mut pair = vec![shown(first), shown(second)];
            pair.sort();
            apart.insert(pair);
        }
    }
    let expected = if never.is_empty() { apart } else { BTreeSet::new() };
    assert_eq!(names(&found["never_together"]), expected, "{name}: {found}");
    match (never.is_empty(), expected.is_empty()) {
        (false, _) => "alone",
        (true, false) => "in pairs",
        (true, true) => "together",
    }
}

fn load(session: &Session, text: &str) -> Rules {
    session.load(Source::new("task.pddl", text.as_bytes()))
}

#[test]
fn random_tasks_are_told_as_a_search_finds_them() {
    let session = Session::default();
    let (mut kinds, mut dead) = (BTreeMap::<&str, usize>::new(), 0);
    for seed in 0..TASKS {
        let task = Task::new(seed);
        let text = task.text();
        let rules = load(&session, &text);
        let expansion = [ExpansionChoice::Auto, ExpansionChoice::Relations, ExpansionChoice::States][seed as usize % 3];
        let algorithm = (seed % 2 == 1).then_some(Algorithm::Global);
        let options = SolveOptions { expansion, algorithm, threads: 1, ..SolveOptions::default() };
        let name = format!("task {seed}:\n{text}\n");
        let nowhere =
            session.solve(&rules, &options, &Destination::Nowhere("a test".to_owned())).expect("it is solved");
        *kinds.entry(compare(&task, &nowhere, &name)).or_default() += 1;
        // What is stored tells the same.
        let folder = tempfile::tempdir().expect("a folder");
        let kept = folder.path().join("task.ggs");
        let destination = Destination::Folder { folder: kept.clone(), force: false };
        let stored = session.solve(&rules, &options, &destination).expect("it is solved");
        let again = session.solve(&rules, &options, &destination).expect("it is read");
        assert!(again.from_disk);
        for report in [&stored, &again, &session.report(&kept).expect("it is there")] {
            assert_eq!(report.unreached, nowhere.unreached, "{name}");
            assert_eq!(report.dead_ends, nowhere.dead_ends, "{name}");
        }
        // So does every position.
        let solution = session.open(&kept).expect("it is there");
        let (mut open, mut seen) = (vec![solution.start()], BTreeSet::new());
        while let Some(position) = open.pop() {
            let (state, query) =
                (task.whole(facts(&solution, &position)), solution.query(&position, None).expect("a position"));
            if seen.insert(state) {
                assert_eq!(query.dead_end, Some(task.is_dead_end(state)), "{name}{state:b}");
                assert_eq!(
                    query.to_string().contains("a dead end: the goal can't be reached from here"),
                    task.is_dead_end(state)
                );
                dead += usize::from(task.is_dead_end(state));
                for option in &query.moves {
                    open.push(solution.step(&position, &option.action).expect("a legal move"));
                }
            }
        }
        assert_eq!(seen, task.reached(task.initial), "{name}");
    }
    assert!(dead as u64 > TASKS, "{dead} dead ends");
    assert_eq!(kinds.values().sum::<usize>(), TASKS as usize);
    // Grounding sees of most conditions that hold alone in no state that this is so.
    for kind in KINDS.into_iter().filter(|kind| *kind != "alone") {
        assert!(kinds.get(kind).is_some_and(|&number| number > 1), "{kinds:?}");
    }
}

#[test]
fn a_condition_that_holds_in_no_state_is_named() {
    // Two doors, one behind the other, and a key that breaks.
    let text = "(define (domain doors) (:requirements :strips) (:predicates (key) (first) (second) (here))
        (:action one :precondition (key) :effect (and (first) (not (key))))
        (:action two :precondition (and (key) (first)) :effect (and (second) (not (key)))))
        (define (problem task) (:domain doors) (:init (key) (here)) (:goal (and (key) (first) (second))))";
    let session = Session::default();
    let nowhere = Destination::Nowhere("a test".to_owned());
    let report = session.solve(&load(&session, text), &SolveOptions::default(), &nowhere).expect("it is solved");
    let found = &json!(report)["unsolvable"];
    // The key is there in the first state alone.
    assert_eq!(found["conditions"].as_array().map(Vec::len), Some(3), "{found}");
    assert_eq!((&found["never"], &found["never_together"]), (&json!(["second"]), &json!([])));
    let told =
        "None of 2 states that can be reached has the goal; this condition of it holds in none of them:\n    second\n";
    assert!(report.to_string().contains(told), "{report}");
}

/// Steps along a line, of which the last one asks for what is not there.
fn line(goals: &str) -> String {
    format!(
        "(role you) (init (at 0)) (step 0 1) (step 0 2) (step 2 3)
         (<= (legal you (go ?y)) (true (at ?x)) (step ?x ?y))
         (<= (next (at ?y)) (does you (go ?y)))
         (<= moving (true (at ?x)) (step ?x ?y)) (<= terminal (not moving))
         {goals}"
    )
}

fn solved(goals: &str) -> RunReport {
    let session = Session::default();
    let rules = session.load(Source::new("line.gdl", line(goals).as_bytes()));
    session.solve(&rules, &SolveOptions::default(), &Destination::Nowhere("a test".to_owned())).expect("it is solved")
}

#[test]
fn a_reward_below_the_highest_is_no_failure() {
    let goals = "(<= (goal you 20) (true (at 1))) (<= (goal you 50) (true (at 3)))
                 (<= (goal you 100) (true (at 1)) (true (at 3))) (<= (goal you 0) (true (at 0)))";
    let report = solved(goals);
    let (json, text) = (json!(report), report.to_string());
    assert!(text.starts_with("line: 50 at best for you\n") && !text.contains("no plan"), "{text}");
    assert!(text.contains("1 state from which 50, the best from the start, can't be reached"), "{text}");
    assert!(
        text.contains("has the reward 100; each condition of it holds in some of them, but never together:"),
        "{text}"
    );
    assert!(text.contains("(at 1) with (at 3)"), "{text}");
    assert_eq!((&json["dead_ends"], &json["unreached"]["best"]), (&json!(1), &json!(50)));
    assert!(json.get("unsolvable").is_none());
}

#[test]
fn several_rewards_of_which_none_is_reached_make_no_plan() {
    let goals = "(<= (goal you 50) (true (at 1)) (true (at 2))) (<= (goal you 100) (true (at 1)) (true (at 3)))
                 (<= (goal you 0) (true (at ?x)))";
    let text = solved(goals).to_string();
    assert!(text.starts_with("line: no reward above 0 can be reached: there is no plan\n"), "{text}");
}

#[test]
fn games_of_several_players_and_without_a_reward_have_no_dead_ends() {
    let json = json!(solved("(<= (goal you 0) (true (at ?x)))"));
    assert!(json.get("dead_ends").is_none() && json.get("unsolvable").is_none());
    let session = Session::default();
    let rules = session.load_file(std::path::Path::new("games/nim40.gdl")).expect("it is there");
    let nowhere = Destination::Nowhere("a test".to_owned());
    let json = json!(session.solve(&rules, &SolveOptions::default(), &nowhere).expect("it is solved"));
    assert!(json.get("dead_ends").is_none());
}

#[test]
fn check_names_the_condition_that_nothing_brings_about() {
    let domain = "(define (domain d) (:requirements :adl) (:predicates (a) (b) (c ?x) (kept) (never))
                  (:constants x y)
                  (:action do :precondition (b) :effect (a))
                  (:action fill :precondition (never) :effect (c x)))";
    // What is asked for, and what of it is named besides the goal itself.
    let cases: [(&str, &[&str]); 5] = [
        ("(and (a) (b))", &[]),
        ("(and (a) (c y))", &["(c y)"]),
        ("(and (a) (c x))", &["(c x)"]),
        ("(and (a) (kept) (not (b)))", &["(kept)"]),
        ("(or (c x) (a))", &[]),
    ];
    for (goal, expected) in cases {
        let text = format!("{domain}\n(define (problem p) (:domain d) (:init (b)) (:goal {goal}))");
        let session = Session::default();
        let report = session.check(&load(&session, &text)).expect("no limit");
        let named = |code: &str| -> Vec<String> {
            let found = report.findings.diagnostics.iter().filter(|finding| finding.code == code);
            let place = |finding: &Finding| {
                let line = text.lines().nth(finding.line - 1).expect("a line of the text");
                line[finding.column - 1..finding.end_column - 1].to_owned()
            };
            found.map(place).collect()
        };
        assert_eq!(named("never-holds"), expected, "{goal}");
        let unreachable = named("unreachable-goal");
        assert_eq!(unreachable.len(), usize::from(!expected.is_empty()), "{goal}: {unreachable:?}");
    }
}
