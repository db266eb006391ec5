//! Rule instances: ground rules over atoms that depend on the state, in flat arrays.

use super::atom::AtomId;

/// A literal of an instance's body.
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

/// All instances found.
#[derive(Debug, Clone, Default)]
pub struct Instances {
    heads: Vec<AtomId>,
    ends: Vec<u32>,
    bodies: Vec<GroundLiteral>,
}

impl Instances {
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    pub fn push(&mut self, head: AtomId, body: impl IntoIterator<Item = GroundLiteral>) {
        self.heads.push(head);
        self.bodies.extend(body);
        self.ends.push(self.bodies.len() as u32);
    }

    pub fn head(&self, instance: usize) -> AtomId {
        self.heads[instance]
    }

    pub fn body(&self, instance: usize) -> &[GroundLiteral] {
        let start = if instance == 0 { 0 } else { self.ends[instance - 1] as usize };
        &self.bodies[start..self.ends[instance] as usize]
    }

    /// Number of literals of all bodies.
    pub fn literals(&self) -> usize {
        self.bodies.len()
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.heads.capacity() * 8 + self.bodies.capacity() * 4
    }
}
