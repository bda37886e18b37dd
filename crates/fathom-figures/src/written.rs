//! How much a run wrote in all, and to which targets.

use fathom_job::direction::Direction;
use fathom_job::plan::TargetKind;
use fathom_job::value::Mix;
use fathom_results::{FileRecord, JobResult, RunResult};

/// What a run wrote on this machine.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenInAll<'a> {
    /// Bytes: what the jobs wrote, in ramps and after their measured windows too, and what was written into files before
    /// the jobs read them.
    pub bytes: u64,
    /// Of these, bytes that were written into files before the jobs began.
    pub laid_out: u64,
    /// A job wrote a whole device in order, so that nothing is left of what it held.
    pub is_whole_device: bool,
    /// The targets, each once, in the order of the jobs. Of files with names that are counted up the first.
    pub targets: Vec<&'a FileRecord>,
}

impl<'a> WrittenInAll<'a> {
    /// Adds up the jobs of a run; `None` where it wrote nothing on this machine.
    pub fn of(run: &'a RunResult) -> Option<Self> {
        let mut written = WrittenInAll { bytes: 0, laid_out: 0, is_whole_device: false, targets: Vec::new() };
        let started = run.jobs.iter().filter(|job| !job.series.is_empty());
        started.for_each(|job| written.add(job));
        (written.bytes > 0).then_some(written)
    }

    fn add(&mut self, job: &'a JobResult) {
        let by_job = bytes_of(job);
        for file in job.planned.files.iter().filter(|file| file.is_on_machine()) {
            let laid_out = file.layout.0.saturating_mul(file.count);
            self.bytes += laid_out;
            self.laid_out += laid_out;
            let is_known = self.targets.iter().any(|known| known.path == file.path);
            if by_job + laid_out > 0 && !is_known {
                self.targets.push(file);
            }
        }
        let is_whole = |file: &FileRecord| {
            file.kind == TargetKind::Block
                && file.length.is_some_and(|length| by_job >= length.0 && file.size >= length)
        };
        let writes_only = job.planned.rw.mix == Mix::Write && !job.planned.rw.random;
        self.is_whole_device |= writes_only && job.planned.files.iter().any(is_whole);
        let is_on_machine =
            job.planned.moves_data() && job.planned.files.iter().any(|file| file.is_on_machine());
        self.bytes += if is_on_machine { by_job } else { 0 };
    }
}

/// The windows, and what completed after the last one.
fn bytes_of(job: &JobResult) -> u64 {
    let windows: u64 = job.series.iter().map(|point| point.bytes[Direction::Write]).sum();
    windows + job.totals.directions[Direction::Write].drained.bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};

    const GLOBAL: &str = "[global]\nbs=4k\nioengine=psync\nfilename=/data/f\n";

    #[test]
    fn ramps_and_both_jobs_count_and_a_target_is_told_once() {
        let writes = DirectionLoad::writes(100, 4096, 90_000);
        let text =
            format!("{GLOBAL}[a]\nrw=write\nramp_time=2s\n[b]\nrw=write\n[c]\nfilename=/data/g\nrw=read\n");
        let scene = RunBuilder::text(&text).ramp(0, 2, writes).seconds(0, 3, &[writes]);
        let scene = scene.seconds(1, 4, &[writes]).seconds(2, 4, &[DirectionLoad::reads(9, 4096, 90_000)]);
        let run = scene.run();
        let written = WrittenInAll::of(&run).unwrap();
        let paths: Vec<&str> = written.targets.iter().map(|file| file.path.as_str()).collect();
        let laid_out: u64 = run.jobs[2].planned.files.iter().map(|file| file.layout.0).sum();
        assert_eq!(written.bytes, (2 + 3 + 4) * 100 * 4096 + laid_out);
        assert_eq!(written.laid_out, laid_out);
        assert_eq!(paths[0], "/data/f");
        assert_eq!(paths.len(), if laid_out > 0 { 2 } else { 1 });
    }

    #[test]
    fn a_run_that_reads_a_device_wrote_nothing() {
        let job = "rw=read bs=4k ioengine=psync filename=/dev/sda";
        let run = RunBuilder::of(job).all(3, DirectionLoad::reads(9, 4096, 90_000)).run();
        assert_eq!(WrittenInAll::of(&run), None);
    }
}
