//! Any bytes as a log of fio: reading never panics, however the bytes are divided it comes out the same, and all
//! figures are numbers.

use fathom_figures::fio::{
    FioLog, FioLogKind, HistogramLogReader, LatencyUnit, LogReader, LogTerms, fio_json, fio_terse,
};

fn read(terms: LogTerms, bytes: &[u8], piece: usize) -> FioLog {
    let mut reader = LogReader::new(terms);
    bytes.chunks(piece).for_each(|piece| reader.feed(piece));
    reader.finish()
}

fn read_histograms(terms: LogTerms, bytes: &[u8], piece: usize) -> FioLog {
    let mut reader = HistogramLogReader::new(terms);
    bytes.chunks(piece).for_each(|piece| reader.feed(piece));
    reader.finish()
}

/// Everything that is computed of a log, as text.
fn told(log: &FioLog) -> String {
    let mut told = format!("{} {} {:?} {}\n", log.lines, log.outside, log.left_out, log.is_epoch);
    for part in &log.parts {
        for (_, track) in part.tracks.iter() {
            let Some(track) = track else { continue };
            let figures = track.figures().expect("a track has lines");
            let values = [figures.mean, figures.min, figures.max, figures.stddev];
            let percentiles = figures.percentiles.iter().map(|(_, value)| *value);
            assert!(values.into_iter().flatten().chain(percentiles).all(f64::is_finite), "{figures:?}");
            let points = track.points();
            assert!(points.iter().all(|point| point.value.is_finite() && point.length > 0.0), "{points:?}");
            told.push_str(&format!("{figures:?} {points:?}\n"));
        }
    }
    told
}

/// Fails if these bytes are read in another way than the rule of this file says.
pub fn check(bytes: &[u8]) {
    let [first, rest @ ..] = bytes else { return };
    let kind = FioLogKind::ALL[usize::from(*first) % FioLogKind::ALL.len()];
    let latency_unit = if first & 64 == 0 { LatencyUnit::Nanoseconds } else { LatencyUnit::Microseconds };
    let from_ms = if first & 32 == 0 { 0 } else { 1000 };
    let epoch_ms = (first & 16 != 0).then_some(1000);
    let terms =
        LogTerms { kind, latency_unit, from_ms, to_ms: u64::MAX, epoch_ms, has_parts: first & 128 == 0 };
    for read in [read, read_histograms] {
        let whole = told(&read(terms, rest, rest.len().max(1)));
        assert_eq!(whole, told(&read(terms, rest, 7)));
    }
    let text = String::from_utf8_lossy(rest);
    let results = fio_json(&text).into_iter().flatten().chain(fio_terse(&text));
    results.for_each(|result| drop(result.figures()));
}
