//! How much of the target a job uses, and from which byte.

use crate::option::{Kind, OptionDef};
use crate::table;
use crate::units::Bytes;
use crate::value::{Size, SizeRange};

const BASE: OptionDef = OptionDef { kind: Kind::AMOUNT, ..OptionDef::BASE };

table! {
    /// The region.
    SIZE: Option<Size> = OptionDef {
        name: "size",
        help: "bytes of the region that the job works on, and of a file to be created; `N%` of the target",
        ..BASE
    };
    /// Bytes to move.
    IO_SIZE: Option<Size> = OptionDef {
        name: "io_size", aliases: &["io_limit"], help: "bytes to move; size if not given", ..BASE
    };
    /// Start of the region.
    OFFSET: Size = OptionDef {
        name: "offset", aliases: &["fileoffset"], default: "0",
        help: "first byte of the region, from the start of the target; `N%` of it", ..BASE
    };
    /// Shift per clone.
    OFFSET_INCREMENT: Size = OptionDef {
        name: "offset_increment", default: "0",
        help: "bytes from the start of one clone's region to the start of the next clone's",
        ..BASE
    };
    /// Rounding of the offset.
    OFFSET_ALIGN: Bytes = OptionDef {
        name: "offset_align", kind: Kind::BYTES, default: "0",
        help: "round an offset given in percent to a multiple of this many bytes; 0 is the smallest block",
        ..BASE
    };
    /// Size of each file.
    FILESIZE: Option<SizeRange> = OptionDef {
        name: "filesize", kind: Kind::Range { lone: true },
        help: "bytes of each file, or `low-high`: drawn between the two", ..BASE
    };
    /// I/Os to issue.
    NUMBER_IOS: u64 = OptionDef {
        name: "number_ios", kind: Kind::Int { min: 0, max: i64::MAX }, default: "0",
        help: "end after this many I/Os; 0 means no limit", ..BASE
    };
    /// Passes.
    LOOPS: u32 = OptionDef {
        name: "loops", kind: Kind::Int { min: 1, max: u32::MAX as i64 }, default: "1",
        help: "passes over the region", ..BASE
    };
}
