//! Programs that call fio, as Debian, PyPI and their authors publish them: with a link named `fio` to fathom they do what they do with
//! Debian's fio, and their figures are those of the result.
//!
//! `cargo xtask test` installs them; a program that is missing makes its test fail.

mod bad_input;
mod bench_fio;
mod exports;
mod fio_package;
mod readers;
mod scripts;

use crate::support::{json, text};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Where Debian's programs are.
const DEBIAN: &str = "/usr/bin:/bin:/usr/sbin:/sbin";

/// A `fio` as its clients find it, in `PATH`, and the directory in which they run.
struct Tool {
    name: &'static str,
    path: String,
    dir: PathBuf,
}

/// Debian's fio and a link to fathom, each with an empty directory below `scratch`.
fn tools(scratch: &Path) -> [Tool; 2] {
    let links = scratch.join("links");
    fs::create_dir(&links).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_fathom"), links.join("fio")).unwrap();
    let tool = |name: &'static str, path: String| {
        let dir = scratch.join(name);
        fs::create_dir(&dir).unwrap();
        Tool { name, path, dir }
    };
    [tool("fio", DEBIAN.to_owned()), tool("fathom", format!("{}:{DEBIAN}", links.display()))]
}

impl Tool {
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("/usr/bin/env");
        command.args(words).current_dir(&self.dir).env("PATH", &self.path).env("LC_ALL", "C.UTF-8");
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// Runs what must succeed; its standard output.
    fn must(&self, words: &[&str]) -> String {
        let output = self.run(words);
        assert!(output.status.success(), "{} {words:?}: {}", self.name, text(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.dir.join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.dir.join(name)).unwrap_or_else(|e| panic!("{}: {name}: {e}", self.name))
    }

    /// The jobs of a document that fio wrote to this file.
    fn jobs(&self, name: &str) -> Vec<Value> {
        json(&self.read(name))["jobs"].as_array().expect("jobs").clone()
    }

    /// The files below a directory that have this ending, with their paths in it; sorted.
    fn files(&self, below: &str, ending: &str) -> Vec<String> {
        let root = self.dir.join(below);
        let (mut found, mut waiting) = (Vec::new(), vec![root.clone()]);
        while let Some(dir) = waiting.pop() {
            for entry in fs::read_dir(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display())) {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => waiting.push(path),
                    false => found.push(path.strip_prefix(&root).unwrap().display().to_string()),
                }
            }
        }
        found.retain(|name| name.ends_with(ending));
        found.sort();
        found
    }
}

/// `key=value` of a file with one such pair on each line.
fn pair(text: &str, key: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    line.unwrap_or_else(|| panic!("no {key} in: {text}")).trim().parse().unwrap()
}

fn number(of: &Value, pointer: &str) -> f64 {
    of.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("no {pointer}"))
}

fn assert_near(what: &str, one: f64, other: f64, share: f64) {
    assert!((one - other).abs() <= share * other.abs(), "{what}: {one} and {other}");
}
