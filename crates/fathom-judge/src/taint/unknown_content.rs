//! Whether the blocks that are read were ever written (contracts V-23, V-49). Of a device that is known from the ledger of
//! what earlier runs wrote, and from the jobs before the one that reads; files are laid out before they are read.

use super::{Found, TaintRule};
use crate::case::Case;
use crate::cell::Cell;
use fathom_job::direction::Direction;
use fathom_job::options;
use fathom_job::plan::TargetKind;
use fathom_job::units::Bytes;
use fathom_results::finding::KnownContent;
use fathom_results::{Evidence, FileRecord, Weight};

/// The code of the rule.
pub(crate) const CODE: &str = "unknown-content";

pub(super) const RULE: TaintRule = TaintRule { code: CODE, weight: Weight::Medium, check };

fn check(case: &Case<'_>) -> Option<Found> {
    let all = Cell::all(case.run);
    let is_of_disk =
        |cell: &&Cell<'_>| !cell.planned().writes() && cell.ios() > 0 && !case.is_memory_of(cell);
    let reads = case.cells.iter().filter(is_of_disk);
    reads.into_iter().find_map(|cell| {
        let file = cell.planned().files.iter().find(|file| is_unknown(file, cell, &all))?;
        Some(found(file, cell, &all))
    })?
}

fn is_unknown(file: &FileRecord, reader: &Cell<'_>, all: &[Cell<'_>]) -> bool {
    let is_written = file.is_written || file.never_written == Some(Bytes(0));
    file.kind == TargetKind::Block && !is_written && !writers(file, reader, all).any(|w| wrote_all(w, file))
}

/// The jobs before `reader` that only write this device, from the same place on.
fn writers<'c, 'a>(
    file: &FileRecord,
    reader: &Cell<'_>,
    all: &'c [Cell<'a>],
) -> impl Iterator<Item = &'c Cell<'a>> {
    all.iter().filter(move |cell| {
        let planned = cell.planned();
        let only_writes = Direction::ALL.into_iter().all(|d| planned.uses(d) == (d == Direction::Write));
        let over = |own: &FileRecord| own.path == file.path && own.offset <= file.offset;
        let is_once = !planned.rw.random || !planned.job.get(&options::NORANDOMMAP);
        let has_data = !planned.job.get(&options::ZERO_BUFFERS);
        let is_before = planned.stage < reader.planned().stage;
        is_before && only_writes && is_once && has_data && planned.files.len() == 1 && over(&planned.files[0])
    })
}

/// Did it reach the end of what is read, and all of it?
fn wrote_all(writer: &Cell<'_>, file: &FileRecord) -> bool {
    let own = &writer.planned().files[0];
    let is_over = own.offset.0 + own.size.0 >= file.offset.0 + file.size.0;
    is_over && writer.moved(Direction::Write).bytes >= own.size.0 && writer.errors() == 0
}

fn found(file: &FileRecord, reader: &Cell<'_>, all: &[Cell<'_>]) -> Option<Found> {
    let content = match (writers(file, reader, all).next(), file.never_written) {
        (Some(writer), _) => KnownContent::PartlyWritten {
            by: writer.name().to_owned(),
            bytes: writer.moved(Direction::Write).bytes,
        },
        (None, Some(unwritten)) => KnownContent::NeverWritten(unwritten.0),
        (None, None) => KnownContent::Nothing {
            block_bytes: reader.planned().block.read.max().0,
            latency_ns_mean: reader.latency_ns_mean(),
        },
    };
    Some(Found::new(Evidence::UnknownContent {
        job: reader.name().to_owned(),
        path: file.path.clone(),
        region_bytes: file.size.0,
        content,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};
    use fathom_results::RunResult;

    /// What a drive does with such reads.
    const WHY: &str =
        "; a drive answers reads of blocks that were never written, or trimmed since, without its medium";

    fn evidence(run: &RunResult) -> Option<String> {
        let found = check(&Case::new(run, &crate::fixture::surrounds()))?;
        Some(found.evidence().strip_suffix(WHY).unwrap().to_owned())
    }

    fn reading(target: &str) -> RunResult {
        let options = format!("rw=randread bs=4k ioengine=psync direct=1 filename={target}");
        RunBuilder::of(&options).all(3, DirectionLoad::reads(1_000, 4096, 90_000)).run()
    }

    #[test]
    fn devices_only() {
        let told = "t: /dev/sda answered reads of 4 KiB in 90.0 µs on average";
        assert_eq!(evidence(&reading("/dev/sda")).as_deref(), Some(told));
        assert_eq!(evidence(&reading("/data/f")), None);
    }

    #[test]
    fn what_earlier_runs_wrote_is_known() {
        let with = |is_written, never_written| {
            let mut run = reading("/dev/sda");
            let file = &mut run.jobs[0].planned.files[0];
            (file.is_written, file.never_written) = (is_written, never_written);
            evidence(&run)
        };
        assert_eq!(with(true, None), None);
        assert_eq!(with(false, Some(Bytes(0))), None);
        let unwritten = with(false, Some(Bytes::mib(512))).unwrap();
        assert!(unwritten.starts_with("t: 537 MB of the "), "{unwritten}");
    }

    #[test]
    fn what_was_not_read_answered_nothing() {
        let run = RunBuilder::of("rw=read bs=1m ioengine=psync direct=1 filename=/dev/sda").run();
        assert_eq!(evidence(&run), None);
    }

    fn filled(options: &str, mib: u64) -> Option<String> {
        let text = format!(
            "[global]\nioengine=psync\ndirect=1\nfilename=/dev/sda\nsize=1g\nbs=1m\n\
             [fill]\nrw=write\n{options}\n[r]\nstonewall\nrw=read\n"
        );
        let scene = RunBuilder::text(&text).seconds(0, 1, &[DirectionLoad::writes(mib, 1 << 20, 90_000)]);
        evidence(&scene.seconds(1, 1, &[DirectionLoad::reads(100, 1 << 20, 90_000)]).run())
    }

    #[test]
    fn a_job_before_makes_content_known_as_far_as_it_came() {
        assert_eq!(filled("", 1024), None);
        assert_eq!(filled("", 300).as_deref(), Some("r: fill wrote 315 MB of the 1.07 GB read"));
        assert_eq!(filled("rw=randwrite", 1024), None);
        for other in ["rw=randwrite\nnorandommap", "zero_buffers", "size=512m", "rw=rw", "filename=/dev/sdb"]
        {
            assert!(filled(other, 1024).is_some(), "{other}");
        }
    }
}
