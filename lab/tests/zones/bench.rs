//! A zoned device that null_blk makes: 16 zones of 4 MiB, of which the first two are conventional and all others hold 3 MiB.

use std::collections::BTreeMap;
use std::fs;

use fathom_lab::{Drive, Run, Scope, fathom, sh};

pub const MIB: u64 = 1 << 20;
/// Bytes of a sequential zone that can be written.
pub const CAPACITY: u64 = 3 * MIB;
/// The sequential zones.
pub const SEQUENTIAL: usize = 14;

const SAVED: &str = "/tmp/zones";
const NAME: &str = "nullb7";
const EVENTS: &str = "/sys/kernel/tracing/events/nullb/nullb_zone_op/enable";
const TRACE: &str = "/sys/kernel/tracing/trace";

/// The device, which is gone when this is dropped.
pub struct Zoned {
    pub drive: Drive,
    config: String,
    _scope: Scope,
}

impl Zoned {
    /// Makes it, with these limits of open and active zones; 0 is none.
    #[track_caller]
    pub fn new(open: u32, active: u32) -> Self {
        let config = format!("/sys/kernel/config/nullb/{NAME}");
        let mut scope = Scope::new();
        scope.act(&["mkdir", &config], &["rmdir", &config]);
        let limits = [("zone_max_open", open), ("zone_max_active", active)];
        let shape = [
            ("memory_backed", 1),
            ("zoned", 1),
            ("size", 64),
            ("zone_size", 4),
            ("zone_capacity", 3),
            ("zone_nr_conv", 2),
        ];
        for (file, value) in shape.iter().chain(&limits) {
            set(&config, file, &value.to_string());
        }
        set(&config, "power", "1");
        scope.later(&["sh", "-c", &format!("echo 0 > {config}/power")]);
        fs::write(EVENTS, "1").expect("tracefs is mounted");
        scope.later(&["sh", "-c", &format!("echo 0 > {EVENTS}")]);
        Self { drive: Drive::unnamed(NAME), config, _scope: scope }
    }

    /// The bytes that are written in each sequential zone, as the kernel reports them.
    #[track_caller]
    pub fn written(&self) -> Vec<u64> {
        let report = sh(&["blkzone", "report", &self.drive.node]);
        let lines = report.lines().filter(|line| line.contains("SEQ_WRITE_REQUIRED"));
        let pointer = |line: &str| {
            let text = line.split("wptr 0x").nth(1)?.split_whitespace().next()?;
            // That of a zone that was finished is behind its end.
            Some((u64::from_str_radix(text, 16).ok()?.saturating_mul(512)).min(CAPACITY))
        };
        lines.map(|line| pointer(line).unwrap_or_else(|| panic!("{report}"))).collect()
    }

    /// Makes a zone read-only or offline (`zone_readonly`, `zone_offline`).
    #[track_caller]
    pub fn break_zone(&self, file: &str, zone: u64) {
        set(&self.config, file, &(zone * 4 * MIB / 512).to_string());
    }

    /// What null_blk has done to zones since the last call, and how often: `WRITE`, `ZONE_RESET`, `ZONE_FINISH`.
    #[track_caller]
    pub fn take_operations(&self) -> BTreeMap<String, usize> {
        let trace = fs::read_to_string(TRACE).expect("tracefs is mounted");
        fs::write(TRACE, "").expect("tracefs is mounted");
        let mut counts = BTreeMap::new();
        for line in trace.lines().filter(|line| line.contains(NAME)) {
            let word = line.split("req=").nth(1).and_then(|rest| rest.split_whitespace().next());
            *counts.entry(word.unwrap_or_else(|| panic!("{line}")).to_owned()).or_default() += 1;
        }
        counts
    }

    /// The options that allow fathom to write it.
    pub fn consent(&self) -> [String; 2] {
        let word = format!("by-diskseq/{}:{}", self.drive.attribute("diskseq"), self.drive.size_bytes());
        ["--destroy".to_owned(), word]
    }

    /// Runs jobs with these names and options, with consent to write the device.
    pub fn run(&self, jobs: &[(&str, &str)]) -> Run {
        let file = "/tmp/zones.fio";
        let section = |(name, options): &(&str, &str)| format!("[{name}]\n{}\n", options.replace(' ', "\n"));
        let sections: String = jobs.iter().map(section).collect();
        let global = format!("[global]\nthread\ndirect=1\nzonemode=zbd\nfilename={}\n", self.drive.node);
        fs::write(file, global + &sections).expect("/tmp is ours");
        let _ = fs::remove_dir_all(SAVED);
        let [option, word] = self.consent();
        fathom(&["run", file, "-q", "--no-calibrate", "--json", &option, &word, "--output-dir", SAVED])
    }

    /// Runs jobs one after another.
    pub fn run_in_turn(&self, jobs: &[&str]) -> Run {
        let jobs: Vec<(String, String)> = jobs
            .iter()
            .enumerate()
            .map(|(at, options)| (format!("job{at}"), format!("stonewall=1 {options}")))
            .collect();
        self.run(&jobs.iter().map(|(name, options)| (name.as_str(), options.as_str())).collect::<Vec<_>>())
    }
}

/// The I/Os of each job of a run that went well.
#[track_caller]
pub fn ios(run: &Run) -> Vec<u64> {
    assert_eq!(run.code, Some(0), "{run:?}");
    let result: serde_json::Value = serde_json::from_str(&run.stdout).expect("it is JSON");
    let figures = result["figures"].as_array().expect("it has figures");
    let counts = figures.iter().filter(|figure| figure["metric"] == "ios" && figure["job"].is_string());
    counts.map(|figure| figure["value"].as_f64().expect("a count") as u64).collect()
}

#[track_caller]
fn set(config: &str, file: &str, value: &str) {
    let path = format!("{config}/{file}");
    fs::write(&path, value).unwrap_or_else(|e| panic!("{path} = {value}: {e}"));
}
