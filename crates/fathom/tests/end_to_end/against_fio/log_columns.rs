//! The columns of logs, and logs that are stored compressed, beside Debian's fio.

use crate::support::{fathom, text};
use std::path::Path;
use std::process::Command;

/// 300 reads and writes on null with latency logs, and these options.
fn job(options: &str) -> Vec<String> {
    let fixed = "--name=j --ioengine=null --rw=randrw --norandommap --bs=4k --size=1200k --write_lat_log=l --output=out";
    fixed.split(' ').chain(options.split(' ')).map(str::to_owned).collect()
}

fn run(tool: &mut Command, at: &Path, arguments: &[String]) -> String {
    let output = tool.current_dir(at).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// The columns behind the value that differ from line to line only by the I/O: direction, block size, and the others.
fn last_columns(log: &str) -> Vec<String> {
    let mut lines: Vec<String> =
        log.lines().map(|line| line.split(", ").skip(3).collect::<Vec<_>>().join(", ")).collect();
    lines.sort();
    lines
}

#[test]
fn the_priority_of_a_job_is_in_its_lines_as_in_fio() {
    let dir = tempfile::tempdir().unwrap();
    for (options, expected) in [
        ("--log_prio=1", "4096, 0x0000"),
        ("--prioclass=1 --prio=3 --log_prio=1", "4096, 0x2003"),
        ("--prioclass=1 --prio=3", "4096, 1"),
        ("--prio=3 --log_prio=1", "4096, 0x4003"),
        ("--prioclass=3", "4096, 0"),
    ] {
        for tool in [&mut Command::new("fio"), fathom(dir.path()).arg("fio")] {
            run(tool, dir.path(), &job(options));
            let log = std::fs::read_to_string(dir.path().join("l_clat.1.log")).unwrap();
            assert_eq!(last_columns(&log), vec![expected; 300], "{tool:?} {options}");
        }
    }
}

/// 1,024 reads, half of which have the priority of `cmdprio`: a binomial count has a standard deviation of 16.
#[test]
fn a_raised_priority_is_in_the_line_of_its_io() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("data"), vec![7; 4 << 20]).unwrap();
    let fixed = "--filename=data --rw=randread --bs=4k --iodepth=8 --write_lat_log=l --output=out \
                 --cmdprio_percentage=50 --cmdprio_class=2 --cmdprio=5 --log_prio=1";
    // fio knows the options of an engine behind its name only.
    let arguments = |engine: &str| -> Vec<String> {
        ["--name=j".to_owned(), format!("--ioengine={engine}")]
            .into_iter()
            .chain(fixed.split_whitespace().map(str::to_owned))
            .collect()
    };
    for engine in ["libaio", "io_uring"] {
        for tool in [&mut Command::new("fio"), fathom(dir.path()).arg("fio")] {
            run(tool, dir.path(), &arguments(engine));
            let log = std::fs::read_to_string(dir.path().join("l_clat.1.log")).unwrap();
            let raised = log.lines().filter(|line| line.ends_with(", 0x4005")).count();
            let others = log.lines().filter(|line| line.ends_with(", 0x0000")).count();
            assert_eq!(raised + others, 1024, "{tool:?}");
            assert!(raised.abs_diff(512) <= 5 * 16, "{raised} of 1,024 raised: {tool:?}");
        }
    }
}

/// fio makes the log of a rate that it does not measure, and writes nothing into it.
#[test]
fn a_rate_that_is_not_measured_has_an_empty_log() {
    let dir = tempfile::tempdir().unwrap();
    for (option, lines) in [("--disable_bw=1", [0, 300]), ("--gtod_reduce=1", [0, 0])] {
        for tool in [&mut Command::new("fio"), fathom(dir.path()).arg("fio")] {
            run(tool, dir.path(), &job(&format!("--write_bw_log=r --write_iops_log=r {option}")));
            let count = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap().lines().count();
            assert_eq!(["r_bw.1.log", "r_iops.1.log"].map(count), lines, "{tool:?} {option}");
        }
    }
}

/// Each program prints the lines of the other's compressed logs, and they are those that the logs have uncompressed.
#[test]
fn each_program_inflates_the_logs_of_the_other() {
    let dir = tempfile::tempdir().unwrap();
    // The pauses make windows: of a job that ends within the first there is no line, and fio reads no empty log.
    let averaged = "--log_avg_msec=1 --thinktime=50us";
    for options in ["--log_offset=1 --log_prio=1 --prioclass=1", averaged, "--randrepeat=1"] {
        for writes_fathom in [true, false] {
            let tool = |is_fathom: bool| match is_fathom {
                true => {
                    let mut tool = fathom(dir.path());
                    tool.arg("fio");
                    tool
                }
                false => Command::new("fio"),
            };
            let stored = format!("{options} --log_compression=4k --log_store_compressed=1");
            run(&mut tool(writes_fathom), dir.path(), &job(&stored));
            let inflate = ["--inflate-log=l_clat.1.log.fz".to_owned()];
            let [own, other] =
                [writes_fathom, !writes_fathom].map(|is| run(&mut tool(is), dir.path(), &inflate));
            assert_eq!(own, other, "{options}, written by fathom: {writes_fathom}");
            if options == averaged {
                continue;
            }
            run(&mut tool(writes_fathom), dir.path(), &job(options));
            let plain = std::fs::read_to_string(dir.path().join("l_clat.1.log")).unwrap();
            assert_eq!(last_columns(&own), last_columns(&plain), "{options}");
            assert_eq!(own.lines().count(), 300);
        }
    }
}

/// fio 3.33 does not have the option. An I/O is issued before it completes, and after the start.
#[test]
fn the_time_of_issue_is_the_last_column() {
    let dir = tempfile::tempdir().unwrap();
    run(fathom(dir.path()).arg("fio"), dir.path(), &job("--log_issue_time=1 --log_offset=1"));
    let log = std::fs::read_to_string(dir.path().join("l_clat.1.log")).unwrap();
    assert_eq!(log.lines().count(), 300);
    for line in log.lines() {
        let columns: Vec<u64> = line.split(", ").map(|column| column.parse().unwrap()).collect();
        let [ms, clat_ns, _, 4096, _, 0, issued_ns] = columns[..] else { panic!("{line}") };
        assert_eq!((issued_ns + clat_ns) / 1_000_000, ms, "{line}");
    }
}

/// Milliseconds of the clock since the machine started, before and after both programs have run.
#[test]
fn lines_have_the_time_of_the_clock_that_is_named() {
    let uptime_ms = || -> u64 {
        let uptime = std::fs::read_to_string("/proc/uptime").unwrap();
        (uptime.split(' ').next().unwrap().parse::<f64>().unwrap() * 1000.0) as u64
    };
    let dir = tempfile::tempdir().unwrap();
    for tool in [&mut Command::new("fio"), fathom(dir.path()).arg("fio")] {
        let from = uptime_ms();
        run(tool, dir.path(), &job("--log_alternate_epoch=1 --log_alternate_epoch_clock_id=7"));
        // The kernel prints hundredths of a second, cut off.
        let times = from..=uptime_ms() + 10;
        let log = std::fs::read_to_string(dir.path().join("l_clat.1.log")).unwrap();
        let first: u64 = log.split(',').next().unwrap().parse().unwrap();
        assert!(times.contains(&first), "{first} is not in {times:?}: {tool:?}");
    }
}
