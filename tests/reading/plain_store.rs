//! Stored solutions written by plain code: the slow and obvious twin of the writer, from the page of the format alone.

use crate::common::explicit::{self, ExplicitSolution, StateId};
use base::limits::Limits;
use game::diagnostic::Source;
use game::interpreter::State;
use game::mutex::{self, Effort};
use game::propositional::{FluentId, Game, Group, GroupKind};
use game::reward::OpponentModel;
use game::rules::{gdl, identity};
use kernel::Node;
use num_bigint::BigUint;
use solving::store::manifest::{
    BucketRecord, DefaultFluent, EncodingSize, FORMAT, FileRecord, LayerRecord, Manifest, Progress,
};
use solving::store::{Checksum, Kind, checksum, hex};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

const TERMINALS: u32 = 16384;

/// Elements with their terminals, by level.
pub type Table = BTreeMap<Vec<bool>, u32>;

/// The bytes of a layer file. `values`: levels that are skipped do not matter, and missing elements have any value;
/// else they are false, and missing elements have terminal 0.
pub fn layer_file(values: bool, layer: u32, levels: usize, table: &Table, id: Checksum) -> (Vec<u8>, u64) {
    let elements: Vec<(&[bool], u32)> = table.iter().map(|(key, &value)| (key.as_slice(), value)).collect();
    let mut nodes = Nodes { values, levels: vec![BTreeMap::new(); levels], next: TERMINALS };
    let root = nodes.build(0, &elements).unwrap_or(0);
    // Numbers from the bottom, within a level by the numbers of the children.
    let mut numbers: BTreeMap<u32, u32> = (0..TERMINALS).map(|terminal| (terminal, terminal)).collect();
    let (mut counts, mut directory, mut data, mut next) = (vec![], vec![], vec![], TERMINALS);
    for level in nodes.levels.iter().rev() {
        let mut children: Vec<(u32, u32, u32)> =
            level.iter().map(|(&(lo, hi), &node)| (numbers[&lo], numbers[&hi], node)).collect();
        children.sort_unstable();
        for &(_, _, node) in &children {
            numbers.insert(node, next);
            next += 1;
        }
        counts.extend((children.len() as u32).to_le_bytes());
        for block in children.chunks(64) {
            let base = |of: fn(&(u32, u32, u32)) -> u32| block.iter().map(of).min().unwrap();
            let most = |of: fn(&(u32, u32, u32)) -> u32| block.iter().map(of).max().unwrap();
            let (lo, hi) = (base(|node| node.0), base(|node| node.1));
            let widths = [most(|node| node.0) - lo, most(|node| node.1) - hi].map(|range| 32 - range.leading_zeros());
            directory.extend([lo.to_le_bytes(), hi.to_le_bytes()].concat());
            let last = u64::from(widths[0]) | u64::from(widths[1]) << 6 | (data.len() as u64) << 12;
            directory.extend(last.to_le_bytes());
            let mut bits: Vec<bool> = Vec::new();
            for node in block {
                bits.extend((0..widths[0]).map(|bit| (node.0 - lo) >> bit & 1 == 1));
                bits.extend((0..widths[1]).map(|bit| (node.1 - hi) >> bit & 1 == 1));
            }
            data.extend(bits.chunks(8).map(|bits| bits.iter().rev().fold(0u8, |byte, &bit| byte << 1 | u8::from(bit))));
        }
    }
    let count = u64::from(next - TERMINALS);
    let mut bytes = b"GGSOLVE\0".to_vec();
    for word in [3, u32::from(values), layer, levels as u32, numbers[&root], 0] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(count.to_le_bytes());
    bytes.extend(id);
    bytes.extend([counts, directory, data].concat());
    let sum = checksum(&bytes);
    bytes.extend(sum);
    (bytes, count)
}

struct Nodes {
    values: bool,
    levels: Vec<BTreeMap<(u32, u32), u32>>,
    next: u32,
}

impl Nodes {
    /// The node for the elements from a level on; `None` where any will do.
    fn build(&mut self, level: usize, elements: &[(&[bool], u32)]) -> Option<u32> {
        if elements.is_empty() {
            return (!self.values).then_some(0);
        }
        if level == self.levels.len() {
            return Some(elements[0].1);
        }
        let (low, high): (Vec<_>, Vec<_>) = elements.iter().partition(|(key, _)| !key[level]);
        let (lo, hi) = (self.build(level + 1, &low), self.build(level + 1, &high));
        let (lo, hi) = (lo.or(hi)?, hi.or(lo)?);
        let skip = if self.values { lo == hi } else { hi == 0 };
        if skip {
            return Some(lo);
        }
        let next = &mut self.next;
        Some(*self.levels[level].entry((lo, hi)).or_insert_with(|| {
            *next += 1;
            *next - 1
        }))
    }
}

/// The id of a value.
pub fn id_of(rewards: &[Vec<u8>], value: &[u8]) -> u32 {
    rewards.iter().position(|rewards| rewards == value).unwrap() as u32 + 1
}

/// The inner nodes of the diagram of values with a path to one of them.
pub fn nodes_leading_to(value: u32, levels: usize, table: &Table) -> u64 {
    let elements: Vec<(&[bool], u32)> = table.iter().map(|(key, &value)| (key.as_slice(), value)).collect();
    let mut nodes = Nodes { values: true, levels: vec![BTreeMap::new(); levels], next: TERMINALS };
    nodes.build(0, &elements);
    let mut leading = BTreeSet::from([value]);
    // From the bottom level up, so that children are known.
    for level in nodes.levels.iter().rev() {
        let here = level.iter().filter(|((lo, hi), _)| leading.contains(lo) || leading.contains(hi));
        let here: Vec<u32> = here.map(|(_, &node)| node).collect();
        leading.extend(here);
    }
    leading.len() as u64 - 1
}

/// Writes a layer file; what the manifest says of it.
pub fn write_layer(folder: &Path, values: bool, layer: u32, levels: usize, table: &Table, id: Checksum) -> FileRecord {
    let (bytes, nodes) = layer_file(values, layer, levels, table, id);
    let name = format!("layer-{layer:05}.{}", if values { "values" } else { "states" });
    std::fs::write(folder.join(&name), &bytes).unwrap();
    FileRecord { name, bytes: bytes.len() as u64, sha256: hex(&checksum(&bytes)), nodes }
}

/// A solution by brute force, with the states of its layers.
pub struct Layered {
    pub solution: ExplicitSolution,
    pub layers: Vec<BTreeSet<StateId>>,
}

impl Layered {
    /// `None`: the game is refused, or has more than `limit` states.
    pub fn new(game: &Game, model: OpponentModel, limit: usize) -> Option<Layered> {
        let solution = explicit::solve(game, model, limit).ok()?;
        let mut layers = vec![BTreeSet::from([StateId(0)])];
        loop {
            let last = &layers[layers.len() - 1];
            let next: BTreeSet<StateId> =
                last.iter().flat_map(|&id| solution.exploration.successors(id)).copied().collect();
            if next.is_empty() {
                return Some(Layered { solution, layers });
            }
            layers.push(next);
        }
    }

    pub fn state(&self, id: StateId) -> &State {
        self.solution.exploration.state(id)
    }
}

/// The variables of a game and its fluents without one: the first of each group of which always one holds.
fn variables(groups: &[Group]) -> (Vec<FluentId>, Vec<(FluentId, Vec<u32>)>) {
    let (mut variables, mut defaults) = (Vec::new(), Vec::new());
    for group in groups {
        let skipped = usize::from(group.kind == GroupKind::ExactlyOne);
        let start = variables.len() as u32;
        variables.extend(&group.fluents[skipped..]);
        let levels: Vec<u32> = (start..variables.len() as u32).collect();
        defaults.extend(group.fluents[..skipped].iter().map(|&fluent| (fluent, levels.clone())));
    }
    (variables, defaults)
}

fn rules_hash(rules: &[u8]) -> String {
    identity(&gdl::rulesheet(&Source::new("rules.gdl", rules), &mut Vec::new()))
}

/// Writes the solution of a game to a folder.
pub fn write_folder(folder: &Path, rules: &[u8], game: &Game, model: OpponentModel, layered: &Layered) {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join("rules.gdl"), rules).unwrap();
    let name = |fluent: FluentId| game.fluents[fluent.index()].to_string();
    let groups = mutex::groups(game, &Effort::default(), &Arc::new(Limits::unlimited())).unwrap();
    let (variables, defaults) = variables(&groups);
    let exploration = &layered.solution.exploration;
    let mut rewards: Vec<Vec<u8>> = vec![Vec::new()];
    for goals in &game.goals {
        let longer = |before: &Vec<u8>| -> Vec<Vec<u8>> {
            goals.iter().map(|&(reward, _)| [before.as_slice(), &[reward]].concat()).collect()
        };
        rewards = rewards.iter().flat_map(longer).collect();
    }
    // Readers take the identity as it is.
    let id = checksum(rules);
    let values_id = checksum(format!("{} {}", hex(&id), model.name()).as_bytes());
    let mut layers = Vec::new();
    let mut alternating = game.roles.len() == 2;
    for (layer, ids) in layered.layers.iter().enumerate() {
        let (mut states, mut values) = (Table::new(), Table::new());
        let mut buckets: BTreeMap<&[u8], u64> = BTreeMap::new();
        for &id in ids {
            let assignment: Vec<bool> =
                variables.iter().map(|&fluent| exploration.state(id).contains(fluent)).collect();
            let value = layered.solution.value(id);
            *buckets.entry(value).or_default() += 1;
            let value = id_of(&rewards, value);
            states.insert(assignment.clone(), 1);
            values.insert(assignment, value);
        }
        let states_file = write_layer(folder, false, layer as u32, variables.len(), &states, id);
        let values_file = write_layer(folder, true, layer as u32, variables.len(), &values, values_id);
        let again =
            |id: StateId, mover| exploration.successors(id).iter().any(|&next| exploration.mover(next) == mover);
        alternating &= !ids.iter().any(|&id| exploration.mover(id).is_some() && again(id, exploration.mover(id)));
        let bucket = |(rewards_of, states): (&[u8], u64)| BucketRecord {
            rewards: Some(rewards_of.to_vec()),
            states: BigUint::from(states),
            nodes: nodes_leading_to(id_of(&rewards, rewards_of), variables.len(), &values),
            plies: Vec::new(),
        };
        layers.push(LayerRecord {
            ends: None,
            layer: layer as u32,
            states: BigUint::from(ids.len()),
            terminal: BigUint::from(ids.iter().filter(|&&id| exploration.terminal(id)).count()),
            nodes: states_file.nodes,
            alternating,
            disjoint: None,
            numbers_file: None,
            shares: None,
            mixed: None,
            states_file,
            values_file: Some(values_file),
            buckets: Some(buckets.into_iter().map(bucket).collect()),
        });
    }
    let manifest = Manifest {
        format: FORMAT.to_owned(),
        version: 3,
        checksum: String::new(),
        id: Some(hex(&id)),
        game: game.name.clone(),
        language: "gdl".to_owned(),
        rules_file: "rules.gdl".to_owned(),
        rules_sha256: hex(&checksum(rules)),
        rules_hash: rules_hash(rules),
        roles: game.roles.iter().map(ToString::to_string).collect(),
        opponent_model: Some(model.name().to_owned()),
        distances: false,
        algorithm: "layered".to_owned(),
        phase: Progress::Complete,
        variables: variables.iter().map(|&fluent| name(fluent)).collect(),
        defaults: (defaults.into_iter())
            .map(|(fluent, unless)| DefaultFluent { fluent: name(fluent), unless })
            .collect(),
        rewards,
        encoding: EncodingSize {
            fluents: game.fluents.len(),
            groups: groups.len(),
            bits: variables.len(),
            moves: game.moves.len(),
        },
        progress_measure: Some(layered.solution.disjoint_layers),
        turn_taking: true,
        alternating: Some(layered.solution.alternating),
        states: Some(BigUint::from(exploration.len())),
        terminal_states: Some(BigUint::from(exploration.terminal_states())),
        settled: None,
        forced: None,
        ties: None,
        not_best: None,
        cycle: None,
        no_value: None,
        layers,
        work_ns: None,
        runs: Vec::new(),
    };
    manifest.save(folder).unwrap();
}

/// The elements of a stored layer: its states with their value ids.
pub fn read_layer(folder: &Path, layer: u32) -> Table {
    let stored = solving::solution::Stored::open(folder, &Limits::unlimited()).unwrap();
    let states = stored.states(layer).unwrap().unwrap();
    let values = stored.layer_values(layer).unwrap().unwrap();
    let mut found = Table::new();
    let mut open = vec![(states.root(), Vec::new())];
    while let Some((node, mut prefix)) = open.pop() {
        prefix.resize(states.level(node).index(), false);
        match node {
            Node::ZERO => {}
            Node::ONE => {
                let value = values.value_of(states, &prefix).unwrap().unwrap();
                found.insert(prefix, value);
            }
            _ => {
                let children = states.children(node).unwrap();
                for (bit, child) in [false, true].into_iter().zip(children) {
                    open.push((child, [prefix.as_slice(), &[bit]].concat()));
                }
            }
        }
    }
    found
}

/// Replaces the states and values of a layer, with right checksums everywhere.
pub fn replace_layer(folder: &Path, layer: u32, table: &Table) {
    let mut manifest = Manifest::load(folder).unwrap();
    let levels = manifest.variables.len();
    let [states_id, values_id] = [Kind::States, Kind::Values].map(|kind| manifest.file_id(kind).unwrap());
    let states: Table = table.keys().map(|key| (key.clone(), 1)).collect();
    let record = &mut manifest.layers[layer as usize];
    record.states_file = write_layer(folder, false, layer, levels, &states, states_id);
    record.values_file = Some(write_layer(folder, true, layer, levels, table, values_id));
    manifest.save(folder).unwrap();
}
