//! The kernel of this machine, with a limit for what may hang.

use std::io::{self, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::child::{Apart, END, Hand, Task, TaskAnswer};
use super::place::SettingPlace;
use super::writer::{Kernel, Writer};
use fathom_device::root::Root;

/// Makes the command of a process that ends up in [`super::child::serve`] with the same journal: it
/// reads the tasks from its standard input and writes the answers to its standard output.
pub type ApartCommand = fn(&Path) -> Command;

/// Writes like [`Kernel`]; what may hang is written by a process of its own.
#[derive(Debug, Clone, Copy)]
pub struct LimitedKernel {
    /// How that process is started.
    pub command: ApartCommand,
}

impl Writer for LimitedKernel {
    fn write(&self, root: &Root, place: &SettingPlace, text: &str) -> io::Result<()> {
        Kernel.write(root, place, text)
    }

    fn apart(&self) -> Option<&dyn Apart> {
        Some(self)
    }
}

impl Apart for LimitedKernel {
    fn begin<'a>(&'a self, journal: &Path) -> io::Result<Box<dyn Hand + 'a>> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = (self.command)(journal);
        // A group of its own: Ctrl-C at the terminal is for us, and we go on.
        let command = command.process_group(0).stderr(Stdio::null());
        let command = command.stdin(OwnedFd::from(theirs.try_clone()?)).stdout(OwnedFd::from(theirs));
        Ok(Box::new(Process { child: command.spawn()?, stream: ours, is_silent: false }))
    }
}

struct Process {
    child: Child,
    stream: UnixStream,
    is_silent: bool,
}

impl Hand for Process {
    fn carry_out(&mut self, task: Task, limit: Duration) -> io::Result<TaskAnswer> {
        writeln!(self.stream, "{task}")?;
        let answer = read_until(&mut self.stream, Instant::now() + limit)?;
        self.is_silent = !answer.is_whole;
        Ok(answer)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Both);
        if self.is_silent {
            // It ends as soon as the kernel lets it, and writes nothing more
            // once that call has returned. Nobody waits for that.
            let _ = self.child.kill();
        } else {
            let _ = self.child.wait();
        }
    }
}

/// What the process writes before the end of the answer, or before the time is over. An error means
/// that the process has ended.
fn read_until(from: &mut UnixStream, ends: Instant) -> io::Result<TaskAnswer> {
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    let end = format!("{END}\n").into_bytes();
    loop {
        let is_whole = bytes == end || bytes.ends_with(&[b"\n", &end[..]].concat());
        let left = ends.saturating_duration_since(Instant::now());
        if is_whole || left.is_zero() {
            let text_bytes = if is_whole { bytes.len() - end.len() } else { bytes.len() };
            return Ok(TaskAnswer {
                text: String::from_utf8_lossy(&bytes[..text_bytes]).into_owned(),
                is_whole,
            });
        }
        from.set_read_timeout(Some(left))?;
        match from.read(&mut part) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(read) => bytes.extend_from_slice(&part[..read]),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(e) => return Err(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &'static str) -> LimitedKernel {
        thread_local!(static SCRIPT: std::cell::Cell<&'static str> = const { std::cell::Cell::new("") });
        SCRIPT.set(script);
        let command = |_: &Path| {
            let mut shell = Command::new("sh");
            shell.args(["-c", SCRIPT.get()]);
            shell
        };
        LimitedKernel { command }
    }

    /// One process answers many tasks, and ends when nobody asks any more.
    #[test]
    fn an_answer_in_time_is_whole() {
        let kernel = shell("while read task; do echo one; echo $task; echo .; done");
        let mut hand = kernel.begin(Path::new("/")).unwrap();
        for task in [Task::Look, Task::Make(7)] {
            let answer = hand.carry_out(task, Duration::from_secs(60)).unwrap();
            assert_eq!(answer, TaskAnswer { text: format!("one\n{task}\n"), is_whole: true });
        }
    }

    /// What was said before the limit is kept; nobody waits for the rest.
    #[test]
    fn silence_ends_with_the_limit() {
        let (began, kernel) = (Instant::now(), shell("read task; echo one; exec sleep 600"));
        let answer = kernel.begin(Path::new("/")).unwrap().carry_out(Task::Look, Duration::from_millis(300));
        assert_eq!(answer.unwrap(), TaskAnswer { text: "one\n".to_owned(), is_whole: false });
        assert!(began.elapsed() < Duration::from_secs(300));
    }

    #[test]
    fn a_process_that_ends_without_an_answer_is_an_error() {
        let kernel = shell("read task; echo one");
        let answer = kernel.begin(Path::new("/")).unwrap().carry_out(Task::Look, Duration::from_secs(60));
        assert_eq!(answer.unwrap_err().kind(), ErrorKind::UnexpectedEof);
    }
}
