//! How I/O reaches the kernel.

use crate::option::{Kind, OptionDef, OptionRelation};
use crate::table;

const BASE: OptionDef = OptionDef::BASE;

table! {
    IOENGINE: String = OptionDef {
        name: "ioengine", default: "psync",
        help: "how I/O is issued: sync, psync, vsync, pvsync, pvsync2, libaio, io_uring, mmap, null, nop, oracle",
        ..BASE
    };
    DIRECT: bool = OptionDef {
        name: "direct", relation: OptionRelation::Opposite("buffered"),
        help: "open with O_DIRECT, which bypasses the page cache", ..OptionDef::OFF
    };
    BUFFERED: bool = OptionDef {
        name: "buffered", relation: OptionRelation::Opposite("direct"),
        help: "the opposite of direct", ..OptionDef::ON
    };
    IO_SUBMIT_MODE: &'static str = OptionDef {
        name: "io_submit_mode", kind: Kind::Word(&[("inline", "inline")]), default: "inline",
        refused_words: &[("offload", "each worker submits its own I/O; a pool of submitting threads would \
            add time that is not the device's")],
        help: "who submits I/O", ..BASE
    };
}
