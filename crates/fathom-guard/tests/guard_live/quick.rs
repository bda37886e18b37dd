//! A process that attaches loop devices within a fraction of a millisecond. losetup takes longer,
//! because it has to start first.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

/// It has one device attached at a time. The device is detached at the latest when the process ends.
pub struct Quick {
    program: Child,
    answers: BufReader<ChildStdout>,
}

impl Quick {
    pub fn start() -> Self {
        let mut python = Command::new("python3");
        python.args(["-c", include_str!("quick.py")]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut program = python.spawn().expect("python3 is needed for this test");
        let answers = BufReader::new(program.stdout.take().unwrap());
        Self { program, answers }
    }

    /// Returns the kernel name of the device.
    pub fn attach(&mut self, path: &Path, writes: bool) -> String {
        let mode = if writes { "write" } else { "read" };
        let name = self.ask(&format!("{mode} {}", path.display()));
        assert!(name.starts_with("loop"), "nothing was attached");
        name
    }

    pub fn detach(&mut self) {
        assert_eq!(self.ask("detach it"), "detached");
    }

    fn ask(&mut self, line: &str) -> String {
        writeln!(self.program.stdin.as_mut().unwrap(), "{line}").unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        answer.trim().to_owned()
    }
}

impl Drop for Quick {
    fn drop(&mut self) {
        drop(self.program.stdin.take());
        let _ = self.program.wait();
    }
}
