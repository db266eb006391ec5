//! Random games of two players with recursive relations over a small graph, used with bound and free arguments, negated
//! and not.

use base::random::Random;
use std::fmt::Write;

/// The rules of the game of a seed. Players flip lamps in turn; which lamps they may flip, when play ends and who wins is
/// said by relations that depend on themselves and on lamps, and on earlier relations negated.
pub fn random_recursive_game(seed: u64) -> String {
    let mut writer = Writer { random: Random::new(seed), text: String::new(), cells: 0, arities: Vec::new() };
    writer.cells = 3 + writer.random.below(2);
    writer.frame();
    for number in 0..1 + writer.random.below(3) {
        writer.relation(number);
    }
    writer.uses();
    writer.text
}

struct Writer {
    random: Random,
    text: String,
    cells: usize,
    /// By relation: its number of arguments.
    arities: Vec<usize>,
}

impl Writer {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    fn frame(&mut self) {
        self.line("(role a) (role b) (init (control a)) (init (step 0)) (other a b) (other b a)");
        for step in 0..5 {
            self.line(&format!("(succ {step} {})", step + 1));
        }
        for cell in 0..self.cells {
            self.line(&format!("(cell c{cell})"));
            if self.random.chance(50) {
                self.line(&format!("(init (lit c{cell}))"));
            }
            for other in 0..self.cells {
                if self.random.chance(40) {
                    self.line(&format!("(edge c{cell} c{other})"));
                }
            }
        }
        self.line(&format!("(edge c0 c{})", self.cells - 1));
        self.line("(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))");
        self.line("(<= (next (control ?q)) (true (control ?p)) (other ?p ?q))");
        self.line("(<= (flipped ?x) (does ?p (flip ?x)))");
        self.line("(<= (next (lit ?x)) (true (lit ?x)) (not (flipped ?x)))");
        self.line("(<= (next (lit ?x)) (flipped ?x) (not (true (lit ?x))))");
        self.line("(<= (legal ?p wait) (true (control ?p)))");
        self.line("(<= (legal ?q wait) (true (control ?p)) (other ?p ?q))");
        self.line("(<= terminal (true (step 3)))");
    }

    /// A condition on a lamp, or none.
    fn lamp(&mut self, variable: &str) -> String {
        match self.random.below(4) {
            0 => format!(" (true (lit {variable}))"),
            1 => format!(" (not (true (lit {variable})))"),
            2 => format!(" (or (true (lit {variable})) (edge {variable} c0))"),
            _ => String::new(),
        }
    }

    /// A relation from its first argument to its second along edges; the third, if any, is a cell to leave out.
    fn relation(&mut self, number: usize) {
        let arity = 2 + self.random.below(2);
        let (rest, cell) = if arity == 3 { (" ?z", " (cell ?z)") } else { ("", "") };
        let (first, second) = (self.lamp("?x"), self.lamp("?y"));
        self.line(&format!("(<= (r{number} ?x ?y{rest}) (edge ?x ?y){cell}{first}{second})"));
        let lamp = self.lamp("?m");
        let mut more =
            if arity == 3 && self.random.chance(70) { " (distinct ?m ?z)".to_owned() } else { String::new() };
        if number > 0 && self.random.chance(60) {
            let earlier = self.random.below(number);
            let atom = self.atom(earlier, &["?m", "?y", "c0"]);
            let negated = self.random.chance(60);
            more += &if negated { format!(" (not {atom})") } else { format!(" {atom}") };
        }
        let step = match self.random.below(3) {
            0 => format!("(r{number} ?x ?m{rest}) (edge ?m ?y)"),
            1 => format!("(r{number} ?x ?m{rest}) (r{number} ?m ?y{rest})"),
            _ => format!("(edge ?x ?m) (r{number} ?m ?y{rest})"),
        };
        self.line(&format!("(<= (r{number} ?x ?y{rest}) {step}{lamp}{more})"));
        self.arities.push(arity);
    }

    fn atom(&self, relation: usize, arguments: &[&str]) -> String {
        format!("(r{relation} {})", arguments[..self.arities[relation]].join(" "))
    }

    /// A condition on a relation about a variable that is bound, and its negation in every second case.
    fn condition(&mut self, variable: &str) -> String {
        let relation = self.random.below(self.arities.len());
        let to = format!("c{}", self.random.below(self.cells));
        match self.random.below(4) {
            0 => self.atom(relation, &[variable, &to, "c1"]),
            1 => format!("(not {})", self.atom(relation, &[variable, &to, "c1"])),
            2 => format!("(true (lit ?d)) (not {})", self.atom(relation, &[variable, "?d", variable])),
            _ => format!("(true (lit ?d)) {}", self.atom(relation, &["?d", variable, &to])),
        }
    }

    fn uses(&mut self) {
        for _ in 0..1 + self.random.below(2) {
            let condition = self.condition("?x");
            self.line(&format!("(<= (legal ?p (flip ?x)) (true (control ?p)) (cell ?x) {condition})"));
        }
        let (end, win) = (self.condition("c0"), self.condition("c1"));
        if self.random.chance(50) {
            self.line(&format!("(<= terminal (not (true (step 0))) {end})"));
        }
        self.line(&format!("(<= win {win})"));
        for (role, won, lost) in [("a", 100, 0), ("b", 0, 100)] {
            self.line(&format!("(<= (goal {role} {won}) win)"));
            self.line(&format!("(<= (goal {role} {lost}) (not win))"));
        }
    }
}
