//! fio's log of histograms (`write_hist_log`): each line is the histogram of the completion latencies of one window.
//!
//! A line is `time, direction, block size, count, count, …`. fio 3 counts ns in 1,856 buckets, fio 2 counted µs in 1,216;
//! `log_hist_coarseness` halves the number of both again and again. An I/O is known to the width of its bucket: 1.6 %, and
//! twice as much for each step of coarseness. fio does not write what happened after the end of the last whole window.

use super::log_line::LineFault;
use super::log_reader::{FioLog, LogPart, LogTerms};
use super::log_track::LogTrack;
use fathom_job::direction::{Direction, PerDirection};
use fathom_stats::{FIO_BUCKETS, fio_bucket_lowest};

/// Longer than any line: 1,856 counts of at most 20 digits, each with a comma and a space.
const LINE_MAX: usize = 64 << 10;

/// Buckets of fio 2 (19 groups of 64), which count µs.
const BUCKETS_OF_FIO_2: usize = 1216;

/// Halvings of the number of buckets (`log_hist_coarseness`, 0 to 6).
const COARSENESS_MAX: u32 = 6;

/// Reads a log of histograms piece by piece.
#[derive(Debug)]
pub struct HistogramLogReader {
    terms: LogTerms,
    pending: Vec<u8>,
    is_in_long_line: bool,
    tracks: PerDirection<Option<LogTrack>>,
    log: FioLog,
}

impl HistogramLogReader {
    /// Nothing is read yet.
    pub fn new(terms: LogTerms) -> HistogramLogReader {
        let tracks = PerDirection::default();
        HistogramLogReader {
            terms,
            pending: Vec::new(),
            is_in_long_line: false,
            tracks,
            log: FioLog::new(terms.kind),
        }
    }

    /// Reads the next piece.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let mut line = std::mem::take(&mut self.pending);
            line.extend_from_slice(&bytes[..end.min(LINE_MAX)]);
            let is_long =
                std::mem::take(&mut self.is_in_long_line) || line.len() > LINE_MAX || end > LINE_MAX;
            self.log.lines += 1;
            let read = if is_long { Err(LineFault::TooLong) } else { self.line(&line) };
            if let Err(fault) = read {
                self.log.leave_out(fault);
            }
            line.clear();
            self.pending = line;
            bytes = &bytes[end + 1..];
        }
        self.is_in_long_line |= self.pending.len() + bytes.len() > LINE_MAX;
        match self.is_in_long_line {
            true => self.pending.clear(),
            false => self.pending.extend_from_slice(bytes),
        }
    }

    /// The file has ended.
    pub fn finish(mut self) -> FioLog {
        if !self.pending.is_empty() || self.is_in_long_line {
            self.log.lines += 1;
            self.log.leave_out(if self.is_in_long_line { LineFault::TooLong } else { LineFault::Cut });
        }
        for direction in Direction::ALL {
            let Some(track) = &self.tracks[direction] else { continue };
            self.log.outside += track.outside();
            if track.lines == 0 {
                self.tracks[direction] = None;
            }
        }
        if self.tracks.iter().any(|(_, track)| track.is_some()) {
            self.log.parts.push(LogPart { tracks: self.tracks });
        }
        self.log
    }

    fn line(&mut self, line: &[u8]) -> Result<(), LineFault> {
        let text = std::str::from_utf8(line).map_err(|_| LineFault::NotANumber)?;
        let columns = text.trim_end().trim_end_matches(',').split(',');
        let mut numbers = columns.map(|column| column.trim().parse::<u64>());
        let mut next = || numbers.next().ok_or(LineFault::TooFewColumns)?.map_err(|_| LineFault::NotANumber);
        let time_ms = next()?;
        let direction = match next()? {
            0 => Direction::Read,
            1 => Direction::Write,
            2 => Direction::Trim,
            _ => return Err(LineFault::NoDirection),
        };
        next()?;
        let counts: Vec<u64> = numbers.collect::<Result<_, _>>().map_err(|_| LineFault::NotANumber)?;
        let buckets = Buckets::of(counts.len()).ok_or(LineFault::NoHistogram)?;
        // More I/Os in a window than fio can count in a day are no counts.
        let all = counts.iter().try_fold(0_u64, |sum, count| sum.checked_add(*count));
        if all.is_none_or(|all| all > 1 << 53) || time_ms > 1 << 53 {
            return Err(LineFault::TooLarge);
        }
        let (kind, within) = (self.terms.kind, self.terms.from_ms..self.terms.to_ms);
        let track = self.tracks[direction].get_or_insert_with(|| LogTrack::new(kind, 0, within));
        track.most_in_line = track.most_in_line.max(all.unwrap_or_default());
        for (at, count) in counts.into_iter().enumerate().filter(|(_, count)| *count > 0) {
            track.add_of_histogram(time_ms, buckets.coarseness, buckets.middle_ns(at), count);
        }
        Ok(())
    }
}

/// How the buckets of a line divide the latencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Buckets {
    coarseness: u32,
    unit_ns: u64,
}

impl Buckets {
    /// Those of a line with so many.
    fn of(count: usize) -> Option<Buckets> {
        let known = [(FIO_BUCKETS, 1), (BUCKETS_OF_FIO_2, 1000)];
        let all =
            known.into_iter().flat_map(|of| (0..=COARSENESS_MAX).map(move |coarseness| (of, coarseness)));
        let fits = |((all, _), coarseness): &((usize, u64), u32)| all >> coarseness == count;
        all.into_iter().find(fits).map(|((_, unit_ns), coarseness)| Buckets { coarseness, unit_ns })
    }

    /// The middle of a bucket.
    fn middle_ns(self, at: usize) -> u64 {
        let (low, next) = (at << self.coarseness, (at + 1) << self.coarseness);
        (fio_bucket_lowest(low) + fio_bucket_lowest(next)) / 2 * self.unit_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fio::{FioLogKind, LinesAre};

    fn line(time_ms: u64, direction: u32, counts: &[(usize, u64)], buckets: usize) -> String {
        let mut all = vec![0; buckets];
        counts.iter().for_each(|(at, count)| all[*at] = *count);
        let all: Vec<String> = all.iter().map(u64::to_string).collect();
        format!("{time_ms}, {direction}, 4096, {}\n", all.join(", "))
    }

    fn read(text: &str, piece: usize) -> FioLog {
        let mut reader = HistogramLogReader::new(LogTerms::of(FioLogKind::Completion));
        text.as_bytes().chunks(piece).for_each(|piece| reader.feed(piece));
        reader.finish()
    }

    #[test]
    fn the_length_of_a_line_says_what_its_buckets_are() {
        assert_eq!(Buckets::of(1856).map(|of| of.middle_ns(661)), Some(43_776));
        assert_eq!(Buckets::of(232), Some(Buckets { coarseness: 3, unit_ns: 1 }));
        assert_eq!(Buckets::of(1216).map(|of| of.middle_ns(100)), Some(100_000));
        assert_eq!(Buckets::of(1000), None);
    }

    #[test]
    fn histograms_have_every_io_and_percentiles() {
        let text = line(1000, 0, &[(300, 98)], 1856)
            + &line(1000, 1, &[(100, 7)], 1856)
            + &line(2000, 0, &[(300, 1), (600, 1)], 1856);
        for piece in [7, 100_000] {
            let log = read(&text, piece);
            let track = log.parts[0].tracks.read.as_ref().unwrap();
            let told = track.figures().unwrap();
            assert_eq!((told.lines_are, told.n), (LinesAre::Histograms { coarseness: 0 }, 100));
            assert_eq!(told.min, Some(Buckets::of(1856).unwrap().middle_ns(300) as f64));
            assert_eq!(told.max, Some(Buckets::of(1856).unwrap().middle_ns(600) as f64));
            let p50 = told.percentile(crate::metric::of_id("latency_p50"));
            assert!(p50 < told.max && told.mean > p50, "{told:?}");
            let writes = log.parts[0].tracks.write.as_ref().unwrap().figures().unwrap();
            assert_eq!((writes.n, writes.mean), (7, Some(100.0)));
        }
    }

    #[test]
    fn a_value_is_known_to_the_width_of_the_coarsest_buckets() {
        let width = |buckets: &[usize]| {
            let text: String = buckets.iter().map(|buckets| line(1000, 0, &[(9, 1)], *buckets)).collect();
            read(&text, 4096).tracks().next().unwrap().lines_are().value_width()
        };
        assert_eq!(width(&[1856]), 1.0 / 64.0);
        assert_eq!(width(&[29]), 1.0, "64 buckets are one: a value and its double are alike");
        assert_eq!(width(&[1856, 464, 1856]), 4.0 / 64.0);
        assert_eq!(width(&[608]), 2.0 / 64.0, "of fio 2");
    }

    #[test]
    fn what_is_no_histogram_is_left_out() {
        let text = format!("1, 0, 4096, 1, 2\n{}x\n{}1, 0", "7".repeat(200_000), line(5, 0, &[(9, 1)], 29));
        let log = read(&text, 4096);
        assert_eq!((log.lines, log.left_out.lines), (4, 3));
        assert_eq!(log.left_out.first, Some((1, LineFault::NoHistogram)));
        assert_eq!(log.tracks().count(), 1);
    }
}
