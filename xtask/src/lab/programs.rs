//! The programs that lab tests call, and the libraries they need.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Stdio;

use crate::command::{capture, cargo, command, run_watched};
use crate::steps::find_program;
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

const PACKAGE: &str = "fathom-lab";

/// A program that cargo built.
#[derive(Debug, PartialEq)]
pub struct Binary {
    /// The target's name.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
}

/// Everything that was built.
#[derive(Debug, Default)]
pub struct Built {
    /// Test programs.
    pub tests: Vec<Binary>,
    /// Programs that tests start.
    pub aids: Vec<Binary>,
}

impl Built {
    /// Builds the test targets, in the order given, and the programs that they start.
    ///
    /// In the profile of the fathom that ships, which is packed with them: unoptimised code on an
    /// emulated processor makes the lab three times slower.
    pub fn build(targets: &[String]) -> Result<Self, String> {
        let mut cargo =
            cargo(&["test", "--release", "--package", PACKAGE, "--no-run", "--message-format=json"]);
        targets.iter().for_each(|target| {
            cargo.args(["--test", target]);
        });
        let mut built = Self::default();
        let succeeded = run_watched(cargo.stderr(Stdio::inherit()), |line| built.add(line))?;
        if !succeeded {
            return Err(format!("the tests of {PACKAGE} do not build"));
        }
        built.tests.sort_by_key(|test| targets.iter().position(|target| *target == test.name));
        match targets.iter().find(|target| built.tests.iter().all(|test| test.name != **target)) {
            None => Ok(built),
            Some(missing) => Err(format!("cargo built no test {missing}")),
        }
    }

    /// Every path.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.tests.iter().chain(&self.aids).map(|binary| binary.path.clone()).collect()
    }

    /// Records a program of ours if the message of cargo names one; shows compiler messages.
    fn add(&mut self, line: &str) {
        let Ok(message) = serde_json::from_str::<Value>(line) else {
            return;
        };
        if let Some(rendered) = message["message"]["rendered"].as_str() {
            println!("{rendered}");
        }
        let target = &message["target"];
        let (Some(name), Some(path)) = (target["name"].as_str(), message["executable"].as_str()) else {
            return;
        };
        let binary = Binary { name: name.to_owned(), path: PathBuf::from(path) };
        match target["kind"][0].as_str() {
            Some("test") => self.tests.push(binary),
            Some("bin") => self.aids.push(binary),
            _ => {}
        }
    }
}

/// The names of all test targets, as the crate's manifest lists them.
pub fn test_targets() -> Result<Vec<String>, String> {
    let text = capture(&mut cargo(&["metadata", "--no-deps", "--offline", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&text).map_err(|e| format!("cargo metadata: {e}"))?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let targets = packages.filter(|p| p["name"] == PACKAGE).flat_map(|p| p["targets"].as_array());
    let tests = targets.flatten().filter(|target| target["kind"][0] == "test");
    let names: Vec<String> = tests.filter_map(|target| target["name"].as_str()).map(str::to_owned).collect();
    if names.is_empty() {
        return Err(format!("{PACKAGE} has no tests"));
    }
    Ok(names)
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
        built.add(r#"{"target":{"kind":["test"],"name":"guard"},"executable":"/t/guard-1"}"#);
        built.add(r#"{"target":{"kind":["bin"],"name":"hold"},"executable":"/t/hold"}"#);
        let binary = |name: &str, path: &str| Binary { name: name.to_owned(), path: path.into() };
        assert_eq!(built.tests, [binary("guard", "/t/guard-1")]);
        assert_eq!(built.aids, [binary("hold", "/t/hold")]);
    }

    /// A file that the manifest does not list would never be run.
    #[test]
    fn every_file_of_tests_is_a_target() {
        let directory = crate::workspace::root().join("lab/tests");
        let files = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
        let files: BTreeSet<String> =
            files.map(|file| file.file_stem().unwrap().to_string_lossy().into_owned()).collect();
        assert_eq!(files, test_targets().unwrap().into_iter().collect());
    }
}
