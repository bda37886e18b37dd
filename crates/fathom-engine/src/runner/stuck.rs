//! The messages about a worker whose target does not answer.

use super::watchdog::Silence;
use crate::worker::failure;
use fathom_job::plan::PlannedJob;
use fathom_results::JobFailure;
use fathom_text::quantity::rounded_time;
use std::fs;
use std::time::Duration;

/// What was going on when a target stopped answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StalledIn {
    Layout,
    Run,
}

/// A silence that has lasted; `others` workers are silent at the same targets.
pub fn stalled(
    plan: &PlannedJob,
    silence: &Silence,
    act: StalledIn,
    others: usize,
    tid: Option<i32>,
) -> String {
    let others = match others {
        0 => String::new(),
        1 => " (and one more job)".to_owned(),
        n => format!(" (and {n} more jobs)"),
    };
    format!("{}{others}: {}{}", name(plan), unanswered(plan, silence, act), waits(tid))
}

pub fn answered(plan: &PlannedJob, silent: Duration) -> String {
    format!(
        "{}: {} answered again after {}",
        name(plan),
        targets(plan),
        rounded_time(silent.as_nanos() as u64)
    )
}

/// What happens once a worker was given up.
pub fn ending(plan: &PlannedJob) -> String {
    format!("{}: given up; all jobs stop now, and what was measured is saved", name(plan))
}

/// Why a worker, or the layout of its files, was given up.
pub fn given_up(plan: &PlannedJob, silence: &Silence, act: StalledIn, tid: Option<i32>) -> JobFailure {
    let message = format!("{}: given up{}", unanswered(plan, silence, act), waits(tid));
    failure(libc::ETIMEDOUT, message)
}

/// Job and clone.
fn name(plan: &PlannedJob) -> String {
    format!("{}.{}", plan.name, plan.subjob)
}

/// The targets of the worker, in the words of its messages.
pub fn targets(plan: &PlannedJob) -> String {
    let paths: Vec<&str> = plan.files.iter().map(|f| f.path.as_str()).filter(|p| !p.is_empty()).collect();
    match paths.as_slice() {
        [] => format!("the {} engine", plan.engine),
        [first] => (*first).to_owned(),
        [first, rest @ ..] => format!("{first} or one of {} more files", rest.len()),
    }
}

fn unanswered(plan: &PlannedJob, silence: &Silence, act: StalledIn) -> String {
    let since = silence.since_ns as f64 / 1e9;
    let targets = targets(plan);
    let act = match act {
        StalledIn::Layout => " while its files were laid out",
        StalledIn::Run => "",
    };
    format!(
        "{targets} has not answered for {} (since second {since:.1} of the run){act}",
        rounded_time(silence.length.as_nanos() as u64)
    )
}

/// Where in the kernel the thread waits, as far as the kernel reports it.
fn waits(tid: Option<i32>) -> String {
    let Some(tid) = tid else { return String::new() };
    let of_thread = |file| fs::read_to_string(format!("/proc/self/task/{tid}/{file}")).unwrap_or_default();
    let symbol = of_thread("wchan");
    let place = match symbol.trim() {
        "" | "0" => String::new(),
        symbol => format!(" in {symbol}"),
    };
    // "1234 (name of the thread) D …": D cannot be killed (proc_pid_stat(5)).
    let stat = of_thread("stat");
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    let state = if state == Some('D') { ", uninterruptibly" } else { "" };
    match place.is_empty() && state.is_empty() {
        true => String::new(),
        false => format!("; thread {tid} waits{place}{state}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::planned;

    const SILENCE: Silence =
        Silence { job: 0, length: Duration::from_secs(60), since_ns: 4_250_000_000, is_over: true };

    #[test]
    fn job_target_and_seconds_are_named() {
        let plan = planned("[j]\nioengine=psync\nfilename=/mnt/a:/mnt/b\nrw=read\nsize=1m\n");
        let why = given_up(&plan.jobs[0], &SILENCE, StalledIn::Run, None);
        assert_eq!(
            (why.errno, why.message.as_str()),
            (
                libc::ETIMEDOUT,
                "/mnt/a or one of 1 more files has not answered for 60 s (since second 4.2 of the run): given up"
            )
        );
        let plan = planned("[j]\nioengine=null\nrw=read\nsize=1m\n");
        let notice = stalled(&plan.jobs[0], &SILENCE, StalledIn::Run, 3, None);
        assert!(
            notice.starts_with("j.0 (and 3 more jobs): the null engine has not answered for 60 s"),
            "{notice}"
        );
        let notice = answered(&plan.jobs[0], Duration::from_millis(3_140));
        assert_eq!(notice, "j.0: the null engine answered again after 3.1 s");
    }

    #[test]
    fn a_thread_that_waits_says_where() {
        let (tell, told) = std::sync::mpsc::channel();
        let (hold, held) = std::sync::mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                tell.send(rustix::thread::gettid().as_raw_pid()).unwrap();
                let _ = held.recv();
            });
            let tid = told.recv().unwrap();
            let waits = || {
                std::thread::sleep(Duration::from_millis(5));
                waits(Some(tid))
            };
            let where_it_waits = (0..1000).map(|_| waits()).find(|place| !place.is_empty());
            drop(hold);
            let where_it_waits = where_it_waits.expect("a sleeping thread is somewhere in the kernel");
            assert!(where_it_waits.starts_with(&format!("; thread {tid} waits in ")), "{where_it_waits}");
        });
    }
}
