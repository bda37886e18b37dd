//! ORION, Oracle's I/O test (contract M-23 to M-28): its command lines, scripts of them and `.lun`
//! lists become a job file with a section for each workload of each data point, and jobs become its
//! command lines.
//!
//! ORION's own words: a *data point* is so many small and so many large I/Os in flight for a duration;
//! a *row* of its matrix has one number of large I/Os, a *column* one number of small I/Os.

mod command;
mod jobs;
mod points;
mod script;
mod write;

use super::ForeignForm;

/// The form.
pub const FORM: ForeignForm = ForeignForm {
    name: "orion",
    what: "command lines of ORION, with their list of devices",
    to: Some(write::to),
    from: Some(jobs::from),
};

/// Small I/Os are at most so large: ORION takes 2 to 32 KiB for them.
const SMALL_KIB_MAX: u64 = 32;
