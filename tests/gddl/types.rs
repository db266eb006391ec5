//! Types, in the ways a text can say them, against sets of objects: hierarchies with several parents, `either` after
//! types, objects and variables, objects under several types.

use crate::common::naive::Naive;
use crate::program;
use base::random::Random;
use game::diagnostic::Source;
use std::collections::{BTreeMap, BTreeSet};

/// A union of types, as a variable has it; empty: no type is written.
type Union = Vec<usize>;

/// Names are numbers: type `t0`, object `o0`.
struct World {
    /// By type, those right above it.
    parents: Vec<Vec<usize>>,
    /// By object, its types.
    objects: Vec<Vec<usize>>,
    actions: Vec<Action>,
    /// The types of the argument of the derived predicate `(d ?x)`, which holds where `(p ?x)` does.
    derived: Union,
    /// Objects of which `(p ?x)` holds at first.
    init: Vec<usize>,
}

/// `?x` and `?y` are its parameters.
struct Action {
    parameters: [Union; 2],
    condition: Condition,
    /// `(p ?w)` comes to hold of all of this union; else of `?y`.
    forall: Option<Union>,
}

enum Condition {
    Nothing,
    /// `(p ?x)`
    Holds,
    /// `(d ?x)`
    Derived,
    /// `(exists (?z - union) (p ?z))`
    Some(Union),
    /// `(forall (?z - union) (p ?z))`
    All(Union),
    /// `(exists (?z - union) (and (p ?z) (not (= ?z ?x))))`
    Other(Union),
}

impl World {
    fn random(random: &mut Random) -> Self {
        let types = 1 + random.below(6);
        let some = |random: &mut Random, below: usize, most: usize| -> Vec<usize> {
            let number = if below == 0 { 0 } else { random.below(most + 1) };
            (0..number).map(|_| random.below(below)).collect::<BTreeSet<_>>().into_iter().collect()
        };
        let parents = (0..types).map(|ty| some(random, ty, 2)).collect();
        let objects: Vec<Vec<usize>> = (0..1 + random.below(6)).map(|_| some(random, types, 3)).collect();
        let mut action = || {
            let union = |random: &mut Random| some(random, types, 3);
            let condition = match random.below(6) {
                0 => Condition::Nothing,
                1 => Condition::Holds,
                2 => Condition::Derived,
                3 => Condition::Some(union(random)),
                4 => Condition::All(union(random)),
                _ => Condition::Other(union(random)),
            };
            let parameters = [union(random), union(random)];
            Action { parameters, condition, forall: random.chance(30).then(|| union(random)) }
        };
        let actions = (0..3).map(|_| action()).collect();
        let init = some(random, objects.len(), 2);
        World { parents, derived: some(random, types, 3), init, objects, actions }
    }

    /// Whether an object belongs to one of a union.
    fn belongs(&self, object: usize, union: &[usize]) -> bool {
        let mut open = self.objects[object].clone();
        let mut above: BTreeSet<usize> = BTreeSet::new();
        while let Some(ty) = open.pop() {
            above.insert(ty);
            open.extend(&self.parents[ty]);
        }
        union.is_empty() || union.iter().any(|ty| above.contains(ty))
    }

    fn members(&self, union: &[usize]) -> Vec<usize> {
        (0..self.objects.len()).filter(|&object| self.belongs(object, union)).collect()
    }

    /// By move, whether it can be done, and of what `p` holds afterwards.
    fn step(&self, holds: &BTreeSet<usize>) -> BTreeMap<String, BTreeSet<usize>> {
        let mut moves = BTreeMap::new();
        for (number, action) in self.actions.iter().enumerate() {
            for x in self.members(&action.parameters[0]) {
                for y in self.members(&action.parameters[1]) {
                    let able = match &action.condition {
                        Condition::Nothing => true,
                        Condition::Holds => holds.contains(&x),
                        Condition::Derived => holds.contains(&x) && self.belongs(x, &self.derived),
                        Condition::Some(union) => self.members(union).iter().any(|z| holds.contains(z)),
                        Condition::All(union) => self.members(union).iter().all(|z| holds.contains(z)),
                        Condition::Other(union) => self.members(union).iter().any(|z| holds.contains(z) && *z != x),
                    };
                    if able {
                        let mut after = holds.clone();
                        match &action.forall {
                            Some(union) => after.extend(self.members(union)),
                            None => drop(after.insert(y)),
                        }
                        moves.insert(format!("(act{number} o{x} o{y})"), after);
                    }
                }
            }
        }
        moves
    }

    /// The world in GDDL, one of the ways to say each thing chosen at random.
    fn text(&self, random: &mut Random) -> String {
        let list = |union: &[usize]| union.iter().map(|ty| format!("t{ty}")).collect::<Vec<_>>().join(" ");
        let of = |union: &[usize], random: &mut Random| match union {
            [] if random.chance(50) => " - object".to_owned(),
            [] => String::new(),
            [one] if random.chance(70) => format!(" - t{one}"),
            several if random.chance(20) => format!(" - (either {} {})", list(several), list(several)),
            several => format!(" - (either {})", list(several)),
        };
        // Untyped members of a list stand at its end, as they would else get the type of what follows.
        let declare = |name: &str, all: &[usize], random: &mut Random| -> (String, String) {
            match all {
                [] => (format!("{name} - object "), String::new()),
                several if several.len() > 1 && random.chance(50) => {
                    let (first, rest) = several.split_at(1);
                    (format!("{name}{} ", of(first, random)), format!("{name} -{} ", &of(rest, random)[2..]))
                }
                all => (format!("{name}{} ", of(all, random)), String::new()),
            }
        };
        let (mut types, mut more_types) = (String::new(), String::new());
        for (number, parents) in self.parents.iter().enumerate() {
            let (one, other) = declare(&format!("t{number}"), parents, random);
            types.push_str(&one);
            more_types.push_str(&other);
        }
        let (mut constants, mut objects) = (String::new(), String::new());
        for (number, all) in self.objects.iter().enumerate() {
            let (one, other) = declare(&format!("o{number}"), all, random);
            let constant = random.chance(50) || !other.is_empty();
            if constant { &mut constants } else { &mut objects }.push_str(&one);
            if random.chance(50) { &mut constants } else { &mut objects }.push_str(&other);
        }
        let mut actions = String::new();
        for (number, action) in self.actions.iter().enumerate() {
            let [x, y] = [0, 1].map(|index| of(&action.parameters[index], random));
            // A variable without a type would take that of the next one.
            let parameters = match (x.is_empty(), y.is_empty()) {
                (true, false) => format!("?x - object ?y{y}"),
                _ => format!("?x{x} ?y{y}"),
            };
            let condition = match &action.condition {
                Condition::Nothing => "()".to_owned(),
                Condition::Holds => "(p ?x)".to_owned(),
                Condition::Derived => "(d ?x)".to_owned(),
                Condition::Some(union) => format!("(exists (?z{}) (p ?z))", of(union, random)),
                Condition::All(union) => format!("(not (exists (?z{}) (not (p ?z))))", of(union, random)),
                Condition::Other(union) => format!("(exists (?z{}) (and (p ?z) (not (= ?z ?x))))", of(union, random)),
            };
            let effect = match &action.forall {
                Some(union) => format!("(forall (?w{}) (p ?w))", of(union, random)),
                None => "(p ?y)".to_owned(),
            };
            actions.push_str(&format!(
                "(:action act{number} :parameters ({parameters}) :precondition {condition} :effect {effect})\n"
            ));
        }
        let init: String = self.init.iter().map(|object| format!("(p o{object})")).collect();
        format!(
            "(define (domain d) (:types {types}{more_types}) (:constants {constants})
               (:predicates (p ?x) (d ?x) (never))
               (:derived (d ?x{}) (p ?x))
               {actions})
             (define (problem p) (:objects {objects}) (:init {init}) (:goal (never)))",
            of(&self.derived, random)
        )
    }
}

/// No action deletes anything, so whatever can come to hold does when all moves are done until nothing is new.
#[test]
fn what_can_come_to_hold_is_what_the_types_allow() {
    let mut reached = 0;
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let world = World::random(&mut random);
        let text = world.text(&mut random);
        let program = program(&Source::new("types.gddl", text.as_bytes()));
        let naive = Naive::new(&program);
        let mut state = naive.initial();
        let mut holds: BTreeSet<usize> = world.init.iter().copied().collect();
        loop {
            let expected = world.step(&holds);
            let (_, legal) = naive.look(&state);
            let names: BTreeSet<String> = legal[0].iter().map(|(_, action)| naive.show(action)).collect();
            assert_eq!(names, expected.keys().cloned().collect(), "seed {seed}:\n{text}");
            let mut after = (state.clone(), holds.clone());
            for (role, action) in &legal[0] {
                let next = naive.successor(&state, &[(role.clone(), action.clone())]);
                let facts: BTreeSet<String> = next.iter().map(|fluent| naive.show(fluent)).collect();
                let wanted = expected[&naive.show(action)].iter().map(|object| format!("(p o{object})")).collect();
                assert_eq!(facts, wanted, "seed {seed}, {}:\n{text}", naive.show(action));
                after.0.extend(next);
                after.1.extend(&expected[&naive.show(action)]);
            }
            if after.1 == holds {
                break;
            }
            (state, holds) = after;
        }
        reached += usize::from(holds.len() > world.init.len());
    }
    assert!(reached > 50, "in {reached} worlds something comes to hold");
}

/// The object of both types makes neither type a part of the other.
#[test]
fn an_object_of_two_types_joins_nothing() {
    let text = "(define (domain d) (:types a b) (:predicates (done ?v) (seen ?v))
        (:action mark :parameters (?v - a) :effect (done ?v))
        (:action look :parameters (?v - (either a b)) :effect (seen ?v)))
      (define (problem p) (:objects p - a q - b x - (either a b)) (:init) (:goal (done q)))";
    let game = crate::game(&Source::new("p.gddl", text.as_bytes()));
    let outcome = crate::common::compare::solve(&game, &Default::default()).expect("cycles are no obstacle");
    assert_eq!(outcome.solution.expect("values were asked for").value, None);
    // p and x can be done, all three seen.
    assert_eq!(outcome.states, 32u32.into());
}

/// More than the hierarchy has room for is an error and not forgotten.
#[test]
fn types_beyond_the_bound_are_refused() {
    let codes = |types: &str, objects: &str| -> Vec<&str> {
        let text = format!(
            "(define (domain d) (:requirements :adl) (:types {types}) (:predicates (p ?x))
               (:action a :parameters (?x) :effect (p ?x)))
             (define (problem p) (:domain d) (:objects {objects}) (:init) (:goal (and)))"
        );
        let (_, findings) = game::rules::gddl::program(&Source::new("p.gddl", text.as_bytes()));
        findings.into_iter().map(|finding| finding.code).collect()
    };
    let many = |number: usize| (0..number).map(|n| format!("t{n} ")).collect::<String>();
    assert_eq!(codes(&many(4095), ""), [""; 0]);
    assert_eq!(codes(&many(4096), "x - t4095"), ["too-many-types"]);
    assert_eq!(codes(&format!("a - t {}", many(4094)), "x - t"), ["too-many-types", "implicit-type"][..1]);
    let pairs = |number: usize| -> String {
        let pairs = (0..100).flat_map(|one| (0..one).map(move |other| (one, other)));
        pairs.take(number).enumerate().map(|(n, (one, other))| format!("x{n} - (either t{one} t{other}) ")).collect()
    };
    assert_eq!(codes(&many(100), &pairs(4096)), [""; 0]);
    assert_eq!(codes(&many(100), &pairs(4097)), ["too-many-types"]);
}

fn codes(text: &str) -> Vec<&'static str> {
    let (_, findings) = game::rules::gddl::program(&Source::new("p.gddl", text.as_bytes()));
    findings.into_iter().map(|finding| finding.code).collect()
}

#[test]
fn nothing_stands_above_object() {
    let task = |types: &str| {
        format!(
            "(define (domain d) (:requirements :typing) (:types {types}) (:predicates (p)) (:action a :effect (p)))
             (define (problem p) (:domain d) (:init) (:goal (p)))"
        )
    };
    assert_eq!(codes(&task("a b - object object - a")), ["type-cycle"]);
    assert_eq!(codes(&task("a b - object object - object")), [""; 0]);
}

/// Requirements that could not be read are not missing.
#[test]
fn requirements_are_missing_only_in_a_domain_that_is_there() {
    let domain = |begin: &str| {
        format!("(define {begin} (:predicates (p ?x - object)) (:action a :parameters (?x - object) :effect (p ?x)))")
    };
    let problem = "(define (problem p) (:domain d) (:objects m - object) (:init) (:goal (p m)))";
    assert_eq!(codes(&(domain("(domain d)") + problem)), ["missing-requirement"]);
    assert_eq!(codes(problem), ["missing-definition"]);
    assert_eq!(codes(&(domain("domain d") + problem)), ["wrong-form"]);
    assert_eq!(codes(&(domain("(domain d) (:requirements typing)") + problem)), ["wrong-form"]);
}
