//! How random offsets are spread over a region: the values of `random_distribution`.

use crate::direction::{Direction, PerDirection};
use crate::units::Bytes;
use std::fmt;

/// How random offsets are spread over a region.
///
/// All but the first draw each offset independently, so blocks repeat within a pass, and `norandommap`
/// makes no difference.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Distribution {
    /// Every place is equally likely (`random`).
    #[default]
    Uniform,
    /// The place of rank k has a weight of 1 ÷ k^`theta`.
    Zipf {
        /// The exponent: from 0 (uniform), not 1.
        theta: f64,
        /// Where the hottest place is, as a fraction of the region. Without it, each clone has other
        /// hot places.
        center: Option<f64>,
    },
    /// A share `h` of the places gets a share 1 − `h` of the I/Os, and within both parts again.
    Pareto {
        /// Between 0 and 1, both excluded: 0.2 is the rule of 80 to 20.
        h: f64,
        /// As for zipf.
        center: Option<f64>,
    },
    /// A normal distribution of places around the centre, cut at both ends of the region.
    Normal {
        /// Standard deviation in percent of the region, above 0 and below 100; [`Self::DEVIATION`] if not given.
        deviation: Option<f64>,
        /// The mean, as a fraction of the region.
        center: f64,
    },
    /// Each zone of the region has its own share of the I/Os. Within a zone, every place is equally
    /// likely.
    Zoned(PerDirection<Vec<Zone>>),
    /// Nothing is drawn: these places, by their numbers from the start of the region, over and over.
    Sequence(Vec<u64>),
}

impl Distribution {
    /// Exponent of `zipf` where none is given: fio's default.
    pub const THETA: f64 = 1.1;
    /// Power of `pareto` where none is given: fio's default.
    pub const H: f64 = 0.2;
    /// Deviation of `normal` where none is given, in percent: that of fio, which takes the mean of twelve
    /// uniform draws, is a twelfth of the region.
    pub const DEVIATION: f64 = 100.0 / 12.0;
    /// Centre of `normal` where none is given.
    pub const CENTER: f64 = 0.5;
    /// fio's name of each.
    pub const NAMES: [&str; 7] = ["random", "zipf", "pareto", "normal", "zoned", "zoned_abs", "sequence"];

    /// Is every place equally likely?
    pub fn is_uniform(&self) -> bool {
        *self == Distribution::Uniform
    }
}

/// A share of a whole in millionths. Whole numbers add up exactly, so that 33.3 and 66.7 percent are all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Millionths(
    /// Millionths, 1,000,000 at most.
    pub u32,
);

impl Millionths {
    /// The whole.
    pub const ALL: Millionths = Millionths(1_000_000);
    /// Millionths in a percent.
    pub const PERCENT: u32 = 10_000;

    /// This share of a number, rounded down.
    pub fn of(self, whole: u64) -> u64 {
        let part = u128::from(whole) * u128::from(self.0) / u128::from(Millionths::ALL.0);
        u64::try_from(part).unwrap_or(u64::MAX)
    }
}

/// The number of percent, with the decimals that it has: `12.5`.
impl fmt::Display for Millionths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 / Millionths::PERCENT)?;
        match format!("{:04}", self.0 % Millionths::PERCENT).trim_end_matches('0') {
            "" => Ok(()),
            decimals => write!(f, ".{decimals}"),
        }
    }
}

/// The value of `random_distribution`, which reads as the same again.
impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distribution::Uniform => f.write_str("random"),
            Distribution::Zipf { theta, center } => {
                write!(f, "zipf:{theta}")?;
                center.map_or(Ok(()), |center| write!(f, ":{center}"))
            }
            Distribution::Pareto { h, center } => {
                write!(f, "pareto:{h}")?;
                center.map_or(Ok(()), |center| write!(f, ":{center}"))
            }
            Distribution::Normal { deviation, center } => {
                write!(f, "normal:{}:{center}", deviation.unwrap_or(0.0))
            }
            Distribution::Zoned(each) => f.write_str(&zones_value(each)),
            Distribution::Sequence(places) => write!(f, "sequence:{}", comma_list(places)),
        }
    }
}

fn comma_list(places: &[u64]) -> String {
    places.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

/// Zones with their word, one list where all directions are alike.
fn zones_value(each: &PerDirection<Vec<Zone>>) -> String {
    let is_bytes = each.read.iter().any(|zone| matches!(zone.size, ZoneSize::Bytes(_)));
    let name = if is_bytes { "zoned_abs" } else { "zoned" };
    let lists: Vec<String> = each.iter().map(|(_, zones)| list(zones)).collect();
    let alike = lists.windows(2).all(|pair| pair[0] == pair[1]);
    format!("{name}:{}", if alike { lists[0].clone() } else { lists.join(",") })
}

fn list(zones: &[Zone]) -> String {
    let one = |zone: &Zone| match zone.size {
        ZoneSize::Part(share) => format!("{}/{share}", zone.access),
        ZoneSize::Bytes(bytes) => format!("{}/{}", zone.access, bytes.0),
    };
    zones.iter().map(one).collect::<Vec<_>>().join(":")
}

/// Most places of a sequence that are named.
const PLACES_MAX: usize = 8;

/// Most zones of a direction that are named.
const ZONES_MAX: usize = 6;

impl Distribution {
    /// Its name and number, as in a job file: `zipf:1.2`; `None` for a uniform one.
    pub fn brief(&self) -> Option<String> {
        Some(match self {
            Distribution::Uniform => return None,
            Distribution::Zipf { theta, .. } => format!("zipf:{theta}"),
            Distribution::Pareto { h, .. } => format!("pareto:{h}"),
            Distribution::Normal { deviation: None, .. } => "normal".to_owned(),
            Distribution::Normal { deviation: Some(percent), .. } => format!("normal:{percent}"),
            Distribution::Zoned(_) => "in zones".to_owned(),
            Distribution::Sequence(_) => "in a given sequence".to_owned(),
        })
    }

    /// What it is, for the directions in use: `zipf with theta 1.2`; `None` for a uniform one.
    pub fn words(&self, used: &[Direction]) -> Option<String> {
        Some(match self {
            Distribution::Uniform => return None,
            Distribution::Sequence(places) => {
                let shown = comma_list(&places[..places.len().min(PLACES_MAX)]);
                let more = if places.len() > PLACES_MAX { ",…" } else { "" };
                format!("blocks {shown}{more} in turn")
            }
            Distribution::Zipf { theta, center } => format!("zipf with theta {theta}{}", hottest(*center)),
            Distribution::Pareto { h, center } => format!("pareto with h {h}{}", hottest(*center)),
            Distribution::Normal { deviation, center } => format!(
                "normal around {} % of the region with a standard deviation of {} %",
                rounded(center * 100.0),
                rounded(deviation.unwrap_or(Distribution::DEVIATION))
            ),
            Distribution::Zoned(each) => {
                let alike = used.windows(2).all(|pair| each[pair[0]] == each[pair[1]]);
                match used.first() {
                    Some(first) if alike => format!("zones: {}", zones(&each[*first])),
                    _ => {
                        let one = |d: &Direction| format!("zones of {}s: {}", d.name(), zones(&each[*d]));
                        used.iter().map(one).collect::<Vec<_>>().join("; ")
                    }
                }
            }
        })
    }
}

fn hottest(center: Option<f64>) -> String {
    center.map_or_else(String::new, |center| {
        format!(", hottest at {} % of the region", rounded(center * 100.0))
    })
}

/// Two decimals at most.
fn rounded(x: f64) -> f64 {
    (x * 100.0).round() / 100.0
}

/// `60 % of the I/Os in the first 10 %, 40 % in the next 90 %`.
fn zones(zones: &[Zone]) -> String {
    let one = |(index, zone): (usize, &Zone)| {
        let whose = if index == 0 { "% of the I/Os in the first" } else { "% in the next" };
        match zone.size {
            ZoneSize::Part(share) => format!("{} {whose} {share} %", zone.access),
            ZoneSize::Bytes(bytes) => format!("{} {whose} {bytes}", zone.access),
        }
    };
    let mut words: Vec<String> = zones.iter().enumerate().take(ZONES_MAX).map(one).collect();
    if zones.len() > ZONES_MAX {
        words.push(format!("… {} more zones", zones.len() - ZONES_MAX));
    }
    words.join(", ")
}

/// A part of the region with its own share of the I/Os. Zones follow each other from the start of the
/// region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone {
    /// Its share of the I/Os. The shares of all zones make the whole.
    pub access: Millionths,
    /// How long it is.
    pub size: ZoneSize,
}

/// The length of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZoneSize {
    /// A share of the region (`zoned`).
    Part(Millionths),
    /// Bytes (`zoned_abs`).
    Bytes(Bytes),
}

/// Where a zone lies in a region, in bytes from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneSpan {
    /// Its share of the I/Os.
    pub access: Millionths,
    /// First byte.
    pub from: u64,
    /// First byte beyond it. With `zoned_abs`, this may be beyond the region.
    pub to: u64,
}

/// Where the zones lie in a region of `size` bytes. They begin and end at multiples of `align`, rounded
/// down, so that no place lies between two zones.
pub fn spans(zones: &[Zone], size: u64, align: u64) -> Vec<ZoneSpan> {
    let align = align.max(1);
    let (mut share, mut bytes) = (0u32, 0u64);
    let mut end = |zone: &Zone| {
        let end = match zone.size {
            ZoneSize::Part(part) => {
                share += part.0;
                Millionths(share).of(size)
            }
            ZoneSize::Bytes(part) => {
                bytes = bytes.saturating_add(part.0);
                bytes
            }
        };
        end - end % align
    };
    let mut from = 0;
    let mut span = |zone: &Zone| {
        let to = end(zone);
        ZoneSpan { access: zone.access, from: std::mem::replace(&mut from, to), to }
    };
    zones.iter().map(&mut span).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_printed_with_the_decimals_that_it_has() {
        let table = [(0, "0"), (600_000, "60"), (125_000, "12.5"), (1, "0.0001"), (1_000_000, "100")];
        for (millionths, text) in table {
            assert_eq!(Millionths(millionths).to_string(), text);
        }
    }

    #[test]
    fn a_share_of_the_largest_number_fits() {
        assert_eq!(Millionths::ALL.of(u64::MAX), u64::MAX);
        assert_eq!((Millionths(333_333).of(3), Millionths(500_000).of(9)), (0, 4));
    }

    fn ends(sizes: &[ZoneSize], size: u64) -> Vec<(u64, u64)> {
        let zones: Vec<Zone> = sizes.iter().map(|size| Zone { access: Millionths(0), size: *size }).collect();
        spans(&zones, size, 4096).iter().map(|span| (span.from, span.to)).collect()
    }

    #[test]
    fn zones_follow_each_other_without_a_gap() {
        let share = |percent| ZoneSize::Part(Millionths(percent * Millionths::PERCENT));
        let size = 256 * 4096;
        let blocks = [(0, 25), (25, 76), (76, 256)].map(|(from, to)| (from * 4096, to * 4096));
        assert_eq!(ends(&[share(10), share(20), share(70)], size), blocks);
        let kib = |n| ZoneSize::Bytes(Bytes::kib(n));
        assert_eq!(ends(&[kib(10), kib(10)], size), [(0, 8192), (8192, 20480)]);
        assert_eq!(
            ends(&[ZoneSize::Bytes(Bytes(u64::MAX)), kib(4)], size)[1],
            (u64::MAX - 4095, u64::MAX - 4095)
        );
    }
}
