//! OpenMetrics text 1.0, which Prometheus reads, and its collector of text files too: a family of gauges for each figure.
//!
//! Values are in the base units that the text prescribes: seconds, bytes, ratios. The figures of a whole run have no time
//! stamp, because a collector of text files refuses them; seconds have theirs, for a database that is filled later.

use super::{Exported, ExportedFigure};
use fathom_results::SeriesRecord;
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

pub(super) fn text(result: &Exported) -> String {
    let run = labels([
        ("run", result.id.as_str()),
        ("name", &result.name),
        ("target", result.target.as_deref().unwrap_or_default()),
    ]);
    let mut families = BTreeMap::new();
    let begun = result.started_unix_ns.unwrap_or_default();
    let started = gauge(&mut families, "start_time", "s", "when the result was begun, Unix time");
    let _ = writeln!(started.lines, "fathom_start_time_seconds{{{run}}} {}", begun as f64 / 1e9);
    result.figures.iter().for_each(|figure| add_figure(&mut families, &run, figure));
    // The text prescribes that all values of one set of labels stand together.
    let mut seconds: Vec<&SeriesRecord> = result.seconds.iter().collect();
    seconds.sort_by_key(|of| (&of.round, of.job_number, &of.direction));
    for second in seconds {
        add_second(&mut families, &run, second, begun);
    }
    let mut out = String::new();
    for (name, Family { unit, help, lines }) in families {
        let _ = writeln!(out, "# TYPE {name} gauge");
        if !unit.is_empty() {
            let _ = writeln!(out, "# UNIT {name} {unit}");
        }
        let _ = write!(out, "# HELP {name} {}\n{lines}", escaped(&help));
    }
    out + "# EOF\n"
}

fn add_figure(families: &mut BTreeMap<String, Family>, run: &str, figure: &ExportedFigure) {
    let of = &figure.of;
    let number = of.job_number.to_string();
    let labels = labels([
        ("round", figure.round.as_str()),
        ("cell", &figure.cell),
        ("job", &of.job),
        ("job_number", &number),
        ("direction", &of.direction),
    ]);
    let per_base = base(&of.unit).2;
    let values = [
        ("", Some(of.value), "value"),
        ("_low", of.low, "lower end of its 95 % interval"),
        ("_high", of.high, "upper end of its 95 % interval"),
    ];
    for (end, value, what) in values {
        let Some(value) = value.filter(|value| value.is_finite()) else { continue };
        let help = format!("{}: {what}", of.metric);
        let family = gauge(families, &format!("{}{end}", of.metric), &of.unit, &help);
        let name = full_name(&format!("{}{end}", of.metric), &of.unit);
        let _ = writeln!(family.lines, "{name}{{{run},{labels}}} {}", value / per_base);
    }
    // One value is the whole of it.
    if of.n > 1 {
        let (name, help) =
            (format!("{}_n", of.metric), format!("{}: how many values it is made from", of.metric));
        let family = gauge(families, &name, "1", &help);
        let _ = writeln!(family.lines, "{}{{{run},{labels}}} {}", full_name(&name, "1"), of.n);
    }
}

fn add_second(families: &mut BTreeMap<String, Family>, run: &str, of: &SeriesRecord, started_unix_ns: u64) {
    let number = of.job_number.to_string();
    let labels = labels([
        ("round", of.round.as_deref().unwrap_or_default()),
        ("cell", of.cell.as_deref().unwrap_or_default()),
        ("job", &of.job),
        ("job_number", &number),
        ("direction", &of.direction),
    ]);
    let at = started_unix_ns as f64 / 1e9 + of.at_s + of.covered_s;
    let values = [
        ("second_iops", "1/s", Some(of.iops)),
        ("second_bandwidth", "B/s", Some(of.bytes_per_second)),
        ("second_latency_mean", "ns", of.latency_ns_mean),
        ("second_latency_p99", "ns", of.latency_ns_p99.map(|ns| ns as f64)),
    ];
    for (id, unit, value) in values {
        let Some(value) = value else { continue };
        let family = gauge(families, id, unit, "of one second, at its end");
        let value = value / base(unit).2;
        let _ = writeln!(family.lines, "{}{{{run},{labels}}} {value} {at:.3}", full_name(id, unit));
    }
}

fn gauge<'f>(families: &'f mut BTreeMap<String, Family>, id: &str, unit: &str, help: &str) -> &'f mut Family {
    families.entry(full_name(id, unit)).or_insert_with(|| Family {
        unit: base(unit).1,
        help: help.to_owned(),
        lines: String::new(),
    })
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

/// Labels; one without a value is none.
fn labels<const N: usize>(all: [(&str, &str); N]) -> String {
    let with_value = all.iter().filter(|(_, value)| !value.is_empty());
    let label = |(name, value): &(&str, &str)| format!("{name}=\"{}\"", escaped(&shown::line(value)));
    with_value.map(label).collect::<Vec<_>>().join(",")
}

fn escaped(text: &str) -> String {
    text.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}
