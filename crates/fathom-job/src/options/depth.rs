//! How many I/Os are in flight, and in what batches.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::table;

/// No engine keeps more than this in flight: io_uring's completion ring ends
/// at 65,536 entries (IORING_MAX_CQ_ENTRIES).
const DEPTH_MAX: i64 = 65_536;
const BATCH: &str = "if not given, one call submits all I/Os that are ready and one call takes all \
    completions; fio's default is one I/O at a time";
const BASE: OptionDef = OptionDef { kind: Kind::Int { min: 0, max: DEPTH_MAX }, ..OptionDef::BASE };

table! {
    IODEPTH: u32 = BASE.of("iodepth", Kind::Int { min: 1, max: DEPTH_MAX }, "1",
        "I/Os that each worker keeps in flight; synchronous engines keep only 1");
    IODEPTH_BATCH: Option<u32> = OptionDef {
        name: "iodepth_batch", aliases: &["iodepth_batch_submit"], status: OptionStatus::Differently(BATCH),
        help: "I/Os per submit call; 0 is iodepth", ..BASE
    };
    IODEPTH_BATCH_COMPLETE_MIN: Option<u32> = OptionDef {
        name: "iodepth_batch_complete_min", aliases: &["iodepth_batch_complete"],
        status: OptionStatus::Differently(BATCH),
        help: "completions to wait for before the job goes on; 0 takes those that are ready, without \
            waiting", ..BASE
    };
    IODEPTH_BATCH_COMPLETE_MAX: Option<u32> = OptionDef {
        name: "iodepth_batch_complete_max", status: OptionStatus::Differently(BATCH),
        help: "largest number of completions taken at a time", ..BASE
    };
    IODEPTH_LOW: Option<u32> = BASE.row("iodepth_low",
        "once iodepth I/Os are in flight, issue no more until only this many are; iodepth if not given");
    COMPAT: &'static str = OptionDef {
        name: "compat", kind: Kind::Word(&[("none", "none"), ("fio", "fio")]), default: "none",
        source: "fathom",
        help: "fio: submit and reap exactly as fio does, with one system call per I/O unless the job sets \
            a batch, and draw by fio's formulas for random_distribution; slower, meant for comparisons with fio",
        ..BASE
    };
}
