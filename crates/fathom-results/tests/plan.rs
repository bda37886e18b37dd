//! A plan in its saved form: nothing is lost.

use crate::fixture::planned;
use fathom_job::parse::Adjust;
use fathom_results::{FileRecord, PlanRecord};
use serde_json::Value;

const JOBS: &str = "[fill]\nfilename=/new/f\nrw=write\nbs=1m\nsize=64m\nend_fsync=1\n\
    [mix]\nstonewall\ndirectory=/data\nrw=randrw\nrwmixread=70\nbssplit=4k/60:8k/40,16k\nnumjobs=2\nnrfiles=2\n\
    size=100m\nramp_time=2\nruntime=9\nioengine=io_uring\niodepth=8\niodepth_batch=4\ndirect=1\n\
    rate=1m,3m\nrate_process=poisson\nrate_min=512k\nthinktime=2ms\nthinktime_spin=500\nflow=3\nflow_id=1\n\
    [c]\nstonewall\nioengine=null\nsize=4m\nbs=4k\niodepth=64\nruntime=9\ntime_based\ncompat=fio\n\
    latency_target=5ms\nlatency_window=2s\nlatency_percentile=99.9\nlatency_run=1\n";

fn saved(text: &str) -> Value {
    serde_json::to_value(PlanRecord::from(&planned(text, &Adjust::default()))).unwrap()
}

#[test]
fn a_plan_survives_json() {
    let plan = planned(JOBS, &Adjust::default());
    let record = PlanRecord::from(&plan);
    let back: PlanRecord = serde_json::from_value(saved(JOBS)).unwrap();
    assert_eq!(back, record);
    for (planned, saved) in plan.jobs.iter().zip(&back.jobs) {
        assert_eq!(saved.job, planned.job, "its options are read through the table again");
        assert_eq!((saved.block_max(), saved.transfer_max()), (planned.block_max(), planned.transfer_max()));
        assert_eq!((saved.writes(), saved.end.time), (planned.writes(), planned.end.time));
    }
}

#[test]
fn an_option_of_a_later_version_is_left_out() {
    let mut saved = saved("[a]\nioengine=null\nsize=1m\nbs=4k\n");
    let options = saved["jobs"][0]["job"]["options"].as_object_mut().unwrap();
    let new = options["bs"].clone();
    let known = options.len();
    options.insert("option_of_a_later_version".to_owned(), new);
    let back: PlanRecord = serde_json::from_value(saved).unwrap();
    assert_eq!(back.jobs[0].job.settings().count(), known);
}

fn files(options: &str) -> Vec<FileRecord> {
    PlanRecord::from(&planned(&format!("[t]\n{}\n", options.replace(' ', "\n")), &Adjust::default()))
        .jobs
        .remove(0)
        .files
}

#[test]
fn numbered_files_are_one_entry() {
    let files = files("rw=read bs=4k filesize=4k nrfiles=1000 directory=/new");
    assert_eq!((files.len(), files[0].path.as_str(), files[0].count), (1, "/new/t.0.0", 1000));
    let paths: Vec<_> = files[0].paths().collect();
    assert_eq!((paths.len(), &*paths[1], &*paths[999]), (1000, "/new/t.0.1", "/new/t.0.999"));
}

#[test]
fn others_are_entries_of_their_own() {
    for (options, entries) in [
        ("rw=read bs=4k filename=/dev/fioa:/dev/fiob", 2),
        ("rw=read bs=4k size=16k filename=/data/f08:/data/f09:/data/f9:/data/g10", 4),
        ("rw=read bs=4k size=12k filename=/data/f1:/data/f3:/data/f2", 3),
        ("rw=read bs=4k size=12k filename=/data/f1:/data/f2:/data/f3", 1),
    ] {
        assert_eq!(files(options).len(), entries, "{options}");
    }
}

/// A damaged count costs neither memory nor a panic.
#[test]
fn any_count_can_be_counted() {
    let file = |count| FileRecord { count, ..files("rw=read bs=4k size=8k filename=/data/f7").remove(0) };
    assert_eq!(file(0).paths().count(), 1);
    assert_eq!(file(u64::MAX).paths().nth(3).as_deref(), Some("/data/f10"));
}
