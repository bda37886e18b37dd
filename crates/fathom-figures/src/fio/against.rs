//! Logs against the result of the same jobs: where they do not tell the same, it is told, and nothing is corrected.

use super::imported::{Imported, LabelledTrack};
use super::job_result::FioFlow;
use super::lines_are::LinesAre;
use super::log_name::FioLogKind;

/// A mean of a log may differ by this share from that of the result: a log has whole windows only.
const OF_MEANS: f64 = 0.1;

/// The number of I/Os may differ by this share: those in flight at the end are in one of them only.
const OF_COUNTS: f64 = 0.02;

/// I/Os that may be in flight at the end, and count in one of them only.
const IN_FLIGHT: f64 = 64.0;

/// Why a log may contradict the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogCause {
    /// fio writes the histogram of a window when the next one begins, and that of the last window never.
    LastWindow,
}

/// A log that contradicts the result.
#[derive(Clone, Debug, PartialEq)]
pub struct LogAgainstResult {
    /// The log.
    pub file: String,
    /// `read`, `write` or `trim`.
    pub direction: &'static str,
    /// What contradicts: `I/Os`, `mean bandwidth`.
    pub figure: String,
    /// Of both values.
    pub unit: &'static str,
    /// In the log.
    pub in_log: f64,
    /// In the result.
    pub in_result: f64,
    /// Why it may be so; `None` where nothing is known.
    pub cause: Option<LogCause>,
}

/// Where logs contradict the result. They are compared if there is one result, and one run of logs with the numbers of its jobs.
pub fn contradictions(imported: &Imported) -> Vec<LogAgainstResult> {
    let [result] = imported.results.as_slice() else { return Vec::new() };
    let jobs = &result.result.jobs;
    let mut families: Vec<_> = imported.logs.iter().map(|log| (&log.directory, &log.name.prefix)).collect();
    families.sort_unstable();
    families.dedup();
    let has_job = |job: Option<u32>| job.is_some_and(|job| (1..=jobs.len()).contains(&(job as usize)));
    if families.len() != 1 || !imported.logs.iter().all(|log| has_job(log.name.job)) {
        return Vec::new();
    }
    let mut all = Vec::new();
    for kind in imported.kinds() {
        for track in imported.tracks(kind) {
            let job = track.job_number().and_then(|job| jobs.get(job as usize - 1));
            let flow =
                job.and_then(|job| job.flows.iter().find(|flow| flow.direction == track.direction.name()));
            all.extend(flow.map(|flow| of_track(kind, &track, flow)).unwrap_or_default());
        }
    }
    all
}

fn of_track(kind: FioLogKind, track: &LabelledTrack<'_>, flow: &FioFlow) -> Vec<LogAgainstResult> {
    // Only a part of the log was read.
    let Some(figures) = track.track.figures().filter(|_| track.track.outside() == 0) else {
        return Vec::new();
    };
    // An I/O counts as the middle of its bucket.
    let of_means = OF_MEANS + figures.lines_are.value_width() / 2.0;
    let is_each_io = !matches!(figures.lines_are, LinesAre::Windows { .. });
    let mut all = Vec::new();
    let mut add = |figure: String, unit, in_log: f64, in_result: f64, cause| {
        let (file, direction) = (track.file.to_owned(), flow.direction);
        all.push(LogAgainstResult { file, direction, figure, unit, in_log, in_result, cause });
    };
    let (lines, ios) = (figures.n as f64, flow.ios.unwrap_or(0) as f64);
    if is_each_io && ios > 0.0 && (lines - ios).abs() > IN_FLIGHT + OF_COUNTS * lines.max(ios) {
        let is_last_window = figures.lines_are.are_histograms()
            && lines < ios
            && ios - lines <= track.track.most_in_line as f64 + IN_FLIGHT;
        add("I/Os".to_owned(), "", lines, ios, is_last_window.then_some(LogCause::LastWindow));
    }
    let latency = || flow.latencies.iter().find(|latency| latency.kind == kind.word());
    let in_result = match kind {
        _ if flow.unrated().is_some() => None,
        FioLogKind::Bandwidth => flow.bytes_per_second.map(|rate| (rate, " B/s")),
        FioLogKind::Iops => flow.iops.map(|rate| (rate, " I/Os per s")),
        // A mean over time and one over I/Os are different figures.
        _ if !is_each_io => None,
        _ => latency().and_then(|latency| Some((latency.mean_ns?, " ns"))),
    };
    if let Some(((value, unit), mean)) = in_result.zip(figures.mean)
        && value > 0.0
        && (value - mean).abs() > of_means * value.max(mean)
    {
        add(format!("mean {}", kind.title()), unit, mean, value, None);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fio::{
        HistogramLogReader, ImportedLog, ImportedResult, LogName, LogReader, LogTerms, fio_json,
    };

    fn imported(name: &str, lines: &str, ios: u64) -> Imported {
        let name = LogName::of(name).or_else(|| LogName::of_histograms(name)).unwrap();
        let mut reader = LogReader::new(LogTerms::of(name.kind));
        reader.feed(lines.as_bytes());
        let log = ImportedLog { directory: String::new(), file: "x".to_owned(), name, log: reader.finish() };
        let rate = ios as f64 / 10.0;
        let text = format!(
            "{{\"fio version\": \"fio-3.33\", \"jobs\": [{{\"jobname\": \"a\", \"read\": {{\"total_ios\": {ios}, \"runtime\": 10000, \"iops\": {rate}}}}}]}}"
        );
        let result =
            ImportedResult { file: "r".to_owned(), run: None, result: fio_json(&text).unwrap().remove(0) };
        Imported { logs: vec![log], results: vec![result], ..Imported::default() }
    }

    /// Figure, value in the log, value in the result, and cause of what is found first.
    type Found = Option<(String, f64, f64, Option<LogCause>)>;

    fn first(of: &Imported) -> Found {
        let found = contradictions(of).into_iter().next()?;
        Some((found.figure, found.in_log, found.in_result, found.cause))
    }

    /// Windows of 1,000 I/Os each, of which fio leaves out the last.
    #[test]
    fn the_last_window_that_fio_leaves_out_explains_a_difference() {
        let found = |in_windows: &[u64], ios: u64| {
            let mut reader = HistogramLogReader::new(LogTerms::of(FioLogKind::Completion));
            for (at, count) in in_windows.iter().enumerate() {
                let buckets: Vec<String> =
                    (0..1856).map(|bucket| if bucket == 300 { *count } else { 0 }.to_string()).collect();
                reader.feed(format!("{}, 0, 4096, {}\n", (at + 1) * 1000, buckets.join(", ")).as_bytes());
            }
            let mut all = imported("a_clat_hist.1.log", "", ios);
            all.logs[0].log = reader.finish();
            first(&all)
        };
        let windows = [1000, 1001, 1001, 1001];
        let ios = |in_result: f64, cause| Some(("I/Os".to_owned(), 4003.0, in_result, cause));
        assert_eq!(found(&windows, 5000), ios(5000.0, Some(LogCause::LastWindow)));
        // More than a window is missing, or the log has too many.
        assert_eq!(found(&windows, 6000), ios(6000.0, None));
        assert_eq!(found(&windows, 3000), ios(3000.0, None));
        assert_eq!(found(&windows, 4003), None);
    }

    #[test]
    fn logs_and_results_of_the_same_jobs_tell_the_same() {
        let windows: String = (1..=10).map(|at| format!("{}, 100, 0, 0\n", at * 1000)).collect();
        let ios: String = (1..=1000).map(|at| format!("{}, 5, 0, 4096\n", at * 10)).collect();
        for (name, lines, ios, expected) in [
            ("a_iops.1.log", &windows, 1000, None),
            ("a_iops.1.log", &windows, 2000, Some(("mean IOPS", 100.0, 200.0))),
            ("a_lat.1.log", &ios, 1000, None),
            ("a_lat.1.log", &ios, 5000, Some(("I/Os", 1000.0, 5000.0))),
            ("a_iops.2.log", &windows, 2000, None),
        ] {
            let expected =
                expected.map(|(figure, in_log, in_result)| (figure.to_owned(), in_log, in_result, None));
            assert_eq!(first(&imported(name, lines, ios)), expected, "{name} {ios}");
        }
    }
}
