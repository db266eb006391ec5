//! In each crate a module imports only from modules of the groups above its own in `lib.rs`. Cargo holds the same between
//! crates.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const CRATES: [&str; 6] = ["base", "kernel", "game", "solving", "api", "serve"];

/// The modules of a crate, each with the number of its group.
fn groups(root: &Path) -> BTreeMap<String, usize> {
    let text = std::fs::read_to_string(root.join("lib.rs")).expect("the crate's root");
    let mut groups = BTreeMap::new();
    // The block of what only tests have is no group.
    let blocks = text.split("\n\n").filter(|block| !block.contains("#[cfg(test)]"));
    for (group, block) in blocks.enumerate() {
        let names = block.lines().filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod "));
        groups.extend(names.filter_map(|name| Some((name.strip_suffix(';')?.to_owned(), group))));
    }
    groups
}

fn crate_root(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(name)
}

/// The files of a module, but for those that only tests have.
fn files(root: &Path, module: &str) -> Vec<PathBuf> {
    let single = root.join(module).with_extension("rs");
    let (mut found, mut folders) = (Vec::new(), vec![root.join(module)]);
    found.extend(single.is_file().then_some(single));
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let text = |path: &Path| std::fs::read_to_string(path).expect("a source");
    // `#[cfg(test)]` before `mod name;` makes a file that only tests have.
    let tests: Vec<String> = found
        .iter()
        .flat_map(|path| text(path).split("#[cfg(test)]\n").skip(1).map(str::to_owned).collect::<Vec<_>>())
        .filter_map(|rest| {
            let line = rest.lines().find(|line| !line.starts_with("#["))?;
            let name = line.trim_start_matches("pub(crate) ").strip_prefix("mod ")?;
            name.strip_suffix(';').map(|name| format!("{name}.rs"))
        })
        .collect();
    found.retain(|path| !tests.iter().any(|name| path.ends_with(name)));
    found
}

/// What a file names of other modules, outside of its tests and comments.
fn named(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let code: Vec<&str> = code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = code.join("\n");
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    code.split("crate::").skip(1).map(name).filter(|name| !name.is_empty()).collect()
}

#[test]
fn modules_import_only_from_the_groups_above() {
    let (mut wrong, mut modules) = (Vec::new(), 0);
    // The diagrams are one module.
    for root in CRATES.into_iter().filter(|name| *name != "kernel").map(crate_root) {
        let groups = groups(&root);
        modules += groups.len();
        for (module, group) in &groups {
            let files = files(&root, module);
            assert!(!files.is_empty(), "{module} has no file");
            for file in files {
                let text = std::fs::read_to_string(&file).expect("a source");
                for name in named(&text).into_iter().filter(|name| name != module) {
                    match groups.get(&name) {
                        Some(other) if other < group => {}
                        Some(_) => wrong.push(format!("{} names `{name}`, which is not above it", file.display())),
                        None => wrong.push(format!("{} names `{name}`, which is no module", file.display())),
                    }
                }
            }
        }
    }
    assert!(modules > 30, "the modules are found: {modules}");
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What each crate depends on: those before it, at most.
#[test]
fn crates_depend_only_on_those_before_them() {
    for (number, name) in CRATES.into_iter().enumerate() {
        let manifest = std::fs::read_to_string(crate_root(name).join("Cargo.toml")).expect("a manifest");
        let own = manifest.split("[dev-dependencies]").next().expect("a part");
        for (other, later) in CRATES.into_iter().enumerate() {
            let has = own.contains(&format!("\n{later}.workspace"));
            assert!(!has || other < number, "{name} depends on {later}");
        }
    }
}

/// All sources below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let files = files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    files.chain(folders.iter().flat_map(|folder| sources(folder))).collect()
}

/// The functions of a formatted text, each with its number of lines.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let words = code.split(' ').take_while(|word| {
            ["pub", "const", "unsafe", "async", "extern", "\"C\"", "fn"].contains(word) || word.starts_with("pub(")
        });
        if words.last() != Some("fn") {
            continue;
        }
        let name = code.split("fn ").nth(1).unwrap_or_default();
        let name: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        // A declaration ends before it has a body.
        let head = lines[start..].iter().find(|line| line.ends_with(['{', '}', ';']));
        if head.is_some_and(|line| line.ends_with('{')) {
            let end = format!("{}}}", &line[..line.len() - code.len()]);
            let length = lines[start..].iter().position(|line| *line == end).expect("formatted code");
            found.push((name, length + 1));
        }
    }
    found
}

/// Short enough to be read at once.
#[test]
fn files_and_functions_are_short() {
    let (mut long, mut count) = (Vec::new(), 0);
    for file in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let text = std::fs::read_to_string(&file).expect("a source");
        if text.lines().count() > 500 {
            long.push(format!("{} has more than 500 lines", file.display()));
        }
        for (name, lines) in functions(&text) {
            count += 1;
            if lines > 80 {
                long.push(format!("`{name}` in {} has {lines} lines", file.display()));
            }
        }
    }
    assert!(count > 5000, "the functions are found: {count}");
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn functions_are_measured_from_their_head_to_their_end() {
    let text = "trait A {\n    fn declared(\n        &self,\n    ) -> u8;\n}\n\npub(crate) unsafe fn made<T>(\n    t: T,\n) -> T\nwhere\n    T: Copy,\n{\n    t\n}\n\nfn short() {}\n";
    assert_eq!(functions(text), [("made".to_owned(), 8)]);
}
