//! Runs other programs. The command is always shown first, and its exit status is always checked.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// A command in the root of the workspace.
pub fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(crate::workspace::root());
    command
}

/// The cargo that started this program.
pub fn cargo(arguments: &[&str]) -> Command {
    let program = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    command(&program, arguments)
}

/// The same for a build from a cold clone. What cargo keeps for the next build costs 40 % more CPU
/// time and half as much disk again (measured), so it is kept only where `CARGO_INCREMENTAL` asks for it.
pub fn cargo_once(arguments: &[&str]) -> Command {
    let mut command = cargo(arguments);
    if std::env::var_os("CARGO_INCREMENTAL").is_none() {
        command.env("CARGO_INCREMENTAL", "0");
    }
    command
}

/// The same for a build whose compiler is clippy: it is the compiler with more rules, so what it accepts is built and linted at once,
/// and the workspace is compiled once less. Warnings are errors.
pub fn cargo_linted(arguments: &[&str]) -> Command {
    let mut command = cargo_once(arguments);
    // The form in which `cargo clippy -- -D warnings` gives its driver these words.
    command
        .env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver")
        .env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
    command
}

/// The same command with every signal as the kernel presets it. What `nohup` or a shell's `&` starts ignores some
/// signals, and so does what it starts itself: tests that send such a signal to fathom would wait without end.
pub fn with_default_signals(of: &Command) -> Command {
    let mut command = Command::new("env");
    command.arg("--default-signal").arg(of.get_program()).args(of.get_args());
    of.get_current_dir().into_iter().for_each(|directory| {
        command.current_dir(directory);
    });
    for (name, value) in of.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// Whether we are root: the files under /proc/self belong to the effective user.
pub fn is_root() -> bool {
    Path::new("/proc/self").metadata().is_ok_and(|m| m.uid() == 0)
}

/// An error that says what needs root, if we are not root.
pub fn need_root(what: &str) -> Result<(), String> {
    if is_root() { Ok(()) } else { Err(format!("{what} needs root")) }
}

/// Runs it on our terminal.
pub fn run(command: &mut Command) -> Result<(), String> {
    show(command);
    let status = command.status().map_err(|e| not_started(command, &e))?;
    if status.success() {
        return Ok(());
    }
    Err(format!("{}: {status}", line(command)))
}

/// Runs it and gives each line of its stdout to `see` as it comes. Returns whether it succeeded.
pub fn run_watched(command: &mut Command, mut see: impl FnMut(&str)) -> Result<bool, String> {
    show(command);
    let spawned = command.stdout(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|e| not_started(command, &e))?;
    let stdout = child.stdout.take().expect("stdout was asked for as a pipe");
    for read in BufReader::new(stdout).lines() {
        let read = read.map_err(|e| format!("{}: reading its output: {e}", line(command)))?;
        see(&read);
    }
    let status = child.wait().map_err(|e| not_started(command, &e))?;
    Ok(status.success())
}

/// Runs it quietly and returns its stdout; the error contains its stderr.
pub fn capture(command: &mut Command) -> Result<String, String> {
    capture_ended(command, &[0])
}

/// The same of a command that may end with any of these exit codes.
pub fn capture_ended(command: &mut Command, codes: &[i32]) -> Result<String, String> {
    let output = command.output().map_err(|e| not_started(command, &e))?;
    if !output.status.code().is_some_and(|code| codes.contains(&code)) {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}: {}\n{}", line(command), output.status, said.trim()));
    }
    String::from_utf8(output.stdout).map_err(|e| format!("{}: {e}", line(command)))
}

fn show(command: &Command) {
    println!("$ {}", line(command));
}

fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

fn not_started(command: &Command, error: &std::io::Error) -> String {
    format!("{}: {error}", line(command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_program_is_a_failure() {
        assert_eq!(run(&mut command("true", &[])), Ok(()));
        assert!(run(&mut command("false", &[])).is_err());
        assert!(run(&mut command("no-such-program", &[])).is_err());
        assert!(capture(&mut command("ls", &["no-such-file"])).is_err());
    }

    #[test]
    fn a_signal_that_our_parent_ignores_is_not_ignored() {
        // This program lists what it ignores on stderr.
        let lists = command("env", &["--list-signal-handling", "true"]);
        let heard = |listed: &Command| {
            let mut below = command("sh", &["-c", "trap '' HUP; exec \"$@\"", "sh"]);
            let output = below.arg(listed.get_program()).args(listed.get_args()).output().unwrap();
            !String::from_utf8_lossy(&output.stderr).contains("HUP")
        };
        assert!(!heard(&lists));
        assert!(heard(&with_default_signals(&lists)));
    }

    #[test]
    fn every_line_is_seen() {
        let mut seen = Vec::new();
        let succeeded = run_watched(&mut command("printf", &["a\\nb\\n"]), |line| {
            seen.push(line.to_owned());
        });
        assert_eq!(succeeded, Ok(true));
        assert_eq!(seen, ["a", "b"]);
    }
}
