//! Answers the messages to a player over HTTP. A server sends a message as the body of a POST, plain (`text/acl`) or
//! URL-encoded, usually in HTTP/1.0, and reads the body of the answer whatever its status. The host name of a request
//! is not checked, because servers use any name of the player, or none. Requests from pages of other sites are refused
//! by their `Origin`.

use super::Player;
use crate::http::{Bounds, Handler, Request, Response};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// Generous bounds, because rulesheets and clocks may be long.
pub const BOUNDS: Bounds =
    Bounds { body: 16 << 20, time: Duration::from_secs(50 * 60 * 60), requests: 64, ..Bounds::USUAL };

const ACL: &str = "text/acl";

pub struct Service(pub Arc<Player>);

impl Handler for Service {
    fn answer(&self, request: &Request) -> Response {
        if request.method != "POST" {
            let text = "a general game player: send messages such as (INFO) by POST";
            return Response::text(405, text).with("allow", "POST");
        }
        match self.0.answer(&message(&request.body)) {
            Ok(answer) => Response::new(200, ACL, answer.to_string().into_bytes()),
            Err(garbled) => {
                tracing::warn!("a message is not understood: {garbled}");
                Response::new(400, ACL, b"nil".as_slice())
            }
        }
    }
}

/// The message in a body. A body that starts like an expression is plain. Any other may be URL-encoded, with or without
/// a name.
fn message(body: &[u8]) -> Cow<'_, [u8]> {
    let text = body.trim_ascii_start();
    if text.first().is_none_or(|&first| first == b'(' || first == b';') {
        return Cow::Borrowed(text);
    }
    let starts = |text: &str| text.trim_start().starts_with('(');
    let pairs: Vec<(Cow<str>, Cow<str>)> = form_urlencoded::parse(text).collect();
    match pairs.into_iter().find(|(name, value)| starts(name) || starts(value)) {
        // The message has no name: the equals sign belongs to it.
        Some((name, _)) if starts(&name) => {
            let blanks: Vec<u8> = text.iter().map(|&byte| if byte == b'+' { b' ' } else { byte }).collect();
            Cow::Owned(percent_encoding::percent_decode(&blanks).collect())
        }
        Some((_, value)) => Cow::Owned(value.into_owned().into_bytes()),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_plainly_or_url_encoded() {
        for (body, expected) in [
            ("(PLAY m (a+b 100%))", "(PLAY m (a+b 100%))"),
            (" \r\n(INFO)", "(INFO)"),
            ("%28PLAY+m+%28%28mark+1%202%29+noop%29%29", "(PLAY m ((mark 1 2) noop))"),
            ("%28PLAY+m+%28%3D+a%2Bb%29%29", "(PLAY m (= a+b))"),
            ("x=1&msg=%28INFO%29&y", "(INFO)"),
            ("INFO", "INFO"),
            ("", ""),
        ] {
            assert_eq!(String::from_utf8_lossy(&message(body.as_bytes())), expected, "{body}");
        }
    }
}
