//! Simulated drives from the command line: all in virtual time, so hours take seconds.

use crate::support::{fathom, finished, json, must, text};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A drive that is filled and then written at random until its spare space is used up.
const WEAR: &str = "[global]\nioengine=libaio\ndirect=1\nfilename=sim:datacentre/2048\n\
                    [fill]\nrw=write\nbs=128k\niodepth=32\n\
                    [wear]\nstonewall\nrw=randwrite\nbs=4k\niodepth=32\nnorandommap=1\nloops=4\n";

fn run(dir: &Path, job: &str, words: &[&str]) -> Command {
    fs::write(dir.join("j.fio"), job).unwrap();
    let mut command = fathom(dir);
    command.args(["run", "j.fio"]).args(words).env("FATHOM_INDEX", dir.join("runs.jsonl"));
    command
}

#[test]
fn a_drive_is_fresh_then_in_transition_then_steady() {
    let dir = tempfile::tempdir().unwrap();
    must(&mut run(dir.path(), WEAR, &[]));
    let lines = must(fathom(dir.path()).args(["report", "latest", "--output-format", "json"]));
    let fio = json(&lines);
    assert_eq!(fio["jobs"].as_array().unwrap().len(), 2);
    let iops = |at: usize| fio["jobs"][at]["write"]["iops"].as_f64().unwrap();
    // Steady random writes are some six times slower than what the flash can take, which the fill uses.
    let (fill, wear) = (iops(0) * 32.0, iops(1));
    assert!(wear < fill / 3.0 && wear > fill / 12.0, "{fill} units/s, then {wear}");
    assert!(fs::read_dir(dir.path()).unwrap().all(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        ["j.fio", "fathom-runs"].contains(&name.as_str()) || name.starts_with("runs.jsonl")
    }));
}

/// With one worker, with four and with eight.
#[test]
fn the_same_run_twice_gives_the_same_figures() {
    for readers in [0, 3, 7] {
        same_twice(readers);
    }
}

fn same_twice(readers: u32) {
    let readers = match readers {
        0 => String::new(),
        clones => format!("[readers]\nrw=randread\nbs=8k\niodepth=4\nnumjobs={clones}\n"),
    };
    let job = "[global]\nioengine=libaio\nfilename=sim:4xdisk,raid=5,chunk=64k\nsize=1g\ntime_based=1\nruntime=20\n";
    let job = format!("{job}{readers}[writer]\nrw=randwrite\nbs=4k\niodepth=2\n");
    let dir = tempfile::tempdir().unwrap();
    // The first three columns are the id, the name and the date of the run.
    let figures = |line: &str| line.splitn(4, ',').nth(3).unwrap_or_default().to_owned() + "\n";
    let csv = || {
        must(&mut run(dir.path(), &job, &["--output-format", "csv"])).lines().map(figures).collect::<String>()
    };
    let (one, other) = (csv(), csv());
    assert!(one.lines().count() > 10 && one == other, "{one}\n{other}");
}

#[test]
fn a_drive_stays_as_the_round_before_left_it() {
    let dir = tempfile::tempdir().unwrap();
    let job = "[wear]\nioengine=libaio\nfilename=sim:datacentre/2048\nrw=randwrite\nbs=4k\niodepth=32\nnorandommap=1\n";
    // The rounds differ by more than their mean, so they have none.
    let document = json(&finished(run(dir.path(), job, &["--repeat", "3"]).arg("--json")));
    let rounds = document["steps"].as_array().unwrap();
    let iops = |at: usize| rounds[at]["figures"][0]["iops"].as_f64().unwrap();
    assert!(iops(0) > 1.5 * iops(1) && iops(1) > iops(2), "{} {} {}", iops(0), iops(1), iops(2));
}

/// Random writes right after a fill at random, and after the drive was written once more.
const WORN: &str = "
title='t'
source='s'
global='''
ioengine=libaio
direct=1
rw=randwrite
bs=4k
iodepth=32
norandommap=1
'''
[[group]]
name='filled'
what='w'
first=['purge','fill','fill-random:2']
values=['iops']
job='''
[w]
time_based=1
runtime=60s
'''
[[group]]
name='more'
what='w'
measure=false
job='''
[w]
'''
[[group]]
name='worn'
what='w'
values=['iops']
job='''
[w]
time_based=1
runtime=60s
'''
";

/// A last pass that writes each block once leaves all spare area free, and the writes after it were 4.8 times too fast.
#[test]
fn a_fill_at_random_leaves_the_drive_in_steady_state() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("s.toml"), WORN).unwrap();
    let words = ["suite", "run", "s.toml", "--target", "sim:datacentre/1024", "--json"];
    let document = json(&must(fathom(dir.path()).args(words)));
    let steps = document["steps"].as_array().unwrap();
    let of = |cell: &str| {
        let step = steps.iter().find(|step| step["cell"] == cell);
        step.unwrap_or_else(|| panic!("{cell}: {document}"))["figures"][0]["iops"].as_f64().unwrap()
    };
    let ratio = of("filled") / of("worn");
    assert!((0.8..1.25).contains(&ratio), "{ratio}");
}

#[test]
fn a_repeat_advises_its_own_command() {
    let dir = tempfile::tempdir().unwrap();
    let job =
        "[r]\nioengine=libaio\nfilename=sim:datacentre/64\nrw=randread\nbs=4k\ntime_based=1\nruntime=500ms\n";
    let document = json(&must(run(dir.path(), job, &["--repeat", "2"]).arg("--json")));
    let next = document["record"]["conclusion"]["answer"]["next"]["command"].as_str().unwrap();
    let longer = "fathom run --set runtime=30s ";
    assert!(next.starts_with(longer) && next.contains("--repeat 2"), "{next}");
}

/// A job that waits for another one has the drive for itself, and both together have the rate of one.
#[test]
fn jobs_that_wait_for_each_other_have_the_rate_of_one() {
    let dir = tempfile::tempdir().unwrap();
    let iops = |sections: &str, (jobs, order): (u64, &str)| {
        let global =
            "[global]\nfilename=sim:datacentre/64\nsize=64m\nbs=4k\nrw=randread\ntime_based\nruntime=10\n";
        let document = json(&must(
            run(dir.path(), &format!("{global}group_reporting\n{sections}"), &["-q"]).arg("--json"),
        ));
        let measured = &document["answer"]["jobs"];
        assert_eq!((&measured["jobs"], &measured["order"]["order"]), (&jobs.into(), &order.into()));
        let figures = document["figures"].as_array().unwrap();
        let rates: Vec<f64> = figures
            .iter()
            .filter(|it| it["metric"] == "iops")
            .filter_map(|it| it["value"].as_f64())
            .collect();
        assert_eq!(rates.len(), 1, "one row: {rates:?}");
        rates[0]
    };
    let one = iops("[g]\n", (1, "single"));
    let both = iops("[g]\n[h]\nwait_for=g\n", (2, "in_turn"));
    assert!((both / one - 1.0).abs() < 0.01, "{both} and {one}");
}

#[test]
fn the_answer_says_that_it_is_simulated() {
    let dir = tempfile::tempdir().unwrap();
    let job = "[r]\nioengine=io_uring\niodepth=4\nrw=randread\nbs=4k\ntime_based=1\nruntime=2\n";
    let said = must(&mut run(dir.path(), job, &["--target", "sim:datacentre/64"]));
    assert!(said.contains("A simulated drive was measured, not a disk: sim:datacentre/64"), "{said}");
    assert!(
        said.contains("it is 1/64 of a whole drive") && said.contains("limit    the simulated drive"),
        "{said}"
    );
    let details = must(fathom(dir.path()).args(["report", "--details"]));
    let unwritten = details.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(unwritten.contains(" were read that nobody had written"), "{unwritten}");
    let plan = must(&mut run(dir.path(), job, &["--target", "sim:qlc/1024", "--plan"]));
    assert!(plan.contains("sim:qlc/1024 (simulated drive, "), "{plan}");
}

#[test]
fn quick_measures_a_simulated_drive() {
    let dir = tempfile::tempdir().unwrap();
    let output =
        fathom(dir.path()).args(["quick", "sim:datacentre/1024", "--seconds", "5"]).output().unwrap();
    let said = text(&output);
    assert!(output.status.success() && said.contains("A simulated drive was measured, not a disk"), "{said}");
    assert!(
        ["rand-read-latency", "seq-write-bandwidth", "mixed-70-30"].iter().all(|job| said.contains(job)),
        "{said}"
    );
    let output = fathom(dir.path()).args(["quick", "sim:datacentre/0"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("sim:datacentre/0 cannot be simulated: scale=0"), "{}", text(&output));
}

/// A worn drive after what a purge does, which is a trim of everything, and without it (contract T-38: a purge
/// brings back the speed of a new drive).
#[test]
fn a_trimmed_drive_writes_like_a_new_one_and_a_worn_one_does_not() {
    let dir = tempfile::tempdir().unwrap();
    let job = "[global]\nioengine=libaio\nfilename=sim:datacentre/16384\nbs=4k\niodepth=32\nnorandommap=1\nstonewall\n\
               rw=randwrite\nio_size=10%\n[new]\n[wear]\nio_size=100%\nloops=2\n[worn]\n[purge]\nrw=trim\nbs=1m\nio_size=100%\n[again]\n";
    let fio = json(&must(&mut run(dir.path(), job, &["--output-format", "json"])));
    let iops = |job: &serde_json::Value| job["write"]["iops"].as_f64().unwrap();
    let rates: Vec<f64> = fio["jobs"].as_array().unwrap().iter().map(iops).collect();
    let [new, _, worn, _, again] = rates[..] else { panic!("five jobs") };
    assert!(new > 2.0 * worn, "worn: {rates:?}");
    assert!((again / new - 1.0).abs() < 0.05, "as when new: {rates:?}");
}

/// The job of the sample whose depth of 32 has 115.3 % (contract V-28), on a simulated disk.
#[test]
fn shares_of_depth_are_of_the_measured_ios_whatever_the_ramp() {
    let dir = tempfile::tempdir().unwrap();
    let job = "[s]\nioengine=libaio\nnumjobs=4\niodepth=32\niodepth_batch=16\niodepth_batch_complete=16\n\
               group_reporting=1\nramp_time=5\nrw=randrw\nrwmixread=0\nbs=4k\nnorandommap=1\ntime_based=1\nruntime=30\n\
               filename=sim:disk\nsize=10g\n";
    let fio = json(&must(&mut run(dir.path(), job, &["--output-format", "json"])));
    let levels = fio["jobs"][0]["iodepth_level"].as_object().unwrap();
    let shares: Vec<f64> = levels.values().map(|share| share.as_f64().unwrap()).collect();
    assert!((shares.iter().sum::<f64>() - 100.0).abs() < 0.1, "{levels:?}");
    assert!(shares.iter().all(|share| (0.0..=100.0).contains(share)), "{levels:?}");
    assert!(levels["32"].as_f64().unwrap() > 30.0, "{levels:?}");
    let text = must(fathom(dir.path()).args(["report", "latest", "--output-format", "normal"]));
    let line = text.lines().find(|line| line.contains("IO depths")).expect("fio's line");
    let shares = line.split('=').skip(1).filter_map(|rest| rest.split_once('%')?.0.parse::<f64>().ok());
    let shares: Vec<f64> = shares.collect();
    assert!(shares.len() == 7 && shares.iter().all(|share| *share <= 100.0), "{line}");
}

#[test]
fn a_synchronous_engine_keeps_one_io_in_flight() {
    let dir = tempfile::tempdir().unwrap();
    let job = "[r]\nioengine=psync\niodepth=32\nrw=randread\nbs=4k\ntime_based=1\nruntime=1\nfilename=sim:disk\nsize=10g\n";
    let fio = json(&must(&mut run(dir.path(), job, &["--output-format", "json"])));
    let iops = fio["jobs"][0]["read"]["iops"].as_f64().unwrap();
    assert!((60.0..200.0).contains(&iops), "{iops}");
}

#[test]
fn what_cannot_be_simulated_is_refused_with_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    let cases = [
        ("filename=sim:nothing", "sim:nothing cannot be simulated: "),
        ("filename=sim:datacentre/100000000", "cannot be simulated: "),
        ("filename=sim:4xdatacentre,raid=7", "cannot be simulated: "),
        ("filename=sim:datacentre,op=28,op=7", "op is given twice"),
        ("ioengine=sim\nsize=1g", "the engine sim needs a simulated drive"),
        ("ioengine=sim\nfilename=/tmp/x\nsize=1g", "/tmp/x is no simulated drive"),
        ("filename=sim:disk:x\nioengine=libaio", "x is no simulated drive"),
        ("filename=x:sim:disk\nsize=1m", "x is no simulated drive"),
        ("filename=sim:disk\noffset=100t", "sim:disk"),
    ];
    for (options, expected) in cases {
        let output = run(dir.path(), &format!("[j]\nrw=read\n{options}\n"), &[]).output().unwrap();
        let said = text(&output);
        assert_eq!(output.status.code(), Some(2), "{options}: {said}");
        assert!(said.contains(expected), "{options}: {said}");
    }
    let files = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(files.collect::<Vec<_>>(), ["j.fio"], "nothing was written");
}

/// A new drive writes at a steady rate too. The rate that counts is that after its spare space is used up.
#[test]
fn a_run_until_its_rate_has_settled_ends_early() {
    let job = "[global]\nioengine=libaio\nfilename=sim:datacentre/8192\nbs=4k\niodepth=32\nrw=randwrite\nnorandommap=1\n\
               time_based=1\n[wear]\nruntime=60h\n";
    let dir = tempfile::tempdir().unwrap();
    let said = must(&mut run(dir.path(), job, &["--until", "confident=10%"]));
    let settled = said.lines().find(|line| line.starts_with("settled  yes, after ")).expect(&said);
    let number = |after: &str| {
        let rest = settled.split_once(after).unwrap_or_else(|| panic!("{settled}")).1;
        rest.split(' ').next().unwrap().replace([',', ':'], "").parse::<f64>().unwrap()
    };
    assert!(number("after ") < 200_000.0 && number("from second ") > 5_000.0, "{settled}");
    let fresh = must(&mut run(dir.path(), &job.replace("60h", "10m"), &["--output-format", "json"]));
    let fresh = json(&fresh)["jobs"][0]["write"]["iops"].as_f64().unwrap();
    assert!(number(" s: ") < fresh / 2.0, "{settled}, and {fresh} when it is new");
    let short = must(&mut run(dir.path(), &job.replace("60h", "10m"), &["--until", "confident"]));
    let flat = short.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_told =
        flat.contains("settled no; only the mean of seconds ") && flat.contains(" of the range was written");
    assert!(is_told, "{short}");
    for wrong in ["confident=0", "confident=x", "steady=2%"] {
        let output = run(dir.path(), job, &["--until", wrong]).output().unwrap();
        assert!(!output.status.success() && text(&output).contains("confident=2%"), "{}", text(&output));
    }
}

/// The fast cache of a drive is full after some seconds: a run and its rounds say when, from what to what, and give no interval. The
/// table of rounds has what lasted.
#[test]
fn a_cache_that_becomes_full_is_named() {
    let job = "[w]\nioengine=libaio\nfilename=sim:consumer/64\nrw=write\nbs=128k\niodepth=32\ndirect=1\ntime_based=1\nruntime=60s\n";
    let dir = tempfile::tempdir().unwrap();
    let flat = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let once = flat(must(&mut run(dir.path(), job, &[])));
    let fell = " w: fell from 82.0 MB/s to 34.7 MB/s at second ";
    assert!(once.contains(fell) && once.contains("rates: no ±: the rate fell meanwhile"), "{once}");
    let repeated = flat(must(&mut run(dir.path(), job, &["--repeat", "2"])));
    assert!(repeated.contains(fell), "{repeated}");
    let round = " 0001-repeat 265 ↓ 34.7 ";
    assert!(repeated.contains(round) && repeated.contains("those that lasted"), "{repeated}");
}

/// A drive that is new writes at a steady rate, too: the interval is that of these seconds alone.
#[test]
fn the_interval_of_writes_to_a_new_drive_is_of_these_seconds() {
    let job = "[w]\nioengine=libaio\nfilename=sim:datacentre/64\nrw=randwrite\nbs=4k\niodepth=32\ntime_based=1\nruntime=30s\n";
    let dir = tempfile::tempdir().unwrap();
    let told = must(&mut run(dir.path(), job, &[]));
    for said in [
        "95 % interval of the mean of these 30 s; steady state may be slower",
        "no preconditioning in this run",
    ] {
        assert!(told.contains(said), "{told}");
    }
    let reads = must(&mut run(dir.path(), &job.replace("randwrite", "randread"), &[]));
    assert!(reads.contains("another run may differ by more"), "{reads}");
}

/// What the fill wrote counts: random writes of once the range, some 5,400 s, are enough.
#[test]
fn a_fill_before_the_random_writes_counts_once() {
    let job = "[global]\nioengine=libaio\nfilename=sim:datacentre/8192\niodepth=32\n[fill]\nrw=write\nbs=128k\n\
               [wear]\nstonewall\nrw=randwrite\nbs=4k\nnorandommap=1\ntime_based=1\nruntime=60h\n";
    let dir = tempfile::tempdir().unwrap();
    let said = must(&mut run(dir.path(), job, &["--until", "confident=10%"]));
    let settled: Vec<&str> = said.lines().filter(|line| line.contains("yes, after ")).collect();
    let after = settled.first().and_then(|line| line.split_once("yes, after ")).expect(&said).1;
    let after: u64 = after.split(' ').next().unwrap().replace(',', "").parse().unwrap();
    assert!(settled.len() == 1 && (5_000..8_000).contains(&after), "{said}");
}

/// `--rehearse` on jobs, once and several times, and on `quick`: the forecast follows the result, and the target stays as it is.
#[test]
fn jobs_and_quick_are_rehearsed_without_a_write_to_the_target() {
    use std::os::unix::fs::MetadataExt;
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("target");
    std::fs::File::create(&target).unwrap().set_len(256 << 20).unwrap();
    let job = "[w]\nrw=randwrite\nbs=4k\niodepth=16\nioengine=io_uring\nruntime=1\ntime_based=1\n";
    std::fs::write(dir.path().join("w.fio"), job).unwrap();
    let run = ["run", "w.fio", "--target", "target", "--rehearse=consumer"];
    for (words, written) in [
        (run.to_vec(), true),
        ([&run[..], &["--repeat", "2"]].concat(), true),
        (vec!["quick", "target", "--seconds", "1", "--rehearse", "--repeat", "1"], false),
    ] {
        let output = fathom(dir.path()).args(&words).arg("--quiet").output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", text(&output));
        let told = String::from_utf8(output.stdout).unwrap();
        let (result, forecast) =
            told.split_once("forecast for target from this rehearsal").expect("a forecast");
        assert!(result.contains("simulated drive"), "{words:?}: {result}");
        assert!(
            forecast.contains(" of I/O") && forecast.contains("fills that such a drive is rated for"),
            "{forecast}"
        );
        assert!(!written || !forecast.contains("written   0 B"), "{words:?}: {forecast}");
    }
    assert_eq!(std::fs::metadata(&target).unwrap().blocks(), 0, "the target was written");
    let output = fathom(dir.path()).args([&run[..], &["--json", "--quiet"]].concat()).output().unwrap();
    serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("a document stays one document");
    let alone = fathom(dir.path()).args(["run", "w.fio", "--rehearse"]).output().unwrap();
    assert_eq!(alone.status.code(), Some(2), "{}", text(&alone));
    assert!(text(&alone).contains("--rehearse needs --target"), "{}", text(&alone));
}

/// Zones that nobody writes are refused before the run, and so is `quick`, with one sentence.
#[test]
fn what_a_new_zoned_drive_cannot_do_is_refused_before_it_begins() {
    let dir = tempfile::tempdir().unwrap();
    let job = "[r]\nfilename=sim:smr,size=64g\nzonemode=zbd\nrw=read\nbs=1m\ndirect=1\nsize=1z\noffset=9z\n";
    let refused = run(dir.path(), job, &[]).output().unwrap();
    let quick = fathom(dir.path()).args(["quick", "sim:smr,size=64g"]).output().unwrap();
    for (output, word) in [(refused, "zones that it reads are empty"), (quick, "written in order")] {
        let said = text(&output);
        assert_eq!((output.status.code(), said.matches("error: ").count()), (Some(2), 1), "{said}");
        assert!(said.contains(word) && said.contains("hint: "), "{said}");
    }
    assert!(!dir.path().join("fathom-runs").exists());
}

/// Rows of clones have names of their own.
#[test]
fn clones_with_a_row_each_are_numbered() {
    let dir = tempfile::tempdir().unwrap();
    let job = "[w]\nfilename=sim:datacentre/1024\nrw=randread\nsize=1m\nbs=4k\ndirect=1\nnumjobs=2\n";
    let said = must(&mut run(dir.path(), job, &["-q"]));
    assert!(said.contains("w.0  4k randread") && said.contains("w.1  4k randread"), "{said}");
    let said = must(&mut run(dir.path(), &format!("{job}group_reporting\n"), &["-q"]));
    assert!(said.contains("w  4k randread") && !said.contains("w.0"), "{said}");
}
