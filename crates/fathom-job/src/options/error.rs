//! What an I/O error does to the job.

use crate::option::{Kind, OptionDef};
use crate::table;
use crate::value::IgnoredErrors;

const BASE: OptionDef = OptionDef::BASE;

table! {
    CONTINUE_ON_ERROR: &'static str = OptionDef {
        name: "continue_on_error", default: "none",
        kind: Kind::Word(&[("none", "none"), ("read", "read"), ("write", "write"), ("io", "io"), ("verify", "verify"), ("all", "all"), ("0", "none"), ("1", "all")]),
        help: "in these I/Os, count EIO, EILSEQ and similar errors and go on", ..BASE
    };
    IGNORE_ERROR: Option<IgnoredErrors> = BASE.of("ignore_error", Kind::Errors, "",
        "errors, by name or number, that do not count: `read:…,write:…,verify:…` lists, as in \
            `EAGAIN,ENOSPC:122`");
}
