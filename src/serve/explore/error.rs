//! Errors for requests without an answer, as JSON; the status gives the reason.

use crate::http::{Refusal, Response};
use api::session::{Error, ErrorKind};
use serde_json::json;

pub const JSON: &str = "application/json; charset=utf-8";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    pub status: u16,
    pub code: &'static str,
    pub message: String,
}

impl ApiError {
    pub fn missing(message: String) -> ApiError {
        ApiError { status: 404, code: "not-found", message }
    }

    pub fn nowhere(path: &str) -> ApiError {
        ApiError::missing(format!(
            "there is nothing at {path}; pages are at / and /NAME, what they show at /api/solutions"
        ))
    }

    pub fn wrong(message: String) -> ApiError {
        ApiError { status: 400, code: "usage", message }
    }

    pub fn busy() -> ApiError {
        let message = "too many searches at once: ask again in a second".to_owned();
        ApiError { status: 429, code: "busy", message }
    }

    pub fn response(&self) -> Response {
        let document = json!({"error": {"code": self.code, "message": self.message}});
        Response::new(self.status, JSON, document.to_string().into_bytes())
    }
}

impl<E: Into<Error>> From<E> for ApiError {
    fn from(error: E) -> Self {
        let error = error.into();
        let (status, code) = match error.kind() {
            ErrorKind::Usage | ErrorKind::Rules => (400, "position"),
            // The stored part of the solution does not suffice, or more memory or time may help.
            ErrorKind::Limit | ErrorKind::Interrupted => {
                (409, if matches!(error, Error::Unsolved(_)) { "unfinished" } else { "limit" })
            }
            ErrorKind::InputOutput => (410, "input-output"),
            ErrorKind::Solution => (410, "damaged"),
        };
        ApiError { status, code, message: error.to_string() }
    }
}

impl From<&Refusal> for ApiError {
    fn from(refusal: &Refusal) -> Self {
        let (status, code) = refusal.status();
        ApiError { status, code, message: refusal.to_string() }
    }
}
