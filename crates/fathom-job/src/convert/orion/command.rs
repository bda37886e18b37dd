//! One command line of ORION.

use crate::diagnostic::{Diagnostic, Span};
use crate::options::nearest_of;

/// `-run`: which data points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Run {
    Simple,
    Normal,
    Advanced,
    Oltp,
    Dss,
}

/// `-matrix`: which data points of an advanced run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Matrix {
    Basic,
    Detailed,
    Point,
    Column,
    Row,
    Max,
}

/// A command line, with ORION's defaults for what it does not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Command {
    pub run: Run,
    /// `-testname`: the list of devices is TESTNAME.lun.
    pub test: String,
    /// `-num_disks`; the number of devices of the list if not given.
    pub disks: Option<u32>,
    pub small_kib: u64,
    pub large_kib: u64,
    /// `-type seq`: large I/Os are streams.
    pub streams: bool,
    /// `-num_streamIO`: I/Os in flight of each stream.
    pub stream_depth: u32,
    pub write_percent: u32,
    /// `-duration` of each data point, in seconds.
    pub seconds: u64,
    pub matrix: Matrix,
    pub small: Option<u32>,
    pub large: Option<u32>,
    /// `-simulate raid0`, in stripes of `stripe_kib`.
    pub raid0: bool,
    pub stripe_kib: u64,
    /// What no job can say: option and value, and why.
    pub lost: Vec<(String, &'static str)>,
}

/// ORION's defaults.
impl Default for Command {
    fn default() -> Self {
        Command {
            run: Run::Simple,
            test: "orion".to_owned(),
            disks: None,
            small_kib: 8,
            large_kib: 1024,
            streams: false,
            stream_depth: 4,
            write_percent: 0,
            seconds: 60,
            matrix: Matrix::Basic,
            small: None,
            large: None,
            raid0: false,
            stripe_kib: 1024,
            lost: Vec::new(),
        }
    }
}

const RUNS: &[(&str, Run)] = &[
    ("simple", Run::Simple),
    ("normal", Run::Normal),
    ("advanced", Run::Advanced),
    ("oltp", Run::Oltp),
    ("dss", Run::Dss),
];

const MATRICES: &[(&str, Matrix)] = &[
    ("basic", Matrix::Basic),
    ("detailed", Matrix::Detailed),
    ("point", Matrix::Point),
    ("col", Matrix::Column),
    ("row", Matrix::Row),
    ("max", Matrix::Max),
];

/// The options with a value.
const OPTIONS: &[&str] = &[
    "run",
    "testname",
    "num_disks",
    "size_small",
    "size_large",
    "type",
    "num_streamIO",
    "write",
    "duration",
    "matrix",
    "num_small",
    "num_large",
    "simulate",
    "stripe",
    "cache_size",
    "storax",
];

/// The options without a value; none of them changes the load.
const FLAGS: &[&str] = &["verbose", "hugenotneeded", "help"];

/// More I/Os in flight than fio's options allow.
const COUNT_MAX: u32 = 65_536;

/// Reads the words after the name of the program.
pub(super) fn read(words: &[String], place: &Span) -> Result<Command, Diagnostic> {
    let error = |message: String| Diagnostic::error("bad-orion", message).at(place);
    let (mut command, mut words, mut has_run) = (Command::default(), words.iter(), false);
    while let Some(word) = words.next() {
        let name = word.strip_prefix('-').unwrap_or_default();
        if FLAGS.contains(&name) {
            continue;
        }
        if !OPTIONS.contains(&name) {
            let finding = error(format!("{word} is not an option of ORION"));
            let near = nearest_of(name, OPTIONS.iter().chain(FLAGS).copied());
            return Err(near.map_or(finding.clone(), |near| finding.hint(format!("did you mean -{near}?"))));
        }
        let value = words.next().ok_or_else(|| error(format!("-{name} needs a value")))?;
        has_run |= name == "run";
        command.set(name, value).map_err(error)?;
    }
    match has_run {
        true => Ok(command),
        false => Err(error("ORION needs -run".to_owned()).hint("-run simple, normal, advanced, oltp or dss")),
    }
}

impl Command {
    /// The word behind `-run`.
    pub fn run_word(&self) -> &'static str {
        RUNS.iter().find(|(_, run)| *run == self.run).map_or("", |(word, _)| *word)
    }

    /// The sizes of its I/Os, as a person would say them.
    pub fn load(&self) -> String {
        let large = if self.streams { "in streams" } else { "at random" };
        let small = format!("{} KiB at random", self.small_kib);
        let large = format!("{} KiB {large}", self.large_kib);
        match self.run {
            Run::Oltp => small,
            Run::Dss => large,
            _ if self.matrix == Matrix::Point && self.small == Some(0) => large,
            _ if self.matrix == Matrix::Point && self.large == Some(0) => small,
            _ => format!("{small} and {large}"),
        }
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "run" => self.run = word(name, value, RUNS)?,
            "testname" => value.clone_into(&mut self.test),
            "num_disks" => self.disks = Some(count(name, value)?.max(1)),
            "size_small" => self.small_kib = size(name, value)?,
            "size_large" => self.large_kib = size(name, value)?,
            "type" => self.streams = word(name, value, &[("rand", false), ("seq", true)])?,
            "num_streamIO" => self.stream_depth = count(name, value)?.max(1),
            "write" => self.write_percent = percent(value)?,
            "duration" => self.seconds = u64::from(count(name, value)?.max(1)),
            "matrix" => self.matrix = word(name, value, MATRICES)?,
            "num_small" => self.small = Some(count(name, value)?),
            "num_large" => self.large = Some(count(name, value)?),
            "simulate" => self.raid0 = word(name, value, &[("concat", false), ("raid0", true)])?,
            "stripe" => self.stripe_kib = size(name, value)?,
            "cache_size" => self.lost.push((format!("-cache_size {value}"), CACHE)),
            _ if value == "skgfr" => {}
            _ => self.lost.push((format!("-{name} {value}"), "jobs go to files and devices only")),
        }
        Ok(())
    }
}

const CACHE: &str = "ORION reads as much at random before each data point; fathom precondition brings a device into a known state";

fn word<T: Copy>(name: &str, value: &str, words: &[(&str, T)]) -> Result<T, String> {
    let value_of = |(word, meant): &(&str, T)| word.eq_ignore_ascii_case(value).then_some(*meant);
    words.iter().find_map(value_of).ok_or_else(|| {
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        format!("-{name} {value}: give {}", words.join(", "))
    })
}

fn count(name: &str, value: &str) -> Result<u32, String> {
    let number = value.parse().ok().filter(|number| *number <= COUNT_MAX);
    number.ok_or_else(|| format!("-{name} {value}: give a whole number of at most {COUNT_MAX}"))
}

/// Sizes are in KiB, at most 1 GiB.
fn size(name: &str, value: &str) -> Result<u64, String> {
    let number = value.parse().ok().filter(|number| (1..=1 << 20).contains(number));
    number.ok_or_else(|| format!("-{name} {value}: give a size in KiB, such as 8 or 1024"))
}

fn percent(value: &str) -> Result<u32, String> {
    let number = value.parse().ok().filter(|number| *number <= 100);
    number.ok_or_else(|| format!("-write {value}: give a percentage of 0 to 100"))
}
