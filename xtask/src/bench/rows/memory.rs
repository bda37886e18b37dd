//! How much memory sixteen workers take.

use std::fs;
use std::process::{Child, Stdio};
use std::time::Duration;

use super::{Ground, Row, job};
use crate::bench::job_file;

const WORKERS: u64 = 16;
const DEPTH: u64 = 32;
const BLOCK: u64 = 4096;
/// Beyond the I/O buffers.
const MIB_MAX: f64 = 32.0;
const SECONDS: u64 = 3;
/// Between two looks at a high-water mark, which only rises.
const LOOK: Duration = Duration::from_millis(100);

/// Most memory that was resident, less the buffers that the job asked for.
pub fn measure(ground: &Ground) -> Result<Vec<Row>, String> {
    let text = job(&[
        "rw=randread",
        "ioengine=null",
        "size=1g",
        "time_based=1",
        &format!("runtime={SECONDS}"),
        &format!("numjobs={WORKERS}"),
        &format!("iodepth={DEPTH}"),
    ]);
    let mut fathom = ground.fathom.command(&job_file::write(ground.scratch, &text)?);
    let child = fathom.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let kib = high_water_kib(child.map_err(|e| format!("fathom: {e}"))?)?;
    let mib = kib as f64 / 1024.0 - (WORKERS * DEPTH * BLOCK) as f64 / f64::from(1 << 20);
    Ok(vec![Row::at_most("most resident memory of 16 workers, less their buffers", mib, MIB_MAX, "MiB")])
}

/// Watches until the child ends.
fn high_water_kib(mut child: Child) -> Result<u64, String> {
    let status = format!("/proc/{}/status", child.id());
    let mut highest = 0;
    loop {
        // Gone or a zombie: the last look stands.
        let text = fs::read_to_string(&status).unwrap_or_default();
        highest = highest.max(peak_kib(&text).unwrap_or(0));
        if let Some(ended) = child.try_wait().map_err(|e| format!("fathom: {e}"))? {
            return if ended.success() { Ok(highest) } else { Err(format!("fathom: {ended}")) };
        }
        std::thread::sleep(LOOK);
    }
}

fn peak_kib(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_and_a_zombie_has_none() {
        assert_eq!(peak_kib("Name:\tfathom\nVmPeak:\t  99 kB\nVmHWM:\t    1234 kB\n"), Some(1234));
        assert_eq!(peak_kib("Name:\tfathom\nState:\tZ (zombie)\n"), None);
    }
}
