//! What is odd about a result of fio, as data: nothing is corrected. Its words are in `fathom-words`.

/// Where lines stand that are not part of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinesPlace {
    /// Before the JSON.
    BeforeJson,
    /// Behind the JSON.
    BehindJson,
    /// Between and around terse lines.
    BesideTerse,
    /// Between and around the lines of fio's text.
    BesideText,
}

/// Something odd about a result.
#[derive(Clone, Debug, PartialEq)]
pub enum FioOddity {
    /// Lines that are not part of the result.
    OtherLines {
        /// Where they stand.
        place: LinesPlace,
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
    /// The pattern of the options has reads and writes, and one of them is not there.
    OneDirection {
        /// The job.
        job: String,
        /// The option `rw`.
        rw: String,
        /// The only direction in the result.
        direction: &'static str,
    },
    /// The pattern of the options has no such I/O.
    OtherDirection {
        /// The job.
        job: String,
        /// The option `rw`.
        rw: String,
        /// The direction that it does not have.
        direction: &'static str,
    },
    /// The shares of all depths are more than 100 % together (V-28).
    DepthsAbove {
        /// The job.
        job: String,
        /// Their sum, per cent.
        percent: f64,
    },
    /// A percentile lies in the last bucket of fio's histogram, which has no upper bound.
    Ceiling {
        /// The job.
        job: String,
        /// The figure: `read clat p99.99`.
        figure: String,
        /// Its value, ns.
        ns: f64,
    },
    /// The only disk had another number of requests than the jobs had I/Os (V-29).
    AtDisk {
        /// The disk.
        disk: String,
        /// `read` or `write`.
        direction: &'static str,
        /// Requests that it completed.
        requests: u64,
        /// I/Os of all jobs.
        ios: u64,
    },
    /// So many further ones.
    More {
        /// How many.
        count: usize,
    },
}
