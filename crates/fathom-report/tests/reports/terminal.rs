//! The summary that people read.

use crate::synthetic::{Recipe, disk, fixture};
use fathom_report::terminal::{Style, details, summary};
use fathom_results::{Event, Taint, Verdict};

#[test]
fn snapshot_of_a_whole_run() {
    let mut recipe = Recipe::new(&fixture("loop-mix.fio"));
    recipe.edit = |record| {
        record.disks.push(disk("loop7", 24_012, 12_000));
        record.taints.push(Taint {
            code: "loop-device".into(),
            message: "the target is a loop device: its backing filesystem is measured too".into(),
            evidence: "/dev/loop7 is backed by /tmp/fixture.img".into(),
        });
        record.verdict = Some(Verdict {
            headline: "2,000 random reads a second, limited by the device".into(),
            limits: vec!["workers were idle 80 % of the time".into()],
            distrust: vec![],
        });
    };
    let mut run = recipe.run();
    run.events.push(Event {
        at_ns: 2_000_000_000,
        job: None,
        kind: "engine-fallback".into(),
        text: "registered buffers were refused".into(),
    });
    insta::assert_snapshot!(details(&run, Style::PLAIN));
    insta::assert_snapshot!("a_judged_run_at_a_glance", summary(&run, Style::PLAIN));
}

#[test]
fn snapshot_of_a_group_on_a_narrow_terminal() {
    let run = Recipe::new(&fixture("group-null.fio")).run();
    let text = summary(&run, Style { colour: false, width: 72 });
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
    let mut bare = coloured.clone();
    while let Some(start) = bare.find('\x1b') {
        let end = start + bare[start..].find('m').unwrap();
        bare.replace_range(start..=end, "");
    }
    assert!(coloured != plain && bare == plain);
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
