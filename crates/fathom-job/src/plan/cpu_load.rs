//! Jobs that use a CPU and do no I/O (`ioengine=cpuio`): a burn, a pause, and so on.

use super::notes::{self, Notes};
use super::{PlannedJob, ResolvedJob};
use crate::engine::EngineDef;
use crate::job::{Job, OptionSetting};
use crate::options;
use crate::units::{Bytes, Nanos};
use crate::value::{Size, Value};
use std::sync::Arc;

/// The options that decide anything about such a job, beside those of its engine. It does no I/O, so all others are dropped: often
/// they are those of `[global]`, and meant for the other jobs.
const KEPT: &[&str] = &[
    "name",
    "description",
    "numjobs",
    "group_reporting",
    "new_group",
    "stats",
    "stonewall",
    "wait_for",
    "exitall",
    "exitall_on_error",
    "exit_what",
    "runtime",
    "ramp_time",
    "startdelay",
    "idle_before",
    "cpus_allowed",
    "cpus_allowed_policy",
    "numa_cpu_nodes",
    "numa_mem_policy",
    "nice",
    "prio",
    "prioclass",
    "priohint",
    "ioengine",
    "clock_speed",
];

/// The region of such a job: each descriptor of a block is a burn.
const BURN: Bytes = Bytes(4096);

impl<Files> ResolvedJob<Files> {
    /// Does it use a CPU, and do no I/O?
    pub fn burns_cpu(&self) -> bool {
        self.engine_def().is_some_and(|engine| engine.burns_cpu)
    }

    /// The share of a CPU that each clone is to use, from 0 to 1, where it is a load.
    pub fn cpu_share(&self) -> Option<f64> {
        self.burns_cpu().then(|| f64::from(percent(&self.job)) / 100.0)
    }

    /// The load, where it is one: `50 % of a CPU`.
    pub fn cpu_load(&self) -> Option<String> {
        self.burns_cpu().then(|| format!("{} % of a CPU", percent(&self.job)))
    }

    /// What makes the load: `50 % of a CPU, in burns of 50 ms that sort numbers`.
    pub(super) fn load_words(&self) -> Option<String> {
        let sorts = if self.job.get(&options::CPUMODE) == "qsort" { " that sort numbers" } else { "" };
        let burn = self.job.get(&options::CPUCHUNKS);
        self.cpu_load().map(|load| format!("{load}, in burns of {burn}{sorts}"))
    }
}

/// The job as its load makes it; jobs of other engines stay as they are.
pub(super) fn with_load(job: Arc<Job>, engine: &EngineDef, notes: &mut Notes) -> Option<Arc<Job>> {
    if !engine.burns_cpu {
        return Some(job);
    }
    let percent = percent(&job);
    if percent == 0 {
        let message = format!("job {}: ioengine=cpuio needs cpuload", job.name);
        notes.push(
            notes::error(&job, &options::IOENGINE, "no-cpuload", message).hint("cpuload=50, for example"),
        );
        return None;
    }
    let mut own = Job::clone(&job);
    let is_of_engine = |name: &str| options::find(name).is_some_and(|def| def.engines.contains(&engine.name));
    own.settings.retain(|name, _| KEPT.contains(name) || is_of_engine(name));
    set(&mut own, options::SIZE.def.name, Value::Size(Size::Bytes(BURN)));
    // fio's pause, so that burns take this percentage of both.
    let burn = job.get(&options::CPUCHUNKS).0;
    let pause = u128::from(burn) * u128::from(100 - percent) / u128::from(percent);
    let pause = Nanos(u64::try_from(pause).unwrap_or(u64::MAX));
    set(&mut own, options::THINKTIME.def.name, Value::Time(pause));
    Some(Arc::new(own))
}

/// As in fio, more than the whole CPU is the whole.
fn percent(job: &Job) -> u32 {
    job.get(&options::CPULOAD).min(100)
}

fn set(job: &mut Job, name: &'static str, value: Value) {
    let given = job.named(options::IOENGINE.def.name).expect("a job of this engine names it");
    let setting = OptionSetting { text: crate::parse::print(&value), value, ..given.clone() };
    job.settings.insert(name, setting);
}

/// A job without a `runtime` ends when those with I/O have ended, if it is told to.
pub(super) fn find_endless(jobs: &[PlannedJob], notes: &mut Notes) {
    let has_io = jobs.iter().any(|job| !job.burns_cpu());
    let is_endless = |job: &&PlannedJob| {
        let ends_with_io = has_io && job.job.get(&options::EXIT_ON_IO_DONE);
        job.burns_cpu() && job.end.time.is_none() && !ends_with_io
    };
    if let Some(planned) = jobs.iter().find(is_endless) {
        let message = format!("job {}: a load on a CPU has no end of its own", planned.name);
        let error = notes::error(&planned.job, &options::IOENGINE, "endless-load", message);
        notes.push(error.hint("runtime=30s for example; or exit_on_io_done=1, if there are jobs with I/O"));
    }
}
