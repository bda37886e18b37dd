//! The page: well formed, self-contained, small, and complete.

use crate::synthetic::{Recipe, disk, fallen, fixture, writes};
use fathom_job::direction::Direction;
use fathom_report::html::page;
use fathom_report::terminal::{Style, details};
use fathom_results::answer::Measured;
use fathom_results::finding::FewIos;
use fathom_results::{
    Answer, Event, EventKind, Evidence, Fact, FailedJobs, Finding, Instead, JobFailure, Reason, Trust,
    TrustLevel, Weight, Why,
};

/// Elements that have no end tag.
const VOID: [&str; 2] = ["meta", "br"];

/// Checks that tags nest, attributes are quoted and no bare `<` or `&` is left.
pub fn well_formed(html: &str) {
    let mut open: Vec<&str> = Vec::new();
    let html = &unscripted(html);
    let mut rest = html.strip_prefix("<!DOCTYPE html>").expect("a doctype");
    while let Some(at) = rest.find('<') {
        let text = &rest[..at];
        if open.last() != Some(&"style") {
            assert!(!text.contains('>'), "stray > in {text:?}");
            let entities = text.split('&').skip(1);
            entities.for_each(|e| assert!(e.find(';').is_some_and(|end| end < 7), "bare & before {e:?}"));
        }
        let end = at + rest[at..].find('>').expect("every < has its >");
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "nesting");
            continue;
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "quotes in <{tag}>");
        let name = tag.split([' ', '\n']).next().unwrap();
        if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
        }
    }
    assert_eq!(open, Vec::<&str>::new(), "elements left open");
}

/// The page without its own script, which is text for another reader.
pub fn unscripted(html: &str) -> String {
    let (before, rest) = html.split_once("<script>\"use strict\"").expect("the page's script");
    let (script, after) = rest.split_once("</script>").expect("its end");
    assert!(!script.contains("fetch(") && !script.contains("eval(") && !script.contains("innerHTML"));
    before.to_owned() + after
}

fn mixed() -> Recipe {
    let mut recipe = Recipe::new(&fixture("loop-mix.fio"));
    recipe.edit = |record| record.disks.push(disk("loop7", 24_012, 12_000));
    recipe
}

#[test]
fn the_page_is_well_formed_and_fetches_nothing() {
    let html = page(&mixed().run());
    well_formed(&html);
    for word in ["http:", "https:", "src=", "@import", "url(", "<link"] {
        assert!(!html.contains(word), "{word}");
    }
    assert_eq!(html.matches("<script>").count(), 1);
    assert!(html.contains("<h2>mix</h2>") && html.contains("<h2>trim</h2>"));
    let mut titles: Vec<&str> = texts(&html, "<text class=\"title\"");
    titles.sort_unstable();
    let expected = [
        "CPU time per I/O, µs",
        "IOPS",
        "IOPS over time",
        "IOPS over time",
        "Latency",
        "Latency by percentile",
        "Latency by percentile",
        "Latency histogram",
        "Latency histogram",
        "Latency over time, read",
        "Latency over time, trim",
        "Latency over time, write",
        "Percentiles over time, read",
        "Percentiles over time, trim",
        "Percentiles over time, write",
    ];
    assert_eq!(titles, expected, "no chart twice, and no bar that is always 100 %");
    assert!(html.contains("An &lt;Honest&gt; CPU") && !html.contains("target.link"), "unknowns are left out");
}

/// T-28: bars for the classes of each direction, which add up to all of its I/Os. T-26: the maximum is a multiple.
#[test]
fn the_latency_histogram_is_drawn_and_the_maximum_is_a_multiple_of_the_mean() {
    let html = page(&mixed().run());
    let drawn = html.split("aria-label=\"Latency histogram.").nth(1).expect("it is drawn");
    let drawn = drawn.split("</svg>\n</svg>").next().unwrap_or(drawn);
    for direction in ["read", "write"] {
        let begin = format!("<rect class=\"bar {direction}\"");
        let bars = drawn.split(&begin).skip(1);
        let told = bars.map(|bar| bar.split(": ").nth(1).unwrap().split(" %").next().unwrap());
        let shares: Vec<f64> = told.map(|share| share.trim_start_matches("&lt;").parse().unwrap()).collect();
        let total: f64 = shares.iter().sum();
        assert!(shares.len() > 1 && (total - 100.0).abs() < 0.3, "{direction}: {shares:?}");
    }
    assert!(html.contains("× mean</small>"));
}

/// The texts of all elements that begin like this.
fn texts<'a>(html: &'a str, tag: &str) -> Vec<&'a str> {
    let inner = |rest: &'a str| rest.split_once('>').unwrap().1.split('<').next().unwrap();
    html.split(tag).skip(1).map(inner).collect()
}

/// When, after how many bytes, from what, and to what; the means of the table are those of two rates, and the chart marks it.
#[test]
fn a_rate_that_fell_is_in_the_table_and_in_the_chart() {
    let html = page(&fallen());
    well_formed(&html);
    for said in [
        "<small>fell at second 12 from 3,001 IOPS and 3,147 MB/s, after 37.8 GB; 401 IOPS and 420 MB/s lasted</small>",
        "or that the rate fell meanwhile: then IOPS and MB/s are means of two rates",
        "the rate fell at second 12 of the measurement",
        ">420 lasted<",
        "a drive that is not in steady state will not keep a rate of writes",
    ] {
        assert!(html.contains(said), "{said}: {html}");
    }
    let steady = page(&writes(&[400; 20]));
    assert!(!steady.contains("fell at") && !steady.contains("rate fell"), "{steady}");
}

#[test]
fn markup_in_names_stays_text() {
    let mut run = Recipe::new("[x]\nioengine=null\nsize=1m\n").run();
    run.jobs[0].planned.name = "<img src=x onerror=alert(1)>&\"'".into();
    run.record.name = "</title><script>".into();
    let html = page(&run);
    well_formed(&html);
    let html = unscripted(&html);
    assert!(!html.contains("<img") && !html.contains("<script"), "{html}");
}

#[test]
fn long_and_many_stay_small() {
    let jobs: String = (0..60).map(|n| format!("[job{n}]\nioengine=null\nsize=1m\nrw=randrw\n")).collect();
    let mut recipe = Recipe::new(&jobs);
    recipe.seconds = (2, 700);
    recipe.rate = 20;
    let html = page(&recipe.run());
    well_formed(&html);
    assert!(html.len() < 500_000, "{} bytes", html.len());
    assert!((0..60).all(|n| html.contains(&format!(">job{n}<"))));
    assert!(html.contains("are left out to keep this page small"));
}

#[test]
fn a_run_cut_short_or_empty_still_makes_a_page() {
    let mut recipe = mixed();
    recipe.seconds = (1, 0);
    recipe.edit = |record| record.finish = None;
    let html = page(&recipe.run());
    well_formed(&html);
    assert!(html.contains("incomplete</span>") && html.contains("no I/O in the measured window"));
}

#[test]
fn a_table_has_one_unit_of_latency() {
    let mut run = mixed().run();
    let mut slow = fathom_stats::Moments::new();
    let mut histogram = fathom_stats::Histogram::new();
    slow.record_n(50_790_000, 1_000);
    histogram.record_n(50_790_000, 1_000);
    let read = &mut run.jobs[0].totals.directions.read;
    read.completion = fathom_results::Latency { moments: slow, histogram: Some(histogram) };
    let html = page(&run);
    well_formed(&html);
    let from = html.find("<h2>Results</h2>").unwrap();
    let table = &html[from..from + html[from..].find("</table>").unwrap()];
    assert!(table.contains("p99<small>µs</small>") && table.contains("<td>50,790</td>"), "{table}");
    let cells = table.split("<td>").skip(1).map(|cell| cell.split('<').next().unwrap());
    cells.for_each(|cell| assert!(!cell.ends_with(" µs") && !cell.ends_with(" ms"), "{cell}"));
}

#[test]
fn without_a_verdict_the_headline_is_the_main_figures() {
    let five: String = (0..5).map(|n| format!("[j{n}]\nioengine=null\nsize=1m\n")).collect();
    let html = page(&Recipe::new(&five).run());
    assert_eq!(
        texts(&html, "<h2")[0],
        "j0: 1,975 IOPS, 8.09 MB/s, p99 116 µs; j1: 1,957 IOPS, 8.02 MB/s, p99 116 µs; \
         j2: 2,022 IOPS, 8.28 MB/s, p99 116 µs; and 2 more."
    );
    assert!(!html.contains("ran to the end"));
}

#[test]
fn a_mix_is_one_bar_with_its_sum_and_two_lines_of_latency() {
    let run = Recipe::new("[mix]\nioengine=null\nsize=1m\nrw=randrw\n").run();
    let html = page(&run);
    let overview = html.split("class=\"overview\"").nth(1).unwrap().split("</figure>").next().unwrap();
    assert_eq!(
        (overview.matches("bar mixed part0").count(), overview.matches("class=\"spread\"").count()),
        (1, 2)
    );
    let totals = &run.jobs[0].totals.directions;
    let sum = (totals.read.ios + totals.write.ios) as f64 / 12.0;
    assert!(
        overview.contains(&format!(">{},{:03}</text>", sum.round() as u64 / 1000, sum.round() as u64 % 1000)),
        "{sum}: {overview}"
    );
}

/// The values of the lines of the results, the names of their columns first.
pub fn csv(html: &str) -> Vec<Vec<&str>> {
    let lines = html.split(" data-csv=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    lines.map(|line| line.split('\t').collect()).collect()
}

#[test]
fn a_copy_has_each_value_in_its_own_column_with_the_digits_of_the_page() {
    let job = "[x]\nioengine=io_uring\nfilename=/dev/loop7\nrw=randrw\nrwmixread=70\niodepth=8\nnumjobs=2\ngroup_reporting\n";
    let html = page(&Recipe::new(job).run());
    well_formed(&html);
    let lines = csv(&html);
    assert!(lines.len() == 3 && lines.iter().all(|line| line.len() == lines[0].len()), "{lines:?}");
    let column =
        |name: &str| lines[0].iter().position(|head| *head == name).unwrap_or_else(|| panic!("{name}"));
    let of = |line: usize, name: &str| lines[line][column(name)];
    for (at, direction) in [(1, "read"), (2, "write")] {
        assert_eq!((of(at, "direction"), of(at, "block size")), (direction, "4 KiB"));
        assert_eq!(of(at, "pattern"), "random mix of 70 % read, 30 % write");
        assert_eq!((of(at, "depth asked of each worker"), of(at, "workers")), ("8", "2"));
        let [low, rate, high] = ["IOPS, 95 % low", "IOPS", "IOPS, 95 % high"].map(|name| of(at, name));
        let numbers = [low, rate, high].map(|text| text.parse::<f64>().unwrap());
        assert!(numbers[0] < numbers[1] && numbers[1] < numbers[2], "{numbers:?}");
        let printed = format!(">{},{}<", &rate[..rate.len() - 3], &rate[rate.len() - 3..]);
        assert!(html.contains(&printed), "{printed}");
        for name in ["MB/s", "MiB/s", "p99, µs"] {
            assert!(html.contains(&format!(">{}<", of(at, name))), "{name} {}", of(at, name));
        }
    }
    // The line of the writes says too what was done.
    assert_eq!(
        html.split("<h2>Results")
            .nth(1)
            .unwrap()
            .split("</table>")
            .next()
            .unwrap()
            .matches("depth 8")
            .count(),
        2
    );
}

#[test]
fn a_job_that_was_too_short_has_no_bar() {
    let mut recipe = Recipe::new("[long]\nioengine=null\nsize=1m\n[short]\nioengine=null\nsize=1m\n");
    recipe.end = |outcome| {
        if outcome.job == 1 {
            let from = outcome.measured_ns.unwrap().0;
            outcome.measured_ns = Some((from, from + 50_000_000));
        }
    };
    let html = page(&recipe.run());
    well_formed(&html);
    let overview = html.split("class=\"overview\"").nth(1).unwrap().split("</figure>").next().unwrap();
    let panels: Vec<&str> = overview.split("<svg").skip(1).collect();
    assert!(panels.iter().all(|panel| panel.contains(">long<")), "{overview}");
    let with_short: Vec<&str> = panels
        .iter()
        .filter(|panel| panel.contains(">short<"))
        .flat_map(|panel| texts(panel, "<text class=\"title\""))
        .collect();
    assert_eq!(with_short, ["Latency"]);
    assert!(csv(&html)[2][1] == "too short" && html.contains("too short<small>"));
}

#[test]
fn a_failed_job_and_the_preparation_are_no_results() {
    let mut recipe = Recipe::new(
        "[fill]\nioengine=null\nsize=1m\nrw=write\n[seq]\nstonewall\nioengine=null\nsize=1m\n[bad]\nstonewall\nioengine=null\nsize=1m\n",
    );
    recipe.edit = |record| record.procedure = Some("quick".into());
    recipe.shape = |_, window| {
        if window.job == 2 {
            window.directions.clear();
        }
    };
    recipe.end = |outcome| {
        if outcome.job == 2 {
            outcome.failure =
                Some(JobFailure { errno: 5, message: "no".into(), direction: None, offset: None });
        }
    };
    let html = page(&recipe.run());
    well_formed(&html);
    assert!(html.contains("<span class=\"badge bad\">failed</span>"), "{html}");
    let (before, after) = html.split_once("<h2>Preparation</h2>").unwrap();
    assert!(before.contains(">failed</td>") && !before.contains("no I/O in the measured window"));
    assert!(!before.contains(">fill<") && after.contains("<b>fill</b>"));
}

#[test]
fn conditions_are_visible_and_a_rate_is_told() {
    let mut recipe =
        Recipe::new("[x]\nioengine=libaio\ndirect=1\nfilename=/dev/loop7\nrw=randread\nrate_iops=2000\n");
    recipe.edit = |record| {
        for (name, value) in [("kernel", "6.12.8"), ("target./dev/loop7.scheduler", "mq-deadline")] {
            record.host.push(Fact { name: name.into(), value: Some(value.into()), source: "sysfs".into() });
        }
    };
    let html = page(&recipe.run());
    let conditions = html.split("<h2>Conditions</h2>").nth(1).unwrap().split("</section>").next().unwrap();
    for value in
        ["6.12.8", "mq-deadline", "libaio", "bypassed (direct)", "32 MiB", "not by fathom in this run"]
    {
        assert!(conditions.contains(&format!("<td>{value}</td>")), "{value}: {conditions}");
    }
    assert!(html.contains("1 worker · asked: 2,000 IOPS<"), "{html}");
}

#[test]
fn latency_leads_where_it_was_asked_for() {
    let first = |job: &str| {
        let html = page(&Recipe::new(job).run());
        let article = html.split("<article>").nth(1).unwrap();
        texts(article, "<text class=\"title\"")[0].to_owned()
    };
    let job = "[x]\nioengine=libaio\ndirect=1\nfilename=/dev/loop7\nrw=randread\n";
    for (options, title) in [
        ("iodepth=1\n", "Latency by percentile"),
        ("iodepth=8\n", "IOPS over time"),
        ("iodepth=8\nrate_iops=500\n", "Latency by percentile"),
        ("iodepth=8\nlatency_target=1ms\nlatency_window=1s\n", "Latency by percentile"),
        ("iodepth=1\nbs=1m\n", "Bandwidth over time"),
    ] {
        assert_eq!(first(&format!("{job}{options}")), title, "{options}");
    }
}

#[test]
fn iops_and_bandwidth_are_both_drawn_where_sizes_differ() {
    let html = page(&Recipe::new("[x]\nioengine=null\nsize=1m\nrw=read\nbsrange=4k-64k\n").run());
    let titles = texts(&html, "<text class=\"title\"");
    assert!(titles.contains(&"IOPS over time") && titles.contains(&"Bandwidth over time"), "{titles:?}");
}

#[test]
fn depth_is_drawn_where_it_varied() {
    let mut recipe = Recipe::new("[x]\nioengine=libaio\ndirect=1\nfilename=/dev/loop7\niodepth=8\n");
    assert!(!page(&recipe.run()).contains("I/Os in flight</text>"));
    recipe = Recipe::new("[x]\nioengine=libaio\ndirect=1\nfilename=/dev/loop7\niodepth=8\n");
    recipe.shape = |second, window| {
        window.depth = if second % 2 == 0 { [0, 0, 9, 0, 0, 0, 0] } else { [9, 0, 0, 0, 0, 0, 0] }
    };
    assert!(page(&recipe.run()).contains("I/Os in flight</text>"));
}

#[test]
fn the_title_names_device_size_and_host() {
    let mut recipe = Recipe::new("[x]\nioengine=libaio\nfilename=/dev/loop7\n");
    recipe.edit = |record| {
        let fact = |name: &str, value: &str| Fact {
            name: name.into(),
            value: Some(value.into()),
            source: "sysfs".into(),
        };
        record.host.push(fact("hostname", "web01"));
        record.host.push(fact("target./dev/loop7.model", "SAMSUNG MZ  "));
        record.host.push(fact("target./dev/loop7.size_bytes", "480103981056"));
    };
    let html = page(&recipe.run());
    assert!(html.contains("<title>SAMSUNG MZ, 480 GB on web01 · fathom</title>"), "{html}");
    assert!(html.contains("<h1>SAMSUNG MZ, 480 GB</h1>\n<p class=\"host\">on web01</p>"));
}

#[test]
fn what_was_measured_instead_of_the_disk_is_the_headline() {
    let mut recipe = mixed();
    recipe.edit = |record| {
        record.answer = Some(Answer {
            instead: Some(Instead {
                failed: Some(FailedJobs { are_workers: false, failed: 1, of: 1, first: "no space".into() }),
                ..Instead::default()
            }),
            measured: Measured::NoDevice { engine: Some("null".to_owned()) },
            result: crate::synthetic::rate(900_000.0),
            trust: Trust {
                level: TrustLevel::Low,
                reasons: vec![Reason::new(Why::JobFailed, TrustLevel::Low)],
                shortest_s: None,
            },
            ..Answer::default()
        });
    };
    let html = page(&recipe.run());
    well_formed(&html);
    let verdict =
        html.split("<section class=\"verdict bad\">").nth(1).unwrap().split("</section>").next().unwrap();
    assert!(verdict.contains("<h2>The job failed: no space.</h2>"), "{verdict}");
    assert!(
        verdict.contains("<p><b>Trust:</b> Low: the figures cover the time before the failure.</p>"),
        "{verdict}"
    );
    assert!(
        verdict.contains(
            "<p><b>Measured:</b> No device: the engine null has none; wrote 98.9 MB to /dev/loop7.</p>"
        ),
        "{verdict}"
    );
    assert!(html.contains("<title>No device: the engine null has none · fathom</title>"));
}

#[test]
fn a_finding_is_told_where_its_job_is() {
    let mut recipe = mixed();
    recipe.edit = |record| {
        let few = |job: &str, ios| FewIos { job: job.into(), direction: Direction::Read, ios };
        let evidence = Evidence::FewSamples { jobs: vec![few("mix", 900), few("trim", 80)] };
        record.findings.push(Finding { evidence, weight: Weight::Aside, jobs: None });
    };
    let html = page(&recipe.run());
    let care = texts(&html, "<ul class=\"care\"><li");
    let told = |job: &str| format!("too few I/Os for a reliable p99.9 ({job} reads, no I/O was slower)");
    assert_eq!(care, [told("mix: 900"), told("trim: 80")]);
}

#[test]
fn a_standstill_and_an_event_are_marked() {
    let mut recipe = mixed();
    recipe.shape = |second, window| {
        if (5..8).contains(&second) {
            window.directions.clear();
        }
    };
    let mut run = recipe.run();
    run.events.push(Event {
        at_ns: 6_000_000_000,
        job: Some(0),
        kind: EventKind::Stall,
        text: "no <answer>".into(),
    });
    run.events.push(Event {
        at_ns: 6_000_000_000,
        job: Some(1),
        kind: EventKind::Stall,
        text: "of another job".into(),
    });
    let html = page(&run);
    well_formed(&html);
    let chart = html.split("<article>").nth(1).unwrap().split("</figure>").next().unwrap();
    assert!(
        chart.contains("<title>no I/O</title>") && chart.contains("+6 s no &lt;answer&gt;</title>"),
        "{chart}"
    );
    assert!(chart.contains("<title>ramp: not counted</title>") && !chart.contains("another job"), "{chart}");
}

#[test]
fn a_narrow_page_scrolls_its_tables_and_nothing_else() {
    let html = page(&mixed().run());
    let tables = || html.split("<table class=\"results");
    for table in tables().skip(1).zip(tables()) {
        assert!(
            table.1.trim_end().ends_with("<div class=\"wide\" tabindex=\"0\">"),
            "a table without its container"
        );
    }
    assert!(html.contains(".wide { overflow-x: auto;"));
    // A column's least width must give way to a narrower window.
    assert!(!html.contains("minmax(420px") && !html.contains("minmax(360px"));
}

#[test]
fn a_busy_disk_is_not_called_saturated() {
    let run = mixed().run();
    let html = page(&run);
    let disks = html
        .split("<summary>Disks, as the kernel counted</summary>")
        .nth(1)
        .unwrap()
        .split("</details>")
        .next();
    let disks = disks.unwrap();
    assert!(disks.contains("<td rowspan=\"3\">90.0 %</td>"), "busy: {disks}");
    assert!(disks.contains("100 % does not mean saturated"), "{disks}");
    // The average in the device has no such limit: it comes first here, and alone on a terminal.
    assert!(disks.find("in device").unwrap() < disks.find("busy").unwrap());
    let text = details(&run, Style { width: 300, ..Style::PLAIN });
    assert!(text.contains(" in the device on average") && !text.contains("busy"), "{text}");
}

#[test]
fn the_title_of_a_page_is_the_one_that_was_given() {
    let mut run = Recipe::new(&fixture("loop-mix.fio")).run();
    run.title = Some("Disk <9>".to_owned());
    let html = page(&run);
    assert!(
        html.contains("<title>Disk &lt;9&gt; · fathom</title>") && html.contains("<h1>Disk &lt;9&gt;</h1>")
    );
}
