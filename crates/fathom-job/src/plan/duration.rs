//! How long a plan takes and what its clones will probably move; the clock of a rehearsal.

use super::blocks::one_block;
use super::notes::{self, Checked};
use super::{Expected, Plan, PlannedJob, Rate, ResolvedJob};
use crate::direction::Direction;
use crate::engine::EngineDef;
use crate::job::Job;
use crate::options;
use crate::units::{Bytes, Nanos};
use crate::value::Mix;
use std::collections::HashMap;

/// When a job may begin, and how long it then takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobTime {
    /// It does not begin before this time (`startdelay`).
    pub not_before: Nanos,
    /// It begins this long after what it waits for has ended (`idle_before`).
    pub idle_before: Nanos,
    /// What it takes from its beginning to its end.
    pub time: Nanos,
}

impl JobTime {
    /// What the plan expects of a job; `None` if that depends on the speed of a target.
    pub(super) fn expected(job: &PlannedJob) -> Option<Self> {
        let time = Nanos(job.expected.time?.0.saturating_sub(job.wait_before().0));
        Some(JobTime { not_before: job.start_delay, idle_before: job.idle_before, time })
    }
}

impl Plan {
    /// How long the plan will take; `None` if that depends on the speed of a target. What happens
    /// before the first job starts, such as layout, is not included.
    pub fn expected_time(&self) -> Option<Nanos> {
        self.time_of(JobTime::expected)
    }

    /// How long the plan takes if each job takes the time that `time` gives for it.
    pub fn time_of(&self, time: impl Fn(&PlannedJob) -> Option<JobTime>) -> Option<Nanos> {
        let ends = spans(&self.jobs, time).into_iter().map(|span| Some(span?.1));
        ends.reduce(|one, other| Some(one?.max(other?))).unwrap_or(Some(Nanos(0)))
    }
}

/// When each job begins and ends, from the start of the plan, if it takes the time that `time` gives for it; `None` where that
/// is not known. A job with `wait_for` begins when all clones of the job that it names have ended, so their times add
/// up. `startdelay` counts from the start of the plan in every stage, as in fio, so a stage before
/// and the delay of a job do not add up.
pub(super) fn spans(
    jobs: &[PlannedJob],
    time: impl Fn(&PlannedJob) -> Option<JobTime>,
) -> Vec<Option<(Nanos, Nanos)>> {
    let mut ends: HashMap<&str, Option<u64>> = HashMap::new();
    let mut stage_begins = Some(0);
    let mut spans = Vec::with_capacity(jobs.len());
    for stage in jobs.chunk_by(|a, b| a.stage == b.stage) {
        let mut stage_ends = stage_begins;
        for job in stage {
            // A job of an earlier stage has ended when this stage begins.
            let waits = job.wait_for.as_deref().and_then(|name| ends.get(name).copied());
            let span = span(waits.unwrap_or(Some(0)), stage_begins, time(job));
            let end = span.map(|(_, end)| end.0);
            let last = ends.entry(&job.name).or_insert(Some(0));
            *last = last.zip(end).map(|(one, other)| one.max(other));
            stage_ends = stage_ends.zip(end).map(|(one, other)| one.max(other));
            spans.push(span);
        }
        stage_begins = stage_ends;
    }
    spans
}

/// A job that may begin when what it waits for has ended and its stage has begun.
fn span(waits: Option<u64>, stage_begins: Option<u64>, time: Option<JobTime>) -> Option<(Nanos, Nanos)> {
    let JobTime { not_before, idle_before, time } = time?;
    let may = waits?.max(stage_begins?).saturating_add(idle_before.0);
    let begins = may.max(not_before.0);
    Some((Nanos(begins), Nanos(begins.saturating_add(time.0))))
}

// What a clone will probably move, and how long that takes.
//
// Most jobs are bounded either in bytes or in time, and the target's speed
// decides the other. A rate for every direction in use bounds both, provided
// that the target keeps up.

/// What can be foreseen from the end rule, the ramp and the rate.
pub(super) fn expected_of(planned: &PlannedJob) -> Expected {
    let Expected { bytes, time } = after_ramp(planned);
    if planned.burns_cpu() {
        return Expected { bytes: Some(Bytes(0)), time };
    }
    // How long a ramp of bytes takes, the target decides.
    let time = time.filter(|_| planned.ramp_size().0 == 0);
    let bytes = bytes.zip(ramp_bytes(planned)).map(|(own, ramp)| Bytes(own.0.saturating_add(ramp.0)));
    Expected { bytes, time }
}

/// The bytes of the ramp, which only its time ends: the limits of the job do not apply yet. `None` where the speed of a
/// target, or a search for a depth, decides how many they are.
fn ramp_bytes(planned: &PlannedJob) -> Option<Bytes> {
    match planned.ramp.0 {
        0 if planned.ramp_size().0 > 0 && !planned.shares_ramp() => Some(planned.ramp_size()),
        0 if planned.has_ramp() => None,
        0 => Some(Bytes(0)),
        _ if planned.ramp_size().0 > 0 => None,
        _ => bytes_per_second(planned).map(|rate| whole_blocks(planned, rate * planned.ramp.as_secs_f64())),
    }
}

/// The bytes after the ramp, and the time with it.
fn after_ramp(planned: &PlannedJob) -> Expected {
    let end = &planned.end;
    let rate = bytes_per_second(planned);
    let moved_in = |time: Nanos| rate.map(|rate| whole_blocks(planned, rate * time.as_secs_f64()));
    let measured = |time: Nanos| Nanos(before(planned).saturating_add(time.0));
    let (bytes, time) = match (end.time, planned.bounded_bytes(), rate) {
        (Some(time), _, _) if end.time_based => (moved_in(time), Some(measured(time))),
        (None, bytes, None) => (bytes, None),
        (limit, Some(bytes), Some(rate)) => {
            let paced = Nanos((bytes.0 as f64 / rate * 1e9) as u64);
            let time = limit.map_or(paced, |limit| limit.min(paced));
            (moved_in(time).map(|moved| moved.min(bytes)), Some(measured(time)))
        }
        _ => (None, None),
    };
    Expected { bytes, time }
}

impl<Files> ResolvedJob<Files> {
    /// Does it begin when jobs before it have ended, and not at the start of the run?
    pub fn waits_for_others(&self) -> bool {
        self.stage > 0 || self.wait_for.is_some()
    }

    /// How long it waits from the time when it may begin. The start delay of a job that waits for others does not count: it
    /// is from the start of the run, and may be over by then.
    pub fn wait_before(&self) -> Nanos {
        if self.waits_for_others() { self.idle_before } else { self.start_delay.max(self.idle_before) }
    }

    /// The bytes that end its ramp; 0 where none do.
    pub fn ramp_size(&self) -> Bytes {
        self.job.get(&options::RAMP_SIZE)
    }

    /// Do the bytes of all jobs of its group together end its ramp?
    pub fn shares_ramp(&self) -> bool {
        self.ramp_size().0 > 0 && self.job.get(&options::GROUP_REPORTING)
    }

    /// How long its ramp is, in time or in bytes: `10 s or 1 GiB`; `None` where it has none.
    pub fn ramp_words(&self) -> Option<String> {
        match (self.ramp.0 > 0, self.ramp_size().0 > 0) {
            (true, true) => Some(format!("{} or {}", self.ramp, self.ramp_size())),
            (true, false) => Some(self.ramp.to_string()),
            (false, true) => Some(self.ramp_size().to_string()),
            (false, false) => None,
        }
    }

    /// Does it have a ramp that its time or its bytes end?
    pub fn has_own_ramp(&self) -> bool {
        self.ramp.0 > 0 || self.ramp_size().0 > 0
    }
}

impl PlannedJob {
    /// I/Os per second that the rate asks for in this direction; `None` without a rate. For blocks
    /// of several sizes it is the mean.
    pub fn ios_asked(&self, direction: Direction) -> Option<f64> {
        Some(match self.pace.rate[direction]? {
            Rate::Ios(ios) => ios as f64,
            Rate::Bytes(bytes) => bytes as f64 / self.block[direction].mean(),
        })
    }

    /// Does it issue I/Os before it measures: in its ramp, or in a search for a depth?
    pub fn has_ramp(&self) -> bool {
        self.has_own_ramp() || self.pace.searches_first()
    }

    /// The bytes that end it, without those of a ramp; `None` where none do, or where its limits in bytes and in I/Os
    /// cannot be compared.
    pub fn bounded_bytes(&self) -> Option<Bytes> {
        let bytes = self.end.bytes?;
        let Some(ios) = self.end.ios else {
            return Some(bytes);
        };
        match one_block(self) {
            Some(block) => Some(bytes.min(Bytes(ios.saturating_mul(block.0)))),
            None if ios.saturating_mul(self.block_min().0) >= bytes.0 => Some(bytes),
            None => None,
        }
    }
}

/// Its wait and its ramp.
pub(super) fn before(planned: &PlannedJob) -> u64 {
    planned.wait_before().0.saturating_add(planned.ramp.0)
}

/// Bytes per second of the schedules of all directions in use together. Pauses that are not made up
/// for, other jobs and a search for a depth are not foreseen.
fn bytes_per_second(planned: &PlannedJob) -> Option<f64> {
    let pace = &planned.pace;
    if pace.think.is_some() || pace.goal.is_some() || pace.flow.is_some() {
        return None;
    }
    let used = Direction::ALL.into_iter().filter(|d| planned.uses(*d));
    let rates: Option<Vec<f64>> = used.map(|d| rate_of(planned, d)).collect();
    let rates = rates.filter(|rates| !rates.is_empty())?;
    Some(match planned.rw.mix {
        // Each block is trimmed, then written: the slower of the two decides.
        Mix::TrimWrite => rates.iter().copied().fold(f64::INFINITY, f64::min) * rates.len() as f64,
        _ => rates.iter().sum(),
    })
}

fn rate_of(planned: &PlannedJob, direction: Direction) -> Option<f64> {
    Some(match planned.pace.rate[direction]? {
        Rate::Bytes(bytes) => bytes as f64,
        Rate::Ios(ios) => ios as f64 * planned.block[direction].mean(),
    })
}

/// The bytes of a schedule: the first I/O is due at once, and each moves a whole block.
fn whole_blocks(planned: &PlannedJob, bytes: f64) -> Bytes {
    let bytes = bytes.round() as u64;
    match one_block(planned) {
        Some(block) => Bytes(bytes.checked_next_multiple_of(block.0).unwrap_or(bytes).max(block.0)),
        None => Bytes(bytes).max(planned.block_min()),
    }
}

// A clock that goes faster than real time (`clock_speed`), to rehearse long runs.
//
// A device runs in real time, so only engines without a device can use a faster clock; and a run
// has one clock, so all its jobs must have the same speed.

/// Can this engine use a faster clock?
pub(super) fn clock_suits(job: &Job, engine: &EngineDef) -> Checked<()> {
    let speed = job.get(&options::CLOCK_SPEED);
    if speed == 1 || engine.diskless {
        return Ok(());
    }
    let message = format!(
        "job {}: clock_speed={speed} is for engines that touch no device; ioengine={} does",
        job.name, engine.name
    );
    let error = notes::error(job, &options::CLOCK_SPEED, "clock-with-device", message);
    Err(error.hint("ioengine=null to rehearse, or clock_speed=1 to measure"))
}

/// Do all jobs ask for the same speed?
pub(super) fn clocks_agree(jobs: &[PlannedJob]) -> Checked<()> {
    let speed = |planned: &PlannedJob| planned.job.get(&options::CLOCK_SPEED);
    let Some(first) = jobs.first() else { return Ok(()) };
    let Some(other) = jobs.iter().find(|planned| speed(planned) != speed(first)) else {
        return Ok(());
    };
    let message = format!(
        "a run has one clock: clock_speed is {} in {} and {} in {}",
        speed(first),
        first.name,
        speed(other),
        other.name
    );
    let error = notes::error(&other.job, &options::CLOCK_SPEED, "clocks-differ", message);
    Err(error.hint("set clock_speed in [global]"))
}

#[cfg(test)]
mod tests {
    use crate::plan::fixture::planned;
    use crate::units::Nanos;

    /// The time of jobs that have these sections.
    fn seconds(sections: &str) -> Option<u64> {
        let global = "[global]\nfilename=/dev/fioa\nrw=read\ntime_based\nruntime=10\n";
        planned(&format!("{global}{sections}")).expected_time().map(|time| time.0 / Nanos::secs(1).0)
    }

    #[test]
    fn stages_add_up_and_jobs_of_a_stage_run_together() {
        assert_eq!(seconds("[a]\n[b]\nruntime=30\n"), Some(30));
        assert_eq!(seconds("[a]\nramp_time=2\n[b]\nstonewall\nruntime=30\n"), Some(42));
        assert_eq!(seconds("[a]\nnumjobs=3\n[b]\nstonewall\n"), Some(20));
    }

    #[test]
    fn a_job_that_waits_begins_when_the_other_has_ended() {
        assert_eq!(seconds("[a]\n[b]\nwait_for=a\nruntime=5\n[c]\nwait_for=b\n"), Some(25));
        assert_eq!(seconds("[a]\nnumjobs=2\n[b]\nwait_for=a\n[c]\nruntime=60\n"), Some(60));
        assert_eq!(seconds("[a]\n[b]\nstonewall\nwait_for=a\n"), Some(20));
    }

    /// fio 3.33: a job that waits for others and has a delay begins when both are over.
    #[test]
    fn a_delay_counts_from_the_start_of_the_plan() {
        assert_eq!(seconds("[a]\nstartdelay=3\n"), Some(13));
        assert_eq!(seconds("[a]\n[b]\nstonewall\nstartdelay=4\n"), Some(20));
        assert_eq!(seconds("[a]\n[b]\nstonewall\nstartdelay=14\n"), Some(24));
        assert_eq!(seconds("[a]\n[b]\nwait_for=a\nstartdelay=14\n"), Some(24));
        assert_eq!(seconds("[a]\n[b]\nstonewall\nidle_before=4\n"), Some(24));
        assert_eq!(seconds("[a]\n[b]\nwait_for=a\nstartdelay=13\nidle_before=4\n"), Some(24));
    }

    /// fio 3.33 with the null engine: `b` with `stonewall` and a delay of 1 s behind 2 s of `a` begins at once, and with a delay of 5 s
    /// it begins after 5 s.
    #[test]
    fn the_time_of_a_job_that_waits_for_others_contains_no_delay() {
        let seconds = |options: &str| {
            let global = "[global]\nfilename=/dev/fioa\nrw=read\ntime_based\nruntime=10\nramp_time=1\n";
            let plan = planned(&format!("{global}[a]\n[b]\n{options}"));
            plan.jobs[1].expected.time.map(|time| time.0 / Nanos::secs(1).0)
        };
        for (options, time) in [
            ("startdelay=3", 14),
            ("startdelay=3\nidle_before=4", 15),
            ("stonewall\nstartdelay=3", 11),
            ("wait_for=a\nstartdelay=30", 11),
            ("stonewall\nstartdelay=3\nidle_before=2", 13),
        ] {
            assert_eq!(seconds(options), Some(time), "{options}");
        }
    }

    #[test]
    fn the_speed_of_a_target_is_unknown() {
        assert_eq!(seconds("[a]\n[b]\nstonewall\ntime_based=0\nruntime=0\nsize=1m\n"), None);
    }
}
