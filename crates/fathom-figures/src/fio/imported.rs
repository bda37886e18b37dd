//! Several files of fio as one: what is in which line of a report, and which jobs belong together.

use super::aggregate::{Aggregate, latency_over_jobs, sum_over_jobs};
use super::job_result::FioResult;
use super::log_name::{FioLogKind, LogName};
use super::log_reader::FioLog;
use super::log_track::LogTrack;
use fathom_job::direction::Direction;

/// Files of fio, read.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// What the reader calls them; empty for their names.
    pub title: String,
    /// The logs, those of one job together.
    pub logs: Vec<ImportedLog>,
    /// Results as JSON and as terse lines.
    pub results: Vec<ImportedResult>,
    /// What should be known about the files: lines that were left out, and how values were understood.
    pub notes: Vec<String>,
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
    /// What it holds.
    pub result: FioResult,
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
    /// Directory and prefix: jobs with the same belong to one run.
    family: (&'a str, &'a str),
    /// fio's number of the job, and its place in a log of several.
    job: (Option<u32>, usize),
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
        let of_kind = self.logs.iter().filter(|log| log.name.kind == kind);
        for log in of_kind {
            let is_ambiguous = self.is_ambiguous(log);
            for (at, part) in log.log.parts.iter().enumerate() {
                let number =
                    if log.log.parts.len() > 1 { format!(" part {}", at + 1) } else { String::new() };
                let place = if is_ambiguous { format!("{}/", log.directory) } else { String::new() };
                let label = format!("{place}{}{number}", log.name);
                for (direction, track) in part.tracks.iter() {
                    all.extend(track.as_ref().map(|track| LabelledTrack {
                        label: label.clone(),
                        file: &log.file,
                        direction,
                        track,
                        family: (&log.directory, &log.name.prefix),
                        job: (log.name.job, at),
                    }));
                }
            }
        }
        all.sort_by_key(|track| track.direction);
        all
    }

    /// Do logs of this kind in two directories have one name?
    fn is_ambiguous(&self, log: &ImportedLog) -> bool {
        self.logs.iter().any(|other| other.name == log.name && other.directory != log.directory)
    }

    /// The jobs of each run together, for runs with several jobs.
    pub fn together(&self, kind: FioLogKind) -> Vec<JobsTogether> {
        let tracks = self.tracks(kind);
        let rates = if kind.is_latency() { self.tracks(FioLogKind::Iops) } else { Vec::new() };
        let mut families: Vec<(&str, &str)> = tracks.iter().map(|track| track.family).collect();
        families.sort_unstable();
        families.dedup();
        let mut together = Vec::new();
        for direction in Direction::ALL {
            for family in &families {
                let own: Vec<&LabelledTrack<'_>> =
                    tracks.iter().filter(|it| it.direction == direction && it.family == *family).collect();
                let aggregate = if kind.is_latency() {
                    let rate = |of: &LabelledTrack<'_>| {
                        let same = |rate: &&LabelledTrack<'_>| {
                            (rate.family, rate.direction, rate.job) == (of.family, of.direction, of.job)
                        };
                        rates.iter().find(same).map(|rate| rate.track)
                    };
                    latency_over_jobs(&own.iter().map(|of| (of.track, rate(of))).collect::<Vec<_>>())
                } else {
                    sum_over_jobs(&own.iter().map(|of| of.track).collect::<Vec<_>>())
                };
                let label = match families.iter().filter(|(_, prefix)| *prefix == family.1).count() {
                    1 => family.1.to_owned(),
                    _ => format!("{}/{}", family.0, family.1),
                };
                together.extend(aggregate.map(|aggregate| JobsTogether { label, direction, aggregate }));
            }
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
