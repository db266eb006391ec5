//! The report of `plan`.

use crate::session::{AnyPlan, PlanLayer, PlanLimit, PlanReport};
use base::digits::{counted, grouped};
use solving::words::number::{bytes, seconds};
use solving::words::table::Table;
use std::fmt;

impl fmt::Display for AnyPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnyPlan::Layers(plan) => plan.fmt(f),
            AnyPlan::AllAtOnce(plan) => plan.fmt(f),
        }
    }
}

impl fmt::Display for PlanReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (processes, threads) = (counted(self.processes, "process"), counted(self.threads as u64, "thread"));
        let each = if self.processes == 1 { "" } else { " each" };
        let memory = bytes(self.memory_limit_bytes);
        writeln!(f, "{}: a run by {processes} with {threads} and {memory} of memory{each}\n", self.game)?;
        if let (Some(layer), Some(reason)) = (self.extrapolated_from, &self.extrapolated_because) {
            let last = layer.saturating_sub(1);
            writeln!(
                f,
                "  The layers from {layer} on are extrapolated from the growth of those before, with as many states for a \
                 node as\n  in layer {last}, an order of magnitude at best: {reason}\n"
            )?;
        }
        write!(f, "{}", self.table().render_left(2, &[3]))?;
        writeln!(f, "\n  {} states, if each is counted in every layer that contains it", grouped(&self.layer_states))?;
        writeln!(f, "  programs       {} configurations", grouped(self.configurations))?;
        let beside = match self.temporary_bytes {
            0 => String::new(),
            temporary => format!(", and up to {} of temporary files", bytes(temporary)),
        };
        writeln!(f, "  on disk        {}{beside}", bytes(self.bytes))?;
        writeln!(
            f,
            "  memory         {}{}",
            bytes(self.peak_memory_bytes),
            if each.is_empty() { "" } else { " in each" }
        )?;
        let [forward, shared, alone, total] =
            [self.time_s.forward, self.time_s.shared, self.time_s.alone, self.time_s.total]
                .map(|time| seconds(time.as_f64()));
        writeln!(
            f,
            "  time           {total}: {forward} to the end of the forward pass, {shared} shared, {alone} by one"
        )?;
        writeln!(f, "  processors     {} in all", seconds(self.processor_s.as_f64()))?;
        writeln!(f, "  first limit    {}", first_limit(self.limit.as_ref()))?;
        writeln!(f, "\n  Measured in {}: {}", seconds(self.planning_s.as_f64()), self.measured())?;
        self.assumptions.iter().try_for_each(|what| writeln!(f, "  Assumed, as it could not be measured: {what}"))
    }
}

impl fmt::Display for PlanLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PlanLimit { resource, phase, layer, needed, limit } = self;
        let amount = |number: f64| if *resource == "time" { seconds(number) } else { bytes(number as u64) };
        match layer {
            Some(layer) => write!(f, "{resource}, in layer {layer} of the {phase} pass")?,
            None if *phase == "preparation" => write!(f, "{resource}, before the forward pass")?,
            None => write!(f, "{resource}, in the {phase} pass")?,
        }
        write!(f, ": {} of {}", amount(*needed), amount(*limit))
    }
}

pub(super) fn first_limit(limit: Option<&PlanLimit>) -> String {
    limit.map_or_else(|| "none: memory, disk and time suffice".to_owned(), PlanLimit::to_string)
}

impl PlanReport {
    fn table(&self) -> Table {
        let mut table = Table::new(
            ["layer", "states", "nodes", "by", "configurations", "on disk", "memory", "time"].map(String::from),
        );
        for layer in &self.layers {
            let PlanLayer { configurations, programs, processes, .. } = *layer;
            let mark = if layer.extrapolated { "~" } else { "" };
            let parts = if programs > 1 { format!(" in {programs} parts") } else { String::new() };
            let by =
                if processes > 1 { format!("{} of {processes}", layer.by) } else { format!("{}{parts}", layer.by) };
            let configurations = if programs == 0 { String::new() } else { grouped(configurations) };
            table.row([
                layer.layer.to_string(),
                format!("{mark}{}", grouped(&layer.states)),
                format!("{mark}{}", grouped(layer.nodes)),
                by,
                configurations,
                bytes(layer.state_bytes.saturating_add(layer.value_bytes)),
                bytes(layer.memory_bytes),
                seconds(layer.time_s.as_f64()),
            ]);
        }
        table
    }

    fn measured(&self) -> String {
        let range = |layers: &[usize]| match (layers.iter().min(), layers.iter().max()) {
            (Some(first), Some(last)) if first == last => format!("of layer {first}"),
            (Some(first), Some(last)) => format!("of layers {first} to {last}"),
            _ => "of no layer".to_owned(),
        };
        let mut text = format!("the values {}", range(&self.measured_layers));
        if !self.measured_programs.is_empty() {
            let (configuration, state) = (self.configuration_ns, self.state_ns);
            let programs = range(&self.measured_programs);
            let pieces = match self.measured_pieces[..] {
                [] => String::new(),
                _ => format!(", pieces {}", range(&self.measured_pieces)),
            };
            text += &format!(", the programs {programs}{pieces}");
            let rates = [
                ("configuration", format!("{configuration:.0} ns a configuration")),
                ("state", format!("{state:.1} ns a state by rank")),
            ];
            let rates = rates.into_iter().filter(|(name, _)| self.measured_rates.contains(name));
            let rates: Vec<String> = rates.map(|(_, text)| text).collect();
            if !rates.is_empty() {
                text += &format!("; {}", rates.join(", "));
            }
        }
        text
    }
}
