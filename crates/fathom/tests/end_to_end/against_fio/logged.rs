//! Generated jobs with logs: the I/Os of a job, the N of each latency, the lines of each log and the I/Os in logs of histograms are one
//! number, and it is fio's
//! where a count and not the clock ends the job. The classes of latency add up to 100 %, and no job uses more of the CPUs than
//! there was.
//!
//! `FATHOM_LOGGED_JOBS` says how many (by hand: 400), `FATHOM_LOGGED_JOBS_FROM` which seed is the first. By hand, with
//! `-- --nocapture`, the test prints how far jobs that the clock ends are from fio's: a limit in time allows no more than that.

use crate::dice::Dice;
use crate::support::{fathom, json, text};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Jobs of a run without `FATHOM_LOGGED_JOBS`.
const JOBS: u64 = 24;

/// How many run at the same time.
const LANES: u64 = 2;

/// The directions of a document, and their numbers in a log.
const DIRECTIONS: [(&str, &str); 3] = [("read", "0"), ("write", "1"), ("trim", "2")];

/// A job file, and what may be expected of it.
struct Logged {
    text: String,
    /// Does fio know its engine?
    is_fios: bool,
    /// The clock ends it, or takes a part of it as ramp, so that counts depend on the time that passes.
    is_timed: bool,
    has_rate: bool,
    /// I/Os in flight of all clones.
    depth: u64,
}

impl Logged {
    fn of(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let engine = dice.of(&["null", "psync", "io_uring", "libaio", "mmap", "sim"]);
        let depth = dice.of(&[1, 2, 7, 16, 64]);
        let clones = dice.of(&[1, 1, 2, 3]);
        let sections = dice.of(&[1, 1, 2]);
        let target = if engine == "sim" { "sim:consumer/64" } else { "data" };
        let mut text =
            format!("[global]\nioengine={engine}\nfilename={target}\niodepth={depth}\nnumjobs={clones}\n");
        let mut add = |line: &str| text += &format!("{line}\n");
        add(dice.of(&["rw=read", "rw=randread", "rw=randwrite", "rw=randrw", "rw=readwrite\nrwmixread=30"]));
        add(dice.of(&["bs=4k", "bs=16k", "bs=4k,8k"]));
        let has_ramp = dice.chance(30);
        let is_by_time = dice.chance(45);
        let has_rate = dice.chance(if is_by_time { 80 } else { 30 });
        match is_by_time {
            true => {
                add(dice.of(&["size=8m\ntime_based\nruntime=200ms", "size=8m\ntime_based\nruntime=450ms"]))
            }
            false => add(dice.of(&[
                "size=4m",
                "size=8m\nio_size=3m",
                "size=2m\nio_size=5m",
                "size=8m\nnumber_ios=333",
            ])),
        }
        if has_ramp {
            add(dice.of(&["ramp_time=100ms", "ramp_time=250ms"]));
        }
        if has_rate {
            add(dice.of(&["rate_iops=2000", "rate_iops=5000,3000", "rate=20m"]));
        }
        let logs = 1 + dice.below(7);
        for (bit, log) in ["write_bw_log=l", "write_iops_log=l", "write_lat_log=l"].iter().enumerate() {
            if logs >> bit & 1 == 1 {
                add(log);
            }
        }
        if dice.chance(25) {
            add("write_hist_log=l");
            add(dice.of(&[
                "log_hist_msec=20",
                "log_hist_msec=50\nlog_hist_coarseness=3",
                "log_hist_coarseness=6",
            ]));
        }
        for option in
            ["group_reporting", "per_job_logs=0", "norandommap", "iodepth_batch_submit=4", "log_offset=1"]
        {
            if dice.chance(15) && (option != "iodepth_batch_submit=4" || depth >= 4) {
                add(option);
            }
        }
        if text.contains("rw=rand") && text.contains("bs=4k,8k") && !text.contains("norandommap") {
            // With a map of blocks, fio does other I/O here: docs/differences.md, "Sizes that differ by direction".
            text += "norandommap\n";
        }
        (0..sections).for_each(|section| text += &format!("[s{section}]\n"));
        Self {
            text,
            is_fios: engine != "sim",
            is_timed: is_by_time || has_ramp,
            has_rate,
            depth: depth * clones * sections,
        }
    }
}

/// What a run left.
struct Found {
    document: Value,
    /// Of each log: its kind, and its lines by direction; the I/Os of a log of histograms.
    lines: Vec<(String, [u64; 3])>,
    /// Columns of the lines of logs of histograms.
    columns: BTreeSet<usize>,
}

impl Found {
    fn of(tool: &mut Command, dir: &Path, job: &Logged) -> Result<Found, String> {
        let _ = std::fs::remove_dir_all(dir);
        std::fs::create_dir(dir).unwrap();
        std::fs::write(dir.join("data"), vec![7; 8 << 20]).unwrap();
        std::fs::write(dir.join("j.fio"), &job.text).unwrap();
        let output = tool.current_dir(dir).args(["--output-format=json", "j.fio"]).output().unwrap();
        if !output.status.success() {
            return Err(text(&output));
        }
        let logs = dir.read_dir().unwrap().map(|entry| entry.unwrap().path());
        let logs = logs.filter(|path| path.extension().is_some_and(|extension| extension == "log"));
        let mut columns = BTreeSet::new();
        let lines = logs.map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let kind = name.strip_prefix("l_").and_then(|rest| rest.split('.').next()).expect("l_KIND.N");
            let log = std::fs::read_to_string(&path).unwrap();
            match kind {
                HISTOGRAMS => {
                    columns.extend(log.lines().map(|line| line.split(", ").count()));
                    (kind.to_owned(), ios_of(&log))
                }
                _ => (kind.to_owned(), lines_of(&log)),
            }
        });
        Ok(Found {
            lines: lines.collect(),
            columns,
            document: json(&String::from_utf8_lossy(&output.stdout)),
        })
    }

    fn rows(&self) -> &[Value] {
        self.document["jobs"].as_array().expect("jobs")
    }

    /// I/Os of all jobs, by direction.
    fn ios(&self) -> [u64; 3] {
        DIRECTIONS.map(|(name, _)| self.rows().iter().map(|row| count(&row[name], "total_ios")).sum())
    }

    /// Lines of a kind of log, by direction; `None` without such a log.
    fn lines(&self, kind: &str) -> Option<[u64; 3]> {
        let logs = self.lines.iter().filter(|(of, _)| of == kind).map(|(_, lines)| *lines);
        logs.reduce(|a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]])
    }

    /// What is not one number, or more than the whole.
    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let ios = self.ios();
        for kind in ["bw", "iops", "lat", "clat", "slat", HISTOGRAMS] {
            // An engine that does one I/O at a time has no submission latency; fio leaves an empty log.
            let lines =
                self.lines(kind).filter(|lines| *lines != ios && (kind != "slat" || *lines != [0; 3]));
            faults.extend(lines.map(|lines| format!("{lines:?} lines of {kind}, {ios:?} I/Os")));
        }
        for row in self.rows() {
            for (name, latency) in
                DIRECTIONS.iter().flat_map(|(name, _)| [(name, "lat_ns"), (name, "clat_ns")])
            {
                let (n, ios) = (count(&row[name][latency], "N"), count(&row[name], "total_ios"));
                faults.extend((n != ios).then(|| format!("{name}: {n} {latency}, {ios} I/Os")));
            }
            let classes = ["latency_ns", "latency_us", "latency_ms"].map(|of| row[of].as_object().expect(of));
            let sum: f64 =
                classes.iter().flat_map(|of| of.values()).map(|share| share.as_f64().unwrap()).sum();
            faults.extend((sum > 0.0 && (sum - 100.0).abs() > 0.01).then(|| format!("classes of {sum} %")));
            let cpu = ["usr_cpu", "sys_cpu"].map(|key| row[key].as_f64().expect(key));
            faults.extend((cpu[0] + cpu[1] > 100.0001).then(|| format!("CPU {cpu:?} %")));
        }
        faults
    }
}

fn count(of: &Value, key: &str) -> u64 {
    of[key].as_u64().expect(key)
}

/// The kind of a log of histograms.
const HISTOGRAMS: &str = "clat_hist";

/// I/Os in a log of histograms by direction: time, direction, block size and the counts.
fn ios_of(log: &str) -> [u64; 3] {
    let mut ios = [0; 3];
    for line in log.lines() {
        let columns: Vec<u64> = line.split(", ").map(|column| column.parse().expect("a number")).collect();
        ios[columns[1] as usize] += columns[3..].iter().sum::<u64>();
    }
    ios
}

/// Lines by direction: the third column.
fn lines_of(log: &str) -> [u64; 3] {
    let directions = log.lines().map(|line| line.split(", ").nth(2).expect("four columns"));
    directions.fold([0; 3], |mut lines, direction| {
        let of = DIRECTIONS.iter().position(|(_, number)| *number == direction).expect("a direction");
        lines[of] += 1;
        lines
    })
}

/// What was seen of one job.
#[derive(Default)]
struct Seen {
    faults: Vec<String>,
    was_compared: bool,
    /// In fio itself these numbers are not one.
    fio_differs: bool,
    /// Of a job with a rate that the clock ends: I/Os of fathom and of fio, and the depth.
    timed: Option<(u64, u64, u64)>,
}

fn look(seed: u64, dir: &Path) -> Seen {
    let job = Logged::of(seed);
    let mut seen = Seen::default();
    match Found::of(fathom(dir.parent().unwrap()).arg("fio"), dir, &job) {
        Err(said) => seen.faults.push(said),
        Ok(ours) => {
            seen.faults = ours.faults();
            if job.is_fios {
                compare(&job, &ours, dir, &mut seen);
            }
        }
    }
    for fault in &mut seen.faults {
        *fault = format!("job {seed}: {fault}\n{}", job.text);
    }
    seen
}

fn compare(job: &Logged, ours: &Found, dir: &Path, seen: &mut Seen) {
    let theirs = match Found::of(&mut Command::new("fio"), dir, job) {
        Ok(theirs) => theirs,
        Err(said) => return seen.faults.push(format!("fio: {said}")),
    };
    // fio leaves a log without a whole window empty.
    if !theirs.columns.is_empty() && theirs.columns != ours.columns {
        seen.faults.push(format!("{:?} columns of histograms, in fio {:?}", ours.columns, theirs.columns));
    }
    seen.fio_differs = theirs.faults().iter().any(|fault| fault.contains("I/Os"));
    let [mine, fios] = [ours, &theirs].map(|of| of.ios().iter().sum::<u64>());
    if job.is_timed {
        // fio takes the I/O of a ramp from the size of a job.
        let is_alike = job.has_rate && job.text.contains("time_based");
        seen.timed = is_alike.then_some((mine, fios, job.depth));
        return;
    }
    seen.was_compared = true;
    // fio counts what it has submitted, so that number_ios may be exceeded by the depth. A mix of two sizes has as many
    // I/Os as its random choice makes: two of them are 0.5 √n apart as a standard deviation, and the bound is four of these.
    let allowed = match () {
        () if job.text.contains("bs=4k,8k") => 2 * mine.isqrt(),
        () if job.text.contains("number_ios") => job.depth,
        () => 0,
    };
    if mine.abs_diff(fios) > allowed {
        seen.faults.push(format!("{mine} I/Os, in fio {fios}"));
    }
    for kind in ["bw", "iops", "lat", "clat"] {
        let [mine, fios] = [ours, &theirs].map(|of| of.lines(kind).map(|lines| lines.iter().sum::<u64>()));
        if mine.unwrap_or(0).abs_diff(fios.unwrap_or(0)) > allowed {
            seen.faults.push(format!("{mine:?} lines of {kind}, in fio {fios:?}"));
        }
    }
}

/// How far the jobs that the clock ends are from fio's.
#[allow(clippy::print_stderr, reason = "figures of a run by hand")]
fn tell(seen: &[Seen]) {
    let timed: Vec<(u64, u64, u64)> = seen.iter().filter_map(|one| one.timed).collect();
    let mut apart: Vec<f64> = timed
        .iter()
        .map(|(ours, fios, depth)| ours.abs_diff(*fios).saturating_sub(*depth) as f64 / (*fios).max(1) as f64)
        .collect();
    apart.sort_by(f64::total_cmp);
    for (ours, fios, depth) in
        timed.iter().filter(|(ours, fios, depth)| ours.abs_diff(*fios) > depth + fios / 10)
    {
        eprintln!("{ours} I/Os in a time, in fio {fios}, at a depth of {depth}");
    }
    let within = |share: f64| apart.iter().filter(|one| **one <= share).count();
    eprintln!(
        "{} jobs: {} ended by a count and compared with fio's, {} ended by the clock with a rate: beyond the depth, {} are within \
         1 % of fio's I/Os, {} within 5 %, {} within 10 %, the farthest {:.1} %; fio's own numbers differ in {} jobs",
        seen.len(),
        seen.iter().filter(|one| one.was_compared).count(),
        timed.len(),
        within(0.01),
        within(0.05),
        within(0.1),
        apart.last().unwrap_or(&0.0) * 100.0,
        seen.iter().filter(|one| one.fio_differs).count(),
    );
}

#[test]
fn ios_latencies_and_lines_of_generated_jobs_are_one_number() {
    let scratch = tempfile::tempdir_in("/dev/shm").unwrap();
    let from = super::number("FATHOM_LOGGED_JOBS_FROM", 0);
    let seeds = from..from + super::number("FATHOM_LOGGED_JOBS", JOBS);
    let some = &|lane: u64| {
        let dir = scratch.path().join(lane.to_string());
        let mine = seeds.clone().filter(move |seed| seed % LANES == lane);
        mine.map(|seed| look(seed, &dir)).collect::<Vec<_>>()
    };
    let seen = std::thread::scope(|scope| {
        let lanes = (0..LANES).map(|lane| scope.spawn(move || some(lane))).collect::<Vec<_>>();
        lanes.into_iter().flat_map(|lane| lane.join().unwrap()).collect::<Vec<Seen>>()
    });
    tell(&seen);
    let faults: Vec<&str> = seen.iter().flat_map(|one| &one.faults).map(String::as_str).collect();
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}
