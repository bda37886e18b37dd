//! How much of the target a job uses, and from which byte.

use crate::option::{Kind, OptionDef};
use crate::table;
use crate::units::Bytes;
use crate::value::{Size, SizeRange};

const BASE: OptionDef = OptionDef { kind: Kind::AMOUNT, ..OptionDef::BASE };

table! {
    SIZE: Option<Size> = BASE.row("size",
        "bytes of the region that the job works on, and of a file to be created; `N%` of the target");
    IO_SIZE: Option<Size> = OptionDef {
        name: "io_size", aliases: &["io_limit"], help: "bytes to move; size if not given", ..BASE
    };
    OFFSET: Size = OptionDef {
        name: "offset", aliases: &["fileoffset"], default: "0",
        help: "first byte of the region, from the start of the target; `N%` of it", ..BASE
    };
    OFFSET_INCREMENT: Size = OptionDef {
        name: "offset_increment", default: "0",
        help: "bytes from the start of one clone's region to the start of the next clone's",
        ..BASE
    };
    OFFSET_ALIGN: Bytes = BASE.of("offset_align", Kind::BYTES, "0",
        "round an offset given in percent to a multiple of this many bytes; 0 is the smallest block");
    FILESIZE: Option<SizeRange> = BASE.of("filesize", Kind::Range { lone: true }, "",
        "bytes of each file, or `low-high`: drawn between the two");
    NUMBER_IOS: u64 = BASE.of("number_ios", Kind::Int { min: 0, max: i64::MAX }, "0",
        "end after this many I/Os; 0 means no limit");
    LOOPS: u32 = BASE.of("loops", Kind::Int { min: 1, max: u32::MAX as i64 }, "1", "passes over the region");
}
