//! Routes requests: the API answers addresses under `/api`; pages and their files answer all others.

use super::error::ApiError;
use super::explorer::Explorer;
use super::{api, files};
use crate::http::{Handler, Refusal, Request, Response};

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
        let found = match segments.as_slice() {
            [""] => Some(files::page(200)),
            ["favicon.ico"] => files::file("icon.svg"),
            ["assets", name] => files::file(name),
            [name] | [name, "" | "layers" | "puzzles"] => self.library.find(name).map(|_| files::page(200)),
            _ => None,
        };
        // A browser gets a page with a link back instead of JSON.
        let missing = || match request.takes_html {
            true => files::page(404),
            false => ApiError::nowhere(&request.path).response(),
        };
        found.unwrap_or_else(missing)
    }

    fn refuse(&self, refusal: &Refusal) -> Response {
        ApiError::from(refusal).response()
    }
}
