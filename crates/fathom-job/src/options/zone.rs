//! Zoned devices and data placement: known, not built yet.

use crate::option::{Kind, OptionDef};
use crate::rows;

const ZONED: OptionDef = OptionDef::refused(
    "not in this version: zoned devices and strided access are not built yet; jobs with \
        offset= and size= reach single parts of a device, and random_distribution=zoned weighs them",
);
const PLACED: OptionDef = OptionDef::refused(
    "not in this version: data placement (FDP, streams, lifetime hints) is not built yet; remove \
        it to measure the same I/O without",
);

rows! {
    ZONED.of("zonemode", Kind::Word(&[("none", "none"), ("strided", "strided"), ("zbd", "zbd")]), "none",
        "meaning of the zone options");
    ZONED.of("zonesize", Kind::BYTES, "0", "bytes of a zone");
    ZONED.of("zonecapacity", Kind::BYTES, "0", "usable bytes of a zone");
    ZONED.of("zonerange", Kind::BYTES, "0", "bytes from one zone to the next");
    ZONED.of("zoneskip", Kind::Size { min: 0, percent: false, zones: true }, "0",
        "bytes or zones to skip after each zone");
    ZONED.off("read_beyond_wp", "read past the write pointer");
    ZONED.of("max_open_zones", Kind::COUNT, "0", "largest number of open zones, all jobs together");
    ZONED.of("job_max_open_zones", Kind::COUNT, "0", "largest number of open zones, for each job");
    ZONED.off("ignore_zone_limits", "ignore the device's limit of open zones");
    ZONED.of("zone_reset_threshold", Kind::Float { min: 0.0, max: 1.0 }, "0",
        "share of sectors written above which zones are reset");
    ZONED.of("zone_reset_frequency", Kind::Float { min: 0.0, max: 1.0 }, "0", "how often zones are reset");
    ZONED.off("recover_zbd_write_error", "go on after a failed zone write");
    ZONED.off("write_zone_remainder", "write the rest of a zone that is too small for a block");
    OptionDef {
        name: "write_hint",
        kind: Kind::Word(&[("none", "none"), ("short", "short"), ("medium", "medium"), ("long", "long"), ("extreme", "extreme")]),
        help: "expected lifetime of written data", ..PLACED
    };
    PLACED.off("fdp", "NVMe flexible data placement");
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
    PLACED.row("dp_scheme", "file that maps offsets to placement identifiers");
}
