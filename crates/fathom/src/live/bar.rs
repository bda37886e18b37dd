//! A bar for a share, and a sparkline for rates.

/// A bar of `columns` for a share from 0 to 1.
pub fn bar(share: f64, columns: usize, unicode: bool) -> String {
    let share = share.clamp(0.0, 1.0);
    if !unicode {
        let full = (share * columns as f64) as usize;
        return "#".repeat(full) + &"-".repeat(columns - full);
    }
    let eighths = (share * columns as f64 * 8.0) as usize;
    let (full, part) = (eighths / 8, eighths % 8);
    let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][part];
    let rest = columns - full - usize::from(!part.is_empty());
    "█".repeat(full) + part + &"░".repeat(rest)
}

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const LETTERS: [char; 8] = ['_', '.', ',', '-', '=', '+', '*', '#'];

/// A sparkline: each rate as a share of the largest, the newest last.
pub fn sparkline(rates: impl Iterator<Item = f64> + Clone, unicode: bool) -> String {
    let max = rates.clone().fold(0.0, f64::max);
    let levels = if unicode { BLOCKS } else { LETTERS };
    let level = |rate: f64| if max > 0.0 { ((rate / max * 8.0) as usize).min(7) } else { 0 };
    rates.map(|rate| levels[level(rate)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_has_its_width_at_every_share() {
        for (share, unicode, ascii) in
            [(0.0, "░░░░", "----"), (0.3, "█▏░░", "#---"), (0.5, "██░░", "##--"), (1.2, "████", "####")]
        {
            assert_eq!((bar(share, 4, true).as_str(), bar(share, 4, false).as_str()), (unicode, ascii));
        }
    }

    #[test]
    fn a_sparkline_is_scaled_to_its_largest_rate() {
        let rates = [0.0, 25.0, 50.0, 100.0];
        assert_eq!(sparkline(rates.into_iter(), true), "▁▃▅█");
        assert_eq!(sparkline(rates.into_iter(), false), "_,=#");
        assert_eq!(sparkline([0.0].into_iter(), true), "▁");
    }
}
