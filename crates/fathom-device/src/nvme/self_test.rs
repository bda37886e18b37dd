//! The device self-test log (page 6): whether one is running now.

use super::ask;
use super::fields::{Fields, Malformed};
use crate::ask::Question;
use crate::root::{Root, Unknown};

const PAGE: u8 = 6;
/// The header and 20 results of 28 bytes.
const BYTES: usize = 564;
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
        ask(root, &Question::NvmeLog { controller, page: PAGE, len_bytes: BYTES }, Self::parse)
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
    fn running_and_last() {
        let mut bytes = vec![0; BYTES];
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
