//! What limited each measurement, with the numbers that say so.
//!
//! One rule per file, one line in [`BESIDE`] or [`TARGETS`]. The first rule that holds explains a
//! measurement: rules which show that the figure is not the device's come before limits of the
//! device, and the last rule always holds. To add one: a variant of [`Limit`] with its words, a file with a
//! `pub(super) fn check`, and its line.

mod cap;
mod control_group;
mod depth;
mod device;
mod generator;
mod hand_off;
mod memory;
mod others;
mod proviso;
mod single;
mod strain;
mod submission;
mod syncs;

use crate::case::Case;
use crate::cell::Cell;
use fathom_results::answer::limit::{Against, MeanLatency};
use fathom_results::{JobLimit, Limit, Limits};

/// Jobs whose limit is looked for. Each of them is compared with all others, so the time grows with
/// the square of their number (3,000 jobs took 3 s).
const JOBS_MAX: usize = 100;

/// A limit, and what speaks against it.
struct Found {
    limit: Limit,
    against: Vec<Against>,
}

/// A limit against which nothing speaks.
fn found(limit: Limit) -> Found {
    Found { limit, against: Vec::new() }
}

type Rule = fn(&Case<'_>, &Cell<'_>) -> Option<Found>;

/// Limits that are not the target's.
const BESIDE: &[Rule] = &[control_group::check, memory::check, generator::check];

/// Limits of the target, or of the way to it.
const TARGETS: &[Rule] =
    &[others::check, syncs::check, single::check, submission::check, cap::check, depth::check, device::check];

/// What limited each job; `None` where nothing was measured.
pub(crate) fn limits(case: &Case<'_>) -> Option<Limits> {
    let measured = || case.cells.iter().filter(|cell| cell.ios() > 0);
    let jobs: Vec<JobLimit> = measured().take(JOBS_MAX).map(|cell| of_job(case, cell)).collect();
    (!jobs.is_empty()).then(|| Limits { jobs, is_part: measured().nth(JOBS_MAX).is_some() })
}

fn of_job(case: &Case<'_>, cell: &Cell<'_>) -> JobLimit {
    let first = |rules: &[Rule]| rules.iter().find_map(|rule| rule(case, cell));
    let by_rules = || {
        let target = || first(TARGETS).map(|found| proviso::of_target(case, cell, found));
        first(BESIDE).or_else(target).expect("the last rule always holds")
    };
    let Found { limit, against } = as_asked(cell).map_or_else(by_rules, found);
    JobLimit { job: cell.name().to_owned(), limit, against, rounds: None }
}

/// The limit of a job that follows from what it asks for, and from no figure.
fn as_asked(cell: &Cell<'_>) -> Option<Limit> {
    Some(match () {
        () if cell.is_too_short() => Limit::TooShort,
        () if cell.has_too_few() => Limit::TooFew,
        () if cell.keeps_its_rate() && !cell.is_slowed_by_pauses() => Limit::AskedRate,
        () if cell.has_paused() => Limit::ThinkTime,
        () if cell.keeps_trace_times() => Limit::TraceTimes,
        () if !cell.has_target() => Limit::NoDevice,
        () if cell.is_simulated() => Limit::SimulatedDrive,
        () => return None,
    })
}

/// The mean of the time that an I/O took, from its descriptor to its completion. Of a job with a rate it is the time of the
/// target: the answer gives the response, which contains the wait for a free slot. `None` where latency was not kept.
fn mean(cell: &Cell<'_>) -> Option<MeanLatency> {
    Some(MeanLatency { ns: cell.latency_ns_mean()?, is_service: cell.is_paced() })
}

#[cfg(test)]
mod fixture {
    //! Three reads, with rates and latencies to choose.

    use crate::case::Case;
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::surrounds::Surrounds;
    use fathom_results::JobLimit;

    pub const MIB: u64 = 1 << 20;
    /// Jobs of the reads, by their place in the plan.
    pub const BANDWIDTH: usize = 0;
    pub const LATENCY: usize = 1;
    pub const IOPS: usize = 2;

    /// The reads, one after the other.
    pub fn job_text(direct: bool) -> String {
        format!(
            "[global]\nfilename=/data/scratch\nsize=1g\nioengine=io_uring\ndirect={}\ntime_based=1\nruntime=7s\n\
             [seq-read-bandwidth]\nstonewall\nrw=read\nbs=1m\niodepth=8\n\
             [rand-read-latency]\nstonewall\nrw=randread\nbs=4k\n\
             [rand-read-iops]\nstonewall\nrw=randread\nbs=4k\niodepth=32\n",
            u8::from(direct)
        )
    }

    /// The same, and then two jobs that write.
    pub fn with_writes(direct: bool) -> String {
        job_text(direct)
            + "[seq-write-bandwidth]\nstonewall\nrw=write\nbs=1m\niodepth=8\n\
               [rand-write-iops]\nstonewall\nrw=randwrite\nbs=4k\niodepth=32\n"
    }

    /// Reads at depth 1 take 100 µs; then this many per second at depth 32, which keeps the queue
    /// full.
    pub fn reads(per_second: u64) -> RunBuilder {
        reads_varied(&[per_second; 7], 31_900_000_000 / per_second)
    }

    pub fn reads_varied(per_second: &[u64], latency_ns: u64) -> RunBuilder {
        let mut scene = RunBuilder::text(&job_text(true)).seconds(
            LATENCY,
            7,
            &[DirectionLoad::reads(10_000, 4096, 100_000)],
        );
        for ios in per_second {
            scene = scene.seconds(IOPS, 1, &[DirectionLoad::reads(*ios, 4096, latency_ns)]);
        }
        scene
    }

    /// What limited one job, in words.
    #[derive(Debug)]
    pub struct Explained {
        pub claim: String,
        pub evidence: String,
        pub counter: Option<String>,
        /// What the rule saw, before the numbers of the job.
        pub basis: Option<String>,
    }

    pub fn in_words(limit: &JobLimit) -> Explained {
        let claim = fathom_words::limit::claim(&limit.limit);
        assert!(claim.split_whitespace().count() <= 12, "a plain claim is short: {limit:?}");
        let numbers = fathom_words::limit::numbers(limit).unwrap_or_default();
        let (basis, evidence) = match numbers.rsplit_once(&format!("; {}: ", limit.job)) {
            Some((basis, own)) => (Some(basis.to_owned()), format!("{}: {own}", limit.job)),
            None => (None, numbers),
        };
        let counter = Some(fathom_words::limit::against(limit)).filter(|text| !text.is_empty());
        Explained { claim, evidence, counter, basis }
    }

    /// What a rule says of one job.
    pub fn of_rule(found: super::Found, job: &str) -> Explained {
        let super::Found { limit, against } = found;
        in_words(&JobLimit { job: job.to_owned(), limit, against, rounds: None })
    }

    pub fn explain(scene: RunBuilder, surrounds: &Surrounds, job: usize) -> Explained {
        let run = scene.run();
        let case = Case::new(&run, surrounds);
        in_words(&super::of_job(&case, &case.cells[job]))
    }
}
