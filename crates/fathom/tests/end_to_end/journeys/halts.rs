//! A fathom that is stopped by a signal does not blame its target for that time.

use crate::support::{Loop, fathom, json, own_devices};
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn a_fathom_that_was_stopped_says_so_and_blames_no_target() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    let job = "[r]\nrw=randread\nbs=4k\nioengine=libaio\niodepth=8\ndirect=1\nruntime=4\ntime_based\n";
    std::fs::write(dir.path().join("j.fio"), job).unwrap();
    let mut command = fathom(dir.path());
    command.args(["run", "j.fio", "-q", "--no-calibrate", "--target", &disk.device, "--output-dir", "out"]);
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let signal = |number: i32| {
        // SAFETY: takes no pointers; the process is our own child.
        assert_eq!(unsafe { libc::kill(run.id() as i32, number) }, 0);
    };
    let ends_at = Instant::now() + Duration::from_secs(20);
    while std::fs::metadata(dir.path().join("out/spool")).map_or(0, |spool| spool.len()) < 2_000 {
        assert!(Instant::now() < ends_at, "the run did not begin");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
    signal(libc::SIGSTOP);
    std::thread::sleep(Duration::from_millis(2_100));
    signal(libc::SIGCONT);
    run.wait().unwrap();
    let record = json(&std::fs::read_to_string(dir.path().join("out/run.json")).unwrap());
    let codes: Vec<&str> = record["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|finding| finding["code"].as_str())
        .collect();
    assert!(codes.contains(&"stopped") && !codes.contains(&"stalls"), "{}", record["findings"]);
    let halts = record["self_knowledge"]["halts"].as_array().unwrap();
    let ns = |halt: &serde_json::Value| halt["end_ns"].as_u64().unwrap() - halt["start_ns"].as_u64().unwrap();
    assert!(halts.iter().any(|halt| ns(halt) >= 2_100_000_000), "{halts:?}");
    let stopped =
        record["findings"].as_array().unwrap().iter().find(|finding| finding["code"] == "stopped").unwrap();
    assert!(stopped["evidence"]["halts"].as_array().is_some_and(|halts| !halts.is_empty()), "{stopped}");
}
