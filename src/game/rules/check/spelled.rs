//! Finds names without arguments that are written both alone and in parentheses: one name here, two for ggp-base.

use crate::diagnostic::{Diagnostic, quote};
use crate::rules::sentence::Rulesheet;
use crate::rules::spellings::Spellings;

pub fn check(sheet: &Rulesheet, diagnostics: &mut Vec<Diagnostic>) {
    for (name, [alone, enclosed]) in Spellings::new(sheet).twice() {
        let [alone_name, enclosed_name] = [quote(name), quote(&format!("({name})"))];
        for (span, here, elsewhere) in [(alone, &alone_name, &enclosed_name), (enclosed, &enclosed_name, &alone_name)] {
            let message = format!("{here} here and {elsewhere} elsewhere: one name to this program, two to ggp-base");
            let finding = Diagnostic::warning("two-spellings", span, message);
            diagnostics.push(finding.with_advice("write it in one way everywhere"));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::check::testing::findings;

    #[test]
    fn both_places_are_told() {
        let text = "(init (open2))\n(<= p (true open2) (q))\n(<= q p)";
        let expected = ["1:7 two-spellings", "2:13 two-spellings", "2:20 two-spellings", "3:5 two-spellings"];
        let told: Vec<String> = findings(text).into_iter().filter(|found| found.ends_with("two-spellings")).collect();
        assert_eq!(told, expected);
        let one_way = findings("(init (open2))\n(<= (p) (true (open2)))");
        assert!(one_way.iter().all(|found| !found.ends_with("two-spellings")), "{one_way:?}");
    }
}
