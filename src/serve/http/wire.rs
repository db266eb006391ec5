//! Replaces answers that the HTTP library gives by itself by answers of the handler.
//!
//! If a head is not HTTP, or is too long, the library answers with a status and no body, and closes the connection.
//! [`Wire`] is between the library and the connection. It recognises such an answer by the lack of a header, and writes
//! the answer of [`Handler::refuse`](super::Handler::refuse) instead. The cost is a look at the first bytes of each
//! write.

use super::{Refusal, Response};
use hyper::rt::{Read, ReadBufCursor, Write};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

pub const MARK: &str = "x-content-type-options";

/// A connection on which `refuse` replaces answers of the library.
pub struct Wire<T, F> {
    inner: T,
    refuse: F,
    /// The unwritten rest of an answer in place of the library's, and the length of the library's answer.
    instead: Option<Instead>,
}

struct Instead {
    bytes: Vec<u8>,
    written: usize,
    stands_for: usize,
}

impl<T, F: Fn(&Refusal) -> Response> Wire<T, F> {
    pub fn new(inner: T, refuse: F) -> Wire<T, F> {
        Wire { inner, refuse, instead: None }
    }

    /// The answer in place of `bytes`, if they are an answer of the library itself.
    fn replacement(&self, bytes: &[u8]) -> Option<Instead> {
        let head = bytes.strip_prefix(b"HTTP/1.1 ")?;
        let refusal = match head.get(..3)? {
            b"400" => Refusal::Garbled,
            b"414" => Refusal::LongAddress,
            b"431" => Refusal::LongHead,
            _ => return None,
        };
        let head = std::str::from_utf8(head.strip_suffix(b"\r\n\r\n")?).ok()?;
        let is_ours = |line: &str| line.split(':').next().is_some_and(|name| name.eq_ignore_ascii_case(MARK));
        if head.lines().any(is_ours) {
            return None;
        }
        Some(Instead { bytes: serialized(&(self.refuse)(&refusal)), written: 0, stands_for: bytes.len() })
    }
}

/// The bytes of a response, after which the connection is closed.
fn serialized(response: &Response) -> Vec<u8> {
    let reason = hyper::StatusCode::from_u16(response.status).ok().and_then(|status| status.canonical_reason());
    let mut bytes = format!("HTTP/1.1 {} {}\r\n", response.status, reason.unwrap_or_default()).into_bytes();
    for (name, value) in &response.headers {
        bytes.extend_from_slice(name.as_str().as_bytes());
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(value.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
    let length = response.body.len();
    bytes.extend_from_slice(
        format!("{MARK}: nosniff\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n").as_bytes(),
    );
    bytes.extend_from_slice(&response.body);
    bytes
}

impl<T: Read + Unpin, F: Unpin> Read for Wire<T, F> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

// Writes are not vectored, so that the head of an answer is in one piece.
impl<T: Write + Unpin, F: Fn(&Refusal) -> Response + Unpin> Write for Wire<T, F> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        if this.instead.is_none() {
            this.instead = this.replacement(bytes);
        }
        let Some(instead) = &mut this.instead else { return Pin::new(&mut this.inner).poll_write(context, bytes) };
        while instead.written < instead.bytes.len() {
            let written = ready!(Pin::new(&mut this.inner).poll_write(context, &instead.bytes[instead.written..]))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            instead.written += written;
        }
        let stands_for = instead.stands_for;
        this.instead = None;
        Poll::Ready(Ok(stands_for))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// A writer that accepts three bytes at a time, and every other time none.
    #[derive(Clone, Default)]
    struct Slow(Arc<Mutex<(Vec<u8>, bool)>>);

    impl Write for Slow {
        fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            let mut written = self.0.lock().unwrap();
            written.1 = !written.1;
            if written.1 {
                return Poll::Pending;
            }
            let some = &bytes[..bytes.len().min(3)];
            written.0.extend_from_slice(some);
            Poll::Ready(Ok(some.len()))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    fn through(text: &str) -> String {
        let slow = Slow::default();
        let refuse = |refusal: &Refusal| Response::text(refusal.status().0, refusal.status().1);
        let mut wire = Wire::new(slow.clone(), refuse);
        let mut context = Context::from_waker(std::task::Waker::noop());
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            if let Poll::Ready(written) = Pin::new(&mut wire).poll_write(&mut context, rest) {
                rest = &rest[written.unwrap()..];
            }
        }
        String::from_utf8(slow.0.lock().unwrap().0.clone()).unwrap()
    }

    #[test]
    fn only_answers_of_the_library_are_replaced() {
        for own in [
            "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 400 Bad Request\r\nX-Content-Type-Options: nosniff\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\nhi",
            "HTTP/1.1 404",
        ] {
            assert_eq!(through(own), own);
        }
        for (status, code) in [("400 Bad Request", "request"), ("431 x", "head"), ("414 URI Too Long", "address")] {
            let text = through(&format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"));
            let (head, body) = text.split_once("\r\n\r\n").unwrap();
            assert!(head.starts_with(&format!("HTTP/1.1 {} ", &status[..3])), "{head}");
            assert!(head.contains(&format!("content-length: {}", body.len())) && body == format!("{code}\n"), "{text}");
        }
    }
}
