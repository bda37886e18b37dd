//! `rwmixread` of a job whose reads and writes each have a rate: the rates decide how many of each there are.

use super::{LintInput, LintRule, note};
use crate::diagnostic::Diagnostic;
use crate::options;
use crate::plan::Rate;
use crate::value::Mix;

pub(super) const RULE: LintRule = LintRule { code: "rwmix-rates", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let (job, first) = (input.job(), input.first);
    let is_given = job.is_given(&options::RWMIXREAD) || job.is_given(&options::RWMIXWRITE);
    let percent = u64::from(first.read_percent);
    // With 0 or 100 there is one direction, and its rate is all that counts.
    if first.rw.mix != Mix::ReadWrite || !is_given || matches!(percent, 0 | 100) {
        return None;
    }
    let (name, read, write) = match (first.pace.rate.read?, first.pace.rate.write?) {
        (Rate::Ios(read), Rate::Ios(write)) => (Some("rate_iops"), read, write),
        (Rate::Bytes(read), Rate::Bytes(write)) => (Some("rate"), read, write),
        (Rate::Ios(read) | Rate::Bytes(read), Rate::Ios(write) | Rate::Bytes(write)) => (None, read, write),
    };
    let sum = read.saturating_add(write);
    let wanted = sum / 100 * percent + sum % 100 * percent / 100;
    if name.is_some() && wanted.abs_diff(read) <= sum / 100 {
        return None;
    }
    let message = format!(
        "job {}: rwmixread has no effect, because reads and writes each have a rate, and the rates decide how many of each there are",
        job.name
    );
    let found = note(input, &RULE, &options::RWMIXREAD, message);
    Some(match name {
        Some(name) => {
            found.hint(format!("for {percent} % reads at the same sum: {name}={wanted},{}", sum - wanted))
        }
        None => found.hint("give both rates as rate_iops, and choose them in this ratio"),
    })
}
