//! Why a series has not settled, in words.

use fathom_results::NotSettled;
use fathom_text::quantity::percent;

/// The reason, without a full stop.
pub fn not_settled(why: &NotSettled) -> String {
    match *why {
        NotSettled::NoLook { seconds } => format!("it was measured for less than {seconds} s"),
        NotSettled::TooShort => "there are fewer than twenty values".to_owned(),
        NotSettled::WarmUp => "less than half of the time is left after the warm-up".to_owned(),
        NotSettled::LevelChanged { at, span_s } => {
            let when = if span_s == 0 {
                format!("round {at}")
            } else {
                format!("second {}", (at as u64).saturating_mul(span_s))
            };
            format!("its level changed at {when}, in the second half of the time")
        }
        NotSettled::Drifts { change, most, ahead_s } => format!(
            "it drifts: the next {} would differ by {}, and by up to {}",
            following(ahead_s),
            percent(change.abs()),
            percent(most)
        ),
        NotSettled::Short { most, times_longer, ahead_s } => {
            let needed = times_longer
                .map(|times| format!("; about {times:.1} times the time would be needed, without a drift"));
            let needed = needed.unwrap_or_default();
            format!("the next {} may differ by up to {}{needed}", following(ahead_s), percent(most))
        }
        NotSettled::Alike { .. } => "it changes so slowly that it was not seen for long enough".to_owned(),
        NotSettled::Unsure { half_width, times_longer } => format!(
            "its mean is known to ± {}; {times_longer:.1} times the time would be needed",
            percent(half_width)
        ),
        NotSettled::TooEarly { seconds, needed_s } => {
            format!("only {seconds} s were measured; {needed_s} s are needed")
        }
        NotSettled::Uncovered { share, needed } => {
            format!("only {} of the range was written; {} are needed", percent(share), percent(needed))
        }
    }
}

/// All reasons, one behind the other.
pub fn all(against: &[NotSettled]) -> String {
    against.iter().map(not_settled).collect::<Vec<_>>().join("; ")
}

/// The time that follows; rounds of a procedure have no time of their own.
fn following(ahead_s: u64) -> String {
    if ahead_s == 0 { "rounds".to_owned() } else { format!("{} minutes", ahead_s / 60) }
}
