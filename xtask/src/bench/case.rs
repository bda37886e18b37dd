//! One comparison, and what it consists of.

use super::goal::Goal;
use super::target::Target;

/// One comparison: a job, its target, and the goal for the ratio.
pub struct Case {
    /// Its name on the command line and in the records.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// What the I/O goes to.
    pub target: Target,
    /// The job, the same for both sides.
    pub job: &'static [&'static str],
    /// The two sides that run it.
    pub sides: Sides,
    /// IOPS of the first side over the second's.
    pub iops: Goal,
    /// CPU time per I/O of the first side over the second's.
    pub cpu: Goal,
}

/// The sides of a case.
#[derive(Clone, Copy)]
pub enum Sides {
    /// fathom and fio, with the lines that only fio's job has.
    FathomFio(&'static [&'static str]),
    /// Only fathom: fio cannot run it.
    Fathom,
    /// fathom and the bare loop: reads without any measuring.
    FathomBare,
    /// The bare loop and fio, with the lines that only fio's job has.
    BareFio(&'static [&'static str]),
}

impl Sides {
    /// The lines that only fio's job has, if fio takes part.
    pub fn fio(self) -> Option<&'static [&'static str]> {
        match self {
            Sides::FathomFio(lines) | Sides::BareFio(lines) => Some(lines),
            Sides::Fathom | Sides::FathomBare => None,
        }
    }

    /// Whether the bare loop takes part.
    pub fn have_bare(self) -> bool {
        matches!(self, Sides::FathomBare | Sides::BareFio(_))
    }
}
