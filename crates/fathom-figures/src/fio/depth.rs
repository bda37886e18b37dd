//! How many I/Os a job of fio kept in flight, from its options.

use crate::DepthTarget;
use fathom_job::engine;

/// Options that hold a job back: at a rate, with pauses, in a ratio to others, or below a latency. Zero is none.
const HOLD_BACK: [&str; 5] = ["rate", "rate_iops", "thinktime", "flow", "latency_target"];

/// From the options of the job, which are looked up by name, and from whether fio counted nothing but a depth of 1.
pub(super) fn depth_target<'t>(option: impl Fn(&str) -> Option<&'t str>, is_always_one: bool) -> DepthTarget {
    let is_set =
        |name: &&str| option(name).is_some_and(|text| text.contains(|c: char| ('1'..='9').contains(&c)));
    if HOLD_BACK.iter().any(is_set) {
        return DepthTarget::HeldBack;
    }
    // 1 is fio's default of both.
    let number = |name: &str| option(name).map_or(Some(1), |text| text.parse::<u64>().ok());
    let Some((asked, clones)) = number("iodepth").zip(number("numjobs")) else { return DepthTarget::Unknown };
    let is_direct = option("direct").is_some_and(|text| text != "0");
    let most = match option("ioengine").map(engine::named) {
        Some(Some(known)) if known.needs_direct_for_depth && !is_direct => 1,
        Some(Some(known)) => u64::from(known.depth_max),
        Some(None) => u64::MAX,
        // The default depends on the system: of a synchronous engine fio counts nothing but a depth of 1.
        None if is_always_one => 1,
        None => u64::MAX,
    };
    DepthTarget::Of(asked.min(most).min(writes_between_syncs(option)).saturating_mul(clones))
}

/// The writes between two syncs of a job that only writes, where its worker waits for them: no more are in flight.
fn writes_between_syncs<'t>(option: impl Fn(&str) -> Option<&'t str>) -> u64 {
    let queues = option("ioengine").and_then(engine::named).is_none_or(|known| known.queues_syncs);
    let is_only_writes = matches!(option("rw").or(option("readwrite")), Some("write" | "randwrite"));
    let every = |name: &str| option(name)?.parse::<u64>().ok().filter(|writes| *writes > 0);
    let least = ["fsync", "fdatasync"].into_iter().filter_map(every).min();
    least.filter(|_| is_only_writes && !queues).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_and_what_fio_counted_tell_the_depth() {
        for (options, is_always_one, told) in [
            (&[("iodepth", "8"), ("ioengine", "libaio"), ("direct", "1")][..], false, DepthTarget::Of(8)),
            (&[("iodepth", "8"), ("ioengine", "libaio")], false, DepthTarget::Of(1)),
            (&[("iodepth", "8"), ("numjobs", "4"), ("ioengine", "io_uring")], false, DepthTarget::Of(32)),
            (&[("iodepth", "8"), ("numjobs", "4"), ("ioengine", "psync")], false, DepthTarget::Of(4)),
            (&[("iodepth", "8")], false, DepthTarget::Of(8)),
            (
                &[("iodepth", "8"), ("ioengine", "libaio"), ("direct", "1"), ("rw", "write"), ("fsync", "1")],
                false,
                DepthTarget::Of(1),
            ),
            (
                &[("iodepth", "8"), ("ioengine", "io_uring"), ("rw", "write"), ("fsync", "1")],
                false,
                DepthTarget::Of(8),
            ),
            (&[("iodepth", "8")], true, DepthTarget::Of(1)),
            (&[("bs", "4k")], false, DepthTarget::Of(1)),
            (&[("iodepth", "8"), ("thinktime", "1ms")], false, DepthTarget::HeldBack),
            (&[("rate_iops", "100,0")], false, DepthTarget::HeldBack),
            (&[("rate", "0"), ("iodepth", "2")], false, DepthTarget::Of(2)),
            (&[("iodepth", "${DEPTH}")], false, DepthTarget::Unknown),
        ] {
            let option = |name: &str| options.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
            assert_eq!(depth_target(option, is_always_one), told, "{options:?} {is_always_one}");
        }
    }
}
