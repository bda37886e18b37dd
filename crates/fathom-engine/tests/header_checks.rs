//! Which fields of headers are compared, and whether a job keeps what it has written: `verify_header_seed`,
//! `verify_write_sequence`, `verify_state_save`.

use crate::support::{self, Heard};
use fathom_engine::log::LogChunk;
use fathom_engine::sink::Sink;
use fathom_results::Frame;
use std::path::Path;
use std::sync::Arc;

fn text(path: &Path, options: &str) -> String {
    format!("[j]\nioengine=psync\nfilename={}\nbs=4k\nsize=256k\nverify=crc32c\n{options}\n", path.display())
}

/// Puts other data into the file before it is read back.
struct Exchange<'a> {
    heard: Heard,
    path: &'a Path,
    data: &'a [u8],
}

impl Sink for Exchange<'_> {
    fn frame(&mut self, frame: &Frame) {
        self.heard.frame(frame);
    }
    fn log(&mut self, _: LogChunk) {}
    fn before_start(&mut self, jobs: &[usize]) {
        if jobs == [1] {
            std::fs::write(self.path, self.data).unwrap();
        }
    }
}

/// Blocks of an earlier run of the same job have other seeds. Where the order is another one, too, they have other numbers.
#[test]
fn blocks_of_another_run_pass_only_where_neither_seed_nor_number_is_checked() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = dir.path().join("f");
    let [earlier, earlier_random] = ["write", "randwrite"].map(|rw| {
        support::run(&text(&path, &format!("rw={rw}\ndo_verify=0\nrandseed=1")));
        std::fs::read(&path).unwrap()
    });
    let wrong = |rw: &str, options: &str| {
        let earlier = if rw == "write" { &earlier } else { &earlier_random };
        let plan = support::planned(&text(&path, &format!("rw={rw}\nrandseed=2\n{options}")));
        let mut sink = Exchange { heard: Heard::default(), path: &path, data: earlier };
        support::run_plan(plan, &Arc::default(), &mut sink);
        let found = sink.heard.outcome(1).verification.clone().expect("it is read back");
        assert_eq!(found.ios, 64, "{rw} {options}");
        found.wrong
    };
    let (no_seed, no_number) = ("verify_header_seed=0", "verify_write_sequence=0");
    let neither = &format!("{no_seed}\n{no_number}");
    for (options, wrong_blocks) in [("", 64), (no_seed, 0), (no_number, 64), (neither, 0)] {
        assert_eq!(wrong("write", options), wrong_blocks, "{options}");
    }
    assert_eq!(wrong("randwrite", neither), 0);
    // A block may have the same number in both orders.
    assert!(wrong("randwrite", no_seed) > 48);
}

/// What a run checks that knows no seed: the numbers of the writes, which are those of its own order.
#[test]
fn a_run_that_only_verifies_expects_its_own_order_unless_it_is_told_otherwise() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = dir.path().join("f");
    support::run(&text(&path, "rw=randwrite\ndo_verify=0\nrandseed=1"));
    let wrong = |options: &str| {
        let heard = support::run(&text(&path, &format!("rw=randwrite\nverify_only=1\n{options}")));
        let found = heard.outcome(1).verification.clone().expect("it verifies");
        assert_eq!(found.ios, 64, "{options}");
        found.wrong
    };
    assert_eq!(wrong("randseed=1"), 0, "the same order");
    assert!(wrong("randseed=2") > 48, "another one");
    assert_eq!(wrong("randseed=2\nverify_write_sequence=0"), 0);
}

#[test]
fn a_job_keeps_the_state_of_its_verification_unless_it_is_told_otherwise() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let states = |options: &str| {
        let heard = support::run(&text(&dir.path().join("f"), &format!("rw=write\n{options}")));
        assert_eq!(heard.outcome(1).failure, None, "{options}");
        heard.states.len()
    };
    assert_eq!((states(""), states("verify_state_save=1"), states("verify_state_save=0")), (1, 1, 0));
}
