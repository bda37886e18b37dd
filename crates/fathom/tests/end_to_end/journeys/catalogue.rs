//! The catalogue of metrics: each metric is in every output that its entry names. So the worked example of CONTRIBUTING.md,
//! "A percentile", is one file: this test finds an output that has a list of its own.

use crate::support::{fathom, json, must};
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
