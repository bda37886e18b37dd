//! Whether the test runs in the lab, where nothing can be lost.

/// Panics anywhere but in the lab's machine: as root elsewhere, these tests would destroy somebody's
/// drives.
#[track_caller]
pub fn assert_lab() {
    let line = std::fs::read_to_string("/proc/cmdline").unwrap_or_default();
    let is_lab =
        line.split_whitespace().any(|word| word == "lab") && std::fs::exists("/lab/run").is_ok_and(|e| e);
    assert!(is_lab, "this test runs in the lab only: cargo xtask lab");
}
