//! A distribution in words, for plans and reports.

use super::{Distribution, Zone, ZoneSize};
use crate::direction::Direction;

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
        })
    }

    /// What it is, for the directions in use: `zipf with theta 1.2`; `None` for a uniform one.
    pub fn words(&self, used: &[Direction]) -> Option<String> {
        Some(match self {
            Distribution::Uniform => return None,
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
