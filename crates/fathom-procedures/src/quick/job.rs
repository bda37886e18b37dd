//! The job file of `fathom quick`: a user could have typed it, and can copy and change it.

use super::fill;
use super::six::{Measurement, SIX};
use super::target::{QuickTarget, depth_option};
use fathom_job::parse::Adjust;
use fathom_job::units::Bytes;
use std::fmt::Write;

/// Warm-up before each measurement, seconds: queues fill, metadata caches warm up, CPU clocks rise.
const RAMP_SECONDS: u64 = 1;

/// Seconds of each measurement, if the user does not say.
pub const QUICK_SECONDS: u64 = 10;

/// The job file. Load it with [`adjust`], which names the target whatever
/// characters its path has.
pub fn job_text(target: &QuickTarget) -> String {
    let mut text = String::from("# fathom quick: six measurements, one after another.\n\n");
    text += &global(target);
    text += &fill::section(target);
    for one in SIX.iter().filter(|one| target.can_write || !one.writes) {
        text += &section(one, target);
    }
    text
}

/// Names the target outside the text: a job file cannot spell a path with `;`
/// or `#` in it, nor one that looks like a variable.
pub fn adjust(target: &QuickTarget) -> Adjust {
    Adjust { target: Some(target.path.clone()), ..Adjust::default() }
}

fn global(target: &QuickTarget) -> String {
    let [direct, create] = [target.direct, target.is_scratch].map(u8::from);
    let filename = match is_spellable(&target.path) {
        true => format!("filename={}", target.path.replace(':', "\\:")),
        false => "# filename: a job file cannot spell this path; name it by --target".to_owned(),
    };
    format!(
        "[global]\n\
         {filename}\n\
         size={size}\n\
         ioengine={engine}\n\
         direct={direct}\n\
         time_based=1\n\
         runtime={seconds}s\n\
         ramp_time={RAMP_SECONDS}s\n\
         # New offsets in each run, each block once per pass: a cache gains least.\n\
         randrepeat=0\n\
         allow_file_create={create}\n",
        size = fill::size_used(target).0,
        engine = target.engine,
        seconds = target.seconds_per_cell,
    )
}

fn section(one: &Measurement, target: &QuickTarget) -> String {
    let block = one.block.max(target.block_min).0;
    let mut text = format!("\n# {}\n[{}]\nstonewall\nrw={}\nbs={block}\n", one.question, one.name, one.rw);
    if let Some(percent) = one.read_percent {
        let _ = writeln!(text, "rwmixread={percent}");
    }
    text += &depth_option(one.depth, one.rw.starts_with("rand"), &target.engine);
    if one.writes {
        text += payload(one);
    }
    text
}

/// Data that nothing can compress or deduplicate. Small blocks get new data each time. A large one
/// is 1 MiB of random bytes, longer than what drives and filesystems compress at a time, so a stamp
/// in each 512 bytes is enough; new data for all of it would take the worker as long as a fast
/// drive needs to store it.
fn payload(one: &Measurement) -> &'static str {
    match one.block < Bytes::mib(1) {
        true => "refill_buffers=1\n",
        false => "scramble_buffers=1\ndedupe_percentage=0\n",
    }
}

/// Can a job file spell this path without another meaning?
fn is_spellable(path: &str) -> bool {
    let plain = !path.contains(['#', ';', '$', '\n', '\r']) && !path.ends_with('\\') && !path.contains("\\:");
    plain && path.trim() == path && !path.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quick::fixture::{plan, scratch};
    use fathom_job::direction::Direction;
    use fathom_job::plan::BlockSizes;
    use fathom_job::units::Nanos;

    #[test]
    fn six_jobs_one_after_another() {
        let plan = plan(&scratch());
        let names: Vec<&str> = plan.jobs.iter().map(|job| job.name.as_str()).collect();
        assert_eq!(names, SIX.map(|one| one.name));
        for (at, (job, one)) in plan.jobs.iter().zip(SIX).enumerate() {
            assert_eq!((job.stage, job.depth.reachable), (at as u32, one.depth), "{}", job.name);
            assert_eq!(
                (job.ramp, job.end.time, job.end.time_based),
                (Nanos::secs(1), Some(Nanos::secs(7)), true)
            );
            assert!(job.direct && job.writes() == one.writes && job.rw.random == one.rw.starts_with("rand"));
            assert_eq!(job.block[Direction::Read], BlockSizes::Fixed(one.block));
            assert_eq!((job.files[0].path.as_str(), job.files[0].size), ("/data/scratch", Bytes::gib(1)));
        }
        assert_eq!(plan.jobs[5].read_percent, 70);
        let expected: u64 = plan.jobs.iter().filter_map(|job| job.expected.time).map(|time| time.0).sum();
        assert_eq!(Nanos(expected), Nanos::secs(48), "about a minute in all");
    }

    #[test]
    fn nothing_in_it_needs_a_warning() {
        let findings = plan(&scratch()).findings;
        assert!(findings.is_empty(), "{findings:#?}");
    }

    #[test]
    fn without_consent_nothing_writes() {
        let plan = plan(&QuickTarget {
            can_write: false,
            is_scratch: false,
            path: "/dev/sda".to_owned(),
            ..scratch()
        });
        assert_eq!(plan.jobs.len(), 3);
        assert!(plan.jobs.iter().all(|job| !job.writes()));
    }

    #[test]
    fn a_synchronous_engine_gets_depth_from_workers() {
        let plan = plan(&QuickTarget { engine: "psync".to_owned(), ..scratch() });
        let clones = |name| plan.jobs.iter().filter(|job| job.name == name).count();
        assert_eq!(
            [clones("rand-read-iops"), clones("rand-read-latency"), clones("seq-read-bandwidth")],
            [32, 1, 1]
        );
        assert!(plan.findings.iter().all(|f| f.code == "overlap-random"), "{:#?}", plan.findings);
    }

    #[test]
    fn blocks_grow_to_what_direct_io_needs() {
        let plan = plan(&QuickTarget { block_min: Bytes::kib(16), ..scratch() });
        assert_eq!(plan.jobs[2].block_min(), Bytes::kib(16));
        assert_eq!(plan.jobs[0].block_min(), Bytes::mib(1));
    }

    #[test]
    fn only_a_scratch_file_is_created() {
        let missing = QuickTarget { path: "/new/scratch".to_owned(), ..scratch() };
        assert_eq!(plan(&missing).jobs[0].files[0].layout, Bytes::gib(1));
        assert!(job_text(&QuickTarget { is_scratch: false, ..missing }).contains("allow_file_create=0"));
    }

    #[test]
    fn every_path_reaches_its_target() {
        for path in [
            "/data/a:b",
            "/data/with blank",
            "/data/semi;colon",
            "/data/x#1",
            "/data/${HOME}",
            "/data/$ncpus",
        ] {
            let target = QuickTarget { path: path.to_owned(), ..scratch() };
            assert_eq!(plan(&target).jobs[0].files[0].path, path);
            let spelled = job_text(&target).contains("filename=/data");
            assert_eq!(spelled, is_spellable(path), "{path}");
        }
    }
}
