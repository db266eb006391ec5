//! The messages of a game server, and the texts of the answers.
//!
//! A message is an S-expression, whose first word is recognised in any case of letters. Servers use two dialects: that
//! of ggp-base, and that of the GameController of Dresden, all in upper case. Moves are in the order of the roles.
//! `NIL`, an empty list and a missing list all mean that there were no moves yet. Further arguments are ignored.

use game::diagnostic::{Severity, Source};
use game::syntax::{Kind, NodeId, Tree, lexer};
use solving::solution::terms;
use std::fmt;
use std::time::Duration;

/// Stands for no moves, or for no move.
pub const NIL: &str = "nil";
const LONGEST_CLOCK: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    Info,
    Start {
        id: String,
        role: String,
        /// The rules in GDL, without the parentheses around them.
        rules: String,
        start_clock: Duration,
        play_clock: Duration,
    },
    Play {
        id: String,
        moves: Moves,
    },
    Stop {
        id: String,
        moves: Moves,
    },
    Abort {
        id: String,
    },
    Preview {
        rules: String,
        clock: Duration,
    },
}

/// By role: the move in the form of [`term`], with single spaces; `None` before the first moves.
pub type Moves = Option<Vec<String>>;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Garbled(String);

pub fn read(text: &[u8]) -> Result<Message, Garbled> {
    let source = Source::new("message", text);
    let mut findings = Vec::new();
    let tokens = lexer::tokens(&source, &mut findings);
    // Characters that rules must not have are reported later, when the rules are read.
    findings.clear();
    let tree = Tree::new(&source, &tokens, None, &mut findings);
    let Some(&root) = tree.roots().first() else {
        let broken = findings.iter().find(|finding| finding.severity == Severity::Error);
        return Err(Garbled(broken.map_or("an empty message".to_owned(), |finding| finding.message.clone())));
    };
    let reader = Reader { source: &source, tree: &tree };
    // `INFO` may come without parentheses.
    let parts: Vec<NodeId> = if reader.is_list(root) { tree.children(root).collect() } else { vec![root] };
    let Some((&head, arguments)) = parts.split_first() else { return Err(Garbled("an empty message".to_owned())) };
    reader.message(reader.word(head, "the kind of a message")?, arguments)
}

/// A term in the form of [`Moves`], in which `(stay)` is the constant `stay`.
pub fn term(text: &str) -> Result<String, Garbled> {
    let found = terms(text).map_err(|error| Garbled(error.to_string()))?;
    found.into_iter().next().ok_or_else(|| Garbled("no term".to_owned()))
}

struct Reader<'a> {
    source: &'a Source,
    tree: &'a Tree,
}

impl Reader<'_> {
    fn message(&self, head: &str, arguments: &[NodeId]) -> Result<Message, Garbled> {
        let argument = |index: usize, what: &str| {
            arguments.get(index).copied().ok_or_else(|| Garbled(format!("{head} without {what}")))
        };
        let id = || Ok(self.word(argument(0, "a match")?, "the match")?.to_owned());
        match head.to_ascii_lowercase().as_str() {
            "info" => Ok(Message::Info),
            "start" => Ok(Message::Start {
                id: id()?,
                role: self.term(argument(1, "a role")?)?,
                rules: self.rules(argument(2, "rules")?)?,
                start_clock: self.clock(argument(3, "a start clock")?)?,
                play_clock: self.clock(argument(4, "a play clock")?)?,
            }),
            "play" => Ok(Message::Play { id: id()?, moves: self.moves(arguments.get(1))? }),
            "stop" => Ok(Message::Stop { id: id()?, moves: self.moves(arguments.get(1))? }),
            "abort" => Ok(Message::Abort { id: id()? }),
            "preview" => Ok(Message::Preview {
                rules: self.rules(argument(0, "rules")?)?,
                clock: arguments.get(1).map_or(Ok(Duration::ZERO), |&clock| self.clock(clock))?,
            }),
            _ => Err(Garbled(format!("no message begins with {head}"))),
        }
    }

    fn is_list(&self, node: NodeId) -> bool {
        self.tree.kind(node) == Kind::List
    }

    fn text(&self, node: NodeId) -> &str {
        self.source.slice(self.tree.span(node))
    }

    fn word(&self, node: NodeId, what: &str) -> Result<&str, Garbled> {
        if self.is_list(node) { Err(Garbled(format!("{what} must be one word"))) } else { Ok(self.text(node)) }
    }

    fn term(&self, node: NodeId) -> Result<String, Garbled> {
        term(self.text(node))
    }

    fn rules(&self, node: NodeId) -> Result<String, Garbled> {
        if !self.is_list(node) {
            return Err(Garbled("the rules must be a list".to_owned()));
        }
        let text = self.text(node);
        Ok(text[1..text.len() - 1].to_owned())
    }

    fn clock(&self, node: NodeId) -> Result<Duration, Garbled> {
        let text = self.word(node, "a clock")?;
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Garbled(format!("{text} is no number of seconds")));
        }
        // The text is digits, so it fails to parse only if the number is too large.
        Ok(text.parse().map_or(LONGEST_CLOCK, |seconds| Duration::from_secs(seconds).min(LONGEST_CLOCK)))
    }

    fn moves(&self, node: Option<&NodeId>) -> Result<Moves, Garbled> {
        let Some(&node) = node else { return Ok(None) };
        if !self.is_list(node) {
            let text = self.text(node);
            return match text.eq_ignore_ascii_case(NIL) {
                true => Ok(None),
                false => Err(Garbled(format!("{text} where the moves should be"))),
            };
        }
        let moves: Vec<String> = self.tree.children(node).map(|child| self.term(child)).collect::<Result<_, _>>()?;
        Ok((!moves.is_empty()).then_some(moves))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Info { name: String, available: bool },
    Ready,
    Move(String),
    Nil,
    Busy,
    Done,
    Aborted,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Info { name, available } => {
                let status = if *available { "available" } else { "busy" };
                write!(f, "((name {name}) (status {status}))")
            }
            Answer::Ready => f.write_str("ready"),
            Answer::Move(action) => f.write_str(action),
            Answer::Nil => f.write_str(NIL),
            Answer::Busy => f.write_str("busy"),
            Answer::Done => f.write_str("done"),
            Answer::Aborted => f.write_str("aborted"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Result<Message, String> {
        read(text.as_bytes()).map_err(|error| error.to_string())
    }

    fn moves(names: &[&str]) -> Moves {
        Some(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn both_dialects_are_read() {
        assert_eq!(text("( INFO )"), Ok(Message::Info));
        assert_eq!(text("info"), Ok(Message::Info));
        let start = text("(START Match.1 (white\n 1) ((role white) ; first )\n(<= p (q ?x))) 30 0015 extra (more))");
        let expected = Message::Start {
            id: "Match.1".to_owned(),
            role: "(white 1)".to_owned(),
            rules: "(role white) ; first )\n(<= p (q ?x))".to_owned(),
            start_clock: Duration::from_secs(30),
            play_clock: Duration::from_secs(15),
        };
        assert_eq!(start, Ok(expected));
        let id = || "m".to_owned();
        for nil in ["(PLAY m NIL)", "(play m ())", "(Play m nil)", "( play m )", "(play m nil))"] {
            assert_eq!(text(nil), Ok(Message::Play { id: id(), moves: None }), "{nil}");
        }
        let played = moves(&["(MARK 1 1)", "NOOP"]);
        assert_eq!(text("(PLAY m ((MARK 1\t1)  NOOP ) )"), Ok(Message::Play { id: id(), moves: played.clone() }));
        assert_eq!(text("(stop m ((MARK 1 1) (NOOP)))"), Ok(Message::Stop { id: id(), moves: played }));
        assert_eq!(text("(ABORT m)"), Ok(Message::Abort { id: id() }));
        assert_eq!(
            text("(PREVIEW ((role a)) 10)"),
            Ok(Message::Preview { rules: "(role a)".to_owned(), clock: Duration::from_secs(10) })
        );
    }

    #[test]
    fn what_is_no_message_is_told() {
        for wrong in [
            "",
            "()",
            "(",
            ")",
            "(PLAY)",
            "(PLAY (m) nil)",
            "(PLAY m moves)",
            "(PLAY m (?x))",
            "(JUMP m)",
            "((INFO))",
            "(START m r (rules) 10)",
            "(START m r rules 10 10)",
            "(START m r (p) ten 10)",
            "(START m r (p) -1 1)",
            "(ABORT)",
            "(PREVIEW p 1)",
            "hello",
            "\u{0}\u{1}",
        ] {
            assert!(text(wrong).is_err(), "{wrong}");
        }
        let Ok(Message::Start { play_clock, .. }) = text("(START m r () 1 99999999999999999999999)") else { panic!() };
        assert_eq!(play_clock, LONGEST_CLOCK);
        assert!(text(&"(".repeat(100_000)).is_err());
    }
}
