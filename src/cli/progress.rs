//! Events of a run as tracing output, and as a progress bar on standard error or, where that is no terminal, as lines.

use super::memory;
use super::output::print_error;
use crate::report::{grouped, seconds};
use crate::solve::{Event, Listener, Phase, Stage};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// Between two turns of the spinner.
const TICK: Duration = Duration::from_millis(120);

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Display {
    Nothing,
    /// A bar that is drawn again and again.
    Bar,
    /// A line for each stage and layer.
    Lines,
}

/// Draws and logs what it hears.
pub struct Console {
    /// Hidden unless the display is a bar.
    bar: ProgressBar,
    lines: bool,
}

impl Console {
    pub fn new(display: Display) -> Self {
        let lines = display == Display::Lines;
        if display != Display::Bar {
            return Console { bar: ProgressBar::hidden(), lines };
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        bar.set_style(spinner());
        bar.enable_steady_tick(TICK);
        Console { bar, lines }
    }

    fn line(&self, text: &str) {
        if self.lines {
            print_error(&format!("{text}\n"));
        }
    }

    /// A stage that is not the solver's.
    pub fn stage<T>(&self, stage: Stage, work: impl FnOnce() -> T) -> (T, f64) {
        self.event(&Event::StageStarted(stage));
        let start = std::time::Instant::now();
        let result = work();
        let seconds = start.elapsed().as_secs_f64();
        self.event(&Event::StageFinished { stage, seconds, detail: String::new() });
        (result, seconds)
    }

    /// Takes the bar away, before a report is printed.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Listener for Console {
    fn event(&self, event: &Event) {
        match event {
            Event::StageStarted(stage) => {
                tracing::debug!("{stage}");
                self.bar.set_style(spinner());
                self.bar.set_message(stage.to_string());
            }
            Event::StageFinished { stage, seconds: spent, detail } => {
                memory::give_back_freed();
                let text = format!("{stage}: {}{}{detail}", seconds(*spent), if detail.is_empty() { "" } else { ", " });
                tracing::info!("{text}");
                self.line(&text);
            }
            Event::LayerFinished { phase, layer, total, states, nodes, seconds: spent } => {
                let name = match phase {
                    Phase::Forward => Stage::Forward,
                    Phase::Backward => Stage::Backward,
                };
                let states = states.as_ref().map_or(String::new(), |states| format!("{} states, ", grouped(states)));
                let text = format!("{name} layer {layer}: {states}{} nodes", grouped(&(*nodes).into()));
                tracing::debug!("{text}, {}", seconds(*spent));
                self.line(&text);
                match total {
                    None => self.bar.set_style(spinner()),
                    Some(total) => {
                        self.bar.set_style(counter());
                        self.bar.set_length(u64::from(*total));
                        let done = if *phase == Phase::Forward { layer + 1 } else { total.saturating_sub(*layer) };
                        self.bar.set_position(u64::from(done));
                    }
                }
                self.bar.set_message(text);
            }
            Event::Message(text) => {
                tracing::info!("{text}");
                self.bar.set_message(text.clone());
            }
        }
    }
}

fn spinner() -> ProgressStyle {
    style("{spinner} {elapsed_precise} {msg}")
}

fn counter() -> ProgressStyle {
    style("{spinner} {elapsed_precise} [{bar:30}] {pos}/{len} {msg}")
}

/// A style; the templates of this file are right, but a wrong one is no reason to fail.
fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

impl Drop for Console {
    fn drop(&mut self) {
        self.finish();
    }
}
