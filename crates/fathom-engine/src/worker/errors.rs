//! Which I/O errors end a job, and the messages about them.

use crate::command_status::{errno_of, text_of};
use crate::desc::{Desc, Op};
use fathom_job::direction::Direction;
use fathom_job::engine::CommandSet;
use fathom_job::job::Job;
use fathom_job::options as opt;
use fathom_job::plan::PlannedJob;
use fathom_results::{EndedBy, JobFailure};
use std::io;

/// The errors that do not end a job.
#[derive(Clone, Debug)]
pub struct Tolerance {
    reads: bool,
    writes: bool,
    ignored_reads: Vec<i32>,
    ignored_writes: Vec<i32>,
    /// A write for which no space is left is the end of the job (`fill_device`).
    fills: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    Ignore,
    Count,
    /// It ends the job.
    Fatal,
}

impl Tolerance {
    /// The tolerance that `continue_on_error` and `ignore_error` ask for.
    pub fn of(job: &Job) -> Tolerance {
        let go_on = job.get(&opt::CONTINUE_ON_ERROR);
        let ignored = job.get(&opt::IGNORE_ERROR).unwrap_or_default();
        Tolerance {
            reads: matches!(go_on, "read" | "io" | "all"),
            writes: matches!(go_on, "write" | "io" | "all"),
            ignored_reads: ignored.read,
            ignored_writes: ignored.write,
            fills: job.get(&opt::FILL_DEVICE),
        }
    }

    /// Is this failure the end that the job asked for: no space is left for a write? As in fio, EDQUOT
    /// means the same.
    pub fn is_full(&self, failure: &JobFailure) -> bool {
        let is_no_space = matches!(failure.errno, libc::ENOSPC | libc::EDQUOT);
        self.fills && is_no_space && failure.direction == Some(Direction::Write)
    }

    /// The outcome of two I/Os, or of two parts of a job: the first failure, but one that is the end that the job
    /// asked for hides no other.
    pub fn both<T>(&self, one: Result<T, JobFailure>, other: Result<T, JobFailure>) -> Result<T, JobFailure> {
        match (one, other) {
            (Err(full), Err(other)) if self.is_full(&full) => Err(other),
            (one, other) => one.and(other),
        }
    }

    /// What ended a job, and why it failed if it did.
    pub fn ending(&self, ended: Result<EndedBy, JobFailure>) -> (EndedBy, Option<JobFailure>) {
        match ended {
            Ok(rule) => (rule, None),
            Err(full) if self.is_full(&full) => (EndedBy::Full, None),
            Err(failure) => (EndedBy::Error, Some(failure)),
        }
    }

    /// Judges an errno, or the status of a command. As in fio, only errors of the medium (EIO, EILSEQ) can
    /// be continued after; others mean that the job itself is wrong.
    pub fn judge(&self, op: Op, failure: i32) -> Judgement {
        let errno = errno_of(failure);
        let (ignored, goes_on) = match op {
            Op::Read => (&self.ignored_reads, self.reads),
            _ => (&self.ignored_writes, self.writes),
        };
        match errno {
            // fio goes on without an end if such an error is also to be ignored.
            libc::ENOSPC | libc::EDQUOT if self.fills && op == Op::Write => Judgement::Fatal,
            _ if ignored.contains(&errno) => Judgement::Ignore,
            libc::EIO | libc::EILSEQ if goes_on => Judgement::Count,
            _ => Judgement::Fatal,
        }
    }
}

/// The message about one failed I/O, with all that is needed to find it.
pub fn describe(plan: &PlannedJob, desc: &Desc, result: i32) -> JobFailure {
    let file = plan.files.get(desc.file() as usize);
    let path = file.map_or("", |f| f.path.as_str());
    let is_zoned = file.is_some_and(|file| file.zones.is_some());
    let failure = if result < 0 { -result } else { libc::EIO };
    let (errno, status) = (errno_of(failure), text_of(failure));
    let cause = match (result, status) {
        (0, _) => "no data: the target ends here".to_owned(),
        (_, Some(status)) => status,
        _ => io::Error::from_raw_os_error(errno).to_string(),
    };
    let commands = plan.engine_def().and_then(|engine| engine.commands);
    let hint = match errno {
        // The drive has said why.
        _ if failure != errno => "",
        libc::EINVAL if commands.is_some() => {
            "; a command moves whole blocks, and at most as much as max_hw_sectors_kb of the block device says (/sys/block/DISK/queue)"
        }
        // What the kernel returns for a command to a disk that is too long. An error of the drive has a sense key.
        libc::EIO if commands == Some(CommandSet::Scsi) => {
            "; the kernel did not send the command: it may be longer than max_hw_sectors_kb of the block device says \
             (/sys/block/DISK/queue)"
        }
        libc::EINVAL if desc.op() == Op::Trim => {
            "; offset and length of a trim must be multiples of the logical block size"
        }
        libc::EINVAL => {
            "; with direct=1 offset, length and buffer must be multiples of the logical block size"
        }
        libc::EOPNOTSUPP => "; the target does not support this operation",
        // The kernel's BLK_STS_ZONE_OPEN_RESOURCE and BLK_STS_ZONE_ACTIVE_RESOURCE.
        libc::ETOOMANYREFS if is_zoned => "; more zones would be open than the device allows",
        libc::EOVERFLOW if is_zoned => "; more zones would be active than the device allows",
        libc::EFBIG => "; the file system has no longer files: use several (nrfiles)",
        _ => "",
    };
    JobFailure {
        errno,
        message: format!(
            "{path}: {} of {} bytes at offset {}: {cause}{hint}",
            desc.op().name(),
            desc.bytes(),
            desc.offset
        ),
        direction: desc.op().direction(),
        offset: Some(desc.offset),
    }
}

/// The failure of a job of which no I/O fits into its files.
pub fn no_place(plan: &PlannedJob) -> JobFailure {
    let path = plan.files.first().map_or("", |f| f.path.as_str());
    let message = format!(
        "{path}: no I/O of up to {} bytes fits into the region of this job; hint: use a larger size= or \
         smaller blocks",
        plan.block_max().0
    );
    JobFailure { errno: libc::EINVAL, message, direction: None, offset: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_errors_of_the_medium_can_be_continued_after() {
        let t = Tolerance {
            reads: true,
            writes: false,
            ignored_reads: vec![],
            ignored_writes: vec![libc::ENOSPC],
            fills: false,
        };
        let cases = [
            (Op::Read, libc::EIO, Judgement::Count),
            (Op::Read, libc::EINVAL, Judgement::Fatal),
            (Op::Write, libc::EIO, Judgement::Fatal),
            (Op::Write, libc::ENOSPC, Judgement::Ignore),
        ];
        for (op, errno, expected) in cases {
            assert_eq!(t.judge(op, errno), expected, "{op:?} {errno}");
        }
    }

    #[test]
    fn a_job_that_fills_ends_where_no_space_is_left() {
        let fills = Tolerance {
            reads: true,
            writes: true,
            ignored_reads: vec![],
            ignored_writes: vec![libc::ENOSPC],
            fills: true,
        };
        let usual = Tolerance { fills: false, ..fills.clone() };
        let failed =
            |errno, direction| JobFailure { errno, message: String::new(), direction, offset: Some(0) };
        let write = Some(Direction::Write);
        for errno in [libc::ENOSPC, libc::EDQUOT] {
            let full = failed(errno, write);
            assert_eq!(fills.judge(Op::Write, errno), Judgement::Fatal);
            assert_eq!(fills.ending(Err(full.clone())), (EndedBy::Full, None));
            assert_eq!(usual.ending(Err(full.clone())), (EndedBy::Error, Some(full)));
        }
        // A sync that found no space lost data that was counted, and a read never needs any.
        for failure in [
            failed(libc::ENOSPC, None),
            failed(libc::ENOSPC, Some(Direction::Read)),
            failed(libc::EIO, write),
        ] {
            assert_eq!(fills.ending(Err(failure.clone())), (EndedBy::Error, Some(failure)));
        }
        let (full, broken) = (failed(libc::ENOSPC, write), failed(libc::EIO, write));
        let both =
            |one: &JobFailure, other: &JobFailure| fills.both::<()>(Err(one.clone()), Err(other.clone()));
        assert_eq!(both(&full, &broken), Err(broken.clone()), "an error behind the full disk is not lost");
        assert_eq!(both(&broken, &full), Err(broken));
        assert_eq!(fills.both(Ok(()), Err(full.clone())), Err(full));
    }

    #[test]
    fn a_failure_names_file_act_place_and_cause() {
        let plan = crate::fixture::planned("[j]\nioengine=psync\nfilename=/x/y\nrw=read\nsize=1m\n");
        let desc = Desc::new(Op::Write, 8192, 4096, 0);
        let cases = [
            (-libc::EIO, libc::EIO, "Input/output error (os error 5)"),
            (0, libc::EIO, "no data: the target ends here"),
            (-libc::EINVAL, libc::EINVAL, "must be multiples of the logical block size"),
            (-libc::EOPNOTSUPP, libc::EOPNOTSUPP, "does not support this operation"),
        ];
        for (result, errno, cause) in cases {
            let failure = describe(&plan.jobs[0], &desc, result);
            assert_eq!((failure.errno, failure.offset), (errno, Some(8192)));
            let message = &failure.message;
            assert!(message.starts_with("/x/y: write of 4096 bytes at offset 8192: "), "{message}");
            assert!(message.ends_with(cause), "{message}");
        }
        let trim = describe(&plan.jobs[0], &Desc::trim(8192, 4 << 30, 0), -libc::EOPNOTSUPP);
        let sg = crate::fixture::planned("[j]\nioengine=sg\nfilename=/dev/sg0\nrw=write\nbs=4k\nsize=1m\n");
        let unsent = describe(&sg.jobs[0], &desc, -libc::EIO).message;
        assert!(unsent.contains("may be longer than max_hw_sectors_kb"), "{unsent}");
        assert!(
            trim.message.starts_with("/x/y: trim of 4294967296 bytes at offset 8192: "),
            "{}",
            trim.message
        );
    }
}
