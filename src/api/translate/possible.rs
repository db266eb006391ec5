//! Leaves out of a program what holds or applies in no state of the game: rules that ask for a relation, fluent or move
//! that nothing makes, conditions that it does not hold, and relations that have no influence after that. Linear in the
//! size of the rules.

use game::rules::dependencies::needed;
use game::rules::{Atom, Literal, Predicate, Program, Rule, Symbol, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// A relation, or a keyword with name and number of arguments of its fluent or move; `None` for a variable.
type Kind = (Predicate, Option<(Symbol, usize)>);

/// The game without the rules in `idle`, which apply in no reachable state, and without what has no influence then. The
/// whole program if a role, a reward or the end of play would be lost: planning tasks without a plan would change.
pub fn program(program: &Program, idle: &[usize]) -> Program {
    let applies = |number: &usize| idle.binary_search(number).is_err();
    let numbers = (0..program.rules.len()).filter(applies);
    let mut rules: Vec<Rule> = numbers.map(|number| program.rules[number].clone()).collect();
    let mut made = Heads::new(program, &rules);
    let mut asking: FxHashMap<Kind, Vec<usize>> = FxHashMap::default();
    for (number, rule) in rules.iter().enumerate() {
        for (keyword, shape) in positive(rule).filter_map(|atom| kind(program, atom)) {
            asking.entry((keyword, shape)).or_default().push(number);
            // What a head with a variable makes, too.
            if shape.is_some() {
                asking.entry((keyword, None)).or_default().push(number);
            }
        }
    }
    let mut open: Vec<usize> = (0..rules.len()).collect();
    let mut lost = vec![false; rules.len()];
    while let Some(number) = open.pop() {
        let rule = &rules[number];
        if !lost[number] && !positive(rule).all(|atom| made.can_hold(atom)) {
            lost[number] = true;
            open.extend(made.lose(&rule.head).and_then(|kind| asking.get(&kind)).into_iter().flatten());
        }
    }
    let mut lost = lost.into_iter();
    rules.retain(|_| !lost.next().expect("each rule has its mark"));
    for rule in &mut rules {
        rule.body.retain(|literal| match literal {
            Literal::Negative(atom) => made.can_hold(atom),
            _ => true,
        });
    }
    let possible = Program { rules, ..program.clone() };
    if outline(&possible) != outline(program) {
        return program.clone();
    }
    with_influence(possible)
}

fn positive(rule: &Rule) -> impl Iterator<Item = &Atom> {
    rule.body.iter().filter_map(|literal| match literal {
        Literal::Positive(atom) => Some(atom),
        _ => None,
    })
}

/// How many heads make atoms of each kind.
struct Heads<'a> {
    program: &'a Program,
    heads: FxHashMap<Kind, usize>,
}

impl<'a> Heads<'a> {
    fn new(program: &'a Program, rules: &[Rule]) -> Self {
        let mut heads = FxHashMap::default();
        for kind in rules.iter().filter_map(|rule| kind(program, &rule.head)) {
            *heads.entry(kind).or_insert(0) += 1;
        }
        Heads { program, heads }
    }

    /// Takes a head away. Returns its kind if that was the last one.
    fn lose(&mut self, head: &Atom) -> Option<Kind> {
        let kind = kind(self.program, head)?;
        let heads = self.heads.get_mut(&kind).expect("the heads of all rules were counted");
        *heads -= 1;
        (*heads == 0).then_some(kind)
    }

    fn can_hold(&self, atom: &Atom) -> bool {
        let is_made = |kind: &Kind| self.heads.get(kind).is_some_and(|&heads| heads > 0);
        kind(self.program, atom).is_none_or(|kind| match kind {
            (Predicate::True | Predicate::Does, None) => true,
            // A head with a variable makes any fluent or move.
            (keyword, _) => is_made(&kind) || is_made(&(keyword, None)),
        })
    }
}

/// What an atom asks for, or makes as a head; `None` for keywords of other things.
fn kind(program: &Program, atom: &Atom) -> Option<Kind> {
    let keyword = match program.kind(atom.predicate) {
        relation @ Predicate::Relation(..) => return Some((relation, None)),
        Predicate::Init | Predicate::Next | Predicate::True => Predicate::True,
        Predicate::Legal | Predicate::Does => Predicate::Does,
        _ => return None,
    };
    let shape = match atom.arguments.last()? {
        Term::Constant(name) => Some((*name, 0)),
        Term::Function(name, arguments) => Some((*name, arguments.len())),
        Term::Variable(_) => None,
    };
    Some((keyword, shape))
}

/// The rewards, and whether there are rules for roles, goals and the end.
fn outline(program: &Program) -> (Vec<u8>, FxHashSet<Predicate>) {
    let heads = program.rules.iter().map(|rule| program.kind(rule.head.predicate));
    let asked = |head: &Predicate| matches!(head, Predicate::Role | Predicate::Goal | Predicate::Terminal);
    (program.rewards(), heads.filter(asked).collect())
}

fn with_influence(mut program: Program) -> Program {
    let keywords = program.predicates.iter().copied().filter(|predicate| predicate.keyword().is_some());
    let used = needed(&program, keywords);
    let mut rules = std::mem::take(&mut program.rules);
    rules.retain(|rule| used.contains(&program.kind(rule.head.predicate)));
    Program { rules, ..program }
}
