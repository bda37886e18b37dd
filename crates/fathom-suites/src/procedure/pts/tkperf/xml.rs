//! What was measured in the form of TKperf's XML file, so that scripts that read those find their fields.
//!
//! The root has facts of the machine, and an element for each test; each value is JSON inside an element. Units are TKperf's:
//! I/Os per second, KiB/s, µs. Rounds are counted from 0.

use super::{hard_disk, throughput};
use crate::procedure::History;
use crate::procedure::pts::taken::{Taken, figure};
use crate::procedure::pts::terms::{Demand, PtsTerms};
use crate::procedure::pts::until::{TrackedQuantity, Until};
use crate::procedure::pts::{Pts, PtsTest, iops, latency, saturation, sequence};
use fathom_job::units::Bytes;
use fathom_results::procedure::{ProcedureRecord, RoundDone, RoundFigures};
use fathom_text::calendar::Moment;
use serde_json::{Value, json};

/// The time of a cell of TKperf, seconds.
const CELL_S: u64 = 60;

/// The elements of a test, in order.
type Elements = Vec<(&'static str, Value)>;

/// The file.
pub fn xml(pts: &Pts, record: &ProcedureRecord, history: &History<'_>) -> String {
    let mut text = String::from("<fathom>\n");
    for (name, value) in of_machine(pts, record) {
        element(&mut text, "  ", name, &value);
    }
    for (test, taken) in sequence::of_each(pts, history) {
        let Some((name, elements)) = of_test(test, &pts.terms, &taken, record) else { continue };
        text += &format!("  <{name}>\n");
        elements.iter().for_each(|(name, value)| element(&mut text, "    ", name, value));
        text += &format!("  </{name}>\n");
    }
    text + "</fathom>\n"
}

/// Quotes stay as they are, as in the files that TKperf writes.
fn element(text: &mut String, indent: &str, name: &str, value: &Value) {
    let value = value.to_string().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    *text += &format!("{indent}<{name}>{value}</{name}>\n");
}

fn of_machine(pts: &Pts, record: &ProcedureRecord) -> Elements {
    let fact = |name: &str| json!(record.fact(name).unwrap_or("n.a."));
    let date: String = Moment::of_unix_ns(record.started_unix_ns).to_string().chars().take(10).collect();
    vec![
        ("testdate", json!(date)),
        ("devinfo", json!(device(pts, record))),
        ("kernel", fact("kernel")),
        ("lsb", fact("os")),
        ("ioperfversion", json!(format!("fathom {}", record.fathom))),
        ("cmdline", json!(record.command.join(" "))),
    ]
}

/// Lines of name and value. TKperf reads the size of the sector from them.
fn device(pts: &Pts, record: &ProcedureRecord) -> String {
    let (terms, identity) = (&pts.terms, record.targets.first());
    let mut lines = vec![("Device", terms.target.clone())];
    lines.extend(identity.and_then(|it| Some(("Model Number", it.model.clone()?))));
    lines.extend(identity.and_then(|it| Some(("Serial Number", it.serial.clone()?))));
    lines.push(("Device Size (bytes)", terms.capacity.0.to_string()));
    lines.push(("Device Logical Sector Size", terms.sector.0.to_string()));
    lines.iter().map(|(name, value)| format!("{name}: {value}\n")).collect()
}

/// The element of a test; `None` of one that has measured nothing.
fn of_test(
    test: &PtsTest,
    terms: &PtsTerms,
    taken: &Taken<'_>,
    record: &ProcedureRecord,
) -> Option<(&'static str, Elements)> {
    let (name, demand, found) = match test.name {
        "iops" => ("iops", terms.demand, of_iops(terms, taken)?),
        "lat" => ("lat", Demand::ONE, of_latency(terms, taken)?),
        "tp" => ("tp", throughput::demand(terms), of_throughput(terms, taken)?),
        "wsat" => ("writesat", terms.demand, of_saturation(terms, taken)?),
        "hdd-iops" => ("iops", terms.demand, of_disk_iops(taken)?),
        "hdd-tp" => ("tp", throughput::demand(terms), of_disk_throughput(taken)?),
        _ => return None,
    };
    let options = vec![
        ("fioversion", json!(format!("fathom {}", record.fathom))),
        ("numjobs", json!(demand.threads)),
        ("iodepth", json!(demand.depth)),
        ("runtime", json!(terms.ms(CELL_S).div_ceil(1000))),
        ("xargs", json!(["refill_buffers"])),
    ];
    Some((name, options.into_iter().chain(found).collect()))
}

fn of_iops(terms: &PtsTerms, taken: &Taken<'_>) -> Option<Elements> {
    let blocks: Vec<Bytes> = iops::BLOCKS.into_iter().filter(|block| *block >= terms.sector).collect();
    let cell = |round: &RoundDone, read, block| rate(figure(round, &iops::segment_name(read, block))?);
    let matrices = matrices(taken, iops::ROUND, (&iops::MIXES, &blocks), cell)?;
    Some(with_steady(matrices, taken, &iops::rounds(terms)))
}

fn of_latency(terms: &PtsTerms, taken: &Taken<'_>) -> Option<Elements> {
    let blocks: Vec<Bytes> = latency::BLOCKS.into_iter().filter(|block| *block >= terms.sector).collect();
    let cell =
        |round: &RoundDone, read, block| Some(microseconds(figure(round, &iops::segment_name(read, block))?));
    let matrices = matrices(taken, latency::ROUND, (&latency::MIXES, &blocks), cell)?;
    Some(with_steady(matrices, taken, &latency::rounds(terms)))
}

/// For each block size, the reads and the writes of its rounds.
fn of_throughput(terms: &PtsTerms, taken: &Taken<'_>) -> Option<Elements> {
    let blocks = throughput::blocks(terms);
    let of_block = |block: &Bytes| {
        let writes = taken.series(&throughput::rounds(terms, *block).cell, "write", |it| Some(kibibytes(it)));
        json!([throughput::of_reads(taken, *block, kibibytes), writes])
    };
    let rounds = throughput::rounds(terms, *blocks.first()?);
    let values = blocks.iter().map(of_block).collect();
    (!taken.rounds(&rounds.cell).is_empty()).then(|| with_steady(values, taken, &rounds))
}

/// The minutes until the one in which the fills were reached: rates, and latencies.
fn of_saturation(terms: &PtsTerms, taken: &Taken<'_>) -> Option<Elements> {
    let (mut written, mut rates, mut latencies) = (0.0, Vec::new(), Vec::new());
    let rounds = taken.rounds(saturation::ROUND);
    for figures in rounds.iter().flat_map(|(round, _)| &round.figures) {
        if written >= saturation::fills_max(terms) as f64 {
            break;
        }
        written += figures.bytes_per_second * figures.seconds;
        rates.push(rate(figures));
        latencies.push(microseconds(figures));
    }
    let last = rates.len().checked_sub(1)?;
    Some(vec![("roundmat", json!([rates, latencies])), ("rndnr", json!(last))])
}

fn of_disk_iops(taken: &Taken<'_>) -> Option<Elements> {
    let cell = |round: &RoundDone, read, block| rate(figure(round, &iops::segment_name(read, block))?);
    let shape = (hard_disk::MIXES.as_slice(), hard_disk::IOPS_BLOCKS.as_slice());
    let matrices = matrices(taken, hard_disk::IOPS_CELL, shape, cell)?;
    Some(vec![("roundmat", json!(matrices)), ("rndnr", json!(hard_disk::ZONES))])
}

fn of_disk_throughput(taken: &Taken<'_>) -> Option<Elements> {
    let of_block = |block: Bytes| {
        let all = |segment: &str| taken.series(&hard_disk::cell(block), segment, |it| Some(kibibytes(it)));
        [all("read"), all("write")]
    };
    let values = hard_disk::BLOCKS.map(of_block);
    (!values[0][0].is_empty()).then(|| vec![("roundmat", json!(values))])
}

/// For each round, for each mix, the values of the blocks; `None` before the first round.
fn matrices(
    taken: &Taken<'_>,
    cell: &str,
    (mixes, blocks): (&[u32], &[Bytes]),
    value: impl Fn(&RoundDone, u32, Bytes) -> Option<Value>,
) -> Option<Vec<Value>> {
    let of_round = |(round, _): &(&RoundDone, u32)| {
        let row = |read: &u32| blocks.iter().map(|block| value(round, *read, *block)).collect::<Vec<_>>();
        json!(mixes.iter().map(row).collect::<Vec<_>>())
    };
    let rounds = taken.rounds(cell);
    (!rounds.is_empty()).then(|| rounds.iter().map(of_round).collect())
}

/// The rounds, and what TKperf keeps of its steady state.
fn with_steady(values: Vec<Value>, taken: &Taken<'_>, rounds: &Until) -> Elements {
    let mut elements = vec![("roundmat", json!(values))];
    elements.extend(steady(taken, rounds));
    elements
}

fn steady(taken: &Taken<'_>, rounds: &Until) -> Elements {
    let last = taken.rounds(&rounds.cell).len().saturating_sub(1);
    let tracked = rounds.tracked.first();
    let Some((window, variable)) = taken.reported_window(rounds).zip(tracked) else {
        return state((json!([]), json!([]), json!([]), json!(0)), false, last);
    };
    let scale = match variable.quantity {
        TrackedQuantity::Iops => 1.0,
        // From MB/s to KiB/s.
        TrackedQuantity::Bandwidth => 1e6 / 1024.0,
        // From ms to µs.
        TrackedQuantity::LatencyMean => 1e3,
    };
    let series = taken.tracked(&rounds.cell, variable);
    let values = series.get(window.first() - 1..window.last).unwrap_or_default();
    let values: Vec<f64> = values.iter().flatten().map(|value| value * scale).collect();
    let numbers: Vec<usize> = (window.first() - 1..window.last).collect();
    let gate = window.gates[0];
    // Its line has round 0 where ours has round 1.
    let line = [gate.slope * scale, (gate.intercept + gate.slope) * scale];
    state((json!(numbers), json!(values), json!(line), json!(gate.mean * scale)), window.is_steady(), last)
}

fn state(
    (rounds, values, line, mean): (Value, Value, Value, Value),
    is_steady: bool,
    last: usize,
) -> Elements {
    vec![
        ("stdyrounds", rounds),
        ("stdyvalues", values),
        ("stdyslope", line),
        ("stdyavg", mean),
        ("reachstdystate", json!(is_steady)),
        ("rndnr", json!(last)),
    ]
}

fn rate(figures: &RoundFigures) -> Option<Value> {
    Some(json!(figures.iops.round() as u64))
}

fn kibibytes(figures: &RoundFigures) -> f64 {
    (figures.bytes_per_second / 1024.0).round()
}

/// Shortest, longest and mean latency.
fn microseconds(figures: &RoundFigures) -> Value {
    let extreme = |ns: Option<u64>| ns.map(|ns| ns as f64 / 1e3);
    json!([
        extreme(figures.latency_ns_min),
        extreme(figures.latency_ns_max),
        figures.latency_ns_mean.map(|ns| ns / 1e3)
    ])
}
