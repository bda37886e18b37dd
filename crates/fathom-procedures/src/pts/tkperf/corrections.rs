//! What TKperf does wrong, and what is done here: each is named in the report, because it moves figures.
//!
//! Source: research/methodology §1.6 and §2, found by reading TKperf 2.2 and its tracker.

use crate::pts::PtsTest;

/// A defect, the tests that it concerns (none: all of them), and what is done here.
const CORRECTIONS: &[(&[&str], &str)] = &[
    (
        &[],
        "TKperf starts fio for each cell, so the drive rests between two cells; here each round is one job file.",
    ),
    (
        &[],
        "TKperf keeps fio's usual seed, so each round uses the same addresses; here each round has others.",
    ),
    (
        &[],
        "An error ends TKperf without any result; here what was measured is kept, and fathom resume goes on.",
    ),
    (
        &[],
        "TKperf looks for the name of the device in the list of mounts, where /dev/md1 is also found in /dev/md12; here the \
         guard examines the device and all that uses it.",
    ),
    (
        &["iops", "lat", "tp", "wsat"],
        "TKperf erases an ATA drive only if it offers the enhanced erase, and goes on where nothing was erased; here the purge \
         is proven by reading, or its absence is named.",
    ),
    (
        &["iops", "lat"],
        "With several jobs TKperf fills the device once for each of them; here it is filled twice by one stream, as the \
         standard asks.",
    ),
    (
        &["lat"],
        "TKperf's latency of a mix is 0.65 of that of the reads and 0.35 of that of the writes, also of the shortest and the \
         longest; here it is that of all I/Os.",
    ),
    (
        &["tp"],
        "TKperf does not fill the device before each block size, so reads may find blocks that hold nothing; here it is filled \
         twice.",
    ),
    (
        &["tp"],
        "TKperf judges the writes of 1 MiB, and repeats the other block sizes as often; here each block size has its own \
         steady state.",
    ),
    (
        &["tp", "hdd-tp"],
        "With several jobs TKperf's streams all begin at the same block; here it is one stream with all I/Os outstanding \
         together.",
    ),
    (
        &["tp"],
        "TKperf's rounds all begin at the start of the device; here each goes on where the last ended.",
    ),
    (
        &["wsat"],
        "TKperf computes the size of a drive with blocks of 4,096 bytes eight times too large in its log; here sizes are in \
         bytes.",
    ),
    (
        &["hdd-iops", "hdd-tp"],
        "TKperf's zones end before the end of the disk, because their length is rounded down; here the last zone holds the \
         rest.",
    ),
];

/// The sentences about these tests.
pub fn corrections(tests: &[&'static PtsTest]) -> Vec<String> {
    let concerns = |names: &[&str]| names.is_empty() || tests.iter().any(|test| names.contains(&test.name));
    let told = CORRECTIONS.iter().filter(|(names, _)| concerns(names));
    told.map(|(_, said)| (*said).to_owned()).collect()
}
