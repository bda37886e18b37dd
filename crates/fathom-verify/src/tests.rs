//! The table of damages: each kind, under each method, at several block sizes, is found and named.

use crate::{
    BlockFormat, Expected, Fault, FaultKind, HeaderChecks, Lineage, Method, Pattern, Stamp, WriteName,
    WrongPart,
};

const LINEAGE: fn() -> Lineage = || Lineage::new(0xabcd_ef01_2345_6789);
const CHECKS: HeaderChecks = HeaderChecks { seed: true, sequence: true };

fn format(method: Method) -> BlockFormat {
    let pattern = method.needs_pattern().then(|| Pattern {
        parts: vec![
            crate::PatternPart::Bytes(b"\xde\xad\xbe\xef\x11".to_vec()),
            crate::PatternPart::BlockOffset,
        ],
    });
    BlockFormat {
        method,
        interval: None,
        header_offset: 0,
        pattern,
        pattern_per_interval: false,
        zero_percent: 0,
    }
}

fn written(format: &BlockFormat, offset: u64, number: u64, bytes: usize, lineage: Lineage) -> Vec<u8> {
    let seed = lineage.seed(WriteName { writer: 0, number });
    let stamp = Stamp { seed, write: number, thread: 1, seconds: 1_790_000_000, nanos: 77 };
    let mut block = vec![0x55; bytes];
    format.write(&mut block, offset, &stamp);
    block
}

const OFFSET: u64 = 7 << 20;
const NUMBER: u64 = 70_000;

fn faults(format: &BlockFormat, data: &mut [u8]) -> Vec<Fault> {
    let lineage = LINEAGE();
    let seed = Some(lineage.seed(WriteName { writer: 0, number: NUMBER }));
    let before = data.to_vec();
    let expected = Expected { offset: OFFSET, seed, write: Some(NUMBER) };
    let faults =
        format.check(data, &expected, CHECKS, &|seed| lineage.origin(seed, |_| NUMBER + 1).is_some());
    assert!(data == before, "a check leaves the data as it is");
    faults
}

/// A damage: the block after it, and the kinds that are right for it.
struct Damage {
    name: &'static str,
    block: Vec<u8>,
    is_right: fn(&FaultKind, usize) -> bool,
}

/// The damages that a method can find in a block of `bytes`.
fn damages(format: &BlockFormat, bytes: usize) -> Vec<Damage> {
    let lineage = LINEAGE();
    let right = written(format, OFFSET, NUMBER, bytes, lineage);
    let older = written(format, OFFSET, NUMBER - 9, bytes, lineage);
    let of_before = written(format, OFFSET, 3, bytes, Lineage::new(99));
    let elsewhere = written(format, OFFSET + 5 * bytes as u64, NUMBER - 1, bytes, lineage);
    let method = format.method;
    let flipped = |at: usize| {
        let mut block = right.clone();
        block[at] ^= 0x10;
        block
    };
    let halves = |first: &[u8], second: &[u8]| [&first[..bytes / 2], &second[bytes / 2..]].concat();
    let mut damages = Vec::new();
    let mut add = |name, block, is_right| damages.push(Damage { name, block, is_right });
    let flip: fn(&FaultKind, usize) -> bool = |kind, _| matches!(kind, FaultKind::BitFlip { bits: 1, .. });
    add("zeroed", vec![0; bytes], |kind, bytes| *kind == FaultKind::Zeroed { bytes: bytes as u32 });
    add("foreign", b"The quick brown fox. ".iter().copied().cycle().take(bytes).collect(), |kind, _| {
        *kind == FaultKind::Foreign
    });
    add("flip at the start", flipped(0), flip);
    if method != Method::Pattern {
        add("flip in the offset", flipped(17), flip);
        add("flip in the time", flipped(25), |kind, _| *kind == FaultKind::BitFlip { bits: 1, first: 25 });
        add("flip in the clone", flipped(33), |kind, _| *kind == FaultKind::BitFlip { bits: 1, first: 33 });
        add("flip in the number", flipped(35), flip);
        add("flip in the checksum", flipped(37), |kind, _| {
            *kind == FaultKind::BitFlip { bits: 1, first: 37 }
        });
    }
    // A method without a checksum does not look at the content.
    let sees_content = method != Method::Meta;
    if sees_content {
        add("flip in the middle", flipped(bytes / 2), flip);
        add("flip at the end", flipped(bytes - 1), flip);
    }
    let misplaced: fn(&FaultKind, usize) -> bool =
        |kind, bytes| *kind == FaultKind::Misplaced { belongs_at: OFFSET + 5 * bytes as u64 };
    if method == Method::Pattern {
        add("misplaced", elsewhere, |kind, _| {
            matches!(kind, FaultKind::Foreign | FaultKind::Misplaced { .. })
        });
        return damages;
    }
    add("misplaced", elsewhere, misplaced);
    if format.pattern.is_none() {
        add("stale", older.clone(), |kind, _| *kind == FaultKind::Stale { of_this_run: true });
        add("stale of before", of_before, |kind, _| *kind == FaultKind::Stale { of_this_run: false });
        let torn: fn(&FaultKind, usize) -> bool =
            |kind, bytes| *kind == FaultKind::Torn { at: bytes as u32 / 2 };
        if bytes >= 1024 {
            add("torn, the old end", halves(&older, &right), torn);
            if sees_content {
                add("torn, the new end", halves(&right, &older), torn);
            }
        }
    }
    if bytes >= 1024 && sees_content {
        let zeros: fn(&FaultKind, usize) -> bool =
            |kind, bytes| *kind == FaultKind::Zeroed { bytes: bytes as u32 / 2 };
        add("the end zeroed", halves(&right, &vec![0; bytes]), zeros);
    }
    damages
}

/// Every method but `null`, which checks nothing, at these sizes.
fn table(sizes: &[usize]) -> usize {
    let mut cases = 0;
    for method in Method::all().filter(|&method| method != Method::Null) {
        for &bytes in sizes {
            let format = format(method);
            let mut right = written(&format, OFFSET, NUMBER, bytes, LINEAGE());
            let clean = faults(&format, &mut right);
            assert!(clean.is_empty(), "{method:?} of {bytes} is right: {clean:?}");
            for mut damage in damages(&format, bytes) {
                let found = faults(&format, &mut damage.block);
                let [fault] = &found[..] else { panic!("{method:?} of {bytes}, {}: {found:?}", damage.name) };
                let is_right = (damage.is_right)(&fault.kind, bytes);
                assert!(is_right, "{method:?} of {bytes}, {}: {fault:?}", damage.name);
                cases += 1;
            }
        }
    }
    cases
}

/// `FATHOM_DAMAGES=all cargo test -p fathom-verify every_damage` tries 1,600 of them in a minute.
#[test]
fn every_damage_is_found_and_named() {
    let all = [512, 1024, 4096, 16 << 10, 64 << 10, 72 << 10, 1 << 20];
    let (sizes, least) =
        if std::env::var_os("FATHOM_DAMAGES").is_some() { (&all[..], 1_500) } else { (&all[2..3], 200) };
    let cases = table(sizes);
    assert!(cases > least, "{cases} cases");
}

/// Something else wrote a few sectors of a large block.
#[test]
fn a_part_that_is_wrong_does_not_name_the_whole_block() {
    let format = format(Method::Crc32c);
    let bytes = 64 << 10;
    let right = written(&format, OFFSET, NUMBER, bytes, LINEAGE());
    let elsewhere = written(&format, OFFSET + bytes as u64, NUMBER - 1, bytes, LINEAGE());
    let found = |change: &dyn Fn(&mut [u8])| {
        let mut block = right.clone();
        change(&mut block);
        let fault = faults(&format, &mut block).remove(0);
        (fault.kind, fault.part)
    };
    let part = |sectors, at| Some(WrongPart { sectors, at });
    let misplaced = FaultKind::Misplaced { belongs_at: OFFSET + bytes as u64 };
    assert_eq!(found(&|block| block[1024..2048].fill(7)), (FaultKind::Foreign, part(2, 1024)));
    assert_eq!(found(&|block| block[..512].fill(7)), (FaultKind::Foreign, part(1, 0)));
    assert_eq!(found(&|block| block[..44].fill(7)), (FaultKind::Foreign, part(1, 0)), "only the header");
    let copies = |range: std::ops::Range<usize>| {
        found(&|block| block[range.clone()].copy_from_slice(&elsewhere[range.clone()]))
    };
    assert_eq!(copies(4096..4608), (misplaced, part(1, 4096)));
    assert_eq!(copies(0..512), (misplaced, part(1, 0)));
    assert_eq!(copies(0..bytes), (misplaced, None));
    assert_eq!(found(&|block| block.fill(7)), (FaultKind::Foreign, None));
}

/// What was expected can be made again, so it must have the time that was written.
#[test]
fn the_time_of_a_damaged_header_is_known() {
    let format = format(Method::Crc32c);
    for at in [0, 10, 25, 30, 33, 36] {
        let mut block = written(&format, OFFSET, NUMBER, 4096, LINEAGE());
        block[at] ^= 4;
        let wanted = faults(&format, &mut block).remove(0).expected.expect("the seed is known");
        assert_eq!((wanted.seconds, wanted.nanos, wanted.thread), (1_790_000_000, 77, 1), "byte {at}");
    }
}

/// Blocks of another run with another block size.
#[test]
fn smaller_blocks_of_another_run_are_stale() {
    let format = format(Method::Crc32c);
    let parts = (0..16).map(|n| written(&format, OFFSET + (n << 16), n, 64 << 10, Lineage::new(99)));
    let mut block = parts.collect::<Vec<_>>().concat();
    assert_eq!(faults(&format, &mut block)[0].kind, FaultKind::Stale { of_this_run: false });
}

#[test]
fn an_io_has_a_block_for_each_interval() {
    let format = BlockFormat { interval: Some(512), header_offset: 64, ..format(Method::Crc32c) };
    let mut data = written(&format, OFFSET, NUMBER, 4096, LINEAGE());
    assert_eq!(faults(&format, &mut data), []);
    data[1536 + 300] ^= 1;
    data[3584..].fill(0);
    let found = faults(&format, &mut data);
    let kinds: Vec<_> = found.iter().map(|fault| (fault.offset - OFFSET, fault.len, fault.kind)).collect();
    let flip = FaultKind::BitFlip { bits: 1, first: 300 };
    assert_eq!(kinds, [(1536, 512, flip), (3584, 512, FaultKind::Zeroed { bytes: 512 })]);
}

#[test]
fn a_block_that_compresses_is_judged_like_any_other() {
    let format = BlockFormat { zero_percent: 50, ..format(Method::Crc32c) };
    let mut data = written(&format, OFFSET, NUMBER, 64 << 10, LINEAGE());
    assert_eq!(faults(&format, &mut data), []);
    data[40_000] ^= 2;
    let found = faults(&format, &mut data);
    assert_eq!(found[0].kind, FaultKind::BitFlip { bits: 1, first: 40_000 });
}

/// The header and checksum of a block that fio 3.33 wrote can be read.
#[test]
fn the_header_of_fio_is_read() {
    let fio = "caac0500001000003c5409c501cca400000000000000000000000000f9716a060100000030484e85f4a2efa3";
    let bytes: Vec<u8> =
        (0..fio.len()).step_by(2).map(|at| u8::from_str_radix(&fio[at..at + 2], 16).unwrap()).collect();
    let mut block = vec![0; 4096];
    block[..bytes.len()].copy_from_slice(&bytes);
    let expected = Expected { offset: 0, seed: None, write: Some(0) };
    let found = format(Method::Crc32c).check(&mut block, &expected, CHECKS, &|_| false);
    let received = found[0].received.expect("its header is valid");
    assert_eq!((received.offset, received.thread, received.write), (0, 1, 0));
    assert!(matches!(&found[0].check, crate::FailedCheck::Checksum { stored, .. } if stored == "f4a2efa3"));
}
