//! Numbers, groups, stages, waiting, CPUs.

use super::*;

fn numbers(plan: &Plan) -> Vec<(&str, u32, u32, u32, u32)> {
    plan.jobs.iter().map(|job| (job.name.as_str(), job.id, job.subjob, job.group, job.stage)).collect()
}

const GLOBAL: &str = "[global]\nioengine=null\nsize=1m\nbs=4k\n";

#[test]
fn groups_and_stages_are_fios() {
    let text = "[a]\nnumjobs=2\nstonewall\n[b]\n[c]\nnew_group\nnumjobs=2\n[d]\n[e]\nstonewall\ngroup_reporting\n[g]\nstonewall\nnew_group\n";
    let expected = [
        ("a", 0, 0, 0, 0),
        ("a", 1, 1, 0, 0),
        ("b", 2, 0, 0, 0),
        ("c", 3, 0, 1, 0),
        ("c", 4, 1, 1, 0),
        ("d", 5, 0, 1, 0),
        ("e", 6, 0, 2, 1),
        ("g", 7, 0, 3, 2),
    ];
    assert_eq!(numbers(&planned(&format!("{GLOBAL}{text}"))), expected);
}

#[test]
fn waiting_for_a_job_needs_no_stage() {
    let plan = planned(&format!("{GLOBAL}[a]\n[b]\nwait_for=a\n"));
    assert_eq!((plan.jobs[1].wait_for.as_deref(), plan.jobs[1].stage), (Some("a"), 0));
}

#[test]
fn cpus_that_are_missing_are_left_out_with_a_warning() {
    let cpus = |options: &str| one(&format!("ioengine=null bs=4k size=1m {options}"));
    assert_eq!(cpus("iodepth=1").jobs[0].cpus, None);
    assert_eq!(cpus("cpus_allowed=1-4").jobs[0].cpus, Some(vec![1, 2, 3, 4]));
    assert!(!codes(&cpus("cpus_allowed=1-4")).contains(&"cpus-missing"));
    let some = cpus("cpus_allowed=6-9 numjobs=2");
    assert_eq!(some.jobs[1].cpus, Some(vec![6, 7]));
    let missing = MissingCpus { missing: vec![8, 9], present: vec![6, 7], of_machine: 8 };
    assert_eq!(some.jobs[1].missing_cpus, Some(missing));
    assert_eq!(codes(&some).iter().filter(|code| **code == "cpus-missing").count(), 1);
    assert_eq!(error_of("ioengine=null bs=4k size=1m cpus_allowed=8-9").code, "cpus-missing");
}

#[test]
fn split_deals_one_cpu_to_each_clone() {
    let plan = one("ioengine=null bs=4k size=1m numjobs=3 cpus_allowed=2,5 cpus_allowed_policy=split");
    let dealt: Vec<_> = plan.jobs.iter().map(|job| job.cpus.clone().unwrap()).collect();
    assert_eq!(dealt, [vec![2], vec![5], vec![2]]);
    assert!(codes(&plan).contains(&"cpus-shared"));
}

#[test]
fn unknown_and_refused_engines_are_told_apart() {
    let near = error_of("ioengine=libaoi size=1m");
    assert_eq!(
        (near.code.as_str(), near.hints[0].as_str()),
        ("engine-unknown", "did you mean ioengine=libaio?")
    );
    let rbd = error_of("ioengine=rbd size=1m");
    assert_eq!(rbd.code, "engine-refused");
    assert_eq!(
        rbd.message,
        "fathom does not have ioengine=rbd, which reads and writes an image of Ceph through librbd"
    );
    assert!(rbd.hints[0].contains("ioengine=io_uring and filename= the device"), "{rbd:?}");
    let commands = error_of("ioengine=xnvme filename=/dev/ng3n1 size=1m");
    assert_eq!(commands.hints.len(), 2, "{commands:?}");
    assert_eq!(commands.hints[1], "/dev/nvme3n1 is the same namespace as a block device");
    assert!(error_of("ioengine=rados size=1m").hints[0].starts_with("rados bench"));
    assert_eq!(error_of("ioengine=external:/tmp/e.so size=1m").code, "engine-refused");
    assert_eq!(error_of("ioengine=oracle rw=trim bs=4k size=1m").code, "engine-cannot");
}

#[test]
fn all_errors_are_told_at_once() {
    let errors =
        try_plan("[a]\nioengine=rbd\n[b]\nfilename=/data\nsize=1m\n[c]\nfilename=/data/new\n").unwrap_err();
    let codes: Vec<_> = errors.iter().map(|error| error.code.as_str()).collect();
    assert_eq!(codes, ["engine-refused", "target-directory", "size-needed"]);
    assert_eq!(
        plan(&[], &[], &super::super::fixture::MACHINE, &super::super::fixture::Targets).unwrap_err()[0].code,
        "no-jobs"
    );
}

#[test]
fn a_range_of_start_delays_is_spread_and_repeats() {
    let delays = || -> Vec<u64> {
        one("ioengine=null bs=4k size=1m numjobs=3 startdelay=10-20")
            .jobs
            .iter()
            .map(|job| job.start_delay.0)
            .collect()
    };
    let first = delays();
    assert_eq!(first, delays());
    assert!(first.iter().all(|delay| (10_000_000_000..20_000_000_000).contains(delay)), "{first:?}");
    assert!(first[0] != first[1] && first[1] != first[2]);
    assert_eq!(one("ioengine=null bs=4k size=1m startdelay=5").jobs[0].start_delay, Nanos::secs(5));
}
