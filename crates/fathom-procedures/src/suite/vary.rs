//! What varies from cell to cell: a name and its values, `iodepth=1,2,4..256`.
//!
//! A suite and the command line of `fathom sweep` have the same notation.

use fathom_job::parse::{read_size, read_time};

/// More values than this are a mistake in a range.
const VALUES_MAX: usize = 4_096;

/// A name and the values that it takes, in the order in which they are measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vary {
    /// An option of the jobs, or a name that their text has as `${name}`.
    pub name: String,
    /// Its values; at least one.
    pub values: Vec<String>,
}

impl Vary {
    /// The name and all its values, as they can be read again.
    pub fn text(&self) -> String {
        let has_commas = self.values.iter().any(|value| value.contains(','));
        format!("{}={}", self.name, self.values.join(if has_commas { "|" } else { "," }))
    }
}

/// Options of which a larger value is more demand.
const DEMANDS: [&str; 4] = ["iodepth", "numjobs", "rate", "rate_iops"];

impl Vary {
    /// Checks that numbers are in order of demand, as a search by halving needs them: those of depth, workers and rate rise,
    /// those of any other option rise or fall (a shorter `thinktime` is more demand). Values that are no numbers have the order
    /// that they are given.
    ///
    /// # Errors
    /// Two neighbours that are not in this order.
    pub fn check_order_of_demand(&self) -> Result<(), [&str; 2]> {
        let number = |text: &String| match read_size(text) {
            Ok(number) => Some(number),
            Err(_) => read_time(text, true).ok().map(|time| time.0),
        };
        let numbers: Option<Vec<u64>> = self.values.iter().map(number).collect();
        let Some(numbers) = numbers else { return Ok(()) };
        let may_fall = !DEMANDS.contains(&self.name.as_str());
        let falls = may_fall && numbers.first() > numbers.last();
        let is_wrong = |two: &[u64]| if falls { two[0] <= two[1] } else { two[0] >= two[1] };
        match numbers.windows(2).position(is_wrong) {
            Some(place) => Err([&self.values[place], &self.values[place + 1]]),
            None => Ok(()),
        }
    }
}

impl std::str::FromStr for Vary {
    type Err = String;

    /// Values that have commas themselves are separated by bars: `cpus_allowed=0,2|1,3`.
    ///
    /// # Errors
    /// One sentence: there is no name or no value, or a range does not meet its end.
    fn from_str(text: &str) -> Result<Self, String> {
        let said = || format!("{text:?} is not NAME=VALUE,VALUE,…, such as iodepth=1,2,4..256");
        let (name, values) = text.split_once('=').ok_or_else(said)?;
        let (name, mut all) = (name.trim().to_owned(), Vec::new());
        if values.contains('|') {
            all = values.split('|').map(|value| value.trim().to_owned()).collect();
            let is_sound = !name.is_empty() && all.iter().all(|value| !value.is_empty());
            return if is_sound { Ok(Vary { name, values: all }) } else { Err(said()) };
        }
        for part in values.split(',').map(str::trim) {
            match part.split_once("..") {
                _ if part.is_empty() => return Err(said()),
                None => all.push(part.to_owned()),
                Some((from, to)) => {
                    range(&mut all, from.trim(), to.trim()).map_err(|why| format!("{text:?}: {why}"))?
                }
            }
            if all.len() > VALUES_MAX {
                return Err(format!("{text:?} has more than {VALUES_MAX} values"));
            }
        }
        if name.is_empty() {
            return Err(said());
        }
        Ok(Vary { name, values: all })
    }
}

/// Adds `from` and what follows it up to `to`. The value before `from` and `from` say how: `2,4..64` doubles, `10,20..50` adds 10. A
/// range with nothing before it counts by one.
fn range(all: &mut Vec<String>, from: &str, to: &str) -> Result<(), String> {
    let number =
        |text: &str| read_size(text).map_err(|_| format!("{text:?} is not a number that a range can have"));
    let (first, last) = (number(from)?, number(to)?);
    let before = all.last().and_then(|text| read_size(text).ok());
    if last <= first {
        return Err(format!("{from}..{to} does not rise"));
    }
    let met = match before {
        None => steps(first, last, |value| value.checked_add(1)),
        Some(before) if before >= first => return Err(format!("{from} is not above the value before it")),
        Some(before) => {
            let (factor, step) = (first / before.max(1), first - before);
            let doubles = before > 0 && first.is_multiple_of(before);
            let grown = doubles.then(|| steps(first, last, |value| value.checked_mul(factor))).flatten();
            grown.or_else(|| steps(first, last, |value| value.checked_add(step)))
        }
    };
    let met = met.ok_or_else(|| {
        format!("the steps of {from}..{to} do not meet {to}, or there are too many of them")
    })?;
    all.extend(met.into_iter().map(|value| text_like(value, from)));
    Ok(())
}

/// The values from the first to the last, if the last is one of them.
fn steps(first: u64, last: u64, next: impl Fn(u64) -> Option<u64>) -> Option<Vec<u64>> {
    let mut values = vec![first];
    while let Some(value) = next(*values.last()?).filter(|value| *value <= last) {
        values.push(value);
        if values.len() > VALUES_MAX {
            return None;
        }
    }
    (values.last() == Some(&last)).then_some(values)
}

/// As the person writes it: with a unit, if the beginning of the range has one.
fn text_like(value: u64, like: &str) -> String {
    let has_unit = like.ends_with(|c: char| c.is_ascii_alphabetic());
    match value {
        value if has_unit && value.is_multiple_of(1 << 20) => format!("{}m", value >> 20),
        value if has_unit && value.is_multiple_of(1 << 10) => format!("{}k", value >> 10),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges() {
        for (text, values) in [
            ("iodepth=1", "1"),
            ("rw=read, write", "read write"),
            ("iodepth=1,2,4..64", "1 2 4 8 16 32 64"),
            ("iodepth=1..5", "1 2 3 4 5"),
            ("iodepth=10,20..50", "10 20 30 40 50"),
            ("iodepth=8,16..48", "8 16 24 32 40 48"),
            ("bs=4k,8k..1m", "4k 8k 16k 32k 64k 128k 256k 512k 1m"),
            ("bs=512,1024..4096,1m", "512 1024 2048 4096 1m"),
            ("rwmixread=100,65,0", "100 65 0"),
            ("cpus_allowed=0,2|1", "0,2 1"),
        ] {
            let vary: Vary = text.parse().unwrap();
            assert_eq!(vary.values.join(" "), values, "{text}");
            assert_eq!(vary.text().parse::<Vary>().unwrap(), vary);
        }
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for (text, why) in [
            ("iodepth", "is not NAME=VALUE"),
            ("=1,2", "is not NAME=VALUE"),
            ("iodepth=1,,2", "is not NAME=VALUE"),
            ("cpus=0,1|", "is not NAME=VALUE"),
            ("iodepth=4..1", "does not rise"),
            ("iodepth=1,3..8", "do not meet 8"),
            ("iodepth=a..b", "is not a number"),
            ("iodepth=5,4..8", "is not above the value before it"),
            ("iodepth=1..1000000", "too many"),
        ] {
            let said = text.parse::<Vary>().unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
        }
    }

    #[test]
    fn numbers_have_an_order_of_demand() {
        for (text, wrong) in [
            ("numjobs=16,32,64", None),
            ("numjobs=64,32,16", Some(["64", "32"])),
            ("iodepth=1,8,4", Some(["8", "4"])),
            ("rate=1m,900k", Some(["1m", "900k"])),
            ("rate_iops=100,100,200", Some(["100", "100"])),
            ("bs=4k,64k,1m", None),
            ("bs=1m,64k,4k", None),
            ("bs=1m,4k,64k", Some(["4k", "64k"])),
            ("thinktime=10ms,1ms,100us", None),
            ("rw=write,read", None),
        ] {
            let vary: Vary = text.parse().unwrap();
            assert_eq!(vary.check_order_of_demand().err(), wrong, "{text}");
        }
    }
}
