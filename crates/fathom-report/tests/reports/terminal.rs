//! The summary that people read.

use crate::synthetic::{Recipe, answer, disk, fallen, fixture, writes};
use fathom_report::terminal::{Style, details, summary};
use fathom_results::finding::LoopTarget;
use fathom_results::{Answer, Event, EventKind, Evidence, Finding, Reason, Trust, TrustLevel, Weight};

#[test]
fn snapshot_of_a_whole_run() {
    let mut recipe = Recipe::new(&fixture("loop-mix.fio"));
    recipe.edit = |record| {
        record.disks.push(disk("loop7", 24_012, 12_000));
        let (device, file) = (Some("loop7".into()), Some("/tmp/fixture.img".into()));
        let target = LoopTarget { device, file, only_trims: false, is_direct: None };
        let finding = Finding { evidence: Evidence::LoopDevice(target), weight: Weight::Instead, jobs: None };
        let reasons = vec![Reason::of(&finding)];
        record.findings.push(finding);
        let trust = Trust { level: TrustLevel::Low, reasons, shortest_s: None };
        record.answer = Some(Answer { trust, ..answer(2_000.0) });
    };
    let mut run = recipe.run();
    run.events.push(Event {
        at_ns: 2_000_000_000,
        job: None,
        kind: EventKind::Stall,
        text: "job read: /dev/loop7 has not answered for 5 s".into(),
    });
    insta::assert_snapshot!(details(&run, Style::PLAIN));
    insta::assert_snapshot!("a_judged_run_at_a_glance", summary(&run, Style::PLAIN));
}

#[test]
fn snapshot_of_a_group_on_a_narrow_terminal() {
    let run = Recipe::new(&fixture("group-null.fio")).run();
    let text = summary(&run, Style { width: 72, ..Style::PLAIN });
    assert!(text.lines().all(|line| line.chars().count() <= 72 || line.contains("synthetic")), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn an_unfinished_run_says_so_first() {
    let mut recipe = Recipe::new(&fixture("sync-read.fio"));
    recipe.edit = |record| record.finish = None;
    let text = summary(&recipe.run(), Style::PLAIN);
    let second = text.lines().nth(1).unwrap();
    assert!(second.contains("INCOMPLETE: the run did not end by itself"), "{text}");
}

#[test]
fn few_windows_give_no_interval_and_thin_tails_are_marked() {
    let mut recipe = Recipe::new(&fixture("sync-read.fio"));
    recipe.seconds = (0, 3);
    recipe.rate = 300;
    let text = summary(&recipe.run(), Style::PLAIN);
    assert!(text.contains("(n = 3 windows of 1 s: too few for an interval)"), "{text}");
    assert!(text.contains('·') && text.contains("· fewer than 10 of the n values lie beyond"), "{text}");
}

#[test]
fn percentiles_are_those_the_job_names_and_colour_changes_no_word() {
    let run =
        Recipe::new("[x]\nioengine=null\nsize=1m\npercentile_list=25:75\nsignificant_figures=6\n").run();
    let plain = summary(&run, Style::PLAIN);
    assert!(plain.contains("p25") && plain.contains("p75") && !plain.contains("p99"), "{plain}");
    let coloured = summary(&run, Style { colour: true, ..Style::PLAIN });
    let mut bare = coloured.to_string();
    while let Some(start) = bare.find('\x1b') {
        let end = start + bare[start..].find('m').unwrap();
        bare.replace_range(start..=end, "");
    }
    assert!(coloured != plain && bare == plain.as_str());
}

#[test]
fn both_units_of_bandwidth_are_true_and_workers_are_told_apart() {
    let mut recipe = Recipe::new(
        "[x]\nioengine=null\nsize=1m\nbs=512\nnumjobs=2\ngroup_reporting\nsignificant_figures=6\n",
    );
    recipe.end = |outcome| {
        outcome.sizes.read = vec![(512, 30), (4096, 10)];
        outcome.notes = vec![("clock".into(), "tsc".into())];
    };
    let run = recipe.run();
    let text = summary(&run, Style::PLAIN);
    let figure = |unit: &str| -> f64 {
        let before = &text[..text.find(unit).unwrap()];
        before.rsplit([' ', '(']).next().unwrap().parse().unwrap()
    };
    // V-30: dividing KiB/s by 1024 gives MiB/s, not MB/s.
    assert!((figure(" MB/s") / figure(" MiB/s") - 1.048_576).abs() < 1e-4, "{text}");
    assert!(
        text.contains("workers    slowest ")
            && text.contains("sizes      512 B read 75.0 %, 4 KiB read 25.0 %"),
        "{text}"
    );
    assert_eq!(text.matches("clock: tsc").count(), 1, "{text}");
}

#[test]
fn the_habits_of_another_tool_stand_in_the_heading_of_the_job() {
    let said = |job: &str| summary(&Recipe::new(job).run(), Style::PLAIN);
    let label = "depth 8 · 1 worker · compat=fio: submits and reaps as fio does\n";
    let text = said("[x]\nioengine=null\nsize=1m\niodepth=8\ncompat=fio\n");
    assert!(text.contains(label), "{text}");
    assert!(!said("[x]\nioengine=null\nsize=1m\niodepth=8\n").contains("compat"));
}

#[test]
fn the_heading_says_how_offsets_are_spread() {
    let said = |options: &str| {
        summary(
            &Recipe::new(&format!("[x]\nioengine=null\nsize=1m\nrw=randread\n{options}\n")).run(),
            Style::PLAIN,
        )
    };
    for (value, label) in
        [("zipf:1.2:0.5", "(zipf:1.2)"), ("normal", "(normal)"), ("zoned:60/10:40/90", "(in zones)")]
    {
        let text = said(&format!("random_distribution={value}"));
        assert!(text.contains(&format!("random read {label} · null")), "{text}");
    }
    assert!(said("norandommap").contains("random read · null"));
}

#[test]
fn one_window_is_singular() {
    let mut recipe = Recipe::new("[x]\nioengine=null\nsize=1m\n");
    recipe.seconds = (0, 1);
    let text = summary(&recipe.run(), Style::PLAIN);
    assert!(text.contains("(n = 1 window of 1 s: too few for an interval)"), "{text}");
}

/// A run of 4 × 128, in which I/Os took so long that `in_flight` of them
/// were in flight on average.
fn deep(in_flight: f64) -> String {
    let mut run = Recipe::new("[x]\nioengine=null\nsize=1m\niodepth=128\nnumjobs=4\ngroup_reporting\n").run();
    let ios: u64 = run.jobs.iter().map(|job| job.totals.directions.read.ios).sum();
    let latency_ns = (in_flight * 12e9 / ios as f64) as u64;
    for job in &mut run.jobs {
        let read = &mut job.totals.directions.read;
        read.total.moments = fathom_stats::Moments::new();
        read.total.moments.record_n(latency_ns, read.ios);
    }
    summary(&run, Style::PLAIN).to_string()
}

#[test]
fn more_in_flight_than_asked_is_told_only_where_it_is_no_rounding() {
    let (rounded, below, beyond) = (deep(513.4), deep(400.0), deep(600.0));
    assert!(rounded.contains("128 asked × 4 workers, 512 in flight on average"), "{rounded}");
    assert!(below.contains(", 400 in flight on average"), "{below}");
    assert!(beyond.contains(", 600 in flight on average"), "{beyond}");
}

#[test]
fn a_job_that_never_started_says_so() {
    let mut run = Recipe::new("[a]\nioengine=null\nsize=1m\n[b]\nstonewall\nioengine=null\nsize=1m\n").run();
    let late = &mut run.jobs[1];
    (late.series, late.outcome) = (Vec::new(), None);
    late.totals = Default::default();
    let text = summary(&run, Style::PLAIN);
    assert!(text.contains("not started") && text.contains("nothing: it did not start"), "{text}");
    assert!(!text.contains("no I/O in the measured window"), "{text}");
}

#[test]
fn an_error_that_was_outlived_is_told() {
    let text = summary(&crate::fio_json::outlived_error(), Style::PLAIN);
    assert!(text.contains("  error      read of /dev/sdx at 4096: Remote I/O error"), "{text}");
}

#[test]
fn workers_are_compared_only_where_there_are_several() {
    let text = |clones: u32| {
        let job = format!("[x]\nioengine=null\nsize=1m\nnumjobs={clones}\ngroup_reporting\n");
        summary(&Recipe::new(&job).run(), Style::PLAIN)
    };
    let (one, two) = (text(1), text(2));
    assert!(!one.contains("slowest"), "T-33: two equal numbers say nothing: {one}");
    let line = two.lines().find(|line| line.starts_with("  workers    slowest ")).expect("it is there");
    let figures: Vec<&str> =
        line.split(' ').filter(|word| word.starts_with(|c: char| c.is_ascii_digit())).collect();
    assert!(figures.len() == 2 && figures[0] != figures[1], "{line}");
}

#[test]
fn of_many_sizes_the_most_frequent_are_told() {
    let mut recipe = Recipe::new("[x]\nioengine=null\nsize=1m\nbssplit=4k/60:64k/40\nrw=randread\n");
    recipe.end = |outcome| {
        let rest = (2..10).map(|blocks| (blocks * 4096, 1));
        outcome.sizes.read = [(4096, 52)].into_iter().chain(rest).chain([(65_536, 40)]).collect();
    };
    let text = summary(&recipe.run(), Style::PLAIN);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = "sizes 4 KiB read 52.0 %, 8 KiB read 1.0 %, 12 KiB read 1.0 %, 64 KiB read 40.0 %, 6 other sizes read 6.0 %";
    assert!(text.contains(told), "{text}");
}

#[test]
fn a_depth_that_cannot_be_reached_is_told_beside_the_one_that_can() {
    let job = "[x]\nioengine=psync\nfilename=/dev/loop7\nsize=1m\niodepth=32\n";
    let text = summary(&Recipe::new(job).run(), Style::PLAIN);
    assert!(text.contains("psync · depth 1 (32 asked) · 1 worker"), "{text}");
}

#[test]
fn a_submission_latency_of_nothing_but_zeros_was_not_measured() {
    let recipe = Recipe::new("[x]\nioengine=io_uring\nfilename=/dev/loop7\nsize=1m\nrw=randread\n");
    let mut run = recipe.run();
    for job in &mut run.jobs {
        let kept = &mut job.totals.directions.read.submission;
        let n = 1_000;
        *kept = Default::default();
        kept.moments.record_n(0, n);
    }
    let text = summary(&run, Style::PLAIN);
    let line = text.lines().find(|line| line.trim_start().starts_with("submission")).unwrap();
    assert!(line.split_whitespace().skip(1).all(|cell| cell == "-"), "{line}");
    let document = fathom_report::fio_json::fio_json(&run, false);
    assert_eq!(document["jobs"][0]["read"]["slat_ns"]["N"], 0);
    assert_ne!(document["jobs"][0]["read"]["clat_ns"]["N"], 0);
}

/// The interval of a mean is that of the time that was measured: a new drive, or a cache, does not keep the rate of writes.
#[test]
fn the_interval_of_writes_is_of_their_time_and_not_of_steady_state() {
    let each: Vec<u64> = (0..30).map(|second| 400 + second % 3).collect();
    let mut run = writes(&each);
    run.record.answer = Some(answer(401.0));
    let shown = |width: usize| {
        let style = Style { width, ..Style::PLAIN };
        summary(&run, style).to_string().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (wide, narrow) = (shown(100), shown(40));
    assert!(
        wide.contains("± %: 95 % interval of the mean of these 30 s; steady state may be slower"),
        "{wide}"
    );
    assert!(narrow.contains(" % of these 30 s only"), "{narrow}");
}

#[test]
fn the_document_has_the_fall_as_figures() {
    let figures = fathom_report::document::figures(&fallen());
    let value = |metric: &str| {
        figures.iter().find(|it| it.metric == metric && it.direction == "all").map(|it| it.value)
    };
    assert_eq!((value("fall_begins"), value("fall_ends")), (Some(12.0), Some(12.0)));
    assert_eq!(value("iops_before_fall"), Some(3_001.0));
    assert_eq!(value("bytes_before_fall"), Some(12.0 * 3_001.0 * f64::from(1 << 20)));
    assert!((value("iops_lasting").unwrap() - 401.0).abs() < 0.2, "{:?}", value("iops_lasting"));
    let steady = fathom_report::document::figures(&writes(&[400; 20]));
    assert!(steady.iter().all(|it| it.metric != "fall_begins"));
}

/// The table of I/Os by latency counts each I/O once, in the terminal and on the page.
#[test]
fn ios_are_counted_by_latency_class() {
    let run = Recipe::new(&fixture("sync-read.fio")).run();
    let text = details(&run, Style::PLAIN);
    let mut table = text.lines().map(str::trim).skip_while(|line| !line.starts_with("completion below"));
    let heads: Vec<&str> = table.next().unwrap().split_whitespace().collect();
    assert_eq!(heads.join(" "), "completion below read I/Os share sum", "{text}");
    let rows: Vec<Vec<&str>> =
        table.map(|line| line.split("  ").map(str::trim).filter(|it| !it.is_empty()).collect()).collect();
    let rows: Vec<&Vec<&str>> =
        rows.iter().take_while(|row| row.len() == 4 && row[3].ends_with(" %")).collect();
    let ios: u64 = rows.iter().map(|row| row[1].replace(',', "").parse::<u64>().unwrap()).sum();
    let all: u64 =
        run.jobs.iter().map(|job| job.totals.directions.iter().map(|(_, flow)| flow.ios).sum::<u64>()).sum();
    assert!(rows.len() > 1 && ios == all && rows.last().unwrap()[3] == "100.0 %", "{ios} {all} {rows:?}");
    let page = fathom_report::html::page(&run);
    assert!(
        page.contains("I/Os by latency")
            && rows.iter().all(|row| page.contains(&format!("<td>{}</td>", row[1])))
    );
}
