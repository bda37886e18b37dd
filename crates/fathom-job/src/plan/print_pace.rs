//! What holds a job back and what judges it, in words.

use super::{Arrivals, PlannedJob, Rate, Think, ThinkCounts};
use crate::direction::{Direction, PerDirection};
use crate::options;
use crate::units::{Bytes, Nanos};

/// Label and text of each part that is set.
pub(super) fn parts(job: &PlannedJob) -> Vec<(&'static str, String)> {
    let pace = &job.pace;
    let judged_over = format!("; judged over {}", pace.floor_cycle);
    let texts = [
        ("rate", by_direction(job, pace.rate, rate).map(|text| text + arrivals(job))),
        ("pauses", pace.think.as_ref().map(think)),
        ("at least", by_direction(job, pace.floor, rate).map(|text| text + &judged_over)),
        ("latency", by_direction(job, pace.latency_max, |most| format!("at most {most}"))),
        ("search", goal(job)),
        ("flow", flow(job)),
        ("clock", clock(job)),
    ];
    texts.into_iter().filter_map(|(label, text)| Some((label, text?))).collect()
}

/// One text where all directions in use are alike, else each with its name.
fn by_direction<T: Copy + PartialEq>(
    job: &PlannedJob,
    values: PerDirection<Option<T>>,
    text: impl Fn(T) -> String,
) -> Option<String> {
    let used: Vec<Direction> = Direction::ALL.into_iter().filter(|d| job.uses(*d)).collect();
    let set: Vec<(Direction, T)> = used.iter().filter_map(|d| Some((*d, values[*d]?))).collect();
    match (set.as_slice(), used.len()) {
        ([], _) => None,
        ([(_, value)], 1) => Some(text(*value)),
        _ => {
            Some(set.iter().map(|(d, v)| format!("{} {}", d.name(), text(*v))).collect::<Vec<_>>().join(", "))
        }
    }
}

fn rate(rate: Rate) -> String {
    match rate {
        Rate::Bytes(bytes) => format!("{}/s", Bytes(bytes)),
        Rate::Ios(1) => "1 I/O per second".to_owned(),
        Rate::Ios(ios) => format!("{ios} I/Os per second"),
    }
}

fn arrivals(job: &PlannedJob) -> &'static str {
    match (job.pace.arrivals, job.pace.think.is_some() && job.pace.ignores_think) {
        (Arrivals::Linear, false) => "; even gaps",
        (Arrivals::Linear, true) => "; even gaps; pauses are not made up for",
        (Arrivals::Poisson, false) => "; exponential gaps (Poisson)",
        (Arrivals::Poisson, true) => "; exponential gaps (Poisson); pauses are not made up for",
    }
}

fn think(think: &Think) -> String {
    let mut text = think.pause.to_string();
    if think.spin.0 > 0 {
        text += &format!(", {} of it spinning,", think.spin);
    }
    let verb = match think.counts {
        ThinkCounts::Issue => "issued",
        ThinkCounts::Completion => "completed",
    };
    let ios = match think.every {
        u64::MAX => None,
        1 => Some(format!("each I/O {verb}")),
        n => Some(format!("{n} I/Os {verb}")),
    };
    let after: Vec<String> = ios.into_iter().chain(think.io_time.map(|time| time.to_string())).collect();
    let first = if after.len() > 1 { ", whichever comes first" } else { "" };
    format!("{text} after {}{first}", after.join(" or "))
}

fn goal(job: &PlannedJob) -> Option<String> {
    let goal = job.pace.goal.as_ref()?;
    let over = match goal.window {
        Nanos(0) => "judged at every completion".to_owned(),
        window => format!("judged over {window}"),
    };
    let then = if goal.keeps_adapting { "; goes on adapting" } else { "; then measured" };
    Some(format!(
        "the largest depth up to {} that keeps {} % of I/Os within {}; {over}{then}",
        job.depth.reachable, goal.percentile, goal.target
    ))
}

fn flow(job: &PlannedJob) -> Option<String> {
    let flow = job.pace.flow.as_ref()?;
    let wait = if flow.sleep.0 > 0 { format!("; waits {} when ahead", flow.sleep) } else { String::new() };
    Some(format!("weight {} in flow {}{wait}", flow.weight, flow.id))
}

fn clock(job: &PlannedJob) -> Option<String> {
    let speed = job.job.get(&options::CLOCK_SPEED);
    (speed > 1).then(|| format!("{speed} times as fast as real time: a rehearsal, not a measurement"))
}
