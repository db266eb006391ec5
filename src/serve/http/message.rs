//! Requests and responses.

use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use std::borrow::Cow;
use std::time::{Duration, Instant};

#[derive(Debug, Clone)]
pub struct Request {
    /// The method: `GET`, `POST`, … as sent.
    pub method: String,
    /// The path, as sent, with percent signs.
    pub path: String,
    /// The text after `?`, as sent.
    pub query: Option<String>,
    /// Whether the client accepts pages, as browsers do.
    pub takes_html: bool,
    pub body: Vec<u8>,
    /// The time at which nobody waits for the answer any longer.
    pub deadline: Instant,
}

impl Request {
    /// The parts of the path, with percent signs decoded.
    pub fn segments(&self) -> Vec<String> {
        let decoded = |part: &str| percent_encoding::percent_decode_str(part).decode_utf8_lossy().into_owned();
        self.path.trim_start_matches('/').split('/').map(decoded).collect()
    }

    /// The first value of a name in the query. Invalid UTF-8 is replaced.
    pub fn parameter(&self, name: &str) -> Option<String> {
        let query = self.query.as_deref()?;
        form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
    }

    /// The first name in the query that is none of these, or that occurs twice.
    pub fn wrong_parameter(&self, known: &[&str]) -> Option<String> {
        let names = form_urlencoded::parse(self.query.as_deref()?.as_bytes()).map(|(name, _)| name);
        let mut met: Vec<Cow<str>> = Vec::new();
        for name in names {
            if met.contains(&name) || !known.contains(&&*name) {
                return Some(name.into_owned());
            }
            met.push(name);
        }
        None
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub body: Cow<'static, [u8]>,
}

impl Response {
    pub fn new(status: u16, content_type: &'static str, body: impl Into<Cow<'static, [u8]>>) -> Response {
        let headers = vec![(CONTENT_TYPE, HeaderValue::from_static(content_type))];
        Response { status, headers, body: body.into() }
    }

    /// A response of one line. `text`: the meaning of `status` for this request.
    pub fn text(status: u16, text: &str) -> Response {
        Response::new(status, "text/plain; charset=utf-8", format!("{text}\n").into_bytes())
    }

    pub fn with(mut self, name: &'static str, value: &'static str) -> Response {
        self.headers.push((HeaderName::from_static(name), HeaderValue::from_static(value)));
        self
    }
}

/// The reason why [`Handler::answer`] gives no answer to a request, or none in time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The host name of the request does not belong to the server.
    #[error("this server is not known by the name {0}")]
    Host(String),
    #[error("a request must name the host that it is for")]
    NoHost,
    #[error("this is no request of HTTP/1.1")]
    Garbled,
    #[error("the address is too long")]
    LongAddress,
    #[error("the head of the request is too long")]
    LongHead,
    /// The request comes from a page of another site.
    #[error("pages of {0} may not use this server")]
    Origin(String),
    #[error("the body is longer than {0} bytes")]
    TooLong(usize),
    #[error("the body broke off")]
    Broken,
    #[error("the body was not complete within {} seconds", .0.as_secs_f64())]
    Unread(Duration),
    #[error("no answer within {} seconds", .0.as_secs_f64())]
    TimedOut(Duration),
    #[error("too many requests at once")]
    Busy,
    /// The handler panicked, which is a bug of the program.
    #[error("the program failed at this request")]
    Failed,
}

impl Refusal {
    /// The status, and a short name for programs.
    pub fn status(&self) -> (u16, &'static str) {
        match self {
            Refusal::Host(_) => (421, "host"),
            Refusal::NoHost => (400, "host"),
            Refusal::Garbled => (400, "request"),
            Refusal::LongAddress => (414, "address"),
            Refusal::LongHead => (431, "head"),
            Refusal::Origin(_) => (403, "origin"),
            Refusal::TooLong(_) => (413, "too-long"),
            Refusal::Broken => (400, "broken"),
            Refusal::Unread(_) | Refusal::TimedOut(_) => (408, "timeout"),
            Refusal::Busy => (429, "busy"),
            Refusal::Failed => (500, "failed"),
        }
    }
}

/// Answers requests, on many threads at the same time.
pub trait Handler: Send + Sync + 'static {
    fn answer(&self, request: &Request) -> Response;

    /// The answer to a request that `answer` does not answer, or not in time.
    fn refuse(&self, refusal: &Refusal) -> Response {
        tracing::warn!("a request is refused: {refusal}");
        Response::text(refusal.status().0, &refusal.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(path: &str, query: Option<&str>) -> Request {
        let (method, path, query) = ("GET".to_owned(), path.to_owned(), query.map(str::to_owned));
        Request { method, path, query, takes_html: false, body: Vec::new(), deadline: Instant::now() }
    }

    #[test]
    fn paths_and_queries_are_decoded() {
        let found = request("/a%20b/%2F//c%zz/%ff", Some("moves=(a+1)%20(b)&moves=2&x&=y&%6e=%C3%A4%ff"));
        assert_eq!(found.segments(), ["a b", "/", "", "c%zz", "\u{fffd}"]);
        assert_eq!(found.parameter("moves").as_deref(), Some("(a 1) (b)"));
        assert_eq!(found.parameter("x").as_deref(), Some(""));
        assert_eq!(found.parameter("n").as_deref(), Some("ä\u{fffd}"));
        assert_eq!(found.parameter("none"), None);
        assert_eq!(request("/", None).segments(), [""]);
        assert_eq!(request("*", None).segments(), ["*"]);
    }

    #[test]
    fn unknown_and_repeated_names_are_wrong() {
        let wrong = |query| request("/", query).wrong_parameter(&["moves", "x"]);
        assert_eq!((wrong(None), wrong(Some("x=1&moves=2"))), (None, None));
        assert_eq!(wrong(Some("x=1&%6e=2")).as_deref(), Some("n"));
        assert_eq!(wrong(Some("x=1&moves=2&x=1")).as_deref(), Some("x"));
    }
}
