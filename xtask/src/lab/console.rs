//! Follows a run on the machine's console, and ends it when it takes too long.

use std::io::{ErrorKind, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::steps::Count;

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

// The output of a run of the lab: which test program began, how it ended, what it counted.

/// What the lines on the console say of a run.
#[derive(Debug, Default)]
pub struct Transcript {
    /// The programs that are to run.
    expected: Vec<String>,
    /// Whether a program may have no test to run, because only some were chosen.
    filtered: bool,
    programs: Vec<Program>,
    is_done: bool,
    panic: Option<String>,
}

/// One test program.
#[derive(Debug)]
struct Program {
    name: String,
    exit: Option<i32>,
    count: Count,
    /// Whether it reported at all.
    reported: bool,
}

impl Transcript {
    /// For a run of these programs.
    pub fn of(expected: Vec<String>, filtered: bool) -> Self {
        Self { expected, filtered, ..Self::default() }
    }

    /// Reads a line of the console.
    pub fn add(&mut self, line: &str) {
        if line.contains("Kernel panic - not syncing") {
            self.panic = Some(line.trim().to_owned());
        } else if let Some(frame) = line.strip_prefix("lab: ") {
            self.frame(frame);
        } else if let Some(running) = self.programs.last_mut().filter(|program| program.exit.is_none()) {
            running.reported |= line.starts_with("test result: ");
            running.count.add(line);
        }
    }

    fn frame(&mut self, frame: &str) {
        let words: Vec<&str> = frame.split_whitespace().collect();
        match words[..] {
            ["begin", name] => self.programs.push(Program::begun(name)),
            ["end", name, "exit", code] => {
                let running = self.programs.last_mut().filter(|program| program.name == name);
                if let Some(running) = running {
                    running.exit = code.parse().ok();
                }
            }
            ["done"] => self.is_done = true,
            _ => {}
        }
    }

    /// Whether the kernel gave up.
    pub fn has_panicked(&self) -> bool {
        self.panic.is_some()
    }

    /// Whether everything ran to its end.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// Adds what all programs counted. One that was killed or reported nothing is one failure, so
    /// that no failure is missing in the sum.
    pub fn add_to(&self, count: &mut Count) {
        for name in &self.expected {
            let program = self.program(name);
            if let Some(program) = program {
                count.passed += program.count.passed;
                count.failed += program.count.failed;
                count.ignored += program.count.ignored;
            }
            let silent = program.is_none_or(|program| program.count.failed == 0);
            count.failed += u64::from(silent && self.complaint(name).is_some());
        }
    }

    /// What went wrong, if anything did.
    pub fn verdict(&self) -> Result<(), String> {
        let mut complaints: Vec<String> = self.panic.iter().cloned().collect();
        complaints.extend(self.expected.iter().filter_map(|name| self.complaint(name)));
        if complaints.is_empty() && self.programs.iter().all(|program| program.count.passed == 0) {
            complaints.push("no test ran".to_owned());
        }
        if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
    }

    fn program(&self, name: &str) -> Option<&Program> {
        self.programs.iter().find(|program| program.name == name)
    }

    fn complaint(&self, name: &str) -> Option<String> {
        let Some(program) = self.program(name) else {
            return Some(format!("{name} did not begin"));
        };
        let count = &program.count;
        match program.exit {
            None => Some(format!("{name} did not end")),
            Some(137) => Some(format!("{name} ran too long and was killed")),
            Some(_) if count.failed > 0 => Some(format!("{name}: {} tests failed", count.failed)),
            Some(code) if code != 0 => Some(format!("{name} ended with exit code {code}")),
            Some(_) if !program.reported => Some(format!("{name} reported no tests")),
            Some(_) if count.passed == 0 && !self.filtered => Some(format!("{name} ran no test")),
            Some(_) if count.ignored > 0 => Some(format!("{name}: {} tests are switched off", count.ignored)),
            Some(_) => None,
        }
    }
}

impl Program {
    fn begun(name: &str) -> Self {
        Self { name: name.to_owned(), exit: None, count: Count::default(), reported: false }
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

    const GOOD: &str = "\
[    0.1] noise
lab: begin a
running 2 tests
test x ... ok
test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.50s

lab: end a exit 0
lab: begin b
test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out
lab: end b exit 101
lab: done
";

    fn reported(text: &str, expected: &[&str], filtered: bool) -> (Result<(), String>, Count) {
        let expected = expected.iter().map(|name| (*name).to_owned()).collect();
        let mut transcript = Transcript::of(expected, filtered);
        text.lines().for_each(|line| transcript.add(line));
        let mut count = Count::default();
        transcript.add_to(&mut count);
        (transcript.verdict(), count)
    }

    #[test]
    fn counts_of_all_programs_add_up() {
        let (verdict, count) = reported(GOOD, &["a", "b"], false);
        assert_eq!(verdict, Err("b: 1 tests failed".to_owned()));
        assert_eq!(count, Count { passed: 5, failed: 1, ignored: 0 });
        assert_eq!(reported(GOOD, &["a"], false).0, Ok(()));
    }

    #[test]
    fn silence_is_failure() {
        let result = "test result: ok. 1 passed; 0 failed; 0 ignored";
        let none = "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 5 filtered out";
        for (text, complaint) in [
            (String::new(), "a did not begin"),
            ("lab: begin a\ntest x ... ".to_owned(), "a did not end"),
            (format!("lab: begin a\n{result}\nlab: end a exit 137\n"), "a ran too long and was killed"),
            (format!("lab: begin a\n{result}\nlab: end a exit 139\n"), "a ended with exit code 139"),
            ("lab: begin a\nlab: end a exit 0\n".to_owned(), "a reported no tests"),
            (format!("lab: begin a\n{none}\nlab: end a exit 0\n"), "a ran no test"),
        ] {
            let (verdict, count) = reported(&text, &["a"], false);
            assert_eq!(verdict, Err(complaint.to_owned()));
            assert_eq!(count.failed, 1, "{complaint}");
        }
        let text = format!("lab: begin a\n{none}\nlab: end a exit 0\n");
        assert_eq!(reported(&text, &["a"], true).0, Err("no test ran".to_owned()));
    }

    #[test]
    fn a_panic_is_told() {
        let text = "lab: begin a\n[ 3.1] Kernel panic - not syncing: Attempted to kill init!\n";
        let (verdict, _) = reported(text, &["a"], false);
        assert_eq!(
            verdict.unwrap_err(),
            "[ 3.1] Kernel panic - not syncing: Attempted to kill init!\na did not end"
        );
    }
}
