//! fio's percentile table: several to a line, in one unit, rounded up, but never
//! above the maximum.

use fathom_results::Latency;

/// Characters of a line that fio fills with percentiles.
const LINE: usize = 73;

/// The table of one latency; empty where no distribution was kept.
pub(super) fn block(name: &str, latency: &Latency, percentiles: &[f64]) -> String {
    let Some(histogram) = latency.histogram.as_ref().filter(|h| !h.is_empty()) else {
        return String::new();
    };
    let values: Vec<u64> = percentiles.iter().filter_map(|p| histogram.quantile(p / 100.0)).collect();
    let (Some(min), Some(max)) = (values.iter().min(), values.iter().max()) else {
        return String::new();
    };
    let most = histogram.max().unwrap_or(*max);
    let (unit, divisor) = unit(*min, *max);
    let precision = decimals(percentiles);
    let width = (max / divisor).to_string().len().max(5);
    // fio rounds up, and so prints percentiles above its own maximum.
    let in_unit = |ns: u64| ns.div_ceil(divisor).min(most / divisor);
    let cells: Vec<String> = percentiles
        .iter()
        .zip(&values)
        .map(|(p, ns)| format!(" {p:>0$.precision$}th=[{1:>width$}]", precision + 3, in_unit(*ns)))
        .collect();
    let lines: Vec<String> = cells
        .chunks((LINE / (precision + 10 + width)).max(1))
        .map(|line| format!("     |{}", line.join(",")))
        .collect();
    format!("    {name} percentiles ({unit}):\n{}\n", lines.join(",\n"))
}

/// Decimals of the longest number in the list, as fio prints all of them.
fn decimals(percentiles: &[f64]) -> usize {
    let of = |p: &f64| format!("{p}").split_once('.').map_or(0, |(_, digits)| digits.len());
    percentiles.iter().map(of).max().unwrap_or(0).min(6)
}

/// fio leaves nanoseconds only when the smallest value has more than three of
/// the larger unit's digits and the largest more than five.
pub(super) fn unit(min: u64, max: u64) -> (&'static str, u64) {
    match (min, max) {
        (min, max) if min > 2_000_000 && max > 99_999_999 => ("msec", 1_000_000),
        (min, max) if min > 2_000 && max > 99_999 => ("usec", 1_000),
        _ => ("nsec", 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_stats::Histogram;

    #[test]
    fn the_layout_is_fios() {
        let mut histogram = Histogram::new();
        (1..=100).for_each(|us| histogram.record(us * 2_100));
        let latency = Latency { histogram: Some(histogram), ..Latency::default() };
        let text = block("clat", &latency, &[1.0, 50.0, 99.0, 99.99]);
        assert_eq!(
            text,
            "    clat percentiles (usec):\n     |  1.00th=[    3], 50.00th=[  106], 99.00th=[  209], 99.99th=[  210]\n"
        );
        assert!(block("lat", &latency, &[50.0, 99.0]).contains("|  50th=[  106],  99th=[  209]\n"));
        assert_eq!(block("clat", &Latency::default(), &[50.0]), "");
    }
}
