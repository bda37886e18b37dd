//! A distribution as a job file spells it.

use super::{Distribution, Zone, ZoneSize};
use crate::direction::PerDirection;
use std::fmt;

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
            Distribution::Zoned(each) => f.write_str(&zones(each)),
        }
    }
}

/// Zones with their word, one list where all directions are alike.
fn zones(each: &PerDirection<Vec<Zone>>) -> String {
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
