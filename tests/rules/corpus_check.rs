//! Every public rulesheet is read and checked.

use crate::common::show::show;
use game::diagnostic::{Findings, Source};
use game::rules::gdl;

#[test]
fn every_public_rulesheet_is_accepted() {
    let Some(folder) = crate::common::corpus() else { return };
    let mut refused = Vec::new();
    for file in crate::common::rulesheets(&folder) {
        let bytes = std::fs::read(&file).expect("a rulesheet can be read");
        let source = Source::new(file.file_name().unwrap_or_default().to_string_lossy(), &bytes);
        let (program, diagnostics) = gdl::program(&source);
        if std::env::var_os("GGSOLVE_SHOW").is_some() {
            println!("{}", Findings::new(&source, &diagnostics));
        }
        match program {
            Some(program) => assert!(!program.rules.is_empty(), "{}", source.name()),
            None => refused.push(format!("{}\n{}", source.stem(), Findings::new(&source, &diagnostics))),
        }
    }
    assert!(refused.is_empty(), "{} refused:\n{}", refused.len(), refused.join("\n"));
}

#[test]
fn line_ends_and_comments_make_no_difference() {
    let Some(folder) = crate::common::corpus() else { return };
    let rules = |text: &str| {
        let bytes: Vec<u8> = text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect();
        gdl::program(&Source::new("game", &bytes)).0.map(|program| show(&program))
    };
    for file in crate::common::rulesheets(&folder) {
        let text = String::from_utf8_lossy(&std::fs::read(&file).expect("a rulesheet can be read")).into_owned();
        let plain = text.replace("\r\n", "\n");
        let expected = rules(&plain);
        assert!(expected.is_some());
        for changed in
            [plain.replace('\n', "\r\n"), plain.replace('\n', "\r"), plain.replace('\n', " ; \u{e9} \u{ff} )(\n")]
        {
            assert!(rules(&changed) == expected, "{}", file.display());
        }
    }
}
