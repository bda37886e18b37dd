//! `steadystate=`: `iops_slope:0.5%`, `bw:10m`, `lat:50us`.
//!
//! fio takes a limit that nothing is below, such as 0 or a negative one, and then never ends the
//! job; it takes `1.5m` bytes per second as 1; and where it has `lat`, it compares microseconds with
//! nanoseconds. Here such limits are errors, and a latency is what its unit says.

use super::{BadValue, Piece, Units, number, size, time};
use crate::options::nearest_of;
use crate::steady::{SteadyFigure, SteadyLimit, SteadyTerms};

pub(super) fn steady(piece: Piece, units: Units) -> Result<SteadyTerms, BadValue> {
    let (word, limit) = piece.split_once(':').map_or((piece, None), |(word, limit)| (word, Some(limit)));
    let word = word.trim();
    let entry = SteadyTerms::WORDS.iter().find(|(known, ..)| *known == word.text);
    let (_, figure, test) = *entry.ok_or_else(|| unknown(word))?;
    let limit = limit.map(Piece::trim).filter(|limit| !limit.text.is_empty());
    let text = limit.ok_or_else(|| {
        word.bad("missing-value", format!("`{}` has no limit", word.text))
            .hint(format!("{}:2%, for example", word.text))
    })?;
    let limit = self::limit(text, figure, units)?;
    let (SteadyLimit::Percent(most) | SteadyLimit::Absolute(most)) = limit;
    if most <= 0.0 {
        let why = "nothing is below a limit of 0, so the job would never be steady";
        return Err(text.bad("out-of-range", why).hint(format!("{}:2%, for example", word.text)));
    }
    Ok(SteadyTerms { figure, test, limit })
}

fn unknown(word: Piece) -> BadValue {
    let bad = BadValue::new("unknown-word", format!("`{}` is not a figure that can be steady", word.text));
    let near = nearest_of(word.text, figures()).map(|near| format!("did you mean {near}?"));
    bad.at(word).hint(near.unwrap_or_else(|| format!("one of {}", figures().collect::<Vec<_>>().join(", "))))
}

fn limit(piece: Piece, figure: SteadyFigure, units: Units) -> Result<SteadyLimit, BadValue> {
    if piece.text.starts_with('-') {
        return Err(piece
            .bad("out-of-range", "the limit is negative")
            .hint("the limit is for the size of the deviation or slope; write it without the sign"));
    }
    let number = |piece| number::float(piece, units, 0.0, f64::MAX);
    if let Some(percent) = piece.text.find('%') {
        let rest = piece.tail(percent + 1);
        if !rest.text.is_empty() && !units.drops_rest {
            return Err(rest.bad("truncated-value", "something follows the `%`"));
        }
        return number(piece.head(percent).trim()).map(SteadyLimit::Percent);
    }
    Ok(SteadyLimit::Absolute(match figure {
        SteadyFigure::Iops => number(piece)?,
        SteadyFigure::Bw => size::bytes(piece, units)? as f64,
        SteadyFigure::Lat => match piece.text.strip_suffix("us").map(str::parse::<f64>) {
            Some(Ok(us)) if us.is_finite() => us * 1e3,
            _ => time::time(piece, false, units)?.0 as f64,
        },
    }))
}

/// The words of this grammar, for help.
pub(crate) fn figures() -> impl Iterator<Item = &'static str> {
    SteadyTerms::WORDS.iter().map(|(word, ..)| *word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_nothing_is_below_is_an_error() {
        for (text, code, word) in [
            ("iops:-5%", "out-of-range", "negative"),
            ("iops:0%", "out-of-range", "never be steady"),
            ("bw:0", "out-of-range", "never be steady"),
            ("iops", "missing-value", "no limit"),
            ("iops:", "missing-value", "no limit"),
            ("iosp:2%", "unknown-word", "iosp"),
            ("iops:2%x", "truncated-value", "follows"),
            ("iops:x%", "bad-number", "not a number"),
            ("iops:1e3", "bad-number", "not a number"),
            ("bw:1.5m", "truncated-value", "1.5m"),
            ("lat:5q", "truncated-value", "5q"),
        ] {
            let error = steady(Piece::whole(text), Units::default()).expect_err(text);
            assert_eq!(error.code, code, "{text}");
            assert!(error.message.contains(word), "{text}: {}", error.message);
        }
    }
}
