//! The live page: `--web` serves the page of a run while it is measured.
//!
//! It listens on loopback only, at an address with a random token, and answers two requests: for the page, and for its states as
//! server-sent events. It takes no commands. Without a reader no page is made. With one, the page is made again and again from what is
//! saved, which takes at most one part in [`PART_OF_A_CPU`] of a processor, in a thread of the lowest priority.

mod connection;
mod page;
mod state;

use crate::edge::say_at_once;
use crate::failure::{Exit, Failure};
use state::Shared;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::thread::Builder;
use std::time::{Duration, Instant};

/// The shortest time between two states: the spool is flushed each second.
const STATE_EVERY: Duration = Duration::from_secs(2);

/// Making pages takes at most one part in so many of a processor's time. That is half of what the live page may cost a run (0.5 %), even
/// where both have the same single processor. Measured with `bench/verify/live-page.py`.
const PART_OF_A_CPU: u32 = 400;

/// The longest time between two states, however long it takes to make one.
const STATE_AFTER: Duration = Duration::from_secs(60);

/// How long the end of the command waits for the last state to be made and for readers to take it. Without a reader it does not wait.
const END_WAIT: Duration = Duration::from_secs(10);

/// Bytes of the token: it cannot be guessed.
const TOKEN_BYTES: usize = 16;

/// The live page of a command.
pub struct Web {
    shared: Arc<Shared>,
}

impl Web {
    /// Listens on this port of loopback, 0 for a free one, and prints the address.
    ///
    /// # Errors
    /// The port cannot be had.
    pub fn listen(port: u16) -> Result<Web, Failure> {
        let failed = |what: &str, e: &dyn std::fmt::Display| {
            Failure::new(Exit::Usage, format!("cannot {what} for --web: {e}"))
                .hint("--web without a port takes a free one")
        };
        let listening = |e: std::io::Error| failed(&format!("listen on 127.0.0.1:{port}"), &e);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(listening)?;
        let port = listener.local_addr().map_err(listening)?.port();
        let mut token = [0; TOKEN_BYTES];
        getrandom::fill(&mut token).map_err(|e| failed("make a token", &e))?;
        let token: String = token.iter().map(|byte| format!("{byte:02x}")).collect();
        let address = format!("http://127.0.0.1:{port}/{token}/");
        let shared = Arc::new(Shared::new(port, token));
        let (serving, making) = (shared.clone(), shared.clone());
        let started = |e: std::io::Error| failed("start a thread", &e);
        Builder::new()
            .name("web".to_owned())
            .spawn(move || connection::serve(&listener, &serving))
            .map_err(started)?;
        Builder::new().name("web-page".to_owned()).spawn(move || make_pages(&making)).map_err(started)?;
        say_at_once(&format!("live page: {address}"));
        Ok(Web { shared })
    }

    /// The result is saved in this directory.
    pub fn saves_in(&self, dir: &Path) {
        self.shared.saves_in(dir);
    }

    /// The command has ended. Sends the result to the readers, and ends the page.
    pub fn end(self) {
        self.shared.end(END_WAIT);
    }
}

/// Makes the states of the page, while there is somebody who reads them, and the last one.
fn make_pages(shared: &Shared) {
    // The threads that measure come first. On Linux this sets the priority of the calling thread alone.
    let _ = rustix::process::setpriority_process(None, 19);
    let mut next = Instant::now();
    while let Some(state::Wanted { dir, is_over }) = shared.wait_until(next) {
        let began = Instant::now();
        let page = page::of(&dir, !is_over);
        let took = began.elapsed();
        shared.show(page, is_over);
        next = began + (took * PART_OF_A_CPU).clamp(STATE_EVERY, STATE_AFTER);
    }
}
