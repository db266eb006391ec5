//! Text tables with aligned columns.

/// A table whose cells are aligned to the right.
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

    /// The lines of the table, each after `indent` blanks and with an end of line.
    pub fn render(&self, indent: usize) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width =
            |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
        let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
        let mut text = String::new();
        for row in &self.rows {
            text.push_str(&" ".repeat(indent));
            for (column, cell) in row.iter().enumerate() {
                let gap = if column > 0 { 2 } else { 0 };
                let blanks = gap + widths[column] - cell.chars().count();
                text.push_str(&" ".repeat(blanks));
                text.push_str(cell);
            }
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
}
