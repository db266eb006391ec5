//! The search for generators, see [`super`].

use super::incidence::Incidence;
use super::partition::{Partition, Trace};
use super::{Effort, Kept};
use crate::limits::{LimitReached, Limits};

/// Permutations of the vertices that make a group, as [`super::Symmetries`] has them.
pub(super) struct Found {
    /// By vertex: its image.
    pub generators: Vec<Vec<u32>>,
    pub levels: Vec<(usize, usize)>,
    pub complete: bool,
}

/// A step of the first path: a vertex set apart.
struct Level {
    /// Where its cell began.
    cell: u32,
    vertex: u32,
    /// What refinement then did.
    trace: Vec<u64>,
    /// The splits before it.
    mark: usize,
}

/// Vertices that may stand for the one of a level of the first path.
struct Branch {
    mark: usize,
    left: Vec<u32>,
}

/// Why a search found nothing.
enum Failure {
    /// There is nothing.
    Absent,
    /// It took too long.
    Effort,
    Limit(LimitReached),
}

struct Search<'a> {
    graph: &'a Incidence,
    partition: Partition<'a>,
    path: Vec<Level>,
    /// The vertices at the end of the first path, where each is alone.
    end: Vec<u32>,
    most: u64,
    limits: &'a Limits,
}

/// Generators of the automorphisms that keep something.
pub(super) fn search(graph: &Incidence, kept: Kept, effort: &Effort, limits: &Limits) -> Result<Found, LimitReached> {
    let _held = limits.hold(graph.bytes()).map_err(|limit| limit.during(|| "looking for symmetries".to_owned()))?;
    let mut search = Search {
        graph,
        partition: Partition::new(graph, &graph.colours(kept)),
        path: Vec::new(),
        end: Vec::new(),
        most: effort.least.max(effort.passes * (graph.edges() + graph.vertices()) as u64),
        limits,
    };
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

impl Search<'_> {
    fn check(&self) -> Result<(), Failure> {
        self.limits.check().map_err(Failure::Limit)?;
        if self.partition.work > self.most { Err(Failure::Effort) } else { Ok(()) }
    }

    /// The first path: always the first cell that has several vertices, and its smallest one.
    fn descend(&mut self) -> Result<(), Failure> {
        // Every vertex is told apart within the effort, or nothing is known.
        self.partition.refine(&mut Trace::Record(&mut Vec::new()));
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

    /// Generators for each level of the path, from the last to the first.
    fn ascend(&mut self, found: &mut Found) -> Result<(), Failure> {
        let mut orbits = Orbits::new(self.graph.vertices());
        for level in (0..self.path.len()).rev() {
            let Level { cell, vertex, mark, .. } = self.path[level];
            self.partition.undo(mark);
            let mut others = self.partition.cell(cell).to_vec();
            others.sort_unstable();
            let mut absent: Vec<u32> = Vec::new();
            let before = found.generators.len();
            let mut ended = Ok(());
            for &other in &others {
                let orbit = orbits.of(other);
                if orbit == orbits.of(vertex) || absent.iter().any(|&known| orbits.of(known) == orbit) {
                    continue;
                }
                match self.image(level, other) {
                    Ok(images) => {
                        orbits.join(&images);
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
            // Without a generator of its own the level has only the identity of those before it to choose from.
            if found.generators.len() > before {
                let own = orbits.of(vertex);
                let orbit = others.iter().filter(|&&other| orbits.of(other) == own).count();
                found.levels.push((found.generators.len(), orbit));
            }
            ended?;
        }
        Ok(())
    }

    /// An automorphism that keeps the vertices of the levels before one and maps the vertex of that level to another.
    fn image(&mut self, level: usize, other: u32) -> Result<Vec<u32>, Failure> {
        let mut branches = vec![Branch { mark: self.partition.mark(), left: vec![other] }];
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
                    // Tried from the last on: what the path itself has, so that most vertices stay where they are.
                    left.sort_unstable_by_key(|&vertex| (vertex == next.vertex, std::cmp::Reverse(vertex)));
                    branches.push(Branch { mark: self.partition.mark(), left });
                }
                None => {
                    if let Some(images) = self.automorphism() {
                        return Ok(images);
                    }
                }
            }
        }
        Err(Failure::Absent)
    }

    /// The images that the ends of the first path and of this one are, if they keep the edges.
    fn automorphism(&mut self) -> Option<Vec<u32>> {
        let mut images = vec![0; self.end.len()];
        for (&from, &to) in self.end.iter().zip(self.partition.elements()) {
            images[from as usize] = to;
        }
        self.partition.work += images.len() as u64;
        let moved = (0..images.len() as u32).filter(|&vertex| images[vertex as usize] != vertex);
        let mut mapped = Vec::new();
        for vertex in moved {
            let edges = self.graph.of(vertex);
            self.partition.work += edges.len() as u64;
            mapped.clear();
            mapped.extend(edges.iter().map(|&(label, to)| (label, images[to as usize])));
            mapped.sort_unstable();
            // Edges between vertices that stay where they are stay as well.
            if mapped != self.graph.of(images[vertex as usize]) {
                return None;
            }
        }
        Some(images)
    }
}

/// Sets of vertices that the generators so far map onto each other, as trees.
struct Orbits(Vec<u32>);

impl Orbits {
    fn new(vertices: usize) -> Orbits {
        Orbits((0..vertices as u32).collect())
    }

    /// The vertex that stands for the orbit of one.
    fn of(&mut self, mut vertex: u32) -> u32 {
        while self.0[vertex as usize] != vertex {
            let next = self.0[self.0[vertex as usize] as usize];
            self.0[vertex as usize] = next;
            vertex = next;
        }
        vertex
    }

    fn join(&mut self, images: &[u32]) {
        for vertex in 0..images.len() as u32 {
            let (one, other) = (self.of(vertex), self.of(images[vertex as usize]));
            self.0[one.max(other) as usize] = one.min(other);
        }
    }
}
