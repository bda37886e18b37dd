//! A browser without a window, driven by the DevTools protocol over a pair of pipes.
//!
//! `--remote-debugging-pipe` reads commands from descriptor 3 and writes answers and events to descriptor 4, each a JSON
//! text that ends with a zero byte. A shell opens two named pipes as these descriptors.

use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Chromium answers in milliseconds; this is for a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one tab.
pub struct Chromium {
    child: Child,
    commands: File,
    answers: Receiver<Value>,
    session: String,
    last_id: u64,
    /// Events since the last call of [`Chromium::take_events`].
    events: Vec<Value>,
    _home: tempfile::TempDir,
}

/// A rectangle in the window, CSS pixels.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Chromium {
    /// Starts the browser. The test fails where there is none: `cargo xtask test` installs it.
    pub fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        let pipe = |name: &str| {
            let path = home.path().join(name);
            assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
            path
        };
        let (to, from) = (pipe("to"), pipe("from"));
        let child = Command::new("sh")
            .args(["-c", "exec chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
                   --remote-debugging-pipe --user-data-dir=\"$0/profile\" about:blank 3<\"$0/to\" 4>\"$0/from\""])
            .arg(home.path())
            .stdout(Stdio::null())
            .stderr(File::create(home.path().join("log")).unwrap())
            .spawn()
            .unwrap();
        let commands = File::options().write(true).open(to).unwrap();
        let mut browser = Chromium {
            child,
            commands,
            answers: listen(from),
            session: String::new(),
            last_id: 0,
            events: Vec::new(),
            _home: home,
        };
        browser.attach();
        browser
    }

    fn attach(&mut self) {
        let tab = self.call("Target.createTarget", json!({ "url": "about:blank" }));
        let session =
            self.call("Target.attachToTarget", json!({ "targetId": tab["targetId"], "flatten": true }));
        self.session = session["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.call(&format!("{domain}.enable"), json!({}));
        }
    }

    /// Opens a file and waits until it is loaded.
    pub fn open(&mut self, path: &Path) {
        self.go(&format!("file://{}", path.display()));
    }

    /// Opens an address and waits until it is loaded.
    pub fn go(&mut self, address: &str) {
        self.events.clear();
        self.call("Page.navigate", json!({ "url": address }));
        self.wait_for("Page.loadEventFired");
    }

    /// Sets the width and the height of the window.
    pub fn resize(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Sets what the reader's system prefers, and the medium: `screen` or `print`.
    pub fn prefer(&mut self, scheme: &str, medium: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "media": medium, "features": features }));
    }

    /// Switches scripts of the page on or off; [`Chromium::run`] works in both cases.
    pub fn scripts(&mut self, on: bool) {
        self.call("Emulation.setScriptExecutionDisabled", json!({ "value": !on }));
    }

    /// The value of an expression of JavaScript in the page.
    pub fn run(&mut self, expression: &str) -> Value {
        let asked = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true });
        let answer = self.call("Runtime.evaluate", asked);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Where the first element that a selector names lies; the window is scrolled to it.
    pub fn place(&mut self, selector: &str) -> Place {
        let rect = self.run(&format!(
            "(() => {{ const e = document.querySelector({}); e.scrollIntoView({{block: 'center'}}); \
             const b = e.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; }})()",
            json!(selector)
        ));
        let at = |n: usize| rect[n].as_f64().unwrap();
        Place { x: at(0), y: at(1), width: at(2), height: at(3) }
    }

    /// Moves the pointer, or presses or releases its button: `mouseMoved`, `mousePressed`, `mouseReleased`.
    pub fn mouse(&mut self, kind: &str, (x, y): (f64, f64), clicks: u32) {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let event = json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": clicks });
        self.call("Input.dispatchMouseEvent", event);
    }

    /// Presses a key.
    pub fn key(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({ "type": kind, "key": key, "code": key }));
        }
    }

    /// The window or the whole page as PNG, base64.
    pub fn screenshot(&mut self, whole: bool) -> String {
        let asked = json!({ "format": "png", "captureBeyondViewport": whole });
        self.call("Page.captureScreenshot", asked)["data"].as_str().unwrap().to_owned()
    }

    /// The page on paper as PDF, base64; A4, as the page asks for.
    pub fn paper(&mut self) -> String {
        let asked = json!({ "preferCSSPageSize": true, "printBackground": true });
        self.call("Page.printToPDF", asked)["data"].as_str().unwrap().to_owned()
    }

    /// The events since the page was opened.
    pub fn take_events(&mut self) -> Vec<Value> {
        self.run("0");
        std::mem::take(&mut self.events)
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let mut command = json!({ "id": self.last_id, "method": method, "params": params });
        if !self.session.is_empty() {
            command["sessionId"] = json!(self.session);
        }
        self.commands.write_all(format!("{command}\0").as_bytes()).unwrap();
        let answer = self.wait(|message| message["id"] == command["id"]);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    fn wait_for(&mut self, event: &str) {
        let at = self.events.iter().position(|seen| seen["method"] == event);
        if at.is_none() {
            let message = self.wait(|message| message["method"] == event);
            self.events.push(message);
        }
    }

    fn wait(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message =
                self.answers.recv_timeout(PATIENCE).expect("the browser answers; is `chromium` installed?");
            if is_wanted(&message) {
                return message;
            }
            if message.get("method").is_some() {
                self.events.push(message);
            }
        }
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A thread that reads messages until the browser ends.
fn listen(from: PathBuf) -> Receiver<Value> {
    let (to, answers) = channel();
    let pipe = File::open(from).unwrap();
    std::thread::spawn(move || {
        let messages = BufReader::new(pipe).split(0).map_while(Result::ok);
        for message in messages {
            if to.send(serde_json::from_slice(&message).unwrap()).is_err() {
                return;
            }
        }
    });
    answers
}
