//! Identify Controller (CNS 1): what the drive as a whole can do.

use super::{Fields, Malformed, ask};
use crate::ask::Question;
use crate::root::{Root, Unknown};

const NAME: &str = "Identify Controller";
const BYTES: usize = 4096;
/// Power state descriptors: where they begin, and how long each is.
const POWER_STATES: usize = 2048;
const POWER_STATE_BYTES: usize = 32;
/// NPSS has five bits.
const POWER_STATES_MAX: usize = 32;

/// What a controller says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Controller {
    /// Serial number (SN).
    pub serial: String,
    /// Model number (MN).
    pub model: String,
    /// Firmware revision (FR).
    pub firmware: String,
    /// Version: major << 16, minor << 8, tertiary (VER).
    pub version: u32,
    /// Format NVM is supported (OACS bit 1).
    pub has_format: bool,
    /// Namespaces can be created and deleted (OACS bit 3).
    pub has_namespace_management: bool,
    /// Self-tests are supported (OACS bit 4).
    pub has_self_test: bool,
    /// Kelvin at which it warns; 0: not said (WCTEMP).
    pub warning_temperature_kelvin: u16,
    /// Kelvin at which it is in danger; 0: not said (CCTEMP).
    pub critical_temperature_kelvin: u16,
    /// Sanitize, crypto erase (SANICAP bit 0).
    pub sanitizes_crypto: bool,
    /// Sanitize, block erase (SANICAP bit 1).
    pub sanitizes_block: bool,
    /// Sanitize, overwrite (SANICAP bit 2).
    pub sanitizes_overwrite: bool,
    /// Highest namespace number (NN).
    pub namespaces_max: u32,
    /// Dataset Management, and with it deallocation (ONCS bit 2).
    pub has_deallocate: bool,
    /// Write Zeroes (ONCS bit 3).
    pub has_write_zeroes: bool,
    /// A format hits every namespace (FNA bit 0).
    pub format_hits_all: bool,
    /// A format with secure erase hits every namespace (FNA bit 1).
    pub erase_hits_all: bool,
    /// Format can erase by destroying the encryption key (FNA bit 2).
    pub erases_crypto: bool,
    /// There is a volatile write cache (VWC bit 0).
    pub has_volatile_cache: bool,
    /// Autonomous power state transitions are supported (APSTA bit 0).
    pub has_autonomous_power: bool,
    /// Subsystem's name (SUBNQN).
    pub subsystem: String,
    /// Power states, from 0.
    pub power_states: Vec<PowerState>,
}

/// One power state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PowerState {
    /// Most power in milliwatts (MP).
    pub max_milliwatts: u64,
    /// Does no I/O in it (NOPS).
    pub is_non_operational: bool,
    /// Microseconds to enter it (ENLAT).
    pub enter_us: u32,
    /// Microseconds to leave it (EXLAT).
    pub exit_us: u32,
}

impl Controller {
    /// Asks the controller `nvmeN`.
    pub fn read(root: &Root, controller: &str) -> Result<Self, Unknown> {
        let controller = controller.to_owned();
        ask(root, &Question::NvmeController { controller }, Self::parse)
    }

    /// Parses the 4,096 bytes of Identify.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let f = Fields::of(NAME, bytes, BYTES)?;
        // Every controller has a submission queue entry of 64 bytes; zero
        // means that these bytes come from no drive.
        if f.u8(512) == 0 {
            return Err(Malformed::Impossible {
                structure: NAME,
                what: "queue entries of size 0".to_owned(),
            });
        }
        let states = usize::from(f.u8(263)) + 1;
        Ok(Self {
            serial: f.text(4, 20),
            model: f.text(24, 40),
            firmware: f.text(64, 8),
            version: f.u32(80),
            has_format: f.bit(256, 1),
            has_namespace_management: f.bit(256, 3),
            has_self_test: f.bit(256, 4),
            warning_temperature_kelvin: f.u16(266),
            critical_temperature_kelvin: f.u16(268),
            sanitizes_crypto: f.bit(328, 0),
            sanitizes_block: f.bit(328, 1),
            sanitizes_overwrite: f.bit(328, 2),
            namespaces_max: f.u32(516),
            has_deallocate: f.bit(520, 2),
            has_write_zeroes: f.bit(520, 3),
            format_hits_all: f.bit(524, 0),
            erase_hits_all: f.bit(524, 1),
            erases_crypto: f.bit(524, 2),
            has_volatile_cache: f.bit(525, 0),
            has_autonomous_power: f.bit(265, 0),
            subsystem: f.text(768, 256),
            power_states: (0..states.min(POWER_STATES_MAX)).map(|n| power_state(f, n)).collect(),
        })
    }

    /// Whether the drive offers any kind of Sanitize.
    pub fn has_sanitize(&self) -> bool {
        self.sanitizes_block || self.sanitizes_crypto || self.sanitizes_overwrite
    }
}

fn power_state(f: Fields<'_>, number: usize) -> PowerState {
    let at = POWER_STATES + number * POWER_STATE_BYTES;
    // MXPS: hundredths of a watt, or tenths of a milliwatt.
    let is_fine = f.bit(at + 3, 0);
    let power = u64::from(f.u16(at));
    PowerState {
        max_milliwatts: if is_fine { power / 10 } else { power * 10 },
        is_non_operational: f.bit(at + 3, 1),
        enter_us: f.u32(at + 4),
        exit_us: f.u32(at + 8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_lie_where_the_specification_puts_them() {
        let mut bytes = vec![0; BYTES];
        bytes[4..8].copy_from_slice(b"S3X9");
        bytes[24..30].copy_from_slice(b"DRIVE ");
        bytes[256] = 0b1010;
        bytes[263] = 1;
        bytes[328] = 0b110;
        bytes[512] = 0x66;
        bytes[516] = 8;
        bytes[520] = 0b1100;
        bytes[524] = 0b110;
        let second = POWER_STATES + POWER_STATE_BYTES;
        bytes[second..second + 4].copy_from_slice(&[50, 0, 0, 0b11]);
        bytes[second + 8] = 200;
        let c = Controller::parse(&bytes).unwrap();
        assert_eq!((c.serial.as_str(), c.model.as_str()), ("S3X9", "DRIVE"));
        assert!(c.has_format && c.has_namespace_management && !c.has_self_test);
        assert!(c.sanitizes_block && c.sanitizes_overwrite && !c.sanitizes_crypto && c.has_sanitize());
        assert!(!c.format_hits_all && c.erase_hits_all && c.erases_crypto);
        assert!(c.has_deallocate && c.has_write_zeroes);
        assert_eq!(c.namespaces_max, 8);
        let idle = PowerState { max_milliwatts: 5, is_non_operational: true, enter_us: 0, exit_us: 200 };
        assert_eq!(c.power_states[1], idle);
    }

    #[test]
    fn zeroes_and_fragments_are_no_controller() {
        assert!(Controller::parse(&[0; BYTES]).unwrap_err().to_string().contains("size 0"));
        assert!(Controller::parse(&[1; 100]).is_err());
    }
}
