//! Jobs that run, with the machine as it is and in virtual time.
//!
//! One program has these tests, so that it is linked once. `allocations` is a program of its own.

mod atomic;
mod clocks;
mod control;
mod counts;
mod cpu_load;
mod endings;
mod faults;
mod header_checks;
mod limits;
mod new_files;
mod one_number;
mod open_files;
mod overlaps;
mod pacing;
mod page_cache;
mod placement;
mod ramps;
mod random_verification;
mod recordings;
mod replay;
mod runner_elsewhere;
mod single_ios;
mod space;
mod stuck;
mod support;
mod trims;
mod truth;
mod verification;
mod virtual_time;
mod written_data;
mod zones;
