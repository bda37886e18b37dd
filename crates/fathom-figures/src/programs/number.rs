//! Numbers as these programs write them, and the lines they stand in.

use super::finding::{Findings, ProgramFinding, RowFault, cut};
use crate::metric::{Metric, MetricUnit};

/// No line of these programs is longer.
pub(super) const LINE_MAX: usize = 64 << 10;

/// What the decimal point may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comma {
    /// A comma may be a decimal point, as in tables with spaces between their fields.
    MayBePoint,
    /// Commas are between fields or thousands.
    IsNone,
}

/// A value of a file: where it stands, and how it is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written<'a> {
    /// Its line.
    pub line: u64,
    /// Its column.
    pub column: &'a str,
    /// Its text.
    pub text: &'a str,
    /// What one of it is in the base unit of its metric.
    pub factor: f64,
    /// What a comma may be.
    pub comma: Comma,
}

/// The largest value that a metric can have in any machine.
fn most(metric: &Metric) -> f64 {
    match metric.unit {
        MetricUnit::Percent => 110.0,
        MetricUnit::PerSecond => 1e10,
        MetricUnit::PerMinute | MetricUnit::Count => 1e12,
        MetricUnit::BytesPerSecond => 1e14,
        MetricUnit::Bytes => 1e15,
        MetricUnit::Nanoseconds => 1e15,
        MetricUnit::Seconds => 1e9,
    }
}

/// The value in the base unit of its metric; `None` of what cannot be one, with a finding that says why.
pub(super) fn value(written: Written<'_>, metric: &Metric, findings: &mut Findings) -> Option<f64> {
    let Written { line, column, text, factor, comma } = written;
    let column = || column.to_owned();
    let Some((number, factor, has_comma)) = number(text, factor, comma) else {
        findings.left_out(line, RowFault::NoNumber { column: column(), text: cut(text) });
        return None;
    };
    let value = number * factor;
    let fault = match () {
        () if value < 0.0 => RowFault::Negative { column: column(), text: cut(text) },
        () if !value.is_finite() || value > most(metric) => {
            RowFault::Impossible { column: column(), text: cut(text) }
        }
        () => {
            if has_comma {
                findings.add(ProgramFinding::DecimalComma { line });
            }
            return Some(value);
        }
    };
    findings.left_out(line, fault);
    None
}

/// The number, what one of it is, and whether it has a decimal comma. `516.0k` of sysstat has its own unit.
fn number(text: &str, factor: f64, comma: Comma) -> Option<(f64, f64, bool)> {
    let text = text.trim();
    let text = text.strip_suffix('%').unwrap_or(text).trim_end();
    let units = [('s', 512.0), ('B', 1.0), ('k', KIB), ('M', KIB * KIB), ('G', KIB * KIB * KIB), ('T', TIB)];
    let (text, factor) = match units.iter().find(|(unit, _)| text.ends_with(*unit)) {
        Some((_, bytes)) if factor > 1.0 => (&text[..text.len() - 1], *bytes),
        _ => (text, factor),
    };
    let has_comma = comma == Comma::MayBePoint && text.matches(',').count() == 1 && !text.contains('.');
    let number = if has_comma { text.replace(',', ".").parse() } else { text.parse() };
    number.ok().map(|number: f64| (number, factor, has_comma))
}

/// Bytes of a KiB.
pub(super) const KIB: f64 = 1024.0;

/// Bytes of a MiB.
pub(super) const MIB: f64 = KIB * KIB;

/// Bytes of a TiB.
const TIB: f64 = MIB * MIB;

/// Nanoseconds of a microsecond.
pub(super) const US: f64 = 1e3;

/// Nanoseconds of a millisecond.
pub(super) const MS: f64 = 1e6;

/// A line of a file, without its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// Its number, from 1.
    pub number: u64,
    /// Its text.
    pub text: &'a str,
    /// Does the file end in it? Its last number may be cut then.
    pub is_cut: bool,
}

/// The lines of a file. One that is too long is a fault.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Result<Line<'_>, (u64, RowFault)>> {
    (1..).zip(text.split_inclusive('\n')).map(|(number, line)| {
        let is_cut = !line.ends_with('\n');
        let text = line.trim_end_matches(['\n', '\r']);
        let fits = text.len() <= LINE_MAX;
        let line = Line { number, text, is_cut };
        if fits { Ok(line) } else { Err((number, RowFault::TooLong { bytes: text.len() })) }
    })
}

/// The line, if it can be read; a finding says why not.
pub(super) fn readable<'a>(
    line: Result<Line<'a>, (u64, RowFault)>,
    findings: &mut Findings,
) -> Option<Line<'a>> {
    line.map_err(|(number, fault)| findings.left_out(number, fault)).ok()
}

/// A size as people write it: `4k`, `1MiB`, `512`; `None` of what is none.
pub(super) fn size(text: &str) -> Option<f64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..digits].parse().ok()?;
    let unit = match text[digits..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kib" | "kb" => KIB,
        "m" | "mib" | "mb" => MIB,
        "g" | "gib" | "gb" => MIB * KIB,
        _ => return None,
    };
    Some(number * unit).filter(|bytes| *bytes >= 1.0 && *bytes <= 1e15)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::of_id;

    fn read(text: &str) -> (Option<f64>, usize) {
        let mut findings = Findings::default();
        let written = Written { line: 1, column: "x", text, factor: KIB, comma: Comma::MayBePoint };
        (value(written, of_id("bandwidth"), &mut findings), findings.into_all().len())
    }

    #[test]
    fn what_is_no_possible_number_is_no_value() {
        let cases =
            [("2", Some(2048.0)), ("1,5", Some(1536.0)), ("2.0M", Some(2.0 * MIB)), ("0,5k", Some(512.0))];
        for (text, expected) in cases {
            assert_eq!(read(text).0, expected, "{text}");
        }
        for text in
            ["nan", "inf", "-inf", "infinity", "-1", "1e300", "1e400", "", "1,2,3", "1.5,2", "x", "%", "--1"]
        {
            assert_eq!(read(text), (None, 1), "{text}");
        }
    }

    #[test]
    fn sizes_of_blocks() {
        let all = ["4k", "4 KiB", "1MiB", "512", "128KB", "0", "-4k", "4q", ""].map(size);
        let expected = [4096.0, 4096.0, MIB, 512.0, 131_072.0].map(Some);
        assert_eq!((&all[..5], &all[5..]), (&expected[..], &[None; 4][..]));
    }
}
