//! The lines of logs as text, many at once. This crate is optimised wherever fathom is, so a line takes few instructions.

use super::{LogChunk, LogHistogram, LogKind, LogSample};
use fathom_job::direction::Direction;
use fathom_job::job::Job;
use fathom_job::options as opt;
use fathom_job::priorities::is_real_time;

/// Which columns the lines of a job's logs have.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogColumns {
    /// The largest value of a window in place of its mean (`log_window_value=max`).
    pub maximum: bool,
    /// The largest value as a column of its own (`log_window_value=both`).
    pub both: bool,
    /// `log_offset`.
    pub offset: bool,
    /// The priority as ioprio_set(2) encodes it (`log_prio`), not only whether it is real-time.
    pub priority: bool,
    /// `log_issue_time`.
    pub issue_time: bool,
}

impl LogColumns {
    /// Those that a job asks for.
    pub fn of(job: &Job) -> LogColumns {
        let value = job.get(&opt::LOG_WINDOW_VALUE);
        LogColumns {
            maximum: value == "max",
            both: value == "both",
            offset: job.get(&opt::LOG_OFFSET),
            priority: job.get(&opt::LOG_PRIO),
            issue_time: job.get(&opt::LOG_ISSUE_TIME),
        }
    }

    /// The value that a line has.
    pub(super) fn value(&self, sample: &LogSample) -> u64 {
        if self.maximum { sample.value_max } else { sample.value }
    }

    /// Appends the lines that a chunk has for one kind of log.
    pub fn append(&self, chunk: &LogChunk, kind: LogKind, text: &mut Vec<u8>) {
        chunk.each(kind, |sample| self.append_line(&sample, chunk.epoch_ms, text));
    }

    /// fio's columns: time in ms, value, maximum, direction, block size, offset, priority, time of issue in ns.
    #[inline]
    pub fn append_line(&self, sample: &LogSample, epoch_ms: u64, text: &mut Vec<u8>) {
        let mut column = |value| {
            append_number(text, value);
            text.extend_from_slice(b", ");
        };
        column(epoch_ms + sample.at_ns / 1_000_000);
        column(self.value(sample));
        if self.both {
            column(sample.value_max);
        }
        column(number_of(sample.direction));
        column(sample.bytes);
        if self.offset {
            column(sample.offset);
        }
        match self.priority {
            true => append_hexadecimal(text, sample.priority),
            false => text.push(b'0' + u8::from(is_real_time(sample.priority))),
        }
        if self.issue_time {
            text.extend_from_slice(b", ");
            append_number(text, sample.issued_ns);
        }
        text.push(b'\n');
    }
}

impl LogChunk {
    /// Appends the lines of the log of histograms: time in ms, direction, block size, and the I/Os in each bucket.
    pub fn append_histograms(&self, text: &mut Vec<u8>) {
        for LogHistogram { at_ns, direction, bytes, counts } in &self.histograms {
            append_number(text, self.epoch_ms + at_ns / 1_000_000);
            for column in [number_of(*direction), *bytes].iter().chain(counts) {
                text.extend_from_slice(b", ");
                append_number(text, *column);
            }
            text.push(b'\n');
        }
    }
}

/// fio's number of a direction.
pub(super) const fn number_of(direction: Direction) -> u64 {
    match direction {
        Direction::Read => 0,
        Direction::Write => 1,
        Direction::Trim => 2,
    }
}

#[inline]
fn append_number(text: &mut Vec<u8>, value: u64) {
    text.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Four digits, as fio prints a priority.
fn append_hexadecimal(text: &mut Vec<u8>, value: u16) {
    let digit = |shift: u32| b"0123456789abcdef"[usize::from(value >> shift & 15)];
    text.extend_from_slice(&[b'0', b'x', digit(12), digit(8), digit(4), digit(0)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: LogSample = LogSample {
        kind: LogKind::Completion,
        at_ns: 7_999_999,
        value: 5,
        value_max: 9,
        direction: Direction::Write,
        bytes: 4096,
        offset: 8192,
        priority: 0x2003,
        issued_ns: 7_000_001,
    };

    fn line(columns: LogColumns, sample: &LogSample) -> String {
        let mut text = Vec::new();
        columns.append_line(sample, 1000, &mut text);
        String::from_utf8(text).unwrap()
    }

    /// The lines with a priority are those of fio 3.33.
    #[test]
    fn each_column_has_its_place() {
        let none = LogColumns::default();
        assert_eq!(line(none, &SAMPLE), "1007, 5, 1, 4096, 1\n");
        assert_eq!(line(none, &LogSample { priority: 0x4003, ..SAMPLE }), "1007, 5, 1, 4096, 0\n");
        let all = LogColumns { both: true, offset: true, priority: true, issue_time: true, ..none };
        assert_eq!(line(all, &SAMPLE), "1007, 5, 9, 1, 4096, 8192, 0x2003, 7000001\n");
        assert_eq!(line(LogColumns { maximum: true, ..none }, &SAMPLE), "1007, 9, 1, 4096, 1\n");
    }
}
