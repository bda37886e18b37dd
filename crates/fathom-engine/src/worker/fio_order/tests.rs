//! The calls that an engine gets in fio's order.

use crate::desc::Desc;
use crate::engine::{AsyncEngine, Context, EngineError, Replacement, Staged};
use crate::fixture::run_worker;
use crate::worker::async_loop;
use std::cell::RefCell;
use std::io;

thread_local! {
    static CALLS: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Writes its calls down, and completes what each look asks for, in order.
#[derive(Default)]
struct Scribe {
    staged: Vec<(u32, i32)>,
    submitted: Vec<(u32, i32)>,
    complete: usize,
}

fn write_down(call: String) {
    CALLS.with_borrow_mut(|calls| *calls += &call);
}

impl AsyncEngine for Scribe {
    fn open(_context: &Context<'_>) -> Result<Self, EngineError> {
        Ok(Scribe::default())
    }
    fn replace(&mut self, _: &Replacement<'_>) -> Result<(), EngineError> {
        Ok(())
    }
    fn stage(&mut self, slot: u32, desc: &Desc) {
        self.staged.push((slot, desc.len() as i32));
    }
    fn control(&mut self, _slot: u32, _desc: &Desc) -> Staged {
        Staged::Done(0)
    }
    fn submit(&mut self, _wait: u32, _timeout_ns: u64) -> io::Result<u32> {
        unreachable!("fio submits and waits in calls of their own")
    }
    fn commit(&mut self) -> io::Result<()> {
        write_down(format!("+{} ", self.staged.len()));
        self.submitted.append(&mut self.staged);
        Ok(())
    }
    fn collect(&mut self, wait: u32, max: u32, _timeout_ns: u64) -> io::Result<()> {
        write_down(format!("-{wait}..{max} "));
        self.complete = (wait.max(1) as usize).min(self.submitted.len());
        Ok(())
    }
    fn available(&mut self) -> usize {
        self.complete
    }
    fn reap(&mut self, count: usize, mut done: impl FnMut(u64, i32)) {
        self.submitted.drain(..count).for_each(|(slot, result)| done(u64::from(slot), result));
        self.complete -= count;
    }
}

/// The calls of a job of nine I/Os: `+n` submits n, `-n..m` looks.
fn calls(options: &str) -> String {
    let job = format!("[j]\nioengine=null\nrw=read\nbs=4k\nsize=36k\ncompat=fio\n{options}\n");
    let end = run_worker(&job.replace(' ', "\n"), async_loop::run::<Scribe>);
    assert!(end.failure.is_none(), "{end:?}");
    assert_eq!(end.notes[0], ("compat=fio".to_owned(), "submits and reaps as fio does".to_owned()));
    CALLS.take().trim_end().to_owned()
}

#[test]
fn one_at_a_time_once_full_and_the_rest_at_the_end() {
    assert_eq!(calls("iodepth=4"), "+1 +1 +1 +1 -1..1 +1 -1..1 +1 -1..1 +1 -1..1 +1 -1..1 +1 -1..1 -3..3");
    assert_eq!(calls("iodepth=1"), ["+1 -1..1"; 9].join(" "));
}

#[test]
fn a_full_queue_is_emptied_to_its_low_mark() {
    assert_eq!(
        calls("iodepth=4 iodepth_low=2"),
        "+1 +1 +1 +1 -1..1 -1..1 +1 +1 -1..1 -1..1 +1 +1 -1..1 -1..1 +1 -3..3"
    );
}

#[test]
fn a_look_submits_what_is_queued_and_the_next_batch_is_shorter_for_it() {
    // fio 3.33 with iodepth=32, iodepth_batch=4 and
    // iodepth_batch_complete_min=7, tracepoints count 7,139 io_submit(2)
    // for 20,000 I/Os: five for two looks, not four.
    assert_eq!(
        calls("iodepth=4 iodepth_batch=2 iodepth_batch_complete_min=3"),
        "+2 +2 -3..3 +2 +1 -3..3 +1 +1 -3..3"
    );
}

#[test]
fn a_minimum_of_nothing_polls() {
    assert_eq!(calls("iodepth=4 iodepth_batch_complete_min=0"), ["+1 -0..1"; 9].join(" "));
}
