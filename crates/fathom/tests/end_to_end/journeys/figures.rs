//! Figures that a reader can check against each other and against the kernel.

use crate::support::{Loop, Mount, fathom, json, must, only_run, own_devices, sh, text};
use serde_json::Value;
use std::path::Path;

fn run_json(dir: &Path, job: &str, more: &[&str]) -> Value {
    std::fs::write(dir.join("j.fio"), job).unwrap();
    json(&must(fathom(dir).args(["run", "-q", "j.fio", "--output-format", "json"]).args(more)))
}

/// As the status of bwavgtime and iopsavgtime says: the windows are of one second, whatever these options ask for.
#[test]
fn minimum_maximum_and_mean_rates_come_from_windows_of_a_second() {
    let dir = tempfile::tempdir().unwrap();
    let rates = |options: &str| {
        // A second of 400 I/Os, then one without any.
        let job = format!(
            "[j]\nioengine=oracle\noracle_clock=virtual\noracle_latency=constant:2500us\nrw=randread\nbs=4k\nsize=1g\n\
             norandommap\ntime_based\nruntime=4\nthinktime=1s\nthinktime_iotime=1\n{options}\n"
        );
        let read = run_json(dir.path(), &job, &[])["jobs"][0]["read"].clone();
        ["bw_samples", "iops_samples", "iops_min", "iops_max", "bw_mean", "iops_mean"]
            .map(|key| read[key].clone())
    };
    let usual = rates("");
    assert_eq!(usual[..4], [4, 4, 0, 400], "four seconds of which every second one has I/Os");
    for options in ["bwavgtime=100", "iopsavgtime=2000"] {
        assert_eq!(rates(options), usual, "{options}");
    }
}

#[test]
fn the_parts_of_latency_make_the_whole() {
    let dir = tempfile::tempdir().unwrap();
    let job = "[j]\nioengine=io_uring\niodepth=8\nrw=randwrite\nbs=4k\nsize=4m\nfilename=f\n";
    let result = run_json(dir.path(), job, &[]);
    let mean = |part: &str| result["jobs"][0]["write"][part]["mean"].as_f64().unwrap();
    let (parts, whole) = (mean("slat_ns") + mean("clat_ns"), mean("lat_ns"));
    assert!((parts - whole).abs() <= 2.0, "{parts} and {whole}");
}

/// T-50: 2,560 I/Os in 3 ms are no 853,333 IOPS and no 3.5 GB/s, on the screen, on the page, in texts and tables, of one
/// run, of several, and beside another. Machines find the numbers, with a mark.
#[test]
fn a_rate_of_a_few_milliseconds_is_printed_nowhere() {
    let dir = tempfile::tempdir().unwrap();
    let job = "[j]\nioengine=oracle\noracle_clock=virtual\noracle_latency=constant:150us\niodepth=128\nrw=randread\nbs=4k\n\
               size=64m\nnorandommap=1\nnumber_ios=2560\n";
    let result = run_json(dir.path(), job, &["--output-dir", "short"]);
    let read = &result["jobs"][0]["read"];
    assert_eq!(read["total_ios"], 2_560);
    assert!(read["iops"].as_f64().unwrap() > 800_000.0, "{read}");
    assert_eq!(result["fathom"]["too_short"], Value::from(vec!["j"]));
    let told = |args: &[&str]| must(fathom(dir.path()).args(args));
    let repeat = told(&["run", "-q", "j.fio", "--repeat", "3", "--output-dir", "rounds"]);
    let forms: [&[&str]; 7] = [
        &["report", "short"],
        &["report", "short", "--details"],
        &["report", "short", "--output-format", "csv"],
        &["report", "short", "--output-format", "html"],
        &["report", "rounds", "--details"],
        &["report", "rounds", "--output-format", "html"],
        &["report", "short", "--json"],
    ];
    let texts = forms.into_iter().map(|args| (args.join(" "), told(args)));
    for (form, text) in texts.chain([("run --repeat".to_owned(), repeat)]) {
        let (body, _) = text.split_once("<script>").unwrap_or((text.as_str(), ""));
        let is_rate = |word: &str| {
            let digits: String = word.chars().filter(char::is_ascii_digit).collect();
            digits.starts_with("853") || digits.starts_with("854") || digits.starts_with("3497")
        };
        let words = body.split(|c: char| c.is_whitespace() || "<>\"=;:".contains(c));
        let rates: Vec<&str> = words.filter(|word| is_rate(word)).collect();
        assert_eq!(rates, [""; 0], "{form}:\n{body}");
        let is_told =
            ["too short", "csv", "--json"].iter().any(|said| body.contains(said) || form.contains(said));
        assert!(is_told, "{form}:\n{body}");
    }
    let rounds = told(&["report", "rounds", "--json"]);
    assert!(rounds.contains("\"is_too_short\": true"), "{rounds}");
    let beside = fathom(dir.path()).args(["compare", "short", "rounds"]).output().unwrap();
    assert!(text(&beside).contains("measured for less than a tenth of a second"), "{}", text(&beside));
}

#[test]
fn kernel_counts_agree_with_ours() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    let job = "[j]\nioengine=libaio\niodepth=4\ndirect=1\nrw=randread\nbs=4k\nnorandommap\ntime_based\nruntime=1s\n";
    let result = run_json(dir.path(), job, &["--target", &disk.device]);
    let ours = result["jobs"][0]["read"]["total_ios"].as_f64().unwrap();
    let disks = result["disk_util"].as_array().unwrap();
    let kernel = disks[0]["read_ios"].as_f64().unwrap();
    assert!((kernel / ours - 1.0).abs() < 0.01, "the kernel saw {kernel} reads, we made {ours}");
}

/// Two disks with a job each: each has its own difference to the count of the kernel (contract I-28).
#[test]
fn each_disk_has_its_difference_to_the_kernels_count() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disks = [Loop::blank(dir.path(), 16), Loop::blank(dir.path(), 16)];
    let [one, two] = disks.each_ref().map(|disk| disk.device.as_str());
    let job = format!(
        "[global]\nioengine=libaio\niodepth=4\ndirect=1\nrw=randread\nnorandommap\n\
         [one]\nbs=4k\nfilename={one}\n[two]\nbs=8k\nfilename={two}\n"
    );
    std::fs::write(dir.path().join("j.fio"), job).unwrap();
    must(fathom(dir.path()).args(["run", "-q", "j.fio"]));
    let record = json(&std::fs::read_to_string(only_run(dir.path()).join("run.json")).unwrap());
    let checks = record["self_knowledge"]["checks"].as_array().unwrap();
    let counts: Vec<&Value> = checks.iter().filter(|check| check["name"] == "kernel-counts").collect();
    assert_eq!(counts.len(), 2, "{checks:#?}");
    for (check, disk) in counts.iter().zip([one, two]) {
        let (counted, disk) = (&check["evidence"], disk.trim_start_matches("/dev/"));
        assert_eq!(counted["disks"], serde_json::json!([disk]), "{check:#}");
        let of = |key: &str| counted["directions"][0][key].as_f64().unwrap();
        let percent = 100.0 * of("disk_bytes") / of("own_bytes");
        assert!((percent - 100.0).abs() < 1.0 && check["outcome"] == "holds", "{check:#}");
    }
}

#[test]
fn set_changes_every_job_and_is_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let job = "[global]\nioengine=null\nrw=read\nsize=1m\nbs=4k\n[a]\n[b]\nbs=16k\n";
    let result = run_json(dir.path(), job, &["--set", "bs=8k"]);
    for (at, name) in ["a", "b"].iter().enumerate() {
        let job = &result["jobs"][at];
        assert_eq!((&job["jobname"], &job["read"]["total_ios"]), (&Value::from(*name), &Value::from(128)));
        assert_eq!(job["job options"]["bs"], "8k", "{name}");
    }
}

/// V-26.
#[test]
fn output_goes_to_the_file_that_fio_would_write() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("j.ini"), "[j]\nioengine=null\nrw=read\nsize=1m\n").unwrap();
    let said = must(fathom(dir.path()).args(["fio", "--output=out.1", "--output-format=json", "j.ini"]));
    assert_eq!(said, "", "nothing on standard output");
    let result = json(&std::fs::read_to_string(dir.path().join("out.1")).unwrap());
    assert_eq!(result["jobs"][0]["read"]["total_ios"], 256);
    let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn invalidate_decides_whether_the_cache_answers() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    sh("mkfs.ext4", &format!("-q {}", disk.device));
    // The page cache of a device is dropped when its last user closes it; that of a file stays.
    let mount = Mount::on(&disk.device, &dir.path().join("mnt"));
    let file = mount.path.join("f");
    std::fs::write(&file, vec![1u8; 32 << 20]).unwrap();
    sh("sync", "");
    let job = |invalidate: u8| {
        let path = file.display();
        format!("[j]\nrw=randread\nbs=4k\nfadvise_hint=0\ninvalidate={invalidate}\nfilename={path}\n")
    };
    let disk_reads = |invalidate: u8| {
        let dir = tempfile::tempdir().unwrap();
        let result = run_json(dir.path(), &job(invalidate), &[]);
        result["disk_util"][0]["read_ios"].as_u64().unwrap()
    };
    let cold = disk_reads(1);
    assert!(cold > 100, "a cold read comes from the disk");
    // The kernel may take cached pages back at any time, and some do it without need (DAMON).
    let warm = disk_reads(0);
    assert!(warm < cold / 4, "a warm one from the cache: {warm} of {cold}");
    assert!(disk_reads(1) > 100, "and the default drops what is cached");
    // Each pass begins as cold as the first (measured with fio 3.33).
    let dir = tempfile::tempdir().unwrap();
    let passes = run_json(dir.path(), &format!("{}loops=3\n", job(1)), &[]);
    let reads = passes["disk_util"][0]["read_ios"].as_u64().unwrap();
    assert!((cold * 5 / 2..=cold * 7 / 2).contains(&reads), "three passes read {reads}, one {cold}");
}

#[test]
fn a_group_is_the_sum_of_its_clones() {
    let dir = tempfile::tempdir().unwrap();
    let job = "[j]\nioengine=null\nrw=read\nsize=4m\nnumjobs=4\n";
    let apart = run_json(dir.path(), job, &[]);
    let group = run_json(dir.path(), &format!("{job}group_reporting\n"), &[]);
    assert_eq!((apart["jobs"].as_array().unwrap().len(), group["jobs"].as_array().unwrap().len()), (4, 1));
    assert_eq!(group["jobs"][0]["read"]["total_ios"], 4096);
    assert_eq!(group["jobs"][0]["read"]["clat_ns"]["N"], 4096);
}

#[test]
fn a_page_cached_run_and_a_loop_device_are_told() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    std::fs::write(
        dir.path().join("j.fio"),
        "[j]\nrw=randread\nbs=4k\npre_read=1\nnorandommap\ntime_based\nruntime=2s\n",
    )
    .unwrap();
    let output = fathom(dir.path())
        .args(["run", "-q", "--details", "j.fio", "--target", &disk.device])
        .output()
        .unwrap();
    let said = text(&output);
    assert!(said.contains("[page-cache]") && said.contains("[loop-device]"), "{said}");
    let record = std::fs::read_to_string(only_run(dir.path()).join("run.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    assert!(record["findings"].as_array().unwrap().iter().any(|t| t["code"] == "page-cache"));
}
