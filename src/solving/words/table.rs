//! Text tables with aligned columns.

/// A table. Cells are aligned to the right by default.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(header: impl IntoIterator<Item = String>) -> Self {
        Table { rows: vec![header.into_iter().collect()] }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The table as text, with each line indented by `indent` spaces.
    pub fn render(&self, indent: usize) -> String {
        self.render_left(indent, &[])
    }

    /// As [`Table::render`], with the columns `left` aligned to the left.
    pub fn render_left(&self, indent: usize, left: &[usize]) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width =
            |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
        let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = " ".repeat(indent);
            for (column, cell) in row.iter().enumerate() {
                let blanks = " ".repeat(widths[column] - cell.chars().count());
                let (before, after) =
                    if left.contains(&column) { ("", blanks.as_str()) } else { (blanks.as_str(), "") };
                let gap = if column > 0 { "  " } else { "" };
                line.extend([gap, before, cell, after]);
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(["layer", "n"].map(String::from));
        table.row(["0", "1,000"].map(String::from));
        table.row(["10", "×"].map(String::from));
        assert_eq!(table.render(1), " layer      n\n     0  1,000\n    10      ×\n");
    }

    #[test]
    fn columns_may_be_aligned_to_the_left() {
        let mut table = Table::new(["ply", "move"].map(String::from));
        table.row(["1", "(mark 1 1)"].map(String::from));
        table.row(["2", "noop"].map(String::from));
        assert_eq!(table.render_left(0, &[1]), "ply  move\n  1  (mark 1 1)\n  2  noop\n");
    }
}
