//! The seeds of the fuzz targets `fio_log` and `programs` and inputs near them. `cargo xtask fuzz` looks further.

#[path = "../../../fuzz/checks/fio_log.rs"]
mod fio_log;
#[path = "../../../fuzz/checks/near.rs"]
mod near;
#[path = "../../../fuzz/checks/programs.rs"]
mod programs;

/// The same directories as in `xtask/src/steps/fuzz.rs`.
const SEEDS: &[&str] = &["fuzz/seeds/fio_log"];

#[test]
fn what_is_near_a_log_of_fio_is_read_or_refused() {
    near::check_near(&near::seeds(SEEDS), 1_500, fio_log::check);
}

#[test]
fn what_is_near_a_result_of_another_program_is_read_or_refused() {
    let seeds = near::seeds(&["crates/fathom-figures/tests/fixtures/programs"]);
    near::check_near(&seeds, 400, programs::check);
}
