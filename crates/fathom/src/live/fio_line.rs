//! The view as fio's line of progress, which programs read: `Jobs: 3 (f=3): [m(2),W(1)][60.0%][r=2943MiB/s,w=7778MiB/s][r=754k,w=1991k
//! IOPS][eta 00m:02s]`.

use super::feed::{Doing, Feed};
use super::moment::LiveMoment;
use fathom_job::direction::{Direction, PerDirection};
use fathom_job::plan::{Plan, PlannedJob};
use fathom_job::units::Nanos;
use fathom_job::value::Mix;
use fathom_report::fio_number::{Unit, short};

/// Characters of a rate before its unit.
const WIDTH: usize = 4;

/// fio's line: jobs and files in use, a letter for each job, the share that is done, rates, and the time that is left. Before there is
/// anything to forecast from, it ends behind the files.
pub fn fio_line(plan: &Plan, feed: &Feed, moment: &LiveMoment) -> String {
    let running: Vec<&PlannedJob> = plan.jobs.iter().filter(|job| feed.state(job.id).runs()).collect();
    let files: usize = running.iter().map(|job| open_files(job)).sum();
    let head = format!("Jobs: {} (f={files})", running.len());
    let (Some(left), Some(share)) = (moment.left, moment.share) else {
        return match &moment.figures {
            Some(_) => format!("{head}: [{}][-.-%]{}", letters(plan, feed), rates(moment)),
            None => head,
        };
    };
    let percent = 100.0 * share;
    format!("{head}: [{}][{percent:3.1}%]{}[eta {}]", letters(plan, feed), rates(moment), clock(left))
}

fn open_files(job: &PlannedJob) -> usize {
    let most = job.open_files_max().map_or(usize::MAX, |most| most as usize);
    job.files.len().min(most)
}

/// A letter for each job, in the order of the plan; equal neighbours are counted: `m(2),W(1)`.
fn letters(plan: &Plan, feed: &Feed) -> String {
    let all: Vec<char> = plan.jobs.iter().map(|job| letter(job, feed.state(job.id))).collect();
    let counted = all.chunk_by(|a, b| a == b).map(|run| format!("{}({})", run[0], run.len()));
    counted.collect::<Vec<_>>().join(",")
}

/// fio's letters (fio(1), "OUTPUT").
fn letter(job: &PlannedJob, state: Doing) -> char {
    match state {
        Doing::Waits => 'P',
        Doing::Prepares => 'I',
        Doing::Ramps => '/',
        Doing::Measures => letter_of_pattern(job),
        Doing::Drains => 'f',
        Doing::Ended => '_',
    }
}

/// Large for sequential I/O, small for random I/O.
fn letter_of_pattern(job: &PlannedJob) -> char {
    let letter = match job.rw.mix {
        Mix::Read => 'R',
        Mix::Write => 'W',
        Mix::Trim | Mix::TrimWrite => 'D',
        Mix::ReadWrite => 'M',
    };
    if job.rw.random { letter.to_ascii_lowercase() } else { letter }
}

/// `[r=2943MiB/s,w=7778MiB/s][r=754k,w=1991k IOPS]`, of the directions that move.
fn rates(moment: &LiveMoment) -> String {
    let Some(now) = &moment.figures else { return String::new() };
    let moving: Vec<Direction> = Direction::ALL.into_iter().filter(|d| now.ios[*d] > 0.0).collect();
    if moving.is_empty() {
        return String::new();
    }
    let each = |values: &PerDirection<f64>, unit: Unit, suffix: &str| {
        let one =
            |d: &Direction| format!("{}={}{suffix}", &d.name()[..1], short(values[*d] as u64, WIDTH, unit));
        moving.iter().map(one).collect::<Vec<_>>().join(",")
    };
    format!("[{}][{} IOPS]", each(&now.bytes, Unit::BytesIec, "/s"), each(&now.ios, Unit::Count, ""))
}

/// `00m:02s`, `01h:00m:02s`, `2d:01h:00m:02s`.
fn clock(left: Nanos) -> String {
    let seconds = left.0.div_ceil(1_000_000_000);
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    let days = if days > 0 { format!("{days:02}d:") } else { String::new() };
    let hours = if hours > 0 || !days.is_empty() { format!("{hours:02}h:") } else { String::new() };
    format!("{days}{hours}{minutes:02}m:{:02}s", seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::figures::Figures;
    use crate::live::tests::{enters, feed, plan};
    use fathom_results::Phase;

    const JOBS: &str = "[a]\nrw=randrw\nnumjobs=2\n[b]\nrw=write\nstartdelay=1\n";

    fn figures() -> Figures {
        let ios = PerDirection { read: 754_000.0, write: 1_991_000.0, trim: 0.0 };
        let bytes = PerDirection { read: 2943.0 * 1048576.0, write: 7778.0 * 1048576.0, trim: 0.0 };
        Figures { ios, bytes, latency_ns: None }
    }

    /// The expected lines are those of fio 3.33 for these jobs.
    #[test]
    fn it_is_the_line_of_fio() {
        let plan = plan(JOBS);
        let frames: Vec<_> = (0..3).map(|job| enters(job, Phase::Measure, 1)).collect();
        let (feed, _) = feed(&plan, &frames);
        let moment = LiveMoment {
            left: Some(Nanos(2_000_000_000)),
            share: Some(0.6),
            figures: Some(figures()),
            ..LiveMoment::default()
        };
        let line =
            "Jobs: 3 (f=3): [m(2),W(1)][60.0%][r=2943MiB/s,w=7778MiB/s][r=754k,w=1991k IOPS][eta 00m:02s]";
        assert_eq!(fio_line(&plan, &feed, &moment), line);
        assert_eq!(fio_line(&plan, &feed, &LiveMoment::default()), "Jobs: 3 (f=3)");
        let unknown = LiveMoment { left: None, ..moment };
        assert!(fio_line(&plan, &feed, &unknown).starts_with("Jobs: 3 (f=3): [m(2),W(1)][-.-%][r=2943MiB/s"));
    }

    #[test]
    fn each_state_of_a_job_has_its_letter() {
        let plan = plan(JOBS);
        let at = |phases: &[(u32, Phase)]| {
            let frames: Vec<_> = phases.iter().map(|(job, phase)| enters(*job, *phase, 1)).collect();
            letters(&plan, &feed(&plan, &frames).0)
        };
        assert_eq!(at(&[]), "P(3)");
        assert_eq!(at(&[(0, Phase::Ramp), (1, Phase::Prepare)]), "/(1),I(1),P(1)");
        assert_eq!(at(&[(0, Phase::Measure), (1, Phase::Drain), (2, Phase::Measure)]), "m(1),f(1),W(1)");
    }

    #[test]
    fn the_time_that_is_left_has_hours_and_days_where_there_are_any() {
        let of = |seconds: u64| clock(Nanos(seconds * 1_000_000_000));
        assert_eq!([of(1), of(62), of(3723)], ["00m:01s", "01m:02s", "01h:02m:03s"]);
        assert_eq!(of(86_400), "01d:00h:00m:00s");
    }
}
