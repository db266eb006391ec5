//! A report as one page, without scripts or other files. The page is light or dark like the reader's system, and light
//! in print. It is well-formed XML, and all texts are escaped.

use super::Sheet;
use super::charts::charts;
use super::tables::{Cell, Document, Facts};
use crate::report::plot::{COLOURS, escaped};
use crate::session::SolutionReport;
use std::fmt::Write;

const STYLE: &str = include_str!("style.css");

pub fn page(report: &SolutionReport, document: &Document) -> String {
    let title = escaped(&document.title);
    let mut body =
        format!("<header>\n<h1>{title}</h1>\n<p class=\"outcome\">{}</p>\n</header>\n", escaped(&document.outcome));
    body.push_str("<dl class=\"figures\">\n");
    for (what, number) in &document.figures {
        let _ = writeln!(body, "<div><dt>{}</dt><dd>{}</dd></div>", escaped(what), escaped(number));
    }
    body.push_str("</dl>\n");
    document.remarks.iter().for_each(|remark| body.push_str(&format!("<p>{}</p>\n", escaped(remark))));
    body.push_str("<div class=\"plots\">\n");
    charts(&Facts::of(report)).iter().for_each(|chart| body.push_str(&format!("<figure>\n{chart}</figure>\n")));
    body.push_str("</div>\n");
    document.sheets.iter().for_each(|sheet| body.push_str(&table(sheet)));
    body.push_str("<section>\n<h2>Provenance</h2>\n<dl class=\"provenance\">\n");
    for (what, how) in &document.provenance {
        let _ = writeln!(body, "<dt>{}</dt><dd>{}</dd>", escaped(what), escaped(how));
    }
    body.push_str("</dl>\n</section>\n");
    let colours: Vec<String> =
        COLOURS.iter().enumerate().map(|(index, colour)| format!("svg .c{index} {{ --series: {colour} }}")).collect();
    framed(&document.title, &body, &format!("{}\n", colours.join("\n")))
}

/// A page. `style` is added to the style of all pages.
pub fn framed(title: &str, body: &str, style: &str) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n\
         <meta name=\"generator\" content=\"ggsolve {}\" />\n<title>{title}</title>\n\
         <style>\n{STYLE}{style}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    )
}

fn table(sheet: &Sheet) -> String {
    let heat = sheet.name == "matrix";
    let digits = |cell: &Cell| if let Cell::Number(number) = cell { number.bits() } else { 0 };
    let most = sheet.rows.iter().flat_map(|row| row.iter().skip(1)).map(digits).max().unwrap_or(0);
    let kind = |column: usize| if sheet.columns[column].numeric { "number" } else { "text" };
    let mut text =
        format!("<section>\n<h2>{}</h2>\n<div class=\"scroll\">\n<table>\n<thead><tr>", escaped(&sheet.title));
    for (column, name) in sheet.columns.iter().enumerate() {
        let _ = write!(text, "<th scope=\"col\" class=\"{}\">{}</th>", kind(column), escaped(&name.name));
    }
    text.push_str("</tr></thead>\n<tbody>\n");
    for row in &sheet.rows {
        text.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let shown = escaped(&cell.shown());
            let class = if *cell == Cell::Nothing { "number none" } else { kind(column) };
            if heat && column == 0 {
                let _ = write!(text, "<th scope=\"row\" class=\"number\">{shown}</th>");
            } else if heat && *cell != Cell::Nothing {
                // The colour of a cell becomes stronger with the number of digits: from 15 to 60 per cent.
                let percent = 15 + 45 * digits(cell) / most.max(1);
                let _ = write!(text, "<td class=\"number heat\" style=\"--heat: {percent}%\">{shown}</td>");
            } else {
                let _ = write!(text, "<td class=\"{class}\">{shown}</td>");
            }
        }
        text.push_str("</tr>\n");
    }
    text.push_str("</tbody>\n</table>\n</div>\n</section>\n");
    text
}
