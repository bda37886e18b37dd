//! When a job starts, warms up and ends.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::table;
use crate::units::Nanos;

/// At this speed a day passes in less than a second.
const CLOCK_SPEED_MAX: i64 = 100_000;
const BASE: OptionDef = OptionDef { kind: Kind::SECONDS, ..OptionDef::BASE };

table! {
    RUNTIME: Nanos = OptionDef {
        name: "runtime", aliases: &["timeout"], default: "0",
        help: "end after this time (bare number: seconds); 0 means no limit", ..BASE
    };
    TIME_BASED: bool = OptionDef::FLAG.row("time_based", "repeat the region until runtime is over");
    RAMP_TIME: Nanos = OptionDef {
        name: "ramp_time", default: "0", help: "warm-up before the measurement (bare number: seconds)",
        status: OptionStatus::Differently("the ramp is a separate phase: its bytes and I/Os do not count towards \
            size, io_size or number_ios"),
        ..BASE
    };
    STARTDELAY: Option<(Nanos, Nanos)> = BASE.of("startdelay", Kind::TimeRange, "",
        "do not start before this time of the run; `low-high` is drawn between the two (bare number: seconds)");
    IDLE_BEFORE: Nanos = OptionDef {
        name: "idle_before", default: "0", source: "fathom",
        help: "wait this long after the end of the jobs that it waits for (bare number: seconds); startdelay counts \
            from the start of the run",
        ..BASE
    };
    CLOCKSOURCE: Option<&'static str> = OptionDef {
        name: "clocksource",
        kind: Kind::Word(&[("gettimeofday", "gettimeofday"), ("clock_gettime", "clock_gettime"), ("cpu", "cpu")]),
        help: "clock that all times come from",
        status: OptionStatus::Differently("always the calibrated time-stamp counter where it is invariant, else \
            CLOCK_MONOTONIC; the result says which"),
        ..BASE
    };
    CLOCK_SPEED: u64 = OptionDef {
        name: "clock_speed", kind: Kind::Int { min: 1, max: CLOCK_SPEED_MAX }, default: "1", source: "fathom",
        help: "the run's clock goes this many times as fast as real time, to rehearse long runs; only with \
            engines that touch no device",
        ..BASE
    };
}
