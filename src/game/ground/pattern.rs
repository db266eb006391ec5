//! Compiles literals of rules to register operations.
//!
//! The first registers are the variables of a rule, followed by its constants and intermediate terms. Matching a
//! literal with a row of terms, and building a term from registers, are short straight-line programs. Functor and
//! arguments of nested terms are treated like columns.

use super::term::{TermId, Terms};
use crate::rules::{Symbol, Term, Variable};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

pub type Register = u32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermPlace {
    Column(u32),
    Argument(Register, u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    Load(TermPlace, Register),
    Functor(Register, Symbol, u32),
    Same(Register, Register),
}

#[derive(Debug, Clone)]
pub struct Apply {
    pub functor: Symbol,
    pub arguments: Vec<Register>,
    pub target: Register,
}

/// One of the arguments of a literal, listed in preorder as far as an index distinguishes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyPart {
    Any,
    Key,
    /// A term with this functor and arity, followed by the parts for its arguments.
    Functor(Symbol, u32),
}

/// Runs match steps on a row; false at the first step that fails.
#[inline]
pub fn run(matches: &[Match], row: &[TermId], registers: &mut [TermId], terms: &Terms) -> bool {
    for step in matches {
        match *step {
            Match::Load(TermPlace::Column(column), target) => registers[target as usize] = row[column as usize],
            Match::Load(TermPlace::Argument(source, position), target) => {
                registers[target as usize] = terms.argument(registers[source as usize], position);
            }
            Match::Functor(source, functor, arity) => {
                if !terms.is(registers[source as usize], functor, arity) {
                    return false;
                }
            }
            Match::Same(left, right) => {
                if registers[left as usize] != registers[right as usize] {
                    return false;
                }
            }
        }
    }
    true
}

/// Looks up terms without creating any; false if one of them does not exist.
#[inline]
pub fn find_terms(applies: &[Apply], registers: &mut [TermId], terms: &Terms) -> bool {
    for apply in applies {
        let arguments: SmallVec<[TermId; 8]> = apply.arguments.iter().map(|&r| registers[r as usize]).collect();
        match terms.find(apply.functor, &arguments) {
            Some(term) => registers[apply.target as usize] = term,
            None => return false,
        }
    }
    true
}

#[inline]
pub fn make_terms(applies: &[Apply], registers: &mut [TermId], terms: &mut Terms) {
    for apply in applies {
        let arguments: SmallVec<[TermId; 8]> = apply.arguments.iter().map(|&r| registers[r as usize]).collect();
        registers[apply.target as usize] = terms.intern(apply.functor, &arguments);
    }
}

#[derive(Debug, Default)]
pub struct Registers {
    /// Initial values; variables and intermediate terms have a placeholder.
    pub values: Vec<TermId>,
    constants: FxHashMap<TermId, Register>,
    known: FxHashMap<Register, TermId>,
}

impl Registers {
    pub fn new(variables: usize) -> Self {
        Registers { values: vec![TermId(0); variables], ..Registers::default() }
    }

    pub fn fresh(&mut self) -> Register {
        self.values.push(TermId(0));
        self.values.len() as Register - 1
    }

    pub fn constant(&mut self, term: TermId) -> Register {
        if let Some(&register) = self.constants.get(&term) {
            return register;
        }
        let register = self.fresh();
        self.values[register as usize] = term;
        self.constants.insert(term, register);
        self.known.insert(register, term);
        register
    }

    /// The register of a term whose variables are all bound; the steps that build it are appended to `applies`. The
    /// depth of terms bounds the recursion.
    pub fn build(&mut self, term: &Term, terms: &mut Terms, applies: &mut Vec<Apply>) -> Register {
        match term {
            Term::Variable(Variable(index)) => *index,
            Term::Constant(symbol) => {
                let constant = terms.constant(*symbol);
                self.constant(constant)
            }
            Term::Function(functor, arguments) => {
                let arguments: Vec<Register> = arguments.iter().map(|term| self.build(term, terms, applies)).collect();
                let known = |register: &Register| self.known.get(register).copied();
                if let Some(ground) = arguments.iter().map(known).collect::<Option<Vec<TermId>>>() {
                    let term = terms.intern(*functor, &ground);
                    return self.constant(term);
                }
                let target = self.fresh();
                applies.push(Apply { functor: *functor, arguments, target });
                target
            }
        }
    }
}

pub fn each_variable(term: &Term, mut visit: impl FnMut(Variable)) {
    let mut stack = vec![term];
    while let Some(term) = stack.pop() {
        match term {
            Term::Constant(_) => {}
            Term::Variable(variable) => visit(*variable),
            Term::Function(_, arguments) => stack.extend(arguments),
        }
    }
}

pub fn is_bound(term: &Term, bound: &[bool]) -> bool {
    let mut all = true;
    each_variable(term, |variable| all &= bound[variable.0 as usize]);
    all
}

#[derive(Debug, Default)]
pub struct Pattern {
    pub shape: Vec<KeyPart>,
    pub applies: Vec<Apply>,
    pub key: Vec<Register>,
    /// Binds the remaining variables from a row of this shape.
    pub matches: Vec<Match>,
}

/// Compiles the arguments of a positive literal and marks its variables as bound. With `check`, the match steps also
/// compare functors and key, in which rows from an index for the shape agree anyway.
pub fn compile(
    arguments: &[Term],
    bound: &mut [bool],
    check: bool,
    registers: &mut Registers,
    terms: &mut Terms,
) -> Pattern {
    let before = bound.to_vec();
    let mut pattern = Pattern::default();
    let mut stack: Vec<(&Term, TermPlace)> =
        arguments.iter().enumerate().rev().map(|(column, term)| (term, TermPlace::Column(column as u32))).collect();
    while let Some((term, place)) = stack.pop() {
        if is_bound(term, &before) {
            pattern.shape.push(KeyPart::Key);
            let register = registers.build(term, terms, &mut pattern.applies);
            pattern.key.push(register);
            if check {
                let target = registers.fresh();
                pattern.matches.extend([Match::Load(place, target), Match::Same(target, register)]);
            }
            continue;
        }
        match term {
            Term::Function(functor, inner) => {
                let target = registers.fresh();
                pattern.shape.push(KeyPart::Functor(*functor, inner.len() as u32));
                pattern.matches.push(Match::Load(place, target));
                if check {
                    pattern.matches.push(Match::Functor(target, *functor, inner.len() as u32));
                }
                let places = inner.iter().enumerate().rev();
                stack.extend(places.map(|(position, term)| (term, TermPlace::Argument(target, position as u32))));
            }
            Term::Variable(Variable(index)) if !bound[*index as usize] => {
                bound[*index as usize] = true;
                pattern.shape.push(KeyPart::Any);
                pattern.matches.push(Match::Load(place, *index));
            }
            Term::Variable(Variable(index)) => {
                let target = registers.fresh();
                pattern.shape.push(KeyPart::Any);
                pattern.matches.extend([Match::Load(place, target), Match::Same(target, *index)]);
            }
            Term::Constant(_) => unreachable!("a constant has no unbound variable"),
        }
    }
    pattern
}

pub fn shape_of(arguments: &[Term], bound: &[bool]) -> Vec<KeyPart> {
    let mut shape = Vec::new();
    let mut stack: Vec<&Term> = arguments.iter().rev().collect();
    while let Some(term) = stack.pop() {
        match term {
            _ if is_bound(term, bound) => shape.push(KeyPart::Key),
            Term::Function(functor, inner) => {
                shape.push(KeyPart::Functor(*functor, inner.len() as u32));
                stack.extend(inner.iter().rev());
            }
            _ => shape.push(KeyPart::Any),
        }
    }
    shape
}

/// Compiles the recognition of a shape: match steps, the registers of the key after them, and the number of registers.
pub fn recognise(shape: &[KeyPart]) -> (Vec<Match>, Vec<Register>, usize) {
    let (mut matches, mut key) = (Vec::new(), Vec::new());
    let mut next = 0;
    let mut column = 0;
    // Functors with missing arguments: register, next argument, arity.
    let mut open: Vec<(Register, u32, u32)> = Vec::new();
    for part in shape {
        while open.last().is_some_and(|&(_, position, arity)| position == arity) {
            open.pop();
        }
        let place = match open.last_mut() {
            Some((register, position, _)) => {
                *position += 1;
                TermPlace::Argument(*register, *position - 1)
            }
            None => {
                column += 1;
                TermPlace::Column(column - 1)
            }
        };
        match *part {
            KeyPart::Any => {}
            KeyPart::Key => {
                matches.push(Match::Load(place, next));
                key.push(next);
                next += 1;
            }
            KeyPart::Functor(functor, arity) => {
                matches.extend([Match::Load(place, next), Match::Functor(next, functor, arity)]);
                open.push((next, 0, arity));
                next += 1;
            }
        }
    }
    (matches, key, next as usize)
}
