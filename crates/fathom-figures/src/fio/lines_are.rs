//! What a line of a log means: one I/O, or a window of time.
//!
//! The file does not say it. In a window's line the block size is 0, except in bandwidth and IOPS logs of fio 2, which
//! wrote a line each 500 ms (`bwavgtime`) with the block size. Those are known by their distance.

use super::log_line::FioLogLine;
use super::log_name::FioLogKind;

/// What each line of a log means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinesAre {
    /// One I/O.
    EachIo,
    /// The mean of a window of about this length (`log_avg_msec`).
    Windows {
        /// Length of a window, ms.
        length_ms: u64,
    },
    /// A histogram of all I/Os of a window (`write_hist_log`).
    Histograms {
        /// How often the number of buckets was halved (`log_hist_coarseness`).
        coarseness: u32,
    },
}

/// Lines further apart than this are windows, even with a block size: fio's shortest usual window.
const WINDOW_MS_MIN: u64 = 100;

/// Times from here on are those of the epoch and not of the job, ms: three years.
const EPOCH_MS: u64 = 100_000_000_000;

impl LinesAre {
    /// Is each line a histogram?
    pub fn are_histograms(self) -> bool {
        matches!(self, LinesAre::Histograms { .. })
    }

    /// The width of what a value is known to, as a share of it: that of a bucket of a histogram, and 0 for values as they are. fio has
    /// 64 buckets for each doubling (`FIO_IO_U_PLAT_BITS`).
    pub fn value_width(self) -> f64 {
        match self {
            LinesAre::Histograms { coarseness } => f64::from(1_u32 << coarseness) / 64.0,
            LinesAre::EachIo | LinesAre::Windows { .. } => 0.0,
        }
    }

    /// Decides by the first lines of one direction, of a job that began at this time of the log, ms.
    pub(super) fn of(kind: FioLogKind, samples: &[FioLogLine], opens_ms: u64) -> LinesAre {
        let has_blocks = samples.iter().any(|sample| sample.block_bytes > 0);
        let length_ms = match whole_windows_ms(samples, opens_ms).filter(|_| !has_blocks) {
            Some(length_ms) => length_ms,
            None => typical_gap_ms(samples),
        };
        let is_count = kind == FioLogKind::Iops && samples.iter().any(|sample| sample.value != 1);
        let is_far_apart = length_ms >= WINDOW_MS_MIN;
        let is_io = match (has_blocks, kind.is_latency()) {
            (true, true) => true,
            (true, false) => !(is_count || is_far_apart && kind == FioLogKind::Bandwidth),
            // Without the column, as in fio 1.
            (false, _) => false,
        };
        if is_io { LinesAre::EachIo } else { LinesAre::Windows { length_ms: length_ms.max(1) } }
    }
}

/// When the job of a log of the epoch began, ms: an I/O is logged when it ends, a window at its end, so a job of windows began one
/// window before its first line. `None` where times are not those of the epoch.
pub(super) fn epoch_begin(kind: FioLogKind, samples: &[FioLogLine]) -> Option<u64> {
    let first = samples.first().filter(|first| first.time_ms >= EPOCH_MS)?;
    let same: Vec<FioLogLine> =
        samples.iter().filter(|sample| sample.direction == first.direction).copied().collect();
    // As if the job had begun at its first line: the distances alone tell how long a window is.
    Some(match LinesAre::of(kind, &same, first.time_ms) {
        LinesAre::Windows { length_ms } if same.len() > 1 => first.time_ms.saturating_sub(length_ms),
        _ => first.time_ms,
    })
}

/// The time of the first line since the job began, if all others but the last one are at multiples of it: windows that follow each
/// other from the beginning, of which a job may end within the last one. `None` after a ramp, and where times are not exact.
fn whole_windows_ms(samples: &[FioLogLine], opens_ms: u64) -> Option<u64> {
    let since = |sample: &FioLogLine| sample.time_ms.saturating_sub(opens_ms);
    let length_ms = samples.first().map(since).filter(|length_ms| *length_ms > 0)?;
    let whole = &samples[..samples.len() - 1];
    whole.iter().all(|sample| since(sample).is_multiple_of(length_ms)).then_some(length_ms)
}

/// The median distance between neighbours, of an even number the smaller one; of a single line, its time. A last distance that is
/// shorter than the others does not count: the job may have ended within its last window.
fn typical_gap_ms(samples: &[FioLogLine]) -> u64 {
    let gap = |two: &[FioLogLine]| two[1].time_ms.saturating_sub(two[0].time_ms);
    let mut gaps: Vec<u64> = samples.windows(2).map(gap).collect();
    let is_cut = |last: &u64, others: &[u64]| others.iter().min().is_some_and(|least| last < least);
    if gaps.split_last().is_some_and(|(last, others)| is_cut(last, others)) {
        gaps.pop();
    }
    gaps.sort_unstable();
    match gaps.get(gaps.len().saturating_sub(1) / 2) {
        Some(median) => *median,
        None => samples.first().map_or(0, |sample| sample.time_ms),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_job::direction::Direction;

    fn decided(kind: FioLogKind, gap_ms: u64, value: u64, block_bytes: u64) -> LinesAre {
        let sample = |at| FioLogLine { time_ms: at * gap_ms, value, direction: Direction::Read, block_bytes };
        LinesAre::of(kind, &(1..20).map(sample).collect::<Vec<_>>(), 0)
    }

    #[test]
    fn windows_and_single_ios_are_told_apart() {
        let windows = |length_ms| LinesAre::Windows { length_ms };
        let cases = [
            (FioLogKind::Bandwidth, 0, 136_533_333, 4096, LinesAre::EachIo),
            (FioLogKind::Bandwidth, 500, 1_370_500, 4096, windows(500)),
            (FioLogKind::Bandwidth, 100, 2_500_777, 0, windows(100)),
            (FioLogKind::Iops, 0, 1, 4096, LinesAre::EachIo),
            (FioLogKind::Iops, 500, 350_728, 4096, windows(500)),
            (FioLogKind::Latency, 0, 10_856, 4096, LinesAre::EachIo),
            // A slow drive: an I/O each second is an I/O.
            (FioLogKind::Completion, 1000, 900_000_000, 1 << 20, LinesAre::EachIo),
            (FioLogKind::Completion, 1000, 51, 0, windows(1000)),
        ];
        for (kind, gap_ms, value, block_bytes, expected) in cases {
            assert_eq!(decided(kind, gap_ms, value, block_bytes), expected, "{kind:?} each {gap_ms} ms");
        }
    }

    #[test]
    fn a_job_may_end_within_its_last_window() {
        let windows = |length_ms| LinesAre::Windows { length_ms };
        for (times_ms, opens_ms, expected) in [
            (&[1000, 2000, 2300][..], 0, 1000),
            (&[1000, 1300], 0, 1000),
            (&[1000, 2000, 2100], 0, 1000),
            (&[6000, 7000, 7300], 5000, 1000),
            // A stall of fio, which writes no line for it.
            (&[1000, 6000], 0, 1000),
            (&[1000, 6000, 7000], 0, 1000),
            // A ramp of 5 s, of fio.
            (&[6000, 7000, 8000, 9000], 0, 1000),
            // Of the epoch: nothing tells when the job began.
            (&[8_327_001, 8_328_001, 8_328_301], 0, 1000),
            (&[300], 0, 300),
        ] {
            let sample = |time_ms: &u64| FioLogLine {
                time_ms: *time_ms,
                value: 5,
                direction: Direction::Read,
                block_bytes: 0,
            };
            let samples: Vec<FioLogLine> = times_ms.iter().map(sample).collect();
            assert_eq!(LinesAre::of(FioLogKind::Iops, &samples, opens_ms), windows(expected), "{times_ms:?}");
        }
    }
}
