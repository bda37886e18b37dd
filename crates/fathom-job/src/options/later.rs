//! Options of many topics that fathom does not support yet. Each says what is missing, and what to
//! use instead where there is something.

use crate::option::{Kind, OptionDef};
use crate::rows;

const LOOKED_UP: OptionDef = OptionDef::refused(
    "not in this version: the kind of a target is looked up and files are not locked; remove it",
);
const LOGS: OptionDef = OptionDef::refused(
    "not in this version: this column of a log is not built yet; remove it, the other columns are as in fio",
);
const PACKED: OptionDef = OptionDef::refused("logs are written uncompressed; compress them after the run");
const CONTENT: OptionDef =
    OptionDef::refused("not in this version: duplicates repeat the last unique data of the same worker");
const SPRANDOM: OptionDef = OptionDef::refused(
    "not in this version: write the device twice, sequentially and at random, to precondition it",
);

rows! {
    OptionDef::refused("the time of a cycle is not fixed on a CPU whose frequency \
            changes; use thinktime with thinktime_spin")
        .of("thinkcycles", Kind::COUNT, "0", "pause counted in CPU cycles");
    OptionDef::refused("not in this version: the files of a directory are not listed; name them, \
            filename=DIR/a:DIR/b, or have new ones made: directory=DIR with nrfiles=")
        .row("opendir", "use all files below this directory");
    OptionDef::refused("not in this version; offset= the length of the file starts at its end")
        .off("file_append", "start at the end of the file");
    OptionDef::refused("not in this version; unlink=1 removes the files when the job has ended")
        .off("unlink_each_loop", "remove the files after each loop");
    OptionDef::refused("not in this version: files are made before the job starts, so that making them is not \
            measured; remove it")
        .off("create_on_open", "create files when they are first used");
    OptionDef {
        name: "filetype",
        kind: Kind::Word(&[("auto", "auto"), ("file", "file"), ("block", "block"), ("char", "char")]),
        default: "auto", help: "kind of target to assume", ..LOOKED_UP
    };
    OptionDef {
        name: "lockfile",
        kind: Kind::Word(&[("none", "none"), ("exclusive", "exclusive"), ("readwrite", "readwrite")]),
        default: "none", help: "lock files during I/O", ..LOOKED_UP
    };
    OptionDef::refused("not in this version: give the sizes by direction, or use two \
            jobs")
        .off("bs_is_seq_rand", "bs gives one size for sequential and one for random I/Os");
    OptionDef::refused("not in this version: offsets from a given sequence are not built yet, and randseed= repeats random offsets from run to run")
        .of("random_sequence_stride", Kind::COUNT, "0", "stride of random_distribution=sequence");
    OptionDef::refused("not in this version: in-flight I/Os are not compared; without \
            norandommap random I/Os do not overlap")
        .off("serialize_overlap", "hold back an I/O that overlaps one in flight");
    OptionDef::refused("not in this version: use ramp_time")
        .of("ramp_size", Kind::BYTES, "0", "bytes to move as warm-up before the measurement");
    OptionDef::refused("not in this version: use end_fsync")
        .off("end_syncfs", "syncfs when all writes are done");
    OptionDef::refused("not in this version: atomic writes are not built yet; remove it to measure plain writes of the same size")
        .off("atomic", "RWF_ATOMIC writes");
    OptionDef::refused("no Linux kernel since 2.6.37 has write barriers; use fsync \
            or fdatasync")
        .of("write_barrier", Kind::COUNT, "0", "a barrier every N writes");
    CONTENT.off("dedupe_global", "share duplicates between jobs");
    CONTENT.of("dedupe_working_set_percentage", Kind::PERCENT, "5",
        "percent of the target that duplicates are drawn from");
    OptionDef::refused("not in this version: use prio and prioclass")
        .of("priohint", Kind::Int { min: 0, max: 1023 }, "0", "I/O priority hint");
    OptionDef::refused("not in this version: every job is measured and reported")
        .of("stats", Kind::Bool, "1", "count this job in the result");
    OptionDef::refused("not in this version: start times are Unix time")
        .of("job_start_clock_id", Kind::COUNT, "0", "clock of the start time in the result");
    OptionDef::refused("not in this version: errors are kept with their offset, \
            not by block")
        .off("block_error_percentiles", "errors by block, for trim endurance");
    OptionDef::refused("not in this version: errors are counted, and the first is \
            reported")
        .off("error_dump", "print each error");
    LOGS.off("log_prio", "add the priority to each log line");
    LOGS.off("log_issue_time", "add the time of issue to each log line");
    LOGS.of("log_alternate_epoch_clock_id", Kind::COUNT, "0", "clock of the stamps of log_alternate_epoch");
    PACKED.of("log_compression", Kind::BYTES, "0", "compress the log in chunks of this many bytes");
    PACKED.of("log_compression_cpus", Kind::Cpus, "", "CPUs that compress");
    PACKED.off("log_store_compressed", "store the log compressed");
    OptionDef::refused("not in this version: each trim is one range")
        .of("num_range", Kind::Int { min: 1, max: 256 }, "1", "ranges in each trim");
    SPRANDOM.off("sprandom", "precondition the device at random in one pass");
    SPRANDOM.of("spr_num_regions", Kind::COUNT, "100", "regions of the pass of sprandom");
    SPRANDOM.of("spr_op", Kind::Float { min: 0.0, max: 1.0 }, "0.15",
        "over-provisioning that sprandom assumes");
    SPRANDOM.of("spr_cs", Kind::BYTES, "0", "bytes of cache that sprandom assumes");
}
