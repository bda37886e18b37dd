//! The catalogue of metrics: each metric is in every output that its entry names. So the worked example of CONTRIBUTING.md,
//! "A percentile", is one file: this test finds an output that has a list of its own.

use crate::support::{fathom, json, must, text, unwrapped};
use fathom_figures::metric::{Metric, Output, of_output};
use std::path::Path;

/// Millions of I/Os, so that each percentile has enough of them.
const JOB: &str = "[j]\nioengine=null\nrw=randread\nbs=4k\nsize=1g\ntime_based\nruntime=1s\n";

/// What a command prints on a terminal that is wide enough for all columns.
fn printed(dir: &Path, words: &str) -> String {
    must(fathom(dir).env("COLUMNS", "240").args(words.split(' ')))
}

/// The metrics of an output that this text does not have, by what it calls them.
fn missing(output: Output, text: &str, name: impl Fn(&Metric) -> String) -> Vec<&'static str> {
    of_output(output).filter(|metric| !text.contains(&name(metric))).map(|metric| metric.id).collect()
}

#[test]
fn a_metric_is_in_every_output_that_its_entry_names() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    std::fs::write(dir.join("j.fio"), JOB).unwrap();
    for run in ["one", "two"] {
        printed(dir, &format!("run -q --no-calibrate --output-dir {run} j.fio"));
    }
    printed(dir, "run -q --no-calibrate --repeat 2 --output-dir rounds j.fio");
    std::fs::write(dir.join("r.json"), printed(dir, "report one --output-format json")).unwrap();
    let column = |metric: &Metric| format!("  {}", metric.title);
    let heading = |metric: &Metric| format!("<th scope=\"col\">{}", metric.title);
    let words = |metric: &Metric| metric.words.to_owned();
    let title_or_words = |text: &str, metric: &Metric| {
        if text.contains(&heading(metric)) { heading(metric) } else { format!(">{}<", metric.words) }
    };
    for (output, form, name) in [
        (Output::Screen, "report one", &column as &dyn Fn(&Metric) -> String),
        (Output::Screen, "report rounds", &column),
        (Output::Details, "report one --details", &column),
        (Output::Rounds, "report rounds --output-format html", &heading),
        (Output::Rounds, "sweep j.fio --vary bs=4k,8k --order as-written", &column),
        (Output::Comparison, "compare one two --details", &words),
        (Output::Import, "import r.json", &column),
    ] {
        let text = printed(dir, form);
        let mut missing = missing(output, &text, name);
        // Of one block size, IOPS and bandwidth are the same ratio, and a comparison has one of them.
        missing.retain(|id| output != Output::Comparison || *id != "bandwidth");
        assert_eq!(missing, [""; 0], "{form}:\n{text}");
    }
    for (output, form) in [
        (Output::Page, "report one --output-format html"),
        (Output::Import, "import r.json --output-format html"),
    ] {
        let text = printed(dir, form);
        assert_eq!(missing(output, &text, |metric| title_or_words(&text, metric)), [""; 0], "{form}");
    }
    let page = printed(dir, "report one --output-format html");
    let copied = |metric: &Metric| {
        if metric.is_latency() { format!("{}, ", metric.title) } else { metric.title.to_owned() }
    };
    let (_, copy) = page.split_once("data-csv=\"").unwrap();
    let (copy, _) = copy.split_once('"').unwrap();
    assert_eq!(missing(Output::Page, copy, copied), [""; 0], "{copy}");
    let table = printed(dir, "report one --output-format csv");
    assert_eq!(missing(Output::Document, &table, |metric| format!(",{},", metric.id)), [""; 0], "{table}");
    let document = json(&printed(dir, "report one --json"));
    let figures = document["figures"].as_array().unwrap();
    let has = |metric: &&Metric| figures.iter().any(|figure| figure["metric"] == metric.id);
    assert!(of_output(Output::Document).all(|metric| has(&metric)), "{document}");
}

/// The words of the line that has the headings of a table.
fn headings(text: &str, first: &str) -> Vec<String> {
    let line = text.lines().find(|line| line.split_whitespace().any(|word| word == first));
    line.unwrap_or_default()
        .split("  ")
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_person_chooses_columns_and_percentiles() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    let job = "[j]\nioengine=oracle\noracle_clock=virtual\noracle_latency=constant:150us\nrw=randread\nbs=4k\nsize=64m\n\
               norandommap=1\nnumber_ios=5000\n";
    std::fs::write(dir.join("j.fio"), job).unwrap();
    let run = printed(dir, "run -q --columns IOPS,p99,latency_max --output-dir one j.fio");
    assert_eq!(headings(&run, "IOPS")[1..], ["IOPS", "p99 µs", "max µs"], "{run}");
    let chosen = printed(dir, "report one --percentiles 90,99.5,99.99");
    assert_eq!(
        headings(&chosen, "IOPS")[1..],
        ["IOPS", "MB/s", "mean µs", "p90 µs", "p99.5 µs", "p99.99 µs", "max µs"],
        "{chosen}"
    );
    assert!(chosen.contains("too few"), "5,000 I/Os have no p99.99: {chosen}");
    let details = printed(dir, "report one --details --percentiles 99.99");
    assert!(
        details.contains("p99.99") && !details.contains("  p90") && details.contains("too few"),
        "{details}"
    );
    let table = printed(dir, "report one --output-format csv --columns iops,mean --percentiles 99.5");
    let metrics: Vec<&str> = table.lines().skip(1).filter_map(|line| line.split(',').nth(7)).collect();
    assert_eq!(metrics[..3], ["iops", "latency_mean", "latency_p99.5"], "{table}");
    assert!(!table.contains("bandwidth") && !table.contains("runtime"), "{table}");
    let page = printed(dir, "report one --output-format html --columns p99.5");
    assert!(page.contains("<th scope=\"col\">p99.5") && !page.contains("<th scope=\"col\">MB/s"));
    let rounds = printed(dir, "run -q --repeat 2 --percentiles 99,99.5 --output-dir rounds j.fio");
    let all = rounds.lines().find(|line| line.starts_with("  all ")).unwrap_or_default();
    let cells: Vec<&str> = all.split_whitespace().collect();
    assert!(rounds.contains("p99.5 µs") && cells.ends_with(&["150", "150", "150", "150"]), "{rounds}");
    let sweep = "sweep j.fio --vary bs=4k,8k --order as-written --columns iops,p95 --output-dir swept";
    let swept = printed(dir, sweep);
    assert!(swept.contains("p95 µs") && !swept.contains("p99 µs") && !swept.contains("MB/s"), "{swept}");
    let again = printed(dir, "report swept --columns mean");
    assert!(again.contains("mean µs") && !again.contains("p95 µs"), "{again}");
    printed(dir, "run -q --output-dir two j.fio");
    let compared = printed(dir, "compare one two --columns iops,p90,p99.99");
    assert!(compared.contains("p90 latency") && !compared.contains("mean latency"), "{compared}");
    assert!(compared.contains("fewer than ten of its 5000 I/Os lie beyond it"), "{compared}");
}

/// Rounds keep the percentiles of the catalogue; others are those of their runs, and where these cannot say them, that is said.
#[test]
fn a_percentile_that_rounds_do_not_keep_is_of_their_runs() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    let job = "[j]\nioengine=oracle\noracle_clock=virtual\noracle_latency=constant:150us\nrw=rw\nbs=4k\nsize=64m\n\
               norandommap=1\nnumber_ios=5000\n";
    std::fs::write(dir.join("j.fio"), job).unwrap();
    printed(dir, "run -q --repeat 2 --output-dir rounds j.fio");
    let csv = ["report", "rounds", "--output-format", "csv", "--percentiles", "5,42"];
    let table = must(fathom(dir).args(csv));
    let cells: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let place_of = |name: &str| cells[0].iter().position(|cell| *cell == name).unwrap();
    for line in &cells[1..] {
        let value = |name: &str| line[place_of(name)].parse::<f64>().unwrap();
        assert!((value("latency_p42") / 150e3 - 1.0).abs() < 0.02, "{table}");
        assert!((value("latency_p5") / 150e3 - 1.0).abs() < 0.02, "{table}");
    }
    assert_eq!(cells.len(), 7, "all, reads and writes of two rounds: {table}");
    let round = dir.join("rounds/rounds/0002-repeat");
    std::fs::remove_file(round.join("run.json")).unwrap();
    let output = fathom(dir).args(csv).output().unwrap();
    let said = unwrapped(&output);
    assert!(said.contains("note: round 0002-repeat has no p5, p42 of j: its run cannot be used ("), "{said}");
    assert!(said.contains("it has p50, p90, p95, p99, p99.9, p99.99, p99.999"), "{said}");
    std::fs::write(dir.join("j.fio"), format!("{job}disable_lat=1\ndisable_clat=1\n")).unwrap();
    let output = fathom(dir).args(["run", "-q", "--percentiles", "42", "j.fio"]).output().unwrap();
    let said = unwrapped(&output);
    assert!(said.contains("note: there are no percentiles of j: the job kept no distribution of"), "{said}");
}

#[test]
fn a_column_that_does_not_exist_is_an_error_with_the_nearest() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("j.fio"), JOB).unwrap();
    for (words, said) in [
        (
            "report latest --columns iopps",
            "no column is called \"iopps\"; did you mean iops? There are IOPS, MB/s, ",
        ),
        ("compare a b --percentiles 99,100", "give per cent between 0 and 100, such as 99.9"),
        (
            "sweep j.fio --vary bs=4k,8k --percentiles 99.5",
            "a suite cannot show p99.5, because its rounds do not keep it",
        ),
    ] {
        let output = fathom(place.path()).args(words.split(' ')).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{words}: {}", text(&output));
        assert!(text(&output).contains(said), "{words}: {}", text(&output));
    }
}

/// What a person chooses is in every output of every command that has a choice.
#[test]
fn chosen_percentiles_are_where_they_were_chosen() {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    let simulated = "[s]\nfilename=sim:datacentre/64\nioengine=io_uring\nrw=randread\nbs=4k\nsize=100%\niodepth=8\ntime_based\nruntime=2s\n";
    std::fs::write(dir.join("s.fio"), simulated).unwrap();
    let log: String = (1..=2_000).map(|n| format!("{n}, {}, 0, 4096, 0\n", 1_000 + n)).collect();
    std::fs::write(dir.join("x_clat.1.log"), log).unwrap();
    printed(dir, "run -q s.fio --repeat 2 --output-dir rounds --name rounds");
    printed(dir, "baseline save kept rounds --baselines-dir kept");
    for line in [
        "run -q s.fio --percentiles 90",
        "quick -q sim:datacentre/64 --seconds 1 --percentiles 90",
        "quick -q sim:datacentre/64 --seconds 1 --repeat 2 --percentiles 90",
        "report rounds --percentiles 90",
        "report rounds --percentiles 90 --output-format html",
        "report rounds --percentiles 90 --output-format csv",
        "sweep -q s.fio --vary iodepth=1,2 --percentiles 90",
        "precondition -q sim:datacentre/4096 --passes 1 --percentiles 90",
        "try iodepth=4 -q --rounds 2 --percentiles 90 --details -- s.fio",
        "baseline check kept rounds --baselines-dir kept --percentiles 90 --details",
        "import x_clat.1.log --percentiles 90",
        "import x_clat.1.log --percentiles 90 --output-format html",
        "import x_clat.1.log --percentiles 90 --output-format csv",
        "import x_clat.1.log --percentiles 90 --json",
    ] {
        // A sentence about trust names the percentile that has too few I/Os, and a page has the colours of all.
        let text = printed(dir, line).replace("reliable p99.9", "");
        let other = if line.ends_with("html") { ">p99" } else { "p99" };
        assert!(text.contains("p90") && !text.contains(other), "{line}:\n{text}");
    }
}
