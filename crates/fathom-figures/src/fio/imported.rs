//! Several files of fio as one: what is in which line of a report, and which jobs belong together.

use super::aggregate::{Aggregate, latency_over_jobs, sum_over_jobs};
use super::job_result::FioResult;
use super::log_name::{FioLogKind, LogName};
use super::log_reader::{FioLog, LOG_BINS_MAX};
use super::log_track::LogTrack;
use crate::metric::{Columns, Metric, Output};
use crate::programs::ImportedProgram;
use fathom_job::direction::Direction;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Files of fio, read.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// What the reader calls them; empty for their names.
    pub title: String,
    /// The logs, those of one job together.
    pub logs: Vec<ImportedLog>,
    /// Results as JSON and as terse lines.
    pub results: Vec<ImportedResult>,
    /// Results of other programs.
    pub programs: Vec<ImportedProgram>,
    /// Files that could not be read, and why.
    pub unread: Vec<UnreadFile>,
    /// What should be known about the files: lines that were left out, and how values were understood.
    pub notes: Vec<String>,
    /// The columns that a person chose for their tables.
    pub columns: Columns,
}

/// A file that could not be read, while others were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadFile {
    /// The file.
    pub file: String,
    /// A sentence that names it.
    pub why: String,
}

/// A log and its file.
#[derive(Clone, Debug)]
pub struct ImportedLog {
    /// Its directory, as it was named; empty for the current one.
    pub directory: String,
    /// Its file.
    pub file: String,
    /// What its name says.
    pub name: LogName,
    /// What it holds.
    pub log: FioLog,
}

/// Results and their file.
#[derive(Clone, Debug)]
pub struct ImportedResult {
    /// Their file.
    pub file: String,
    /// Which run of the file it is, from 1; `None` where the file has one.
    pub run: Option<u32>,
    /// What it holds.
    pub result: FioResult,
}

impl ImportedResult {
    /// The file, and which run of it: `r.json run 2`.
    pub fn place(&self) -> String {
        run_in_file(&self.file, self.run)
    }
}

/// A file, and which run of it where it has several: `r.json run 2`.
pub fn run_in_file(file: &str, run: Option<u32>) -> String {
    run.map_or_else(|| file.to_owned(), |run| format!("{file} run {run}"))
}

/// One direction of one job in a log.
#[derive(Clone, Debug)]
pub struct LabelledTrack<'a> {
    /// The job: `nightly job 2`.
    pub label: String,
    /// Its log.
    pub file: &'a str,
    /// Read, write or trim.
    pub direction: Direction,
    /// Its lines.
    pub track: &'a LogTrack,
    /// What the columns of the file are, in words.
    pub columns: String,
    /// Directory and prefix: jobs with the same belong to one run.
    family: (&'a str, &'a str),
    /// fio's number of the job, and its place in a log of several.
    job: (Option<u32>, usize),
}

impl LabelledTrack<'_> {
    /// fio's number of the job, from 1; `None` where one log holds all jobs.
    pub fn job_number(&self) -> Option<u32> {
        self.job.0
    }
}

/// Jobs of one run as one.
#[derive(Clone, Debug)]
pub struct JobsTogether {
    /// The prefix of the logs.
    pub label: String,
    /// Read, write or trim.
    pub direction: Direction,
    /// The sum, or the mean of latencies.
    pub aggregate: Aggregate,
}

impl Imported {
    /// Are there several results, so that each must be named with its file?
    pub fn has_several_results(&self) -> bool {
        self.results.len() + self.programs.len() > 1
    }

    /// The latencies that tables of results have.
    pub fn latencies(&self) -> impl Iterator<Item = &'static Metric> {
        self.columns.of(Output::Import).into_iter().filter(|metric| metric.is_latency())
    }

    /// The percentiles that tables of logs have.
    pub fn percentiles(&self) -> Vec<&'static Metric> {
        self.latencies().filter(|metric| metric.percentile().is_some()).collect()
    }

    /// Makes the steps of the time lines of all logs longer until their memory is that of one large log.
    pub fn fit_time_lines(&mut self) {
        while self.logs.iter().map(|log| log.log.bins()).sum::<usize>() > LOG_BINS_MAX {
            self.logs.iter_mut().for_each(|log| log.log.coarsen());
        }
    }

    /// The kinds of logs that there are, in the order of reports.
    pub fn kinds(&self) -> Vec<FioLogKind> {
        FioLogKind::ALL
            .into_iter()
            .filter(|kind| self.logs.iter().any(|log| log.name.kind == *kind))
            .collect()
    }

    /// All jobs of a kind with lines, direction by direction.
    pub fn tracks(&self, kind: FioLogKind) -> Vec<LabelledTrack<'_>> {
        let mut all = Vec::new();
        let of_kind = || self.logs.iter().filter(|log| log.name.kind == kind);
        // Logs of one name in several directories are told apart by those.
        let mut directories: HashMap<String, HashSet<&str>> = HashMap::new();
        for log in of_kind() {
            directories.entry(log.name.to_string()).or_default().insert(&log.directory);
        }
        for log in of_kind() {
            let is_ambiguous = directories.get(&log.name.to_string()).is_some_and(|all| all.len() > 1);
            let columns = log.log.columns_are();
            for (at, part) in log.log.parts.iter().enumerate() {
                let number =
                    if log.log.parts.len() > 1 { format!(" part {}", at + 1) } else { String::new() };
                let place = if is_ambiguous { format!("{}/", log.directory) } else { String::new() };
                let label = format!("{place}{}{number}", log.name);
                for (direction, track) in part.tracks.iter() {
                    let what = |track: &LogTrack| {
                        if track.lines_are().are_histograms() { " histograms" } else { "" }
                    };
                    all.extend(track.as_ref().map(|track| LabelledTrack {
                        label: format!("{label}{}", what(track)),
                        file: &log.file,
                        direction,
                        track,
                        columns: columns.clone(),
                        family: (&log.directory, &log.name.prefix),
                        job: (log.name.job, at),
                    }));
                }
            }
        }
        all.sort_by_key(|track| track.direction);
        all
    }

    /// The jobs of each run together, for runs with several jobs.
    pub fn together(&self, kind: FioLogKind) -> Vec<JobsTogether> {
        let tracks = self.tracks(kind);
        let rates = if kind.is_latency() { self.tracks(FioLogKind::Iops) } else { Vec::new() };
        let mut rate_of = HashMap::new();
        for rate in &rates {
            rate_of.entry((rate.family, rate.direction, rate.job)).or_insert(rate.track);
        }
        let mut families: BTreeMap<(Direction, (&str, &str)), Vec<&LabelledTrack<'_>>> = BTreeMap::new();
        let mut prefixes: HashMap<&str, HashSet<&str>> = HashMap::new();
        // A job may have a log of histograms beside one of latencies; its I/Os are the same.
        let is_of_histograms = |track: &LabelledTrack<'_>| track.track.lines_are().are_histograms();
        let has_others = tracks.iter().any(|track| !is_of_histograms(track));
        for track in tracks.iter().filter(|track| !has_others || !is_of_histograms(track)) {
            families.entry((track.direction, track.family)).or_default().push(track);
            prefixes.entry(track.family.1).or_default().insert(track.family.0);
        }
        let mut together = Vec::new();
        for ((direction, family), own) in families {
            let aggregate = if kind.is_latency() {
                let rate = |of: &LabelledTrack<'_>| rate_of.get(&(of.family, of.direction, of.job)).copied();
                latency_over_jobs(&own.iter().map(|of| (of.track, rate(of))).collect::<Vec<_>>())
            } else {
                sum_over_jobs(&own.iter().map(|of| of.track).collect::<Vec<_>>())
            };
            let label = match prefixes.get(family.1).map_or(1, HashSet::len) {
                1 => family.1.to_owned(),
                _ => format!("{}/{}", family.0, family.1),
            };
            together.extend(aggregate.map(|aggregate| JobsTogether { label, direction, aggregate }));
        }
        together
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fio::{LogReader, LogTerms};

    fn log(directory: &str, name: &str, lines: &str) -> ImportedLog {
        let name = LogName::of(name).unwrap();
        let mut reader =
            LogReader::new(LogTerms { has_parts: name.job.is_none(), ..LogTerms::of(name.kind) });
        reader.feed(lines.as_bytes());
        ImportedLog { directory: directory.to_owned(), file: String::new(), name, log: reader.finish() }
    }

    #[test]
    fn jobs_of_one_run_are_added_and_those_of_others_are_not() {
        let lines = "1000, 100, 0, 0\n2000, 100, 0, 0\n1000, 5, 1, 0\n2000, 5, 1, 0\n";
        let logs = vec![
            log("", "a_bw.1.log", lines),
            log("", "a_bw.2.log", lines),
            log("", "b_bw.1.log", lines),
            log("old", "b_bw.1.log", lines),
        ];
        let imported = Imported { logs, ..Imported::default() };
        let labels: Vec<String> =
            imported.tracks(FioLogKind::Bandwidth).into_iter().map(|track| track.label).take(4).collect();
        assert_eq!(labels, ["a job 1", "a job 2", "/b job 1", "old/b job 1"]);
        let together = imported.together(FioLogKind::Bandwidth);
        let told: Vec<(&str, Direction, usize)> =
            together.iter().map(|t| (t.label.as_str(), t.direction, t.aggregate.jobs)).collect();
        assert_eq!(told, [("a", Direction::Read, 2), ("a", Direction::Write, 2)]);
        assert!((together[0].aggregate.mean - 200.0 * 1024.0).abs() < 1e-6);
    }

    #[test]
    fn one_log_of_several_jobs_has_parts() {
        let one: String = (1..=100).map(|at| format!("{}, 100, 0, 0\n", at * 100)).collect();
        let imported = Imported { logs: vec![log("", "y_bw.log", &one.repeat(3))], ..Imported::default() };
        let tracks = imported.tracks(FioLogKind::Bandwidth);
        assert_eq!(
            tracks.iter().map(|t| t.label.as_str()).collect::<Vec<_>>(),
            ["y part 1", "y part 2", "y part 3"]
        );
        let together = imported.together(FioLogKind::Bandwidth);
        assert!(
            (together[0].aggregate.mean - 300.0 * 1024.0).abs() < 1e-6,
            "{:?}",
            together[0].aggregate.mean
        );
    }
}
