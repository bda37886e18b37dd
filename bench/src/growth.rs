//! How costs grow with the work: files, workers, jobs, the length of a run.
//!
//! Each is measured at several sizes, beside fio where fio can do it. Between the two largest
//! sizes a cost should grow no faster than the work.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::meter::{Cost, measure};
use super::target;
use super::target::Undo;
use xtask::command::{command, need_root};
use xtask::workspace::{self, at};

/// One kind of work.
struct Kind {
    /// Its name in the table.
    name: &'static str,
    sizes: &'static [u64],
    /// The job file for this amount of work; `{dir}` is replaced by an empty directory.
    job: fn(u64) -> String,
    /// Arguments before the job file.
    fathom: &'static [&'static str],
    /// Arguments that do the same and keep the run; `None` if the first ones keep it.
    keeping: Option<&'static [&'static str]>,
    /// The same for fio; `None` where fio has nothing like it.
    fio: Option<&'static [&'static str]>,
}

const KINDS: &[Kind] = &[
    Kind {
        name: "files of 4 KiB, laid out and read",
        sizes: &[10, 100, 1_000, 10_000, 100_000],
        job: |files| {
            let options = "ioengine=psync\nrw=read\nbs=4k\nfilesize=4k\nopenfiles=500";
            format!("[j]\ndirectory={{dir}}\n{options}\nnrfiles={files}\n")
        },
        fathom: &["fio"],
        keeping: Some(&["run", "--quiet"]),
        fio: Some(&[]),
    },
    Kind {
        name: "workers, two seconds on null",
        sizes: &[1, 16, 128, 1_024],
        job: |workers| {
            let options = "ioengine=null\nrw=randread\nbs=4k\nsize=1g\nthread\ntime_based\nruntime=2";
            format!("[j]\n{options}\nnumjobs={workers}\n")
        },
        fathom: &["fio"],
        keeping: Some(&["run", "--quiet"]),
        fio: Some(&[]),
    },
    Kind {
        name: "jobs, planned",
        sizes: &[1, 10, 100, 1_000, 10_000],
        job: |jobs| {
            let sections: String = (0..jobs).map(|job| format!("[j{job}]\noffset={job}m\n")).collect();
            format!("[global]\nioengine=null\nrw=randread\nbs=4k\nsize=64m\n{sections}")
        },
        fathom: &["run", "--plan"],
        keeping: None,
        fio: Some(&["--parse-only", "--max-jobs=10000"]),
    },
    Kind {
        name: "minutes of one I/O a second, in virtual time",
        sizes: &[1, 60, 1_440, 10_080],
        job: |minutes| {
            let clock = "ioengine=oracle\noracle_clock=virtual\noracle_latency=constant:100us";
            format!(
                "[j]\n{clock}\nrw=randread\nbs=4k\nsize=1g\nrate_iops=1\ntime_based\nruntime={minutes}m\n"
            )
        },
        fathom: &["run", "--quiet"],
        keeping: None,
        fio: None,
    },
];

/// Room for the largest job: mke2fs makes 131,072 inodes on it.
const DISK_BYTES: u64 = 2 << 30;

/// Measures and prints the table.
pub fn run(program: &Path) -> Result<(), String> {
    let scratch = tempfile::tempdir_in(workspace::target()).map_err(|e| format!("a place to work: {e}"))?;
    let mut table = String::from(HEAD);
    for kind in KINDS {
        let mut rows = Vec::new();
        for &size in kind.sizes {
            let ours = one(kind, size, scratch.path(), program, kind.fathom, kind.keeping)?;
            let fio = |words| one(kind, size, scratch.path(), Path::new("fio"), words, None);
            let theirs = kind.fio.map(fio);
            rows.push((size, ours, theirs.transpose()?));
            let line = row(kind.name, size, &ours, rows.last().and_then(|row| row.2.as_ref()));
            print!("{line}");
            table += &line;
        }
        if let Some(((small, before, _), (large, after, _))) = rows.iter().rev().nth(1).zip(rows.last()) {
            let growth = after.growth(before, *large as f64 / *small as f64);
            println!("  {}: {growth}", kind.name);
        }
    }
    println!("\n{table}");
    Ok(())
}

const HEAD: &str = "| work | size | time, s | fio, s | CPU, s | fio, s | memory, MiB | fio, MiB | saved, KiB |\n\
                    |---|---|---|---|---|---|---|---|---|\n";

fn row(name: &str, size: u64, ours: &Cost, theirs: Option<&Cost>) -> String {
    let peer =
        |of: fn(&Cost) -> f64| theirs.map_or_else(|| "–".to_owned(), |cost| format!("{:.2}", of(cost)));
    let mut line = format!("| {name} | {size} ");
    let columns = [
        (ours.seconds, peer(|cost| cost.seconds)),
        (ours.cpu_seconds, peer(|cost| cost.cpu_seconds)),
        (ours.mib, peer(|cost| cost.mib)),
    ];
    for (ours, theirs) in columns {
        // Writing to a string cannot fail.
        let _ = write!(line, "| {ours:.2} | {theirs} ");
    }
    let saved = if ours.saved_kib > 0.0 { format!("{:.0}", ours.saved_kib) } else { "–".to_owned() };
    line + &format!("| {saved} |\n")
}

/// One run, in an empty directory, which is on a new file system if the job has files. With the
/// arguments of `again` the job runs once more, and what that run saves is measured.
fn one(
    kind: &Kind,
    size: u64,
    scratch: &Path,
    program: &Path,
    words: &[&str],
    again: Option<&[&str]>,
) -> Result<Cost, String> {
    let text = (kind.job)(size);
    let mut undo = Undo::default();
    let dir = if text.contains("{dir}") { new_disk(scratch, &mut undo)? } else { scratch.to_owned() };
    let job = scratch.join("growth.fio");
    std::fs::write(&job, text.replace("{dir}", &dir.to_string_lossy())).map_err(|e| e.to_string())?;
    let run = |words: &[&str]| {
        let work = tempfile::tempdir_in(scratch).map_err(|e| e.to_string())?;
        let mut run = command(&program.to_string_lossy(), words);
        run.arg(&job).current_dir(work.path());
        measure(run, work.path())
    };
    let cost = run(words)?;
    let saved_kib = again.map_or(Ok(cost.saved_kib), |words| run(words).map(|again| again.saved_kib))?;
    Ok(Cost { saved_kib, ..cost })
}

/// Makes a new ext4 on a file in `scratch`, and returns where it is mounted. After many files
/// were removed, ext4 searches longer for free inodes, so each run has a new one.
fn new_disk(scratch: &Path, undo: &mut Undo) -> Result<PathBuf, String> {
    need_root("mounting a file system")?;
    let image = scratch.join("disk");
    let failed = |e: std::io::Error| format!("{}: {e}", image.display());
    std::fs::File::create(&image).and_then(|file| file.set_len(DISK_BYTES)).map_err(failed)?;
    let doomed = image.clone();
    undo.push(move || std::fs::remove_file(&doomed).map_err(at(&doomed)));
    target::ext4(&image, undo)
}
