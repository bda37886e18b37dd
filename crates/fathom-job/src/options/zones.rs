//! Zones: parts of a region one after the other (`strided`), and those of zoned devices (`zbd`).

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::table;
use crate::units::Bytes;
use crate::value::Size;

const BASE: OptionDef = OptionDef::BASE;
const OFF: OptionDef = OptionDef::OFF;
const SHARE: Kind = Kind::Float { min: 0.0, max: 1.0 };
const ZONES: Kind = Kind::Int { min: 0, max: 4096 };

table! {
    ZONEMODE: &'static str = OptionDef {
        name: "zonemode", kind: Kind::Word(&[("none", "none"), ("strided", "strided"), ("zbd", "zbd")]), default: "none",
        status: OptionStatus::Differently("zones of strided stay within offset= and size=, each file counts the bytes of its own \
            visits, and random I/O fills a zonerange again where zonesize is larger; zbd goes on in the next zone where a \
            block does not fit, and fails where nothing can be read"),
        help: "strided: move zonesize bytes within the first zonerange bytes of a zone, then go to the next zone; zbd: write at \
            the write pointers of zones, and read what was written",
        ..BASE
    };
    ZONESIZE: Bytes = BASE.of("zonesize", Kind::BYTES, "0",
        "strided: bytes that each visit to a zone moves; zbd: bytes of a zone, for a target that has none of its own");
    ZONERANGE: Bytes = BASE.of("zonerange", Kind::BYTES, "0",
        "bytes of a zone in which its I/O is; 0 is zonesize");
    ZONECAPACITY: Bytes = BASE.of("zonecapacity", Kind::BYTES, "0",
        "zbd: bytes of a zone that can be written, for a target that has none of its own; 0 is zonesize");
    ZONESKIP: Size = BASE.of("zoneskip", Kind::Size { min: 0, percent: false, zones: true }, "0",
        "bytes from the end of a zone to the next one of a sequential job, or times zonesize (`2z`)");
    READ_BEYOND_WP: bool = OFF.row("read_beyond_wp", "zbd: read whole zones, and not only what was written");
    MAX_OPEN_ZONES: u32 = BASE.of("max_open_zones", ZONES, "0",
        "zbd: most zones that are partly written, all jobs together; 0 is the limit of the device");
    JOB_MAX_OPEN_ZONES: u32 = BASE.of("job_max_open_zones", ZONES, "0",
        "zbd: most zones that each job has partly written; 0 means no limit");
    IGNORE_ZONE_LIMITS: bool = OFF.row("ignore_zone_limits",
        "zbd: keep no limit of the device; the device may then refuse writes");
    ZONE_RESET_THRESHOLD: f64 = BASE.of("zone_reset_threshold", SHARE, "0",
        "zbd: share of the region that holds data, from which on zone_reset_frequency applies");
    ZONE_RESET_FREQUENCY: f64 = BASE.of("zone_reset_frequency", SHARE, "0",
        "zbd: zone resets for each write; 0.01 is one in a hundred writes");
    RECOVER_ZBD_WRITE_ERROR: bool = OFF.row("recover_zbd_write_error",
        "zbd: with continue_on_error, go on in a zone after a failed write at the write pointer that the device reports");
    WRITE_ZONE_REMAINDER: bool = OFF.row("write_zone_remainder",
        "zbd: write the end of a zone that is too short for a block with a shorter one");
}
