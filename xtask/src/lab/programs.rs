//! The programs that lab tests call, and the libraries they need.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Stdio;

use crate::command::{capture, cargo_linted, command, run_watched};
use crate::steps::find_program;
use crate::workspace::{self, read_text};
use serde_json::Value;

/// The static program that contains all the small ones.
const BUSYBOX: &str = "busybox";

/// Programs and libraries, by their paths on this machine.
pub struct Programs {
    /// The paths of everything that is copied.
    pub files: BTreeSet<PathBuf>,
    /// The static shell and its tools.
    pub busybox: PathBuf,
    /// Links (name, program), both in `/usr/sbin`.
    pub links: Vec<(&'static str, &'static str)>,
}

impl Programs {
    /// Finds the programs, and the libraries of these and of `others`.
    pub fn find(others: &[PathBuf]) -> Result<Self, String> {
        let (mut files, mut links) = (BTreeSet::new(), Vec::new());
        for line in super::listed(include_str!("programs.txt")) {
            let (program, names) = line.split_once(' ').unwrap_or((line, ""));
            files.insert(find(program)?);
            links.extend(names.split_whitespace().map(|name| (name, program)));
        }
        let needing: Vec<&PathBuf> = files.iter().chain(others).collect();
        files.extend(libraries(&needing)?);
        Ok(Self { files, busybox: find(BUSYBOX)?, links })
    }

    /// Only the static shell, and the libraries of `programs`.
    pub fn of(programs: &[PathBuf]) -> Result<Self, String> {
        let files = libraries(&programs.iter().collect::<Vec<_>>())?.into_iter().collect();
        Ok(Self { files, busybox: find(BUSYBOX)?, links: Vec::new() })
    }
}

fn find(name: &str) -> Result<PathBuf, String> {
    find_program(name).ok_or_else(|| format!("the lab needs {name}"))
}

fn libraries(programs: &[&PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut ldd = command("ldd", &[]);
    let output = ldd.args(programs).output().map_err(|e| format!("ldd: {e}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("ldd: {}\n{}", output.status, said.trim()));
    }
    parse_ldd(&String::from_utf8_lossy(&output.stdout))
}

/// The paths in ldd's answer: `name => /path (address)`, and the loader as `/path (address)`.
fn parse_ldd(answer: &str) -> Result<Vec<PathBuf>, String> {
    let mut paths = Vec::new();
    for line in answer.lines().map(str::trim) {
        if line.ends_with("not found") {
            return Err(format!("ldd: {line}"));
        }
        let place = line.split_once(" => ").map_or(line, |(_, place)| place);
        if let (true, Some((path, _))) = (place.starts_with('/'), place.split_once(" (")) {
            paths.push(PathBuf::from(path));
        }
    }
    Ok(paths)
}

// Builds the tests of the crate `lab` here, to run them in the virtual machine.

/// The program of all tests.
const PROGRAM: &str = "lab";

/// Everything that was built.
#[derive(Debug, Default)]
pub struct Built {
    /// The program of all tests.
    pub tests: Option<PathBuf>,
    /// Programs that tests start.
    pub aids: Vec<PathBuf>,
}

impl Built {
    /// Builds the tests, and the programs that they start, with the features of the workspace, as all tests are built.
    pub fn build() -> Result<Self, String> {
        let words = ["test", "--workspace", "--no-run", "--message-format=json", "--test", PROGRAM];
        let mut built = Self::default();
        let succeeded = run_watched(cargo_linted(&words).stderr(Stdio::inherit()), |line| built.add(line))?;
        match succeeded && built.tests.is_some() {
            true => Ok(built),
            false => Err("the tests of the lab do not build".to_owned()),
        }
    }

    /// Every path.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.tests.iter().chain(&self.aids).cloned().collect()
    }

    /// The names of all tests: `guard::used::a_mounted_disk_is_refused`.
    pub fn names(&self) -> Result<Vec<String>, String> {
        let program = self.tests.as_ref().ok_or("the lab has no tests")?;
        let listed = capture(std::process::Command::new(program).args(["--list", "--format", "terse"]))?;
        Ok(listed.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
    }

    /// Records a program of ours if the message of cargo names one; shows compiler messages.
    fn add(&mut self, line: &str) {
        let Ok(message) = serde_json::from_str::<Value>(line) else {
            return;
        };
        if let Some(rendered) = message["message"]["rendered"].as_str() {
            println!("{rendered}");
        }
        let Some(path) = message["executable"].as_str().map(PathBuf::from) else {
            return;
        };
        match message["target"]["kind"][0].as_str() {
            Some("test") => self.tests = Some(path),
            Some("bin") => self.aids.push(path),
            _ => {}
        }
    }
}

/// The groups of tests: the modules of their program.
pub fn groups() -> Result<Vec<String>, String> {
    let text = read_text(workspace::root().join("lab/tests/main.rs"))?;
    let names = text.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    Ok(names.map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_answer_of_ldd() {
        let answer = "\
/usr/sbin/mdadm:
\tlinux-vdso.so.1 (0x00007ffd)
\tlibudev.so.1 => /lib/x86_64-linux-gnu/libudev.so.1 (0x00007f1)
\t/lib64/ld-linux-x86-64.so.2 (0x00007f2)
";
        let paths = parse_ldd(answer).unwrap();
        let expected = ["/lib/x86_64-linux-gnu/libudev.so.1", "/lib64/ld-linux-x86-64.so.2"];
        assert_eq!(paths, expected.map(PathBuf::from));
        assert!(parse_ldd("\tlibx.so => not found\n").is_err());
    }

    #[test]
    fn programs_are_told_apart() {
        let mut built = Built::default();
        built.add("not json");
        built.add(r#"{"reason":"compiler-artifact","target":{"kind":["lib"],"name":"l"},"executable":null}"#);
        built.add(r#"{"target":{"kind":["test"],"name":"lab"},"executable":"/t/lab-1"}"#);
        built.add(r#"{"target":{"kind":["bin"],"name":"hold"},"executable":"/t/hold"}"#);
        assert_eq!(built.tests, Some("/t/lab-1".into()));
        assert_eq!(built.aids, [PathBuf::from("/t/hold")]);
    }

    /// A file that is no module of the program would never be run.
    #[test]
    fn every_file_of_tests_is_a_group() {
        let directory = workspace::root().join("lab/tests");
        let files = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
        let names = files.map(|file| file.file_stem().unwrap().to_string_lossy().into_owned());
        let names: BTreeSet<String> = names.filter(|name| name != "main").collect();
        assert_eq!(names, groups().unwrap().into_iter().collect());
    }
}
