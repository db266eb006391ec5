//! The server by itself, with a handler that waits, panics or echoes.

use crate::client::{Answer, Client};
use base::limits::Limits;
use serve::http::{BindError, Bounds, Handler, Request, Response, Server};
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Does what the path says, and counts how many do so at once.
#[derive(Clone, Default)]
struct Echo {
    now: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Handler for Echo {
    fn answer(&self, request: &Request) -> Response {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        match request.path.as_str() {
            "/wait" => thread::sleep(Duration::from_millis(100)),
            "/long" => thread::sleep(Duration::from_millis(1500)),
            "/panic" => {
                self.now.fetch_sub(1, Ordering::SeqCst);
                panic!("as asked");
            }
            _ => {}
        }
        self.now.fetch_sub(1, Ordering::SeqCst);
        let length = request.body.len();
        Response::text(200, &format!("{} {} {length}", request.method, request.segments().join("|")))
    }
}

/// A server on a thread of its own.
struct Running {
    address: SocketAddr,
    limits: Arc<Limits>,
    handler: Echo,
    thread: Option<JoinHandle<std::io::Result<()>>>,
}

impl Running {
    fn new(bounds: Bounds) -> Running {
        Running::within(Limits::unlimited(), bounds)
    }

    fn within(limits: Limits, bounds: Bounds) -> Running {
        let server = Server::bind("127.0.0.1", 0).unwrap();
        let (address, limits, handler) = (server.address(), Arc::new(limits), Echo::default());
        let (shared, answering) = (Arc::clone(&limits), handler.clone());
        let thread = thread::spawn(move || server.serve(answering, bounds, &shared));
        Running { address, limits, handler, thread: Some(thread) }
    }

    fn end(&mut self) {
        self.limits.interrupt();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap().unwrap();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

const BOUNDS: Bounds = Bounds { body: 1000, reading: Duration::from_secs(30), requests: 4, ..Bounds::USUAL };

fn told(answer: Option<Answer>) -> (u16, String) {
    let answer = answer.expect("an answer");
    (answer.status, answer.text())
}

#[test]
fn requests_are_answered_one_after_the_other_on_a_connection() {
    let running = Running::new(BOUNDS);
    let mut client = Client::new(running.address);
    assert_eq!(told(Some(client.get("/a%20b/c?d"))), (200, "GET a b|c 0\n".to_owned()));
    assert_eq!(told(Some(client.post("/x", b"12345"))), (200, "POST x 5\n".to_owned()));
    let answer = client.get("/");
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("access-control-allow-origin"), None);
    let head = format!("HEAD /h HTTP/1.1\r\nHost: {}\r\n\r\n", running.address);
    assert_eq!(told(client.send(head.as_bytes())), (200, String::new()));
    // Without a host, as programs from before HTTP/1.1 send it.
    assert_eq!(told(client.send(b"POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\nab")), (200, "POST  2\n".to_owned()));
}

#[test]
fn foreign_names_long_bodies_and_garbage_are_refused() {
    let running = Running::new(BOUNDS);
    let status = |bytes: &str| Client::new(running.address).send(bytes.as_bytes()).map(|answer| answer.status);
    let port = running.address.port();
    assert_eq!(status(&format!("GET / HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n")), Some(200));
    assert_eq!(status(&format!("GET / HTTP/1.1\r\nHost: [::1]:{port}\r\n\r\n")), Some(200));
    assert_eq!(status("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), Some(421));
    assert_eq!(status("GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n"), Some(421));
    assert_eq!(status("GET / HTTP/1.1\r\n\r\n"), Some(400));
    assert_eq!(status("POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n"), Some(403));
    assert_eq!(status("POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\n\r\n"), Some(403));
    // The very host and port; those of another server on this machine are another site.
    for (host, origin, expected) in [
        ("localhost:1", "http://localhost:1", 200),
        ("LocalHost:1", "http://localhost:1", 200),
        ("localhost", "http://localhost", 200),
        ("[::1]:7", "http://[::1]:7", 200),
        ("localhost", "http://localhost:1", 403),
        ("localhost:1", "http://localhost", 403),
        ("localhost:1", "http://localhost:2", 403),
        ("127.0.0.1:1", "http://localhost:1", 403),
        ("127.0.0.1:1", "http://127.0.0.2:1", 403),
    ] {
        let answer = status(&format!("POST / HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\n\r\n"));
        assert_eq!(answer, Some(expected), "{origin} asks {host}");
    }
    assert_eq!(status("POST / HTTP/1.0\r\nOrigin: http://localhost\r\n\r\n"), Some(403));
    let two = "POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nOrigin: http://evil.example\r\n\r\n";
    assert_eq!(status(two), Some(403));
    assert_eq!(status("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1001\r\n\r\n"), Some(413));
    let chunk = "5\r\nabcde\r\n".repeat(300);
    let chunked = format!("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}0\r\n\r\n");
    assert_eq!(status(&chunked), Some(413));
    assert_eq!(
        status(&format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "a".repeat(1 << 17))).unwrap_or(400) / 100,
        4
    );
    assert_eq!(status("\u{0}\u{1}\r\n\r\n").unwrap_or(400) / 100, 4);
    assert_eq!(told(Some(Client::new(running.address).get("/"))).0, 200);
}

#[test]
fn work_is_bounded_in_number_and_time_and_a_panic_ends_one_request() {
    let running = Running::new(BOUNDS);
    thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| assert_eq!(told(Some(Client::new(running.address).get("/wait"))).0, 200));
        }
    });
    let most = running.handler.most.load(Ordering::SeqCst);
    assert!((2..=4).contains(&most), "{most} at once");
    assert_eq!(told(Some(Client::new(running.address).get("/panic"))).0, 500);
    assert_eq!(told(Some(Client::new(running.address).get("/"))).0, 200);

    let short = Running::new(Bounds { time: Duration::from_millis(300), requests: 1, ..BOUNDS });
    assert_eq!(told(Some(Client::new(short.address).get("/long"))).0, 408);
    // The work still goes on, and nobody else gets a turn.
    assert_eq!(told(Some(Client::new(short.address).get("/"))).0, 429);
    let half = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nab";
    let (status, text) = told(Client::new(short.address).send(half.as_bytes()));
    assert!(status == 408 && text.contains("the body was not complete within 0.3 seconds"), "{status}: {text}");
}

/// Many clients that send most of a long body and wait take no more memory than there is.
#[test]
fn bodies_that_are_being_read_stay_within_the_memory() {
    use std::io::Write;
    let running = Running::within(Limits::new(1 << 20), Bounds { body: 1 << 20, ..BOUNDS });
    let head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 300000\r\n\r\n";
    let waiting: Vec<std::net::TcpStream> = (0..20)
        .map(|_| {
            let mut stream = std::net::TcpStream::connect(running.address).unwrap();
            stream.write_all(head.as_bytes()).unwrap();
            // The server may have refused it by then.
            let _sent = stream.write_all(&[b'a'; 290_000]);
            stream
        })
        .collect();
    let patience = std::time::Instant::now() + Duration::from_secs(20);
    // Bodies that wait have 450,000 bytes at least, and one twice as long as those needs 780,000 while it grows.
    let body = vec![b'a'; 1 << 19];
    while Client::new(running.address).post("/", &body).status != 429 {
        assert!(std::time::Instant::now() < patience, "no memory is left for another one");
    }
    assert!(running.limits.peak() <= 1 << 20);
    drop(waiting);
    while running.limits.used() > 0 && std::time::Instant::now() < patience {
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(told(Some(Client::new(running.address).post("/x", &[b'a'; 100_000]))).0, 200);
    assert_eq!(running.limits.used(), 0);
}

#[test]
fn requests_that_never_come_to_their_end_are_cut_off() {
    use std::io::{Read, Write};
    let server = Running::new(Bounds { reading: Duration::from_millis(200), ..BOUNDS });
    for part in ["", "POST / HTTP/1.0\r\nContent-Le", "POST / HTTP/1.0\r\nContent-Length: 100\r\n\r\nhalf"] {
        let mut stream = std::net::TcpStream::connect(server.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(part.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // The server closes the connection, after a refusal where the head was whole.
        stream.read_to_end(&mut answer).unwrap();
        assert_eq!(part.ends_with("half"), answer.starts_with(b"HTTP/1.0 408"), "{}", String::from_utf8_lossy(&answer));
    }
}

/// More connections than may be open at once, each kept for longer than the test lasts unless it gives way.
#[test]
fn connections_without_a_request_give_way_to_one_with_a_request() {
    let server = Running::new(Bounds { reading: Duration::from_secs(600), ..BOUNDS });
    let address = server.address;
    let waiting = thread::spawn(move || told(Some(Client::new(address).get("/long"))));
    while server.handler.most.load(Ordering::SeqCst) == 0 {
        thread::sleep(Duration::from_millis(1));
    }
    let silent: Vec<TcpStream> = (0..300)
        .map(|number| {
            let mut stream = TcpStream::connect(server.address).unwrap();
            // Half of them begin a request.
            if number % 2 == 0 {
                stream.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
            }
            stream
        })
        .collect();
    for _ in 0..3 {
        assert_eq!(told(Some(Client::new(server.address).get("/b"))), (200, "GET b 0\n".to_owned()));
    }
    assert_eq!(waiting.join().unwrap(), (200, "GET long 0\n".to_owned()), "its answer is waited for");
    drop(silent);
}

/// Connections are few, so that one must not last as long as its client likes.
#[test]
fn clients_that_do_not_take_their_answers_are_cut_off() {
    use std::io::{ErrorKind, Write};
    let server = Running::new(Bounds { writing: Duration::from_millis(200), ..BOUNDS });
    let mut stream = std::net::TcpStream::connect(server.address).unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
    // Answers wait in the buffers of both sides until these are full, and then requests do.
    let error = loop {
        if let Err(error) = stream.write_all(&b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1000)) {
            break error.kind();
        }
    };
    assert!([ErrorKind::ConnectionReset, ErrorKind::BrokenPipe].contains(&error), "{error}");
    assert_eq!(told(Some(Client::new(server.address).get("/"))).0, 200);
}

#[test]
fn a_server_ends_when_it_is_interrupted() {
    let mut running = Running::new(BOUNDS);
    let address = running.address;
    let (mut idle, mut busy) = (Client::new(address), Client::new(address));
    idle.get("/");
    let asked = thread::spawn(move || busy.get("/wait").status);
    while running.handler.now.load(Ordering::SeqCst) == 0 {
        thread::yield_now();
    }
    running.end();
    assert_eq!(asked.join().unwrap(), 200, "what is under way is answered");
    assert!(idle.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").is_none());
    let other = Server::bind("127.0.0.1", address.port()).expect("the port is free again");
    assert_eq!(other.url(), format!("http://{address}/"));
}

#[test]
fn addresses_that_cannot_be_listened_on_are_told() {
    let first = Server::bind("localhost", 0).unwrap();
    let host = first.address().ip().to_string();
    let second = Server::bind(&host, first.address().port());
    assert_eq!(second.unwrap_err(), BindError::InUse(first.address()));
    for nowhere in ["no such name", "192.0.2.1", "", "[::"] {
        let error = Server::bind(nowhere, 0).unwrap_err();
        assert!(matches!(error, BindError::NoAddress(_)) && error.is_usage(), "{nowhere}: {error}");
    }
    assert!(
        Server::bind("[::1]", 0).is_ok_and(|server| server.url().starts_with("http://[::1]:"))
            || cfg!(not(unix))
            || !has_ipv6()
    );
}

fn has_ipv6() -> bool {
    std::net::TcpListener::bind("[::1]:0").is_ok()
}
