//! What is measured and how it is shown.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::table;

const BASE: OptionDef = OptionDef::BASE;
const OFF: OptionDef = OptionDef::OFF;
const ON: OptionDef = OptionDef::ON;

/// fio draws min, max and mean of bandwidth and IOPS from such windows.
const WINDOW: &str = "min, max and mean of bandwidth and IOPS come from exact windows of one second, counted by completion time";

table! {
    /// No total latency.
    DISABLE_LAT: bool = OptionDef {
        name: "disable_lat", help: "leave total latency out of the result", ..OFF
    };
    /// No completion latency.
    DISABLE_CLAT: bool = OptionDef {
        name: "disable_clat", help: "leave completion latency out of the result", ..OFF
    };
    /// No submission latency.
    DISABLE_SLAT: bool = OptionDef {
        name: "disable_slat", help: "leave submission latency out of the result", ..OFF
    };
    /// No bandwidth samples.
    DISABLE_BW_MEASUREMENT: bool = OptionDef {
        name: "disable_bw_measurement", aliases: &["disable_bw"],
        help: "leave bandwidth samples out of the result", ..OFF
    };
    /// No latency and no bandwidth samples, for fewer clock reads.
    GTOD_REDUCE: bool = OptionDef {
        name: "gtod_reduce", help: "measure no latency and no bandwidth samples, to save clock reads",
        ..OFF
    };
    /// Clock on its own CPU.
    GTOD_CPU: Option<u32> = OptionDef {
        name: "gtod_cpu", kind: Kind::COUNT, help: "CPU of a thread that only reads the clock",
        status: OptionStatus::NoEffect("reading the time-stamp counter costs less than sharing another CPU's \
            reading"),
        ..BASE
    };
    /// Percentiles of completion latency.
    CLAT_PERCENTILES: bool = OptionDef {
        name: "clat_percentiles", help: "report percentiles of completion latency", ..ON
    };
    /// Percentiles of total latency.
    LAT_PERCENTILES: bool = OptionDef {
        name: "lat_percentiles", help: "report percentiles of total latency", ..OFF
    };
    /// Percentiles of submission latency.
    SLAT_PERCENTILES: bool = OptionDef {
        name: "slat_percentiles", help: "report percentiles of submission latency", ..OFF
    };
    /// Which percentiles.
    PERCENTILE_LIST: Vec<f64> = OptionDef {
        name: "percentile_list", kind: Kind::Numbers,
        default: "1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99",
        help: "percentiles to report, each from 0 to 100, at most 20", ..BASE
    };
    /// One result for all directions.
    UNIFIED_RW_REPORTING: &'static str = OptionDef {
        name: "unified_rw_reporting", default: "none",
        kind: Kind::Word(&[("none", "none"), ("mixed", "mixed"), ("both", "both"), ("0", "none"), ("1", "mixed"), ("2", "both")]),
        help: "report directions apart, summed, or both", ..BASE
    };
    /// Bandwidth window.
    BWAVGTIME: u32 = OptionDef {
        name: "bwavgtime", kind: Kind::COUNT, default: "500", status: OptionStatus::Differently(WINDOW),
        help: "milliseconds of each bandwidth sample", ..BASE
    };
    /// IOPS window.
    IOPSAVGTIME: u32 = OptionDef {
        name: "iopsavgtime", kind: Kind::COUNT, default: "500", status: OptionStatus::Differently(WINDOW),
        help: "milliseconds of each IOPS sample", ..BASE
    };
    /// Digits in text output.
    SIGNIFICANT_FIGURES: u32 = OptionDef {
        name: "significant_figures", kind: Kind::Int { min: 1, max: 10 }, default: "4",
        help: "digits of numbers in text output", ..BASE
    };
    /// Meaning of k, m, g.
    KB_BASE: &'static str = OptionDef {
        name: "kb_base", kind: Kind::Word(&[("1024", "1024"), ("1000", "1000")]), default: "1024",
        help: "bytes of `k` in this section's values: with 1024, `k` is 1024 and `ki` is 1000; with 1000, \
            the other way round",
        ..BASE
    };
    /// Bits or bytes.
    UNIT_BASE: &'static str = OptionDef {
        name: "unit_base", kind: Kind::Word(&[("0", "0"), ("8", "8")]), default: "0",
        refused_words: &[("1", "not in this version: bandwidth is shown in bytes")],
        help: "show bandwidth in bytes (8), bits (1), or as suits the engine (0)", ..BASE
    };
    /// Disk counters.
    DISK_UTIL: bool = OptionDef {
        name: "disk_util", help: "report the kernel's counters of the disks behind the target", ..ON
    };
}
