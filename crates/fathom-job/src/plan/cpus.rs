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
use serde::{Deserialize, Serialize};

/// CPUs that a job names and the machine does not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MissingCpus {
    /// Their numbers, ascending.
    pub missing: Vec<usize>,
    /// The other CPUs that the job names, ascending: it runs on these.
    pub present: Vec<usize>,
    /// How many CPUs the machine has.
    pub of_machine: usize,
}

/// Where a clone may run.
#[derive(Default)]
pub(super) struct AllowedCpus {
    /// The CPUs, ascending; `None` when the job names none.
    pub cpus: Option<Vec<usize>>,
    pub missing: Option<MissingCpus>,
}

/// Where clone `id` may run.
pub(super) fn allowed(job: &Job, id: u32, machine: &Machine, notes: &mut Notes) -> Checked<AllowedCpus> {
    let Some(asked) = job.get(&options::CPUS_ALLOWED).or_else(|| job.get(&options::CPUMASK)) else {
        return Ok(AllowedCpus::default());
    };
    let (present, missing): (Vec<usize>, Vec<usize>) = asked.into_iter().partition(|cpu| *cpu < machine.cpus);
    if present.is_empty() {
        return Err(none_left(job, machine));
    }
    let missing = (!missing.is_empty()).then(|| MissingCpus {
        missing,
        present: present.clone(),
        of_machine: machine.cpus,
    });
    missing.iter().for_each(|missing| notes.push(some_missing(job, missing)));
    let cpus = Some(of_clone(job, id, present, notes));
    Ok(AllowedCpus { cpus, missing })
}

/// The CPUs of clone `id`, of those that exist.
fn of_clone(job: &Job, id: u32, present: Vec<usize>, notes: &mut Notes) -> Vec<usize> {
    if job.get(&options::CPUS_ALLOWED_POLICY) != "split" {
        return present;
    }
    let clones = job.get(&options::NUMJOBS) as usize;
    if clones > present.len() {
        let message = format!("cpus_allowed_policy=split: {clones} clones share {} CPUs", present.len());
        notes.push(notes::note(job, &options::CPUS_ALLOWED_POLICY, "cpus-shared", message));
    }
    // fio assigns CPUs by the number of the clone in the whole plan, so a second job continues
    // where the first one stopped.
    vec![present[id as usize % present.len()]]
}

/// `0-3,8` of an ascending list.
pub fn ranges(cpus: &[usize]) -> String {
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
        present(machine.cpus)
    );
    notes::error(job, &options::CPUS_ALLOWED, "cpus-missing", message).hint("--set cpus_allowed=LIST")
}

fn some_missing(job: &Job, cpus: &MissingCpus) -> Diagnostic {
    let message = format!(
        "job {} allows CPU {}, but this machine has {}; it runs on {}",
        job.name,
        ranges(&cpus.missing),
        present(cpus.of_machine),
        ranges(&cpus.present)
    );
    notes::warning(job, &options::CPUS_ALLOWED, "cpus-missing", message)
        .hint("--set cpus_allowed=LIST chooses others")
}

fn present(cpus: usize) -> String {
    match cpus {
        1 => "only CPU 0".to_owned(),
        n => format!("CPUs 0-{}", n - 1),
    }
}
