//! Smoother forms of a time line: what fio2gnuplot calls smooth and trend.

use fathom_figures::fio::RatePoint;

/// How far on each side neighbours count for a smoothed point, as a part of the whole time.
const SMOOTHED: f64 = 1.0 / 40.0;

/// The same for the trend: only what lasts remains.
const TREND: f64 = 1.0 / 6.0;

/// A form of a time line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As it was logged.
    Raw,
    /// Without the noise.
    Smoothed,
    /// The direction in which it goes.
    Trend,
}

impl Form {
    pub(super) const ALL: [Form; 3] = [Form::Raw, Form::Smoothed, Form::Trend];

    pub(super) fn name(self) -> &'static str {
        match self {
            Form::Raw => "raw",
            Form::Smoothed => "smoothed",
            Form::Trend => "trend",
        }
    }

    /// The points in this form.
    pub(super) fn of(self, points: &[RatePoint]) -> Vec<RatePoint> {
        let length = points.last().map_or(0.0, |last| last.start + last.length)
            - points.first().map_or(0.0, |p| p.start);
        match self {
            Form::Raw => points.to_vec(),
            Form::Smoothed => smoothed(points, length * SMOOTHED),
            Form::Trend => smoothed(points, length * TREND),
        }
    }
}

/// Each point as the mean of its neighbours up to this distance, s; the weight falls evenly with the distance. At the
/// ends there are neighbours on one side only.
fn smoothed(points: &[RatePoint], reach: f64) -> Vec<RatePoint> {
    let step = points.first().map_or(0.0, |point| point.length);
    // At least one neighbour on each side.
    let reach = reach.max(1.5 * step);
    let of = |middle: &RatePoint| {
        let (mut sum, mut weights) = (0.0, 0.0);
        for point in points {
            let weight = (1.0 - (point.start - middle.start).abs() / reach).max(0.0);
            sum += weight * point.value;
            weights += weight;
        }
        // The point itself has the weight 1.
        RatePoint { value: sum / weights, range: None, ..*middle }
    };
    points.iter().map(of).collect()
}

/// At most this many points; each is the mean of some neighbours, with their range.
pub(super) fn thinned(points: &[RatePoint], most: usize) -> Vec<RatePoint> {
    let every = points.len().div_ceil(most.max(1)).max(1);
    let merged = |some: &[RatePoint]| {
        let length: f64 = some.iter().map(|point| point.length).sum();
        let value = some.iter().map(|point| point.value * point.length).sum::<f64>() / length;
        let low = some.iter().map(|point| point.extremes().0).fold(f64::INFINITY, f64::min);
        let high = some.iter().map(|point| point.extremes().1).fold(0.0, f64::max);
        RatePoint { start: some[0].start, length, value, range: Some((low, high)) }
    };
    points.chunks(every).map(|some| if every == 1 { some[0] } else { merged(some) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(values: impl Iterator<Item = f64>) -> Vec<RatePoint> {
        values
            .enumerate()
            .map(|(at, value)| RatePoint { start: at as f64, length: 1.0, value, range: None })
            .collect()
    }

    fn spread(points: &[RatePoint]) -> f64 {
        let values = || points.iter().map(|point| point.value);
        values().fold(0.0, f64::max) - values().fold(f64::INFINITY, f64::min)
    }

    /// T-11: raw, smoothed, trend.
    #[test]
    fn each_form_is_smoother_than_the_one_before_and_keeps_a_constant() {
        let noisy =
            points((0..200).map(|at| 100.0 + 10.0 * f64::from(at % 2) + 20.0 * (f64::from(at) / 5.0).sin()));
        let [raw, smoothed, trend] = Form::ALL.map(|form| spread(&form.of(&noisy)[40..160]));
        assert!(raw > smoothed && smoothed > trend && trend < 8.0, "{raw} {smoothed} {trend}");
        let constant = points(std::iter::repeat_n(7.0, 50));
        assert!(Form::ALL.iter().all(|form| form.of(&constant).iter().all(|p| (p.value - 7.0).abs() < 1e-9)));
        assert!(Form::Trend.of(&[]).is_empty() && Form::Trend.of(&constant[..1]).len() == 1);
    }

    #[test]
    fn thinning_keeps_the_mean_and_the_extremes() {
        let many = points((0..1000).map(f64::from));
        let few = thinned(&many, 100);
        assert_eq!((few.len(), few[0].value, few[0].range), (100, 4.5, Some((0.0, 9.0))));
        assert_eq!(thinned(&many[..50], 100), many[..50]);
    }
}
