//! A registration with io_uring that succeeded for some clones of a job and not
//! for others: the limit of locked memory was reached in between, or the kernel
//! had no descriptors left. The others pay for it on each I/O, so the clones are
//! not alike.

use super::{Found, TaintRule};
use crate::case::Case;
use crate::cell::Cell;
use fathom_results::finding::{PartlyRegistered, Registration};
use fathom_results::{Evidence, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "registration-differs", weight: Weight::Medium, check };

/// The notes in which a worker reports its registrations.
const NOTES: [(&str, Registration); 3] = [
    ("io_uring.registered_buffers", Registration::Buffers),
    ("io_uring.registered_files", Registration::Files),
    ("io_uring.registered_ring", Registration::Ring),
];

fn check(case: &Case<'_>) -> Option<Found> {
    let of_cell = |cell| NOTES.iter().filter_map(move |(note, what)| differs(cell, note, *what));
    let jobs = case.cells.iter().flat_map(of_cell).collect();
    Found::where_any(jobs, |jobs| Evidence::RegistrationDiffers { jobs })
}

fn differs(cell: &Cell<'_>, note: &str, what: Registration) -> Option<PartlyRegistered> {
    let outcomes = cell.members.iter().filter_map(|clone| clone.outcome.as_ref());
    let answers: Vec<bool> = outcomes
        .filter_map(|outcome| outcome.notes.iter().find(|(name, _)| name == note))
        .map(|(_, answer)| answer == "yes")
        .collect();
    let registered = answers.iter().filter(|is_registered| **is_registered).count() as u64;
    let (job, of) = (cell.name().to_owned(), answers.len() as u64);
    (registered > 0 && registered < of).then_some(PartlyRegistered { job, what, registered, of })
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
        assert_eq!(found(["yes", "no", "yes"]).unwrap().evidence(), "t: buffers of 2 of 3 clones");
        assert_eq!(found(["yes"; 3]), None);
        assert_eq!(found(["no"; 3]), None, "all are alike");
    }
}
