//! Which I/O errors end a job, and the messages about them.

use crate::desc::{Desc, Op};
use fathom_job::job::Job;
use fathom_job::options as opt;
use fathom_job::plan::PlannedJob;
use fathom_results::JobFailure;
use std::io;

/// The errors that do not end a job.
#[derive(Clone, Debug)]
pub struct Tolerance {
    reads: bool,
    writes: bool,
    ignored_reads: Vec<i32>,
    ignored_writes: Vec<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    Ignore,
    Count,
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
        }
    }

    /// Judges an errno. As in fio, only errors of the medium (EIO, EILSEQ) can
    /// be continued after; others mean that the job itself is wrong.
    pub fn judge(&self, op: Op, errno: i32) -> Judgement {
        let (ignored, goes_on) = match op {
            Op::Read => (&self.ignored_reads, self.reads),
            _ => (&self.ignored_writes, self.writes),
        };
        match errno {
            _ if ignored.contains(&errno) => Judgement::Ignore,
            libc::EIO | libc::EILSEQ if goes_on => Judgement::Count,
            _ => Judgement::Fatal,
        }
    }
}

/// The message about one failed I/O, with all that is needed to find it.
pub fn describe(plan: &PlannedJob, desc: &Desc, result: i32) -> JobFailure {
    let path = plan.files.get(desc.file() as usize).map_or("", |f| f.path.as_str());
    let errno = if result < 0 { -result } else { libc::EIO };
    let cause = match result {
        0 => "no data: the target ends here".to_owned(),
        _ => io::Error::from_raw_os_error(errno).to_string(),
    };
    let hint = match errno {
        libc::EINVAL if desc.op() == Op::Trim => {
            "; offset and length of a trim must be multiples of the logical block size"
        }
        libc::EINVAL => {
            "; with direct=1 offset, length and buffer must be multiples of the logical block size"
        }
        libc::EOPNOTSUPP => "; the target does not support this operation",
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
        assert!(
            trim.message.starts_with("/x/y: trim of 4294967296 bytes at offset 8192: "),
            "{}",
            trim.message
        );
    }
}
