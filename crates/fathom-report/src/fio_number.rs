//! Numbers as fio's text output writes them: a limited number of characters, then a prefix.

use fathom_results::JobFailure;

/// errno as fio reports it: 0 when all went well, and EIO (5) for a failure that was not a system
/// error.
pub fn errno(failure: Option<&JobFailure>) -> i32 {
    const EIO: i32 = 5;
    failure.map_or(0, |f| if f.errno == 0 { EIO } else { f.errno })
}

/// What a number counts, which decides the unit after its prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A bare count, decimal prefixes.
    Count,
    /// Bytes, powers of 1024: `30.4GiB`.
    BytesIec,
    /// Bytes, powers of 1000: `32.6GB`.
    BytesSi,
}

impl Unit {
    const fn thousand(self) -> u64 {
        match self {
            Unit::BytesIec => 1024,
            _ => 1000,
        }
    }

    fn suffix(self, power: usize) -> String {
        const PREFIXES: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];
        match (self, power) {
            (Unit::Count, p) => PREFIXES[p].to_owned(),
            (Unit::BytesSi, p) => format!("{}B", PREFIXES[p]),
            (Unit::BytesIec, 0) => "B".to_owned(),
            (Unit::BytesIec, p) => format!("{}iB", PREFIXES[p].to_uppercase()),
        }
    }
}

/// `n` in at most `width` characters before its unit: the prefix is the first
/// that makes the whole part fit, and decimals fill what is left, their point
/// included. A number that fits as it is stays as it is.
pub fn short(n: u64, width: usize, unit: Unit) -> String {
    let (mut whole, mut power, mut rest) = (n, 0, 0);
    while whole.to_string().len() > width && power < 6 {
        rest = whole % unit.thousand();
        whole /= unit.thousand();
        power += 1;
    }
    if power == 0 {
        return format!("{n}{}", unit.suffix(0));
    }
    let suffix = unit.suffix(power);
    let decimals = width.saturating_sub(whole.to_string().len() + 1);
    if decimals == 0 {
        whole += u64::from(2 * rest >= unit.thousand());
        return format!("{whole}{suffix}");
    }
    // fio rounds the fraction alone: 99.95 is 99.9, because 0.95 is a little less in binary.
    let fraction = format!("{:.decimals$}", rest as f64 / unit.thousand() as f64);
    whole += u64::from(fraction.starts_with('1'));
    format!("{whole}{}{suffix}", &fraction[1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_fio_3_33_printed_them() {
        let counts = [
            (7_969_000, 4, "7969k"),
            (1_834_658, 6, "1834.7k"),
            (93_595, 6, "93595"),
            (55_222, 4, "55.2k"),
            (4000, 4, "4000"),
        ];
        for (n, width, text) in counts {
            assert_eq!(short(n, width, Unit::Count), text);
        }
        let bytes = [
            (4096, "4096B", "4096B"),
            (65_536, "64.0KiB", "65.5kB"),
            (479_349_028, "457MiB", "479MB"),
            (16_777_216, "16.0MiB", "16.8MB"),
            (4_194_304, "4096KiB", "4194kB"),
            (32_640_000_000, "30.4GiB", "32.6GB"),
            (1, "1B", "1B"),
            (999, "999B", "999B"),
            (1025, "1025B", "1025B"),
            (9999, "9999B", "9999B"),
            (10_000, "9.77KiB", "10.0kB"),
            (10_005, "9.77KiB", "10.0kB"),
            (10_050, "9.81KiB", "10.1kB"),
            (10_150, "9.91KiB", "10.1kB"),
            (10_239, "10.00KiB", "10.2kB"),
            (10_240, "10.0KiB", "10.2kB"),
            (10_496, "10.2KiB", "10.5kB"),
            (11_008, "10.8KiB", "11.0kB"),
            (99_950, "97.6KiB", "99.9kB"),
            (99_999, "97.7KiB", "100.0kB"),
            (100_500, "98.1KiB", "101kB"),
            (102_399, "100.0KiB", "102kB"),
            (102_400, "100KiB", "102kB"),
            (999_936, "977KiB", "1000kB"),
            (999_999, "977KiB", "1000kB"),
            (1_023_999, "1000KiB", "1024kB"),
            (1_048_577, "1024KiB", "1049kB"),
            (9_999_999, "9766KiB", "10000kB"),
            (11_796_480, "11.2MiB", "11.8MB"),
            (99_999_999, "95.4MiB", "100.0MB"),
            (1_000_000_000, "954MiB", "1000MB"),
            (1_073_741_825, "1024MiB", "1074MB"),
        ];
        for (n, iec, si) in bytes {
            assert_eq!(
                (short(n, 4, Unit::BytesIec).as_str(), short(n, 4, Unit::BytesSi).as_str()),
                (iec, si)
            );
        }
    }
}
