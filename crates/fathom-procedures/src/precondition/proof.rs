//! What samples of a range prove after it was written.
//!
//! n random windows without a fault bound the part that has one: with 95 % confidence it is below 3/n (the rule of
//! three: Hanley and Lippman-Hand, JAMA 249, 1983).

use fathom_results::answer::ProofHeadline;
use fathom_results::procedure::{ContentFault, ContentSamples};

/// Random bytes of a window of 64 KiB have 7.95 bits of entropy each or more, by every measure; those of 512 bytes 7.6. Text has
/// about 5, and what compresses to 90 % has about 7.2.
const ENTROPY_BITS_MIN: f64 = 7.4;

/// The worst fault of the samples.
pub fn content_fault(samples: &ContentSamples) -> Option<ContentFault> {
    match samples {
        _ if samples.unreadable > 0 => Some(ContentFault::Unreadable { windows: samples.unreadable }),
        _ if samples.empty_sectors > 0 => Some(ContentFault::Empty { sectors: samples.empty_sectors }),
        _ if samples.equal_blocks > 0 => Some(ContentFault::Equal { blocks: samples.equal_blocks }),
        _ if samples.entropy_bits_min < ENTROPY_BITS_MIN => Some(ContentFault::Compressible),
        _ => None,
    }
}

/// What the samples prove.
pub(super) fn proven(samples: &ContentSamples) -> ProofHeadline {
    ProofHeadline {
        read_bytes: samples.read_bytes,
        is_whole: samples.is_whole,
        sure_share: (1.0 - 3.0 / f64::from(samples.random_windows.max(1))).max(0.0),
    }
}
