//! Steady state as the end of a job.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::steady::SteadyTerms;
use crate::table;
use crate::units::Nanos;

const SECONDS: OptionDef = OptionDef { kind: Kind::SECONDS, ..OptionDef::BASE };

table! {
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
}
