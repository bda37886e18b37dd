//! Jobs that fathom wrote itself, for a procedure that is one run.
//!
//! The procedure says what must be known of them ([`OwnJobs`]), so that no rule knows a procedure. Two rules hold only for such jobs:
//! that they were short, and that they used only a part of the target. Of any other job the user chose the length and the range.

use crate::case::Case;
use crate::cell::Cell;
use fathom_figures::RateSpread;
use fathom_results::answer::{Headline, JobHeadline};
use fathom_results::{Evidence, Finding, RunResult, Weight};

/// What a procedure says of the jobs that it writes.
#[derive(Clone, Copy, Debug)]
pub struct OwnJobs {
    /// The command that measures them. It is the name of the procedure in records, too.
    pub command: &'static str,
    /// How many jobs measure.
    pub measurements: u64,
    /// Seconds of each, where the user does not say.
    pub seconds: u64,
    /// The job that prepares the target. Its own figures are not judged.
    pub prepares: &'static str,
    /// The jobs whose figures are in the headline.
    pub named: &'static [&'static str],
    /// The headline of these figures, with the block size and the depth of the first.
    pub headline: fn(Vec<JobHeadline>, u64, u32) -> Headline,
}

/// The jobs of a procedure, and whether the run that is judged is one of that procedure.
#[derive(Clone, Copy)]
pub(crate) struct Own<'a> {
    pub jobs: &'a OwnJobs,
    pub are_these: bool,
}

impl<'a> Own<'a> {
    pub fn of(run: &RunResult, jobs: &'a OwnJobs) -> Self {
        Own { jobs, are_these: run.record.procedure.as_deref() == Some(jobs.command) }
    }

    /// Is it the job that prepares the target?
    pub fn prepares(&self, job: &str) -> bool {
        self.are_these && job == self.jobs.prepares
    }

    /// What the two rules find.
    pub fn findings(&self, case: &Case<'_>) -> Vec<Finding> {
        if !self.are_these {
            return Vec::new();
        }
        let found = part_measured(case, self.jobs.prepares).into_iter().chain(short_run(case));
        found.map(|evidence| Finding { evidence, weight: Weight::Medium, jobs: None }).collect()
    }
}

/// The code of the rule that a run was short.
pub(crate) const SHORT_RUN: &str = "short-run";

/// Fewer seconds than this show neither a full write cache nor a
/// spent burst credit, which take minutes.
const SECONDS_MIN: u64 = 60;

/// Some seconds are a first answer, not a steady state.
fn short_run(case: &Case<'_>) -> Option<Evidence> {
    let measured = case.on_disk().filter(|cell| cell.ios() > 0);
    let spreads = measured.map(|cell| (cell, cell.rate_spread()));
    let spreads: Vec<_> = spreads.filter(|(_, spread)| spread.samples > 0).collect();
    let seconds = |(cell, spread): &(&Cell<'_>, RateSpread)| spread.samples * cell.window_seconds();
    let shortest = spreads.iter().min_by_key(|one| seconds(one))?;
    if seconds(shortest) >= SECONDS_MIN {
        return None;
    }
    let variations = spreads.iter().filter_map(|(cell, spread)| Some((cell.name(), spread.variation()?)));
    let most = variations.max_by(|a, b| a.1.total_cmp(&b.1));
    Some(Evidence::ShortRun {
        job: shortest.0.name().to_owned(),
        windows: shortest.1.samples,
        window_s: shortest.0.window_seconds(),
        varied_most: most.map(|(name, variation)| (name.to_owned(), variation)),
    })
}

/// Only a part of the target was prepared, and so measured.
fn part_measured(case: &Case<'_>, prepares: &str) -> Option<Evidence> {
    let all = Cell::all(case.run);
    let file = all.iter().find(|cell| cell.name() == prepares)?.planned().files.first()?;
    let length = file.length.filter(|length| *length > file.size)?;
    let (path, part_bytes, whole_bytes) = (file.path.clone(), file.size.0, length.0);
    Some(Evidence::PartMeasured { path, part_bytes, whole_bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder, evidence};

    fn short(run: &RunResult) -> Option<String> {
        short_run(&Case::new(run, &crate::fixture::surrounds())).map(evidence)
    }

    #[test]
    fn a_minute_is_the_least() {
        let job = "rw=randread bs=4k ioengine=psync direct=1 filename=/data/f";
        let of = |seconds| RunBuilder::of(job).all(seconds, DirectionLoad::reads(1_000, 4096, 100_000)).run();
        assert_eq!(short(&of(7)).unwrap(), "7 windows of 1 s for t; t varied most, by 0.0 %");
        assert_eq!(short(&of(60)), None);
    }

    #[test]
    fn the_one_that_varies_most_is_named() {
        let text = "[global]\nbs=4k\nioengine=psync\nfilename=/data/f\n\
                    [a]\nrw=randread\n[b]\nstonewall\nrw=randread\n[unborn]\nstonewall\nrw=read\n";
        let reads = |ios| [DirectionLoad::reads(ios, 4096, 100_000)];
        let scene = RunBuilder::text(text).seconds(0, 7, &reads(500)).seconds(1, 4, &reads(500));
        let run = scene.seconds(1, 4, &reads(900)).run();
        assert_eq!(short(&run).unwrap(), "7 windows of 1 s for a; b varied most, by 31 %");
    }

    #[test]
    fn the_part_is_told_with_the_whole() {
        let found = |size: &str| {
            let text = format!("[fill]\nioengine=psync\nfilename=/dev/sda\nsize={size}\nbs=1m\nrw=write\n");
            let scene = RunBuilder::text(&text).seconds(0, 1, &[DirectionLoad::writes(512, 1 << 20, 90_000)]);
            let run = scene.run();
            part_measured(&Case::new(&run, &crate::fixture::surrounds()), "fill").map(evidence)
        };
        assert_eq!(found("512m").as_deref(), Some("the first 512 MiB of the 1 GiB of /dev/sda"));
        assert_eq!(found("1g"), None);
    }
}
