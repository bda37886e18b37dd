//! The composite block size workload of SNIA PTS: twelve sizes, and three zones that are not used alike
//! (SNIA PTS 2.0.2, after JESD219).

use fathom_job::units::Bytes;

/// The sizes, with their shares of the I/Os in per cent (Σ 100; mean 7.6 KiB).
const SIZES: [(Bytes, u32); 12] = [
    (Bytes(512), 4),
    (Bytes::kib(1), 1),
    (Bytes(1536), 1),
    (Bytes::kib(2), 1),
    (Bytes(2560), 1),
    (Bytes::kib(3), 1),
    (Bytes(3584), 1),
    (Bytes::kib(4), 67),
    (Bytes::kib(8), 10),
    (Bytes::kib(16), 7),
    (Bytes::kib(32), 3),
    (Bytes::kib(64), 3),
];

/// The zones from the first block on: per cent of the I/Os, and per cent of the active range.
const ZONES: [(u32, u32); 3] = [(50, 5), (30, 15), (20, 80)];

/// The options of a job that make it.
pub fn options() -> String {
    let size = |(size, share): (Bytes, u32)| match size.0 % 1024 {
        0 => format!("{}k/{share}", size.0 / 1024),
        _ => format!("{}/{share}", size.0),
    };
    let zones = ZONES.map(|(ios, range)| format!("{ios}/{range}")).join(":");
    format!("bssplit={}\nrandom_distribution=zoned:{zones}\n", SIZES.map(size).join(":"))
}

/// Sizes and zones, for the report.
pub fn mix() -> String {
    let sizes = SIZES.map(|(size, share)| format!("{size} {share} %")).join(", ");
    let zones = ZONES.map(|(ios, range)| format!("{ios} % of the I/Os in {range} %")).join(", then ");
    format!("{sizes}; from the first block on, {zones} of the active range")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_are_those_of_the_standard() {
        assert_eq!(SIZES.iter().map(|(_, share)| share).sum::<u32>(), 100);
        let mean = SIZES.iter().map(|(size, share)| size.0 * u64::from(*share)).sum::<u64>() as f64 / 100.0;
        assert!((mean / 1024.0 - 7.635).abs() < 0.001, "{mean}");
        assert_eq!(ZONES.iter().fold((0, 0), |sum, zone| (sum.0 + zone.0, sum.1 + zone.1)), (100, 100));
        let options = options();
        assert!(options.starts_with("bssplit=512/4:1k/1:1536/1:2k/1:"), "{options}");
        assert!(options.ends_with(":64k/3\nrandom_distribution=zoned:50/5:30/15:20/80\n"), "{options}");
        assert!(mix().starts_with("512 B 4 %, 1 KiB 1 %, 1.5 KiB 1 %"), "{}", mix());
    }
}
