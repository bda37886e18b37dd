//! What a target that compresses or deduplicates must store of what a job writes, computed from the
//! settings of its data (docs/guide-index.md, V-50: the guide's fill is said to be random data).

use super::{PlannedJob, verify};
use crate::direction::Direction;
use crate::job::Job;
use crate::options;
use crate::units::Bytes;
use fathom_text::quantity;
use fathom_text::words::counted;

/// Bytes of a stamp: where the block is, and which write it was. It is the same in all chunks of a block.
const STAMP: u64 = 16;

/// What is left of the data of a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoredShare {
    /// Share of each block that is left by a target that compresses block by block, 0 to 1.
    pub compressed: f64,
    /// Share of the blocks that differ from all others, 0 to 1: what a target stores that deduplicates
    /// whole blocks. Zero if it is a fixed number of blocks, however much is written.
    pub unique: f64,
    /// Share that is left by a target that finds repeated data anywhere in what was written before,
    /// whatever its place: 0 to 1.
    pub anywhere: f64,
}

/// How the data of a job is made; the engine follows the same rules (`payload.rs`).
#[derive(Clone, Debug, PartialEq)]
enum Made {
    Zeros,
    Pattern(u64),
    /// The same buffers, with a stamp in each chunk of this number of bytes.
    Stamped(u64),
    /// The same buffers.
    Again,
    Fresh {
        zero_percent: u32,
        dedupe_percent: u32,
    },
}

/// What of the data of a job must be stored.
pub fn stored_share(job: &Job, block: Bytes) -> StoredShare {
    let share = |compressed: f64, unique: f64, anywhere: f64| StoredShare { compressed, unique, anywhere };
    match made(job) {
        Made::Zeros => share(0.0, 0.0, 0.0),
        Made::Pattern(length) => share((length as f64 / block.0.max(1) as f64).min(1.0), 0.0, 0.0),
        Made::Stamped(chunk) => {
            let (block, stamp) = (block.0.max(STAMP), STAMP as f64);
            // All chunks of a block have the same stamp, so all but the first repeat it.
            let repeats = (block.div_ceil(chunk) - 1) as f64 * stamp;
            share(1.0 - repeats / block as f64, 1.0, stamp / block as f64)
        }
        Made::Again => share(1.0, 0.0, 0.0),
        Made::Fresh { zero_percent, dedupe_percent } => {
            let kept = f64::from(100 - zero_percent) / 100.0;
            let unique = f64::from(100 - dedupe_percent) / 100.0;
            share(kept, unique, kept * unique)
        }
    }
}

fn made(job: &Job) -> Made {
    if let Some(made) = proven(job) {
        return made;
    }
    let zero_percent = job.get(&options::BUFFER_COMPRESS_PERCENTAGE).unwrap_or(0).min(100);
    let dedupe_percent = job.get(&options::DEDUPE_PERCENTAGE).unwrap_or(0).min(100);
    let pattern = job.get(&options::BUFFER_PATTERN).filter(|pattern| !pattern.is_empty());
    match pattern {
        _ if job.get(&options::ZERO_BUFFERS) => Made::Zeros,
        Some(pattern) => Made::Pattern(pattern.len() as u64),
        None if zero_percent > 0 || dedupe_percent > 0 || job.get(&options::REFILL_BUFFERS) => {
            Made::Fresh { zero_percent, dedupe_percent }
        }
        None if job.get(&options::SCRAMBLE_BUFFERS) => {
            Made::Stamped(job.get(&options::SCRAMBLE_CHUNK).0.max(STAMP))
        }
        None => Made::Again,
    }
}

/// The data of a job whose blocks prove themselves.
fn proven(job: &Job) -> Option<Made> {
    verify::method_of(job)?;
    Some(match job.get(&options::VERIFY_PATTERN) {
        Some(pattern) => Made::Pattern(verify::pattern_bytes(&pattern)),
        None => Made::Fresh {
            zero_percent: job.get(&options::BUFFER_COMPRESS_PERCENTAGE).unwrap_or(0).min(100),
            dedupe_percent: 0,
        },
    })
}

/// The line of the plan; `None` for jobs that write nothing, or to no target.
pub(super) fn words(clones: &[PlannedJob]) -> Option<String> {
    let first = &clones[0];
    let reaches_target = first.engine_def().is_some_and(|engine| !engine.diskless);
    if !first.uses(Direction::Write) || !reaches_target {
        return None;
    }
    let block = first.block[Direction::Write].max();
    let stored = stored_share(&first.job, block);
    let buffers = match first.depth.reachable as usize * clones.len() {
        1 => "the same buffer again".to_owned(),
        several => format!("the same {several} buffers again"),
    };
    let what = match made(&first.job) {
        Made::Zeros => "zeros".to_owned(),
        Made::Pattern(length) => format!("a pattern of {}", counted(length as usize, "byte")),
        Made::Stamped(chunk) => format!("{buffers}, {STAMP} bytes in each {chunk} changed"),
        Made::Again => buffers,
        Made::Fresh { zero_percent: 0, dedupe_percent: 0 } => {
            return Some("random, new for each write: a target must store all of it".to_owned());
        }
        Made::Fresh { .. } => "random in part, new for each write".to_owned(),
    };
    let unique =
        if stored.unique == 0.0 { "a fixed number of blocks".to_owned() } else { percent(stored.unique) };
    Some(format!(
        "{what}; of it a target stores {} if it compresses blocks, {unique} if it stores equal blocks once, {} if it \
         finds repeats anywhere",
        percent(stored.compressed),
        percent(stored.anywhere),
    ))
}

/// What is there is never nothing.
fn percent(share: f64) -> String {
    if share > 0.0 && share < 0.001 { "less than 0.1 %".to_owned() } else { quantity::percent(share) }
}
