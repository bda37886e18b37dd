//! Instructions per I/O: the speed figure that does not depend on what else the machine does.
//!
//! Each case is a job, run twice under cachegrind at two lengths; the slope is the cost of one more
//! I/O. Our counts are kept in `benches/instructions.json`, and a push that adds more than 3 % to
//! one of them fails.

mod cachegrind;
mod case;
mod record;
mod slope;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use self::case::{CASES, Case};
pub use self::record::GROWTH_MAX;
use self::record::{Change, Record, rustc};
use self::slope::{APART, APART_FIO, Counter};
use crate::workspace;

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
    println!("{:<13}{:>10}{:>10}{:>10}", "case", "fathom", "fio", "budget");
    let fathom = fathom.to_string_lossy();
    let survey = CASES.iter().map(|case| {
        let counted = count_both(&counter, &fathom, with_fio, case);
        print(case, &counted);
        counted
    });
    Ok(survey.collect())
}

fn count_both(counter: &Counter, fathom: &str, with_fio: bool, case: &Case) -> Counted {
    Counted {
        name: case.name,
        ours: counter.count(&[fathom, "fio"], case, APART),
        theirs: (with_fio && case.has_peer).then(|| counter.count(&["fio"], case, APART_FIO)),
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
    let ours = number(&counted.ours);
    println!("{:<13}{ours:>10}{theirs:>10}{budget:>10}  {verdict:<8}{}", case.name, case.title);
    for counted in [Some(&counted.ours), counted.theirs.as_ref()].into_iter().flatten() {
        if let Err(error) = counted {
            println!("             {error}");
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
    println!("{:<13}{:>10}{:>10}{:>8}", "case", "recorded", "now", "");
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    // A count does not depend on what else runs, so two cases are counted at a time.
    let count = || {
        while let Some(case) = CASES.get(next.fetch_add(1, Ordering::Relaxed)) {
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
    let mut now = counter.count(&[fathom, "fio"], case, APART)?;
    if record.change(case.name, now) == Change::Worse {
        // A disturbance (a late tick of a reporting thread) only adds to a count: the lower of two is better.
        now = now.min(counter.count(&[fathom, "fio"], case, APART)?);
    }
    let recorded = record.per_io.get(case.name);
    let shown = recorded.map_or("-".to_owned(), |then| format!("{then:.1}"));
    let change = recorded.map_or(String::new(), |then| format!("{:+.1} %", (now / then - 1.0) * 100.0));
    println!("{:<13}{shown:>10}{now:>10.1}{change:>8}", case.name);
    match record.change(case.name, now) {
        Change::Same => Ok(()),
        Change::Better => {
            println!("             better: `cargo xtask bench --instructions --accept` keeps it");
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
