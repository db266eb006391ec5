//! The host names under which a server may be addressed.
//!
//! A page of another site can make a browser send requests to this machine under a name of that site (DNS rebinding),
//! and would then read the answers as its own. It cannot do so with names that always mean this machine, with the name
//! or address that the server is bound to, or with a numeric address.

use std::net::IpAddr;

#[derive(Debug, Clone)]
pub struct Hosts {
    /// The name that the user gave.
    named: String,
    bound: IpAddr,
    /// Whether requests may use any name.
    any: bool,
}

impl Hosts {
    pub fn new(named: &str, bound: IpAddr) -> Hosts {
        Hosts { named: named.to_owned(), bound, any: false }
    }

    /// Accepts requests under any name.
    pub fn by_any_name(self) -> Hosts {
        Hosts { any: true, ..self }
    }

    pub fn admit(&self, host: &str) -> bool {
        self.any || self.know(host)
    }

    /// Whether a host, with or without a port, belongs to this server.
    pub fn know(&self, host: &str) -> bool {
        let Some(name) = without_port(host) else { return false };
        if name.eq_ignore_ascii_case("localhost") || name.eq_ignore_ascii_case(&self.named) {
            return true;
        }
        let literal = name.strip_prefix('[').map_or(Some(name), |rest| rest.strip_suffix(']'));
        match literal.and_then(|literal| literal.parse::<IpAddr>().ok()) {
            Some(address) => address.is_loopback() || address == self.bound || self.bound.is_unspecified(),
            None => false,
        }
    }
}

/// The host and port of an origin: `localhost:8080` of `http://localhost:8080`.
pub fn of_origin(origin: &str) -> Option<&str> {
    origin.split_once("://").map(|(_, host)| host)
}

/// The host without its port; `None` if the text is not a host with an optional port.
fn without_port(host: &str) -> Option<&str> {
    let end = match host.starts_with('[') {
        true => host.find(']')? + 1,
        false => host.find(':').unwrap_or(host.len()),
    };
    let (name, port) = host.split_at(end);
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    (port.is_empty() || port.strip_prefix(':').is_some_and(is_port)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(named: &str, bound: &str, hosts: &[&str]) -> Vec<bool> {
        let known = Hosts::new(named, bound.parse().unwrap());
        hosts.iter().map(|host| known.know(host)).collect()
    }

    #[test]
    fn only_names_of_this_machine_are_known() {
        let own = ["localhost", "LOCALHOST:80", "127.0.0.1:8080", "127.1.2.3", "[::1]", "[::1]:9", "127.0.0.1:"];
        assert_eq!(known("127.0.0.1", "127.0.0.1", &own), [true; 7]);
        let others =
            ["example.com", "localhost.example.com", "192.168.0.7", "", "[::1", "::1:x", "127.0.0.1:80@evil", "a:b:c"];
        assert_eq!(known("127.0.0.1", "127.0.0.1", &others), [false; 8]);
        assert_eq!(known("school", "192.168.0.7", &["school:80", "192.168.0.7", "192.168.0.8"]), [true, true, false]);
        assert_eq!(known("0.0.0.0", "0.0.0.0", &["192.168.0.7:1", "[fe80::1]", "example.com"]), [true, true, false]);
        let any = Hosts::new("127.0.0.1", "127.0.0.1".parse().unwrap()).by_any_name();
        assert!(any.admit("example.com:9147") && !any.know("example.com:9147"));
        assert_eq!(of_origin("http://localhost:8080"), Some("localhost:8080"));
        assert_eq!(of_origin("null"), None);
    }
}
