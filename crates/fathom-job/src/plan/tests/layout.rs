//! The layout that the plan reports is the one that is done: once for each path.

use super::*;

#[test]
fn what_is_made_when_it_is_opened_is_not_laid_out() {
    let job = |options: &str| one(&format!("size=1m bs=4k create_on_open=1 {options}"));
    let new = job("rw=write filename=/data/new");
    assert_eq!((new.jobs[0].files[0].needs, new.jobs[0].files[0].layout), (Bytes(0), Bytes(0)));
    assert_eq!(job("rw=read filename=/data/mib").jobs[0].files[0].size, Bytes(1 << 20));
    for options in ["rw=read", "rw=randrw", "rw=write ioengine=mmap"] {
        let error = error_of(&format!("size=1m bs=4k create_on_open=1 filename=/data/new {options}"));
        assert_eq!(error.code, "create-on-open", "{options}");
    }
}

#[test]
fn an_operation_on_a_name_is_one_io() {
    let names = |engine: &str, options: &str| {
        format!("ioengine={engine} rw=read nrfiles=3 filesize=4k directory=/data {options}")
    };
    for engine in ["filecreate", "filerename", "dircreate", "dirstat", "dirdelete"] {
        let plan = one(&names(engine, ""));
        let job = &plan.jobs[0];
        assert!(job.is_of_names() && !job.writes(), "{engine}");
        let is_free = |file: &PlannedFile| file.kind == TargetKind::Name && file.layout == Bytes(0);
        assert!(job.files.iter().all(is_free), "{engine}");
        assert_eq!(error_of(&names(engine, "bs=2k")).code, "name-blocks", "{engine}");
        assert_eq!(error_of(&names(engine, "fsync=1")).code, "engine-cannot", "{engine}");
    }
    let text = one(&names("filecreate", "")).explain();
    for line in ["pattern     makes a file for each I/O", "ends        after 3 operations"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(!text.contains("  blocks") && !text.contains("  expected"), "{text}");
    let of_file = one(&names("filedelete", ""));
    let file = &of_file.jobs[0].files[0];
    assert_eq!((file.kind, file.layout), (TargetKind::Missing, Bytes(4096)));
    assert_eq!(error_of("ioengine=filecreate rw=read filename=/data/mib bs=1m").code, "name-exists");
}

#[test]
fn raised_priorities_add_up() {
    let code = |options: &str| error_of(&format!("ioengine=io_uring filename=/dev/fioa {options}")).code;
    for options in [
        "cmdprio_percentage=10 cmdprio_bssplit=4k/10",
        "cmdprio_bssplit=4k",
        "cmdprio_bssplit=4k/10/2",
        "cmdprio_bssplit=4k/10/2/9",
        "cmdprio_bssplit=4k/60:4k/60/2/0",
    ] {
        assert_eq!(code(options), "bad-priorities", "{options}");
    }
}

#[test]
fn a_compressed_log_has_no_column_that_its_samples_lack() {
    let code = |option: &str| {
        error_of(&format!("ioengine=null filename=/dev/fioa log_store_compressed=1 {option}")).code
    };
    for option in ["log_issue_time=1", "log_window_value=both"] {
        assert_eq!(code(option), "bad-stored-log", "{option}");
    }
}

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

/// The file would be there before the job that is to make it.
#[test]
fn a_name_that_is_made_is_not_laid_out_for_another_job() {
    let jobs = |format: &str| {
        format!(
            "[global]\ndirectory=/data\nfilesize=4k\nnrfiles=2\n[make]\nioengine=filecreate\n\
             [remove]\nstonewall\nioengine=filedelete\n{format}\n"
        )
    };
    let errors = try_plan(&jobs("filename_format=make.$jobnum.$filenum")).expect_err("a shared name");
    assert!(errors[0].code == "name-laid-out" && errors[0].message.contains("job remove"), "{errors:?}");
    planned(&jobs("unlink=1"));
}
