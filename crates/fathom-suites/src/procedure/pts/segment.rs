//! A segment: one stimulus for a time. A round of a test is a job file whose jobs are segments, one after the other.

use super::terms::{Demand, PtsTerms};
use fathom_job::units::Bytes;
use std::fmt::Write as _;

/// The sizes of the composite workload of SNIA PTS, with their shares in per cent (Σ 100; mean 7.6 KiB).
const COMPOSITE: &str = "512/4:1k/1:1536/1:2k/1:2560/1:3k/1:3584/1:4k/67:8k/10:16k/7:32k/3:64k/3";

/// Where the composite workload writes: half of the I/Os go to the first 5 % of the range, 30 % to the next 15 %.
const COMPOSITE_ZONES: &str = "zoned:50/5:30/15:20/80";

/// Which blocks are read and written, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stimulus {
    /// Blocks of this size at random places of the active range.
    Random(Bytes),
    /// Blocks of this size in order, from the first of these bytes on.
    Sequential {
        /// Size of the blocks.
        block: Bytes,
        /// Where it begins.
        from: Bytes,
    },
    /// The composite workload: twelve sizes, three zones.
    Composite,
}

/// One stimulus for a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Name of the job.
    pub name: String,
    /// Reads among the I/Os, per cent.
    pub read_percent: u32,
    /// Which blocks, and where.
    pub stimulus: Stimulus,
    /// Threads and outstanding I/Os.
    pub demand: Demand,
    /// How long, ms.
    pub ms: u64,
    /// How long the device is idle before it, ms.
    pub idle_ms: u64,
}

impl Segment {
    /// Random writes.
    pub fn writes(name: impl Into<String>, block: Bytes, demand: Demand, ms: u64) -> Segment {
        Segment {
            name: name.into(),
            read_percent: 0,
            stimulus: Stimulus::Random(block),
            demand,
            ms,
            idle_ms: 0,
        }
    }
}

/// The job file of a round.
pub fn job_file(segments: &[Segment], terms: &PtsTerms) -> String {
    let direct = u8::from(terms.direct);
    let mut text = format!(
        "[global]\nioengine={}\ndirect={direct}\nthread=1\ngroup_reporting=1\ntime_based=1\nnorandommap=1\n\n",
        terms.engine
    );
    segments.iter().for_each(|segment| section(&mut text, segment, terms.active()));
    text
}

fn section(text: &mut String, segment: &Segment, active: Bytes) {
    let Segment { name, demand, ms, idle_ms, .. } = segment;
    // Writing to a string does not fail.
    let _ = write!(text, "[{name}]\nstonewall\n{}", stimulus(segment, active));
    let _ = write!(text, "iodepth={}\nnumjobs={}\nruntime={ms}ms\n", demand.depth, demand.threads);
    if *idle_ms > 0 {
        let _ = writeln!(text, "startdelay={idle_ms}ms");
    }
    text.push('\n');
}

fn stimulus(segment: &Segment, active: Bytes) -> String {
    let random = matches!(segment.stimulus, Stimulus::Random(_) | Stimulus::Composite);
    let (prefix, read) = (if random { "rand" } else { "" }, segment.read_percent);
    let direction = match read {
        0 => format!("rw={prefix}write\n"),
        100 => format!("rw={prefix}read\n"),
        _ => format!("rw={prefix}rw\nrwmixread={read}\n"),
    };
    let shape = match segment.stimulus {
        Stimulus::Random(block) => format!("bs={}\nsize={}\n", block.0, active.0),
        Stimulus::Sequential { block, from } => {
            let size = active.0.saturating_sub(from.0);
            format!("bs={}\noffset={}\nsize={}\n", block.0, from.0, size - size % block.0)
        }
        Stimulus::Composite => {
            format!("bssplit={COMPOSITE}\nrandom_distribution={COMPOSITE_ZONES}\nsize={}\n", active.0)
        }
    };
    direction + &shape
}
