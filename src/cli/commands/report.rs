//! `report`: tables and plots of a stored solution, in a form for readers or for other programs.

use super::super::expect;
use super::super::failure::Failure;
use super::super::files::Access;
use super::super::output::{json, print, print_error};
use super::super::reading::{Form, Report};
use super::session;
use api::report::{self, Sheet, sheets, to_csv};
use api::session::SolutionReport;
use std::path::{Path, is_separator};

pub fn run(arguments: &Report) -> Result<(), Failure> {
    if arguments.table.is_some() && arguments.to != Form::Csv {
        return Err(Failure::Usage("--table: only --to csv is one table; the other forms have all of them".to_owned()));
    }
    expect::solution(&arguments.solution.solution)?;
    let report = session::quiet()?.report_stored(&arguments.solution.solution)?;
    if let SolutionReport::Unfinished(unfinished) = &report {
        print_error(&format!("note: the solution is unfinished: {}\n", unfinished.progress));
    }
    let text = match arguments.to {
        Form::Json => format!("{:#}\n", json(&report)),
        Form::Html => report::rendered(&report, report::Form::Html),
        Form::Md => report::rendered(&report, report::Form::Markdown),
        Form::Tex => report::rendered(&report, report::Form::Latex),
        Form::Csv => return tables(&report, arguments),
    };
    put(&text, arguments.out.as_deref())
}

/// One table, or a file for each table if a folder is named.
fn tables(report: &SolutionReport, arguments: &Report) -> Result<(), Failure> {
    let sheets = sheets(report);
    if let (Some(folder), None) = (arguments.out.as_deref().filter(|path| is_folder(path)), arguments.table) {
        std::fs::create_dir_all(folder)
            .map_err(|error| expect::failure(folder, "the report", Access::Write, &error))?;
        let file = |sheet: &Sheet| put(&to_csv(report, sheet), Some(&folder.join(format!("{}.csv", sheet.name))));
        return sheets.iter().try_for_each(file);
    }
    let name = arguments.table.unwrap_or_default().name();
    let Some(sheet) = sheets.iter().find(|sheet| sheet.name == name) else {
        let known: Vec<&str> = sheets.iter().map(|sheet| sheet.name).collect();
        return Err(Failure::Usage(format!("--table: this solution has no {name}; it has {}", known.join(", "))));
    };
    put(&to_csv(report, sheet), arguments.out.as_deref())
}

/// Whether a path is a folder, or ends like the name of a new one.
fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().last().is_some_and(|&last| is_separator(last.into()))
}

fn put(text: &str, path: Option<&Path>) -> Result<(), Failure> {
    match path {
        None => print(text),
        Some(path) => expect::write(path, "the report", text),
    }
}
