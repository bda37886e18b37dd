//! When written data must be safe.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::table;
use crate::value::SyncRange;

const BASE: OptionDef = OptionDef { kind: Kind::COUNT, ..OptionDef::BASE };
const OFF: OptionDef = OptionDef::OFF;

table! {
    FSYNC: u32 = OptionDef {
        name: "fsync", default: "0", help: "fsync after every N writes; 0 is never", ..BASE
    };
    FDATASYNC: u32 = OptionDef {
        name: "fdatasync", default: "0", help: "fdatasync after every N writes; 0 is never", ..BASE
    };
    SYNC_FILE_RANGE: Option<SyncRange> = OptionDef {
        name: "sync_file_range", kind: Kind::SyncRange,
        status: OptionStatus::Differently("each call covers the whole file, not only the writes since the \
            previous call"),
        help: "sync_file_range of the file after every N writes: `wait_before,write,wait_after:N`", ..BASE
    };
    END_FSYNC: bool = OFF.row("end_fsync", "fsync when all writes are done, within the measured time");
    FSYNC_ON_CLOSE: bool = OptionDef { name: "fsync_on_close", help: "fsync when a file is closed", ..OFF };
    SYNC: &'static str = OptionDef {
        name: "sync",
        kind: Kind::Word(&[("none", "none"), ("0", "none"), ("sync", "sync"), ("1", "sync"), ("dsync", "dsync")]),
        default: "none", help: "open with O_SYNC or O_DSYNC: each write returns when the data is safe",
        ..BASE
    };
}
