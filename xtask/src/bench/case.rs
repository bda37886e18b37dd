//! What is compared: where the generator is the limit, not a device.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// One comparison.
pub struct Case {
    /// What it shows.
    pub title: &'static str,
    /// The same file for both sides.
    pub job_file: PathBuf,
}

const FILE_BYTES: usize = 256 << 20;

/// What both cases share. A second of ramp lets clocks and caches settle. fio is given its cheapest
/// clock and spared its random map, so that it is compared at its best.
const SHARED: &str = "\
rw=randread
bs=4k
norandommap=1
randrepeat=0
thread=1
clocksource=cpu
time_based=1
ramp_time=1
";

/// Writes the job files, and the file that one of them reads, into `scratch`.
pub fn all(scratch: &Path, seconds: u64) -> Result<Vec<Case>, String> {
    let target = scratch.join("cached.dat");
    write_file(&target).map_err(|e| format!("{}: {e}", target.display()))?;
    let cached =
        format!("ioengine=psync\ndirect=0\ninvalidate=0\nsize=256m\nfilename={}\n", target.display());
    Ok(vec![
        Case {
            title: "null engine, depth 32, 4 KiB random reads: what the generator itself costs",
            job_file: job_file(scratch, "null", "ioengine=null\niodepth=32\nsize=1g\n", seconds)?,
        },
        Case {
            title: "psync on a page-cached file of 256 MiB, 4 KiB random reads: one call per I/O",
            job_file: job_file(scratch, "cached", &cached, seconds)?,
        },
    ])
}

fn job_file(scratch: &Path, name: &str, own: &str, seconds: u64) -> Result<PathBuf, String> {
    let path = scratch.join(name).with_extension("fio");
    let text = format!("[{name}]\n{SHARED}runtime={seconds}\n{own}");
    std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}

/// Writing it also brings it into the page cache. Zeros would do, but a file system may store
/// them as a hole.
fn write_file(path: &Path) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    let block: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
    for _ in 0..FILE_BYTES / block.len() {
        file.write_all(&block)?;
    }
    file.sync_all()
}
