//! A real pseudo-terminal, and an emulator that shows what a person would see on it.

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::Read;
use std::num::NonZero;
use std::os::fd::OwnedFd;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Lines that the emulator keeps above its screen.
const SCROLLBACK: usize = 10_000;

/// A pseudo-terminal: the side of the person, and a copy of the program's side.
pub struct Pty {
    person: OwnedFd,
    pub program: File,
}

impl Pty {
    /// A terminal of this size.
    pub fn of(columns: u16, rows: u16) -> Pty {
        let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&person).unwrap();
        unlockpt(&person).unwrap();
        let path = ptsname(&person, Vec::new()).unwrap().into_string().unwrap();
        let program = File::options().read(true).write(true).open(path).unwrap();
        let pty = Pty { person, program };
        pty.resize(columns, rows);
        pty
    }

    pub fn resize(&self, columns: u16, rows: u16) {
        let size = Winsize { ws_col: columns, ws_row: rows, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.person, size).unwrap();
    }

    /// Starts the program with its standard error here; with `prints`, standard output also.
    pub fn start(&self, mut command: Command, prints: bool) -> Child {
        command.stderr(self.program.try_clone().unwrap());
        if prints {
            command.stdout(self.program.try_clone().unwrap());
        }
        command.spawn().unwrap()
    }

    /// Everything that is written from now on, each part with its time. It ends when no program has
    /// the terminal open.
    pub fn read(self) -> Receiver<(Instant, Vec<u8>)> {
        let Pty { person, program } = self;
        drop(program);
        let (send, parts) = channel();
        std::thread::spawn(move || {
            let (mut person, mut part) = (File::from(person), [0; 65_536]);
            // The end of a pseudo-terminal is the error EIO.
            while let Ok(n @ 1..) = person.read(&mut part) {
                let _ = send.send((Instant::now(), part[..n].to_vec()));
            }
        });
        parts
    }
}

/// What a person saw.
pub struct Seen {
    /// Each different screen that had text, rows joined by line breaks.
    pub screens: Vec<String>,
    /// What stood there at the end, with all that was scrolled away.
    pub last: String,
    /// Whether a line was scrolled away.
    pub scrolled: bool,
    /// Whether a row was continued in the next one.
    pub wrapped: bool,
    /// All bytes that were written.
    pub bytes: Vec<u8>,
    /// When something was written.
    pub times: Vec<Instant>,
}

impl Seen {
    /// Reads all parts into a terminal of this size.
    pub fn of(parts: &Receiver<(Instant, Vec<u8>)>, columns: u16, rows: u16) -> Seen {
        let size = [rows, columns].map(|size| NonZero::new(size).unwrap());
        let mut parser = vt100::Parser::new(size[0], size[1], SCROLLBACK);
        let (screens, last, bytes) = Default::default();
        let mut seen = Seen { screens, last, scrolled: false, wrapped: false, bytes, times: Vec::new() };
        for (at, part) in parts {
            parser.process(&part);
            let screen = parser.screen();
            seen.wrapped |= (0..rows).any(|row| screen.row_wrapped(row));
            seen.screens.push(screen.contents());
            seen.bytes.extend(part);
            seen.times.push(at);
        }
        parser.screen_mut().set_scrollback(SCROLLBACK);
        let above = parser.screen().scrollback();
        seen.scrolled = above > 0;
        seen.last = lines(&mut parser, above, columns);
        seen
    }

    /// Whether any screen showed this.
    pub fn shows(&self, text: &str) -> bool {
        self.screens.iter().any(|screen| screen.contains(text))
    }

    /// The most writes within a second. What is written at once can be read in several parts.
    pub fn writes_a_second(&self) -> usize {
        let mut times = self.times.clone();
        times.dedup_by(|at, before| *at - *before < Duration::from_millis(10));
        let within = |from: &Instant| {
            times.iter().filter(|at| *at >= from && **at - *from < Duration::from_secs(1)).count()
        };
        times.iter().map(within).max().unwrap_or(0)
    }
}

/// The screen and the lines above it.
fn lines(parser: &mut vt100::Parser, above: usize, columns: u16) -> String {
    let mut text = Vec::new();
    for from in (1..=above).rev() {
        parser.screen_mut().set_scrollback(from);
        text.extend(parser.screen().rows(0, columns).next());
    }
    parser.screen_mut().set_scrollback(0);
    text.extend(parser.screen().rows(0, columns));
    text.join("\n").trim_end().to_owned()
}
