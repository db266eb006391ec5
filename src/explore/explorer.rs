//! Which request is answered by what.

use super::api;
use super::error::ApiError;
use super::files;
use super::library::Library;
use crate::http::{Bounds, Handler, Refusal, Request, Response};
use crate::limits::Limits;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Searches that run at once; they take processor time, everything else hardly any.
const SEARCHES: usize = 2;

/// Answers requests on the solutions of a library.
pub struct Explorer {
    pub(super) library: Library,
    /// Bounds of what random states take.
    pub(super) limits: Arc<Limits>,
    /// Searches that may still begin.
    searches: AtomicUsize,
}

impl Explorer {
    /// What its requests may take.
    pub const BOUNDS: Bounds = Bounds { body: 1 << 20, time: Duration::from_secs(60), requests: 16 };

    pub fn new(library: Library, limits: Arc<Limits>) -> Explorer {
        Explorer { library, limits, searches: AtomicUsize::new(SEARCHES) }
    }

    /// Does a search, if there are not too many.
    pub(super) fn search<T>(&self, work: impl FnOnce() -> Result<T, ApiError>) -> Result<T, ApiError> {
        let taken = self.searches.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(1));
        taken.map_err(|_| ApiError::busy())?;
        let _given_back = Searching(&self.searches);
        work()
    }
}

/// A search under way.
struct Searching<'a>(&'a AtomicUsize);

impl Drop for Searching<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::AcqRel);
    }
}

impl Handler for Explorer {
    fn answer(&self, request: &Request) -> Response {
        let segments = request.segments();
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        if let ["api", rest @ ..] = segments.as_slice() {
            return api::answer(self, rest, request).unwrap_or_else(|error| error.response());
        }
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return api::not_allowed(request, "GET, HEAD");
        }
        match segments.as_slice() {
            [""] => files::page(200),
            ["favicon.ico"] => files::file("icon.svg").unwrap_or_else(|| files::page(404)),
            ["assets", name] => files::file(name).unwrap_or_else(|| files::page(404)),
            [name] | [name, "" | "layers"] if self.library.find(name).is_some() => files::page(200),
            _ => files::page(404),
        }
    }

    fn refuse(&self, refusal: &Refusal) -> Response {
        ApiError::from(refusal).response()
    }
}
