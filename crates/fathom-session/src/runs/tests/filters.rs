//! Which runs a filter shows.

use super::{listed, record, save};
use crate::runs::{RunFilter, RunState, StateFilter, UnreadableState};
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

const START_NS: u64 = 1_795_396_924_000_000_000;

fn some() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let with = |number: u64, changes: Value| {
        let mut record = record(number);
        record.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        save(dir.path(), format!("run-{number}"), &record);
    };
    let facts = json!([
        { "name": "cpu_model", "value": "nvme0n1", "source": "" },
        { "name": "target./mnt/f.disks", "value": "nvme0n1, nvme1n1", "source": "" },
        { "name": "target./mnt/f.model", "value": "ACME P5800X", "source": "" },
        { "name": "target./mnt/f.serial", "value": "S1234", "source": "" },
        { "name": "target./mnt/f.firmware", "value": null, "source": "" },
    ]);
    with(0, json!({ "host": facts, "tags": ["new-fw", "lab"], "note": "after the update" }));
    with(1, json!({ "name": "Nightly", "tags": ["lab"], "finish": null }));
    with(2, json!({ "plan": { "jobs": [{ "engine": "io_uring", "files": [{ "path": "/mnt/f" }] }] } }));
    fs::create_dir(dir.path().join("damaged")).unwrap();
    fs::write(dir.path().join("damaged/run.json"), "{").unwrap();
    dir
}

#[test]
fn each_filter_and_all_of_them() {
    let dir = some();
    let shown = |filter: RunFilter| -> String {
        let runs = listed(dir.path()).runs;
        filter
            .shown(&runs)
            .map(|run| run.directory().to_str().unwrap().trim_start_matches("run-").to_owned() + " ")
            .collect()
    };
    let all = RunFilter::default;
    assert_eq!(shown(all()), "damaged 2 1 0 ");
    let by_device = |text: &str| shown(RunFilter { device: Some(text.to_owned()), ..all() });
    for (text, expected) in [
        ("/dev/nvme0n1", "0 "),
        ("nvme1n1", "0 "),
        ("nvme", ""),
        ("p5800x", "0 "),
        ("S1234", "0 "),
        ("/mnt/f", "2 0 "),
        ("/dev/disk1", "1 "),
        ("/mnt", ""),
        ("", ""),
    ] {
        assert_eq!(by_device(text), expected, "{text}");
    }
    let tags = |tags: &[&str]| RunFilter { tags: tags.iter().map(|tag| tag.to_string()).collect(), ..all() };
    assert_eq!(shown(tags(&["lab"])), "1 0 ");
    assert_eq!(shown(tags(&["lab", "new-fw"])), "0 ");
    assert_eq!(shown(tags(&["la"])), "");
    assert_eq!(shown(RunFilter { name: Some("night".to_owned()), ..all() }), "1 ");
    assert_eq!(shown(RunFilter { since_unix_ns: Some(START_NS + 1), ..all() }), "2 1 ");
    assert_eq!(shown(RunFilter { until_unix_ns: Some(START_NS + 1), ..all() }), "0 ");
    let states = |states: &[StateFilter]| RunFilter { states: states.to_vec(), ..all() };
    assert_eq!(shown(states(&[StateFilter::Is(RunState::Unfinished)])), "1 ");
    assert_eq!(
        shown(states(&[StateFilter::Not(UnreadableState::Damaged), StateFilter::Is(RunState::Complete)])),
        "damaged 2 0 "
    );
    assert_eq!(
        shown(RunFilter {
            tags: vec!["lab".to_owned()],
            ..states(&[StateFilter::Not(UnreadableState::Damaged)])
        }),
        ""
    );
}

#[test]
fn what_is_shown_of_a_run_comes_back_from_the_index() {
    let dir = some();
    let first = listed(dir.path());
    let again = listed(dir.path());
    assert_eq!((first.runs == again.runs, first.records_read, again.records_read), (true, 4, 1));
    let head = again.runs.last().unwrap().head.as_ref().unwrap();
    assert_eq!((head.note.as_deref(), head.tags.len()), (Some("after the update"), 2));
    assert_eq!(head.devices, ["/dev/nvme0n1", "/dev/nvme1n1", "/mnt/f", "ACME P5800X", "S1234"]);
}
