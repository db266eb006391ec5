//! The hierarchy of types. A type may have several parents. Several types of a variable are a union:
//! `?x - (either a b)` ranges over both. Several types of an object are an intersection: the object belongs to both.

use crate::diagnostic::{Diagnostic, quote};
use crate::rules::check::spelling::meant;
use crate::rules::gddl::ast::{Description, Name};
use crate::rules::{Symbol, SymbolTable};
use crate::syntax::Span;
use fixedbitset::FixedBitSet;
use indexmap::{IndexMap, IndexSet};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;

/// Bound on the number of types, because the closure of the hierarchy takes a quadratic number of bits.
const MOST: usize = 4096;

const MOST_SEARCHES: usize = 100;

/// Index of a type; 0 is `object`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

#[derive(Debug, Default)]
pub struct Types {
    names: Vec<String>,
    declared: IndexMap<Symbol, (TypeId, Span)>,
    parents: Vec<Vec<TypeId>>,
    /// For each type, the set of the type and all types above it.
    ancestors: Vec<FixedBitSet>,
    /// The sets of types to which some object belongs.
    intersections: IndexSet<Vec<TypeId>>,
    /// For each type, the set of the types below it, followed by the intersections below it.
    below: Vec<FixedBitSet>,
    /// Whether there were more types than [`MOST`]. Types beyond the bound are unknown, but not reported as such.
    overflowed: bool,
    searches: usize,
    /// The unknown types that were reported; each is reported once.
    reported: IndexSet<Symbol>,
}

impl TypeId {
    pub const OBJECT: TypeId = TypeId(0);

    fn index(self) -> usize {
        self.0 as usize
    }
}

impl Types {
    /// The declared types. Reports repeated, unknown and cyclic types.
    pub fn new(description: &Description, complete: bool, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut types = Types { names: vec!["object".to_owned()], parents: vec![Vec::new()], ..Types::default() };
        if let Some(object) = description.symbols.find("object") {
            types.declared.insert(object, (TypeId::OBJECT, Span::default()));
        }
        for typed in &description.types {
            let name = description.symbols.name(typed.name.symbol);
            if name == "object" {
                continue;
            }
            if types.declared.contains_key(&typed.name.symbol) {
                let advice = "it belongs to everything that it is declared to belong to";
                diagnostics.push(again("type", name, typed.name.span, advice));
                continue;
            }
            if types.names.len() >= MOST {
                types.overflow(typed.name.span, diagnostics);
                break;
            }
            types.declare(typed.name, name);
        }
        for &parent in description.types.iter().flat_map(|typed| &typed.types) {
            types.implicit(parent, &description.symbols, complete, diagnostics);
        }
        for typed in &description.types {
            let Some(&(id, _)) = types.declared.get(&typed.name.symbol) else { continue };
            let parents = types.find_all(&typed.types, &description.symbols, complete, diagnostics);
            let parents = parents.into_iter().filter(|&parent| parent != TypeId::OBJECT);
            types.parents[id.index()].extend(parents);
            // What it is declared below is below it.
            if id == TypeId::OBJECT && !std::mem::take(&mut types.parents[id.index()]).is_empty() {
                diagnostics.push(above_itself("object", typed.name.span));
            }
        }
        for parents in &mut types.parents {
            // A type that is listed twice may have one parent twice.
            parents.sort_unstable();
            parents.dedup();
        }
        types.close(description, diagnostics);
        types
    }

    fn declare(&mut self, name: Name, word: &str) {
        self.declared.insert(name.symbol, (TypeId(self.names.len() as u32), name.span));
        self.names.push(word.to_owned());
        self.parents.push(Vec::new());
    }

    fn overflow(&mut self, span: Span, diagnostics: &mut Vec<Diagnostic>) {
        if !std::mem::replace(&mut self.overflowed, true) {
            let message = format!("more than {MOST} types");
            let advice = "predicates of one argument have no such bound";
            diagnostics.push(Diagnostic::error("too-many-types", span, message).with_advice(advice));
        }
    }

    /// Declares a type that occurs only as a parent, as many planners do.
    fn implicit(&mut self, name: Name, symbols: &SymbolTable, complete: bool, diagnostics: &mut Vec<Diagnostic>) {
        let word = symbols.name(name.symbol);
        if !complete || word == "object" || self.declared.contains_key(&name.symbol) {
            return;
        }
        if self.names.len() >= MOST {
            return self.overflow(name.span, diagnostics);
        }
        self.declare(name, word);
        let message = format!("type {} is not declared by itself", quote(word));
        let advice = "it is taken as a type right below `object`; if that is meant, say so";
        diagnostics.push(Diagnostic::warning("implicit-type", name.span, message).with_advice(advice));
    }

    /// Finds the ancestors of all types, parents first. Types that it never reaches have a cycle above them.
    fn close(&mut self, description: &Description, diagnostics: &mut Vec<Diagnostic>) {
        let number = self.names.len();
        let mut children = vec![Vec::new(); number];
        let mut open: Vec<usize> = self.parents.iter().map(Vec::len).collect();
        for (child, parents) in self.parents.iter().enumerate() {
            parents.iter().for_each(|parent| children[parent.index()].push(child));
        }
        self.ancestors = (0..number).map(|index| [TypeId::OBJECT.index(), index].into_iter().collect()).collect();
        let mut ready: Vec<usize> = (0..number).filter(|&index| open[index] == 0).collect();
        while let Some(index) = ready.pop() {
            for &child in &children[index] {
                let above = self.ancestors[index].clone();
                self.ancestors[child].union_with(&above);
                open[child] -= 1;
                if open[child] == 0 {
                    ready.push(child);
                }
            }
        }
        // Types below a cycle remain, too.
        let links = (0..number).flat_map(|child| self.parents[child].iter().map(move |above| (above.0, child as u32)));
        let components = kosaraju_scc(&DiGraph::<(), (), u32>::from_edges(links));
        let mut on_cycle = FixedBitSet::with_capacity(number);
        for component in components.into_iter().filter(|component| component.len() > 1) {
            on_cycle.extend(component.into_iter().map(|index| index.index()));
        }
        for (name, &(id, span)) in &self.declared {
            if on_cycle.contains(id.index()) || self.parents[id.index()].contains(&id) {
                diagnostics.push(above_itself(description.symbols.name(*name), span));
            }
        }
    }

    /// The types after a name, ascending and each once. Reports unknown types.
    pub fn find_all(
        &mut self,
        names: &[Name],
        symbols: &SymbolTable,
        complete: bool,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<TypeId> {
        let mut found = Vec::new();
        for name in names {
            match self.declared.get(&name.symbol) {
                Some((id, _)) => found.push(*id),
                None if complete && !self.overflowed && self.reported.insert(name.symbol) => {
                    self.searches += 1;
                    let names = self.declared.keys().map(|&symbol| symbols.name(symbol)).chain(["object"]);
                    let word = symbols.name(name.symbol);
                    let found = if self.searches <= MOST_SEARCHES { meant(word, names) } else { None };
                    let advice = found.unwrap_or("declare it in `:types`".to_owned());
                    let message = format!("type {} is not declared", quote(word));
                    diagnostics.push(Diagnostic::error("unknown-type", name.span, message).with_advice(advice));
                }
                None => {}
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    pub fn intersect(&mut self, types: &[TypeId], span: Span, diagnostics: &mut Vec<Diagnostic>) {
        if types.len() > 1 && !self.intersections.contains(types) {
            if self.intersections.len() >= MOST {
                return self.overflow(span, diagnostics);
            }
            self.intersections.insert(types.to_vec());
        }
    }

    /// Finds the types and intersections below each type. The types of all objects must have been intersected before.
    pub fn close_below(&mut self) {
        let number = self.names.len();
        self.below = vec![FixedBitSet::with_capacity(number + self.intersections.len()); number];
        let singles = self.all().map(|ty| vec![ty]).collect::<Vec<_>>();
        for (index, types) in singles.iter().chain(&self.intersections).enumerate() {
            for upper in united(types, &self.ancestors).ones() {
                self.below[upper].insert(index);
            }
        }
    }

    pub fn find(&self, name: Symbol) -> Option<TypeId> {
        self.declared.get(&name).map(|&(id, _)| id)
    }

    /// Whether one of these types is not declared.
    pub fn lacks(&self, names: &[Name]) -> bool {
        names.iter().any(|name| !self.declared.contains_key(&name.symbol))
    }

    pub fn is_reported(&self, name: Symbol) -> bool {
        self.reported.contains(&name)
    }

    pub fn place(&self, name: Symbol) -> Option<Span> {
        self.declared.get(&name).map(|&(_, span)| span)
    }

    pub fn name(&self, id: TypeId) -> &str {
        &self.names[id.index()]
    }

    pub fn all(&self) -> impl Iterator<Item = TypeId> + use<> {
        (0..self.names.len() as u32).map(TypeId)
    }

    pub fn parents(&self, id: TypeId) -> &[TypeId] {
        &self.parents[id.index()]
    }

    pub fn is_below(&self, lower: TypeId, upper: TypeId) -> bool {
        self.ancestors[lower.index()].contains(upper.index())
    }

    pub fn union_is_below(&self, lower: &[TypeId], upper: &[TypeId]) -> bool {
        lower.iter().all(|&lower| upper.iter().any(|&upper| self.is_below(lower, upper)))
    }

    /// Whether an object of all of `types` belongs to the union `upper`.
    pub fn intersection_is_below(&self, types: &[TypeId], upper: &[TypeId]) -> bool {
        types.iter().any(|&lower| upper.iter().any(|&upper| self.is_below(lower, upper)))
    }

    /// Whether two unions share a type, or an object of several types.
    pub fn overlap(&self, one: &[TypeId], other: &[TypeId]) -> bool {
        !united(one, &self.below).is_disjoint(&united(other, &self.below))
    }

    pub fn show(&self, types: &[TypeId], between: &str) -> String {
        let names: Vec<String> = types.iter().take(8).map(|&ty| quote(self.name(ty))).collect();
        names.join(between)
    }
}

/// The union of several types: everything if `object` is one of them, or if there are none.
pub fn union(mut types: Vec<TypeId>) -> Vec<TypeId> {
    types.sort_unstable();
    types.dedup();
    if types.is_empty() || types.contains(&TypeId::OBJECT) { vec![TypeId::OBJECT] } else { types }
}

/// The intersection of several types, without `object` if there is another one.
pub fn intersection(mut types: Vec<TypeId>) -> Vec<TypeId> {
    types.retain(|&ty| ty != TypeId::OBJECT);
    union(types)
}

/// The finding for a name that is declared twice, in compatible ways.
pub fn again(what: &str, name: &str, span: Span, advice: &str) -> Diagnostic {
    let message = format!("{what} {} is declared before", quote(name));
    Diagnostic::warning("repeated-declaration", span, message).with_advice(advice)
}

pub fn repeated(what: &str, name: &str, span: Span) -> Diagnostic {
    let message = format!("{what} {} is declared before", quote(name));
    Diagnostic::error("duplicate-declaration", span, message).with_advice("remove one of them, or rename it")
}

fn united(types: &[TypeId], sets: &[FixedBitSet]) -> FixedBitSet {
    types.iter().fold(FixedBitSet::new(), |mut union, ty| {
        union.union_with(&sets[ty.index()]);
        union
    })
}

fn above_itself(name: &str, span: Span) -> Diagnostic {
    let advice = "a hierarchy has no cycles: remove one of the types after `-`";
    Diagnostic::error("type-cycle", span, format!("type {} stands above itself", quote(name))).with_advice(advice)
}
