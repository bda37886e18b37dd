//! A test in a process with mounts of its own and a process table of its own.
//!
//! The guard reads the mounts of its process, which are the same for all its threads. So the test
//! starts its own program again. What that process leaves mounted is gone when it ends, even if it
//! is killed. The guard looks at every process that it sees; there it sees no other, so it is quick
//! and other programs change nothing.

use std::env;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::kernel::namespace::end_with_us;

/// Set in the process that is to do the work.
const INSIDE: &str = "FATHOM_STACKS_INSIDE";
/// Begins a line that is printed also when the tests pass.
const TOLD: &str = "guard_stacks: ";

/// Swap and loop devices are the machine's: one test at a time.
static MACHINE: Mutex<()> = Mutex::new(());

/// Runs `work` in a process of its own; `test` is the name of the calling test. What `work` returns
/// is printed even if the test passes.
pub fn run(test: &str, work: impl FnOnce() -> String) {
    let uid = std::fs::metadata("/proc/self").expect("/proc is mounted").uid();
    assert_eq!(uid, 0, "this test attaches loop devices and must run as root");
    if env::var_os(INSIDE).is_some() {
        writeln!(std::io::stdout(), "\n{TOLD}{}", work()).expect("somebody reads it");
        return;
    }
    let _turn = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    let program = env::current_exe().expect("the program that runs");
    let mut command = Command::new("unshare");
    command.args(["--mount", "--pid", "--fork", "--mount-proc", "--kill-child"]).arg(program);
    command.args([test, "--exact", "--nocapture"]).env(INSIDE, "1");
    let output = end_with_us(&mut command).output().expect("unshare is needed for this test");
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    for line in said.lines().filter(|line| line.starts_with(TOLD)) {
        // The macros would keep it until a test fails.
        let _ = writeln!(std::io::stderr(), "{line}");
    }
    assert!(output.status.success(), "{said}\n{errors}");
}
