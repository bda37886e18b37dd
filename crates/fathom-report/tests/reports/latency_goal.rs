//! What fio's formats say of `latency_target`, compared with fio 3.33 with the same options
//! (libaio, random reads of 4 KiB).

use crate::synthetic::Recipe;
use fathom_report::{fio_json::fio_json, normal::normal};
use fathom_results::JobOutcome;
use fathom_results::outcome::DEPTH_FOUND;

struct Case {
    options: &'static str,
    end: fn(&mut JobOutcome),
    /// fio's `latency   :` line, and the values of its JSON in the same order.
    line: &'static str,
    json: (u64, u64, f64, u64),
}

fn found(outcome: &mut JobOutcome, depth: &str) {
    outcome.notes.push((DEPTH_FOUND.to_owned(), depth.to_owned()));
}

const CASES: [Case; 6] = [
    Case {
        options: "iodepth=8",
        end: |_| (),
        line: "target=0, window=0, percentile=100.00%, depth=8",
        json: (0, 0, 100.0, 8),
    },
    Case {
        options: "iodepth=8\nlatency_window=300ms\nlatency_percentile=95",
        end: |_| (),
        line: "target=0, window=300000, percentile=95.00%, depth=8",
        json: (0, 300_000, 95.0, 8),
    },
    Case {
        options: "iodepth=8\nlatency_target=1ms\nlatency_window=300ms\nlatency_percentile=95",
        end: |outcome| found(outcome, "none: not even one I/O at a time keeps it"),
        line: "target=1000000, window=300000, percentile=95.00%, depth=1",
        json: (1_000_000, 300_000, 95.0, 1),
    },
    Case {
        options: "iodepth=8\nlatency_target=1500\nlatency_window=100ms",
        end: |outcome| found(outcome, "1"),
        line: "target=1500000, window=100000, percentile=100.00%, depth=1",
        json: (1_500_000, 100_000, 100.0, 1),
    },
    Case {
        options: "iodepth=16\nlatency_target=5ms\nlatency_window=100ms\nlatency_percentile=99.5\nlatency_run=1",
        end: |outcome| found(outcome, "4 when the job ended"),
        line: "target=5000000, window=100000, percentile=99.50%, depth=4",
        json: (5_000_000, 100_000, 99.5, 4),
    },
    // Of clones in one row fio reports the last.
    Case {
        options: "iodepth=4\nlatency_percentile=90\ngroup_reporting\n[b]\nrw=randread\niodepth=16\n\
                  latency_percentile=80\ngroup_reporting",
        end: |_| (),
        line: "target=0, window=0, percentile=80.00%, depth=16",
        json: (0, 0, 80.0, 16),
    },
];

#[test]
fn the_goal_is_told_as_fio_tells_it() {
    for Case { options, end, line, json } in CASES {
        let head = "[global]\nioengine=libaio\ndirect=1\nbs=4k\nsize=4m\nfilename=/dev/loop7\n";
        let mut recipe = Recipe::new(&format!("{head}[a]\nrw=randread\n{options}\n"));
        (recipe.seconds, recipe.rate, recipe.end) = ((0, 1), 100, end);
        let run = recipe.run();
        let text = normal(&run);
        assert!(text.contains(&format!("     latency   : {line}\n")), "{options}\n{text}");
        let job = &fio_json(&run, false)["jobs"][0];
        let whole = |key: &str| job[key].as_u64().unwrap_or_else(|| panic!("{key}: {}", job[key]));
        let told = (whole("latency_target"), whole("latency_window"), whole("latency_depth"));
        assert_eq!(told, (json.0, json.1, json.3), "{options}");
        assert_eq!(job["latency_percentile"].as_f64(), Some(json.2), "{options}");
    }
}
