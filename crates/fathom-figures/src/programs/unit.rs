//! Whether bandwidth, rate and size of an I/O agree, and which unit makes them agree.

use super::finding::{Findings, ProgramFinding};
use super::number::MIB;

/// What programs call a megabyte: 10⁶ bytes, 2²⁰, and KiB divided by 1,000.
const MEGABYTES: [f64; 3] = [1e6, MIB, 1_024_000.0];

/// The units differ by 2.4 % and more, and the figures are rounded.
const NEAR: f64 = 0.008;

/// Below this, the figures have too few digits to tell the units apart.
const BYTES_MIN: f64 = 1e5;

/// The bandwidth in bytes per second, of which the heading says that its unit has so many bytes; `None` where it contradicts the rate in every
/// unit.
pub(super) fn bandwidth(
    (line, says): (u64, f64),
    iops: Option<f64>,
    block_bytes: Option<f64>,
    bytes_per_second: f64,
    findings: &mut Findings,
) -> Option<f64> {
    let Some((iops, block_bytes)) = iops.zip(block_bytes) else { return Some(bytes_per_second) };
    let expected = iops * block_bytes;
    if expected < BYTES_MIN || bytes_per_second < BYTES_MIN {
        return Some(bytes_per_second);
    }
    let is_near = |unit: &&f64| (bytes_per_second / says * **unit / expected - 1.0).abs() < NEAR;
    if is_near(&&says) {
        return Some(bytes_per_second);
    }
    let Some(is) = MEGABYTES.iter().find(is_near) else {
        findings.add(ProgramFinding::Contradiction { line, rows: 1, iops, block_bytes, bytes_per_second });
        return None;
    };
    findings.add(ProgramFinding::Unit { line, rows: 1, says, is: *is });
    Some(bytes_per_second / says * is)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_is_the_one_that_agrees_with_the_rate() {
        let of = |megabytes: f64, iops: f64| {
            let mut findings = Findings::default();
            let value = bandwidth((3, 1e6), Some(iops), Some(4096.0), megabytes * 1e6, &mut findings);
            (value, findings.into_all().len())
        };
        assert_eq!(of(4.096, 1000.0), (Some(4_096_000.0), 0));
        assert_eq!(of(4.0, 1000.0), (Some(4_096_000.0), 1), "KiB divided by 1,000 (contract I-55)");
        assert_eq!(of(3.906_25, 1000.0), (Some(4_096_000.0), 1), "MiB");
        assert_eq!(of(9.0, 1000.0), (None, 1));
    }
}
