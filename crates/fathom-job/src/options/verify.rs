//! Verification of written data: known, not built yet.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::rows;

const WHY: &str = "not in this version: verification of written data is not built yet";
const BASE: OptionDef = OptionDef { status: OptionStatus::Refused(WHY), ..OptionDef::BASE };
const FLAG: OptionDef = OptionDef { kind: Kind::Flag, default: "0", ..BASE };
const OFF: OptionDef = OptionDef { kind: Kind::Bool, default: "0", ..BASE };
const ON: OptionDef = OptionDef { kind: Kind::Bool, default: "1", ..BASE };
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
    OptionDef { name: "verify_only", help: "check what an earlier run wrote, without writing", ..FLAG };
    OptionDef {
        name: "verify_interval", kind: Kind::BYTES, help: "bytes between two verification headers", ..BASE
    };
    OptionDef {
        name: "verify_offset", kind: Kind::BYTES, help: "offset of the header within the block",
        ..BASE
    };
    OptionDef { name: "verify_pattern", help: "bytes written and expected", ..BASE };
    OptionDef {
        name: "verify_pattern_interval",
        help: "bytes after which the pattern starts again", ..OFF
    };
    OptionDef { name: "verify_fatal", help: "end at the first block that is wrong", ..OFF };
    OptionDef {
        name: "verify_dump",
        help: "save the expected and the actual content of a wrong block", ..OFF
    };
    OptionDef { name: "verify_policy", help: "which blocks are checked", ..BASE };
    OptionDef { name: "verify_async", help: "number of threads that verify", ..COUNT };
    OptionDef {
        name: "verify_async_cpus", kind: Kind::Cpus,
        help: "CPUs of the threads of verify_async", ..BASE
    };
    OptionDef { name: "verify_backlog", help: "check after this many writes", ..COUNT };
    OptionDef { name: "verify_backlog_batch", help: "blocks checked at a time", ..COUNT };
    OptionDef {
        name: "verify_state_load", help: "continue from the saved state of an interrupted run", ..OFF
    };
    OptionDef {
        name: "verify_state_save",
        help: "save the state of verification when a run is interrupted", ..ON
    };
    OptionDef { name: "verify_write_sequence", help: "check the number of each write", ..ON };
    OptionDef { name: "verify_header_seed", help: "check the seed in each header", ..ON };
    OptionDef { name: "experimental_verify", help: "fio's experimental verification without a log", ..OFF };
    OptionDef {
        name: "trim_percentage", kind: Kind::PERCENT, help: "percent of verified blocks that are trimmed",
        ..COUNT
    };
    OptionDef { name: "trim_verify_zero", help: "expect zeros in trimmed blocks", ..ON };
    OptionDef { name: "trim_backlog", help: "trim after this many writes", ..COUNT };
    OptionDef { name: "trim_backlog_batch", help: "blocks trimmed at a time", ..COUNT };
}
