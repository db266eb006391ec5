//! The search for generators, see [`super`].

use super::Graph;
use super::partition::{Partition, Trace};
use crate::limits::{LimitReached, Limits};
use petgraph::unionfind::UnionFind;

/// A group of automorphisms.
pub struct Found {
    /// Generators of the group, each as the image of every vertex; none if only the identity is found. A generator
    /// fixes the vertices of all steps of the path before its own step.
    pub generators: Vec<Vec<u32>>,
    /// For each step of the path that adds generators, from the last step to the first: the number of generators so
    /// far, and the length of the orbit of the step's vertex.
    pub levels: Vec<(usize, usize)>,
    /// Whether the generators give all automorphisms; false if the search was given up.
    pub complete: bool,
}

/// A step of the first path, which gives a vertex its own cell.
struct Level {
    /// The cell of `vertex` before the step.
    cell: u32,
    vertex: u32,
    /// The record of the refinement that followed.
    trace: Vec<u64>,
    /// The number of splits before the step.
    mark: usize,
}

/// Vertices still to be tried as the image of a step's vertex.
struct Branch {
    mark: usize,
    left: Vec<u32>,
}

enum Failure {
    /// There is no such map.
    Absent,
    /// The work did not suffice.
    Effort,
    Limit(LimitReached),
}

struct Search<'a> {
    /// The graph of the first path.
    graph: &'a Graph,
    /// The cells of that graph, or of the graph to which it is mapped.
    partition: Partition<'a>,
    /// The record of the refinement before the path.
    start: Vec<u64>,
    path: Vec<Level>,
    /// The vertices at the end of the first path, where each has its own cell.
    end: Vec<u32>,
    most: u64,
    limits: &'a Limits,
}

/// Generators of the automorphisms that keep the colours. `most`: bound on the examined edges and vertices.
pub fn automorphisms(graph: &Graph, colours: &[u64], most: u64, limits: &Limits) -> Result<Found, LimitReached> {
    let mut search = Search::new(graph, colours, most, limits);
    let mut found = Found { generators: Vec::new(), levels: Vec::new(), complete: true };
    match search.descend().and_then(|()| search.ascend(&mut found)) {
        Ok(()) => Ok(found),
        Err(Failure::Limit(limit)) => Err(limit),
        Err(Failure::Absent | Failure::Effort) => {
            found.complete = false;
            Ok(found)
        }
    }
}

/// By vertex of the first graph: its image under an isomorphism to the second graph that keeps the colours. `None` if
/// there is none, or if the work did not suffice. `most`: bound on the examined edges and vertices of each graph.
pub fn isomorphism(
    (one, colours): (&Graph, &[u64]),
    (other, others): (&Graph, &[u64]),
    most: u64,
    limits: &Limits,
) -> Result<Option<Vec<u32>>, LimitReached> {
    let sorted = |colours: &[u64]| {
        let mut sorted = colours.to_vec();
        sorted.sort_unstable();
        sorted
    };
    if sorted(colours) != sorted(others) {
        return Ok(None);
    }
    let mut search = Search::new(one, colours, most, limits);
    match search.descend().and_then(|()| search.image_in(other, others)) {
        Ok(images) => Ok(Some(images)),
        Err(Failure::Limit(limit)) => Err(limit),
        Err(Failure::Absent | Failure::Effort) => Ok(None),
    }
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph, colours: &[u64], most: u64, limits: &'a Limits) -> Search<'a> {
        let (partition, start) = (Partition::new(graph, colours), Vec::new());
        Search { graph, partition, start, path: Vec::new(), end: Vec::new(), most, limits }
    }

    fn check(&self) -> Result<(), Failure> {
        self.limits.check().map_err(Failure::Limit)?;
        if self.partition.work > self.most { Err(Failure::Effort) } else { Ok(()) }
    }

    /// Makes the first path. Each step takes the smallest vertex of the first cell with several vertices.
    fn descend(&mut self) -> Result<(), Failure> {
        // If the work does not suffice for the whole path, nothing is known.
        self.partition.refine(&mut Trace::Record(&mut self.start));
        let mut from = 0;
        while let Some(cell) = self.partition.open_from(from) {
            self.check()?;
            let vertex = *self.partition.cell(cell).iter().min().expect("a cell has vertices");
            let (mark, mut trace) = (self.partition.mark(), Vec::new());
            self.partition.set_apart(vertex);
            self.partition.refine(&mut Trace::Record(&mut trace));
            self.path.push(Level { cell, vertex, trace, mark });
            from = cell;
        }
        self.end = self.partition.elements().to_vec();
        self.check()
    }

    /// Finds the generators of each step of the path, from the last to the first.
    fn ascend(&mut self, found: &mut Found) -> Result<(), Failure> {
        // The orbits of the generators so far.
        let mut orbits = UnionFind::<u32>::new(self.graph.vertices());
        for level in (0..self.path.len()).rev() {
            let Level { cell, vertex, mark, .. } = self.path[level];
            self.partition.undo(mark);
            let mut others = self.partition.cell(cell).to_vec();
            others.sort_unstable();
            let mut absent: Vec<u32> = Vec::new();
            let before = found.generators.len();
            let mut ended = Ok(());
            for &other in &others {
                if orbits.equiv(other, vertex) || absent.iter().any(|&known| orbits.equiv(known, other)) {
                    continue;
                }
                match self.image(level, vec![other]) {
                    Ok(images) => {
                        (0..).zip(&images).for_each(|(vertex, &image)| _ = orbits.union(vertex, image));
                        found.generators.push(images);
                    }
                    Err(Failure::Absent) => absent.push(other),
                    Err(failure) => {
                        ended = Err(failure);
                        break;
                    }
                }
                self.partition.undo(mark);
            }
            // Without a new generator, the orbit of the vertex has length 1.
            if found.generators.len() > before {
                let orbit = others.iter().filter(|&&other| orbits.equiv(other, vertex)).count();
                found.levels.push((found.generators.len(), orbit));
            }
            ended?;
        }
        Ok(())
    }

    /// Finds an isomorphism to another graph: the images of the vertices.
    fn image_in(&mut self, other: &'a Graph, colours: &[u64]) -> Result<Vec<u32>, Failure> {
        self.partition = Partition::new(other, colours);
        if !self.partition.refine(&mut Trace::Compare(&self.start, 0)) {
            return Err(Failure::Absent);
        }
        match self.path.first() {
            Some(first) => self.image(0, self.partition.cell(first.cell).to_vec()),
            None => self.mapped().ok_or(Failure::Absent),
        }
    }

    /// Finds an automorphism or isomorphism that maps the vertices of the steps before `level` as the cells of
    /// `partition` do, and the vertex of the step `level` to one of `others`.
    fn image(&mut self, level: usize, others: Vec<u32>) -> Result<Vec<u32>, Failure> {
        let mut branches = vec![Branch { mark: self.partition.mark(), left: others }];
        while let Some(branch) = branches.last_mut() {
            self.partition.undo(branch.mark);
            let Some(vertex) = branch.left.pop() else {
                branches.pop();
                continue;
            };
            self.check()?;
            let depth = level + branches.len() - 1;
            self.partition.set_apart(vertex);
            if !self.partition.refine(&mut Trace::Compare(&self.path[depth].trace, 0)) {
                continue;
            }
            match self.path.get(depth + 1) {
                Some(next) => {
                    let mut left = self.partition.cell(next.cell).to_vec();
                    // The last vertex is tried first: that of the path itself, so that most vertices stay fixed.
                    left.sort_unstable_by_key(|&vertex| (vertex == next.vertex, std::cmp::Reverse(vertex)));
                    branches.push(Branch { mark: self.partition.mark(), left });
                }
                None => {
                    if let Some(images) = self.mapped() {
                        return Ok(images);
                    }
                }
            }
        }
        Err(Failure::Absent)
    }

    /// The map from the vertices at the end of the first path to those at the end of this one, if it keeps the edges.
    fn mapped(&mut self) -> Option<Vec<u32>> {
        let mut images = vec![0; self.end.len()];
        for (&from, &to) in self.end.iter().zip(self.partition.elements()) {
            images[from as usize] = to;
        }
        self.partition.work += images.len() as u64;
        // Edges between fixed vertices of the same graph need no check.
        let same = std::ptr::eq(self.graph, self.partition.graph);
        let moved = (0..images.len() as u32).filter(|&vertex| !same || images[vertex as usize] != vertex);
        let mut mapped = Vec::new();
        for vertex in moved {
            let edges = self.graph.of(vertex);
            self.partition.work += edges.len() as u64;
            mapped.clear();
            mapped.extend(edges.iter().map(|&(label, to)| (label, images[to as usize])));
            mapped.sort_unstable();
            if mapped != self.partition.graph.of(images[vertex as usize]) {
                return None;
            }
        }
        Some(images)
    }
}
