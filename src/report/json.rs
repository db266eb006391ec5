//! The JSON object of `solve`, `classify` and `count`.

use super::number::json_integer;
use super::{Place, RunReport};
use crate::solve::{Bucket, LayerOutcome, Means, Stage};
use crate::store::RunRecord;
use crate::store::runs::{Seconds, TOTAL, peak, times};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The stages that are always listed; others appear if they ran.
const STAGES: [Stage; 5] = [Stage::Parse, Stage::Ground, Stage::Encode, Stage::Forward, Stage::Backward];

impl RunReport<'_> {
    /// One object, keys in a fixed order.
    pub fn json(&self) -> Value {
        let outcome = self.outcome;
        let mut report = json!({
            "game": self.game,
            "roles": self.roles,
            "command": self.command.name(),
            "opponent_model": outcome.opponent_model.name(),
            "algorithm": outcome.algorithm.name(),
            "algorithm_reason": outcome.algorithm_reason,
            "engine": outcome.engine.name(),
            "rules_sha256": self.rules_sha256,
        });
        if let Some(solution) = &outcome.solution {
            report["value"] = json!(solution.value);
            if let Some(line) = &solution.line {
                report["line"] = line.iter().map(|played| json!(played.action)).collect();
                report["line_length"] = json!(line.len());
                report["line_joint"] = line.iter().map(|played| json!(played.joint)).collect();
            }
        }
        report["states"] = json_integer(&outcome.states);
        report["layer_states"] = json_integer(&outcome.layer_states);
        report["terminal_states"] = json_integer(&outcome.terminal_states);
        report["progress_measure"] = json!(outcome.progress_measure);
        report["turn_taking"] = json!(outcome.turn_taking);
        report["alternating"] = json!(outcome.alternating);
        let solved = outcome.solution.is_some();
        let layers = outcome.layers.iter().enumerate().map(|(index, layer)| layer_json(index, layer, solved));
        report["layers"] = layers.collect();
        if let Some(solution) = &outcome.solution {
            report["buckets"] = solution.buckets.iter().map(bucket_json).collect();
        }
        if let Some(cycle) = &outcome.cycle {
            report["cycle"] = json!(cycle);
        }
        let size = &outcome.encoding;
        report["encoding"] =
            json!({"fluents": size.fluents, "groups": size.groups, "bits": size.bits, "moves": size.moves});
        report["stored"] = match self.place {
            Place::Folder(folder) => json!(folder.display().to_string()),
            Place::Nowhere(_) => Value::Null,
        };
        report["from_disk"] = json!(self.from_disk);
        report["option_differences"] = json!(self.differences);
        report["time_s"] = times_json(times(self.runs).as_ref());
        report["peak_memory_bytes"] = json!(peak(self.runs));
        let run = |run: &RunRecord| {
            let mut value = json!(run);
            value["time_s"] = times_json(Some(&run.time_s));
            value
        };
        report["runs"] = self.runs.iter().map(run).collect();
        report["diagnostics"] = self.diagnostics.clone();
        report
    }
}

/// Seconds by stage in the order of the stages, null where they are not recorded.
fn times_json(times: Option<&BTreeMap<String, Seconds>>) -> Value {
    let mut listed = Map::new();
    let ran = |stage: &Stage| times.is_some_and(|times| times.contains_key(stage.name()));
    for stage in Stage::ALL.into_iter().filter(|stage| STAGES.contains(stage) || ran(stage)) {
        let time = times.map(|times| times.get(stage.name()).copied().unwrap_or_default());
        listed.insert(stage.name().to_owned(), json!(time));
    }
    listed.insert(TOTAL.to_owned(), json!(times.and_then(|times| times.get(TOTAL))));
    Value::Object(listed)
}

fn layer_json(index: usize, layer: &LayerOutcome, solved: bool) -> Value {
    let mut value = json!({
        "layer": index,
        "states": json_integer(&layer.states),
        "terminal": json_integer(&layer.terminal),
        "nodes": layer.nodes,
        "engine": layer.engine.name(),
    });
    if let Some(means) = &layer.means {
        let name = match means.means {
            Means::Sweep => "sweep",
            Means::Ranks(way) => way.name(),
        };
        value["backward"] =
            json!({"by": name, "reason": means.reason, "requests": means.requests, "bytes": means.bytes});
    }
    if solved {
        value["buckets"] = layer.buckets.iter().map(bucket_json).collect();
    }
    if let Some(ends) = &layer.ends {
        let end = |end: &Bucket| json!({"rewards": end.rewards, "states": json_integer(&end.states)});
        value["ends"] = ends.iter().map(end).collect();
    }
    value
}

fn bucket_json(bucket: &Bucket) -> Value {
    json!({"rewards": bucket.rewards, "states": json_integer(&bucket.states), "nodes": bucket.nodes})
}
