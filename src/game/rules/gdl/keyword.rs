//! The keywords of GDL, in any case of letters.

use crate::rules::Predicate;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keyword {
    /// `<=`
    Implies,
    And,
    Or,
    Not,
    Distinct,
    Relation(Predicate),
    /// `sees` of GDL-II.
    Sees,
    /// An arrow of another language.
    Arrow,
}

pub fn keyword(word: &str) -> Option<Keyword> {
    const WORDS: [(&str, Keyword); 20] = [
        ("<=", Keyword::Implies),
        ("and", Keyword::And),
        ("or", Keyword::Or),
        ("not", Keyword::Not),
        ("distinct", Keyword::Distinct),
        ("role", Keyword::Relation(Predicate::Role)),
        ("init", Keyword::Relation(Predicate::Init)),
        ("true", Keyword::Relation(Predicate::True)),
        ("does", Keyword::Relation(Predicate::Does)),
        ("next", Keyword::Relation(Predicate::Next)),
        ("legal", Keyword::Relation(Predicate::Legal)),
        ("goal", Keyword::Relation(Predicate::Goal)),
        ("terminal", Keyword::Relation(Predicate::Terminal)),
        ("base", Keyword::Relation(Predicate::Base)),
        ("input", Keyword::Relation(Predicate::Input)),
        ("sees", Keyword::Sees),
        ("=>", Keyword::Arrow),
        ("<=>", Keyword::Arrow),
        ("->", Keyword::Arrow),
        ("<-", Keyword::Arrow),
    ];
    WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|&(_, keyword)| keyword)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_known_in_any_case() {
        assert_eq!(keyword("TRUE"), Some(Keyword::Relation(Predicate::True)));
        assert_eq!(keyword("Or"), Some(Keyword::Or));
        assert_eq!(keyword("cell"), None);
    }
}
