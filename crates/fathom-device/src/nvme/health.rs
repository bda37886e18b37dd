//! The SMART / health log (page 2).

use super::ask;
use super::fields::{Fields, Malformed};
use crate::ask::Question;
use crate::root::{Root, Unknown};

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
}
