//! What samples of a range prove after it was written.
//!
//! n random windows without a fault bound the part that has one: with 95 % confidence it is below 3/n (the rule of
//! three: Hanley and Lippman-Hand, JAMA 249, 1983).

use fathom_results::procedure::ContentSamples;
use fathom_text::number::bytes;
use fathom_text::quantity::percent;
use fathom_text::words::counted;

/// Random bytes of a window of 64 KiB have 7.95 bits of entropy each or more, by every measure; those of 512 bytes 7.6. Text has
/// about 5, and what compresses to 90 % has about 7.2.
const ENTROPY_BITS_MIN: f64 = 7.4;

/// Why samples prove that a range was not written as asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentFault {
    /// Sectors that hold nothing.
    Empty(u64),
    /// Blocks that are equal to another one.
    Equal(u64),
    /// Data that can be compressed.
    Compressible,
    /// Windows that could not be read.
    Unreadable(u64),
}

/// The worst fault of the samples.
pub fn content_fault(samples: &ContentSamples) -> Option<ContentFault> {
    match samples {
        _ if samples.unreadable > 0 => Some(ContentFault::Unreadable(samples.unreadable)),
        _ if samples.empty_sectors > 0 => Some(ContentFault::Empty(samples.empty_sectors)),
        _ if samples.equal_blocks > 0 => Some(ContentFault::Equal(samples.equal_blocks)),
        _ if samples.entropy_bits_min < ENTROPY_BITS_MIN => Some(ContentFault::Compressible),
        _ => None,
    }
}

/// What the samples prove, one sentence.
pub(super) fn proven(samples: &ContentSamples) -> String {
    let read = bytes(samples.read_bytes as f64);
    if samples.is_whole {
        return format!("every byte ({read}) was read: no sector is empty, and all data looks random.");
    }
    let sure = percent((1.0 - 3.0 / f64::from(samples.random_windows.max(1))).max(0.0));
    format!(
        "{read} at both ends and at random places were read: no sector is empty, and all data looks random. So it is \
         95 % sure that at least {sure} of the range is like this."
    )
}

/// The fault as a sentence.
pub(super) fn told(fault: ContentFault) -> String {
    match fault {
        ContentFault::Empty(1) => "One sector that was read is empty.".to_owned(),
        ContentFault::Empty(sectors) => format!("{sectors} of the sectors that were read are empty."),
        ContentFault::Equal(blocks) => {
            format!("{} of 4 KiB that were read repeat another one.", counted(blocks, "block"))
        }
        ContentFault::Compressible => "Data that was read can be compressed.".to_owned(),
        ContentFault::Unreadable(windows) => format!("{} could not be read.", counted(windows, "sample")),
    }
}
