//! What a run must find out about itself on real targets: whether others used the
//! disk, what answered instead of the disk, which CPU time was used, and the limit
//! of the generator.
//!
//! They need root, loop devices and /dev/zram0.

use crate::support::throttle::Throttle;
use crate::support::{Loop, Mount, fathom, machine, must, only_run, sh};
use crate::zram::Zram;
use serde_json::Value;
use std::fs::OpenOptions;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What `fathom run` left behind of a job.
struct Ran {
    /// `run.json`.
    record: Value,
    /// The result in fio's JSON.
    result: Value,
}

/// Runs one job, `[j]` with these options, on `target`.
fn run(options: &str, target: &str, more: &[&str]) -> Ran {
    run_with(&[], options, target, more)
}

/// The same with words before the command: `["taskset", "-c", "0"]`.
fn run_with(before: &[&str], options: &str, target: &str, more: &[&str]) -> Ran {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("j.fio"), format!("[j]\n{}\n", options.replace(' ', "\n"))).unwrap();
    let words = ["run", "-q", "j.fio", "--output-format", "json", "--target", target];
    let plain = fathom(dir.path());
    let mut command = match before {
        [] => plain,
        [first, rest @ ..] => {
            let mut command = Command::new(first);
            command.args(rest).arg(plain.get_program()).current_dir(dir.path()).env("NO_COLOR", "1");
            command
        }
    };
    let said = must(command.args(words).args(more));
    let record = std::fs::read_to_string(only_run(dir.path()).join("run.json")).unwrap();
    Ran { record: serde_json::from_str(&record).unwrap(), result: crate::support::json(&said) }
}

impl Ran {
    fn taint(&self, code: &str) -> Option<String> {
        let findings = self.record["findings"].as_array().unwrap();
        let found = findings.iter().find(|finding| finding["code"] == code)?;
        let finding: fathom_results::Finding = serde_json::from_value(found.clone()).unwrap();
        let words = fathom_words::of_finding(&finding);
        Some(format!("{}: {}", words.claim.whole(), words.evidence_of(&finding)))
    }

    fn must_taint(&self, code: &str) -> String {
        self.taint(code).unwrap_or_else(|| panic!("no {code} in {:#}", self.record["findings"]))
    }

    /// Outcome and evidence of a check.
    fn check(&self, name: &str) -> (&str, String) {
        let checks = self.record["self_knowledge"]["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["name"] == name).expect("every run is checked");
        let known: fathom_results::SelfCheck = serde_json::from_value(check.clone()).unwrap();
        (check["outcome"].as_str().unwrap(), fathom_words::check(&known.evidence))
    }

    /// The value of the fact whose name has this end.
    fn fact(&self, end: &str) -> Option<&str> {
        let facts = self.record["host"].as_array().unwrap();
        facts.iter().find(|fact| fact["name"].as_str().unwrap().ends_with(end))?["value"].as_str()
    }

    fn calibrations(&self) -> &[Value] {
        self.record["self_knowledge"]["calibrations"].as_array().unwrap()
    }

    /// CPU seconds of kernel threads of this kind.
    fn kernel_seconds(&self, kind: &str) -> f64 {
        let all = self.record["self_knowledge"]["kernel_workers"].as_array().unwrap();
        let of_kind = all.iter().filter(|threads| threads["kind"] == kind);
        of_kind.map(|threads| threads["cpu_ns"].as_f64().unwrap() / 1e9).sum()
    }

    /// I/Os and bytes read by fathom's count; requests, merges and bytes by the
    /// kernel's.
    fn reads(&self) -> ([u64; 2], [u64; 3]) {
        let read = &self.result["jobs"][0]["read"];
        let disk = &self.record["disks"][0];
        let number = |value: &Value| value.as_u64().unwrap();
        let ours = [number(&read["total_ios"]), number(&read["io_bytes"])];
        (ours, [number(&disk["ios"][0]), number(&disk["merges"][0]), number(&disk["sectors"][0]) * 512])
    }

    /// Both counts of the reads agree within a thousandth.
    fn assert_counts_agree(&self) {
        let ([ios, moved], [requests, merged, sectors]) = self.reads();
        let near = |a: u64, b: u64| (a as f64 / b as f64 - 1.0).abs() < 0.001;
        assert!(near(requests + merged, ios), "{requests} requests, {merged} merged, {ios} I/Os");
        assert!(near(sectors, moved), "{sectors} bytes by the kernel, {moved} by fathom");
        let (outcome, evidence) = self.check("kernel-counts");
        assert_eq!(outcome, "holds", "{evidence}");
    }
}

const TIMED: &str = "norandommap time_based runtime=3s rw=randread";

#[test]
fn counts_of_a_loop_device_agree_and_the_law_holds() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    let options = format!("ioengine=libaio iodepth=4 direct=1 bs=4k {TIMED}");
    let ran = run(&options, &disk.device, &[]);
    ran.assert_counts_agree();
    let ([ios, moved], _) = ran.reads();
    assert_eq!(moved, ios * 4096, "bytes are I/Os × size");
    let (outcome, law) = ran.check("littles-law");
    assert_eq!(outcome, "holds", "{law}");
    let read = &ran.result["jobs"][0]["read"];
    let in_flight = read["iops"].as_f64().unwrap() * read["lat_ns"]["mean"].as_f64().unwrap() / 1e9;
    assert!((3.6..=4.1).contains(&in_flight), "{in_flight}");
    assert!(ran.taint("foreign-io").is_none());
    assert_eq!(ran.check("clock-resolution").0, "holds");
}

#[test]
fn requests_that_are_split_or_merged_are_explained() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    let name = disk.device.trim_start_matches("/dev/");
    // A loop device keeps the settings of its last use.
    for (setting, value) in [("max_sectors_kb", "128"), ("nomerges", "0")] {
        std::fs::write(format!("/sys/block/{name}/queue/{setting}"), value).unwrap();
    }
    let split = run(&format!("ioengine=psync direct=1 bs=1m {TIMED}"), &disk.device, &[]);
    let (outcome, evidence) = split.check("kernel-counts");
    assert!(outcome == "holds" && evidence.contains("each I/O was split into 8.0 requests"), "{evidence}");
    let options = format!("ioengine=libaio iodepth=16 iodepth_batch=16 direct=1 bs=4k {TIMED}");
    let merged = run(&options.replace("randread", "read"), &disk.device, &[]);
    let (outcome, evidence) = merged.check("kernel-counts");
    assert!(outcome == "holds" && evidence.contains("merged into others on the way"), "{evidence}");
    merged.assert_counts_agree();
}

#[test]
fn a_foreign_writer_taints_the_run() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    let options = format!("ioengine=libaio iodepth=4 direct=1 bs=4k {TIMED}");
    let is_over = AtomicBool::new(false);
    let ran = std::thread::scope(|scope| {
        scope.spawn(|| write_until(&disk.device, &is_over));
        let ran = run(&options, &disk.device, &[]);
        is_over.store(true, Ordering::Relaxed);
        ran
    });
    let said = ran.must_taint("foreign-io");
    assert!(said.starts_with("other programs used the disk during the run: others wrote "), "{said}");
    assert_eq!(ran.check("kernel-counts").0, "broken");
}

/// The job with these options on a file, while another program reads the disk below it.
fn run_beside_a_reader(device: &str, options: &str, file: &str) -> Ran {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| read_until(device, &is_over));
        let ran = run(options, file, &[]);
        is_over.store(true, Ordering::Relaxed);
        ran
    })
}

/// Reads of another program, not through the page cache.
fn read_until(device: &str, is_over: &AtomicBool) {
    const MIB: usize = 1 << 20;
    let mut buffer = vec![0_u8; MIB + 4096];
    let from = buffer.as_ptr().align_offset(4096);
    let disk = OpenOptions::new().read(true).custom_flags(libc::O_DIRECT).open(device).unwrap();
    while !is_over.load(Ordering::Relaxed) {
        disk.read_exact_at(&mut buffer[from..][..MIB], 8 << 20).unwrap();
    }
}

#[test]
fn others_who_read_the_disk_hide_neither_holes_nor_the_page_cache() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 128);
    sh("mkfs.ext4", &format!("-q {}", disk.device));
    let mount = Mount::on(&disk.device, &dir.path().join("mnt"));
    let path = mount.path.join("f");
    // 24 of 64 MiB are written, and the rest is reserved: 62 % of the reads need no disk.
    sh("fallocate", &format!("-l 64M {}", path.display()));
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all_at(&vec![7_u8; 24 << 20], 0).unwrap();
    file.sync_all().unwrap();
    let holes = format!("ioengine=psync direct=1 bs=4k rate_iops=2000 {TIMED}");
    let ran = run_beside_a_reader(&disk.device, &holes, path.to_str().unwrap());
    let ([_, ours], [.., seen]) = ran.reads();
    assert!(seen > ours, "the others read more than the holes hold: {seen} of {ours} bytes");
    let own = ran.record["process_io"]["read_bytes"].as_f64().unwrap() / ours as f64;
    assert!((0.3..0.45).contains(&own), "24 of 64 are 0.375, and here {own}");
    ran.must_taint("unwritten-range");
    assert!(ran.must_taint("foreign-io").contains("others read"));
    let cached = format!("ioengine=psync pre_read=1 bs=4k rate_iops=2000 {TIMED}");
    let ran = run_beside_a_reader(&disk.device, &cached, path.to_str().unwrap());
    let ([_, ours], [.., seen]) = ran.reads();
    assert!(seen > ours, "the count of the disk alone says that it read all: {seen} of {ours} bytes");
    ran.must_taint("page-cache");
    assert!(ran.must_taint("foreign-io").contains("others read"));
}

#[test]
fn a_sync_is_a_flush_and_splits_no_write() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    for (options, flushes) in [("fsync=1", true), ("sync=1", true), ("fsync=0", false)] {
        let options = format!("ioengine=psync direct=1 bs=4k number_ios=2000 rw=randwrite {options}");
        let ran = run(&options, &disk.device, &["--destroy", &disk.consent()]);
        let (outcome, evidence) = ran.check("kernel-counts");
        assert_eq!(outcome, "holds", "{evidence}");
        assert!(!evidence.contains("split"), "{evidence}");
        assert_eq!(evidence.contains("of the writes flush the disk's cache"), flushes, "{evidence}");
    }
}

#[test]
fn a_limit_of_the_control_group_is_the_limit_of_the_run() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    let group = Throttle::read_iops(&disk.device, 200);
    let within = group.within();
    let within: Vec<&str> = within.iter().map(String::as_str).collect();
    let options = format!("ioengine=libaio iodepth=4 direct=1 bs=4k {TIMED}");
    let ran = run_with(&within, &options, &disk.device, &[]);
    assert_eq!(ran.fact("group_read_iops_max"), Some("200"));
    let limit = &ran.record["answer"]["limit"]["jobs"][0];
    assert_eq!((&limit["limit"], &limit["most"]), (&"control_group".into(), &200.into()), "{limit}");
}

/// Writes of another program: not through the page cache, with pauses.
fn write_until(device: &str, is_over: &AtomicBool) {
    const MIB: usize = 1 << 20;
    let buffer = vec![0x5a_u8; MIB + 4096];
    let block = &buffer[buffer.as_ptr().align_offset(4096)..][..MIB];
    let disk = OpenOptions::new().write(true).custom_flags(libc::O_DIRECT).open(device).unwrap();
    while !is_over.load(Ordering::Relaxed) {
        disk.write_all_at(block, 8 << 20).unwrap();
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_cached_file_is_called_cached_and_a_copy() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f");
    std::fs::write(&file, vec![1u8; 32 << 20]).unwrap();
    let path = file.to_str().unwrap();
    let ran = run(&format!("ioengine=psync pre_read=1 bs=4k {TIMED}"), path, &[]);
    ran.must_taint("page-cache");
    let copy = ran.must_taint("completes-inline");
    assert!(copy.starts_with("I/O completes inline: latency is CPU copy time"), "{copy}");
    assert_eq!(ran.fact("probe.buffered.completes_inline"), Some("true"));
    assert_eq!(ran.check("kernel-counts").0, "unknown", "the cache is between");
}

#[test]
fn io_handed_to_kernel_threads_is_told_with_its_cost() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f");
    std::fs::write(&file, vec![1u8; 32 << 20]).unwrap();
    let path = file.to_str().unwrap();
    let options = format!("ioengine=io_uring iodepth=8 pre_read=1 bs=4k {TIMED}");
    let punted = run(&format!("{options} force_async=1"), path, &[]);
    let said = punted.must_taint("kernel-workers");
    assert!(said.starts_with("kernel worker path measured") && said.contains("io-wq thread"), "{said}");
    assert!(punted.kernel_seconds("io-wq") > 0.2, "{}", punted.record["self_knowledge"]);
    let inline = run(&options, path, &[]);
    assert!(inline.taint("kernel-workers").is_none());
    assert!(inline.kernel_seconds("io-wq") < 0.05, "{}", inline.record["self_knowledge"]);
    let polled = run(&format!("{options} sqthread_poll=1"), path, &[]);
    assert!(polled.must_taint("kernel-workers").contains("1 SQPOLL thread"));
    assert!(polled.kernel_seconds("sqpoll") > 0.2, "{}", polled.record["self_knowledge"]);
}

#[test]
fn a_starved_generator_is_called_generator_limited() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    let on_one_cpu = ["taskset", "-c", "0"];
    let _hog = Hog::beside(&on_one_cpu);
    let options = format!("ioengine=libaio iodepth=32 direct=1 bs=4k {TIMED}");
    let ran = run_with(&on_one_cpu, &options, &disk.device, &[]);
    let said = ran.must_taint("generator-limited");
    assert!(said.contains("of the time fathom waited for a CPU"), "{said}");
}

/// A process that only uses CPU time.
struct Hog(Child);

impl Hog {
    fn beside(before: &[&str]) -> Hog {
        let spin =
            Command::new(before[0]).args(&before[1..]).args(["sh", "-c", "while :; do :; done"]).spawn();
        Hog(spin.expect("a shell can spin"))
    }
}

impl Drop for Hog {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_generators_ceiling_stands_in_the_result() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f");
    std::fs::write(&file, vec![1u8; 4 << 20]).unwrap();
    let path = file.to_str().unwrap();
    let options = format!("ioengine=io_uring iodepth=8 pre_read=1 bs=4k {TIMED}");
    let ran = run(&options, path, &[]);
    let engines: Vec<&str> = ran.calibrations().iter().map(|one| one["engine"].as_str().unwrap()).collect();
    assert_eq!(engines, ["null", "nop"]);
    let iops = |one: &Value| one["ios"].as_f64().unwrap() * 1e9 / one["time_ns"].as_f64().unwrap();
    let [null, nop] = [0, 1].map(|at| iops(&ran.calibrations()[at]));
    let achieved = ran.result["jobs"][0]["read"]["iops"].as_f64().unwrap();
    assert!(achieved < nop && nop < null, "{achieved} {nop} {null}");
    let least = ran.calibrations()[0]["latency_ns_min"].as_u64().unwrap();
    assert!((1..5_000).contains(&least), "{least}");
    assert_eq!(ran.check("generator-ceiling").0, "holds");
    assert!(run(&options, path, &["--no-calibrate"]).calibrations().is_empty());
    assert!(run(&options, path, &["--set", "runtime=1s"]).calibrations().is_empty(), "a trial");
}

#[test]
fn the_null_engine_is_its_own_ceiling() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let job = "[j]\nioengine=null\nsize=1g\nrw=randread\nnorandommap\ntime_based\nruntime=2s\n";
    std::fs::write(dir.path().join("j.fio"), job).unwrap();
    must(fathom(dir.path()).args(["run", "-q", "j.fio"]));
    let record = std::fs::read_to_string(only_run(dir.path()).join("run.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["self_knowledge"]["calibrations"], Value::Array(Vec::new()));
}

/// The kernel counts zram's I/O whatever the switch says.
#[test]
fn zram_counts_agree_whatever_its_switch_says() {
    let _machine = machine();
    let zram = Zram::filled(64);
    let options = format!("ioengine=libaio iodepth=4 direct=1 bs=4k {TIMED}");
    for counts in [false, true] {
        zram.count_io(counts);
        run(&options, "/dev/zram0", &[]).assert_counts_agree();
    }
}

#[test]
fn zram_answers_inline_and_io_uring_hands_it_over() {
    let _machine = machine();
    let _zram = Zram::filled(64);
    let inline = run(&format!("ioengine=libaio iodepth=4 direct=1 bs=4k {TIMED}"), "/dev/zram0", &[]);
    inline.must_taint("memory-backed");
    inline.must_taint("completes-inline");
    let punted = run(&format!("ioengine=io_uring iodepth=8 direct=1 bs=4k {TIMED}"), "/dev/zram0", &[]);
    assert_eq!(punted.fact("probe.direct.nowait"), Some("punts"));
    assert_eq!(punted.fact("zram0.io_poll"), Some("false"));
    let said = punted.must_taint("kernel-workers");
    assert!(said.ends_with("the target takes no RWF_NOWAIT"), "{said}");
}

/// docs/measurement.md says what fathom itself reads of a device: both ends,
/// the places of spare superblocks, and five blocks.
#[test]
fn little_is_read_beside_the_job() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 256);
    let stat = format!("/sys/block/{}/stat", disk.device.trim_start_matches("/dev/"));
    let sectors_read = || -> u64 {
        let text = std::fs::read_to_string(&stat).unwrap();
        text.split_whitespace().nth(2).unwrap().parse().unwrap()
    };
    let before = sectors_read();
    let ran = run("rw=randread direct=1 bs=4k number_ios=1000", &disk.device, &["--no-calibrate"]);
    let measured = ran.record["disks"][0]["sectors"][0].as_u64().unwrap();
    let beside_bytes = (sectors_read() - before - measured) * 512;
    assert!(beside_bytes < 6 << 20, "{beside_bytes} bytes beside the job");
}
