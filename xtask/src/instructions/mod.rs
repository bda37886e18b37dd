//! Instructions per I/O: the speed figure that does not depend on what else the machine does.
//!
//! Each case is a job, run twice under cachegrind at two lengths; the slope is the cost of one more
//! I/O. Our counts are kept in `benches/instructions.json`, and a push that adds more than 3 % to
//! one of them fails.

mod slope;

pub use slope::job_texts;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::command::{capture, command};
use crate::workspace;
use serde::{Deserialize, Serialize};
use slope::{CASES, Case, Counter, FIO, OURS};

/// One case, counted.
pub struct Counted {
    /// Name of the case.
    pub name: &'static str,
    /// Instructions of fathom per I/O.
    pub ours: Result<f64, String>,
    /// Instructions of fio, where it was asked and can run the case.
    pub theirs: Option<Result<f64, String>>,
}

/// Counts every case, for fio too if `with_fio`, and prints the table.
pub fn survey(fathom: &Path, with_fio: bool) -> Result<Vec<Counted>, String> {
    let counter = Counter::new(&workspace::target())?;
    println!("\ninstructions per I/O, user space, all threads (cachegrind, slope between two run lengths)");
    println!("{:<17}{:>10}{:>10}{:>7}{:>10}", "case", "fathom", "fio", "share", "budget");
    let fathom = fathom.to_string_lossy();
    let survey = CASES.iter().map(|case| {
        let counted = count_both(&counter, &fathom, with_fio, case);
        print(case, &counted);
        counted
    });
    Ok(survey.collect())
}

fn count_both(counter: &Counter, fathom: &str, with_fio: bool, case: &'static Case) -> Counted {
    Counted {
        name: &case.name,
        ours: counter.count(&[fathom, "fio"], case, OURS),
        theirs: (with_fio && case.has_peer).then(|| counter.count(&["fio"], case, FIO)),
    }
}

fn print(case: &Case, counted: &Counted) {
    let theirs = counted.theirs.as_ref().map_or("-".to_owned(), number);
    let budget = case.budget.map_or("-".to_owned(), |budget| format!("{budget:.0}"));
    let verdict = match (&counted.ours, case.budget) {
        (Ok(ours), Some(budget)) if *ours <= budget => "met",
        (Ok(_), Some(_)) => "NOT MET",
        _ => "",
    };
    let share = match (&counted.ours, &counted.theirs) {
        (Ok(ours), Some(Ok(theirs))) => format!("{:.2}", ours / theirs),
        _ => "-".to_owned(),
    };
    let ours = number(&counted.ours);
    println!("{:<17}{ours:>10}{theirs:>10}{share:>7}{budget:>10}  {verdict:<8}{}", case.name, case.title);
    for counted in [Some(&counted.ours), counted.theirs.as_ref()].into_iter().flatten() {
        if let Err(error) = counted {
            println!("                 {error}");
        }
    }
}

fn number(counted: &Result<f64, String>) -> String {
    counted.as_ref().map_or("failed".to_owned(), |n| format!("{n:.1}"))
}

/// The gate of `cargo xtask test`: fails when a case costs more than recorded, or is not recorded.
pub fn check(fathom: &Path) -> Result<(), String> {
    let record = Record::load()?;
    let counter = Counter::new(&workspace::target())?;
    let fathom = fathom.to_string_lossy();
    println!("{:<17}{:>10}{:>10}{:>8}", "case", "recorded", "now", "");
    let gated: Vec<_> = CASES.iter().filter(|case| !case.bench_only).collect();
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    // A count does not depend on what else runs, so two cases are counted at a time.
    let count = || {
        while let Some(case) = gated.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(failure) = check_case(&counter, &fathom, &record, case) {
                failures.lock().expect("no thread panics").push(format!("{}: {failure}", case.name));
            }
        }
    };
    std::thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(count))));
    let failures = failures.into_inner().expect("no thread panics");
    if failures.is_empty() {
        return Ok(());
    }
    Err(format!("{}\nrecorded with {}, counted with {}", failures.join("\n"), record.rustc, rustc()?))
}

fn check_case(counter: &Counter, fathom: &str, record: &Record, case: &Case) -> Result<(), String> {
    let mut now = counter.count(&[fathom, "fio"], case, OURS)?;
    if record.change(&case.name, now) == Change::Worse {
        // A disturbance (a late tick of a reporting thread) only adds to a count: the lower of two is better.
        now = now.min(counter.count(&[fathom, "fio"], case, OURS)?);
    }
    let recorded = record.per_io.get(&case.name);
    let shown = recorded.map_or("-".to_owned(), |then| format!("{then:.1}"));
    let change = recorded.map_or(String::new(), |then| format!("{:+.1} %", (now / then - 1.0) * 100.0));
    println!("{:<17}{shown:>10}{now:>10.1}{change:>8}", case.name);
    match record.change(&case.name, now) {
        Change::Same => Ok(()),
        Change::Better => {
            println!("                 better: `cargo xtask bench --instructions --accept` keeps it");
            Ok(())
        }
        Change::Worse => Err(format!("{shown} became {now:.1}, more than {:.0} % above", GROWTH_MAX * 100.0)),
        Change::New => Err("not recorded: `cargo xtask bench --instructions --accept`".to_owned()),
    }
}

/// Records what was counted; a case without a count keeps its record and is an error.
pub fn accept(counted: &[Counted]) -> Result<(), String> {
    let mut record = Record { rustc: rustc()?, ..Record::load()? };
    let mut failures = Vec::new();
    for case in counted {
        match &case.ours {
            // One decimal, because counts repeat to about that.
            Ok(count) => {
                record.per_io.insert(case.name.to_owned(), (count * 10.0).round() / 10.0);
            }
            Err(_) => failures.push(case.name),
        }
    }
    record.save()?;
    println!("accepted: benches/instructions.json");
    if failures.is_empty() { Ok(()) } else { Err(format!("not counted: {}", failures.join(", "))) }
}

// `benches/instructions.json`: what each case costs, as last accepted.

/// A count may grow by this much before it is a regression. Counts repeat to about 0.5 %; a real
/// change of the loop is several instructions.
const GROWTH_MAX: f64 = 0.03;

/// The counts that were accepted, and under which compiler.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// `rustc --version`: another compiler makes other counts.
    pub rustc: String,
    /// Instructions per I/O by the name of the case.
    pub per_io: BTreeMap<String, f64>,
}

/// How a new count compares with the recorded one.
#[derive(Debug, PartialEq)]
pub enum Change {
    /// There is nothing to compare with.
    New,
    /// Within the allowance.
    Same,
    /// Fewer by more than the allowance: worth accepting, so that it stays.
    Better,
    /// More by more than the allowance.
    Worse,
}

impl Record {
    /// Reads it; an empty one where there is none yet.
    pub fn load() -> Result<Self, String> {
        let path = path();
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = std::fs::read_to_string(&path).map_err(|e| said(&path, &e))?;
        serde_json::from_str(&text).map_err(|e| said(&path, &e))
    }

    /// Replaces the file.
    pub fn save(&self) -> Result<(), String> {
        let path = path();
        let text = serde_json::to_string_pretty(self).map_err(|e| said(&path, &e))?;
        std::fs::write(&path, text + "\n").map_err(|e| said(&path, &e))
    }

    /// How `now` compares with what is recorded for `name`.
    pub fn change(&self, name: &str, now: f64) -> Change {
        match self.per_io.get(name) {
            None => Change::New,
            Some(then) if now > then * (1.0 + GROWTH_MAX) => Change::Worse,
            Some(then) if now < then * (1.0 - GROWTH_MAX) => Change::Better,
            Some(_) => Change::Same,
        }
    }
}

/// The compiler that cargo uses here.
pub fn rustc() -> Result<String, String> {
    Ok(capture(&mut command("rustc", &["--version"]))?.trim().to_owned())
}

fn path() -> PathBuf {
    workspace::root().join("benches/instructions.json")
}

fn said(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::slope::CASES;

    #[test]
    fn three_per_cent_is_allowed_and_no_more() {
        let per_io = BTreeMap::from([("psync".to_owned(), 100.0)]);
        let record = Record { rustc: String::new(), per_io };
        assert_eq!(record.change("psync", 103.0), Change::Same);
        assert_eq!(record.change("psync", 103.1), Change::Worse);
        assert_eq!(record.change("psync", 97.0), Change::Same);
        assert_eq!(record.change("psync", 96.9), Change::Better);
        assert_eq!(record.change("null", 1.0), Change::New);
    }

    #[test]
    fn the_record_holds_only_cases_that_exist() {
        let record = Record::load().expect("the record in the repository parses");
        for name in record.per_io.keys() {
            assert!(CASES.iter().any(|case| case.name == *name), "{name} is recorded but not counted");
        }
    }
}
