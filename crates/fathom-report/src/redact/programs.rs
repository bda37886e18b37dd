//! Names of other programs: findings about them hold the name, the number of the process and a line of its
//! `/proc/PID/stat`.

use super::kind::Kind;
use super::names::{Names, whole_words};
use super::ordinary::is_ordinary;
use fathom_results::HostFinding;

/// What a process is called where its number was.
const ANOTHER: &str = "another program";

/// Flag of a kernel thread (`PF_KTHREAD`, linux/sched.h). The names of kernel threads are the kernel's own.
const PF_KTHREAD: u64 = 0x0020_0000;

/// Fields behind the name in `/proc/PID/stat` that precede the flags, which are field 9 of proc_pid_stat(5).
const FIELDS_BEFORE_FLAGS: usize = 6;

/// Learns the names of programs, the numbers of their processes and the sentences that name them.
pub(super) fn learn<'a>(findings: impl Iterator<Item = &'a HostFinding>, names: &mut Names) {
    for (finding, pid, program) in findings.filter_map(of_a_program) {
        let stand_in = names.of(Kind::Program, program);
        names.stands_for(&finding.says, &without_program(&finding.says, program, &stand_in));
        names.stands_for(&finding.path, "/proc/PID/stat");
        names.stands_for(&format!("pid {pid}"), ANOTHER);
    }
}

/// A sentence about a program. The program may be called `sh` or `CPU`: elsewhere such a word may mean something else, and
/// in this sentence its first place is the program.
fn without_program(says: &str, program: &str, stand_in: &str) -> String {
    match says.strip_prefix(program) {
        Some(rest) if is_ordinary(program) => format!("{stand_in}{rest}"),
        _ => whole_words(says, program, stand_in),
    }
}

/// The finding without the line that was read, which has the name and the process.
pub(super) fn without_line(finding: &mut HostFinding) {
    if of_a_program(finding).is_some() {
        finding.raw = "left out".to_owned();
    }
}

/// A finding about a program, with the number of its process and its name.
fn of_a_program(finding: &HostFinding) -> Option<(&HostFinding, &str, &str)> {
    let pid = finding.path.strip_prefix("/proc/")?.strip_suffix("/stat")?;
    pid.parse::<u32>().ok()?;
    // The name may hold anything, brackets and spaces too.
    let (head, rest) = finding.raw.rsplit_once(')')?;
    let (_, name) = head.split_once('(')?;
    let flags = rest.split_whitespace().nth(FIELDS_BEFORE_FLAGS).and_then(|flags| flags.parse::<u64>().ok());
    let is_kernel = flags.is_some_and(|flags| flags & PF_KTHREAD != 0);
    (!is_kernel).then_some((finding, pid, name))
}
