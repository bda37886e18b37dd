//! What a job asks beside its pattern, its blocks and its depth, in words: its trace, its zones, what holds it back, what judges it, which
//! file comes next, and when written data is safe. The plan, the details of a run and its page have the same words.

use super::{Arrivals, Rate, ReplayPlan, ResolvedJob, Think, ThinkCounts, strides, zones};
use crate::direction::{Direction, PerDirection};
use crate::job::Job;
use crate::options;
use crate::priorities::{self, RaisedShare};
use crate::units::{Bytes, Nanos};
use crate::value::{FileOrder, FileService};
use fathom_text::words::counted;

impl<Files> ResolvedJob<Files> {
    /// What the job asks beside its pattern, its blocks and its depth: a label of one word, and a text, for each part that is set.
    pub fn terms(&self) -> Vec<(&'static str, String)> {
        let pace = &self.pace;
        let judged_over = format!("; judged over {}", pace.floor_cycle);
        let texts = [
            ("trace", self.replays.as_ref().map(ReplayPlan::words)),
            (
                "zones",
                zones(&self.job)
                    .map(|zones| zones.words())
                    .or_else(|| strides(&self.job).map(|zones| zones.words())),
            ),
            ("rate", by_direction(self, pace.rate, rate).map(|text| text + arrivals(self))),
            ("pauses", pace.think.as_ref().filter(|_| !self.burns_cpu()).map(think)),
            ("at least", by_direction(self, pace.floor, rate).map(|text| text + &judged_over)),
            ("latency", by_direction(self, pace.latency_max, |most| format!("at most {most}"))),
            ("search", goal(self)),
            ("flow", flow(self)),
            ("clock", clock(self)),
            ("priority", priority(&self.job)),
            ("order", order_of_files(self)),
            ("syncs", syncs(self)),
        ];
        texts.into_iter().filter_map(|(label, text)| Some((label, text?))).collect()
    }
}

/// One text where all directions in use are alike, else each with its name.
fn by_direction<Files, T: Copy + PartialEq>(
    job: &ResolvedJob<Files>,
    values: PerDirection<Option<T>>,
    text: impl Fn(T) -> String,
) -> Option<String> {
    let used: Vec<Direction> = Direction::ALL.into_iter().filter(|d| job.uses(*d)).collect();
    let set: Vec<(Direction, T)> = used.iter().filter_map(|d| Some((*d, values[*d]?))).collect();
    match (set.as_slice(), used.len()) {
        ([], _) => None,
        ([(_, value)], 1) => Some(text(*value)),
        _ => {
            Some(set.iter().map(|(d, v)| format!("{} {}", d.name(), text(*v))).collect::<Vec<_>>().join(", "))
        }
    }
}

fn rate(rate: Rate) -> String {
    match rate {
        Rate::Bytes(bytes) => format!("{}/s", Bytes(bytes)),
        Rate::Ios(1) => "1 I/O per second".to_owned(),
        Rate::Ios(ios) => format!("{ios} I/Os per second"),
    }
}

fn arrivals<Files>(job: &ResolvedJob<Files>) -> &'static str {
    match (job.pace.arrivals, job.pace.think.is_some() && job.pace.ignores_think) {
        (Arrivals::Linear, false) => "; even gaps",
        (Arrivals::Linear, true) => "; even gaps; pauses are not made up for",
        (Arrivals::Poisson, false) => "; exponential gaps (Poisson)",
        (Arrivals::Poisson, true) => "; exponential gaps (Poisson); pauses are not made up for",
    }
}

fn think(think: &Think) -> String {
    let mut text = think.pause.to_string();
    if think.spin.0 > 0 {
        text += &format!(", {} of it spinning,", think.spin);
    }
    let verb = match think.counts {
        ThinkCounts::Issue => "issued",
        ThinkCounts::Completion => "completed",
    };
    let ios = match think.every {
        u64::MAX => None,
        1 => Some(format!("each I/O {verb}")),
        n => Some(format!("{n} I/Os {verb}")),
    };
    let after: Vec<String> = ios.into_iter().chain(think.io_time.map(|time| time.to_string())).collect();
    let first = if after.len() > 1 { ", whichever comes first" } else { "" };
    format!("{text} after {}{first}", after.join(" or "))
}

fn goal<Files>(job: &ResolvedJob<Files>) -> Option<String> {
    let goal = job.pace.goal.as_ref()?;
    let over = match goal.window {
        Nanos(0) => "judged at every completion".to_owned(),
        window => format!("judged over {window}"),
    };
    let then = if goal.keeps_adapting { "; goes on adapting" } else { "; then measured" };
    Some(format!(
        "the largest depth up to {} that keeps {} % of I/Os within {}; {over}{then}",
        job.depth.reachable, goal.percentile, goal.target
    ))
}

fn flow<Files>(job: &ResolvedJob<Files>) -> Option<String> {
    let flow = job.pace.flow.as_ref()?;
    let wait = if flow.sleep.0 > 0 { format!("; waits {} when ahead", flow.sleep) } else { String::new() };
    Some(format!("weight {} in flow {}{wait}", flow.weight, flow.id))
}

fn clock<Files>(job: &ResolvedJob<Files>) -> Option<String> {
    let speed = job.job.get(&options::CLOCK_SPEED);
    (speed > 1).then(|| format!("{speed} times as fast as real time: a rehearsal, not a measurement"))
}

/// `best effort, level 3; 20 % of the reads: real-time, level 0`.
fn priority(job: &Job) -> Option<String> {
    let own = priorities::own(job).map(priorities::words);
    let raised = priorities::raised(job).ok().flatten();
    let of = |direction: Direction, shares: &[RaisedShare]| -> Vec<String> {
        shares.iter().filter(|share| share.percent > 0).map(|share| raised_share(direction, share)).collect()
    };
    let raised =
        raised.map(|shares| [of(Direction::Read, &shares.read), of(Direction::Write, &shares.write)]);
    let parts: Vec<String> = own.into_iter().chain(raised.into_iter().flatten().flatten()).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn raised_share(direction: Direction, share: &RaisedShare) -> String {
    let size = share.bytes.map(|bytes| format!(" of {}", Bytes(bytes.into()))).unwrap_or_default();
    format!("{} % of the {}s{size}: {}", share.percent, direction.name(), priorities::words(share.ioprio))
}

/// Which file the next I/O goes to, and how many are open, where the job file says so.
fn order_of_files<Files>(planned: &ResolvedJob<Files>) -> Option<String> {
    let job = &planned.job;
    let FileService { order, every } = job.get(&options::FILE_SERVICE_TYPE);
    let asked = job.is_given(&options::FILE_SERVICE_TYPE).then(|| match &order {
        FileOrder::RoundRobin => "the files in turn".to_owned(),
        FileOrder::Random => "a random file each time".to_owned(),
        FileOrder::Sequential => "each file to its end".to_owned(),
        FileOrder::Skewed(skew) => {
            format!("some files more often than others, {}", skew.words(&[]).unwrap_or_default())
        }
    });
    let stays =
        (every > 1 && order != FileOrder::Sequential).then(|| format!("stays with a file for {every} I/Os"));
    let open =
        planned.open_files_max().map(|open| format!("at most {} open", counted(open as usize, "file")));
    let parts: Vec<String> = [asked, stays, open].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// When written data is safe, which decides the result of a write job more than its block size does; `None` where nothing is
/// written, or nothing syncs.
fn syncs<Files>(job: &ResolvedJob<Files>) -> Option<String> {
    if !job.uses(Direction::Write) || job.engine_def().is_some_and(|engine| engine.diskless) {
        return None;
    }
    let asked = &job.job;
    let every = |name: &str, writes: u32| match writes {
        0 => None,
        1 => Some(format!("{name} after each write")),
        writes => Some(format!("{name} after every {}", counted(writes as usize, "write"))),
    };
    let opened = match asked.get(&options::SYNC) {
        "sync" => Some("each write returns when its data and the file's length are safe (O_SYNC)".to_owned()),
        "dsync" => Some("each write returns when its data is safe (O_DSYNC)".to_owned()),
        _ => None,
    };
    let parts = [
        opened,
        every("fsync", asked.get(&options::FSYNC)),
        every("fdatasync", asked.get(&options::FDATASYNC)),
        asked.get(&options::SYNC_FILE_RANGE).and_then(|range| every("sync_file_range", range.every)),
        asked.get(&options::END_FSYNC).then(|| "fsync at the end, within the measured time".to_owned()),
        asked.get(&options::END_SYNCFS).then(|| "syncfs at the end, within the measured time".to_owned()),
        asked.get(&options::FSYNC_ON_CLOSE).then(|| "fsync when a file is closed".to_owned()),
    ];
    let is_counted = asked.get(&options::FSYNC) > 0 || asked.get(&options::FDATASYNC) > 0;
    let is_beside = (is_counted && job.depth.reachable > 1)
        .then(|| "it covers the writes that are complete when it begins, not those in flight".to_owned());
    let messages: Vec<String> = parts.into_iter().flatten().chain(is_beside).collect();
    (!messages.is_empty()).then(|| messages.join("; "))
}

#[cfg(test)]
mod tests {
    use crate::plan::fixture::one;
    use crate::plan::{PlannedJob, ReplayPlan};
    use crate::trace::ReplayTerms;
    use crate::units::Nanos;

    fn term(job: &PlannedJob, label: &str) -> String {
        let all = job.terms();
        all.into_iter().find(|(name, _)| *name == label).map(|(_, text)| text).unwrap_or_default()
    }

    #[test]
    fn zones_are_in_words() {
        let of = |options: &str| {
            let plan = one(&format!("filename=/dev/fioa direct=1 bs=64k {options}"));
            term(&plan.jobs[0], "zones")
        };
        let strided = "zonemode=strided zonesize=64k zonerange=1m";
        assert_eq!(of(strided), "64 KiB in each zone of 1 MiB");
        assert_eq!(
            of(&format!("{strided} zoneskip=2m")),
            "64 KiB in each zone of 1 MiB, 2 MiB left out between zones"
        );
        let zoned = "rw=randwrite zonemode=zbd zonesize=64m max_open_zones=14 zone_reset_frequency=0.1";
        assert_eq!(
            of(zoned),
            "zones of 64 MiB; at most 14 partly written; 0.1 zone resets for each write while more than 0 of the region holds data"
        );
        assert_eq!(of("rw=read"), "");
    }

    #[test]
    fn a_trace_is_in_words() {
        let mut job = one("filename=/dev/fioa rw=randrw").jobs.remove(0);
        let terms = ReplayTerms {
            keeps_gaps: true,
            time_scale: 200,
            scale: 4,
            align: 4096,
            skips: [false, false, true, true],
            is_redirected: true,
            columns: None,
            merges: Vec::new(),
        };
        let ios = crate::direction::PerDirection { read: 900, write: 1, trim: 0 };
        let (trace, last_start) = ("web.blk".to_owned(), Nanos(3_000_000_000));
        job.replays = Some(ReplayPlan { trace, merged_with: Vec::new(), terms, ios, syncs: 0, last_start });
        assert_eq!(
            term(&job, "trace"),
            "web.blk: 900 reads, 1 write; at 200 % of the speed of the trace, 3 s to the last I/O; offsets divided by 4; \
             offsets and lengths in multiples of 4 KiB; without its trims, syncs; all I/Os on one target (replay_redirect)"
        );
        assert_eq!(crate::plan::print_words::pattern(&job), "replayed mix, 50 % reads, 50 % writes");
        let replays = job.replays.as_mut().unwrap();
        (replays.terms.keeps_gaps, replays.syncs) = (false, 7);
        assert!(
            term(&job, "trace")
                .starts_with("web.blk: 900 reads, 1 write, 7 syncs; as fast as the target takes")
        );
    }
}
