//! Follows a run on the machine's console, and ends it when it takes too long.

use std::io::{ErrorKind, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::transcript::Transcript;

/// The limit. The whole lab takes eleven to twelve minutes on one machine with two idle processors, and other programs slow
/// the emulation down. A machine that needs twice as long hangs.
const PATIENCE: Duration = Duration::from_secs(1500);

/// How long the messages of a panic may take.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Runs the machine to its end; every line goes to the terminal and to `transcript`.
pub fn follow(mut machine: Command, transcript: &mut Transcript) -> Result<(), String> {
    let spawned = machine.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|e| format!("qemu-system-x86_64: {e}"))?;
    let output = child.stdout.take().expect("stdout was asked for as a pipe");
    let ended = read(&in_pieces(output), transcript, Instant::now() + PATIENCE);
    if ended.is_err() {
        let _ = child.kill();
    }
    let status = wait(&mut child)?;
    ended?;
    match (status, transcript.is_done()) {
        (true, true) => Ok(()),
        (true, false) => Err("the machine switched off before the tests were done".to_owned()),
        (false, _) => Err("the emulator failed".to_owned()),
    }
}

fn wait(child: &mut Child) -> Result<bool, String> {
    let status = child.wait().map_err(|e| format!("waiting for the emulator: {e}"))?;
    Ok(status.success())
}

/// A line that is never finished must be seen too (`test x ... ` before a hang), and a read cannot
/// be given a time limit: so a thread reads.
fn in_pieces(mut output: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (send, pieces) = channel();
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        loop {
            match output.read(&mut buffer) {
                Ok(0) => return,
                Ok(count) if send.send(buffer[..count].to_vec()).is_err() => return,
                Ok(_) => {}
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    });
    pieces
}

fn read(pieces: &Receiver<Vec<u8>>, transcript: &mut Transcript, deadline: Instant) -> Result<(), String> {
    let (mut lines, mut deadline) = (Lines::default(), deadline);
    let see = |transcript: &mut Transcript, line: &str| {
        println!("{line}");
        transcript.add(line);
    };
    let result = loop {
        match pieces.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(piece) => lines.push(&piece, &mut |line| see(transcript, line)),
            Err(RecvTimeoutError::Disconnected) => break Ok(()),
            Err(RecvTimeoutError::Timeout) if transcript.has_panicked() => {
                break Err("the kernel panicked".to_owned());
            }
            Err(RecvTimeoutError::Timeout) => {
                break Err(format!("the machine was not done after {} s", PATIENCE.as_secs()));
            }
        }
        if transcript.has_panicked() {
            // It would boot again, and run everything once more.
            deadline = deadline.min(Instant::now() + LAST_WORDS);
        }
    };
    lines.finish(&mut |line| see(transcript, line));
    result
}

/// Bytes of a terminal to lines of text.
#[derive(Default)]
struct Lines {
    rest: Vec<u8>,
}

impl Lines {
    fn push(&mut self, piece: &[u8], see: &mut impl FnMut(&str)) {
        self.rest.extend_from_slice(piece);
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            see(String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']));
        }
    }

    fn finish(self, see: &mut impl FnMut(&str)) {
        if !self.rest.is_empty() {
            see(&String::from_utf8_lossy(&self.rest));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::command;

    #[test]
    fn lines_come_whole_whatever_the_pieces() {
        let mut seen = Vec::new();
        let mut lines = Lines::default();
        let mut see = |line: &str| seen.push(line.to_owned());
        for piece in ["lab: be", "gin a\r\nru", "nning\r\n", "test x ... "] {
            lines.push(piece.as_bytes(), &mut see);
        }
        lines.finish(&mut see);
        assert_eq!(seen, ["lab: begin a", "running", "test x ... "]);
    }

    #[test]
    fn a_machine_that_says_nothing_more_is_given_up() {
        let (_send, pieces) = channel();
        let mut transcript = Transcript::of(vec!["a".to_owned()], false);
        assert!(read(&pieces, &mut transcript, Instant::now()).is_err());
    }

    #[test]
    fn a_machine_that_panics_is_not_booted_again() {
        let (send, pieces) = channel();
        send.send(b"Kernel panic - not syncing: a test\n".to_vec()).unwrap();
        let mut transcript = Transcript::of(vec!["a".to_owned()], false);
        let ended = read(&pieces, &mut transcript, Instant::now() + PATIENCE);
        assert_eq!(ended, Err("the kernel panicked".to_owned()));
    }

    #[test]
    fn a_machine_that_goes_off_early_is_a_failure() {
        let said = "lab: begin a\\ntest result: ok. 1 passed; 0 failed\\nlab: end a exit 0\\n";
        let run = |text: &str| {
            let mut transcript = Transcript::of(vec!["a".to_owned()], false);
            follow(command("printf", &[text]), &mut transcript)
        };
        assert!(run(said).is_err());
        assert_eq!(run(&format!("{said}lab: done\\n")), Ok(()));
        let mut transcript = Transcript::default();
        assert!(follow(command("no-such-emulator", &[]), &mut transcript).is_err());
    }
}
