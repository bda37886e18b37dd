//! The six measurements of `quick` over several rounds, in one sentence: what one `quick` says, as means.

use super::{fallen, mean, values};
use fathom_judge::quick::{FILL, SIX};
use fathom_results::procedure::{RoundDone, RoundFigures};
use fathom_text::quantity;

/// Which of the six a part of the sentence is of, and the words behind its figure.
type Part = (&'static str, &'static str);

const RANDOM: [Part; 2] = [("rand-read-iops", "random reads/s"), ("rand-write-iops", "random writes/s")];
const FLOWS: [Part; 2] = [("seq-read-bandwidth", "read"), ("seq-write-bandwidth", "written")];
const ALONE: &str = "rand-read-latency";

/// `84.7k random reads/s ± 1.1 %, 37.8k random writes/s ± 8.6 % (4k QD32); 4.53 GB/s read ± 8.6 %, …; one read takes 45.7 µs
/// ± 19 %`. `None` where the rounds are not those of `quick`.
pub(super) fn six(rounds: &[&RoundDone]) -> Option<String> {
    let first = &rounds.first()?.figures;
    let is_of_six = |name: &str| name == FILL || SIX.iter().any(|one| one.name == name);
    if first.len() < 2 || !first.iter().all(|job| is_of_six(&job.job)) {
        return None;
    }
    let place = |name: &str| first.iter().position(|job| job.job == name && job.ios > 0);
    let is_rated = |place: &usize| {
        rounds.iter().all(|it| it.figures.get(*place).is_some_and(|of| of.unrated().is_none()))
    };
    let listed = |parts: [Option<String>; 2]| {
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    };
    let random = RANDOM.map(|(name, what)| {
        let job = place(name).filter(is_rated)?;
        let all = values(rounds, job, RoundFigures::lasting_rate);
        Some(worded(&all, quantity::iops, what) + &fallen(rounds, job))
    });
    let does = RANDOM.iter().find_map(|(name, _)| Some(first[place(name)?].does.as_str()));
    let does = does.filter(|does| !does.is_empty()).map(|does| format!(" ({does})")).unwrap_or_default();
    let flows = FLOWS.map(|(name, what)| {
        let job = place(name).filter(is_rated)?;
        let all = values(rounds, job, RoundFigures::lasting_bandwidth);
        Some(worded(&all, quantity::bandwidth, what) + &fallen(rounds, job))
    });
    let alone = place(ALONE).and_then(|job| {
        let all = values(rounds, job, |it| it.latency_ns_mean);
        (all.len() == rounds.len()).then(|| format!("one read takes {}", mean(&all, quantity::latency)))
    });
    let parts = [listed(random).map(|random| random + &does), listed(flows), alone];
    let told: Vec<String> = parts.into_iter().flatten().collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// `84.7k random reads/s ± 1.1 %`: the words stand before the uncertainty.
fn worded(all: &[f64], shown: fn(f64) -> String, what: &str) -> String {
    let told = mean(all, shown);
    // Behind the value is its uncertainty, or that it is no mean.
    let end = [" ± ", ", "].iter().find_map(|mark| told.find(mark)).unwrap_or(told.len());
    let (value, rest) = told.split_at(end);
    format!("{value} {what}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::round;
    use fathom_results::procedure::RoundFigures;

    fn of(jobs: &[(&str, f64)], factor: f64) -> RoundDone {
        let one = |(name, iops): &(&str, f64)| RoundFigures {
            job: (*name).to_owned(),
            does: "4k QD32".to_owned(),
            ..round("repeat", iops * factor).figures.remove(0)
        };
        RoundDone { figures: jobs.iter().map(one).collect(), ..round("repeat", 1.0) }
    }

    #[test]
    fn it_says_what_one_quick_says() {
        let jobs = [
            ("seq-read-bandwidth", 1e5),
            ("rand-read-latency", 1e4),
            ("rand-read-iops", 8e4),
            ("seq-write-bandwidth", 5e4),
            ("rand-write-iops", 4e4),
            ("mixed-70-30", 6e4),
        ];
        let rounds = [0.99, 1.0, 1.01].map(|factor| of(&jobs, factor));
        let told = six(&rounds.iter().collect::<Vec<_>>()).unwrap();
        let expected = "80.0k random reads/s ± 2.5 %, 40.0k random writes/s ± 2.5 % (4k QD32); 410 MB/s read ± 2.5 %, \
                        205 MB/s written ± 2.5 %; one read takes 100 µs ± 2.5 %";
        assert_eq!(told, expected);
    }

    #[test]
    fn rates_that_have_no_mean_are_a_range() {
        let rounds =
            [1.0, 3.0, 0.1].map(|factor| of(&[("rand-read-iops", 8e4), ("mixed-70-30", 1e4)], factor));
        let told = six(&rounds.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!(told, "from 8.00k to 240k random reads/s, too different for a mean (4k QD32)");
    }

    #[test]
    fn what_cannot_write_is_told_by_its_reads_and_other_jobs_are_not_the_six() {
        let reads = [0.99, 1.0, 1.01]
            .map(|factor| of(&[("rand-read-iops", 8e4), ("rand-read-latency", 1e4)], factor));
        let told = six(&reads.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!(told, "80.0k random reads/s ± 2.5 % (4k QD32); one read takes 100 µs ± 2.5 %");
        let other = of(&[("rand-read-iops", 8e4), ("mine", 1e4)], 1.0);
        assert_eq!(six(&[&other]), None);
        assert_eq!(six(&[]), None);
    }
}
