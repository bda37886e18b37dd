//! Verification of written data: known, not built yet.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::rows;

const BASE: OptionDef = OptionDef::refused(
    "not in this version: verification of written data is not built yet; without it fathom measures the same \
        writes, and fio checks data",
);
const FLAG: OptionDef = OptionDef { kind: Kind::Flag, default: "0", ..BASE };
const OFF: OptionDef = OptionDef { kind: Kind::Bool, default: "0", ..BASE };
const ON: OptionDef = OptionDef { kind: Kind::Bool, default: "1", ..BASE };
/// What says how to verify: without `verify` it does nothing, in fio too.
const IDLE: OptionDef = OptionDef {
    status: OptionStatus::NoEffect("nothing is verified, since verify is refused"),
    ..OptionDef::BASE
};
const IDLE_OFF: OptionDef = OptionDef { kind: Kind::Bool, default: "0", ..IDLE };
const IDLE_ON: OptionDef = OptionDef { kind: Kind::Bool, default: "1", ..IDLE };
const IDLE_COUNT: OptionDef = OptionDef { kind: Kind::COUNT, default: "0", ..IDLE };
const COUNT: OptionDef = OptionDef { kind: Kind::COUNT, default: "0", ..BASE };

rows! {
    OptionDef {
        name: "verify", default: "0",
        help: "checksum or pattern by which written data is checked; 0 is none", ..BASE
    };
    OptionDef {
        name: "do_verify", help: "read back and check after writing",
        status: OptionStatus::NoEffect("nothing is verified, since verify is refused"), ..ON
    };
    FLAG.row("verify_only", "check what an earlier run wrote, without writing");
    IDLE.of("verify_interval", Kind::BYTES, "", "bytes between two verification headers");
    IDLE.of("verify_offset", Kind::BYTES, "", "offset of the header within the block");
    BASE.row("verify_pattern", "bytes written and expected");
    OFF.row("verify_pattern_interval", "bytes after which the pattern starts again");
    IDLE_OFF.row("verify_fatal", "end at the first block that is wrong");
    IDLE_OFF.row("verify_dump", "save the expected and the actual content of a wrong block");
    BASE.row("verify_policy", "which blocks are checked");
    IDLE_COUNT.row("verify_async", "number of threads that verify");
    IDLE.of("verify_async_cpus", Kind::Cpus, "", "CPUs of the threads of verify_async");
    IDLE_COUNT.row("verify_backlog", "check after this many writes");
    IDLE_COUNT.row("verify_backlog_batch", "blocks checked at a time");
    OFF.row("verify_state_load", "continue from the saved state of an interrupted run");
    IDLE_ON.row("verify_state_save", "save the state of verification when a run is interrupted");
    ON.row("verify_write_sequence", "check the number of each write");
    ON.row("verify_header_seed", "check the seed in each header");
    OFF.row("experimental_verify", "fio's experimental verification without a log");
    OptionDef {
        name: "trim_percentage", kind: Kind::PERCENT, help: "percent of verified blocks that are trimmed",
        ..COUNT
    };
    ON.row("trim_verify_zero", "expect zeros in trimmed blocks");
    COUNT.row("trim_backlog", "trim after this many writes");
    COUNT.row("trim_backlog_batch", "blocks trimmed at a time");
}
