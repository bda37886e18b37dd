//! Sense data: how a SCSI drive reports a refusal and its progress.

use std::fmt;

use super::drive::ScsiReply;

/// Status byte that announces sense data (SAM-5 §5.3).
const CHECK_CONDITION: u8 = 2;
const RECOVERED_ERROR: u8 = 1;
const NOT_READY: u8 = 2;
const ILLEGAL_REQUEST: u8 = 5;

/// Decoded sense data (SPC-4 §4.5).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sense {
    pub key: u8,
    /// Additional code and qualifier.
    pub code: (u8, u8),
    /// 65,536ths that are done, while something is under way.
    pub progress_65536ths: Option<u16>,
    /// The ATA status and error registers, of an ATA command.
    pub ata: Option<AtaRegisters>,
}

/// What an ATA drive left in its registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtaRegisters {
    pub status: u8,
    pub error: u8,
    /// Bits 8 to 15 and 16 to 23 of the address.
    pub address: [u8; 2],
}

const KEYS: [&str; 12] = [
    "no sense",
    "recovered error",
    "not ready",
    "medium error",
    "hardware error",
    "illegal request",
    "unit attention",
    "data protect",
    "blank check",
    "vendor specific",
    "copy aborted",
    "aborted command",
];

/// The codes that a purge meets (SPC-4 annex D).
const CODES: [((u8, u8), &str); 12] = [
    ((0x04, 0x00), "logical unit not ready"),
    ((0x04, 0x04), "format in progress"),
    ((0x04, 0x1b), "sanitize in progress"),
    ((0x20, 0x00), "invalid command operation code"),
    ((0x21, 0x04), "unaligned write command"),
    ((0x24, 0x00), "invalid field in CDB"),
    ((0x26, 0x00), "invalid field in parameter list"),
    ((0x27, 0x00), "write protected"),
    ((0x31, 0x00), "medium format corrupted"),
    ((0x31, 0x01), "format command failed"),
    ((0x31, 0x03), "sanitize command failed"),
    ((0x00, 0x1d), "ATA pass-through information available"),
];

impl Sense {
    /// Parses the bytes in the fixed or the descriptor form; `None` if they are neither.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        match bytes.first()? & 0x7f {
            0x70 | 0x71 => fixed(bytes),
            0x72 | 0x73 => descriptor(bytes),
            _ => None,
        }
    }

    /// Whether a long operation is under way.
    pub fn is_in_progress(&self) -> bool {
        self.key == NOT_READY && matches!(self.code, (0x04, 0x04 | 0x1b))
            || self.key <= RECOVERED_ERROR && self.progress_65536ths.is_some()
    }

    /// Whether the drive does not know the command or a field of it.
    pub fn is_unknown_command(&self) -> bool {
        self.key == ILLEGAL_REQUEST && matches!(self.code, (0x20 | 0x24, 0x00))
    }
}

impl fmt::Display for Sense {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = KEYS.get(usize::from(self.key)).copied().unwrap_or("reserved sense key");
        let (asc, ascq) = self.code;
        write!(f, "{key}, ")?;
        match CODES.iter().find(|(code, _)| *code == self.code) {
            Some((_, words)) => f.write_str(words)?,
            None => f.write_str("additional sense")?,
        }
        write!(f, " (0x{asc:02x}/0x{ascq:02x})")
    }
}

fn fixed(bytes: &[u8]) -> Option<Sense> {
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    let has_progress = byte(15) & 0x80 != 0;
    Some(Sense {
        key: bytes.get(2)? & 0xf,
        code: (byte(12), byte(13)),
        progress_65536ths: has_progress.then(|| u16::from_be_bytes([byte(16), byte(17)])),
        ata: None,
    })
}

fn descriptor(bytes: &[u8]) -> Option<Sense> {
    let mut sense =
        Sense { key: bytes.get(1)? & 0xf, code: (*bytes.get(2)?, *bytes.get(3)?), ..Sense::default() };
    let mut rest = bytes.get(8..).unwrap_or_default();
    while let [kind, len, ..] = *rest {
        let (this, next) = rest.split_at((usize::from(len) + 2).min(rest.len()));
        match (kind, this) {
            // Sense key specific: progress.
            (0x02, [_, _, _, _, flags, high, low, ..]) if flags & 0x80 != 0 => {
                sense.progress_65536ths = Some(u16::from_be_bytes([*high, *low]));
            }
            // ATA status return (SAT-3 §12.2.2.6).
            (0x09, this) if this.len() >= 14 => {
                let address = [this[9], this[11]];
                sense.ata = Some(AtaRegisters { error: this[3], status: this[13], address });
            }
            _ => {}
        }
        rest = next;
    }
    Some(sense)
}

/// The drive's refusal in a reply, in words; `None` if it did what was asked. A recovered error is
/// not a refusal: an ATA command returns its registers in this way.
pub fn refusal(reply: &ScsiReply) -> Option<String> {
    let sense = Sense::parse(&reply.sense);
    let ata_failed = sense.and_then(|sense| sense.ata).filter(|ata| ata.status & 1 == 1);
    if let Some(ata) = ata_failed {
        let what = if ata.error & 4 == 4 { "command aborted" } else { "error" };
        return Some(format!("ATA {what} (status 0x{:02x}, error 0x{:02x})", ata.status, ata.error));
    }
    match (reply.status, sense) {
        (0, _) if reply.host_status != 0 => Some(format!("the adapter reports 0x{:x}", reply.host_status)),
        (0, _) => None,
        (CHECK_CONDITION, Some(sense)) if sense.key <= RECOVERED_ERROR => None,
        (CHECK_CONDITION, Some(sense)) => Some(sense.to_string()),
        (status, _) => Some(format!("SCSI status 0x{status:02x}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(sense: &[u8]) -> ScsiReply {
        ScsiReply { status: CHECK_CONDITION, sense: sense.to_vec(), ..ScsiReply::default() }
    }

    #[test]
    fn fixed_form() {
        let mut bytes = [0u8; 18];
        bytes[0] = 0x70;
        bytes[2] = NOT_READY;
        bytes[12..14].copy_from_slice(&[4, 0x1b]);
        bytes[15..18].copy_from_slice(&[0x80, 0x80, 0]);
        let sense = Sense::parse(&bytes).unwrap();
        assert!(sense.is_in_progress());
        assert_eq!(sense.progress_65536ths, Some(0x8000));
        assert_eq!(sense.to_string(), "not ready, sanitize in progress (0x04/0x1b)");
        assert!(refusal(&reply(&bytes)).unwrap().contains("sanitize in progress"));
    }

    #[test]
    fn an_ata_command_returns_its_registers() {
        let mut bytes = vec![0x72, RECOVERED_ERROR, 0, 0x1d, 0, 0, 0, 14, 9, 12];
        bytes.extend([0; 12]);
        bytes[8 + 13] = 0x50;
        assert_eq!(refusal(&reply(&bytes)), None);
        bytes[8 + 13] = 0x51;
        bytes[8 + 3] = 4;
        assert_eq!(refusal(&reply(&bytes)).unwrap(), "ATA command aborted (status 0x51, error 0x04)");
    }

    #[test]
    fn an_unknown_command() {
        let sense = Sense::parse(&[0x72, 5, 0x20, 0, 0, 0, 0, 0]).unwrap();
        assert!(sense.is_unknown_command());
        assert!(Sense::parse(&[]).is_none() && Sense::parse(&[0x11]).is_none());
        assert_eq!(refusal(&ScsiReply::default()), None);
        assert!(refusal(&ScsiReply { status: 8, ..ScsiReply::default() }).is_some());
    }
}
