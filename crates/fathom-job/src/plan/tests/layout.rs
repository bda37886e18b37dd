//! The layout that the plan reports is the one that is done: once for each path.

use super::*;

const M: u64 = 1 << 20;

/// Bytes of layout of each clone.
fn layouts(text: &str) -> Vec<u64> {
    planned(text).jobs.iter().map(|job| job.files.iter().map(|file| file.layout.0).sum()).collect()
}

/// Two jobs on one new file, the second after the first.
fn two(first: &str, second: &str) -> Vec<u64> {
    layouts(&format!(
        "[global]\nbs=1m\nfilename=/data/new\nsize=16m\n[a]\n{first}\n[b]\nstonewall\n{second}\n"
    ))
}

#[test]
fn a_file_that_an_earlier_job_made_is_not_written_again() {
    assert_eq!(two("rw=write", "rw=read"), [0, 0]);
    assert_eq!(two("rw=read", "rw=read"), [16 * M, 0]);
    assert_eq!(two("rw=read", "rw=write"), [16 * M, 0]);
    assert_eq!(two("rw=write", "rw=read\nsize=20m"), [0, 4 * M]);
    assert_eq!(two("rw=write\nfallocate=none", "rw=read\nsize=20m"), [0, 20 * M]);
    assert_eq!(two("rw=read\nsize=4m", "rw=randrw"), [4 * M, 12 * M]);
    let text = "[a]\nbs=1m\nfilename=/data/new\nsize=16m\nrw=write\n[b]\nstonewall\nbs=1m\nfilename=/data/new\nsize=16m\nrw=read\n";
    assert!(!planned(text).explain().contains("layout"));
}

#[test]
fn clones_of_one_file_lay_it_out_once_and_those_of_several_each_their_own() {
    assert_eq!(layouts("[a]\nfilename=/data/new\nsize=1m\nbs=4k\nnumjobs=3\n"), [M, 0, 0]);
    assert_eq!(layouts("[a]\ndirectory=/data\nsize=1m\nbs=4k\nnumjobs=2\n"), [M, M]);
    assert!(
        planned("[a]\ndirectory=/data\nsize=1m\nbs=4k\nnumjobs=2\n")
            .explain()
            .contains("2 MiB to write first")
    );
}
