//! The options of pacing to a [`Pace`].
//!
//! The rules are fio's, checked against fio 3.33: a rate is given either in
//! bytes or in I/Os for the whole job, and so is a floor; a floor above its
//! rate is an error; spinning is a part of the pause.

use super::notes::{self, Checked, Notes};
use super::pace_unused;
use super::{Arrivals, Flow, LatencyGoal, Pace, Rate, Think, ThinkCounts};
use crate::direction::PerDirection;
use crate::job::Job;
use crate::option::Key;
use crate::options;
use crate::units::{Bytes, Nanos};

/// The shortest span over which fio judges a floor: it counts in milliseconds.
const CYCLE_MIN: Nanos = Nanos::millis(1);

type Rates = PerDirection<Option<Rate>>;
type InBytes = Key<PerDirection<Bytes>>;
type InIos = Key<PerDirection<u32>>;

/// The pace of a job that issues I/O in these directions, with at most `reachable` I/Os in flight.
pub(super) fn pace(job: &Job, issues: PerDirection<bool>, reachable: u32, notes: &mut Notes) -> Option<Pace> {
    let rate = rates(job, &options::RATE, &options::RATE_IOPS);
    let floor = rates(job, &options::RATE_MIN, &options::RATE_IOPS_MIN);
    let sound = [
        one_unit(job, &options::RATE, &options::RATE_IOPS),
        one_unit(job, &options::RATE_MIN, &options::RATE_IOPS_MIN),
        floor_below(job, rate, floor),
    ];
    sound.map(|check| notes.take(check)).into_iter().collect::<Option<()>>()?;
    pace_unused::find(job, issues, notes);
    let floor = used(floor, issues);
    let judged = floor.iter().any(|(_, floor)| floor.is_some());
    let limits = job.get(&options::MAX_LATENCY).map(|most| Some(most).filter(|most| most.0 > 0));
    Some(Pace {
        rate: used(rate, issues),
        arrivals: match job.get(&options::RATE_PROCESS) {
            "poisson" => Arrivals::Poisson,
            _ => Arrivals::Linear,
        },
        think: think(job, notes),
        ignores_think: job.get(&options::RATE_IGNORE_THINKTIME),
        floor,
        floor_cycle: if judged { cycle(job) } else { Nanos(0) },
        latency_max: used(limits, issues),
        goal: goal(job, reachable, notes),
        flow: flow(job),
    })
}

fn rates(job: &Job, bytes: &InBytes, ios: &InIos) -> Rates {
    let (bytes, ios) = (job.get(bytes), job.get(ios));
    PerDirection::from_fn(|d| match (bytes[d].0, ios[d]) {
        (0, 0) => None,
        (0, ios) => Some(Rate::Ios(ios.into())),
        (bytes, _) => Some(Rate::Bytes(bytes)),
    })
}

fn used<T: Copy>(values: PerDirection<Option<T>>, issues: PerDirection<bool>) -> PerDirection<Option<T>> {
    PerDirection::from_fn(|d| values[d].filter(|_| issues[d]))
}

/// fio adds up all directions: bytes for reads and I/Os for writes are two
/// units as well.
fn one_unit(job: &Job, bytes: &InBytes, ios: &InIos) -> Checked<()> {
    let both = job.get(bytes).iter().any(|(_, n)| n.0 > 0) && job.get(ios).iter().any(|(_, n)| *n > 0);
    if !both {
        return Ok(());
    }
    let (bytes, name) = (bytes.def.name, ios.def.name);
    let message = format!("job {}: {bytes} and {name} exclude each other", job.name);
    let error = notes::error(job, ios, "two-units", message);
    Err(error.hint(format!("only {bytes}, or only {name}, for all directions")))
}

fn floor_below(job: &Job, rate: Rates, floor: Rates) -> Checked<()> {
    for (direction, floor) in floor.iter() {
        let (above, least, most, unit) = match (*floor, rate[direction]) {
            (Some(Rate::Bytes(least)), Some(Rate::Bytes(most))) => (least > most, least, most, "bytes"),
            (Some(Rate::Ios(least)), Some(Rate::Ios(most))) => (least > most, least, most, "I/Os"),
            _ => continue,
        };
        if above {
            let message = format!(
                "job {}: the least {} rate is {least} {unit} per second, above its rate of {most}",
                job.name,
                direction.name()
            );
            let error = match floor {
                Some(Rate::Ios(_)) => notes::error(job, &options::RATE_IOPS_MIN, "floor-above-rate", message),
                _ => notes::error(job, &options::RATE_MIN, "floor-above-rate", message),
            };
            return Err(error.hint("a least rate that is not above the rate"));
        }
    }
    Ok(())
}

fn cycle(job: &Job) -> Nanos {
    Nanos::millis(job.get(&options::RATE_CYCLE).into()).max(CYCLE_MIN)
}

/// With a time between pauses, fio ignores the number of I/Os unless that is given too.
fn think(job: &Job, notes: &mut Notes) -> Option<Think> {
    let pause = Some(job.get(&options::THINKTIME)).filter(|pause| pause.0 > 0)?;
    let spin = job.get(&options::THINKTIME_SPIN);
    if spin > pause {
        let message = format!("thinktime_spin is longer than thinktime; taken as {pause}");
        notes.push(notes::note(job, &options::THINKTIME_SPIN, "spin-clipped", message));
    }
    let io_time = Some(job.get(&options::THINKTIME_IOTIME)).filter(|time| time.0 > 0);
    let blocks = u64::from(job.get(&options::THINKTIME_BLOCKS)).max(1);
    let counted = io_time.is_none() || job.is_given(&options::THINKTIME_BLOCKS);
    Some(Think {
        pause,
        spin: spin.min(pause),
        every: if counted { blocks } else { u64::MAX },
        counts: match job.get(&options::THINKTIME_BLOCKS_TYPE) {
            "issue" => ThinkCounts::Issue,
            _ => ThinkCounts::Completion,
        },
        io_time,
    })
}

fn goal(job: &Job, reachable: u32, notes: &mut Notes) -> Option<LatencyGoal> {
    let target = Some(job.get(&options::LATENCY_TARGET)).filter(|target| target.0 > 0)?;
    let window = job.get(&options::LATENCY_WINDOW);
    if window.0 == 0 {
        let message = "latency_target without latency_window: a depth is judged by the first I/Os that \
                       complete, as in fio";
        notes.push(
            notes::warning(job, &options::LATENCY_TARGET, "goal-without-window", message)
                .hint("latency_window=5s, for example"),
        );
    }
    if reachable == 1 {
        let message = "latency_target searches depths up to the one that can be reached, which is 1";
        notes.push(
            notes::warning(job, &options::LATENCY_TARGET, "goal-without-depth", message)
                .hint("iodepth=128 with ioengine=io_uring, for example"),
        );
    }
    Some(LatencyGoal {
        target,
        window,
        percentile: job.get(&options::LATENCY_PERCENTILE),
        keeps_adapting: job.get(&options::LATENCY_RUN),
    })
}

fn flow(job: &Job) -> Option<Flow> {
    let weight = Some(job.get(&options::FLOW)).filter(|weight| *weight > 0)?;
    let sleep = Nanos::micros(job.get(&options::FLOW_SLEEP).into());
    Some(Flow { id: job.get(&options::FLOW_ID), weight, sleep })
}
