//! Dates and spans of `--since` and `--until`, in UTC as the list shows them.

use fathom_text::calendar::Moment;
use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds of the units of a span.
const UNITS: [(char, u64); 5] = [('s', 1), ('m', 60), ('h', 3600), ('d', 86_400), ('w', 7 * 86_400)];

/// What may be typed.
const FORMS: &str = "give a date such as 2026-11-23 or 2026-11-23T18:30, in UTC, or a span such as 7d or 12h";

/// `--since`: the beginning of a date, or so long ago; ns since 1970.
pub(super) fn since(text: &str) -> Result<u64, String> {
    read(text, now_s()).map(|(start, _)| start * NS).ok_or_else(|| FORMS.to_owned())
}

/// `--until`: the end of a date, or so long ago; ns since 1970.
pub(super) fn until(text: &str) -> Result<u64, String> {
    read(text, now_s()).map(|(_, end)| end * NS).ok_or_else(|| FORMS.to_owned())
}

const NS: u64 = 1_000_000_000;

fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs())
}

/// The first second that is meant, and the first that is not meant any more.
fn read(text: &str, now_s: u64) -> Option<(u64, u64)> {
    let text = text.trim();
    if let Some((count, unit)) = text.char_indices().last().map(|(at, unit)| (&text[..at], unit))
        && let Some((_, seconds)) = UNITS.iter().find(|(of, _)| *of == unit)
    {
        let span = digits(count)?.checked_mul(*seconds)?;
        let at = now_s.saturating_sub(span);
        return Some((at, at));
    }
    let (date, time) = text.split_once(['T', ' ']).map_or((text, None), |(date, time)| (date, Some(time)));
    let mut parts = date.split('-').map(digits);
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some() || year > 2500 {
        return None;
    }
    let start = Moment::day_unix_s(year as u32, u32::try_from(month).ok()?, u32::try_from(day).ok()?)?;
    match time {
        None => Some((start, start + 86_400)),
        Some(time) => of_day(time).map(|(from, to)| (start + from, start + to)),
    }
}

/// `18:30` or `18:30:05`: its first second of the day, and the one after its last.
fn of_day(time: &str) -> Option<(u64, u64)> {
    let mut parts = time.trim_end_matches('Z').split(':').map(digits);
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = parts.next();
    if parts.next().is_some() || hour > 23 || minute > 59 {
        return None;
    }
    let start = hour * 3600 + minute * 60;
    match second {
        None => Some((start, start + 60)),
        Some(second) => {
            second.filter(|second| *second < 60).map(|second| (start + second, start + second + 1))
        }
    }
}

fn digits(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-21 03:38:46 UTC.
    const NOW: u64 = 1_795_232_326;
    const DAY: u64 = NOW - (3 * 3600 + 38 * 60 + 46);

    #[test]
    fn dates_and_spans() {
        let cases = [
            ("2026-11-21", Some((DAY, DAY + 86_400))),
            ("2026-11-21T03:38", Some((NOW - 46, NOW + 14))),
            ("2026-11-21 03:38:46", Some((NOW, NOW + 1))),
            ("2026-11-21T03:38:46Z", Some((NOW, NOW + 1))),
            ("90s", Some((NOW - 90, NOW - 90))),
            ("7d", Some((NOW - 7 * 86_400, NOW - 7 * 86_400))),
            ("2w", Some((NOW - 14 * 86_400, NOW - 14 * 86_400))),
            ("999999999w", Some((0, 0))),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text, NOW), expected, "{text}");
        }
        let wrong = [
            "",
            "d",
            "7",
            "-7d",
            "7y",
            "2026-11",
            "2026-02-30",
            "2026-11-21T24:00",
            "2026-11-21T",
            "yesterday",
            "2026-11-21T03:38:60",
            "1-2-3-4",
            "99999999999d",
            "２d",
            "7ö",
        ];
        for text in wrong {
            assert_eq!(read(text, NOW), None, "{text}");
        }
    }
}
