//! The seeds of the fuzz target `job_file` and inputs near them. `cargo xtask fuzz` looks further.

#[path = "../../../fuzz/checks/job_file.rs"]
mod job_file;
#[path = "../../../fuzz/checks/near.rs"]
mod near;

/// The same directories as in `xtask/src/steps/fuzz.rs`.
const SEEDS: &[&str] = &["fuzz/seeds/job_file", "examples/vsl", "examples/flash", "examples/blog"];

#[test]
fn what_is_near_a_job_file_is_read_or_refused() {
    near::check_near(&near::seeds(SEEDS), 1_500, job_file::check);
}
