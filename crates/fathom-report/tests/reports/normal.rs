//! fio's text, as scrapers read it.

use crate::synthetic::{Recipe, disk, fixture};
use fathom_report::normal::normal;

#[test]
fn snapshot_of_a_mixed_run_with_disks() {
    let mut recipe = Recipe::new(&fixture("loop-mix.fio"));
    recipe.edit = |record| record.disks.push(disk("loop7", 24_000, 12_000));
    insta::assert_snapshot!(normal(&recipe.run()));
}

#[test]
fn snapshot_of_grouped_and_synced_writes() {
    let jobs = fixture("fsync-write.fio").replace("[writer]", "[writer]\ngroup_reporting");
    insta::assert_snapshot!(normal(&Recipe::new(&jobs).run()));
}

#[test]
fn a_failure_is_named_in_the_job_line() {
    let mut recipe = Recipe::new(&fixture("sync-read.fio"));
    recipe.end = |outcome| {
        outcome.failure = Some(fathom_results::JobFailure {
            errno: 5,
            message: "read of /dev/sdx at 4096: Input/output error".into(),
            direction: None,
            offset: Some(4096),
        });
    };
    let text = normal(&recipe.run());
    assert!(
        text.contains(
            "reader: (groupid=0, jobs=1): err= 5 (read of /dev/sdx at 4096: Input/output error): pid=0: "
        ),
        "{text}"
    );
}

/// fio 3.33 prints them for files that are missing or too short, whether the job reads or writes, and once for each path.
#[test]
fn files_that_were_laid_out_have_a_line_under_the_start() {
    let jobs = "[global]\nioengine=psync\nsize=3m\n[one]\nfilename=/dev/shm/a\n[two]\nrw=write\nfilename=/dev/shm/a:/dev/shm/b:/dev/shm/c\n\
                [three]\ncreate_on_open=1\nrw=write\nfilename=/dev/shm/d\n";
    let text = normal(&Recipe::new(jobs).run());
    let start = "Starting 3 threads\n\
                 one: Laying out IO file (1 file / 3MiB)\n\
                 two: Laying out IO files (2 files / total 2MiB)\n\none: ";
    assert!(text.contains(start), "{text}");
}

/// fio 3.33 has no lines for jobs of `create_only`, and for those that had not begun when a signal came.
#[test]
fn a_job_without_an_io_has_no_lines_unless_it_failed() {
    let run = |end| {
        let mut recipe = Recipe::new(&fixture("sync-read.fio"));
        (recipe.rate, recipe.end) = (0, end);
        normal(&recipe.run())
    };
    let idle = run(|_| ());
    assert!(!idle.contains("(groupid=") && idle.contains("\nRun status group 0 (all jobs):\n"), "{idle}");
    let failed = run(|outcome| {
        outcome.failure = Some(fathom_results::JobFailure {
            errno: 2,
            message: "no file".into(),
            direction: None,
            offset: None,
        });
    });
    assert!(failed.contains("(groupid=0, jobs=1): err= 2 (no file): pid=0: "), "{failed}");
}
