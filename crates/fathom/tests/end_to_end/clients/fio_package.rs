//! The programs of Debian's package fio that read logs and json+, and the one that writes job files.

use super::{Tool, assert_near, number, pair, tools};
use serde_json::Value;

/// Two clones that log windows of 100 ms and histograms, with 2000 I/Os per second in each direction.
const LOGGED: &str = "[global]\nioengine=null\nrw=randrw\nbs=4k\nsize=1g\ntime_based\nruntime=600ms\nrate_iops=2000\n\
                      write_bw_log=l\nwrite_iops_log=l\nwrite_lat_log=l\nwrite_hist_log=l\nlog_avg_msec=100\nlog_hist_msec=100\n\
                      [a]\n[b]\n";

fn logged(tool: &Tool) -> Vec<Value> {
    tool.write("j.fio", LOGGED);
    tool.must(&["fio", "--output-format=json+", "--output=o.json", "j.fio"]);
    tool.jobs("o.json")
}

/// A program that Debian keeps compressed with the documentation of fio.
fn documented(tool: &Tool, name: &str) {
    tool.must(&["sh", "-c", &format!("gzip -dc /usr/share/doc/fio/{name}.gz > {name}")]);
}

/// The mean of the values of all directions.
fn mean(jobs: &[Value], key: &str) -> f64 {
    let of = |job| (number(job, &format!("/read/{key}")) + number(job, &format!("/write/{key}"))) / 2.0;
    jobs.iter().map(of).sum::<f64>() / jobs.len() as f64
}

/// fio2gnuplot makes the same charts, and the figures that it draws are those of the result.
#[test]
fn fio2gnuplot_draws_the_rates_of_the_result() {
    let scratch = tempfile::tempdir_in("/dev/shm").unwrap();
    let files = tools(scratch.path()).map(|tool| {
        let jobs = logged(&tool);
        for (what, key) in [("-b", "bw"), ("-i", "iops")] {
            let dir = format!("plots{what}");
            tool.must(&["fio2gnuplot", what, "-g", "-k", "-d", &dir]);
            let global = tool.read(&format!("{dir}/result.global"));
            assert_near(key, pair(&global, "avg"), mean(&jobs, key), 0.1);
            assert_eq!(pair(&global, "disks_count"), 2.0);
        }
        let charts = tool.files(".", ".png");
        for chart in &charts {
            assert!(std::fs::metadata(tool.dir.join(chart)).unwrap().len() > 1000, "{}: {chart}", tool.name);
        }
        // Every window of fathom is there; the last one of fio is not.
        let windows = pair(&tool.read("plots-b/result.global"), "values_count");
        assert!(windows == if tool.name == "fathom" { 24.0 } else { windows.min(24.0) }, "{windows}");
        charts
    });
    assert_eq!(files[0], files[1]);
    assert_eq!(files[0].len(), 2 * 15);
}

/// fio_generate_plots draws its five charts, also that of the submission, which has no values with an engine that does one I/O at a
/// time: the log is there, and it is empty.
#[test]
fn fio_generate_plots_draws_its_five_charts() {
    let scratch = tempfile::tempdir_in("/dev/shm").unwrap();
    let [theirs, ours] = tools(scratch.path()).map(|tool| {
        let job = "--name=j --ioengine=psync --rw=read --bs=4k --size=256k --filename=f";
        let logs = "--write_bw_log=q-1-1-8 --write_iops_log=q-1-1-8 --write_lat_log=q-1-1-8 --log_avg_msec=0";
        let words: Vec<&str> = ["fio"].into_iter().chain(job.split(' ')).chain(logs.split(' ')).collect();
        tool.must(&words);
        let logs: Vec<(String, usize)> = tool
            .files(".", ".log")
            .into_iter()
            .map(|name| {
                let lines = tool.read(&name).lines().count();
                (name, lines)
            })
            .collect();
        tool.must(&["fio_generate_plots", "title"]);
        let charts = tool.files(".", ".svg");
        let drawn = |chart: &&String| tool.read(chart).contains("Queue depth 8");
        (logs, charts.iter().filter(drawn).count(), charts)
    });
    assert_eq!(ours, theirs);
    assert_eq!(ours.2.len(), 5);
    assert_eq!(ours.0.iter().map(|(_, lines)| lines).sum::<usize>(), 4 * 64, "{:?}", ours.0);
}

/// The bins of json+ become tables, which the program compares with the document, and each of which ends with the number of I/Os.
#[test]
fn fio_jsonplus_clat2csv_has_every_io() {
    let scratch = tempfile::tempdir_in("/dev/shm").unwrap();
    let headers = tools(scratch.path()).map(|tool| {
        let jobs = logged(&tool);
        tool.must(&["fio_jsonplus_clat2csv", "o.json", "o.csv"]);
        let validated = tool.must(&["fio_jsonplus_clat2csv", "o.json", "o.csv", "--validate"]);
        assert_eq!(validated.matches("validated").count(), 2, "{validated}");
        for (n, job) in jobs.iter().enumerate() {
            let table = tool.read(&format!("o_job{n}.csv"));
            let header: Vec<&str> = table.lines().next().unwrap().split(", ").collect();
            for direction in ["read", "write"] {
                let column = format!("{direction}_clat_ns_cumulative");
                let column = header.iter().position(|name| *name == column).unwrap();
                let cells =
                    table.lines().skip(1).filter_map(|line| line.split(", ").nth(column)?.parse().ok());
                let ios = number(job, &format!("/{direction}/total_ios"));
                assert_eq!(cells.reduce(f64::max), Some(ios), "{} {direction}", tool.name);
            }
        }
        tool.read("o_job0.csv").lines().next().unwrap().to_owned()
    });
    assert_eq!(headers[0], headers[1]);
}

/// What the three programs for logs of histograms read of a log is the number of I/Os. `fiologparser.py` of fio 3.33 reads four columns,
/// and its own fio writes five: it is an error with both.
#[test]
fn parsers_of_logs_have_every_io() {
    let scratch = tempfile::tempdir_in("/dev/shm").unwrap();
    for tool in tools(scratch.path()) {
        let jobs = logged(&tool);
        for name in ["fiologparser.py", "fiologparser_hist.py", "fio-histo-log-pctiles.py"] {
            documented(&tool, name);
        }
        let log = tool.read("l_clat_hist.1.log");
        let counts = |line: &str| line.split(", ").skip(3).map(|n| n.parse::<f64>().unwrap()).sum::<f64>();
        let logged: f64 = log.lines().map(counts).sum();
        let ios = number(&jobs[0], "/read/total_ios") + number(&jobs[0], "/write/total_ios");
        // fio loses the last window.
        assert!(logged == if tool.name == "fathom" { ios } else { logged.min(ios) }, "{logged} of {ios}");
        let table = tool.must(&["python3", "fiologparser_hist.py", "l_clat_hist.1.log"]);
        let last = table.lines().last().unwrap();
        assert_eq!(last.split(", ").nth(1).unwrap().parse::<f64>().unwrap(), logged, "{table}");
        let words = ["--bucket-groups", "29", "--time-quantum", "1", "l_clat_hist.1.log"];
        let table = tool.must(&[&["python3", "fio-histo-log-pctiles.py"], &words[..]].concat());
        let last = table.lines().rfind(|line| line.contains(',')).unwrap();
        assert_eq!(last.split(',').nth(1).unwrap().trim().parse::<f64>().unwrap(), logged, "{table}");
        let half = tool.must(&["python3", "/usr/share/doc/fio/half-bins.py", "-c", "2", "l_clat_hist.1.log"]);
        assert_eq!(half.lines().map(counts).sum::<f64>(), logged);
        assert!(half.lines().all(|line| line.split(", ").count() == 3 + 1856 / 4), "{half}");

        assert!(!tool.run(&["python3", "fiologparser.py", "l_bw.1.log"]).status.success());
        tool.must(&["sh", "-c", "cut -d, -f1-4 l_bw.1.log > four.log"]);
        let read: f64 = tool.must(&["python3", "fiologparser.py", "four.log"]).trim().parse().unwrap();
        assert_near(tool.name, read, mean(&jobs[..1], "bw"), 0.15);
    }
}

/// Names of the jobs that genfio wrote, their groups and their I/Os.
type Work = Vec<(String, u64, u64, u64)>;

fn work(tool: &Tool, document: &str) -> Work {
    let count = |job: &Value, pointer| job.pointer(pointer).and_then(Value::as_u64).unwrap();
    let job = |job: &Value| {
        let name = job["jobname"].as_str().unwrap().to_owned();
        (name, count(job, "/groupid"), count(job, "/read/total_ios"), count(job, "/write/total_ios"))
    };
    tool.jobs(document).iter().map(job).collect()
}

/// Job files of genfio do the same work: one file after another, then all at once, in the order of the file.
#[test]
fn genfio_s_job_files_run() {
    let scratch = tempfile::tempdir_in("/dev/shm").unwrap();
    let [theirs, ours] = tools(scratch.path()).map(|tool| {
        for name in ["d1", "d2"] {
            std::fs::write(tool.dir.join(name), vec![7; 1 << 20]).unwrap();
        }
        let words = "genfio -d d1,d2 -z 1m -r 0 -a -c -x pre/ -b 4k,64k -m write,randread";
        tool.must(&words.split(' ').collect::<Vec<_>>());
        let [file] = &tool.files("pre", ".fio")[..] else { panic!("one job file") };
        let file = format!("pre/{file}");
        let jobs = tool.must(&["fio", "--showcmd", &file]).matches("--name=").count();
        // Its ramp of five seconds is before each of twelve groups.
        tool.write("without-ramp.fio", &tool.read(&file).replace("ramp_time=5\n", ""));
        tool.must(&["fio", "--output-format=json", "--output=o.json", "without-ramp.fio"]);
        let lines = |name: String| (tool.read(&name).lines().count(), name);
        let logs: Vec<_> = tool.files(".", ".log").into_iter().map(lines).collect();
        (work(&tool, "o.json"), logs, jobs)
    });
    assert_eq!(ours, theirs);
    assert_eq!((ours.0.len(), ours.2), (16, 16));
    assert_eq!(ours.0.iter().map(|job| job.2 + job.3).sum::<u64>(), 8 * (256 + 16));
}
