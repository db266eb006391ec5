//! Counts in messages, in the form in which people read them.

use std::fmt::Display;

/// A count with its digits in groups of three: `4,531,985,219,092`.
pub fn grouped(count: impl Display) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things: `1 process`, `3 processes`, `1,000 moves`. `what`: the singular.
pub fn counted(number: impl Display, what: &str) -> String {
    let number = grouped(number);
    let many = match () {
        () if number == "1" => "",
        () if what.ends_with('s') => "es",
        () => "s",
    };
    format!("{number} {what}{many}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_three() {
        assert_eq!([grouped(0), grouped(999), grouped(1000)], ["0", "999", "1,000"]);
        assert_eq!(grouped(4_531_985_219_092_u64), "4,531,985,219,092");
        assert_eq!(grouped(u128::MAX), "340,282,366,920,938,463,463,374,607,431,768,211,455");
    }

    #[test]
    fn one_thing_is_no_things() {
        assert_eq!([counted(0, "bit"), counted(1, "process")], ["0 bits", "1 process"]);
        assert_eq!([counted(2, "process"), counted(1000, "bit")], ["2 processes", "1,000 bits"]);
    }
}
