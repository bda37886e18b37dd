//! What is measured, how it is shown and logged, and what an I/O error does to the job.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::table;
use crate::units::Bytes;
use crate::value::IgnoredErrors;

const BASE: OptionDef = OptionDef::BASE;
const OFF: OptionDef = OptionDef::OFF;
const ON: OptionDef = OptionDef::ON;

/// fio draws min, max and mean of bandwidth and IOPS from such windows.
const WINDOW: &str = "min, max and mean of bandwidth and IOPS come from exact windows of one second, counted by completion time";
const LOG_BASE: OptionDef = OptionDef { kind: Kind::OptionalText, ..OptionDef::BASE };

table! {
    STATS: bool = OptionDef {
        name: "stats", help: "report this job; with 0 it runs, and is in no figure of the result",
        status: OptionStatus::Differently("a line says which jobs ran and are not reported; fio 3.33 ends its output with an empty job for each"),
        ..OptionDef::ON
    };
    // What is measured and how it is shown.
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
        name: "unit_base", kind: Kind::Word(&[("0", "0"), ("8", "8"), ("1", "1")]), default: "0",
        status: OptionStatus::NoEffect("text shows bandwidth in bytes; it changes no number of JSON, terse output or logs in fio \
            either"),
        help: "show bandwidth in bytes (8), bits (1), or as suits the engine (0)", ..BASE
    };
    DISK_UTIL: bool = ON.row("disk_util", "report the kernel's counters of the disks behind the target");
    // Time series written in addition to the result.
    WRITE_BW_LOG: Option<String> = LOG_BASE.row("write_bw_log",
        "write a bandwidth log, PREFIX_bw.N.log (prefix: the job's name if none is given)");
    WRITE_IOPS_LOG: Option<String> = LOG_BASE.row("write_iops_log", "write an IOPS log, PREFIX_iops.N.log");
    WRITE_LAT_LOG: Option<String> = LOG_BASE.row("write_lat_log",
        "write latency logs, PREFIX_slat, _clat and _lat.N.log");
    WRITE_HIST_LOG: Option<String> = LOG_BASE.row("write_hist_log",
        "write a log of histograms of completion latencies, PREFIX_clat_hist.N.log");
    LOG_HIST_MSEC: u32 = OptionDef {
        name: "log_hist_msec", kind: Kind::COUNT, default: "0",
        help: "milliseconds that each histogram of write_hist_log covers",
        status: OptionStatus::Differently("0 writes one histogram of the whole job, where fio leaves the log empty; \
            the last, shorter window has a line too"), ..LOG_BASE
    };
    LOG_HIST_COARSENESS: u32 = LOG_BASE.of("log_hist_coarseness", Kind::Int { min: 0, max: 6 }, "0",
        "how many times to halve the number of buckets of write_hist_log: 1,856, 928, and so on to 29");
    LOG_AVG_MSEC: u32 = LOG_BASE.of("log_avg_msec", Kind::COUNT, "0",
        "milliseconds that each log line covers; 0 is one line for each I/O");
    LOG_WINDOW_VALUE: &'static str = OptionDef {
        name: "log_window_value", aliases: &["log_max_value"], default: "avg",
        kind: Kind::Word(&[("avg", "avg"), ("max", "max"), ("both", "both"), ("0", "avg"), ("1", "max")]),
        help: "what a log line gives for its window: average, maximum, or both", ..LOG_BASE
    };
    LOG_OFFSET: bool = OFF.row("log_offset", "add the offset of the I/O to each log line");
    LOG_PRIO: bool = OFF.row("log_prio",
        "give the priority of the I/O as ioprio_set(2) encodes it, 0x2003, not only 1 for real-time and 0 for others");
    LOG_ISSUE_TIME: bool = OFF.row("log_issue_time",
        "add the time when the I/O was issued to each log line, in nanoseconds since the start");
    LOG_ENTRIES: u32 = OptionDef {
        name: "log_entries", kind: Kind::Int { min: 1024, max: 1_048_576 }, default: "1024",
        help: "log entries to reserve memory for at the start",
        status: OptionStatus::NoEffect("logs are written during the run and need no space in memory"), ..LOG_BASE
    };
    LOG_ALTERNATE_EPOCH: bool = OptionDef {
        name: "log_alternate_epoch", aliases: &["log_unix_epoch"],
        help: "stamp log lines with Unix time in milliseconds, not time since the start", ..OFF
    };
    LOG_ALTERNATE_EPOCH_CLOCK_ID: u32 = OptionDef {
        name: "log_alternate_epoch_clock_id", kind: Kind::COUNT, default: "0",
        help: "clock of log_alternate_epoch, as clock_gettime(2) numbers it: 0 is Unix time, 1 monotonic, 7 since boot",
        ..LOG_BASE
    };
    LOG_STORE_COMPRESSED: bool = OFF.row("log_store_compressed",
        "store logs as fio's compressed samples, PREFIX_bw.N.log.fz; `fathom fio --inflate-log=FILE` prints the lines");
    LOG_COMPRESSION: Bytes = OptionDef {
        name: "log_compression", kind: Kind::BYTES, default: "0",
        help: "compress logs that are stored compressed in pieces of this many bytes",
        status: OptionStatus::Differently("logs are written during the run, so it saves no memory: without \
            log_store_compressed it has no effect"), ..LOG_BASE
    };
    LOG_COMPRESSION_CPUS: Option<Vec<usize>> = OptionDef {
        name: "log_compression_cpus", kind: Kind::Cpus,
        help: "CPUs of the thread that writes and compresses logs", ..LOG_BASE
    };
    PER_JOB_LOGS: bool = OptionDef::ON.row("per_job_logs",
        "write a separate log for each job, with the job's number in the file name");
    // What an I/O error does to the job.
    CONTINUE_ON_ERROR: &'static str = OptionDef {
        name: "continue_on_error", default: "none",
        kind: Kind::Word(&[("none", "none"), ("read", "read"), ("write", "write"), ("io", "io"), ("verify", "verify"), ("all", "all"), ("0", "none"), ("1", "all")]),
        help: "in these I/Os, count EIO, EILSEQ and similar errors and go on", ..BASE
    };
    ERROR_DUMP: bool = OptionDef {
        status: OptionStatus::NoEffect("errors are counted by direction, and the first of a job is reported with its offset"),
        ..OFF
    }.row("error_dump", "print each error");
    IGNORE_ERROR: Option<IgnoredErrors> = BASE.of("ignore_error", Kind::Errors, "",
        "errors, by name or number, that do not count: `read:…,write:…,verify:…` lists, as in \
            `EAGAIN,ENOSPC:122`");
}
