//! Options of many topics that fathom does not support yet. Each says what is missing, and what to
//! use instead where there is something.

use crate::option::{Kind, OptionDef};
use crate::rows;

const LAYOUT: OptionDef =
    OptionDef::refused("not in this version: this way of laying files out is not built yet");
const LOGS: OptionDef = OptionDef::refused(
    "not in this version: this kind of log is not built yet; every result keeps histograms for each second",
);
const PACKED: OptionDef = OptionDef::refused("logs are written uncompressed; compress them after the run");
const CONTENT: OptionDef =
    OptionDef::refused("not in this version: duplicates repeat the last unique data of the same worker");
const SPRANDOM: OptionDef = OptionDef::refused(
    "not in this version: write the device twice, sequentially and at random, to precondition it",
);

const STEADY: OptionDef = OptionDef::refused(
    "not in this version: ending at steady state is not built yet; use runtime with ramp_time",
);

rows! {
    OptionDef {
        name: "steadystate", aliases: &["ss"], help: "end at steady state: criterion and limit",
        ..STEADY
    };
    OptionDef {
        name: "steadystate_duration", aliases: &["ss_dur"], kind: Kind::SECONDS, default: "0",
        help: "time over which the results must be steady", ..STEADY
    };
    OptionDef {
        name: "steadystate_ramp_time", aliases: &["ss_ramp"], kind: Kind::SECONDS, default: "0",
        help: "time before steady state is judged", ..STEADY
    };
    OptionDef {
        name: "steadystate_check_interval", aliases: &["ss_interval"], kind: Kind::SECONDS, default: "1",
        help: "time between two samples for steady state", ..STEADY
    };
    OptionDef {
        name: "thinkcycles", kind: Kind::COUNT, default: "0", help: "pause counted in CPU cycles",
        ..OptionDef::refused("the time of a cycle is not fixed on a CPU whose frequency \
            changes; use thinktime with thinktime_spin")
    };
    OptionDef { name: "opendir", help: "use all files below this directory", ..LAYOUT };
    OptionDef {
        name: "file_append", kind: Kind::Bool, default: "0", help: "start at the end of the file", ..LAYOUT
    };
    OptionDef {
        name: "fill_device", aliases: &["fill_fs"], kind: Kind::Bool, default: "0",
        help: "write until no space is left", ..LAYOUT
    };
    OptionDef {
        name: "unlink_each_loop", kind: Kind::Bool, default: "0", help: "remove the files after each loop",
        ..LAYOUT
    };
    OptionDef {
        name: "create_on_open", kind: Kind::Bool, default: "0",
        help: "create files when they are first used", ..LAYOUT
    };
    OptionDef {
        name: "filetype",
        kind: Kind::Word(&[("auto", "auto"), ("file", "file"), ("block", "block"), ("char", "char")]),
        default: "auto", help: "kind of target to assume", ..LAYOUT
    };
    OptionDef {
        name: "lockfile",
        kind: Kind::Word(&[("none", "none"), ("exclusive", "exclusive"), ("readwrite", "readwrite")]),
        default: "none", help: "lock files during I/O", ..LAYOUT
    };
    OptionDef {
        name: "bs_is_seq_rand", kind: Kind::Bool, default: "0",
        help: "bs gives one size for sequential and one for random I/Os",
        ..OptionDef::refused("not in this version: give the sizes by direction, or use two \
            jobs")
    };
    OptionDef {
        name: "random_sequence_stride", kind: Kind::COUNT, default: "0",
        help: "stride of random_distribution=sequence",
        ..OptionDef::refused("not in this version: skewed distributions of offsets are not \
            built yet")
    };
    OptionDef {
        name: "serialize_overlap", kind: Kind::Bool, default: "0",
        help: "hold back an I/O that overlaps one in flight",
        ..OptionDef::refused("not in this version: in-flight I/Os are not compared; without \
            norandommap random I/Os do not overlap")
    };
    OptionDef {
        name: "ramp_size", kind: Kind::BYTES, default: "0",
        help: "bytes to move as warm-up before the measurement",
        ..OptionDef::refused("not in this version: use ramp_time")
    };
    OptionDef {
        name: "end_syncfs", kind: Kind::Bool, default: "0", help: "syncfs when all writes are done",
        ..OptionDef::refused("not in this version: use end_fsync")
    };
    OptionDef {
        name: "atomic", kind: Kind::Bool, default: "0", help: "RWF_ATOMIC writes",
        ..OptionDef::refused("not in this version: atomic writes are not built yet")
    };
    OptionDef {
        name: "write_barrier", kind: Kind::COUNT, default: "0", help: "a barrier every N writes",
        ..OptionDef::refused("no Linux kernel since 2.6.37 has write barriers; use fsync \
            or fdatasync")
    };
    OptionDef {
        name: "dedupe_global", kind: Kind::Bool, default: "0", help: "share duplicates between jobs",
        ..CONTENT
    };
    OptionDef {
        name: "dedupe_working_set_percentage", kind: Kind::PERCENT, default: "5",
        help: "percent of the target that duplicates are drawn from", ..CONTENT
    };
    OptionDef {
        name: "priohint", kind: Kind::Int { min: 0, max: 1023 }, default: "0", help: "I/O priority hint",
        ..OptionDef::refused("not in this version: use prio and prioclass")
    };
    OptionDef {
        name: "stats", kind: Kind::Bool, default: "1", help: "count this job in the result",
        ..OptionDef::refused("not in this version: every job is measured and reported")
    };
    OptionDef {
        name: "job_start_clock_id", kind: Kind::COUNT, default: "0",
        help: "clock of the start time in the result",
        ..OptionDef::refused("not in this version: start times are Unix time")
    };
    OptionDef {
        name: "block_error_percentiles", kind: Kind::Bool, default: "0",
        help: "errors by block, for trim endurance",
        ..OptionDef::refused("not in this version: errors are kept with their offset, \
            not by block")
    };
    OptionDef {
        name: "error_dump", kind: Kind::Bool, default: "0", help: "print each error",
        ..OptionDef::refused("not in this version: errors are counted, and the first is \
            reported")
    };
    OptionDef {
        name: "log_prio", kind: Kind::Bool, default: "0", help: "add the priority to each log line", ..LOGS
    };
    OptionDef {
        name: "log_issue_time", kind: Kind::Bool, default: "0",
        help: "add the time of issue to each log line", ..LOGS
    };
    OptionDef {
        name: "log_alternate_epoch_clock_id", kind: Kind::COUNT, default: "0",
        help: "clock of the stamps of log_alternate_epoch", ..LOGS
    };
    OptionDef {
        name: "write_hist_log", kind: Kind::OptionalText, help: "write a log of histograms", ..LOGS
    };
    OptionDef {
        name: "log_hist_msec", kind: Kind::COUNT, default: "0",
        help: "milliseconds that each histogram covers", ..LOGS
    };
    OptionDef {
        name: "log_hist_coarseness", kind: Kind::Int { min: 0, max: 6 }, default: "0",
        help: "how many times to halve the number of buckets", ..LOGS
    };
    OptionDef {
        name: "log_compression", kind: Kind::BYTES, default: "0",
        help: "compress the log in chunks of this many bytes", ..PACKED
    };
    OptionDef { name: "log_compression_cpus", kind: Kind::Cpus, help: "CPUs that compress", ..PACKED };
    OptionDef {
        name: "log_store_compressed", kind: Kind::Bool, default: "0", help: "store the log compressed",
        ..PACKED
    };
    OptionDef {
        name: "num_range", kind: Kind::Int { min: 1, max: 256 }, default: "1", help: "ranges in each trim",
        ..OptionDef::refused("not in this version: each trim is one range")
    };
    OptionDef {
        name: "sprandom", kind: Kind::Bool, default: "0",
        help: "precondition the device at random in one pass", ..SPRANDOM
    };
    OptionDef {
        name: "spr_num_regions", kind: Kind::COUNT, default: "100", help: "regions of the pass of sprandom",
        ..SPRANDOM
    };
    OptionDef {
        name: "spr_op", kind: Kind::Float { min: 0.0, max: 1.0 }, default: "0.15",
        help: "over-provisioning that sprandom assumes", ..SPRANDOM
    };
    OptionDef {
        name: "spr_cs", kind: Kind::BYTES, default: "0",
        help: "bytes of cache that sprandom assumes", ..SPRANDOM
    };
}
