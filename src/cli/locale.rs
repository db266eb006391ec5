//! The abilities of the terminal, according to the environment.

/// Whether characters outside of ASCII may be shown: the character encoding of the locale is UTF-8.
pub fn is_utf8() -> bool {
    utf8(|name| std::env::var(name).ok())
}

/// Whether colours may be shown on a terminal. See <https://no-color.org>.
pub fn has_colour() -> bool {
    colour(|name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
}

/// Whether the terminal cannot move its cursor.
pub fn is_plain() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Whether the first variable that is set and not empty names UTF-8. The C library decides likewise.
fn utf8(variable: impl Fn(&str) -> Option<String>) -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(variable).find(|value| !value.is_empty());
    set.is_some_and(|locale| ["utf-8", "utf8"].iter().any(|name| locale.to_ascii_lowercase().contains(name)))
}

fn colour(variable: impl Fn(&str) -> Option<String>) -> bool {
    variable("NO_COLOR").is_none_or(|value| value.is_empty()) && variable("TERM").is_none_or(|term| term != "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<'a>(set: &'a [(&str, &str)]) -> impl Fn(&str) -> Option<String> + 'a {
        |name| set.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn the_first_variable_that_is_set_decides() {
        assert!(utf8(with(&[("LANG", "en_GB.UTF-8")])));
        assert!(utf8(with(&[("LC_ALL", ""), ("LC_CTYPE", "C.utf8"), ("LANG", "C")])));
        for set in [&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")][..], &[("LANG", "POSIX")], &[("LANG", "de_DE")], &[]] {
            assert!(!utf8(with(set)), "{set:?}");
        }
    }

    #[test]
    fn no_colour_is_wanted_where_the_variable_is_set_to_anything() {
        assert!(colour(with(&[("TERM", "xterm")])) && colour(with(&[("NO_COLOR", "")])));
        assert!(!colour(with(&[("NO_COLOR", "0")])) && !colour(with(&[("TERM", "dumb")])));
    }
}
