//! Runs that nothing disturbs, and runs that are disturbed on purpose: does each taint appear where
//! it must, and nowhere else?
//!
//! `cargo xtask bench --taints` makes the runs, judges them, and prints the table of
//! docs/measurement.md; with `--accept` it keeps of each run what judging needs. The test judges
//! what is kept again, so that a changed rule shows which runs it judges differently.

mod cases;
mod ground;
mod making;
mod quiet;
mod verdict;

use self::cases::Case;
use self::verdict::Judged;
use std::path::Path;
use xtask::workspace;

/// Makes the runs with this binary. Only those whose name begins with one of `only`, if there are any. With `is_sample` they
/// are 30 clean and 40 disturbed ones, of which the shares of false alarms and of misses are told.
pub fn run(program: &Path, only: &[String], accept: bool, is_sample: bool) -> Result<(), String> {
    let is_wanted = |name: &str| only.is_empty() || only.iter().any(|begin| name.starts_with(begin));
    let scratch = tempfile::tempdir_in(workspace::target());
    let scratch = scratch.map_err(|e| format!("a place for the runs: {e}"))?;
    let (mut judged, mut failures) = (Vec::new(), Vec::new());
    for (case, times) in if is_sample { cases::sample() } else { cases::all() } {
        let numbers = (1..=times).filter(|number| is_wanted(&format!("{}-{number}", case.name)));
        for number in numbers {
            match made(program, case, number, scratch.path(), accept) {
                Ok(run) => judged.push(run),
                Err(error) => {
                    println!("{}-{number}: {error}", case.name);
                    failures.push(format!("{}-{number}", case.name));
                }
            }
        }
    }
    println!("\n{}", verdict::of(&judged).markdown());
    if is_sample {
        println!("{}", verdict::shares(&judged)?);
        return if failures.is_empty() { Ok(()) } else { Err(format!("not made: {}", failures.join(", "))) };
    }
    let wrong = judged.iter().filter(|run| !run.is_right()).map(|run| run.name.clone());
    failures.extend(wrong);
    if failures.is_empty() { Ok(()) } else { Err(format!("failed: {}", failures.join(", "))) }
}

/// Judges the runs that are kept, and prints the table.
pub fn show() -> Result<(), String> {
    let all = making::judge_all()?;
    let disturbed = all.iter().filter(|run| run.is_disturbed).count();
    println!("{} clean runs, {disturbed} disturbed runs\n", all.len() - disturbed);
    all.iter().filter(|run| !run.is_right()).for_each(|run| println!("{}", run.line()));
    println!("{}", verdict::of(&all).markdown());
    Ok(())
}

/// Makes one run, judges it, and keeps it if it is to be kept.
fn made(program: &Path, case: &Case, number: usize, scratch: &Path, keep: bool) -> Result<Judged, String> {
    let name = format!("{}-{number}", case.name);
    let made = making::make(program, case, &name, scratch)?;
    let judged = Judged::of(&name, &made.expected, &made.run)?;
    println!("{}", judged.line());
    if keep {
        making::save(&name, &made, scratch)?;
    }
    Ok(judged)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../../docs/measurement.md");
    /// The least number of runs of each kind that are kept.
    const CLEAN_MIN: usize = 60;
    const DISTURBED_MIN: usize = 60;

    #[test]
    fn runs_that_are_kept_have_their_taints_and_no_others() {
        let all = making::judge_all().unwrap();
        let wrong: Vec<String> = all.iter().filter(|run| !run.is_right()).map(Judged::line).collect();
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
        let disturbed = all.iter().filter(|run| run.is_disturbed).count();
        assert!(disturbed >= DISTURBED_MIN, "{disturbed} disturbed runs");
        assert!(all.len() - disturbed >= CLEAN_MIN, "{} clean runs", all.len() - disturbed);
        let table = verdict::of(&all).markdown();
        assert!(PAGE.contains(&table), "docs/measurement.md does not hold this table:\n{table}");
    }

    #[test]
    fn a_taint_that_is_missed_or_wrong_is_seen() {
        let all = making::load_all().unwrap();
        let (name, expected, run) = all.iter().find(|(_, expected, _)| !expected.must.is_empty()).unwrap();
        let mut other = expected.clone();
        let missed = other.must.pop().unwrap();
        other.may.clear();
        other.must.push("no-such-taint".to_owned());
        let judged = Judged::of(name, &other, run).unwrap();
        assert_eq!(judged.missed, ["no-such-taint"]);
        assert!(judged.wrong.contains(&missed), "{judged:?}");
    }
}
