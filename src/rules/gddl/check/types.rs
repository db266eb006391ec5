//! The hierarchy of types. A type may have several parents, and the union of types (`either`) is a list of them.

use crate::diagnostic::{Diagnostic, quote};
use crate::rules::check::spelling::nearest;
use crate::rules::gddl::ast::{Description, Name};
use crate::rules::{Symbol, SymbolTable};
use crate::syntax::Span;
use indexmap::IndexMap;

/// More types than this are refused: the closure of the hierarchy takes their square in bits.
const MOST: usize = 4096;

/// Similar names are searched for at most so often.
const MOST_SEARCHES: usize = 100;

/// Index of a type; 0 is `object`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

/// All types with their ancestors.
#[derive(Debug, Default)]
pub struct Types {
    /// Declared ones by name, and then those of objects that were declared with `either`.
    names: Vec<String>,
    declared: IndexMap<Symbol, (TypeId, Span)>,
    parents: Vec<Vec<TypeId>>,
    /// By type, a bit set of types: itself and all above it.
    ancestors: Vec<Vec<u64>>,
    combined: IndexMap<Vec<TypeId>, TypeId>,
    searches: usize,
}

impl TypeId {
    /// The type of everything.
    pub const OBJECT: TypeId = TypeId(0);

    fn index(self) -> usize {
        self.0 as usize
    }
}

impl Types {
    /// The declared types; reports repeated, unknown and cyclic ones.
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
            if types.names.len() >= MOST {
                let message = format!("more than {MOST} types");
                diagnostics.push(Diagnostic::error("too-many-types", typed.name.span, message));
                break;
            }
            let id = TypeId(types.names.len() as u32);
            if types.declared.contains_key(&typed.name.symbol) {
                diagnostics.push(repeated("type", name, typed.name.span));
                continue;
            }
            types.declared.insert(typed.name.symbol, (id, typed.name.span));
            types.names.push(name.to_owned());
            types.parents.push(Vec::new());
        }
        for &parent in description.types.iter().flat_map(|typed| &typed.types) {
            types.implicit(parent, &description.symbols, complete, diagnostics);
        }
        for typed in &description.types {
            let Some(&(id, _)) = types.declared.get(&typed.name.symbol) else { continue };
            let parents = types.union(&typed.types, &description.symbols, complete, diagnostics);
            if id != TypeId::OBJECT && parents != [TypeId::OBJECT] {
                types.parents[id.index()].extend(parents);
            }
        }
        types.close(description, diagnostics);
        types
    }

    /// Takes a type that only stands above others as declared, as many planners do.
    fn implicit(&mut self, name: Name, symbols: &SymbolTable, complete: bool, diagnostics: &mut Vec<Diagnostic>) {
        let word = symbols.name(name.symbol);
        if !complete || word == "object" || self.declared.contains_key(&name.symbol) || self.names.len() >= MOST {
            return;
        }
        self.declared.insert(name.symbol, (TypeId(self.names.len() as u32), name.span));
        self.names.push(word.to_owned());
        self.parents.push(Vec::new());
        let message = format!("type {} is not declared by itself", quote(word));
        let advice = "it is taken as a type right below `object`; if that is meant, say so";
        diagnostics.push(Diagnostic::warning("implicit-type", name.span, message).with_advice(advice));
    }

    /// The ancestors of all types, parents first; what is left over has a cycle above it.
    fn close(&mut self, description: &Description, diagnostics: &mut Vec<Diagnostic>) {
        let number = self.names.len();
        let mut children = vec![Vec::new(); number];
        let mut open: Vec<usize> = self.parents.iter().map(Vec::len).collect();
        for (child, parents) in self.parents.iter().enumerate() {
            parents.iter().for_each(|parent| children[parent.index()].push(child));
        }
        self.ancestors = (0..number).map(|index| bits([TypeId::OBJECT, TypeId(index as u32)])).collect();
        let mut ready: Vec<usize> = (0..number).filter(|&index| open[index] == 0).collect();
        while let Some(index) = ready.pop() {
            for &child in &children[index] {
                let above = self.ancestors[index].clone();
                unite(&mut self.ancestors[child], &above);
                open[child] -= 1;
                if open[child] == 0 {
                    ready.push(child);
                }
            }
        }
        for (name, &(id, span)) in &self.declared {
            if open[id.index()] > 0 {
                let message = format!("type {} stands above itself", quote(description.symbols.name(*name)));
                let advice = "a hierarchy has no cycles: remove one of the types after `-`";
                diagnostics.push(Diagnostic::error("type-cycle", span, message).with_advice(advice));
            }
        }
    }

    /// The types that are written after a name; `object` where none is. Unknown ones are reported.
    pub fn union(
        &mut self,
        names: &[Name],
        symbols: &SymbolTable,
        complete: bool,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<TypeId> {
        let mut union = Vec::new();
        for name in names {
            match self.declared.get(&name.symbol) {
                Some((id, _)) => union.push(*id),
                None if complete => {
                    self.searches += 1;
                    let names = self.declared.keys().map(|&symbol| symbols.name(symbol)).chain(["object"]);
                    let word = symbols.name(name.symbol);
                    let found = if self.searches <= MOST_SEARCHES { nearest(word, names) } else { None };
                    let advice =
                        found.map_or("declare it in `:types`".to_owned(), |name| format!("is {} meant?", quote(name)));
                    let message = format!("type {} is not declared", quote(word));
                    diagnostics.push(Diagnostic::error("unknown-type", name.span, message).with_advice(advice));
                }
                None => {}
            }
        }
        union.sort_unstable();
        union.dedup();
        if union.is_empty() || union.contains(&TypeId::OBJECT) { vec![TypeId::OBJECT] } else { union }
    }

    /// The one type of an object that belongs to all of `types`.
    pub fn combine(&mut self, types: Vec<TypeId>) -> TypeId {
        if let [single] = types[..] {
            return single;
        }
        if let Some(&known) = self.combined.get(&types) {
            return known;
        }
        // Beyond the bound it falls into the first, as the text is refused anyway or nearly so.
        if self.names.len() >= 2 * MOST {
            return types[0];
        }
        let id = TypeId(self.names.len() as u32);
        let names: Vec<&str> = types.iter().map(|ty| self.names[ty.index()].as_str()).collect();
        self.names.push(names.join("|"));
        let mut ancestors = bits([TypeId::OBJECT, id]);
        types.iter().for_each(|ty| unite(&mut ancestors, &self.ancestors[ty.index()]));
        self.ancestors.push(ancestors);
        self.parents.push(types.clone());
        self.combined.insert(types, id);
        id
    }

    /// The type of a name, if it is declared.
    pub fn find(&self, name: Symbol) -> Option<TypeId> {
        self.declared.get(&name).map(|&(id, _)| id)
    }

    pub fn name(&self, id: TypeId) -> &str {
        &self.names[id.index()]
    }

    /// All types, those of single objects included.
    pub fn all(&self) -> impl Iterator<Item = TypeId> + use<> {
        (0..self.names.len() as u32).map(TypeId)
    }

    /// The types right above one.
    pub fn parents(&self, id: TypeId) -> &[TypeId] {
        &self.parents[id.index()]
    }

    /// Whether every object of `lower` belongs to `upper`.
    pub fn is_below(&self, lower: TypeId, upper: TypeId) -> bool {
        self.ancestors[lower.index()].get(upper.index() / 64).is_some_and(|word| word >> (upper.index() % 64) & 1 == 1)
    }

    /// Whether every object of one union belongs to the other.
    pub fn union_is_below(&self, lower: &[TypeId], upper: &[TypeId]) -> bool {
        lower.iter().all(|&lower| upper.iter().any(|&upper| self.is_below(lower, upper)))
    }

    /// Whether some type belongs to both unions.
    pub fn overlap(&self, one: &[TypeId], other: &[TypeId]) -> bool {
        self.all().any(|ty| {
            let belongs = |union: &[TypeId]| union.iter().any(|&upper| self.is_below(ty, upper));
            belongs(one) && belongs(other)
        })
    }

    /// A union in words.
    pub fn show(&self, union: &[TypeId]) -> String {
        let names: Vec<String> = union.iter().take(8).map(|&ty| quote(self.name(ty))).collect();
        names.join(" or ")
    }
}

/// The finding for a name that is declared twice.
pub fn repeated(what: &str, name: &str, span: Span) -> Diagnostic {
    let message = format!("{what} {} is declared before", quote(name));
    Diagnostic::error("duplicate-declaration", span, message).with_advice("remove one of them, or rename it")
}

fn bits<const N: usize>(types: [TypeId; N]) -> Vec<u64> {
    let mut set = Vec::new();
    for ty in types {
        if set.len() <= ty.index() / 64 {
            set.resize(ty.index() / 64 + 1, 0);
        }
        set[ty.index() / 64] |= 1 << (ty.index() % 64);
    }
    set
}

fn unite(set: &mut Vec<u64>, other: &[u64]) {
    if set.len() < other.len() {
        set.resize(other.len(), 0);
    }
    set.iter_mut().zip(other).for_each(|(word, other)| *word |= other);
}
