//! What the doctor found is in the reports, the most serious first.

use crate::synthetic::{Recipe, fixture};
use fathom_report::html::page;
use fathom_report::terminal::{Style, details};
use fathom_results::{Fact, FindingWeight, HostFinding, RunResult};

fn finding(check: &str, weight: FindingWeight, says: &str) -> HostFinding {
    let (path, raw) = ("/sys/<x>".to_owned(), "7".to_owned());
    HostFinding {
        check: check.to_owned(),
        subject: "cpu1".to_owned(),
        weight,
        says: says.to_owned(),
        path,
        raw,
    }
}

fn run(edit: fn(&mut RunResult)) -> RunResult {
    let mut run = Recipe::new(&fixture("loop-mix.fio")).run();
    edit(&mut run);
    run
}

fn disturbed(run: &mut RunResult) {
    let known = &mut run.record.self_knowledge;
    known.audit = vec![
        finding("cpu.governor", FindingWeight::Warn, "the governor is powersave"),
        finding("md.sync", FindingWeight::Bad, "a resync is running"),
    ];
    known.disturbances = vec![finding("cpu.throttle", FindingWeight::Bad, "throttled 3 times")];
}

#[test]
fn what_happened_during_the_run_is_first_then_the_worst() {
    let text = details(&run(disturbed), Style::PLAIN);
    let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words} is not in {text}"));
    assert!(at("throttled 3 times, during the run") < at("a resync is running"), "{text}");
    assert!(at("a resync is running") < at("the governor is powersave"), "{text}");
    let page = page(&run(disturbed));
    assert!(page.contains("Findings about the host") && page.contains("/sys/&lt;x&gt;"), "{page}");
}

/// A later reader of the figures must see what the host was set to.
#[test]
fn what_was_tuned_is_told() {
    let tuned = run(|run| {
        run.record.host.push(Fact {
            name: "tune.cpu.cstates".into(),
            value: Some("held at 10".into()),
            source: "/dev/cpu_dma_latency".into(),
        });
    });
    let text = details(&tuned, Style::PLAIN);
    assert!(text.contains("cpu.cstates held at 10"), "{text}");
    assert!(!text.contains("--explain"), "{text}");
}

#[test]
fn a_quiet_host_says_nothing() {
    let quiet = run(|_| {});
    assert!(!details(&quiet, Style::PLAIN).contains("doctor"));
    assert!(!page(&quiet).contains("Findings about the host"));
}

#[test]
fn the_map_is_an_image_that_cannot_act() {
    let mapped = run(|run| run.topology_svg = Some("<svg><script>alert(1)</script></svg>".into()));
    let page = page(&mapped);
    assert!(page.contains("src=\"data:image/svg+xml,%3csvg%3e%3cscript"), "{page}");
    assert!(!crate::html::unscripted(&page).contains("<script"), "{page}");
}
