//! The report of `book`.

use crate::session::BookReport;
use base::digits::{counted, grouped};
use solving::words::number::{bytes, seconds};
use solving::words::table::Table;
use std::fmt;

impl fmt::Display for BookReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = if self.complete { "the distances of all positions" } else { "distances of positions" };
        writeln!(f, "{}: {whole} up to ply {}\n", self.game, self.plies)?;
        let endless = self.layers.iter().any(|layer| layer.endless > 0);
        let mut names = vec!["ply", "positions", "known"];
        names.extend(endless.then_some("endless"));
        let mut table = Table::new(names.into_iter().map(str::to_owned).collect::<Vec<_>>());
        for layer in &self.layers {
            let numbers = [layer.positions, layer.known].into_iter().chain(endless.then_some(layer.endless));
            let numbers = numbers.map(grouped);
            table.row(std::iter::once(layer.ply.to_string()).chain(numbers).collect::<Vec<_>>());
        }
        write!(f, "{}", table.render(2))?;
        match self.distance {
            Some(plies) => writeln!(f, "\n  from the start, play ends in {plies} plies")?,
            None if self.value.is_none() => writeln!(f, "\n  from the start, play can go on for ever")?,
            None => writeln!(f, "\n  when play ends from the start is not known yet")?,
        }
        let images = match self.symmetries {
            1 => String::new(),
            number => format!(", one for up to {number} that are alike"),
        };
        let (searched, time) = (counted(self.searched, "position"), seconds(self.time_s.as_f64()));
        writeln!(f, "  searched: {searched}{images}, in {time}")?;
        writeln!(f, "  stored in {}, {}", self.stored.display(), bytes(self.bytes))
    }
}
