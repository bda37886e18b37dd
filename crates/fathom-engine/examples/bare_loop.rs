//! Random reads of a file by io_uring and nothing else: submit, wait, reap; no statistics, no clock,
//! no plan. fathom is compared with this program to find out what measuring costs:
//!
//! `bare_loop JOBFILE` reads `filename`, `bs`, `iodepth` and `runtime` or `number_ios` from the file,
//! and prints the number of I/Os and the rate as fio's JSON has them.

#![allow(clippy::print_stdout, reason = "its result is what it prints")]

use fathom_engine::memory::{SlotLayout, SlotMemory};
use fathom_engine::ring::{Ring, RingSetup};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// `IORING_OP_READ_FIXED`, of file 0 of those registered (`IOSQE_FIXED_FILE`).
const HEAD: u64 = 4 | 1 << 8;

/// The longest time of a wait, ns. No read takes that long.
const WAIT_NS: u64 = 10_000_000_000;

struct Asked {
    file: File,
    block: u64,
    depth: u32,
    /// `runtime` in seconds, or `number_ios`.
    runtime: Option<u64>,
    ios: u64,
}

fn asked() -> Asked {
    let path = std::env::args().nth(1).expect("usage: bare_loop JOBFILE");
    let text = std::fs::read_to_string(&path).expect("the job file");
    let lines: HashMap<&str, &str> = text.lines().filter_map(|line| line.split_once('=')).collect();
    let number = |name: &str| lines.get(name).map(|value| bytes(value));
    let open = |flags| OpenOptions::new().read(true).custom_flags(flags).open(lines["filename"]);
    Asked {
        file: open(libc::O_NOATIME).or_else(|_| open(0)).expect("the file"),
        block: number("bs").unwrap_or(4096),
        depth: number("iodepth").map_or(1, |depth| depth as u32),
        runtime: number("runtime"),
        ios: number("number_ios").unwrap_or(u64::MAX),
    }
}

fn bytes(text: &str) -> u64 {
    let kib = text.strip_suffix('k');
    kib.unwrap_or(text).parse::<u64>().expect("a number") << if kib.is_some() { 10 } else { 0 }
}

fn main() {
    let asked = asked();
    let slots = asked.depth as usize;
    let layout =
        SlotLayout { slots, slot_bytes: asked.block as usize, align: 0, huge: false, splits_writes: false };
    let region = SlotMemory::map(layout).expect("buffers");
    let mut ring =
        Ring::new(&RingSetup { entries: asked.depth, is_polled: false, poller: None }).expect("a ring");
    ring.register_files(&[asked.file.as_raw_fd()]).expect("a registered file");
    // SAFETY: the region was mapped before the ring and outlives it: it is never dropped.
    unsafe { ring.register_region(region.iovec()) }.expect("registered buffers");
    let region = std::mem::ManuallyDrop::new(region);
    let stop = Arc::new(AtomicBool::new(false));
    if let Some(seconds) = asked.runtime {
        let stop = stop.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(seconds));
            stop.store(true, Relaxed);
        });
    }
    let blocks = asked.file.metadata().expect("its length").len() / asked.block;
    let start = Instant::now();
    let done = turns(&mut ring, &region, &asked, blocks, &stop);
    let rate = done as f64 / start.elapsed().as_secs_f64();
    println!("{{\"jobs\": [{{\"read\": {{\"total_ios\": {done}, \"iops\": {rate:.1}}}}}]}}");
}

/// Keeps the depth full until the stop or the number of I/Os; returns how many were done.
fn turns(ring: &mut Ring, region: &SlotMemory, asked: &Asked, blocks: u64, stop: &AtomicBool) -> u64 {
    let addresses: Vec<u64> = (0..asked.depth).map(|slot| region.slot(slot, false) as u64).collect();
    let mut free: Vec<u32> = (0..asked.depth).collect();
    let (mut random, mut begun, mut done) = (1_u64, 0, 0);
    while !stop.load(Relaxed) && begun < asked.ios {
        for slot in free.drain(..) {
            // The constants of Knuth's MMIX generator. The upper half is used as the random number.
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let offset = (((random >> 32) * blocks) >> 32) * asked.block;
            let entry = [HEAD, offset, addresses[slot as usize], asked.block, slot.into()];
            ring.stage()[..5].copy_from_slice(&entry);
            begun += 1;
        }
        ring.enter(1, WAIT_NS).expect("a submission");
        done += reap(ring, &mut free, asked.block);
    }
    while free.len() < asked.depth as usize {
        ring.enter(1, WAIT_NS).expect("the rest");
        done += reap(ring, &mut free, asked.block);
    }
    done
}

fn reap(ring: &mut Ring, free: &mut Vec<u32>, block: u64) -> u64 {
    let count = ring.available() as usize;
    ring.reap(count, |slot, result| {
        assert_eq!(u64::try_from(result), Ok(block), "a read failed");
        free.push(slot as u32);
    });
    count as u64
}
