//! A saved run is believed only when it is whole: random damages of every file, and every cut of
//! its spool.

use crate::fixture::{DirectionLoad, RunBuilder};
use fathom_job::direction::Direction;
use fathom_results::{DirectionWindow, Frame, Incomplete, Phase, RunEnd, SpoolWriter, Window, load};
use fathom_stats::SplitMix64;
use std::fs;
use std::path::Path;

const FILES: [&str; 4] = ["run.json", "spool", "topology.svg", "report.html"];

/// A run as it is saved today, sealed, with a picture and a page.
fn save(dir: &Path) {
    save_run(dir, Some("<svg></svg>\n"));
    let saved = load(dir).unwrap();
    saved.record.add_file(dir, "report.html", b"<html></html>\n").unwrap();
}

/// The same without a page, in a directory that may hold one already.
fn save_run(dir: &Path, picture: Option<&str>) {
    FILES.iter().for_each(|name| drop(fs::remove_file(dir.join(name))));
    picture.iter().for_each(|picture| fs::write(dir.join("topology.svg"), picture).unwrap());
    two_jobs().all(6, DirectionLoad::reads(750, 4096, 1_000_000)).syncs(9).save(dir);
}

/// A run of two clones.
fn two_jobs() -> RunBuilder {
    RunBuilder::of("rw=read bs=4k size=1m nrfiles=4 numjobs=2 directory=/data runtime=6 time_based")
}

/// Is the run in `dir` told to be damaged? It must not pass for a directory without a run.
fn told(dir: &Path) -> Option<String> {
    match load(dir) {
        Ok(run) => run.incomplete.and(run.damage),
        Err(e) => (!e.is_no_run()).then(|| e.to_string()),
    }
}

/// Damages bytes in one of eight ways.
fn damage(bytes: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    let mut below = |n: usize| (random.next_bits() % n.max(1) as u64) as usize;
    let (at, kind) = (below(bytes.len()), below(8));
    let to = (at + 1 + below(64)).min(bytes.len());
    let (before, part, after) = (&bytes[..at], &bytes[at..to], &bytes[to..]);
    let flipped = [&[part[0] ^ (1 << below(8))], &part[1..]].concat();
    let middle = match kind {
        0 => flipped,
        1 => part.iter().map(|_| below(256) as u8).collect(),
        2 => Vec::new(),
        3 => [part, part].concat(),
        4 => vec![0; part.len()],
        5 => return before.to_vec(),
        6 => part.iter().rev().copied().collect(),
        _ => [part, b" "].concat(),
    };
    [before, &middle, after].concat()
}

#[test]
fn five_hundred_damages_are_told() {
    let whole = tempfile::tempdir().unwrap();
    save(whole.path());
    assert_eq!(told(whole.path()), None);
    assert_eq!(load(whole.path()).unwrap().incomplete, None);
    let mut random = SplitMix64::new(13);
    for n in 0..500 {
        let dir = tempfile::tempdir().unwrap();
        for name in FILES {
            fs::copy(whole.path().join(name), dir.path().join(name)).unwrap();
        }
        let name = FILES[n % FILES.len()];
        let path = dir.path().join(name);
        let bytes = fs::read(&path).unwrap();
        let damaged = damage(&bytes, &mut random);
        if damaged == bytes {
            continue;
        }
        fs::write(&path, &damaged).unwrap();
        assert!(told(dir.path()).is_some(), "damage {n} of {name} was believed");
    }
}

/// What no seal protects is checked too: times that cannot be, counts without an end, numbers of
/// jobs, and a file that grew.
#[test]
fn what_cannot_be_is_told_without_a_seal() {
    let dir = tempfile::tempdir().unwrap();
    save(dir.path());
    let path = dir.path().join("run.json");
    let whole: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let changed = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut record = whole.clone();
        change(&mut record);
        fs::write(&path, serde_json::to_string_pretty(&record).unwrap() + "\n").unwrap();
        told(dir.path()).expect("it is told")
    };
    assert!(
        changed(&|record| record["plan"]["jobs"][1]["subjob"] = 9.into())
            .contains("job 1 has the number 1.9")
    );
    changed(&|record| record["plan"]["jobs"][0]["files"][0]["count"] = u64::MAX.into());
    let run = load(dir.path()).unwrap();
    assert!(run.record.plan.jobs[0].files[0].paths().count() <= 1_000_000);
    assert_eq!(changed(&|record| record["seal"] = serde_json::Value::Null), "run.json has no seal");
    fs::File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
    assert!(told(dir.path()).unwrap().contains("more than a record"));

    save(dir.path());
    fs::File::options().write(true).open(dir.path().join("report.html")).unwrap().set_len(1 << 41).unwrap();
    assert!(told(dir.path()).unwrap().contains("report.html was changed"));
}

/// What has the name of the picture is embedded in pages. So it must be named by the seal, be as it was sealed, be in the
/// directory itself, and be a picture.
#[test]
fn only_the_picture_that_was_sealed_is_embedded() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let picture = || load(dir.path()).unwrap().topology_svg;
    save(dir.path());
    assert_eq!(picture().as_deref(), Some("<svg></svg>\n"));
    fs::write(at("topology.svg"), "<svg>its</svg>\n").unwrap();
    assert_eq!((picture(), told(dir.path()).is_some()), (None, true), "another content");
    fs::write(at("same.svg"), "<svg></svg>\n").unwrap();
    fs::remove_file(at("topology.svg")).unwrap();
    std::os::unix::fs::symlink(at("same.svg"), at("topology.svg")).unwrap();
    assert_eq!(picture(), None, "a link, even to the same content");
    assert!(told(dir.path()).unwrap().contains("topology.svg cannot be read: it is a link"));
    fs::remove_file(at("topology.svg")).unwrap();
    save_run(dir.path(), None);
    fs::write(at("topology.svg"), "<svg>not ours</svg>").unwrap();
    assert_eq!((told(dir.path()), picture()), (None, None), "a file that the seal does not name");
    save_run(dir.path(), Some("root:$y$secret:19700:0:99999:7:::\n"));
    assert_eq!((told(dir.path()), picture()), (None, None), "what is no picture");
}

/// Nothing in the directory is read through a link, not even what has the right content.
#[test]
fn links_in_the_directory_are_not_followed() {
    for name in FILES {
        let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        save(dir.path());
        fs::rename(dir.path().join(name), outside.path().join(name)).unwrap();
        std::os::unix::fs::symlink(outside.path().join(name), dir.path().join(name)).unwrap();
        assert!(told(dir.path()).unwrap().contains("it is a link, which is not followed"), "{name}");
    }
}

/// Adding a page names the page in the seal, and heals nothing else.
#[test]
fn a_page_that_is_added_heals_no_damage() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["spool", "topology.svg", "run.json"] {
        save_run(dir.path(), Some("<svg></svg>\n"));
        let path = dir.path().join(name);
        let mut bytes = fs::read(&path).unwrap();
        let at = bytes.len() / 2;
        bytes[at] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let Ok(run) = load(dir.path()) else { continue };
        let before = run.damage.clone().expect("it is damaged");
        let added = run.record.add_file(dir.path(), "report.html", b"page");
        assert_eq!(added.is_err(), name == "run.json", "{name}");
        assert_eq!(load(dir.path()).unwrap().damage, Some(before), "{name}");
    }
    // A figure that was changed in the record, with the checksum that it had.
    save_run(dir.path(), None);
    let path = dir.path().join("run.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("\"elapsed_ns\": ", "\"elapsed_ns\": 9", 1)).unwrap();
    let forged = load(dir.path()).unwrap();
    let refused = forged.record.add_file(dir.path(), "report.html", b"page").unwrap_err();
    assert_eq!(refused.to_string(), "run.json is not as it was saved");
    assert!(
        told(dir.path()).unwrap().contains("run.json was changed")
            && !dir.path().join("report.html").exists()
    );
}

#[test]
fn missing_files_are_told() {
    for name in FILES {
        let dir = tempfile::tempdir().unwrap();
        save(dir.path());
        fs::remove_file(dir.path().join(name)).unwrap();
        assert!(told(dir.path()).is_some(), "{name}");
    }
}

/// Where each frame of a spool ends, from its header on.
fn edges(spool: &[u8]) -> Vec<usize> {
    let mut edges = vec![12];
    while let Some(length) = spool.get(edges[edges.len() - 1]..).and_then(|rest| rest.first_chunk::<4>()) {
        edges.push(edges[edges.len() - 1] + 8 + u32::from_le_bytes(*length) as usize);
    }
    edges
}

#[test]
fn a_cut_at_the_edge_of_a_frame_and_a_repeated_frame_are_told() {
    let dir = tempfile::tempdir().unwrap();
    save(dir.path());
    let path = dir.path().join("spool");
    let spool = fs::read(&path).unwrap();
    let edges = edges(&spool);
    assert_eq!(edges.last(), Some(&spool.len()));
    assert!(edges.len() > 12, "{edges:?}");
    for &edge in edges.iter().rev().skip(1).chain([&0, &11]) {
        fs::write(&path, &spool[..edge]).unwrap();
        assert!(told(dir.path()).is_some(), "cut at byte {edge}");
    }
    for two in edges.windows(2) {
        let frame = &spool[two[0]..two[1]];
        let repeated = [&spool[..two[1]], frame, &spool[two[1]..]].concat();
        let left_out = [&spool[..two[0]], &spool[two[1]..]].concat();
        for damaged in [repeated, left_out, [&spool, frame].concat()] {
            fs::write(&path, damaged).unwrap();
            assert!(told(dir.path()).is_some(), "the frame at byte {}", two[0]);
        }
    }
}

/// A window that cannot be, between others with right checksums: nothing after it counts, whichever
/// job it is of.
#[test]
fn nothing_after_an_impossible_window_counts() {
    let saved = tempfile::tempdir().unwrap();
    two_jobs().save(saved.path());
    for (impossible, before) in [(0, 2000), (1, 2000), (0, 1), (1, 0)] {
        let dir = tempfile::tempdir().unwrap();
        let mut record = load(saved.path()).unwrap().record;
        let mut spool = SpoolWriter::create(dir.path(), &record.id).unwrap();
        let mut append = |job: u32, from: u64, to: u64| {
            let mut window = Window::quiet(job, Phase::Measure, from, to);
            window.directions = vec![(Direction::Read, DirectionWindow { ios: 1, ..Default::default() })];
            spool.append(&Frame::Window(Box::new(window))).unwrap();
        };
        (0..before).for_each(|second| append(second as u32 % 2, second, second + 1));
        append(impossible, 7, 3);
        (0..9000).for_each(|second| append(second as u32 % 2, second, second + 1));
        record.save_sealed(dir.path(), spool.extent()).unwrap();
        let run = load(dir.path()).unwrap();
        assert!(run.damage.unwrap().contains("a frame is from 7 ns to "));
        let ios: u64 = run.jobs.iter().map(|job| job.totals.directions.read.ios).sum();
        assert_eq!((ios, run.reaches_ns), (before, before));
    }
}

/// A run that was killed has no seal: it is incomplete, whatever its spool holds.
#[test]
fn a_run_without_its_end_is_incomplete() {
    let dir = tempfile::tempdir().unwrap();
    save(dir.path());
    let path = dir.path().join("run.json");
    let mut record: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let mut told = |change: &dyn Fn(&mut serde_json::Value)| {
        change(&mut record);
        fs::write(&path, serde_json::to_vec_pretty(&record).unwrap()).unwrap();
        load(dir.path()).unwrap().incomplete.expect("it is incomplete")
    };
    let Incomplete::Damaged { what } = told(&|_| ()) else { panic!("its layout is another one") };
    assert!(what.contains("run.json was changed"), "{what}");
    let no_seal = Incomplete::Damaged { what: "run.json has no seal".to_owned() };
    assert_eq!(told(&|record| record["seal"] = serde_json::Value::Null), no_seal);
    let interrupted = told(&|record| {
        record["finish"]["complete"] = false.into();
        record["finish"]["ended"] = "interrupted".into();
    });
    assert_eq!(interrupted, Incomplete::Ended { by: RunEnd::Interrupted, message: None });
    let killed = told(&|record| record["finish"] = serde_json::Value::Null);
    assert_eq!(killed, Incomplete::NotEnded { damage: None });
}
