//! Which clones share a row, as fio 3.33 decides it, and what a row adds up to.

use crate::synthetic::Recipe;
use fathom_figures::rows;

fn row_sizes(jobs: &str) -> Vec<(String, usize)> {
    let run = Recipe::new(jobs).run();
    rows(&run).iter().map(|row| (row.first().name.clone(), row.members.len())).collect()
}

fn sizes(expected: &[(&str, usize)]) -> Vec<(String, usize)> {
    expected.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect()
}

#[test]
fn a_job_joins_the_row_before_it_in_the_same_group() {
    let null = "[global]\nioengine=null\nsize=1m\n";
    let cases: [(&str, &[(&str, usize)]); 4] = [
        ("[a]\nnumjobs=3\n", &[("a", 1), ("a", 1), ("a", 1)]),
        ("[a]\nnumjobs=3\ngroup_reporting\n[b]\ngroup_reporting\n", &[("a", 4)]),
        (
            "[a]\ngroup_reporting\n[b]\nnew_group\ngroup_reporting\n[c]\nstonewall\ngroup_reporting\n",
            &[("a", 1), ("b", 1), ("c", 1)],
        ),
        // Only the later of the two needs to ask for it.
        ("[a]\n[b]\ngroup_reporting\n[c]\n", &[("a", 2), ("c", 1)]),
    ];
    for (jobs, expected) in cases {
        assert_eq!(row_sizes(&format!("{null}{jobs}")), sizes(expected), "{jobs}");
    }
}

#[test]
fn a_row_lasts_as_long_as_its_longest_clone() {
    let mut recipe = Recipe::new("[a]\nioengine=null\nsize=1m\nnumjobs=2\ngroup_reporting\n");
    recipe.end = |outcome| {
        if outcome.job == 1 {
            let (from, to) = outcome.measured_ns.unwrap();
            outcome.measured_ns = Some((from, to - 2_000_000_000));
        }
    };
    let run = recipe.run();
    let row = &rows(&run)[0];
    assert_eq!((row.runtime_ns(), row.worker_ns()), (12_000_000_000, 22_000_000_000));
    let read = row.flow(fathom_job::direction::Direction::Read);
    assert_eq!(read.iops(), read.totals.ios as f64 / 12.0);
}

#[test]
fn a_row_of_jobs_of_different_length_says_so() {
    const TWO: &str =
        "[a]\nioengine=null\nsize=1m\ngroup_reporting\n[b]\nioengine=null\nsize=1m\ngroup_reporting\n";
    let told = |recipe: Recipe| {
        let run = recipe.run();
        fathom_report::terminal::details(&run, fathom_report::terminal::Style::PLAIN).to_string()
    };
    let even = told(Recipe::new(TWO));
    assert!(even.contains("in flight on average") && !even.contains("workers measured"), "{even}");
    let mut recipe = Recipe::new(TWO);
    recipe.end = |outcome| {
        if outcome.job == 1 {
            let (from, to) = outcome.measured_ns.unwrap();
            outcome.measured_ns = Some((from, to - 8_000_000_000));
        }
    };
    let uneven = told(recipe);
    assert!(uneven.contains("1 of 2 workers measured for only 4 s; while all measured: "), "{uneven}");
    assert!(uneven.contains("in flight while all measured"), "{uneven}");
}

#[test]
fn clones_that_measure_at_different_times_have_no_interval() {
    let recipe = |late: bool| {
        let mut recipe = Recipe::new("[a]\nioengine=null\nsize=1m\nnumjobs=2\ngroup_reporting\n");
        recipe.end = match late {
            false => |_| (),
            true => |outcome| {
                if let Some((from, to)) = &mut outcome.measured_ns
                    && outcome.job == 1
                {
                    (*from, *to) = (*from + 5_000_000_000, *to + 5_000_000_000);
                }
            },
        };
        recipe.run()
    };
    let has_interval = |run: &fathom_results::RunResult| {
        rows(run)[0].flow(fathom_job::direction::Direction::Read).iops_estimate().is_some()
    };
    let late = recipe(true);
    assert_eq!((has_interval(&recipe(false)), has_interval(&late)), (true, false));
    let text = fathom_report::terminal::details(&late, fathom_report::terminal::Style::PLAIN).to_string();
    assert!(text.contains("the workers measured at different times"), "{text}");
}

#[test]
fn windows_of_a_group_are_added_not_their_extremes() {
    let run = Recipe::new("[a]\nioengine=null\nsize=1m\nnumjobs=4\ngroup_reporting\n").run();
    let rows = rows(&run);
    let spread = rows[0].flow(fathom_job::direction::Direction::Read).iops_spread();
    let sum_of_minima: f64 =
        run.jobs.iter().map(|job| job.series.iter().skip(1).map(|p| p.ios.read).min().unwrap() as f64).sum();
    assert_eq!(spread.samples, 12);
    assert!(spread.min > sum_of_minima, "{} {sum_of_minima}", spread.min);
}

#[test]
fn details_say_what_each_job_of_a_group_does() {
    let text = "[global]\nioengine=null\nsize=1m\ngroup_reporting\n[pages]\nrw=randread\nbs=8k\nnumjobs=2\n\
                [wal]\nrw=write\nbs=4k\n";
    let run = Recipe::new(text).run();
    let text = fathom_report::terminal::details(&run, fathom_report::terminal::Style::PLAIN).to_string();
    for words in [
        "\npages ×2  8 KiB random read · null · depth 1 · 2 workers\n\
         wal  4 KiB sequential write · null · depth 1 · 1 worker\n",
        "1 asked × 2 workers + 1 asked",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
}
