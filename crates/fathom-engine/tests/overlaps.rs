//! `serialize_overlap`: no two I/Os of a job that overlap are in flight at the same time, checked from the log of each I/O.

use crate::support::{Heard, run};
use fathom_engine::log::LogKind;
use fathom_job::direction::Direction;

/// An I/O in flight: from, to; and its range.
type Flight = (u64, u64, u64, u64);

fn flights(heard: &Heard) -> Vec<Flight> {
    let of = |kind| heard.samples.iter().filter(move |sample| sample.kind == kind);
    of(LogKind::Completion)
        .map(|it| (it.at_ns.saturating_sub(it.value), it.at_ns, it.offset, it.offset + it.bytes))
        .collect()
}

/// Pairs that were in flight together and have bytes in common.
fn overlapping(flights: &[Flight]) -> usize {
    let meet = |a: &Flight, b: &Flight| a.0 < b.1 && b.0 < a.1 && a.2 < b.3 && b.2 < a.3;
    let behind = |at: usize| flights[at + 1..].iter().filter(move |b| meet(&flights[at], b)).count();
    (0..flights.len()).map(behind).sum()
}

/// A simulated drive, so that times are exact; 16 blocks at depth 16 with several sizes.
fn job(options: &str) -> Heard {
    run(&format!(
        "[j]\nfilename=sim:consumer/64\nioengine=libaio\niodepth=16\nrw=randrw\nbsrange=4k-32k\nsize=256k\nnorandommap\nrandseed=3\n\
         io_size=1g\nnumber_ios=2000\nwrite_lat_log=x\nlog_offset=1\n{options}\n"
    ))
}

#[test]
fn no_two_ios_in_flight_have_bytes_in_common() {
    let free = job("");
    assert_eq!(flights(&free).len(), 2000);
    assert!(overlapping(&flights(&free)) > 1000, "{}", overlapping(&flights(&free)));
    for options in [
        "",
        "iodepth_low=4",
        "iodepth_batch=4\niodepth_batch_complete_min=2",
        "rate_iops=4000",
        "bs=4k\nrandom_distribution=zipf:1.2",
    ] {
        let held = job(&format!("serialize_overlap=1\n{options}"));
        assert_eq!(held.outcome(0).failure, None, "{options}");
        let all = flights(&held);
        assert_eq!((all.len(), overlapping(&all)), (2000, 0), "{options}");
        // Those that do not overlap are still in flight together.
        let meet = all.windows(2).filter(|pair| pair[0].0 < pair[1].1 && pair[1].0 < pair[0].1).count();
        assert!(meet > 100, "{options}: {meet}");
    }
}

#[test]
fn real_engines_hold_back_as_well() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = dir.path().join("f");
    for engine in ["io_uring", "libaio", "posixaio"] {
        let heard = run(&format!(
            "[j]\nioengine={engine}\nfilename={}\nrw=randwrite\nbs=4k\nsize=64k\nnorandommap\niodepth=32\nio_size=1g\nnumber_ios=3000\n\
             serialize_overlap=1\nfsync=7\nwrite_lat_log=x\nlog_offset=1\n",
            path.display()
        ));
        assert_eq!(heard.outcome(0).failure, None, "{engine}");
        assert_eq!(heard.moved(0, Direction::Write).0, 3000, "{engine}");
        assert_eq!(overlapping(&flights(&heard)), 0, "{engine}");
    }
}
