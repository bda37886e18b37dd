//! An array with the metadata of Intel's firmware: a container, and a volume in it. The lab has no such firmware, so mdadm is
//! told to do without (`IMSM_NO_PLATFORM`); fathom itself never says that.

use fathom_lab::{Drive, Ends, Run, sh, try_sh};
use std::fs;

use super::bench::{assert_apart, drives};
use super::half_way::StandIn;

const DIR: &str = "/tmp/imsm-measured";
const JOB: &str = "/tmp/imsm.fio";

/// fathom, with an mdadm that does without the firmware.
fn fathom(words: &[&str]) -> Run {
    try_sh(&[&["env", "IMSM_NO_PLATFORM=1", "fathom"], words].concat())
}

/// The words of `fathom array create` of these drives, with consent to each.
fn create<'a>(drives: &'a [Drive], words: &[&'a str]) -> Vec<&'a str> {
    let mut all = vec!["array", "create", "--metadata", "imsm"];
    all.extend(words);
    all.extend(drives.iter().map(|drive| drive.node.as_str()));
    drives.iter().for_each(|drive| all.extend(["--destroy", &drive.serial]));
    all
}

/// A volume that was made.
struct Volume {
    node: String,
    container: String,
    /// The word that consents to it.
    word: String,
}

impl Volume {
    #[track_caller]
    fn of(run: &Run) -> Volume {
        assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
        let command = run.stdout.lines().find_map(|line| line.trim().strip_prefix("remove")).unwrap();
        let words: Vec<&str> = command.split_whitespace().collect();
        let node = words[3].to_owned();
        let file = format!("/sys/class/block/{}/md/metadata_version", node.trim_start_matches("/dev/"));
        let metadata = fs::read_to_string(file).unwrap();
        let container = format!("/dev/{}", metadata.split('/').nth(1).unwrap());
        Volume { node, container, word: words[5].to_owned() }
    }
}

/// A test that failed leaves no array to the next one.
impl Drop for Volume {
    fn drop(&mut self) {
        if std::thread::panicking() {
            for array in [&self.node, &self.container] {
                try_sh(&["mdadm", "--stop", array]);
            }
        }
    }
}

fn check(drives: &[Drive], level: &str, chunk: &str, measure: fn(&Volume)) {
    let volume = Volume::of(&fathom(&create(drives, &["--level", level, "--chunk", chunk, "--wait"])));
    let Volume { node, container, word } = &volume;
    let detail = sh(&["mdadm", "--detail", node]);
    let chunk_line = format!("Chunk Size : {}", chunk.to_uppercase());
    for said in ["Container : /dev/md/imsm-", &format!("Raid Level : raid{level}"), &chunk_line] {
        assert!(detail.contains(said), "{said}: {detail}");
    }
    assert!(!detail.contains("Bitmap"), "{detail}");
    let examined = sh(&["mdadm", "--examine", &drives[0].node]);
    assert!(examined.contains("Intel Raid ISM Cfg Sig."), "{examined}");

    measure(&volume);

    let refused = fathom(&["array", "remove", node]);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.stderr.contains(&format!("--destroy {word}")), "{}", refused.stderr);
    let refused = fathom(&["array", "remove", container, "--destroy", word]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("is a container"), "{}", refused.stderr);
    let removed = fathom(&["array", "remove", node, "--destroy", word]);
    assert_eq!(removed.code, Some(0), "{removed:?}");
    assert_apart(drives);
}

/// A run, which needs consent although fathom made the array.
fn briefly(volume: &Volume) {
    let _ = fs::remove_dir_all(DIR);
    let job = "[mixed]\nrw=randrw\nbs=4k\niodepth=4\nioengine=libaio\ndirect=1\nruntime=1\ntime_based\n";
    fs::write(JOB, format!("{job}filename={}\n", volume.node)).unwrap();
    let run = ["run", JOB, "--no-calibrate", "-q", "--output-dir", DIR];
    let refused = fathom(&run);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    let _ = fs::remove_dir_all(DIR);
    let run = fathom(&[&run[..], &["--destroy", &volume.word]].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
    let _ = fs::remove_dir_all(DIR);
}

#[test]
fn a_volume_with_parity_is_made_in_a_container_and_both_are_taken_apart() {
    check(&drives(), "5", "64k", briefly);
}

#[test]
fn a_striped_volume_too() {
    check(&drives()[..2], "0", "128k", |_| {});
}

#[test]
fn without_the_firmware_nothing_is_made() {
    let drives = drives();
    let before: Vec<Ends> = drives.iter().map(|drive| Ends::of(&drive.node)).collect();
    let words = create(&drives, &["--level", "0"]);
    let run = fathom_lab::fathom(&words);
    assert_eq!(run.code, Some(1), "{run:?}");
    let told = run.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("mdadm made no array: mdadm: ") && told.contains("mdadm --detail-platform"),
        "{told}"
    );
    before.iter().for_each(Ends::assert_unchanged);
    assert_apart(&drives);
    let plan = fathom_lab::fathom(&[&words[..], &["--plan"]].concat());
    assert_eq!(plan.code, Some(0), "{plan:?}");
    let told = plan.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("--metadata=imsm --raid-devices=4 /dev/nvme"), "{told}");
    assert!(told.contains("--level=0 --raid-devices=4 --chunk=128K /dev/md/imsm-NAME"), "{told}");
}

/// The container is made, and then mdadm fails: neither it nor its metadata stays.
#[test]
fn a_container_without_its_volume_is_undone() {
    let drives = drives();
    let stand_in = StandIn::of(
        "case \"$*\" in *--create*--level=*) echo mdadm: it went wrong >&2; exit 1;; esac\n\
         /usr/sbin/mdadm.kept \"$@\"",
    );
    let run = fathom(&create(&drives, &["--level", "5"]));
    drop(stand_in);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.contains("it went wrong") && !run.stderr.contains("not undone"), "{}", run.stderr);
    assert_apart(&drives);
}
