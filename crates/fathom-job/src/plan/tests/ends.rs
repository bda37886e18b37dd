//! What ends a job: fio's rules (research of size, io_size, loops, number_ios
//! and time on fio 3.33).

use super::*;

fn end(options: &str) -> EndRule {
    one(&format!("filename=/dev/small bs=4k {options}")).jobs[0].end
}

fn bytes(options: &str) -> u64 {
    end(options).bytes.unwrap().0
}

const M: u64 = 1 << 20;

#[test]
fn bytes_are_fios() {
    let cases = [
        ("rw=read", 10 * M),
        ("rw=read size=4m", 4 * M),
        ("rw=read size=4m io_size=30m", 30 * M),
        ("rw=read io_size=50%", 5 * M),
        ("rw=read size=4m io_size=50%", 2 * M),
        ("rw=read size=4m loops=3", 12 * M),
        ("rw=read size=4m loops=3 io_size=1m", 3 * M),
        ("rw=read size=4m loops=3 io_size=9m", 12 * M),
        // A pass goes on in a file that is larger than `size`.
        ("rw=read filesize=4m size=2m loops=2 io_size=5m", 8 * M),
        ("rw=randread filesize=4m size=2m loops=3 io_size=3m", 9 * M),
        ("rw=read size=1m io_size=10001", 12288),
        ("rw=read size=10001", 12288),
        ("rw=randread size=10001", 8192),
        ("rw=randread size=10001 norandommap", 12288),
        ("rw=randread size=10001 io_size=30001", 32768),
        ("rw=randread size=20m", 10 * M),
        // The percentage is of the two whole blocks that fit behind the offset.
        ("rw=randwrite norandommap bs=1792k size=90% offset=50% io_size=81%", 2 * (1792 << 10)),
        ("rw=randread size=20m norandommap", 20 * M),
        ("rw=randread bs=3m", 9 * M),
        ("rw=randread bs=3m norandommap", 12 * M),
        ("rw=read bs=3m", 9 * M),
        ("rw=read size=1m bs=12k loops=3", 3 * M),
        ("rw=randread size=1m bs=12k loops=3", 255 * 12288),
        ("rw=randrw", 10 * M),
        ("rw=trimwrite size=4m", 8 * M),
        ("rw=trimwrite size=1m loops=2", 4 * M),
        // Three trims, and as many writes.
        ("rw=trimwrite size=10001", 2 * 12288),
        ("rw=trimwrite bs=64k size=5000k", 2 * 79 * 65536),
        ("rw=trimwrite size=1m io_size=10001", 2 * 12288),
        ("rw=trimwrite size=1m io_size=512k", M),
        ("rw=trimwrite size=1m io_size=2m", 2 * M),
        ("rw=read filesize=2m", 2 * M),
        ("rw=read filesize=2m size=4m", 2 * M),
        ("rw=read filesize=2m offset=1m", M),
    ];
    for (options, expected) in cases {
        assert_eq!(bytes(options), expected, "{options}");
    }
}

#[test]
fn a_pass_that_does_not_end_with_its_files_moves_the_whole_size() {
    let bytes = |options: &str| one(&format!("directory=/data bs=4k {options}")).jobs[0].end.bytes;
    let cases = [
        ("rw=write size=10001", 8192), // the third block does not fit
        ("rw=rw size=10001", 12288),
        ("rw=read:4k size=10001", 12288),
        ("rw=randread size=10001", 8192),
        ("rw=randread:2 size=10001", 12288),
        ("rw=randread percentage_random=50 size=10001", 12288),
        ("rw=rw nrfiles=3 bs=64k size=1999872", 31 << 16),
        ("rw=write nrfiles=3 bs=64k size=1999872", 30 << 16),
    ];
    for (options, expected) in cases {
        assert_eq!(bytes(options), Some(Bytes(expected)), "{options}"); // fio
    }
}

#[test]
fn a_new_pass_begins_while_a_block_of_io_size_is_lacking() {
    let bytes = |options: &str| one(&format!("directory=/data {options}")).jobs[0].end.bytes;
    let cases = [
        // 153 blocks a pass, and less than 2,603,008 bytes after four.
        ("rw=randwrite bs=4k size=629760 io_size=2603008 loops=3", 5 * 153 * 4096),
        // 87 blocks a pass, and less than a block is lacking after four.
        ("rw=randwrite bs=8k size=719872 io_size=2852864 loops=2", 4 * 87 * 8192),
        // The percentage is of the size, not of its whole blocks.
        ("rw=randread bs=8k size=1677312 io_size=72%", 148 * 8192),
        // Each pass may go beyond its limit, and the job beyond its own, but
        // not by the sum.
        ("rw=rw bs=4k size=1444352 loops=3", 1058 * 4096),
        // Another pass would need a whole block; a longer one does not.
        ("rw=randread bs=64k size=64k io_size=1345536", 20 << 16),
        ("rw=randread norandommap bs=64k size=64k io_size=1345536", 21 << 16),
        ("rw=rw bs=4k size=102k io_size=1m", 256 << 12),
    ];
    for (options, expected) in cases {
        assert_eq!(bytes(options), Some(Bytes(expected)), "{options}"); // fio
    }
}

#[test]
fn a_share_of_less_than_a_block_is_an_error() {
    let error = error_of("filename=/dev/small bs=4k rw=read size=64k io_size=5%");
    assert_eq!(error.code, "target-small");
    assert!(error.message.contains("3276 bytes"), "{}", error.message);
    assert_eq!(bytes("rw=read size=64k io_size=7%"), 8192);
}

#[test]
fn blocks_of_many_sizes_leave_the_limit_alone() {
    assert_eq!(bytes("rw=randread norandommap size=1000000 bsrange=1k-16k"), 1_000_000);
}

#[test]
fn number_ios_is_a_limit_of_its_own() {
    assert_eq!(end("size=4m number_ios=10").ios, Some(10));
    assert_eq!(end("size=4m number_ios=10 loops=3").ios, Some(30));
    assert_eq!(end("rw=trimwrite size=4m number_ios=10").ios, Some(20));
    let expected =
        |options: &str| one(&format!("filename=/dev/small bs=4k size=4m {options}")).jobs[0].expected.bytes;
    assert_eq!(expected("number_ios=10"), Some(Bytes(40960)));
    assert_eq!(expected("number_ios=2000"), Some(Bytes(4 * M)));
    assert_eq!(expected("bsrange=4k-8k number_ios=10"), None);
}

#[test]
fn time_alone_is_whichever_comes_first_and_time_based_is_all() {
    let limit = end("size=4m runtime=30");
    assert_eq!(
        (limit.bytes, limit.time, limit.time_based),
        (Some(Bytes(4 * M)), Some(Nanos::secs(30)), false)
    );
    let based = end("size=4m runtime=30 time_based number_ios=5 io_size=1m");
    assert_eq!(
        (based.bytes, based.ios, based.time, based.time_based),
        (None, None, Some(Nanos::secs(30)), true)
    );
}

#[test]
fn forecasts_say_only_what_is_certain() {
    let expected = |options: &str| one(&format!("filename=/dev/small bs=4k {options}")).jobs[0].expected;
    assert_eq!(expected("rw=write loops=2"), Expected { bytes: Some(Bytes(20 * M)), time: None });
    assert_eq!(expected("runtime=30"), Expected::default());
    let based = expected("runtime=30 time_based ramp_time=5 startdelay=2");
    assert_eq!(based, Expected { bytes: None, time: Some(Nanos::secs(37)) });
}

#[test]
fn time_based_without_a_time_is_an_error() {
    let error = error_of("filename=/dev/small bs=4k time_based");
    assert_eq!(error.code, "time-based");
    assert!(error.hints[0].contains("runtime="));
}
