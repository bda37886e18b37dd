//! Random damage: whatever a directory holds, a command that reads it changes nothing, follows no link, waits for nothing, takes
//! at most 300 MiB, and tells the damage each time.
//!
//! By hand, for more: `FATHOM_DAMAGED=2000 cargo test -p fathom --test end_to_end reading::property`. A failure prints the seed
//! of its case; `FATHOM_DAMAGED_FROM` is the first seed.

use super::commands::lines;
use super::damage::{Damage, found};
use super::saved::{Kind, SECRET, SUBJECTS, Saved, never_read, was_read};
use super::state::{Entry, difference, state};
use crate::dice::Dice;
use crate::support::text;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// Cases of a run without `FATHOM_DAMAGED`: one of each subject.
const CASES: u64 = SUBJECTS.len() as u64;

/// Commands that each case tries.
const COMMANDS: usize = 5;

/// The address space that a command gets, so it cannot take more memory.
const MEMORY_BYTES: u64 = 300 << 20;

/// Seconds after which a command counts as one that waits.
const SECONDS_MAX: &str = "60";

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().map_or(usual, |text| text.parse().expect("a number"))
}

#[test]
fn a_damaged_directory_is_only_read() {
    let saved = Saved::new();
    let pristine = |name: &str| state(&saved.path().join(name));
    let pristine: BTreeMap<&str, _> = SUBJECTS.iter().map(|(name, _)| (*name, pristine(name))).collect();
    let first = number("FATHOM_DAMAGED_FROM", 0);
    let cases = number("FATHOM_DAMAGED", CASES);
    let (mut wrong, mut commands) = (Vec::new(), 0);
    for seed in first..first + cases {
        let (name, kind) = SUBJECTS[(seed % SUBJECTS.len() as u64) as usize];
        let mut case = Case::new(&saved, name, kind, seed);
        commands += case.try_all(&pristine[name]);
        for what in case.wrong {
            wrong.push(format!("seed {seed}, {name}, {:?}: {what}", case.done));
        }
    }
    assert!(
        wrong.is_empty(),
        "{cases} damaged directories, {commands} commands, {} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// One damaged directory.
struct Case<'a> {
    saved: &'a Saved,
    kind: Kind,
    dice: Dice,
    place: tempfile::TempDir,
    subject: PathBuf,
    /// What was done to it.
    done: Vec<String>,
    is_forged: bool,
    /// What was found to be wrong.
    wrong: Vec<String>,
}

impl<'a> Case<'a> {
    fn new(saved: &'a Saved, name: &str, kind: Kind, seed: u64) -> Case<'a> {
        let place = tempfile::tempdir().unwrap();
        let subject = saved.copy(name, place.path());
        saved.copy("outside", place.path());
        for made in ["out", "tmp"] {
            fs::create_dir(place.path().join(made)).unwrap();
        }
        let mut dice = Dice::new(seed);
        let outside = place.path().join("outside");
        let mut damage =
            Damage { dice: &mut dice, dir: &subject, outside: &outside, done: Vec::new(), is_forged: false };
        for _ in 0..=damage.dice.below(3) {
            damage.act();
        }
        let (done, is_forged) = (damage.done, damage.is_forged);
        never_read(&outside.join("secret"));
        Case { saved, kind, dice, place, subject, done, is_forged, wrong: Vec::new() }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// Tries commands in any order, and returns how many.
    fn try_all(&mut self, pristine: &BTreeMap<PathBuf, Entry>) -> usize {
        let mut lines = lines(self.kind);
        let before = [state(&self.subject), state(&self.at("outside"))];
        for _ in 0..COMMANDS {
            let line = lines.swap_remove(self.dice.below(lines.len() as u64) as usize);
            let output = self.run(line);
            self.check(line, &output, &before);
        }
        if matches!(self.kind, Kind::Run | Kind::Procedure | Kind::Suite) {
            self.is_told(&before[0], pristine);
        }
        COMMANDS + 1
    }

    fn run(&self, line: &str) -> Output {
        let named = |word: &str| {
            let word = word.replace("SAVED", &self.saved.path().display().to_string());
            word.replace("IT", &self.subject.file_name().unwrap().to_string_lossy())
        };
        let mut command = Command::new("timeout");
        command.args(["-s", "KILL", SECONDS_MAX, "prlimit"]).arg(format!("--as={MEMORY_BYTES}"));
        command.arg(env!("CARGO_BIN_EXE_fathom")).args(line.split(' ').map(named));
        command.current_dir(self.place.path()).env("NO_COLOR", "1").env("TMPDIR", self.at("tmp"));
        command.env("FATHOM_INDEX", self.at("runs.jsonl")).output().unwrap()
    }

    fn check(&mut self, line: &str, output: &Output, before: &[BTreeMap<PathBuf, Entry>; 2]) {
        let mut told = text(output);
        let mut wrong = Vec::new();
        let code = output.status.code();
        if code.is_none_or(|code| code > 100) || told.contains("panicked") {
            wrong.push(format!("ended with {}: {}", output.status, tail(&told)));
        }
        if code != Some(0) && output.stdout.is_empty() && output.stderr.is_empty() {
            wrong.push(format!("failed without a word: {}", tail(&told)));
        }
        told += &self.written();
        if told.contains(SECRET) {
            wrong.push("printed the secret".to_owned());
        }
        // The person names the bundle, and may name it by a link.
        if self.kind != Kind::Bundle && was_read(&self.at("outside/secret")) {
            wrong.push("read the secret".to_owned());
            never_read(&self.at("outside/secret"));
        }
        let subject = state(&self.subject);
        let now = [subject, state(&self.at("outside"))];
        let changed = before.iter().zip(&now).filter_map(|(before, now)| difference(before, now));
        wrong.extend(changed);
        if fs::read_dir(self.at("tmp")).unwrap().count() > 0 {
            wrong.push("left files behind".to_owned());
        }
        self.wrong.extend(wrong.into_iter().map(|what| format!("`{line}` {what}")));
    }

    /// Everything that the commands wrote, as text.
    fn written(&self) -> String {
        let mut all = String::new();
        for path in found(&self.at("out"), |path| path.is_file()) {
            if path.extension().is_some_and(|end| end == "gz") {
                let unpacked = Command::new("tar").arg("xzOf").arg(&path).output().unwrap();
                all += &String::from_utf8_lossy(&unpacked.stdout);
            } else {
                all += &String::from_utf8_lossy(&fs::read(&path).unwrap());
            }
        }
        all
    }

    /// What is not as it was saved is told with the code of a damaged run, also after the commands.
    fn is_told(&mut self, damaged: &BTreeMap<PathBuf, Entry>, pristine: &BTreeMap<PathBuf, Entry>) {
        let differs = |(path, entry): (&PathBuf, &Entry)| {
            !entry.is_dir() && damaged.get(path).is_none_or(|now| !now.holds_the_same(entry))
        };
        let is_damaged = pristine.iter().any(differs);
        let output = self.run("report IT");
        let code = output.status.code();
        // A bit can make the format one of a newer fathom.
        let is_newer = text(&output).contains("this fathom reads up to");
        let is_right = match (is_damaged, self.is_forged) {
            (true, false) => matches!(code, Some(2 | 7)) || is_newer && code == Some(3),
            (_, true) => true,
            // A new file can make it look like something else.
            (false, false) if damaged.len() > pristine.len() => code.is_some(),
            (false, false) => matches!(code, Some(0 | 5)),
        };
        if !is_right {
            self.wrong
                .push(format!("`report IT` of what is damaged ({is_damaged}): {}", tail(&text(&output))));
        }
    }
}

fn tail(text: &str) -> String {
    let from = text.len().saturating_sub(600);
    let from = (from..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    text[from..].to_owned()
}
