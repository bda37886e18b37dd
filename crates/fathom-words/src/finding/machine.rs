//! What happened to the machine and to fathom while it measured.

use super::FindingWords;
use crate::claim::claim;
use fathom_results::finding::{Disturbance, Drift, DriftMoment, Heat, HotSensor, LowClock};
use fathom_results::{Evidence, FindingWeight, Halt};
use fathom_text::quantity::{percent_with, seconds};

/// Parts of the machine that are named; the others are counted.
const NAMED_MAX: usize = 4;

pub(super) fn words(evidence: &Evidence) -> Option<FindingWords> {
    Some(match evidence {
        Evidence::HostDisturbed { findings } => host_disturbed(findings),
        Evidence::ClockLow { cpus } => clock_low(cpus),
        Evidence::TooHot(evidence) => too_hot(evidence),
        Evidence::Stopped { halts } => stopped(halts),
        Evidence::Steal { percent, percent_max } => FindingWords::new(
            claim("other guests of this host took CPU time").explained(", which is part of the latencies"),
            format!("{} of CPU time stolen; limit {percent_max} %", percent_with(percent / 100.0, 1)),
            "repeat at a quieter time, or on a host without other guests",
        ),
        Evidence::TuningDrifted(drift) => {
            let Drift { id, path, made, found, when } = drift;
            let when = moment(when);
            FindingWords::new(
                claim(format!("{id} was tuned")).explained(format!(", and was found changed {when}")),
                format!("{path}: made {made}, found {found} {when}"),
                "",
            )
        }
        _ => return None,
    })
}

/// `before phase 2 (a, b and 3 more)`.
fn moment(when: &DriftMoment) -> String {
    match when {
        DriftMoment::AtEnd => "at the end of the run".to_owned(),
        DriftMoment::BeforePhase { phase, jobs, more } => {
            let more = if *more == 0 { String::new() } else { format!(" and {more} more") };
            format!("before phase {phase} ({}{more})", jobs.join(", "))
        }
    }
}

fn host_disturbed(findings: &[Disturbance]) -> FindingWords {
    let item = |it: &Disturbance| format!("{} {}: {}", it.check, it.subject, it.says);
    let first: Vec<String> = findings.iter().take(NAMED_MAX).map(item).collect();
    let more = more(findings.len(), |n| format!("; {n} more in the record"));
    let claimed = match findings.first() {
        Some(worst) if worst.weight == FindingWeight::Warn => {
            claim("the host was disturbed during the measurement").explained(format!(": {}", worst.says))
        }
        _ => claim("the host changed during the measurement")
            .explained(": the figures are of a changed machine"),
    };
    FindingWords::new(
        claimed,
        first.join("; ") + &more,
        "fathom doctor --explain ID explains each; correct it and repeat",
    )
}

/// Words for those that are not named; empty where all are.
fn more(all: usize, words: impl Fn(usize) -> String) -> String {
    if all > NAMED_MAX { words(all - NAMED_MAX) } else { String::new() }
}

fn clock_low(cpus: &[LowClock]) -> FindingWords {
    let item = |it: &LowClock| format!("CPU {} at {:.0} of {:.0} MHz", it.cpu, it.mhz, it.nominal_mhz);
    let first: Vec<String> = cpus.iter().take(NAMED_MAX).map(item).collect();
    FindingWords::new(
        claim("busy processors ran below their nominal clock").so(", so I/O cost more time than it must"),
        first.join("; ") + &more(cpus.len(), |n| format!("; {n} more")),
        "fathom doctor during the run finds what holds the clock down; fathom run --tune raises its limits",
    )
}

fn too_hot(evidence: &Heat) -> FindingWords {
    match evidence {
        Heat::Throttled(throttled) => FindingWords::new(
            "the drive slowed itself down because of heat",
            format!("the simulated drive was throttled for {}", seconds(*throttled, 0)),
            "improve the air flow, let it cool down, and repeat for long enough to reach the final temperature",
        ),
        Heat::Sensors(sensors) => {
            let item = |it: &HotSensor| {
                format!("{} reached {:.0} °C; it warns from {:.0} °C", it.name, it.celsius, it.limit_celsius)
            };
            let first: Vec<String> = sensors.iter().take(NAMED_MAX).map(item).collect();
            FindingWords::of(
                claim("a part of the machine was as hot as it may be")
                    .explained(", and such a part slows itself down"),
                &first,
                "improve the air flow, let it cool down, and repeat for long enough to reach the final temperature",
            )
        }
    }
}

fn stopped(halts: &[Halt]) -> FindingWords {
    let first = halts.first().map(span).unwrap_or_default();
    let named: Vec<String> = halts.iter().take(NAMED_MAX).map(span).collect();
    let more = more(halts.len(), |n| format!(", and {n} times more"));
    FindingWords::new(
        claim(format!("fathom itself was stopped {first}")).explained(": that time is not the target's"),
        format!("no thread of fathom ran {}{more}", named.join(", ")),
        "measure again without a stop by a signal (Ctrl-Z), a debugger, a frozen control group or a paused machine",
    )
}

/// `from 1.2 s to 2.4 s`.
fn span(halt: &Halt) -> String {
    format!("from {} to {}", seconds(halt.start_ns as f64 / 1e9, 1), seconds(halt.end_ns as f64 / 1e9, 1))
}
