//! The life of files: how they are made, filled, opened and removed.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::table;

const BASE: OptionDef = OptionDef::BASE;
const OFF: OptionDef = OptionDef::OFF;
const ON: OptionDef = OptionDef::ON;

table! {
    FALLOCATE: &'static str = OptionDef {
        name: "fallocate", default: "native",
        kind: Kind::Word(&[("none", "none"), ("native", "native"), ("posix", "posix"), ("keep", "keep"), ("truncate", "truncate"), ("0", "none"), ("1", "posix")]),
        help: "how space is reserved when a file is laid out", ..BASE
    };
    FADVISE_HINT: &'static str = OptionDef {
        name: "fadvise_hint", default: "1",
        kind: Kind::Word(&[("0", "0"), ("1", "1"), ("random", "random"), ("sequential", "sequential"), ("noreuse", "noreuse")]),
        help: "posix_fadvise for the file: none (0), by the access pattern (1), or as named", ..BASE
    };
    OVERWRITE: bool = OFF.row("overwrite",
        "write jobs: lay the file out in full first, so that writes replace existing data");
    FILL_DEVICE: bool = OptionDef {
        name: "fill_device", aliases: &["fill_fs"],
        help: "write until no space is left (ENOSPC, EDQUOT), which is then no error; without size= the files grow until then",
        status: OptionStatus::Differently("only jobs that write can fill files, and neither the root file system nor the \
            one that holds the results is filled"),
        ..OFF
    };
    UNLINK: bool = OFF.row("unlink", "when the job has ended, remove the files that it created");
    CREATE_SERIALIZE: bool = OptionDef {
        name: "create_serialize", help: "lay files out one after another",
        status: OptionStatus::NoEffect("layout is always one file after another"), ..ON
    };
    CREATE_FSYNC: bool = OptionDef { name: "create_fsync", help: "fsync a file after laying it out", ..ON };
    CREATE_ONLY: bool = OFF.row("create_only", "lay the files out, then end without I/O");
    PRE_READ: bool = OFF.row("pre_read",
        "read the files into the page cache before the run; implies invalidate=0");
    INVALIDATE: bool = ON.row("invalidate",
        "drop the target's pages from the page cache before each pass over it");
}
