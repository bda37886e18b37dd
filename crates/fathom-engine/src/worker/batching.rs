//! How many I/Os go into one submit call, and how many it waits for.
//!
//! Natural batching: every free slot is filled, one call submits them and
//! waits for a single completion, and everything that is there by then is
//! reaped and resubmitted together. The batch grows with the load by itself
//! and no completion is held back. A job that names its batches
//! (`iodepth_batch`, `iodepth_batch_complete_min/max`, `iodepth_low`) gets
//! exactly those.

use fathom_job::plan::Depth;

/// Batch limits; those of natural batching where the job names none.
#[derive(Clone, Copy, Debug)]
pub struct Batching {
    /// Most I/Os of one submit call.
    pub submit_max: u32,
    /// Completions to wait for.
    pub wait_min: u32,
    /// Most completions taken at a time.
    pub reap_max: usize,
    /// A full queue is filled again once this few are in flight; `None` where
    /// it is filled at once.
    pub low: Option<u32>,
    /// fio's order: fill the queue batch by batch before waiting.
    pub fills_first: bool,
}

impl Batching {
    pub fn of(depth: &Depth) -> Batching {
        let reap_max = match (depth.complete_max, depth.complete_min) {
            (Some(max), _) | (None, Some(max)) if max > 0 => max as usize,
            _ => usize::MAX,
        };
        Batching {
            submit_max: depth.submit_batch.filter(|&n| n > 0).unwrap_or(u32::MAX),
            wait_min: depth.complete_min.unwrap_or(1),
            reap_max,
            low: depth.low.filter(|&low| low < depth.reachable),
            fills_first: depth.submit_batch.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NATURAL: Depth = Depth {
        asked: 32,
        reachable: 32,
        low: None,
        submit_batch: None,
        complete_min: None,
        complete_max: None,
    };

    #[test]
    fn natural_batching_submits_all_waits_for_one_and_takes_all() {
        let b = Batching::of(&NATURAL);
        assert_eq!((b.submit_max, b.wait_min, b.reap_max, b.low), (u32::MAX, 1, usize::MAX, None));
        assert!(!b.fills_first);
    }

    #[test]
    fn named_limits_hold() {
        let named = Depth { low: Some(8), submit_batch: Some(16), complete_min: Some(4), ..NATURAL };
        let b = Batching::of(&named);
        assert_eq!((b.submit_max, b.wait_min, b.reap_max, b.low), (16, 4, 4, Some(8)));
        assert!(b.fills_first);
        let b = Batching::of(&Depth { complete_max: Some(9), ..named });
        assert_eq!((b.wait_min, b.reap_max), (4, 9));
    }

    #[test]
    fn a_low_mark_at_the_depth_is_none() {
        assert_eq!(Batching::of(&Depth { low: Some(32), ..NATURAL }).low, None);
    }
}
