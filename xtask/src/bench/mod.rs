//! Compares fathom with fio.
//!
//! The two run in turn on one processor, in the order A B B A, so that a machine that warms up or
//! slows down favours neither. A pair gives one ratio; the pairs give the median and its interval.
//! Absolute figures are shown too, and are valid for this machine only.
//!
//! To add a comparison, add an entry to `cases`; another budget is a file in `rows`.

mod asked;
mod case;
mod cases;
mod compare;
mod contest;
mod cost;
mod figure;
mod goal;
mod growth;
mod import;
mod intervals;
mod job_file;
mod lists;
mod load;
mod machine;
mod markdown;
mod meter;
mod peak;
mod record;
mod rows;
mod session;
mod side;
mod syscalls;
mod taints;
mod target;
mod tool;

use self::asked::Asked;
use self::record::Record;
use crate::arguments::Arguments;

/// Measures, or takes the newest record, and does with it what was asked.
///
/// A budget that is missed is printed, but is not a failure. Failures are cases that
/// could not be measured, with `--all` also cases whose target cannot be made here, and with
/// `--compare` regressions.
pub fn run(arguments: Arguments) -> Result<(), String> {
    let asked = Asked::parse(arguments)?;
    if asked.intervals {
        intervals::print(intervals::TRIALS);
        return Ok(());
    }
    if asked.taints && asked.recorded {
        return taints::show();
    }
    if asked.taints {
        return taints::run(&asked.program()?, &asked.runs, asked.accept, asked.sample);
    }
    if asked.growth {
        return growth::run(&asked.program()?);
    }
    if asked.lists {
        return lists::run(&asked.program()?);
    }
    if asked.import {
        return import::run(&asked.program()?);
    }
    if asked.load {
        return load::run();
    }
    if asked.recorded {
        let record = Record::all()?.pop().ok_or("nothing is recorded yet")?;
        return show(&asked, &record);
    }
    let session = session::hold(&asked)?;
    if asked.record {
        println!("\nrecorded: {}", session.record.save()?.display());
    }
    let shown = show(&asked, &session.record);
    let mut failures = session.failures;
    for missing in session.not_here {
        println!("not here: {missing}");
        if asked.all {
            failures.push(missing);
        }
    }
    shown?;
    if failures.is_empty() { Ok(()) } else { Err(format!("failed: {}", failures.join("; "))) }
}

fn show(asked: &Asked, record: &Record) -> Result<(), String> {
    if asked.markdown {
        println!("\n{}", markdown::table(record));
    }
    if !asked.compare {
        return Ok(());
    }
    match compare::predecessor(&Record::all()?, record) {
        Some(then) => compare::print(then, record),
        None => {
            println!("\nno earlier record of a machine like this one");
            Ok(())
        }
    }
}
