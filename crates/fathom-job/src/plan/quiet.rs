//! What happens on a job's targets before its first measured I/O, and whether reads find pages in the cache.

use super::blocks::covers_once;
use super::{PlannedFile, PlannedJob, TargetKind};
use crate::direction::Direction;
use crate::options;

impl PlannedJob {
    /// Whether nothing happens on its targets between the start and its first
    /// measured I/O: no layout, no ramp, no search for a depth and no delay. During
    /// a delay others could use the targets.
    pub fn is_quiet_before(&self) -> bool {
        let is_made = |file: &PlannedFile| file.kind == TargetKind::Block || file.length >= Some(file.needs);
        let waits = self.has_own_ramp()
            || self.start_delay.0 > 0
            || self.idle_before.0 > 0
            || self.pace.goal.is_some();
        self.files.iter().all(is_made) && !waits && !self.job.get(&options::PRE_READ)
    }
}

// Whether reads find the pages of their files in the page cache.

impl PlannedJob {
    /// Does each of its passes begin after the cache has dropped the pages of its files, as in fio? Only passes that have an end do:
    /// where offsets are drawn freely, fio never opens a file again.
    pub fn begins_passes_cold(&self) -> bool {
        let job = &self.job;
        let drops =
            job.get(&options::INVALIDATE) && !job.get(&options::PRE_READ) && !job.get(&options::DIRECT);
        let has_runs = self.rw.postfix.is_some_and(|run| run > 1) && !self.end.time_based;
        drops && !(self.rw.random && (self.draws_freely() || has_runs))
    }
}

/// Do these jobs read each page only once between two moments at which the cache has dropped it? Not where they write what is
/// read, because a page that is not written back yet stays; nor where two of them read the same pages at once; nor on a device, which keeps
/// its pages while somebody else has it open.
pub fn reads_cold(jobs: &[PlannedJob]) -> bool {
    jobs.iter().filter(|job| job.uses(Direction::Read)).all(is_cold) && !share_pages(jobs)
}

fn is_cold(job: &PlannedJob) -> bool {
    let is_file = |file: &PlannedFile| matches!(file.kind, TargetKind::File | TargetKind::Missing);
    let reads_once = !job.rw.random || covers_once(job);
    job.begins_passes_cold() && reads_once && !job.writes() && job.files.iter().all(is_file)
}

/// Do two regions of one stage have bytes in common?
fn share_pages(jobs: &[PlannedJob]) -> bool {
    let files = jobs.iter().flat_map(|job| job.files.iter().map(|file| (job.stage, file)));
    let region = |(stage, file): (_, &PlannedFile)| {
        (stage, file.path.clone(), file.offset.0, file.offset.0.saturating_add(file.size.0))
    };
    let mut regions: Vec<_> = files.map(region).collect();
    regions.sort_unstable();
    let overlap = |two: &[(_, String, u64, u64)]| {
        (&two[0].0, &two[0].1) == (&two[1].0, &two[1].1) && two[1].2 < two[0].3
    };
    regions.windows(2).any(overlap)
}

#[cfg(test)]
mod tests {
    use crate::plan::fixture::one;

    #[test]
    fn what_touches_the_target_first_is_known() {
        let is_quiet = |options: &str| {
            let plan = one(&format!("rw=randread bs=4k ioengine=libaio direct=1 iodepth=8 {options}"));
            plan.jobs[0].is_quiet_before()
        };
        for options in
            ["filename=/dev/fioa", "filename=/dev/fioa rate_iops=100", "filename=/data/dense size=1g"]
        {
            assert!(is_quiet(options), "{options}");
        }
        for options in [
            "filename=/data/new size=1g",
            "filename=/dev/fioa runtime=10 time_based ramp_time=2",
            "filename=/dev/fioa startdelay=2",
            "filename=/dev/fioa idle_before=2",
            "filename=/dev/fioa latency_target=1ms latency_window=100ms latency_percentile=99",
        ] {
            assert!(!is_quiet(options), "{options}");
        }
    }
}
