//! What the machine did beside a run, in the form of programs that people know: sysstat's `iostat`, `mpstat` and `sar`,
//! perf-tools' `cachestat`, `free`, and the interrupts and sensors of the machine.
//!
//! Columns, their names, their order and their widths are those of sysstat 12 and procps 4. The figures are those
//! of `fathom-figures`. One file for each program; each prints a span of time: the measured window as a whole, or
//! each sample with its time.

mod cachestat;
mod free;
mod interrupts;
mod iostat;
mod mpstat;
mod sar;
mod sensors;

use fathom_figures::{Sampled, SampledSpan};
use fathom_results::RunResult;
use fathom_text::calendar::Moment;

/// The program whose form is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SysstatForm {
    /// `iostat -x`: CPUs together, and each disk.
    Iostat,
    /// `mpstat -P ALL`: each CPU.
    Mpstat,
    /// `sar -u ALL -r -B -W -d`: CPUs together, memory, paging, swapping, disks.
    Sar,
    /// `cachestat`: hits and misses of the page cache.
    Cachestat,
    /// `free`: memory.
    Free,
    /// `/proc/interrupts`: those of the targets' devices, by CPU.
    Interrupts,
    /// `sensors`: temperatures, clocks, and what disturbed them.
    Sensors,
}

/// Which spans of the run are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SysstatSpans {
    /// The measured window as a whole.
    Whole,
    /// Each sample in it.
    Each,
}

/// Width of the time at the beginning of a line.
const TIME_WIDTH: usize = 11;

/// In the place of the time, for the whole window.
const AVERAGE: &str = "Average:";

/// The run in this form; `None` where nothing was sampled beside it.
pub fn sysstat(run: &RunResult, form: SysstatForm, spans: SysstatSpans) -> Option<String> {
    let sampled = Sampled::of(run)?;
    let each = match spans {
        SysstatSpans::Each => sampled.each().collect(),
        SysstatSpans::Whole => vec![sampled.measured()],
    };
    let page = Page { run, sampled: &sampled, spans, each };
    Some(match form {
        SysstatForm::Iostat => page.head() + &iostat::text(&page),
        SysstatForm::Mpstat => page.head() + &mpstat::text(&page),
        SysstatForm::Sar => page.head() + &sar::text(&page),
        SysstatForm::Cachestat => cachestat::text(&page),
        SysstatForm::Free => free::text(&page),
        SysstatForm::Interrupts => interrupts::text(&page),
        SysstatForm::Sensors => sensors::text(&page),
    })
}

/// What is printed.
struct Page<'a> {
    run: &'a RunResult,
    sampled: &'a Sampled<'a>,
    spans: SysstatSpans,
    each: Vec<SampledSpan<'a>>,
}

impl Page<'_> {
    /// The first line of sysstat's programs: system, host, date, CPUs.
    fn head(&self) -> String {
        let fact = |name: &str| self.run.record.fact(name).unwrap_or("unknown");
        let cpus = self.each.first().map_or(0, |span| span.cpus().len());
        let date = Moment::of_unix_ns(self.run.record.started_unix_ns).to_string();
        let date = date.split(' ').next().unwrap_or_default();
        format!("Linux {} ({}) \t{date} \t({cpus} CPU)\n\n", fact("kernel"), fact("hostname"))
    }

    /// The time of a span's end, as each line begins with it.
    fn time(&self, span: &SampledSpan<'_>) -> String {
        match self.spans {
            SysstatSpans::Whole => AVERAGE.to_owned(),
            SysstatSpans::Each => self.clock(span),
        }
    }

    fn clock(&self, span: &SampledSpan<'_>) -> String {
        let end = Moment::of_unix_ns(self.run.record.started_unix_ns.saturating_add(span.end_ns));
        end.to_string().split(' ').nth(1).unwrap_or_default().to_owned()
    }

    /// The time, as wide as the column.
    fn time_column(&self, span: &SampledSpan<'_>) -> String {
        format!("{:<TIME_WIDTH$}", self.time(span))
    }
}
