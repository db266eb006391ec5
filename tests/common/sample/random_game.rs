//! Random games as GDL text: small, finite, and turn-taking unless asked to be flawed.
//!
//! Play is finite because every move raises a measure: a step counter (layers disjoint), a level raised by one to three
//! (layers overlap), or the number of marked cells, one or several a move (layers overlap); it may go on for ever where
//! that is asked for. On top of it come variables
//! of a few values and lone flags, changed by effects that depend on conditions; moves open under conditions; control
//! that passes on or stays; waiting moves with effects; forced passes; terminal conditions; and rewards by cases. A
//! condition is a derived relation, a disjunction of conjunctions over fluents and earlier conditions.

use base::random::Random;
use std::fmt::Write;

/// What may be wrong with a game. Whether it shows in a reachable state is up to the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    /// The role that waits may act under some condition.
    Simultaneous,
    /// There may be no legal move in a state that is not terminal.
    DeadEnd,
    /// A terminal state may have no reward for a role.
    NoGoal,
    /// A terminal state may have two rewards for a role.
    TwoGoals,
}

/// What keeps play finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Step,
    Level,
    Marks,
    /// Nothing: play may go on for ever.
    Nothing,
}

struct Writer {
    random: Random,
    text: String,
    /// Names of the conditions so far.
    conditions: Vec<String>,
    /// The terms of all fluents but those that count.
    fluents: Vec<String>,
    counts: Vec<String>,
    roles: usize,
    measure: Measure,
    /// Largest value of the measure.
    limit: usize,
    /// Number of values of each variable.
    variables: Vec<usize>,
    flags: usize,
    actions: Vec<String>,
}

/// Adds one rule or fact in a line of its own.
macro_rules! rule {
    ($writer:expr, $($text:tt)*) => {
        // Writing to a string cannot fail.
        let _ = writeln!($writer.text, $($text)*);
    };
}

/// The rules of the game of a seed in which play may go on for ever: there is no measure, and play ends only under
/// conditions. As [`random_game`] otherwise.
pub fn random_cyclic_game(seed: u64) -> String {
    let mut random = Random::new(seed);
    let roles = 1 + usize::from(random.chance(80));
    cyclic(random, roles)
}

/// As [`random_cyclic_game`], of three or four roles.
pub fn random_cyclic_game_of_many(seed: u64) -> String {
    let mut random = Random::new(seed);
    let roles = 3 + random.below(2);
    cyclic(random, roles)
}

fn cyclic(mut random: Random, roles: usize) -> String {
    let variables = (0..2 + random.below(3)).map(|_| 2 + random.below(3)).collect();
    let flags = random.below(3);
    Writer::new(random, roles, Measure::Nothing, 0, variables, flags).written(None)
}

/// The rules of the game of a seed, the same for ever. One or two players, up to some thousands of states.
pub fn random_game(seed: u64, flaw: Option<Flaw>) -> String {
    let mut random = Random::new(seed);
    let two_players = random.chance(75) || flaw == Some(Flaw::Simultaneous);
    finite(random, 1 + usize::from(two_players), flaw)
}

/// As [`random_game`], of three or four roles.
pub fn random_game_of_many(seed: u64, flaw: Option<Flaw>) -> String {
    let mut random = Random::new(seed);
    let roles = 3 + random.below(2);
    finite(random, roles, flaw)
}

fn finite(mut random: Random, roles: usize, flaw: Option<Flaw>) -> String {
    let measure = match random.below(3) {
        0 => Measure::Step,
        1 => Measure::Level,
        _ => Measure::Marks,
    };
    let limit = if measure == Measure::Marks { 4 + random.below(3) } else { 4 + random.below(5) };
    let variables =
        (0..random.below(3) + 2 * usize::from(measure != Measure::Marks)).map(|_| 2 + random.below(3)).collect();
    let flags = random.below(4);
    Writer::new(random, roles, measure, limit, variables, flags).written(flaw)
}

impl Writer {
    fn new(random: Random, roles: usize, measure: Measure, limit: usize, variables: Vec<usize>, flags: usize) -> Self {
        Writer {
            random,
            text: String::new(),
            conditions: Vec::new(),
            fluents: Vec::new(),
            counts: Vec::new(),
            roles,
            measure,
            limit,
            variables,
            flags,
            actions: Vec::new(),
        }
    }

    fn written(mut self, flaw: Option<Flaw>) -> String {
        self.state();
        self.moves(flaw);
        self.effects();
        self.control();
        self.ending(flaw);
        self.text
    }

    /// Roles and the initial state.
    fn state(&mut self) {
        for role in 0..self.roles {
            rule!(self, "(role r{role})");
        }
        if self.measure == Measure::Marks {
            for cell in 0..self.limit {
                self.fluents.push(format!("(cell {cell} free)"));
                self.fluents.extend((0..self.roles).map(|role| format!("(cell {cell} r{role})")));
                rule!(self, "(init (cell {cell} free))");
            }
        } else if self.measure != Measure::Nothing {
            self.counts = (0..=self.limit).map(|count| format!("(count {count})")).collect();
            rule!(self, "(init (count 0))");
            for count in 0..self.limit {
                rule!(self, "(succ {count} {})", count + 1);
            }
        }
        for (variable, &values) in self.variables.iter().enumerate() {
            self.fluents.extend((0..values).map(|value| format!("(var {variable} {value})")));
            // Play without a measure ends when the first variable is 1.
            let fixed = self.measure == Measure::Nothing && variable == 0;
            let initial = if fixed { 0 } else { self.random.below(values) };
            rule!(self, "(init (var {variable} {initial}))");
        }
        for flag in 0..self.flags {
            self.fluents.push(format!("(flag {flag})"));
            if self.random.chance(30) {
                rule!(self, "(init (flag {flag}))");
            }
        }
        if self.roles > 1 {
            self.fluents.extend((0..self.roles - 1).map(|role| format!("(control r{role})")));
            rule!(self, "(init (control r{}))", self.random.below(self.roles));
        }
    }

    /// A fluent or condition, or the negation of one.
    fn literal(&mut self) -> String {
        let condition = if self.random.chance(25) { self.random.choose(&self.conditions) } else { None };
        let counts = self.fluents.is_empty() || self.random.chance(15) && !self.counts.is_empty();
        let atom = match condition {
            Some(name) => name.clone(),
            None => {
                let fluents = if counts { &self.counts } else { &self.fluents };
                format!("(true {})", self.random.choose(fluents).expect("every game has fluents"))
            }
        };
        if self.random.chance(40) { format!("(not {atom})") } else { atom }
    }

    /// The name of a new condition.
    fn condition(&mut self) -> String {
        let name = format!("c{}", self.conditions.len());
        for _ in 0..1 + self.random.below(3) {
            let mut body = self.literal();
            for _ in 0..self.random.below(3) {
                let _ = write!(body, " {}", self.literal());
            }
            rule!(self, "(<= {name} {body})");
        }
        self.conditions.push(name.clone());
        name
    }

    /// `name` as it is, or a role-dependent test for whose turn it is.
    fn turn(&self, role: &str) -> String {
        if self.roles > 1 { format!("(true (control {role}))") } else { format!("(role {role})") }
    }

    fn moves(&mut self, flaw: Option<Flaw>) {
        let turn = self.turn("?r");
        if self.measure == Measure::Marks {
            rule!(self, "(<= (open ?r (mark ?c)) {turn} (true (cell ?c free)))");
            self.actions = (0..self.limit).map(|cell| format!("(mark {cell})")).collect();
        } else {
            for action in 0..3 + self.random.below(3) {
                let open = if self.random.chance(60) { String::new() } else { self.condition() };
                rule!(self, "(<= (open ?r (act {action})) {turn} {open})");
                self.actions.push(format!("(act {action})"));
            }
        }
        rule!(self, "(<= (legal ?r ?m) (role ?r) (open ?r ?m))");
        rule!(self, "(<= movable (open ?r ?m))");
        if flaw == Some(Flaw::Simultaneous) {
            let excited = self.condition();
            rule!(self, "(<= (legal ?r ?m) (role ?r) (open ?other ?m) {excited})");
        }
        // Where nothing is open, the mover passes, if the measure rises all the same; else play ends.
        if self.measure != Measure::Marks && flaw != Some(Flaw::DeadEnd) {
            rule!(self, "(<= (legal ?r pass) {turn} (not movable))");
        }
        if self.roles > 1 {
            let warm = self.condition();
            rule!(self, "(<= (waiting ?r) (role ?r) (not (true (control ?r))))");
            rule!(self, "(<= (legal ?r (wait warm)) (waiting ?r) {warm})");
            rule!(self, "(<= (legal ?r (wait cold)) (waiting ?r) (not {warm}))");
        }
    }

    /// What a role may do to trigger an effect: `(does ...)`, for any role.
    fn trigger(&mut self) -> String {
        match self.random.below(10) {
            0 if self.roles > 1 => "(does ?r (wait warm))".to_owned(),
            1 if self.roles > 1 => format!("(does r{} (wait cold))", self.random.below(self.roles)),
            2 => format!("(does r{} ?m)", self.random.below(self.roles)),
            _ => format!("(does ?r {})", self.random.choose(&self.actions).expect("moves come before effects")),
        }
    }

    fn effects(&mut self) {
        match self.measure {
            Measure::Step => {
                rule!(self, "(<= (next (count ?n)) (true (count ?m)) (succ ?m ?n))");
            }
            Measure::Level => self.level(),
            Measure::Marks => self.marks(),
            Measure::Nothing => {}
        }
        for (variable, values) in self.variables.clone().into_iter().enumerate() {
            // Cases in order, so that no two of them hold together.
            let mut before = String::new();
            for _ in 0..3 + self.random.below(4) {
                let trigger = self.trigger();
                let case = format!("case{}", self.text.len());
                let condition = if self.random.chance(30) { String::new() } else { self.condition() };
                rule!(self, "(<= {case} {trigger} {condition})");
                rule!(self, "(<= (sets {variable} {}) {case}{before})", self.random.below(values));
                let _ = write!(before, " (not {case})");
            }
        }
        if !self.variables.is_empty() {
            rule!(self, "(<= (touched ?k) (sets ?k ?x))");
            rule!(self, "(<= (next (var ?k ?x)) (sets ?k ?x))");
            rule!(self, "(<= (next (var ?k ?x)) (true (var ?k ?x)) (not (touched ?k)))");
        }
        for flag in 0..self.flags {
            for (change, chance) in [("raises", 100), ("lowers", 60)] {
                if self.random.chance(chance) {
                    let (trigger, condition) = (self.trigger(), self.condition());
                    rule!(self, "(<= ({change} {flag}) {trigger} {condition})");
                }
            }
        }
        if self.flags > 0 {
            rule!(self, "(<= (next (flag ?f)) (raises ?f))");
            rule!(self, "(<= (next (flag ?f)) (true (flag ?f)) (not (lowers ?f)))");
        }
    }

    /// Every action raises the level by a number of its own, or by another under a condition; never beyond the limit.
    fn level(&mut self) {
        let last = self.limit;
        rule!(self, "(<= (plus ?m ?n 1) (succ ?m ?n))");
        rule!(self, "(<= (plus ?m ?n 2) (succ ?m ?k) (succ ?k ?n))");
        rule!(self, "(plus {} {last} 2)", last - 1);
        rule!(self, "(<= (plus ?m ?n 3) (succ ?m ?k) (plus ?k ?n 2))");
        rule!(self, "(plus {} {last} 3)", last - 1);
        rule!(self, "(<= (rise 1) (does ?r pass))");
        for action in self.actions.clone() {
            let (usual, other) = (1 + self.random.below(3), 1 + self.random.below(3));
            let condition = self.condition();
            rule!(self, "(<= (rise {other}) (does ?r {action}) {condition})");
            rule!(self, "(<= (rise {usual}) (does ?r {action}) (not {condition}))");
        }
        rule!(self, "(<= (next (count ?n)) (true (count ?m)) (rise ?k) (plus ?m ?n ?k))");
    }

    /// A move marks its cell, and perhaps other free cells, and perhaps takes over marked ones.
    fn marks(&mut self) {
        rule!(self, "(<= (marks ?c ?r) (does ?r (mark ?c)))");
        for cell in 0..self.limit {
            if self.random.chance(40) {
                let (other, condition) = (self.random.below(self.limit), self.condition());
                rule!(self, "(<= (marks {other} ?r) (does ?r (mark {cell})) (true (cell {other} free)) {condition})");
            }
            if self.random.chance(30) && self.roles > 1 {
                let (other, condition) = (self.random.below(self.limit), self.condition());
                rule!(
                    self,
                    "(<= (marks {other} ?r) (does ?r (mark {cell})) (not (true (cell {other} free))) {condition})"
                );
            }
        }
        rule!(self, "(<= (marked ?c) (marks ?c ?r))");
        rule!(self, "(<= (next (cell ?c ?r)) (marks ?c ?r))");
        rule!(self, "(<= (next (cell ?c ?x)) (true (cell ?c ?x)) (not (marked ?c)))");
    }

    /// Control passes on to the next role, unless the mover may go again or, of more than two roles, the next one is left out.
    fn control(&mut self) {
        if self.roles == 1 {
            return;
        }
        let again = self.random.chance(60);
        if again {
            let (trigger, condition) = (self.trigger(), self.condition());
            rule!(self, "(<= again {trigger} {condition})");
        }
        let skips = self.roles > 2 && self.random.chance(50);
        if skips {
            let (trigger, condition) = (self.trigger(), self.condition());
            rule!(self, "(<= skips {trigger} {condition})");
        }
        for role in 0..self.roles {
            let [other, earlier] = [1, 2].map(|back| (role + self.roles - back) % self.roles);
            let passes = if again { "(not again)" } else { "" };
            if skips {
                rule!(self, "(<= (next (control r{role})) (true (control r{other})) {passes} (not skips))");
                rule!(self, "(<= (next (control r{role})) (true (control r{earlier})) {passes} skips)");
            } else {
                rule!(self, "(<= (next (control r{role})) (true (control r{other})) {passes})");
            }
            if again {
                rule!(self, "(<= (next (control r{role})) (true (control r{role})) again)");
            }
        }
    }

    fn ending(&mut self, flaw: Option<Flaw>) {
        if self.measure == Measure::Nothing {
            for _ in 0..1 + self.random.below(2) {
                let condition = self.condition();
                rule!(self, "(<= terminal (true (var 0 1)) {condition})");
            }
        } else if self.measure == Measure::Marks {
            // Every game says something about its end, even if it never comes.
            let end = if flaw == Some(Flaw::DeadEnd) { "(or)" } else { "(not movable)" };
            rule!(self, "(<= terminal {end})");
        } else {
            rule!(self, "(<= terminal (true (count {})))", self.limit);
        }
        if self.measure != Measure::Nothing && self.random.chance(40) {
            // Late enough that there is something to decide before.
            let marked = format!("(not (true (cell 0 free))) (not (true (cell {} free)))", self.limit - 1);
            let late =
                if self.measure == Measure::Marks { marked } else { format!("(true (count {}))", self.limit - 2) };
            let condition = self.condition();
            rule!(self, "(<= terminal {late} {condition})");
        }
        let zero_sum = self.roles == 2 && self.random.chance(30);
        let mut cases = vec![Vec::new(); self.roles];
        for _ in 0..2 + self.random.below(4) {
            let condition = self.condition();
            let reward = 10 * self.random.below(11);
            for (role, cases) in cases.iter_mut().enumerate() {
                let reward = match role {
                    0 => reward,
                    _ if zero_sum => 100 - reward,
                    _ => self.random.below(101),
                };
                cases.push((condition.clone(), reward));
            }
        }
        for (role, cases) in cases.iter().enumerate() {
            let mut before = String::new();
            for (condition, reward) in cases {
                rule!(self, "(<= (goal r{role} {reward}) {condition}{before})");
                let _ = write!(before, " (not {condition})");
            }
            if flaw != Some(Flaw::NoGoal) {
                rule!(self, "(<= (goal r{role} {}) (role r{role}){before})", if zero_sum { 50 } else { 7 * role });
            }
        }
        if flaw == Some(Flaw::TwoGoals) {
            let condition = self.condition();
            rule!(self, "(<= (goal r0 33) {condition})");
        }
    }
}
