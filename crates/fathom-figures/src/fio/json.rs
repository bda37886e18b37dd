//! fio's JSON (`--output-format=json` and `json+`), of fio 2 and 3.
//!
//! fio 2 has latencies in µs (`lat`, `clat`, `slat`), fio 3 in ns (`lat_ns` …). fio writes warnings into the same file
//! before the tree, other formats behind it, and one tree after the other: with `--status-interval` states of one run, of which the
//! last one counts, and with `>>` complete runs.
//!
//! A tree is read twice: first its outline, then its jobs, one after the other. So the memory is that of the text and of the
//! figures, and not that of a tree of all jobs, which is seventeen times the text.

use super::format::ResultFormat;
use super::job_result::{FioResult, FioResultError, FioTime};
use super::json_details::disks;
use super::json_job::{job, unusable};
use super::json_value::Whole;
use super::oddities::Oddities;
use super::states::is_later_state;
use crate::fio::FioJob;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt;

/// The row of this form. fio writes warnings, and the lines of its text, before the tree.
pub(super) const FORMAT: ResultFormat = ResultFormat {
    name: "JSON",
    endings: &[".json", ".json+"],
    is_it: |head| head.trim_start().starts_with('{') || head.contains("\n{\n"),
    parse: fio_json,
};

/// A tree without this key is not fio's.
const VERSION: &str = "fio version";

/// What holds the jobs; the second is that of a server (`--client`).
const JOBS: [&str; 2] = ["jobs", "client_stats"];

/// How often the beginning of the tree is looked for: warnings before it may have a line that begins with a brace, too.
const BEGINNINGS_MAX: usize = 4;

/// Reads a file of fio's JSON: the runs in it, in their order. Most files have one.
///
/// # Errors
/// Where it is cut or not fio's, with line and column.
pub fn fio_json(text: &str) -> Result<Vec<FioResult>, FioResultError> {
    let mut first_error = None;
    for start in beginnings(text).take(BEGINNINGS_MAX) {
        match trees(text, start) {
            Ok(runs) => return Ok(runs),
            Err(FioResultError::NoJobs) => return Err(FioResultError::NoJobs),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or(FioResultError::NotFio))
}

/// Where the tree may begin: at a brace that begins a line, or before which there is nothing.
fn beginnings(text: &str) -> impl Iterator<Item = usize> {
    let blank = text.len() - text.trim_start().len();
    let first = text[blank..].starts_with('{').then_some(blank);
    let lines = text.match_indices("\n{").map(|(at, _)| at + 1);
    first.into_iter().chain(lines.filter(move |at| Some(*at) != first))
}

/// Reads the trees from here on. The last state of each run counts.
fn trees(text: &str, start: usize) -> Result<Vec<FioResult>, FioResultError> {
    let mut trees = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Outline>();
    let mut runs: Vec<FioResult> = Vec::new();
    // Trees without a job, such as those before the first job begins, are states of the run that follows.
    let (mut last, mut without_jobs, mut end) = (None, 0_usize, 0);
    let mut error = None;
    while let Some(tree) = trees.next() {
        let found = match tree {
            Ok(outline) => result(text, &outline, start + end),
            Err(why) => {
                error = Some(why);
                break;
            }
        };
        end = trees.byte_offset();
        match found {
            Ok(found) => {
                add(&mut runs, FioResult { earlier_states: std::mem::take(&mut without_jobs), ..found });
                last = None;
            }
            Err(why) => {
                without_jobs += 1;
                last = Some(why);
            }
        }
    }
    match (last, runs.last_mut()) {
        (Some(why), _) => Err(why),
        (None, None) => Err(error.map_or(FioResultError::NotFio, |error| not_json(text, start, &error))),
        (None, Some(run)) => {
            let mut oddities = Oddities::default();
            oddities.around(&text[..start], &text[start + end..]);
            run.oddities.splice(..0, oddities.all());
            Ok(runs)
        }
    }
}

/// Adds a tree: a later state of the last run, or a run of its own.
fn add(runs: &mut Vec<FioResult>, found: FioResult) {
    match runs.last_mut() {
        Some(last) if is_later_state(last, &found) => {
            let earlier_states = last.earlier_states + 1 + found.earlier_states;
            *last = FioResult { earlier_states, ..found };
        }
        _ => runs.push(found),
    }
}

/// The tree that begins here.
fn result(text: &str, outline: &Outline, from: usize) -> Result<FioResult, FioResultError> {
    let version = outline.version.clone().ok_or(FioResultError::NotFio)?;
    let mut oddities = Oddities::default();
    let jobs = Jobs { global: outline.global.as_ref(), oddities: &mut oddities };
    let mut tree = serde_json::Deserializer::from_str(&text[from..]);
    let jobs = jobs.deserialize(&mut tree).map_err(|error| not_json(text, from, &error))?;
    if jobs.is_empty() {
        return Err(FioResultError::NoJobs);
    }
    let seconds = outline.timestamp.map(|seconds| seconds.saturating_mul(1_000));
    let written =
        FioTime { unix_ms: outline.timestamp_ms.or(seconds), is_exact: outline.timestamp_ms.is_some() };
    let disks = outline.disks.as_ref().map(disks).unwrap_or_default();
    let mut result = FioResult { version, jobs, disks, written, ..FioResult::default() };
    oddities.of_result(&result);
    result.oddities = oddities.all();
    Ok(result)
}

/// What is wrong, with its line in the whole text.
fn not_json(text: &str, from: usize, error: &serde_json::Error) -> FioResultError {
    let before = text[..from].bytes().filter(|byte| *byte == b'\n').count();
    let said = error.to_string();
    let why = said.split(" at line ").next().unwrap_or_default().to_owned();
    FioResultError::NotJson { line: before + error.line(), column: error.column(), why }
}

/// A tree without its jobs.
#[derive(Default)]
struct Outline {
    version: Option<String>,
    global: Option<Value>,
    timestamp: Option<u64>,
    timestamp_ms: Option<u64>,
    disks: Option<Value>,
}

impl<'de> serde::Deserialize<'de> for Outline {
    fn deserialize<D: Deserializer<'de>>(tree: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Outline;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the tree of a result of fio")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Outline, A::Error> {
                let mut outline = Outline::default();
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        VERSION => outline.version = map.next_value::<Value>()?.as_str().map(str::to_owned),
                        "timestamp" => outline.timestamp = map.next_value::<Value>()?.as_u64(),
                        "timestamp_ms" => outline.timestamp_ms = map.next_value::<Value>()?.as_u64(),
                        "disk_util" => outline.disks = Some(map.next_value()?),
                        "global options" => outline.global = Some(map.next_value()?),
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(outline)
            }
        }
        tree.deserialize_map(Keys)
    }
}

/// Reads the jobs of a tree, one after the other.
struct Jobs<'a> {
    global: Option<&'a Value>,
    oddities: &'a mut Oddities,
}

impl<'de> DeserializeSeed<'de> for Jobs<'_> {
    type Value = Vec<FioJob>;

    fn deserialize<D: Deserializer<'de>>(self, tree: D) -> Result<Vec<FioJob>, D::Error> {
        tree.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Jobs<'_> {
    type Value = Vec<FioJob>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the tree of a result of fio")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<FioJob>, A::Error> {
        let mut jobs = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if JOBS.contains(&key.as_str()) {
                let listed = List { global: self.global, oddities: self.oddities };
                let more = map.next_value_seed(listed)?;
                if !jobs.is_empty() && !more.is_empty() {
                    self.oddities.twice(&key);
                }
                jobs = if more.is_empty() { jobs } else { more };
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(jobs)
    }
}

/// The list of jobs. Anything else in its place is an error.
struct List<'a> {
    global: Option<&'a Value>,
    oddities: &'a mut Oddities,
}

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = Vec<FioJob>;

    fn deserialize<D: Deserializer<'de>>(self, list: D) -> Result<Vec<FioJob>, D::Error> {
        list.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = Vec<FioJob>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of jobs")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<FioJob>, A::Error> {
        let mut jobs = Vec::new();
        loop {
            let mut twice = Vec::new();
            let Some(tree) = list.next_element_seed(Whole { twice: &mut twice })? else { return Ok(jobs) };
            let job = job(&tree, self.global);
            twice.iter().for_each(|key| self.oddities.twice(key));
            unusable(&tree, &job, self.oddities);
            self.oddities.of_job(&job);
            jobs.push(job);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DepthTarget;

    const FIO_3: &str = r#"fio: a warning in the same file
{
  "fio version" : "fio-3.33",
  "global options" : { "bs" : "4k", "iodepth" : "32" },
  "jobs" : [ { "jobname" : "a", "groupid" : 0, "error" : 0, "total_err" : 2,
    "job options" : { "rw" : "randrw", "rwmixread" : "70" },
    "read" : { "io_bytes" : 4096000, "io_kbytes" : 4000, "bw_bytes" : 409600, "bw" : 400, "iops" : 100.0,
      "runtime" : 10000, "total_ios" : 1000,
      "slat_ns" : { "min" : 0, "max" : 0, "mean" : 0.0, "stddev" : 0.0, "N" : 0 },
      "clat_ns" : { "min" : 10, "max" : 13505000, "mean" : 344000.0, "stddev" : 5.0, "N" : 1000,
        "percentile" : { "50.000000" : 300000, "99.000000" : 1192000 } } },
    "write" : { "io_bytes" : 0, "io_kbytes" : 0, "total_ios" : 0 } },
    { "jobname" : "a", "read" : { "io_bytes" : 512, "io_kbytes" : 0, "total_ios" : 1 } } ]
}
{ "what follows": "another form
"#;

    const FIO_2: &str = r#"{ "fio version" : "fio-2.2.10", "jobs" : [ { "jobname" : "b", "write" :
        { "io_bytes" : 4000, "bw" : 400, "iops" : 100.0, "runtime" : 10000, "total_ios" : 1000,
          "clat" : { "min" : 1, "max" : 13505, "mean" : 344.26, "stddev" : 5.0,
            "percentile" : { "99.000000" : 1192, "0.00" : 0 } } } } ] }"#;

    #[test]
    fn fio_3_with_warnings_before_and_another_form_behind() {
        let result = fio_json(FIO_3).unwrap().remove(0);
        assert_eq!(result.version, "fio-3.33");
        let job = &result.jobs[0];
        assert_eq!((job.block_bytes, job.read_percent, job.depth), (Some(4096.0), Some(70.0), Some(32)));
        assert_eq!(job.depth_target, DepthTarget::Of(32), "no engine is named, and the levels are not told");
        assert_eq!((job.errors, job.flows.len()), (Some(2), 1));
        let flow = &job.flows[0];
        assert_eq!(
            (flow.ios, flow.bytes, flow.bytes_per_second),
            (Some(1000), Some(4_096_000), Some(409_600.0))
        );
        assert_eq!(flow.latencies.len(), 1, "a latency without values is none");
        assert_eq!(flow.latencies[0].percentile_ns(99.0), Some(1_192_000.0));
        assert_eq!(result.labels(), ["a #1", "a #2"]);
    }

    #[test]
    fn fio_2_has_microseconds_and_kib() {
        let result = fio_json(FIO_2).unwrap().remove(0);
        let (job, flow) = (&result.jobs[0], &result.jobs[0].flows[0]);
        assert_eq!((flow.bytes, flow.bytes_per_second), (Some(4_096_000), Some(409_600.0)));
        assert_eq!((job.block_bytes, job.read_percent), (Some(4096.0), Some(0.0)));
        assert_eq!(job.depth_target, DepthTarget::Unknown, "it has no options");
        let clat = &flow.latencies[0];
        assert_eq!((clat.max_ns, clat.mean_ns.map(f64::round)), (Some(13_505_000.0), Some(344_260.0)));
        assert_eq!(clat.percentiles, [(99.0, 1_192_000.0)]);
    }

    /// fio 2.1 has no `total_ios`, and its I/Os per second are whole numbers.
    #[test]
    fn results_without_a_total_are_read() {
        let read = |kib: u64, bw: u64, iops: u64| {
            let text = format!(
                "{{\"fio version\": \"fio-2.1.11\", \"jobs\": [{{\"jobname\": \"r\", \"read\": {{\"io_bytes\": {kib}, \
                 \"bw\": {bw}, \"iops\": {iops}, \"runtime\": 12000, \"clat\": {{\"min\": 5, \"max\": 900, \"mean\": 55.5}}}}, \
                 \"write\": {{\"io_bytes\": 0, \"bw\": 0, \"iops\": 0, \"runtime\": 0}}}}]}}"
            );
            fio_json(&text).unwrap().remove(0)
        };
        let result = read(786_432, 65_536, 16_384);
        let (job, flow) = (&result.jobs[0], &result.jobs[0].flows[0]);
        assert_eq!((job.flows.len(), job.block_bytes, flow.cut), (1, Some(4096.0), None));
        assert_eq!(
            (flow.ios, flow.iops, flow.bytes_per_second),
            (Some(196_608), Some(16_384.0), Some(67_108_864.0))
        );
        assert_eq!((flow.latencies[0].mean_ns, result.oddities.len()), (Some(55_500.0), 0));
        // 30 reads of 4 KiB.
        let few = read(120, 10, 2);
        let (job, flow) = (&few.jobs[0], &few.jobs[0].flows[0]);
        assert_eq!((job.block_bytes, flow.ios, flow.cut.map(|cut| cut.ios_most)), (None, Some(24), Some(35)));
        assert_eq!((flow.bytes, flow.bytes_per_second), (Some(122_880), Some(10_240.0)));
    }

    #[test]
    fn what_cannot_be_read_has_its_place() {
        let cut = &FIO_3[..FIO_3.find("\"bw_bytes\"").unwrap()];
        match fio_json(cut) {
            Err(FioResultError::NotJson { line: 7, .. }) => {}
            other => panic!("{other:?}"),
        }
        assert_eq!(fio_json("no tree"), Err(FioResultError::NotFio));
        assert_eq!(fio_json("{\"a\": 1}"), Err(FioResultError::NotFio));
        assert_eq!(fio_json("{\"fio version\": \"fio-3\", \"jobs\": []}"), Err(FioResultError::NoJobs));
    }

    /// A tree of a job that did so many reads in so many seconds, written so many seconds after its start.
    fn state(name: &str, began_s: u64, elapsed_s: u64, ios: u64) -> String {
        let (written_s, runtime_ms) = (began_s + elapsed_s, elapsed_s * 1_000);
        format!(
            "{{ \"fio version\" : \"fio-3.33\", \"timestamp\" : {written_s}, \"timestamp_ms\" : {written_s}000, \"jobs\" : [ \
             {{ \"jobname\" : \"{name}\", \"elapsed\" : {elapsed_s}, \"read\" : {{ \"io_bytes\" : {}, \"io_kbytes\" : 1, \
             \"total_ios\" : {ios}, \"runtime\" : {runtime_ms}, \"iops\" : {} }} }} ] }}\n",
            ios * 4096,
            ios / elapsed_s.max(1)
        )
    }

    /// Names, I/Os and earlier states of the runs of these trees.
    fn runs(trees: &[String]) -> Vec<(String, u64, usize)> {
        let told = |run: FioResult| {
            (run.jobs[0].name.clone(), run.jobs[0].flows[0].ios.unwrap(), run.earlier_states)
        };
        fio_json(&trees.concat()).unwrap().into_iter().map(told).collect()
    }

    #[test]
    fn of_several_states_of_a_run_the_last_counts() {
        let states = [state("a", 100, 1, 10), state("a", 100, 2, 20), state("a", 100, 2, 20)];
        assert_eq!(runs(&states), [("a".to_owned(), 20, 2)]);
        // Before the first job begins there is none.
        let none = "{ \"fio version\" : \"fio-3.33\", \"jobs\" : [] }\n".to_owned();
        assert_eq!(runs(&[none, state("a", 100, 1, 10)]), [("a".to_owned(), 10, 1)]);
    }

    #[test]
    fn complete_runs_in_one_file_are_runs_of_their_own() {
        let [a20, a19, a21] = [20, 19, 21].map(|ios| ("a".to_owned(), ios, 0));
        // The counts begin again.
        assert_eq!(runs(&[state("a", 100, 9, 20), state("a", 100, 9, 19)]), [a20.clone(), a19.clone()]);
        // They are larger by chance, and the second run began when the first had ended.
        assert_eq!(runs(&[state("a", 100, 9, 20), state("a", 110, 9, 21)]), [a20.clone(), a21.clone()]);
        assert_eq!(runs(&[state("a", 100, 1, 20), state("a", 102, 1, 21)]), [a20.clone(), a21]);
        // Another job is another run.
        let b = ("b".to_owned(), 30, 0);
        assert_eq!(runs(&[state("a", 100, 9, 20), state("b", 100, 9, 30)]), [a20, b]);
        // Each may have earlier states.
        let both = [(1, 5), (9, 20)].map(|(at, ios)| state("a", 100, at, ios)).concat();
        let second = [(1, 6), (9, 19)].map(|(at, ios)| state("a", 110, at, ios)).concat();
        assert_eq!(runs(&[both, second]), [("a".to_owned(), 20, 1), ("a".to_owned(), 19, 1)]);
        // Without times only the counts tell.
        let old = |ios: u64| {
            format!(
                "{{ \"fio version\" : \"fio-2.1\", \"jobs\" : [ {{ \"jobname\" : \"a\", \"read\" : {{ \"io_bytes\" : 1, \
                 \"total_ios\" : {ios} }} }} ] }}\n"
            )
        };
        assert_eq!(runs(&[old(20), old(19)]).len(), 2);
        assert_eq!(runs(&[old(19), old(20)]).len(), 1);
    }
}
