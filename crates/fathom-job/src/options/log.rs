//! Time series written in addition to the result.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::table;

const BASE: OptionDef = OptionDef { kind: Kind::OptionalText, ..OptionDef::BASE };
const OFF: OptionDef = OptionDef::OFF;

table! {
    WRITE_BW_LOG: Option<String> = BASE.row("write_bw_log",
        "write a bandwidth log, PREFIX_bw.N.log (prefix: the job's name if none is given)");
    WRITE_IOPS_LOG: Option<String> = BASE.row("write_iops_log", "write an IOPS log, PREFIX_iops.N.log");
    WRITE_LAT_LOG: Option<String> = BASE.row("write_lat_log",
        "write latency logs, PREFIX_slat, _clat and _lat.N.log");
    WRITE_HIST_LOG: Option<String> = BASE.row("write_hist_log",
        "write a log of histograms of completion latencies, PREFIX_clat_hist.N.log");
    LOG_HIST_MSEC: u32 = OptionDef {
        name: "log_hist_msec", kind: Kind::COUNT, default: "0",
        help: "milliseconds that each histogram of write_hist_log covers",
        status: OptionStatus::Differently("0 writes one histogram of the whole job, where fio leaves the log empty; \
            the last, shorter window has a line too"), ..BASE
    };
    LOG_HIST_COARSENESS: u32 = BASE.of("log_hist_coarseness", Kind::Int { min: 0, max: 6 }, "0",
        "how many times to halve the number of buckets of write_hist_log: 1,856, 928, and so on to 29");
    LOG_AVG_MSEC: u32 = BASE.of("log_avg_msec", Kind::COUNT, "0",
        "milliseconds that each log line covers; 0 is one line for each I/O");
    LOG_WINDOW_VALUE: &'static str = OptionDef {
        name: "log_window_value", aliases: &["log_max_value"], default: "avg",
        kind: Kind::Word(&[("avg", "avg"), ("max", "max"), ("both", "both"), ("0", "avg"), ("1", "max")]),
        help: "what a log line gives for its window: average, maximum, or both", ..BASE
    };
    LOG_OFFSET: bool = OFF.row("log_offset", "add the offset of the I/O to each log line");
    LOG_ENTRIES: u32 = OptionDef {
        name: "log_entries", kind: Kind::Int { min: 1024, max: 1_048_576 }, default: "1024",
        help: "log entries to reserve memory for at the start",
        status: OptionStatus::NoEffect("logs are written during the run and need no space in memory"), ..BASE
    };
    LOG_ALTERNATE_EPOCH: bool = OptionDef {
        name: "log_alternate_epoch", aliases: &["log_unix_epoch"],
        help: "stamp log lines with Unix time in milliseconds, not time since the start", ..OFF
    };
    PER_JOB_LOGS: bool = OptionDef::ON.row("per_job_logs",
        "write a separate log for each job, with the job's number in the file name");
}
