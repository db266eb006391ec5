//! Events of a run as tracing output, and as a progress bar on standard error or, without a terminal, on request as
//! lines.
//!
//! A stage with a known end has a bar and an estimate of the remaining time, by the sizes of the layers to come; any
//! other stage has a clock and a count. Everything but the message fits 40 columns, and the message is cut at the end
//! of the terminal.

use super::locale;
use super::memory;
use super::output::print_error;
use base::digits::grouped;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use num_bigint::BigUint;
use solving::solve::{Event, Listener, Phase, Stage};
use solving::words::number::seconds;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time between two turns of the spinner.
const TICK: Duration = Duration::from_millis(120);

/// Least time between two lines that report rounds.
const PACE: Duration = Duration::from_secs(1);

/// The template for a stage without a known end.
const CLOCK: &str = "{spinner} {prefix} {elapsed_precise} {wide_msg}";
/// The template for a stage with a known end: at most 33 columns before the message, for numbers below 10,000.
const COUNTER: &str = "{spinner} {prefix} [{bar:8}] {pos}/{len} {wide_msg}";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Display {
    Nothing,
    Bar,
    /// A line for each stage and layer.
    Lines,
}

pub struct Console {
    /// Hidden unless the display is a bar.
    bar: ProgressBar,
    lines: bool,
    /// The command that shows all findings on the rules.
    check: String,
    estimate: Mutex<Estimate>,
}

impl Console {
    /// `check`: the command that shows all findings on the rules.
    pub fn new(display: Display, check: String) -> Self {
        let lines = display == Display::Lines;
        let bar = match display {
            Display::Bar => ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10)),
            Display::Nothing | Display::Lines => ProgressBar::hidden(),
        };
        if display == Display::Bar {
            bar.set_style(style(CLOCK));
            bar.enable_steady_tick(TICK);
        }
        Console { bar, lines, check, estimate: Mutex::new(Estimate::new()) }
    }

    fn line(&self, text: &str) {
        if self.lines {
            print_error(&format!("{text}\n"));
        }
    }

    fn warn(&self, text: &str) {
        if !text.is_empty() {
            self.bar.suspend(|| print_error(text));
        }
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Shows that `done` of `total` pieces of a stage are finished.
    fn count(&self, name: &'static str, done: u64, total: u64, message: String) {
        self.bar.set_prefix(name);
        self.bar.set_message(message);
        self.bar.set_length(total);
        self.bar.set_position(done);
        self.bar.set_style(style(COUNTER));
    }
}

impl Listener for Console {
    fn event(&self, event: &Event) {
        // A listener that panicked leaves a valid estimate.
        let mut estimate = self.estimate.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::StageStarted(stage) => {
                tracing::debug!("{stage}");
                estimate.start();
                self.bar.set_style(style(CLOCK));
                self.bar.set_prefix(word(*stage));
                self.bar.set_message("");
                self.bar.reset_elapsed();
            }
            Event::StageFinished { stage, seconds: spent, detail } => {
                memory::give_back_freed();
                let text = format!("{stage}: {}", seconds(*spent));
                tracing::info!("{text}{}{detail}", if detail.is_empty() { "" } else { ", " });
                self.line(&text);
            }
            Event::LayerFinished { phase: Phase::Forward, layer, states, nodes, seconds: spent, .. } => {
                estimate.found(*layer, *nodes, states.as_ref());
                let states = states.as_ref().map_or(String::new(), |states| format!("{} states", grouped(states)));
                tracing::debug!("forward layer {layer}: {states}, {} nodes, {}", grouped(nodes), seconds(*spent));
                self.line(&format!("forward layer {layer}: {states}"));
                self.bar.set_message(format!("{} in {} layers", grouped(&estimate.states), layer + 1));
            }
            Event::LayerFinished { phase: Phase::Backward, layer, total: None, states, nodes, seconds: spent } => {
                let found = match states {
                    Some(states) => format!("{} states", grouped(states)),
                    None => format!("{} nodes", grouped(nodes)),
                };
                tracing::debug!("round {layer}: {found}, {}", seconds(*spent));
                let text = estimate.round(*layer);
                if estimate.is_line_due() {
                    self.line(&text);
                }
                self.bar.set_message(text);
            }
            Event::Restarted { times } => {
                tracing::debug!("restart {times}");
                estimate.restarts = *times;
            }
            Event::LayerFinished {
                phase: Phase::Backward, layer, total: Some(total), nodes, seconds: spent, ..
            } => {
                tracing::debug!("backward layer {layer}: {} nodes, {}", grouped(nodes), seconds(*spent));
                let left = estimate.solved(*layer).map_or(String::new(), |left| format!("{} left", clock(left)));
                self.line(&format!("backward layer {layer}: {}", if *layer == 0 { "the last one" } else { &left }));
                let done = u64::from(total.saturating_sub(*layer));
                self.count(word(Stage::Backward), done, u64::from(*total), left);
            }
            Event::Work { what, done, total } => {
                tracing::debug!("{what}: {done} of {total}");
                let left = estimate.share(*done, *total).map_or(String::new(), |left| format!("{} left", clock(left)));
                self.line(&format!("{what}: {done} of {total}"));
                self.count(what, *done, *total, left);
            }
            // Reasons and statistics are only for the log.
            Event::Shared(work) => tracing::info!("{work}"),
            Event::Message(text) => tracing::info!("{text}"),
            Event::Notice(text) => self.warn(&format!("{text}\n")),
            Event::Findings(findings) => self.warn(&findings.summary(&self.check)),
        }
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Estimates the rest of a stage by its speed so far.
struct Estimate {
    start: Instant,
    /// By layer: the size of its set of states, if it is known.
    sizes: Vec<Option<u64>>,
    /// Number of states of the layers so far.
    states: BigUint,
    /// Sizes of the layers that were solved in this stage.
    done: u128,
    /// Number of times that the rounds of this stage started over.
    restarts: u64,
    /// The time at which the last line on a round was printed in this stage.
    line: Option<Instant>,
}

impl Estimate {
    fn new() -> Self {
        Estimate { start: Instant::now(), sizes: Vec::new(), states: BigUint::ZERO, done: 0, restarts: 0, line: None }
    }

    fn start(&mut self) {
        (self.start, self.done, self.restarts, self.line) = (Instant::now(), 0, 0, None);
    }

    /// A round in words, without their total, which is unknown before the end.
    fn round(&self, round: u32) -> String {
        match self.restarts {
            0 => format!("round {}", grouped(round)),
            1 => format!("round {}, after 1 restart", grouped(round)),
            restarts => format!("round {}, after {} restarts", grouped(round), grouped(restarts)),
        }
    }

    /// Whether a line on a round may be printed now. There may be hundreds of rounds in a second.
    fn is_line_due(&mut self) -> bool {
        let due = self.line.is_none_or(|last| last.elapsed() >= PACE);
        if due {
            self.line = Some(Instant::now());
        }
        due
    }

    fn found(&mut self, layer: u32, size: u64, states: Option<&BigUint>) {
        let layer = layer as usize;
        self.sizes.resize(self.sizes.len().max(layer + 1), None);
        self.sizes[layer] = Some(size.max(1));
        self.states += states.cloned().unwrap_or_default();
    }

    /// The remaining time, after a layer was solved. `None` if the size of an earlier layer, which remains, is unknown.
    fn solved(&mut self, layer: u32) -> Option<Duration> {
        let layer = layer as usize;
        self.done += u128::from((*self.sizes.get(layer)?)?);
        let left = self.sizes[..layer].iter().try_fold(0u128, |sum, size| Some(sum + u128::from((*size)?)))?;
        Some(rest(self.start.elapsed(), self.done, left))
    }

    /// The remaining time, after `done` of `total` pieces of the same size.
    fn share(&self, done: u64, total: u64) -> Option<Duration> {
        (done > 0).then(|| rest(self.start.elapsed(), done.into(), total.saturating_sub(done).into()))
    }
}

fn rest(spent: Duration, done: u128, left: u128) -> Duration {
    let seconds = spent.as_secs_f64() * left as f64 / done as f64;
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// A duration as `0:07`, `12:30` or `3:05:00`.
fn clock(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..3600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        _ => format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60),
    }
}

/// The word for a stage, of at most nine letters.
fn word(stage: Stage) -> &'static str {
    match stage {
        Stage::Parse => "reading",
        Stage::Ground => "expanding",
        Stage::Probe => "probing",
        Stage::Groups => "grouping",
        Stage::Symmetries => "symmetry",
        Stage::Encode => "encoding",
        Stage::Order => "ordering",
        Stage::Forward => "states",
        Stage::Backward => "values",
    }
}

/// The style of a template. The templates of this file are right, but a wrong one is no reason to fail.
fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner());
    if locale::is_utf8() { style } else { style.tick_chars("-\\|/-").progress_chars("#-") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_estimated_by_the_sizes_of_the_layers() {
        let mut estimate = Estimate::new();
        for (layer, size) in [(0, 1), (1, 10), (2, 100), (3, 100)] {
            estimate.found(layer, size, Some(&BigUint::from(size)));
        }
        estimate.start = Instant::now() - Duration::from_secs(100);
        assert_eq!(estimate.states, BigUint::from(211u32));
        let left = estimate.solved(3).unwrap().as_secs_f64();
        assert!((left - 111.0).abs() < 1.0, "{left}");
        let left = estimate.solved(2).unwrap().as_secs_f64();
        assert!((left - 5.5).abs() < 0.1, "{left}");
        // A layer of unknown size.
        estimate.sizes[1] = None;
        assert_eq!(estimate.solved(2), None);
        assert_eq!(Estimate::new().solved(7), None);
        assert_eq!(estimate.share(0, 10), None);
    }

    #[test]
    fn rounds_are_told_with_what_was_begun_anew() {
        let mut estimate = Estimate::new();
        assert_eq!(estimate.round(7), "round 7");
        assert_eq!([estimate.is_line_due(), estimate.line.is_some()], [true, true]);
        estimate.restarts = 1;
        assert_eq!(estimate.round(0), "round 0, after 1 restart");
        estimate.restarts = 4607;
        assert_eq!(estimate.round(1234), "round 1,234, after 4,607 restarts");
        estimate.start();
        assert_eq!(estimate.round(1), "round 1");
        assert!(estimate.is_line_due());
    }

    #[test]
    fn words_and_clocks_are_short() {
        for stage in Stage::ALL {
            assert!(word(stage).len() <= 9 && word(stage).is_ascii());
        }
        assert_eq!([7, 750, 11_100].map(|s| clock(Duration::from_secs(s))), ["0:07", "12:30", "3:05:00"]);
    }
}
