//! Trims of 2 GiB and more of a loop device, which is sparse: fio and fathom
//! count the same.

use crate::support::{Loop, fathom, json, machine, must};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// What a job adds to `filename`.
const JOBS: [&str; 4] = [
    "ioengine=psync\nrw=trim\nbs=4g\nwrite_bw_log=x\nwrite_lat_log=x\n",
    "ioengine=libaio\niodepth=8\nrw=randtrim\nbs=2g\n",
    "ioengine=psync\nrw=trim\nbs=2g,2g,4g\noffset=4g\nsize=24g\nio_size=40g\n",
    "ioengine=io_uring\nrw=trim\nbs=3g\nsize=30g\nloops=2\n",
];

/// I/Os, bytes and short I/Os of the only job of a document.
fn trims(document: &str) -> [u64; 3] {
    let trim: &Value = &json(document)["jobs"][0]["trim"];
    ["total_ios", "io_bytes", "short_ios"].map(|key| trim[key].as_u64().unwrap_or_else(|| panic!("{key}")))
}

fn run(tool: &mut Command, dir: &Path) -> [u64; 3] {
    trims(&must(tool.current_dir(dir).args(["--output-format=json", "j.fio"])))
}

#[test]
fn large_trims_are_counted_as_fio_counts_them() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 32 << 10);
    for job in JOBS {
        let text = format!("[j]\nfilename={}\nrandseed=1\n{job}", disk.device);
        std::fs::write(dir.path().join("j.fio"), text).unwrap();
        let theirs = run(&mut Command::new("fio"), dir.path());
        let ours = run(fathom(dir.path()).args(["fio", "--destroy", &disk.consent()]), dir.path());
        assert_eq!(ours, theirs, "{job}");
        let [ios, bytes, _] = ours;
        assert!(ios > 0 && bytes >= (2 * ios) << 30, "{job}: {bytes} in {ios}");
    }
}
