//! `--cpuclock-test` and `--crctest`: fio tests itself with them; here they test fathom.

use crate::failure::{Exit, Failure, print};
use fathom_engine::clock::Clock;
use fathom_session::Here;
use fathom_verify::{Method, checksum};
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

/// Prints how fast the checksums of `verify` are: all, or those that are named. `help` lists the names, as in fio.
pub fn checksums(names: Option<&str>) -> Result<Exit, Failure> {
    let known: Vec<&str> = Method::all().filter(|method| has_sum(*method)).map(Method::name).collect();
    if names == Some("help") {
        return print(&(known.join("\n") + "\n")).map(|()| Exit::Ok);
    }
    let wanted: Vec<&str> = names.map_or_else(|| known.clone(), |names| names.split(',').collect());
    let named = |name: &&str| Method::named(name).filter(|method| has_sum(*method));
    if let Some(name) = wanted.iter().find(|name| named(name).is_none()) {
        let error = Failure::new(Exit::Usage, format!("fathom has no checksum {name}"));
        return Err(error.hint(format!("fathom has {}", known.join(", "))));
    }
    for method in wanted.iter().filter_map(named) {
        print(&format!("{}:\t{:8.2} MiB/sec\n", method.name(), mib_per_second(method)))?;
    }
    Ok(Exit::Ok)
}

fn has_sum(method: Method) -> bool {
    method.checksum_bytes() > 0
}

/// The speed over a buffer of 128 KiB, as in fio, measured for a tenth of a second.
fn mib_per_second(method: Method) -> f64 {
    let buffer: Vec<u8> =
        (0..128 << 10).map(|at: u32| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let (start, mut bytes) = (Instant::now(), 0);
    while start.elapsed() < Duration::from_millis(100) {
        black_box(checksum(method, black_box(&buffer)));
        bytes += buffer.len();
    }
    bytes as f64 / start.elapsed().as_secs_f64() / (1 << 20) as f64
}
