//! Paced jobs: what a user waited comes first, the target's part after it.

use crate::synthetic::{Recipe, SECOND, answer, fixture};
use fathom_figures::fixture::{DirectionLoad, RunBuilder};
use fathom_report::fio_json::{fio_json, to_text};
use fathom_report::html::page;
use fathom_report::normal::normal;
use fathom_report::terminal::{Style, details, summary};
use fathom_results::{RunResult, Window};
use fathom_stats::Histogram;
use serde_json::Value;

/// A report knows a paced job by its windows: they have a response.
const JOB: &str = "[db]\nioengine=libaio\ndirect=1\nfilename=/dev/loop7\nbs=4k\nrw=randread\niodepth=4\n";

/// One second in twelve the target stood still: the I/Os due in it waited for
/// its end, the first for all of it, the last for nothing. The target answered
/// each in no time.
fn stalled(second: u64, window: &mut Window) {
    for (_, counts) in &mut window.directions {
        let service = Histogram::from(counts.total.histogram.as_ref().expect("it is kept"));
        let mut response = service.clone();
        if second == 7 {
            response = Histogram::new();
            (0..counts.ios).for_each(|n| response.record(SECOND - n * SECOND / counts.ios));
        }
        counts.response.moments = *response.totals();
        counts.response.histogram = Some(response.sparse());
    }
}

fn paced() -> Recipe {
    let mut recipe = Recipe::new(JOB);
    recipe.shape = stalled;
    recipe
}

/// p99 of the read response, ns.
fn response_p99(run: &RunResult) -> f64 {
    run.jobs[0].totals.directions.read.response.histogram.as_ref().unwrap().quantile(0.99).unwrap() as f64
}

#[test]
fn a_stall_is_in_the_response_and_not_in_the_service() {
    let run = paced().run();
    let all = run.jobs[0].totals.directions.read.ios;
    let due = run.jobs[0].series.iter().find(|point| point.start_ns == 7 * SECOND).unwrap().ios.read;
    // Ranked from the slowest, the waits of the stall come first, in order.
    let beyond = all - (all * 99).div_ceil(100);
    let exact = (SECOND - beyond * SECOND / due) as f64;
    assert!((response_p99(&run) / exact - 1.0).abs() < 0.004, "{} {exact}", response_p99(&run));
    assert_eq!(run.jobs[0].totals.directions.read.response.moments.max(), Some(SECOND));
    insta::assert_snapshot!(details(&run, Style::PLAIN));
}

/// The mean of the differences is the difference of the means; a difference of percentiles is of two I/Os.
#[test]
fn lateness_is_the_mean_time_by_which_ios_began_late() {
    let job = "rw=randread bs=4k ioengine=psync filename=/data/f rate_iops=100";
    let late_by = |response_ns| DirectionLoad { response_ns, ..DirectionLoad::reads(100, 4096, 2_000_000) };
    let run = RunBuilder::of(job).seconds(0, 3, &[late_by(2_000_000)]).seconds(0, 1, &[late_by(102_000_000)]);
    let text = details(&run.run(), Style::PLAIN).to_string();
    let line = text.lines().find(|line| line.trim_start().starts_with("lateness")).unwrap();
    let said = "25.0 ms on average (the mean response less the mean service)";
    assert!(line.ends_with(said), "a quarter of the I/Os began 100 ms late: {line}");
}

#[test]
fn at_a_glance_a_paced_job_has_its_response_and_the_screen_says_so() {
    let mut recipe = paced();
    recipe.edit = |record| record.answer = Some(answer(5.0));
    let text = summary(&recipe.run(), Style::PLAIN);
    let line = text.lines().find(|line| line.starts_with("db ")).unwrap();
    let cells: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(&cells[cells.len() - 3..], ["870", "988", "1,000"], "{text}");
    assert!(text.contains("latency: from the planned start"), "{text}");
}

#[test]
fn without_a_rate_nobody_hears_of_response() {
    let run = Recipe::new(&fixture("loop-mix.fio")).run();
    let json = to_text(&fio_json(&run, true));
    let (long, short) = (details(&run, Style::PLAIN).to_string(), summary(&run, Style::PLAIN).to_string());
    for text in [long, short, page(&run), normal(&run), json] {
        assert!(
            !text.contains("response") && !text.contains("service") && !text.contains("lateness"),
            "{text}"
        );
    }
}

#[test]
fn json_has_a_key_of_its_own_beside_those_of_fio() {
    let run = paced().run();
    let json = fio_json(&run, true);
    let read = &json["jobs"][0]["read"];
    let kept = &run.jobs[0].totals.directions.read.response;
    let told = &read["response_ns"];
    assert_eq!(told["N"], read["total_ios"]);
    assert_eq!((&told["max"], &told["min"]), (&kept.moments.max().into(), &kept.moments.min().into()));
    assert_eq!(told["percentile"]["99.000000"].as_f64(), Some(response_p99(&run)));
    let bins: u64 = told["bins"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(told["N"], bins);
    assert!(json["jobs"][0]["write"].get("response_ns").is_none(), "nothing was written");
    // All else is where it is without a rate, in the same order.
    let plain = fio_json(&Recipe::new(JOB).run(), true);
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let mut ours = keys(read);
    ours.retain(|key| key != "response_ns");
    assert_eq!(ours, keys(&plain["jobs"][0]["read"]));
}

#[test]
fn normal_text_is_fios_when_fio_was_called() {
    let mut recipe = paced();
    let own = normal(&paced().run());
    recipe.edit = |record| record.command[1] = "fio".into();
    let fios = normal(&recipe.run());
    assert!(!fios.contains("response"), "{fios}");
    let mut linked = paced();
    linked.edit = |record| record.command = ["/usr/local/bin/fio", "jobs.fio"].map(Into::into).to_vec();
    assert_eq!(normal(&linked.run()), fios, "a link named fio");
    let extra: Vec<&str> = own.lines().filter(|line| !fios.contains(line)).collect();
    assert!(
        extra[0].starts_with("    response (usec): min=") && extra[0].contains("max=1000.0k"),
        "{extra:?}"
    );
    assert_eq!(extra[1], "    response percentiles (usec):");
    let place = |word: &str| own.find(word).unwrap();
    assert!(place("response (usec)") < place("slat (nsec)"), "{own}");
}

#[test]
fn the_page_shows_both_and_draws_both() {
    let html = page(&paced().run());
    let row = html.split("<tbody>").nth(1).unwrap().split("</tr>").next().unwrap();
    assert_eq!(row.matches("<small>service ").count(), 5, "mean, p50, p99, p99.9, max: {row}");
    assert!(row.contains("<small>response</small><small>service (lat) "), "each says what it is: {row}");
    assert!(html.contains("the upper line is the response, from the planned start"));
    assert!(html.contains("class=\"s read\"") && html.contains("class=\"s read second\""));
    assert!(
        html.contains("read, response: half within") && html.contains("read, service (lat): half within")
    );
    let table = html.split("Percentiles as numbers").nth(1).unwrap().split("</table>").next().unwrap();
    assert!(table.contains("read response, ") && table.contains("read service (lat), "), "{table}");
    let n = |text: &str| text.matches("<small>n = ").count();
    assert!(n(table) == 2 && table.contains(" to "), "{table}");
    assert!(html.contains("p99 response 8") && html.contains(" ms, service 119 µs"), "the headline");
}

#[test]
fn where_only_some_clones_are_paced_response_is_no_headline() {
    let mut recipe = paced();
    recipe.jobs = format!(
        "{JOB}group_reporting\n[free]\nioengine=libaio\ndirect=1\nfilename=/dev/loop7\nbs=4k\nrw=randread\niodepth=4\ngroup_reporting\n"
    );
    recipe.shape = |second, window| {
        if window.job == 0 {
            stalled(second, window);
        }
    };
    let run = recipe.run();
    let html = page(&run);
    let row = html.split("<tbody>").nth(1).unwrap().split("</tr>").next().unwrap();
    assert!(!row.contains("<small>lat "), "{row}");
    let text = details(&run, Style::PLAIN);
    let n = |name: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(name)).unwrap().to_owned();
        let rest = line.trim_start().strip_prefix(name).unwrap().to_owned();
        rest.split_whitespace().next().unwrap().trim_end_matches('k').parse::<f64>().unwrap()
    };
    let share = n("response  ") / n("service (lat)");
    assert!((0.45..0.55).contains(&share), "the table tells how many: {share} {text}");
}

/// Only the reads have a rate.
#[test]
fn the_note_tells_directions_apart_of_which_one_has_a_rate() {
    let job = "rw=randrw bs=4k ioengine=libaio iodepth=8 filename=/data/f rate_iops=100,";
    let reads = DirectionLoad { response_ns: 5_000_000, ..DirectionLoad::reads(100, 4096, 500_000) };
    let writes = DirectionLoad::writes(90, 4096, 900_000);
    let mut run = RunBuilder::of(job).seconds(0, 20, &[reads, writes]).run();
    run.record.answer = Some(answer(5.0));
    let text = summary(&run, Style::PLAIN).split_whitespace().collect::<Vec<_>>().join(" ");
    let told = "from the planned start, of t write completion";
    assert!(text.contains(&format!("latency: {told}")), "{text}");
}
