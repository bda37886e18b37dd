//! What a run would refuse: one judge for the run itself, for every command that only plans, and for a procedure before its
//! first step.

use crate::base::RunBase;
use crate::exit::{Exit, Failure};
use crate::here::Here;
use crate::request::SavedAt;
use crate::{fills, logs, run_dir, targets};
use fathom_engine::runner::{MixedTime, PlanTime};
use fathom_engine::{engine, ring};
use fathom_guard::{Consent, Door};
use fathom_job::plan::Plan;
use std::io;
use std::path::Path;

/// What would be refused of a plan, the most general first. Devices and files are examined and then released; nothing is
/// written, and no file is made.
pub fn refusals(plan: &Plan, door: Door, consent: Consent, saved: &SavedAt, here: &Here) -> Vec<Failure> {
    let of_plan = of_plan(plan, door, Some(saved.dir.path()), here);
    let mut refused: Vec<Failure> = of_plan.into_iter().chain(run_dir::refusal(&saved.dir)).collect();
    let base = RunBase::new(door, consent, saved.state_dir.clone(), here);
    refused.extend(targets::refused(base.guard(), plan, here.slow_look()));
    refused
}

/// What is refused of a plan whatever its targets are. `results` is where the run is saved, where that is known.
pub(crate) fn of_plan(plan: &Plan, door: Door, results: Option<&Path>, here: &Here) -> Option<Failure> {
    if let Err(mixed) = time_of(plan) {
        return Some(mixed);
    }
    // fio reports an engine that cannot be used job by job, and writes its logs where it is told.
    let native = || no_ring(plan, ring::probe).or_else(|| logs::impossible(plan));
    (door == Door::Native)
        .then(native)
        .flatten()
        .or_else(|| fills::refusals(plan, results, here).into_iter().next())
}

/// In which time the jobs of a plan run.
///
/// # Errors
/// Some run in real time and some in simulated time.
pub(crate) fn time_of(plan: &Plan) -> Result<PlanTime, Failure> {
    PlanTime::of(plan).map_err(|e| Failure::new(Exit::Usage, e).hint(MixedTime::HINT))
}

/// The first job whose engine needs a ring, where none can be made.
fn no_ring(plan: &Plan, probe: impl FnOnce() -> io::Result<()>) -> Option<Failure> {
    let needs_ring = |name: &str| engine::find(name).is_some_and(|entry| entry.def.needs_ring);
    let job = plan.jobs.iter().find(|job| needs_ring(&job.engine))?;
    let e = probe().err()?;
    let message = format!("job {}: engine {} cannot set up a ring: {e}", job.name, job.engine);
    let failure = Failure::new(Exit::Failed, message);
    Some(failure.hint("--set ioengine=libaio runs it with Linux AIO, which has other costs for each I/O"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notice::{Listener, Notice};
    use fathom_job::parse::{Adjust, load_text};
    use std::sync::Arc;

    struct NoListener;

    impl Listener for NoListener {
        fn notice(&self, _: Notice<'_>) {}
    }

    fn plan(options: &str) -> (Here, Plan) {
        let here = Here::new(Arc::new(NoListener));
        let text = format!("[j]\nrw=read\nsize=4k\n{options}\n");
        let jobs = load_text("test", &text, &Adjust::default(), &here).unwrap();
        let plan = crate::planning::planned(&jobs, &here).unwrap();
        (here, plan)
    }

    fn refusal(options: &str, door: Door) -> Option<(Exit, String)> {
        let (here, plan) = plan(options);
        of_plan(&plan, door, None, &here).map(|failure| (failure.exit, failure.message))
    }

    /// The run says it after its directory is made, and after the purge of a suite.
    #[test]
    fn a_log_outside_of_the_runs_directory_is_refused_of_the_plan() {
        let null = "ioengine=null";
        for prefix in ["/tmp/x", "../x", "a/../../x"] {
            let (exit, sentence) = refusal(&format!("{null}\nwrite_bw_log={prefix}"), Door::Native).unwrap();
            let wanted = format!("cannot make the log {prefix}_bw.1.log");
            assert!(exit == Exit::Usage && sentence.starts_with(&wanted), "{sentence}");
        }
        for options in ["write_bw_log", "write_lat_log=x", "write_iops_log=a/x"] {
            assert_eq!(refusal(&format!("{null}\n{options}"), Door::Native), None, "{options}");
        }
        assert_eq!(refusal(&format!("{null}\nwrite_bw_log=/tmp/x"), Door::Fio), None, "fio writes it there");
        let long = "x".repeat(250);
        for (prefix, why) in [
            ("spool/x", "spool is a file of the run"),
            ("run.json/x", "run.json is a file of the run"),
            (&long, "a name in it is longer than 255 bytes"),
        ] {
            let (exit, sentence) = refusal(&format!("{null}\nwrite_lat_log={prefix}"), Door::Native).unwrap();
            assert!(exit == Exit::Usage && sentence.ends_with(why), "{sentence}");
        }
    }

    #[test]
    fn an_engine_without_a_ring_is_refused_of_the_plan() {
        let off = || Err(io::Error::from_raw_os_error(libc::EPERM));
        let refused = |engine: &str| {
            let (_, plan) = plan(&format!("ioengine={engine}\nfilename=/dev/zero"));
            no_ring(&plan, off).map(|failure| (failure.exit, failure.message))
        };
        for engine in ["io_uring", "nop"] {
            let (exit, sentence) = refused(engine).unwrap();
            assert!(
                exit == Exit::Failed && sentence.contains(&format!("engine {engine} cannot set up a ring")),
                "{sentence}"
            );
        }
        assert_eq!((refused("libaio"), refused("psync"), refused("null")), (None, None, None));
        let (_, with_ring) = plan("ioengine=io_uring\nfilename=/dev/zero");
        assert!(no_ring(&with_ring, || Ok(())).is_none());
    }
}
