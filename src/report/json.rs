//! The JSON object of `solve`, `classify` and `count`.

use super::number::{json_integer, json_seconds};
use super::{Place, RunReport};
use crate::solve::{Bucket, LayerOutcome, Means, Stage};
use serde_json::{Map, Value, json};

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
        let size = &outcome.encoding;
        report["encoding"] =
            json!({"fluents": size.fluents, "groups": size.groups, "bits": size.bits, "moves": size.moves});
        report["stored"] = match &self.place {
            Place::Folder(folder) => json!(folder.display().to_string()),
            Place::Nowhere(_) => Value::Null,
        };
        report["time_s"] = self.times_json();
        report["peak_memory_bytes"] = json!(self.peak_memory_bytes);
        report["diagnostics"] = self.diagnostics.clone();
        report
    }

    fn times_json(&self) -> Value {
        let mut times = Map::new();
        let mut stages: Vec<Stage> = STAGES.into_iter().chain(self.times().map(|time| time.stage)).collect();
        stages.sort_unstable();
        stages.dedup();
        for stage in stages {
            times.insert(stage.name().to_owned(), json_seconds(self.seconds(stage)));
        }
        times.insert("total".to_owned(), json_seconds(self.total_seconds));
        Value::Object(times)
    }
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
