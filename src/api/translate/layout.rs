//! Writes S-expressions as text: on one line if they fit, otherwise each member on a line of its own.

/// Bound on the characters of a line, unless a single word is longer.
const WIDTH: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expression {
    Word(String),
    List(Vec<Expression>),
}

pub fn word(text: impl Into<String>) -> Expression {
    Expression::Word(text.into())
}

pub fn list(head: &str, members: impl IntoIterator<Item = Expression>) -> Expression {
    Expression::List(std::iter::once(word(head)).chain(members).collect())
}

impl Expression {
    /// Number of characters on one line. Counting stops beyond `most`.
    fn width(&self, most: usize) -> usize {
        match self {
            Expression::Word(text) => text.chars().count(),
            Expression::List(members) => {
                let mut width = 2 + members.len().saturating_sub(1);
                for member in members {
                    if width > most {
                        break;
                    }
                    width += member.width(most - width);
                }
                width
            }
        }
    }

    /// Appends the expression, which starts after `indent` characters; further lines are indented by two more. If a
    /// list does not fit on a line, its first `kept` members stay on the first line.
    pub fn write(&self, text: &mut String, indent: usize, kept: usize) {
        let room = WIDTH.saturating_sub(indent);
        match self {
            Expression::Word(word) => text.push_str(word),
            Expression::List(members) if self.width(room) <= room => {
                text.push('(');
                for (index, member) in members.iter().enumerate() {
                    if index > 0 {
                        text.push(' ');
                    }
                    member.write(text, 0, usize::MAX);
                }
                text.push(')');
            }
            Expression::List(members) if is_filled(members) => {
                text.push('(');
                let mut column = WIDTH;
                for (index, member) in members.iter().enumerate() {
                    let width = member.width(WIDTH) + 1;
                    if index > 0 && column + width > WIDTH {
                        text.push('\n');
                        text.extend(std::iter::repeat_n(' ', indent + 2));
                        column = indent + 2;
                    } else if index > 0 {
                        text.push(' ');
                    }
                    column += width;
                    member.write(text, indent + 2, 1);
                }
                text.push(')');
            }
            Expression::List(members) => {
                text.push('(');
                for (index, member) in members.iter().enumerate() {
                    // The member after a keyword such as `:effect` stays on the line of the keyword.
                    let labelled =
                        index > 1 && matches!(&members[index - 1], Expression::Word(label) if label.starts_with(':'));
                    if index >= kept.max(1) && !labelled {
                        text.push('\n');
                        text.extend(std::iter::repeat_n(' ', indent + 2));
                    } else if index > 0 {
                        text.push(' ');
                    }
                    // The variables of a quantifier stay on its line.
                    let quantifier = matches!(member, Expression::List(parts)
                        if matches!(parts.first(), Some(Expression::Word(head)) if head == "exists" || head == "forall"));
                    member.write(text, indent + 2, if quantifier { 2 } else { 1 });
                }
                text.push(')');
            }
        }
    }
}

/// Whether a list has many small members, which then fill lines.
fn is_filled(members: &[Expression]) -> bool {
    const FILLED: [&str; 5] = [":constants", ":objects", ":init", ":predicates", ":types"];
    matches!(members.first(), Some(Expression::Word(head)) if FILLED.contains(&head.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_broken() {
        let mut text = String::new();
        let long = list("and", (0..12).map(|index| list("condition", [word(format!("?x{index}"))])));
        list("exists", [list("?x", []), long]).write(&mut text, 0, 2);
        assert!(text.starts_with("(exists (?x)\n  (and\n    (condition ?x0)\n    (condition ?x1)\n"), "{text}");
        assert!(text.ends_with("(condition ?x11)))"), "{text}");
        let mut text = String::new();
        list("p", [word("a"), list("q", [])]).write(&mut text, 0, 1);
        assert_eq!(text, "(p a (q))");
    }
}
