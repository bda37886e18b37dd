//! One line of a log: `time, value, direction, block size`, and what newer versions of fio add behind.
//!
//! | fio | columns |
//! |---|---|
//! | 1 | time, value, direction |
//! | 2 | time, value, direction, block size |
//! | 3 | the same, then the offset (`log_offset`), the priority, the time of issue (`log_issue_time`) |
//! | 3 with `log_window_value=both` | time, value, largest value, direction, block size, … |
//!
//! Times are in ms. A line of a window (`log_avg_msec`) has the block size 0.

use fathom_job::direction::Direction;
use std::fmt;

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FioLogLine {
    /// Since the start of the job, or of the epoch with `log_unix_epoch`.
    pub(super) time_ms: u64,
    /// In the unit of the log.
    pub(super) value: u64,
    /// Read, write or trim.
    pub(super) direction: Direction,
    /// Bytes of the I/O; 0 for a window, and where the column is missing.
    pub(super) block_bytes: u64,
}

/// Why a line cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineFault {
    /// Fewer columns than time, value and direction.
    TooFewColumns,
    /// Something that is not a number.
    NotANumber,
    /// A number below zero.
    Negative,
    /// A NUL byte, which no text has.
    Nul,
    /// A number that fio never writes.
    TooLarge,
    /// The direction is not 0, 1 or 2.
    NoDirection,
    /// Longer than any line that fio writes.
    TooLong,
    /// The last line has no end: the file was cut.
    Cut,
    /// A line of a log of histograms with another number of buckets than fio has.
    NoHistogram,
    /// Its time lies far before or after that of the line before.
    TimeJumps,
}

impl fmt::Display for LineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LineFault::TooFewColumns => "it has fewer than three columns",
            LineFault::NotANumber => "it holds something that is not a number",
            LineFault::Negative => "it holds a number below zero",
            LineFault::Nul => "it holds a NUL byte, which no log has",
            LineFault::TooLarge => "it holds a number that is too large",
            LineFault::NoDirection => "its direction is not 0 (read), 1 (write) or 2 (trim)",
            LineFault::TooLong => "it is longer than any line of a log",
            LineFault::NoHistogram => "it has another number of buckets than fio's histograms",
            LineFault::Cut => "the file ends in the middle of it",
            LineFault::TimeJumps => "its time is far from that of the line before",
        })
    }
}

/// Whether lines hold the largest value of their window too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) has_max: bool,
}

/// The largest time that a double holds exactly, ms: far beyond any clock.
const TIME_MAX_MS: u64 = 1 << 53;

/// Decimal digits that always fit into 64 bits.
const DIGITS_MAX: usize = 19;

impl Layout {
    /// Reads the layout from some lines. The third column is the direction, unless it holds other values than 0, 1 and 2
    /// while the fourth does not.
    pub(super) fn of<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Layout {
        let (mut third_fits, mut fourth_fits) = (true, true);
        for line in lines {
            let mut columns = Columns(line);
            let [_, value, third, fourth] = std::array::from_fn(|_| columns.number().ok());
            let (Some(value), Some(third)) = (value, third) else { continue };
            third_fits &= third <= 2;
            fourth_fits &= fourth.is_some_and(|it| it <= 2) && third >= value;
        }
        Layout { has_max: !third_fits && fourth_fits }
    }

    /// Reads a line, without its end.
    #[inline]
    pub(super) fn read(self, line: &[u8]) -> Result<FioLogLine, LineFault> {
        let mut columns = Columns(line);
        let time_ms = columns.number()?;
        let value = columns.number()?;
        if self.has_max {
            columns.number()?;
        }
        let direction = match columns.number()? {
            0 => Direction::Read,
            1 => Direction::Write,
            2 => Direction::Trim,
            _ => return Err(LineFault::NoDirection),
        };
        let block_bytes = if columns.0.is_empty() { 0 } else { columns.number()? };
        if time_ms > TIME_MAX_MS {
            return Err(LineFault::TooLarge);
        }
        columns.rest_is_numbers()?;
        Ok(FioLogLine { time_ms, value, direction, block_bytes })
    }

    /// Time, ms, and direction of a line whose other columns cannot be read; `None` where it does not tell them.
    #[cold]
    pub(super) fn place(self, line: &[u8]) -> Option<(u64, Direction)> {
        let mut columns = line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
        let time_ms = Columns(columns.next()?).number().ok().filter(|time_ms| *time_ms <= TIME_MAX_MS)?;
        let direction = match columns.nth(if self.has_max { 2 } else { 1 })? {
            b"0" => Direction::Read,
            b"1" => Direction::Write,
            b"2" => Direction::Trim,
            _ => return None,
        };
        Some((time_ms, direction))
    }
}

/// What is left of a line.
struct Columns<'a>(&'a [u8]);

impl Columns<'_> {
    /// Takes the next number and the comma behind it.
    #[inline]
    fn number(&mut self) -> Result<u64, LineFault> {
        let mut bytes = self.0;
        while let [b' ' | b'\t', rest @ ..] = bytes {
            bytes = rest;
        }
        if let [b'-', b'0'..=b'9', ..] = bytes {
            return Err(LineFault::Negative);
        }
        let before = bytes.len();
        let mut number: u64 = 0;
        while let [digit @ b'0'..=b'9', rest @ ..] = bytes {
            // More digits than fit wrap around here, and are refused below.
            number = number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            bytes = rest;
        }
        let digits = before - bytes.len();
        while let [b' ' | b'\t', rest @ ..] = bytes {
            bytes = rest;
        }
        self.0 = match bytes {
            [b',', rest @ ..] => rest,
            [] => bytes,
            _ => return Err(LineFault::NotANumber),
        };
        match digits {
            0 if before == 0 => Err(LineFault::TooFewColumns),
            0 => Err(LineFault::NotANumber),
            1..=DIGITS_MAX => Ok(number),
            _ => Err(LineFault::TooLarge),
        }
    }

    /// Columns that are not used must be numbers too, decimal or hexadecimal.
    #[inline]
    fn rest_is_numbers(&self) -> Result<(), LineFault> {
        let fits = |byte: &u8| byte.is_ascii_hexdigit() || matches!(byte, b'x' | b',' | b' ' | b'\t');
        if self.0.iter().all(fits) { Ok(()) } else { Err(LineFault::NotANumber) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<(u64, u64, Direction, u64), LineFault> {
        let sample = Layout::default().read(line.as_bytes())?;
        Ok((sample.time_ms, sample.value, sample.direction, sample.block_bytes))
    }

    #[test]
    fn lines_of_every_version_of_fio() {
        let (read_, write, trim) = (Direction::Read, Direction::Write, Direction::Trim);
        let cases = [
            ("12, 345, 1", (12, 345, write, 0)),
            ("500, 131072, 0, 4096", (500, 131_072, read_, 4096)),
            ("144, 2500777, 0, 0, 0", (144, 2_500_777, read_, 0)),
            ("0, 404943, 2, 4096, 61440, 0x0000", (0, 404_943, trim, 4096)),
            ("9,1,0,512,8192,0x4001,123456789", (9, 1, read_, 512)),
            ("7 ,\t8 , 1 , 9 ", (7, 8, write, 9)),
        ];
        for (line, expected) in cases {
            assert_eq!(read(line), Ok(expected), "{line}");
        }
    }

    #[test]
    fn what_is_no_line_is_told_apart() {
        let cases = [
            ("", LineFault::TooFewColumns),
            ("12", LineFault::TooFewColumns),
            ("12, 3", LineFault::TooFewColumns),
            ("12, , 0", LineFault::NotANumber),
            ("time, value, 0", LineFault::NotANumber),
            ("1, 2, 3, 4096", LineFault::NoDirection),
            ("1, -2, 0, 4096", LineFault::Negative),
            ("1, 2\0, 0, 4096", LineFault::NotANumber),
            ("1, 2, 0, 4096, \0\0", LineFault::NotANumber),
            ("1, 99999999999999999999, 0, 4096", LineFault::TooLarge),
            ("9999999999999999999, 1, 0, 4096", LineFault::TooLarge),
        ];
        for (line, fault) in cases {
            assert_eq!(read(line), Err(fault), "{line}");
        }
    }

    #[test]
    fn the_column_of_the_largest_value_is_found() {
        let layout = |lines: &[&str]| Layout::of(lines.iter().map(|line| line.as_bytes()));
        let both = ["100, 50, 900, 0, 0, 0", "100, 51, 51, 1, 0, 0"];
        assert!(layout(&both).has_max);
        let sample = layout(&both).read(both[0].as_bytes()).unwrap();
        assert_eq!((sample.value, sample.direction), (50, Direction::Read));
        assert!(!layout(&["100, 50, 0, 4096", "100, 51, 1, 4096"]).has_max);
        assert!(!layout(&["100, 50, 7, 4096"]).has_max, "neither column is a direction");
        assert!(!layout(&[]).has_max);
    }
}
