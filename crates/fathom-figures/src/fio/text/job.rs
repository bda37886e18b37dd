//! A job of fio's text while its lines are read, and what follows from them together.
//!
//! fio rounds what it prints for people: `IOPS=15.2k`. Where the I/Os and the time of a direction stand in the same text as whole
//! numbers, and the rate that follows from them would be printed so, that rate is kept, because it is nearer to what was measured. The
//! same holds for bytes, where the job has one size of a block.

use super::amount::{Amount, bytes, count, plain, rate, time_ms, time_unit_ns, whole};
use super::header::Header;
use super::lines::{Line, LineKind};
use crate::DepthTarget;
use crate::fio::depth::depth_target;
use crate::fio::details::{FioCpu, FioShare, FioShares, FioSpread};
use crate::fio::job_result::{FioFlow, FioJob, FioLatency, counted_read_percent, mean_block_bytes};
use crate::fio::oddities::Oddities;

/// Directions by their place in lists of fio.
const DIRECTIONS: [&str; 4] = ["read", "write", "trim", "mixed"];

/// Latencies, in the order of results.
const LATENCIES: [&str; 3] = ["lat", "clat", "slat"];

/// A direction as it was printed.
#[derive(Debug, Default)]
struct PrintedFlow {
    flow: FioFlow,
    /// What a prefix without an i is a power of.
    base: f64,
    iops: Option<Amount>,
    bytes: Option<Amount>,
    rate: Option<Amount>,
}

/// A job, line by line.
#[derive(Debug, Default)]
pub(super) struct PrintedJob {
    pub name: String,
    pub group: u64,
    jobs: Option<u64>,
    error: i64,
    flows: Vec<PrintedFlow>,
    cpu: Option<FioCpu>,
    shares: FioShares,
    /// Reads, writes, trims.
    issued: [Option<u64>; 3],
    short: [Option<u64>; 3],
    dropped: [Option<u64>; 3],
    errors: Option<u64>,
    /// The latency and the unit of the percentiles that follow; `None` for those of single priorities and of syncs.
    percentiles_of: Option<(&'static str, f64)>,
}

/// Reads `a: (groupid=0, jobs=1): err= 0: pid=…`.
pub(super) fn head(line: &str) -> Option<PrintedJob> {
    let at = line.rfind(": (groupid=")?;
    let (group, rest) = line[at + ": (groupid=".len()..].split_once(',')?;
    let (_, jobs) = rest.split_once("jobs=")?;
    let (jobs, rest) = jobs.split_once(')')?;
    let (_, error) = rest.split_once("err=")?;
    let error = error.trim_start();
    let error = &error[..error.find([':', ' ', '('])?];
    Some(PrintedJob {
        name: line[..at].to_owned(),
        group: whole(group)?,
        jobs: whole(jobs),
        error: error.parse().ok()?,
        ..PrintedJob::default()
    })
}

impl PrintedJob {
    /// Reads a line of this job; `false` if it holds nothing of what its beginning promises.
    pub fn add(&mut self, line: &Line<'_>) -> bool {
        match line.kind {
            LineKind::Flow => self.add_flow(line),
            LineKind::Latency => self.add_latency(line),
            LineKind::PercentileTitle => self.add_percentile_title(line),
            LineKind::Percentiles => self.add_percentiles(line),
            LineKind::Bandwidth => self.add_bandwidth(line),
            LineKind::Iops => self.add_iops(line),
            LineKind::Cpu => self.cpu = Some(cpu(line.rest())),
            LineKind::Depths => self.shares.depths = shares(line.rest(), 1),
            LineKind::Submits => self.shares.submits = shares(line.rest(), 1),
            LineKind::Completes => self.shares.completes = shares(line.rest(), 1),
            LineKind::Issued => self.add_issued(line.rest()),
            LineKind::Errors => self.errors = value(line.rest(), "total").and_then(whole),
            _ => {}
        }
        line.kind != LineKind::Flow || self.is_flow(line)
    }

    fn is_flow(&self, line: &Line<'_>) -> bool {
        self.flows.last().is_some_and(|printed| printed.flow.direction == line.label())
    }

    /// `IOPS=15.2k, BW=59.3MiB/s (62.1MB/s)(119MiB/2003msec)`, and of fio 2 `io=7018.6MB, bw=239540KB/s, iops=479075, runt= 30001msec`.
    fn add_flow(&mut self, line: &Line<'_>) {
        let Some(direction) = DIRECTIONS.into_iter().find(|name| *name == line.label()) else { return };
        let rest = line.rest();
        if !rest.contains("io=") && !rest.contains("IOPS=") {
            return;
        }
        let mut printed =
            PrintedFlow { flow: FioFlow { direction, ..FioFlow::default() }, ..PrintedFlow::default() };
        if rest.contains("IOPS=") {
            printed.base = 1000.0;
            printed.iops = value(rest, "IOPS").and_then(count);
            printed.rate = value(rest, "BW").and_then(|text| rate(text.split_whitespace().next()?, 1000.0));
            let amount =
                rest.rsplit_once('(').and_then(|(_, text)| text.split_once(')')).map(|(text, _)| text);
            let (size, time) = amount.and_then(|text| text.split_once('/')).unwrap_or_default();
            printed.flow.runtime_ms = time_ms(time);
            printed.bytes = printed.flow.runtime_ms.and_then(|_| bytes(size, 1000.0));
        } else {
            printed.base = 1024.0;
            printed.iops = value(rest, "iops").and_then(count);
            printed.rate = value(rest, "bw").and_then(|text| rate(text, 1024.0));
            printed.bytes = value(rest, "io").and_then(|text| bytes(text, 1024.0));
            printed.flow.runtime_ms = value(rest, "runt").and_then(time_ms);
        }
        self.percentiles_of = None;
        self.flows.push(printed);
    }

    fn add_latency(&mut self, line: &Line<'_>) {
        let Some((kind, unit_ns)) = latency_kind(line.label()).zip(line.unit().and_then(time_unit_ns)) else {
            return;
        };
        let rest = line.rest();
        if !rest.contains("min=") {
            self.shares.latencies.extend(shares(rest, unit_ns as u64));
            return;
        }
        let of = |key: &str| value(rest, key).and_then(count).map(|amount| amount.value * unit_ns);
        let latency = FioLatency {
            kind,
            min_ns: of("min"),
            max_ns: of("max"),
            mean_ns: of("avg"),
            stddev_ns: of("stdev"),
            ..FioLatency::default()
        };
        if let Some(printed) = self.flows.last_mut() {
            printed.flow.latencies.push(latency);
        }
    }

    /// `clat percentiles (usec):`. Those of single priorities and of syncs are not those of the direction.
    fn add_percentile_title(&mut self, line: &Line<'_>) {
        let unit_ns = line.unit().and_then(time_unit_ns);
        let is_whole = line.label().split_whitespace().nth(1) == Some("percentiles");
        self.percentiles_of = latency_kind(line.label()).filter(|_| is_whole).zip(unit_ns);
    }

    fn add_percentiles(&mut self, line: &Line<'_>) {
        let Some((kind, unit_ns)) = self.percentiles_of else { return };
        let Some(flow) = self.flows.last_mut().map(|printed| &mut printed.flow) else { return };
        if !flow.latencies.iter().any(|latency| latency.kind == kind) {
            flow.latencies.push(FioLatency { kind, ..FioLatency::default() });
        }
        let Some(latency) = flow.latencies.iter_mut().find(|latency| latency.kind == kind) else { return };
        // The last one may be cut before its bracket.
        for part in line.text.split_inclusive(']').filter_map(|part| part.strip_suffix(']')) {
            let Some((percent, time)) = part.split_once("th=[") else { continue };
            let percent = percent.rsplit([',', '|', ' ']).next().and_then(plain);
            let pair = percent.zip(count(time));
            latency.percentiles.extend(pair.map(|(percent, time)| (percent, time.value * unit_ns)));
        }
    }

    /// `bw ( KiB/s): min=…, per=…`.
    fn add_bandwidth(&mut self, line: &Line<'_>) {
        let Some(printed) = self.flows.last_mut() else { return };
        let unit = line.unit().and_then(|unit| rate(&format!("1{unit}"), printed.base));
        printed.flow.bandwidth_spread = unit.map(|unit| spread(line.rest(), unit.value));
    }

    fn add_iops(&mut self, line: &Line<'_>) {
        if let Some(printed) = self.flows.last_mut() {
            printed.flow.iops_spread = Some(spread(line.rest(), 1.0));
        }
    }

    /// `total=16384,0,0,0 short=0,0,0,0 dropped=…` of fio 3, and `total=r=0/w=5/d=0, short=r=0/w=0/d=0, drop=…` of fio 2.
    fn add_issued(&mut self, rest: &str) {
        let list = |keys: &[&str]| {
            keys.iter().find_map(|key| rest.split_once(key)).map_or([None; 3], |(_, text)| three(text))
        };
        self.issued = list(&["total="]);
        self.short = list(&["short="]);
        self.dropped = list(&["dropped=", "drop="]);
    }

    /// The job, with what its header says.
    pub fn complete(self, header: Option<&Header>, oddities: &mut Oddities) -> FioJob {
        let counted = self.issued;
        let of = |list: [Option<u64>; 3], direction: &str| match places(direction) {
            [only] => list[*only],
            _ => list.into_iter().sum::<Option<u64>>(),
        };
        let mut flows: Vec<FioFlow> = Vec::with_capacity(self.flows.len());
        for printed in self.flows {
            let direction = printed.flow.direction;
            let has_short = of(self.short, direction) != Some(0);
            let block = header.filter(|_| !has_short).and_then(|header| one_block(header, direction));
            let (ios, most) = (of(counted, direction), in_flight(header, self.jobs));
            if let Some((bytes, counted)) = printed.other_bytes(ios, block, most) {
                oddities.of_bytes(&self.name, direction, bytes, counted);
            }
            let mut flow = printed.complete(ios, block);
            oddities.take_negative(&self.name, &mut flow);
            (flow.short, flow.dropped) = (of(self.short, direction), of(self.dropped, direction));
            flows.push(flow);
        }
        flows.retain(|flow| flow.ios != Some(0) || flow.bytes.is_some_and(|bytes| bytes > 0));
        let is_counted = counted.iter().all(Option::is_some);
        let jobs = self.jobs;
        FioJob {
            name: self.name,
            group: self.group,
            error: self.error,
            errors: self.errors,
            block_bytes: header
                .and_then(|header| job_block(header, &flows))
                .or_else(|| mean_block_bytes(&flows)),
            several_blocks: header.and_then(|header| several_blocks(header, &flows)),
            read_percent: is_counted.then(|| counted_read_percent(&flows)).flatten(),
            depth: header.and_then(|header| header.depth),
            direction: header.and_then(|header| header.rw.clone()),
            jobs,
            depth_target: header.map_or(DepthTarget::Unknown, |header| depth_of(header, jobs, &self.shares)),
            cpu: self.cpu,
            shares: self.shares,
            flows,
            ..FioJob::default()
        }
    }
}

impl PrintedFlow {
    /// Bytes as they are printed, and those of so many I/Os of one size, where neither rounding nor what was in flight explains the
    /// difference.
    fn other_bytes(&self, ios: Option<u64>, block: Option<f64>, in_flight: f64) -> Option<(f64, f64)> {
        let (printed, block) = self.bytes.zip(block)?;
        let counted = ios? as f64 * block;
        let most = printed.step + in_flight * block;
        (counted > 0.0 && (printed.value - counted).abs() > most).then_some((printed.value, counted))
    }

    /// With the number of I/Os, and the only size of a block.
    fn complete(mut self, ios: Option<u64>, block: Option<f64>) -> FioFlow {
        self.drop_unset(ios);
        self.flow.latencies.sort_by_key(|latency| LATENCIES.iter().position(|kind| *kind == latency.kind));
        let runtime_ms = self.flow.runtime_ms.filter(|ms| *ms > 0);
        let exact_bytes = ios.zip(block).map(|(ios, block)| ios as f64 * block);
        let bytes = exact_bytes.filter(|exact| self.bytes.is_none_or(|it| it.is_rounded_from(*exact)));
        let per_second = |amount: f64| Some(amount * 1e3 / runtime_ms? as f64);
        let exact = |printed: Option<Amount>, exact: Option<f64>| {
            let fits = exact.filter(|exact| printed.is_none_or(|it| it.is_rounded_from(*exact)));
            fits.or(printed.map(|it| it.value))
        };
        FioFlow {
            ios,
            bytes: bytes.or(self.bytes.map(|it| it.value)).map(|bytes| bytes as u64),
            iops: exact(self.iops, ios.and_then(|ios| per_second(ios as f64))),
            bytes_per_second: exact(self.rate, bytes.and_then(per_second)),
            ..self.flow
        }
    }

    /// With `unified_rw_reporting=both`, fio prints a rate of 0 for the sum of all directions, which it did not compute.
    fn drop_unset(&mut self, ios: Option<u64>) {
        let is_zero = |amount: Option<Amount>| amount.is_none_or(|it| it.value == 0.0);
        let is_unset = self.flow.direction == "mixed" && is_zero(self.iops) && is_zero(self.bytes);
        if is_unset && ios.is_some_and(|ios| ios > 0) {
            (self.iops, self.bytes, self.rate) = (None, None, None);
        }
    }
}

/// I/Os that may be in flight when the job begins or ends.
fn in_flight(header: Option<&Header>, jobs: Option<u64>) -> f64 {
    let depth = header.and_then(|header| header.depth).unwrap_or(1);
    depth.saturating_mul(jobs.unwrap_or(1)) as f64
}

/// The places of a direction in lists of reads, writes and trims.
fn places(direction: &str) -> &'static [usize] {
    match direction {
        "read" => &[0],
        "write" => &[1],
        "trim" => &[2],
        // The directions of a mix (`rw=rw`).
        _ => &[0, 1],
    }
}

fn one_block(header: &Header, direction: &str) -> Option<f64> {
    // fio 2.0 names none for trims.
    common(places(direction).iter().map(|place| header.one_block(*place)))
}

/// The one size of all directions with I/O.
fn job_block(header: &Header, flows: &[FioFlow]) -> Option<f64> {
    common(flows.iter().map(|flow| one_block(header, flow.direction)))
}

/// The size that all of them have.
fn common(mut sizes: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let first = sizes.next()??;
    sizes.all(|size| size == Some(first)).then_some(first)
}

/// As an option: `bsrange=512-64k`.
fn several_blocks(header: &Header, flows: &[FioFlow]) -> Option<String> {
    let has_several = |direction: &str| places(direction).iter().any(|place| header.has_several(*place));
    flows.iter().any(|flow| has_several(flow.direction)).then(|| format!("bs={}", header.blocks_text))
}

/// The text does not say whether a job was held back, nor `direct`. The depths that fio counted tell whether it kept more than one.
fn depth_of(header: &Header, jobs: Option<u64>, shares: &FioShares) -> DepthTarget {
    let Some(is_always_one) = shares.are_always_at_one() else { return DepthTarget::Unknown };
    let (depth, jobs) = (header.depth.map(|depth| depth.to_string()), jobs.map(|jobs| jobs.to_string()));
    let (Some(depth), Some(jobs)) = (depth, jobs) else { return DepthTarget::Unknown };
    let option = |name: &str| match name {
        "iodepth" => Some(depth.as_str()),
        "numjobs" => Some(jobs.as_str()),
        "ioengine" => header.engine.as_deref(),
        "rw" => header.rw.as_deref(),
        "direct" => Some(if is_always_one { "0" } else { "1" }),
        _ => None,
    };
    depth_target(option, is_always_one)
}

fn latency_kind(label: &str) -> Option<&'static str> {
    let word = label.split([' ', '(']).next()?;
    LATENCIES.into_iter().find(|kind| *kind == word)
}

/// The value of a key in a list: `min=15 , max=523 , avg=54.63`.
fn value<'t>(list: &'t str, key: &str) -> Option<&'t str> {
    let is_key = |at: &usize| {
        let before = list[..*at].chars().next_back();
        before.is_none_or(|c| c == ',' || c.is_whitespace()) && list[at + key.len()..].starts_with('=')
    };
    let at = list.match_indices(key).map(|(at, _)| at).find(is_key)?;
    let text = list[at + key.len() + 1..].trim_start();
    let end = text.find([',', ';']).unwrap_or(text.len());
    let text = text[..end].trim();
    (!text.is_empty()).then_some(text)
}

fn cpu(list: &str) -> FioCpu {
    FioCpu {
        user_percent: value(list, "usr").and_then(plain),
        system_percent: value(list, "sys").and_then(plain),
        context_switches: value(list, "ctx").and_then(whole),
        major_faults: value(list, "majf").and_then(whole),
        minor_faults: value(list, "minf").and_then(whole),
    }
}

/// `min= 1, max=63280, per=24.58%, avg=58889.02, stdev=8769.50, samples=8`, in units of this size.
fn spread(list: &str, unit: f64) -> FioSpread {
    let of = |key: &str| value(list, key).and_then(count).map(|amount| amount.value * unit);
    FioSpread {
        min: of("min"),
        max: of("max"),
        mean: of("avg"),
        stddev: of("stdev"),
        n: value(list, "samples").and_then(whole),
        group_percent: value(list, "per").and_then(plain),
    }
}

/// `1=0.0%, 32=115.3%, >=64=0.0%`, with bounds in units of this size.
fn shares(list: &str, unit: u64) -> Vec<FioShare> {
    let share = |part: &str| {
        let part = part.trim();
        let (part, is_open) = part.strip_prefix(">=").map_or((part, false), |part| (part, true));
        let (bound, percent) = part.split_once('=')?;
        // The last one may be cut before its sign.
        let percent = percent.trim().strip_suffix('%').and_then(plain)?;
        Some(FioShare { bound: whole(bound)?.saturating_mul(unit), is_open, percent })
    };
    list.split(',').filter_map(share).collect()
}

/// `16384,0,0,0 …` and `r=0/w=5/d=0, …`.
fn three(text: &str) -> [Option<u64>; 3] {
    let text = text.trim_start();
    let mut all = [None; 3];
    if text.starts_with("r=") {
        let text = &text[..text.find([',', ' ']).unwrap_or(text.len())];
        for (place, key) in all.iter_mut().zip(["r=", "w=", "d="]) {
            *place = text.split('/').find_map(|part| part.strip_prefix(key)).and_then(whole);
        }
        return all;
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && c != ',').unwrap_or(text.len());
    for (place, part) in all.iter_mut().zip(text[..end].split(',')) {
        *place = whole(part);
    }
    all
}
