//! Methods of the block layer, which work on any device and on a partition:
//! TRIM in two strengths, and zeroes.

use std::ops::Range;

use crate::purge::drive::Emptying;
use crate::purge::error::PurgeError;
use crate::purge::facts::DriveFacts;
use crate::purge::method::{
    DriveAnswer, Method, Offer, ProgressListener, PurgeProgress, Reach, Terms, Wish, Work,
};
use fathom_text::words::counted;

/// One request: small enough to show progress and to react to an interrupt, large enough that a
/// drive of 30 TB needs only 30,000.
const PIECE_BYTES: u64 = 1 << 30;

pub(in crate::purge) static SECURE_TRIM: Method = Method {
    id: "trim-secure",
    title: "secure discard of every block",
    leaves: "nothing is mapped, and the device erased its copies too",
    only_by_name: Some("the kernel does not say in advance whether the device supports it"),
    offers: |facts, wish| offers(facts, wish, Emptying::SecureDiscard),
    run: |work, tell| run(work, tell, Emptying::SecureDiscard),
};

pub(in crate::purge) static TRIM: Method = Method {
    id: "trim",
    title: "TRIM (discard) of every block",
    leaves: "the device was told that no block is needed; it may keep the data of some, and the old data \
             stays in the flash until garbage collection",
    only_by_name: None,
    offers: |facts, wish| offers(facts, wish, Emptying::Discard),
    run: |work, tell| run(work, tell, Emptying::Discard),
};

pub(in crate::purge) static ZERO: Method = Method {
    id: "zero",
    title: "zeroes on every block",
    leaves: "every block reads as zero; on flash all of them are mapped, so the device is not fresh out of \
             box",
    only_by_name: None,
    offers: |facts, wish| offers(facts, wish, Emptying::ZeroOut),
    run: |work, tell| run(work, tell, Emptying::ZeroOut),
};

fn offers(facts: &DriveFacts, wish: &Wish, how: Emptying) -> Offer {
    if how != Emptying::ZeroOut && facts.queue.discard_max_bytes == 0 {
        return Offer::no("the device does not support discard");
    }
    if how == Emptying::ZeroOut && facts.queue.is_zoned {
        return Offer::No {
            why: "a host-managed zoned device takes zeroes only at write pointers".to_owned(),
            remedy: Some("a job of zonemode=zbd and rw=trim empties its zones".to_owned()),
        };
    }
    if wish.block_bytes.is_some_and(|wanted| Some(wanted) != facts.identity.logical_block_bytes) {
        return Offer::no("it does not change the size of blocks");
    }
    let size_bytes = facts.identity.size_bytes;
    let pieces = counted(size_bytes.div_ceil(PIECE_BYTES) as usize, "request");
    let act = match how {
        Emptying::Discard => format!("discard {size_bytes} bytes in {pieces}"),
        Emptying::SecureDiscard => format!("discard {size_bytes} bytes securely in {pieces}"),
        Emptying::ZeroOut => format!("write zeroes to {size_bytes} bytes in {pieces}"),
    };
    Offer::Yes(Terms { act, reach: Reach::Target, block_bytes: None, takes: None })
}

fn run(work: &Work<'_>, tell: ProgressListener<'_>, how: Emptying) -> Result<Vec<DriveAnswer>, PurgeError> {
    let (step, verb) = match how {
        Emptying::Discard => ("discarding", "discard"),
        Emptying::SecureDiscard => ("discarding securely", "discard securely"),
        Emptying::ZeroOut => ("writing zeroes", "write zeroes to"),
    };
    let size_bytes = work.drive.size_bytes().map_err(|e| work.io("find the size of", e))?;
    tell(PurgeProgress::Step(step.to_owned()));
    for piece in pieces(size_bytes) {
        let act = format!("{verb} bytes {} to {} of", piece.start, piece.end);
        let end = piece.end;
        work.drive.empty(piece, how).map_err(|e| work.io(&act, e))?;
        tell(PurgeProgress::Done(end as f64 / size_bytes as f64));
    }
    Ok(vec![DriveAnswer::new(format!("{verb} {size_bytes} bytes"), "done")])
}

fn pieces(size_bytes: u64) -> impl Iterator<Item = Range<u64>> {
    let starts = (0..size_bytes).step_by(PIECE_BYTES as usize);
    starts.map(move |start| start..(start + PIECE_BYTES).min(size_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_every_byte_once() {
        for size in [0, 512, PIECE_BYTES, PIECE_BYTES + 512, 3 * PIECE_BYTES] {
            let mut at = 0;
            for piece in pieces(size) {
                assert_eq!(piece.start, at);
                assert!(piece.end > at && piece.end - at <= PIECE_BYTES);
                at = piece.end;
            }
            assert_eq!(at, size);
        }
    }
}
