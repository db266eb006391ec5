//! A report as a LaTeX document with tables by `booktabs`. A table that is wider than the page is split by columns, and
//! each part repeats the first column. A character that pdflatex cannot print is written as its code point.

use super::Sheet;
use super::tables::{Cell, Document};
use std::fmt::Write;

/// In points: the width of the text on a page, of a digit (most letters are narrower), and between two columns.
const PAGE: usize = 480;
const CHARACTER: usize = 5;
const BETWEEN: usize = 12;

pub fn page(document: &Document) -> String {
    let mut text = format!(
        "% Made by ggsolve report; each table can be taken into another document, which needs booktabs and longtable.\n\
         \\documentclass{{article}}\n\
         \\usepackage[T1]{{fontenc}}\n\
         \\usepackage[utf8]{{inputenc}}\n\
         \\usepackage{{booktabs,longtable}}\n\
         \\usepackage[a4paper,margin=2cm]{{geometry}}\n\
         \\begin{{document}}\n\
         \\section*{{{}}}\n\
         \\noindent {}.\n",
        escaped(&document.title),
        escaped(&document.outcome)
    );
    let figures = document.figures.iter().map(|(what, number)| format!("{what}: {}", escaped(number)));
    let _ = writeln!(text, "{}.", figures.collect::<Vec<_>>().join("; "));
    document.remarks.iter().for_each(|remark| text.push_str(&format!("\n\\noindent {}\n", escaped(remark))));
    document.sheets.iter().for_each(|sheet| text.push_str(&table(sheet)));
    text.push_str("\n\\subsection*{Provenance}\n\\begin{description}\\raggedright\n");
    for (what, how) in &document.provenance {
        let _ = writeln!(text, "\\item[{}] {}", escaped(what), escaped(how));
    }
    text.push_str("\\end{description}\n\\end{document}\n");
    text
}

fn table(sheet: &Sheet) -> String {
    let parts = parts(sheet);
    let part = |(number, columns): (usize, &Vec<usize>)| {
        let title = match parts.len() {
            1 => sheet.title.clone(),
            all => format!("{}, part {} of {all}", sheet.title, number + 1),
        };
        part(sheet, &title, columns)
    };
    parts.iter().enumerate().map(part).collect()
}

/// The columns of each part of a table: the first column, and as many other columns as fit the page.
fn parts(sheet: &Sheet) -> Vec<Vec<usize>> {
    let width = |column: usize| {
        let cells = sheet.rows.iter().map(|cells| cells[column].shown().chars().count());
        let longest = cells.chain([sheet.columns[column].name.chars().count()]).max().unwrap_or(0);
        longest * CHARACTER + BETWEEN
    };
    let mut parts = vec![vec![0]];
    let mut wide = width(0);
    for column in 1..sheet.columns.len() {
        let part = parts.last_mut().expect("there is a first part");
        if wide + width(column) > PAGE && part.len() > 1 {
            parts.push(vec![0, column]);
            wide = width(0) + width(column);
        } else {
            part.push(column);
            wide += width(column);
        }
    }
    parts
}

fn part(sheet: &Sheet, title: &str, shown: &[usize]) -> String {
    let title = escaped(title);
    let row = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
    let kind = |column: &usize| if sheet.columns[*column].numeric { 'r' } else { 'l' };
    let columns: String = shown.iter().map(kind).collect();
    let head = row(shown.iter().map(|&column| escaped(&sheet.columns[column].name)).collect());
    let line = |cells: &Vec<Cell>| row(shown.iter().map(|&column| escaped(&cells[column].shown())).collect());
    let rows: String = sheet.rows.iter().map(line).collect();
    // The comment line is in place of a blank line, which would start a paragraph.
    format!(
        "\n% table {}\n\\begin{{longtable}}{{{columns}}}\n\\caption{{{title}}}\\\\\n\\toprule\n{head}\\midrule\n\\endhead\n\
         \\bottomrule\n\\endfoot\n{rows}\\end{{longtable}}\n",
        sheet.name
    )
}

/// The text with escapes for the characters that have a meaning in LaTeX.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => safe.push_str("\\textbackslash{}"),
            '{' | '}' | '$' | '&' | '#' | '%' | '_' => safe.extend(['\\', c]),
            '~' => safe.push_str("\\textasciitilde{}"),
            '^' => safe.push_str("\\textasciicircum{}"),
            '<' => safe.push_str("\\textless{}"),
            '>' => safe.push_str("\\textgreater{}"),
            '|' => safe.push_str("\\textbar{}"),
            '"' => safe.push_str("\\textquotedbl{}"),
            // After one of the characters of the list, `c` would form a ligature with it.
            '-' | '\'' | '`' | ',' if safe.ends_with(['-', '\'', '`', ',', '?', '!']) => safe.extend(['{', '}', c]),
            // At the start of a row, LaTeX takes these characters for an argument of the end of the row before.
            '*' | '[' | ']' => safe.extend(['{', c, '}']),
            ' '..='~' => safe.push(c),
            'À'..='ÿ' if !"×÷".contains(c) => safe.push(c),
            c if c.is_control() => safe.push(' '),
            c => {
                let _ = write!(safe, "{{\\ttfamily U+{:04X}}}", u32::from(c));
            }
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::super::tables::Column;
    use super::*;

    #[test]
    fn wide_tables_are_written_in_parts() {
        let sheet = |columns: usize, digits: usize| Sheet {
            name: "layers",
            title: "Layers".to_owned(),
            columns: (0..columns).map(|column| Column { name: format!("c{column}"), numeric: true }).collect(),
            rows: vec![vec![Cell::Text("9".repeat(digits)); columns]],
        };
        let heads = |sheet: &Sheet| {
            let text = table(sheet);
            let heads = text.lines().filter(|line| line.starts_with("c0"));
            heads.map(|line| line.trim_end_matches(" \\\\").replace(" & ", " ")).collect::<Vec<_>>()
        };
        assert_eq!(heads(&sheet(4, 3)), ["c0 c1 c2 c3"]);
        assert!(!table(&sheet(4, 3)).contains("part"));
        assert_eq!(heads(&sheet(6, 22)), ["c0 c1 c2", "c0 c3 c4", "c0 c5"]);
        assert!(table(&sheet(6, 22)).contains("\\caption{Layers, part 3 of 3}"));
        assert_eq!(heads(&sheet(3, 200)), ["c0 c1", "c0 c2"]);
        assert_eq!(heads(&sheet(1, 200)), ["c0"]);
        let many = heads(&sheet(102, 3));
        let all: Vec<&str> = many.iter().flat_map(|head| head.split(' ').skip(1)).collect();
        assert_eq!(all, (1..102).map(|column| format!("c{column}")).collect::<Vec<_>>());
    }

    #[test]
    fn names_mean_nothing_to_latex() {
        assert_eq!(escaped("a_b & 5 % {x}\\"), "a\\_b \\& 5 \\% \\{x\\}\\textbackslash{}");
        assert_eq!(escaped("[x] é 中\n"), "{[}x{]} é {\\ttfamily U+4E2D} ");
        assert_eq!(escaped("1,000 a--b ''"), "1,000 a-{}-b '{}'");
    }
}
