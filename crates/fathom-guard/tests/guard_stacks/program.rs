//! Programs that make and check file systems.

use std::io;
use std::path::Path;
use std::process::Command;

/// Runs a program with words that hold no blanks, and paths.
pub fn run(command: &str, paths: &[&Path]) -> io::Result<()> {
    let mut words = command.split(' ');
    let program = words.next().expect("a program");
    let output = Command::new(program).args(words).args(paths).output();
    let output = output.map_err(|e| io::Error::other(format!("{program} is needed for this test: {e}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    Err(io::Error::other(format!("{command} {paths:?}: {}", String::from_utf8_lossy(&said))))
}
