//! The files of the page, which are embedded in the program.

use crate::http::Response;

/// The page may load only its own files, and must contain no script or style itself.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const IMAGE: &str = "image/svg+xml";

/// The page. Its script shows the game that the address names.
pub const PAGE: &str = include_str!("page/index.html");

macro_rules! files {
    ($($name:literal $kind:ident,)*) => { &[$(($name, $kind, include_str!(concat!("page/", $name)))),*] };
}

/// Name, type and content of the files that the page loads.
const FILES: &[(&str, &str, &str)] = files! {
    "address.js" SCRIPT,
    "api.js" SCRIPT,
    "board.js" SCRIPT,
    "chart.js" SCRIPT,
    "dom.js" SCRIPT,
    "error.js" SCRIPT,
    "fluents.js" SCRIPT,
    "icon.svg" IMAGE,
    "layers.js" SCRIPT,
    "list.js" SCRIPT,
    "main.js" SCRIPT,
    "match.js" SCRIPT,
    "moves.js" SCRIPT,
    "opponent.js" SCRIPT,
    "parts.js" SCRIPT,
    "pieces.js" SCRIPT,
    "plots.js" SCRIPT,
    "position.js" SCRIPT,
    "source.js" SCRIPT,
    "style.css" STYLE,
    "training.js" SCRIPT,
    "values.js" SCRIPT,
    "why.js" SCRIPT,
};

/// The page; with status 404 if there is nothing at its address.
pub fn page(status: u16) -> Response {
    Response::new(status, HTML, PAGE.as_bytes())
        .with("content-security-policy", POLICY)
        .with("referrer-policy", "no-referrer")
        .with("cross-origin-opener-policy", "same-origin")
        .with("cross-origin-resource-policy", "same-origin")
        .with("cache-control", "no-cache")
}

pub fn content(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(known, ..)| *known == name).map(|(_, _, content)| *content)
}

pub fn file(name: &str) -> Option<Response> {
    let (_, kind, content) = FILES.iter().find(|(known, ..)| *known == name)?;
    let response = Response::new(200, kind, content.as_bytes());
    Some(response.with("cross-origin-resource-policy", "same-origin").with("cache-control", "no-cache"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_file_of_the_page_is_embedded_and_names_only_others() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("explore/page");
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "index.html")
            .collect();
        names.sort_unstable();
        assert_eq!(names, FILES.iter().map(|(name, ..)| *name).collect::<Vec<_>>());
        let all = FILES.iter().map(|(_, _, content)| *content).chain([PAGE]);
        for content in all {
            let foreign = |text: &str| text.starts_with("//www.w3.org/") || text.is_empty();
            assert!(content.split("http:").skip(1).all(foreign) && !content.contains("https:"), "{content}");
            for name in content.split("from \"./").skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(file(name).is_some(), "{name}");
            }
            // Texts of rules are inserted into pages as texts, never as markup.
            assert!(!content.contains("innerHTML") && !content.contains("insertAdjacentHTML"), "{content}");
        }
    }
}
