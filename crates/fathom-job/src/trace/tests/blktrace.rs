//! Recordings of blktrace: which of their events are replayed, when, and what is wrong with some.

use super::*;

/// Bits of an action (linux/blktrace_api.h).
const READ: u32 = 1 << 16;
const WRITE: u32 = 1 << 17;
const FLUSH: u32 = 1 << 18;
const NOTE: u32 = 1 << 26;
const DISCARD: u32 = 1 << 29;
const QUEUE: u32 = 1;
const MERGE: u32 = 2;
const ISSUE: u32 = 7;
const COMPLETE: u32 = 8;
const LOOP_0: u32 = 7 << 20;

/// An event of a recording: its time, sector, bytes, action and the bytes that follow it.
#[derive(Clone, Copy)]
struct Event(u64, u64, u32, u32, usize);

/// A recording with these events in the order of bytes of a little-endian or a big-endian machine.
fn recording(events: &[Event], device: u32, is_big: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut put = |number: u64, size: usize| match is_big {
        true => bytes.extend_from_slice(&number.to_be_bytes()[8 - size..]),
        false => bytes.extend_from_slice(&number.to_le_bytes()[..size]),
    };
    for (number, Event(time, sector, len, action, more)) in events.iter().enumerate() {
        let fields = [(0x6561_7407, 4), (number as u64, 4), (*time, 8), (*sector, 8), (u64::from(*len), 4)];
        fields.into_iter().for_each(|(number, size)| put(number, size));
        for (number, size) in [(u64::from(*action), 4), (1, 4), (u64::from(device), 4), (0, 4), (0, 2)] {
            put(number, size);
        }
        put(*more as u64, 2);
        (0..*more).for_each(|_| put(0x55, 1));
    }
    bytes
}

const MS: u64 = 1_000_000;

/// What fio 3.33 does with this one was counted with strace: it issues the write, the read, one sync for each of the flushes (and leaves the
/// write out that comes with the second) and the trim.
const EVENTS: [Event; 9] = [
    Event(0, 0, 0, NOTE, 16),
    Event(1000 * MS, 8, 4096, WRITE | QUEUE, 0),
    Event(1001 * MS, 8, 4096, WRITE | ISSUE, 3),
    Event(1010 * MS, 100, 512, READ | QUEUE, 0),
    Event(1020 * MS, 0, 0, FLUSH | WRITE | QUEUE, 0),
    Event(1030 * MS, 16, 4096, FLUSH | WRITE | QUEUE, 0),
    Event(1040 * MS, 1000, 65_536, DISCARD | WRITE | QUEUE, 0),
    Event(1035 * MS, 1001, 5120, WRITE | QUEUE, 0),
    Event(1070 * MS, 8, 4096, WRITE | COMPLETE, 0),
];

#[test]
fn what_was_queued_is_replayed_in_the_order_of_the_times() {
    use TraceOp::{Read, Sync, Trim, Write};
    let io = |event, op, offset, len, ms: u64| ReplayedIo {
        at: TracePlace::event(event),
        op,
        file: 0,
        offset,
        len,
        due_ns: ms * MS,
    };
    let expected = [
        io(2, Write, 4096, 4096, 0),
        io(4, Read, 51_200, 512, 10),
        io(5, Sync, 0, 0, 20),
        io(6, Sync, 0, 0, 30),
        io(6, Write, 8192, 4096, 30),
        io(8, Write, 512_512, 5120, 35),
        io(7, Trim, 512_000, 65_536, 40),
    ];
    for (piece, is_big) in [(1, false), (47, true), (49, false), (1 << 20, true)] {
        assert_eq!(ios(&recording(&EVENTS, LOOP_0, is_big), &PLAIN, piece), expected, "{piece}");
    }
    let facts = scan(pieces(&recording(&EVENTS, 259 << 20 | 17, false), 64), &PLAIN).unwrap();
    assert_eq!(facts.files[0].name, "/dev/block/259:17");
    assert_eq!((facts.syncs, facts.unit, facts.last_due_ns), (2, 512, 40 * MS));
}

/// fio 3.33 issues 4,096 bytes at 0 and 4,096 at 16,384 for the first two with these options.
#[test]
fn offsets_are_divided_and_aligned_and_lengths_grow_to_the_alignment() {
    let terms = ReplayTerms { scale: 3, align: 4096, keeps_gaps: false, ..PLAIN };
    let all = ios(&recording(&EVENTS, LOOP_0, false), &terms, 64);
    let places: Vec<_> = all.iter().take(2).map(|io| (io.offset, io.len, io.due_ns)).collect();
    assert_eq!(places, [(0, 4096, 0), (16_384, 4096, 0)]);
    // What is skipped has been the beginning of the time: as in fio 3.33, which reads 1 s after its start where the gap is 2 s.
    let terms = ReplayTerms { skips: [false, true, false, false], time_scale: 200, ..PLAIN };
    assert_eq!(ios(&recording(&EVENTS, LOOP_0, false), &terms, 64)[0].due_ns, 5 * MS);
}

#[test]
fn the_depth_is_what_was_in_flight() {
    let queued = |count: u64| (0..count).map(|i| Event(i, i * 8, 4096, WRITE | QUEUE, 0));
    let mut events: Vec<Event> = queued(7).collect();
    events.extend([Event(8, 0, 4096, WRITE | MERGE, 0), Event(9, 0, 4096, WRITE | COMPLETE, 0)]);
    events.extend(queued(4).map(|event| Event { 0: event.0 + 10, ..event }));
    let depth = |events: &[Event]| scan(pieces(&recording(events, LOOP_0, false), 64), &PLAIN).unwrap().depth;
    assert_eq!(depth(&events), Some(9), "seven, of which one was merged and one completed, and four");
    assert_eq!(depth(&queued(5).collect::<Vec<_>>()), None, "nothing says when one ended");
}

#[test]
fn every_defect_names_its_event() {
    let whole = recording(&EVENTS, LOOP_0, false);
    let mut other = whole.clone();
    other[0] = 6;
    let mut no_magic = whole.clone();
    no_magic[48 + 16 + 2] = 0;
    let mut late: Vec<Event> = (0..2000).map(|i| Event(i * MS, 8, 4096, WRITE | QUEUE, 0)).collect();
    late[1500].0 = 5;
    let beyond = recording(&[Event(0, u64::MAX / 512, 512, WRITE | QUEUE, 0)], LOOP_0, false);
    let empty = recording(&[Event(0, 8, 0, WRITE | QUEUE, 0)], LOOP_0, false);
    for (bytes, expected) in [
        (&whole[..whole.len() - 1], "event 9: the file ends within it"),
        (&whole[..50], "event 1: the file ends within it"),
        (&other[..], "event 1: it is of version 6 of blktrace, and version 7 is read"),
        (&no_magic[..], "event 2: it does not begin with the magic number of blktrace"),
        (
            &recording(&late, LOOP_0, false)[..],
            "event 1501: its time, 5 ns, is before 476000000 ns, which came more than 1024 I/Os before it; `blkparse -i NAME -d \
             FILE` puts the files of several CPUs in one order",
        ),
        (&beyond[..], "event 1: offset 18446744073709551104 and length 512 go beyond 64 bits"),
        (&empty[..], "event 1: an I/O has at least one byte"),
        (&whole[..64], "event 1: there is no I/O to replay before the end of the file"),
    ] {
        assert_eq!(scan(pieces(bytes, 4096), &PLAIN).unwrap_err().to_string(), expected);
    }
}

fn two() -> [Vec<u8>; 2] {
    let [a, b, c] = [5, 7, 15].map(|ms| Event(ms * MS, ms, 512, WRITE | QUEUE, 0));
    let [d, e] = [2, 9].map(|ms| Event(ms * MS, 100 + ms, 512, READ | QUEUE, 0));
    let flush = Event(14 * MS, 0, 0, FLUSH | WRITE | QUEUE, 0);
    [recording(&[a, b, c], LOOP_0 | 1, false), recording(&[d, e, flush], LOOP_0 | 2, true)]
}

/// fio 3.33 ends the merge of any recordings with "iolog short read" and an empty file, so its manual alone says what is meant.
#[test]
fn several_are_merged_by_their_times() {
    let merged = |percents: [u64; 2], passes: [u64; 2]| -> Vec<(u64, usize, u64)> {
        let of = |(percent, passes): (u64, u64)| MergeTerms { time_ppm: percent * 10_000, passes };
        let merges = percents.into_iter().zip(passes).map(of).collect();
        let terms = ReplayTerms { merges, ..PLAIN };
        let [a, b] = two();
        let inputs = [&a, &b].into_iter().flat_map(|bytes| pieces(bytes, 64)).collect::<Vec<_>>();
        let mut replay = Replay::begin(inputs, &terms).unwrap();
        let played: Vec<_> = std::iter::from_fn(|| replay.next_io().unwrap()).collect();
        // The file that is written is the same trace.
        let mut file = Vec::new();
        let [a, b] = two();
        write_merged([&a, &b].into_iter().flat_map(|bytes| pieces(bytes, 64)).collect(), &terms, &mut file)
            .unwrap();
        let told = |io: &ReplayedIo| (io.due_ns / 1000, io.file, io.offset / 512);
        let again: Vec<_> = ios(&file, &PLAIN, 64).iter().map(told).collect();
        let played: Vec<_> = played.iter().map(told).collect();
        assert_eq!(played, again);
        played
    };
    // Files are numbered by their first I/O: both begin at 0, and the first recording comes first.
    let plain = [(0, 0, 5), (0, 1, 102), (2000, 0, 7), (7000, 1, 109), (10_000, 0, 15), (12_000, 1, 0)];
    assert_eq!(merged([100, 100], [1, 1]), plain);
    let half = [
        (0, 0, 5),
        (0, 1, 102),
        (1000, 0, 7),
        (5000, 0, 15),
        (5000, 0, 5),
        (6000, 0, 7),
        (7000, 1, 109),
        (10_000, 0, 15),
        (12_000, 1, 0),
    ];
    assert_eq!(merged([50, 100], [2, 1]), half);
}

#[test]
fn a_defect_of_a_merged_one_names_which() {
    let [a, b] = two();
    let terms = ReplayTerms { merges: vec![MergeTerms { time_ppm: 1_000_000, passes: 1 }; 2], ..PLAIN };
    let why = |a: &[u8], b: &[u8]| {
        let inputs = [a, b].into_iter().flat_map(|bytes| pieces(bytes, 64)).collect();
        scan(inputs, &terms).unwrap_err().to_string()
    };
    assert_eq!(why(&a, &b[..100]), "trace 2 of those merged, event 3: the file ends within it");
    assert_eq!(
        why(V3.as_bytes(), &b),
        "trace 1 of those merged, line 1: it is no recording of blktrace, and merge_blktrace_file merges no others"
    );
}
