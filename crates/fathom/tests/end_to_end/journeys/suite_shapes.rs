//! The shapes of applications do on a disk what their descriptions say: block sizes, mix and syncs, as the kernel's block trace
//! shows them. They need root, tracefs and loop devices.

use crate::block_trace::{Bios, BlockTrace};
use crate::support::procedure::suite_run;
use crate::support::{Loop, Mount, fathom, machine, must, sh};
use std::fs;

/// What reaches a loop device of 128 MiB, or a file system on it.
fn traced(words: &[&str], on_files: bool) -> (Bios, serde_json::Value) {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 128);
    let name = disk.device.trim_start_matches("/dev/");
    let trace = BlockTrace::of(&fs::read_to_string(format!("/sys/block/{name}/dev")).unwrap());
    let mount = on_files.then(|| {
        sh("mkfs.ext4", &format!("-q {}", disk.device));
        Mount::on(&disk.device, &dir.path().join("fs"))
    });
    let consent = disk.consent();
    let target = match &mount {
        Some(mount) => mount.path.to_str().unwrap().to_owned(),
        None => disk.device.clone(),
    };
    let mut words = [words, &["--target", &target][..]].concat();
    if mount.is_none() {
        words.extend(["--write", consent.as_str()]);
    }
    let mut document = serde_json::Value::Null;
    let bios = trace.during(|| document = suite_run(dir.path(), &words));
    (bios, document)
}

/// A figure of the first row of the first table.
fn figure(document: &serde_json::Value, column: &str) -> f64 {
    let table = &document["standard_report"]["tests"][0]["parts"][0];
    let at = table["columns"].as_array().unwrap().iter().position(|name| name == column).unwrap();
    table["rows"][0][at].as_f64().unwrap_or_else(|| panic!("no {column}: {table}"))
}

/// fio's etcd test: writes of 2,300 bytes through the page cache, 10,030 of them, each followed by fdatasync. So a sync writes the
/// page or the two pages that the write touched, and empties the cache of the disk.
#[test]
fn wal_sync_empties_the_cache_after_each_write() {
    let (bios, document) = traced(&["wal-sync", "--only", "etcd"], false);
    let syncs = (22 << 20) as f64 / 2_300.0;
    assert!((0.99..1.01).contains(&(bios.flushes as f64 / syncs)), "{} flushes", bios.flushes);
    assert!(bios.share('W', 4) + bios.share('W', 8) > 0.99, "{bios:?}");
    assert!(figure(&document, "sync p99 µs") > 0.0);
    let (bios, document) = traced(&["wal-sync", "--only", "openshift-500", "--with", "runtime=400ms"], false);
    let seconds = bios.flushes as f64 / figure(&document, "syncs/s");
    assert!((0.3..0.6).contains(&seconds), "each of 500 writes a second is synced: {bios:?}");
}

/// Pages of 8 KiB, 70 % read, beside a log that is safe when its write returns; and pages that are written twice.
#[test]
fn oltp_reads_and_writes_pages_beside_a_log() {
    let short = ["--with", "runtime=400ms", "--with", "ramp=0", "--with", "rate=4000"];
    let (bios, _) = traced(&[&["oltp", "--only", "alone"], &short[..]].concat(), false);
    assert!(bios.share('R', 8) > 0.999 && bios.share('W', 8) > 0.999, "{bios:?}");
    let (reads, pages) = (bios.count('R', 8) as f64, (bios.count('W', 8) - bios.forced) as f64);
    assert!(
        (0.64..0.76).contains(&(reads / (reads + pages))),
        "70 % of the pages are read: {reads}, {pages}"
    );
    assert!(bios.forced > 40, "the log: {bios:?}");
    let twice = [&["oltp", "--only", "doublewrite"], &short[..], &["--with", "flush=32m"]].concat();
    let (bios, _) = traced(&twice, false);
    let (once, again) = (bios.count('W', 1024), bios.count('W', 16));
    assert!(once >= 8 && again >= 400, "32 MiB a second in order and as much in place: {bios:?}");
    assert!(bios.flushes >= once + again / 64, "both are synced: {bios:?}");
}

/// Point reads of 8 KiB, compaction that reads 2 MiB and writes 1 MiB at a rate with a sync after 8 MiB, and trims.
#[test]
fn lsm_compacts_and_trims_beside_its_readers() {
    let short = ["--with", "runtime=400ms", "--with", "ramp=0", "--with", "rates=64m", "--with", "trim=16m"];
    let (bios, _) = traced(&[&["lsm", "--only", "compact"], &short[..]].concat(), false);
    let (point, compacted) = (bios.share('R', 8), bios.share('R', 2048));
    assert!(point > 0.0 && compacted > 0.0 && point + compacted > 0.99, "{bios:?}");
    assert!(bios.share('W', 1024) > 0.99, "{bios:?}");
    let (mib, flushes) = (bios.kib('W') as f64 / 1024.0, bios.flushes as f64);
    assert!((4.0..=48.0).contains(&mib) && flushes >= mib / 8.0 - 8.0, "{mib} MiB, {flushes} flushes");
    let (bios, _) = traced(&[&["lsm", "--only", "trim"], &short[..]].concat(), false);
    assert!(bios.kib('D') >= 16 << 10 && bios.share('D', 16 << 10) > 0.9, "{bios:?}");
}

/// The shapes whose I/O is of a few sizes: group, options, and the shares of the bytes that come in a size.
#[test]
fn sizes_and_mixes_are_those_of_the_descriptions() {
    let short = ["--with", "runtime=400ms", "--with", "ramp=0"];
    // Sizes in KiB, and the least share of the bytes that they have together. Files have ends, which are smaller.
    type Shares = &'static [(char, &'static [u64], f64)];
    let table: &[(&[&str], bool, Shares)] = &[
        (
            &["latency-map", "--with", "reads=2000", "--with", "writes=32m"],
            false,
            &[('R', &[4], 0.99), ('W', &[128], 0.99)],
        ),
        (&["vector", "--with", "widths=4", "--with", "threads=2"], false, &[('R', &[4, 8], 0.99)]),
        (&["cloud", "--only", "paced", "--with", "streams=2"], false, &[('R', &[4096], 0.99)]),
        (&["cloud", "--only", "safe-write"], false, &[('W', &[4], 0.99)]),
        (
            &["ai-train", "--only", "unet3d", "--with", "unet3d_files=2", "--with", "unet3d_size=4m-8m"],
            true,
            &[('R', &[2048], 0.8)],
        ),
        (
            &["ai-train", "--only", "resnet50", "--with", "resnet50_files=2", "--with", "resnet50_size=2m"],
            true,
            &[('R', &[112], 0.8)],
        ),
        (&["ai-train", "--only", "cosmoflow", "--with", "cosmoflow_files=4"], true, &[('R', &[256], 0.8)]),
        (&["ai-train", "--only", "retinanet", "--with", "retinanet_files=4"], true, &[('R', &[316], 0.8)]),
    ];
    for (words, on_files, shares) in table {
        let (bios, _) = traced(&[*words, &short[..]].concat(), *on_files);
        for (kind, sizes, least) in *shares {
            let found: f64 = sizes.iter().map(|kib| bios.share(*kind, *kib)).sum();
            assert!(found >= *least, "{words:?}: {kind} of {sizes:?} KiB are {found}: {bios:?}");
            assert!(sizes.iter().all(|kib| bios.share(*kind, *kib) > 0.0), "{words:?}: {bios:?}");
        }
        if words.contains(&"safe-write") {
            assert_eq!(bios.forced, bios.count('W', 4), "each write is safe when it returns");
        }
    }
}

/// Whole objects of 2 MiB, of which 80 % are read. The fill before has writes of 128 KiB.
#[test]
fn a_cache_of_keys_and_values_moves_whole_objects() {
    let dir = tempfile::tempdir().unwrap();
    let shown = must(fathom(dir.path()).args(["suite", "show", "kv-cache"]));
    let one = shown.replace("rwmixread=100,90,80,50", "rwmixread=80");
    assert_ne!(one, shown);
    let file = dir.path().join("kv.toml");
    fs::write(&file, one).unwrap();
    let words = [file.to_str().unwrap(), "--only", "serve", "--with", "objects=2m", "--with", "inflight=4"];
    // 1,024 I/Os, and not a time, so that the share does not depend on how fast they are.
    let (bios, _) = traced(
        &[&words[..], &["--set", "time_based=0", "--set", "io_size=2g", "--with", "ramp=0"]].concat(),
        false,
    );
    assert!(bios.share('R', 2048) > 0.99 && bios.share('W', 2048) + bios.share('W', 128) > 0.99, "{bios:?}");
    let (read, written) =
        (bios.share('R', 2048) * bios.kib('R') as f64, bios.share('W', 2048) * bios.kib('W') as f64);
    assert!((0.74..0.86).contains(&(read / (read + written))), "{bios:?}");
}

/// CrystalDiskMark's sets: 1 MiB, 128 KiB and 4 KiB, each read and written. A backup reads and writes 1 MiB.
#[test]
fn desktop_and_backup_move_their_block_sizes() {
    let (bios, _) = traced(
        &["desktop", "--only", "prepare,sets", "--repeat", "1", "--scale", "40", "--with", "span=64m"],
        false,
    );
    for kind in ['R', 'W'] {
        for kib in [1024, 128, 4] {
            assert!(bios.count(kind, kib) > 10, "{kind} {kib}: {bios:?}");
        }
        let known: f64 = [1024, 128, 4].iter().map(|kib| bios.share(kind, *kib)).sum();
        assert!(known > 0.99, "{bios:?}");
    }
    let (bios, _) = traced(&["big-stream", "--only", "backup", "--with", "part=4m"], false);
    assert!(bios.share('R', 1024) > 0.99 && bios.share('W', 1024) > 0.99 && bios.flushes >= 1, "{bios:?}");
    assert_eq!((bios.kib('R'), bios.kib('W')), (64 << 10, 64 << 10));
}
