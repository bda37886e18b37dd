//! The page that is served while it is measured.

#[allow(dead_code, reason = "the tests of pages use all of it")]
#[path = "../../../../fathom-report/tests/browser/chromium.rs"]
mod chromium;

use super::results::job;
use crate::support::fathom;
use chromium::Chromium;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStderr, Stdio};

/// A command that serves its page.
struct Served {
    child: Child,
    /// Open until the command has ended.
    _stderr: BufReader<ChildStderr>,
    port: u16,
    token: String,
}

impl Served {
    fn start(dir: &Path, words: &[&str]) -> Served {
        let mut command = fathom(dir);
        command.args(["run", "-q", "--web", "--no-calibrate", "j.fio"]).args(words);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut lines = stderr.by_ref().lines().map(Result::unwrap);
        let line = lines.find(|line| line.starts_with("live page: ")).unwrap();
        let address = line.strip_prefix("live page: http://127.0.0.1:").expect(&line);
        let (port, token) = address.trim_end_matches('/').split_once('/').unwrap();
        Served { child, _stderr: stderr, port: port.parse().unwrap(), token: token.to_owned() }
    }

    /// The answer to a request, as long as the server sends.
    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", self.port);
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

/// The states of the page in an answer.
fn states(answer: &str) -> Vec<String> {
    let data = answer.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn readers_get_each_state_of_a_run_and_its_result() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "time_based\nruntime=2500ms\n");
    let mut served = Served::start(dir.path(), &["--output-dir", "d"]);
    assert!(served.get("/").starts_with("HTTP/1.1 404 "));
    assert!(served.get(&format!("/{}/run.json", served.token)).starts_with("HTTP/1.1 404 "));
    let other = TcpStream::connect(("127.0.0.2", served.port));
    assert_eq!(other.map(drop).unwrap_err().kind(), ErrorKind::ConnectionRefused);
    let answer = served.get(&format!("/{}/events", served.token));
    assert!(answer.ends_with("event: over\ndata:\n\n"), "{}", &answer[answer.len() - 80..]);
    let states = states(&answer);
    assert!(states.len() >= 2, "{}", states.len());
    let (first, last) = (&states[0], states.last().unwrap());
    assert!(first.contains("the run is not over") && first.contains("measured so far"));
    assert!(!last.contains("the run is not over"));
    assert!(served.child.wait().unwrap().success());
    let page = fathom(dir.path()).args(["report", "d", "--output-format", "html"]).output().unwrap();
    assert_eq!(last, &String::from_utf8(page.stdout).unwrap());
}

#[test]
fn the_page_of_a_procedure_ends_as_its_report() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "time_based\nruntime=100ms\n");
    let mut served = Served::start(dir.path(), &["--repeat", "2", "--output-dir", "d"]);
    let states = states(&served.get(&format!("/{}/events", served.token)));
    assert!(served.child.wait().unwrap().success());
    let page = fathom(dir.path()).args(["report", "d", "--output-format", "html"]).output().unwrap();
    assert_eq!(states.last().unwrap(), &String::from_utf8(page.stdout).unwrap());
}

#[test]
fn a_browser_shows_the_page_as_it_grows_and_keeps_it_at_the_end() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "time_based\nruntime=3s\n");
    let mut browser = Chromium::start();
    let mut served = Served::start(dir.path(), &["--output-dir", "d"]);
    browser.go(&format!("http://127.0.0.1:{}/{}/", served.port, served.token));
    let state = "document.querySelector('#live').textContent";
    let headline = "document.querySelector('main h1')?.textContent ?? ''";
    let mut has_grown = false;
    while browser.run(state) == "It is being measured. This page changes every few seconds." {
        has_grown |= browser.run(headline) != "";
        assert_eq!(browser.run("document.querySelectorAll('main').length"), 1);
    }
    assert!(has_grown, "the page had something before the run ended");
    assert!(served.child.wait().unwrap().success());
    let ended = "The command has ended. This page is its result, and does not change any more.";
    assert_eq!(browser.run(state), ended);
    assert_ne!(browser.run(headline), "");
    // The script of the page works in each state: it makes tables sortable.
    assert_eq!(browser.run("document.querySelectorAll('table.sortable th button').length > 0"), true);
    let errors = browser.take_events();
    let errors: Vec<_> = errors.iter().filter(|event| event["method"] == "Log.entryAdded").collect();
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn a_port_that_cannot_be_had_is_an_error_before_anything_is_measured() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path(), "time_based\nruntime=60s\n");
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let output = fathom(dir.path()).args(["run", "j.fio", &format!("--web={port}")]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains(&format!("cannot listen on 127.0.0.1:{port} for --web: ")), "{message}");
    assert!(message.contains("hint: --web without a port takes a free one"), "{message}");
    assert!(!dir.path().join("fathom-runs").exists());
}
