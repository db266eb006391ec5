//! Messages over sockets, as public game controllers send them.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Whose words a manager uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// ggp-base: HTTP/1.0 with the name of the player's host, names as the rules write them.
    Base,
    /// The GameController of Dresden: no host, all in upper case.
    Dresden,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

/// Sends bytes and reads until the connection is closed.
pub fn raw(address: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).expect("the player listens");
    stream.set_read_timeout(Some(Duration::from_secs(300))).unwrap();
    stream.write_all(bytes).unwrap();
    let mut answer = Vec::new();
    // A connection that is reset after its answer counts as closed.
    let _reset = stream.read_to_end(&mut answer);
    answer
}

pub fn parse(answer: &[u8]) -> Reply {
    let text = String::from_utf8(answer.to_vec()).expect("a text");
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let header =
        |line: &str| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned())).unwrap();
    Reply { status, headers: lines.map(header).collect(), body: body.to_owned() }
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|header| header.0 == name).map(|header| header.1.as_str())
    }
}

/// The answer to a message.
pub fn send(address: SocketAddr, dialect: Dialect, message: &str) -> Reply {
    let length = message.len();
    let request = match dialect {
        Dialect::Base => format!(
            "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: player.example.org\r\nSender: GAMESERVER\r\nReceiver: tester\r\n\
             Content-Type: text/acl\r\nContent-Length: {length}\r\n\r\n{message}"
        ),
        Dialect::Dresden => format!(
            "POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: Gamecontroller\r\nReceiver: 127.0.0.1\r\n\
             Content-type: text/acl\r\nContent-length: {length}\r\n\r\n{message}"
        ),
    };
    let reply = parse(&raw(address, request.as_bytes()));
    assert_eq!(reply.header("content-length"), Some(reply.body.len().to_string().as_str()), "{reply:?}");
    if reply.status == 200 {
        assert_eq!(reply.header("content-type"), Some("text/acl"), "{reply:?}");
    }
    reply
}
