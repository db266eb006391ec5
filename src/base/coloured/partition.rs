//! An ordered partition of the vertices into cells, with refinement and undoing of splits.
//!
//! Cells are runs of one array, identified by their first index. Refinement takes one cell after the other, counts the
//! edges of each label from its vertices to every vertex, and splits the cells whose vertices have different counts. It
//! ends when all cells were taken. If a cell is split after it was taken, the largest of its new cells need not be
//! taken again (Hopcroft 1971). Refinement depends on the graph and the cells only, not on how vertices are numbered.
//! So a hash of its steps is the same for vertices that a symmetry maps onto each other.

use super::{Graph, mix};
use std::collections::VecDeque;

#[derive(Debug)]
pub(super) struct Partition<'a> {
    pub graph: &'a Graph,
    /// The vertices, cell after cell.
    elements: Vec<u32>,
    /// By vertex: its index in `elements`.
    places: Vec<u32>,
    cells: Vec<u32>,
    /// By cell: its number of vertices.
    lengths: Vec<u32>,
    /// The splits so far: the cell that was split, and the new one.
    splits: Vec<(u32, u32)>,
    /// Cells that refinement still has to take.
    waiting: VecDeque<u32>,
    /// By cell: whether it is in `waiting`.
    waits: Vec<bool>,
    /// By vertex: the sum of the weights of its edges from the cell that refinement takes; 0 between cells.
    counts: Vec<u64>,
    /// Memory for the vertices with a count.
    touched: Vec<u32>,
    pub work: u64,
}

/// A record of the steps of refinement, or the comparison with an earlier record.
pub(super) enum Trace<'a> {
    Record(&'a mut Vec<u64>),
    Compare(&'a [u64], usize),
}

impl Trace<'_> {
    /// Records the hash of a step. Returns false if it differs from the earlier record.
    fn pass(&mut self, hash: u64) -> bool {
        match self {
            Trace::Record(recorded) => {
                recorded.push(hash);
                true
            }
            Trace::Compare(recorded, next) => {
                *next += 1;
                recorded.get(*next - 1) == Some(&hash)
            }
        }
    }

    /// Whether the comparison has reached the end of the earlier record.
    fn ended(&self) -> bool {
        match self {
            Trace::Record(_) => true,
            Trace::Compare(recorded, next) => recorded.len() == *next,
        }
    }
}

/// What an edge with this label adds to the count of its end. It is odd, so never 0.
fn weight(label: u32) -> u64 {
    mix(mix(1, u64::from(label)), 2) | 1
}

impl<'a> Partition<'a> {
    /// The partition with a cell for each colour, not yet refined.
    pub fn new(graph: &'a Graph, colours: &[u64]) -> Self {
        let vertices = graph.vertices();
        let mut elements: Vec<u32> = (0..vertices as u32).collect();
        elements.sort_by_key(|&vertex| colours[vertex as usize]);
        let (mut places, mut cells, mut lengths) = (vec![0; vertices], vec![0; vertices], vec![0; vertices]);
        let mut begin = 0;
        for (place, &vertex) in elements.iter().enumerate() {
            if colours[elements[begin] as usize] != colours[vertex as usize] {
                begin = place;
            }
            places[vertex as usize] = place as u32;
            cells[vertex as usize] = begin as u32;
            lengths[begin] += 1;
        }
        let mut partition = Partition {
            graph,
            elements,
            places,
            cells,
            lengths,
            splits: Vec::new(),
            waiting: VecDeque::new(),
            waits: vec![false; vertices],
            counts: vec![0; vertices],
            touched: Vec::new(),
            work: 0,
        };
        let mut begin = 0;
        while begin < vertices {
            partition.wait(begin as u32);
            begin += partition.lengths[begin] as usize;
        }
        partition
    }

    pub fn elements(&self) -> &[u32] {
        &self.elements
    }

    pub fn cell(&self, begin: u32) -> &[u32] {
        &self.elements[begin as usize..(begin + self.lengths[begin as usize]) as usize]
    }

    /// The first cell with several vertices, from the cell `begin` on.
    pub fn open_from(&self, mut begin: u32) -> Option<u32> {
        while let Some(&length) = self.lengths.get(begin as usize) {
            if length > 1 {
                return Some(begin);
            }
            begin += length;
        }
        None
    }

    /// The number of splits so far, see [`Partition::undo`].
    pub fn mark(&self) -> usize {
        self.splits.len()
    }

    /// Undoes all splits but the first `mark`. The vertices of a cell may then be in another order.
    pub fn undo(&mut self, mark: usize) {
        while self.splits.len() > mark
            && let Some((old, new)) = self.splits.pop()
        {
            let length = self.lengths[new as usize];
            for place in new..new + length {
                self.cells[self.elements[place as usize] as usize] = old;
            }
            self.lengths[old as usize] += length;
            self.work += u64::from(length);
        }
        self.waiting.drain(..).for_each(|begin| self.waits[begin as usize] = false);
    }

    /// Gives a vertex of a larger cell its own cell, which refinement will take.
    pub fn set_apart(&mut self, vertex: u32) {
        let begin = self.cells[vertex as usize];
        let last = begin + self.lengths[begin as usize] - 1;
        self.put(vertex, last);
        self.split(begin, last);
        self.wait(last);
    }

    /// Refines the partition. Returns false as soon as the refinement differs from the trace.
    pub fn refine(&mut self, trace: &mut Trace) -> bool {
        while let Some(begin) = self.waiting.pop_front() {
            self.waits[begin as usize] = false;
            if !self.count_from(begin, trace) {
                return false;
            }
        }
        trace.ended()
    }

    /// Splits cells by the number and labels of the edges from the cell `begin` to each vertex.
    fn count_from(&mut self, begin: u32, trace: &mut Trace) -> bool {
        let graph = self.graph;
        let mut touched = std::mem::take(&mut self.touched);
        for place in begin..begin + self.lengths[begin as usize] {
            let edges = graph.of(self.elements[place as usize]);
            self.work += 1 + edges.len() as u64;
            for &(label, to) in edges {
                if self.lengths[self.cells[to as usize] as usize] > 1 {
                    let count = &mut self.counts[to as usize];
                    if *count == 0 {
                        touched.push(to);
                    }
                    *count = count.wrapping_add(weight(label));
                }
            }
        }
        // A vertex whose count has wrapped to 0 may be listed twice.
        touched.sort_unstable_by_key(|&vertex| (self.cells[vertex as usize], self.counts[vertex as usize], vertex));
        touched.dedup();
        self.work += 2 * touched.len() as u64;
        let mut same = true;
        let mut rest = &touched[..];
        while let Some(&first) = rest.first().filter(|_| same) {
            let cell = self.cells[first as usize];
            let number = rest.iter().take_while(|&&vertex| self.cells[vertex as usize] == cell).count();
            let (of_cell, others) = rest.split_at(number);
            same = self.split_by_counts(cell, of_cell, trace);
            rest = others;
        }
        touched.drain(..).for_each(|vertex| self.counts[vertex as usize] = 0);
        self.touched = touched;
        same
    }

    /// Splits a cell by the counts of its vertices; `touched`: its vertices with a count, by ascending count.
    fn split_by_counts(&mut self, cell: u32, touched: &[u32], trace: &mut Trace) -> bool {
        let length = self.lengths[cell as usize];
        let end = cell + length;
        // Larger counts are placed nearer to the end of the cell, so that vertices without a count stay at its start.
        let (mut place, mut parts) = (end, touched);
        let mut hash = mix(u64::from(cell), u64::from(length));
        let mut begins = Vec::new();
        while let Some(&last) = parts.last() {
            let count = self.counts[last as usize];
            let before = parts.iter().rposition(|&vertex| self.counts[vertex as usize] != count).map_or(0, |at| at + 1);
            let (others, part) = parts.split_at(before);
            for &vertex in part {
                place -= 1;
                self.put(vertex, place);
            }
            hash = mix(mix(hash, count), part.len() as u64);
            if place > cell {
                begins.push(place);
            }
            parts = others;
        }
        if !trace.pass(hash) {
            return false;
        }
        if begins.is_empty() {
            return true;
        }
        let waited = self.waits[cell as usize];
        // `begins` descends, so each split takes the end of the cell.
        for &begin in &begins {
            self.split(cell, begin);
        }
        begins.push(cell);
        let largest = begins.iter().copied().max_by_key(|&begin| (self.lengths[begin as usize], begin));
        for begin in begins {
            if waited || Some(begin) != largest {
                self.wait(begin);
            }
        }
        true
    }

    /// Moves a vertex to the index `place` of its cell, in exchange for the vertex there.
    fn put(&mut self, vertex: u32, place: u32) {
        let (from, other) = (self.places[vertex as usize], self.elements[place as usize]);
        self.elements.swap(from as usize, place as usize);
        self.places[vertex as usize] = place;
        self.places[other as usize] = from;
    }

    /// Makes the end of a cell, from the index `begin` on, a separate cell.
    fn split(&mut self, cell: u32, begin: u32) {
        let end = cell + self.lengths[cell as usize];
        for place in begin..end {
            self.cells[self.elements[place as usize] as usize] = begin;
        }
        self.lengths[begin as usize] = end - begin;
        self.lengths[cell as usize] = begin - cell;
        self.splits.push((cell, begin));
    }

    fn wait(&mut self, begin: u32) {
        if !std::mem::replace(&mut self.waits[begin as usize], true) {
            self.waiting.push_back(begin);
        }
    }
}
