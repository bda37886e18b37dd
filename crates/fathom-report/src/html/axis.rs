//! Axes of charts: scale, round ticks, labels.

/// One axis: the position of a value, and its label.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// What it counts, with the unit.
    pub(super) title: String,
    low: f64,
    high: f64,
    logarithmic: bool,
    /// Value and label.
    pub(super) ticks: Vec<(f64, String)>,
}

impl Axis {
    /// From `low` to at least `high`, with about five round ticks.
    pub(super) fn linear(title: &str, low: f64, high: f64, label: impl Fn(f64) -> String) -> Self {
        let step = nice_step((high - low).max(f64::MIN_POSITIVE) / 5.0);
        let (first, last) = ((low / step).floor() as i64, (high / step).ceil() as i64);
        let ticks: Vec<f64> = (first..=last).map(|k| multiple(k, step)).collect();
        Axis {
            title: title.to_owned(),
            low: ticks[0],
            high: ticks[ticks.len() - 1],
            logarithmic: false,
            ticks: ticks.into_iter().map(|t| (t, label(t))).collect(),
        }
    }

    /// Exactly from `low` to `high`, with round ticks inside: for time.
    pub(super) fn exact(title: &str, low: f64, high: f64, label: impl Fn(f64) -> String) -> Self {
        let mut axis = Axis::linear(title, low, high, label);
        (axis.low, axis.high) = (low, high);
        axis.ticks.retain(|(t, _)| *t >= low && *t <= high);
        axis
    }

    /// Logarithmic, with ticks at 1, 2 and 5 of each decade while there are few
    /// decades, else at the decades.
    pub(super) fn log(title: &str, low: f64, high: f64, label: impl Fn(f64) -> String) -> Self {
        let (first, last) = (low.log10().floor() as i32, (high * 1.0001).log10().ceil() as i32);
        let steps: &[f64] = if last - first <= 2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let all = (first..=last).flat_map(|decade| steps.iter().map(move |s| s * 10f64.powi(decade)));
        let ticks: Vec<f64> = all.collect();
        let low = ticks.iter().copied().filter(|t| *t <= low).fold(ticks[0], f64::max);
        let high = ticks.iter().copied().filter(|t| *t >= high).fold(f64::INFINITY, f64::min);
        let shown = ticks.into_iter().filter(|t| *t >= low && *t <= high).map(|t| (t, label(t)));
        Axis { title: title.to_owned(), low, high, logarithmic: true, ticks: shown.collect() }
    }

    /// With these ticks alone.
    pub(super) fn fixed(title: &str, low: f64, high: f64, ticks: Vec<(f64, String)>) -> Self {
        Axis { title: title.to_owned(), low, high, logarithmic: false, ticks }
    }

    /// Its ends.
    pub(super) fn range(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Where a value lies, 0 to 1; values beyond the axis lie on its end.
    pub(super) fn at(&self, value: f64) -> f64 {
        let scale = |v: f64| {
            if self.logarithmic { v.max(self.low).log10() } else { v }
        };
        let span = scale(self.high) - scale(self.low);
        if span <= 0.0 { 0.0 } else { ((scale(value) - scale(self.low)) / span).clamp(0.0, 1.0) }
    }
}

/// `k` steps, with the decimals of the step and no more: three times 0.2 is
/// 0.6000000000000001 in binary, and would be written so.
fn multiple(k: i64, step: f64) -> f64 {
    let exact = k as f64 * step;
    let decimals = (-step.log10().floor()).clamp(0.0, 300.0) as usize;
    format!("{exact:.decimals$}").parse().unwrap_or(exact)
}

/// 1, 2 or 5 times a power of ten, not below `step`.
fn nice_step(step: f64) -> f64 {
    let decade = 10f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|f| f * decade >= step * 0.999_999);
    factor.unwrap_or(10.0) * decade
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_enclose_the_data() {
        let axis = Axis::linear("", 0.0, 347_000.0, |t| t.to_string());
        let ticks: Vec<f64> = axis.ticks.iter().map(|(t, _)| *t).collect();
        assert_eq!(ticks, [0.0, 100_000.0, 200_000.0, 300_000.0, 400_000.0]);
        let axis = Axis::log("", 83.0, 14_000.0, |t| t.to_string());
        assert_eq!(
            axis.ticks.iter().map(|(t, _)| *t).collect::<Vec<_>>(),
            [10.0, 100.0, 1_000.0, 10_000.0, 100_000.0]
        );
        let axis = Axis::log("", 83.0, 180.0, |t| t.to_string());
        assert_eq!(axis.ticks.iter().map(|(t, _)| t.round()).collect::<Vec<_>>(), [50.0, 100.0, 200.0]);
    }

    #[test]
    fn ticks_have_the_decimals_of_their_step() {
        let axis = Axis::exact("", 0.0, 1.0, |t| t.to_string());
        let labels: Vec<&str> = axis.ticks.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(labels, ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
    }

    #[test]
    fn a_flat_or_empty_range_still_has_a_place() {
        let axis = Axis::linear("", 0.0, 0.0, |t| t.to_string());
        assert_eq!(axis.at(0.0), 0.0);
        assert!(Axis::log("", 5.0, 5.0, |t| t.to_string()).at(5.0).is_finite());
    }
}
