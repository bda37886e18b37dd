//! What a procedure can ask for.

use fathom_job::parse::Adjust;
use fathom_judge::steady::ConfidentTerms;
use fathom_results::Verdict;
use fathom_results::procedure::{ContentRange, Preparation};

/// The next step of a procedure.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Run jobs.
    Run(Round),
    /// Prepare the target or the host. What a preparation changes on the host is put back at the
    /// latest when the procedure ends.
    Prepare(Preparation),
    /// Wait.
    Wait(Wait),
    /// Read samples of a range that was written: so many windows at random places, and both ends.
    Prove {
        /// The range.
        range: ContentRange,
        /// Windows at random places.
        windows: u32,
    },
    /// Nothing more is to be done.
    Done(Verdict),
}

/// Jobs to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// The cell that is measured; rounds of one cell have the same name.
    pub cell: String,
    /// What runs.
    pub jobs: RoundJobs,
    /// What the generator can do without a target is measured afterwards.
    pub calibrates: bool,
    /// The files that the round creates lose their names as soon as they are open, so that none is
    /// left after a kill either.
    pub removes_created: bool,
    /// Its jobs end when their rate has settled: when its mean is known to within this, and it no longer drifts.
    pub until: Option<ConfidentTerms>,
    /// The directory of the states by which its jobs check (`verify_state_load`): the name of an earlier round of the
    /// procedure, or a whole path. The target is known to be the one that was written.
    pub state_from: Option<String>,
    /// The directories of the states of earlier passes over the same place: a block of theirs is named as such.
    pub earlier_states: Vec<String>,
    /// The directory for the contents of wrong blocks (`verify_dump`); `None` is that of the round.
    pub wrong_blocks_to: Option<String>,
}

impl Round {
    /// Jobs for a cell, and nothing beside them.
    pub fn of(cell: impl Into<String>, jobs: RoundJobs) -> Round {
        Round {
            cell: cell.into(),
            jobs,
            calibrates: false,
            removes_created: false,
            until: None,
            state_from: None,
            earlier_states: Vec::new(),
            wrong_blocks_to: None,
        }
    }
}

/// The jobs of a round.
#[derive(Clone, Debug, PartialEq)]
pub enum RoundJobs {
    /// The jobs that were given to the procedure, with these options set in each.
    AsGiven {
        /// Option and value.
        set: Vec<(String, String)>,
    },
    /// Some of the job files that were given to the procedure.
    Files {
        /// The files, as they were named.
        files: Vec<String>,
    },
    /// Jobs that the procedure wrote itself.
    Text {
        /// The text of a job file.
        text: String,
        /// What is changed in every job.
        adjust: Adjust,
    },
}

/// What to wait for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wait {
    /// A time to pass, in seconds.
    Seconds(u64),
    /// No I/O on the disks below the targets for a whole second.
    Idle {
        /// The longest time to wait, in seconds.
        at_most_seconds: u64,
    },
    /// The md arrays at or below the targets are built: no initialisation, resync, recovery or reshape goes on.
    Built {
        /// The longest time to wait, in seconds.
        at_most_seconds: u64,
    },
}
