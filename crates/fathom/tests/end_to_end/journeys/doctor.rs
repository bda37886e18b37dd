//! `fathom doctor`, tested through its command line.

use crate::support::{fathom, text, workspace};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn tree(name: &str) -> PathBuf {
    workspace().join(format!("crates/fathom-host/tests/trees/{name}.tree"))
}

fn doctor(words: &[&str]) -> Output {
    let dir = tempfile::tempdir().unwrap();
    let output = fathom(dir.path()).arg("doctor").args(words).output().unwrap();
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "{words:?} left something behind");
    output
}

fn said(words: &[&str]) -> String {
    let output = doctor(words);
    assert_eq!(output.status.code(), Some(0), "{words:?}: {}", text(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn document(words: &[&str]) -> Value {
    serde_json::from_str(&said(&[words, &["--json"]].concat())).unwrap()
}

fn of_tree<'a>(path: &'a Path, words: &[&'a str]) -> Vec<&'a str> {
    [&["--root", path.to_str().unwrap()], words].concat()
}

/// Done-when 1 of the host: every check, with a verdict and evidence, also
/// without rights, and the number of facts that need more.
#[test]
fn a_normal_user_hears_of_every_check() {
    let checks = fathom_host::audit::checks::catalogue().count();
    let output = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", env!("CARGO_BIN_EXE_fathom")])
        .args(["doctor", "--json", "--watch", "0"])
        .current_dir("/")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let all = document["checks"].as_array().unwrap();
    assert_eq!(all.len(), checks);
    for check in all {
        let verdict = check["verdict"].as_str().unwrap();
        assert!(["ok", "info", "warn", "bad", "n-a"].contains(&verdict), "{check}");
        for seen in check["observations"].as_array().unwrap() {
            assert!(!seen["says"].as_str().unwrap().is_empty(), "{check}");
            let has_evidence = !seen["evidence"].as_array().unwrap().is_empty();
            assert!(has_evidence || verdict == "n-a", "{check} has no evidence");
        }
    }
    assert!(document["needs_root"].is_array());
}

#[test]
fn the_readme_counts_as_the_program_does() {
    let readme = std::fs::read_to_string(workspace().join("README.md")).unwrap();
    let checks = fathom_host::audit::checks::catalogue().count();
    assert!(readme.contains(&format!("{checks} checks")), "there are {checks} checks");
}

#[test]
fn findings_decide_the_exit_only_when_asked() {
    let downgraded = tree("downgraded");
    let text = said(&of_tree(&downgraded, &[]));
    assert!(text.lines().any(|line| line.starts_with("bad  ")), "{text}");
    assert!(text.starts_with("What to do first:\n  1. "), "{text}");
    assert!(!text.lines().any(|line| line.starts_with("ok ") || line.starts_with("info ")), "{text}");
    let code = |words: &[&str]| doctor(&of_tree(&downgraded, words)).status.code();
    assert_eq!(code(&["--fail-on", "bad"]), Some(5));
    assert_eq!(code(&["--fail-on", "warn"]), Some(5));
    let server = tree("server");
    assert_eq!(doctor(&of_tree(&server, &["--fail-on", "warn"])).status.code(), Some(0));
}

#[test]
fn a_goal_changes_the_verdict() {
    let server = tree("server");
    let mut recorded = std::fs::read_to_string(&server).unwrap();
    recorded.push_str("/sys/devices/system/cpu/cpufreq/policy0/scaling_governor = schedutil\n");
    recorded.push_str("/sys/devices/system/cpu/cpufreq/policy0/scaling_driver = acpi-cpufreq\n");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("host.tree");
    std::fs::write(&path, recorded).unwrap();
    let verdict = |goal: &str| {
        let document = document(&of_tree(&path, &["--goal", goal]));
        let checks = document["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["id"] == "cpu.governor").unwrap();
        check["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!((verdict("latency").as_str(), verdict("bandwidth").as_str()), ("warn", "info"));
}

#[test]
fn a_check_and_old_advice_are_explained() {
    let page = said(&["--explain", "cpu.cstates"]);
    for title in ["What it is and why it matters", "How it is judged", "What to do", "Sources"] {
        assert!(page.contains(title), "{page}");
    }
    assert!(page.contains("--explain idle-poll"), "{page}");
    assert!(!page.contains("V-5"), "a code that only the documentation explains: {page}");
    assert!(said(&["--explain", "idle=poll"]).starts_with("idle-poll - harmful"));
    let unknown = doctor(&["--explain", "cpu.govern"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("perhaps cpu.governor"), "{}", text(&unknown));
}

/// The eighteen lines of the guide, each with what this system shows of it, below the advice.
#[test]
fn the_firmware_checklist_is_printed() {
    let page = said(&["--explain", "BIOS settings"]);
    assert!(page.starts_with("bios-checklist - it depends"), "{page}");
    let (_, list) = page.split_once("The settings, and what this system shows\n").expect("the list");
    let lines = list
        .lines()
        .filter(|line| line.starts_with("    ") && !line.starts_with("     ") && line.contains(": "));
    assert_eq!(lines.count(), 18, "{page}");
    assert!(list.contains("of 18 are as in the guide"), "{page}");
}

/// People ask in their own words: a word that is the name of no check leads to one.
#[test]
fn words_that_name_no_page_lead_to_one() {
    for (asked, check) in [
        ("noatime", "fs.atime"),
        ("mitigations=off", "cpu.mitigations"),
        ("iommu=pt", "pcie.iommu"),
        ("transparent hugepages", "vm.thp"),
    ] {
        let output = doctor(&["--explain", asked]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{asked}");
        assert!(said.contains("perhaps") && said.contains(check), "{asked}: {said}");
    }
}

/// Checks that have nothing to examine for the same reason are reported together, once.
#[test]
fn checks_that_lack_the_same_share_a_line() {
    let text = said(&of_tree(&tree("balanced"), &["--all"]));
    let named = |id: &str| text.split(|c: char| c.is_whitespace() || c == ',').any(|word| word == id);
    assert!(fathom_host::audit::checks::catalogue().all(|check| named(check.id)), "{text}");
    assert_eq!(text.matches("there is no md array").count(), 1, "{text}");
}

#[test]
fn a_capture_is_audited_like_the_machine() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("host.tree");
    said(&["capture", "--watch", "0", "-o", path.to_str().unwrap()]);
    let recorded = std::fs::read_to_string(&path).unwrap();
    assert!(recorded.starts_with("fathom-tree 1\n"));
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let line = format!("/proc/sys/kernel/hostname = {}", host.trim());
    assert!(host.trim().len() < 5 || !recorded.lines().any(|l| l == line), "the host's name is left");
    let captured = document(&of_tree(&path, &[]));
    let checks = fathom_host::audit::checks::catalogue().count();
    assert_eq!(captured["checks"].as_array().unwrap().len(), checks);
}

#[test]
fn what_is_no_target_and_what_is_no_recorded_machine_are_refused() {
    let output = doctor(&["/dev/no-such-device"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    let output = doctor(&["--root", "/etc/hostname"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(String::from_utf8_lossy(&output.stderr).contains("doctor capture"), "{}", text(&output));
}

/// The host is audited before every run and watched during it, and the report shows
/// the path to the target.
#[test]
fn a_run_keeps_what_the_doctor_says_and_the_map() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let job = "[r]\nrw=randread\nbs=4k\nsize=1m\nruntime=1\ntime_based\nfilename=data\n";
    std::fs::write(dir.path().join("job.fio"), job).unwrap();
    let words = ["run", "job.fio", "--html", "--no-calibrate", "--output-dir", "out"];
    let output = fathom(dir.path()).args(words).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let record: Value =
        serde_json::from_str(&std::fs::read_to_string(dir.path().join("out/run.json")).unwrap()).unwrap();
    assert!(record["self_knowledge"]["audit"].is_array(), "{record}");
    assert!(record["self_knowledge"]["disturbances"].is_array(), "{record}");
    let page = std::fs::read_to_string(dir.path().join("out/report.html")).unwrap();
    let drawn = dir.path().join("out/topology.svg").exists();
    assert_eq!(drawn, page.contains("data:image/svg+xml"), "the map is in the page if there is one");
}

/// A saved printout of another machine.
fn printout(name: &str) -> String {
    workspace().join(format!("crates/fathom-host/tests/printout/samples/{name}.txt")).display().to_string()
}

/// V-74, V-76, M-10, M-13: what a customer sent is judged like this machine.
#[test]
fn saved_printouts_are_judged() {
    let bandwidth = printout("fio-pci-check-bandwidth");
    let told = said(&["--read", &bandwidth]);
    assert!(told.contains("warn pcie.oversub         00:02.00, 01:00.00: 3000 MB/s are needed"), "{told}");
    assert!(!told.contains("fathom tune"), "the machine is another one: {told}");
    assert!(
        said(&["--all", "--read", &printout("fio-pci-check-errors")])
            .contains("09:00.00: detected here: Fatal, Unsupported")
    );
    assert!(said(&["--all", "--read", &printout("fio-status")]).contains("over-provisioning 26.9 %"));
    let (slots, list) = (printout("dmidecode-slots"), printout("lspci-list"));
    let both = said(&["--all", "--read", &slots, &list]);
    assert!(both.contains("PCI-E Slot10: the firmware calls the slot available, but lspci lists"), "{both}");
    let document = document(&["--read", &slots, &list]);
    assert_eq!(document["schema"], "fathom.doctor/1");
    assert_eq!(document["targets"], serde_json::json!([slots, list]));
    let checks: Vec<&str> =
        document["checks"].as_array().unwrap().iter().map(|check| check["id"].as_str().unwrap()).collect();
    assert!(checks.contains(&"pcie.slot_name") && checks.contains(&"printout.agreement"), "{checks:?}");
    assert!(!checks.contains(&"cpu.governor"), "this machine is not looked at");
    let code = |words: &[&str]| doctor(&[&["--read", &bandwidth], words].concat()).status.code();
    assert_eq!(
        (code(&[]), code(&["--fail-on", "warn"]), code(&["--fail-on", "bad"])),
        (Some(0), Some(5), Some(0))
    );
    assert_eq!(code(&["--fail-on", "warn", "--goal", "latency"]), Some(0), "it costs bandwidth alone");
    assert!(said(&["--explain", "printout.agreement"]).contains("How it is judged"));
}

#[test]
fn a_printout_may_come_through_a_pipe() {
    let dir = tempfile::tempdir().unwrap();
    let script =
        "\"$0\" doctor --all --read - < \"$1\" && cat \"$1\" | \"$0\" doctor --all --read /dev/stdin";
    let binary = env!("CARGO_BIN_EXE_fathom");
    let mut command = Command::new("bash");
    command.args(["-c", script, binary, &printout("fio-status")]).current_dir(dir.path());
    let told = crate::support::must(&mut command);
    assert_eq!(told.matches("over-provisioning 26.9 %").count(), 2, "{told}");
    assert!(told.contains("stdin: fct4 Attached"), "{told}");
}

#[test]
fn what_is_no_printout_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let (empty, other) = (write("empty", b""), write("other", b"SECRET\n[j]\nrw=read\n"));
    let missing = dir.path().join("missing").display().to_string();
    let known = printout("lspci-list");
    let cases: &[(&[&str], &str)] = &[
        (&["--read", &empty], "is empty"),
        (&["--read", &other], "cannot tell which program printed"),
        (&["--read", &known, &other], "cannot tell which program printed"),
        (&["--read", &missing], "cannot read the printout"),
        (&["--read", "/etc"], "it is a directory"),
        (&["--read"], "needs a value"),
        (&["--read", &known, "--root", &known], "cannot be given together with"),
        (&["/dev/null", "--read", &known], "cannot be given together with"),
    ];
    for (words, part) in cases {
        let output = doctor(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", text(&output));
        assert!(output.stdout.is_empty() && text(&output).contains(part), "{words:?}: {}", text(&output));
        assert!(!text(&output).contains("SECRET"), "what is not a printout is not shown");
    }
    let hint = text(&doctor(&["--read", &other]));
    let programs = ["lspci -D -vv", "dmidecode -t 9", "fio-status -a", "fio-pci-check"];
    assert!(hint.contains(&other) && programs.iter().all(|program| hint.contains(program)), "{hint}");
}

/// Names in a printout are somebody else's text (docs/adr/0008).
#[test]
fn a_printout_does_not_command_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sent\x1b[2J");
    let listed = "00:02.0 SATA storage: a\x07b\u{202e}c\u{9b}31m\x00d\n";
    std::fs::write(&path, [listed.as_bytes(), b"00:03.0 SATA storage: \xff\xfe\n"].concat()).unwrap();
    for words in [&["--read"][..], &["--json", "--read"]] {
        let output = doctor(&[words, &[path.to_str().unwrap()]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        let told = String::from_utf8(output.stdout).unwrap();
        let commands = told.chars().filter(|c| c.is_control() && *c != '\n' || *c == '\u{202e}').count();
        assert_eq!(commands, 0, "{told:?}");
    }
    let told = said(&["--all", "--read", path.to_str().unwrap()]);
    assert!(told.contains(r"a\x07b\xe2\x80\xaec\xc2\x9b31m\x00d") && told.contains(r"\xff\xfe"), "{told}");
}
