//! Rule instances: ground rules over atoms that depend on the state, in flat arrays.

use super::atom::AtomId;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroundLiteral(u32);

impl GroundLiteral {
    pub fn new(atom: AtomId, negative: bool) -> Self {
        GroundLiteral(atom.0 << 1 | u32::from(negative))
    }

    pub fn atom(self) -> AtomId {
        AtomId(self.0 >> 1)
    }

    pub fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }
}

#[derive(Debug, Clone, Default)]
pub struct Instances {
    heads: Vec<AtomId>,
    ends: Vec<u32>,
    bodies: Vec<GroundLiteral>,
}

impl Instances {
    /// Between two looks at [`Instances::is_full`] far fewer are added than are left then; an atom's number has 31
    /// bits.
    pub const MOST: usize = 1 << 30;

    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Starts an instance. The caller appends its literals to the result, then calls [`Instances::end`].
    pub fn begin(&mut self, head: AtomId) -> &mut Vec<GroundLiteral> {
        self.heads.push(head);
        &mut self.bodies
    }

    pub fn end(&mut self) {
        self.ends.push(self.bodies.len() as u32);
    }

    pub fn heads(&self) -> &[AtomId] {
        &self.heads
    }

    pub fn body(&self, instance: usize) -> &[GroundLiteral] {
        let start = if instance == 0 { 0 } else { self.ends[instance - 1] as usize };
        &self.bodies[start..self.ends[instance] as usize]
    }

    /// Whether the numbers of literals or atoms will soon not fit 32 bits any more.
    pub fn is_full(&self, atoms: usize) -> bool {
        self.bodies.len() > Self::MOST || atoms > Self::MOST
    }

    pub fn bytes(&self) -> usize {
        self.heads.capacity() * 8 + self.bodies.capacity() * 4
    }
}
