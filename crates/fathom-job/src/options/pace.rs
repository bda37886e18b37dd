//! How fast a job may go, when it pauses, and which rate and latency it must keep.

use crate::direction::PerDirection;
use crate::option::{Kind, OptionDef, OptionStatus};
use crate::table;
use crate::units::{Bytes, Nanos};

const BASE: OptionDef = OptionDef { default: "0", ..OptionDef::BASE };
const OFF: OptionDef = OptionDef::OFF;
const BYTES3: OptionDef = OptionDef { kind: Kind::PerDirection(&Kind::BYTES), ..BASE };
const COUNT3: OptionDef = OptionDef { kind: Kind::PerDirection(&Kind::COUNT), ..BASE };

const SCHEDULE: OptionStatus = OptionStatus::Differently(
    "each direction keeps its own schedule, exact to the nanosecond, and no start waits for I/Os in \
        flight; the result also has latency from the intended start",
);
const FLOOR: OptionStatus =
    OptionStatus::Differently("judged over whole seconds; what was measured before is kept and reported");
const PAUSE: OptionStatus =
    OptionStatus::Differently("the pause begins at once, without waiting for the I/Os that are in flight");

table! {
    RATE: PerDirection<Bytes> = OptionDef {
        name: "rate", status: SCHEDULE, help: "bytes per second; 0 means no limit", ..BYTES3
    };
    RATE_IOPS: PerDirection<u32> = OptionDef {
        name: "rate_iops", status: SCHEDULE, help: "I/Os per second; 0 means no limit", ..COUNT3
    };
    RATE_MIN: PerDirection<Bytes> = OptionDef {
        name: "rate_min", aliases: &["ratemin"], status: FLOOR,
        help: "end with an error below this many bytes per second", ..BYTES3
    };
    RATE_IOPS_MIN: PerDirection<u32> = OptionDef {
        name: "rate_iops_min", status: FLOOR, help: "end with an error below this many I/Os per second",
        ..COUNT3
    };
    RATE_PROCESS: &'static str = OptionDef {
        name: "rate_process", kind: Kind::Word(&[("linear", "linear"), ("poisson", "poisson")]),
        default: "linear", help: "gaps between the I/Os of a rate: equal (linear) or exponential (poisson)",
        status: OptionStatus::Differently("the gaps of poisson are drawn in nanoseconds, so that their mean \
            gives the requested rate, however high it is"),
        ..BASE
    };
    RATE_CYCLE: u32 = OptionDef {
        name: "rate_cycle", aliases: &["ratecycle"], kind: Kind::COUNT, default: "1000",
        help: "milliseconds over which rate_min and rate_iops_min are judged", status: FLOOR, ..BASE
    };
    RATE_IGNORE_THINKTIME: bool = OFF.row("rate_ignore_thinktime",
        "after a pause, go on at the rate and do not catch up");
    THINKTIME: Nanos = OptionDef {
        name: "thinktime", kind: Kind::MICROS, status: PAUSE,
        help: "pause between I/Os (bare number: microseconds)", ..BASE
    };
    THINKTIME_SPIN: Nanos = OptionDef {
        name: "thinktime_spin", kind: Kind::MICROS, help: "first part of the pause, spent spinning", ..BASE
    };
    THINKTIME_BLOCKS: u32 = BASE.of("thinktime_blocks", Kind::COUNT, "1", "I/Os between two pauses");
    THINKTIME_BLOCKS_TYPE: &'static str = OptionDef {
        name: "thinktime_blocks_type", kind: Kind::Word(&[("complete", "complete"), ("issue", "issue")]),
        default: "complete", help: "count an I/O when it completes, or when it is issued", ..BASE
    };
    THINKTIME_IOTIME: Nanos = OptionDef {
        name: "thinktime_iotime", kind: Kind::SECONDS,
        help: "time between two pauses (bare number: seconds); without thinktime_blocks, I/Os are not \
            counted", ..BASE
    };
    MAX_LATENCY: PerDirection<Nanos> = OptionDef {
        name: "max_latency", kind: Kind::PerDirection(&Kind::MICROS),
        help: "end with an error at an I/O slower than this (bare number: microseconds)", ..BASE
    };
    LATENCY_TARGET: Nanos = OptionDef {
        name: "latency_target", kind: Kind::MICROS,
        status: OptionStatus::Differently("the result holds the whole search: each depth that was tried, and its \
            outcome"),
        help: "find the highest depth that keeps this latency (bare number: microseconds)", ..BASE
    };
    LATENCY_WINDOW: Nanos = OptionDef {
        name: "latency_window", kind: Kind::MICROS,
        help: "time over which latency_target must hold (bare number: microseconds)", ..BASE
    };
    LATENCY_PERCENTILE: f64 = BASE.of("latency_percentile", Kind::Float { min: 0.0, max: 100.0 }, "100",
        "percent of the I/Os for which latency_target must hold");
    LATENCY_RUN: bool = OFF.row("latency_run",
        "go on adapting the depth to latency_target until the job ends");
    FLOW: u32 = OptionDef {
        name: "flow", kind: Kind::Int { min: 0, max: 1000 },
        status: OptionStatus::Differently("a job that is ahead of its weight waits, but does not drain its I/Os \
            in flight"),
        help: "jobs with the same flow_id issue I/Os in proportion to this weight; 0 takes no part", ..BASE
    };
    FLOW_ID: u32 = OptionDef {
        name: "flow_id", kind: Kind::COUNT,
        help: "number of the group of jobs in which flow sets the proportion", ..BASE
    };
    FLOW_SLEEP: u32 = OptionDef {
        name: "flow_sleep", kind: Kind::COUNT,
        help: "microseconds that a job ahead of its weight waits before it looks again", ..BASE
    };
}
