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
    ] {
        assert!(told(sections).is_empty(), "{sections}");
    }
}
