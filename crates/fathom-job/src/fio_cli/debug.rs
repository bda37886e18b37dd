//! `--debug=parse`: what each option was taken for, in the lines of fio that its tests look for.
//!
//! The other categories are about fio's own code; they are taken and have no lines.

use crate::job::OptionSetting;
use crate::parse::JobSet;
use crate::steady::{SteadyFigure, SteadyLimit, SteadyTerms};
use crate::value::Value;

/// Is it named among the categories, which commas separate?
pub(super) fn has_lines(categories: &str) -> bool {
    categories.split(',').any(|category| category == "parse" || category == "all")
}

/// A line for each option, first of all jobs and then of each, and one for a limit of steady state; `pid` is the process.
pub fn debug_lines(set: &JobSet, pid: u32) -> String {
    let of_all = set.globals.iter().map(|(name, setting)| (*name, setting));
    let settings = of_all.chain(set.jobs.iter().flat_map(|job| job.settings()));
    settings.map(|(name, setting)| lines_of(name, setting, pid)).collect()
}

fn lines_of(name: &str, setting: &OptionSetting, pid: u32) -> String {
    let taken = format!("parse    {pid} handle_option={name}, ptr={}\n", setting.text);
    match &setting.value {
        Value::Steady(terms) => taken + &format!("parse    {pid} set steady state {}\n", limit(*terms)),
        _ => taken,
    }
}

fn limit(terms: SteadyTerms) -> String {
    match (terms.limit, terms.figure) {
        (SteadyLimit::Percent(limit), _) => format!("threshold to {limit:.6}%"),
        (SteadyLimit::Absolute(limit), SteadyFigure::Iops) => format!("IOPS threshold to {limit:.6}"),
        (SteadyLimit::Absolute(limit), SteadyFigure::Bw) => format!("BW threshold to {limit:.0}"),
        (SteadyLimit::Absolute(limit), SteadyFigure::Lat) => format!("latency threshold to {limit:.0}"),
    }
}
