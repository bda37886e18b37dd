//! mdadm fails: nothing half-made stays.

use fathom_lab::{Drive, sh};
use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::bench::{assert_apart, create, drives};

const MDADM: &str = "/usr/sbin/mdadm";
const KEPT: &str = "/usr/sbin/mdadm.kept";

/// mdadm with something else around it, until dropped.
pub struct StandIn;

impl StandIn {
    pub fn of(script: &str) -> Self {
        sh(&["mv", MDADM, KEPT]);
        fs::write(MDADM, format!("#!/usr/bin/bash\n{script}\n")).unwrap();
        fs::set_permissions(MDADM, fs::Permissions::from_mode(0o755)).unwrap();
        Self
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        sh(&["mv", KEPT, MDADM]);
    }
}

#[test]
fn an_array_that_was_started_is_stopped_again() {
    let drives = drives();
    let stand_in = StandIn::of(&format!(
        "{KEPT} \"$@\" || exit\nif [ \"$1\" = --create ]; then echo mdadm: it went wrong >&2; exit 1; fi"
    ));
    let run = create(&drives, &["--level", "5"]);
    drop(stand_in);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.contains("it went wrong") && !run.stderr.contains("not undone"), "{}", run.stderr);
    assert_apart(&drives);
    drives.iter().for_each(Drive::blank);
}

#[test]
fn what_cannot_be_undone_is_told() {
    let drives = drives();
    let stand_in = StandIn::of(&format!(
        "if [ \"$1\" = --stop ]; then echo mdadm: it is busy >&2; exit 1; fi\n{KEPT} \"$@\" || exit\nexit 1"
    ));
    let run = create(&drives, &["--level", "1"]);
    drop(stand_in);
    assert_eq!(run.code, Some(1), "{run:?}");
    let told = run.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("not undone: md") && told.contains("runs: mdadm: it is busy"), "{told}");
    let node = told.split("not undone: ").nth(1).unwrap().split(' ').next().unwrap();
    sh(&["mdadm", "--stop", &format!("/dev/{node}")]);
    drives.iter().for_each(Drive::blank);
}

#[test]
fn without_mdadm_nothing_is_touched() {
    let drives = drives();
    let stand_in = StandIn::of("");
    fs::remove_file(MDADM).unwrap();
    let run = create(&drives, &["--level", "0"]);
    drop(stand_in);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.stderr.contains("mdadm is not installed") && run.stderr.contains("apt install mdadm"),
        "{run:?}"
    );
    assert_apart(&drives);
}
