//! Pacing, and what is judged while a job runs: known, not built yet.

use crate::option::{Kind, OptionDef, Topic};
use crate::rows;

const BYTES3: Kind = Kind::PerDirection(&Kind::BYTES);
const COUNT3: Kind = Kind::PerDirection(&Kind::COUNT);
const PACED: OptionDef = OptionDef::refused(Topic::Rate, "not in this version: paced I/O is not built yet");
const SEARCH: OptionDef = OptionDef::refused(
    Topic::Rate,
    "not in this version: the search for a depth by latency is not built yet; run the job at several iodepth values",
);
const STEADY: OptionDef = OptionDef::refused(
    Topic::Statistics,
    "not in this version: ending at steady state is not built yet; use runtime with ramp_time",
);
const FLOW: OptionDef = OptionDef::refused(
    Topic::Rate,
    "not in this version: ratios between jobs are not built yet; use rwmixread within one job",
);

rows! {
    OptionDef { name: "rate", kind: BYTES3, default: "0", help: "bytes per second", ..PACED };
    OptionDef {
        name: "rate_min", aliases: &["ratemin"], kind: BYTES3, default: "0",
        help: "end with an error below this many bytes per second", ..PACED
    };
    OptionDef { name: "rate_iops", kind: COUNT3, default: "0", help: "I/Os per second", ..PACED };
    OptionDef {
        name: "rate_iops_min", kind: COUNT3, default: "0",
        help: "end with an error below this many I/Os per second", ..PACED
    };
    OptionDef {
        name: "rate_process", kind: Kind::Word(&[("linear", "linear"), ("poisson", "poisson")]),
        default: "linear", help: "even or random gaps between I/Os", ..PACED
    };
    OptionDef {
        name: "rate_cycle", aliases: &["ratecycle"], kind: Kind::COUNT, default: "1000",
        help: "milliseconds over which the least rate is judged", ..PACED
    };
    OptionDef {
        name: "rate_ignore_thinktime", kind: Kind::Bool, default: "0",
        help: "do not make up for think time", ..PACED
    };
    OptionDef {
        name: "thinktime", kind: Kind::MICROS, default: "0",
        help: "pause between I/Os (bare number: microseconds)", ..PACED
    };
    OptionDef {
        name: "thinktime_spin", kind: Kind::MICROS, default: "0", help: "part of the pause spent spinning",
        ..PACED
    };
    OptionDef {
        name: "thinktime_blocks", kind: Kind::COUNT, default: "1", help: "I/Os between two pauses", ..PACED
    };
    OptionDef {
        name: "thinktime_blocks_type", kind: Kind::Word(&[("complete", "complete"), ("issue", "issue")]),
        default: "complete", help: "count I/Os at completion or at issue", ..PACED
    };
    OptionDef {
        name: "thinktime_iotime", kind: Kind::SECONDS, default: "0", help: "time of I/O between two pauses",
        ..PACED
    };
    OptionDef {
        name: "thinkcycles", kind: Kind::COUNT, default: "0", help: "pause counted in CPU cycles", ..PACED
    };
    OptionDef {
        name: "max_latency", kind: Kind::PerDirection(&Kind::MICROS), default: "0",
        help: "end with an error at an I/O slower than this", ..SEARCH
    };
    OptionDef {
        name: "latency_target", kind: Kind::MICROS, default: "0",
        help: "find the depth that keeps this latency", ..SEARCH
    };
    OptionDef {
        name: "latency_window", kind: Kind::MICROS, default: "0",
        help: "time over which the latency must hold", ..SEARCH
    };
    OptionDef {
        name: "latency_percentile", kind: Kind::Float { min: 0.0, max: 100.0 }, default: "100",
        help: "percent of I/Os for which it must hold", ..SEARCH
    };
    OptionDef {
        name: "latency_run", kind: Kind::Bool, default: "0", help: "go on adapting the depth", ..SEARCH
    };
    OptionDef {
        name: "steadystate", aliases: &["ss"], help: "end when figures are steady: criterion and limit",
        ..STEADY
    };
    OptionDef {
        name: "steadystate_duration", aliases: &["ss_dur"], kind: Kind::SECONDS, default: "0",
        help: "time over which they must be steady", ..STEADY
    };
    OptionDef {
        name: "steadystate_ramp_time", aliases: &["ss_ramp"], kind: Kind::SECONDS, default: "0",
        help: "time before the judging begins", ..STEADY
    };
    OptionDef {
        name: "steadystate_check_interval", aliases: &["ss_interval"], kind: Kind::SECONDS, default: "1",
        help: "time between two samples", ..STEADY
    };
    OptionDef {
        name: "flow_id", kind: Kind::COUNT, default: "0", help: "jobs that share one ratio", ..FLOW
    };
    OptionDef {
        name: "flow", kind: Kind::Int { min: 0, max: 1000 }, default: "0",
        help: "weight of the job in the ratio", ..FLOW
    };
    OptionDef {
        name: "flow_sleep", kind: Kind::COUNT, default: "0", help: "microseconds to wait when ahead",
        ..FLOW
    };
}
