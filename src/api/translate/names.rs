//! Chooses names that are allowed in the other language: unique, and no keywords.

use game::propositional::GroundTerm;
use game::rules::Made;
use rustc_hash::FxHashSet;

pub const GDDL_WORDS: [&str; 18] = [
    "and",
    "or",
    "not",
    "imply",
    "exists",
    "forall",
    "when",
    "=",
    "-",
    "define",
    "increase",
    "decrease",
    "assign",
    "scale-up",
    "scale-down",
    "oneof",
    "probabilistic",
    "preference",
];

/// The names in use for one kind of thing, such as predicates.
#[derive(Debug, Clone, Default)]
pub struct Names {
    taken: FxHashSet<String>,
    /// Whether `?` and `-` are restricted as in GDDL: `?` only begins a name, and `-` only begins a number.
    gddl: bool,
}

impl Names {
    /// An empty set of names. The `reserved` names, in lower case, are in use from the start, in any case of letters.
    pub fn new(reserved: &[&str]) -> Self {
        Names { taken: reserved.iter().map(|&name| name.to_owned()).collect(), gddl: false }
    }

    pub fn gddl(reserved: &[&str]) -> Self {
        Names { gddl: true, ..Names::new(reserved) }
    }

    /// A new name, equal or similar to the wished one. Names that differ only in the case of letters count as equal. If
    /// lowering made the wished name ([`Made`]), its part before the first mark is tried first.
    pub fn choose(&mut self, wished: &str) -> String {
        let wished = if self.gddl { in_gddl(wished) } else { wished.to_owned() };
        let clean: String = wished.split(Made::MARK).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_");
        let stem = wished.split(Made::MARK).next().unwrap_or_default();
        let stem = if stem.is_empty() { &clean } else { stem };
        let stem = if stem.is_empty() { "unnamed" } else { stem };
        let candidates = [stem.to_owned(), clean.clone()].into_iter().filter(|name| !name.is_empty());
        let numbered = (1u64..).map(|number| {
            let name = format!("{stem}_{number}");
            if self.gddl { in_gddl(&name) } else { name }
        });
        let chosen = candidates.chain(numbered).find(|name| !self.taken.contains(&name.to_ascii_lowercase()));
        let chosen = chosen.expect("there are more numbers than names taken");
        self.taken.insert(chosen.to_ascii_lowercase());
        chosen
    }
}

pub fn flat(term: &GroundTerm) -> String {
    let words: String = term.to_string().chars().filter(|&c| c != '(' && c != ')').collect();
    words.replace(' ', "_")
}

/// Replaces characters that would start a variable or a type.
fn in_gddl(name: &str) -> String {
    let (mark, name) = if let Some(name) = name.strip_prefix('?') { ("?", name) } else { ("", name) };
    let is_number = name.parse::<i64>().is_ok();
    let hyphen = if name.starts_with('-') && mark.is_empty() && !is_number { "_" } else { "" };
    format!("{mark}{hyphen}{}", name.replace('?', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_new_and_near_to_what_was_wished() {
        let mut names = Names::new(&["true"]);
        let chosen: Vec<String> =
            ["row", "Row", "row|type", "true", "some|3", "some|4", "|x", "|"].map(|name| names.choose(name)).into();
        assert_eq!(chosen, ["row", "Row_1", "row_type", "true_1", "some", "some_4", "x", "unnamed"]);
    }

    #[test]
    fn marks_of_gddl_start_nothing_else() {
        let mut names = Names::gddl(&["-"]);
        let chosen: Vec<String> = ["a?b", "?x?y", "-1", "-x", "-", "a-b", "?-x"].map(|name| names.choose(name)).into();
        assert_eq!(chosen, ["a_b", "?x_y", "-1", "_-x", "_-", "a-b", "?-x"]);
        assert_eq!(names.choose("-1"), "_-1_1");
        assert_eq!(Names::new(&[]).choose("-a?"), "-a?");
    }
}
