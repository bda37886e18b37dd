//! What the firmware offers for arrays whose metadata it keeps: a table in an EFI variable (contract I-3).
//!
//! The layout is that of Intel's capability table, as mdadm reads it (platform-intel.h): after the four
//! bytes of an EFI variable's attributes come a signature, the version, and a bit for each RAID level.
//! Which levels there are depends on the licence key.

use fathom_device::root::Root;
use std::fmt;

/// The variables of VROC and of its sister product for clients, by their vendor's GUID.
const VARIABLES: [&str; 2] = ["RstUefiV", "RstVmdV"];
const VENDOR: &str = "193dfefa-a445-4302-99d8-ef3aad1a04c6";

/// Attributes of an EFI variable, before its data.
const ATTRIBUTES: usize = 4;
const SIGNATURE: &[u8] = b"$VER";
/// Offsets of 16-bit numbers in the table: four parts of the version, and the levels.
const VERSION: [usize; 4] = [6, 8, 10, 12];
const LEVELS: usize = 16;
/// The bit of each level.
const LEVEL_BITS: [(u16, &str); 5] = [(0, "0"), (1, "1"), (2, "10"), (3, "1E"), (4, "5")];

/// What the firmware says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RaidPlatform {
    version: [u16; 4],
    levels: Vec<&'static str>,
}

impl RaidPlatform {
    /// The table of a machine, and its path; `None` if there is none.
    pub fn of(root: &Root) -> Option<(Self, String)> {
        VARIABLES.iter().find_map(|name| {
            let path = format!("/sys/firmware/efi/efivars/{name}-{VENDOR}");
            let bytes = root.read_bytes(&path).ok()?;
            Some((Self::read(bytes.get(ATTRIBUTES..)?)?, path))
        })
    }

    fn read(table: &[u8]) -> Option<Self> {
        let number = |at: usize| Some(u16::from_le_bytes([*table.get(at)?, *table.get(at + 1)?]));
        let bits = table.starts_with(SIGNATURE).then(|| number(LEVELS)).flatten()?;
        let [major, minor, fix, build] = VERSION.map(number);
        let levels = LEVEL_BITS.iter().filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, level)| *level);
        Some(RaidPlatform { version: [major?, minor?, fix?, build?], levels: levels.collect() })
    }
}

impl fmt::Display for RaidPlatform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, fix, build] = self.version;
        write!(f, "the firmware (version {major}.{minor}.{fix}.{build}) ")?;
        match self.levels.is_empty() {
            true => f.write_str("offers no RAID level, so the licence key is missing"),
            false => write!(f, "offers RAID {}", self.levels.join(", ")),
        }
    }
}
