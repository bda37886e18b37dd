//! fio's terse output: one line of `;`-separated fields per job, versions 2 to 5.
//!
//! The fields of a direction are: KiB, KiB/s, IOPS, run time in ms, four of slat, four of clat, twenty percentiles,
//! four of lat, five of bandwidth; version 5 has six more. Latencies are in µs.

use super::cut_rate::CountedIos;
use super::format::ResultFormat;
use super::job_result::{
    FioFlow, FioJob, FioLatency, FioResult, FioResultError, counted_read_percent, mean_block_bytes,
};
use super::oddities::Oddities;
use super::oddity::LinesPlace;
use super::terse_details;
use crate::DepthTarget;

/// Fields of a direction before version 5.
const DIRECTION_FIELDS: usize = 4 + 4 + 4 + 20 + 4 + 5;

/// Fields that version 5 adds to a direction.
const FIELDS_OF_5: usize = 6;

/// The row of this form. Warnings, and the lines of fio's text, may stand before it.
pub(super) const FORMAT: ResultFormat = ResultFormat {
    name: "terse output",
    endings: &[".terse"],
    is_it: |head| head.lines().any(|line| layout(line).is_some()),
    parse: |text| fio_terse(text).map(|run| vec![run]),
};

/// Version, where the name of the job stands, and the directions.
type Layout = (u32, usize, &'static [&'static str]);

/// Fields of a direction.
fn direction_fields(version: u32) -> usize {
    DIRECTION_FIELDS + if version == 5 { FIELDS_OF_5 } else { 0 }
}

/// Fields up to those of the processor.
fn needed((version, name, directions): Layout) -> usize {
    name + 3 + directions.len() * direction_fields(version)
}

/// What the line is; `None` if it is not terse.
fn layout(line: &str) -> Option<Layout> {
    let mut fields = line.split(';');
    let version: u32 = fields.next()?.trim().parse().ok()?;
    let second = fields.next()?;
    let directions: &[&str] = if version == 3 { &["read", "write"] } else { &["read", "write", "trim"] };
    match version {
        2 if line.matches(';').count() > 2 * DIRECTION_FIELDS => Some((2, 1, directions)),
        3..=5 if second.starts_with("fio-") => Some((version, 2, directions)),
        _ => None,
    }
}

/// Reads terse lines. Lines between them that are not terse, such as the description of version 2, are left out.
///
/// # Errors
/// Where a terse line has too few fields or one that is not a number, with the line.
pub fn fio_terse(text: &str) -> Result<FioResult, FioResultError> {
    let (mut result, mut oddities) = (FioResult::default(), Oddities::default());
    oddities.other_lines(LinesPlace::BesideTerse, text.lines().filter(|line| layout(line).is_none()));
    for (at, line) in text.lines().enumerate() {
        let Some(layout) = layout(line) else { continue };
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let job = job(&fields, layout).map_err(|why| FioResultError::NotTerse { line: at + 1, why })?;
        result.version = if layout.0 > 2 { fields[1].to_owned() } else { "fio".to_owned() };
        counts(&fields, layout, &job, &mut oddities);
        // Each line lists the disks of all jobs.
        result.disks = terse_details::disks(&fields[needed(layout)..]);
        oddities.of_job(&job);
        result.jobs.push(job);
    }
    oddities.of_result(&result);
    result.oddities = oddities.all();
    if result.jobs.is_empty() {
        return Err(FioResultError::NoJobs);
    }
    Ok(result)
}

fn job(fields: &[&str], (version, name, directions): Layout) -> Result<FioJob, String> {
    let each = direction_fields(version);
    let first = name + 3;
    let needed = needed((version, name, directions));
    if fields.len() < needed {
        return Err(format!(
            "terse version {version} has at least {needed} fields, and this line {}",
            fields.len()
        ));
    }
    let mut flows = Vec::new();
    for (at, direction) in directions.iter().enumerate() {
        let own = &fields[first + at * each..][..each];
        flows.extend(flow(direction, own)?);
    }
    let tail = &fields[needed..];
    Ok(FioJob {
        cpu: terse_details::cpu(tail),
        shares: terse_details::shares(tail),
        name: fields[name].to_owned(),
        group: number(fields[name + 1])? as u64,
        error: number(fields[name + 2])? as i64,
        errors: None,
        block_bytes: mean_block_bytes(&flows),
        read_percent: counted_read_percent(&flows),
        depth_target: DepthTarget::Unknown,
        flows,
        ..FioJob::default()
    })
}

/// Reports the counts of a line that are below zero.
fn counts(fields: &[&str], (version, name, directions): Layout, job: &FioJob, oddities: &mut Oddities) {
    for (at, direction) in directions.iter().enumerate() {
        let own = &fields[name + 3 + at * direction_fields(version)..];
        for (count, field) in [("KiB", own[0]), ("bw", own[1]), ("iops", own[2]), ("runtime", own[3])] {
            oddities.of_count(&job.name, || format!("{direction} {count}"), number(field));
        }
    }
}

/// A direction; `None` without I/O.
fn flow(direction: &'static str, fields: &[&str]) -> Result<Option<FioFlow>, String> {
    let [kib, rate_kib, iops, runtime_ms] = [0, 1, 2, 3].map(|at| number(fields[at]));
    let (kib, iops, runtime_ms) = (kib?, iops?, runtime_ms?);
    if kib == 0.0 && iops == 0.0 {
        return Ok(None);
    }
    let percentiles = percentiles(&fields[12..32])?;
    let mut latencies = Vec::new();
    for (kind, at) in [("lat", 32), ("clat", 8), ("slat", 4)] {
        let own = if kind == "clat" { percentiles.clone() } else { Vec::new() };
        latencies.extend(latency(kind, &fields[at..at + 4], own)?);
    }
    // What is below zero is told, and is no figure.
    let [kib, rate_kib, iops, runtime_ms] =
        [kib, rate_kib?, iops, runtime_ms].map(|it| (it >= 0.0).then_some(it));
    let runtime_ms = runtime_ms.map(|ms| ms as u64);
    let bytes = kib.map(|kib| (kib * 1024.0) as u64);
    let counted = match (kib, iops, runtime_ms) {
        (Some(kib), Some(iops), Some(ms)) => CountedIos::of(kib as u64, iops as u64, ms),
        _ => CountedIos { ios: None, bytes, iops, cut: None },
    };
    Ok(Some(FioFlow {
        direction,
        ios: counted.ios,
        bytes: counted.bytes,
        runtime_ms,
        iops: counted.iops,
        bytes_per_second: rate_kib.map(|kib| bandwidth(kib * 1024.0, counted.bytes, runtime_ms)),
        cut: counted.cut,
        latencies,
        bandwidth_spread: terse_details::bandwidth_spread(&fields[36..]),
        iops_spread: terse_details::iops_spread(&fields[36..]),
        ..FioFlow::default()
    }))
}

/// Bytes ÷ run time, which are not cut; what the file has in KiB/s where it is another rate.
fn bandwidth(told: f64, bytes: Option<u64>, runtime_ms: Option<u64>) -> f64 {
    let Some((bytes, ms)) = bytes.zip(runtime_ms.filter(|ms| *ms > 0)) else { return told };
    let computed = bytes as f64 * 1e3 / ms as f64;
    let is_same = (told - computed).abs() <= 1024.0 + CUT_WITHIN * told;
    if is_same { computed } else { told }
}

/// The rate of a file and the one that follows from its bytes may differ by this share, beside what is cut: fio takes the run time
/// of the moment.
const CUT_WITHIN: f64 = 0.002;

fn latency(
    kind: &'static str,
    fields: &[&str],
    percentiles: Vec<(f64, f64)>,
) -> Result<Option<FioLatency>, String> {
    let [min, max, mean, stddev] = [0, 1, 2, 3].map(|at| number(fields[at]).map(|us| us * 1e3));
    let (max_ns, mean_ns) = (max?, mean?);
    if max_ns == 0.0 && mean_ns == 0.0 {
        return Ok(None);
    }
    let [min_ns, max_ns, mean_ns, stddev_ns] = [min?, max_ns, mean_ns, stddev?].map(Some);
    Ok(Some(FioLatency { kind, n: None, min_ns, max_ns, mean_ns, stddev_ns, percentiles }))
}

/// `99.000000%=1192`; `0%=0` fills what is not used.
fn percentiles(fields: &[&str]) -> Result<Vec<(f64, f64)>, String> {
    let mut told = Vec::new();
    for field in fields {
        let Some((percent, us)) = field.split_once("%=") else {
            return Err(format!("\"{field}\" is not a percentile"));
        };
        let percent = number(percent)?;
        if percent > 0.0 {
            told.push((percent, number(us)? * 1e3));
        }
    }
    Ok(told)
}

fn number(field: &str) -> Result<f64, String> {
    field
        .parse::<f64>()
        .ok()
        .filter(|it| it.is_finite())
        .ok_or_else(|| format!("\"{field}\" is not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fio::FioOddity;

    fn direction(kib: &str) -> String {
        let empty = ["1.000000%=7", "99.000000%=1192"].into_iter().chain(std::iter::repeat_n("0%=0", 18));
        let percentiles: Vec<&str> = empty.collect();
        format!(
            "{kib};400;100;10000;0;0;0;0;1;13505;344.26;5;{};2;13510;350;6;1;2;100%;3;4",
            percentiles.join(";")
        )
    }

    fn line(name: &str) -> String {
        format!(
            "3;fio-3.33;{name};0;0;{};{};1%;2%;3",
            direction("4000"),
            direction("0").replace(";400;100;", ";0;0;")
        )
    }

    #[test]
    fn a_line_of_version_3() {
        assert!((FORMAT.is_it)(&line("a")) && !(FORMAT.is_it)("3;4;5"));
        let result = fio_terse(&format!("{}\nwords\n{}\n", line("a"), line("b"))).unwrap();
        assert_eq!((result.version.as_str(), result.jobs.len()), ("fio-3.33", 2));
        let flow = &result.jobs[1].flows[0];
        assert_eq!((flow.direction, flow.bytes, flow.ios), ("read", Some(4_096_000), Some(1000)));
        assert_eq!(result.jobs[1].flows.len(), 1);
        let [lat, clat] = flow.latencies.as_slice() else { panic!("{flow:?}") };
        assert_eq!((lat.kind, lat.max_ns), ("lat", Some(13_510_000.0)));
        assert_eq!((clat.max_ns, clat.percentile_ns(99.0)), (Some(13_505_000.0), Some(1_192_000.0)));
    }

    /// 30 reads of 4 KiB in 15.602 s: fio writes 1 IOPS and 7 KiB/s.
    #[test]
    fn what_is_cut_is_not_computed_with() {
        let slow = line("a").replace("4000;400;100;10000;", "120;7;1;15602;");
        let result = fio_terse(&slow).unwrap();
        let (job, flow) = (&result.jobs[0], &result.jobs[0].flows[0]);
        assert_eq!((job.block_bytes, job.read_percent), (None, Some(100.0)));
        assert_eq!(
            (flow.ios, flow.cut.map(|cut| (cut.ios_most, cut.iops_below))),
            (Some(16), Some((31, 2.0)))
        );
        assert_eq!(flow.bytes_per_second, Some(122_880.0 / 15.602));
        let cut = FioOddity::Cut { job: "a".to_owned(), direction: "read", ios: (16, 31), has_size: false };
        assert_eq!(result.oddities, [cut]);
    }

    #[test]
    fn a_line_that_is_cut_has_its_number() {
        let cut = &line("a")[..100];
        let error = fio_terse(&format!("{}\n{cut}", line("b"))).unwrap_err();
        assert!(error.to_string().starts_with("line 2: terse version 3 has at least 87 fields"), "{error}");
        let wrong = line("a").replace("344.26", "soon");
        assert_eq!(fio_terse(&wrong).unwrap_err().to_string(), "line 1: \"soon\" is not a number");
        assert_eq!(fio_terse("words"), Err(FioResultError::NoJobs));
    }

    /// Lines of fio 3.33, the first beside the JSON of the same run.
    #[test]
    fn processor_depths_latencies_and_disks_are_read() {
        let file = include_str!("../../tests/fixtures/fio-text/terse-3.txt");
        let (terse, json) = (fio_terse(file).unwrap(), crate::fio::fio_json(file).unwrap().remove(0));
        // JSON has more digits of the last figure.
        let counts = |disk: &crate::fio::FioDisk| crate::fio::FioDisk { busy_percent: None, ..disk.clone() };
        assert_eq!(
            terse.disks.iter().map(counts).collect::<Vec<_>>(),
            json.disks.iter().map(counts).collect::<Vec<_>>()
        );
        assert_eq!(terse.disks[0].busy_percent, Some(34.94));
        let (own, other) = (&terse.jobs[0], &json.jobs[0]);
        assert_eq!(own.cpu, other.cpu);
        let lists = |job: &FioJob| [job.shares.depths.clone(), job.shares.latencies.clone()];
        for (own, other) in lists(own).iter().zip(lists(other)) {
            assert_eq!(own.len(), other.len(), "{own:?} {other:?}");
            for (own, other) in own.iter().zip(other) {
                let is_same = (own.bound, own.is_open) == (other.bound, other.is_open);
                assert!(is_same && (own.percent - other.percent).abs() < 0.06, "{own:?} {other:?}");
            }
        }
        let without_n = |flow: &FioFlow| flow.bandwidth_spread.map(|it| (it.min, it.max, it.mean));
        assert_eq!(without_n(&own.flows[0]), without_n(&other.flows[0]));
        let newest = fio_terse(include_str!("../../tests/fixtures/fio-text/terse-5.txt")).unwrap();
        let flow = &newest.jobs[0].flows[0];
        let n = |spread: Option<crate::fio::FioSpread>| spread.and_then(|it| it.n);
        assert_eq!((n(flow.bandwidth_spread), n(flow.iops_spread)), (Some(3), Some(3)));
    }
}
