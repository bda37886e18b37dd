//! What a run has done, read from its JSON document.

use crate::support::json;
use serde_json::Value;

/// I/Os and bytes of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    pub ios: u64,
    pub bytes: u64,
}

/// Reads and writes of each clone.
pub type Work = Vec<[Moved; 2]>;

/// The work of a document in fio's JSON.
pub fn of(document: &str) -> Work {
    let document = json(document);
    let count = |direction: &Value, key: &str| direction[key].as_u64().expect(key);
    let moved = |job: &Value, direction: &str| Moved {
        ios: count(&job[direction], "total_ios"),
        bytes: count(&job[direction], "io_bytes"),
    };
    let jobs = document["jobs"].as_array().unwrap();
    jobs.iter().map(|job| ["read", "write"].map(|direction| moved(job, direction))).collect()
}

/// fio lists the first clone, and then the others from the last one on.
pub fn in_order_of_clones(mut work: Work) -> Work {
    work[1..].reverse();
    work
}

/// Both directions together.
pub fn sum([read, write]: &[Moved; 2]) -> Moved {
    Moved { ios: read.ios + write.ios, bytes: read.bytes + write.bytes }
}
