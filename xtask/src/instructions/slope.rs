//! Instructions per I/O, as the slope between two run lengths: the costs of start and end cancel.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::command::{capture, command};
use crate::workspace::{at, read_text, write_file};
use serde::Deserialize;
use serde_json::Value;

/// The shorter run in I/Os: past every lazy initialisation.
const SHORT: u64 = 20_000;

/// How long the runs of a program are.
#[derive(Clone, Copy)]
pub struct Length {
    /// How many more I/Os the longer run does.
    apart: u64,
    /// Bytes of the file of a verified case, as a job says them.
    verified: &'static str,
}

/// fathom: what a run does besides I/O, its report above all, differs from run to run by some 400,000 instructions; spread
/// over half a million I/Os that is less than one.
pub const OURS: Length = Length { apart: 500_000, verified: "64m" };
/// fio, whose I/Os cost ten times as many: as precise in per cent, in a fifth of the time. A job that verifies
/// ends at the end of its file, so that must have room for all of them.
pub const FIO: Length = Length { apart: 100_000, verified: "512m" };

const TMPFS: &str = "/dev/shm";

/// The depth of the deepest case.
const DEPTH_MAX: u64 = 32;

/// Small enough to be written in no time, large enough that no I/O comes twice in a batch.
const FILE_BYTES: u64 = 64 << 20;

/// Counts the instructions of jobs, in a separate directory.
pub struct Counter {
    scratch: tempfile::TempDir,
    cached: tempfile::TempPath,
    direct: tempfile::TempPath,
}

impl Counter {
    /// Writes the files that the cases read: into `directory`, and onto tmpfs where that has O_DIRECT
    /// (Linux 6.6), so that no count waits for a disk.
    pub fn new(directory: &Path) -> Result<Self, String> {
        let failed = |e| format!("{}: {e}", directory.display());
        std::fs::create_dir_all(directory).map_err(failed)?;
        let scratch = tempfile::tempdir_in(directory).map_err(failed)?;
        let cached = random_file(directory).map_err(failed)?;
        let direct = match random_file(Path::new(TMPFS)) {
            Ok(file) if has_direct(&file) => file,
            _ => random_file(directory).map_err(failed)?,
        };
        Ok(Self { scratch, cached, direct })
    }

    /// Instructions per I/O of a case. `program` is the program with the words that come first.
    pub fn count(&self, program: &[&str], case: &Case, length: Length) -> Result<f64, String> {
        if case.target == Target::Verified {
            self.write_verified(program, case, length)?;
        }
        let whole = self.slope(program, case, &case.job, length)?;
        match &case.without {
            Some(without) => Ok(whole - self.slope(program, case, without, length)?),
            None => Ok(whole),
        }
    }

    fn target(&self, case: &Case, length: Length) -> String {
        match case.target {
            // Room for the longest run.
            Target::Nothing => "size=4g".to_owned(),
            Target::Cached => lines(&self.cached, "64m", 0),
            Target::Direct => lines(&self.direct, "64m", 1),
            Target::Verified => lines(&self.scratch.path().join(&case.name), length.verified, 0),
            Target::Replayed => format!("read_iolog={}\nreplay_no_stall=1", self.trace(case).display()),
        }
    }

    fn trace(&self, case: &Case) -> PathBuf {
        self.scratch.path().join(&case.name).with_extension("log")
    }

    /// Writes the trace of a case that replays one.
    fn write_trace(&self, case: &Case, ios: u64) -> Result<(), String> {
        let mut text = "fio version 2 iolog\nplace add\nplace open\n".to_owned();
        for io in 0..ios {
            // Neighbours are far apart, as in a trace of a database.
            let _ = writeln!(text, "place read {} 4096", io * 7919 % 262_144 * 4096);
        }
        write_file(self.trace(case), text + "place close\n")
    }

    /// Writes the file of a verified case, so that its reads find headers; not counted.
    fn write_verified(&self, program: &[&str], case: &Case, length: Length) -> Result<(), String> {
        let job = "rw=write\nioengine=psync\nverify=crc32c\ndo_verify=0";
        let text = format!(
            "[write]\nbs={}\n{job}\n{}\nio_size={}\n",
            case.bs,
            self.target(case, length),
            length.verified
        );
        let path = self.scratch.path().join(&case.name).with_extension("written.fio");
        write_file(&path, text)?;
        let mut words = program[1..].to_vec();
        let path = path.to_string_lossy();
        words.push(&path);
        capture(command(program[0], &words).current_dir(self.scratch.path())).map(drop)
    }

    fn slope(&self, program: &[&str], case: &Case, job: &[String], length: Length) -> Result<f64, String> {
        let (first, apart) = (SHORT / case.fewer, length.apart / case.fewer);
        let target = self.target(case, length);
        let short = self.total(program, case, &job_text(case, job, &target, first), first)?;
        let long = self.total(program, case, &job_text(case, job, &target, first + apart), first + apart)?;
        Ok((long as f64 - short as f64) / apart as f64)
    }

    fn total(&self, program: &[&str], case: &Case, text: &str, ios: u64) -> Result<u64, String> {
        if case.target == Target::Replayed {
            self.write_trace(case, ios)?;
        }
        let path = self.scratch.path().join(&case.name).with_extension("fio");
        write_file(&path, text)?;
        let path = path.to_string_lossy();
        let mut words = program.to_vec();
        words.extend(["--output-format=json", path.as_ref()]);
        let (instructions, printed) = count(&words, self.scratch.path())?;
        match ios_done(&printed) {
            // What is in flight when the count is reached still ends.
            Some(done) if (ios..=ios + DEPTH_MAX).contains(&done) => Ok(instructions),
            Some(done) => Err(format!("{done} I/Os were done, not {ios}")),
            None => Err("the JSON says nothing of I/Os".to_owned()),
        }
    }
}

/// The I/Os of the first job in fio's JSON.
fn ios_done(printed: &str) -> Option<u64> {
    let document: Value = serde_json::from_str(&printed[printed.find('{')?..]).ok()?;
    let job = &document["jobs"][0];
    Some(job["read"]["total_ios"].as_u64()? + job["write"]["total_ios"].as_u64()?)
}

/// The job of every case, and the one that is taken away from it, as fathom gets them.
pub fn job_texts() -> impl Iterator<Item = String> {
    let of = |case: &'static Case| {
        let jobs = [Some(&case.job), case.without.as_ref()].into_iter().flatten();
        jobs.map(move |job| job_text(case, job, &lines(Path::new("/tmp/f"), "64m", 0), SHORT))
    };
    CASES.iter().flat_map(of)
}

/// The lines of a job that say which file it uses, again and again to the end of the longest run.
fn lines(file: &Path, size: &str, direct: u8) -> String {
    format!("filename={}\nsize={size}\nio_size=4g\ndirect={direct}", file.display())
}

fn job_text(case: &Case, job: &[String], target: &str, ios: u64) -> String {
    let shared = "norandommap=1\nrandrepeat=0\nthread=1\nclocksource=cpu\ninvalidate=0";
    format!("[{}]\nbs={}\n{shared}\nnumber_ios={ios}\n{target}\n{}\n", case.name, case.bs, job.join("\n"))
}

fn random_file(directory: &Path) -> std::io::Result<tempfile::TempPath> {
    let mut file = tempfile::Builder::new().prefix("fathom-counted-").tempfile_in(directory)?;
    std::io::copy(&mut File::open("/dev/urandom")?.take(FILE_BYTES), &mut file)?;
    file.as_file().sync_all()?;
    Ok(file.into_temp_path())
}

fn has_direct(file: &Path) -> bool {
    let input = format!("if={}", file.display());
    let words = [input.as_str(), "of=/dev/null", "bs=4096", "count=1", "iflag=direct"];
    capture(&mut command("dd", &words)).is_ok()
}

// Instructions of one run, counted by valgrind's cachegrind, without its cache: callgrind counts the same in six times as long.
//
// It counts instructions in user space, of all threads, but not those of the kernel and no cache
// misses. The count does not depend on what else the machine does.

/// Instructions that `words` execute from start to end, and what they print; `scratch` takes
/// cachegrind's file. Several may be counted at the same time.
pub fn count(words: &[&str], scratch: &Path) -> Result<(u64, String), String> {
    let file = tempfile::NamedTempFile::new_in(scratch);
    let profile = file.map_err(at(scratch))?.into_temp_path();
    let option = format!("--cachegrind-out-file={}", profile.display());
    let mut all = vec!["--tool=cachegrind", "--cache-sim=no", option.as_str()];
    all.extend(words);
    let printed = capture(command("valgrind", &all).current_dir(scratch))?;
    let text = read_text(&profile)?;
    let total = total(&text).ok_or_else(|| format!("{}: it holds no count", profile.display()))?;
    Ok((total, printed))
}

/// The sum in cachegrind's file: its last line, `summary:`. The format is described in valgrind's manual, "Cachegrind File
/// Format".
fn total(text: &str) -> Option<u64> {
    let sum = text.lines().rev().find_map(|line| line.strip_prefix("summary:"))?;
    sum.split_whitespace().next()?.parse().ok().filter(|sum| *sum > 0)
}

// Which jobs are counted.
//
// Batches are fixed at 16 where the engine has batches, and so is the depth. With more in flight than
// one batch, the batches depend on how fast the target answers, and a count must not depend on that.

/// One job whose instructions per I/O are counted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its key in the record.
    pub name: String,
    /// What is counted.
    pub title: String,
    /// What the I/O goes to.
    pub target: Target,
    /// The block size.
    #[serde(default = "four_kib")]
    pub bs: String,
    /// By how much fewer its I/Os are, where one of them costs much.
    #[serde(default = "one")]
    pub fewer: u64,
    /// The lines of the job.
    pub job: Vec<String>,
    /// The same job without the feature whose cost is counted: the count is the difference of the two.
    pub without: Option<Vec<String>>,
    /// The budget of the design, in instructions per I/O.
    pub budget: Option<f64>,
    /// Whether fio can run it, so that its count can be shown too.
    pub has_peer: bool,
    /// Whether only `cargo xtask bench --instructions` counts it, because the time of `cargo xtask test` is short.
    #[serde(default)]
    pub bench_only: bool,
}

fn four_kib() -> String {
    "4k".to_owned()
}

fn one() -> u64 {
    1
}

/// Where the I/O of a case goes.
#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// Nowhere: the engine completes the I/O itself.
    Nothing,
    /// A file through the page cache.
    Cached,
    /// The same, of blocks that can be verified, which the program wrote before.
    Verified,
    /// A file without the page cache, the only way in which libaio submits batches.
    Direct,
    /// Nowhere, where a trace of reads of 4 KiB says.
    Replayed,
}

/// Every case, in the order of `cases.toml`.
pub static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let mut cases: BTreeMap<String, Vec<Case>> =
        toml::from_str(include_str!("cases.toml")).expect("a test reads the file");
    cases.remove("case").unwrap_or_default()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ios_of_both_directions_count() {
        let printed = r#"a remark {"jobs": [{"read": {"total_ios": 3}, "write": {"total_ios": 4}}]}"#;
        assert_eq!(ios_done(printed), Some(7));
        assert_eq!(ios_done("{}"), None);
        assert_eq!(ios_done("nothing"), None);
    }

    #[test]
    fn the_sum_is_found() {
        let text =
            "desc: I1 cache:\ncmd: fathom fio j\nevents: Ir\nfl=main.c\nfn=main\n3 77\nsummary: 82974678\n";
        assert_eq!(total(text), Some(82_974_678));
    }

    #[test]
    fn a_file_without_a_sum_is_not_zero_instructions() {
        assert_eq!(total(""), None);
        assert_eq!(total("events: Ir\nsummary: 0\n"), None);
        assert_eq!(total("fn=(1) summary: 5\n"), None);
    }
}
