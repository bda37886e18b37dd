//! The kernel of this machine, with a limit for what may hang.

use std::io::{self, ErrorKind, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::apart::{Answer, Apart, Task};
use super::place::Place;
use super::writer::{Kernel, Writer};
use crate::root::Root;

/// Makes the command of a process that ends up in `carry_out` with the
/// same journal and task, and answers on its standard output.
pub type ApartCommand = fn(&Path, Task) -> Command;

/// Writes like [`Kernel`]; what may hang is written by a process of its own.
#[derive(Debug, Clone, Copy)]
pub struct LimitedKernel {
    /// How that process is started.
    pub command: ApartCommand,
}

impl Writer for LimitedKernel {
    fn write(&self, root: &Root, place: &Place, text: &str) -> io::Result<()> {
        Kernel.write(root, place, text)
    }

    fn apart(&self) -> Option<&dyn Apart> {
        Some(self)
    }
}

impl Apart for LimitedKernel {
    fn carry_out(&self, journal: &Path, task: Task, limit: Duration) -> io::Result<Answer> {
        let ends = Instant::now() + limit;
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = (self.command)(journal, task);
        // A group of its own: Ctrl-C at the terminal is for us, and we go on.
        let command = command.stdin(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let mut child = command.stdout(OwnedFd::from(theirs)).spawn()?;
        // Until then we hold the other end too, and would never read its end.
        command.stdout(Stdio::null());
        let answer = read_until(ours, ends)?;
        if answer.is_whole {
            child.wait()?;
        } else {
            // It ends as soon as the kernel lets it, and writes nothing more
            // once that call has returned. Nobody waits for that.
            child.kill()?;
        }
        Ok(answer)
    }
}

/// What is said before the stream ends, or before the time is over.
fn read_until(mut from: UnixStream, ends: Instant) -> io::Result<Answer> {
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    let is_whole = loop {
        let left = ends.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break false;
        }
        from.set_read_timeout(Some(left))?;
        match from.read(&mut part) {
            Ok(0) => break true,
            Ok(read) => bytes.extend_from_slice(&part[..read]),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(e) => return Err(e),
        }
    };
    Ok(Answer { text: String::from_utf8_lossy(&bytes).into_owned(), is_whole })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &'static str, limit: Duration) -> Answer {
        thread_local!(static SCRIPT: std::cell::Cell<&'static str> = const { std::cell::Cell::new("") });
        SCRIPT.set(script);
        let command = |_: &Path, _: Task| {
            let mut shell = Command::new("sh");
            shell.args(["-c", SCRIPT.get()]);
            shell
        };
        LimitedKernel { command }.carry_out(Path::new("/"), Task::Look, limit).unwrap()
    }

    #[test]
    fn an_answer_in_time_is_whole() {
        let answer = shell("echo one; echo two", Duration::from_secs(60));
        assert_eq!(answer, Answer { text: "one\ntwo\n".to_owned(), is_whole: true });
    }

    /// What was said before the limit is kept; nobody waits for the rest.
    #[test]
    fn silence_ends_with_the_limit() {
        let began = Instant::now();
        let answer = shell("echo one; exec sleep 600", Duration::from_millis(300));
        assert!(!answer.is_whole && began.elapsed() < Duration::from_secs(300));
    }
}
