//! A task of this program that runs beside a step, as a process of its own.
//!
//! The build of the program that ships ends with a part that uses one processor, so other programs are built beside it. A lab
//! also uses one processor, so a second lab runs beside it. Nothing runs beside the tests, because some of them depend on
//! time. What the task printed is shown when it has ended.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use super::tests::Count;
use crate::{lab, workspace};

/// A task that has begun.
pub struct Aside {
    child: Child,
    output: PathBuf,
}

impl Aside {
    /// Begins a task, which has these words.
    pub fn begin(task: &[&str]) -> Result<Aside, String> {
        let output = workspace::target().join(format!("aside-{}.log", task[0]));
        let failed = |e: std::io::Error| format!("{}: {e}", output.display());
        let file = File::create(&output).map_err(failed)?;
        // The tests build this program again, in the place of the file that runs.
        let program = workspace::target().join(format!("aside-{}", task[0]));
        std::fs::copy("/proc/self/exe", &program).map_err(|e| format!("{}: {e}", program.display()))?;
        let mut command = Command::new(program);
        command.args(task).current_dir(workspace::root());
        command.stdin(Stdio::null()).stderr(file.try_clone().map_err(failed)?).stdout(file);
        let child = command.spawn().map_err(|e| format!("{}: {e}", task.join(" ")))?;
        Ok(Aside { child, output })
    }

    /// Waits for its end, shows what it said, and gives each line of it to `see`.
    pub fn end(mut self, see: impl FnMut(&str)) -> Result<(), String> {
        let status = self.child.wait().map_err(|e| format!("waiting for it: {e}"))?;
        let output = std::fs::read(&self.output).unwrap_or_default();
        let output = String::from_utf8_lossy(&output);
        print!("{output}");
        output.lines().for_each(see);
        if status.success() { Ok(()) } else { Err(format!("{status}")) }
    }
}

/// The test targets of the two machines, about half of the time each. Those that take minutes run by hand: `cargo xtask lab`.
const MACHINES: [&[&str]; 2] = [&["guard", "array"], &["purge", "tune", "machine", "reboot"]];

/// Runs the tests that need the virtual machine, on two machines at the same time, and adds what they report to `count`.
pub fn run_lab(count: &mut Count) -> Result<(), String> {
    let [first, second] = MACHINES;
    let second = Aside::begin(&[&["lab"], second].concat());
    let first = lab::run_targets(first, count);
    let second = second.and_then(|aside| aside.end(|line| count.add(line)));
    lab::both(first, second)
}
