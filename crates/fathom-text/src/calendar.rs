//! Wall-clock time as text, in UTC.
//!
//! The machine that prints a report need not be the one that measured, so its
//! time zone means nothing here; UTC also keeps the report reproducible.

use std::fmt;

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

/// A second of the proleptic Gregorian calendar, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    year: i64,
    month: usize,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    /// 0 is a Thursday, as 1 January 1970 was.
    weekday: usize,
}

impl Moment {
    /// The second in which a time since 1970 falls.
    pub fn of_unix_ns(ns: u64) -> Self {
        let seconds = (ns / 1_000_000_000) as i64;
        let (days, rest) = (seconds / 86_400, seconds % 86_400);
        let (year, month, day) = civil(days);
        Moment {
            year,
            month,
            day,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
            weekday: (days % 7) as usize,
        }
    }

    /// The first second of a day, seconds since 1970; `None` if there is no such day, or it is before
    /// 1970.
    pub fn day_unix_s(year: u32, month: u32, day: u32) -> Option<u64> {
        // Days since 1 March of the year 0, by the same eras as below.
        let (shifted_year, from_march) = match month {
            3..=12 => (i64::from(year), i64::from(month) - 3),
            _ => (i64::from(year) - 1, i64::from(month) + 9),
        };
        let (era, of_era) = (shifted_year.div_euclid(400), shifted_year.rem_euclid(400));
        let of_year = (153 * from_march + 2) / 5 + i64::from(day) - 1;
        let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
        let seconds = u64::try_from(days).ok()?.checked_mul(86_400)?;
        // 30 February would be a day of March.
        let is_there = civil(days) == (i64::from(year), month as usize, i64::from(day));
        is_there.then_some(seconds)
    }

    /// As C's `ctime` writes it, which is how fio does: `Sat Nov 21 03:38:46 2026`.
    pub fn ctime(&self) -> String {
        let (weekday, month) = (WEEKDAYS[self.weekday], MONTHS[self.month - 1]);
        let Moment { year, day, hour, minute, second, .. } = self;
        format!("{weekday} {month} {day:2} {hour:02}:{minute:02}:{second:02} {year}")
    }

    /// As XML has it, without a zone: `2026-11-21T03:38:46`.
    pub fn iso(&self) -> String {
        let Moment { year, month, day, hour, minute, second, .. } = self;
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
    }

    /// For names of files: `20261121-033846Z`.
    pub fn compact(&self) -> String {
        let Moment { year, month, day, hour, minute, second, .. } = self;
        format!("{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}Z")
    }
}

impl fmt::Display for Moment {
    /// `2026-11-21 03:38:46 UTC`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Moment { year, month, day, hour, minute, second, .. } = self;
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
    }
}

/// Year, month (1 to 12) and day of a day since 1970, counted in 400-year eras
/// that begin on 1 March, so that the leap day is the last of its year
/// (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn civil(days: i64) -> (i64, usize, i64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month as usize, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments() {
        let cases = [
            (0, "1970-01-01 00:00:00 UTC", "Thu Jan  1 00:00:00 1970"),
            (951_782_399, "2000-02-28 23:59:59 UTC", "Mon Feb 28 23:59:59 2000"),
            (951_782_400, "2000-02-29 00:00:00 UTC", "Tue Feb 29 00:00:00 2000"),
            (1_795_232_326, "2026-11-21 03:38:46 UTC", "Sat Nov 21 03:38:46 2026"),
            (4_107_542_400, "2100-03-01 00:00:00 UTC", "Mon Mar  1 00:00:00 2100"),
        ];
        for (seconds, iso, ctime) in cases {
            let moment = Moment::of_unix_ns(seconds * 1_000_000_000);
            assert_eq!((moment.to_string().as_str(), moment.ctime().as_str()), (iso, ctime));
        }
    }

    #[test]
    fn days_there_and_back() {
        for day in (0..60_000).step_by(17) {
            let (year, month, of_month) = civil(day);
            let seconds = Moment::day_unix_s(year as u32, month as u32, of_month as u32);
            assert_eq!(seconds, Some(day as u64 * 86_400));
        }
        for (year, month, day) in [(2026, 2, 29), (2026, 13, 1), (2026, 0, 1), (2026, 4, 31), (1969, 12, 31)]
        {
            assert_eq!(Moment::day_unix_s(year, month, day), None, "{year}-{month}-{day}");
        }
    }
}
