//! Strongly connected components of directed graphs.

/// Strongly connected components: all members in one list, and the end of each component in it.
#[derive(Debug, Default)]
pub struct Components {
    members: Vec<u32>,
    ends: Vec<usize>,
}

const UNMET: u32 = 0;
const KNOWN: u32 = u32::MAX;

impl Components {
    /// The components that are reachable from `roots`, each after all components to which it has arcs (Tarjan 1972).
    /// `followers` gives the arcs of a vertex in `0..vertices`.
    pub fn new<F: Iterator<Item = u32>>(
        vertices: usize,
        roots: impl IntoIterator<Item = u32>,
        followers: impl Fn(u32) -> F,
    ) -> Components {
        let mut found = Components::default();
        // For each vertex, the least number of a vertex that is known to be reachable from it.
        let mut least = vec![UNMET; vertices];
        let (mut number, mut open) = (UNMET, Vec::new());
        // The path of open vertices, each with its number and its remaining arcs.
        let mut path: Vec<(u32, u32, F)> = Vec::new();
        for root in roots {
            let mut next = Some(root).filter(|&root| least[root as usize] == UNMET);
            loop {
                if let Some(vertex) = next.take() {
                    number += 1;
                    least[vertex as usize] = number;
                    open.push(vertex);
                    path.push((vertex, number, followers(vertex)));
                }
                let Some((vertex, own, left)) = path.last_mut() else { break };
                let (vertex, own) = (*vertex as usize, *own);
                for follower in left {
                    match least[follower as usize] {
                        UNMET => {
                            next = Some(follower);
                            break;
                        }
                        KNOWN => {}
                        back => least[vertex] = least[vertex].min(back),
                    }
                }
                if next.is_some() {
                    continue;
                }
                let back = least[vertex];
                path.pop();
                if back == own {
                    found.close(vertex as u32, &mut open, &mut least);
                } else if let Some((before, ..)) = path.last() {
                    let before = &mut least[*before as usize];
                    *before = back.min(*before);
                }
            }
        }
        found
    }

    fn close(&mut self, first: u32, open: &mut Vec<u32>, least: &mut [u32]) {
        let begin = self.members.len();
        while let Some(member) = open.pop() {
            least[member as usize] = KNOWN;
            self.members.push(member);
            if member == first {
                break;
            }
        }
        self.members[begin..].sort_unstable();
        self.ends.push(self.members.len());
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let begins = [0].into_iter().chain(self.ends.iter().copied());
        begins.zip(&self.ends).map(|(begin, &end)| &self.members[begin..end])
    }

    pub fn bytes(&self) -> usize {
        self.members.capacity() * 4 + self.ends.capacity() * 8
    }
}

pub fn is_recursive(members: &[u32], mut followers: impl Iterator<Item = u32>) -> bool {
    members.len() > 1 || followers.any(|follower| follower == members[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::lists::Lists;
    use base::random::Random;

    #[test]
    fn components_are_the_vertices_that_reach_each_other() {
        let mut random = Random::new(1);
        for round in 0..200 {
            let vertices = 1 + round % 12;
            let number = random.below(2 * vertices + 1);
            let vertex = |random: &mut Random| random.below(vertices) as u32;
            let list: Vec<(u32, u32)> = (0..number).map(|_| (vertex(&mut random), vertex(&mut random))).collect();
            let arcs = Lists::new(vertices, || list.iter().copied());
            let mut reaches = vec![vec![false; vertices]; vertices];
            list.iter().for_each(|&(from, to)| reaches[from as usize][to as usize] = true);
            for (middle, from, to) in (0..vertices * vertices * vertices)
                .map(|n| (n / vertices / vertices, n / vertices % vertices, n % vertices))
            {
                reaches[from][to] |= reaches[from][middle] && reaches[middle][to];
            }
            let root = vertex(&mut random);
            let found = Components::new(vertices, [root], |vertex| arcs.of(vertex).iter().copied());
            let mut seen = vec![false; vertices];
            for members in found.iter() {
                let first = members[0] as usize;
                let together =
                    (0..vertices).filter(|&other| other == first || reaches[first][other] && reaches[other][first]);
                assert!(together.eq(members.iter().map(|&member| member as usize)));
                members.iter().for_each(|&member| seen[member as usize] = true);
                for &member in members {
                    assert!(arcs.of(member).iter().all(|&to| seen[to as usize]), "what it leads to comes before");
                }
                let recursive = is_recursive(members, arcs.of(members[0]).iter().copied());
                assert_eq!(recursive, reaches[first][first]);
            }
            assert_eq!(found.len(), found.iter().count());
            for (vertex, seen) in seen.into_iter().enumerate() {
                assert_eq!(seen, vertex == root as usize || reaches[root as usize][vertex]);
            }
        }
    }
}
