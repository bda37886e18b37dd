//! Which CPUs a clone runs on.
//!
//! A deliberate difference from fio, which refuses a job that names a CPU the
//! machine lacks: the vendor guides' jobs all say `cpus_allowed=1-4`, and on a
//! smaller machine they are still worth running. The missing CPUs are named in
//! a warning; when none is left it is an error.

use super::notes::{self, Checked, Notes};
use super::target::Machine;
use crate::diagnostic::Diagnostic;
use crate::job::Job;
use crate::options;

/// The CPUs of clone `id`, ascending; `None` when the job names none.
pub(super) fn allowed(
    job: &Job,
    id: u32,
    machine: &Machine,
    notes: &mut Notes,
) -> Checked<Option<Vec<usize>>> {
    let Some(asked) = job.get(&options::CPUS_ALLOWED).or_else(|| job.get(&options::CPUMASK)) else {
        return Ok(None);
    };
    let (present, missing): (Vec<usize>, Vec<usize>) = asked.into_iter().partition(|cpu| *cpu < machine.cpus);
    if present.is_empty() {
        return Err(none_left(job, machine));
    }
    if !missing.is_empty() {
        notes.push(some_missing(job, &missing, &present, machine));
    }
    if job.get(&options::CPUS_ALLOWED_POLICY) != "split" {
        return Ok(Some(present));
    }
    let clones = job.get(&options::NUMJOBS) as usize;
    if clones > present.len() {
        let message = format!("cpus_allowed_policy=split: {clones} clones share {} CPUs", present.len());
        notes.push(notes::note(job, &options::CPUS_ALLOWED_POLICY, "cpus-shared", message));
    }
    // fio assigns CPUs by the number of the clone in the whole plan, so a second job continues
    // where the first one stopped.
    Ok(Some(vec![present[id as usize % present.len()]]))
}

/// `0-3,8` of an ascending list.
pub(crate) fn ranges(cpus: &[usize]) -> String {
    let runs = cpus.chunk_by(|a, b| a + 1 == *b).map(|run| match run {
        [one] => one.to_string(),
        _ => format!("{}-{}", run[0], run[run.len() - 1]),
    });
    runs.collect::<Vec<_>>().join(",")
}

fn none_left(job: &Job, machine: &Machine) -> Diagnostic {
    let message = format!(
        "none of the CPUs that job {} allows exists: this machine has {}",
        job.name,
        present(machine)
    );
    notes::error(job, &options::CPUS_ALLOWED, "cpus-missing", message).hint("--set cpus_allowed=LIST")
}

fn some_missing(job: &Job, missing: &[usize], left: &[usize], machine: &Machine) -> Diagnostic {
    let message = format!(
        "job {} allows CPU {}, but this machine has {}; it runs on {}",
        job.name,
        ranges(missing),
        present(machine),
        ranges(left)
    );
    notes::warning(job, &options::CPUS_ALLOWED, "cpus-missing", message)
        .hint("--set cpus_allowed=LIST chooses others")
}

fn present(machine: &Machine) -> String {
    match machine.cpus {
        1 => "only CPU 0".to_owned(),
        n => format!("CPUs 0-{}", n - 1),
    }
}
