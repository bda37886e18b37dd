//! OpenMetrics text 1.0, which Prometheus reads, and its collector of text files too: a family of gauges for each figure.
//!
//! Values are in the base units that the text prescribes: seconds, bytes, ratios. The figures of a whole run have no time
//! stamp, because a collector of text files refuses them; seconds have theirs, for a database that is filled later.

use super::exported::{Label, labels_of_second};
use super::{Exported, ExportedFigure};
use fathom_results::{FigureRecord, SeriesRecord};
use fathom_text::shown;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A family of gauges: its unit and its help, and its lines.
#[derive(Default)]
struct Family {
    unit: &'static str,
    help: String,
    lines: String,
}

/// The families by name.
#[derive(Default)]
struct Families(BTreeMap<String, Family>);

impl Families {
    /// Adds a value with its labels, and its time in seconds since 1970 where it has one. An infinite value is left out, and one that is not a number.
    fn add(&mut self, (id, unit): (&str, &str), help: &str, labels: &str, value: f64, at_s: Option<f64>) {
        if !value.is_finite() {
            return;
        }
        let (name, (_, unit, per_base)) = (full_name(id, unit), base(unit));
        let at = at_s.map(|at| format!(" {at:.3}")).unwrap_or_default();
        let line = format!("{name}{{{labels}}} {}{at}\n", value / per_base);
        let new = || Family { unit, help: help.to_owned(), lines: String::new() };
        self.0.entry(name).or_insert_with(new).lines += &line;
    }
}

pub(super) fn text(result: &Exported) -> String {
    let mut families = Families::default();
    let (run, begun_s) = (result.labels(), result.started_unix_ns.unwrap_or_default() as f64 / 1e9);
    families.add(("start_time", "s"), "when the result was begun, Unix time", &text_of(&run), begun_s, None);
    result.figures.iter().for_each(|figure| add_figure(&mut families, &run, figure));
    result.seconds.iter().for_each(|second| add_second(&mut families, &run, second, begun_s));
    let mut out = String::new();
    for (name, Family { unit, help, lines }) in families.0 {
        let _ = writeln!(out, "# TYPE {name} gauge");
        if !unit.is_empty() {
            let _ = writeln!(out, "# UNIT {name} {unit}");
        }
        let _ = write!(out, "# HELP {name} {}\n{lines}", escaped(&help));
    }
    out + "# EOF\n"
}

fn add_figure(families: &mut Families, run: &[Label], figure: &ExportedFigure) {
    let FigureRecord { metric, value, unit, n, low, high, .. } = &figure.of;
    let labels = text_of(&[run, &figure.labels()].concat());
    let values = [
        ("", Some(*value), "value"),
        ("_low", *low, "lower end of its 95 % interval"),
        ("_high", *high, "upper end of its 95 % interval"),
    ];
    for (end, value, what) in values {
        let Some(value) = value else { continue };
        families.add((&format!("{metric}{end}"), unit), &format!("{metric}: {what}"), &labels, value, None);
    }
    // One value is the whole of it.
    if *n > 1 {
        let help = format!("{metric}: how many values it is made from");
        families.add((&format!("{metric}_n"), "1"), &help, &labels, *n as f64, None);
    }
}

fn add_second(families: &mut Families, run: &[Label], of: &SeriesRecord, begun_s: f64) {
    let labels = text_of(&[run, &labels_of_second(of)].concat());
    let at_s = Some(begun_s + of.at_s + of.covered_s);
    let values = [
        ("second_iops", "1/s", Some(of.iops)),
        ("second_bandwidth", "B/s", Some(of.bytes_per_second)),
        ("second_latency_mean", "ns", of.latency_ns_mean),
        ("second_latency_p99", "ns", of.latency_ns_p99.map(|ns| ns as f64)),
    ];
    for (id, unit, value) in values {
        let Some(value) = value else { continue };
        families.add((id, unit), "of one second, at its end", &labels, value, at_s);
    }
}

/// What ends the name, the unit that the text names, and by what a value is divided, for the unit of a figure.
fn base(unit: &str) -> (&'static str, &'static str, f64) {
    match unit {
        "ns" => ("_seconds", "seconds", 1e9),
        "s" => ("_seconds", "seconds", 1.0),
        "B" => ("_bytes", "bytes", 1.0),
        "B/s" => ("_bytes_per_second", "bytes_per_second", 1.0),
        "%" => ("_ratio", "ratio", 100.0),
        // A rate and a count have no unit of their own.
        _ => ("", "", 1.0),
    }
}

/// `fathom_latency_p99_9_seconds`: a name has letters, digits and underscores, and ends with its unit.
fn full_name(id: &str, unit: &str) -> String {
    let id: String = id.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let (name, end) = (format!("fathom_{id}"), base(unit).0);
    if name.ends_with(end) { name } else { name + end }
}

fn text_of(labels: &[Label]) -> String {
    let one = |(name, value): &Label| format!("{name}=\"{}\"", escaped(&shown::line(value)));
    labels.iter().map(one).collect::<Vec<_>>().join(",")
}

fn escaped(text: &str) -> String {
    text.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}
