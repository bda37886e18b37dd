//! One side of one case: the job, what it costs to start, and the results of its runs.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::cases::Case;
use super::figure::median;
use super::meter::{Meter, Used};
use super::target::Made;
use serde_json::Value;
use xtask::command::{capture, command};
use xtask::workspace::write_file;

/// How much a tool's count may differ from the kernel's: by what is in flight at either end, and by
/// what opening a device reads.
const COUNT_ERROR_MAX: f64 = 0.001;
/// Runs that measure a start: the unit of CPU time is 10 ms, so the median of three is used.
const STARTS: usize = 3;

/// A tool with its job.
pub struct Side<'a> {
    tool: &'a Tool,
    text: String,
    start_cpu_ns: f64,
    start_machine_ns: f64,
    /// Its runs so far.
    pub runs: Runs,
}

/// One entry per run.
#[derive(Default)]
pub struct Runs {
    /// I/Os per second.
    pub iops: Vec<f64>,
    /// CPU time per I/O, ns.
    pub cpu_ns: Vec<f64>,
    /// CPU time of the whole machine per I/O, ns.
    pub machine_ns: Vec<f64>,
}

impl<'a> Side<'a> {
    /// Measures what starting costs by runs of one I/O, which also warm the caches.
    pub fn new(
        tool: &'a Tool,
        case: &Case,
        made: &Made,
        seconds: u64,
        scratch: &Path,
    ) -> Result<Self, String> {
        let one = text(case, &made.lines, tool.is_fio, Length::Ios(1));
        let one = write(scratch, &one)?;
        let (mut cpu, mut machine) = (Vec::new(), Vec::new());
        for _ in 0..STARTS {
            let used = tool.run(&one, None)?.used;
            cpu.push(used.cpu_ns);
            machine.push(used.machine_ns);
        }
        Ok(Self {
            tool,
            text: text(case, &made.lines, tool.is_fio, Length::Seconds(seconds)),
            start_cpu_ns: median(&cpu).unwrap_or(0.0),
            start_machine_ns: median(&machine).unwrap_or(0.0),
            runs: Runs::default(),
        })
    }

    /// The heading of its column.
    pub fn name(&self) -> &'static str {
        self.tool.name
    }

    /// One timed run. It is an error if the tool's count is wrong.
    pub fn run(&self, made: &Made, scratch: &Path) -> Result<Run, String> {
        let job_file = write(scratch, &self.text)?;
        let run = self.tool.run(&job_file, made.disk.as_deref())?;
        match (&made.disk, run.used.disk_reads) {
            (Some(disk), Some(reads)) if !agree(run.ios, reads as f64) => {
                let ios = run.ios;
                Err(format!("{}: {ios} I/Os by its own count, {reads} by that of {disk}", self.tool.name))
            }
            _ => Ok(run),
        }
    }

    /// Keeps a run.
    pub fn add(&mut self, run: &Run) {
        self.runs.iops.push(run.iops);
        self.runs.cpu_ns.push((run.used.cpu_ns - self.start_cpu_ns).max(0.0) / run.ios);
        self.runs.machine_ns.push((run.used.machine_ns - self.start_machine_ns).max(0.0) / run.ios);
    }
}

fn agree(own: f64, kernel: f64) -> bool {
    (own - kernel).abs() <= kernel * COUNT_ERROR_MAX
}

// One side of a comparison: a program that runs a job file and prints fio's JSON.

/// A load generator.
pub struct Tool {
    /// The heading of its column.
    pub name: &'static str,
    /// Whether it is given fio's own flags.
    pub is_fio: bool,
    program: PathBuf,
    /// Its arguments before the job file.
    words: &'static [&'static str],
    /// The processor that it is bound to.
    processor: u32,
}

/// The result of one run.
pub struct Run {
    /// I/Os done.
    pub ios: f64,
    /// I/Os per second, as the tool computes it.
    pub iops: f64,
    /// What it used.
    pub used: Used,
    /// The tool's JSON about its first job.
    pub job: Value,
}

impl Tool {
    /// fio, as Debian packages it.
    pub fn fio(processor: u32) -> Self {
        let words = &["--output-format=json"];
        Self { name: "fio", is_fio: true, program: PathBuf::from("fio"), words, processor }
    }

    /// fathom, called as `fathom fio`.
    pub fn fathom(program: PathBuf, processor: u32) -> Self {
        Self { name: "fathom", is_fio: false, program, words: &["fio", "--output-format=json"], processor }
    }

    /// The loop that measures nothing.
    pub fn bare(program: PathBuf, processor: u32) -> Self {
        Self { name: "bare loop", is_fio: false, program, words: &[], processor }
    }

    /// The words that run a job file, bound to the processor.
    pub fn words(&self, job_file: &Path) -> Vec<String> {
        let processor = self.processor.to_string();
        let mut words: Vec<String> = ["taskset", "-c", &processor].map(str::to_owned).into();
        words.push(self.program.to_string_lossy().into_owned());
        words.extend(self.words.iter().map(|word| (*word).to_owned()));
        words.push(job_file.to_string_lossy().into_owned());
        words
    }

    /// The same as a command, in the directory of the job file.
    pub fn command(&self, job_file: &Path) -> Command {
        let words = self.words(job_file);
        let rest: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        let mut command = command(&words[0], &rest);
        if let Some(directory) = job_file.parent() {
            command.current_dir(directory);
        }
        command
    }

    /// Runs the job; `disk` is the block device that it reads, if it reads one.
    pub fn run(&self, job_file: &Path, disk: Option<&str>) -> Result<Run, String> {
        let before = Meter::read(self.processor, disk)?;
        let printed = capture(&mut self.command(job_file))?;
        let used = Meter::read(self.processor, disk)?.since(&before);
        let job = first_job(&printed).map_err(|e| format!("{}: {e}", self.name))?;
        let sum = |key: &str| -> f64 {
            ["read", "write"].iter().filter_map(|direction| job[direction][key].as_f64()).sum()
        };
        let (ios, iops) = (sum("total_ios"), sum("iops"));
        if ios <= 0.0 {
            return Err(format!("{}: its JSON holds no I/Os", self.name));
        }
        Ok(Run { ios, iops, used, job })
    }
}

/// The first job of fio's JSON. fio may print remarks before the document.
fn first_job(printed: &str) -> Result<Value, String> {
    let begin = printed.find('{').ok_or("it printed no JSON")?;
    let mut document: Value = serde_json::from_str(&printed[begin..]).map_err(|e| e.to_string())?;
    match document["jobs"].get_mut(0) {
        Some(job) => Ok(job.take()),
        None => Err("its JSON holds no job".to_owned()),
    }
}

// The job file of a case, for one tool.

/// What both tools share. fio gets its cheapest clock (on some processors its own choice between two
/// is random) and no random map, so that it is compared at its best.
const SHARED: &str = include_str!("shared.txt");

/// What ends a run.
#[derive(Clone, Copy)]
pub enum Length {
    /// Time. There is no ramp: CPU time is only known for a whole process, and must belong to the
    /// I/Os that are counted. Caches are warm from the short runs before.
    Seconds(u64),
    /// This number of I/Os.
    Ios(u64),
}

impl Length {
    /// The lines of the job that set it.
    pub fn lines(self) -> String {
        match self {
            Length::Seconds(seconds) => format!("time_based=1\nruntime={seconds}\n"),
            Length::Ios(ios) => format!("number_ios={ios}\n"),
        }
    }
}

/// The text of the job file, with the lines that name the target.
pub fn text(case: &Case, target: &str, for_fio: bool, length: Length) -> String {
    let lines = [&case.job[..], if for_fio { &case.fio } else { &[] }].concat();
    format!("[{}]\n{SHARED}{}{target}{}\n", case.name, length.lines(), lines.join("\n"))
}

/// Writes a job file into `scratch`, and returns its path.
pub fn write(scratch: &Path, text: &str) -> Result<PathBuf, String> {
    let path = scratch.join("bench.fio");
    write_file(&path, text)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousandth_is_the_most_that_counts_may_differ() {
        assert!(agree(1_000_000.0, 1_000_900.0));
        assert!(agree(1_000_900.0, 1_000_000.0));
        assert!(!agree(1_000_000.0, 1_002_000.0));
        assert!(!agree(998_000.0, 1_000_000.0));
    }

    #[test]
    fn reads_past_remarks() {
        let printed = "fio: a remark\n{\"jobs\": [{\"read\": {\"iops\": 1234.5}}]}";
        assert_eq!(first_job(printed).unwrap()["read"]["iops"], 1234.5);
    }

    #[test]
    fn no_job_is_an_error() {
        assert!(first_job("nothing").is_err());
        assert!(first_job("{\"jobs\": []}").is_err());
        assert!(first_job("{\"jobs\": 1}").is_err());
    }
}
