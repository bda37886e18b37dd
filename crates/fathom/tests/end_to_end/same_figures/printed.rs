//! Figures read back from what was printed, with the rounding of their print.

use std::fmt;

/// A printed number and one unit of its last digit: it may have been rounded or cut.
#[derive(Clone, Copy, Debug)]
pub struct Printed {
    value: f64,
    last_digit: f64,
}

impl Printed {
    /// The number at the beginning of a text, with a decimal prefix if one follows it directly:
    /// `12,345`, `10.5k`, `0.85`; `<0.01` is anything below.
    pub fn of(text: &str) -> Self {
        let text = text.trim_start();
        if let Some(bound) = text.strip_prefix('<') {
            let half = Printed::of(bound).value / 2.0;
            return Printed { value: half, last_digit: half };
        }
        let is_number = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
        let end = text.find(|c: char| !is_number(c)).unwrap_or(text.len());
        let digits = text[..end].trim_end_matches([',', '.']).replace(',', "");
        let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let factor = match text[end..].chars().next() {
            Some('k') => 1e3,
            Some('M') => 1e6,
            _ => 1.0,
        };
        let value: f64 = digits.parse().unwrap_or_else(|_| panic!("no number begins {text:?}"));
        Printed { value, last_digit: 10f64.powi(-(decimals as i32)) }.times(factor)
    }

    /// The same with a unit of time after a blank: `1.23 ms`.
    pub fn with_unit(text: &str) -> Self {
        let unit = text.split_once(' ').map_or("", |(_, unit)| unit);
        Printed::of(text).times(unit_ns(unit))
    }

    /// A number that was not rounded.
    pub fn exact(value: f64) -> Self {
        Printed { value, last_digit: value.abs() * 1e-12 }
    }

    /// In another unit.
    pub fn times(self, factor: f64) -> Self {
        Printed { value: self.value * factor, last_digit: self.last_digit * factor }
    }

    /// Is it the print of this figure?
    #[track_caller]
    pub fn is(self, figure: f64) {
        let within = self.last_digit * (1.0 + 1e-6) + figure.abs() * 1e-12;
        assert!((self.value - figure).abs() <= within, "{self} was printed, and the figure is {figure}");
    }
}

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ± {}", self.value, self.last_digit)
    }
}

/// Nanoseconds in the unit of time with which a text begins; 1 where there is none.
pub fn unit_ns(text: &str) -> f64 {
    const UNITS: [(&str, f64); 7] =
        [("nsec", 1.0), ("usec", 1e3), ("msec", 1e6), ("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
    UNITS.iter().find(|(name, _)| text.starts_with(name)).map_or(1.0, |(_, ns)| *ns)
}

/// The text between two words.
#[track_caller]
pub fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let rest = text.split_once(from).unwrap_or_else(|| panic!("no {from} in {text}")).1;
    rest.split_once(to).unwrap_or_else(|| panic!("no {to} after {from}")).0
}

/// The block of one row on the terminal.
pub struct Details<'a>(&'a str);

impl<'a> Details<'a> {
    /// The block of a row in the whole text.
    pub fn of(text: &'a str, nth: usize) -> Self {
        let is_row = |block: &&str| block.lines().next().is_some_and(|line| line.contains(" · depth "));
        Details(text.split("\n\n").filter(is_row).nth(nth).expect("a block for each row"))
    }

    /// The number after a label.
    #[track_caller]
    pub fn after(&self, label: &str) -> Printed {
        let found = self.0.split_once(&format!("{label} "));
        Printed::of(found.unwrap_or_else(|| panic!("no {label} in {}", self.0)).1)
    }

    /// The bandwidth of a direction, MB/s.
    #[track_caller]
    pub fn bandwidth(&self, direction: &str) -> Printed {
        let own = self.0.split_once(&format!("\n  {direction} ")).expect("its direction").1;
        Printed::of(between(own, "MiB/s (", " MB/s"))
    }

    /// A column of the line of a latency, ns: 3 is the mean, the percentiles begin at 5.
    #[track_caller]
    pub fn latency(&self, kind: &str, column: usize) -> Printed {
        let unit = unit_ns(between(self.0, "latency, ", " "));
        let line = self.0.split_once(&format!("\n  {kind} ")).expect("its line").1;
        let cell = line.split_whitespace().nth(column - 1).expect("its column");
        Printed::of(cell).times(unit)
    }

    /// I/Os in flight on average.
    pub fn in_flight(&self) -> Printed {
        let times = [" in flight on average", " in flight while all measured"];
        let before = times.iter().find_map(|end| self.0.split_once(end)).expect("it is there").0;
        Printed::of(before.rsplit(' ').next().unwrap_or_default())
    }
}
