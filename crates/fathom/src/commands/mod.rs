//! One file per command.

pub mod baseline;
pub mod bundle;
pub mod calc;
pub mod compare;
pub mod completions;
pub mod devices;
pub mod doctor;
pub mod fio;
pub mod help;
pub mod import;
mod machine;
pub mod man;
mod no_job_file;
pub mod open;
pub mod options;
pub mod output;
pub mod precondition;
pub mod pts;
pub mod purge;
pub mod quick;
pub mod report;
pub mod resume;
pub mod run;
pub mod runs;
pub mod topology;
pub mod tune;
mod users;
