//! Orders roles, fluents and moves, and assembles the game.

use super::atom::AtomId;
use super::circuit::Circuit;
use super::demand::Asked;
use super::error::GroundError;
use super::order::Ranks;
use super::record::Evaluation;
use super::term::TermId;
use super::{GroundOptions, compact};
use crate::diagnostic::Diagnostic;
use crate::propositional::{Derived, FluentId, Game, Graph, GroundTerm, Move, MoveId, NodeId, RoleId};
use crate::rules::{CHANCE, Made, Predicate, PredicateId, Program, Term};
use crate::syntax::Span;
use base::limits::{Account, Limits};
use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use std::collections::HashSet;

pub struct Assembler<'a> {
    pub program: &'a Program,
    pub predicates: &'a IndexSet<Predicate>,
    pub symbols: &'a crate::rules::SymbolTable,
    pub evaluation: &'a Evaluation,
    pub asked: &'a [Asked],
    pub folded: &'a IndexSet<PredicateId>,
}

impl Assembler<'_> {
    pub fn id(&self, predicate: Predicate) -> Option<PredicateId> {
        self.predicates.get_index_of(&predicate).map(|index| PredicateId(index as u32))
    }

    /// Whether a relation may lack some of its atoms, because it was folded or restricted to requested atoms.
    pub fn is_restricted(&self, relation: PredicateId) -> bool {
        self.folded.contains(&relation) || self.asked.iter().any(|asked| asked.relation == relation)
    }

    pub fn extent(&self, predicate: Predicate) -> &[AtomId] {
        self.id(predicate).map_or(&[], |id| self.evaluation.store.atoms.extent(id))
    }

    fn twin(&self, atom: AtomId, predicate: Predicate) -> Option<AtomId> {
        let atoms = &self.evaluation.store.atoms;
        atoms.find(self.id(predicate)?, atoms.arguments(atom)).filter(|&twin| atoms.is_derived(twin))
    }

    pub fn display(&self, term: TermId) -> GroundTerm {
        self.evaluation.store.terms.display(term, self.symbols)
    }

    pub fn name(&self, atom: AtomId) -> GroundTerm {
        let atoms = &self.evaluation.store.atoms;
        let name = self.predicates[atoms.predicate(atom).0 as usize].name(self.symbols).to_owned();
        GroundTerm { name, arguments: atoms.arguments(atom).iter().map(|&term| self.display(term)).collect() }
    }

    /// Roles that are facts, in the order of the text; then roles that rules derive, by name; then chance.
    fn roles(&self, ranks: &Ranks) -> Vec<TermId> {
        let (atoms, terms) = (&self.evaluation.store.atoms, &self.evaluation.store.terms);
        let listed = self.program.roles.iter().map(|role| self.known(role).expect("a fact's term was evaluated"));
        let mut roles: IndexSet<TermId> = listed.collect();
        let mut derived: Vec<TermId> =
            self.extent(Predicate::Role).iter().map(|&atom| atoms.arguments(atom)[0]).collect();
        derived.sort_by(|&a, &b| terms.compare(a, b, ranks));
        roles.extend(derived);
        let mut roles: Vec<TermId> = roles.into_iter().collect();
        if let Some(place) = roles.iter().position(|&role| self.is_chance(role)) {
            roles[place..].rotate_left(1);
        }
        roles
    }

    /// Whether a role is chance, which GDL-II identifies by its name.
    fn is_chance(&self, role: TermId) -> bool {
        let terms = &self.evaluation.store.terms;
        let name = self.symbols.name(terms.functor(role));
        terms.arguments(role).is_empty() && name.eq_ignore_ascii_case(CHANCE)
    }

    fn known(&self, term: &Term) -> Option<TermId> {
        let terms = &self.evaluation.store.terms;
        match term {
            Term::Constant(name) => terms.find(*name, &[]),
            Term::Function(name, arguments) => {
                let arguments: Option<Vec<TermId>> = arguments.iter().map(|argument| self.known(argument)).collect();
                terms.find(*name, &arguments?)
            }
            Term::Variable(_) => None,
        }
    }

    /// Builds and simplifies the game, with names for its derived atoms if the options ask for them. Also returns the
    /// fluents that hold in every reachable state, which simplification removes, and a warning of goals whose values are
    /// no rewards.
    pub fn assemble(
        &self,
        options: &GroundOptions,
        account: &mut Account<&Limits>,
    ) -> Result<(Game, Vec<GroundTerm>, Option<Diagnostic>), GroundError> {
        let Evaluation { store, instances, .. } = self.evaluation;
        let (atoms, terms) = (&store.atoms, &store.terms);
        let ranks = Ranks::new(self.symbols);
        let roles = self.roles(&ranks);
        let has_chance = roles.last().is_some_and(|&role| self.is_chance(role));
        let role_of: FxHashMap<TermId, RoleId> =
            roles.iter().enumerate().map(|(index, &role)| (role, RoleId(index as u32))).collect();
        let mut fluents: Vec<AtomId> = self.extent(Predicate::True).to_vec();
        fluents.sort_by(|&a, &b| terms.compare_rows(atoms.arguments(a), atoms.arguments(b), &ranks));
        let moves = self.moves(&role_of, &ranks);
        let next: Vec<Option<AtomId>> = fluents.iter().map(|&f| self.twin(f, Predicate::Next)).collect();
        let legal: Vec<Option<AtomId>> = moves.iter().map(|&(_, m)| self.twin(m, Predicate::Legal)).collect();
        let goals = self.goals(&role_of)?;
        let terminal = self.extent(Predicate::Terminal).first().copied();
        let mut circuit = Circuit::new(instances, atoms.len(), options.instances);
        for (index, &atom) in fluents.iter().enumerate() {
            let node = circuit.graph.fluent(FluentId(index as u32));
            circuit.set(atom, node);
        }
        for (index, &(_, atom)) in moves.iter().enumerate() {
            let node = circuit.graph.action(MoveId(index as u32));
            circuit.set(atom, node);
        }
        let roots = next.iter().copied().chain(legal.iter().copied()).chain(goals.atoms().map(Some)).chain([terminal]);
        let roots: Vec<AtomId> = roots.flatten().collect();
        let described = |atom| {
            // Relations that grounding made have no rule in the text.
            let rule = self.program.rules.iter().find(|rule| rule.head.predicate == atoms.predicate(atom));
            (self.name(atom).to_string(), rule.map_or(Span::default(), |rule| rule.span))
        };
        circuit.build(&roots, described, account)?;

        let node = |atom: Option<AtomId>| {
            atom.map_or(NodeId::FALSE, |atom| circuit.node(atom).expect("the atoms that conditions need were built"))
        };
        let term = |atom: AtomId, column: usize| self.display(atoms.arguments(atom)[column]);
        let game = Game {
            name: self.program.name.clone(),
            roles: roles.iter().map(|&role| self.display(role)).collect(),
            has_chance,
            fluents: fluents.iter().map(|&fluent| term(fluent, 0)).collect(),
            init: fluents.iter().map(|&fluent| self.twin(fluent, Predicate::Init).is_some()).collect(),
            moves: (moves.iter().zip(&legal))
                .map(|(&(role, atom), &legal)| Move { role, term: term(atom, 1), legal: node(legal), cost: 1 })
                .collect(),
            next: next.iter().map(|&atom| node(atom)).collect(),
            terminal: node(terminal),
            goals: Vec::new(),
            graph: Graph::new(),
            derived: Vec::new(),
        };
        let warning = self.refused_goals(&goals, |atom| node(Some(atom)));
        let goals = goals.conditions(|atom| node(Some(atom)));
        let named: Vec<(AtomId, NodeId)> = if options.derived { self.named(&circuit) } else { Vec::new() };
        let mut graph = circuit.graph;
        let goals = goals.in_graph(&mut graph);
        // Simplification needs memory for a second graph.
        account.add(graph.bytes() as u64)?;
        let mut game = Game { graph, goals, ..game };
        if let Some(goals) = game.goals.last_mut().filter(|_| has_chance) {
            *goals = vec![(0, NodeId::TRUE)];
        }
        let initial = game.fluents.iter().zip(&game.init).filter(|(_, init)| **init);
        let initial: Vec<GroundTerm> = initial.map(|(term, _)| term.clone()).collect();
        let mut nodes: Vec<NodeId> = named.iter().map(|&(_, node)| node).collect();
        let mut game = compact::simplify(game, &mut nodes, options.behind);
        self.costs(&mut game)?;
        let named = named.iter().zip(nodes).map(|(&(atom, _), node)| (atom, node));
        game.derived = self.derived(&game, named.collect(), &ranks);
        let varying: HashSet<&GroundTerm> = game.fluents.iter().collect();
        let constant = initial.into_iter().filter(|term| !varying.contains(term)).collect();
        Ok((game, constant, warning))
    }

    fn moves(&self, role_of: &FxHashMap<TermId, RoleId>, ranks: &Ranks) -> Vec<(RoleId, AtomId)> {
        let (atoms, terms) = (&self.evaluation.store.atoms, &self.evaluation.store.terms);
        let role = |atom: AtomId| role_of.get(&atoms.arguments(atom)[0]).copied();
        let does = self.extent(Predicate::Does).iter().filter_map(|&atom| Some((role(atom)?, atom)));
        let mut moves: Vec<(RoleId, AtomId)> = does.collect();
        moves.sort_by(|&(r, a), &(s, b)| {
            r.cmp(&s).then_with(|| terms.compare_rows(atoms.arguments(a), atoms.arguments(b), ranks))
        });
        moves
    }

    fn costs(&self, game: &mut Game) -> Result<(), GroundError> {
        let Some(costs) = &self.program.costs else { return Ok(()) };
        for Move { role, term, cost, .. } in &mut game.moves {
            let found = costs.of(&game.roles[role.index()], term);
            *cost = found.map_err(|reason| GroundError::Cost { action: term.to_string(), reason })?;
        }
        Ok(())
    }

    /// The derived atoms of the relations of the text, with their nodes.
    fn named(&self, circuit: &Circuit<'_>) -> Vec<(AtomId, NodeId)> {
        let atoms = &self.evaluation.store.atoms;
        let is_named = |index: &usize| match self.predicates[*index] {
            // The parts of long rules mean nothing to a reader.
            Predicate::Relation(symbol, _) => !matches!(
                self.symbols.made(symbol),
                Some(Made::Split(_) | Made::Gathered(_) | Made::Link(_) | Made::Demand(_))
            ),
            _ => false,
        };
        let relations = (0..self.predicates.len()).filter(is_named);
        let extents = relations.flat_map(|index| atoms.extent(PredicateId(index as u32)));
        extents.filter_map(|&atom| Some((atom, circuit.node(atom)?))).collect()
    }

    /// For each node that is not a fluent, a move or a constant, the first of its names, if it has any.
    fn derived(&self, game: &Game, named: Vec<(AtomId, NodeId)>, ranks: &Ranks) -> Vec<Derived> {
        let (atoms, terms) = (&self.evaluation.store.atoms, &self.evaluation.store.terms);
        let rank = |atom: AtomId| match self.predicates[atoms.predicate(atom).0 as usize] {
            Predicate::Relation(symbol, _) => ranks.of(symbol),
            _ => 0,
        };
        let compare = |a: AtomId, b: AtomId| {
            let rows = || terms.compare_rows(atoms.arguments(a), atoms.arguments(b), ranks);
            rank(a).cmp(&rank(b)).then_with(rows)
        };
        let mut first: Vec<Option<AtomId>> = vec![None; game.graph.len()];
        for (atom, node) in named {
            let slot = &mut first[node.index()];
            if slot.is_none_or(|known| compare(atom, known).is_lt()) {
                *slot = Some(atom);
            }
        }
        use crate::propositional::Node;
        let is_leaf = |id| matches!(game.graph.node(id), Node::False | Node::True | Node::Fluent(_) | Node::Move(_));
        let named = first.iter().enumerate().filter_map(|(id, &atom)| Some((NodeId(id as u32), atom?)));
        let mut named: Vec<(NodeId, AtomId)> = named.filter(|&(id, _)| !is_leaf(id)).collect();
        named.sort_by(|&(_, a), &(_, b)| compare(a, b));
        named.into_iter().map(|(node, atom)| Derived { term: self.name(atom), node }).collect()
    }
}
