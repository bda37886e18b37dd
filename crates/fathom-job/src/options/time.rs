//! When a job starts and ends, how fast it may go, and which rate and latency it must keep.

use crate::direction::PerDirection;
use crate::option::{Kind, OptionDef, OptionStatus};
use crate::steady::SteadyTerms;
use crate::table;
use crate::units::{Bytes, Nanos};

/// At this speed a day passes in less than a second.
const CLOCK_SPEED_MAX: i64 = 100_000;
const SECONDS: OptionDef = OptionDef { kind: Kind::SECONDS, ..OptionDef::BASE };
const PACE_BASE: OptionDef = OptionDef { default: "0", ..OptionDef::BASE };
const OFF: OptionDef = OptionDef::OFF;
const BYTES3: OptionDef = OptionDef { kind: Kind::PerDirection(&Kind::BYTES), ..PACE_BASE };
const COUNT3: OptionDef = OptionDef { kind: Kind::PerDirection(&Kind::COUNT), ..PACE_BASE };

const SCHEDULE: OptionStatus = OptionStatus::Differently(
    "each direction keeps its own schedule, exact to the nanosecond, and no start waits for I/Os in \
        flight; the result also has latency from the intended start",
);
const FLOOR: OptionStatus =
    OptionStatus::Differently("judged over whole seconds; what was measured before is kept and reported");
const PAUSE: OptionStatus =
    OptionStatus::Differently("the pause begins at once, without waiting for the I/Os that are in flight");

table! {
    // When a job starts, warms up and ends.
    RUNTIME: Nanos = OptionDef {
        name: "runtime", aliases: &["timeout"], default: "0",
        help: "end after this time (bare number: seconds); 0 means no limit", ..SECONDS
    };
    TIME_BASED: bool = OptionDef::FLAG.row("time_based", "repeat the region until runtime is over");
    RAMP_TIME: Nanos = OptionDef {
        name: "ramp_time", default: "0", help: "warm-up before the measurement (bare number: seconds)",
        status: OptionStatus::Differently("the ramp is a separate phase: its bytes and I/Os do not count towards \
            size, io_size or number_ios"),
        ..SECONDS
    };
    RAMP_SIZE: Bytes = OptionDef {
        name: "ramp_size", kind: Kind::BYTES, default: "0",
        help: "warm-up before the measurement, until so many bytes have moved; with group_reporting, those of the jobs of the group \
            together; with ramp_time, the first of the two ends it",
        status: OptionStatus::Differently("the ramp is a separate phase: its bytes and I/Os do not count towards \
            size, io_size or number_ios"),
        ..OptionDef::BASE
    };
    STARTDELAY: Option<(Nanos, Nanos)> = SECONDS.of("startdelay", Kind::TimeRange, "",
        "do not start before this time of the run; `low-high` is drawn between the two (bare number: seconds)");
    IDLE_BEFORE: Nanos = OptionDef {
        name: "idle_before", default: "0", source: "fathom",
        help: "wait this long after the end of the jobs that it waits for (bare number: seconds); startdelay counts \
            from the start of the run",
        ..SECONDS
    };
    CLOCKSOURCE: Option<&'static str> = OptionDef {
        name: "clocksource",
        kind: Kind::Word(&[("gettimeofday", "gettimeofday"), ("clock_gettime", "clock_gettime"), ("cpu", "cpu")]),
        help: "clock that all times come from",
        status: OptionStatus::Differently("always the calibrated time-stamp counter where it is invariant, else \
            CLOCK_MONOTONIC_RAW; the result says which"),
        ..SECONDS
    };
    CLOCK_SPEED: u64 = OptionDef {
        name: "clock_speed", kind: Kind::Int { min: 1, max: CLOCK_SPEED_MAX }, default: "1", source: "fathom",
        help: "the run's clock goes this many times as fast as real time, to rehearse long runs; only with \
            engines that touch no device",
        ..SECONDS
    };
    // Steady state as the end of a job.
    STEADYSTATE: SteadyTerms = OptionDef {
        name: "steadystate", aliases: &["ss"], kind: Kind::Steady, default: "iops_slope:0.01%",
        help: "end when the values of steadystate_duration are steady: their largest deviation from their mean, or \
            the slope of their line from value to value, is below the limit, in percent of the mean or absolute; \
            with group_reporting the jobs of a group are judged together",
        status: OptionStatus::Differently("the values are of whole seconds of the measurement; seconds in which no \
            I/O ended are never steady; the limit of lat is compared in its unit"),
        ..OptionDef::BASE
    };
    STEADYSTATE_DURATION: Nanos = OptionDef {
        name: "steadystate_duration", aliases: &["ss_dur"], default: "0",
        help: "length of the window that must be steady, whole seconds (bare number: seconds); without it \
            nothing is judged",
        ..SECONDS
    };
    STEADYSTATE_RAMP_TIME: Nanos = OptionDef {
        name: "steadystate_ramp_time", aliases: &["ss_ramp"], default: "0",
        help: "measured time before the first window (bare number: seconds)", ..SECONDS
    };
    STEADYSTATE_CHECK_INTERVAL: Nanos = OptionDef {
        name: "steadystate_check_interval", aliases: &["ss_interval"], default: "1",
        help: "time of one value of the window, whole seconds (bare number: seconds)", ..SECONDS
    };
    // How fast a job may go, when it pauses, and which rate and latency it must keep.
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
        ..PACE_BASE
    };
    RATE_CYCLE: u32 = OptionDef {
        name: "rate_cycle", aliases: &["ratecycle"], kind: Kind::COUNT, default: "1000",
        help: "milliseconds over which rate_min and rate_iops_min are judged", status: FLOOR, ..PACE_BASE
    };
    RATE_IGNORE_THINKTIME: bool = OFF.row("rate_ignore_thinktime",
        "after a pause, go on at the rate and do not catch up");
    THINKTIME: Nanos = OptionDef {
        name: "thinktime", kind: Kind::MICROS, status: PAUSE,
        help: "pause between I/Os (bare number: microseconds)", ..PACE_BASE
    };
    THINKTIME_SPIN: Nanos = OptionDef {
        name: "thinktime_spin", kind: Kind::MICROS, help: "first part of the pause, spent spinning", ..PACE_BASE
    };
    THINKTIME_BLOCKS: u32 = PACE_BASE.of("thinktime_blocks", Kind::COUNT, "1", "I/Os between two pauses");
    THINKTIME_BLOCKS_TYPE: &'static str = OptionDef {
        name: "thinktime_blocks_type", kind: Kind::Word(&[("complete", "complete"), ("issue", "issue")]),
        default: "complete", help: "count an I/O when it completes, or when it is issued", ..PACE_BASE
    };
    THINKTIME_IOTIME: Nanos = OptionDef {
        name: "thinktime_iotime", kind: Kind::SECONDS,
        help: "time between two pauses (bare number: seconds); without thinktime_blocks, I/Os are not \
            counted", ..PACE_BASE
    };
    MAX_LATENCY: PerDirection<Nanos> = OptionDef {
        name: "max_latency", kind: Kind::PerDirection(&Kind::MICROS),
        help: "end with an error at an I/O slower than this (bare number: microseconds)", ..PACE_BASE
    };
    LATENCY_TARGET: Nanos = OptionDef {
        name: "latency_target", kind: Kind::MICROS,
        status: OptionStatus::Differently("the result holds the whole search: each depth that was tried, and its \
            outcome"),
        help: "find the highest depth that keeps this latency (bare number: microseconds)", ..PACE_BASE
    };
    LATENCY_WINDOW: Nanos = OptionDef {
        name: "latency_window", kind: Kind::MICROS,
        help: "time over which latency_target must hold (bare number: microseconds)", ..PACE_BASE
    };
    LATENCY_PERCENTILE: f64 = PACE_BASE.of("latency_percentile", Kind::Float { min: 0.0, max: 100.0 }, "100",
        "percent of the I/Os for which latency_target must hold");
    LATENCY_RUN: bool = OFF.row("latency_run",
        "go on adapting the depth to latency_target until the job ends");
    FLOW: u32 = OptionDef {
        name: "flow", kind: Kind::Int { min: 0, max: 1000 },
        status: OptionStatus::Differently("a job that is ahead of its weight waits, but does not drain its I/Os \
            in flight"),
        help: "jobs with the same flow_id issue I/Os in proportion to this weight; 0 takes no part", ..PACE_BASE
    };
    FLOW_ID: u32 = OptionDef {
        name: "flow_id", kind: Kind::COUNT,
        help: "number of the group of jobs in which flow sets the proportion", ..PACE_BASE
    };
    FLOW_SLEEP: u32 = OptionDef {
        name: "flow_sleep", kind: Kind::COUNT,
        help: "microseconds that a job ahead of its weight waits before it looks again", ..PACE_BASE
    };
}
