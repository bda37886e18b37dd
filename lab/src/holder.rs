//! Another process that holds a device open.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::place::assert_lab;

/// The process; it ends when this value is dropped.
#[derive(Debug)]
pub struct Holder(Child);

impl Holder {
    /// Opens `node` in another process; `how` is one of `read`, `write`, `read-exclusive`,
    /// `write-exclusive`.
    #[track_caller]
    pub fn open(node: &str, how: &str) -> Self {
        assert_lab();
        let hold =
            Command::new("lab-hold").args([node, how]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = hold.unwrap_or_else(|e| panic!("lab-hold: {e}"));
        let mut line = String::new();
        let stdout = child.stdout.as_mut().expect("stdout was asked for as a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a pipe can be read");
        assert_eq!(line, "open\n", "lab-hold could not open {node} for {how}");
        Self(child)
    }

    /// Its process ID.
    pub fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        // It is not an error if it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
