//! A load on a CPU (`cpuio`), beside Debian's fio.

use crate::support::{fathom, must};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// A job with I/O, and a load that ends with it. What [global] says of I/O is not meant for the load.
const JOB: &str = "[global]\nfilename=data\nrw=write\nbs=4k\n[io]\nioengine=null\nsize=400k\nrate_iops=200\n\
    [cpu]\nioengine=cpuio\ncpuload=200\ncpumode=qsort\ncpuchunks=2000\nexit_on_io_done=1\n";

fn output(tool: &mut Command, at: &Path, format: &str) -> String {
    std::fs::write(at.join("j.fio"), JOB).unwrap();
    must(tool.current_dir(at).args([&format!("--output-format={format}"), "j.fio"]))
}

#[test]
fn a_load_has_the_lines_and_keys_of_fio_and_moves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let both = |format: &str| {
        [&mut Command::new("fio"), fathom(dir.path()).arg("fio")].map(|tool| output(tool, dir.path(), format))
    };
    for text in both("normal") {
        let of_load: Vec<&str> = text.lines().filter(|line| line.starts_with("cpu")).collect();
        assert_eq!(of_load[0], "cpu (qsort): ioengine=cpuio, cpuload=100, cpucycle=2000", "{text}");
        assert!(of_load[1].starts_with("cpu: (groupid=0, jobs=1): err= 0:"), "{text}");
        let rates = text.lines().filter(|line| line.contains("IOPS=")).count();
        assert_eq!((of_load.len(), rates), (2, 1), "{text}");
    }
    let jobs = both("json").map(|json| {
        let document: Value = serde_json::from_str(&json[json.find("{\n").unwrap()..]).unwrap();
        document["jobs"].as_array().unwrap().clone()
    });
    let keys = |job: &Value| job.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(jobs[0].iter().map(keys).collect::<Vec<_>>(), jobs[1].iter().map(keys).collect::<Vec<_>>());
    for [io, load] in jobs.map(|jobs| <[Value; 2]>::try_from(jobs).unwrap()) {
        assert_eq!(io["write"]["total_ios"], 100);
        for direction in ["read", "write", "trim"] {
            let of = |key: &str| load[direction][key].as_f64().unwrap();
            assert_eq!((of("io_bytes"), of("iops"), of("runtime")), (0.0, 0.0, 0.0), "{load}");
        }
        assert!(load["usr_cpu"].as_f64().unwrap() > 1.0, "{load}");
    }
    assert!(!dir.path().join("data").exists());
}

/// The load that was reached is in the table, and a job that does no I/O by its nature is not missed.
#[test]
fn a_load_is_shown_with_what_it_used() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("j.fio"), JOB).unwrap();
    let said = must(fathom(dir.path()).args(["run", "-q", "--no-calibrate", "j.fio"]));
    let load = said.lines().find(|line| line.starts_with("cpu ")).expect("its row");
    assert!(load.contains("100 % of a CPU  used ") && load.ends_with(" %"), "{said}");
    assert!(said.contains("jobs     1 job of "), "{said}");
}
