//! The report of `export`.

use crate::session::ExportReport;
use base::digits::counted;
use solving::solution::Over;
use solving::words::number::{bytes, seconds};
use std::fmt;

impl fmt::Display for ExportReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let layer = self.layer.map_or_else(String::new, |layer| format!(" of layer {layer}"));
        writeln!(f, "{}: {}{layer}", self.game, counted(self.positions, "position"))?;
        if let Some(sample) = self.sample {
            let over = if sample.over == Over::States { "states" } else { "values" };
            writeln!(f, "  drawn at random over {over}, with repetitions; seed {}", sample.seed)?;
        }
        if self.symmetric {
            match self.symmetries {
                1 => writeln!(f, "  all of them: no symmetry keeps the first position and every role")?,
                number => writeln!(f, "  one of each set of up to {number} that are alike")?,
            }
        }
        let (file, time) = (self.file.display(), seconds(self.time_s.as_f64()));
        writeln!(f, "  in {file}, {}, written in {time}", bytes(self.bytes))
    }
}
