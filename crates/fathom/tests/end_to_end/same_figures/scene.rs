//! Random results: several jobs with clones, groups, directions, ramps, starts apart in time, and
//! windows that were merged as in a very long run.

use fathom_figures::fixture::{DirectionLoad, RunBuilder};
use fathom_job::direction::PerDirection;
use fathom_results::{Phase, RunResult, SeriesPoint};
use proptest::collection::vec;
use proptest::prelude::*;

const SECOND_NS: u64 = 1_000_000_000;
const OPTIONS: &str = "ioengine=io_uring\ndirect=1\nbs=4k\nfilename=/data/f\npercentile_list=50:99:99.9\nsignificant_figures=6\n";

/// One worker.
#[derive(Clone, Debug)]
struct Worker {
    start_ms: u64,
    ramp_seconds: usize,
    /// I/Os and their latency in each measured second, µs.
    seconds: Vec<(u64, u64)>,
    /// Length of the last window, ms.
    last_ms: u64,
    /// Shares of a core in user space and in the kernel.
    cpu: (f64, f64),
}

/// A section of the job file; each worker is a clone.
#[derive(Clone, Debug)]
struct Section {
    rw: &'static str,
    depth: u32,
    options: &'static str,
    workers: Vec<Worker>,
}

/// A result to be.
#[derive(Clone, Debug)]
pub struct Scene {
    sections: Vec<Section>,
    /// So many windows became one.
    merged: usize,
}

/// Any of them.
pub fn scene() -> impl Strategy<Value = Scene> {
    let worker = (
        prop_oneof![Just(0), 0..5_000_u64],
        0..3_usize,
        vec((1..60_000_u64, 2..40_000_u64), 1..14),
        prop_oneof![Just(1_000), 1..1_000_u64],
        (0.0..0.5, 0.0..0.5),
    );
    let worker = worker.prop_map(|(start_ms, ramp_seconds, seconds, last_ms, cpu)| Worker {
        start_ms,
        ramp_seconds,
        seconds,
        last_ms,
        cpu,
    });
    let rw = prop::sample::select(vec!["randread", "write", "randrw"]);
    let depth = prop::sample::select(vec![1, 4, 32]);
    let options =
        prop::sample::select(vec!["", "group_reporting\n", "new_group\ngroup_reporting\n", "stonewall\n"]);
    let section = (rw, depth, options, vec(worker, 1..4));
    let section = section.prop_map(|(rw, depth, options, workers)| Section { rw, depth, options, workers });
    let merged = prop::sample::select(vec![1, 1, 2, 4]);
    (vec(section, 1..4), merged).prop_map(|(sections, merged)| Scene { sections, merged })
}

impl Scene {
    /// The result, as it was loaded.
    pub fn run(&self) -> RunResult {
        let mut text = format!("[global]\n{OPTIONS}");
        for (nth, Section { rw, depth, options, workers }) in self.sections.iter().enumerate() {
            let clones = workers.len();
            text += &format!("[job{nth}]\nrw={rw}\niodepth={depth}\nnumjobs={clones}\n{options}");
        }
        let workers =
            self.sections.iter().flat_map(|section| section.workers.iter().map(|w| (section.rw, w)));
        let built = workers.enumerate().fold(RunBuilder::text(&text), |built, (job, (rw, worker))| {
            let built = built.after(job, worker.start_ms * 1_000_000).cpu(job, worker.cpu.0, worker.cpu.1);
            worker.windows(built, job, rw)
        });
        let mut run = built.run();
        run.jobs.iter_mut().for_each(|job| job.series = merged(&job.series, self.merged));
        run
    }
}

impl Worker {
    fn windows(&self, built: RunBuilder, job: usize, rw: &str) -> RunBuilder {
        let loads = |ios: u64, latency_us: u64| -> Vec<DirectionLoad> {
            let reads = DirectionLoad::reads(ios, 4096, latency_us * 1_000);
            let writes = DirectionLoad::writes(ios / 2 + 1, 4096, latency_us * 1_300);
            match rw {
                "randread" => vec![reads],
                "write" => vec![writes],
                _ => vec![reads, writes],
            }
        };
        let ramped = (0..self.ramp_seconds)
            .fold(built, |built, _| built.window(job, Phase::Ramp, SECOND_NS, &loads(777, 100)));
        self.seconds.iter().enumerate().fold(ramped, |built, (second, (ios, latency_us))| {
            let is_last = second + 1 == self.seconds.len();
            let length_ns = if is_last { self.last_ms * 1_000_000 } else { SECOND_NS };
            built.window(job, Phase::Measure, length_ns, &loads(*ios, *latency_us))
        })
    }
}

/// The windows of one phase, merged as a very long run keeps them.
fn merged(series: &[SeriesPoint], windows: usize) -> Vec<SeriesPoint> {
    let phases = series.chunk_by(|a, b| a.phase == b.phase);
    phases.flat_map(|points| points.chunks(windows).map(one)).collect()
}

fn one(points: &[SeriesPoint]) -> SeriesPoint {
    let sum = |of: fn(&SeriesPoint) -> &PerDirection<u64>| {
        PerDirection::from_fn(|direction| points.iter().map(|point| of(point)[direction]).sum())
    };
    SeriesPoint {
        end_ns: points[points.len() - 1].end_ns,
        windows: points.len() as u32,
        ios: sum(|point| &point.ios),
        bytes: sum(|point| &point.bytes),
        ..points[0].clone()
    }
}
