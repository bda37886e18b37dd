//! Acts that are undone when a test ends, however it ends, so that the next test finds the machine
//! as it was.

use crate::program::{sh, try_sh};

/// What is to be undone, the last act first.
#[derive(Debug, Default)]
pub struct Scope {
    undo: Vec<Vec<String>>,
}

impl Scope {
    /// A scope with nothing to undo.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs `act`, which must succeed, and keeps `undo` for the end.
    #[track_caller]
    pub fn act(&mut self, act: &[&str], undo: &[&str]) -> String {
        let said = sh(act);
        self.later(undo);
        said
    }

    /// Keeps a command for the end.
    pub fn later(&mut self, undo: &[&str]) {
        self.undo.push(undo.iter().map(|word| (*word).to_owned()).collect());
    }

    /// Mounts a device on a new directory, and returns the directory. What the mount itself writes is
    /// on the device when this returns, so that tests can compare the bytes of the device afterwards.
    #[track_caller]
    pub fn mount(&mut self, node: &str) -> String {
        let point = format!("/mnt/{}", node.replace('/', "_"));
        std::fs::create_dir_all(&point).expect("/mnt is ours");
        self.act(&["mount", node, &point], &["umount", &point]);
        sh(&["sync", "-f", &point]);
        point
    }

    /// Undoes everything now; panics with what cannot be undone.
    #[track_caller]
    pub fn end(mut self) {
        let left = self.unwind();
        assert!(left.is_empty(), "left behind: {left:?}");
    }

    fn unwind(&mut self) -> Vec<String> {
        let mut left = Vec::new();
        while let Some(words) = self.undo.pop() {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let run = try_sh(&words);
            if run.code != Some(0) {
                left.push(format!("{}: {}", words.join(" "), run.stderr.trim()));
            }
        }
        left
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        let left = self.unwind();
        if !left.is_empty() && !std::thread::panicking() {
            panic!("left behind: {left:?}");
        }
    }
}
