//! Open solutions under names that are safe in addresses.

use solving::solution::Opened;

/// Names that no solution may have, because other addresses start with them.
const RESERVED: [&str; 3] = ["api", "assets", "favicon.ico"];
const LONGEST: usize = 60;

pub struct Entry {
    pub name: String,
    pub solution: Opened,
}

/// The solutions of an explorer, in the order in which they were added.
#[derive(Default)]
pub struct Library {
    entries: Vec<Entry>,
}

impl Library {
    /// Adds a solution under a name like `wished`. Returns the name.
    pub fn add(&mut self, wished: &str, solution: impl Into<Opened>) -> &str {
        let name = self.unused(&safe(wished));
        self.entries.push(Entry { name, solution: solution.into() });
        &self.entries.last().expect("one was added").name
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// The name itself if it is not in use, otherwise the name with the smallest number that makes it new.
    fn unused(&self, name: &str) -> String {
        let free = |name: &String| self.find(name).is_none() && !RESERVED.contains(&name.as_str());
        let numbered = (2u32..).map(|number| format!("{name}-{number}"));
        std::iter::once(name.to_owned()).chain(numbered).find(free).expect("there are more numbers than solutions")
    }
}

/// The name with all unsafe characters replaced. A safe name neither starts nor ends with a dot.
fn safe(wished: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = wished.chars().map(plain).take(LONGEST).collect();
    match name.trim_matches(['-', '.']) {
        "" => "solution".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brute::BruteForce;
    use crate::sample::handmade::nim;
    use game::reward::OpponentModel;

    #[test]
    fn names_are_unique_and_safe() {
        let mut library = Library::default();
        let wished = ["nim", "nim", "api", "", "..", "a/../b c?", "größe", "nim-2", "nim", "assets"];
        let expected =
            ["nim", "nim-2", "api-2", "solution", "solution-2", "a-..-b-c", "gr--e", "nim-2-2", "nim-3", "assets-2"];
        for (wished, expected) in wished.into_iter().zip(expected).chain([("favicon.ico", "favicon.ico-2")]) {
            let solution = BruteForce::solution(nim(2, 1), OpponentModel::MaxOwn);
            assert_eq!(library.add(wished, solution), expected);
        }
        assert!(library.find("nim-3").is_some() && library.find("api").is_none());
        assert!(safe(&"x".repeat(1000)).len() <= LONGEST);
    }
}
