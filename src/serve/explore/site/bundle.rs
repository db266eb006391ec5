//! Bundles the scripts of the page into one, because browsers load no modules from files. Each module becomes a
//! function that returns the exports of the module, and comes after the modules that it imports. Two conditions on the
//! modules of the page: each import is on one line, and `export` starts a declaration.

use std::fmt::Write;

/// The text between the imported names and the module's name.
const FROM: &str = " from \"./";

/// One script of the module `first` and all modules that it imports. `text` maps the name of a module to its content.
pub fn bundle(first: &str, text: &dyn Fn(&str) -> &'static str) -> String {
    let mut order = Vec::new();
    visit(first, text, &mut order);
    let mut script = "\"use strict\";\nconst modules = {};\n".to_owned();
    for name in order {
        let _ = write!(script, "modules[\"{name}\"] = (() => {{\n{}}})();\n", module(text(&name)));
    }
    script
}

/// Appends a module after the modules that it imports.
fn visit(name: &str, text: &dyn Fn(&str) -> &'static str, order: &mut Vec<String>) {
    if order.iter().any(|known| known == name) {
        return;
    }
    for line in text(name).lines().filter(|line| line.starts_with("import ")) {
        visit(&imported(line).1, text, order);
    }
    order.push(name.to_owned());
}

/// The imported names, and the name of the module.
fn imported(line: &str) -> (String, String) {
    let inner = line.strip_prefix("import ").and_then(|rest| rest.strip_suffix("\";")).expect("an import is a line");
    let (what, from) = inner.split_once(FROM).expect("a module imports from those beside it");
    (what.to_owned(), from.to_owned())
}

/// The body of a function that returns the exports of a module.
fn module(text: &str) -> String {
    let (mut body, mut names) = (String::new(), Vec::new());
    for line in text.lines() {
        if line.starts_with("import ") {
            let (what, from) = imported(line);
            let bound = what.strip_prefix("* as ").map_or_else(|| what.replace(" as ", ": "), str::to_owned);
            let _ = writeln!(body, "const {bound} = modules[\"{from}\"];");
            continue;
        }
        let declared = line.strip_prefix("export ");
        if let Some(declared) = declared {
            let kinds = ["async function ", "function ", "class ", "const "];
            let rest = kinds.iter().find_map(|kind| declared.strip_prefix(kind)).expect("an export is a declaration");
            names.push(rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default());
        }
        let _ = writeln!(body, "{}", declared.unwrap_or(line));
    }
    let _ = writeln!(body, "return {{ {} }};", names.join(", "));
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_stand_behind_those_that_they_import() {
        let text = |name: &str| match name {
            "a.js" => {
                "import { b as c } from \"./b.js\";\nimport * as d from \"./d.js\";\nexport const a = c + d.one();\n"
            }
            "b.js" => "import { one } from \"./d.js\";\nexport const b = one();\n",
            _ => "export async function one() {\n  return 1;\n}\nexport class Two {}\n",
        };
        let script = bundle("a.js", &text);
        let at = |text: &str| script.find(text).unwrap_or_else(|| panic!("{text} in {script}"));
        assert!(
            at("modules[\"d.js\"] =") < at("modules[\"b.js\"] =")
                && at("modules[\"b.js\"] =") < at("modules[\"a.js\"] =")
        );
        assert!(at("const { b: c } = modules[\"b.js\"];\nconst d = modules[\"d.js\"];\nconst a = c + d.one();") > 0);
        assert!(at("return { one, Two };") < at("return { b };"));
        assert_eq!(script.matches("modules[\"d.js\"] =").count(), 1);
    }
}
