//! The same jobs with `steadystate` under both tools: the same verdicts, within a second, and the same JSON.
//!
//! The rates of these jobs leave no doubt: a schedule with even gaps is steady at once, and random gaps never are within
//! a limit that is far below their noise. Series at the limits are in `fathom-judge/tests/steady_of_fio`.

use crate::support::{fathom, json, key_paths, machine};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

const JOBS: &str = "[global]\nioengine=null\nrw=randread\nbs=4k\nsize=1g\nnorandommap\ntime_based\nruntime=6\n\
    rate_iops=400\ngroup_reporting\nthread\nss_dur=3\n\
    [even]\nss=iops:20%\n[even-slope]\nnew_group\nss=bw_slope:20%\nss_ramp=1\n\
    [random]\nnew_group\nrate_process=poisson\nss=iops:0.001%\n\
    [random-bw]\nnew_group\nrate_process=poisson\nss=bw_slope:0.001%\n\
    [two]\nnew_group\nnumjobs=2\nss=bw:300k\n[late]\nnew_group\nss=iops:20%\nruntime=2\n";

fn told(tool: &mut Command) -> Value {
    let output = tool.args(["--output-format=json", "j.fio"]).output().unwrap();
    json(&String::from_utf8_lossy(&output.stdout))
}

#[test]
fn both_tools_find_the_same_jobs_steady() {
    // A processor that others use makes even gaps uneven.
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("j.fio"), JOBS).unwrap();
    let (theirs, ours) = std::thread::scope(|scope| {
        let theirs = scope.spawn(|| told(Command::new("fio").current_dir(dir.path())));
        let ours = told(fathom(dir.path()).arg("fio"));
        (theirs.join().unwrap(), ours)
    });
    let mut verdicts = Vec::new();
    for (theirs, ours) in theirs["jobs"].as_array().unwrap().iter().zip(ours["jobs"].as_array().unwrap()) {
        let name = theirs["jobname"].as_str().unwrap();
        let of = |job: &Value| {
            let steady = &job["steadystate"];
            (steady["ss"].clone(), steady["duration"].clone(), steady["attained"].clone())
        };
        assert_eq!(of(theirs), of(ours), "{name}");
        let end = |job: &Value| job["read"]["runtime"].as_u64().unwrap();
        assert!(end(theirs).abs_diff(end(ours)) < 1_100, "{name}: {} and {} ms", end(theirs), end(ours));
        let keys = |job: &Value| {
            let mut keys = BTreeSet::new();
            key_paths(&job["steadystate"], "", &mut keys);
            keys
        };
        assert_eq!(keys(theirs), keys(ours), "{name}");
        verdicts.push(ours["steadystate"]["attained"].as_u64());
    }
    assert_eq!(verdicts, [1, 1, 0, 0, 1, 0].map(Some));
}
