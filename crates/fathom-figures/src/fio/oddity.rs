//! What is odd about a result of fio: it is told, and nothing is corrected.

use std::fmt;

/// The errors that targets return most often, by errno of Linux, and the one of `verify`.
const ERRNO_NAMES: [(i64, &str); 7] = [
    (5, "EIO: input/output error"),
    (16, "EBUSY: busy"),
    (19, "ENODEV: no such device"),
    (22, "EINVAL: invalid argument"),
    (28, "ENOSPC: no space left"),
    (84, "EILSEQ: verify found other data"),
    (121, "EREMOTEIO: remote I/O error"),
];

/// Something odd about a result.
#[derive(Clone, Debug, PartialEq)]
pub enum FioOddity {
    /// Lines that are not part of the result.
    OtherLines {
        /// Where they stand: `before the JSON`, `beside the terse lines`.
        place: &'static str,
        /// How many.
        lines: usize,
        /// The first of them, shortened.
        first: String,
    },
    /// A text ends before the lines of its groups, so the end is missing.
    EndMissing,
    /// A key stands twice in one object, with different values.
    Twice {
        /// The key.
        key: String,
    },
    /// A job ended with an error.
    Failed {
        /// The job.
        job: String,
        /// errno.
        errno: i64,
    },
    /// I/Os of a job failed, and it went on (`continue_on_error`).
    FailedIos {
        /// The job.
        job: String,
        /// How many.
        count: u64,
    },
    /// A job has no I/O, so there is no line for it.
    NoIo {
        /// The job.
        job: String,
    },
    /// Only a rate that is cut to a whole number is known of the I/Os of a job.
    Cut {
        /// The job.
        job: String,
        /// `read`, `write`, `trim` or `mixed`.
        direction: &'static str,
        /// The fewest and the most I/Os.
        ios: (u64, u64),
        /// Do the options of the job tell its block size?
        has_size: bool,
    },
    /// A figure that cannot be below zero is.
    Negative {
        /// The job.
        job: String,
        /// The figure: `read iops`.
        figure: String,
        /// Its value.
        value: f64,
    },
    /// A figure that is not a number is left out.
    NoNumber {
        /// The job.
        job: String,
        /// The figure: `read iops`.
        figure: String,
        /// What the file holds in this place.
        value: String,
    },
    /// There is a rate, and no run time.
    NoTime {
        /// The job.
        job: String,
        /// `read`, `write` or `trim`.
        direction: &'static str,
        /// Its I/Os per second.
        iops: f64,
    },
    /// Bandwidth and IOPS give I/Os that are smaller than a block of any device.
    NoBlock {
        /// The job.
        job: String,
        /// `read`, `write` or `trim`.
        direction: &'static str,
        /// Bytes per second ÷ I/Os per second.
        bytes: f64,
    },
    /// Two figures contradict each other.
    Contradiction {
        /// The job.
        job: String,
        /// The first: `read clat p99`.
        one: String,
        /// Its value.
        one_value: f64,
        /// The second: `max`.
        other: String,
        /// Its value.
        other_value: f64,
        /// The unit of both.
        unit: &'static str,
    },
    /// So many further ones.
    More {
        /// How many.
        count: usize,
    },
}

impl fmt::Display for FioOddity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FioOddity::OtherLines { place, lines, first } => {
                let (line, stand) = if *lines == 1 { ("line", "stands") } else { ("lines", "stand") };
                write!(f, "{lines} other {line} {stand} {place}; the first is {first:?}")
            }
            FioOddity::EndMissing => f.write_str(
                "the text ends before the lines of its groups: the end is missing, and what stood there, too",
            ),
            FioOddity::Twice { key } => {
                write!(f, "{key:?} stands twice with different values; the last one is read")
            }
            FioOddity::Failed { job, errno } => {
                let name = ERRNO_NAMES.iter().find(|(number, _)| number == errno);
                let name = name.map(|(_, name)| format!(" ({name})")).unwrap_or_default();
                write!(f, "job {job} ended with error {errno}{name}")
            }
            FioOddity::FailedIos { job, count } => write!(f, "job {job}: {count} I/Os failed"),
            FioOddity::NoIo { job } => write!(f, "job {job} has no I/O"),
            FioOddity::Cut { job, direction, ios: (fewest, most), has_size } => {
                let size = if *has_size { "" } else { ", and their size is not known" };
                let cut = format!("job {job}: {direction} iops is cut to a whole number");
                write!(f, "{cut}, so there were {fewest} to {most} I/Os{size}")
            }
            FioOddity::Negative { job, figure, value } => {
                write!(f, "job {job}: {figure} is {value}, and it cannot be below zero")
            }
            FioOddity::NoNumber { job, figure, value } => {
                write!(f, "job {job}: {figure} is {value}, which is not a number, and is left out")
            }
            FioOddity::NoTime { job, direction, iops } => {
                write!(f, "job {job}: {direction} iops is {iops} 1/s, but its run time is 0")
            }
            FioOddity::NoBlock { job, direction, bytes } => {
                write!(
                    f,
                    "job {job}: {direction} bw ÷ iops is {bytes:.1} B, and no device has blocks that small"
                )
            }
            FioOddity::Contradiction { job, one, one_value, other, other_value, unit } => {
                write!(f, "job {job}: {one} is {one_value} {unit}, but {other} is {other_value} {unit}")
            }
            FioOddity::More { count } => write!(f, "{count} further oddities of this kind"),
        }
    }
}
