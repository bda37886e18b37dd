//! Names that several devices share: namespaces of one drive, paths to one namespace.

use std::path::Path;

use fathom_device::device::DiskKind;
use fathom_guard::FindingKind::{Mounted, NoConsent, OtherPath, Signature};
use fathom_guard::{Access, Door};
use fathom_lab::{Drive, Ends, Scope, sh};

use super::admission::{DOORS, check_admitted, check_barred, check_free, guard, hinted, refusal};

fn blank(serial: &str, namespace: u32) -> Drive {
    let drive = Drive::namespace(serial, namespace);
    drive.blank();
    drive
}

/// The serial number belongs to the drive, which has two namespaces, so it names neither of them.
#[test]
fn consent_for_one_namespace_is_none_for_the_other() {
    let spaces = [blank("LAB-B", 1), blank("LAB-B", 2)];
    for space in &spaces {
        sh(&["mkswap", &space.node]);
    }
    let names = spaces.each_ref().map(|space| space.attribute("wwid"));
    assert_ne!(names[0], names[1]);
    for (space, other) in [(0, 1), (1, 0)] {
        let node = Path::new(&spaces[space].node);
        let before = Ends::of(&spaces[space].node);
        for door in DOORS {
            for word in ["LAB-B", &names[other]] {
                let refused = refusal(guard(door, &[word], &[word]).admit(node, Access::Write));
                assert!(refused.has(Signature), "{door:?} {word}: {refused}");
                assert_eq!(hinted(&refused, "--destroy"), names[space]);
            }
            check_admitted(&guard(door, &[], &[&names[space]]), &spaces[space].node);
        }
        before.assert_unchanged();
    }
    spaces.iter().for_each(Drive::blank);
}

#[test]
fn a_mounted_namespace_leaves_the_other_free() {
    let (mounted, other) = (blank("LAB-B", 1), blank("LAB-B", 2));
    sh(&["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", &mounted.node]);
    let mut scope = Scope::new();
    scope.mount(&mounted.node);
    check_barred(&mounted.node, &mounted, Mounted);
    check_free(&other.node);
    scope.end();
    mounted.blank();
}

/// Two controllers lead to one namespace, and the kernel shows one disk. It is a disk like any
/// other, and its paths do not matter for the question to which device a name belongs.
#[test]
fn a_disk_with_two_paths() {
    let drive = blank("LAB-M", 1);
    let guard = guard(Door::Native, &["LAB-M"], &[]);
    let admitted = guard.admit(Path::new(&drive.node), Access::Write).unwrap();
    let identity = admitted.identity().unwrap();
    assert_eq!(identity.kind, DiskKind::Nvme);
    assert_eq!(identity.serial.as_deref(), Some("LAB-M"));
    drop((admitted, guard));
    check_free(&drive.node);
    sh(&["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", &drive.node]);
    let mut scope = Scope::new();
    scope.mount(&drive.node);
    check_barred(&drive.node, &drive, Mounted);
    scope.end();
    drive.blank();
}

/// Two paths that nothing joins look like two disks. What is mounted through one of them counts as
/// mounted for both, also through a link in by-id, which leads to one of them.
#[test]
fn paths_that_nothing_joins() {
    let twins = Drive::all_by_serial("LAB-TWIN", 2);
    twins[0].blank();
    let link = Path::new("/dev/disk/by-id/wwn-lab_twin");
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&twins[1].node, link).unwrap();
    let word = format!("wwn-lab_twin:{}", twins[1].size_bytes());
    for (door, twin) in DOORS.into_iter().flat_map(|door| twins.iter().map(move |twin| (door, twin))) {
        let refused =
            refusal(guard(door, &["LAB-TWIN"], &["LAB-TWIN"]).admit(Path::new(&twin.node), Access::Write));
        assert!(refused.has(OtherPath) && refused.can_be_overridden(), "{door:?}: {refused}");
    }
    check_admitted(&guard(Door::Native, &[], &[&word]), &twins[1].node);
    sh(&["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", &twins[0].node]);
    let mut scope = Scope::new();
    scope.mount(&twins[0].node);
    for (door, twin) in DOORS.into_iter().flat_map(|door| twins.iter().map(move |twin| (door, twin))) {
        let words = [word.as_str(), "LAB-TWIN"];
        let refused = refusal(guard(door, &words, &words).admit(Path::new(&twin.node), Access::Write));
        assert!(refused.has(Mounted) && !refused.can_be_overridden(), "{door:?} {refused}");
    }
    scope.end();
    std::fs::remove_file(link).unwrap();
    twins[0].blank();
}

#[test]
fn a_blank_namespace_is_not_named_by_the_serial_of_two() {
    let space = blank("LAB-B", 2);
    let refused = refusal(guard(Door::Native, &["LAB-B"], &[]).admit(Path::new(&space.node), Access::Write));
    assert!(refused.has(NoConsent), "{refused}");
}
