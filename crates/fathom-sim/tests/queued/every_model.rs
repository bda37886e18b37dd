//! Models at the edges of what is allowed: each is refused with words, or serves every kind of I/O in order.

use fathom_sim::{DriveModel, Io, IoKind, SimError, SimulatedDrive};

use crate::queued::closed_loop::{Bits, run};

const PARTS: [&[&str]; 8] = [
    &[
        "qlc/20000",
        "datacentre/100000",
        "thermal/50000",
        "4xdatacentre/200000,raid=6,failed=1",
        "consumer/100000",
    ],
    &["", ",unit=64k", ",unit=32k"],
    &["", ",op=1", ",op=400"],
    &["", ",blocks=16", ",blocks=1048576"],
    &["", ",dies=4,channels=4", ",dies=1000,channels=1"],
    &["", ",groups=1", ",planes=1,groups=1"],
    &["", ",slc=no,frontiers=1", ",victim=fifo"],
    &["", ",buffer=0,read=0ns,program=0ns,erase=0ns,command=0ns,fixed=0ns", ",buffer=1g,suspend=no"],
];

/// Mixed I/Os of any alignment, more than the drive holds if it is small.
fn serve(drive: &mut dyn SimulatedDrive) {
    let (mut bits, capacity, mut left) = (Bits(11), drive.capacity_bytes(), 3000);
    let next = || {
        left -= 1;
        let kind = match bits.below(20) {
            0..13 => IoKind::Write,
            13..18 => IoKind::Read,
            18 => IoKind::Trim,
            _ => IoKind::Flush,
        };
        let length = (1 + bits.below(300)) * 512;
        let length = length.min(capacity);
        let offset = bits.below((capacity - length) / 512 + 1) * 512;
        (left >= 0).then_some(Io { kind, offset, length })
    };
    run(drive, 1, 8, next);
    assert!(drive.counters().write_amplification().is_some());
}

#[test]
fn every_model_is_refused_or_serves() {
    let (mut bits, mut served, mut refused) = (Bits(12), 0, 0);
    for _ in 0..400 {
        let text: String = PARTS.iter().map(|part| part[bits.below(part.len() as u64) as usize]).collect();
        match text.parse::<DriveModel>().and_then(|model| model.build()) {
            Ok(mut drive) => {
                serve(&mut *drive);
                served += 1;
            }
            Err(SimError::UnknownKey { .. }) => panic!("{text}: all keys are known"),
            Err(error) => {
                assert!(error.to_string().len() > 20, "{text}: {error}");
                refused += 1;
            }
        }
    }
    assert!(served > 200 && refused > 10, "{served} {refused}");
}
