//! Strongly connected components in topological order (Tarjan 1972), without recursion.

/// A graph as offsets and targets: the successors of `v` are `targets[offsets[v]..offsets[v + 1]]`.
#[derive(Debug, Default)]
pub struct Edges {
    pub offsets: Vec<u32>,
    pub targets: Vec<u32>,
}

impl Edges {
    /// From pairs, in any order, of vertices below `vertices`.
    pub fn new(vertices: usize, pairs: &[(u32, u32)]) -> Self {
        let mut offsets = vec![0u32; vertices + 1];
        for &(from, _) in pairs {
            offsets[from as usize + 1] += 1;
        }
        for vertex in 0..vertices {
            offsets[vertex + 1] += offsets[vertex];
        }
        let mut next = offsets.clone();
        let mut targets = vec![0; pairs.len()];
        for &(from, to) in pairs {
            targets[next[from as usize] as usize] = to;
            next[from as usize] += 1;
        }
        Edges { offsets, targets }
    }

    pub fn of(&self, vertex: u32) -> &[u32] {
        &self.targets[self.offsets[vertex as usize] as usize..self.offsets[vertex as usize + 1] as usize]
    }
}

/// By vertex: the number of its component, at least that of every component it has an edge to. The edges are `pairs` of
/// vertices below `vertices`.
pub fn numbers(vertices: usize, pairs: &[(u32, u32)]) -> Vec<usize> {
    let mut numbers = vec![0; vertices];
    let found = components(&Edges::new(vertices, pairs), 0..vertices as u32);
    for (number, members) in found.iter().enumerate() {
        members.iter().for_each(|&member| numbers[member as usize] = number);
    }
    numbers
}

/// The components that are reachable from `roots`, each after all components that it has edges to: the members of all
/// components in one list, and where each component ends.
#[derive(Debug, Default)]
pub struct Components {
    pub members: Vec<u32>,
    ends: Vec<usize>,
}

impl Components {
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.members[start..end])
    }
}

pub fn components(edges: &Edges, roots: impl IntoIterator<Item = u32>) -> Components {
    const UNSEEN: u32 = u32::MAX;
    const DONE: u32 = u32::MAX - 1;
    let mut found = Components::default();
    let mut low = vec![UNSEEN; edges.offsets.len() - 1];
    let mut next = 0;
    let mut stack: Vec<u32> = Vec::new();
    // Vertex, its number, its next edge.
    let mut calls: Vec<(u32, u32, u32)> = Vec::new();
    for root in roots {
        if low[root as usize] != UNSEEN {
            continue;
        }
        let mut enter = Some(root);
        loop {
            if let Some(vertex) = enter.take() {
                low[vertex as usize] = next;
                stack.push(vertex);
                calls.push((vertex, next, edges.offsets[vertex as usize]));
                next += 1;
            }
            let Some((vertex, number, edge)) = calls.last_mut() else { break };
            if *edge < edges.offsets[*vertex as usize + 1] {
                let target = edges.targets[*edge as usize];
                *edge += 1;
                match low[target as usize] {
                    UNSEEN => enter = Some(target),
                    DONE => {}
                    other => low[*vertex as usize] = low[*vertex as usize].min(other),
                }
                continue;
            }
            let (vertex, number) = (*vertex, *number);
            calls.pop();
            if low[vertex as usize] == number {
                let from = stack.iter().rposition(|&member| member == vertex);
                let from = from.expect("a vertex stays on the stack until its component is found");
                for member in stack.drain(from..) {
                    low[member as usize] = DONE;
                    found.members.push(member);
                }
                found.ends.push(found.members.len());
            } else if let Some((parent, _, _)) = calls.last() {
                low[*parent as usize] = low[*parent as usize].min(low[vertex as usize]);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two vertices are in one component when each reaches the other.
    #[test]
    fn agrees_with_reachability_on_all_small_graphs() {
        for bits in 0u32..1 << 16 {
            let pairs: Vec<(u32, u32)> = (0..16).filter(|i| bits >> i & 1 == 1).map(|i| (i / 4, i % 4)).collect();
            let mut reach = [[false; 4]; 4];
            (0..4).for_each(|v| reach[v][v] = true);
            pairs.iter().for_each(|&(a, b)| reach[a as usize][b as usize] = true);
            for (k, i, j) in (0..64).map(|x| (x / 16, x / 4 % 4, x % 4)) {
                reach[i][j] |= reach[i][k] && reach[k][j];
            }
            let found = components(&Edges::new(4, &pairs), 0..4);
            let lists: Vec<&[u32]> = found.iter().collect();
            let place = |v: usize| lists.iter().position(|list| list.contains(&(v as u32))).unwrap();
            for (i, j) in (0..16).map(|x| (x / 4, x % 4)) {
                assert_eq!(place(i) == place(j), reach[i][j] && reach[j][i]);
                assert!(!reach[i][j] || place(i) >= place(j));
            }
        }
    }
}
