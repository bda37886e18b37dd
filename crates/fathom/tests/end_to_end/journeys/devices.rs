//! `fathom devices`, tested through its command line on loop devices.

use crate::support::{Loop, fathom, json, machine, must, sh, text};
use serde_json::Value;
use std::process::Command;

/// The document's entry for a device, and the whole document.
fn listed(device: &str, words: &[&str]) -> (Value, Value) {
    let dir = tempfile::tempdir().unwrap();
    let output = fathom(dir.path()).args(["devices", "--json"]).args(words).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let all = document["devices"].as_array().unwrap();
    let found = all.iter().find(|one| one["path"] == device).unwrap_or_else(|| panic!("{document:#}"));
    (found.clone(), document)
}

/// What the list says is what a run does: the option that it shows for a blank device is accepted,
/// and the one that it shows for a file system is the only one that is.
#[test]
fn the_option_that_is_shown_is_the_one_that_is_accepted() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 16);
    let run = |option: &str| {
        let job = format!("[w]\nrw=write\nbs=64k\nsize=1m\nfilename={}\n", disk.device);
        std::fs::write(dir.path().join("j.fio"), job).unwrap();
        let words: Vec<&str> = option.split(' ').collect();
        fathom(dir.path()).args(["run", "-q", "--no-calibrate", "j.fio"]).args(words).output().unwrap()
    };
    sh("mkfs.ext4", &format!("-q {}", disk.device));
    let (holding, _) = listed(&disk.device, &[]);
    assert_eq!(holding["writing"]["verdict"], "destroys");
    assert_eq!(holding["writing"]["option"], format!("--destroy {}", disk.consent()));
    assert_eq!(holding["uses"][0]["format"], "ext4");
    assert_eq!(run(&format!("--write {}", disk.consent())).status.code(), Some(3));

    sh("blkdiscard", &format!("-z {}", disk.device));
    let (blank, _) = listed(&disk.device, &[]);
    assert_eq!(blank["writing"]["verdict"], "blank", "{blank:#}");
    let done = run(blank["writing"]["option"].as_str().unwrap());
    assert_eq!(done.status.code(), Some(0), "{}", text(&done));
}

#[test]
fn without_root_it_says_once_what_root_would_know() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 16);
    let output = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", env!("CARGO_BIN_EXE_fathom"), "list"])
        .env("COLUMNS", "60")
        .current_dir("/")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains(&disk.device) && said.contains("Contents not known"), "{said}");
    assert_eq!(said.matches("sudo fathom devices shows what").count(), 1, "{said}");
    assert!(said.lines().all(|line| line.chars().count() <= 60), "{said}");
}

#[test]
fn one_device_in_detail_and_a_name_that_is_none() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 16);
    // Two names of one device are one device.
    let link = dir.path().join("disk");
    std::os::unix::fs::symlink(&disk.device, &link).unwrap();
    let output = fathom(dir.path()).args(["devices", &disk.device]).arg(&link).output().unwrap();
    let said = text(&output);
    assert_eq!(said.matches("used for").count(), 1, "{said}");
    assert!(said.contains("it looks empty; needs --write") && !said.contains("Directories"), "{said}");
    let output = fathom(dir.path()).args(["devices", "/dev/no-such-device"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
}

/// Of a simulated drive there is a model, and nothing of the machine.
#[test]
fn a_simulated_drive_is_shown_with_its_zones_and_no_other_command_takes_it_for_a_device() {
    let dir = tempfile::tempdir().unwrap();
    let name = "sim:smr,size=64g,zone_capacity=192m";
    let output = fathom(dir.path()).args(["devices", name, "sim:datacentre/64"]).output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    for word in [
        "host-managed, 256 zones of 256 MiB, at most 128 open",
        "the first 2 ",
        "192 MiB",
        "of 512 B",
        "1/64",
    ] {
        assert!(said.contains(word), "{word}: {said}");
    }
    let document = json(&must(fathom(dir.path()).args(["devices", "--json", name])));
    let drive = &document["simulated"][0];
    assert_eq!((&drive["zones"]["count"], &drive["zones"]["open_max"]), (&256.into(), &128.into()));
    assert_eq!((&drive["zones"]["conventional"], &drive["name"]), (&2.into(), &name.into()));
    assert!(document["devices"].as_array().unwrap().is_empty());

    for words in
        [&["purge", "--plan", name][..], &["purge", name], &["topology", name], &["devices", "sim:smr/64"]]
    {
        let output = fathom(dir.path()).args(words).output().unwrap();
        let said = text(&output);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert!(said.contains("simulated") && said.contains("hint: "), "{words:?}: {said}");
    }
    let wrong = fathom(dir.path()).args(["precondition", "sim:smr/64"]).output().unwrap();
    assert!(text(&wrong).contains("hint: sim:smr,size=1t"), "{}", text(&wrong));
}
