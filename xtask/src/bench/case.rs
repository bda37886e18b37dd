//! What a comparison is made of.

use super::goal::Goal;
use super::target::Target;

/// One comparison: a job, what it runs on, and what we ask of the ratio.
pub struct Case {
    /// Its name on the command line and in the records.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// What the I/O goes to.
    pub target: Target,
    /// The job, the same for both sides.
    pub job: &'static [&'static str],
    /// Who runs it.
    pub sides: Sides,
    /// IOPS of the first side over the second's.
    pub iops: Goal,
    /// CPU time per I/O of the first side over the second's.
    pub cpu: Goal,
}

/// Who runs a case.
#[derive(Clone, Copy)]
pub enum Sides {
    /// fathom and fio, and what fio's job says beyond the case's.
    FathomFio(&'static [&'static str]),
    /// fathom alone: fio cannot run it.
    Fathom,
    /// fathom and the bare loop: reads without any measuring.
    FathomBare,
    /// The bare loop and fio, and what fio's job says beyond the case's.
    BareFio(&'static [&'static str]),
}

impl Sides {
    /// What fio's job says beyond the case's, where fio takes part.
    pub fn fio(self) -> Option<&'static [&'static str]> {
        match self {
            Sides::FathomFio(lines) | Sides::BareFio(lines) => Some(lines),
            Sides::Fathom | Sides::FathomBare => None,
        }
    }

    /// Does the bare loop take part?
    pub fn have_bare(self) -> bool {
        matches!(self, Sides::FathomBare | Sides::BareFio(_))
    }
}
