//! Facts from recorded text, missing facts, and garbled text.

use std::fs;

use super::*;

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

const CPUINFO: &str = "processor\t: 0\nmodel name\t: Example 9000\nphysical id\t: 0\ncore id\t\t: 0\n\
flags\t\t: fpu hypervisor sse\n\nprocessor\t: 1\nmodel name\t: Example 9000\nphysical id\t: 0\n\
core id\t\t: 0\n\nprocessor\t: 2\nmodel name\t: Example 9000\nphysical id\t: 1\ncore id\t\t: 0\n";

/// The value of a host fact, if it is known.
fn host_value<'a>(snapshot: &'a Snapshot, name: &str) -> Option<&'a SnapshotValue> {
    snapshot.host.iter().find(|fact| fact.name == name)?.value.as_ref()
}

#[test]
fn counts_sockets_cores_and_threads() {
    let dir = tree(&[
        ("proc/cpuinfo", CPUINFO),
        ("proc/meminfo", "MemTotal:       2048 kB\nMemFree: 1 kB\n"),
        ("etc/os-release", "NAME=\"X\"\nPRETTY_NAME=\"X Linux 12\"\n"),
        ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
    ]);
    let snapshot = Snapshot::take(&Root::recorded(dir.path()), &[]);
    let text = |text: &str| SnapshotValue::Text(text.to_owned());
    let cases = [
        ("cpu_model", text("Example 9000")),
        ("cpu_sockets", SnapshotValue::Number(2)),
        ("cpu_cores", SnapshotValue::Number(2)),
        ("cpu_threads", SnapshotValue::Number(3)),
        ("hypervisor_flag", SnapshotValue::Flag(true)),
        ("memory_bytes", SnapshotValue::Number(2048 * 1024)),
        ("os", text("X Linux 12")),
        ("transparent_hugepages", text("madvise")),
    ];
    for (name, value) in cases {
        assert_eq!(host_value(&snapshot, name), Some(&value), "{name}");
    }
}

#[test]
fn unknown_has_a_path_and_a_reason() {
    let dir = tree(&[("proc/meminfo", "nonsense")]);
    let snapshot = Snapshot::take(&Root::recorded(dir.path()), &[]);
    let fact = |name: &str| snapshot.host.iter().find(|f| f.name == name).unwrap();
    let missing = fact("kernel");
    assert_eq!(missing.path, Path::new("/proc/sys/kernel/osrelease"));
    assert!(missing.unknown.as_ref().unwrap().contains("No such file"));
    let garbage = fact("memory_bytes");
    assert_eq!(garbage.value, None);
    assert!(garbage.unknown.as_ref().unwrap().contains("not understood"));
}

#[test]
fn this_machine_survives_json() {
    let dir = tempfile::tempdir().unwrap();
    let paths = [dir.path().join("missing"), PathBuf::from("/nowhere/at/all")];
    let snapshot = Snapshot::take(&Root::live(), &paths);
    assert!(host_value(&snapshot, "kernel").is_some());
    assert!(snapshot.targets[0].target.is_some());
    assert!(snapshot.targets[1].target.is_none());
    let json = serde_json::to_string(&snapshot).unwrap();
    let back: Snapshot = serde_json::from_str(&json).unwrap();
    assert_eq!(back, snapshot);
}

/// The snapshot has a fact for everything that the guides report about their
/// machines, if a system shows it.
#[test]
fn the_manifest_has_every_field_of_the_guides() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/trees/server.tree");
    let mut tree = fathom_device::tree::Tree::parse(&fs::read_to_string(path).unwrap()).unwrap();
    tree.overlay(
        "/sys/class/dmi/id/board_name = M50CYP\n/sys/class/dmi/id/bios_vendor = Example\n\
         /sys/module/vmd/version = 0.6\n/sys/class/net/eth0/device -> ../../../devices/net0\n\
         /sys/devices/net0/driver -> ../../bus/pci/drivers/igb\n/sys/class/net/eth0/speed = 1000\n",
    )
    .unwrap();
    let root = Root::held(&tree);
    let snapshot = Snapshot::take(&root, &["/dev/nvme1n1".into()]);
    let known =
        |facts: &[SnapshotFact], name: &str| facts.iter().any(|f| f.name == name && f.value.is_some());
    for name in [
        "system_vendor",
        "system_product",
        "board",
        "bios_vendor",
        "bios_version",
        "bios_date",
        "cpu_model",
        "cpu_sockets",
        "cpu_cores",
        "cpu_threads",
        "smt",
        "memory_bytes",
        "numa_nodes",
        "os",
        "kernel",
        "cmdline",
        "governor",
        "energy_preference",
        "cpu_khz_max",
        "network_card.eth0",
        "storage_controller.0000:01:00.0",
        "driver_version.vmd",
        "pcie_aspm_policy",
        "swappiness",
    ] {
        assert!(known(&snapshot.host, name), "{name}: {:#?}", snapshot.host);
    }
    let disk = &snapshot.targets[0].facts;
    for name in [
        "model",
        "firmware",
        "size_bytes",
        "logical_block_bytes",
        "link_speed",
        "link_width",
        "link_mbps",
        "numa_node",
    ] {
        assert!(known(disk, name), "{name}: {disk:#?}");
    }
}

#[test]
fn memory_modules_need_root_and_say_so() {
    let mut tree = fathom_device::tree::Tree::default();
    tree.overlay("/sys/firmware/dmi/tables/DMI !EACCES\n").unwrap();
    let snapshot = Snapshot::take(&Root::held(&tree), &[]);
    let fact = snapshot.host.iter().find(|f| f.name == "memory_modules").unwrap();
    assert!(fact.unknown.as_ref().unwrap().contains("denied"), "{fact:?}");
}
