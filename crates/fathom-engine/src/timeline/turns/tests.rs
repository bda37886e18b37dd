//! Workers that write down what they do, and when.

use super::*;
use crate::timeline::{let_take, line_up, wait_until};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

type Notes = Rc<RefCell<Vec<(u64, u32)>>>;

fn note(notes: &Notes, worker: u32) {
    notes.borrow_mut().push((now_ns(), worker));
}

/// Runs workers that each wait for their times, and note them.
fn noted(times: &[&[u64]]) -> Vec<(u64, u32)> {
    let (notes, mut turns) = (Notes::default(), Turns::new(times.len()));
    for (worker, times) in (0..).zip(times) {
        let (notes, times) = (notes.clone(), times.to_vec());
        let body = move || {
            for ns in times {
                wait_until(ns);
                note(&notes, worker);
            }
        };
        turns.add(worker, body).unwrap();
    }
    while turns.take() {}
    notes.take()
}

#[test]
fn who_is_due_first_goes_first_and_then_the_lower_number() {
    let got = noted(&[&[5, 10, 30], &[5, 6, 10], &[1, 10, 10]]);
    let by_time = [(1, 2), (5, 0), (5, 1), (6, 1), (10, 0), (10, 1), (10, 2), (10, 2), (30, 0)];
    assert_eq!(got, by_time);
}

#[test]
fn time_that_has_passed_is_not_waited_for() {
    assert_eq!(noted(&[&[7, 3, 7, 8]]), [(7, 0), (7, 0), (7, 0), (8, 0)]);
}

#[test]
fn a_long_turn_is_cut_without_another_order() {
    let long: Vec<u64> = (0..u64::from(MOVES) * 3).collect();
    let mut expected: Vec<(u64, u32)> = long.iter().map(|&ns| (ns, 0)).collect();
    expected.extend([(2_000, 1), (u64::from(MOVES) * 4, 1)]);
    expected.sort_unstable();
    assert_eq!(noted(&[&long, &[2_000, u64::from(MOVES) * 4]]), expected);
}

#[test]
fn all_begin_together_without_those_that_end_before() {
    let (notes, mut turns) = (Notes::default(), Turns::new(3));
    for worker in 0..3 {
        let notes = notes.clone();
        let body = move || {
            note(&notes, worker);
            if worker != 1 {
                line_up();
                note(&notes, worker);
            }
        };
        turns.add(worker, body).unwrap();
    }
    while turns.take() {}
    assert_eq!(notes.take(), [(0, 0), (0, 1), (0, 2), (0, 0), (0, 2)]);
}

#[test]
fn nobody_goes_between_sending_and_going_on() {
    let (notes, mut turns) = (Notes::default(), Turns::new(2));
    for worker in [0, 1] {
        let notes = notes.clone();
        let body = move || {
            wait_until(9);
            let_take();
            note(&notes, worker);
        };
        turns.add(worker, body).unwrap();
    }
    // Both wait, and then worker 0 sends.
    (0..3).for_each(|_| assert!(turns.take()));
    notes.borrow_mut().push((now_ns(), 77));
    while turns.take() {}
    assert_eq!(notes.take(), [(9, 77), (9, 0), (9, 1)]);
}

/// What several workers share gets their I/Os in the order of time: a drive that
/// does one after the other gives each the time that it has when it comes.
#[test]
fn a_shared_drive_serves_in_the_order_of_time() {
    const SERVICE_NS: u64 = 10;
    let (free_at, notes) = (Rc::new(RefCell::new(0)), Notes::default());
    let mut turns = Turns::new(3);
    for worker in 0..3 {
        let (free_at, notes) = (free_at.clone(), notes.clone());
        let body = move || {
            wait_until(u64::from(2 - worker));
            for _ in 0..3 {
                let begin = now_ns().max(*free_at.borrow());
                *free_at.borrow_mut() = begin + SERVICE_NS;
                wait_until(begin + SERVICE_NS);
                note(&notes, worker);
            }
        };
        turns.add(worker, body).unwrap();
    }
    while turns.take() {}
    let expected: Vec<(u64, u32)> =
        (1..10).zip([2, 1, 0].into_iter().cycle()).map(|(n, w)| (n * 10, w)).collect();
    assert_eq!(notes.take(), expected);
}

#[test]
fn a_panic_that_a_worker_catches_is_its_own() {
    let (notes, mut turns) = (Notes::default(), Turns::new(2));
    for worker in [0, 1] {
        let notes = notes.clone();
        let body = move || {
            let ended = catch_unwind(AssertUnwindSafe(|| {
                wait_until(5);
                assert_eq!(worker, 1, "worker 0 is wrong on purpose");
            }));
            wait_until(9);
            notes.borrow_mut().push((now_ns(), u32::from(ended.is_err())));
        };
        turns.add(worker, body).unwrap();
    }
    while turns.take() {}
    assert_eq!(notes.take(), [(9, 1), (9, 0)]);
}

#[test]
fn without_turns_time_moves_at_once() {
    restart();
    wait_until(40);
    line_up();
    let_take();
    assert_eq!(now_ns(), 40);
}
