//! A client for tests of servers: bytes over a socket, and no more of HTTP than the answers of our servers need.
#![allow(dead_code)] // Each test uses a part.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Longest wait for an answer; a server that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// An answer as it came.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    /// Lines of the head after the first, names in lower case.
    pub head: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("answers are UTF-8")
    }
}

/// A connection that stays open from one request to the next.
pub struct Client {
    address: SocketAddr,
    stream: TcpStream,
    /// What was read beyond the last answer.
    rest: Vec<u8>,
}

impl Client {
    pub fn new(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket has a timeout");
        stream.set_nodelay(true).expect("a socket need not wait");
        Client { address, stream, rest: Vec::new() }
    }

    /// Asks, and panics where no answer comes.
    pub fn get(&mut self, target: &str) -> Answer {
        let head = format!("GET {target} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address);
        self.send(head.as_bytes()).unwrap_or_else(|| panic!("no answer to {target}"))
    }

    pub fn post(&mut self, target: &str, body: &[u8]) -> Answer {
        let head = format!(
            "POST {target} HTTP/1.1\r\nHost: {}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        self.send(&[head.as_bytes(), body].concat()).unwrap_or_else(|| panic!("no answer to {target}"))
    }

    /// Sends bytes as they are; `None` where the connection is closed without an answer.
    pub fn send(&mut self, bytes: &[u8]) -> Option<Answer> {
        // A server may answer and close before it has read everything.
        let _sent = self.stream.write_all(bytes);
        self.answer(bytes.starts_with(b"HEAD "))
    }

    /// As [`Client::send`], and nothing follows: whoever waits for more learns that there is none.
    pub fn exchange(&mut self, bytes: &[u8]) -> Option<Answer> {
        let _sent = self.stream.write_all(bytes);
        let _closed = self.stream.shutdown(std::net::Shutdown::Write);
        self.answer(bytes.starts_with(b"HEAD "))
    }

    /// The next answer.
    pub fn answer(&mut self, without_body: bool) -> Option<Answer> {
        let end = loop {
            match self.rest.windows(4).position(|found| found == b"\r\n\r\n") {
                Some(end) => break end + 4,
                None => self.more()?,
            }
        };
        let head = String::from_utf8(self.rest.drain(..end).collect()).expect("a head is a text");
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
        let head: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let length = head.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
        let length: usize = if without_body { 0 } else { length.unwrap_or(0) };
        while self.rest.len() < length {
            self.more()?;
        }
        let body = self.rest.drain(..length).collect();
        Some(Answer { status: status.expect("an answer has a status"), head, body })
    }

    fn more(&mut self) -> Option<()> {
        let mut bytes = [0; 1 << 14];
        match self.stream.read(&mut bytes) {
            Ok(0) => None,
            Ok(count) => {
                self.rest.extend_from_slice(&bytes[..count]);
                Some(())
            }
            Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {
                panic!("the server hangs")
            }
            Err(_) => None,
        }
    }
}

/// Text for a query: everything but letters and digits as percent signs.
pub fn encoded(text: &str) -> String {
    let encode = |byte: u8| match byte.is_ascii_alphanumeric() {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}
