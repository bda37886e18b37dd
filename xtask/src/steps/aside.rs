//! Work that is done beside a step of which most is waiting: a process of ours, with the lowest priority.
//!
//! Tests wait for devices and clocks, and the lab has one processor: while they run, the programs of later steps are built,
//! a second lab runs, and the steps that only compute are done. Their output comes in one piece when they are waited for.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::workspace;

/// A task of this program that runs beside a step.
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
        let program = std::env::current_exe().map_err(|e| format!("this program: {e}"))?;
        let mut command = Command::new("nice");
        command.args(["-n", "19"]).arg(program).args(task).current_dir(workspace::root());
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
