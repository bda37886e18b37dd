//! What is sampled beside a run, compared with what sysstat's programs print at the same time.
//!
//! They need root, loop devices, tracefs and sysstat. The programs and fathom run in a mount namespace of their own, in which
//! `/proc/stat` and `/proc/uptime` are files of the test. These change once, in the middle. So all of them see the
//! same change, whenever each of them reads, and however busy the machine is.

use crate::support::{Loop, fathom, machine, must, text};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Seconds for which the programs look, and by which the false clock goes on.
const LOOK_SECONDS: u64 = 9;

/// fathom reaches the middle of its window, even on a busy machine.
const CHANGE_AFTER: Duration = Duration::from_millis(3_500);

/// Busy machines get another attempt: fathom must end before the programs do.
const ATTEMPTS: usize = 3;

/// Ticks that each CPU gets: user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice.
const TICKS: [[u64; 10]; 2] = [[217, 31, 104, 310, 53, 3, 41, 11, 7, 2], [90, 0, 333, 600, 0, 0, 9, 0, 0, 0]];

/// A command in a mount namespace in which these files of `/proc` are those of the test.
fn with_files(dir: &Path, words: &[&str]) -> Command {
    let script =
        "mount --bind \"$0/stat\" /proc/stat && mount --bind \"$0/uptime\" /proc/uptime && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script]).arg(dir).args(words).current_dir(dir);
    command.env("LC_ALL", "C").env("NO_COLOR", "1").stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Writes into the same inode, which is mounted.
fn write_files(dir: &Path, stat: &str, uptime_seconds: u64) {
    std::fs::write(dir.join("stat"), stat).unwrap();
    std::fs::write(dir.join("uptime"), format!("{uptime_seconds}.00 {uptime_seconds}.00\n")).unwrap();
}

/// `/proc/stat` after the change: each CPU has these ticks more.
fn changed(stat: &str) -> String {
    let is_cpu = |line: &str| line.starts_with("cpu") && !line.starts_with("cpu ");
    let cpus = stat.lines().filter(|line| is_cpu(line)).count();
    let sum = (0..cpus).map(|at| TICKS[at % 2]).reduce(|a, b| std::array::from_fn(|use_| a[use_] + b[use_]));
    let mut grown = String::new();
    let mut cpu = 0;
    for line in stat.lines() {
        grown += &match line {
            line if is_cpu(line) => {
                cpu += 1;
                with_ticks(line, TICKS[(cpu - 1) % 2])
            }
            line if line.starts_with("cpu ") => with_ticks(line, sum.unwrap()),
            line => line.to_owned(),
        };
        grown.push('\n');
    }
    grown
}

fn with_ticks(line: &str, ticks: [u64; 10]) -> String {
    let (name, rest) = line.split_once(' ').unwrap();
    let counts = rest.split_whitespace().map(|word| word.parse::<u64>().unwrap());
    let grown: Vec<String> = counts.zip(ticks).map(|(count, more)| (count + more).to_string()).collect();
    // The kernel writes two blanks after the name of the sum, and programs count on it.
    let blanks = if name == "cpu" { "  " } else { " " };
    format!("{name}{blanks}{}", grown.join(" "))
}

/// The numbers of the line that begins with these words.
fn numbers(printed: &str, words: &[&str]) -> Vec<f64> {
    let mut lines = printed.lines().filter_map(|line| {
        let mut parts = line.split_whitespace();
        words.iter().all(|word| parts.next() == Some(word)).then_some(parts)
    });
    let parts = lines.next_back().unwrap_or_else(|| panic!("no line {words:?} in\n{printed}"));
    parts.map(|part| part.parse().unwrap()).collect()
}

fn columns<'a>(printed: &'a str, first: &str) -> Vec<&'a str> {
    let head = printed.lines().find(|line| line.split_whitespace().any(|word| word == first));
    let head = head.unwrap_or_else(|| panic!("no column {first} in\n{printed}"));
    head.split_whitespace().skip_while(|word| *word != first).collect()
}

/// Equal within 1 %, or within what two printed digits can show.
fn agree(ours: &[f64], theirs: &[f64], what: &str) {
    assert_eq!(ours.len(), theirs.len(), "{what}: {ours:?} {theirs:?}");
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert!((ours - theirs).abs() <= (theirs * 0.01).max(0.0201), "{what}: ours {ours}, theirs {theirs}");
    }
}

fn finish(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// What the three programs printed while fathom ran; `None` if it ended after them.
fn look(dir: &Path, device: &Loop) -> Option<[String; 4]> {
    let stat = std::fs::read_to_string("/proc/stat").unwrap();
    write_files(dir, &stat, 1_000);
    let look = LOOK_SECONDS.to_string();
    let name = device.device.trim_start_matches("/dev/");
    let others = [
        vec!["iostat", "-x", "-y", name, &look, "1"],
        vec!["mpstat", "-P", "ALL", &look, "1"],
        vec!["sar", "-u", "ALL", &look, "1"],
        vec!["sar", "-d", &look, "1"],
    ];
    let others = others.map(|words| with_files(dir, &words).spawn().unwrap());
    let begun = Instant::now();
    sleep(Duration::from_millis(300));
    let job = "[j]\nrw=randread\nbs=4k\nioengine=psync\ndirect=1\nrate_iops=3000\ntime_based\nruntime=5\n";
    std::fs::write(dir.join("j.fio"), job).unwrap();
    let binary = env!("CARGO_BIN_EXE_fathom");
    let run = with_files(dir, &[binary, "run", "-q", "j.fio", "--target", &device.device]).spawn().unwrap();
    sleep(CHANGE_AFTER.saturating_sub(begun.elapsed()));
    write_files(dir, &changed(&stat), 1_000 + LOOK_SECONDS);
    let ran = run.wait_with_output().unwrap();
    assert!(ran.status.success(), "{}", text(&ran));
    let is_late = begun.elapsed() >= Duration::from_secs(LOOK_SECONDS);
    let printed = others.map(finish);
    (!is_late).then_some(printed)
}

fn printed(dir: &Path, words: &[&str]) -> String {
    must(fathom(dir).arg("report").args(words))
}

#[test]
fn samples_agree_with_iostat_mpstat_and_sar() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let device = Loop::blank(dir.path(), 64);
    let looked = (0..ATTEMPTS).find_map(|_| {
        let _ = std::fs::remove_dir_all(dir.path().join("fathom-runs"));
        look(dir.path(), &device)
    });
    let [iostat, mpstat, sar, sar_disks] = looked.expect("fathom ended before the programs");
    let name = device.device.trim_start_matches("/dev/");

    let ours = printed(dir.path(), &["--as", "mpstat"]);
    assert_eq!(columns(&ours, "CPU"), columns(&mpstat, "CPU"));
    for cpu in ["all", "0", "1"] {
        let words = ["Average:", cpu];
        agree(&numbers(&ours, &words), &numbers(&mpstat, &words), cpu);
    }
    let ours = printed(dir.path(), &["--as", "sar"]);
    assert_eq!(columns(&ours, "CPU"), columns(&sar, "CPU"));
    agree(&numbers(&ours, &["Average:", "all"]), &numbers(&sar, &["Average:", "all"]), "sar -u ALL");
    assert_eq!(columns(&ours, "DEV"), columns(&sar_disks, "DEV"));

    let ours = printed(dir.path(), &["--as", "iostat"]);
    assert_eq!(columns(&ours, "Device"), columns(&iostat, "Device"));
    let shares = |printed: &str| {
        let line = printed.lines().skip_while(|line| !line.starts_with("avg-cpu")).nth(1).unwrap();
        line.split_whitespace().map(|word| word.parse().unwrap()).collect::<Vec<f64>>()
    };
    agree(&shares(&ours), &shares(&iostat), "avg-cpu");
    // All I/O was inside the span of both, so the requests agree. fathom also looks at what the device holds, by a
    // few larger requests before and after the window, which only iostat sees.
    let (our_disk, their_disk) = (numbers(&ours, &[name]), numbers(&iostat, &[name]));
    agree(&[our_disk[0] * 5.0], &[their_disk[0] * LOOK_SECONDS as f64], "r/s");
    assert!((our_disk[5] - 4.0).abs() < 0.01 && their_disk[5] > 3.9, "KiB of a request");
    let sar_disk = numbers(&sar_disks, &["Average:", name]);
    agree(&[our_disk[0] * 5.0], &[sar_disk[0] * LOOK_SECONDS as f64], "tps of sar -d");
}

/// The share of one core that sampling takes is in what was saved, and each sample has its own time.
#[test]
fn a_run_says_what_sampling_cost_and_fio_has_no_samples() {
    let dir = tempfile::tempdir().unwrap();
    let job = "[j]\nrw=randread\nbs=4k\nioengine=null\nsize=1g\ntime_based\nruntime=3\n";
    std::fs::write(dir.path().join("j.fio"), job).unwrap();
    must(fathom(dir.path()).args(["run", "-q", "j.fio"]));
    let each = printed(dir.path(), &["--as", "mpstat", "--each"]);
    // A worker that begins late has a part of a second as its first sample.
    let samples = each.matches("CPU    %usr").count();
    assert!((3..=4).contains(&samples), "a sample for each second of the window:\n{each}");
    let run = fathom_results::load(&crate::support::only_run(dir.path())).unwrap();
    let samples = &run.samples;
    let share = samples.cost_ns() as f64 / samples.covered_ns() as f64;
    assert!(share > 0.0 && samples.covered_ns() >= 3_000_000_000, "{share}");
    let measured = run.jobs[0].outcome.as_ref().unwrap().measured_ns.unwrap();
    let late = |edge: u64| {
        let ends = samples.iter().map(|sample| sample.end_ns);
        ends.filter(|end| *end >= edge).min().map(|end| end - edge)
    };
    assert!(late(measured.0).is_some() && late(measured.1).is_some(), "readings at both edges");

    std::fs::remove_dir_all(dir.path().join("fathom-runs")).unwrap();
    must(fathom(dir.path()).args(["fio", "j.fio", "--runtime=1"]));
    let job = "[v]\nioengine=oracle\noracle_clock=virtual\nrw=read\nsize=1m\n";
    std::fs::write(dir.path().join("v.fio"), job).unwrap();
    must(fathom(dir.path()).args(["run", "-q", "v.fio"]));
    let output = fathom(dir.path()).args(["report", "--as", "free"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("nothing was sampled beside the run"), "{}", text(&output));
}

/// 64 MiB are read from the disk once and from the page cache once.
#[test]
fn misses_of_the_page_cache_are_pages_that_were_added() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("data");
    std::fs::write(&file, vec![7; 64 << 20]).unwrap();
    std::fs::File::open(&file).unwrap().sync_all().unwrap();
    let job = "[j]\nrw=read\nbs=64k\nioengine=psync\ninvalidate=1\nsize=64m\nio_size=128m\nrate=16m\n";
    std::fs::write(dir.path().join("j.fio"), format!("{job}filename={}\n", file.display())).unwrap();
    let script = "mount -t tracefs nodev /sys/kernel/tracing && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script, "sh", env!("CARGO_BIN_EXE_fathom"), "run", "-q", "j.fio"]);
    must(command.current_dir(dir.path()));
    let run = fathom_results::load(&crate::support::only_run(dir.path())).unwrap();
    let sampled = fathom_figures::Sampled::of(&run).unwrap();
    let cache = sampled.page_cache(&sampled.measured()).unwrap();
    let pages = f64::from(64 << 20) / 4096.0;
    let misses = cache.miss_pages.expect("root may count them");
    // Others on the machine may read too.
    assert!(misses >= pages * 0.99, "{misses} misses of {pages} pages");
    assert!((cache.read_pages - 2.0 * pages).abs() < pages * 0.01, "{} pages read", cache.read_pages);
    let hits = cache.hit_pages.expect("misses were counted");
    assert!(((cache.read_pages - misses).max(0.0)..=cache.read_pages).contains(&hits), "{hits} of {cache:?}");
    let printed = printed(dir.path(), &["--as", "cachestat"]);
    assert!(printed.starts_with("    HITS   MISSES  DIRTIES    RATIO"), "{printed}");
    assert!(!printed.contains('?') && printed.contains('%'), "{printed}");
}
