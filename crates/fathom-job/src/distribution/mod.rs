//! How random offsets are spread over a region: the values of `random_distribution`.

mod millionths;
mod spelled;
mod words;
mod zones;

pub use millionths::Millionths;
pub use zones::{Zone, ZoneSize, ZoneSpan, spans};

use crate::direction::PerDirection;

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
    pub const NAMES: [&str; 6] = ["random", "zipf", "pareto", "normal", "zoned", "zoned_abs"];

    /// Is every place equally likely?
    pub fn is_uniform(&self) -> bool {
        *self == Distribution::Uniform
    }
}
