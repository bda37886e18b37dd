//! fio's rule of steady state on the series that fio itself has judged: the same criterion in every second, to the
//! printed digit, and the same end.
//!
//! `record.py` makes the file from fio; the series of `of_fio_3.33.jsonl` are from Debian's fio 3.33. That
//! version has no `lat`, so the numbers of its IOPS are judged as latencies too: the rule is the same for all figures.

use fathom_job::steady::{SteadyLimit, SteadyState, SteadyTerms};
use fathom_judge::steady::{FioRule, Second, StopRule};
use fathom_results::{SteadyWindow, StopRecord};
use serde_json::Value;

const OF_FIO: &str = include_str!("of_fio_3.33.jsonl");

fn state(ss: &str, window_s: u64) -> SteadyState {
    let (word, limit) = ss.split_once(':').expect("a rule has a limit");
    let (_, figure, test) = *SteadyTerms::WORDS.iter().find(|(known, ..)| *known == word).expect(word);
    let number = |text: &str| text.parse().expect(ss);
    let limit = match limit.strip_suffix('%') {
        Some(percent) => SteadyLimit::Percent(number(percent)),
        None => SteadyLimit::Absolute(number(limit)),
    };
    SteadyState { terms: SteadyTerms { figure, test, limit }, window_s, interval_s: 1, ramp_s: 0 }
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().expect("an array").iter().map(|n| n.as_u64().expect("a whole number")).collect()
}

fn window(rule: &FioRule) -> SteadyWindow {
    let mut record = StopRecord { rule: rule.text(), ..StopRecord::default() };
    rule.found(&mut record);
    record.steady.expect("fio's rule has a window")
}

/// Gives the seconds to the rule until it is met. Returns the criterion of each full window, as fio prints it,
/// whether the rule was met, and its last window.
fn judged(asked: SteadyState, seconds: &[Second]) -> (Vec<String>, bool, SteadyWindow) {
    let (mut rule, mut criteria) = (FioRule::of(asked), Vec::new());
    for second in seconds {
        let is_met = rule.take(second);
        criteria.extend(window(&rule).criterion.map(|criterion| format!("{criterion:.6}")));
        if is_met {
            return (criteria, true, window(&rule));
        }
    }
    (criteria, false, window(&rule))
}

#[test]
fn every_series_is_judged_as_by_fio() {
    let (mut attained, mut others, mut checks) = (0, 0, 0);
    for line in OF_FIO.lines() {
        let told: Value = serde_json::from_str(line).expect("a line is a JSON object");
        let ss = told["ss"].as_str().expect("the rule");
        let asked = state(ss, told["window"].as_u64().expect("the window"));
        let (iops, bw) = (numbers(&told["iops"]), numbers(&told["bw"]));
        let second = |(iops, bw): (&u64, &u64)| Second { iops: *iops, bw_bytes: *bw, ..Second::default() };
        let seconds: Vec<Second> = iops.iter().zip(&bw).map(second).collect();
        let (criteria, is_met, last) = judged(asked, &seconds);
        let of_fio: Vec<&str> =
            told["criteria"].as_array().expect("criteria").iter().filter_map(Value::as_str).collect();
        assert_eq!(criteria, of_fio, "{ss}");
        assert_eq!(is_met, told["attained"].as_bool().expect("a verdict"), "{ss}");
        assert_eq!(last.iops, numbers(&told["data"]["iops"]), "{ss}");
        assert_eq!(last.bw_bytes, numbers(&told["data"]["bw"]), "{ss}");
        assert_eq!(SteadyWindow::mean_of(&last.iops), told["data"]["iops_mean"].as_u64().unwrap(), "{ss}");
        assert_eq!(SteadyWindow::mean_of(&last.bw_bytes), told["data"]["bw_mean"].as_u64().unwrap(), "{ss}");
        checks += criteria.len();
        *(if is_met { &mut attained } else { &mut others }) += 1;
        if let Some(rest) = ss.strip_prefix("iops") {
            let second =
                |ns: &u64| Second { latencies: 3, latency_sum_ns: 3 * u128::from(*ns), ..Second::default() };
            let seconds: Vec<Second> = iops.iter().map(second).collect();
            let (criteria, as_latency, last) = judged(state(&format!("lat{rest}"), asked.window_s), &seconds);
            assert_eq!(
                (criteria, as_latency),
                (of_fio.iter().map(|c| c.to_string()).collect(), is_met),
                "{ss}"
            );
            assert_eq!(last.lat_ns, numbers(&told["data"]["iops"]), "{ss}");
        }
    }
    assert!(attained >= 25 && others >= 10 && checks >= 400, "{attained} {others} {checks}");
}

#[test]
fn values_are_means_of_their_seconds_and_begin_after_the_ramp() {
    let asked = SteadyState { interval_s: 3, ramp_s: 2, ..state("iops:5%", 6) };
    let mut rule = FioRule::of(asked);
    let second = |number, iops| Second {
        number,
        iops,
        latencies: number,
        latency_sum_ns: 70,
        bw_bytes: 4096,
        written_bytes: 0,
    };
    for (number, iops) in [(0, 9_000), (1, 0), (2, 100), (3, 200), (4, 301), (5, 190), (6, 200)] {
        assert!(!rule.take(&second(number, iops)), "{number}");
    }
    assert_eq!(window(&rule).criterion, None, "one value of two");
    assert!(rule.take(&second(7, 215)));
    let last = window(&rule);
    assert_eq!((last.iops, last.lat_ns, last.bw_bytes), (vec![200, 201], vec![23, 11], vec![4096; 2]));
    assert!((last.criterion.unwrap() - 100.0 * 0.5 / 200.5).abs() < 1e-12);
}

#[test]
fn a_limit_is_not_below_itself_and_nothing_at_all_is_not_steady() {
    let of = |ss: &str, values: &[u64]| {
        let seconds: Vec<Second> =
            values.iter().map(|iops| Second { iops: *iops, ..Second::default() }).collect();
        judged(state(ss, values.len() as u64), &seconds).1
    };
    assert!(!of("iops:10%", &[90, 110]) && of("iops:10.001%", &[90, 110]));
    assert!(!of("iops_slope:2", &[100, 102, 104]) && of("iops_slope:2.001", &[104, 102, 100]));
    for ss in ["iops:1%", "iops:1", "iops_slope:1%", "iops_slope:1", "bw:1", "lat:1"] {
        assert!(!of(ss, &[0; 4]), "{ss}");
    }
    // The mean of 1.9 counts as 1 for a slope, as in fio.
    assert!(
        !of("iops_slope:4.5%", &[2, 2, 2, 2, 2, 2, 2, 2, 2, 1])
            && of("iops_slope:5.5%", &[2, 2, 2, 2, 2, 2, 2, 2, 2, 1])
    );
}
