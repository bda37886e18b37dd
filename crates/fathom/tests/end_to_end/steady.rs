//! `steadystate=`: jobs that end when they are steady, in virtual time and with threads, and what every output says.

use crate::support::{fathom, json, must, text};
use serde_json::Value;
use std::path::Path;

/// Random gaps of 5 % around 400 I/Os per second, for an hour at most.
const VIRTUAL: &str = "[global]\nioengine=oracle\noracle_clock=virtual\nrw=randread\nbs=4k\nsize=1g\nnorandommap\n\
    time_based\nruntime=1h\nrate_iops=400\nrate_process=poisson\n";

/// Runs a job file and prints it as fio's JSON.
fn jobs(dir: &Path, file: &str, run: &str) -> Vec<Value> {
    std::fs::write(dir.join("j.fio"), file).unwrap();
    must(fathom(dir).args(["run", "-q", "--no-calibrate", "j.fio", "--output-dir", run]));
    let told = json(&must(fathom(dir).args(["report", run, "--output-format=json"])));
    told["jobs"].as_array().expect("jobs").clone()
}

fn seconds(job: &Value) -> u64 {
    job["read"]["runtime"].as_u64().expect("a runtime") / 1000
}

fn values(steady: &Value, figure: &str) -> Vec<f64> {
    let values = steady["data"][figure].as_array().unwrap_or_else(|| panic!("{figure}: {steady}"));
    values.iter().map(|value| value.as_f64().expect("a number")).collect()
}

/// The criterion, from the values of the JSON.
fn deviation_percent(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    100.0 * values.iter().map(|value| (value - mean).abs()).fold(0.0, f64::max) / mean
}

#[test]
fn a_job_ends_at_the_second_in_which_it_is_steady_and_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let file = format!("{VIRTUAL}[a]\nss=iops:3%\nss_dur=5\nss_ramp=4\n");
    let (one, other) = (jobs(dir.path(), &file, "one"), jobs(dir.path(), &file, "other"));
    let steady = &one[0]["steadystate"];
    assert_eq!(*steady, other[0]["steadystate"], "in virtual time it ends at the same second each time");
    assert_eq!(seconds(&one[0]), seconds(&other[0]));
    assert_eq!((steady["ss"].as_str(), steady["duration"].as_u64()), (Some("iops:3.000000%"), Some(5)));
    let (attained, end) = (steady["attained"].as_u64(), seconds(&one[0]));
    assert!(attained == Some(1) && (9..3600).contains(&end), "{attained:?} after {end} s");
    let window = values(steady, "iops");
    let criterion = deviation_percent(&window);
    assert!(window.len() == 5 && criterion < 3.0, "{window:?}");
    assert_eq!(steady["criterion"].as_str(), Some(format!("{criterion:.6}%").as_str()));

    let report = must(fathom(dir.path()).args(["report", "one", "--details"]));
    assert!(report.contains("steady state attained"), "{report}");
    assert!(report.contains(&format!("iops:3% attained after {end} s: deviation")), "{report}");
    let normal = must(fathom(dir.path()).args(["report", "one", "--output-format=normal"]));
    let line = normal.lines().find(|line| line.starts_with("  steadystate  : ")).expect(&normal);
    assert!(
        line.contains(" attained=yes, bw=") && line.contains(&format!("iops mean dev={criterion:.3}%")),
        "{line}"
    );
}

#[test]
fn each_figure_can_be_judged_and_the_jobs_of_a_group_are_judged_together() {
    let dir = tempfile::tempdir().unwrap();
    // The rate of the group rises for six seconds; its jobs end at the same second, one before it has begun.
    let group = "[a]\nss=iops_slope:0.4%\nss_dur=8\ngroup_reporting\n[b]\nss=iops_slope:0.4%\nss_dur=8\nstartdelay=6\n\
        group_reporting\n[never]\nss=iops_slope:0.4%\nss_dur=8\nstartdelay=30m\ngroup_reporting\n";
    let others = "[d]\nnew_group\nss=bw:70k\nss_dur=5\n[e]\nss=lat:100us\nss_dur=3\n\
        [f]\nss=lat_slope:5%\nss_dur=20\nss_interval=4\noracle_latency=lognormal:80us:0.5\n\
        [g]\nruntime=9\nss=bw_slope:0.00001%\nss_dur=5\n[h]\nruntime=4\nss=bw:1%\nss_dur=5\n[i]\nruntime=2\n";
    let jobs = jobs(dir.path(), &format!("{VIRTUAL}{group}{others}"), "run");
    assert_eq!(jobs.len(), 7, "the group is one");
    let steady = |at: usize| &jobs[at]["steadystate"];
    let ends: Vec<(Option<u64>, u64)> =
        (0..6).map(|at| (steady(at)["attained"].as_u64(), seconds(&jobs[at]))).collect();
    let yes = Some(1);
    assert!(ends[..4].iter().all(|(attained, end)| *attained == yes && *end < 600), "{ends:?}");
    assert_eq!((ends[2], ends[4], ends[5]), ((yes, 3), (Some(0), 9), (Some(0), 4)));
    assert!(ends[0].1 > 13, "the window is behind the step: {ends:?}");
    assert!(values(steady(0), "iops").iter().all(|iops| (700.0..900.0).contains(iops)), "{}", steady(0));
    assert_eq!(values(steady(3), "lat_ns").len(), 5);
    assert_eq!(values(steady(4), "bw").len(), 5);
    // The window of h was never full.
    assert_eq!((values(steady(5), "bw").len(), steady(5)["criterion"].as_str()), (4, Some("0.000000%")));
    assert!(jobs[6].get("steadystate").is_none(), "it asks for none");
    let report = must(fathom(dir.path()).args(["report", "run", "--details"]));
    for told in
        ["bw_slope:0.00001% not attained: slope", "bw:1% not attained: its window of 5 s was never full"]
    {
        assert!(report.contains(told), "{told}\n{report}");
    }
}

/// An even rate is steady as soon as a window is full. One that is 400 I/Os in a second and none in the next is steady only
/// where a value is the mean of two seconds.
#[test]
fn the_first_value_comes_after_the_ramp_and_each_covers_an_interval() {
    let even = "[global]\nioengine=oracle\noracle_clock=virtual\noracle_latency=constant:2500us\nrw=randread\nbs=4k\n\
        size=1g\nnorandommap\ntime_based\nruntime=30\nss=iops:3%\nss_dur=6\n[j]\n";
    let uneven = format!("{even}thinktime=1s\nthinktime_iotime=1\n");
    let dir = tempfile::tempdir().unwrap();
    for (run, (job, attained, end)) in [
        (even.to_owned(), 1, 6),
        (format!("{even}steadystate_ramp_time=4\n"), 1, 10),
        (uneven.clone(), 0, 30),
        (format!("{uneven}steadystate_check_interval=2\n"), 1, 6),
    ]
    .into_iter()
    .enumerate()
    {
        let jobs = jobs(dir.path(), &job, &format!("run{run}"));
        assert_eq!(jobs[0]["steadystate"]["attained"].as_u64(), Some(attained), "{job}");
        assert_eq!(seconds(&jobs[0]), end, "{job}");
    }
}

#[test]
fn with_threads_a_group_ends_and_the_others_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let file = "[global]\nioengine=null\nrw=randread\nbs=4k\nsize=1g\ntime_based\nruntime=120\nclock_speed=40\n\
        rate_iops=50\n[a]\nnumjobs=2\ngroup_reporting\nss=iops:60%\nss_dur=10\n[b]\nnew_group\nruntime=60\n";
    let jobs = jobs(dir.path(), file, "run");
    let (a, b) = (&jobs[0]["steadystate"], seconds(&jobs[1]));
    assert!(a["attained"].as_u64() == Some(1) && (10..60).contains(&seconds(&jobs[0])), "{a}");
    assert_eq!((values(a, "iops").len(), b), (10, 60));
}

#[test]
fn a_rule_that_cannot_be_met_is_told_at_its_line() {
    let dir = tempfile::tempdir().unwrap();
    for (rule, said) in [
        ("ss=iops:-3%\nss_dur=9", "the limit is negative"),
        ("ss=iops:0\nss_dur=9", "would never be steady"),
        ("ss=iosp:3%\nss_dur=9", "did you mean iops?"),
        ("ss=iops:3%\nss_dur=1", "a single value always looks steady"),
        ("ss=iops:3%\nss_dur=9\nss_interval=500ms", "not in whole seconds"),
        ("ss=iops:3%\nss_dur=9\ngroup_reporting\n[b]\ngroup_reporting", "steadystate options differ"),
    ] {
        std::fs::write(dir.path().join("j.fio"), format!("{VIRTUAL}[a]\n{rule}\n")).unwrap();
        let output = fathom(dir.path()).args(["run", "j.fio"]).output().unwrap();
        let told = text(&output);
        assert!(output.status.code() == Some(2), "{rule}\n{told}");
        for part in [said, "j.fio:", "hint: "] {
            assert!(told.contains(part), "{rule}: {part}\n{told}");
        }
    }
    for (rule, said) in [
        ("ss=iops:3%", "steadystate without steadystate_duration"),
        ("ss=iops:3%\nss_dur=60\nruntime=30", "it will never be found steady"),
    ] {
        std::fs::write(dir.path().join("j.fio"), format!("{VIRTUAL}[a]\n{rule}\n")).unwrap();
        let told = must(fathom(dir.path()).args(["run", "--plan", "j.fio"]));
        assert!(told.contains(said), "{rule}\n{told}");
    }
}
