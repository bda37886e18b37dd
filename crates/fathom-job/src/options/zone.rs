//! Zoned devices and data placement: known, not built yet.

use crate::option::{Kind, OptionDef};
use crate::rows;

const ZONED: OptionDef =
    OptionDef::refused("not in this version: zoned devices and strided access are not built yet");
const PLACED: OptionDef =
    OptionDef::refused("not in this version: data placement (FDP, streams, lifetime hints) is not built yet");

rows! {
    OptionDef {
        name: "zonemode", kind: Kind::Word(&[("none", "none"), ("strided", "strided"), ("zbd", "zbd")]),
        default: "none", help: "meaning of the zone options", ..ZONED
    };
    OptionDef { name: "zonesize", kind: Kind::BYTES, default: "0", help: "bytes of a zone", ..ZONED };
    OptionDef {
        name: "zonecapacity", kind: Kind::BYTES, default: "0", help: "usable bytes of a zone", ..ZONED
    };
    OptionDef {
        name: "zonerange", kind: Kind::BYTES, default: "0", help: "bytes from one zone to the next",
        ..ZONED
    };
    OptionDef {
        name: "zoneskip", kind: Kind::Size { min: 0, percent: false, zones: true }, default: "0",
        help: "bytes or zones to skip after each zone", ..ZONED
    };
    OptionDef {
        name: "read_beyond_wp", kind: Kind::Bool, default: "0", help: "read past the write pointer",
        ..ZONED
    };
    OptionDef {
        name: "max_open_zones", kind: Kind::COUNT, default: "0",
        help: "largest number of open zones, all jobs together",
        ..ZONED
    };
    OptionDef {
        name: "job_max_open_zones", kind: Kind::COUNT, default: "0",
        help: "largest number of open zones, for each job",
        ..ZONED
    };
    OptionDef {
        name: "ignore_zone_limits", kind: Kind::Bool, default: "0",
        help: "ignore the device's limit of open zones", ..ZONED
    };
    OptionDef {
        name: "zone_reset_threshold", kind: Kind::Float { min: 0.0, max: 1.0 }, default: "0",
        help: "share of sectors written above which zones are reset", ..ZONED
    };
    OptionDef {
        name: "zone_reset_frequency", kind: Kind::Float { min: 0.0, max: 1.0 }, default: "0",
        help: "how often zones are reset", ..ZONED
    };
    OptionDef {
        name: "recover_zbd_write_error", kind: Kind::Bool, default: "0",
        help: "go on after a failed zone write", ..ZONED
    };
    OptionDef {
        name: "write_zone_remainder", kind: Kind::Bool, default: "0",
        help: "write the rest of a zone that is too small for a block", ..ZONED
    };
    OptionDef {
        name: "write_hint",
        kind: Kind::Word(&[("none", "none"), ("short", "short"), ("medium", "medium"), ("long", "long"), ("extreme", "extreme")]),
        help: "expected lifetime of written data", ..PLACED
    };
    OptionDef {
        name: "fdp", kind: Kind::Bool, default: "0", help: "NVMe flexible data placement", ..PLACED
    };
    OptionDef {
        name: "dataplacement", aliases: &["data_placement"],
        kind: Kind::Word(&[("none", "none"), ("fdp", "fdp"), ("streams", "streams")]), default: "none",
        help: "kind of data placement", ..PLACED
    };
    OptionDef {
        name: "plid_select", aliases: &["fdp_pli_select"],
        kind: Kind::Word(&[("roundrobin", "roundrobin"), ("random", "random"), ("scheme", "scheme")]),
        default: "roundrobin", help: "how placement identifiers are chosen", ..PLACED
    };
    OptionDef { name: "plids", aliases: &["fdp_pli"], help: "placement identifiers to use", ..PLACED };
    OptionDef { name: "dp_scheme", help: "file that maps offsets to placement identifiers", ..PLACED };
}
