//! The runs whose pages are opened: they look like measured ones.

use crate::synthetic::{Recipe, device, disk, measured};
use fathom_job::direction::Direction;
use fathom_results::answer::{AttachedKind, Gain, MeasuredKind};
use fathom_results::finding::FewIos;
use fathom_results::{
    Answer, ClassKind, DeviceClass, Evidence, Fact, Finding, LatencyWindow, NextStep, Reason, RunRecord,
    RunResult, Trust, TrustLevel, Weight, Why, Window,
};
use fathom_stats::{Histogram, SplitMix64, normal_quantile};

/// As `fathom quick` asks for them.
const QUICK: &str = "[global]\nioengine=io_uring\ndirect=1\nfilename=/dev/nvme0n1\nsize=16m\nstonewall\n\
    [seq-read-bandwidth]\nrw=read\nbs=1m\niodepth=8\n[rand-read-latency]\nrw=randread\nbs=4k\niodepth=1\n\
    [rand-read-iops]\nrw=randread\nbs=4k\niodepth=32\n[seq-write-bandwidth]\nrw=write\nbs=1m\niodepth=8\n\
    [rand-write-iops]\nrw=randwrite\nbs=4k\niodepth=32\n[mix-iops]\nrw=randrw\nrwmixread=70\nbs=4k\niodepth=32\n";

/// Values of each window; each counts for several I/Os.
const DRAWN: u64 = 600;

/// IOPS, median in µs and spread of the measurements, in the order of [`QUICK`].
const MEASURED: [(u64, f64, f64); 6] = [
    (3_310, 2_400.0, 0.12),
    (12_040, 81.0, 0.13),
    (331_000, 94.0, 0.32),
    (2_460, 3_200.0, 0.25),
    (212_000, 140.0, 0.42),
    (176_000, 175.0, 0.5),
];

/// A quick run on a drive with a write cache that fills up.
pub fn quick() -> RunResult {
    let mut recipe = Recipe::new(QUICK);
    (recipe.seconds, recipe.rate, recipe.shape, recipe.edit) = ((1, 10), 20, shape, edit);
    recipe.run()
}

/// Two minutes of one job with a rate, during which the target stood still for a while.
pub fn paced() -> RunResult {
    let job = "[reads]\nioengine=io_uring\ndirect=1\nfilename=/dev/nvme0n1\nrw=randread\nbs=4k\niodepth=16\nrate_iops=5000\n";
    let mut recipe = Recipe::new(job);
    (recipe.seconds, recipe.rate, recipe.edit) = ((5, 300), 40, edit);
    recipe.shape = |second, window| {
        let slow = if second % 60 < 4 { 6.0 } else { 1.0 };
        for (_, counts) in &mut window.directions {
            let latency = drawn(second, 5_000, 90.0 * slow, 0.3);
            let ios = latency.moments.count();
            (counts.ios, counts.bytes) = (ios, ios * 4096);
            (counts.total, counts.completion, counts.response) = (latency.clone(), latency.clone(), latency);
        }
        if (190..196).contains(&second) {
            window.directions.clear();
        }
    };
    recipe.run()
}

/// A run whose table does not fit on one sheet.
pub fn many() -> RunResult {
    let job = |at| format!("[many-jobs-{at}]\nioengine=null\nsize=1m\nrw=randread\n");
    let jobs: String = (0..50).map(job).collect();
    let mut recipe = Recipe::new(&jobs);
    (recipe.seconds, recipe.rate) = ((0, 1), 20);
    recipe.run()
}

/// A run that was killed in its ramp, with a name that is markup.
pub fn cut() -> RunResult {
    let mut recipe = Recipe::new("[<b>&\"x'=1+1]\nioengine=null\nsize=1m\nrw=randrw\n");
    (recipe.seconds, recipe.edit) = ((1, 0), |record: &mut RunRecord| record.finish = None);
    recipe.run()
}

fn shape(second: u64, window: &mut Window) {
    let (iops, median, spread) = MEASURED[window.job as usize];
    // The cache of the drive is full after seven seconds of writes.
    let is_full = matches!(window.job, 3 | 4) && second > 7;
    let (iops, median) = if is_full { (iops * 2 / 5, median * 2.5) } else { (iops, median) };
    let busy = window.directions.len() as u64;
    for (direction, counts) in &mut window.directions {
        let part = if busy == 1 {
            100
        } else if *direction == Direction::Read {
            70
        } else {
            30
        };
        let wobble = 97 + (second * 7 + u64::from(window.job)) % 5;
        let ios = (iops * part / 100 * wobble / 100 / DRAWN).max(1) * DRAWN;
        let slower = if *direction == Direction::Write && busy > 1 { 1.6 } else { 1.0 };
        let latency = drawn(second * 8 + u64::from(window.job), ios, median * slower, spread);
        counts.bytes = counts.bytes / counts.ios.max(1) * ios;
        counts.ios = ios;
        (counts.total, counts.completion) = (latency.clone(), latency);
        counts.submission = LatencyWindow::default();
    }
    let ios = window.directions.iter().map(|(_, counts)| counts.ios).sum::<u64>();
    window.depth = [0; 7];
    match window.job {
        5 => (window.depth[3], window.depth[4], window.depth[5]) = (ios / 10, ios / 4, ios * 13 / 20),
        job => window.depth[if job == 1 { 0 } else { 5 }] = ios,
    }
}

/// Log-normal latencies with a few slow ones.
fn drawn(seed: u64, ios: u64, median_us: f64, spread: f64) -> LatencyWindow {
    let mut random = SplitMix64::new(seed);
    let mut histogram = Histogram::new();
    let each = (ios / DRAWN).max(1);
    for _ in 0..DRAWN {
        let share = (random.next_bits() >> 11) as f64 / (1_u64 << 53) as f64;
        let us = median_us * (spread * normal_quantile(share).unwrap_or(0.0)).exp();
        histogram.record_n((us * 1e3) as u64, each);
    }
    for _ in 0..6 {
        let slow = 8.0 + (random.next_bits() % 200) as f64 / 10.0;
        histogram.record((median_us * slow * 1e3) as u64);
    }
    LatencyWindow { moments: *histogram.totals(), histogram: Some(histogram.sparse()) }
}

fn edit(record: &mut RunRecord) {
    let fact = |name: &str, value: &str| Fact {
        name: name.into(),
        value: Some(value.into()),
        source: "sysfs".into(),
    };
    record.name = "quick".into();
    record.command = ["fathom", "quick", "/dev/nvme0n1"].map(str::to_owned).to_vec();
    record.host = vec![
        fact("hostname", "web01"),
        fact("kernel", "6.12.8"),
        fact("os", "Debian GNU/Linux 12 (bookworm)"),
        fact("cpu_model", "AMD EPYC 9354P 32-Core Processor"),
        fact("target./dev/nvme0n1.model", "SAMSUNG MZVL21T0HCLR-00B00"),
        fact("target./dev/nvme0n1.size_bytes", "1024209543168"),
        fact("target./dev/nvme0n1.serial", "S676NX0RA01234"),
        Fact { name: "governor".into(), value: None, source: "no such file".into() },
    ];
    record.disks.push(disk("nvme0n1", 7_000_000, 60_000));
    let few = FewIos { job: "rand-write-iops".into(), direction: Direction::Write, ios: 5_000 };
    let evidence = Evidence::FewSamples { jobs: vec![few] };
    record.findings.push(Finding { evidence, weight: Weight::Aside, jobs: None });
    record.answer = Some(Answer {
        measured: measured(MeasuredKind::Files {
            path: "./scratch".into(),
            files: 1,
            bytes: Some(1 << 30),
            is_scratch: true,
            fs_type: Some("ext4".into()),
            device: Some(device(
                "/dev/nvme0n1",
                Some("SAMSUNG MZVL21T0HCLR-00B00"),
                1_020_000_000_000,
                AttachedKind::Nvme,
            )),
        }),
        result: crate::synthetic::rate(327_000.0),
        class: Some(DeviceClass {
            kind: ClassKind::NvmeSsd { read_ns: 81_000.0, bytes_per_second: 3.15e9 },
            is_virtual: false,
        }),
        trust: Trust {
            level: TrustLevel::Medium,
            reasons: vec![Reason::new(Why::ShortWrites { seconds: 10.0 }, TrustLevel::Medium)],
            shortest_s: None,
        },
        limit: Some(crate::synthetic::limits()),
        next: NextStep { command: "fathom doctor".into(), gain: Gain::SlowMachine, needs_consent: false },
        ..Answer::default()
    });
}
