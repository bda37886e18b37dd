//! The sanitize log (page 0x81): what became of the last Sanitize, which goes
//! on by itself, through resets and loss of power.

use std::time::Duration;

use super::ask;
use super::fields::{Fields, Malformed};
use crate::ask::Question;
use crate::root::{Root, Unknown};

pub(crate) const PAGE: u8 = 0x81;
/// What is read of it; the rest is reserved.
pub(crate) const BYTES: usize = 32;
/// "No time period is reported."
const NO_TIME: u32 = 0xffff_ffff;

/// The log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SanitizeLog {
    /// What became of the last one.
    pub state: SanitizeState,
    /// 65,536ths of it that are done; 65,535 when none is under way (SPROG).
    pub progress_65536ths: u16,
    /// Passes of an overwrite that are complete.
    pub passes: u8,
    /// Nothing was written since the drive was made or last sanitized.
    pub is_untouched: bool,
    /// Time that a block erase takes, if the drive says.
    pub block_erase_takes: Option<Duration>,
    /// Time that a crypto erase takes.
    pub crypto_erase_takes: Option<Duration>,
    /// Time that an overwrite takes.
    pub overwrite_takes: Option<Duration>,
}

/// What became of the last Sanitize (SSTAT bits 0 to 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SanitizeState {
    /// There never was one.
    Never,
    /// It ended well.
    Done,
    /// It is under way: the drive refuses reads and writes.
    InProgress,
    /// It failed: the drive refuses writes until it is told to leave failure,
    /// or to try again.
    Failed,
    /// It ended well; blocks were deallocated although it was asked not to.
    DoneDeallocated,
    /// A value of a later specification.
    Other(u8),
}

impl SanitizeLog {
    /// Asks the controller `nvmeN`.
    pub fn read(root: &Root, controller: &str) -> Result<Self, Unknown> {
        let controller = controller.to_owned();
        ask(root, &Question::NvmeLog { controller, page: PAGE, len_bytes: BYTES }, Self::parse)
    }

    /// Parses the first 32 bytes of the log.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let f = Fields::of("the sanitize log", bytes, BYTES)?;
        let status = f.u16(2);
        let takes = |at| Some(f.u32(at)).filter(|&s| s != NO_TIME).map(|s| Duration::from_secs(s.into()));
        Ok(Self {
            state: SanitizeState::of((status & 7) as u8),
            progress_65536ths: f.u16(0),
            passes: (status >> 3 & 0x1f) as u8,
            is_untouched: status >> 8 & 1 == 1,
            overwrite_takes: takes(8),
            block_erase_takes: takes(12),
            crypto_erase_takes: takes(16),
        })
    }

    /// The part that is done, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        f64::from(self.progress_65536ths) / 65536.0
    }
}

impl SanitizeState {
    fn of(bits: u8) -> Self {
        match bits {
            0 => Self::Never,
            1 => Self::Done,
            2 => Self::InProgress,
            3 => Self::Failed,
            4 => Self::DoneDeallocated,
            other => Self::Other(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_state_and_estimates() {
        let mut bytes = vec![0; BYTES];
        bytes[0..2].copy_from_slice(&0x4000u16.to_le_bytes());
        bytes[2..4].copy_from_slice(&0x11au16.to_le_bytes());
        bytes[8..12].fill(0xff);
        bytes[12] = 90;
        let log = SanitizeLog::parse(&bytes).unwrap();
        assert_eq!((log.state, log.passes, log.is_untouched), (SanitizeState::InProgress, 3, true));
        assert_eq!(log.fraction(), 0.25);
        assert_eq!((log.overwrite_takes, log.block_erase_takes), (None, Some(Duration::from_secs(90))));
        assert!(SanitizeLog::parse(&bytes[..31]).is_err());
    }
}
