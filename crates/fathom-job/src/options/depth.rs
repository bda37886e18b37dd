//! How many I/Os are in flight, and in what batches.

use crate::option::{Kind, OptionDef, Status, Topic};
use crate::table;

/// No engine keeps more than this in flight: io_uring's completion ring ends
/// at 65,536 entries (IORING_MAX_CQ_ENTRIES).
const DEPTH_MAX: i64 = 65_536;
const BATCH: &str = "if not given, all that is ready is submitted in one call and all that is complete is taken in one; fio's default is one at a time";
const BASE: OptionDef =
    OptionDef { topic: Topic::Depth, kind: Kind::Int { min: 0, max: DEPTH_MAX }, ..OptionDef::BASE };

table! {
    /// Most I/Os in flight.
    IODEPTH: u32 = OptionDef {
        name: "iodepth", kind: Kind::Int { min: 1, max: DEPTH_MAX }, default: "1",
        help: "I/Os that each worker keeps in flight; synchronous engines reach 1", ..BASE
    };
    /// I/Os per submit call.
    IODEPTH_BATCH: Option<u32> = OptionDef {
        name: "iodepth_batch", aliases: &["iodepth_batch_submit"], status: Status::Differently(BATCH),
        help: "I/Os per submit call; 0 is iodepth", ..BASE
    };
    /// Completions to wait for.
    IODEPTH_BATCH_COMPLETE_MIN: Option<u32> = OptionDef {
        name: "iodepth_batch_complete_min", aliases: &["iodepth_batch_complete"],
        status: Status::Differently(BATCH),
        help: "completions to wait for before going on; 0 takes what is there", ..BASE
    };
    /// Completions to take.
    IODEPTH_BATCH_COMPLETE_MAX: Option<u32> = OptionDef {
        name: "iodepth_batch_complete_max", status: Status::Differently(BATCH),
        help: "most completions taken at a time", ..BASE
    };
    /// Low water mark.
    IODEPTH_LOW: Option<u32> = OptionDef {
        name: "iodepth_low",
        help: "once full, drain to this many in flight before filling up again; iodepth if not given",
        ..BASE
    };
    /// Whose habits.
    COMPAT: &'static str = OptionDef {
        name: "compat", kind: Kind::Word(&[("none", "none"), ("fio", "fio")]), default: "none",
        source: "fathom",
        help: "fio: submit and reap exactly as fio would, one system call per I/O where the job names no \
            batch; slower, for comparisons",
        ..BASE
    };
}
