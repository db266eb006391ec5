//! Reads the file of a diagram in place: the file is mapped into memory and read one node at a time. Opening costs a
//! page or two. A lookup is a walk from the root, a few microseconds once its pages are in memory. Damaged bytes cause
//! an error: every access is checked, and so is that every child is on a deeper level, so each walk ends.

use super::{Kind, LayerFile, StoreError};
use base::limits::Limits;
use kernel::{Diagram, Layout, Level, Node, UnpackError};
use std::path::Path;
use std::sync::Arc;

#[derive(Debug)]
pub struct Mapped {
    file: LayerFile,
    layout: Layout,
}

impl Mapped {
    pub fn open(path: &Path) -> Result<Mapped, StoreError> {
        Mapped::new(LayerFile::open(path)?)
    }

    /// The diagram in a file. It is an error if the file has values by rank, or bytes that are no diagram.
    pub fn new(file: LayerFile) -> Result<Mapped, StoreError> {
        let header = file.header();
        if header.kind == Kind::Ranked {
            return Err(file.damaged("not a diagram"));
        }
        let layout = Layout::new(file.body(), header.levels, header.nodes, header.root)
            .map_err(|error| file.unpack_error(error))?;
        Ok(Mapped { file, layout })
    }

    pub fn file(&self) -> &LayerFile {
        &self.file
    }

    pub fn levels(&self) -> u32 {
        self.layout.levels()
    }

    pub fn root(&self) -> Node {
        self.layout.root()
    }

    pub fn node_count(&self) -> u64 {
        self.layout.node_count()
    }

    /// All inner nodes, those of the bottom level first.
    pub fn node_ids(&self) -> impl ExactSizeIterator<Item = Node> + use<> {
        self.layout.node_ids()
    }

    /// The level of a node; [`Level::end`] for a terminal and for an id that is not a node.
    pub fn level(&self, node: Node) -> Level {
        self.layout.level(node)
    }

    /// `[lo, hi]` of an inner node: terminals or nodes of deeper levels.
    pub fn children(&self, node: Node) -> Result<[Node; 2], StoreError> {
        self.layout.children(self.file.body(), node).map_err(|error| self.unpack_error(error))
    }

    /// Whether a set has an element (one value per level).
    pub fn contains(&self, assignment: &[bool]) -> Result<bool, StoreError> {
        Ok(self.terminal_of(assignment)? != 0)
    }

    /// The terminal of an element (one value per level) of a set; 0 if the set lacks it.
    pub fn terminal_of(&self, assignment: &[bool]) -> Result<u32, StoreError> {
        self.walk(assignment, |_, _| Ok(()))
    }

    /// As [`Mapped::terminal_of`]. Calls `pass` with each inner node of the path, and whether the path takes `hi` there.
    pub fn walk(
        &self,
        assignment: &[bool],
        mut pass: impl FnMut(Node, bool) -> Result<(), StoreError>,
    ) -> Result<u32, StoreError> {
        let (mut node, mut next) = (self.root(), 0);
        loop {
            let level = self.level(node).index();
            let skipped = assignment.get(next..level).ok_or_else(|| self.wrong_length())?;
            if node == Node::ZERO || skipped.contains(&true) {
                return Ok(0);
            }
            if let Some(terminal) = node.as_terminal() {
                return Ok(terminal);
            }
            let bit = *assignment.get(level).ok_or_else(|| self.wrong_length())?;
            pass(node, bit)?;
            node = self.children(node)?[usize::from(bit)];
            next = level + 1;
        }
    }

    /// The terminal of an assignment (one value per level) in a value diagram.
    pub fn value_at(&self, assignment: &[bool]) -> Result<u32, StoreError> {
        let mut node = self.root();
        loop {
            if let Some(terminal) = node.as_terminal() {
                return Ok(terminal);
            }
            let bit = *assignment.get(self.level(node).index()).ok_or_else(|| self.wrong_length())?;
            node = self.children(node)?[usize::from(bit)];
        }
    }

    pub fn diagram(&self, limits: &Arc<Limits>) -> Result<Diagram, StoreError> {
        self.file.expect_pass();
        Diagram::unpack(self.file.body(), &self.layout, limits).map_err(|error| self.unpack_error(error))
    }

    fn unpack_error(&self, error: UnpackError) -> StoreError {
        self.file.unpack_error(error)
    }

    fn wrong_length(&self) -> StoreError {
        self.file.damaged("a diagram with other levels than the game")
    }
}
