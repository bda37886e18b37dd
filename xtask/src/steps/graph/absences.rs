//! What a crate never does, looked for in the code that it ships.

use std::path::Path;

use super::source::shipped;
use crate::workspace::{root, rust_files};

/// A thing that some crates never do.
struct Absence {
    crates: &'static [&'static str],
    /// A line of code with any of these does it.
    traces: &'static [&'static str],
    /// What the failure says of the line.
    deed: &'static str,
    /// Files, or directories with a slash at the end, where it is allowed, each
    /// with its reason.
    allowed: &'static [(&'static str, &'static str)],
}

const LIBRARIES: &[&str] = &[
    "fathom-text",
    "fathom-job",
    "fathom-stats",
    "fathom-sim",
    "fathom-results",
    "fathom-figures",
    "fathom-engine",
    "fathom-device",
    "fathom-guard",
    "fathom-host",
    "fathom-tune",
    "fathom-judge",
    "fathom-procedures",
    "fathom-words",
    "fathom-session",
    "fathom-report",
];
const SAFE: &[&str] = &[
    "fathom-text",
    "fathom-job",
    "fathom-stats",
    "fathom-sim",
    "fathom-results",
    "fathom-figures",
    "fathom-host",
    "fathom-judge",
    "fathom-procedures",
    "fathom-words",
    "fathom-session",
    "fathom-report",
];
const FORBID_UNSAFE: &str = "#![forbid(unsafe_code)]";

const ABSENCES: &[Absence] = &[
    Absence {
        crates: LIBRARIES,
        traces: &[
            "println!",
            "eprintln!",
            " print!(",
            " eprint!(",
            "dbg!(",
            "process::exit",
            "env::args",
            "clap::",
        ],
        deed: "prints, exits or reads flags, which only the binary does",
        allowed: &[],
    },
    Absence {
        crates: &[
            "fathom-text",
            "fathom-job",
            "fathom-stats",
            "fathom-sim",
            "fathom-figures",
            "fathom-judge",
            "fathom-procedures",
            "fathom-words",
        ],
        traces: &["std::fs", "std::net", "std::process", "Instant", "SystemTime", "thread_rng", "File::"],
        deed: "uses files, the network, programs or clocks, which text, arithmetic and decisions never need",
        allowed: &[],
    },
    Absence {
        crates: &["fathom-engine"],
        traces: &[
            "File::open",
            "File::create",
            "File::options",
            "OpenOptions",
            "fs::",
            "libc::open",
            "libc::creat",
            "libc::rename",
            "libc::unlink",
            "libc::truncate",
        ],
        deed: "opens a path, which only the guard may do: the engine gets open targets",
        allowed: ENGINE_OPENS,
    },
    Absence {
        crates: &["fathom-device", "fathom-host"],
        traces: &[
            "fs::write",
            "File::create",
            "OpenOptions",
            "create_dir",
            "remove_file",
            "remove_dir",
            "rename(",
            "set_permissions",
        ],
        deed: "changes something, which readers and judges of a machine never do",
        allowed: HOST_CHANGES,
    },
    Absence {
        crates: &["fathom-host"],
        traces: &["Guard,", "Guard}", "Guard;", "Guard::", "Admitted", "OpenHow", "purge::"],
        deed: "uses more of the guard than its reading of a device",
        allowed: &[],
    },
    Absence {
        crates: LIBRARIES,
        traces: &["nvme::admin("],
        deed: "sends a command to a drive",
        allowed: SENDS,
    },
    Absence {
        crates: LIBRARIES,
        traces: &["Command::new", "libc::fork", "libc::exec", "libc::system", "SYS_clone"],
        deed: "starts a program or a process",
        allowed: STARTS,
    },
    Absence {
        crates: &["fathom"],
        traces: &[
            "println!",
            "eprintln!",
            " print!(",
            " eprint!(",
            "dbg!(",
            "io::stdout().",
            "io::stderr().",
        ],
        deed: "prints, which only edge.rs may do",
        allowed: PRINTS,
    },
    Absence {
        crates: &["fathom", "fathom-session"],
        traces: &["Consent {"],
        deed: "makes a consent, which only the options of the command line give",
        allowed: &[("crates/fathom/src/consent.rs", "from the options of the command line")],
    },
];

/// Where a library starts something.
const STARTS: &[(&str, &str)] = &[
    ("crates/fathom-device/src/ask/live.rs", "systemctl: systemd has no file that tells a unit's state"),
    ("crates/fathom-tune/src/writer.rs", "systemctl, for the knob that stops services"),
    ("crates/fathom-guard/src/file_system.rs", "mkfs, on a device that the guard has judged"),
    ("crates/fathom-guard/src/program.rs", "modprobe --dry-run, which loads nothing"),
    ("crates/fathom-guard/src/array/mdadm.rs", "mdadm, on devices that the guard has judged and keeps open"),
    ("crates/fathom-device/src/sys/apart.rs", "a child process asks a question that may never be answered"),
];

/// Where the binary uses its own output, other than edge.rs.
const PRINTS: &[(&str, &str)] = &[
    ("crates/fathom/src/edge.rs", "the one place that prints"),
    ("crates/fathom/src/edge/", "its part for standard error"),
    ("crates/fathom/src/commands/output.rs", "asks whether stdout is a terminal"),
    ("crates/fathom/src/commands/tune/apart.rs", "answers to fathom itself, through a pipe"),
    ("crates/fathom/src/commands/tune/guardian.rs", "the lock that fathom passes to the guardian"),
];

/// Where commands are sent to drives.
const SENDS: &[(&str, &str)] = &[
    ("crates/fathom-device/src/ask/live.rs", "Identify, Get Log Page and Get Features"),
    ("crates/fathom-guard/src/purge/", "to a drive that the guard admitted"),
    ("crates/fathom-tune/src/writer.rs", "Set Features, journalled and put back"),
];

/// Where a reader opens with flags to look closer.
const HOST_CHANGES: &[(&str, &str)] = &[
    ("crates/fathom-device/src/sys.rs", "opens for reading, with flags that only this type takes"),
    ("crates/fathom-device/src/bounded.rs", "opens for reading, without waiting for a FIFO's writer"),
    ("crates/fathom-device/src/ask/", "opens for reading, with flags that only this type takes"),
];

/// Where the engine opens something that is not a target.
const ENGINE_OPENS: &[(&str, &str)] = &[
    ("crates/fathom-engine/src/usage.rs", "a worker reads its own scheduling statistics in /proc"),
    ("crates/fathom-engine/src/runner/crew.rs", "the state of a worker's thread in /proc"),
    ("crates/fathom-engine/src/runner/stuck.rs", "where a stuck thread waits, in /proc"),
    ("crates/fathom-engine/src/resident.rs", "the program's own map in /proc"),
    ("crates/fathom-engine/src/cpu.rs", "which processors a NUMA node has, in /sys"),
];

/// One line for every place that does what its crate may not do.
pub fn violations() -> Result<Vec<String>, String> {
    let mut violations = Vec::new();
    for absence in ABSENCES {
        for name in absence.crates {
            let source = root().join("crates").join(name).join("src");
            for file in rust_files(&source)? {
                violations.extend(absence.found_in(&file)?);
            }
        }
    }
    let libraries = SAFE.iter().map(|name| root().join("crates").join(name).join("src/lib.rs"));
    let binaries = ["crates/fathom/src/main.rs", "xtask/src/main.rs"].map(|file| root().join(file));
    for head in libraries.chain(binaries) {
        if !read(&head)?.lines().any(|line| line == FORBID_UNSAFE) {
            violations.push(format!("{} does not say {FORBID_UNSAFE}", head.display()));
        }
    }
    Ok(violations)
}

/// Names the exceptions, so that each run shows how few they are.
pub fn print_allowed() {
    for absence in ABSENCES {
        for (file, reason) in absence.allowed {
            println!("allowed: {file}: {reason}");
        }
    }
}

impl Absence {
    fn found_in(&self, file: &Path) -> Result<Vec<String>, String> {
        let name = file.strip_prefix(root()).unwrap_or(file).to_string_lossy();
        if is_test_module(file) || self.allowed.iter().any(|(allowed, _)| is_at(&name, allowed)) {
            return Ok(Vec::new());
        }
        Ok(self.found(&name, &read(file)?))
    }

    fn found(&self, name: &str, text: &str) -> Vec<String> {
        let does = |code: &str| self.traces.iter().any(|trace| has_trace(&format!(" {code}"), trace));
        let lines = shipped(text).into_iter().filter(|line| does(line.code));
        lines.map(|line| format!("{name}:{} {}: {}", line.number, self.deed, line.code)).collect()
    }
}

/// Whether the code has the trace, and not only as the end of a longer name.
fn has_trace(code: &str, trace: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(trace).any(|(at, _)| !(trace.starts_with(is_name) && code[..at].ends_with(is_name)))
}

/// Whether a file is the allowed one, or below an allowed directory.
fn is_at(name: &str, allowed: &str) -> bool {
    name == allowed || (allowed.ends_with('/') && name.starts_with(allowed))
}

/// Files that a `#[cfg(test)] mod tests;` brings in.
fn is_test_module(file: &Path) -> bool {
    file.iter().any(|part| part == "tests" || part == "tests.rs")
}

fn read(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deeds_are_found() {
        for (absence, line) in [
            (0, "    println!(\"{a}\");"),
            (0, "print!(\"{a}\");"),
            (0, "std::process::exit(1);"),
            (1, "use std::time::Instant;"),
            (1, "std::fs::read(path)"),
            (2, "let file = File::open(path)?;"),
            (2, "let fd = unsafe { libc::open(path, flags) };"),
            (2, "let text = fs::read_to_string(path)?;"),
            (6, "let output = Command::new(\"sh\").output();"),
            (7, "let mut out = io::stdout().lock();"),
            (4, "use fathom_guard::{Facts, Guard};"),
            (5, "sys::nvme::admin(&node, command, data)?;"),
            (8, "Consent {"),
        ] {
            assert_eq!(ABSENCES[absence].found("a.rs", line).len(), 1, "{line}");
        }
    }

    #[test]
    fn words_that_only_look_alike_are_not() {
        for line in ["self.print(a);", "blueprint!(a);", "// println!(a)", "/// `File::open`"] {
            assert_eq!(ABSENCES[0].found("a.rs", line), Vec::<String>::new(), "{line}");
        }
        assert_eq!(ABSENCES[1].found("a.rs", "SuiteFile::parse(text)"), Vec::<String>::new());
    }

    #[test]
    fn an_allowed_file_exists() {
        for absence in ABSENCES {
            for (file, _) in absence.allowed {
                assert!(root().join(file).exists(), "{file} is allowed but is not there");
            }
        }
    }
}
