//! A decision diagram: an immutable array of `[lo, hi]`, eight bytes a node. Ids ascend from the bottom level up.
//!
//! The array has two readings. As a **set** (zero-suppressed, Minato 1993), an element is false at every level that its
//! path skips, and a node's `hi` is never terminal 0. As a **value diagram** (multi-terminal BDD), the value does not
//! depend on a skipped level. Nodes are unique and reachable from the root. Within a level, their numbers depend on the
//! order in which a sweep met them, so comparison and files use the canonical order (see `canonical`).

use super::level::Level;
use super::levels::LevelIndex;
use super::memory::{Region, prefetch};
use super::node::{Node, TERMINALS};

/// Largest number of levels: an index of a level has 16 bits.
pub const MAX_LEVELS: u32 = u16::MAX as u32;

#[derive(Debug)]
pub(super) enum Nodes {
    Region(Region),
    Vector(Vec<[Node; 2]>),
}

#[derive(Debug)]
pub struct Diagram {
    index: LevelIndex<Node>,
    root: Node,
    /// The address of the entry for id 0. Ids of nodes begin at [`TERMINALS`], so there is no such entry, but lookups
    /// need no subtraction.
    base: *const [Node; 2],
    nodes: Nodes,
}

// SAFETY: the nodes are owned by the diagram and never written after construction.
unsafe impl Send for Diagram {}
// SAFETY: as above.
unsafe impl Sync for Diagram {}

/// An operand, borrowed or owned. The memory of an owned diagram is freed as early as possible.
#[derive(Debug)]
pub enum Given<'a, T = Diagram> {
    Kept(&'a T),
    UsedUp(T),
}

impl<T> std::ops::Deref for Given<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Given::Kept(kept) => kept,
            Given::UsedUp(owned) => owned,
        }
    }
}

impl<'a> From<&'a Diagram> for Given<'a> {
    fn from(diagram: &'a Diagram) -> Self {
        Given::Kept(diagram)
    }
}

impl From<Diagram> for Given<'_> {
    fn from(diagram: Diagram) -> Self {
        Given::UsedUp(diagram)
    }
}

impl Given<'_> {
    pub(super) fn into_index(self) -> LevelIndex<Node> {
        match self {
            Given::Kept(diagram) => diagram.index.clone(),
            Given::UsedUp(diagram) => diagram.index,
        }
    }
}

impl Diagram {
    /// A diagram of nodes in the order of their ids; `ends` as in [`LevelIndex`].
    ///
    /// # Safety
    /// `nodes` must hold `ends[0] - TERMINALS` nodes whose children are terminals or nodes of deeper levels, and `root`
    /// must be a terminal or one of these nodes.
    pub(super) unsafe fn from_parts(nodes: Nodes, ends: Vec<u32>, root: Node) -> Diagram {
        let first: *const [Node; 2] = match &nodes {
            Nodes::Region(region) => region.base().cast(),
            Nodes::Vector(vector) => vector.as_ptr(),
        };
        let base = first.wrapping_sub(TERMINALS as usize);
        Diagram { index: LevelIndex::new(ends), root, base, nodes }
    }

    /// A diagram without nodes. As a set, terminal 0 is the empty set, and any other terminal is the set of the
    /// all-false assignment; as a value diagram it is a constant.
    pub fn constant(levels: u32, terminal: u32) -> Diagram {
        assert!(terminal < TERMINALS && levels <= MAX_LEVELS, "terminal {terminal} or {levels} levels out of range");
        // SAFETY: there are no nodes, and the root is a terminal.
        unsafe {
            Diagram::from_parts(Nodes::Vector(vec![]), vec![TERMINALS; levels as usize + 1], Node::terminal(terminal))
        }
    }

    pub fn single(levels: u32, assignment: &[bool]) -> Diagram {
        assert!(assignment.len() == levels as usize && levels <= MAX_LEVELS, "one value per level");
        let (mut nodes, mut ends, mut root) = (vec![], vec![TERMINALS; levels as usize + 1], Node::ONE);
        for level in (0..levels as usize).rev() {
            if assignment[level] {
                nodes.push([Node::ZERO, root]);
                root = Node::inner(nodes.len() - 1);
            }
            ends[level] = TERMINALS + nodes.len() as u32;
        }
        // SAFETY: each node's child is the one pushed before it at a deeper level, or a terminal.
        unsafe { Diagram::from_parts(Nodes::Vector(nodes), ends, root) }
    }

    pub fn levels(&self) -> u32 {
        self.index.levels()
    }

    pub fn root(&self) -> Node {
        self.root
    }

    pub fn node_count(&self) -> u64 {
        self.index.len() as u64
    }

    /// Bytes of the index of levels, which the account of the nodes does not count.
    pub fn index_bytes(&self) -> u64 {
        self.index.bytes()
    }

    pub fn is_empty(&self) -> bool {
        self.root == Node::ZERO
    }

    pub(super) fn is_region(&self) -> bool {
        matches!(self.nodes, Nodes::Region(_))
    }

    pub(super) fn into_parts(self) -> (LevelIndex<Node>, Nodes) {
        (self.index, self.nodes)
    }

    #[inline(always)]
    pub fn level(&self, node: Node) -> Level {
        self.index.level(node)
    }

    /// All inner nodes, from the bottom level up.
    pub fn node_ids(&self) -> impl DoubleEndedIterator<Item = Node> + ExactSizeIterator + Clone + use<> {
        (0..self.index.len()).map(Node::inner)
    }

    /// The terminals that occur, except 0, ascending.
    pub fn terminals(&self) -> Vec<u32> {
        let mut occurs = vec![];
        for node in self.nodes().iter().flatten().chain([&self.root]) {
            if let Some(terminal) = node.as_terminal() {
                occurs.resize(occurs.len().max(terminal as usize + 1), false);
                occurs[terminal as usize] = true;
            }
        }
        (1..occurs.len() as u32).filter(|&terminal| occurs[terminal as usize]).collect()
    }

    fn has(&self, node: Node) -> bool {
        node.index().is_some_and(|index| index < self.index.len())
    }

    pub fn children(&self, node: Node) -> [Node; 2] {
        assert!(self.has(node), "{node:?} is not an inner node");
        self.node(node)
    }

    #[inline(always)]
    pub(super) fn node(&self, node: Node) -> [Node; 2] {
        debug_assert!(self.has(node));
        // SAFETY: sweeps only ask for ids they read from this diagram's root or nodes, which are in range.
        unsafe { *node.entry(self.base) }
    }

    #[inline(always)]
    pub(super) fn prefetch(&self, node: Node) {
        prefetch(node.entry(self.base));
    }

    pub(super) fn index(&self) -> &LevelIndex<Node> {
        &self.index
    }

    pub(super) fn first_node(&self) -> *const [Node; 2] {
        self.base.wrapping_add(TERMINALS as usize)
    }

    /// `[lo, hi]` of all inner nodes, by [`Node::index`].
    pub(super) fn nodes(&self) -> &[[Node; 2]] {
        // SAFETY: there are that many nodes by the contract of `from_parts`.
        unsafe { std::slice::from_raw_parts(self.first_node(), self.node_count() as usize) }
    }

    /// The terminal of an assignment in a set: 0 if it is no element.
    pub fn contains(&self, assignment: &[bool]) -> u32 {
        let (mut node, mut next) = (self.root, 0);
        loop {
            let level = self.level(node).index();
            if node == Node::ZERO || assignment[next..level].iter().any(|&bit| bit) {
                return 0;
            }
            if let Some(terminal) = node.as_terminal() {
                return terminal;
            }
            node = self.node(node)[usize::from(assignment[level])];
            next = level + 1;
        }
    }

    pub fn value_at(&self, assignment: &[bool]) -> u32 {
        let mut node = self.root;
        loop {
            if let Some(terminal) = node.as_terminal() {
                return terminal;
            }
            node = self.node(node)[usize::from(assignment[self.level(node).index()])];
        }
    }

    /// Of a set: the lexicographically first element (false before true) with this terminal; `None` if there is none.
    pub fn pick(&self, terminal: u32) -> Option<Vec<bool>> {
        let mut reaches = vec![false; self.node_count() as usize];
        let leads = |reaches: &[bool], node: Node| match node.index() {
            Some(index) => reaches[index],
            None => node != Node::ZERO && node.known_terminal() == terminal,
        };
        for (k, &[lo, hi]) in self.nodes().iter().enumerate() {
            reaches[k] = leads(&reaches, lo) || leads(&reaches, hi);
        }
        if !leads(&reaches, self.root) {
            return None;
        }
        let (mut assignment, mut node) = (vec![false; self.levels() as usize], self.root);
        while !node.is_terminal() {
            let [lo, hi] = self.node(node);
            let bit = !leads(&reaches, lo);
            assignment[self.level(node).index()] = bit;
            node = if bit { hi } else { lo };
        }
        Some(assignment)
    }
}

#[cfg(test)]
pub(super) fn full(levels: u32) -> Diagram {
    let below = |level: usize| if level == 0 { Node::ONE } else { Node::inner(level - 1) };
    let nodes = (0..levels as usize).map(|level| [below(level); 2]).collect();
    let ends = (0..=levels).rev().map(|level| TERMINALS + level).collect();
    // SAFETY: each node's children are the node before it, one level deeper, or a terminal.
    unsafe { Diagram::from_parts(Nodes::Vector(nodes), ends, below(levels as usize)) }
}
