//! `fathom import` reads what the real fio writes, and says the same as fio.

use crate::support::{fathom, must, text};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Two clones on null, with averaged logs of every kind and JSON.
fn fio(dir: &Path, more: &str) {
    let words = format!(
        "--name=jj --ioengine=null --iodepth=1 --size=100g --rw=randrw --bs=4k --runtime=2 --time_based --numjobs=2 \
         --write_bw_log=x --write_iops_log=x --write_lat_log=x --output-format=json --output=r.json {more}"
    );
    must(Command::new("fio").current_dir(dir).args(words.split_whitespace()));
}

fn imported(dir: &Path, arguments: &str) -> Value {
    let text =
        must(fathom(dir).arg("import").args(arguments.split_whitespace()).args(["--output-format", "json"]));
    serde_json::from_str(&text).expect("it is JSON")
}

/// The lines of a document with these values.
fn logs<'a>(document: &'a Value, wanted: &[(&str, &str)]) -> Vec<&'a Value> {
    let fits = |log: &&Value| wanted.iter().all(|(key, value)| log[*key] == *value);
    document["logs"].as_array().expect("a list").iter().filter(fits).collect()
}

fn is_within(told: f64, exact: f64, part: f64) -> bool {
    (told / exact - 1.0).abs() <= part
}

/// T-7, T-9, T-10, T-13: the logs of all clones are found, read, added up and agree with fio's own result.
#[test]
fn logs_of_fio_agree_with_its_own_result() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    fio(dir, "--log_avg_msec=100");
    let document = imported(dir, ".");
    let fio: Value = serde_json::from_str(&fs::read_to_string(dir.join("r.json")).unwrap()).unwrap();
    for (at, direction) in [(0, "read"), (0, "write"), (1, "read"), (1, "write")] {
        let own = &fio["jobs"][at][direction];
        let job = format!("x job {}", at + 1);
        for (kind, exact) in [("bw", own["bw_bytes"].as_f64()), ("iops", own["iops"].as_f64())] {
            let [log] = logs(&document, &[("job", &job), ("kind", kind), ("direction", direction)])[..]
            else {
                panic!("{job} {kind}: {document:#}");
            };
            // fio's windows drift.
            assert!((90..200).contains(&log["window_ms"].as_u64().unwrap()), "{log:#}");
            // The ends of the run are not in the logs.
            assert!(is_within(log["mean"].as_f64().unwrap(), exact.unwrap(), 0.15), "{log:#} {own:#}");
        }
    }
    let [sum] = logs(&document, &[("job", "x: sum of 2 jobs"), ("kind", "bw"), ("direction", "read")])[..]
    else {
        panic!("{document:#}");
    };
    let both: f64 = (0..2).map(|at| fio["jobs"][at]["read"]["bw_bytes"].as_f64().unwrap()).sum();
    assert!(is_within(sum["mean"].as_f64().unwrap(), both, 0.15), "{sum:#} {both}");
    let [mean] = logs(&document, &[("job", "x: mean of 2 jobs"), ("kind", "lat"), ("direction", "read")])[..]
    else {
        panic!("{document:#}");
    };
    assert_eq!(mean["basis"], "weighted by I/Os");
    let results = document["results"].as_array().unwrap();
    let iops =
        results.iter().find(|it| it["job"] == "jj #2" && it["name"] == "iops" && it["direction"] == "write");
    assert_eq!(iops.expect("the second of two jobs of one name")["value"], fio["jobs"][1]["write"]["iops"]);
    let half = imported(dir, "x_bw.1.log --from 1s");
    let whole = imported(dir, "x_bw.1.log");
    let lines = |document: &Value| document["logs"][0]["n"].as_u64().unwrap();
    assert!(lines(&half) < lines(&whole) && lines(&half) > 5, "{half:#}");
}

/// fio writes no histogram of the time after the last whole window: what is lacking in it is told.
#[test]
fn a_log_of_histograms_agrees_with_the_result() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    let words = "--name=h --ioengine=null --size=100g --rw=read --bs=4k --runtime=2500ms --time_based --rate_iops=2000 \
                 --write_hist_log=h --log_hist_msec=500 --output-format=json --output=r.json";
    must(Command::new("fio").current_dir(dir).args(words.split_whitespace()));
    let document = imported(dir, "h_clat_hist.1.log r.json");
    let fio: Value = serde_json::from_str(&fs::read_to_string(dir.join("r.json")).unwrap()).unwrap();
    let clat = &fio["jobs"][0]["read"]["clat_ns"];
    let [log] = logs(&document, &[("kind", "clat"), ("direction", "read")])[..] else {
        panic!("{document:#}")
    };
    let ios = fio["jobs"][0]["read"]["total_ios"].as_f64().unwrap();
    let n = log["n"].as_f64().unwrap();
    assert!(n > 0.0 && n <= ios, "{n} of {ios}");
    let median = clat["percentile"]["50.000000"].as_f64().unwrap();
    // The time that lacks may have been another one, but not by the factor of a wrong unit or bucket.
    assert!(is_within(log["p50"].as_f64().unwrap(), median, 0.5), "{log:#} {median}");
    assert_eq!(log["columns"], "time in ms, direction, block size, I/Os of each bucket");
}

/// Every I/O in one log of all clones: what fio counted is what is read.
#[test]
fn a_log_of_every_io_of_all_jobs_is_complete() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    let words = "--name=jj --ioengine=null --size=4m --rw=randrw --bs=4k --numjobs=2 --write_bw_log=y --write_lat_log=y \
                 --write_iops_log=y --per_job_logs=0 --log_offset=1 --output-format=json --output=r.json";
    must(Command::new("fio").current_dir(dir).args(words.split_whitespace()));
    let document = imported(dir, "y_lat.log y_iops.log");
    let ios: u64 = logs(&document, &[("kind", "lat")])
        .iter()
        .filter(|log| log["file"].is_string())
        .map(|log| log["n"].as_u64().unwrap())
        .sum();
    assert_eq!(ios, 2048, "{document:#}");
    let fio: Value = serde_json::from_str(&fs::read_to_string(dir.join("r.json")).unwrap()).unwrap();
    let slowest = |direction: &str| {
        let max = |at: usize| fio["jobs"][at][direction]["lat_ns"]["max"].as_f64().unwrap();
        max(0).max(max(1))
    };
    for direction in ["read", "write"] {
        let of = logs(&document, &[("kind", "lat"), ("direction", direction)]);
        let max = of.iter().map(|log| log["max"].as_f64().unwrap()).fold(0.0, f64::max);
        assert_eq!(max, slowest(direction), "the slowest I/O is exact");
    }
}

/// The row of all jobs has the same seconds as the rows of the jobs, and no mean lies outside of its extremes.
#[test]
fn logs_of_every_io_are_added_by_the_second() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    let words = "--name=jj --ioengine=null --size=100g --rw=read --bs=4k --runtime=2600ms --time_based --numjobs=2 \
                 --rate_iops=1000 --write_bw_log=z --write_iops_log=z --output-format=json,normal --output=r.txt";
    must(Command::new("fio").current_dir(dir).args(words.split_whitespace()));
    let document = imported(dir, "z_bw.1.log z_bw.2.log z_iops.1.log z_iops.2.log r.txt");
    let all = document["logs"].as_array().unwrap();
    assert_eq!(all.len(), 2 * 3, "{document:#}");
    for log in all {
        let [mean, min, max] = ["mean", "min", "max"].map(|key| log[key].as_f64().unwrap());
        assert!(0.0 < min && min <= mean && mean <= max, "{log:#}");
    }
    let [sum] = logs(&document, &[("job", "z: sum of 2 jobs"), ("kind", "iops")])[..] else {
        panic!("{document:#}");
    };
    assert_eq!((sum["window_ms"].as_u64(), sum["n"].as_u64()), (Some(1000), Some(2)), "{sum:#}");
    assert!(is_within(sum["min"].as_f64().unwrap(), 2000.0, 0.2), "{sum:#}");
    assert!(!document["results"].as_array().unwrap().is_empty(), "JSON with the normal form behind it");
}

/// T-8: in the one log of all jobs, those of one job follow those of the one before it, and means have no block size, as in fio.
#[test]
fn one_log_of_all_jobs_has_one_job_after_the_other() {
    let place = tempfile::tempdir().unwrap();
    let words = "fio --name=jj --ioengine=null --rate_iops=1000 --size=1m --rw=read --bs=4k --numjobs=2 --write_bw_log=y \
                 --per_job_logs=0 --log_avg_msec=50";
    must(fathom(place.path()).args(words.split_whitespace()));
    let log = fs::read_to_string(place.path().join("y_bw.log")).unwrap();
    let times: Vec<u64> = log.lines().map(|line| line.split(',').next().unwrap().parse().unwrap()).collect();
    let begins = times.windows(2).filter(|pair| pair[1] <= pair[0]).count();
    assert_eq!(begins, 1, "two jobs: {log}");
    assert!(log.lines().all(|line| line.ends_with(", 0, 0, 0")), "{log}");
    must(fathom(place.path()).args(["import", "y_bw.log", "-o", "y.html"]));
    assert!(fs::read_to_string(place.path().join("y.html")).unwrap().contains("<svg"));
}

/// T-5, T-11, T-14: the page has every form of every log, and nothing is fetched; a pattern that the shell did not expand
/// is one (T-12).
#[test]
fn the_page_has_raw_smoothed_and_trend_and_the_sum() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    fio(dir, "--log_avg_msec=50");
    let words =
        ["import", "*_bw.*.log", "--output-format", "html", "--title", "<b>night & day", "-o", "page.html"];
    must(fathom(dir).args(words));
    let page = fs::read_to_string(dir.join("page.html")).unwrap();
    for form in ["raw", "smoothed", "trend", "sum of all jobs"] {
        let title = format!("<text class=\"title\" x=\"4\" y=\"13\">Bandwidth, read, {form}</text>");
        assert_eq!(page.matches(&title).count(), 1, "{form}");
    }
    assert!(
        page.contains("data-n=\"x job 1\"") && page.contains("data-n=\"x job 2\""),
        "both files in one chart"
    );
    assert!(page.contains("&lt;b&gt;night &amp; day") && !page.contains("<b>night"));
    let drawn = page.split("<script>").next().unwrap();
    assert!(!drawn.contains("http:") && !drawn.contains("NaN"));
    // The same place again: it holds the same kind of output.
    must(fathom(dir).args(words));
    let csv = must(fathom(dir).args(["import", "x_bw.1.log", "--output-format", "csv"]));
    let mut lines = csv.lines();
    let columns = lines.next().unwrap().split(',').count();
    assert!(lines.all(|line| line.split(',').count() == columns), "{csv}");
}

/// T-14: jobs that differ in block size and mix make a heat map and columns.
#[test]
fn block_sizes_and_mixes_make_a_heat_map() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    // Long enough for a rate.
    let mut job =
        "[global]\nioengine=null\nsize=1m\nrw=randrw\nstonewall\ntime_based\nruntime=150ms\n".to_owned();
    for mix in [100, 65, 0] {
        for block in ["4k", "64k"] {
            job.push_str(&format!("[j{mix}-{block}]\nbs={block}\nrwmixread={mix}\n"));
        }
    }
    fs::write(dir.join("grid.fio"), job).unwrap();
    must(Command::new("fio").current_dir(dir).args(["grid.fio", "--output-format=json", "--output=g.json"]));
    let page = must(fathom(dir).args(["import", "g.json", "--output-format", "html"]));
    assert_eq!(page.matches("<g class=\"cell\"").count(), 2 * 6);
    for label in ["4 KiB", "64 KiB", "100 %", "65 %", "0 %"] {
        assert!(page.contains(&format!(">{label}</text>")), "{label}");
    }
}

/// T-50, as fio wrote it: 2,560 I/Os in 3 ms.
#[test]
fn a_rate_of_a_few_milliseconds_is_none_in_a_result_of_fio_either() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    let flow = |name: &str, runtime: u32, ios: u32, iops: f64| {
        format!(
            "\"{name}\": {{\"io_bytes\": {}, \"bw_bytes\": {}, \"iops\": {iops}, \"runtime\": {runtime}, \"total_ios\": {ios}}}",
            ios * 4096,
            iops * 4096.0
        )
    };
    let job = format!("{}, {}", flow("read", 3, 2_560, 853_333.3), flow("write", 3_000, 6_000, 2_000.0));
    let text =
        format!("{{\"fio version\": \"fio-3.33\", \"jobs\": [{{\"jobname\": \"j\", \"error\": 0, {job}}}]}}");
    fs::write(dir.join("r.json"), text).unwrap();
    let told = |format: &str| must(fathom(dir).args(["import", "r.json", "--output-format", format]));
    for format in ["summary", "html", "csv"] {
        let told = told(format);
        assert!(!told.contains("853") && (format == "csv" || told.contains("too short")), "{format}: {told}");
        assert!(told.contains("2,000") || told.contains("2000"), "{format}: {told}");
    }
    let document = imported(dir, "r.json");
    let marked = |direction: &str| {
        let of = |one: &&Value| one["direction"] == direction && one["name"] == "iops";
        document["results"].as_array().unwrap().iter().find(of).unwrap()["is_too_short"].clone()
    };
    assert_eq!((marked("read"), marked("write")), (Value::Bool(true), Value::Null));
}

#[test]
fn what_cannot_be_read_is_an_error_with_its_file() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    fs::write(dir.join("x_bw.1.log"), "1, 2, 0, 4096\nwords\n").unwrap();
    fs::write(dir.join("y.log"), "1, 2, 0, 4096\n").unwrap();
    let out = fathom(dir).args(["import", "x_bw.1.log"]).output().unwrap();
    assert!(
        out.status.success() && text(&out).contains("1 of 2 lines are left out; it is line 2"),
        "{}",
        text(&out)
    );
    let out = fathom(dir).args(["import", "y.log"]).output().unwrap();
    assert_eq!(out.status.code(), Some(2));
    assert!(
        text(&out).contains("y.log: its name does not say")
            && text(&out).contains("hint: say it with --kind")
    );
    let out = fathom(dir).args(["import", "x_bw.1.log", "-o", "x_bw.1.log"]).output().unwrap();
    assert_eq!(out.status.code(), Some(3), "a log is no output: {}", text(&out));
}

/// A large result with names that are not UTF-8 is read within the memory that one of UTF-8 needs, and one that is no JSON is an
/// error like any other.
#[test]
fn a_large_result_that_is_not_utf_8_takes_no_more_memory() {
    let place = tempfile::tempdir().unwrap();
    let read = |name: &str, content: &[u8]| {
        fs::write(place.path().join(name), content).unwrap();
        let limited = format!("ulimit -v 300000; exec {} import {name}", env!("CARGO_BIN_EXE_fathom"));
        Command::new("bash").args(["-c", &limited]).current_dir(place.path()).output().unwrap()
    };
    let result =
        b"{\"fio version\": \"fio-3.33\", \"jobs\": [{\"jobname\": \"gr\xfc\xdfe\", \"read\": {\"total_ios\": 900}}]}";
    // Blanks behind it are JSON, too.
    let mut large = result.to_vec();
    large.resize(70 << 20, b' ');
    let output = read("latin.json", &large);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains("gr??e"), "{}", text(&output));
    let mut no_json = b"{\"fio version\": \"".to_vec();
    no_json.resize(70 << 20, 0xff);
    let output = read("bytes.json", &no_json);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(
        text(&output).contains("bytes.json: line 1, column 73400320: not whole JSON"),
        "{}",
        text(&output)
    );
}

/// V-27, T-22, T-27: what fio prints for people has the counts of its JSON, the group of a job, and its share of the group.
#[test]
fn text_of_fio_is_a_result_with_its_details() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    let words = "--name=a --ioengine=null --iodepth=1 --size=8m --rw=randrw --bs=4k --thinktime=60us --output-format=json,normal \
                 --output=both.out";
    must(Command::new("fio").current_dir(dir).args(words.split_whitespace()));
    let both = fs::read_to_string(dir.join("both.out")).unwrap();
    let (from, to) = (both.find("\n{\n").unwrap(), both.find("\n}\n").unwrap());
    fs::write(dir.join("x.txt"), format!("{}{}", &both[..=from], &both[to + 3..])).unwrap();
    fs::write(dir.join("x.json"), &both[from + 1..to + 3]).unwrap();
    let figures = |file: &str| -> Vec<(Value, Value, f64)> {
        let document = imported(dir, file);
        let all = document["results"].as_array().unwrap().clone();
        all.iter()
            .map(|it| (it["direction"].clone(), it["name"].clone(), it["value"].as_f64().unwrap()))
            .collect()
    };
    let (text_has, json_has) = (figures("x.txt"), figures("x.json"));
    assert_eq!(text_has.len(), json_has.len());
    for (own, other) in text_has.iter().zip(&json_has) {
        assert!(
            (&own.0, &own.1) == (&other.0, &other.1) && is_within(own.2, other.2, 0.05),
            "{own:?} {other:?}"
        );
    }
    let told = must(fathom(dir).args(["import", "x.txt", "--details"]));
    for part in ["processor", "in flight", "1: 100 %", "latency    up to ", "context switches"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(!must(fathom(dir).args(["import", "x.txt"])).contains("in flight"));
    let csv = must(fathom(dir).args(["import", "x.txt", "--output-format", "csv"]));
    assert!(csv.contains("result,x.txt,a,,depth,1,%,100\n"), "{csv}");
}

/// JSON of a job that reads blocks of this size, so many thousand each second.
fn write_result(path: &Path, (kib, depth): (u64, u64), thousands: f64) {
    let (ios, bytes) = ((thousands * 10_000.0) as u64, (thousands * 10_000.0) as u64 * kib * 1024);
    let text = format!(
        r#"{{"fio version": "fio-3.33", "jobs": [{{"jobname": "j", "job options":
            {{"rw": "randread", "bs": "{kib}k", "iodepth": "{depth}", "ioengine": "io_uring", "direct": "1"}},
            "read": {{"total_ios": {ios}, "io_bytes": {bytes}, "io_kbytes": {}, "runtime": 10000, "iops": {},
            "bw_bytes": {}, "clat_ns": {{"min": 1000, "max": 900000, "mean": {}, "stddev": 9.0, "N": {ios}}}}}}}]}}"#,
        bytes / 1024,
        thousands * 1e3,
        bytes / 10,
        depth as f64 * 1e6 / thousands,
    );
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Two archives of three jobs, each measured three times: all files have one name of a job, and other options.
#[test]
fn archives_of_results_are_compared_job_by_job() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    for (kib, depth, thousands) in [(4, 8, 80.0), (4, 1, 10.0), (64, 8, 20.0)] {
        for (round, noise) in [(1, 0.99), (2, 1.0), (3, 1.01)] {
            let name = format!("{kib}k-{depth}/{round}.json");
            write_result(&dir.join("old").join(&name), (kib, depth), thousands * noise);
            write_result(&dir.join("new").join(&name), (kib, depth), thousands * noise * 1.5);
        }
    }
    let json = must(fathom(dir).args(["compare", "OLD=old", "NEW=new", "--json"]));
    let document: Value = serde_json::from_str(&json).unwrap();
    let comparison = document.get("comparison").unwrap_or(&document);
    let runs: Vec<&Value> =
        comparison["subjects"].as_array().expect("subjects").iter().map(|it| &it["runs"]).collect();
    assert_eq!(runs, [3, 3]);
    let figures = comparison["figures"].as_array().expect("figures");
    let mut jobs: Vec<&str> = figures.iter().filter_map(|figure| figure["job"].as_str()).collect();
    jobs.dedup();
    assert_eq!(
        jobs,
        [
            "j (randread 4k, depth 1, 1 job)",
            "j (randread 4k, depth 8, 1 job)",
            "j (randread 64k, depth 8, 1 job)"
        ]
    );
    for figure in figures {
        assert_eq!(figure["against"][0]["verdict"]["is"], "better", "{figure:#}");
    }
    // What has no counterpart is named.
    let some = must(fathom(dir).args([
        "compare",
        "OLD=old/4k-8/1.json,old/4k-8/2.json,old/4k-8/3.json",
        "NEW=new",
        "--details",
    ]));
    assert!(some.contains("j (randread 64k, depth 8, 1 job)"), "{some}");
    let failed = fathom(dir).args(["compare", "OLD=old/4k-8/1.json,gone.json", "NEW=new"]).output().unwrap();
    assert!(text(&failed).contains("gone.json does not exist"), "{}", text(&failed));
}

/// The results that the tests of the parsers read.
fn of_program(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fathom-figures/tests/fixtures/programs").join(name)
}

#[test]
fn results_of_other_programs_are_in_every_form() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    for name in ["iostat.json", "kdiskmark.txt", "elbencho.csv", "vdbench-flatfile.html", "mpstat.txt"] {
        fs::copy(of_program(name), dir.join(name)).unwrap();
    }
    let document = imported(dir, ".");
    let figures = document["results"].as_array().unwrap();
    let value = |program: &str, job: &str, direction: &str, name: &str| {
        let wanted = [("program", program), ("job", job), ("direction", direction), ("name", name)];
        let found = figures.iter().find(|it| wanted.iter().all(|(key, value)| it[*key] == *value));
        found.map(|it| {
            (it["value"].as_f64().unwrap(), it["unit"].as_str().unwrap(), it["line"].as_u64().unwrap())
        })
    };
    assert_eq!(value("elbencho", "nightly READ", "read", "iops"), Some((200_000.0, "1/s", 4)));
    assert_eq!(value("vdbench", "rd1", "mixed", "latency_max"), Some((4_250_000.0, "ns", 12)));
    assert!(value("mpstat", "CPU 1", "", "cpu_user").is_some_and(|it| it.1 == "%"));
    assert!(value("iostat", "vda", "read", "iops").is_some() && value("iostat", "vda", "", "busy").is_some());
    let notes = document["notes"].to_string();
    assert!(notes.contains("kdiskmark.txt: MB/s should be 1000000 bytes"), "{notes}");
    let table = must(fathom(dir).args(["import", "elbencho.csv", "mpstat.txt"]));
    assert!(
        table.contains("1 result of elbencho, 1 result of mpstat") && table.contains("other figures"),
        "{table}"
    );
    let csv = must(fathom(dir).args(["import", "elbencho.csv", "--output-format", "csv"]));
    assert!(csv.contains("elbencho,elbencho.csv,nightly READ,read,iops,mean,1/s,200000\n"), "{csv}");
    let page = must(fathom(dir).args(["import", "vdbench-flatfile.html", "--output-format", "html"]));
    assert!(page.contains("randrw 4k, 8 jobs · vdbench-flatfile.html, line 12"), "{page}");
}

/// T-3, from the logs themselves.
#[test]
fn logs_of_hammerdb_are_compared() {
    let place = tempfile::tempdir().unwrap();
    let before = fs::read_to_string(of_program("hammerdb.txt")).unwrap();
    let after = [
        ("73685", "83941"),
        ("338989", "386324"),
        ("75689", "80620"),
        ("348164", "370919"),
        ("73206", "79726"),
        ("336965", "366426"),
    ];
    let after = after.iter().fold(before.clone(), |text, (old, new)| text.replace(old, new));
    fs::write(place.path().join("before.log"), before).unwrap();
    fs::write(place.path().join("after.log"), after).unwrap();
    let told = must(fathom(place.path()).args(["compare", "before.log", "after.log"]));
    let row = told.lines().find(|line| line.contains("transactions per minute  3")).expect(&told);
    assert!(row.contains("+9.7 %") && row.contains("better"), "{told}");
}

#[test]
fn output_of_a_program_without_a_row_is_an_error_that_names_the_line() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("x.txt"), "Device r/s w/s\nsda 1 2 3\nsdb nan\n").unwrap();
    let out = fathom(place.path()).args(["import", "x.txt"]).output().unwrap();
    let why = String::from_utf8_lossy(&out.stderr);
    assert!(!out.status.success() && out.stdout.is_empty(), "{why}");
    assert!(why.contains("output of iostat, but no row of it can be read: line 2: it has 4 fields"), "{why}");
}
