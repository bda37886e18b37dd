//! The logs of a drive: SMART / health (page 2), sanitize (page 0x81), self-test (page 6).

use super::{Fields, Malformed, ask};
use crate::ask::Question;
use crate::root::{Root, Unknown};
use std::time::Duration;

const PAGE: u8 = 2;
const BYTES: usize = 512;
/// A data unit is 1,000 times 512 bytes.
const DATA_UNIT_BYTES: u128 = 512_000;

/// Health of a drive. Counters count since the drive was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// What is wrong now.
    pub critical_warning: CriticalWarning,
    /// Temperature of the whole in kelvin.
    pub temperature_kelvin: u16,
    /// Spare blocks left, in per cent.
    pub spare_percent: u8,
    /// Per cent of spare below which it warns.
    pub spare_threshold_percent: u8,
    /// Per cent of its rated life that are used; may exceed 100.
    pub used_percent: u8,
    /// Bytes read by hosts.
    pub read_bytes: u128,
    /// Bytes written by hosts.
    pub written_bytes: u128,
    /// Errors in which it could not return the data.
    pub media_errors: u128,
    /// Minutes above the warning temperature.
    pub warning_temperature_minutes: u32,
    /// Times it slowed down lightly, and heavily, for heat (TMT1, TMT2).
    pub throttle_transitions: [u32; 2],
    /// Seconds it spent slowed down lightly, and heavily.
    pub throttle_seconds: [u32; 2],
}

/// The byte of warnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CriticalWarning(
    /// As the drive gives it.
    pub u8,
);

/// Bits 0 to 5.
const WARNINGS: [&str; 6] = [
    "spare blocks are below the threshold",
    "the temperature is out of bounds",
    "reliability is degraded by media or internal errors",
    "the media is read-only",
    "the backup of volatile memory has failed",
    "the persistent memory region is read-only or unreliable",
];

impl CriticalWarning {
    /// Whether anything is wrong.
    pub fn is_set(self) -> bool {
        self.0 != 0
    }

    /// What is wrong, as clauses; of a bit that the specification reserves,
    /// its number.
    pub fn clauses(self) -> Vec<String> {
        let set = (0..8).filter(|bit| self.0 >> bit & 1 == 1);
        let clause = |bit: usize| match WARNINGS.get(bit) {
            Some(clause) => (*clause).to_owned(),
            None => format!("a warning of a later standard (bit {bit})"),
        };
        set.map(clause).collect()
    }
}

impl Health {
    /// Asks the controller `nvmeN`.
    pub fn read(root: &Root, controller: &str) -> Result<Self, Unknown> {
        let controller = controller.to_owned();
        ask(root, &Question::NvmeLog { controller, page: PAGE, len_bytes: BYTES }, Self::parse)
    }

    /// Parses the 512 bytes of the log.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let f = Fields::of("the health log", bytes, BYTES)?;
        Ok(Self {
            critical_warning: CriticalWarning(f.u8(0)),
            temperature_kelvin: f.u16(1),
            spare_percent: f.u8(3),
            spare_threshold_percent: f.u8(4),
            used_percent: f.u8(5),
            read_bytes: f.u128(32).saturating_mul(DATA_UNIT_BYTES),
            written_bytes: f.u128(48).saturating_mul(DATA_UNIT_BYTES),
            media_errors: f.u128(160),
            warning_temperature_minutes: f.u32(192),
            throttle_transitions: [f.u32(216), f.u32(220)],
            throttle_seconds: [f.u32(224), f.u32(228)],
        })
    }
}

const SANITIZE_PAGE: u8 = 0x81;
/// What is read of it; the rest is reserved.
const SANITIZE_BYTES: usize = 32;
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
        ask(
            root,
            &Question::NvmeLog { controller, page: SANITIZE_PAGE, len_bytes: SANITIZE_BYTES },
            Self::parse,
        )
    }

    /// Parses the first 32 bytes of the log.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let f = Fields::of("the sanitize log", bytes, SANITIZE_BYTES)?;
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

const SELF_TEST_PAGE: u8 = 6;
/// The header and 20 results of 28 bytes.
const SELF_TEST_BYTES: usize = 564;
const HEADER_BYTES: usize = 4;

/// The log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelfTestLog {
    /// The test that is running, and the per cent of it that are done.
    pub running: Option<(SelfTestKind, u8)>,
    /// The code of the newest result: 0 passed, 1 to 9 ended early or failed;
    /// `None`: there never was one.
    pub last_result: Option<u8>,
}

/// A kind of self-test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelfTestKind {
    /// Two minutes or less.
    Short,
    /// As long as Identify Controller says.
    Extended,
    /// The vendor's own, or one of a later specification.
    Other(u8),
}

impl SelfTestLog {
    /// Asks the controller `nvmeN`.
    pub fn read(root: &Root, controller: &str) -> Result<Self, Unknown> {
        let controller = controller.to_owned();
        ask(
            root,
            &Question::NvmeLog { controller, page: SELF_TEST_PAGE, len_bytes: SELF_TEST_BYTES },
            Self::parse,
        )
    }

    /// Parses the log's bytes; the header and the newest result are enough.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let f = Fields::of("the self-test log", bytes, HEADER_BYTES + 28)?;
        let percent = f.u8(1) & 0x7f;
        let running = match f.u8(0) & 0xf {
            0 => None,
            1 => Some((SelfTestKind::Short, percent)),
            2 => Some((SelfTestKind::Extended, percent)),
            other => Some((SelfTestKind::Other(other), percent)),
        };
        // 15 marks an entry that was never used.
        let last_result = Some(f.u8(HEADER_BYTES) & 0xf).filter(|&code| code != 0xf);
        Ok(Self { running, last_result })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_and_warnings() {
        let mut bytes = vec![0; BYTES];
        bytes[0] = 0b1001;
        bytes[1..3].copy_from_slice(&313u16.to_le_bytes());
        bytes[5] = 83;
        bytes[48] = 2;
        bytes[160] = 7;
        bytes[220] = 4;
        let health = Health::parse(&bytes).unwrap();
        assert_eq!(health.written_bytes, 1_024_000);
        assert_eq!((health.temperature_kelvin, health.used_percent, health.media_errors), (313, 83, 7));
        assert_eq!(health.throttle_transitions, [0, 4]);
        assert_eq!(health.critical_warning.clauses(), [WARNINGS[0], WARNINGS[3]]);
        assert!(CriticalWarning(0x80).clauses()[0].contains("bit 7"));
        assert!(Health::parse(&bytes[..511]).is_err());
    }

    #[test]
    fn progress_state_and_estimates() {
        let mut bytes = vec![0; SANITIZE_BYTES];
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

    #[test]
    fn running_and_last() {
        let mut bytes = vec![0; SELF_TEST_BYTES];
        bytes[0] = 2;
        bytes[1] = 30;
        bytes[4] = 0x2f;
        let log = SelfTestLog::parse(&bytes).unwrap();
        assert_eq!(log.running, Some((SelfTestKind::Extended, 30)));
        assert_eq!(log.last_result, None);
        bytes[0] = 0;
        bytes[4] = 0x25;
        let log = SelfTestLog::parse(&bytes).unwrap();
        assert_eq!((log.running, log.last_result), (None, Some(5)));
    }
}
