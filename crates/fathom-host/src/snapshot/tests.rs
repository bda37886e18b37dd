//! Facts from recorded text, what is missing, and what is garbage.

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

#[test]
fn counts_sockets_cores_and_threads() {
    let dir = tree(&[
        ("proc/cpuinfo", CPUINFO),
        ("proc/meminfo", "MemTotal:       2048 kB\nMemFree: 1 kB\n"),
        ("etc/os-release", "NAME=\"X\"\nPRETTY_NAME=\"X Linux 12\"\n"),
        ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
    ]);
    let snapshot = Snapshot::take(&Root::recorded(dir.path()), &[]);
    let text = |text: &str| Value::Text(text.to_owned());
    let cases = [
        ("cpu_model", text("Example 9000")),
        ("cpu_sockets", Value::Number(2)),
        ("cpu_cores", Value::Number(2)),
        ("cpu_threads", Value::Number(3)),
        ("hypervisor_flag", Value::Flag(true)),
        ("memory_bytes", Value::Number(2048 * 1024)),
        ("os", text("X Linux 12")),
        ("transparent_hugepages", text("madvise")),
    ];
    for (name, value) in cases {
        assert_eq!(snapshot.host_value(name), Some(&value), "{name}");
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
    assert!(snapshot.host_value("kernel").is_some());
    assert!(snapshot.targets[0].target.is_some());
    assert!(snapshot.targets[1].target.is_none());
    let json = serde_json::to_string(&snapshot).unwrap();
    let back: Snapshot = serde_json::from_str(&json).unwrap();
    assert_eq!(back, snapshot);
}
