//! What must not become an array, and what must not be taken apart.

use fathom_lab::{Drive, Ends, Scope, fathom, sh};

use super::bench::{Array, assert_apart, create, drives};

/// Refused with this exit code and these words; no drive is changed, and no array runs.
#[track_caller]
fn check(drives: &[Drive], words: &[&str], code: i32, why: &str) {
    let before: Vec<Ends> = drives.iter().map(|drive| Ends::of(&drive.node)).collect();
    let arrays = std::fs::read_to_string("/proc/mdstat").unwrap();
    let run = create(drives, words);
    assert_eq!(run.code, Some(code), "{}{}", run.stdout, run.stderr);
    let said = format!("{} {}", run.stdout, run.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains(why), "{why}: {said}");
    before.iter().for_each(Ends::assert_unchanged);
    assert_eq!(std::fs::read_to_string("/proc/mdstat").unwrap(), arrays);
}

#[test]
fn one_member_that_is_used_refuses_the_whole_array() {
    let drives = drives();
    let mut scope = Scope::new();
    sh(&["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", &drives[3].node]);
    scope.mount(&drives[3].node);
    check(&drives, &["--level", "5"], 3, "is mounted on");
    scope.end();
    drives[3].blank();

    let mut scope = Scope::new();
    sh(&["mkswap", &drives[1].node]);
    scope.act(&["swapon", &drives[1].node], &["swapoff", &drives[1].node]);
    check(&drives, &["--level", "0"], 3, "is active swap");
    scope.end();
    drives[1].blank();

    let mut scope = Scope::new();
    let two = ["/dev/md0", "--run", "--level=1", "--metadata=1.2", "--assume-clean", "--raid-devices=2"];
    let members = [drives[2].node.as_str(), drives[3].node.as_str()];
    scope.act(&[&["mdadm", "--create"], &two[..], &members].concat(), &["mdadm", "--stop", "/dev/md0"]);
    check(&drives, &["--level", "10"], 3, "is built on the target and in use");
    // An array that a person made is not taken apart either.
    let foreign = fathom(&["array", "remove", "/dev/md0"]);
    assert_eq!(foreign.code, Some(3), "{foreign:?}");
    assert!(foreign.stderr.contains("fathom did not make /dev/md0"), "{}", foreign.stderr);
    scope.end();
    drives.iter().for_each(Drive::blank);
}

#[test]
fn without_consent_to_each_nothing_is_written() {
    let drives = drives();
    drives[0].partition_once();
    let nodes: Vec<&str> = drives.iter().map(|drive| drive.node.as_str()).collect();
    let before: Vec<Ends> = nodes.iter().map(|node| Ends::of(node)).collect();
    let some =
        ["array", "create", "--level", "5", "--destroy", "LAB-E", "--destroy", "LAB-F", "--destroy", "LAB-G"];
    let run = fathom(&[&some[..], &nodes].concat());
    assert_eq!(run.code, Some(3), "{run:?}");
    let told = run.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("--destroy LAB-H") && run.stdout.contains("partition table"), "{run:?}");
    let plan = fathom(&[&some[..], &["--plan"], &nodes].concat());
    assert_eq!(plan.code, Some(0), "{plan:?}");
    before.iter().for_each(Ends::assert_unchanged);
    drives.iter().for_each(Drive::blank);
}

#[test]
fn wrong_requests_are_told_before_anything_is_written() {
    let drives = drives();
    check(&drives[..2], &["--level", "5"], 2, "RAID 5 has at least 3 members, and 2 were named");
    check(&drives, &["--level", "1", "--chunk", "64k"], 2, "RAID 1 has no chunks");
    check(&drives, &["--level", "0", "--chunk", "96k"], 2, "md has no chunks of 98304 bytes");
    check(&drives, &["--level", "0", "--name", "md7"], 2, "cannot be the name of an array");
    let twice = [drives[0].clone(), drives[1].clone(), drives[0].clone()];
    check(&twice, &["--level", "5"], 2, "are the same device");
    let paths = Drive::all_by_serial("LAB-TWIN", 2);
    check(&paths, &["--level", "1"], 2, "are the same device");
}

#[test]
fn an_array_in_use_is_not_taken_apart_and_unequal_members_are_told() {
    let drives = [Drive::by_serial("LAB-A"), Drive::by_serial("LAB-C")];
    drives.iter().for_each(Drive::blank);
    let plan = fathom(&["array", "create", "--level", "0", "--plan", &drives[0].node, &drives[1].node]);
    assert!(plan.stdout.contains("the array has blocks of 4096 bytes"), "{plan:?}");
    let array = Array::of(&drives, &["--level", "0", "--name", "bench"]);
    sh(&["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", &array.node]);
    let mut scope = Scope::new();
    scope.mount(&array.node);
    let words = ["array", "remove", &array.node, "--destroy", &array.uuid];
    let refused = fathom(&words);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.stderr.contains("is mounted on"), "{}", refused.stderr);
    scope.end();
    array.remove();
    assert_apart(&drives);
    drives.iter().for_each(Drive::blank);
}
