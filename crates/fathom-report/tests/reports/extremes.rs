//! Values that other tools hide: percentiles at the very end, latencies beyond
//! the histogram, seconds in which nothing completed.

use crate::synthetic::{Recipe, SECOND};
use fathom_report::fio_json::fio_json;
use fathom_report::html::page;
use fathom_report::normal::normal;
use fathom_report::terminal::{Style, details};
use fathom_results::{LatencyWindow, RunResult, Window};
use fathom_stats::{CEILING_NS, Histogram};

const JOB: &str = "[x]\nioengine=libaio\ndirect=1\nfilename=/dev/loop7\nbs=4k\nrw=randread\niodepth=4\nlat_percentiles=1\nslat_percentiles=1\npercentile_list=1:50:90:99:99.9:99.99:100\n";

/// An hour, more than three times the histogram's ceiling.
const HOUR: u64 = 3600 * SECOND;

fn of_values(values: &[u64]) -> LatencyWindow {
    let mut histogram = Histogram::new();
    values.iter().for_each(|ns| histogram.record(*ns));
    LatencyWindow { moments: *histogram.totals(), histogram: Some(histogram.sparse()) }
}

/// One window in three had half of its I/Os beyond the ceiling.
fn beyond(second: u64, window: &mut Window) {
    for (_, counts) in &mut window.directions {
        let slow = if second.is_multiple_of(3) { counts.ios / 2 } else { 0 };
        let mut values = vec![CEILING_NS + 5; slow as usize];
        values.extend((slow..counts.ios).map(|n| 50_000 + n));
        if second == 3 {
            values[0] = HOUR;
        }
        (counts.total, counts.completion) = (of_values(&values), of_values(&values));
    }
}

/// Every percentile of every latency of the first job, with its maximum.
fn told(run: &RunResult) -> Vec<(Vec<u64>, u64)> {
    let json = fio_json(run, false);
    let read = json["jobs"][0]["read"].as_object().unwrap().clone();
    let latencies =
        read.iter().filter(|(key, value)| key.ends_with("_ns") && value.get("percentile").is_some());
    let percentiles = |v: &serde_json::Value| {
        v["percentile"].as_object().unwrap().values().map(|ns| ns.as_u64().unwrap()).collect()
    };
    latencies.map(|(_, value)| (percentiles(value), value["max"].as_u64().unwrap())).collect()
}

#[test]
fn what_lies_beyond_the_histogram_is_a_bound_and_the_maximum_is_exact() {
    let mut recipe = Recipe::new(JOB);
    recipe.shape = beyond;
    let run = recipe.run();
    let text = details(&run, Style::PLAIN);
    let total = text.lines().filter(|line| line.starts_with("  total")).collect::<String>();
    // A sixth of all I/Os: p90 and what follows, but not p100, which is exact.
    assert_eq!(total.matches("≥18.3 min").count(), 4, "{text}");
    assert!(total.contains(" 3600 ") && text.contains("latency, s"), "{text}");
    assert!(page(&run).contains("<td>≥18.3 min</td>"), "p99 and p99.9 of the table");
    for (values, max) in told(&run) {
        assert!(values.is_sorted() && values.iter().all(|ns| *ns <= max), "{values:?} {max}");
    }
    assert!(told(&run).iter().any(|(_, max)| *max == HOUR));
}

/// Latencies whose last digits vary while their sizes span eleven decades.
fn scattered(second: u64, window: &mut Window) {
    for (_, counts) in &mut window.directions {
        let mut state = second.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 20) >> (state % 41)
        };
        let values: Vec<u64> = (0..counts.ios).map(|_| next()).collect();
        (counts.total, counts.completion) = (of_values(&values), of_values(&values));
        counts.response = of_values(&values.iter().map(|ns| ns + 777).collect::<Vec<_>>());
    }
}

#[test]
fn no_percentile_exceeds_the_maximum_in_any_report() {
    for rate in [1, 3, 40, 999] {
        let mut recipe = Recipe::new(JOB);
        (recipe.rate, recipe.shape) = (rate * 10, scattered);
        let run = recipe.run();
        let latencies = told(&run);
        assert_eq!(latencies.len(), 4, "slat, clat, lat, response");
        for (values, max) in latencies {
            assert!(values.is_sorted() && values.iter().all(|ns| *ns <= max), "{values:?} {max}");
            assert_eq!(values.last(), Some(&max), "p100 is the maximum");
        }
    }
}

#[test]
fn fios_table_rounds_up_but_not_past_the_maximum() {
    let mut recipe = Recipe::new(JOB);
    recipe.shape = |_, window| {
        for (_, counts) in &mut window.directions {
            let values: Vec<u64> = (0..counts.ios).map(|n| 209_900 - n % 7).collect();
            (counts.total, counts.completion) = (of_values(&values), of_values(&values));
        }
    };
    let text = normal(&recipe.run());
    let clat = text.split("    clat percentiles (usec):\n").nth(1).unwrap();
    assert!(
        clat.contains("100.00th=[  209]") && !clat.split("    lat").next().unwrap().contains("210"),
        "{text}"
    );
}

/// Nothing completed in the seconds 4 and 5, and nothing else is known of them.
fn still(second: u64, window: &mut Window) {
    if (4..6).contains(&second) {
        window.directions.clear();
    }
}

/// The lines of the first time line, as points.
fn lines(html: &str) -> Vec<Vec<(f64, f64)>> {
    let chart = html.split("aria-label=\"IOPS over time").nth(1).unwrap().split("</figure>").next().unwrap();
    let point = |text: &str| {
        let (x, y) = text.split_once(',').unwrap();
        (x.parse().unwrap(), y.parse().unwrap())
    };
    let drawn = chart.split("<polyline ").skip(1).map(|line| line.split("points=\"").nth(1).unwrap());
    drawn.map(|line| line.split('"').next().unwrap().split(' ').map(point).collect()).collect()
}

/// The position of zero: the height of the plot.
const FOOT: f64 = 160.0;

#[test]
fn a_second_without_io_is_drawn_at_zero() {
    let mut recipe = Recipe::new(JOB);
    (recipe.seconds, recipe.shape) = ((0, 10), still);
    let run = recipe.run();
    let lines = lines(&page(&run));
    assert_eq!((lines.len(), lines[0].len()), (1, 10));
    let at_zero: Vec<usize> = (0..10).filter(|n| lines[0][*n].1 == FOOT).collect();
    assert_eq!(at_zero, [4, 5], "{lines:?}");
    let json = fio_json(&run, false);
    let read = &json["jobs"][0]["read"];
    assert_eq!((&read["iops_min"], &read["iops_samples"]), (&0.into(), &10.into()));
}

#[test]
fn a_target_that_never_answered_is_a_line_at_zero() {
    let mut recipe = Recipe::new(JOB);
    recipe.seconds = (0, 6);
    recipe.shape = |_, window| window.directions.clear();
    let lines = lines(&page(&recipe.run()));
    assert!(lines.len() == 1 && lines[0].len() == 6 && lines[0].iter().all(|(_, y)| *y == FOOT), "{lines:?}");
}

#[test]
fn in_a_long_run_the_band_reaches_down_to_a_stall() {
    let mut recipe = Recipe::new(JOB);
    (recipe.seconds, recipe.rate, recipe.shape) = ((0, 400), 30, still);
    let html = page(&recipe.run());
    let band = html.split("<polygon class=\"area\" points=\"").nth(1).unwrap().split('"').next().unwrap();
    let lowest = band.split(' ').filter(|point| point.ends_with(",160.0")).count();
    assert_eq!(lowest, 1, "the column with the two empty seconds: {band}");
}

#[test]
fn a_time_without_any_window_breaks_the_line() {
    let mut run = Recipe::new(JOB).run();
    run.jobs[0].series.retain(|point| !(5 * SECOND..8 * SECOND).contains(&point.start_ns));
    let lines = lines(&page(&run));
    assert_eq!(lines.iter().map(Vec::len).collect::<Vec<_>>(), [5, 5], "{lines:?}");
}

#[test]
fn a_run_of_weeks_has_long_windows_and_its_standstill_is_still_drawn() {
    let mut recipe = Recipe::new(JOB);
    recipe.seconds = (0, 1);
    let mut run = recipe.run();
    let of_a_second = run.jobs[0].series[0].clone();
    let (read, weeks) = (of_a_second.ios.read, 3 * 7 * 24 * 3600);
    // A series of three weeks is kept like this: eight windows to a point, except five empty ones,
    // which are merged among themselves.
    let point = |from: u64, windows: u32, ios: u64| {
        let mut point = of_a_second.clone();
        (point.start_ns, point.end_ns) = (from * SECOND, (from + u64::from(windows)) * SECOND);
        (point.windows, point.ios.read) = (windows, ios * u64::from(windows));
        point
    };
    run.jobs[0].series = (0..weeks / 8)
        .flat_map(|n| match n {
            1000 => vec![point(8 * n, 5, 0), point(8 * n + 5, 3, read)],
            _ => vec![point(8 * n, 8, read)],
        })
        .collect();
    let rows = fathom_figures::rows(&run);
    assert_eq!((rows[0].grid().steps.len() as u64, rows[0].window_seconds()), (weeks / 8, 8));
    assert_eq!(rows[0].mixed().iops_spread().min, 0.0);
    assert!(details(&run, Style::PLAIN).contains("n = 226800 windows of 8 s)"));
    let html = page(&run);
    assert!(html.contains("windows of 8 s, read between 0 and "), "{html}");
    let band = html.split("<polygon class=\"area\" points=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(band.split(' ').filter(|point| point.ends_with(",160.0")).count(), 1, "{band}");
}

#[test]
fn a_worker_that_is_still_for_years_has_a_time_line_of_bounded_length() {
    let mut recipe = Recipe::new(JOB);
    recipe.seconds = (0, 2);
    let mut run = recipe.run();
    run.jobs[0].series[1].end_ns = 100_000_000 * SECOND;
    let steps = fathom_figures::Grid::of(&run.jobs[..1]).steps.len();
    assert!((1 << 17..=1 << 18).contains(&steps), "{steps}");
}
