//! Offsets that are not spread evenly (`random_distribution`).
//!
//! A region is divided into *places*, the multiples of its alignment at which a block can begin. The
//! distributions draw places; each draw is independent of those before it, as in fio. Which distribution
//! it is decides the loop for a whole block of descriptors, and not for each of them.

mod as_fio;
pub mod files;
mod scatter;
#[cfg(test)]
mod tests;
mod zipf;

use super::region::Region;
use super::seed::Random;
use crate::desc::Desc;
use as_fio::FioSkew;
use fathom_job::direction::{Direction, PerDirection};
use fathom_job::distribution::{Distribution, Millionths, Zone, spans};
use fathom_job::options;
use fathom_job::plan::PlannedJob;
use scatter::Scatter;
use zipf::Zipf;

/// Draws the places of one file's region.
#[derive(Clone, Debug)]
pub struct SkewedPlaces {
    shape: Shape,
    /// Bytes between two places of the shape.
    unit: PerDirection<u64>,
    align: PerDirection<u64>,
    /// Length of the region in bytes.
    size: u64,
}

#[derive(Clone, Debug)]
enum Shape {
    Zipf(Zipf, Scatter),
    Pareto(Pareto, Scatter),
    Normal(Normal),
    Zoned(PerDirection<Zones>),
    Fio(FioSkew),
}

impl Shape {
    fn new(distribution: &Distribution, places: u64, seed: u64, before: Option<&SkewedPlaces>) -> Shape {
        let scatter = |center, hottest| Scatter::new(places, seed, center, hottest);
        match distribution {
            Distribution::Zipf { theta, center } => {
                let zipf = match before {
                    Some(SkewedPlaces { shape: Shape::Zipf(zipf, _), .. }) => zipf.with_ranks(places),
                    _ => Zipf::new(places, *theta),
                };
                Shape::Zipf(zipf, scatter(*center, 0))
            }
            Distribution::Pareto { h, center } => {
                let pareto = Pareto::new(places, *h);
                let hottest = pareto.hottest();
                Shape::Pareto(pareto, scatter(*center, hottest))
            }
            Distribution::Normal { deviation, center } => {
                let percent = deviation.unwrap_or(Distribution::DEVIATION);
                Shape::Normal(Normal::new(places, percent / 100.0, *center))
            }
            Distribution::Uniform | Distribution::Zoned(_) | Distribution::Sequence(_) => {
                unreachable!("they have no ranks")
            }
        }
    }
}

/// A uniform number from 0 up to and without 1, with the 53 bits that an `f64` holds.
#[inline(always)]
fn fraction(random: &mut Random) -> f64 {
    (random.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

impl SkewedPlaces {
    /// The draws for a region of a plan; `None` if its job is not random, or every place equally likely.
    /// Hot places are the same for all directions. With `compat=fio`, fio's formulas draw, where it has
    /// others.
    /// What the file before has made is used again where it fits.
    pub fn new(plan: &PlannedJob, region: &Region, before: Option<&SkewedPlaces>) -> Option<SkewedPlaces> {
        let distribution = plan.job.get(&options::RANDOM_DISTRIBUTION);
        let is_drawn = !matches!(distribution, Distribution::Uniform | Distribution::Sequence(_));
        if !is_drawn || !plan.rw.random {
            return None;
        }
        let align = region.align.map(|align| align.max(1));
        if let Distribution::Zoned(zones) = &distribution {
            let of = |d: Direction| Zones::new(&zones[d], region.size, align[d], plan.block[d].min().0);
            let shape = Shape::Zoned(PerDirection::from_fn(of));
            return Some(SkewedPlaces { shape, unit: align, align, size: region.size });
        }
        let used = Direction::ALL.into_iter().filter(|d| plan.uses(*d));
        let step = used.map(|d| align[d]).min().unwrap_or(1);
        let places = region.size.saturating_sub(region.unit) / step + 1;
        let shape = if plan.compat_fio {
            Shape::Fio(FioSkew::new(&distribution, places, region.seed))
        } else {
            Shape::new(&distribution, places, region.seed, before)
        };
        Some(SkewedPlaces { shape, unit: PerDirection::from_fn(|_| step), align, size: region.size })
    }

    /// Are the places of two directions drawn alike?
    pub fn is_alike(&self, one: Direction, other: Direction) -> bool {
        match &self.shape {
            Shape::Zoned(zones) => zones[one] == zones[other],
            _ => true,
        }
    }

    /// The offset of an I/O of `len` bytes, from the start of the region; `None` where it does not fit.
    #[inline]
    pub fn offset(&self, direction: Direction, len: u64, random: &mut Random) -> Option<u64> {
        let mut one = [Desc::EMPTY];
        self.fill(direction, Desc::EMPTY, 0, len, &mut one, random);
        (len <= self.size).then_some(one[0].offset)
    }

    /// Offsets for I/Os like `template`, of `len` bytes, counted from `base`; returns how many.
    pub fn fill(
        &self,
        direction: Direction,
        template: Desc,
        base: u64,
        len: u64,
        out: &mut [Desc],
        random: &mut Random,
    ) -> usize {
        let (unit, align) = (self.unit[direction], self.align[direction]);
        let Some(room) = self.size.checked_sub(len) else { return 0 };
        // An I/O that is longer than others begins earlier where the region ends.
        let last = room - room % align;
        let at = |place: u64| {
            let offset = (place * unit).min(last);
            base + if unit == align { offset } else { offset - offset % align }
        };
        let put = |desc: &mut Desc, place| *desc = template.at(at(place));
        match &self.shape {
            Shape::Zipf(zipf, scatter) => {
                // Two loops take fewer instructions than one, whose constants do not fit in the registers.
                out.iter_mut().for_each(|desc| *desc = template.at(zipf.rank(random)));
                out.iter_mut().for_each(|desc| put(desc, scatter.at(desc.offset)));
            }
            Shape::Pareto(pareto, scatter) => {
                out.iter_mut().for_each(|desc| put(desc, scatter.at(pareto.rank(random))));
            }
            Shape::Normal(normal) => out.iter_mut().for_each(|desc| put(desc, normal.place(random))),
            Shape::Zoned(zones) => {
                let zones = &zones[direction];
                out.iter_mut().for_each(|desc| put(desc, zones.place(random)));
            }
            Shape::Fio(skew) => out.iter_mut().for_each(|desc| put(desc, skew.place(random))),
        }
        out.len()
    }
}

// A normal distribution over the region, cut at both ends.
//
// fio's formula is another one: the mean of twelve uniform draws, to which the deviation adds another
// uniform draw, so that the standard deviation is always about a twelfth of the region; and the
// result is hashed, so that no part of the region is hotter than another one.

/// Draws places.
#[derive(Clone, Debug)]
struct Normal {
    /// Places as a number with a fraction, here and below.
    places: f64,
    mean: f64,
    deviation: f64,
}

impl Normal {
    /// Standard deviation and mean as fractions of the region.
    pub fn new(places: u64, deviation: f64, mean: f64) -> Normal {
        let places = places as f64;
        Normal { places, mean: mean * places, deviation: deviation * places }
    }

    /// How far the beginning of a place is from the mean, in standard deviations.
    fn standard(&self, place: u64) -> f64 {
        (place as f64 - self.mean) / self.deviation
    }

    /// A place from 0. What lies outside the region is drawn again.
    #[inline]
    pub fn place(&self, random: &mut Random) -> u64 {
        loop {
            let (a, b) = pair(random);
            for z in [a, b] {
                let place = self.mean + self.deviation * z;
                if (0.0..self.places).contains(&place) {
                    return place as u64;
                }
            }
        }
    }
}

/// Two independent standard normal numbers (Marsaglia's polar method, 1964).
#[inline]
fn pair(random: &mut Random) -> (f64, f64) {
    loop {
        let (x, y) = (2.0 * fraction(random) - 1.0, 2.0 * fraction(random) - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            let scale = (-2.0 * square.ln() / square).sqrt();
            return (x * scale, y * scale);
        }
    }
}

/// Draws ranks by inverting the distribution: the first x of all places get x^(1/`power`) of the I/Os.
#[derive(Clone, Debug)]
pub struct Pareto {
    places: u64,
    power: f64,
}

impl Pareto {
    /// `h` between 0 and 1.
    pub fn new(places: u64, h: f64) -> Pareto {
        Pareto { places, power: h.ln() / (-h).ln_1p() }
    }

    /// The rank with the most I/Os: the first one, or with h above one half the last one.
    pub fn hottest(&self) -> u64 {
        if self.power < 1.0 { self.places - 1 } else { 0 }
    }

    /// The share of the I/Os that the first `fraction` of all places gets.
    fn below(&self, fraction: f64) -> f64 {
        fraction.powf(1.0 / self.power)
    }

    /// A rank from 0.
    #[inline]
    pub fn rank(&self, random: &mut Random) -> u64 {
        let place = self.places as f64 * fraction(random).powf(self.power);
        (place as u64).min(self.places - 1)
    }
}

/// Draws places: first a zone, then one of its places.
#[derive(Clone, Debug, PartialEq)]
struct Zones {
    zones: Vec<ZonePlaces>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct ZonePlaces {
    /// Shares of this zone and of those before it, in millionths.
    upto: u32,
    first: u64,
    count: u64,
}

impl Zones {
    /// The zones in a region of `size` bytes, whose places are multiples of `align` and hold a block of
    /// `block` bytes. The plan has checked that each zone with a share of the I/Os has a place.
    pub fn new(zones: &[Zone], size: u64, align: u64, block: u64) -> Zones {
        let places = size.saturating_sub(block) / align + 1;
        let mut upto = 0;
        let mut zones: Vec<ZonePlaces> = spans(zones, size, align)
            .iter()
            .map(|span| {
                upto += span.access.0;
                let (first, end) = (span.from / align, (span.to / align).min(places));
                ZonePlaces { upto, first, count: end.saturating_sub(first) }
            })
            .collect();
        zones.retain(|zone| zone.count > 0);
        Zones { zones }
    }

    #[inline]
    pub fn place(&self, random: &mut Random) -> u64 {
        let point = random.below(Millionths::ALL.0.into()) as u32;
        let index = self.zones.partition_point(|zone| zone.upto <= point);
        let zone = self.zones[index.min(self.zones.len() - 1)];
        zone.first + random.below(zone.count)
    }
}
