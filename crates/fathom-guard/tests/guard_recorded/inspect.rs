//! What the guard finds on recorded machines, and that nothing said on the
//! command line outweighs a device in use.

use crate::guard_recorded::machine::{Machine, SIZE};
use fathom_guard::FindingKind::{
    Held, LoopBacking, Mounted, NoMedium, OpenForReading, OpenForWriting, OtherPath, Partition,
    PartitionTable, PoolMember, ReadOnly, Signature, Swap, SystemDevice, UnknownContents,
};
use fathom_guard::{Consent, Door, Facts, FindingKind, Weight};

const SDB: &str = "8:16";
const SDB1: &str = "8:17";

fn one_disk() -> Machine {
    let machine = Machine::new();
    machine.disk("sdb", SDB, "S123");
    machine
}

fn partitioned() -> Machine {
    let machine = one_disk();
    machine.partition("sdb", 1, SDB1).partition("sdb", 2, "8:18");
    machine
}

/// Every consent there is, for the device and the partitions of the fixture.
fn everything_allowed() -> Consent {
    let words = ["S123", "S123-part1", "S123-part2"];
    Consent { destroy: words.iter().map(|word| word.parse().unwrap()).collect(), ..Consent::default() }
}

/// The target must have this finding on this node, and no consent through
/// either door may get past it.
#[track_caller]
fn check_absolute(machine: &Machine, target: &str, kind: FindingKind, node: &str) {
    let findings = machine.findings(target);
    let found = findings.iter().find(|f| f.kind == kind && f.node == node);
    let found = found.unwrap_or_else(|| panic!("no {kind:?} on {node} in {findings:?}"));
    assert_eq!(found.weight, Weight::Absolute);
    for door in [Door::Native, Door::Fio] {
        let refusal = machine.judge(target, door, &everything_allowed()).unwrap_err();
        assert!(!refusal.can_be_overridden());
        assert!(refusal.has(kind));
        assert!(refusal.hints[0].contains("no option overrides"), "{:?}", refusal.hints);
    }
}

#[test]
fn a_blank_disk_has_no_findings() {
    assert_eq!(one_disk().findings(SDB), []);
}

#[test]
fn mounted_whole_disk() {
    let machine = one_disk();
    machine.mount(SDB, "/srv", "ext4", "/dev/sdb");
    check_absolute(&machine, SDB, Mounted, "sdb");
}

#[test]
fn mounted_partition_bars_its_disk_but_not_its_sibling() {
    let machine = partitioned();
    machine.mount(SDB1, "/srv", "ext4", "/dev/sdb1");
    check_absolute(&machine, SDB, Mounted, "sdb1");
    check_absolute(&machine, SDB1, Mounted, "sdb1");
    assert_eq!(machine.findings("8:18"), []);
}

#[test]
fn a_mounted_disk_bars_its_partitions() {
    let machine = partitioned();
    machine.mount(SDB, "/srv", "ext4", "/dev/sdb");
    check_absolute(&machine, SDB1, Mounted, "sdb");
}

#[test]
fn a_mount_in_another_namespace_counts() {
    let machine = one_disk();
    machine.mount_of_process(4711, SDB, "/hidden");
    check_absolute(&machine, SDB, Mounted, "sdb");
}

#[test]
fn a_mount_under_an_anonymous_number_is_found_by_its_source() {
    let machine = partitioned();
    machine.mount("0:44", "/pool", "btrfs", "/dev/sdb1");
    check_absolute(&machine, SDB, Mounted, "sdb1");
}

#[test]
fn second_device_of_a_mounted_btrfs() {
    let machine = one_disk();
    machine.disk("sdc", "8:32", "S999");
    machine.mount("0:44", "/pool", "btrfs", "/dev/sdc");
    machine.write("sys/fs/btrfs/9a7f/devices/sdb/size", "1");
    machine.write("sys/fs/btrfs/9a7f/devices/sdc/size", "1");
    check_absolute(&machine, SDB, PoolMember, "sdb");
}

#[test]
fn active_swap_on_a_partition() {
    let machine = partitioned();
    machine.swap("/dev/sdb2");
    check_absolute(&machine, SDB, Swap, "sdb2");
}

#[test]
fn md_member_and_the_array_itself() {
    let machine = partitioned();
    machine.disk("md0", "9:0", "").holds("md0", "sdb/sdb1");
    check_absolute(&machine, SDB1, Held, "md0");
    check_absolute(&machine, SDB, Held, "md0");
    assert_eq!(machine.findings("9:0"), [], "an array is there to be tested");
}

#[test]
fn an_array_of_a_mounted_disk_is_barred() {
    let machine = partitioned();
    machine.disk("md0", "9:0", "").holds("md0", "sdb/sdb1");
    machine.mount(SDB, "/srv", "ext4", "/dev/sdb");
    check_absolute(&machine, "9:0", Mounted, "sdb");
}

#[test]
fn lvm_on_luks_on_a_partition() {
    let machine = partitioned();
    machine.disk("dm-0", "253:0", "").holds("dm-0", "sdb/sdb1");
    machine.disk("dm-1", "253:1", "").holds("dm-1", "dm-0");
    machine.attribute("dm-1", "dm/name", "vg-root");
    machine.mount("0:50", "/", "btrfs", "/dev/mapper/vg-root");
    check_absolute(&machine, SDB, Held, "dm-0");
    check_absolute(&machine, SDB, Mounted, "dm-1");
    check_absolute(&machine, "253:0", Held, "dm-1");
}

#[test]
fn loop_device_over_a_disk() {
    let machine = one_disk();
    machine.loop_over("loop0", "7:0", "/dev/sdb");
    check_absolute(&machine, SDB, LoopBacking, "loop0");
    machine.mount(SDB, "/srv", "ext4", "/dev/sdb");
    check_absolute(&machine, "7:0", Mounted, "sdb");
}

#[test]
fn two_loop_devices_over_one_file() {
    let machine = Machine::new();
    machine.loop_over("loop0", "7:0", "/images/a.img");
    machine.loop_over("loop1", "7:1", "/images/a.img");
    machine.loop_over("loop2", "7:2", "/images/b.img");
    check_absolute(&machine, "7:0", LoopBacking, "loop1");
    assert_eq!(machine.findings("7:2"), []);
}

/// Names of files come and go; the kernel's answer decides.
#[test]
fn two_loop_devices_over_one_inode() {
    let machine = Machine::new();
    for (name, number, file, inode) in [
        ("loop0", "7:0", "/images/a.img (deleted)", 11),
        ("loop1", "7:1", "/images/b.img", 11),
        ("loop2", "7:2", "/images/a.img", 12),
    ] {
        machine.loop_over(name, number, file);
        machine.write(&format!(".fathom/asked/loop-backing/{name}"), &format!("254:0 {inode}"));
    }
    check_absolute(&machine, "7:0", LoopBacking, "loop1");
    assert_eq!(machine.findings("7:2"), []);
}

/// A file system without a device of its own may show files of another.
#[test]
fn two_loop_devices_that_nothing_tells_apart() {
    let machine = Machine::new();
    machine.loop_over("loop0", "7:0", "/images/a.img (deleted)").loop_over("loop1", "7:1", "/images/b.img");
    machine.write(".fathom/asked/loop-backing/loop0", "254:0 11");
    machine.write(".fathom/asked/loop-backing/loop1", "0:44 9");
    check_absolute(&machine, "7:0", LoopBacking, "loop1");
    let detail = &machine.findings("7:0")[0].detail;
    assert!(detail.starts_with("may be a loop device over"), "{detail}");
}

#[test]
fn a_loop_device_over_the_disk_of_a_partition() {
    let machine = partitioned();
    machine.loop_over("loop0", "7:0", "/dev/sdb");
    machine.mount("7:0", "/srv", "ext4", "/dev/loop0");
    check_absolute(&machine, SDB1, LoopBacking, "loop0");
    check_absolute(&machine, SDB1, Mounted, "loop0");
}

#[test]
fn a_loop_device_over_a_disk_with_a_mounted_partition() {
    let machine = partitioned();
    machine.loop_over("loop0", "7:0", "/dev/sdb");
    machine.mount(SDB1, "/srv", "ext4", "/dev/sdb1");
    check_absolute(&machine, "7:0", Mounted, "sdb1");
}

#[test]
fn hibernation_device() {
    let machine = partitioned();
    machine.write("sys/power/resume", "8:18\n");
    check_absolute(&machine, SDB, SystemDevice, "sdb2");
}

#[test]
fn read_only_and_empty() {
    let machine = one_disk();
    machine.attribute("sdb", "ro", "1");
    check_absolute(&machine, SDB, ReadOnly, "sdb");
    let machine = one_disk();
    machine.attribute("sdb", "size", "0");
    check_absolute(&machine, SDB, NoMedium, "sdb");
}

#[test]
fn open_for_writing_elsewhere() {
    let machine = partitioned();
    machine.opener(4711, "qemu", "/dev/sdb1", "0100002");
    check_absolute(&machine, SDB, OpenForWriting, "sdb1");
    let detail = &machine.findings(SDB)[0].detail;
    assert!(detail.contains("qemu (pid 4711)"), "{detail}");
}

/// The monitor of a container writes the metadata of the volume that is the target. Another process, another monitor, and the
/// monitor at another disk are not excepted.
#[test]
fn the_monitor_of_an_array_with_external_metadata_is_part_of_it() {
    let machine = Machine::new();
    machine
        .disk("sdb", SDB, "B")
        .disk("sdc", "8:32", "C")
        .disk("md126", "9:126", "")
        .disk("md127", "9:127", "");
    for member in ["sdb", "sdc"] {
        machine.holds("md126", member).holds("md127", member);
    }
    machine.attribute("md126", "md/metadata_version", "external:/md127/0");
    machine.attribute("md127", "md/metadata_version", "external:imsm");
    machine.opener(300, "mdmon", "/dev/sdb", "0100002");
    let is_refused = |target: &str| machine.kinds(target).iter().any(|(kind, _)| *kind == OpenForWriting);
    assert!(is_refused("9:126"), "nothing says that it is the monitor of this container");
    machine.write("run/mdadm/md127.pid", "300\n");
    assert!(!is_refused("9:126"), "{:?}", machine.kinds("9:126"));
    assert!(is_refused(SDB), "the member itself");
    machine.write("run/mdadm/md127.pid", "301\n");
    assert!(is_refused("9:126"));
    machine.write("run/mdadm/md127.pid", "300\n");
    machine.write("proc/300/comm", "qemu");
    assert!(is_refused("9:126"));
}

#[test]
fn open_for_reading_elsewhere_matters_on_the_target_only() {
    let machine = partitioned();
    machine.opener(4711, "smartd", "/dev/sdb", "0100000");
    let kinds = machine.kinds(SDB);
    assert!(kinds.contains(&(OpenForReading, "sdb".to_owned())), "{kinds:?}");
    assert_eq!(machine.findings(SDB1), []);
}

#[test]
fn partitions_tables_and_what_they_hold_are_told() {
    let machine = partitioned();
    machine.data("sdb", 512, b"EFI PART").data("sdb1", 0, b"LUKS\xba\xbe");
    let kinds = machine.kinds(SDB);
    for expected in [(PartitionTable, "sdb"), (Partition, "sdb2"), (Signature, "sdb1")] {
        assert!(kinds.contains(&(expected.0, expected.1.to_owned())), "{expected:?} in {kinds:?}");
    }
    assert_eq!(machine.kinds(SDB1), [(Signature, "sdb1".to_owned())]);
    assert_eq!(machine.findings("8:18"), [], "the disk's table is not the partition's");
}

#[test]
fn data_of_no_known_format() {
    let machine = one_disk();
    machine.data("sdb", SIZE - 3, b"x");
    let findings = machine.findings(SDB);
    assert_eq!((findings[0].kind, findings[0].weight), (UnknownContents, Weight::Residue));
}

#[test]
fn what_cannot_be_answered_is_an_error() {
    for missing in ["proc/self/mountinfo", "sys/block", "sys/devices/sdb/size"] {
        let machine = one_disk();
        let path = machine.at(missing);
        if path.is_dir() {
            std::fs::remove_dir_all(path).unwrap();
        } else {
            std::fs::remove_file(path).unwrap();
        }
        let root = machine.root();
        let facts = Facts::gather(&root, SDB.parse().unwrap(), |_| Ok(Default::default()));
        assert!(facts.is_err(), "without {missing}");
    }
}

#[test]
fn what_cannot_be_read_counts_as_contents() {
    let machine = one_disk();
    let unreadable = |_: &_| Err(std::io::Error::other("medium error"));
    let facts = Facts::gather(&machine.root(), SDB.parse().unwrap(), unreadable).unwrap();
    let findings = fathom_guard::inspect(&facts);
    assert_eq!(findings[0].kind, FindingKind::Unreadable);
    assert_eq!(findings[0].weight, Weight::Contents);
}

/// sdb and sdc are one disk through two adapters.
fn two_paths() -> Machine {
    let machine = partitioned();
    machine.disk("sdc", "8:32", "S123").partition("sdc", 1, "8:33").partition("sdc", 2, "8:34");
    for disk in ["sdb", "sdc"] {
        machine.attribute(disk, "device/wwid", "naa.5000c500a1b2c3d4");
    }
    machine
}

#[test]
fn what_is_used_through_another_path_is_used() {
    let machine = two_paths();
    machine.mount("8:32", "/srv", "ext4", "/dev/sdc");
    check_absolute(&machine, SDB, Mounted, "sdc");
    check_absolute(&machine, SDB1, Mounted, "sdc");
    let machine = two_paths();
    machine.mount("8:33", "/srv", "ext4", "/dev/sdc1");
    check_absolute(&machine, SDB, Mounted, "sdc1");
    check_absolute(&machine, SDB1, Mounted, "sdc1");
    let machine = two_paths();
    machine.disk("dm-0", "253:0", "").holds("dm-0", "sdc/sdc1");
    check_absolute(&machine, SDB1, Held, "dm-0");
}

#[test]
fn another_partition_of_another_path_is_not_the_target() {
    let machine = two_paths();
    machine.mount("8:34", "/srv", "ext4", "/dev/sdc2");
    assert_eq!(machine.kinds(SDB1), [(OtherPath, "sdc1".to_owned())]);
}

#[test]
fn a_free_second_path_needs_destroy_at_both_doors() {
    let machine = two_paths();
    machine.by_id("wwn-0x5000c500a1b2c3d4", "sdb");
    let word = format!("wwn-0x5000c500a1b2c3d4:{SIZE}").parse().unwrap();
    let allowed = Consent { destroy: vec![word], ..Consent::default() };
    for door in [Door::Native, Door::Fio] {
        let refusal = machine.judge(SDB, door, &everything_allowed()).unwrap_err();
        assert!(refusal.has(OtherPath) && refusal.can_be_overridden(), "{refusal}");
        machine.judge(SDB, door, &allowed).unwrap();
    }
}

/// A name that many disks share proves nothing where the sizes differ, and a missing name proves
/// nothing at all.
#[test]
fn disks_that_are_not_the_same_are_no_paths() {
    let machine = two_paths();
    machine.attribute("sdc", "size", "2048");
    assert!(machine.facts(SDB).paths.is_empty());
    assert!(one_disk().disk("sdc", "8:32", "S124").facts(SDB).paths.is_empty());
}
