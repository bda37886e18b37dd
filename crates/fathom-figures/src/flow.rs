//! A flow: one direction of a row, or the sum of all, with its rates.

use crate::asked::Unified;
use crate::grid::GridStep;
use crate::in_flight::InFlight;
use crate::measured_time::measured_ns;
use crate::per_second;
use crate::rate_fall::LevelRate;
use crate::row::Row;
use crate::spread::RateSpread;
use fathom_job::direction::Direction;
use fathom_results::{DirectionTotals, JobResult, Latency, Unrated, has_too_few};
use fathom_stats::{Estimate, Histogram, Series};
use std::borrow::Cow;

/// The name of the latency from the time at which the rate of a job meant an I/O to start.
const RESPONSE: &str = "response";

/// Totals and rates of one direction (or of the mix) of a row.
#[derive(Clone, Debug)]
pub struct DirectionFigures<'a> {
    /// `read`, `write`, `trim` or `mixed`.
    pub name: &'static str,
    /// What was counted.
    pub totals: Cow<'a, DirectionTotals>,
    row: &'a Row<'a>,
    directions: Vec<Direction>,
}

impl<'a> DirectionFigures<'a> {
    fn of(
        row: &'a Row<'a>,
        name: &'static str,
        directions: Vec<Direction>,
        totals: Cow<'a, DirectionTotals>,
    ) -> Self {
        DirectionFigures { name, totals, row, directions }
    }

    pub(crate) fn row(&self) -> &'a Row<'a> {
        self.row
    }

    pub(crate) fn directions(&self) -> &[Direction] {
        &self.directions
    }

    /// The jobs of the row that did such I/O, each as its clones.
    pub fn parts(&self) -> impl Iterator<Item = &'a [JobResult]> {
        self.row.parts().filter(|part| part.iter().any(|member| self.did(member)))
    }

    /// Do its I/Os move data? Those of a metadata engine do not.
    pub fn moves_data(&self) -> bool {
        self.parts().any(|part| part[0].planned.moves_data())
    }

    /// Length of the measured window, ns; 0 for a direction without I/O, as in fio.
    pub fn runtime_ns(&self) -> u64 {
        if self.totals.ios == 0 { 0 } else { self.window_ns() }
    }

    /// The time of the row; where a job reads back what another one of the row wrote, that of the jobs that did such I/O.
    fn window_ns(&self) -> u64 {
        if self.row.members.iter().all(|member| member.planned.reads_back.is_none()) {
            return self.row.runtime_ns();
        }
        let did = self.row.members.iter().filter(|member| self.did(member));
        measured_ns(did.filter_map(JobResult::window_ns))
    }

    /// Did this job do such I/O?
    fn did(&self, member: &JobResult) -> bool {
        self.totals_of(member).any(|totals| totals.ios > 0)
    }

    /// What a job did of such I/O.
    pub(crate) fn totals_of<'m>(&self, member: &'m JobResult) -> impl Iterator<Item = &'m DirectionTotals> {
        self.directions.iter().map(|d| &member.totals.directions[*d])
    }

    /// Why its I/Os are told by their number and not as a rate; `None` where they are one.
    pub fn unrated(&self) -> Option<Unrated> {
        Unrated::of(self.totals.ios, self.window_ns())
    }

    /// Whether the time is too short for a rate: see [`Row::is_too_short`].
    pub fn is_too_short(&self) -> bool {
        self.row.is_too_short()
    }

    /// Whether there was I/O, and too little for a rate: see [`RATE_IOS_MIN`](fathom_results::RATE_IOS_MIN).
    pub fn has_too_few(&self) -> bool {
        has_too_few(self.totals.ios)
    }

    /// The same in whole milliseconds, at least 1 where there was I/O.
    pub fn runtime_ms(&self) -> u64 {
        match self.runtime_ns() {
            0 => 0,
            ns => ((ns + 500_000) / 1_000_000).max(1),
        }
    }

    /// I/Os per second over the measured window.
    pub fn iops(&self) -> f64 {
        per_second(self.totals.ios, self.runtime_ns())
    }

    /// Bytes per second over the measured window.
    pub fn bytes_per_second(&self) -> f64 {
        per_second(self.totals.bytes, self.runtime_ns())
    }

    /// I/Os per second of each whole step of the grid.
    pub fn iops_series(&self) -> Series {
        self.row.grid().series(|_| true, |step| self.ios_in(step))
    }

    /// Bytes per second of each whole step of the grid.
    pub fn bandwidth_series(&self) -> Series {
        self.row.grid().series(|_| true, |step| self.bytes_in(step))
    }

    /// I/Os of this flow in a step.
    pub fn ios_in(&self, step: &GridStep) -> f64 {
        self.directions.iter().map(|d| step.ios[*d]).sum()
    }

    /// Bytes of this flow in a step.
    pub fn bytes_in(&self, step: &GridStep) -> f64 {
        self.directions.iter().map(|d| step.bytes[*d]).sum()
    }

    /// IOPS as the mean of its windows with a 95 % interval; `None` when there
    /// are too few windows for one, clones measured at different times, or the rate fell meanwhile: then the mean is of two
    /// levels.
    pub fn iops_estimate(&self) -> Option<Estimate> {
        if self.row.is_staggered() || self.row.rate_fall().is_some() {
            return None;
        }
        Some(with_rest(Estimate::of_series(&self.iops_series().values, 0.95)?, self.iops()))
    }

    /// Half of the interval of its IOPS, as a share of them, before it is cut at 0: more than 1 where its windows are too different
    /// for a mean. `None` as for [`Self::iops_estimate`].
    pub fn iops_half(&self) -> Option<f64> {
        let estimate = self.iops_estimate()?;
        Some((estimate.high - estimate.value) / estimate.value)
    }

    /// Bytes per second as the mean of its windows with a 95 % interval; `None` as for
    /// [`Self::iops_estimate`].
    pub fn bandwidth_estimate(&self) -> Option<Estimate> {
        if self.row.is_staggered() || self.row.rate_fall().is_some() {
            return None;
        }
        Some(with_rest(Estimate::of_series(&self.bandwidth_series().values, 0.95)?, self.bytes_per_second()))
    }

    /// Did its workers measure at different times? Then there is no interval.
    pub fn is_staggered(&self) -> bool {
        self.row.is_staggered()
    }

    /// Did the rate of its row fall while it was measured? Then there is no interval.
    pub fn has_fallen(&self) -> bool {
        self.row.rate_fall().is_some()
    }

    /// Its rate after the fall of the rate of its row; `None` where that did not fall, and without a target that could be the cause.
    pub fn lasting_rate(&self) -> Option<LevelRate> {
        let fall = self.row.rate_fall().filter(|_| self.row.has_target())?;
        let each = self.directions.iter().map(|direction| fall.of_direction(*direction).lasting);
        Some(each.fold(LevelRate::default(), |sum, rate| LevelRate {
            iops: sum.iops + rate.iops,
            bytes_per_second: sum.bytes_per_second + rate.bytes_per_second,
        }))
    }

    /// How IOPS varied over the windows.
    pub fn iops_spread(&self) -> RateSpread {
        self.spread(self.iops_series(), self.iops())
    }

    /// How bandwidth varied over the windows, KiB/s.
    pub fn bandwidth_spread_kib(&self) -> RateSpread {
        self.spread(self.bandwidth_series(), self.bytes_per_second()).scaled(1.0 / 1024.0)
    }

    /// Its I/Os in flight on average. `None` where total latency was not kept.
    pub fn in_flight(&self) -> Option<InFlight> {
        InFlight::of(self.row, &self.directions)
    }

    /// Submission latency; without values where it was not measured. Where the descriptor of every I/O was taken at the
    /// stamp of its call, as with new data for each write, there is no time between the two stamps.
    pub fn submission(&self) -> Latency {
        let kept = &self.totals.submission;
        if kept.moments.max() == Some(0) { Latency::default() } else { kept.clone() }
    }

    /// Latency from the intended start; `None` where nothing was paced.
    pub fn response(&self) -> Option<&Latency> {
        Some(&self.totals.response).filter(|latency| latency.moments.count() > 0)
    }

    /// The main latencies that have a distribution. For paced I/O these are what a user waits
    /// (response) and the target's part of it (service); for other I/O it is one, completion where
    /// it was kept.
    pub fn main_latencies(&self) -> Vec<(&'static str, &Latency)> {
        let totals = &self.totals;
        let (completion, response) = (&totals.completion, &totals.response);
        let choices = match self.has_planned_starts() && is_kept(response) {
            true => [Some((RESPONSE, response)), Some(("service (lat)", &totals.total))],
            false if is_kept(completion) => [Some(("completion", completion)), None],
            false => [Some(("total", &totals.total)), None],
        };
        choices.into_iter().flatten().filter(|(_, latency)| is_kept(latency)).collect()
    }

    /// Its latency since a worker took the I/O: completion latency, which most tools report, else total latency.
    pub fn latency(&self) -> &Latency {
        let completion = Some(&self.totals.completion).filter(|latency| is_kept(latency));
        completion.unwrap_or(&self.totals.total)
    }

    /// The distribution of that latency.
    pub fn distribution(&self) -> Option<&Histogram> {
        self.latency().histogram.as_ref().filter(|histogram| !histogram.is_empty())
    }

    /// The first of the main latencies.
    pub fn main_latency(&self) -> Option<(&'static str, &Latency)> {
        self.main_latencies().into_iter().next()
    }

    /// Is the first of the main latencies the response, from the planned start of each I/O?
    pub fn is_response(&self) -> bool {
        self.main_latency().is_some_and(|(name, _)| name == RESPONSE)
    }

    /// The mean of the first of the main latencies; `None` of too few I/Os for one.
    pub fn main_latency_ns_mean(&self) -> Option<f64> {
        self.main_latency()?.1.mean_ns()
    }

    /// Were its I/Os planned to start at a rate? Clones with and without a rate may share a row: a latency that only some of its
    /// I/Os have is not a main one.
    fn has_planned_starts(&self) -> bool {
        self.row.members.iter().all(|member| has_planned_starts(member, &self.directions))
    }

    /// The spread over the windows; of a time that is shorter than a window the rate of it all, `whole`, is the only sample.
    fn spread(&self, mut rates: Series, whole: f64) -> RateSpread {
        if self.totals.ios == 0 || !self.row.asked.samples {
            return RateSpread::default();
        }
        if rates.values.is_empty() && self.window_ns() >= SAMPLE_NS_MIN {
            rates.values.push(whole);
        }
        // In long steps a standstill is only part of a sample.
        RateSpread::of(&rates, self.row.grid().samples().any(GridStep::has_standstill))
    }
}

/// fio takes a sample of its rates after this time, unless `bwavgtime` says otherwise.
const SAMPLE_NS_MIN: u64 = 500_000_000;

/// Have the I/Os of this worker in these directions a response latency? Those in flight when its ramp ended count, and have none,
/// because their starts were planned for the ramp: at most as many as its queue holds.
fn has_planned_starts(member: &JobResult, directions: &[Direction]) -> bool {
    let used = || directions.iter().filter(|d| member.totals.directions[**d].ios > 0);
    let without = |d: &Direction| {
        let totals = &member.totals.directions[*d];
        totals.ios.saturating_sub(totals.response.moments.count())
    };
    // Windows of a job with a rate have responses.
    let is_paced = |d: &Direction| {
        member.totals.directions[*d].response.moments.count() > 0 || member.planned.pace.rate[*d].is_some()
    };
    used().all(is_paced) && used().map(without).sum::<u64>() <= u64::from(member.planned.depth.reachable)
}

/// The interval of the whole windows, wider by what the rest of the time changes: a rate is that of all I/Os, also of those in a last
/// window that is no whole one. No rate is below 0, so the interval ends there.
fn with_rest(whole: Estimate, rate: f64) -> Estimate {
    let half = (whole.high - whole.low) / 2.0 + (rate - whole.value).abs();
    Estimate { value: rate, low: (rate - half).max(0.0), high: rate + half, ..whole }
}

fn is_kept(latency: &Latency) -> bool {
    latency.histogram.as_ref().is_some_and(|h| !h.is_empty())
}

impl Row<'_> {
    /// Is the main latency of each direction the response latency?
    pub fn is_paced(&self) -> bool {
        let mut flows = self.flows().peekable();
        flows.peek().is_some() && flows.all(|(direction, _)| self.flow(direction).is_response())
    }

    /// One direction.
    pub fn flow(&self, direction: Direction) -> DirectionFigures<'_> {
        DirectionFigures::of(
            self,
            direction.name(),
            vec![direction],
            Cow::Borrowed(&self.totals.directions[direction]),
        )
    }

    /// All directions as one.
    pub fn mixed(&self) -> DirectionFigures<'_> {
        let mut totals = DirectionTotals::default();
        for (_, direction) in self.totals.directions.iter() {
            totals.merge(direction);
        }
        DirectionFigures::of(self, "mixed", Direction::ALL.to_vec(), Cow::Owned(totals))
    }

    /// The directions that fio reports by themselves; none when they are mixed.
    pub fn flows_apart(&self) -> Vec<DirectionFigures<'_>> {
        match self.asked.unified {
            Unified::Mixed => Vec::new(),
            Unified::Apart | Unified::Both => Direction::ALL.into_iter().map(|d| self.flow(d)).collect(),
        }
    }

    /// The sum of all directions, where the job asks for it.
    pub fn flow_mixed(&self) -> Option<DirectionFigures<'_>> {
        (self.asked.unified != Unified::Apart).then(|| self.mixed())
    }

    /// The busy directions, or the mix where only that is reported: what a
    /// chart draws.
    pub fn flows_apart_or_mixed(&self) -> Vec<DirectionFigures<'_>> {
        let mut flows = self.flows_busy();
        flows.retain(|flow| self.asked.unified == Unified::Mixed || flow.name != "mixed");
        flows
    }

    /// Every direction block of this row in which something happened.
    pub fn flows_busy(&self) -> Vec<DirectionFigures<'_>> {
        let all = self.flows_apart().into_iter().chain(self.flow_mixed());
        all.filter(|flow| flow.totals.ios > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::rows;
    use fathom_job::direction::Direction;
    use fathom_results::Phase;

    const SLOW: DirectionLoad =
        DirectionLoad { response_ns: 4_000_000_000, ..DirectionLoad::reads(100, 4096, 12_000_000) };

    /// The latency that a job with this rate and depth is judged by: all I/Os of ten seconds are 4 s late, but for some
    /// without a planned start.
    fn judged_by(job: &str, without: u64) -> (&'static str, f64) {
        let job = format!("rw=randread bs=4k ioengine=sim filename=sim:disk {job}");
        let carried = [SLOW, DirectionLoad::reads(without, 4096, 12_000_000)];
        let run = RunBuilder::of(&job).seconds(0, 1, &carried).seconds(0, 9, &[SLOW]).run();
        let all = rows(&run);
        let flow = all[0].flow(Direction::Read);
        let (name, latency) = flow.main_latency().unwrap();
        (name, latency.moments.mean().unwrap())
    }

    #[test]
    fn ios_in_flight_at_the_end_of_the_ramp_hide_no_response() {
        let (response, completion) = (("response", 4e9), ("completion", 12e6));
        assert_eq!(judged_by("rate_iops=400", 0), response);
        assert_eq!(judged_by("rate_iops=400", 1), response);
        assert_eq!(judged_by("rate_iops=400", 2), completion, "more than the queue holds");
        assert_eq!(judged_by("rate_iops=400 iodepth=8", 8), response);
    }

    /// Eleven reads in a little more than ten seconds are 1.1 a second, and each of the ten whole windows has exactly 1.
    #[test]
    fn the_interval_of_a_rate_holds_its_last_part() {
        let read = |ios| [DirectionLoad::reads(ios, 4096, 100_000)];
        let scene =
            RunBuilder::of("rw=randread bs=4k ioengine=psync filename=/data/f").seconds(0, 10, &read(1));
        let run = scene.window(0, Phase::Measure, 1_000_000, &read(1)).run();
        let all = rows(&run);
        let flow = all[0].flow(Direction::Read);
        let told = flow.iops_estimate().unwrap();
        assert!((told.value - 11.0 / 10.001).abs() < 1e-9 && told.low <= 1.0, "{told:?}");
        assert!((told.high - told.value - (flow.iops() - 1.0)).abs() < 1e-9, "{told:?}");
    }

    /// 64 writes in a minute, most of them in a few seconds.
    #[test]
    fn the_interval_of_a_rate_ends_at_zero() {
        let writes = |ios| vec![DirectionLoad::writes(ios, 1 << 20, 9_000_000); usize::from(ios > 0)];
        let counts = [32, 0, 0, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 12, 0, 0, 0, 4, 0, 4];
        let scene = RunBuilder::of("rw=randwrite bs=1m ioengine=libaio iodepth=32 filename=/data/f");
        let scene = (0..60).fold(scene, |scene, at| {
            let ios = if at % 3 == 0 { counts[at / 3] } else { 0 };
            scene.seconds(0, 1, &writes(ios))
        });
        let run = scene.run();
        let all = rows(&run);
        let flow = all[0].flow(Direction::Write);
        let rate = flow.iops_estimate().unwrap();
        assert_eq!((rate.low, rate.value), (0.0, 64.0 / 60.0));
        let half = flow.iops_half().unwrap();
        assert!(half > 1.0 && (rate.high - rate.value * (1.0 + half)).abs() < 1e-9, "{half} {rate:?}");
        assert_eq!(flow.bandwidth_estimate().unwrap().low, 0.0);
    }

    #[test]
    fn clones_with_and_without_a_rate_have_no_response_in_common() {
        let text = "[global]\nioengine=sim\nfilename=sim:disk\nrw=randread\nbs=4k\ngroup_reporting\n\
                    [a]\nrate_iops=100\niodepth=8\n[b]\n";
        let one = [DirectionLoad::reads(1, 4096, 12_000_000)];
        let run = RunBuilder::text(text).seconds(0, 9, &[SLOW]).seconds(1, 1, &one).run();
        let all = rows(&run);
        assert_eq!((all.len(), all[0].is_paced()), (1, false));
    }
}
