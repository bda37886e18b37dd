//! Which directions a job really issues, and in what proportion.

use crate::direction::Direction;
use crate::job::Job;
use crate::options;
use crate::value::Mix;

/// fio's mix when neither share is given.
const READ_PERCENT: u32 = 50;

impl Mix {
    /// Does a mix with this share of reads issue I/O in this direction? The
    /// vendor guides write `rw=randrw, rwmixread=0` for a write test, so a mix of
    /// 0 % or 100 % must not count as mixed.
    pub fn issues(self, read_percent: u8, direction: Direction) -> bool {
        match (self, direction) {
            (Mix::Read, Direction::Read) | (Mix::Write, Direction::Write) | (Mix::Trim, Direction::Trim) => {
                true
            }
            (Mix::ReadWrite, Direction::Read) => read_percent > 0,
            (Mix::ReadWrite, Direction::Write) => read_percent < 100,
            (Mix::TrimWrite, Direction::Write | Direction::Trim) => true,
            _ => false,
        }
    }
}

/// Percent of I/Os that are reads. `rwmixread` and `rwmixwrite` set the same value; the parser
/// keeps the one given last.
pub(crate) fn read_percent(job: &Job, mix: Mix) -> u8 {
    match mix {
        Mix::Read => 100,
        Mix::Write | Mix::Trim | Mix::TrimWrite => 0,
        Mix::ReadWrite => {
            let write = job.get(&options::RWMIXWRITE).map(|percent| 100 - percent.min(100));
            let read = job.get(&options::RWMIXREAD).or(write).unwrap_or(READ_PERCENT);
            u8::try_from(read.min(100)).expect("at most 100")
        }
    }
}
