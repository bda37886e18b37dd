//! One file per command.

pub mod doctor;
pub mod fio;
pub mod options;
pub mod output;
pub mod purge;
pub mod quick;
pub mod report;
pub mod run;
