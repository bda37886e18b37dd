//! What is measured and how it is shown.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::table;

const BASE: OptionDef = OptionDef::BASE;
const OFF: OptionDef = OptionDef::OFF;
const ON: OptionDef = OptionDef::ON;

/// fio draws min, max and mean of bandwidth and IOPS from such windows.
const WINDOW: &str = "min, max and mean of bandwidth and IOPS come from exact windows of one second, counted by completion time";

table! {
    DISABLE_LAT: bool = OFF.row("disable_lat", "leave total latency out of the result");
    DISABLE_CLAT: bool = OFF.row("disable_clat", "leave completion latency out of the result");
    DISABLE_SLAT: bool = OFF.row("disable_slat", "leave submission latency out of the result");
    DISABLE_BW_MEASUREMENT: bool = OptionDef {
        name: "disable_bw_measurement", aliases: &["disable_bw"],
        help: "leave bandwidth samples out of the result", ..OFF
    };
    GTOD_REDUCE: bool = OFF.row("gtod_reduce",
        "measure no latency and no bandwidth samples, to save clock reads");
    GTOD_CPU: Option<u32> = OptionDef {
        name: "gtod_cpu", kind: Kind::COUNT, help: "CPU of a thread that only reads the clock",
        status: OptionStatus::NoEffect("reading the time-stamp counter costs less than sharing another CPU's \
            reading"),
        ..BASE
    };
    CLAT_PERCENTILES: bool = ON.row("clat_percentiles", "report percentiles of completion latency");
    LAT_PERCENTILES: bool = OFF.row("lat_percentiles", "report percentiles of total latency");
    SLAT_PERCENTILES: bool = OFF.row("slat_percentiles", "report percentiles of submission latency");
    PERCENTILE_LIST: Vec<f64> = OptionDef {
        name: "percentile_list", kind: Kind::Numbers,
        default: "1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99",
        help: "percentiles to report, each from 0 to 100, at most 20", ..BASE
    };
    UNIFIED_RW_REPORTING: &'static str = OptionDef {
        name: "unified_rw_reporting", default: "none",
        kind: Kind::Word(&[("none", "none"), ("mixed", "mixed"), ("both", "both"), ("0", "none"), ("1", "mixed"), ("2", "both")]),
        help: "report directions apart, summed, or both", ..BASE
    };
    BWAVGTIME: u32 = OptionDef {
        name: "bwavgtime", kind: Kind::COUNT, default: "500", status: OptionStatus::Differently(WINDOW),
        help: "milliseconds of each bandwidth sample", ..BASE
    };
    IOPSAVGTIME: u32 = OptionDef {
        name: "iopsavgtime", kind: Kind::COUNT, default: "500", status: OptionStatus::Differently(WINDOW),
        help: "milliseconds of each IOPS sample", ..BASE
    };
    SIGNIFICANT_FIGURES: u32 = BASE.of("significant_figures", Kind::Int { min: 1, max: 10 }, "4",
        "digits of numbers in text output");
    KB_BASE: &'static str = BASE.of("kb_base", Kind::Word(&[("1024", "1024"), ("1000", "1000")]), "1024",
        "bytes of `k` in this section's values: with 1024, `k` is 1024 and `ki` is 1000; with 1000, \
            the other way round");
    UNIT_BASE: &'static str = OptionDef {
        name: "unit_base", kind: Kind::Word(&[("0", "0"), ("8", "8")]), default: "0",
        refused_words: &[("1", "not in this version: bandwidth is shown in bytes")],
        help: "show bandwidth in bytes (8), bits (1), or as suits the engine (0)", ..BASE
    };
    DISK_UTIL: bool = ON.row("disk_util", "report the kernel's counters of the disks behind the target");
}
