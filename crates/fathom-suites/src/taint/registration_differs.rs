//! A registration with io_uring that succeeded for some clones of a job and not
//! for others: the limit of locked memory was reached in between, or the kernel
//! had no descriptors left. The others pay for it on each I/O, so the clones are
//! not alike.

use super::{Found, TaintRule, TaintWeight};
use crate::case::Case;
use crate::cell::Cell;
use crate::figure::Figure;
use crate::quantity::grouped;

pub(super) const RULE: TaintRule = TaintRule {
    code: "registration-differs",
    weight: TaintWeight::Medium,
    hint: "raise the limit of locked memory (ulimit -l unlimited), or use fewer or smaller buffers",
    stands_on: &[Figure::Usage],
    check,
};

/// The notes in which a worker reports its registrations.
const NOTES: [(&str, &str); 3] = [
    ("io_uring.registered_buffers", "buffers"),
    ("io_uring.registered_files", "files"),
    ("io_uring.registered_ring", "the ring"),
];

fn check(case: &Case<'_>) -> Option<Found> {
    let told: Vec<String> = case
        .cells
        .iter()
        .flat_map(|cell| NOTES.iter().filter_map(move |(note, what)| told(cell, note, what)))
        .collect();
    let message =
        "io_uring registered something for some clones of a job and not for all, so they are not alike";
    Found::of(message, &told)
}

fn told(cell: &Cell<'_>, note: &str, what: &str) -> Option<String> {
    let outcomes = cell.members.iter().filter_map(|clone| clone.outcome.as_ref());
    let answers: Vec<bool> = outcomes
        .filter_map(|outcome| outcome.notes.iter().find(|(name, _)| name == note))
        .map(|(_, answer)| answer == "yes")
        .collect();
    let yes = answers.iter().filter(|is_registered| **is_registered).count();
    let [some, all] = [yes, answers.len()].map(|n| grouped(n as u64));
    (yes > 0 && yes < answers.len()).then(|| format!("{}: {what} of {some} of {all} clones", cell.name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};

    fn found(answers: [&str; 3]) -> Option<Found> {
        let job = "rw=randread bs=4k ioengine=io_uring iodepth=8 numjobs=3 filename=/dev/sda";
        let mut run = RunBuilder::of(job).all(2, DirectionLoad::reads(1_000, 4096, 100_000)).run();
        for (clone, answer) in run.jobs.iter_mut().zip(answers) {
            let notes = &mut clone.outcome.as_mut().unwrap().notes;
            notes.push(("io_uring.registered_buffers".to_owned(), answer.to_owned()));
            notes.push(("io_uring.registered_files".to_owned(), "yes".to_owned()));
        }
        check(&Case::new(&run, &crate::fixture::surrounds()))
    }

    #[test]
    fn clones_that_differ_are_counted() {
        assert_eq!(found(["yes", "no", "yes"]).unwrap().evidence, "t: buffers of 2 of 3 clones");
        assert_eq!(found(["yes"; 3]), None);
        assert_eq!(found(["no"; 3]), None, "all are alike");
    }
}
