//! `--cpuclock-test` and `--crctest`: fio tests itself with them; here they test fathom.

use crate::failure::{Exit, Failure, print};
use fathom_engine::clock::Clock;
use fathom_session::Here;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// How long to wait before the drift of the clock is read: it is known after a second.
const DRIFT_KNOWN: Duration = Duration::from_millis(1_100);

/// Prints which clock a run would have, whether the processors agree on it, and its drift.
/// The test passes if it is the time-stamp counter.
pub fn clock(here: &Here) -> Result<Exit, Failure> {
    let clock = Clock::calibrate(here.kernel_trusts_tsc());
    std::thread::sleep(DRIFT_KNOWN);
    let notes: String = clock.notes().iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
    let passes = clock.name() == "tsc";
    print(&format!("{notes}cs: {}\n", if passes { "Pass!" } else { "Failed!" }))?;
    Ok(if passes { Exit::Ok } else { Exit::Failed })
}

/// A checksum over a buffer.
type Sum = fn(&[u8]) -> u32;

/// The checksums that fathom has: that of the frames of its results.
const SUMS: &[(&str, Sum)] = &[("crc32", crc32fast::hash)];

/// Prints how fast the checksums are: all, or those that are named.
pub fn checksums(names: Option<&str>) -> Result<Exit, Failure> {
    let known: Vec<&str> = SUMS.iter().map(|(name, _)| *name).collect();
    let named: Option<Vec<&str>> = names.map(|names| names.split(',').collect());
    if let Some(name) = named.iter().flatten().find(|name| !known.contains(name)) {
        let error = Failure::new(Exit::Usage, format!("fathom has no checksum {name}"));
        return Err(error.hint(format!("fathom has {}", known.join(", "))));
    }
    let wanted = |name: &str| named.as_ref().is_none_or(|names| names.contains(&name));
    for (name, sum) in SUMS.iter().filter(|(name, _)| wanted(name)) {
        print(&format!("{name}:\t{:8.2} MiB/sec\n", mib_per_second(*sum)))?;
    }
    Ok(Exit::Ok)
}

/// The speed over a buffer of 128 KiB, as in fio, measured for a tenth of a second.
fn mib_per_second(sum: Sum) -> f64 {
    let buffer: Vec<u8> =
        (0..128 << 10).map(|at: u32| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let (start, mut bytes) = (Instant::now(), 0);
    while start.elapsed() < Duration::from_millis(100) {
        black_box(sum(black_box(&buffer)));
        bytes += buffer.len();
    }
    bytes as f64 / start.elapsed().as_secs_f64() / (1 << 20) as f64
}
