//! Time series written in addition to the result.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::table;

const BASE: OptionDef = OptionDef { kind: Kind::OptionalText, ..OptionDef::BASE };
const OFF: OptionDef = OptionDef::OFF;

table! {
    /// Bandwidth log.
    WRITE_BW_LOG: Option<String> = OptionDef {
        name: "write_bw_log",
        help: "write a bandwidth log, PREFIX_bw.N.log (prefix: the job's name if none is given)", ..BASE
    };
    /// IOPS log.
    WRITE_IOPS_LOG: Option<String> = OptionDef {
        name: "write_iops_log", help: "write an IOPS log, PREFIX_iops.N.log", ..BASE
    };
    /// Latency logs.
    WRITE_LAT_LOG: Option<String> = OptionDef {
        name: "write_lat_log", help: "write latency logs, PREFIX_slat, _clat and _lat.N.log", ..BASE
    };
    /// Window of the logs.
    LOG_AVG_MSEC: u32 = OptionDef {
        name: "log_avg_msec", kind: Kind::COUNT, default: "0",
        help: "milliseconds that each log line covers; 0 is one line for each I/O", ..BASE
    };
    /// What a line gives for its window.
    LOG_WINDOW_VALUE: &'static str = OptionDef {
        name: "log_window_value", aliases: &["log_max_value"], default: "avg",
        kind: Kind::Word(&[("avg", "avg"), ("max", "max"), ("both", "both"), ("0", "avg"), ("1", "max")]),
        help: "what a log line gives for its window: average, maximum, or both", ..BASE
    };
    /// Offsets in the log.
    LOG_OFFSET: bool = OptionDef {
        name: "log_offset", help: "add the offset of the I/O to each log line", ..OFF
    };
    /// Room for the log.
    LOG_ENTRIES: u32 = OptionDef {
        name: "log_entries", kind: Kind::Int { min: 1024, max: 1_048_576 }, default: "1024",
        help: "log entries to reserve memory for at the start",
        status: OptionStatus::NoEffect("logs are written during the run and need no space in memory"), ..BASE
    };
    /// Wall-clock stamps.
    LOG_ALTERNATE_EPOCH: bool = OptionDef {
        name: "log_alternate_epoch", aliases: &["log_unix_epoch"],
        help: "stamp log lines with Unix time in milliseconds, not time since the start", ..OFF
    };
    /// Job number in names.
    PER_JOB_LOGS: bool = OptionDef {
        name: "per_job_logs",
        help: "write a separate log for each job, with the job's number in the file name", ..OptionDef::ON
    };
}
