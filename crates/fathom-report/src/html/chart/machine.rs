//! What the machine did over the whole run: CPUs, each disk, page cache, temperatures, clocks.
//!
//! A chart is drawn where its values change. For a value that stays the same, the text with the means is enough.

use super::over_time::mark_ramp;
use crate::html::axis::Axis;
use crate::html::svg::{Chart, Point, Series};
use fathom_figures::sampled::{CpuUse, DiskFigures};
use fathom_figures::{Sampled, SampledSpan};
use fathom_text::number::{compact, significant};
use fathom_text::quantity::percent_with;

/// Most points of a line.
const POINTS_MAX: usize = 120;

/// Lines of a chart; the busiest are drawn.
const LINES_MAX: usize = 6;

/// A change of this part of the highest value is worth a chart.
const CHANGE_MIN: f64 = 0.1;

/// A change of a use of CPU time by so many percent of all CPUs is worth a chart.
const POINTS_MIN: f64 = 5.0;

/// A use of CPU time: class, name, value.
type Use = (&'static str, &'static str, fn(&CpuUse) -> f64);

/// Every use but idle time, in the order in which they are drawn and told.
pub(in crate::html) const USES: [Use; 5] = [
    ("use-user", "user", |cpu| cpu.user + cpu.nice + cpu.guest + cpu.guest_nice),
    ("use-system", "system", |cpu| cpu.system),
    ("use-interrupts", "interrupts", |cpu| cpu.irq + cpu.softirq),
    ("use-iowait", "iowait", |cpu| cpu.iowait),
    ("use-steal", "stolen", |cpu| cpu.steal),
];

/// One line of a chart: its name, and for each span its value.
struct Line {
    name: String,
    values: Vec<Option<f64>>,
}

/// The spans of a run that its charts show.
pub(in crate::html) struct MachineLine<'a> {
    sampled: &'a Sampled<'a>,
    measured: &'a SampledSpan<'a>,
    spans: Vec<SampledSpan<'a>>,
}

impl<'a> MachineLine<'a> {
    /// `None` where there are too few samples for a line.
    pub(in crate::html) fn of(sampled: &'a Sampled<'a>, measured: &'a SampledSpan<'a>) -> Option<Self> {
        let spans: Vec<SampledSpan<'a>> =
            sampled.line(POINTS_MAX).into_iter().filter(|s| s.seconds > 0.1).collect();
        (spans.len() >= 3).then_some(MachineLine { sampled, measured, spans })
    }

    /// All charts that show something.
    pub(in crate::html) fn charts(&self) -> Vec<String> {
        let disks = |title, unit, of: fn(&DiskFigures) -> f64| self.lines(title, unit, &self.disk_lines(of));
        let charts = [
            self.cpus(),
            disks("Requests of each disk", "requests/s", DiskFigures::requests),
            disks("Waiting on each disk", "ms", DiskFigures::wait_ms),
            self.lines("Page cache", "MiB", &self.cache_lines()),
            self.lines("Temperature", "°C", &self.temperature_lines()),
            self.lines("Clock of the CPUs", "MHz", &self.clock_lines()),
        ];
        charts.into_iter().flatten().collect()
    }

    fn reach(&self) -> (f64, f64) {
        let last = &self.spans[self.spans.len() - 1];
        (self.spans[0].start_ns as f64 / 1e9, last.end_ns as f64 / 1e9)
    }

    fn chart(&self, title: &str, description: &str, y: Axis) -> Chart {
        let (start, end) = self.reach();
        let mut chart = Chart::over_time(title, description, (start, end), y);
        mark_ramp(&mut chart, self.measured.start_ns as f64 / 1e9, (start, end));
        chart
    }

    /// Time by use, one upon the other.
    fn cpus(&self) -> Option<String> {
        let all: Vec<(f64, CpuUse)> =
            self.spans.iter().filter_map(|span| Some((middle(span), span.all_cpus()?))).collect();
        let of_all = |of: fn(&CpuUse) -> f64| all.iter().map(move |(_, cpu)| of(cpu));
        let spread =
            |of: fn(&CpuUse) -> f64| of_all(of).fold(0.0, f64::max) - of_all(of).fold(100.0, f64::min);
        let y = Axis::linear("% of all CPUs", 0.0, 100.0, |v| format!("{v}"));
        let mean = self.measured.all_cpus()?;
        let uses = USES.iter().filter(|(.., of)| all.iter().any(|(_, cpu)| of(cpu) >= 1.0));
        let uses: Vec<&Use> = uses.collect();
        let means: Vec<String> = uses
            .iter()
            .map(|(_, name, of)| format!("{name} {}", percent_with(of(&mean) / 100.0, 0)))
            .collect();
        if !USES.iter().any(|(.., of)| spread(*of) >= POINTS_MIN) {
            return None;
        }
        let mut chart = self.chart("Use of the CPUs", &format!("mean: {}", means.join(", ")), y);
        let mut below = vec![0.0; all.len()];
        for (class, name, of) in uses {
            let points = all.iter().zip(&mut below).map(|((x, cpu), below)| {
                let (low, share) = (*below, of(cpu));
                *below += share;
                point(*x, low + share, share, Some((low, low + share)))
            });
            chart.series(&series(class, name, "%", vec![points.collect()], all.len()));
        }
        Some(chart.render())
    }

    /// A chart of some lines; `None` where none of them changes.
    fn lines(&self, title: &str, unit: &'static str, lines: &[Line]) -> Option<String> {
        let values = |line: &Line| line.values.iter().flatten().copied().collect::<Vec<f64>>();
        let drawn: Vec<&Line> = busiest(lines);
        if !drawn.iter().any(|line| changes(&values(line))) {
            return None;
        }
        let all = || drawn.iter().flat_map(|line| values(line));
        let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
        // Temperatures and clocks are far from zero, rates are not.
        let from = if low > high / 2.0 { low } else { 0.0 };
        let y = Axis::linear(unit, from, high.max(f64::MIN_POSITIVE), |v| compact(v, 3));
        let rest = lines.len() - drawn.len();
        let rest = if rest > 0 { format!("; {rest} more are not drawn") } else { String::new() };
        let described = drawn.iter().map(|line| format!("{} up to {}", line.name, compact(highest(line), 3)));
        let described = described.collect::<Vec<_>>().join(", ");
        let mut chart = self.chart(title, &format!("{described} {unit}{rest}"), y);
        for (at, line) in drawn.iter().enumerate() {
            chart.series(&self.series_of(line, &format!("line{at}"), unit));
        }
        Some(chart.render())
    }

    fn series_of(&self, line: &Line, class: &str, unit: &'static str) -> Series {
        let points: Vec<Option<Point>> = self
            .spans
            .iter()
            .zip(&line.values)
            .map(|(span, value)| value.map(|value| point(middle(span), value, value, None)))
            .collect();
        // A disk or CPU that is gone interrupts its line.
        let stretches = points.split(Option::is_none).filter(|stretch| !stretch.is_empty());
        let stretches = stretches.map(|stretch| stretch.iter().flatten().cloned().collect()).collect();
        series(class, &line.name, unit, stretches, points.len())
    }

    fn disk_lines(&self, of: fn(&DiskFigures) -> f64) -> Vec<Line> {
        self.named(|span| span.disks().iter().map(|disk| (disk.name.clone(), of(disk))).collect())
    }

    fn temperature_lines(&self) -> Vec<Line> {
        self.named(|span| span.temperatures().into_iter().map(|one| (one.name, one.celsius)).collect())
    }

    /// The slowest and the fastest CPU of each moment: hundreds of lines would show nothing.
    fn clock_lines(&self) -> Vec<Line> {
        self.named(|span| {
            let clocks: Vec<f64> = span.clocks().iter().map(|clock| clock.mhz).collect();
            let ends = [
                ("slowest", clocks.iter().copied().reduce(f64::min)),
                ("fastest", clocks.iter().copied().reduce(f64::max)),
            ];
            ends.into_iter().filter_map(|(name, mhz)| Some((name.to_owned(), mhz?))).collect()
        })
    }

    fn cache_lines(&self) -> Vec<Line> {
        self.named(|span| {
            let cache = self.sampled.page_cache(span);
            let mib = |kib: f64| kib / 1024.0;
            let pages =
                |pages: f64| pages * fathom_figures::sampled::PAGE_BYTES / span.seconds / f64::from(1 << 20);
            let lines = cache.map(|cache| {
                let read = [("hits/s", cache.hit_pages), ("misses/s", cache.miss_pages)];
                let read = read.into_iter().filter_map(move |(name, count)| Some((name, pages(count?))));
                read.chain([("dirty", mib(cache.dirty_kib)), ("write-back", mib(cache.write_back_kib))])
            });
            lines.into_iter().flatten().map(|(name, value)| (name.to_owned(), value)).collect()
        })
    }

    /// A line for each name that any span has.
    fn named(&self, of: impl Fn(&SampledSpan<'_>) -> Vec<(String, f64)>) -> Vec<Line> {
        let each: Vec<Vec<(String, f64)>> = self.spans.iter().map(of).collect();
        let mut names: Vec<&String> = Vec::new();
        for (name, _) in each.iter().flatten() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let value =
            |span: &Vec<(String, f64)>, name: &str| span.iter().find(|one| one.0 == name).map(|one| one.1);
        let line = |name: &&String| Line {
            name: (*name).clone(),
            values: each.iter().map(|span| value(span, name)).collect(),
        };
        names.iter().map(line).collect()
    }
}

fn highest(line: &Line) -> f64 {
    line.values.iter().flatten().copied().fold(0.0, f64::max)
}

/// The lines with the highest values, in their order.
fn busiest(lines: &[Line]) -> Vec<&Line> {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by(|a, b| highest(&lines[*b]).total_cmp(&highest(&lines[*a])));
    order.truncate(LINES_MAX);
    order.sort_unstable();
    order.into_iter().map(|at| &lines[at]).collect()
}

/// Do the values change by more than a tenth of the highest?
fn changes(values: &[f64]) -> bool {
    let (low, high) =
        (values.iter().copied().fold(f64::INFINITY, f64::min), values.iter().copied().fold(0.0, f64::max));
    high > 0.0 && high - low > CHANGE_MIN * high
}

fn middle(span: &SampledSpan<'_>) -> f64 {
    (span.start_ns + span.end_ns) as f64 / 2e9
}

fn point(x: f64, y: f64, value: f64, range: Option<(f64, f64)>) -> Point {
    Point { x, y, range, x_text: format!("{x:.1}"), y_text: significant(value, 3) }
}

fn series(class: &str, name: &str, unit: &'static str, stretches: Vec<Vec<Point>>, points: usize) -> Series {
    let name = name.to_owned();
    Series { class: class.to_owned(), name, unit, stretches, has_dots: points <= 40 }
}
