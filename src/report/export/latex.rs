//! A report as a LaTeX document with tables by `booktabs`, to be compiled as it is or taken apart.
//!
//! What pdflatex has no letters for is written as its code point.

use super::Sheet;
use super::tables::{Column, Document};
use std::fmt::Write;

/// More columns do not fit a page.
const COLUMNS: usize = 14;

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
    let title = escaped(&sheet.title);
    if sheet.columns.len() > COLUMNS {
        let columns = sheet.columns.len();
        return format!("\n\\noindent {title}: {columns} columns are too many for a page; the CSV has them.\n");
    }
    let row = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
    let kind = |column: &Column| if column.numeric { 'r' } else { 'l' };
    let columns: String = sheet.columns.iter().map(kind).collect();
    let head = row(sheet.columns.iter().map(|column| escaped(&column.name)).collect());
    let rows: String =
        sheet.rows.iter().map(|cells| row(cells.iter().map(|cell| escaped(&cell.shown())).collect())).collect();
    // The comment keeps the blank line of a paragraph away from what stands before.
    format!(
        "\n% table {}\n\\begin{{longtable}}{{{columns}}}\n\\caption{{{title}}}\\\\\n\\toprule\n{head}\\midrule\n\\endhead\n\
         \\bottomrule\n\\endfoot\n{rows}\\end{{longtable}}\n",
        sheet.name
    )
}

/// A text in which no character means anything to LaTeX.
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
            // After another of these it would become part of another sign.
            '-' | '\'' | '`' | ',' if safe.ends_with(['-', '\'', '`', ',', '?', '!']) => safe.extend(['{', '}', c]),
            // A row that starts with one of these would give it to the end of the row before.
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
    use super::*;

    #[test]
    fn names_mean_nothing_to_latex() {
        assert_eq!(escaped("a_b & 5 % {x}\\"), "a\\_b \\& 5 \\% \\{x\\}\\textbackslash{}");
        assert_eq!(escaped("[x] é 中\n"), "{[}x{]} é {\\ttfamily U+4E2D} ");
        assert_eq!(escaped("1,000 a--b ''"), "1,000 a-{}-b '{}'");
    }
}
