//! An oracle without a worker, in virtual time.

use super::*;
use crate::desc::Op;
use crate::fixture::planned;
use crate::memory::{SlotLayout, SlotMemory};

const READ: Desc = Desc::new(Op::Read, 0, 4096, 0);

fn opened(options: &str, depth: u32) -> Result<Oracle, EngineError> {
    let plan =
        planned(&format!("[j]\nioengine=oracle\nrw=read\nsize=1m\niodepth={depth}\nrandseed=9\n{options}"));
    let buffers = SlotMemory::map(SlotLayout {
        slots: 1,
        slot_bytes: 4096,
        align: 4096,
        huge: false,
        splits_writes: false,
    })
    .unwrap();
    let clock = Clock::virtual_time();
    Oracle::open(&Context {
        targets: &crate::target::NoTargets,
        plan: &plan.jobs[0],
        files: &[],
        simulated: &[],
        replaces_files: false,
        buffers: &buffers,
        depth,
        clock,
        hook: None,
    })
}

/// Slots reaped.
fn reap(oracle: &mut Oracle) -> Vec<u64> {
    let mut slots = Vec::new();
    let count = oracle.available();
    oracle.reap(count, |slot, moved| {
        assert_eq!(moved, 4096);
        slots.push(slot);
    });
    slots
}

#[test]
fn a_wait_ends_at_the_completion_or_when_its_time_is_over() {
    let mut oracle = opened("oracle_latency=constant:10us\n", 4).unwrap();
    oracle.stage(0, &READ);
    assert_eq!(oracle.submit(1, 4_000).unwrap(), 1);
    assert_eq!((oracle.clock.now(), oracle.available()), (4_000, 0));
    oracle.stage(1, &READ);
    assert_eq!(oracle.submit(1, 1_000_000).unwrap(), 1);
    assert_eq!((oracle.clock.now(), reap(&mut oracle)), (10_000, vec![0]));
    assert_eq!(oracle.submit(1, 1_000_000).unwrap(), 0);
    assert_eq!((oracle.clock.now(), reap(&mut oracle)), (14_000, vec![1]));
}

#[test]
fn a_wait_for_several_ends_with_the_last_of_them() {
    let mut oracle = opened("oracle_latency=queue:10us\n", 4).unwrap();
    (0..4).for_each(|slot| oracle.stage(slot, &READ));
    oracle.submit(3, 1_000_000).unwrap();
    assert_eq!((oracle.clock.now(), reap(&mut oracle)), (30_000, vec![0, 1, 2]));
}

#[test]
fn what_would_complete_in_a_stall_completes_at_its_end() {
    let mut oracle = opened("oracle_latency=constant:10us\noracle_stall=15us:100us\n", 4).unwrap();
    oracle.stage(0, &READ);
    oracle.submit(1, 1_000_000).unwrap();
    assert_eq!((oracle.clock.now(), reap(&mut oracle)), (10_000, vec![0]));
    oracle.stage(1, &READ);
    oracle.submit(1, 1_000_000).unwrap();
    assert_eq!((oracle.clock.now(), reap(&mut oracle)), (115_000, vec![1]));
}

#[test]
fn time_passes_though_nothing_takes_any() {
    let mut oracle = opened("oracle_latency=constant:0\n", 1).unwrap();
    for _ in 0..100 {
        oracle.stage(0, &READ);
        oracle.submit(1, 1_000).unwrap();
        assert_eq!(reap(&mut oracle), [0]);
    }
    assert!((50..=100).contains(&oracle.clock.now()), "{}", oracle.clock.now());
    let before = oracle.clock.now();
    oracle.submit(0, 0).unwrap();
    assert_eq!(oracle.clock.now(), before + 1, "a look that finds nothing");
}

#[test]
fn an_option_that_cannot_be_read_is_told() {
    let Err(error) = opened("oracle_latency=gauss:1us\n", 1) else { panic!("there is no such shape") };
    assert!(error.to_string().starts_with("engine oracle cannot read oracle_latency=gauss:1us: "), "{error}");
    let Err(error) = opened("oracle_stall=1s\n", 1) else { panic!("that is not a span") };
    assert!(error.to_string().contains("START:LENGTH"), "{error}");
}
