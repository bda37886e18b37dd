//! What a crate never does, looked for in the code that it ships.

use std::path::Path;

use super::drawn::{Absence, DRAWN};
use super::source::shipped;
use crate::workspace::{read_text, root, rust_files};

const FORBID_UNSAFE: &str = "#![forbid(unsafe_code)]";

/// One line for every place that does what its crate may not do.
pub fn violations() -> Result<Vec<String>, String> {
    let mut violations = Vec::new();
    let libraries: Vec<&String> = DRAWN.edges.keys().collect();
    for absence in &DRAWN.absence {
        let crates = absence.crates.as_ref().map_or(libraries.clone(), |crates| crates.iter().collect());
        for name in crates {
            let source = root().join("crates").join(name).join("src");
            for file in rust_files(&source)? {
                violations.extend(absence.found_in(&file)?);
            }
        }
    }
    let safe = libraries.into_iter().filter(|name| !DRAWN.may_be_unsafe.contains(name));
    let libraries = safe.map(|name| root().join("crates").join(name).join("src/lib.rs"));
    let binaries = ["crates/fathom/src/main.rs", "xtask/src/main.rs"].map(|file| root().join(file));
    for head in libraries.chain(binaries) {
        if !read_text(&head)?.lines().any(|line| line == FORBID_UNSAFE) {
            violations.push(format!("{} does not say {FORBID_UNSAFE}", head.display()));
        }
    }
    Ok(violations)
}

/// Names the exceptions, so that each run shows how few they are.
pub fn print_allowed() {
    for absence in &DRAWN.absence {
        for (file, reason) in &absence.allowed {
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
        Ok(self.found(&name, &read_text(file)?))
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
pub fn is_at(name: &str, allowed: &str) -> bool {
    name == allowed || (allowed.ends_with('/') && name.starts_with(allowed))
}

/// Files that a `#[cfg(test)] mod tests;` brings in.
pub fn is_test_module(file: &Path) -> bool {
    file.iter().any(|part| part == "tests" || part == "tests.rs")
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
            (9, "pub const QUICK: &str = \"quick\";"),
        ] {
            assert_eq!(DRAWN.absence[absence].found("a.rs", line).len(), 1, "{line}");
        }
    }

    #[test]
    fn words_that_only_look_alike_are_not() {
        for line in ["self.print(a);", "blueprint!(a);", "// println!(a)", "/// `File::open`"] {
            assert_eq!(DRAWN.absence[0].found("a.rs", line), Vec::<String>::new(), "{line}");
        }
        assert_eq!(DRAWN.absence[1].found("a.rs", "SuiteFile::parse(text)"), Vec::<String>::new());
    }

    #[test]
    fn an_allowed_file_exists() {
        for absence in &DRAWN.absence {
            for (file, _) in &absence.allowed {
                assert!(root().join(file).exists(), "{file} is allowed but is not there");
            }
        }
    }
}
