//! A segment: one stimulus for a time. A round of a test is a job file whose jobs are segments, one after the other.

use super::composite;
use super::terms::{Demand, Edition, PtsTerms};
use fathom_job::units::Bytes;
use std::fmt::Write as _;

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
    /// Blocks of a part of the device.
    Zone {
        /// Size of the blocks.
        block: Bytes,
        /// Where the part begins.
        from: Bytes,
        /// Its length.
        size: Bytes,
        /// At random places of it; otherwise in order.
        is_random: bool,
    },
    /// The composite workload: twelve sizes, three zones.
    Composite,
}

impl Stimulus {
    /// The size of its blocks; `None` of the composite workload, which has many.
    pub fn block(self) -> Option<Bytes> {
        match self {
            Stimulus::Random(block) | Stimulus::Sequential { block, .. } | Stimulus::Zone { block, .. } => {
                Some(block)
            }
            Stimulus::Composite => None,
        }
    }
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
    let (engine, direct) = (&terms.engine, u8::from(terms.direct));
    let addresses = match terms.edition {
        // TKperf has fio's usual map of the blocks. The data are new in each block, as with its option -rfb.
        Edition::Tkperf => "refill_buffers=1",
        Edition::Enterprise | Edition::Client => "norandommap=1",
    };
    let mut text = format!(
        "[global]\nioengine={engine}\ndirect={direct}\nthread=1\ngroup_reporting=1\ntime_based=1\n{addresses}\n\n"
    );
    segments.iter().for_each(|segment| section(&mut text, segment, terms));
    text
}

fn section(text: &mut String, segment: &Segment, terms: &PtsTerms) {
    let Segment { name, demand, ms, idle_ms, .. } = segment;
    // Writing to a string does not fail.
    let _ = write!(text, "[{name}]\nstonewall\n{}", stimulus(segment, terms));
    let _ = write!(text, "iodepth={}\nnumjobs={}\nruntime={ms}ms\n", demand.depth, demand.threads);
    if *idle_ms > 0 {
        let _ = writeln!(text, "idle_before={idle_ms}ms");
    }
    text.push('\n');
}

fn stimulus(segment: &Segment, terms: &PtsTerms) -> String {
    let active = terms.active();
    let is_random = match segment.stimulus {
        Stimulus::Random(_) | Stimulus::Composite => true,
        Stimulus::Sequential { .. } => false,
        Stimulus::Zone { is_random, .. } => is_random,
    };
    let (prefix, read) = (if is_random { "rand" } else { "" }, segment.read_percent);
    let is_named_as_mix = terms.edition == Edition::Tkperf && is_random;
    let direction = match read {
        // TKperf names each of its random cells a mix, also those of reads alone.
        _ if is_named_as_mix => format!("rw=randrw\nrwmixread={read}\n"),
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
        Stimulus::Zone { block, from, size, .. } => {
            format!("bs={}\noffset={}\nsize={}\n", block.0, from.0, size.0 - size.0 % block.0)
        }
        Stimulus::Composite => {
            format!("{}size={}\n", composite::options(), active.0)
        }
    };
    direction + &shape
}
