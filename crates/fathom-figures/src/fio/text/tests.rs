//! Texts of Debian's fio 3.33, each beside the JSON of the same run, and those of fio 2.0.8 that two guides print.

use super::*;
use crate::fio::{FioCpu, FioFlow, FioJob, FioLatency, FioOddity, FioShare, FioSpread, fio_json};

/// A file of `--output-format=normal,json`.
macro_rules! fixture {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../tests/fixtures/fio-text/", $name, ".txt")))
    };
}

const BESIDE_JSON: [(&str, &str); 10] = [
    fixture!("groups"),
    fixture!("file"),
    fixture!("unified"),
    fixture!("both"),
    fixture!("si"),
    fixture!("bits"),
    fixture!("latp"),
    fixture!("slow"),
    fixture!("range"),
    fixture!("errors"),
];

const OF_GUIDES: [(&str, &str); 2] = [fixture!("vsl-guide"), fixture!("flash-guide")];

/// The lines of a file without its JSON.
fn without_json(file: &str) -> String {
    let (from, to) = (file.find("\n{\n").unwrap(), file.find("\n}\n").unwrap());
    format!("{}{}", &file[..=from], &file[to + 3..])
}

fn one(text: &str) -> FioResult {
    let mut runs = fio_text(text).unwrap();
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

#[test]
fn text_and_json_of_one_run_say_the_same() {
    for (name, file) in BESIDE_JSON {
        let (text, json) = (one(&without_json(file)), fio_json(file).unwrap().remove(0));
        assert_eq!((&text.version, text.labels()), (&json.version, json.labels()), "{name}");
        for (own, other) in text.jobs.iter().zip(&json.jobs) {
            same_job(name, own, other);
            same_details(name, own, other);
        }
        assert_eq!(text.disks.len(), json.disks.len(), "{name}");
        for (own, other) in text.disks.iter().zip(&json.disks) {
            near(name, own.busy_percent, other.busy_percent, 0.0);
            assert_eq!(
                FioDisk { busy_percent: None, ..own.clone() },
                FioDisk { busy_percent: None, ..other.clone() }
            );
        }
    }
}

fn same_job(name: &str, text: &FioJob, json: &FioJob) {
    let of = |job: &FioJob| (job.group, job.error, job.errors, job.flows.len());
    assert_eq!(of(text), of(json), "{name}");
    // `readwrite` is a name of `rw`.
    let rw = |job: &FioJob| job.direction.as_ref().map(|rw| rw.replace("readwrite", "rw"));
    let options = |job: &FioJob| (rw(job), job.depth.or(job.depth_is_assumed.then_some(1)));
    assert_eq!(options(text), options(json), "{name}");
    if json.block_bytes.is_some_and(|bytes| bytes.fract() == 0.0) {
        assert_eq!(text.block_bytes, json.block_bytes, "{name}");
    }
    for (own, other) in text.flows.iter().zip(&json.flows) {
        same_flow(name, own, other);
    }
}

fn same_details(name: &str, text: &FioJob, json: &FioJob) {
    let (own, other) = (text.cpu.unwrap(), json.cpu.unwrap());
    near(name, own.user_percent, other.user_percent, 1e-4);
    near(name, own.system_percent, other.system_percent, 1e-4);
    let counts = |cpu: FioCpu| [cpu.context_switches, cpu.major_faults, cpu.minor_faults];
    assert_eq!(counts(own), counts(other), "{name}");
    let lists = |job: &FioJob| job.shares.named().map(|(name, all)| (name, all.to_vec())).collect::<Vec<_>>();
    for ((what, own), (_, other)) in lists(text).iter().zip(lists(json)) {
        let classes =
            |all: &[FioShare]| all.iter().map(|share| (share.bound, share.is_open)).collect::<Vec<_>>();
        assert_eq!(classes(own), classes(&other), "{name} {what}");
        assert!(
            own.iter().zip(&other).all(|(own, other)| (own.percent - other.percent).abs() < 0.06),
            "{name} {what}"
        );
    }
    for (own, other) in text.flows.iter().zip(&json.flows) {
        assert_eq!((own.short, own.dropped), (other.short, other.dropped), "{name}");
        same_spread(name, own.bandwidth_spread, other.bandwidth_spread);
        same_spread(name, own.iops_spread, other.iops_spread);
    }
}

fn same_spread(name: &str, text: Option<FioSpread>, json: Option<FioSpread>) {
    assert_eq!(text.map(|it| it.n), json.map(|it| it.n), "{name}");
    let Some((text, json)) = text.zip(json) else { return };
    for (own, other) in
        [(text.min, json.min), (text.max, json.max), (text.mean, json.mean), (text.stddev, json.stddev)]
    {
        near(name, own, other, 0.001);
    }
    assert!(
        json.group_percent.is_none()
            || (json.group_percent.unwrap() - text.group_percent.unwrap()).abs() < 0.01
    );
}

fn same_flow(name: &str, text: &FioFlow, json: &FioFlow) {
    let exact = |flow: &FioFlow| (flow.direction, flow.ios, flow.runtime_ms, flow.latencies.len());
    assert_eq!(exact(text), exact(json), "{name}");
    // Of several block sizes, bytes are as they are printed. Behind a ramp, fio's bytes have some more I/Os than its count.
    let rough = if ["range", "file"].contains(&name) { 0.005 } else { 1e-6 };
    near(name, text.iops, json.iops, 1e-6);
    near(name, text.bytes.map(|bytes| bytes as f64), json.bytes.map(|bytes| bytes as f64), rough);
    near(name, text.bytes_per_second, json.bytes_per_second.map(|rate| rate.round()), rough.max(1e-4));
    for (own, other) in text.latencies.iter().zip(&json.latencies) {
        same_latency(name, own, other);
    }
}

/// Both lists are ordered alike: text has slat first, and JSON lat.
fn same_latency(name: &str, text: &FioLatency, json: &FioLatency) {
    assert_eq!(text.kind, json.kind, "{name}");
    near(name, text.mean_ns, json.mean_ns, 1e-3);
    near(name, text.stddev_ns, json.stddev_ns, 1e-3);
    in_units(name, text.min_ns, json.min_ns);
    in_units(name, text.max_ns, json.max_ns);
    assert_eq!(text.percentiles.len(), json.percentiles.len(), "{name}");
    for (own, other) in text.percentiles.iter().zip(&json.percentiles) {
        assert!((own.0 - other.0).abs() < 0.006, "{name}: {own:?} {other:?}");
        in_units(name, Some(own.1), Some(other.1));
    }
}

/// fio prints two decimals.
fn near(name: &str, text: Option<f64>, json: Option<f64>, share: f64) {
    let (text, json) = (text.unwrap(), json.unwrap());
    assert!((text - json).abs() <= share * json.abs() + 0.006, "{name}: {text} {json}");
}

/// fio prints whole ns, µs or ms, and k for thousands with one decimal.
fn in_units(name: &str, text: Option<f64>, json: Option<f64>) {
    let (text, json) = (text.unwrap(), json.unwrap());
    let unit = [1e6, 1e3, 1e2].into_iter().find(|unit| text % unit == 0.0).unwrap_or(1.0);
    assert!((text - json).abs() <= unit, "{name}: {text} {json}");
}

#[test]
fn the_texts_of_two_guides_have_every_figure() {
    for (name, text) in OF_GUIDES {
        let result = one(text);
        let (job, flow) = (&result.jobs[0], &result.jobs[0].flows[0]);
        assert_eq!(
            (result.version.as_str(), result.jobs.len(), job.flows.len()),
            ("fio-2.0.8", 1, 1),
            "{name}"
        );
        assert_eq!((job.jobs, job.depth, job.direction.as_deref()), (Some(4), Some(32), Some("rw")));
        assert_eq!((job.block_bytes, job.read_percent), (Some(512.0), Some(0.0)));
        assert_eq!((flow.direction, flow.ios, flow.runtime_ms), ("write", Some(14_372_752), Some(30_001)));
        assert_eq!(flow.iops, Some(14_372_752_000.0 / 30_001.0), "479,075 as it is printed");
        assert_eq!(flow.bytes_per_second, Some(239_540.0 * 1024.0));
        let times =
            |latency: &FioLatency| [latency.min_ns, latency.max_ns, latency.mean_ns, latency.stddev_ns];
        let told: Vec<_> = flow.latencies.iter().map(|it| (it.kind, times(it))).collect();
        let us = |all: [f64; 4]| all.map(|us| Some(us * 1e3));
        let expected = [
            ("lat", us([35.0, 2142.0, 261.18, 84.16])),
            ("clat", us([1.0, 2059.0, 206.50, 78.85])),
            ("slat", us([15.0, 523.0, 54.63, 41.91])),
        ];
        assert_eq!(told, expected, "{name}");
        let percentiles = &flow.latencies[1].percentiles;
        assert_eq!((percentiles.len(), percentiles[0], percentiles[16]), (17, (1.0, 70e3), (99.99, 1_144e3)));
        let spread = flow.bandwidth_spread.unwrap();
        let kib = |kib: f64| Some(kib * 1024.0);
        assert_eq!((spread.min, spread.max, spread.mean), (kib(1.0), kib(63_280.0), kib(58_889.02)));
        assert_eq!((spread.group_percent, spread.n), (Some(24.58), None));
        let cpu = job.cpu.unwrap();
        assert_eq!((cpu.user_percent, cpu.system_percent), (Some(7.2), Some(45.61)));
        assert_eq!(
            (cpu.context_switches, cpu.major_faults, cpu.minor_faults),
            (Some(5_305_818), Some(0), Some(105))
        );
        let counts: Vec<_> = job.shares.named().map(|(name, shares)| (name, shares.len())).collect();
        assert_eq!(counts, [("depth", 7), ("submit", 7), ("complete", 7), ("latency", 12)], "{name}");
        assert_eq!((job.shares.depths[5].bound, job.shares.depths[5].percent), (32, 115.3));
        assert_eq!((job.shares.latencies[6].bound, job.shares.latencies[6].percent), (250_000, 70.62));
        let disk = &result.disks[0];
        assert_eq!(
            (disk.writes.ios, disk.writes.ticks_ms, disk.queue_ms),
            (Some(8_637_747), Some(1_407_990), Some(1_412_150))
        );
        assert_eq!((disk.reads.ios, disk.busy_percent), (Some(0), Some(100.0)));
    }
}

/// Indentation and line breaks as a mail or a web page may have them, and lines of other programs.
#[test]
fn a_text_says_the_same_however_it_is_broken() {
    let (_, text) = OF_GUIDES[1];
    let expected = one(text);
    let indented: String = text.lines().map(|line| format!("\t    {line}  \r\n")).collect();
    let broken = text.replace(", ", ",\n    ");
    let quoted: String = text.lines().map(|line| format!(">> > {line}\n")).collect();
    let between = text.replace("cpu :", "[12.3] kernel: nothing of fio\ncpu :");
    let before = format!("Sun Nov 29\n$ fio x.fio\n{text}\nreal 0m30.1s\n");
    for (what, other) in [
        ("indented", indented),
        ("broken", broken),
        ("quoted", quoted),
        ("between", between),
        ("before", before),
    ] {
        let found = one(&other);
        assert_eq!((&found.jobs, &found.disks), (&expected.jobs, &expected.disks), "{what}");
    }
}

/// Cut behind any byte, a text has no other figure than the whole one.
#[test]
fn a_text_that_is_cut_has_less_and_nothing_else() {
    let (guide, of_file) = (OF_GUIDES[1].1.to_owned(), without_json(BESIDE_JSON[1].1));
    for (name, text) in [("flash-guide", guide), ("file", of_file)] {
        let whole = one(&text);
        for cut in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            let Ok(mut runs) = fio_text(&text[..cut]) else { continue };
            let cut_run = runs.remove(0);
            assert!(cut_run.jobs.len() <= whole.jobs.len() && runs.is_empty(), "{name} {cut}");
            for (own, other) in cut_run.jobs.iter().zip(&whole.jobs) {
                no_other(&format!("{name} cut at {cut}"), own, other);
            }
            let has_groups = text[..cut].contains("Run status group");
            assert!(has_groups || cut_run.oddities.contains(&FioOddity::EndMissing), "{name} {cut}");
        }
    }
}

fn no_other(place: &str, cut: &FioJob, whole: &FioJob) {
    let same = |one: bool, what: &str| assert!(one, "{place}: {what}");
    same(cut.name == whole.name && cut.jobs == whole.jobs && cut.error == whole.error, "job");
    same(cut.read_percent.is_none() || cut.read_percent == whole.read_percent, "mix");
    for own in &cut.flows {
        let other = whole.flows.iter().find(|flow| flow.direction == own.direction).expect(place);
        let counts = |flow: &FioFlow| [flow.ios, flow.runtime_ms, flow.short, flow.dropped];
        for (own, other) in counts(own).iter().zip(counts(other)) {
            same(own.is_none() || *own == other, "count");
        }
        // As it is printed, where what follows from the counts is not known yet.
        for (own, other) in [(own.iops, other.iops), (own.bytes_per_second, other.bytes_per_second)] {
            same(own.is_none_or(|own| (own / other.unwrap() - 1.0).abs() < 0.006), "rate");
        }
        for latency in &own.latencies {
            let other = other.latencies.iter().find(|it| it.kind == latency.kind).expect(place);
            let times = |it: &FioLatency| [it.min_ns, it.max_ns, it.mean_ns, it.stddev_ns];
            for (own, other) in times(latency).iter().zip(times(other)) {
                same(own.is_none() || *own == other, "latency");
            }
            same(latency.percentiles.iter().all(|it| other.percentiles.contains(it)), "percentile");
        }
    }
    for (name, own) in cut.shares.named() {
        let (_, other) = whole.shares.named().find(|(other, _)| *other == name).expect(place);
        same(own.iter().all(|share| other.contains(share)), name);
    }
}

/// Bytes that are altered, lines that are lost or stand twice: whatever comes, nothing panics.
#[test]
fn no_damage_is_a_panic() {
    let mut state = 42_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let text = without_json(BESIDE_JSON[1].1);
    for _ in 0..400 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..=random(20) {
            let (from, to) = (random(bytes.len()), random(bytes.len()));
            match random(3) {
                0 => bytes[from] = b" ,=/()[]:9.-%kM\n\r|>e\xff"[random(21)],
                1 => drop(bytes.drain(from..(from + 9).min(to.max(from)))),
                _ => bytes.extend_from_within(from..(from + 300).min(to.max(from))),
            }
        }
        let damaged = String::from_utf8_lossy(&bytes);
        if let Ok(runs) = fio_text(&damaged) {
            let figures = runs.iter().flat_map(FioResult::figures);
            assert!(figures.into_iter().all(|figure| figure.value.is_finite()), "{damaged}");
        }
    }
}

#[test]
fn states_of_a_run_and_runs_of_one_file_are_told_apart() {
    let text = without_json(BESIDE_JSON[2].1);
    let from = text.find("\na: (groupid").unwrap();
    let states = format!("{text}{}", &text[from..]);
    assert_eq!(one(&states).earlier_states, 1);
    let twice = fio_text(&format!("{text}{text}")).unwrap();
    assert_eq!((twice.len(), &twice[0].jobs), (2, &twice[1].jobs));
    assert_eq!(fio_text("a: (g=0): rw=read, bs=4K-4K\nfio-2.1\n"), Err(FioResultError::NoJobs));
}

/// The form of fio 2.1 to 2.21: three ranges of blocks, a blank before the colon, dropped I/Os, units that change from line to line.
#[test]
fn a_mix_of_fio_2_2_is_read() {
    let text = "\
job-11: (g=0): rw=randrw, bs=4K-4K/8K-8K/4K-4K, ioengine=libaio, iodepth=32
...
fio-2.2.9-26-g669e
Starting 4 processes

job-11: (groupid=0, jobs=4): err= 5 (file:io_u.c:1708, func=io_u error, error=Input/output error): pid=2331: Mon Aug 24 2015
  read : io=1026.8MB, bw=35018KB/s, iops=8754, runt= 30025msec
    slat (usec): min=2, max=104, avg= 5.11, stdev= 1.20
    clat (msec): min=1, max=17179, avg=12.50, stdev= 3.10
     lat (msec): min=1, max=17180, avg=12.51, stdev= 3.10
    clat percentiles (msec):
     |  1.00th=[    2], 50.00th=[   12], 99.00th=[   20], 99.99th=[16712]
    bw (KB  /s): min= 8000, max= 9100, per=25.01%, avg=8757.10, stdev=100.00
  write: io=901112KB, bw=30012KB/s, iops=3751, runt= 30025msec
    clat (usec): min=35, max=9004, avg=206.50, stdev=78.85
  lat (usec) : 50=0.01%, 100=4.32%
  lat (msec) : 2=10.00%, >=2000=0.01%
  cpu          : usr=5.66%, sys=12.09%, ctx=2783241, majf=0, minf=32689
  IO depths    : 1=0.1%, 2=0.1%, 4=0.1%, 8=0.1%, 16=0.1%, 32=100.0%, >=64=0.0%
     issued    : total=r=262849/w=112639/d=0, short=r=0/w=0/d=0, drop=r=3/w=0/d=0
     errors    : total=7, first_error=5/<Input/output error>

Run status group 0 (all jobs):
   READ: io=1026.8MB, aggrb=35018KB/s, minb=35018KB/s, maxb=35018KB/s, mint=30025msec, maxt=30025msec
";
    let result = one(text);
    let job = &result.jobs[0];
    assert_eq!(
        (result.version.as_str(), job.error, job.errors, job.jobs),
        ("fio-2.2.9-26-g669e", 5, Some(7), Some(4))
    );
    let [read, write] = job.flows.as_slice() else { panic!("{job:?}") };
    assert_eq!((read.ios, read.bytes, read.dropped), (Some(262_849), Some(262_849 * 4_096), Some(3)));
    // 112,639 × 8 KiB are exactly so many KB: they are KiB.
    assert_eq!((write.ios, write.bytes, write.dropped), (Some(112_639), Some(901_112 * 1_024), Some(0)));
    assert_eq!(write.bytes_per_second.map(f64::round), Some(30_732_346.0));
    let clat = &read.latencies[1];
    assert_eq!((clat.kind, clat.max_ns, clat.percentile_ns(99.99)), ("clat", Some(17_179e6), Some(16_712e6)));
    assert_eq!(write.latencies[0].max_ns, Some(9_004e3));
    assert_eq!(read.bandwidth_spread.unwrap().max, Some(9_100.0 * 1_024.0));
    assert_eq!((job.shares.latencies[3].bound, job.shares.latencies[3].is_open), (2_000_000_000, true));
    assert!(job.read_percent.is_some_and(|percent| (percent - 70.0).abs() < 0.01));
    let has = |wanted: fn(&FioOddity) -> bool| result.oddities.iter().any(wanted);
    assert!(
        has(|it| matches!(it, FioOddity::Ceiling { .. }))
            && has(|it| matches!(it, FioOddity::Failed { errno: 5, .. }))
    );
}
