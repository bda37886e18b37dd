//! Plans of several jobs in virtual time: two runs are the same byte for byte, and what
//! a job means is what it means with threads.

use crate::support::{Heard, planned};
use fathom_engine::clock::Clock;
use fathom_engine::log::{LogChunk, LogKind, LogSample};
use fathom_engine::runner::{LocalThreads, Patience, Runner, RunnerEnd, VirtualTime};
use fathom_engine::sink::{Sink, Stop, StopReason};
use fathom_engine::target::NoTargets;
use fathom_job::direction::Direction::{Read, Write};
use fathom_results::{EndedBy, Frame, Phase, SpoolWriter};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What the jobs below say at their end.
const NOTES: [&str; 6] =
    ["clock", "compat=fio", "latency_target.depth", "latency_target.tried", "oracle.latency", "oracle.seed"];

const SECOND: u64 = 1_000_000_000;

const ORACLE: &str =
    "[global]\nioengine=oracle\noracle_clock=virtual\nrandseed=5\nrw=randrw\nbs=4k\nsize=1g\n";

/// Keeps the text of every frame, what was heard, and what was logged.
#[derive(Default)]
struct Kept {
    text: String,
    heard: Heard,
    logged: Vec<(u32, LogSample)>,
}

impl Sink for Kept {
    fn frame(&mut self, frame: &Frame) {
        self.text += &format!("{frame:?}\n");
        self.heard.frame(frame);
    }
    fn log(&mut self, chunk: LogChunk) {
        for kind in LogKind::OF_VALUES {
            chunk.each(kind, |sample| self.logged.push((chunk.job, sample)));
        }
    }
    fn before_start(&mut self, jobs: &[usize]) {
        self.text += &format!("before {jobs:?}\n");
        self.heard.before_start(jobs);
    }
}

fn run_with(runner: &dyn Runner, sections: &str, interrupt: &Arc<Stop>) -> Kept {
    let mut kept = Kept::default();
    let end = runner.run(&Arc::new(planned(&format!("{ORACLE}{sections}"))), interrupt, &mut kept);
    assert_eq!(end, RunnerEnd::default());
    kept
}

fn run(sections: &str) -> Kept {
    run_with(&VirtualTime::default(), sections, &Arc::default())
}

/// When a job began to measure, and when it ended.
fn span(heard: &Heard, job: u32) -> (u64, u64) {
    let began = heard.phases.iter().find(|p| p.0 == job && p.1 == Phase::Measure).expect("it began").2;
    (began, heard.outcome(job).at_ns)
}

/// Rates, delays, ramps, pauses, a search for a depth, a flow, fio's order of calls, a
/// stage of its own, and a job that ends the others.
const MANY: &str = "\
[a]\nrate_iops=1000,500\nrate_process=poisson\ntime_based\nruntime=10s\noracle_latency=lognormal:80us:0.5\n\
[b]\niodepth=16\nstartdelay=2500ms\nramp_time=1500ms\ntime_based\nruntime=5s\noracle_latency=pareto:1ms:1.5\n\
[c]\nthinktime=3ms\nthinktime_blocks=2\nflow=3\nnumjobs=2\ntime_based\nruntime=4s\n\
[d]\nstartdelay=9s\ntime_based\nruntime=60s\nrate_iops=10\n\
[e]\nstonewall\niodepth=4\ncompat=fio\nexitall\nnumber_ios=8000\n\
[f]\nrate_iops=3\niodepth=2\noracle_latency=queue:2ms\n\
[g]\nstartdelay=1h\nnumber_ios=5\n\
[h]\nstonewall\nlatency_target=2ms\nlatency_window=100ms\nlatency_percentile=90\niodepth=32\ntime_based\n\
runtime=6s\noracle_latency=queue:300us\n";

#[test]
fn two_runs_of_many_jobs_are_the_same_byte_for_byte() {
    let (one, other) = (run(MANY), run(MANY));
    assert!(one.heard.outcomes.len() == 9 && one.heard.windows.len() > 60, "{}", one.heard.windows.len());
    assert!(one.text == other.text, "the frames differ");
    // The order is that of time.
    let ends: Vec<u64> = one.heard.outcomes.iter().map(|outcome| outcome.at_ns).collect();
    assert!(ends.is_sorted(), "{ends:?}");
    for outcome in &one.heard.outcomes {
        assert_eq!((outcome.failure.clone(), outcome.usage), (None, Default::default()));
    }
}

/// fio 3.33: `startdelay` counts from the start of the run, in every stage and behind `wait_for`.
#[test]
fn a_start_delay_counts_from_the_start_of_the_run() {
    let began = |delay: &str, after: &str| {
        let sections = format!("[a]\nruntime=3s\n[b]\n{after}\nstartdelay={delay}\nruntime=1s\n");
        let Kept { heard, .. } = run(&format!("time_based\n{sections}"));
        span(&heard, 1).0 / SECOND
    };
    for after in ["stonewall", "wait_for=a"] {
        assert_eq!([began("2s", after), began("5s", after)], [3, 5], "{after}");
        assert_eq!(
            began("2s\nidle_before=4s", after),
            7,
            "{after}: an idle time counts from the end of the others"
        );
    }
}

/// Writes all frames to a spool.
struct Spooled(SpoolWriter);

impl Sink for Spooled {
    fn frame(&mut self, frame: &Frame) {
        self.0.append(frame).unwrap();
    }
    fn log(&mut self, _: LogChunk) {}
    fn before_start(&mut self, _: &[usize]) {}
}

/// The payloads of a spool, the run's id first.
fn payloads(spool: &[u8]) -> Vec<&[u8]> {
    let (mut payloads, mut rest) = (Vec::new(), &spool[12..]);
    while let Some((length, after)) = rest.split_first_chunk() {
        // Behind the length is the checksum, which follows from the payloads.
        let (payload, next) = after[4..].split_at(u32::from_le_bytes(*length) as usize);
        payloads.push(payload);
        rest = next;
    }
    payloads
}

/// The spools of two runs differ in the id of the run, and in the checksums, which cover it.
#[test]
fn two_spools_differ_in_the_id_alone() {
    let spool = |id: &str| {
        let dir = tempfile::tempdir().unwrap();
        let mut sink = Spooled(SpoolWriter::create(dir.path(), id).unwrap());
        VirtualTime::default().run(
            &Arc::new(planned(&format!("{ORACLE}{MANY}"))),
            &Arc::default(),
            &mut sink,
        );
        std::fs::read(dir.path().join("spool")).unwrap()
    };
    let (one, other) = (spool("one"), spool("other"));
    let (one, other) = (payloads(&one), payloads(&other));
    assert_eq!((one[0], other[0]), (&b"one"[..], &b"other"[..]));
    assert!(one.len() > 60 && one[1..] == other[1..], "{} frames", one.len());
}

/// What an end says besides the work follows from the plan: no time of the machine, and nothing
/// that the machine has or lacks.
#[test]
fn nothing_of_the_machine_is_in_a_frame() {
    let asks = "[a]\niomem=mmaphuge\nrate_iops=100\ntime_based\nruntime=2s\nwrite_lat_log=x\n";
    let mut names: Vec<String> = Vec::new();
    for outcome in [run(MANY), run(asks)].into_iter().flat_map(|kept| kept.heard.outcomes) {
        assert_eq!((outcome.usage, outcome.layout_bytes), (Default::default(), 0));
        names.extend(outcome.notes.into_iter().map(|(name, _)| name));
    }
    names.sort();
    names.dedup();
    assert_eq!(names, NOTES);
}

#[test]
fn stages_delays_and_exitall_happen_at_their_virtual_time() {
    let Kept { heard, .. } = run(MANY);
    let begins = |job| span(&heard, job).0;
    assert_eq!((begins(0), begins(1), begins(4)), (0, 4 * SECOND, 9 * SECOND));
    // The first stage lasts as long as its longest job, `d`, and one of its I/Os.
    let stage = (0..=4).map(|job| heard.outcome(job).at_ns).max().unwrap();
    assert!((69 * SECOND..69 * SECOND + SECOND / 10).contains(&stage), "{stage}");
    assert_eq!((begins(5), begins(6)), (stage, stage));
    // `e` ends the others of its group: `f` at its next I/O, `g` in its delay.
    let end = heard.outcome(5).at_ns;
    for job in [6, 7] {
        assert_eq!(heard.outcome(job).ended_by, EndedBy::Exitall);
        assert!(heard.outcome(job).at_ns - end <= SECOND, "job {job}");
    }
    let second = (6..=7).map(|job| heard.outcome(job).at_ns).max().unwrap();
    assert_eq!(heard.phases.iter().find(|p| p.0 == 8 && p.1 == Phase::Ramp).unwrap().2, second);
    assert_eq!(heard.starts.iter().map(|(jobs, ..)| jobs.len()).collect::<Vec<_>>(), [5, 3, 1]);
}

/// Ended by counts, so that threads and virtual time do the same I/Os.
const COUNTED: &str = "\
[a]\nnumber_ios=3000\niodepth=8\nwrite_lat_log=x\n\
[b]\nnumber_ios=2000\nrate_iops=20000\nwrite_lat_log=x\n\
[c]\nio_size=4m\nbssplit=4k/50:8k/50\nrandseed=77\nwrite_lat_log=x\n\
[d]\nstonewall\nnumber_ios=500\nnumjobs=2\niodepth=3\nwrite_lat_log=x\n";

#[test]
fn counts_and_offsets_are_those_of_threads() {
    let clock = Clock::calibrate(false);
    let threads = LocalThreads { targets: Arc::new(NoTargets), clock, patience: Patience::USUAL };
    let ours = run(COUNTED);
    let theirs = run_with(&threads, COUNTED, &Arc::default());
    for job in 0..5 {
        let totals = |kept: &Kept| format!("{:?}", kept.heard.totals(job));
        assert!(totals(&ours) == totals(&theirs), "job {job}");
        // Time, direction, offset, size and latency of each I/O.
        let ios = |kept: &Kept| kept.logged.iter().filter(|l| l.0 == job).map(|l| l.1).collect::<Vec<_>>();
        assert!(ios(&ours).len() >= 500 && ios(&ours) == ios(&theirs), "job {job}");
        let (ours, theirs) = (ours.heard.outcome(job), theirs.heard.outcome(job));
        assert_eq!((ours.ended_by, &ours.sizes), (theirs.ended_by, &theirs.sizes), "job {job}");
    }
}

#[test]
fn an_hour_passes() {
    let Kept { heard, .. } =
        run("[j]\nrw=randread\nrate_iops=10\ntime_based\nruntime=1h\noracle_latency=constant:100us\n");
    let measured = heard.windows.iter().filter(|window| window.phase == Phase::Measure).count();
    assert_eq!((heard.moved(0, Read).0, measured), (36_000, 3600));
    assert_eq!(heard.outcome(0).measured_ns, Some((0, 3600 * SECOND)));
    assert_eq!(heard.outcome(0).ended_by, EndedBy::Time);
}

/// Old versions of fio forgot the I/Os of the ramp and kept their depths, so a share was up to
/// (5 + 30) ÷ 30 = 116.7 % (contract V-28, T-30). Here each measured I/O has one depth.
#[test]
fn each_measured_io_has_one_depth_and_those_of_the_ramp_have_theirs_apart() {
    let Kept { heard, .. } =
        run("[j]\nrw=randwrite\niodepth=32\niodepth_batch=16\niodepth_batch_complete=16\n\
                                  ramp_time=5s\ntime_based\nruntime=30s\noracle_latency=constant:20ms\n");
    let totals = heard.totals(0);
    let measured: u64 = totals.maps.depth.iter().sum();
    let issued = totals.directions[Write].ios;
    assert!(issued > 40_000 && measured.abs_diff(issued) <= 32, "{measured} depths of {issued} I/Os");
    assert!(totals.maps.depth[5] >= measured - 32 && totals.maps.submit[3] > 0, "{:?}", totals.maps);
    let ramp = heard.windows.iter().filter(|window| window.phase == Phase::Ramp);
    let ramp: u64 = ramp.flat_map(|window| window.depth).sum();
    let as_old_fio_printed = 100.0 * (ramp + measured) as f64 / issued as f64;
    assert!((as_old_fio_printed - 116.7).abs() < 0.3, "{as_old_fio_printed}");
}

/// Asks for a stop when the first window comes.
struct Impatient {
    kept: Kept,
    interrupt: Arc<Stop>,
}

impl Sink for Impatient {
    fn frame(&mut self, frame: &Frame) {
        if matches!(frame, Frame::Window(_)) {
            self.interrupt.request(StopReason::Interrupt);
        }
        self.kept.frame(frame);
    }
    fn log(&mut self, _: LogChunk) {}
}

#[test]
fn a_request_to_stop_ends_all_within_a_second_of_their_time() {
    let sections = "[a]\ntime_based\nruntime=365d\n[b]\nstartdelay=30d\nnumber_ios=1\n[c]\nstonewall\n";
    let interrupt = Arc::<Stop>::default();
    let mut sink = Impatient { kept: Kept::default(), interrupt: interrupt.clone() };
    VirtualTime::default().run(&Arc::new(planned(&format!("{ORACLE}{sections}"))), &interrupt, &mut sink);
    let heard = sink.kept.heard;
    for job in 0..3 {
        assert_eq!(heard.outcome(job).ended_by, EndedBy::Interrupt, "job {job}");
        assert!(heard.outcome(job).at_ns <= 2 * SECOND, "job {job}: {}", heard.outcome(job).at_ns);
    }
    assert!(heard.moved(0, Read).0 > 0, "what was measured is kept");
}

#[test]
fn a_request_to_stop_before_the_start_starts_nothing() {
    let interrupt = Arc::<Stop>::default();
    interrupt.request(StopReason::Interrupt);
    let Kept { heard, .. } = run_with(&VirtualTime::default(), "[a]\n[b]\n", &interrupt);
    assert!(heard.windows.is_empty());
    assert!(heard.outcomes.iter().all(|outcome| outcome.ended_by == EndedBy::Interrupt));
}

#[test]
fn a_job_that_cannot_run_is_an_error_of_that_job() {
    let Kept { heard, .. } =
        run("[a]\noracle_latency=gauss:1us\n[b]\nnumber_ios=10\n[c]\nstonewall\nnumber_ios=1\n");
    let why = heard.outcome(0).failure.clone().expect("there is no such shape");
    assert!(why.message.contains("oracle_latency=gauss:1us"), "{}", why.message);
    for job in [1, 2] {
        assert_eq!((heard.outcome(job).failure.clone(), heard.outcome(job).ended_by), (None, EndedBy::Ios));
    }
}

/// Panics at the tenth window.
#[derive(Default)]
struct Fragile(usize);

impl Sink for Fragile {
    fn frame(&mut self, frame: &Frame) {
        self.0 += usize::from(matches!(frame, Frame::Window(_)));
        assert!(self.0 < 10, "a sink that panics, on purpose");
    }
    fn log(&mut self, _: LogChunk) {}
}

#[test]
fn a_sink_that_panics_ends_the_workers_too() {
    let plan =
        Arc::new(planned(&format!("{ORACLE}[a]\ntime_based\nruntime=1h\nnumjobs=20\nrate_iops=100\n")));
    let ended = catch_unwind(AssertUnwindSafe(|| {
        VirtualTime::default().run(&plan, &Arc::default(), &mut Fragile::default());
    }));
    assert!(ended.is_err(), "the panic is not swallowed");
    // Nothing is left of it in this thread.
    assert_eq!(run("[a]\nnumber_ios=10\n").heard.outcome(0).ended_by, EndedBy::Ios);
}

/// Says that jobs 0 and 2 need not go on, after the third window of job 0.
#[derive(Default)]
struct Judging {
    kept: Kept,
    windows: u32,
    ends: Vec<u32>,
}

impl Sink for Judging {
    fn frame(&mut self, frame: &Frame) {
        self.kept.frame(frame);
        if matches!(frame, Frame::Window(window) if window.job == 0) {
            self.windows += 1;
            if self.windows == 3 {
                self.ends = vec![0, 2];
            }
        }
    }
    fn log(&mut self, _: LogChunk) {}
    fn ends(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.ends)
    }
}

/// The third job waits for its `startdelay` when it need not go on, the fourth for a stonewall.
const JUDGED: &str = "time_based\n[a]\nruntime=60s\n[b]\nruntime=6s\n[c]\nstartdelay=30s\nruntime=60s\n\
    [d]\nstonewall\nruntime=2s\n";

fn judged(runner: &dyn Runner, head: &str) -> Judging {
    let mut judging = Judging::default();
    runner.run(&Arc::new(planned(&format!("{head}{JUDGED}"))), &Arc::default(), &mut judging);
    let ended: Vec<EndedBy> = (0..4).map(|job| judging.kept.heard.outcome(job).ended_by).collect();
    assert_eq!(ended, [EndedBy::Steady, EndedBy::Time, EndedBy::Steady, EndedBy::Time]);
    assert_eq!(judging.kept.heard.moved(2, Read).0, 0);
    judging
}

#[test]
fn a_job_that_need_not_go_on_ends_and_the_others_do_not() {
    let head = format!("{ORACLE}iodepth=4\n");
    let (one, other) = (judged(&VirtualTime::default(), &head), judged(&VirtualTime::default(), &head));
    assert!(one.kept.text == other.kept.text, "the frames differ");
    let (began, ended) = span(&one.kept.heard, 0);
    assert!((3 * SECOND..3 * SECOND + SECOND / 100).contains(&(ended - began)), "{}", ended - began);
    // With threads, twenty times as fast.
    let clock = Clock::calibrate(true);
    let threads = LocalThreads { targets: Arc::new(NoTargets), clock, patience: Patience::USUAL };
    let head = "[global]\nioengine=null\nrw=randread\nsize=1m\nclock_speed=20\nrate_iops=1000\n";
    judged(&threads, head);
}

/// Jobs over 32 TiB in blocks of 4 KiB (2^33), and over 8 TiB in sectors (2^34), by each way to choose.
const BEYOND_32_BITS: [(&str, u64, u64); 6] = [
    ("bs=4k\nsize=32t\nnorandommap", 4096, 33),
    ("bs=4k\nsize=32t\nnorandommap\nrandom_generator=tausworthe64", 4096, 33),
    ("bs=4k\nsize=32t\nrandom_generator=tausworthe64", 4096, 33),
    ("bs=4k\nsize=32t\nrandom_generator=lfsr", 4096, 33),
    ("bs=512\nsize=8t\nnorandommap", 512, 34),
    ("bs=512\nsize=8t", 512, 34),
];

/// A generator of 32 bits leaves out every second block of 2^33, or all beyond the first 2^32 (contract I-36).
#[test]
fn blocks_beyond_32_bits_are_reached_and_each_is_as_likely() {
    for (options, block_bytes, bits) in BEYOND_32_BITS {
        let job = format!("[j]\nrw=randread\nnumber_ios=16000\nwrite_lat_log=x\nlog_offset=1\n{options}\n");
        let logged = run(&job).logged;
        let latencies = logged.iter().filter(|(_, io)| io.kind == LogKind::Total);
        let blocks: Vec<u64> = latencies.map(|(_, io)| io.offset / block_bytes).collect();
        assert_eq!(blocks.len(), 16_000, "{options}");
        // By the three highest bits, and by the three lowest: eight classes each, as likely as one another.
        for shift in [bits - 3, 0] {
            let mut classes = [0_u64; 8];
            blocks.iter().for_each(|block| classes[(block >> shift) as usize % 8] += 1);
            let expected = 2_000.0;
            let statistic: f64 = classes.iter().map(|n| (*n as f64 - expected).powi(2) / expected).sum();
            let p = fathom_stats::chi_square_p_value(statistic, 7);
            assert!(p > 1e-4, "{options}: bits from {shift}: p = {p}, {classes:?}");
        }
        let beyond = blocks.iter().filter(|block| **block > u64::from(u32::MAX)).count();
        assert!(beyond > 7_500, "{options}: {beyond} of 16,000 beyond 2^32");
    }
}

/// A job tells what the simulated drive wrote while it ran, and what it read itself that nobody had written; what an
/// array reads for its parity nobody asked for.
#[test]
fn a_job_on_a_simulated_drive_counts_what_is_its_own() {
    let text = "[global]\nioengine=libaio\nfilename=sim:datacentre/16384\nnorandommap=1\nstonewall\n\
                [fill]\nrw=write\nbs=1m\n\
                [wear]\nrw=randwrite\nbs=4k\niodepth=8\nloops=2\n\
                [none]\nrw=trim\nbs=1m\n\
                [holes]\nrw=randread\nbs=4k\nnumber_ios=10\nnumjobs=2\n\
                [parity]\nfilename=sim:4xdatacentre/16384,raid=5,chunk=64k\nrw=randwrite\nbs=4k\nnumber_ios=20\n";
    let mut kept = Kept::default();
    let end = VirtualTime::default().run(&Arc::new(planned(text)), &Arc::default(), &mut kept);
    assert_eq!(end, RunnerEnd::default());
    let note = |job: u32, name: &str| {
        let outcome = kept.heard.outcome(job);
        assert_eq!(outcome.failure, None, "job {job}");
        let note = outcome.notes.iter().find(|(known, _)| known == name);
        note.map(|(_, value)| value.parse::<f64>().unwrap())
    };
    let amplification = |job| note(job, "sim.write_amplification");
    assert!((amplification(0).unwrap() - 1.0).abs() < 0.02, "a fill in order: {:?}", amplification(0));
    // Of the whole run it would be lower, because the fill is a third of what was written.
    let (host, media) = (note(1, "sim.host_written_bytes"), note(1, "sim.media_written_bytes"));
    let (of_run, media_of_run) =
        (note(1, "sim.run.host_written_bytes"), note(1, "sim.run.media_written_bytes"));
    assert!((of_run.unwrap() / host.unwrap() - 1.5).abs() < 0.01, "{of_run:?} of {host:?}");
    let whole = media_of_run.unwrap() / of_run.unwrap();
    assert!(amplification(1).unwrap() > 1.1 * whole, "{:?} {whole}", amplification(1));
    assert!((amplification(1).unwrap() - media.unwrap() / host.unwrap()).abs() < 0.001);
    assert_eq!((amplification(2), note(2, "sim.host_written_bytes")), (None, Some(0.0)), "it wrote nothing");
    for job in [3, 4] {
        assert_eq!(note(job, "sim.unwritten_read_bytes"), Some(40_960.0), "each worker its own");
    }
    let of_parity = &kept.heard.outcome(5).notes;
    assert_eq!(note(5, "sim.2.unwritten_read_bytes"), Some(0.0), "old data and parity: {of_parity:?}");
}
