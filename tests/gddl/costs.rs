//! Action costs: cheapest plans, their files and their number, on random tasks and on those of the competitions, against an
//! evaluator and a search of the tests' own.

use crate::pddl::{State, Task};
use base::random::Random;
use game::diagnostic::Source;
use game::rules::gddl;
use ggsolve::session::{PlansReport, RunReport};
use ggsolve::{Destination, LimitReached, Limits, Order, Rules, Session, SolveOptions};
use num_bigint::BigUint;
use solving::solve::ExpansionChoice;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What the best plans from a state are: cost, moves, how many.
type Best = Option<(u64, usize, BigUint)>;

/// The best plans from a state: the least cost and number of moves to every state, improved until nothing changes, and then
/// the ways on which every step is as good.
fn best(task: &Task, from: &State) -> Best {
    let (mut states, mut numbers) = (vec![from.clone()], BTreeMap::from([(from.clone(), 0)]));
    // By state: where steps lead, and at what cost; none from goals.
    let mut steps: Vec<Vec<(usize, u64)>> = Vec::new();
    while let Some(state) = states.get(steps.len()).cloned() {
        let after = if task.is_goal(&state) { Vec::new() } else { task.steps(&state) };
        let mut number = |state: State| {
            *numbers.entry(state.clone()).or_insert_with(|| {
                states.push(state);
                states.len() - 1
            })
        };
        steps.push(after.into_iter().map(|(_, cost, state)| (number(state), cost)).collect());
    }
    let mut keys: Vec<Option<(u64, usize)>> = vec![None; states.len()];
    keys[0] = Some((0, 0));
    let mut changed = true;
    while changed {
        changed = false;
        for (source, steps) in steps.iter().enumerate() {
            let Some((cost, moves)) = keys[source] else { continue };
            for &(target, own) in steps {
                let key = (cost + own, moves + 1);
                if keys[target].is_none_or(|known| key < known) {
                    keys[target] = Some(key);
                    changed = true;
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..states.len()).filter(|&state| keys[state].is_some()).collect();
    order.sort_by_key(|&state| keys[state]);
    let mut ways = vec![BigUint::default(); states.len()];
    ways[0] = 1u32.into();
    for &source in &order {
        let (cost, moves) = keys[source].unwrap();
        for &(target, own) in &steps[source] {
            if keys[target] == Some((cost + own, moves + 1)) {
                let more = ways[source].clone();
                ways[target] += more;
            }
        }
    }
    let goals: Vec<usize> = order.into_iter().filter(|&state| task.is_goal(&states[state])).collect();
    let (cost, moves) = keys[*goals.first()?].unwrap();
    let plans = goals.iter().filter(|&&goal| keys[goal] == Some((cost, moves))).map(|&goal| &ways[goal]).sum();
    Some((cost, moves, plans))
}

/// A random domain and problem: walkers between places with tolls and lengths, keys that vanish, actions in two versions of
/// the same effect, some of them for nothing.
fn random_task(random: &mut Random) -> (String, String) {
    let pick = |random: &mut Random, choices: &[&str]| (*random.choose(choices).unwrap()).to_owned();
    let amounts =
        ["0", "1", "2", "3", "(toll ?a)", "(length ?a ?b)", "(+ 1 (length ?a ?b))", "(* 2 (toll ?b))", "(fee)"];
    let mut domain = String::from(
        "(define (domain walk) (:requirements :strips :typing :negative-preconditions :action-costs)\n \
         (:types place)\n (:predicates (at ?p - place) (key ?p - place) (road ?a ?b - place) (done))\n \
         (:functions (total-cost) (toll ?p - place) (length ?a ?b - place) (fee) - number)\n",
    );
    if random.chance(60) {
        domain.push_str(
            " (:action go :parameters (?a ?b - place) :precondition (and (at ?a) (road ?a ?b))\n  \
             :effect (and (not (at ?a)) (at ?b) (increase (total-cost) (length ?a ?b))))\n",
        );
    }
    for number in 0..2 + random.below(3) {
        let mut conditions = vec![pick(random, &["(at ?a)", "(at ?a)", "(key ?a)"])];
        for condition in ["(road ?a ?b)", "(not (at ?b))", "(key ?b)", "(not (done))", "(not (= ?a ?b))"] {
            if random.chance(25) {
                conditions.push(condition.to_owned());
            }
        }
        let mut effects = Vec::new();
        while effects.is_empty() {
            for effect in ["(at ?b)", "(not (at ?a))", "(key ?a)", "(not (key ?a))", "(not (key ?b))", "(done)"] {
                if random.chance(30) {
                    effects.push(effect.to_owned());
                }
            }
        }
        // The same effect under another name, at the same cost or at another one.
        for name in (0..1 + usize::from(random.chance(30))).map(|version| format!("do{number}-{version}")) {
            let mut effects = effects.clone();
            for _ in 0..random.below(3) {
                effects.push(format!("(increase (total-cost) {})", pick(random, &amounts)));
            }
            let _ = writeln!(
                domain,
                " (:action {name} :parameters (?a ?b - place) :precondition (and {}) :effect (and {}))",
                conditions.join(" "),
                effects.join(" ")
            );
        }
    }
    domain.push(')');
    let places = ["x", "y", "z"];
    let mut init = format!("(= (total-cost) 0) (= (fee) {}) (at {})", random.below(6), pick(random, &places));
    for a in places {
        let _ = write!(init, " (= (toll {a}) {})", random.below(4));
        if random.chance(50) {
            let _ = write!(init, " (key {a})");
        }
        for b in places {
            let _ = write!(init, " (= (length {a} {b}) {})", random.below(9));
            if random.chance(70) {
                let _ = write!(init, " (road {a} {b})");
            }
        }
    }
    let mut goal = vec![format!("(at {})", pick(random, &places))];
    for a in places {
        if random.chance(30) {
            goal.push(pick(random, &["(at A)", "(key A)", "(not (key A))", "(not (at A))", "(done)"]).replace('A', a));
        }
    }
    let problem = format!(
        "(define (problem walk-1) (:domain walk) (:objects x y z - place)\n (:init {init})\n (:goal (and {}))\n \
         (:metric minimize (total-cost)))",
        goal.join(" ")
    );
    (domain, problem)
}

fn rules(session: &Session, domain: &str, problem: &str) -> Rules {
    let [domain, problem] = [domain, problem].map(|text| Source::new("task.pddl", text.as_bytes()));
    session.load(Source::joined(domain, problem))
}

/// Plans are found state by state, or by layers of diagrams where these are asked for.
fn solved(domain: &str, problem: &str, expansion: ExpansionChoice, plans: bool) -> RunReport {
    let session = Session::default();
    let options = SolveOptions { line: true, plans, expansion, order: Order::Rules, ..SolveOptions::default() };
    let report = session.solve(&rules(&session, domain, problem), &options, &Destination::Nowhere(String::new()));
    report.unwrap_or_else(|error| panic!("{error}\n{domain}\n{problem}"))
}

/// Compares what is reported with the search of the tests, and the plan file with the rules of the format.
fn compare(domain: &str, problem: &str) -> Best {
    let task = Task::new(domain, problem);
    let expected = best(&task, &task.initial);
    let ways = [(ExpansionChoice::Auto, true), (ExpansionChoice::Relations, true), (ExpansionChoice::Relations, false)];
    for (expansion, counted) in ways {
        let report = solved(domain, problem, expansion, counted);
        let plans = report.plans.as_ref().expect("plans were asked for");
        let number = |plans: &PlansReport| plans.plans.clone().unwrap();
        let found = plans.cost.map(|cost| (cost, plans.plan_length.unwrap(), counted.then(|| number(plans))));
        let number = |(cost, moves, plans): &(_, _, BigUint)| (*cost, *moves, counted.then(|| plans.clone()));
        assert_eq!(found, expected.as_ref().map(number), "{expansion:?}\n{domain}\n{problem}");
        match (&expected, report.plan_file()) {
            (Some((cost, moves, _)), Some(file)) => {
                assert_eq!(task.validate(&file), Ok((*cost, *moves)), "{expansion:?}\n{file}{domain}\n{problem}");
            }
            (None, None) => assert_eq!(plans.plans, counted.then(BigUint::default)),
            (_, file) => panic!("{expansion:?}: {file:?}\n{domain}\n{problem}"),
        }
    }
    expected
}

#[test]
fn random_tasks_have_the_plans_of_dijkstra() {
    let mut random = Random::new(35);
    // Tasks without a plan, with one that costs nothing, with several, and where the cheapest is not the shortest.
    let (mut unsolvable, mut free, mut several, mut longer) = (0, 0, 0, 0);
    for _ in 0..200 {
        let (domain, problem) = random_task(&mut random);
        let unit = problem.replace("(:metric minimize (total-cost))", "");
        match compare(&domain, &problem) {
            None => unsolvable += 1,
            Some((cost, moves, plans)) => {
                free += u32::from(cost == 0 && moves > 0);
                several += u32::from(plans > 1u32.into());
                let shortest = compare(&domain, &unit).expect("there is a plan");
                longer += u32::from(shortest.1 < moves);
            }
        }
    }
    assert!(unsolvable > 20 && free > 20 && several > 20 && longer > 5, "{unsolvable} {free} {several} {longer}");
}

#[test]
fn positions_on_the_way_have_their_plans() {
    let mut random = Random::new(36);
    let (mut with_plan, mut dead) = (0, 0);
    for _ in 0..15 {
        let (domain, problem) = random_task(&mut random);
        let (task, session) = (Task::new(&domain, &problem), Session::default());
        let rules = rules(&session, &domain, &problem);
        let solution = session.solution(&rules, &SolveOptions::default()).unwrap();
        let (mut position, mut state) = (solution.start(), task.initial.clone());
        for _ in 0..6 {
            let mut query = solution.query(&position, None).unwrap();
            solution.add_plans(&mut query, &position, true, usize::MAX, &Limits::unlimited()).unwrap();
            let expected = best(&task, &state);
            let found = (query.plans.cost, query.plans.plans.clone());
            match &expected {
                Some((cost, _, plans)) => assert_eq!(found, (Some(*cost), Some(plans.clone())), "{query}"),
                None => assert_eq!(found, (None, Some(BigUint::default())), "{query}"),
            }
            with_plan += u32::from(expected.is_some());
            dead += u32::from(expected.is_none());
            let line = solution.line(&position, usize::MAX, &Limits::unlimited()).unwrap();
            assert_eq!(line.cost, expected.as_ref().map(|(cost, ..)| *cost), "{query}");
            if let Some((_, moves, _)) = &expected {
                assert!(line.exact && line.ends && line.steps.len() == *moves, "{line:?} in {query}");
            }
            let steps = if task.is_goal(&state) { Vec::new() } else { task.steps(&state) };
            for option in &query.moves {
                let (_, own, after) =
                    steps.iter().find(|step| format!("({})", step.0.join(" ")) == option.action).unwrap();
                let by_move = best(&task, after).map(|(cost, ..)| cost + own);
                assert_eq!(option.cost, by_move, "{} in {query}", option.action);
            }
            let Some((name, _, after)) = random.choose(&steps).cloned() else { break };
            position = solution.step(&position, &format!("({})", name.join(" "))).unwrap();
            state = after;
        }
    }
    assert!(with_plan > 10 && dead > 10, "{with_plan} {dead}");
}

fn file(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gddl/planning").join(name);
    std::fs::read_to_string(path).expect("the domain can be read")
}

/// In transport the van takes both packages: 10 and 25 for the roads, and 1 for each of four times loading and unloading.
#[test]
fn tasks_of_the_competitions() {
    let found =
        |domain: &str, problem: &str| compare(&file(domain), &file(problem)).map(|(cost, moves, _)| (cost, moves));
    assert_eq!(found("transport.pddl", "transport-3.pddl"), Some((39, 6)));
    assert_eq!(found("transport.pddl", "transport-cut.pddl"), None);
    assert!(found("elevators.pddl", "elevators-3.pddl").is_some());
    assert_eq!(found("elevators.pddl", "elevators-apart.pddl"), None);
    assert!(found("blocks.pddl", "blocks-3.pddl").is_some());
    // Actions of many parameters, and facts that are derived.
    assert_eq!(found("folding.pddl", "folding-4.pddl"), Some((5, 5)));
    assert_eq!(found("snake.pddl", "snake-4.pddl"), Some((11, 11)));
    assert_eq!(found("layout.pddl", "layout-4.pddl"), Some((5, 5)));
    assert_eq!(found("spider.pddl", "spider-6.pddl"), Some((13, 13)));
}

/// A way of many steps, each of which can be done by two actions.
fn chain(steps: usize) -> (String, String) {
    let domain = "(define (domain chain) (:predicates (at ?a) (next ?a ?b))
        (:action left :parameters (?a ?b) :precondition (and (at ?a) (next ?a ?b)) :effect (and (not (at ?a)) (at ?b)))
        (:action right :parameters (?a ?b) :precondition (and (at ?a) (next ?a ?b)) :effect (and (not (at ?a)) (at ?b))))";
    let objects: String = (0..=steps).map(|step| format!(" l{step}")).collect();
    let next: String = (0..steps).map(|step| format!(" (next l{step} l{})", step + 1)).collect();
    let problem = format!(
        "(define (problem chain-1) (:domain chain) (:objects{objects}) (:init (at l0){next}) (:goal (at l{steps})))"
    );
    (domain.to_owned(), problem)
}

/// Where costs differ much, layers are many and small: if nobody asked for the plan, they end with a lower bound, and else
/// states are looked at one by one.
#[test]
fn many_different_costs_are_left_to_single_states() {
    let (domain, problem) = chain(160);
    let functions = "(:functions (total-cost) (length ?a ?b))";
    let domain = domain.replacen("(:action", &format!("{functions} (:action"), 1);
    let domain = domain.replace("(at ?b))", "(at ?b) (increase (total-cost) (length ?a ?b)))");
    let lengths: String = (0..160).map(|step| format!(" (= (length l{step} l{}) {})", step + 1, 7 + step)).collect();
    let problem = problem.replacen("(:init", &format!("(:metric minimize (total-cost)) (:init{lengths}"), 1);
    let session = Session::default();
    let found = |line| {
        let options = SolveOptions { line, expansion: ExpansionChoice::Relations, ..SolveOptions::default() };
        let destination = Destination::Nowhere(String::new());
        session.solve(&rules(&session, &domain, &problem), &options, &destination).unwrap().plans.unwrap()
    };
    let cost: u64 = (7..167).sum();
    assert_eq!((found(true).cost, found(true).plan_length), (Some(cost), Some(160)));
    let bounded = found(false);
    assert!(bounded.cost.is_none() && bounded.cost_at_least.is_some_and(|least| 0 < least && least < cost));
}

#[test]
fn many_plans_are_counted_exactly() {
    for (steps, told) in
        [(3, "8"), (53, "9007199254740992"), (54, "\"18014398509481984\""), (70, "\"1180591620717411303424\"")]
    {
        let (domain, problem) = chain(steps);
        let report = solved(&domain, &problem, ExpansionChoice::Auto, true);
        assert_eq!(report.plans.as_ref().unwrap().plans, Some(BigUint::from(2u32).pow(steps as u32)));
        let json = serde_json::to_string(&report).unwrap();
        assert!(json.contains(&format!("\"cost\":{steps},\"plan_length\":{steps},\"plans\":{told}")), "{json}");
    }
}

#[test]
fn the_search_keeps_its_bound_of_memory() {
    use game::interpreter::Interpreter;
    use solving::cheapest::{Cheapest, Wanted, cheapest};
    let (domain, problem) = chain(40);
    let source = Source::joined(Source::new("d.pddl", domain.as_bytes()), Source::new("p.pddl", problem.as_bytes()));
    let game = crate::game(&source);
    let interpreter = Interpreter::new(&game);
    let search = |states: Option<usize>, memory| {
        let wanted = Wanted { reward: 100, plans: true, states };
        cheapest(&game, &interpreter, &interpreter.initial(), wanted, None, &Limits::new(memory))
    };
    assert!(matches!(search(None, 1 << 20), Ok(Cheapest::Plan(plan)) if plan.moves.len() == 40));
    let refused = search(None, 2000).unwrap_err();
    assert!(matches!(refused.reason(), LimitReached::Memory { .. }), "{refused}");
    assert_eq!(search(Some(10), u64::MAX), Ok(Cheapest::AtLeast(10)));
    // With a bound on states, memory is one of them.
    assert!(matches!(search(Some(usize::MAX), 6_000), Ok(Cheapest::AtLeast(1..40))));
}

/// The places where costs cannot count.
#[test]
fn what_prevents_costs_is_told_where_it_stands() {
    let domain = |effect: &str| {
        format!(
            "(define (domain d) (:requirements :adl :action-costs) (:predicates (p ?x) (q))\n (:functions (total-cost) (f ?x) (g))\n \
             (:action a :parameters (?x) :precondition (p ?x)\n :effect (and (q) {effect})))"
        )
    };
    let problem = |value: &str, metric: &str| {
        format!(
            "(define (problem p) (:domain d) (:objects a)\n (:init (p a) (= (f a) {value}))\n (:goal (q)) {metric})"
        )
    };
    const METRIC: &str = "(:metric minimize (total-cost))";
    // The effect, the value of (f a), the metric, and the text that is underlined.
    let cases = [
        ("(increase (total-cost) (f ?x))", "3", METRIC, None),
        ("(increase (total-cost) (+ (f ?x) (* 2 2.0)))", "0", "(:metric minimize total-cost)", None),
        ("(increase (total-cost) 1)", "-2.5", METRIC, None),
        ("(increase (total-cost) (f ?x))", "-3", METRIC, Some("-3")),
        ("(increase (total-cost) (f ?x))", "2.5", METRIC, Some("2.5")),
        ("(increase (total-cost) 0.5)", "1", METRIC, Some("0.5")),
        ("(increase (total-cost) 4294967296)", "1", METRIC, Some("4294967296")),
        ("(increase (total-cost) (- 3 (f ?x)))", "1", METRIC, Some("(- 3 (f ?x))")),
        ("(when (q) (increase (total-cost) 1))", "1", METRIC, Some("(increase (total-cost) 1)")),
        ("(forall (?y) (increase (total-cost) 1))", "1", METRIC, Some("(increase (total-cost) 1)")),
        ("(increase (g) 1) (increase (total-cost) (g))", "1", METRIC, Some("(g)")),
        ("(increase (total-cost) (f ?x))", "1", "", Some("(increase (total-cost) (f ?x))")),
        ("(increase (total-cost) 1)", "1", "(:metric minimize (total-time))", Some("(:metric minimize (total-time))")),
        ("", "1", "(:metric minimize (total-time))", None),
        ("", "1", "(:metric minimize (f a))", Some("(:metric minimize (f a))")),
        ("(increase (g) 1)", "1", "(:metric minimize (f a))", Some("(:metric minimize (f a))")),
        ("(increase (total-cost) 1)", "1 ) (= (f a) 1", METRIC, None),
        ("(increase (total-cost) (f ?x))", "1) (= (f a) 2", METRIC, Some("2")),
    ];
    for (effect, value, metric, place) in cases {
        let (domain, problem) = (domain(effect), problem(value, metric));
        let source =
            Source::joined(Source::new("d.pddl", domain.as_bytes()), Source::new("p.pddl", problem.as_bytes()));
        let (program, findings) = gddl::program(&source);
        let program = program.unwrap_or_else(|| panic!("{findings:?}"));
        assert_eq!(program.costs.is_some(), place.is_none() && !effect.is_empty(), "{effect} {value} {metric}");
        let told: Vec<&str> = findings
            .iter()
            .filter(|found| found.code == "action-costs")
            .map(|found| source.slice(found.span))
            .collect();
        assert_eq!(told, place.into_iter().collect::<Vec<_>>(), "{effect} {value} {metric}");
    }
    // What says nothing although costs count.
    const OTHER: &str = "(:metric minimize (g))";
    let both = format!("{METRIC} {OTHER}");
    for (effect, metric, place) in [
        ("(increase (g) 1)", METRIC, vec![METRIC, "(increase (g) 1)"]),
        ("(increase (total-cost) 1)", METRIC, vec![]),
        ("(increase (total-cost) 1)", &both, vec![OTHER]),
    ] {
        let (domain, problem) = (domain(effect), problem("1", metric));
        let source =
            Source::joined(Source::new("d.pddl", domain.as_bytes()), Source::new("p.pddl", problem.as_bytes()));
        let (program, findings) = gddl::program(&source);
        assert!(program.is_some_and(|program| program.costs.is_some()));
        let mut told: Vec<&str> = findings.iter().map(|found| source.slice(found.span)).collect();
        told.sort_unstable_by_key(|text| text.len());
        let mut place = place;
        place.sort_unstable_by_key(|text| text.len());
        assert_eq!(told, place);
    }
}

/// A move whose cost is not given is refused with the fact to add.
#[test]
fn a_cost_that_is_missing_is_told_with_the_fact() {
    let problem = file("transport-3.pddl").replace("(= (road-length b c) 25)", "");
    let session = Session::default();
    let error = session.ground(&rules(&session, &file("transport.pddl"), &problem)).unwrap_err().to_string();
    assert!(error.contains("missing-cost") && error.contains("(= (road-length b c) 1)"), "{error}");
    assert!(error.contains("(drive van b c)"), "{error}");
}

#[test]
fn a_cost_that_is_too_large_is_told_with_its_place() {
    let domain =
        "(define (domain d) (:requirements :strips :action-costs) (:predicates (at ?x)) (:functions (total-cost))
      (:action go :parameters (?x) :precondition (at ?x)
        :effect (and (not (at ?x))
          (increase (total-cost) (* 4294967295 4294967295 2)))))";
    let problem = "(define (problem p) (:domain d) (:objects a) (:init (at a)) (:goal (not (at a)))
      (:metric minimize (total-cost)))";
    let session = Session::default();
    let error = session.ground(&rules(&session, domain, problem)).unwrap_err().to_string();
    assert!(error.contains("large-cost") && error.contains("4:34") && error.contains("(go a)"), "{error}");
}

/// Each move costs 2⁶⁴ − 2³³ + 1, so that two of them cost more than a number of 64 bits can tell.
#[test]
fn costs_beyond_their_range_are_lower_bounds() {
    let domain = "(define (domain d) (:requirements :action-costs) (:predicates (at ?x) (road ?x ?y))
      (:functions (total-cost))
      (:action go :parameters (?x ?y) :precondition (and (at ?x) (road ?x ?y))
        :effect (and (not (at ?x)) (at ?y) (increase (total-cost) (* 4294967295 4294967295)))))";
    let problem =
        "(define (problem p) (:domain d) (:objects a b c e) (:init (at a) (road a b) (road b c) (road c e) (road b e))
      (:goal (at e)) (:metric minimize (total-cost)))";
    let (session, place) = (Session::default(), tempfile::tempdir().unwrap());
    let folder = place.path().join("dear.ggs");
    let destination = Destination::Folder { folder: folder.clone(), force: false };
    session.solve(&rules(&session, domain, problem), &SolveOptions::default(), &destination).unwrap();
    let solution = session.open(&folder).unwrap();
    let found = |position| {
        let mut query = solution.query(&position, None).unwrap();
        solution.add_plans(&mut query, &position, true, 1000, &Limits::unlimited()).unwrap();
        let moves = query.moves.iter().map(|option| (option.action.clone(), option.cost, option.cost_at_least));
        (query.plans.cost, query.plans.cost_at_least, moves.collect::<Vec<_>>())
    };
    let (dear, most) = (4294967295 * 4294967295, u64::MAX);
    assert_eq!(found(solution.start()), (None, Some(most), vec![("(go a b)".to_owned(), None, Some(most))]));
    let second = solution.step(&solution.start(), "(go a b)").unwrap();
    let moves = vec![("(go b e)".to_owned(), Some(dear), None), ("(go b c)".to_owned(), None, Some(most))];
    assert_eq!(found(second), (Some(dear), None, moves));
}

/// Tasks that differ only in costs are not the same task, and the text of a task without costs says nothing of them.
#[test]
fn costs_are_part_of_the_identity() {
    let identity = |problem: &str| {
        let source = Source::joined(
            Source::new("d.pddl", file("transport.pddl").as_bytes()),
            Source::new("p.pddl", problem.as_bytes()),
        );
        game::rules::identity(&gddl::rulesheet(&source, &mut Vec::new()).unwrap())
    };
    let problem = file("transport-3.pddl");
    let (other, moved) =
        (problem.replace("a b) 10", "a b) 11"), problem.replace("(at van a) (at p1 a)", "(at p1 a) (at van a)"));
    let without = |problem: &str| problem.replace("(:metric minimize (total-cost))", "");
    assert_ne!(identity(&problem), identity(&other));
    assert_eq!(identity(&problem), identity(&moved));
    assert_eq!(identity(&without(&problem)), identity(&without(&other)));
}

fn shipped(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("games/planning").join(name);
    std::fs::read_to_string(path).expect("the domain can be read")
}

/// The direct road is the shortest plan, and the one through the village the cheapest.
#[test]
fn who_shows_positions_tells_costs() {
    use game::propositional::RoleId;
    use ggsolve::play::{Command, Match, Settings};
    let session = Session::default();
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("delivery.ggs");
    let rules = rules(&session, &shipped("delivery.pddl"), &shipped("delivery-1.pddl"));
    let destination = Destination::Folder { folder: folder.clone(), force: false };
    session.solve(&rules, &SolveOptions { distances: true, ..SolveOptions::default() }, &destination).unwrap();
    let report = session.report(&folder).unwrap();
    assert_eq!(report.plans.as_ref().and_then(|plans| plans.cost), Some(24));
    let page = api::report::rendered(&session.report_stored(&folder).unwrap(), api::report::Form::Markdown);
    assert!(page.contains("A cheapest plan costs 24, in 6 moves."), "{page}");
    let solution = std::sync::Arc::new(session.open(&folder).unwrap());
    let full = solution.start();
    let full = solution.step(&full, "(load fish harbour) (load salt harbour)").unwrap();
    let line = solution.line(&full, 1000, &Limits::unlimited()).unwrap();
    assert_eq!((line.steps.len(), line.cost, line.exact), (4, Some(22), true));
    // A search that is cut off says so, and the line is not called best.
    let line = solution.line(&full, 1, &Limits::unlimited()).unwrap();
    assert_eq!((line.cost, line.exact, line.ends), (None, false, true));
    let mut query = solution.query(&full, None).unwrap();
    solution.add_plans(&mut query, &full, false, 1, &Limits::unlimited()).unwrap();
    let text = query.to_string();
    assert!(text.contains("plans cost at least ") && text.contains("  at least "), "{text}");
    assert!(query.plans.cost.is_none() && query.moves.iter().all(|option| option.cost.is_none()), "{text}");
    // A match: the direct road keeps the value, and its plans cost more.
    let judged = |moves: &str| api::review::review(&solution, &api::review::Record::read(moves).unwrap()).unwrap();
    let cheapest = solution.line(&solution.start(), 1000, &Limits::unlimited()).unwrap();
    let cheapest: Vec<String> = cheapest.steps.iter().map(|step| step.ply.name(solution.game())).collect();
    assert!(judged(&cheapest.join("\n")).to_string().contains("every move was best"));
    let dearer = judged("(load fish harbour) (load salt harbour) (drive harbour market)");
    assert_eq!((dearer.moves[2].optimal, dearer.moves[2].dearer_by), (false, Some(10)));
    assert_eq!(dearer.moves[2].best, ["(drive harbour village)"]);
    assert!(dearer.to_string().contains("keeps the value, but plans cost 10 more"), "{dearer}");
    // What a person is told.
    let settings = Settings { human: RoleId(0), errors_per_million: 0, seed: 1, nodes: 1000 };
    let (mut game, _) = Match::start(solution.clone(), settings).unwrap();
    let mut say = |line: &str| {
        let told = game.answer(&Command::read(line).unwrap()).unwrap();
        told.iter().map(ToString::to_string).collect::<String>()
    };
    say("(load fish harbour)");
    say("(load salt harbour)");
    let (hint, values) = (say("hint"), say("values"));
    assert_eq!(hint, "  a cheapest plan costs 22\n  by (drive harbour village)\n");
    for told in ["(drive harbour market)  100  keeps  cost 32\n", "(drive harbour village)  100  best  cost 22\n"] {
        assert!(values.contains(told), "{values}");
    }
}

/// More states than are searched one by one: figures of a program for this task alone, which numbers all states.
#[test]
#[ignore = "takes minutes"]
fn a_task_of_many_states_has_its_cheapest_plan() {
    let session = Session::default();
    let place = tempfile::tempdir().unwrap();
    let (domain, problem) = (shipped("delivery.pddl"), shipped("delivery-2.pddl"));
    let (rules, task) = (rules(&session, &domain, &problem), Task::new(&domain, &problem));
    let folder = place.path().join("delivery.ggs");
    let solved = |line, plans| {
        let destination = Destination::Folder { folder: folder.clone(), force: false };
        let options = SolveOptions { line, plans, ..SolveOptions::default() };
        session.solve(&rules, &options, &destination).unwrap()
    };
    let told = |report: &RunReport| report.plans.as_ref().map(|plans| (plans.cost, plans.plan_length));
    let report = solved(true, true);
    assert_eq!(report.states, BigUint::from(38_263_749u32));
    assert_eq!(told(&report), Some((Some(48), Some(23))));
    assert_eq!(report.plans.as_ref().unwrap().plans, Some(BigUint::from(96u32)));
    assert_eq!(task.validate(&report.plan_file().unwrap()), Ok((48, 23)));
    // What is read back says the same.
    let again = solved(false, false);
    assert!(again.from_disk);
    assert_eq!(told(&again), told(&report));
}

/// Moves are not alike if they cost differently.
#[test]
fn symmetries_keep_costs() {
    let domain =
        "(define (domain d) (:requirements :action-costs) (:predicates (at ?x) (end)) (:functions (total-cost) (f ?x))
        (:action go :parameters (?x) :effect (and (at ?x) (increase (total-cost) (f ?x))))
        (:action stop :parameters (?x) :precondition (at ?x) :effect (end)))";
    let problem = |other: u32| {
        format!(
            "(define (problem p) (:domain d) (:objects a b) (:init (= (f a) 1) (= (f b) {other})) (:goal (end)) \
             (:metric minimize (total-cost)))"
        )
    };
    for (other, alike) in [(1, true), (2, false)] {
        let session = Session::default();
        let solution = session.solution(&rules(&session, domain, &problem(other)), &SolveOptions::default()).unwrap();
        let query = solution.query(&solution.start(), None).unwrap();
        assert_eq!(query.moves.iter().any(|option| option.same_as.is_some()), alike, "{query}");
    }
}
