//! What the name of a log says: `PREFIX_KIND.N.log`, or `PREFIX_KIND.log` with `per_job_logs=0`.

use std::fmt;

/// What the values of a log are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FioLogKind {
    /// `bw`: KiB/s.
    Bandwidth,
    /// `iops`: I/Os per second.
    Iops,
    /// `lat`: total latency.
    Latency,
    /// `clat`: completion latency.
    Completion,
    /// `slat`: submission latency.
    Submission,
}

impl FioLogKind {
    /// All five, in the order of reports.
    pub const ALL: [FioLogKind; 5] = [
        FioLogKind::Bandwidth,
        FioLogKind::Iops,
        FioLogKind::Latency,
        FioLogKind::Completion,
        FioLogKind::Submission,
    ];

    /// The word in the name of the file.
    pub const fn word(self) -> &'static str {
        match self {
            FioLogKind::Bandwidth => "bw",
            FioLogKind::Iops => "iops",
            FioLogKind::Latency => "lat",
            FioLogKind::Completion => "clat",
            FioLogKind::Submission => "slat",
        }
    }

    /// What it is, in words.
    pub const fn title(self) -> &'static str {
        match self {
            FioLogKind::Bandwidth => "bandwidth",
            FioLogKind::Iops => "IOPS",
            FioLogKind::Latency => "total latency",
            FioLogKind::Completion => "completion latency",
            FioLogKind::Submission => "submission latency",
        }
    }

    /// The unit of its figures. The values in a bandwidth log are KiB/s; figures are in B/s.
    pub const fn unit(self) -> &'static str {
        match self {
            FioLogKind::Bandwidth => "B/s",
            FioLogKind::Iops => "1/s",
            _ => "ns",
        }
    }

    /// Is it one of the three latencies?
    pub const fn is_latency(self) -> bool {
        !matches!(self, FioLogKind::Bandwidth | FioLogKind::Iops)
    }

    /// The kind of that word.
    pub fn of_word(word: &str) -> Option<FioLogKind> {
        FioLogKind::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// The name of a log, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogName {
    /// What the job file gave to `write_bw_log`, or the name of the job.
    pub prefix: String,
    /// What the values are.
    pub kind: FioLogKind,
    /// fio's number of the job; `None` where one log holds all jobs.
    pub job: Option<u32>,
}

impl LogName {
    /// Reads the name of a file, without its directory; `None` if it is not that of a log of these kinds.
    pub fn of(file_name: &str) -> Option<LogName> {
        let stem = file_name.strip_suffix(".log")?;
        let (stem, job) = match stem.rsplit_once('.').map(|(stem, number)| (stem, number.parse().ok())) {
            Some((stem, Some(job))) => (stem, Some(job)),
            _ => (stem, None),
        };
        let (prefix, word) = stem.rsplit_once('_')?;
        Some(LogName { prefix: prefix.to_owned(), kind: FioLogKind::of_word(word)?, job })
    }

    /// Reads the name of a log of histograms (`write_hist_log`), whose values are completion latencies.
    pub fn of_histograms(file_name: &str) -> Option<LogName> {
        let (prefix, rest) = file_name.strip_suffix(".log")?.rsplit_once("_clat_hist")?;
        let job = match rest.strip_prefix('.') {
            Some(number) => Some(number.parse().ok()?),
            None if rest.is_empty() => None,
            None => return None,
        };
        Some(LogName { prefix: prefix.to_owned(), kind: FioLogKind::Completion, job })
    }
}

impl fmt::Display for LogName {
    /// The job whose log it is: `nightly job 2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.job {
            Some(job) => write!(f, "{} job {job}", self.prefix),
            None => f.write_str(&self.prefix),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_logs_are_read_and_others_are_not() {
        let cases = [
            ("fio-test_bw.log", Some(("fio-test", FioLogKind::Bandwidth, None))),
            ("fio-test_bw.1.log", Some(("fio-test", FioLogKind::Bandwidth, Some(1)))),
            ("a_b_clat.12.log", Some(("a_b", FioLogKind::Completion, Some(12)))),
            ("v1.2_iops.3.log", Some(("v1.2", FioLogKind::Iops, Some(3)))),
            ("_lat.log", Some(("", FioLogKind::Latency, None))),
            ("agg-read_bw.log", Some(("agg-read", FioLogKind::Bandwidth, None))),
            ("j_slat.1.log", Some(("j", FioLogKind::Submission, Some(1)))),
            ("j_clat_hist.1.log", None),
            ("bw.log", None),
            ("j_bw.1.log.gz", None),
            ("j_bw.txt", None),
        ];
        for (name, expected) in cases {
            let read = LogName::of(name);
            let read = read.as_ref().map(|n| (n.prefix.as_str(), n.kind, n.job));
            assert_eq!(read, expected, "{name}");
        }
        let of = |name| LogName::of_histograms(name).map(|n| (n.prefix, n.job));
        assert_eq!(of("j_clat_hist.1.log"), Some(("j".to_owned(), Some(1))));
        assert_eq!((of("j_clat_hist.log"), of("j_clat.1.log")), (Some(("j".to_owned(), None)), None));
    }
}
