//! `fathom quick`: six measurements, a verdict, a page, and no scratch file left behind.

use crate::support::{Loop, fathom, machine, only_run, public_binary, sh, text};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// It has no device and compares no figures, so it does not wait until the other test leaves the machine.
#[test]
fn a_normal_user_gets_six_measurements_a_verdict_and_a_page() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(0o777)).unwrap();
    let binary = public_binary(dir.path());
    let mut command = Command::new("runuser");
    command.args(["-u", "nobody", "--"]).arg(&binary).args(["quick", "--seconds", "1", "--size", "64m"]);
    let output = command.current_dir(dir.path()).output().unwrap();
    let said = text(&output);
    assert!(output.status.success() && said.contains(" to scratch; "), "{said}");
    let run = only_run(dir.path());
    let details = text(&fathom(dir.path()).args(["report", "--details"]).arg(&run).output().unwrap());
    for cell in [
        "rand-read-iops",
        "rand-read-latency",
        "seq-read-bandwidth",
        "rand-write-iops",
        "seq-write-bandwidth",
        "mixed-70-30",
    ] {
        assert!(details.contains(cell), "{cell} is missing in {details}");
    }
    let page = std::fs::read_to_string(run.join("report.html")).unwrap();
    assert!(page.contains("mixed-70-30") && page.contains("<svg"));
    let record = std::fs::read_to_string(run.join("run.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["answer"]["result"]["headline"], "quick");
    let mut left: Vec<String> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    left.sort();
    assert_eq!(left, ["fathom", "fathom-runs"], "no scratch file stays");
    // Judged again on its own, the saved run gives the same words.
    let again = fathom(dir.path()).args(["report", "--rejudge"]).arg(&run).output().unwrap();
    let report = fathom(dir.path()).arg("report").arg(&run).output().unwrap();
    assert!(text(&again).contains("the words are the same as when it ran"), "{}", text(&again));
    assert_eq!(again.stdout, report.stdout);
}

#[test]
fn a_device_is_only_read_unless_it_is_named() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    let blank = fathom(dir.path()).args(["quick", &disk.device, "--destroy", &disk.device]).output().unwrap();
    assert!(text(&blank).contains(&format!("--destroy {}", disk.consent())), "{}", text(&blank));
    sh("mkfs.ext4", &format!("-q {}", disk.device));
    let before = std::fs::read(&disk.backing).unwrap();
    let quick = |more: &[&str]| {
        fathom(dir.path()).args(["quick", "--seconds", "1", &disk.device]).args(more).output().unwrap()
    };
    let output = quick(&[]);
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("three read-only measurements of 1 s each on"), "{said}");
    assert!(said.contains("rand-read-iops") && !said.contains("  write "), "{said}");
    assert!(before == std::fs::read(&disk.backing).unwrap());
    assert!(
        said.contains(&format!("to measure writing too: fathom devices {} shows", disk.device)),
        "{said}"
    );
    // A refused run writes nothing, and does not say that it does.
    let refused = quick(&["--write", &disk.consent()]);
    assert!(!refused.status.success() && !text(&refused).contains("First fathom"), "{}", text(&refused));
    let kernel_name = text(&quick(&["--destroy", &disk.device]));
    assert!(kernel_name.contains("can be another disk"), "{kernel_name}");
    assert!(kernel_name.contains(&format!("--destroy {}", disk.consent())), "{kernel_name}");
    let output = quick(&["--destroy", &disk.consent()]);
    let said = text(&output);
    assert!(output.status.success() && said.contains("rand-write-iops"), "{said}");
    assert!(said.contains("First fathom writes 64 MiB, for at most 15 s."), "{said}");
    // A mounted device cannot be written to, but the file system on it can be measured.
    sh("mkfs.ext4", &format!("-q -F {}", disk.device));
    let point = dir.path().join("mnt");
    std::fs::create_dir(&point).unwrap();
    sh("mount", &format!("{} {}", disk.device, point.display()));
    let mounted = text(&quick(&[]));
    let small = text(&fathom(dir.path()).arg("quick").arg(&point).output().unwrap());
    sh("umount", point.to_str().unwrap());
    let file_system = format!("to measure the file system on it: fathom quick {}", point.display());
    assert!(mounted.contains(&file_system) && !mounted.contains("to measure writing too"), "{mounted}");
    assert!(small.contains("not enough free space"), "{small}");
    assert!(small.contains("this fits: fathom quick") && small.contains(" --size "), "{small}");
}
