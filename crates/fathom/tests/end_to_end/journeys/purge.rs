//! `fathom purge`, from the plan to the proof.

use std::path::Path;
use std::process::Output;

use crate::support::{Loop, Mount, fathom, json, machine, sh, text};

const REFUSED: i32 = 3;
const USAGE: i32 = 2;

fn purge(dir: &Path, words: &[&str]) -> Output {
    let state = dir.join("state");
    fathom(dir).arg("purge").args(words).args(["--state-dir", state.to_str().unwrap()]).output().unwrap()
}

fn said(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_plan_tells_and_does_nothing() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    sh("mkfs.ext4", &format!("-q {}", disk.device));
    let before = std::fs::read(&disk.backing).unwrap();
    for words in
        [&[disk.device.as_str(), "--plan"][..], &[&disk.device, "--plan", "--destroy", &disk.consent()]]
    {
        let output = purge(dir.path(), words);
        assert!(output.status.success(), "{}", text(&output));
        let (told, _) = said(&output);
        assert!(told.contains("ext4") && told.contains("trim"), "{told}");
        assert!(told.contains("sanitize-block") && told.contains("not a whole NVMe namespace"), "{told}");
    }
    assert!(std::fs::read(&disk.backing).unwrap() == before);
    assert!(!dir.path().join("state").exists());
}

#[test]
fn without_consent_the_exact_command_is_told_and_does_it() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    sh("mkfs.ext4", &format!("-q {}", disk.device));
    let before = std::fs::read(&disk.backing).unwrap();
    let output = purge(dir.path(), &[&disk.device]);
    assert_eq!(output.status.code(), Some(REFUSED), "{}", text(&output));
    assert!(std::fs::read(&disk.backing).unwrap() == before);
    let (_, told) = said(&output);
    let command = told.lines().find_map(|line| line.trim().strip_prefix("hint: to do this: fathom purge "));
    let words: Vec<&str> = command.unwrap_or_else(|| panic!("{told}")).split(' ').collect();
    assert_eq!(words, [disk.device.as_str(), "--destroy", &disk.consent()]);
    let output = purge(dir.path(), &words);
    assert!(output.status.success(), "{}", text(&output));
    assert!(said(&output).0.contains("are empty"), "{}", text(&output));
    assert!(std::fs::read(&disk.backing).unwrap().iter().all(|&b| b == 0));
    assert_eq!(std::fs::read_dir(dir.path().join("state")).unwrap().count(), 1);
    let (again, _) = said(&purge(dir.path(), &[&disk.device, "--plan"]));
    assert!(again.contains("purged (trim), and not written by fathom since"), "{again}");
}

#[test]
fn json_is_one_document_even_of_a_refusal() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    let refused = purge(dir.path(), &[&disk.device, "--json"]);
    assert_eq!(refused.status.code(), Some(REFUSED), "{}", text(&refused));
    let document: serde_json::Value = serde_json::from_slice(&refused.stdout).unwrap();
    assert_eq!(document["error"]["exit"], 3);
    assert_eq!(document["plans"][0]["affected"][0]["consent"], disk.consent());
    let done = purge(dir.path(), &[&disk.device, "--json", "--method", "zero", "--destroy", &disk.consent()]);
    assert!(done.status.success(), "{}", text(&done));
    let document = json(&said(&done).0);
    assert_eq!(document["records"][0]["proof"]["outcome"], "empty");
    assert_eq!(document["records"][0]["method"], "zero");
    assert!(document["error"].is_null());
}

#[test]
fn what_is_mounted_is_refused_whatever_is_consented_to() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    sh("mkfs.ext4", &format!("-q {}", disk.device));
    let mount = Mount::on(&disk.device, &dir.path().join("mnt"));
    std::fs::write(mount.path.join("precious"), "data").unwrap();
    for method in ["trim", "zero"] {
        let output = purge(dir.path(), &[&disk.device, "--method", method, "--destroy", &disk.consent()]);
        assert_eq!(output.status.code(), Some(REFUSED), "{}", text(&output));
        assert!(said(&output).1.contains("mounted"), "{}", text(&output));
    }
    assert_eq!(std::fs::read_to_string(mount.path.join("precious")).unwrap(), "data");
}

#[test]
fn kernel_names_and_wrong_words_are_no_consent() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    std::fs::write(&disk.backing, vec![7; 64 << 20]).unwrap();
    for word in [disk.device.as_str(), "loop0", "somebody-else"] {
        let output = purge(dir.path(), &[&disk.device, "--destroy", word]);
        assert_eq!(output.status.code(), Some(REFUSED), "{word}: {}", text(&output));
    }
    assert!(std::fs::read(&disk.backing).unwrap().iter().all(|&b| b == 7));
}

#[test]
fn what_the_device_does_not_offer_is_a_usage_error() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    for (words, why) in [
        (["--method", "format"], "not a whole NVMe namespace"),
        (["--method", "shred"], "no purge method"),
        (["--lba", "4096"], "makes blocks of 4096 bytes"),
    ] {
        let output = purge(dir.path(), &[&[disk.device.as_str()], &words[..]].concat());
        assert_eq!(output.status.code(), Some(USAGE), "{}", text(&output));
        assert!(said(&output).1.contains(why), "{}", text(&output));
    }
    let file = purge(dir.path(), &[disk.backing.to_str().unwrap()]);
    assert_eq!(file.status.code(), Some(USAGE), "{}", text(&file));
}

#[test]
fn several_devices_side_by_side_or_none() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disks = [Loop::blank(dir.path(), 64), Loop::blank(dir.path(), 32)];
    for disk in &disks {
        let data = vec![7; disk.size as usize];
        std::fs::write(&disk.backing, data).unwrap();
    }
    let [one, two] = &disks;
    let half = purge(dir.path(), &[&one.device, &two.device, "--destroy", &one.consent()]);
    assert_eq!(half.status.code(), Some(REFUSED), "{}", text(&half));
    let is_empty = |disk: &Loop| std::fs::read(&disk.backing).unwrap().iter().all(|&b| b == 0);
    assert!(!is_empty(one) && !is_empty(two), "one was emptied without the other's consent");
    let words = [&one.device, &two.device, "--destroy", &one.consent(), "--destroy", &two.consent()];
    let both = purge(dir.path(), &words);
    assert!(both.status.success(), "{}", text(&both));
    assert!(is_empty(one) && is_empty(two));
    let twice = purge(dir.path(), &[&one.device, &one.device, "--plan"]);
    assert_eq!(twice.status.code(), Some(USAGE), "{}", text(&twice));
}

/// The state of the machine's devices is where `fathom run` looks for it, so
/// this one is written there, and taken away again.
#[test]
fn a_run_that_writes_ends_the_freshness() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 16);
    let words = ["purge", &disk.device, "--destroy", &disk.consent(), "--method", "trim"];
    let output = fathom(dir.path()).args(words).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let reads = || {
        let job = format!("[r]\nfilename={}\nrw=read\nbs=4k\nsize=64k\noffset=1m\n", disk.device);
        std::fs::write(dir.path().join("r.fio"), job).unwrap();
        text(&fathom(dir.path()).args(["run", "r.fio", "--plan"]).output().unwrap())
    };
    let warned = "of which 64 KiB were never written since";
    let before = reads();
    assert!(before.contains(warned), "{before}");
    let name = disk
        .backing
        .display()
        .to_string()
        .replace(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '.', "_");
    let states = std::fs::read_dir("/var/lib/fathom/devices").unwrap().flatten().map(|entry| entry.path());
    let state = states.into_iter().find(|path| path.to_string_lossy().contains(&name)).expect(&name);
    let written = || json(&std::fs::read_to_string(&state).unwrap())["written_since"].clone();
    assert_eq!(written(), serde_json::json!([]));
    let job = format!("[w]\nfilename={}\nrw=write\nbs=4k\nsize=64k\noffset=1m\n", disk.device);
    std::fs::write(dir.path().join("w.fio"), job).unwrap();
    let words = ["run", "w.fio", "--no-calibrate", "--quiet", "--write", &disk.consent()];
    let output = fathom(dir.path()).args(words).output().unwrap();
    let since = written();
    assert!(!reads().contains(warned));
    std::fs::remove_file(&state).unwrap();
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(since[0]["start_bytes"], 1 << 20, "{since}");
    assert_eq!(since[0]["end_bytes"], (1 << 20) + (64 << 10), "{since}");
}

/// A device that cannot be claimed keeps the others from being emptied, wherever it stands.
#[test]
fn no_device_is_emptied_where_one_cannot_be_claimed() {
    use std::os::unix::fs::OpenOptionsExt;
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let places = ["a", "b"].map(|name| dir.path().join(name));
    places.iter().for_each(|place| std::fs::create_dir(place).unwrap());
    let disks = [Loop::blank(&places[0], 64), Loop::blank(&places[1], 64)];
    disks.iter().for_each(|disk| drop(sh("mkfs.ext4", &format!("-q {}", disk.device))));
    let content = || disks.each_ref().map(|disk| std::fs::read(&disk.backing).unwrap());
    let before = content();
    let names = disks.each_ref().map(|disk| (disk.device.clone(), disk.consent()));
    for (first, second) in [(0, 1), (1, 0)] {
        // Its consent and what it holds are as in the plan.
        let held =
            std::fs::File::options().read(true).custom_flags(libc::O_EXCL).open(&names[second].0).unwrap();
        let words = [&names[first].0, &names[second].0, "--destroy", &names[0].1, "--destroy", &names[1].1];
        let output = purge(dir.path(), &words);
        assert_eq!(output.status.code(), Some(REFUSED), "{}", text(&output));
        let (_, told) = said(&output);
        assert!(told.contains(&names[second].0) && told.contains("nothing was emptied"), "{told}");
        assert!(content() == before, "{told}");
        drop(held);
    }
    let output =
        purge(dir.path(), &[&names[0].0, &names[1].0, "--destroy", &names[0].1, "--destroy", &names[1].1]);
    assert!(output.status.success(), "{}", text(&output));
    assert!(content().iter().flatten().all(|&byte| byte == 0));
}
