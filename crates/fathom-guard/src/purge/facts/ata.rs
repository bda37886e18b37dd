//! An ATA disk's security feature set, by ATA PASS-THROUGH (16).

use std::time::Duration;

use crate::purge::drive::{DataDirection, DriveInterfaces, ScsiCommand};
use crate::purge::sense;

/// IDENTIFY DEVICE answers, and every security command takes, one sector.
pub(in crate::purge) const IDENTIFY_BYTES: usize = 512;
const IDENTIFY_DEVICE: u8 = 0xec;
/// How long a query may take.
const SHORT: Duration = Duration::from_secs(30);

/// One ATA command, as ATA PASS-THROUGH (16) carries it (SAT-3 §12.2.2.3).
#[derive(Debug, Clone, Copy)]
pub(in crate::purge) struct AtaCommand {
    pub command: u8,
    pub direction: DataDirection,
    pub timeout: Duration,
}

impl AtaCommand {
    fn packed(self) -> ScsiCommand {
        // Protocol, and how long the transfer is: one block, in COUNT.
        // CK_COND asks for the registers where there is no data.
        let (protocol, transfer, count) = match self.direction {
            DataDirection::None => (3, 0x20, 0),
            DataDirection::FromDrive => (4, 0x0e, 1),
            DataDirection::ToDrive => (5, 0x06, 1),
        };
        let mut cdb = vec![0; 16];
        cdb[0] = 0x85;
        cdb[1] = protocol << 1;
        cdb[2] = transfer;
        cdb[6] = count;
        cdb[14] = self.command;
        ScsiCommand { cdb, direction: self.direction, timeout: self.timeout }
    }

    /// Sends it. If the drive refuses, the inner error is the reason in words.
    pub fn send(self, drive: &dyn DriveInterfaces, data: &mut [u8]) -> std::io::Result<Result<(), String>> {
        let reply = drive.scsi(&self.packed(), data)?;
        Ok(sense::refusal(&reply).map_or(Ok(()), Err))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtaFacts {
    /// State of the security feature set; `None`: it has none.
    pub security: Option<SecurityState>,
    /// Time that a normal erase takes, if it says.
    pub erase_takes: Option<Duration>,
    /// Time that an enhanced erase takes, if it says.
    pub enhanced_takes: Option<Duration>,
    /// Whether the disk predicts that it will fail soon; `None`: it has no
    /// SMART, it is switched off, or it did not answer.
    pub is_failing: Option<bool>,
}

/// Word 128 of IDENTIFY DEVICE (ACS-3 §7.12.7.71).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecurityState {
    /// A password is set.
    pub is_enabled: bool,
    /// Reads and writes are refused until the password comes.
    pub is_locked: bool,
    /// Security commands are refused until the next power cycle.
    pub is_frozen: bool,
    /// Too many wrong passwords.
    pub is_expired: bool,
    pub has_enhanced: bool,
}

impl AtaFacts {
    pub(super) fn ask(drive: &dyn DriveInterfaces) -> Result<Self, String> {
        let mut page = [0; IDENTIFY_BYTES];
        let command =
            AtaCommand { command: IDENTIFY_DEVICE, direction: DataDirection::FromDrive, timeout: SHORT };
        let answer = command.send(drive, &mut page).map_err(|e| format!("IDENTIFY DEVICE: {e}"))?;
        answer.map_err(|message| format!("IDENTIFY DEVICE: {message}"))?;
        let mut facts = Self::parse(&page);
        if has_smart(&page) {
            facts.is_failing = is_failing(drive);
        }
        Ok(facts)
    }

    /// Parses the 512 bytes of IDENTIFY DEVICE.
    pub fn parse(page: &[u8; IDENTIFY_BYTES]) -> Self {
        let word = |n: usize| u16::from_le_bytes([page[2 * n], page[2 * n + 1]]);
        let bit = |n: usize, bit: u32| word(n) >> bit & 1 == 1;
        let security = bit(128, 0).then(|| SecurityState {
            is_enabled: bit(128, 1),
            is_locked: bit(128, 2),
            is_frozen: bit(128, 3),
            is_expired: bit(128, 4),
            has_enhanced: bit(128, 5),
        });
        Self { security, erase_takes: takes(word(89)), enhanced_takes: takes(word(90)), is_failing: None }
    }
}

/// Word 85, bit 0: SMART is switched on (ACS-3 §7.12.7.41).
fn has_smart(page: &[u8; IDENTIFY_BYTES]) -> bool {
    page[2 * 85] & 1 == 1
}

/// SMART RETURN STATUS (ACS-3 §7.48.8): the disk returns the two middle bytes
/// of the address as they were sent, or others when a value is beyond its
/// threshold.
fn is_failing(drive: &dyn DriveInterfaces) -> Option<bool> {
    const SMART: u8 = 0xb0;
    const RETURN_STATUS: u8 = 0xda;
    const WELL: [u8; 2] = [0x4f, 0xc2];
    const FAILING: [u8; 2] = [0xf4, 0x2c];
    let mut packed = AtaCommand { command: SMART, direction: DataDirection::None, timeout: SHORT }.packed();
    packed.cdb[4] = RETURN_STATUS;
    [packed.cdb[10], packed.cdb[12]] = WELL;
    let reply = drive.scsi(&packed, &mut []).ok()?;
    match sense::Sense::parse(&reply.sense)?.ata?.address {
        WELL => Some(false),
        FAILING => Some(true),
        _ => None,
    }
}

/// In units of two minutes: 15 bits if the top one is set, else 8 (ACS-3 §7.12.7.43). 0 means that
/// the time is not reported.
fn takes(word: u16) -> Option<Duration> {
    let units = if word & 0x8000 != 0 { word & 0x7fff } else { word & 0xff };
    (units != 0).then(|| Duration::from_secs(u64::from(units) * 120))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(words: &[(usize, u16)]) -> [u8; IDENTIFY_BYTES] {
        let mut page = [0; IDENTIFY_BYTES];
        for (word, value) in words {
            page[2 * word..2 * word + 2].copy_from_slice(&value.to_le_bytes());
        }
        page
    }

    #[test]
    fn state_and_times() {
        let facts = AtaFacts::parse(&page(&[(128, 0b10_1001), (89, 5), (90, 0x8000 | 300)]));
        let security = facts.security.unwrap();
        assert!(security.is_frozen && security.has_enhanced && !security.is_enabled);
        assert_eq!(facts.erase_takes, Some(Duration::from_secs(600)));
        assert_eq!(facts.enhanced_takes, Some(Duration::from_secs(36_000)));
        assert_eq!(AtaFacts::parse(&page(&[])).security, None);
    }
}
