//! The life of files: how they are made, filled, opened and removed.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::table;

const BASE: OptionDef = OptionDef::BASE;
const OFF: OptionDef = OptionDef::OFF;
const ON: OptionDef = OptionDef::ON;

table! {
    /// How space is reserved before layout.
    FALLOCATE: &'static str = OptionDef {
        name: "fallocate", default: "native",
        kind: Kind::Word(&[("none", "none"), ("native", "native"), ("posix", "posix"), ("keep", "keep"), ("truncate", "truncate"), ("0", "none"), ("1", "posix")]),
        help: "how space is reserved when a file is laid out", ..BASE
    };
    /// Advice to the page cache.
    FADVISE_HINT: &'static str = OptionDef {
        name: "fadvise_hint", default: "1",
        kind: Kind::Word(&[("0", "0"), ("1", "1"), ("random", "random"), ("sequential", "sequential"), ("noreuse", "noreuse")]),
        help: "posix_fadvise for the file: none (0), by the access pattern (1), or as named", ..BASE
    };
    /// Lay files out before writing to them.
    OVERWRITE: bool = OptionDef {
        name: "overwrite",
        help: "write jobs: lay the file out in full first, so that writes replace existing data", ..OFF
    };
    /// Remove files at the end.
    UNLINK: bool = OptionDef {
        name: "unlink", help: "when the job has ended, remove the files that it created", ..OFF
    };
    /// Lay files out one after another.
    CREATE_SERIALIZE: bool = OptionDef {
        name: "create_serialize", help: "lay files out one after another",
        status: OptionStatus::NoEffect("layout is always one file after another"), ..ON
    };
    /// fsync after layout.
    CREATE_FSYNC: bool = OptionDef { name: "create_fsync", help: "fsync a file after laying it out", ..ON };
    /// Lay files out and do no I/O.
    CREATE_ONLY: bool = OptionDef {
        name: "create_only", help: "lay the files out, then end without I/O", ..OFF
    };
    /// Read files into memory before the run.
    PRE_READ: bool = OptionDef {
        name: "pre_read", help: "read the files into the page cache before the run; implies invalidate=0",
        ..OFF
    };
    /// Drop the page cache of the target.
    INVALIDATE: bool = OptionDef {
        name: "invalidate",
        help: "drop the target's pages from the page cache before the run and before each loop", ..ON
    };
}
