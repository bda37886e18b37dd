use super::*;
use crate::fixture::{answer as round_answer, history as and_round, round as round_of};
use crate::open;
use crate::suite::KNEE_SHARE;
use fathom_results::procedure::{FallFigures, StepDone, StepRecord, UnreachedDepth};
use fathom_stats::{SplitMix64, normal_quantile};
use fathom_words::{headline, lines};

fn search(values: &str, goal: &str) -> Search {
    Search {
        axis: format!("iodepth={values}").parse().unwrap(),
        goal: goal.parse().unwrap(),
        repeat: 1,
        until: None,
    }
}

/// Runs the search on a device with these curves of rate and latency over the depth; how many cells it took, and what it found.
fn ran(search: &Search, curve: impl Fn(f64) -> (f64, f64)) -> (Vec<StepRecord>, SearchFound) {
    let mut steps = Vec::new();
    while let Step::Run(round) = search.next(&History::new(&steps)) {
        let depth: f64 = round.cell.rsplit('=').next().unwrap().parse().unwrap();
        let (iops, latency_ns) = curve(depth);
        let mut done = round_of(&round.cell, iops);
        done.figures[0].latency_ns_mean = Some(latency_ns);
        done.figures[0].latency_percentiles = [(99.0, (latency_ns * 2.0) as u64)].into_iter().collect();
        *done.whole = done.figures[0].clone();
        done.answer = Some(Box::new(round_answer()));
        steps = and_round(steps, done);
        assert!(
            steps.len() <= search.axis.values.len() * search.repeat as usize,
            "it measures nothing twice"
        );
    }
    let found = search.found(&History::new(&steps)).unwrap();
    (steps, found)
}

/// A closed queue: the rate rises with the depth up to `most`, and beyond that only the latency does.
fn queue(depth: f64, service_ns: f64, most: f64) -> (f64, f64) {
    let rate = (depth * 1e9 / service_ns).min(most);
    (rate, depth * 1e9 / rate)
}

/// A synchronous engine has one I/O in flight whatever `iodepth` says, so chance decides where such a knee is.
#[test]
fn depths_that_no_job_can_have_give_no_conclusion() {
    for goal in ["knee", "p99<=800us"] {
        let search = search("1,8,32", goal);
        let mut steps = Vec::new();
        for value in ["1", "32"] {
            let mut done = round_of(&format!("iodepth={value}"), 10_000.0);
            let asked: u32 = value.parse().unwrap();
            done.figures[0].unreached = (asked > 1).then_some(UnreachedDepth { asked, reachable: 1 });
            done.answer = Some(Box::new(round_answer()));
            steps = and_round(steps, done);
        }
        let history = History::new(&steps);
        assert_eq!(search.found(&history), Some(SearchFound::DepthNotReached(2)), "{goal}");
        assert!(search.is_not_valid(&history));
        let Step::Done(verdict) = search.next(&history) else { panic!("it goes on") };
        let words = headline(&verdict.headline);
        assert!(
            words.starts_with("There is no conclusion: the depth was not reached: iodepth=32"),
            "{words}"
        );
    }
}

fn noise(random: &mut SplitMix64, share: f64) -> f64 {
    let uniform = (random.next_bits() >> 11) as f64 / (1_u64 << 53) as f64;
    1.0 + share * normal_quantile(uniform.clamp(1e-9, 1.0 - 1e-9)).unwrap()
}

/// I-29, I-51 and "Done when" of the searches: the known answer within one step for 95 of 100 seeds, with at most a third of the
/// cells of the whole sweep.
#[test]
fn noisy_curves_have_their_answer_within_one_step() {
    let values: Vec<f64> = (1..=64).map(f64::from).collect();
    for goal in ["knee", "p99<=800us"] {
        let search = search("1..64", goal);
        let mut hits = 0;
        for seed in 0..100 {
            let mut random = SplitMix64::new(seed);
            let most = 1e5 * (0.5 + (random.next_bits() >> 40) as f64 / (1 << 24) as f64);
            let true_place = match goal {
                "knee" => {
                    values.iter().position(|depth| queue(*depth, 1e5, most).0 >= KNEE_SHARE * most).unwrap()
                }
                _ => values.iter().rposition(|depth| 2.0 * queue(*depth, 1e5, most).1 <= 800_000.0).unwrap(),
            };
            let random = std::cell::RefCell::new(random);
            let (steps, found) = ran(&search, |depth| {
                let (iops, latency) = queue(depth, 1e5, most);
                let mut random = random.borrow_mut();
                (iops * noise(&mut random, 0.005), latency * noise(&mut random, 0.005))
            });
            assert!(steps.len() * 3 <= values.len(), "{} of {} cells", steps.len(), values.len());
            hits += usize::from(matches!(found, SearchFound::At(place) if place.abs_diff(true_place) <= 1));
        }
        assert!(hits >= 95, "{goal}: {hits} of 100");
    }
}

/// A search compares means of whole rounds; where a rate fell, that is the mean of two.
#[test]
fn a_value_whose_rate_fell_says_what_its_mean_is() {
    let search = search("1..64", "knee");
    let (mut steps, found) = ran(&search, |depth| queue(depth, 1e5, 5e4));
    let before = headline(&answer::headline(&search, &History::new(&steps)));
    for step in &mut steps {
        if let StepDone::Round(round) = &mut step.did {
            round.figures[0].fall = Some(FallFigures::default());
        }
    }
    let after = headline(&answer::headline(&search, &History::new(&steps)));
    let said = ", means of two rates, because it fell meanwhile";
    assert!(matches!(found, SearchFound::At(_)) && !before.contains(said) && after.contains(said), "{after}");
}

#[test]
fn ends_of_the_axis_are_told_as_what_they_are() {
    let fast = |depth| queue(depth, 1e5, 1e9);
    let slow = |depth| queue(depth, 1e6, 1_000.0);
    for (goal, values, curve, said) in [
        ("knee", "1,2,4..64", &fast as &dyn Fn(f64) -> (f64, f64), "StillRises"),
        ("knee", "1,2,4..64", &slow, "At(0)"),
        ("mean<=1us", "1..8", &fast, "NoneIsWithin"),
        ("mean<=1s", "1..8", &slow, "AllAreWithin"),
    ] {
        let search = search(values, goal);
        let (steps, found) = ran(&search, curve);
        assert_eq!(format!("{found:?}"), said, "{goal} {values}");
        let is_nothing = matches!(said, "StillRises" | "NoneIsWithin");
        assert_eq!(search.is_not_valid(&History::new(&steps)), is_nothing, "{said}: exit code 5");
    }
}

#[test]
fn the_answer_has_the_value_and_its_figures() {
    let search = search("1,2,4..64", "p99<=1ms");
    let (steps, _) = ran(&search, |depth| queue(depth, 1e5, 50_000.0));
    let history = History::new(&steps);
    let answer = search.answer(&history).unwrap();
    assert_eq!(
        headline(&answer.result),
        "Within p99 ≤ 1.00 ms: iodepth=16: 50.0k IOPS, 205 MB/s, mean latency 320 µs, p99 640 µs; the next value has 1.28 ms."
    );
    let Step::Done(verdict) = search.next(&history) else { panic!("not done") };
    assert_eq!(lines(&verdict.headline).len(), steps.len());
    let knee = search_knee();
    let (steps, _) = ran(&knee, |depth| queue(depth, 1e5, 50_000.0));
    let said = headline(&knee.answer(&History::new(&steps)).unwrap().result);
    assert!(said.starts_with("The knee is at iodepth=8: 50.0k IOPS"), "{said}");
}

/// The rate is 100, falls to 60 at the highest value, and between the two nothing is measured where the knee is found at once.
#[test]
fn what_more_demand_did_is_told_of_values_that_were_measured() {
    let knee = search("1,2,4,8,16,32,64", "knee");
    let (steps, _) = ran(&knee, |depth| match depth as u32 {
        1 => (50.0, 1e6),
        64 => (60.0, 1e6),
        _ => (100.0, 1e6),
    });
    let history = History::new(&steps);
    let measured: Vec<bool> = knee.measured(&history).iter().map(Option::is_some).collect();
    let said = headline(&knee.answer(&history).unwrap().result);
    assert!(!measured[4] && !measured[5], "{measured:?}");
    assert!(
        said.contains("iodepth=64 has 40 % less (between iodepth=8 and it nothing was measured)"),
        "{said}"
    );
    assert!(
        said.contains("Each value was measured once, so how far noise may have moved the knee is not known"),
        "{said}"
    );
    // A neighbour that was measured needs no such words.
    let near = search("1,2,4", "knee");
    let (steps, _) = ran(&near, |depth| ([50.0, 100.0, 60.0][depth as usize / 2], 1e6));
    let said = headline(&near.answer(&History::new(&steps)).unwrap().result);
    assert!(said.contains("and iodepth=4 has 40 % less. "), "{said}");
}

/// With noise the knee that is told lies within the values that the spread of the rounds leaves possible.
#[test]
fn the_spread_of_the_rounds_says_where_else_the_knee_may_be() {
    let thrice = |share: f64, seed: u64| {
        let search = Search { repeat: 3, ..search_knee() };
        let random = std::cell::RefCell::new(SplitMix64::new(seed));
        let (steps, _) = ran(&search, |depth| {
            let (iops, latency) = queue(depth, 1e5, 50_000.0);
            (iops * noise(&mut random.borrow_mut(), share), latency)
        });
        headline(&search.answer(&History::new(&steps)).unwrap().result)
    };
    assert!(thrice(0.0001, 1).ends_with("The rounds of each value vary by less than would move it."));
    let wide = (0..10)
        .filter(|seed| thrice(0.1, *seed).contains("By the spread of the rounds it may be anywhere from"));
    assert!(wide.count() >= 8);
}

fn search_knee() -> Search {
    search("1,2,4..64", "knee")
}

#[test]
fn repeats_decide_together_and_parameters_make_it_again() {
    let thrice = Search { repeat: 3, ..search_knee() };
    let (steps, _) = ran(&thrice, |depth| queue(depth, 1e5, 50_000.0));
    assert!(steps.len().is_multiple_of(3));
    let again = open("search", &thrice.parameters()).unwrap();
    assert_eq!(again.expected(), thrice.expected());
    for goal in ["knee", "p99<=1ms", "p99.9<=250us", "max<=1s", "mean<=5us"] {
        let goal: SearchGoal = goal.parse().unwrap();
        assert_eq!(goal.to_string().parse::<SearchGoal>().unwrap(), goal);
    }
    for wrong in ["kne", "p99", "p98<=1ms", "p99<=5", "p99<=0us", "p99<=fast"] {
        assert!(wrong.parse::<SearchGoal>().is_err(), "{wrong}");
    }
}

/// A mean of the target's time beside a limit that counts from the planned start would be two figures of one name.
#[test]
fn the_mean_and_the_limit_are_the_same_latency() {
    let search = search("1..4", "mean<=1ms");
    let job = |name: &str, ios: u64, ns: f64| RoundFigures {
        job: name.to_owned(),
        ios,
        iops: ios as f64,
        latency_ns_mean: Some(ns),
        is_response: true,
        ..RoundFigures::default()
    };
    let whole = RoundFigures { iops: 400.0, latency_ns_mean: Some(100_000.0), ..RoundFigures::default() };
    let jobs = [job("a", 300, 2_000_000.0), job("b", 100, 6_000_000.0)];
    let of = |jobs: &[&RoundFigures]| ValueFigures::of(&[&whole], jobs, &search.goal);
    let told = |one: ValueFigures| {
        lines(&answer::headline_of(&search, &[Some(one), None, None, None], None)).remove(0)
    };
    let paced = told(of(&[&jobs[0], &jobs[1]]));
    assert!(paced.contains("mean response 3.00 ms, mean 6.00 ms from the planned start"), "{paced}");
    let closed = RoundFigures { is_response: false, latency_ns_mean: Some(100_000.0), ..jobs[0].clone() };
    let closed = told(of(&[&closed]));
    assert!(closed.contains("mean latency 100 µs, mean 100 µs (1 round)"), "{closed}");
}
