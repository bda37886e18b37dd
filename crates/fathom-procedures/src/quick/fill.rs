//! The fill: a target that may be written, but that fathom did not lay out, is written once before
//! it is read. Reads of blocks that were never written are answered without touching the medium
//! (contracts V-23, V-49), and the reader cannot notice that.

use super::target::{QuickTarget, depth_option};
use fathom_job::units::Bytes;
use fathom_results::quick::FILL;

/// At most this much is filled and measured: more than the caches of most drives hold, and written
/// within seconds except by a slow disk.
pub const FILL_SIZE_MAX: Bytes = Bytes::gib(4);
/// A slow disk is filled for this long at most; the verdict says how far the fill came.
pub const FILL_SECONDS_MAX: u64 = 15;
/// I/Os in flight, and their size.
const DEPTH: u32 = 8;
const BLOCK: Bytes = Bytes::mib(1);

pub(super) const fn is_filled(target: &QuickTarget) -> bool {
    target.can_write && !target.is_scratch
}

/// Bytes from the target's start that all jobs use.
pub(super) fn size_used(target: &QuickTarget) -> Bytes {
    if is_filled(target) { target.size.min(FILL_SIZE_MAX) } else { target.size }
}

/// The job, or nothing. It ends with its range, not with its time.
pub(super) fn section(target: &QuickTarget) -> String {
    if !is_filled(target) {
        return String::new();
    }
    format!(
        "\n# writes once what is read later\n\
         [{FILL}]\n\
         stonewall\n\
         rw=write\n\
         bs={block}\n\
         {depth}\
         time_based=0\n\
         runtime={FILL_SECONDS_MAX}s\n\
         ramp_time=0\n\
         scramble_buffers=1\n\
         dedupe_percentage=0\n",
        block = BLOCK.max(target.block_min).0,
        depth = depth_option(DEPTH, false, &target.engine),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quick::fixture::{plan, scratch};
    use crate::quick::{SIX, job_text};
    use fathom_job::units::Nanos;

    fn target() -> QuickTarget {
        QuickTarget { path: "/dev/sda".to_owned(), is_scratch: false, ..scratch() }
    }

    #[test]
    fn the_fill_comes_first_and_ends_with_the_range() {
        for engine in ["io_uring", "libaio", "psync"] {
            let plan = plan(&QuickTarget { engine: engine.to_owned(), ..target() });
            let fill = &plan.jobs[0];
            assert_eq!((fill.name.as_str(), fill.stage, fill.rw.random), (FILL, 0, false));
            assert!(fill.writes() && !fill.end.time_based);
            assert_eq!((fill.ramp, fill.end.time), (Nanos(0), Some(Nanos::secs(15))));
            assert_eq!((fill.end.bytes, fill.block_max()), (Some(Bytes::gib(1)), Bytes::mib(1)));
            assert_eq!((plan.jobs[1].name.as_str(), plan.jobs[1].stage), (SIX[0].name, 1));
        }
    }

    #[test]
    fn a_large_target_is_used_as_far_as_it_is_filled() {
        let text = job_text(&QuickTarget { size: Bytes::gib(900), ..target() });
        assert!(text.contains(&format!("size={}\n", FILL_SIZE_MAX.0)), "{text}");
        let small = plan(&target());
        assert!(small.jobs.iter().all(|job| job.files[0].size == Bytes::gib(1)));
    }

    #[test]
    fn neither_a_scratch_file_nor_a_target_that_is_only_read() {
        for target in
            [QuickTarget { is_scratch: true, ..target() }, QuickTarget { can_write: false, ..target() }]
        {
            let large = QuickTarget { size: Bytes::gib(900), ..target };
            let text = job_text(&large);
            assert!(!text.contains("[fill]") && text.contains(&format!("size={}\n", Bytes::gib(900).0)));
        }
    }
}
