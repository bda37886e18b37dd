//! `fathom pts` on a real drive: purge, fill, rounds, the write cache set and put back.

use fathom_lab::{Drive, MEASURED, Slot, fathom, sh, wait_within};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const DIR: &str = "/tmp/pts";

/// The volatile write cache by the drive's own feature.
fn cache(drive: &Drive) -> String {
    sh(&["nvme", "get-feature", &drive.node, "--feature-id=6", "--human-readable"])
}

/// The first round comes after a purge and a fill, which take half a minute where another lab runs beside this one.
const ROUND_MAX: Duration = Duration::from_secs(180);

/// How often the test below is killed.
const KILLS: usize = 2;

/// All rounds that the history names, each with its record. A line has a checksum before its JSON, and the last may be cut.
fn finished() -> BTreeMap<String, Vec<u8>> {
    let history = fs::read_to_string(Path::new(DIR).join("history")).unwrap_or_default();
    let steps =
        history.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line.get(9..)?).ok());
    let sealed = |step: serde_json::Value| {
        let round = step["directory"].as_str()?.to_owned();
        let record = fs::read(Path::new(DIR).join("rounds").join(&round).join("run.json")).ok()?;
        Some((round, record))
    };
    steps.filter_map(sealed).collect()
}

/// Starts fathom, and kills it when a round has ended that `known` has not, and a moment more has passed.
fn kill_after_a_round(words: &[&str], known: usize, moment: Duration) {
    let said = Path::new("/tmp/pts-said");
    let file = fs::File::create(said).unwrap();
    let mut command = Command::new("fathom");
    let mut child = command.args(words).stdout(file.try_clone().unwrap()).stderr(file).spawn().unwrap();
    wait_within(ROUND_MAX, "a round to end", || {
        let ended = child.try_wait().unwrap();
        let said = || fs::read_to_string(said).unwrap_or_default();
        assert!(ended.is_none(), "it ended before a round: {ended:?}\n{}", said());
        (finished().len() > known).then_some(())
    });
    std::thread::sleep(moment);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Killed and resumed, with the write cache set: no finished round is measured again, no window spans an interruption, and the
/// cache is as it was.
#[test]
fn the_latency_test_with_its_cache_set_goes_on_after_kills_and_puts_the_cache_back() {
    let drive = Drive::by_serial("LAB-A");
    drive.blank();
    let _ = fs::remove_dir_all(DIR);
    let before = cache(&drive);
    // An emulated drive is slow, so a small part of it is touched, and times are cut.
    let begin = ["pts", "lat", "--target", &drive.node, "--active", "6", "--scale", "600", "--rounds", "7"];
    let begin = [&begin[..], &["--set-cache", "--output-dir", DIR]].concat();
    let refused = fathom(&begin);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    let _ = fs::remove_dir_all(DIR);
    let consent = ["--destroy", "LAB-A"];
    // What was saved gives no consent, also not to set the cache again.
    let resume = [&["resume", DIR, "--yes"][..], &consent].concat();
    let mut known = BTreeMap::new();
    let is_kept = |known: &BTreeMap<String, Vec<u8>>, now: &BTreeMap<String, Vec<u8>>| {
        known.iter().all(|(name, record)| now.get(name) == Some(record))
    };
    for kill in 0..KILLS {
        let words = if kill == 0 { [&begin[..], &consent].concat() } else { resume.clone() };
        kill_after_a_round(&words, known.len(), Duration::from_millis(370 * kill as u64 % 1100));
        let now = finished();
        assert!(is_kept(&known, &now), "kill {kill}");
        known = now;
    }
    let run = fathom(&resume);
    assert!(run.code.is_some_and(|code| MEASURED.contains(&code)), "{run:?}");
    assert!(is_kept(&known, &finished()), "after the last kill");
    assert_eq!(cache(&drive), before, "the cache was put back");
    let report = fathom(&["report", DIR, "--json"]).stdout;
    for said in ["set for the tests (", "Preconditioning 1", "RND 4 KiB, 0/100, average latency", "LAB-A"] {
        assert!(report.contains(said), "{said}: {report}");
    }
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let steps = report["steps"].as_array().unwrap();
    assert_eq!(steps.last().unwrap()["sitting"], KILLS, "the interruptions are counted");
    let rounds: Vec<&serde_json::Value> = steps.iter().filter(|step| step["cell"] == "lat-round").collect();
    let sitting = |round: u64| &rounds[round as usize - 1]["sitting"];
    for found in report["standard_report"]["tests"][0]["determinations"].as_array().unwrap() {
        let [first, last] = [0, 1].map(|at| found["rounds"][at].as_u64().unwrap());
        assert_eq!(sitting(first), sitting(last), "a window spans an interruption: {found}");
    }
    let _ = fs::remove_dir_all(DIR);
    drive.blank();
}

/// The drive goes while the rounds are measured: what was measured stays, and the failure is told.
#[test]
fn a_drive_that_disappears_in_a_round_is_told() {
    const GONE: &str = "/tmp/pts-gone";
    let drive = Drive::by_serial("LAB-D");
    drive.blank();
    let slot = Slot::of(&drive);
    let _ = fs::remove_dir_all(GONE);
    let words = ["pts", "lat", "--target", &drive.node, "--destroy", "LAB-D", "--no-purge", "--active", "6"];
    let more = ["--scale", "600", "--rounds", "25", "--output-dir", GONE];
    // The second round begins when the first was measured.
    let measured = || {
        let rounds = fs::read_dir(Path::new(GONE).join("rounds")).into_iter().flatten().flatten();
        rounds.filter(|it| it.file_name().to_string_lossy().ends_with("-lat-round")).count() >= 2
    };
    let run = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !measured() {
                std::thread::sleep(Duration::from_millis(20));
            }
            slot.pull();
        });
        fathom(&[&words[..], &more[..]].concat())
    });
    slot.plug("LAB-D").blank();
    // An I/O that failed, or a job that could not open it any more.
    assert!(matches!(run.code, Some(1 | 4)), "{run:?}");
    assert!(run.stdout.contains("  failed") && run.stdout.contains("-lat-round failed"), "{run:?}");
    let report = fathom(&["report", GONE, "--json"]);
    assert!(report.stdout.contains("lat-fill") && report.stdout.contains("lat-round"), "{report:?}");
    let _ = fs::remove_dir_all(GONE);
}
