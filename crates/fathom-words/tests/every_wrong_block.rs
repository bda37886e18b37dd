//! What a verification can find, side by side.

use fathom_results::{CachedFile, FaultAt, SavedBlock, Unchecked, Verification};
use fathom_verify::{FailedCheck, Fault, FaultKind, Method, WrongPart};
use fathom_words::verification::{verification, wrong_block};

fn found(ios: u64, wrong: u64, unchecked: Unchecked) -> String {
    verification(&Verification { ios, wrong, unchecked, ..Verification::of(Method::Crc32c) })
}

fn fault(kind: FaultKind) -> String {
    fault_of(kind, None)
}

fn fault_of(kind: FaultKind, part: Option<WrongPart>) -> String {
    let check = FailedCheck::Magic { received: 0 };
    let fault = Fault { offset: 1 << 20, len: 4096, kind, check, expected: None, received: None, part };
    wrong_block("/dev/sdx", &FaultAt { file: 0, fault, io_offset: 1 << 20, io_bytes: 4096, saved: None })
}

fn saved(expected: Option<&str>) -> String {
    let check = FailedCheck::Magic { received: 0 };
    let kind = FaultKind::Foreign;
    let fault = Fault { offset: 1 << 20, len: 4096, kind, check, expected: None, received: None, part: None };
    let saved = SavedBlock { received: "sdx.1048576.received".into(), expected: expected.map(Into::into) };
    wrong_block(
        "/dev/sdx",
        &FaultAt { file: 0, fault, io_offset: 1 << 20, io_bytes: 4096, saved: Some(saved) },
    )
}

#[test]
fn every_result_of_a_verification() {
    let kinds = [
        FaultKind::Zeroed { bytes: 4096 },
        FaultKind::Zeroed { bytes: 512 },
        FaultKind::Misplaced { belongs_at: 8192 },
        FaultKind::Stale { of_this_run: true },
        FaultKind::Stale { of_this_run: false },
        FaultKind::Torn { at: 2048 },
        FaultKind::BitFlip { bits: 1, first: 100 },
        FaultKind::BitFlip { bits: 3, first: 1000 },
        FaultKind::Checksum,
        FaultKind::Foreign,
        FaultKind::NotTrimmed { first: 1024 },
        FaultKind::EarlierPass,
    ];
    let some = Unchecked {
        failed: 1,
        overlapped: 2000,
        in_flight: 3,
        cut: 4,
        not_read: 5,
        short_reads: 6,
        not_synced: 7,
        newer: 8,
        unknown: 9,
    };
    let none = Unchecked::default();
    let totals = [
        found(0, 0, none),
        found(1, 0, none),
        found(1024, 0, none),
        found(1024, 1, none),
        found(1024, 3000, Unchecked { cut: 1, ..none }),
        found(10, 0, some),
        verification(&Verification {
            ios: 10,
            replaced: 1,
            trimmed: 2000,
            ..Verification::of(Method::Crc32c)
        }),
        verification(&Verification {
            ios: 10,
            cached: vec![CachedFile { file: 0, errno: 13 }],
            ..Verification::of(Method::Crc32c)
        }),
        verification(&Verification { ios: 10, of_any_run: true, ..Verification::of(Method::Crc32c) }),
        verification(&Verification { ios: 10, ..Verification::of(Method::Meta) }),
        verification(&Verification { ios: 10, ..Verification::of(Method::Null) }),
    ];
    let part = |sectors, at| Some(WrongPart { sectors, at });
    let parts = [
        fault_of(FaultKind::Foreign, part(1, 512)),
        fault_of(FaultKind::Foreign, part(3, 0)),
        fault_of(FaultKind::Misplaced { belongs_at: 8192 }, part(1, 512)),
        fault_of(FaultKind::Misplaced { belongs_at: 8192 }, part(2, 1024)),
    ];
    let saved = [saved(None), saved(Some("sdx.1048576.expected"))];
    let all: Vec<String> = totals.into_iter().chain(kinds.map(fault)).chain(parts).chain(saved).collect();
    insta::assert_snapshot!("verification", all.join("\n"));
}
