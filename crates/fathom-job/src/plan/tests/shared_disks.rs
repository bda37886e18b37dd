//! Jobs that share a disk.

use super::*;

fn told(sections: &str) -> Vec<String> {
    let plan = planned(&format!("[global]\nbs=4k\nsize=64m\nrw=randread\ndirect=1\n{sections}"));
    let found = plan.findings.into_iter().filter(|found| found.code == "shared-target");
    found.map(|found| found.message).collect()
}

#[test]
fn sections_that_run_together_on_one_disk_are_named() {
    let files = told("directory=/data\n[read]\n[write]\nrw=randwrite\n");
    assert_eq!(files.len(), 1);
    assert!(
        files[0].contains("the jobs read, write run at the same time on the file system of"),
        "{files:?}"
    );
    let device = told("filename=/dev/fioa\n[a]\n[b]\noffset=512m\n[c]\n[d]\n[e]\n");
    assert!(device[0].contains("a, b, c, d and 1 more run at the same time on /dev/fioa"), "{device:?}");
}

#[test]
fn jobs_that_take_turns_or_share_nothing_are_not() {
    for sections in [
        "directory=/data\n[read]\n[write]\nstonewall\n",
        "directory=/data\n[read]\n[write]\nwait_for=read\n",
        "[read]\ndirectory=/data\n[write]\ndirectory=/b\n",
        "directory=/data\n[one]\nnumjobs=4\n",
        "ioengine=null\n[a]\n[b]\n",
        "filename=/dev/fioa\ntime_based\nruntime=10\n[late]\nstartdelay=20\n[early]\n",
    ] {
        assert!(told(sections).is_empty(), "{sections}");
    }
}

#[test]
fn a_delay_keeps_jobs_apart_only_where_the_others_have_ended() {
    let timed = "filename=/dev/fioa\ntime_based\nruntime=10\n";
    let in_part = told(&format!("{timed}[late]\nstartdelay=20\n[a]\n[b]\nstartdelay=9\n"));
    assert!(in_part[0].contains("the jobs a, b run at the same time on /dev/fioa"), "{in_part:?}");
    // Its end depends on the speed of the device.
    let unknown = told("filename=/dev/fioa\n[late]\nstartdelay=20\n[early]\n");
    assert!(unknown[0].contains("the jobs late, early run"), "{unknown:?}");
}
