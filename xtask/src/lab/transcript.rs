//! The output of a run of the lab: which test program began, how it ended, what it counted.

use crate::steps::Count;

/// What the lines on the console say of a run.
#[derive(Debug, Default)]
pub struct Transcript {
    /// The programs that are to run.
    expected: Vec<String>,
    /// Whether a program may have no test to run, because only some were chosen.
    filtered: bool,
    programs: Vec<Program>,
    is_done: bool,
    panic: Option<String>,
}

/// One test program.
#[derive(Debug)]
struct Program {
    name: String,
    exit: Option<i32>,
    count: Count,
    /// Whether it reported at all.
    reported: bool,
}

impl Transcript {
    /// For a run of these programs.
    pub fn of(expected: Vec<String>, filtered: bool) -> Self {
        Self { expected, filtered, ..Self::default() }
    }

    /// Reads a line of the console.
    pub fn add(&mut self, line: &str) {
        if line.contains("Kernel panic - not syncing") {
            self.panic = Some(line.trim().to_owned());
        } else if let Some(frame) = line.strip_prefix("lab: ") {
            self.frame(frame);
        } else if let Some(running) = self.programs.last_mut().filter(|program| program.exit.is_none()) {
            running.reported |= line.starts_with("test result: ");
            running.count.add(line);
        }
    }

    fn frame(&mut self, frame: &str) {
        let words: Vec<&str> = frame.split_whitespace().collect();
        match words[..] {
            ["begin", name] => self.programs.push(Program::begun(name)),
            ["end", name, "exit", code] => {
                let running = self.programs.last_mut().filter(|program| program.name == name);
                if let Some(running) = running {
                    running.exit = code.parse().ok();
                }
            }
            ["done"] => self.is_done = true,
            _ => {}
        }
    }

    /// Whether the kernel gave up.
    pub fn has_panicked(&self) -> bool {
        self.panic.is_some()
    }

    /// Whether everything ran to its end.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// Adds what all programs counted. One that was killed or reported nothing is one failure, so
    /// that no failure is missing in the sum.
    pub fn add_to(&self, count: &mut Count) {
        for name in &self.expected {
            let program = self.program(name);
            if let Some(program) = program {
                count.passed += program.count.passed;
                count.failed += program.count.failed;
                count.ignored += program.count.ignored;
            }
            let silent = program.is_none_or(|program| program.count.failed == 0);
            count.failed += u64::from(silent && self.complaint(name).is_some());
        }
    }

    /// What went wrong, if anything did.
    pub fn verdict(&self) -> Result<(), String> {
        let mut complaints: Vec<String> = self.panic.iter().cloned().collect();
        complaints.extend(self.expected.iter().filter_map(|name| self.complaint(name)));
        if complaints.is_empty() && self.programs.iter().all(|program| program.count.passed == 0) {
            complaints.push("no test ran".to_owned());
        }
        if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
    }

    fn program(&self, name: &str) -> Option<&Program> {
        self.programs.iter().find(|program| program.name == name)
    }

    fn complaint(&self, name: &str) -> Option<String> {
        let Some(program) = self.program(name) else {
            return Some(format!("{name} did not begin"));
        };
        let count = &program.count;
        match program.exit {
            None => Some(format!("{name} did not end")),
            Some(137) => Some(format!("{name} ran too long and was killed")),
            Some(_) if count.failed > 0 => Some(format!("{name}: {} tests failed", count.failed)),
            Some(code) if code != 0 => Some(format!("{name} ended with exit code {code}")),
            Some(_) if !program.reported => Some(format!("{name} reported no tests")),
            Some(_) if count.passed == 0 && !self.filtered => Some(format!("{name} ran no test")),
            Some(_) if count.ignored > 0 => Some(format!("{name}: {} tests are switched off", count.ignored)),
            Some(_) => None,
        }
    }
}

impl Program {
    fn begun(name: &str) -> Self {
        Self { name: name.to_owned(), exit: None, count: Count::default(), reported: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "\
[    0.1] noise
lab: begin a
running 2 tests
test x ... ok
test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.50s

lab: end a exit 0
lab: begin b
test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out
lab: end b exit 101
lab: done
";

    fn read(text: &str, expected: &[&str], filtered: bool) -> (Result<(), String>, Count) {
        let expected = expected.iter().map(|name| (*name).to_owned()).collect();
        let mut transcript = Transcript::of(expected, filtered);
        text.lines().for_each(|line| transcript.add(line));
        let mut count = Count::default();
        transcript.add_to(&mut count);
        (transcript.verdict(), count)
    }

    #[test]
    fn counts_of_all_programs_add_up() {
        let (verdict, count) = read(GOOD, &["a", "b"], false);
        assert_eq!(verdict, Err("b: 1 tests failed".to_owned()));
        assert_eq!(count, Count { passed: 5, failed: 1, ignored: 0 });
        assert_eq!(read(GOOD, &["a"], false).0, Ok(()));
    }

    #[test]
    fn silence_is_failure() {
        let result = "test result: ok. 1 passed; 0 failed; 0 ignored";
        let none = "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 5 filtered out";
        for (text, complaint) in [
            (String::new(), "a did not begin"),
            ("lab: begin a\ntest x ... ".to_owned(), "a did not end"),
            (format!("lab: begin a\n{result}\nlab: end a exit 137\n"), "a ran too long and was killed"),
            (format!("lab: begin a\n{result}\nlab: end a exit 139\n"), "a ended with exit code 139"),
            ("lab: begin a\nlab: end a exit 0\n".to_owned(), "a reported no tests"),
            (format!("lab: begin a\n{none}\nlab: end a exit 0\n"), "a ran no test"),
        ] {
            let (verdict, count) = read(&text, &["a"], false);
            assert_eq!(verdict, Err(complaint.to_owned()));
            assert_eq!(count.failed, 1, "{complaint}");
        }
        let text = format!("lab: begin a\n{none}\nlab: end a exit 0\n");
        assert_eq!(read(&text, &["a"], true).0, Err("no test ran".to_owned()));
    }

    #[test]
    fn a_panic_is_told() {
        let text = "lab: begin a\n[ 3.1] Kernel panic - not syncing: Attempted to kill init!\n";
        let (verdict, _) = read(text, &["a"], false);
        assert_eq!(
            verdict.unwrap_err(),
            "[ 3.1] Kernel panic - not syncing: Attempted to kill init!\na did not end"
        );
    }
}
