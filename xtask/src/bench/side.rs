//! One side of one case: the job, what it costs to start, and the results of its runs.

use std::path::Path;

use super::case::Case;
use super::figure::median;
use super::job_file::{self, Length};
use super::target::Made;
use super::tool::{Run, Tool};

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
        let one = job_file::text(case, &made.lines, tool.is_fio, Length::Ios(1));
        let one = job_file::write(scratch, &one)?;
        let (mut cpu, mut machine) = (Vec::new(), Vec::new());
        for _ in 0..STARTS {
            let used = tool.run(&one, None)?.used;
            cpu.push(used.cpu_ns);
            machine.push(used.machine_ns);
        }
        Ok(Self {
            tool,
            text: job_file::text(case, &made.lines, tool.is_fio, Length::Seconds(seconds)),
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
        let job_file = job_file::write(scratch, &self.text)?;
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
}
