//! What holds a clone back and what judges it, from its options; and options of pacing without effect.
//!
//! Every part is optional and independent of the others; a job whose [`Pace`] has nothing set goes
//! as fast as its target. Rates and floors are kept only for directions that the job issues, so
//! that the engine need not check this again.

use super::BlockSizes;
use super::notes::{self, Checked, Notes};
use crate::diagnostic::{Diagnostic, Severity};
use crate::direction::{Direction, PerDirection};
use crate::job::Job;
use crate::option::Key;
use crate::units::{Bytes, Nanos};
use crate::{options, parse};
use serde::{Deserialize, Serialize};

/// All that limits or judges a clone while it runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pace {
    /// The rate asked for; `None` means no limit.
    pub rate: PerDirection<Option<Rate>>,
    /// How the starts asked for are spread over time.
    pub arrivals: Arrivals,
    /// Pauses between I/Os.
    pub think: Option<Think>,
    /// Time spent in a pause is not made up for: the schedule of the rate moves so that no start is due within the pause
    /// (`rate_ignore_thinktime`).
    pub ignores_think: bool,
    /// The job ends with an error when it is slower than this.
    pub floor: PerDirection<Option<Rate>>,
    /// The floor is judged over spans of this length; zero without a floor.
    pub floor_cycle: Nanos,
    /// The job ends with an error at an I/O slower than this (total latency).
    pub latency_max: PerDirection<Option<Nanos>>,
    /// The latency for which the largest depth is searched.
    pub goal: Option<LatencyGoal>,
    /// The job's part in a ratio between jobs.
    pub flow: Option<Flow>,
}

/// An amount per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Rate {
    /// Bytes per second, at least 1.
    Bytes(u64),
    /// I/Os per second, at least 1.
    Ios(u64),
}

/// The gaps between the starts that a rate asks for (`rate_process`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Arrivals {
    /// Each gap is the I/O's share of the rate.
    #[default]
    Linear,
    /// Exponential gaps around that mean: a Poisson process.
    Poisson,
}

/// A pause after some I/Os (`thinktime` and the options that belong to it).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Think {
    /// Length of the pause, spinning included; never zero.
    pub pause: Nanos,
    /// First part of the pause, spent spinning; at most `pause`.
    pub spin: Nanos,
    /// I/Os from the end of one pause to the next, at least 1; `u64::MAX`
    /// where `io_time` alone decides.
    pub every: u64,
    /// When an I/O counts towards `every`.
    pub counts: ThinkCounts,
    /// Time from the end of one pause to the next, whichever of the two comes
    /// first; never zero.
    pub io_time: Option<Nanos>,
}

/// When an I/O counts towards a pause (`thinktime_blocks_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ThinkCounts {
    /// As it is issued.
    Issue,
    /// As it completes.
    Completion,
}

/// A latency to keep: the depth is the largest that does (`latency_target`).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LatencyGoal {
    /// Total latency that an I/O may have; never zero.
    pub target: Nanos,
    /// Each depth is judged over this time; with zero, each time that completions are taken, as in
    /// fio.
    pub window: Nanos,
    /// Percent of the I/Os of a window that must keep `target`, 0 to 100.
    pub percentile: f64,
    /// Goes on adapting until the run ends (`latency_run`). Otherwise the job measures the depth
    /// that was found for one window, and ends.
    pub keeps_adapting: bool,
}

/// A part in a ratio: jobs with the same `id` issue I/Os in proportion to
/// their weights (`flow`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Flow {
    /// Number of the ratio.
    pub id: u32,
    /// This job's weight, at least 1.
    pub weight: u32,
    /// How long a job that is ahead waits before it checks again; zero checks again at once.
    pub sleep: Nanos,
}

impl Pace {
    /// Is any direction held to a rate?
    pub fn is_paced(&self) -> bool {
        self.rate.iter().any(|(_, rate)| rate.is_some())
    }

    /// Do pauses move the schedule of the rate, so that fewer I/Os are due than the rate alone would ask for?
    pub fn moves_schedule(&self) -> bool {
        self.is_paced() && self.think.is_some() && self.ignores_think
    }

    /// Is a depth searched for before anything is measured?
    pub fn searches_first(&self) -> bool {
        self.goal.as_ref().is_some_and(|goal| !goal.keeps_adapting)
    }
}

// The options of pacing to a [`Pace`].
//
// The rules are fio's, checked against fio 3.33: a rate is given either in
// bytes or in I/Os for the whole job, and so is a floor; a floor above its
// rate is an error; spinning is a part of the pause.

/// The shortest span over which fio judges a floor: it counts in milliseconds.
const CYCLE_MIN: Nanos = Nanos::millis(1);

type Rates = PerDirection<Option<Rate>>;
type InBytes = Key<PerDirection<Bytes>>;
type InIos = Key<PerDirection<u32>>;

/// The pace of a job that issues I/O in these directions, with at most `reachable` I/Os in flight.
pub(super) fn pace_of(
    job: &Job,
    issues: PerDirection<bool>,
    reachable: u32,
    notes: &mut Notes,
) -> Option<Pace> {
    let rate = rates(job, &options::RATE, &options::RATE_IOPS);
    let floor = rates(job, &options::RATE_MIN, &options::RATE_IOPS_MIN);
    let sound = [
        one_unit(job, &options::RATE, &options::RATE_IOPS),
        one_unit(job, &options::RATE_MIN, &options::RATE_IOPS_MIN),
        floor_below(job, rate, floor),
    ];
    sound.map(|check| notes.take(check)).into_iter().collect::<Option<()>>()?;
    find_unused(job, issues, notes);
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

// A rate in I/Os of a job whose block size varies. fio turns such a rate into bytes by the smallest block
// (`setup_rate` in backend.c), so a job with larger blocks does fewer I/Os there. With `rate_process=poisson` fio counts
// I/Os, as fathom always does.

/// Reports the rate that fio would keep.
pub(super) fn find_large_blocks(job: &Job, pace: &Pace, block: &PerDirection<BlockSizes>, notes: &mut Notes) {
    let of_fio = |direction: Direction| match pace.rate[direction] {
        Some(Rate::Ios(ios)) => Some(ios.saturating_mul(block[direction].min().0)),
        _ => None,
    };
    let varies = |direction: &Direction| {
        let sizes = &block[*direction];
        of_fio(*direction).is_some() && sizes.min() != sizes.max()
    };
    let Some(direction) = Direction::ALL.into_iter().find(varies) else { return };
    if pace.arrivals != Arrivals::Linear {
        return;
    }
    let smallest = block[direction].min();
    let bytes = Bytes(of_fio(direction).unwrap_or_default());
    let message = format!(
        "job {}: rate_iops counts I/Os of every size; fio would keep {bytes} a second ({smallest} for each I/O, its \
         smallest block), and so do fewer I/Os",
        job.name
    );
    let values = Direction::ALL.map(|direction| of_fio(direction).map(|n| n.to_string()).unwrap_or_default());
    let values = values.join(",");
    let note = notes::note(job, &options::RATE_IOPS, "rate-iops-sizes", message);
    notes.push(
        note.hint(format!(
            "for the rate of fio: rate={} in place of rate_iops",
            values.trim_end_matches(',')
        )),
    );
}

// Options of pacing that have no effect, because the option that they belong to is not set. fio
// does not report them.

/// Options, and those of which one must be set for them to matter.
const BELONG: &[(&[&str], &[&str])] = &[
    (&["rate_process", "rate_ignore_thinktime"], &["rate", "rate_iops"]),
    (&["rate_cycle"], &["rate_min", "rate_iops_min"]),
    (&["thinktime_spin", "thinktime_blocks", "thinktime_blocks_type", "thinktime_iotime"], &["thinktime"]),
    (&["latency_window", "latency_percentile", "latency_run"], &["latency_target"]),
    (&["flow_id", "flow_sleep"], &["flow"]),
    (
        &[
            "replay_no_stall",
            "replay_time_scale",
            "replay_redirect",
            "replay_scale",
            "replay_align",
            "replay_skip",
        ],
        &["read_iolog"],
    ),
];

/// Reports each such option, and rates for directions that the job does not issue.
pub(super) fn find_unused(job: &Job, issues: PerDirection<bool>, notes: &mut Notes) {
    for (options, needed) in BELONG {
        if needed.iter().any(|name| asks(job, name)) {
            continue;
        }
        for name in options.iter().filter(|name| asks(job, name)) {
            let message = format!("{name} has no effect without {}", needed.join(" or "));
            let note = Diagnostic::new(Severity::Note, "pace-unused", message);
            notes.push(notes::at_name(note, job, name));
        }
    }
    other_directions(job, issues, notes);
}

fn other_directions(job: &Job, issues: PerDirection<bool>, notes: &mut Notes) {
    let bytes = job.get(&options::RATE).map(|rate| rate.0 > 0);
    let ios = job.get(&options::RATE_IOPS).map(|rate| rate > 0);
    let paced: Vec<Direction> = Direction::ALL.into_iter().filter(|d| bytes[*d] || ios[*d]).collect();
    if paced.is_empty() || paced.iter().any(|d| issues[*d]) {
        return;
    }
    let option = if paced.iter().any(|d| bytes[*d]) { "rate" } else { "rate_iops" };
    let names: Vec<&str> = paced.into_iter().map(Direction::name).collect();
    let message = format!(
        "{option} is given only for {}, which job {} does not issue: the job has no rate limit",
        names.join(" and "),
        job.name
    );
    let finding = Diagnostic::new(Severity::Warning, "pace-unused", message);
    notes.push(notes::at_name(finding, job, option).hint(format!("{option} takes read,write,trim")));
}

/// Was the option set to other than its default?
fn asks(job: &Job, name: &str) -> bool {
    let default = options::find(name).and_then(parse::default_of);
    job.settings().any(|(set, setting)| set == name && Some(&setting.value) != default.as_ref())
}
