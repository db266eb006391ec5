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
