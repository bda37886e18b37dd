//! Procedures: what `fathom suite run` prints of one, and one as a kill leaves it.

use super::{fathom, finished, json, must};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The JSON document of `fathom suite run` with these words.
pub fn suite_run(dir: &Path, words: &[&str]) -> Value {
    let all = [&["suite", "run"], words, &["--json", "-q"]].concat();
    json(&finished(fathom(dir).args(all)))
}

/// Copies a procedure, and leaves the first two of its rounds, as a kill does.
pub fn half_of(whole: &Path, half: &Path) {
    must(Command::new("cp").arg("-r").arg(whole).arg(half));
    let history = fs::read_to_string(half.join("history")).unwrap();
    let kept: Vec<&str> = history.lines().take(3).collect();
    fs::write(half.join("history"), kept.join("\n") + "\n").unwrap();
    for round in fs::read_dir(half.join("rounds")).unwrap().map(Result::unwrap) {
        if round.file_name().to_str().is_some_and(|name| name >= "0003") {
            fs::remove_dir_all(round.path()).unwrap();
        }
    }
    let record = fs::read_to_string(half.join("procedure.json")).unwrap();
    let mut record = json(&record);
    record.as_object_mut().unwrap().retain(|key, _| key != "conclusion" && key != "seal");
    write_record(half, &mut record);
}

/// Writes a record with its checksum, as fathom does.
pub fn write_record(dir: &Path, record: &mut Value) {
    record["record_crc32"] = "00000000".into();
    // The checksum is the last field.
    let crc = record.as_object_mut().unwrap().remove("record_crc32").unwrap();
    let mut text = serde_json::to_string(&record).unwrap();
    text.truncate(text.len() - 1);
    text += &format!(",\"record_crc32\":{crc}}}\n");
    let sum = format!("{:08x}", crc32fast::hash(text.as_bytes()));
    fs::write(dir.join("procedure.json"), text.replace("\"00000000\"", &format!("\"{sum}\""))).unwrap();
}
