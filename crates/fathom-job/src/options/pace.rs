//! How fast a job may go, when it pauses, and what it must keep up.

use crate::direction::PerDirection;
use crate::option::{Kind, OptionDef, Status, Topic};
use crate::table;
use crate::units::{Bytes, Nanos};

const BASE: OptionDef = OptionDef { topic: Topic::Rate, default: "0", ..OptionDef::BASE };
const OFF: OptionDef = OptionDef { topic: Topic::Rate, ..OptionDef::OFF };
const BYTES3: OptionDef = OptionDef { kind: Kind::PerDirection(&Kind::BYTES), ..BASE };
const COUNT3: OptionDef = OptionDef { kind: Kind::PerDirection(&Kind::COUNT), ..BASE };

const SCHEDULE: Status = Status::Differently(
    "each direction keeps a schedule of its own, exact to the nanosecond, and no start waits for what is in \
     flight; latency from the intended start stands beside fio's",
);
const FLOOR: Status =
    Status::Differently("judged over whole seconds; what was measured until then is kept and reported");
const PAUSE: Status =
    Status::Differently("the pause begins at once, without waiting for the I/Os that are in flight");

table! {
    /// Bytes per second.
    RATE: PerDirection<Bytes> = OptionDef {
        name: "rate", status: SCHEDULE, help: "bytes per second; 0 is as fast as it goes", ..BYTES3
    };
    /// I/Os per second.
    RATE_IOPS: PerDirection<u32> = OptionDef {
        name: "rate_iops", status: SCHEDULE, help: "I/Os per second; 0 is as fast as it goes", ..COUNT3
    };
    /// Least bytes per second.
    RATE_MIN: PerDirection<Bytes> = OptionDef {
        name: "rate_min", aliases: &["ratemin"], status: FLOOR,
        help: "end with an error below this many bytes per second", ..BYTES3
    };
    /// Least I/Os per second.
    RATE_IOPS_MIN: PerDirection<u32> = OptionDef {
        name: "rate_iops_min", status: FLOOR, help: "end with an error below this many I/Os per second",
        ..COUNT3
    };
    /// How the starts are spread.
    RATE_PROCESS: &'static str = OptionDef {
        name: "rate_process", kind: Kind::Word(&[("linear", "linear"), ("poisson", "poisson")]),
        default: "linear", help: "even gaps between the I/Os of a rate, or exponential ones",
        status: Status::Differently("the gaps of poisson are drawn in nanoseconds, so that the mean is the \
            rate asked at any rate"),
        ..BASE
    };
    /// The span over which the least rate is judged.
    RATE_CYCLE: u32 = OptionDef {
        name: "rate_cycle", aliases: &["ratecycle"], kind: Kind::COUNT, default: "1000",
        help: "milliseconds over which rate_min and rate_iops_min are judged", status: FLOOR, ..BASE
    };
    /// A pause does not make the schedule late.
    RATE_IGNORE_THINKTIME: bool = OptionDef {
        name: "rate_ignore_thinktime", help: "go on at the rate after a pause, rather than catch up", ..OFF
    };
    /// Pause.
    THINKTIME: Nanos = OptionDef {
        name: "thinktime", kind: Kind::MICROS, status: PAUSE,
        help: "pause between I/Os (bare number: microseconds)", ..BASE
    };
    /// Its part that burns CPU.
    THINKTIME_SPIN: Nanos = OptionDef {
        name: "thinktime_spin", kind: Kind::MICROS, help: "first part of the pause, spent spinning", ..BASE
    };
    /// I/Os between pauses.
    THINKTIME_BLOCKS: u32 = OptionDef {
        name: "thinktime_blocks", kind: Kind::COUNT, default: "1", help: "I/Os between two pauses", ..BASE
    };
    /// Which I/Os are counted.
    THINKTIME_BLOCKS_TYPE: &'static str = OptionDef {
        name: "thinktime_blocks_type", kind: Kind::Word(&[("complete", "complete"), ("issue", "issue")]),
        default: "complete", help: "count an I/O when it completes, or when it is issued", ..BASE
    };
    /// Time between pauses.
    THINKTIME_IOTIME: Nanos = OptionDef {
        name: "thinktime_iotime", kind: Kind::SECONDS,
        help: "time between two pauses (bare number: seconds); alone, I/Os are not counted", ..BASE
    };
    /// Most latency.
    MAX_LATENCY: PerDirection<Nanos> = OptionDef {
        name: "max_latency", kind: Kind::PerDirection(&Kind::MICROS),
        help: "end with an error at an I/O slower than this (bare number: microseconds)", ..BASE
    };
    /// Latency to keep.
    LATENCY_TARGET: Nanos = OptionDef {
        name: "latency_target", kind: Kind::MICROS,
        status: Status::Differently("the result holds the whole search: each depth that was tried, and how \
            it did"),
        help: "find the depth that keeps this latency (bare number: microseconds)", ..BASE
    };
    /// How long it must hold.
    LATENCY_WINDOW: Nanos = OptionDef {
        name: "latency_window", kind: Kind::MICROS,
        help: "time over which latency_target must hold (bare number: microseconds)", ..BASE
    };
    /// For how many I/Os it must hold.
    LATENCY_PERCENTILE: f64 = OptionDef {
        name: "latency_percentile", kind: Kind::Float { min: 0.0, max: 100.0 }, default: "100",
        help: "percent of the I/Os for which latency_target must hold", ..BASE
    };
    /// Adapt to the end.
    LATENCY_RUN: bool = OptionDef {
        name: "latency_run", help: "go on adapting the depth to latency_target until the job ends", ..OFF
    };
    /// Weight in a ratio.
    FLOW: u32 = OptionDef {
        name: "flow", kind: Kind::Int { min: 0, max: 1000 },
        status: Status::Differently("a job that is ahead of its weight waits without draining what is in \
            flight"),
        help: "jobs with one flow_id issue I/Os in proportion to this; 0 takes no part", ..BASE
    };
    /// The ratio.
    FLOW_ID: u32 = OptionDef {
        name: "flow_id", kind: Kind::COUNT, help: "number of the ratio that flow takes part in", ..BASE
    };
    /// Wait when ahead.
    FLOW_SLEEP: u32 = OptionDef {
        name: "flow_sleep", kind: Kind::COUNT,
        help: "microseconds that a job ahead of its weight waits before it looks again", ..BASE
    };
}
