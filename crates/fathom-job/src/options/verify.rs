//! Whether what was written is read back and checked, and by which method.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::table;
use crate::units::Bytes;

const BASE: OptionDef = OptionDef::BASE;
const OFF: OptionDef = OptionDef::OFF;
const ON: OptionDef = OptionDef::ON;
/// A number of blocks.
const BLOCKS: OptionDef = OptionDef { kind: Kind::Int { min: 0, max: i64::MAX }, default: "0", ..BASE };
const COUNT: OptionDef = OptionDef { kind: Kind::COUNT, default: "0", ..BASE };

/// fio 3.33 takes no interval that is shorter: twice its header.
const INTERVAL_MIN: u64 = 80;
/// fio 3.33 moves the header by at least its own length.
const OFFSET_MIN: u64 = 40;

const STATES: OptionStatus = OptionStatus::Differently(
    "the file has another content than fio's: it has every write; a state of another job, a damaged one and one of fio are \
        refused",
);

table! {
    VERIFY: &'static str = OptionDef {
        name: "verify", default: "0",
        kind: Kind::Word(&[
            ("0", "0"), ("md5", "md5"), ("crc64", "crc64"), ("crc32", "crc32"), ("crc32c-intel", "crc32c"),
            ("crc32c", "crc32c"), ("crc16", "crc16"), ("crc7", "crc7"), ("sha1", "sha1"), ("sha256", "sha256"),
            ("sha512", "sha512"), ("sha3-224", "sha3-224"), ("sha3-256", "sha3-256"), ("sha3-384", "sha3-384"),
            ("sha3-512", "sha3-512"), ("xxhash", "xxhash"), ("xxh3", "xxh3"), ("meta", "meta"),
            ("pattern", "pattern"), ("pattern_hdr", "pattern_hdr"), ("null", "null"),
        ]),
        status: OptionStatus::Differently("sha256 and sha512 are those of the content, which they are not in fio 3.33; \
            fathom also has pattern_hdr and xxh3; jobs that cannot be verified are errors"),
        help: "checksum or pattern by which written data is checked; 0 is none", ..BASE
    };
    DO_VERIFY: bool = ON.row("do_verify", "read back and check after writing; jobs that only read always check");
    VERIFY_ONLY: bool = OptionDef::FLAG.row("verify_only",
        "write nothing, and check what an earlier run of the same job wrote");
    VERIFY_INTERVAL: Option<Bytes> = BASE.of("verify_interval",
        Kind::Size { min: INTERVAL_MIN, percent: false, zones: false }, "",
        "bytes from one header to the next within a block; one header for each block if not given");
    VERIFY_OFFSET: Option<Bytes> = BASE.of("verify_offset",
        Kind::Size { min: OFFSET_MIN, percent: false, zones: false }, "",
        "bytes from the start of the block, or interval, to its header");
    VERIFY_PATTERN: Option<fathom_verify::Pattern> = BASE.of("verify_pattern", Kind::VerifyPattern, "",
        "bytes that are written and expected, over and over; without verify they are asked for as \
            verify=pattern_hdr, as in fio");
    VERIFY_PATTERN_INTERVAL: bool = OFF.row("verify_pattern_interval",
        "begin verify_pattern again at each verify_interval, with the offset of that place for %o");
    VERIFY_FATAL: bool = OFF.row("verify_fatal", "end at the first block that is wrong");
    VERIFY_DUMP: bool = OFF.row("verify_dump",
        "save what was read of wrong blocks and what was expected: the first 16 of a job, at most 64 MiB of them");
    VERIFY_POLICY: &'static str = OptionDef {
        name: "verify_policy", kind: Kind::Word(&[("completed", "completed"), ("fsynced", "fsynced")]), default: "completed",
        help: "which writes are expected to be there: all that completed, or those before a sync that completed", ..BASE
    };
    VERIFY_ASYNC: u32 = COUNT.row("verify_async",
        "number of threads that check blocks; 0 is the worker itself");
    VERIFY_ASYNC_CPUS: Option<Vec<usize>> = BASE.of("verify_async_cpus",
        Kind::Cpus, "", "CPUs of the threads of verify_async");
    VERIFY_BACKLOG: u64 = BLOCKS.row("verify_backlog",
        "check after this many writes, and go on; 0 checks when all writes are done");
    VERIFY_BACKLOG_BATCH: u32 = COUNT.row("verify_backlog_batch",
        "blocks checked at a time; 0 is as many as verify_backlog");
    VERIFY_STATE_LOAD: bool = OptionDef { status: STATES, ..OFF }.row("verify_state_load",
        "check by the saved state of an earlier run, with verify_only or in a job that only reads");
    VERIFY_STATE_SAVE: bool = OptionDef { status: STATES, ..ON }.row("verify_state_save",
        "save what was written, at the end of the job however it ends and at intervals before");
    VERIFY_WRITE_SEQUENCE: bool = ON.row("verify_write_sequence", "check the number of each write");
    VERIFY_HEADER_SEED: bool = ON.row("verify_header_seed", "check the seed in each header");
    EXPERIMENTAL_VERIFY: bool = OptionDef {
        name: "experimental_verify", help: "fio's experimental verification without a log",
        status: OptionStatus::NoEffect("fathom keeps no log of each write, so it needs no other way to do without"),
        ..OFF
    };
    TRIM_PERCENTAGE: u32 = COUNT.of("trim_percentage", Kind::PERCENT, "0",
        "percent of verified blocks that are trimmed");
    TRIM_VERIFY_ZERO: bool = ON.row("trim_verify_zero",
        "expect zeros in trimmed blocks; if not given, only in those of files");
    TRIM_BACKLOG: u64 = BLOCKS.row("trim_backlog",
        "trim after this many writes, and go on; 0 trims when all writes are done");
    TRIM_BACKLOG_BATCH: u32 = COUNT.row("trim_backlog_batch",
        "blocks trimmed at a time; 0 is as many as trim_backlog");
}
