//! Accepts connections and answers their requests, within bounds.

use super::hosts::{self, Hosts};
use super::wire::{MARK, Wire};
use super::{BindError, Handler, Refusal, Request, Response};
use base::limits::{Account, Limits};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{ACCEPT, HOST, HeaderMap, HeaderName, ORIGIN};
use hyper::service::service_fn;
use hyper::{StatusCode, Version};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;

/// Number of threads that read and write. Other threads do the work.
const WIRES: usize = 2;
/// Largest number of open connections. A further one takes the place of the oldest one that waits for a request of its
/// client; if each has a request, it waits.
const CONNECTIONS: usize = 256;
/// Largest number of bytes of the head of a request.
const HEAD: usize = 64 << 10;
/// A connection that is older than this is closed after the answer to its current request.
const LIFETIME: Duration = Duration::from_secs(600);
/// Time for running requests when the server ends.
const GRACE: Duration = Duration::from_secs(5);
/// Time for a connection to give way to another one before the next one has to.
const GIVING_WAY: Duration = Duration::from_millis(500);
/// Time between two checks for the end of the server; also the time before listening again after a refused connection.
const TICK: Duration = Duration::from_millis(50);

#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Bound on the bytes of a body.
    pub body: usize,
    /// Time until the head of a (further) request is complete, and from then until its body is complete.
    pub reading: Duration,
    /// Time for a client to take a further part of an answer.
    pub writing: Duration,
    /// Time until the answer, including reading the body and waiting for other requests.
    pub time: Duration,
    /// Largest number of requests that are processed at the same time. Further requests wait for their turn.
    pub requests: usize,
}

impl Bounds {
    pub const USUAL: Bounds = Bounds {
        body: 1 << 20,
        reading: Duration::from_secs(10),
        writing: Duration::from_secs(30),
        time: Duration::from_secs(60),
        requests: 16,
    };
}

/// A server that listens, but does not answer before [`Server::serve`].
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    hosts: Hosts,
}

struct Shared<H> {
    handler: H,
    hosts: Hosts,
    bounds: Bounds,
    turns: Arc<Semaphore>,
    /// The limits, which bound also the memory of bodies, from their first byte to the answer.
    limits: Arc<Limits>,
}

impl Server {
    /// Listens on an address, given in numbers or by a name. For port 0, the system chooses a free port.
    pub fn bind(host: &str, port: u16) -> Result<Server, BindError> {
        let literal = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
        let none = |_| BindError::NoAddress(host.to_owned());
        let addresses: Vec<SocketAddr> = (literal, port).to_socket_addrs().map_err(none)?.collect();
        let &first = addresses.first().ok_or_else(|| BindError::NoAddress(host.to_owned()))?;
        let listener = TcpListener::bind(addresses.as_slice()).map_err(|error| BindError::new(first, &error))?;
        let system = |error: io::Error| BindError::System { address: first.to_string(), message: error.to_string() };
        listener.set_nonblocking(true).map_err(system)?;
        let address = listener.local_addr().map_err(system)?;
        Ok(Server { listener, address, hosts: Hosts::new(host, address.ip()) })
    }

    /// Answers under any host name, for servers that other programs name. Pages of other sites are still refused.
    pub fn by_any_name(mut self) -> Server {
        self.hosts = self.hosts.by_any_name();
        self
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Answers until `limits` are interrupted. They also bound the memory of bodies; other bodies are refused.
    pub fn serve(self, handler: impl Handler, bounds: Bounds, limits: &Arc<Limits>) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(WIRES)
            .max_blocking_threads(bounds.requests.max(1))
            .enable_all()
            .build()?;
        let Server { listener, hosts, .. } = self;
        let turns = Arc::new(Semaphore::new(bounds.requests.max(1)));
        let shared = Arc::new(Shared { handler, hosts, bounds, turns, limits: Arc::clone(limits) });
        let served = runtime.block_on(accept(listener, shared, limits));
        // The process does not wait for work that exceeds its time.
        runtime.shutdown_background();
        served
    }
}

async fn accept<H: Handler>(listener: TcpListener, shared: Arc<Shared<H>>, limits: &Limits) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let (end, ending) = watch::channel(());
    let open = Arc::new(Semaphore::new(CONNECTIONS));
    let mut held: VecDeque<Arc<Held>> = VecDeque::new();
    while limits.check().is_ok() {
        match timeout(TICK, listener.accept()).await {
            Err(_) => {}
            Ok(Ok((stream, _))) => {
                held.retain(|held| !held.ended.load(Ordering::Relaxed));
                let Some(place) = place(&open, &mut held, limits).await else { continue };
                let (shared, ending, own) = (Arc::clone(&shared), ending.clone(), Arc::new(Held::default()));
                held.push_back(Arc::clone(&own));
                tokio::spawn(async move {
                    let _ends = Ends(Arc::clone(&own));
                    connection(stream, shared, &own, ending).await;
                    drop(place);
                });
            }
            // The system may refuse a connection for a while, for example if too many files are open.
            Ok(Err(error)) => {
                tracing::warn!("a connection was refused by the system: {error}");
                sleep(TICK).await;
            }
        }
    }
    drop(end);
    // Connections that do not end in time are cut off.
    let _all = timeout(GRACE, open.acquire_many(CONNECTIONS as u32)).await;
    Ok(())
}

/// A place for a further connection; `None` if the server ends. If there is none, the oldest connection gives way that has
/// never had a request; if there is none either, the oldest one without a request that waits for its answer.
async fn place(open: &Arc<Semaphore>, held: &mut VecDeque<Arc<Held>>, limits: &Limits) -> Option<OwnedSemaphorePermit> {
    while limits.check().is_ok() {
        if open.available_permits() == 0 {
            let silent = held.iter().position(|held| !held.asked.load(Ordering::Relaxed));
            let idle = || held.iter().position(|held| held.requests.load(Ordering::Relaxed) == 0);
            if let Some(oldest) = silent.or_else(idle).and_then(|index| held.remove(index)) {
                tracing::debug!("a connection without a request is closed for another one");
                oldest.close.notify_one();
            }
        }
        if let Ok(Ok(place)) = timeout(GIVING_WAY, Arc::clone(open).acquire_owned()).await {
            return Some(place);
        }
    }
    None
}

/// An open connection, as the task that accepts connections sees it.
#[derive(Default)]
struct Held {
    /// Number of requests that have been read and have no answer yet.
    requests: AtomicUsize,
    /// Whether some request has been read.
    asked: AtomicBool,
    ended: AtomicBool,
    close: Notify,
}

/// Marks a connection as ended when its task ends, also by a panic.
struct Ends(Arc<Held>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.ended.store(true, Ordering::Relaxed);
    }
}

/// Answers requests until the connection is closed or too old, its place is needed, or the server ends.
async fn connection<H: Handler>(
    stream: TcpStream,
    shared: Arc<Shared<H>>,
    held: &Arc<Held>,
    mut ending: watch::Receiver<()>,
) {
    // Answers are written completely, so waiting for more data would only delay them.
    let _kept = stream.set_nodelay(true);
    let (last, reading) = (shared.bounds.time + GRACE, shared.bounds.reading);
    let refusing = Arc::clone(&shared);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(shared.bounds.writing));
    let wire = Wire::new(TokioIo::new(Box::pin(stream)), move |refusal: &Refusal| {
        tracing::debug!("no request: {refusal}");
        refusing.handler.refuse(refusal)
    });
    let answers = service_fn(move |request| {
        let (shared, held) = (Arc::clone(&shared), Arc::clone(held));
        async move {
            held.asked.store(true, Ordering::Relaxed);
            held.requests.fetch_add(1, Ordering::Relaxed);
            let answer = answer(&shared, request).await;
            held.requests.fetch_sub(1, Ordering::Relaxed);
            Ok::<_, Infallible>(answer)
        }
    });
    let mut builder = hyper::server::conn::http1::Builder::new();
    // A client that has closed its sending side still gets the answer.
    builder.timer(TokioTimer::new()).header_read_timeout(reading).max_buf_size(HEAD).half_close(true);
    let connection = builder.serve_connection(wire, answers);
    tokio::pin!(connection);
    tokio::select! {
        // First, so that a request that has arrived is read.
        biased;
        ended = connection.as_mut() => {
            if let Err(error) = ended {
                tracing::debug!("a connection ended: {error}");
            }
            return;
        }
        () = held.close.notified() => {
            if !held.asked.load(Ordering::Relaxed) {
                return;
            }
        }
        // The sender is dropped when the server ends.
        _ = ending.changed() => {}
        () = sleep(LIFETIME) => {}
    }
    connection.as_mut().graceful_shutdown();
    if !matches!(timeout(last, connection).await, Ok(Ok(()))) {
        tracing::debug!("a connection was cut off");
    }
}

async fn answer<H: Handler>(
    shared: &Arc<Shared<H>>,
    request: hyper::Request<Incoming>,
) -> hyper::Response<Full<Bytes>> {
    let started = Instant::now();
    let (method, uri) = (request.method().to_string(), request.uri().to_string());
    let response = match considered(shared, request, started).await {
        Ok(response) => response,
        Err(refusal) => shared.handler.refuse(&refusal),
    };
    tracing::debug!("{method} {uri}: {}, {:?}", response.status, started.elapsed());
    let Response { status, headers, body } = response;
    let mut built = hyper::Response::new(Full::from(body));
    *built.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    built.headers_mut().extend(headers);
    built.headers_mut().insert(HeaderName::from_static(MARK), NOSNIFF);
    built
}

const NOSNIFF: hyper::header::HeaderValue = hyper::header::HeaderValue::from_static("nosniff");

async fn considered<H: Handler>(
    shared: &Arc<Shared<H>>,
    request: hyper::Request<Incoming>,
    started: Instant,
) -> Result<Response, Refusal> {
    check_names(&shared.hosts, &request)?;
    let Bounds { body: longest, reading, time, .. } = shared.bounds;
    let (deadline, reading) = (started + time, reading.min(time));
    let (head, body) = request.into_parts();
    // A body that is announced to be too long is refused before it is read.
    if body.size_hint().lower() > longest as u64 {
        return Err(Refusal::TooLong(longest));
    }
    let mut account = Account::new(&shared.limits);
    let read = timeout(reading, read(Limited::new(body, longest), longest, &mut account)).await;
    let body = read.map_err(|_| Refusal::Unread(reading))??;
    let request = Request {
        method: head.method.to_string(),
        path: head.uri.path().to_owned(),
        query: head.uri.query().map(str::to_owned),
        takes_html: takes_html(&head.headers),
        body,
        deadline,
    };
    let left = || deadline.saturating_duration_since(Instant::now());
    let turn = timeout(left(), Arc::clone(&shared.turns).acquire_owned()).await;
    let turn = turn.ok().and_then(Result::ok).ok_or(Refusal::Busy)?;
    let worker = Arc::clone(shared);
    // The turn ends with the work, even if nobody waits for it any longer.
    let work = tokio::task::spawn_blocking(move || {
        let response = worker.handler.answer(&request);
        drop((request, account, turn));
        response
    });
    match timeout(left(), work).await {
        Ok(Ok(response)) => Ok(response),
        Ok(Err(error)) => {
            tracing::error!("a request failed: {error}");
            Err(Refusal::Failed)
        }
        Err(_) => Err(Refusal::TimedOut(time)),
    }
}

/// Reads at most `longest` bytes. Memory is accounted for before it is allocated.
async fn read(mut body: Limited<Incoming>, longest: usize, account: &mut Account) -> Result<Vec<u8>, Refusal> {
    // Memory is allocated for bytes that have arrived, not for the announced length.
    let most = body.size_hint().upper().map_or(longest, |most| longest.min(most as usize));
    let mut bytes: Vec<u8> = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| match error.is::<LengthLimitError>() {
            true => Refusal::TooLong(longest),
            false => Refusal::Broken,
        })?;
        // Trailers after a body have no meaning here.
        let Ok(data) = frame.into_data() else { continue };
        let length = bytes.len() + data.len();
        if length > bytes.capacity() {
            // The old and the new buffer exist at the same time.
            let room = length.max(most.min(2 * bytes.capacity()));
            account.grow_to((bytes.capacity() + room) as u64).map_err(|_| Refusal::Busy)?;
            bytes.reserve_exact(room - bytes.len());
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes)
}

/// Whether the client names pages among the types that it accepts. Programs only send `*/*`.
fn takes_html(headers: &HeaderMap) -> bool {
    let mut accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.any(|value| value.to_ascii_lowercase().contains("text/html"))
}

/// The request must name a host of the server, and come from no page or from a page of the same host and port.
fn check_names(hosts: &Hosts, request: &hyper::Request<Incoming>) -> Result<(), Refusal> {
    let named: Vec<String> = request
        .headers()
        .get_all(HOST)
        .iter()
        .map(|host| String::from_utf8_lossy(host.as_bytes()).trim().to_owned())
        .chain(request.uri().authority().map(|authority| authority.to_string()))
        .collect();
    // Before HTTP/1.1 requests did not have to name the host, and browsers always do.
    if named.is_empty() && request.version() == Version::HTTP_11 {
        return Err(Refusal::NoHost);
    }
    if let Some(foreign) = named.iter().find(|name| !hosts.admit(name)) {
        return Err(Refusal::Host(foreign.clone()));
    }
    // Another site may make any of its names mean this machine, so the origin must be the requested host.
    let is_asked = |host: &str| !named.is_empty() && named.iter().all(|name| name.eq_ignore_ascii_case(host));
    let mut origins = request.headers().get_all(ORIGIN).iter().map(|origin| String::from_utf8_lossy(origin.as_bytes()));
    let foreign = |origin: &str| !hosts::of_origin(origin).is_some_and(|host| hosts.know(host) && is_asked(host));
    match origins.find(|origin| foreign(origin)) {
        None => Ok(()),
        Some(origin) => Err(Refusal::Origin(origin.into_owned())),
    }
}
