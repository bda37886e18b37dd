//! Connections to the live page: what may be asked, and the answers.

use super::state::{Next, Shared};
use fathom_report::html::live_page;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::Builder;
use std::time::{Duration, Instant};

/// The longest head of a request: those of browsers have about 1 KiB.
const HEAD_BYTES_MAX: usize = 8 << 10;

/// More lines than browsers send.
const HEADERS_MAX: usize = 64;

/// How long a request may take, and a reader to take what is sent.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often a reader without news is sent an empty line, so that one who has gone is noticed.
const SIGN_EVERY: Duration = Duration::from_secs(10);

/// What a request may be answered with.
#[derive(Debug, PartialEq, Eq)]
enum Asked {
    /// The page.
    Page,
    /// Its states.
    Events,
    /// An error, as status and reason.
    Refused(&'static str),
}

/// Answers each connection in a thread of its own, as long as the process lives.
pub fn serve(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // Such as too many open files: the next one may succeed.
            std::thread::sleep(Duration::from_millis(100));
            continue;
        };
        let shared = shared.clone();
        let _ = Builder::new().name("web-reader".to_owned()).spawn(move || {
            // An error means that the reader has gone. The run and other readers go on.
            let _ = answer(stream, &shared);
        });
    }
}

fn answer(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    // It is counted before its first byte, so that connections that send nothing are limited too.
    let Some(mut connection) = shared.connection() else {
        return refuse(&mut stream, "503 Service Unavailable");
    };
    let head = head(&mut stream)?;
    match asked(&head, shared) {
        Asked::Refused(status) => refuse(&mut stream, status),
        Asked::Page => {
            let (page, policy) = live_page();
            let fields = format!(
                "Content-Type: text/html; charset=utf-8\r\nContent-Security-Policy: {policy}\r\nContent-Length: {}\r\n",
                page.len()
            );
            send(&mut stream, "200 OK", &fields, &page)
        }
        Asked::Events => {
            connection.reads();
            send(&mut stream, "200 OK", "Content-Type: text/event-stream\r\n", "")?;
            send_states(&mut stream, shared)
        }
    }
}

/// Reads the head of a request, no longer than allowed.
fn head(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let (began, mut head, mut part) = (Instant::now(), Vec::new(), [0; 1024]);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") && head.len() < HEAD_BYTES_MAX {
        let left = PATIENCE.saturating_sub(began.elapsed());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut part)? {
            0 => break,
            n => head.extend_from_slice(&part[..n]),
        }
    }
    Ok(head)
}

fn asked(head: &[u8], shared: &Shared) -> Asked {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut request = httparse::Request::new(&mut headers);
    if !matches!(request.parse(head), Ok(httparse::Status::Complete(_))) {
        return Asked::Refused("400 Bad Request");
    }
    // A page of somebody else may have a name that leads to loopback; a browser sends that name.
    let here = [format!("127.0.0.1:{}", shared.port), format!("localhost:{}", shared.port)];
    let hosts = || request.headers.iter().filter(|header| header.name.eq_ignore_ascii_case("host"));
    if hosts().count() != 1 || !hosts().all(|host| here.iter().any(|name| name.as_bytes() == host.value)) {
        return Asked::Refused("403 Forbidden");
    }
    let path = request.path.and_then(|path| path.strip_prefix('/')).unwrap_or_default();
    let (token, rest) = path.split_once('/').unwrap_or((path, "none"));
    if !is_same(token, &shared.token) {
        return Asked::Refused("404 Not Found");
    }
    match (request.method, rest) {
        (Some("GET"), "") => Asked::Page,
        (Some("GET"), "events") => Asked::Events,
        (Some("GET"), _) => Asked::Refused("404 Not Found"),
        _ => Asked::Refused("405 Method Not Allowed"),
    }
}

/// Compares in a time that does not depend on where two tokens differ.
fn is_same(one: &str, other: &str) -> bool {
    let differ = one.bytes().zip(other.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b));
    one.len() == other.len() && differ == 0
}

fn send_states(stream: &mut TcpStream, shared: &Shared) -> io::Result<()> {
    let mut seen = 0;
    loop {
        match shared.after(seen, SIGN_EVERY) {
            Next::State(event, number) => {
                stream.write_all(event.as_bytes())?;
                seen = number;
            }
            Next::Over => return stream.write_all(b"event: over\ndata:\n\n"),
            Next::Nothing => stream.write_all(b":\n\n")?,
        }
    }
}

fn refuse(stream: &mut TcpStream, status: &str) -> io::Result<()> {
    let body = format!("{status}\n");
    send(stream, status, &format!("Content-Type: text/plain\r\nContent-Length: {}\r\n", body.len()), &body)
}

/// Sends a response whose fields forbid caches to keep it, other pages to show it, and links from it to name it.
fn send(stream: &mut TcpStream, status: &str, fields: &str, body: &str) -> io::Result<()> {
    let common = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n";
    stream.write_all(format!("HTTP/1.1 {status}\r\n{common}{fields}\r\n{body}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared() -> Shared {
        Shared::new(8080, "0123abcd".to_owned())
    }

    #[test]
    fn only_the_page_and_its_states_are_answered_and_only_with_the_token() {
        let cases = [
            ("GET /0123abcd/ HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n", Asked::Page),
            ("GET /0123abcd/events HTTP/1.1\r\nhost: localhost:8080\r\n\r\n", Asked::Events),
            ("GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n", Asked::Refused("404 Not Found")),
            ("GET /0123abcd HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n", Asked::Refused("404 Not Found")),
            ("GET /0123abce/ HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n", Asked::Refused("404 Not Found")),
            (
                "GET /0123abcd/../run.json HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n",
                Asked::Refused("404 Not Found"),
            ),
            ("GET //events HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n", Asked::Refused("404 Not Found")),
            (
                "POST /0123abcd/ HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n",
                Asked::Refused("405 Method Not Allowed"),
            ),
            ("GET /0123abcd/ HTTP/1.1\r\nHost: evil.example:8080\r\n\r\n", Asked::Refused("403 Forbidden")),
            ("GET /0123abcd/ HTTP/1.1\r\nHost: 127.0.0.1:81\r\n\r\n", Asked::Refused("403 Forbidden")),
            ("GET /0123abcd/ HTTP/1.1\r\n\r\n", Asked::Refused("403 Forbidden")),
            (
                "GET /0123abcd/ HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nHost: a\r\n\r\n",
                Asked::Refused("403 Forbidden"),
            ),
            ("GET /0123abcd/ HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n", Asked::Refused("400 Bad Request")),
            ("", Asked::Refused("400 Bad Request")),
            ("\0\r\n\r\n", Asked::Refused("400 Bad Request")),
        ];
        for (head, expected) in cases {
            assert_eq!(asked(head.as_bytes(), &shared()), expected, "{head}");
        }
    }

    #[test]
    fn an_empty_token_opens_nothing() {
        assert!(!is_same("", "0123abcd") && !is_same("0123", "0123abcd") && is_same("0123abcd", "0123abcd"));
    }
}
