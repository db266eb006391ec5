//! A browser without a window, driven over a pipe by the DevTools protocol: Chromium as Debian packages it, or what
//! `GGSOLVE_BROWSER` names.
#![allow(dead_code)] // Each user needs a part.

#[path = "lacking.rs"]
mod lacking;

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longest wait for an answer of the browser, and for what a page is to show.
const PATIENCE: Duration = Duration::from_secs(90);
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// A page in a browser of its own, which ends with it.
pub struct Browser {
    process: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    session: String,
    number: u64,
    /// What went wrong on the page: failures of scripts, and what its policy forbids.
    pub complaints: Vec<String>,
    _profile: tempfile::TempDir,
}

/// A browser that is installed.
fn program() -> Option<String> {
    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    FOUND.get_or_init(installed).clone()
}

fn installed() -> Option<String> {
    let named = std::env::var("GGSOLVE_BROWSER").ok();
    let runs = |name: &String| {
        let mut version = Command::new(name);
        version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        version.status().is_ok_and(|status| status.success())
    };
    named.into_iter().chain(NAMES.map(str::to_owned)).find(runs)
}

impl Browser {
    /// An empty page; `None`, and a word about it, where no browser is installed.
    pub fn start() -> Option<Browser> {
        let Some(program) = program() else {
            lacking::lacking("browser", "apt-get install chromium, or GGSOLVE_BROWSER names one");
            return None;
        };
        let profile = tempfile::tempdir().expect("a temporary folder");
        // The browser listens on file 3 and answers on file 4.
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null", &program])
            .args(["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .args([
                "--disable-dev-shm-usage",
                "--disable-extensions",
                "--hide-scrollbars",
                "--force-color-profile=srgb",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell starts");
        let input = process.stdin.take().expect("it is piped");
        let output = process.stdout.take().expect("it is piped");
        let (session, number, complaints) = (String::new(), 0, Vec::new());
        let messages = listen(output);
        let mut browser = Browser { process, input, messages, session, number, complaints, _profile: profile };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached = browser.call("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        browser.session = attached["sessionId"].as_str().expect("a session has a name").to_owned();
        for domain in ["Page", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser.size(1280, 900);
        Some(browser)
    }

    /// Asks the browser.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": parameters});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.input.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
        loop {
            let found = self.messages.recv_timeout(PATIENCE).expect("the browser answers");
            if found["id"] == json!(self.number) {
                assert!(found["error"].is_null(), "{method}: {}", found["error"]);
                return found["result"].clone();
            }
            self.hear(&found);
        }
    }

    fn hear(&mut self, event: &Value) {
        let parameters = &event["params"];
        match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => self.complaints.push(parameters["exceptionDetails"].to_string()),
            Some("Log.entryAdded") if parameters["entry"]["level"] == "error" => {
                self.complaints.push(parameters["entry"].to_string());
            }
            _ => {}
        }
    }

    pub fn size(&mut self, width: u32, height: u32) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.call("Emulation.setDeviceMetricsOverride", metrics);
    }

    pub fn dark(&mut self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let features = json!([{"name": "prefers-color-scheme", "value": value}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// Goes to an address, and waits until its page is drawn.
    pub fn open(&mut self, address: &str) {
        self.call("Page.navigate", json!({"url": address}));
        self.settle();
    }

    /// Waits until the page shows what it has to show.
    pub fn settle(&mut self) {
        self.wait("document.readyState === 'complete' && document.querySelector('main[aria-busy=false]') !== null");
    }

    /// The value of an expression on the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", asked);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    pub fn text(&mut self, expression: &str) -> String {
        self.value(expression).as_str().unwrap_or_else(|| panic!("{expression} is no text")).to_owned()
    }

    /// Waits until an expression is true.
    pub fn wait(&mut self, expression: &str) {
        let until = Instant::now() + PATIENCE;
        while self.value(expression) != json!(true) {
            assert!(Instant::now() < until, "{expression} stays false on\n{}", self.value("document.body.innerText"));
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The middle of an element, after it was brought into view.
    fn middle(&mut self, selector: &str) -> (f64, f64) {
        let selector = json!(selector);
        self.wait(&format!("document.querySelector({selector}) !== null"));
        let place = self.value(&format!(
            "(() => {{ const found = document.querySelector({selector}); found.scrollIntoView({{block: 'center'}});
               const box = found.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        ));
        (place[0].as_f64().expect("a place"), place[1].as_f64().expect("a place"))
    }

    fn mouse(&mut self, kind: &str, (x, y): (f64, f64)) {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let event = json!({"type": kind, "x": x, "y": y, "button": button, "clickCount": 1});
        self.call("Input.dispatchMouseEvent", event);
    }

    pub fn hover(&mut self, selector: &str) {
        let place = self.middle(selector);
        self.mouse("mouseMoved", place);
    }

    pub fn click(&mut self, selector: &str) {
        let place = self.press(selector);
        self.release(place);
    }

    /// Moves the pointer to an element, and holds its button down. Returns the place.
    pub fn press(&mut self, selector: &str) -> (f64, f64) {
        let until = Instant::now() + PATIENCE;
        loop {
            let (x, y) = self.middle(selector);
            self.mouse("mouseMoved", (x, y));
            // What is drawn meanwhile may have moved the element, also between the look and the press.
            if self.is_at(selector, (x, y)) {
                self.mouse("mousePressed", (x, y));
                if self.is_at(selector, (x, y)) {
                    return (x, y);
                }
                self.mouse("mouseMoved", (0.0, 0.0));
                self.mouse("mouseReleased", (0.0, 0.0));
            }
            assert!(Instant::now() < until, "{selector} is covered");
        }
    }

    /// Whether an element, or a part of it, is at a place.
    fn is_at(&mut self, selector: &str, (x, y): (f64, f64)) -> bool {
        let name = json!(selector);
        let is_there = self.value(&format!(
            "(() => {{ const found = document.querySelector({name}); const at = document.elementFromPoint({x}, {y});
               return found !== null && at !== null && found.contains(at); }})()"
        ));
        is_there == json!(true)
    }

    pub fn release(&mut self, place: (f64, f64)) {
        self.mouse("mouseReleased", place);
    }

    /// Presses a key, such as `ArrowLeft`.
    pub fn key(&mut self, key: &str) {
        let code = match key {
            "Enter" => 13,
            "Tab" => 9,
            "Escape" => 27,
            "End" => 35,
            "Home" => 36,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            _ => panic!("{key} has no code here"),
        };
        // A key that stands for a sign is pressed with it.
        let text = if key == "Enter" { "\r" } else { "" };
        for kind in [if text.is_empty() { "rawKeyDown" } else { "keyDown" }, "keyUp"] {
            let event = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text});
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// What the page looks like, as PNG in base 64; the whole of it, or a window of it.
    fn picture(&mut self, whole: bool) -> String {
        let asked = json!({"format": "png", "captureBeyondViewport": whole});
        self.call("Page.captureScreenshot", asked)["data"].as_str().expect("a picture").to_owned()
    }

    /// Writes what the page looks like into a file.
    pub fn screenshot(&mut self, path: &Path, whole: bool) {
        if whole {
            let height = self.value("document.documentElement.scrollHeight");
            let width = self.value("window.innerWidth").as_u64().expect("a width") as u32;
            self.size(width, height.as_u64().expect("a height").min(6000) as u32);
        }
        let bytes = decoded(&self.picture(whole));
        std::fs::write(path, bytes).expect("the picture can be written");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ended = self.input.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let until = Instant::now() + Duration::from_secs(5);
        while Instant::now() < until {
            if matches!(self.process.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _killed = self.process.kill();
        let _waited = self.process.wait();
    }
}

/// The messages of the browser, each ended by a zero.
fn listen(output: ChildStdout) -> Receiver<Value> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut output = BufReader::new(output);
        loop {
            let mut message = Vec::new();
            match output.read_until(0, &mut message) {
                Ok(0) | Err(_) => return,
                Ok(_) => drop(message.pop()),
            }
            let Ok(message) = serde_json::from_slice(&message) else { continue };
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    receiver
}

/// The bytes of a text in base 64.
fn decoded(text: &str) -> Vec<u8> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits: Vec<u32> = text
        .bytes()
        .filter(|&byte| byte != b'=')
        .map(|byte| DIGITS.iter().position(|&digit| digit == byte).expect("base 64") as u32)
        .collect();
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for chunk in digits.chunks(4) {
        let bits = chunk.iter().enumerate().fold(0, |bits, (at, digit)| bits | digit << (18 - 6 * at));
        let count = chunk.len() * 6 / 8;
        bytes.extend((0..count).map(|at| (bits >> (16 - 8 * at)) as u8));
    }
    bytes
}
