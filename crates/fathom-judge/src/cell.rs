//! A cell: one job with all its clones, as rules ask about it.
//!
//! Its figures are those of [`Row`]; what is added here is what its plan says.

use fathom_figures::{Row, jobs};
use fathom_job::direction::Direction;
use fathom_job::options;
use fathom_job::plan::{Rate, TargetKind};
use fathom_results::finding::{Law, LawProduct};
use fathom_results::{JobRecord, RunResult};
use std::ops::Deref;

/// A rate counts as kept if it is reached within this share.
const RATE_WITHIN: f64 = 0.02;

/// Below this share of the depth, submission was starved (a closed loop that
/// refills at once stays above).
pub const FILLED_MIN: f64 = 0.9;

/// From this share of its time on, what a worker waits for is what limits it.
const SYNCS_MIN: f64 = 0.5;

/// One job, its clones added up. It dereferences to its figures.
#[derive(Clone, Debug)]
pub struct Cell<'a>(Row<'a>);

impl<'a> Deref for Cell<'a> {
    type Target = Row<'a>;
    fn deref(&self) -> &Row<'a> {
        &self.0
    }
}

impl<'a> Cell<'a> {
    /// The cells of a run, in plan order.
    pub fn all(run: &'a RunResult) -> Vec<Self> {
        jobs(run).into_iter().map(Cell).collect()
    }

    /// The plan of the first clone, which is the same for all.
    pub fn planned(&self) -> &'a JobRecord {
        self.first()
    }

    /// Does it reach a target at all (not the null engine)?
    pub fn has_target(&self) -> bool {
        let files = &self.planned().files;
        files.iter().any(|file| file.kind != TargetKind::None)
    }

    /// Is any of its targets a simulated drive?
    pub fn is_simulated(&self) -> bool {
        self.planned().files.iter().any(|file| file.kind == TargetKind::Simulated)
    }

    /// Does it move data of a disk: of a device, or of a file on one? An engine of names moves none.
    pub fn is_on_disk(&self) -> bool {
        let on_disk = |kind| matches!(kind, TargetKind::Block | TargetKind::File | TargetKind::Missing);
        let planned = self.planned();
        !planned.is_of_names() && planned.files.iter().any(|file| on_disk(file.kind))
    }

    /// Is its target a file of a file system?
    pub fn is_on_file(&self) -> bool {
        self.is_on_disk() && self.planned().files.iter().all(|file| file.kind != TargetKind::Block)
    }

    /// Do its I/Os go past the page cache? A mapping is the page cache, whatever the job asks for.
    pub fn is_direct(&self) -> bool {
        self.planned().direct && !self.is_mapped()
    }

    /// Does it read and write a mapping of its files?
    pub fn is_mapped(&self) -> bool {
        self.planned().engine == "mmap"
    }

    /// Does it poll for completions, which takes a whole core by design?
    pub fn polls(&self) -> bool {
        self.planned().job.get(&options::HIPRI)
    }

    /// Does it have a rate, and did it reach it?
    pub fn keeps_its_rate(&self) -> bool {
        let mut paced = self.planned().pace.rate.iter().filter(|(_, rate)| rate.is_some()).peekable();
        paced.peek().is_some() && paced.all(|(direction, _)| kept_rate(self, direction).is_some())
    }

    /// Did it keep its rate with fewer I/Os than the rate asks for, because its schedule moved with its pauses?
    pub fn is_slowed_by_pauses(&self) -> bool {
        let mut flows = self.flows().map(|(direction, _)| direction);
        self.planned().pace.moves_schedule()
            && self.keeps_its_rate()
            && flows.any(|d| kept_rate(self, d).is_some_and(|rate| !has_count(self, d, rate)))
    }

    /// Did it start its I/Os when the job asked for them: at a rate, or at the times of a trace?
    pub fn keeps_its_times(&self) -> bool {
        self.keeps_its_rate() || self.keeps_trace_times()
    }

    /// Does it replay a trace at the times of the trace, and did it keep to them? Then the run took as long as the same I/Os in the
    /// trace, and one latency more for the last of them.
    pub fn keeps_trace_times(&self) -> bool {
        let planned = self.planned();
        let Some(replays) = planned.replays.as_ref().filter(|_| planned.keeps_gaps()) else { return false };
        let each_pass: u64 = replays.ios.iter().map(|(_, ios)| *ios).sum();
        let passes = self.ios() as f64 / (each_pass.max(1) * self.members.len().max(1) as u64) as f64;
        let planned_s = replays.last_start.as_secs_f64() * passes;
        let last_s = self.latency_ns_mean().unwrap_or(0.0) / 1e9;
        planned_s > 0.0 && self.seconds() * (1.0 - RATE_WITHIN) <= planned_s + last_s
    }

    /// The rate that was asked for, of all its clones and directions together: I/Os, if one direction has a rate in I/Os.
    pub fn asked_rate(&self) -> Option<Rate> {
        let rates = || self.planned().pace.rate.iter().filter_map(|(_, rate)| *rate);
        let clones = self.members.len() as u64;
        let ios = rates().filter_map(|rate| if let Rate::Ios(ios) = rate { Some(ios) } else { None });
        let bytes = rates().filter_map(|rate| if let Rate::Bytes(n) = rate { Some(n) } else { None });
        let ios = ios.reduce(u64::saturating_add).map(|sum| Rate::Ios(sum.saturating_mul(clones)));
        let bytes = bytes.reduce(u64::saturating_add).map(|sum| Rate::Bytes(sum.saturating_mul(clones)));
        ios.or(bytes)
    }

    /// Did pauses of `thinktime` come: did each of its workers make more I/Os, or run for longer, than from one pause to the next?
    pub fn has_paused(&self) -> bool {
        let Some(think) = self.planned().pace.think else { return false };
        let ios_each = self.ios().div_ceil(self.members.len().max(1) as u64);
        ios_each > think.every || think.io_time.is_some_and(|every| self.seconds() > every.as_secs_f64())
    }

    /// Each of its workers has one I/O at a time.
    pub fn is_alone(&self) -> bool {
        self.members.iter().all(|member| member.planned.depth.reachable == 1)
    }

    /// The time of one sync, ns, where one follows each write and nothing else is under way: the job writes only, at
    /// depth 1, with `fsync=1` or `fdatasync=1`. The latency of a write does not contain it, and the rate does.
    pub fn sync_ns_of_each_write(&self) -> Option<f64> {
        let job = &self.planned().job;
        let is_asked = job.get(&options::FSYNC) == 1 || job.get(&options::FDATASYNC) == 1;
        let only_writes = self.flows().all(|(direction, _)| direction == Direction::Write);
        (is_asked && only_writes && self.is_alone()).then(|| self.totals.sync.moments.mean()).flatten()
    }

    /// One I/O at a time, and the worker slept for fewer than one I/O in a hundred; a wait for a
    /// device would put it to sleep each time.
    pub fn never_sleeps_alone(&self) -> bool {
        self.is_alone() && !self.polls() && self.sleeps().is_some_and(|slept| slept * 100 < self.ios())
    }

    /// Did its workers wait for each sync, for at least half of the time, so that the queue was not full? An engine that queues
    /// syncs does not wait for them, unless the queue has one place.
    pub fn waits_for_syncs(&self) -> bool {
        let queues = self.planned().engine_def().is_some_and(|engine| engine.queues_syncs);
        let waits = self.syncs_in_flight().is_some_and(|n| n >= SYNCS_MIN * self.members.len() as f64);
        let is_empty = self.in_flight().is_some_and(|it| !it.fills(FILLED_MIN));
        waits && (!queues || self.is_alone()) && is_empty && !self.is_held_back()
    }

    /// Little's law of this cell. `None` where latency was not kept.
    pub fn law(&self) -> Option<Law> {
        let in_flight = self.in_flight()?;
        let product = LawProduct {
            iops: self.iops(),
            unrated: self.unrated().map(|_| (self.ios(), self.seconds())),
            latency_ns_mean: self.latency_ns_mean()?,
            is_service: self.is_paced(),
        };
        Some(Law {
            job: self.name().to_owned(),
            product: self.has_equal_windows().then_some(product),
            in_flight_by_law: in_flight.mean,
            in_flight: in_flight.shown(),
            syncs: self.syncs_in_flight(),
            depth: u64::from(in_flight.depth),
        })
    }
}

/// The rate of one direction that a job asks for, of all clones together, where it reached it.
pub fn kept_rate(row: &Row<'_>, direction: Direction) -> Option<Rate> {
    let clones = row.members.len() as u64;
    let pace = &row.first().pace;
    let rate = match pace.rate[direction]? {
        Rate::Ios(ios) => Rate::Ios(ios.saturating_mul(clones)),
        Rate::Bytes(bytes) => Rate::Bytes(bytes.saturating_mul(clones)),
    };
    let by_schedule = if pace.moves_schedule() { is_on_time(row, direction) } else { None };
    by_schedule.unwrap_or_else(|| has_count(row, direction, rate)).then_some(rate)
}

/// Did so many I/Os, or bytes, complete as the rate asks for in the measured time? Chance alone makes the count of a Poisson process
/// differ from its rate by up to three times its root.
fn has_count(row: &Row<'_>, direction: Direction, rate: Rate) -> bool {
    let flow = &row.totals.directions[direction];
    let (asked, reached) = match rate {
        Rate::Ios(ios) => (ios, flow.ios),
        Rate::Bytes(bytes) => (bytes, flow.bytes),
    };
    let chance = 3.0 / (flow.ios.max(1) as f64).sqrt();
    reached as f64 >= asked as f64 * row.seconds() * (1.0 - RATE_WITHIN - chance)
}

/// Did the I/Os begin when the schedule meant them to? Pauses that move the schedule leave fewer I/Os than the rate asks for, and no
/// count says how many. The starts of a job that reaches only a part of its rate are late by a time that grows evenly, so their mean
/// lateness is half of what the last one has. `None` where one of the two latencies was not kept.
fn is_on_time(row: &Row<'_>, direction: Direction) -> Option<bool> {
    let flow = &row.totals.directions[direction];
    let late_ns_mean = flow.response.moments.mean()? - flow.total.moments.mean()?;
    Some(2.0 * late_ns_mean <= RATE_WITHIN * row.seconds() * 1e9)
}

#[cfg(test)]
mod tests {
    use crate::case::Case;
    use crate::fixture::{DirectionLoad, RunBuilder};
    use fathom_job::direction::PerDirection;
    use fathom_job::plan::ReplayPlan;
    use fathom_job::trace::ReplayTerms;
    use fathom_job::units::Nanos;
    use fathom_results::Phase;

    const FLOW: DirectionLoad = DirectionLoad::reads(1_000, 4096, 4_000_000);

    #[test]
    fn clones_are_one_cell_and_add_up() {
        let run =
            RunBuilder::of("numjobs=2 rw=randread bs=4k ioengine=psync filename=/data/f").all(5, FLOW).run();
        let surrounds = crate::fixture::surrounds();
        let case = Case::new(&run, &surrounds);
        assert_eq!(case.cells.len(), 1);
        let cell = &case.cells[0];
        assert_eq!((cell.ios(), cell.depth()), (10_000, 2));
        assert!((cell.iops() - 2_000.0).abs() < 1e-6);
        assert!((cell.bytes_per_second() - 2_000.0 * 4096.0).abs() < 1e-3);
        assert_eq!(cell.rates().values, [2_000.0; 5]);
        // 1,000 I/Os a second of 4 ms each are 4 in flight, for each clone.
        assert!((cell.in_flight().unwrap().mean - 8.0).abs() < 1e-9);
        let cpu = cell.cpu(4).unwrap();
        assert!((cpu.worker - 0.3).abs() < 1e-9 && (cpu.machine - 0.15).abs() < 1e-9, "{cpu:?}");
        assert!((cell.cpu_ns_per_io().unwrap() - 300_000.0).abs() < 1e-6);
    }

    #[test]
    fn a_pause_that_never_came_held_nothing_back() {
        for (pauses, came) in [
            ("thinktime=1ms", true),
            ("thinktime=1ms thinktime_blocks=4999", true),
            ("thinktime=1ms thinktime_blocks=5000", false),
            ("thinktime=1ms thinktime_iotime=4", true),
            ("thinktime=1ms thinktime_iotime=9", false),
            ("thinktime_blocks=1", false),
        ] {
            let job = format!("numjobs=2 rw=randread bs=4k ioengine=psync filename=/data/f {pauses}");
            let run = RunBuilder::of(&job).all(5, FLOW).run();
            let surrounds = crate::fixture::surrounds();
            assert_eq!(Case::new(&run, &surrounds).cells[0].has_paused(), came, "{pauses}");
        }
    }

    /// Of 1,000 I/Os a second, pauses of 100 ms behind each hundred leave 501: their schedule moves, and no I/O waits.
    #[test]
    fn a_rate_whose_schedule_moves_with_pauses_is_judged_by_when_the_ios_began() {
        let judged = |options: &str, ios: u64, response_ns: u64| {
            let job = format!("rw=randread bs=4k ioengine=psync filename=/data/f rate_iops=1000 {options}");
            let flow = DirectionLoad { response_ns, ..DirectionLoad::reads(ios, 4096, 100_000) };
            let run = RunBuilder::of(&job).all(4, flow).run();
            let surrounds = crate::fixture::surrounds();
            let cell = &Case::new(&run, &surrounds).cells[0];
            (cell.keeps_its_rate(), cell.is_slowed_by_pauses())
        };
        let kept = |options: &str, ios, response_ns| judged(options, ios, response_ns).0;
        const PAUSES: &str = "thinktime=100ms thinktime_blocks=100 rate_ignore_thinktime=1";
        const LATE_BY_A_HALF: u64 = 1_000_100_000;
        assert_eq!(judged(PAUSES, 501, 110_000), (true, true));
        assert_eq!(judged(PAUSES, 1_000, 110_000), (true, false), "the pauses fit into gaps");
        assert!(!kept(PAUSES, 250, LATE_BY_A_HALF), "the target was too slow, too");
        assert!(!kept("thinktime=100ms thinktime_blocks=100", 501, LATE_BY_A_HALF), "pauses are made up for");
        assert!(!kept("rate_ignore_thinktime=1", 501, 110_000), "there are no pauses");
        assert!(!kept(PAUSES, 501, 0), "without latencies the count decides");
    }

    #[test]
    fn a_replay_keeps_the_times_of_its_trace_or_falls_behind() {
        // Whether it kept to the times, and whether an empty queue is a reason to doubt it.
        let judged = |trace_s: u64, keeps_gaps: bool| {
            let flow = DirectionLoad::reads(100, 4096, 200_000);
            let job = "rw=randread bs=4k ioengine=io_uring direct=1 iodepth=16 filename=/data/f";
            let mut run = RunBuilder::of(job).all(10, flow).run();
            run.jobs[0].planned.replays = Some(replays(trace_s, keeps_gaps));
            let surrounds = crate::fixture::surrounds();
            let case = Case::new(&run, &surrounds);
            (case.cells[0].keeps_its_times(), crate::taint::unfilled(&case.cells[0]).is_some())
        };
        assert_eq!(judged(10, true), (true, false), "10 s of trace took 10 s");
        assert_eq!(judged(5, true), (false, false), "5 s of trace took 10 s");
        assert_eq!(judged(10, false), (false, true), "the gaps are left out");
    }

    /// A trace of 1,000 reads.
    fn replays(seconds: u64, keeps_gaps: bool) -> ReplayPlan {
        ReplayPlan {
            trace: "t".to_owned(),
            merged_with: Vec::new(),
            terms: ReplayTerms {
                keeps_gaps,
                time_scale: 100,
                scale: 1,
                align: 1,
                skips: [false; 4],
                is_redirected: false,
                columns: None,
                merges: Vec::new(),
            },
            ios: PerDirection { read: 1_000, ..PerDirection::default() },
            syncs: 0,
            last_start: Nanos(seconds * 1_000_000_000),
        }
    }

    #[test]
    fn an_engine_of_names_moves_no_data_of_a_disk() {
        for (engine, is_on_disk) in [("filestat", false), ("psync", true)] {
            let job = format!("rw=read bs=1g ioengine={engine} filename=/data/f");
            let run = RunBuilder::of(&job).all(5, FLOW).run();
            let surrounds = crate::fixture::surrounds();
            assert_eq!(Case::new(&run, &surrounds).cells[0].is_on_disk(), is_on_disk, "{engine}");
        }
    }

    #[test]
    fn the_law_is_told_as_a_product_only_where_it_is_one() {
        let job = "numjobs=2 rw=randread bs=4k ioengine=io_uring direct=1 iodepth=8 filename=/data/f";
        let flow = [DirectionLoad::reads(1_000, 4096, 8_000_000)];
        let told = |seconds: usize| {
            let run = RunBuilder::of(job).seconds(0, 10, &flow).seconds(1, seconds, &flow).run();
            let surrounds = crate::fixture::surrounds();
            Case::new(&run, &surrounds).cells[0].law().map(|law| fathom_words::law(&law, 1)).unwrap()
        };
        assert_eq!(told(10), "t: 2.00k IOPS × 8.00 ms = 16.0 in flight, depth 16");
        // 1,500 IOPS × 8 ms would be 12.
        assert_eq!(told(5), "t: 16.0 in flight, depth 16; its clones measured for different times");
    }

    /// Three clones with one I/O at a time, which measured for 400, 412 and 414 ms: 29.6k IOPS × 99.9 µs would be 2.96.
    #[test]
    fn the_law_is_no_product_where_the_digits_of_its_factors_give_another() {
        let told = |times_ms: [u64; 3]| {
            let job = "numjobs=3 rw=randread bs=16k ioengine=psync filename=/data/f";
            let scene = times_ms.into_iter().enumerate().fold(RunBuilder::of(job), |scene, (clone, ms)| {
                let flow = [DirectionLoad::reads(ms * 10, 16_384, 99_900)];
                scene.window(clone, Phase::Measure, ms * 1_000_000, &flow)
            });
            let (run, surrounds) = (scene.run(), crate::fixture::surrounds());
            Case::new(&run, &surrounds).cells[0].law().map(|law| fathom_words::law(&law, 2)).unwrap()
        };
        let apart = "t: 3.00 in flight, depth 3; its clones measured for different times";
        assert_eq!(told([400, 412, 414]), apart);
        assert_eq!(told([60_000, 59_990, 60_000]), "t: 30.0k IOPS × 99.9 µs = 3.00 in flight, depth 3");
    }

    #[test]
    fn nothing_measured_has_no_figures() {
        let run = RunBuilder::of("rw=randread bs=4k ioengine=psync filename=/data/f").run();
        let surrounds = crate::fixture::surrounds();
        let case = Case::new(&run, &surrounds);
        let cell = &case.cells[0];
        assert_eq!((cell.iops(), cell.latency_ns_mean(), cell.in_flight()), (0.0, None, None));
        assert!(cell.cpu(1).is_none() && cell.rates().values.is_empty());
    }
}
