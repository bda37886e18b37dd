//! The jobs of the topics of `fathom help` are what fathom takes.

use crate::support::{fathom, must, text};
use std::path::Path;

/// The jobs of a topic: from each line with a section to the next empty one.
fn jobs(dir: &Path, topic: &str) -> String {
    let page = must(fathom(dir).args(["help", topic]));
    let mut is_job = false;
    let lines = page.lines().filter(|line| {
        is_job = line.starts_with("  [") || is_job && !line.is_empty();
        is_job
    });
    lines.map(|line| line.trim_start().to_owned() + "\n").collect()
}

#[test]
fn the_jobs_of_each_topic_are_planned() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    std::fs::create_dir(at.join("names")).unwrap();
    std::fs::write(at.join("trace.log"), "fio version 3 iolog\n0 f add\n0 f open\n9 f read 0 4096\n")
        .unwrap();
    for (topic, sections) in [("traces", 2), ("zones", 1), ("priorities", 2), ("metadata", 2)] {
        let text = jobs(at, topic).replace("/data/", "").replace("/dev/nvme0n1", "sim:datacentre/1024");
        assert_eq!(text.matches('[').count(), sections, "{topic}: {text}");
        for section in text.split_inclusive("\n[").map(|part| part.trim_end_matches('[')) {
            // Real and simulated drives are not in one run.
            let section = if section.starts_with('[') { section.to_owned() } else { format!("[{section}") };
            std::fs::write(at.join("j.fio"), &section).unwrap();
            must(fathom(at).args(["run", "--plan", "j.fio"]));
        }
    }
}

/// The zones that the example writes are those that it says.
#[test]
fn the_example_of_zones_writes_whole_zones() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("j.fio"), jobs(dir.path(), "zones")).unwrap();
    let (page, shown) = (["help", "zones"], ["devices", "sim:smr,size=1t"]);
    assert!(must(fathom(dir.path()).args(page)).contains("has 40 zones at its start"));
    assert!(must(fathom(dir.path()).args(shown)).contains("the first 40 "));
    let output = fathom(dir.path()).args(["run", "-q", "--details", "j.fio"]).output().unwrap();
    let said = text(&output);
    assert!(output.status.success() && said.contains("1,024 I/Os"), "{said}");
}

#[test]
fn words_of_other_programs_lead_to_options() {
    let dir = tempfile::tempdir().unwrap();
    for (word, option) in [
        ("replay_speed", "replay_time_scale"),
        ("offload", "io_submit_mode"),
        ("zbd", "zonemode"),
        ("trace", "read_iolog"),
    ] {
        let output = fathom(dir.path()).args(["options", word]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{word}");
        assert!(text(&output).contains(&format!("fathom options {option}")), "{}", text(&output));
    }
}
